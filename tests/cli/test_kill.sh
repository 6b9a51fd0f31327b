#!/usr/bin/env bash
# A run that is killed, at 50 moments, leaves a trajectory that can be read: FILE.csv.partial has its whole line
# of names, and every line that has its end has all its fields, all of them numbers, at ascending times. An older
# FILE.csv stays as it was, or is replaced by the whole of the new one. A run that is interrupted (Ctrl-C) ends
# with exit code 1, its trajectory in place, and says so.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

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


def count_lines(path):
    """The whole lines behind the names, each of them looked at."""
    with open(path) as file:
        text = file.read()
    lines = text.split("\n")[:-1]  # what follows the last line end is unfinished
    if not text:
        return 0  # killed between opening the file and writing the names
    expect(lines and lines[0].split(",") == HEADER, path, "has not all its names:", text[:300])
    before = -1.0
    for number, line in enumerate(lines[1:], 2):
        fields = line.split(",")
        expect(len(fields) == len(HEADER), path, "line", number, "has", len(fields), "fields")
        expect(all(NUMBER.fullmatch(field) for field in fields), path, "line", number, line)
        expect(float(fields[0]) > before, path, "line", number, "goes back in time")
        before = float(fields[0])
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


def kill(arguments, delay):
    """What was found after SIGKILL: 'nothing', 'partial' or 'finished', and the number of lines."""
    process = start(arguments, stdout=subprocess.DEVNULL)
    time.sleep(delay)
    process.kill()
    process.wait()
    with open(OUT) as file:
        replaced = file.read(len(OLD)) != OLD
    expect(not (replaced and os.path.exists(PARTIAL)), "both", OUT, "and", PARTIAL)
    if replaced:
        return "finished", count_lines(OUT)
    return ("partial", count_lines(PARTIAL)) if os.path.exists(PARTIAL) else ("nothing", 0)


def test_kills():
    chance = random.Random(1996)
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
            found.append(kill(LONG_RUN, chance.uniform(0.05, 0.5)))
    kinds = [kind for kind, _ in found]
    under_way = sum(kind == "partial" and lines >= MANY for kind, lines in found)
    print(f"{KILLS} kills: {under_way} with at least {MANY} lines written, most {max(n for _, n in found)};",
          {kind: kinds.count(kind) for kind in sorted(set(kinds))})
    expect(under_way >= KILLS // 3, "too few kills hit a run under way")


def wait_for_lines(process):
    for _ in range(2000):
        if os.path.exists(PARTIAL) and os.path.getsize(PARTIAL) > 100000:
            return
        expect(process.poll() is None, "ended by itself")
        time.sleep(0.005)
    sys.exit("kill.py: no lines")


def test_interrupt():
    process = start(LONG_RUN + ["--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_lines(process)
    process.send_signal(signal.SIGINT)
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

check "killed" python3 kill.py test_kills
check "interrupted" python3 kill.py test_interrupt
check "interrupted in a step of very many records" python3 kill.py test_interrupt_inside_a_step
check "interrupted while it is repeated" python3 kill.py test_interrupt_between_repetitions

finish
