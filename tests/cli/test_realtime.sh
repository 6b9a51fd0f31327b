#!/usr/bin/env bash
# --realtime: steps begin at their times on the clock, so that a run takes at least the simulated time less one step; the report has all
# its fields with consistent values; the method is chosen automatically, and an unsuitable one is refused; an interrupted run also
# reports. How long or how late steps are depends on the machine and is not checked, except that each takes at least a nanosecond.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >realtime.py <<'END_OF_PYTHON'
import json, os, signal, subprocess, sys, time

CAMBER = os.environ["CAMBER"]
FIELDS = "period steps overruns worst percentiles latest_wakeup scheduler memory_locked".split()
PENDULUM = """
points: {A: [0, 0, 0], B: [0.3, 0, 0]}
bodies: {rod: {mass: 1, rod: [A, B]}}
joints: {pin: {type: revolute, child: rod, at: A, axis: y}}
simulate: """


def expect(holds, *words):
    if not holds:
        sys.exit(" ".join(map(str, ("realtime.py:",) + words)))


def run(*arguments):
    """The object that --json gives, and the seconds that it took."""
    begun = time.monotonic()
    done = subprocess.run([CAMBER, "run", *arguments, "--json"], capture_output=True, text=True)
    seconds = time.monotonic() - begun
    expect(done.returncode == 0 and done.stderr == "", arguments, done.stderr)
    return json.loads(done.stdout), seconds


def run_file(simulate, *arguments):
    with open("model.yaml", "w") as file:
        file.write(PENDULUM + simulate + "\n")
    return run("model.yaml", *arguments)[0]


def expect_report(result, period):
    report = result["realtime"]
    expect(list(report) == FIELDS, "fields", list(report))
    expect(report["period"] == period, "period", report["period"])
    expect(report["steps"] == result["stats"]["accepted"], "steps", report["steps"])
    expect(0 <= report["overruns"] <= report["steps"], "overruns", report["overruns"])
    expect(list(report["percentiles"]) == ["50", "90", "99", "99.9"], report["percentiles"])
    times = list(report["percentiles"].values()) + [report["worst"]]
    expect(times == sorted(times) and times[0] > 0, "times", times)
    expect(report["latest_wakeup"] >= 0, "latest_wakeup", report["latest_wakeup"])
    expect(report["scheduler"] in ("fifo", "other"), "scheduler", report["scheduler"])
    expect(type(report["memory_locked"]) is bool, "memory_locked", report["memory_locked"])
    return report


def test_paced():
    for method in ("lie", "rosw2"):
        result, seconds = run("pendulum", "--realtime", "--t-end", "0.2", "--step", "5e-3", "--method", method)
        report = expect_report(result, 5e-3)
        expect(report["steps"] == 40, "steps", report["steps"])
        expect(seconds >= 0.19 and result["seconds"]["run"] >= 0.19, "took", seconds)
        expect(result["method"] == method, "method", result["method"])
        free, _ = run("pendulum", "--t-end", "0.2", "--step", "5e-3", "--method", method)
        expect("realtime" not in free, "a report without --realtime")
        expect((free["q"], free["v"]) == (result["q"], result["v"]), "another motion")


def test_periods():
    result, _ = run("pendulum", "--realtime", "--t-end", "0.05")
    expect(result["method"] == "lie" and expect_report(result, 1e-3)["steps"] == 50, result)
    result, _ = run("pendulum", "--realtime", "--t-end", "0.05", "--step", "0.1", "--max-step", "0.01")
    expect(expect_report(result, 0.01)["steps"] == 5, result["realtime"])
    result, _ = run("pendulum", "--realtime", "--t-end", "0")
    expect(result["realtime"]["steps"] == 0 and result["realtime"]["worst"] is None, result["realtime"])


def test_overruns():
    """A nanosecond is not enough: all steps are late, none of them sleeps."""
    result, _ = run("pendulum", "--realtime", "--t-end", "1e-7", "--step", "1e-9")
    report = expect_report(result, 1e-9)
    expect(report["overruns"] == report["steps"] == 100, report)
    expect(report["latest_wakeup"] == 0 and report["percentiles"]["50"] > 1e-9, report)


def test_model_file():
    result = run_file("{t-end: 0.02, realtime: true}")
    expect(result["method"] == "lie" and expect_report(result, 1e-3)["steps"] == 20, result)
    result = run_file("{t-end: 0.02, method: radau5}", "--realtime")
    expect(result["method"] == "lie" and "realtime" in result, "the command line comes first:", result["method"])
    result = run_file("{t-end: 0.02, realtime: true}", "--method", "radau5")
    expect(result["method"] == "radau5" and "realtime" not in result, "the command line comes first:", result)


def test_text():
    words = [CAMBER, "run", "pendulum", "--realtime", "--t-end", "0.02"]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    lines = text[text.index("  real time "):].splitlines()
    expect(lines[0].startswith("  real time    period 1 ms, 20 steps, "), lines[0])
    expect(all(len(line) <= 80 and line == line.rstrip() for line in lines), text)
    rows = lines[[line.split()[-1] for line in lines].index("steps") + 1:]
    expect(2 <= len(rows) <= 10 and rows[-1].split()[:2] == ["longer", "none"], text)
    counts = [int(row.rstrip("# ").split()[-1]) for row in rows]
    expect(sum(counts) == 20, "rows add up to", sum(counts))
    expect(max(row.count("#") for row in rows) == rows[counts.index(max(counts))].count("#"), "bars", text)


def test_interrupt():
    words = [CAMBER, "run", "pendulum", "--realtime", "--t-end", "1e6", "--json", "--out", "run.csv"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(4000):  # until there are lines of steps
        if os.path.exists("run.csv.partial") and os.path.getsize("run.csv.partial") > 1000:
            break
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    result = json.loads(out)
    expect(process.returncode == 1 and result["status"] == "interrupted", out[:300])
    expect(err == f"camber: {result['message']}\n", err)
    expect(expect_report(result, 1e-3)["steps"] > 0, result["realtime"])


globals()[sys.argv[1]]()
END_OF_PYTHON

check "paced" python3 realtime.py test_paced
check "periods" python3 realtime.py test_periods
check "overruns" python3 realtime.py test_overruns
check "from a model file" python3 realtime.py test_model_file
check "as text" python3 realtime.py test_text
check "interrupted" python3 realtime.py test_interrupt

finish
