#!/usr/bin/env bash
# A run that is killed, at 50 different times, leaves a trajectory that can be read: FILE.csv.partial has the complete
# line of names, and every complete line has all its fields, which are numbers, at ascending times. An older FILE.csv
# is unchanged or replaced by the complete new one. A run that is interrupted (Ctrl-C, SIGTERM, or SIGHUP unless nohup
# makes it ignored) ends with exit code 1 and a message, and its trajectory has its final name. The same holds for a run
# with impacts, resting contacts and dry friction, which has two lines at each event.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >shaken.yaml <<'END'
bodies:
  ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}
  block: {mass: 1, box: [0.1, 0.1, 0.1], at: [2, 0, 0]}
joints:
  z: {type: prismatic, child: ball, axis: z, start: 0.1}
  x: {type: prismatic, child: block, axis: x, rate: 1}
loops: {low: {type: stop, formula: "z - 0.2*sin(9*t)", restitution: 0.2}}
forces: {dry: {type: load, on: {body: block, at: [2, 0, 0]}, force: ["-3*sign(x') + 5*sin(t)", 0, 0]}}
outputs: {h: z, s: x}
simulate: {t-end: 1e6}
END

cat >kill.py <<'END'
import json, os, random, re, signal, subprocess, sys, time

CAMBER, OUT, PARTIAL, OLD = os.environ["CAMBER"], "run.csv", "run.csv.partial", "an older file\n"
KILLS, EARLY, SHORT, MANY, RODS = 50, 8, 10, 100, 25
LONG_RUN = f"run pendulum-chain --set N={RODS} --set shift_x=3 --set omega=2 --rtol 1e-10 --t-end 1e6".split()
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]\d+)?")
HEADER = ["t"] + [f"alpha{i + 1}" for i in range(RODS)] + [f"alpha{i + 1}'" for i in range(RODS)]
HEADER += ["tip_x", "tip_y"]


def expect(holds, *words):
    if not holds:
        sys.exit(" ".join(map(str, ("kill.py:",) + words)))


EVENTFUL = "run shaken.yaml".split()
EVENTFUL_HEADER = ["t", "z", "x", "z'", "x'", "h", "s"]


def count_lines(path, header=HEADER):
    """The whole lines behind the names, each of them looked at."""
    with open(path) as file:
        text = file.read()
    lines = text.split("\n")[:-1]  # what follows the last line end is unfinished
    if not text:
        return 0  # killed between opening the file and writing the names
    expect(lines and lines[0].split(",") == header, path, "has not all its names:", text[:300])
    before, sides = -1.0, 0
    for number, line in enumerate(lines[1:], 2):
        fields = line.split(",")
        expect(len(fields) == len(header), path, "line", number, "has", len(fields), "fields")
        expect(all(NUMBER.fullmatch(field) for field in fields), path, "line", number, line)
        sides += float(fields[0]) == before
        expect(float(fields[0]) >= before, path, "line", number, "goes back in time")
        before = float(fields[0])
    expect(sides == 0 or header != HEADER, path, "has a time twice")
    expect(sides > 0 or header == HEADER or len(lines) < MANY, path, "has no events")
    return len(lines) - 1


def start(arguments, **streams):
    for path in (OUT, PARTIAL):
        if os.path.exists(path):
            os.remove(path)
    with open(OUT, "w") as file:
        file.write(OLD)
    return subprocess.Popen([CAMBER] + arguments + ["--out", OUT], text=True, **streams)


def seconds_of(arguments):
    begun = time.monotonic()
    expect(start(arguments, stdout=subprocess.DEVNULL).wait() == 0, arguments)
    return time.monotonic() - begun


def seconds_to_many_lines(arguments):
    """How long it takes on this machine, busy as it is, until some hundred lines are there."""
    begun = time.monotonic()
    process = start(arguments, stdout=subprocess.DEVNULL)
    wait_for_lines(process)
    process.kill()
    process.wait()
    return time.monotonic() - begun


def kill(arguments, delay, header=HEADER, wait=False):
    """Kills a run `delay` seconds after its start or, with wait, after it has written some hundred lines. Returns what was
    found: 'nothing', 'partial' or 'finished', and the number of lines."""
    process = start(arguments, stdout=subprocess.DEVNULL)
    if wait:
        wait_for_lines(process)
    time.sleep(delay)
    process.kill()
    process.wait()
    with open(OUT) as file:
        replaced = file.read(len(OLD)) != OLD
    expect(not (replaced and os.path.exists(PARTIAL)), "both", OUT, "and", PARTIAL)
    if replaced:
        return "finished", count_lines(OUT, header)
    return ("partial", count_lines(PARTIAL, header)) if os.path.exists(PARTIAL) else ("nothing", 0)


def test_kills():
    chance = random.Random(1996)
    first = seconds_to_many_lines(LONG_RUN)
    short_run = LONG_RUN[:-1] + ["4"]
    length = seconds_of(short_run)
    total = count_lines(OUT)
    expect(total > MANY, "a short run has", total, "lines")
    found = []
    for k in range(KILLS):
        if k < EARLY:
            found.append(kill(LONG_RUN, chance.uniform(0, 0.01)))
        elif k < EARLY + SHORT:
            found.append(kill(short_run, chance.uniform(0.5, 1.3) * length))
            expect(found[-1][0] != "finished" or found[-1][1] == total, "finished, but not all lines")
        else:
            found.append(kill(LONG_RUN, chance.uniform(0.2, 1) * first, wait=k % 2 == 0))
    kinds = [kind for kind, _ in found]
    under_way = sum(kind == "partial" and lines >= MANY for kind, lines in found)
    print(f"{KILLS} kills: {under_way} with at least {MANY} lines written, most {max(n for _, n in found)};",
          {kind: kinds.count(kind) for kind in sorted(set(kinds))})
    expect(under_way >= KILLS // 4, "too few kills hit a run under way")


def test_kills_at_events():
    chance = random.Random(13)
    first = seconds_to_many_lines(EVENTFUL)
    found = [kill(EVENTFUL, chance.uniform(0.2, 1) * first, EVENTFUL_HEADER, k % 2 == 0) for k in range(12)]
    under_way = sum(kind == "partial" and lines >= MANY for kind, lines in found)
    print(f"{len(found)} kills among events: {under_way} with at least {MANY} lines written")
    expect(under_way >= len(found) // 3, "too few kills hit a run under way")


def test_interrupt_at_events():
    process = start(EVENTFUL + ["--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_lines(process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    run = json.loads(out)
    expect(process.returncode == 1 and run["status"] == "interrupted" and run["events"], out[:300])
    names = {e["name"] for e in run["events"]}
    expect({"low", "low.rest"} <= names, names)
    expect(count_lines(OUT, EVENTFUL_HEADER) > run["stats"]["accepted"], "no sides")
    with open(OUT) as file:
        expect(float(file.read().splitlines()[-1].split(",")[0]) == run["t"], "another last line")


def wait_for_lines(process):
    for _ in range(2000):
        if os.path.exists(PARTIAL) and os.path.getsize(PARTIAL) > 100000:
            return
        expect(process.poll() is None, "ended by itself")
        time.sleep(0.005)
    sys.exit("kill.py: no lines")


def interrupt(*signals, hangup=signal.SIG_DFL):
    process = start(LONG_RUN + ["--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    preexec_fn=lambda: signal.signal(signal.SIGHUP, hangup))
    wait_for_lines(process)
    for number in signals[:-1]:
        process.send_signal(number)
        time.sleep(0.2)
        expect(process.poll() is None, "ended by", number)
    process.send_signal(signals[-1])
    out, err = process.communicate(timeout=30)
    run = json.loads(out)
    expect(process.returncode == 1, "exit code", process.returncode)
    expect(run["status"] == "interrupted" and run["message"].startswith("interrupted at t = "), out[:300])
    expect(err == f"camber: {run['message']}\n", err)
    expect(not os.path.exists(PARTIAL), PARTIAL, "is left")
    expect(count_lines(OUT) == run["stats"]["accepted"] + 1, "not a line a step")
    with open(OUT) as file:
        last = [float(x) for x in file.read().splitlines()[-1].split(",")]
    expect(last == [run["t"]] + run["q"] + run["v"] + list(run["outputs"].values()), "another state")


def test_interrupt():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        interrupt(number)
    interrupt(signal.SIGHUP, signal.SIGTERM, hangup=signal.SIG_IGN)


def test_interrupt_inside_a_step():
    process = start("run pendulum --every 1e-9 --json".split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_lines(process)
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    out, _ = process.communicate(timeout=60)
    expect(time.monotonic() - begun < 5, "took long to stop")
    run = json.loads(out)
    expect(process.returncode == 1 and run["status"] == "interrupted", out[:300])
    with open(OUT) as file:
        expect(float(file.read().splitlines()[-1].split(",")[0]) == run["t"], "another last line")


def test_interrupt_between_repetitions():
    process = start("run pendulum --t-end 1 --repeat 1000000 --json".split(), stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    out, _ = process.communicate(timeout=60)
    expect(time.monotonic() - begun < 5, "took long to stop")
    run = json.loads(out)
    expect(process.returncode == 1 and run["status"] == "interrupted" and run["t"] == 1, out[:300])


globals()[sys.argv[1]]()
END

if [ -z "${CAMBER_SANITIZED-}" ]; then # the sanitizers cannot check the memory of a killed process
  check "killed" python3 kill.py test_kills
  check "killed among events" python3 kill.py test_kills_at_events
fi
check "interrupted among events" python3 kill.py test_interrupt_at_events
check "interrupted" python3 kill.py test_interrupt
check "interrupted in a step of very many records" python3 kill.py test_interrupt_inside_a_step
check "interrupted while it is repeated" python3 kill.py test_interrupt_between_repetitions

finish
