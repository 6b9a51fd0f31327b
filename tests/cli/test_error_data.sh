#!/usr/bin/env bash
# --json of failures: the object `error` has the parts of the message as fields: status, file, line, column, kind, name, subject, time and
# text, null where one is not known. Tested with all models of bad/, whose first lines state the position of the error, with runs that
# fail and with wrong options; a run without failure has no such object.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cp -r "$SOURCE_DIR/tests/cli/bad" work

cat >look.py <<'END'
"""look.py bad FOLDER | look.py FILE STANDARD-ERROR EXPRESSION: exit code 0 if all is right, else says why not."""
import json, os, re, subprocess, sys

KEYS = "status file line column kind name subject time text".split()


def agree(result, words):
    """The object and the sentence say the same; words: of standard error."""
    message, error = result["message"], result["error"]
    assert list(error) == KEYS, error
    assert words == f"camber: {message}\n", (words, message)
    assert error["status"] == result["status"], error
    place = "" if error["line"] is None else f"{error['file']}:{error['line']}:{error['column']}: "
    assert message.startswith(place) and message.endswith(error["text"]), (message, error)
    assert error["name"] is None or error["name"] in message and error["kind"] in error["subject"], error
    assert error["time"] is not None or " t = " not in message, error


def bad_models(folder):
    os.chdir(folder)
    names = sorted(name for name in os.listdir(".") if name.endswith(".yaml"))
    assert len(names) >= 150, names
    for name in names:
        ran = subprocess.run([os.environ["CAMBER"], "run", name, "--json"], capture_output=True, text=True)
        result = json.loads(ran.stdout)
        agree(result, ran.stderr)
        with open(name) as file:
            expected = re.match(r"# expect: (?:([a-z/.]+):)?(\d+):(\d+): ", file.readline())
        error = result["error"]
        place = (expected.group(1) or name, int(expected.group(2)), int(expected.group(3)))
        assert (error["file"], error["line"], error["column"]) == place, (place, error)


if sys.argv[1] == "bad":
    bad_models(sys.argv[2])
else:
    with open(sys.argv[1]) as file:
        x = json.load(file)
    with open(sys.argv[2]) as file:
        agree(x, file.read())
    e = x["error"]
    assert eval(sys.argv[3]), (x["t"] if "t" in x else None, x["message"], e)
END

check "bad models" python3 look.py bad work

fails() { # EXPRESSION ARGUMENT...: of x, the whole object, and e, its error
  local expression=$1
  shift
  "$CAMBER" "$@" --json >out.json 2>err
  check "$*: $expression" python3 look.py out.json err "$expression"
}
# ---- errors that the program finds, not the library, with their positions in the model
fails "e['subject'] == 'simulate' and e['text'].startswith('unknown key')" run work/simulate-key.yaml
fails "e['subject'] == 'simulate' and e['text'].startswith('method ')" run work/simulate-option.yaml
fails "(e['kind'], e['name'], e['line'], e['time']) == ('constraint', 'tie', 6, 0)" check work/loop-cannot-close.yaml

# ---- runs
fails "e['time'] == x['t'] > 0 and e['name'] is None" run caraxis --max-steps 10
fails "e['time'] == x['t'] and e['kind'] == 'velocity'" run caraxis --set h=2
fails "(e['kind'], e['name']) == ('constraint', 'length of the rod') and e['text'].startswith('constraint ')" \
  run pendulum --start x=0 --start y=0
mkdir folder.csv
fails "e['status'] == 'input-output' and e['file'] == 'folder.csv'" run caraxis --out folder.csv

# ---- the command line
fails "all(e[key] is None for key in e if key not in ('status', 'text')) and e['text'] == x['message']" run caraxis --rtol x
fails "(e['kind'], e['name'], e['time']) == ('option', 'colour', None)" run caraxis --option colour=red
fails "(e['kind'], e['name']) == ('parameter', 'nothing')" run simple-pendulum --set nothing=1
fails "e['status'] == 'bad-argument' and x['status'] == 'bad-argument'" export c simple-pendulum --method mdop5

# ---- a run that is interrupted
"$CAMBER" run pendulum --t-end 1e6 --every 0.01 --out long.csv --json >out.json 2>err &
pid=$!
for ((i = 0; i < 200; i++)); do
  [ -s long.csv.partial ] && break
  sleep 0.05
done
kill -INT $pid
wait $pid
check "interrupted" python3 look.py out.json err "e['status'] == 'interrupted' and e['time'] == x['t'] > 0"

# ---- no object `error` without a failure
"$CAMBER" run pendulum --t-end 0.1 --json >out.json
check "no error" python3 -c 'import json; x = json.load(open("out.json")); assert "error" not in x and "message" not in x'

finish
