#!/usr/bin/env bash
# Damaged files of results: truncated, or with wrong bits or bytes. The HDF5 library crashes on some of them and does not return on others; camber always ends, and either
# reports that it cannot read the file or draws its data.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >slider.yaml <<'END'
bodies: {b: {mass: 1, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: b, axis: x, rate: 1}}
outputs: {d: {value: x, unit: m}}
END
"$CAMBER" run slider.yaml --t-end 1 --out good.mat >/dev/null
"$CAMBER" run slider.yaml --t-end 1 --out good.h5 >/dev/null 2>&1 || rm -f good.h5 # a build without HDF5

cat >damage.py <<'END'
"""damage.py COUNT PROGRAM FILE..: draws COUNT damaged copies of each file, and prints how often it ended how; complains of an end by a signal and of one that does not come."""
import collections, os, random, subprocess, sys

count, program = int(sys.argv[1]), sys.argv[2]
random.seed(5)


def damage(whole):
    data, kind = bytearray(whole), random.random()
    head = min(len(data), 6000)  # this part contains most of the structure
    if kind < 0.2:
        return data[: random.randrange(len(data))]
    if kind < 0.7:
        for _ in range(random.choice([1, 1, 2, 5])):
            data[random.randrange(head)] ^= 1 << random.randrange(8)
        return data
    place, put = random.randrange(head), random.choice([b"\xff" * 4, b"\0" * 8, b"\xff\xff\xff\x7f", b"\0\0\0\x80"])
    data[place : place + len(put)] = put
    return data


bad = 0
for name in sys.argv[3:]:
    whole, seen, copy = open(name, "rb").read(), collections.Counter(), "damaged." + name.split(".")[1]
    for n in range(count):
        with open(copy, "wb") as f:
            f.write(damage(whole))
        command = [program, "plot", copy, "-o", "damaged.svg"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=60)
            code, words = done.returncode, done.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            code, words = "no end", ""
        seen[code, "damaged, so that" in words] += 1
        if code not in (0, 2) or (code == 2 and (words.count("\n") != 1 or not words.startswith("camber: "))):
            print(f"FAILED: {name}, copy {n}: {code}: {words}")
            os.rename(copy, f"{n}-{copy}")
            bad += 1
    print(name, dict(seen))
sys.exit(bad > 0)
END
many=50
[ -z "${CAMBER_SANITIZED-}" ] || many=20
# shellcheck disable=SC2046 # names of files
check "damaged files" python3 damage.py $many "$CAMBER" $(ls good.h5 good.mat 2>/dev/null)
finish
