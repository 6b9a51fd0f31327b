#!/usr/bin/env bash
# The five-link suspension drives over the stair: the wheel leaves the road and lands again several times. The times of all these
# events at the default tolerance agree with those of a much more accurate computation.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >events.py <<'END'
"""events.py COARSE FINE: the events of tyre.contact in two runs agree."""
import json, sys


def contacts(path):
    with open(path) as file:
        run = json.load(file)
    assert run["status"] == "ok", run["status"]
    return [(e["t"], e["direction"]) for e in run["events"] if e["name"] == "tyre.contact"]


coarse, fine = contacts(sys.argv[1]), contacts(sys.argv[2])
print(coarse)
print("largest difference", max(abs(a[0] - b[0]) for a, b in zip(coarse, fine)))
assert len(fine) >= 4, "the wheel does not bounce"
assert [d for _, d in coarse] == [d for _, d in fine], "different events"
assert fine[0][1] == -1 and all(a[1] == -b[1] for a, b in zip(fine, fine[1:])), "not alternating"
assert all(abs(a[0] - b[0]) < 1e-6 for a, b in zip(coarse, fine)), "different times"
END

camber() { # FILE ARGUMENT...
  local file=$1
  shift
  check "camber $*" "$CAMBER" "$@" >"$file"
}

camber fine.json run fivelink --set stair=1 --method mdop853 --rtol 1e-10 --json
for method in mdop5 mdop853; do
  camber coarse.json run fivelink --set stair=1 --method "$method" --rtol 1e-6 --json
  check "events with $method" python3 events.py coarse.json fine.json
done

finish
