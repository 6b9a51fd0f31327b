#!/usr/bin/env bash
# Wrong input: exit code 2, one line on standard error that begins with "camber: " and states the error, nothing on standard
# output (with --json perhaps an object with the same message), and no file left behind or changed. One row for each case: words
# of the message, then the arguments.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

mkdir -p work/folder work/folder.csv work/folder.svg
cd work || exit 1
printf 'keep me\n' >old.csv
printf 'a file\n' >file
printf 'bodies: []\n' >model.yaml
echo '<robot name="arm"/>' >arm.urdf

listing() { find . -printf '%p %y %s\n' | sort; }
echo 'title: mine' >crank.yaml
cat >own.yaml <<'YAML'
bodies: {b: {mass: 1, com: [0, 0, 0]}}
joints: {way: {type: prismatic, child: b, axis: x}}
outputs: {way: {value: 2*way, unit: m}}
YAML
before=$(listing)

# With --json the object contains the message on standard error.
is_same_message() {
  [[ " $* " == *" --json "* ]] && python3 -c '
import json, sys
x = json.load(open("../stdout"))
sys.exit("camber: " + x["message"] + "\n" != open("../stderr").read() or x["status"] == "ok")'
}

refuse() { # WORDS ARGUMENT...
  local words=$1 code
  shift
  "$CAMBER" "$@" >../stdout 2>../stderr </dev/null
  code=$?
  checks=$((checks + 1))
  [ "$code" -eq 2 ] || fail "[$*]: exit code $code"
  [ ! -s ../stdout ] || is_same_message "$@" || fail "[$*]: standard output is not empty"
  [ "$(wc -l <../stderr)" -eq 1 ] || fail "[$*]: not one line: $(cat ../stderr)"
  grep -q '^camber: ' ../stderr || fail "[$*]: does not begin with 'camber: ': $(cat ../stderr)"
  grep -qF -- "$words" ../stderr || fail "[$*]: '$words' is not in: $(cat ../stderr)"
  [ "$(listing)" = "$before" ] || {
    fail "[$*]: files have changed: $(diff <(echo "$before") <(listing))"
    before=$(listing)
  }
}

# ---- commands and operands
refuse "did you mean 'run'" rnu pendulum
refuse "unknown command 'frobnicate'" frobnicate
refuse "unknown command ''" ''
refuse "unknown command '--rtol'" --rtol 1e-6
refuse "unknown command 'xyzzy'" xyzzy --help
refuse "needs MODEL" run
refuse "needs MODEL" check --json
refuse "needs NAME" bench
refuse "needs SHELL" completion
refuse "expected methods, models, parts or benches" list everything
refuse "unknown bench" bench nothing
refuse "expected bash, zsh or fish" completion tcsh
refuse "does not expect 'caraxis'" run pendulum caraxis
refuse "does not expect 'methods'" list models methods
refuse "does not expect 'now'" manpage now
refuse "unknown option '-q'" run pendulum -q

# ---- models
refuse "did you mean 'pendulum'" run pendulm
refuse "did you mean 'caraxis'" check caraxsi
refuse "unknown model 'zeppelin'" run zeppelin
refuse "unknown model 'crank'; did you mean 'crank.yaml'?" run crank
refuse "unknown model ''" run ''
refuse "no/such.yaml" run no/such.yaml
refuse "file/model.yaml" run file/model.yaml
refuse "model.yaml" run model.yaml
refuse "./folder" run ./folder
refuse "folder/" check folder/
refuse "unknown model" run $'two\nlines'

# ---- options
refuse "did you mean '--rtol'" run pendulum --rotl 1e-6
refuse "did you mean '--t-end'" run pendulum --tend=3
refuse "unknown option '--frobnicate'" run pendulum --frobnicate
refuse "unknown option" run pendulum "--$(printf 'x%.0s' {1..300})"
refuse "unknown option '--'" run pendulum --
refuse "needs a value" run pendulum --rtol
refuse "needs a value" run pendulum --out
refuse "needs a value" run pendulum --set
refuse "--rtol is '--json'" run pendulum --rtol --json
refuse "--json takes no value" run pendulum --json=yes
refuse "takes no option --rtol" check pendulum --rtol 1e-3
refuse "takes no option --json" list models --json
refuse "takes no option --out" bench simeon-table1 --out new.csv
refuse "takes no option --quiet" manpage --quiet

# ---- numbers
for number in '' 0 -1 -1e-6 nan NaN inf -inf infinity 1e 1e+ e5 . - + 1,5 0x10 1.2.3 1e400 ' 1' '1 ' 1e-6x \
  1_000 1d-3 ٣ '1e-6;' --5; do
  refuse "option --rtol is '$number'; expected a positive number" run pendulum --rtol "$number"
done
for option in atol step max-step every; do
  refuse "option --$option is '0'; expected a positive number" run pendulum --$option 0
  refuse "option --$option is '-1'" run pendulum --$option=-1
  refuse "option --$option is 'nan'" run pendulum --$option nan
  refuse "option --$option is ''" run pendulum --$option=
done
for number in 0 -3 1.5 1e16 ten; do
  refuse "option --max-steps is '$number'; expected a positive whole number" run pendulum --max-steps $number
done
for number in 0 -3 1.5 1e7 ten; do
  refuse "option --repeat is '$number'; expected a whole number" run pendulum --repeat $number
done
refuse "option --t-end is 'nan'" run pendulum --t-end nan
refuse "option --t-end is '1e999'" run pendulum --t-end 1e999
refuse "t-end is -1; expected a time from 0 on" run pendulum --t-end -1
refuse "t-end is -1" run pendulum --t-end -1 --out new.csv

# ---- parameters and start values
for setting in l l= =1 = '' l=one l=1,5 l=nan l=1e; do
  refuse "option --set is '$setting'; expected NAME=VALUE with a number" run pendulum --set "$setting"
done
refuse "pendulum has no parameter 'lenght'" run pendulum --set lenght=1
refuse "did you mean 'omega'" check caraxis --set omeg=1
refuse "steady motion: there is no output, coordinate, velocity or state 'spede'; expected one of steering_wheel, " linearize sedan --steady spede=20
refuse "steady motion: there is no output, coordinate, velocity or state 'forwrd'; did you mean 'forward'?" linearize sedan --steady forwrd=20
refuse "parameter l = 0; expected a number from" run pendulum --set l=0
refuse "parameter l = -1; expected a number from" check pendulum --set l=-1 --json
refuse "parameter l = 10000000" run pendulum --set l=1e7 --json
refuse "parameter N = 1.5; expected a whole number from 1 to 1000" run pendulum-chain --set N=1.5
refuse "parameter N = 0" run pendulum-chain --set N=0
refuse "parameter N = 1001" run pendulum-chain --set N=1001
refuse "parameter N = 1e+300" check pendulum-chain --set N=1e300
refuse "parameter l = 0" run pendulum --set l=2 --set l=0
refuse "no coordinate or velocity 'z'; expected one of x, y" run pendulum --start z=1
refuse "did you mean 'way'" check circular-track --start wya=1
refuse "option --start is 'x'" run pendulum --start x
for negated in rtol json help set save; do # an option with a value, and switches that no model file sets
  refuse "unknown option '--no-$negated'; did you mean '--$negated'?" run pendulum "--no-$negated"
done

# ---- methods and their options
refuse "did you mean 'mdop5'" run pendulum --method mdop6
refuse "unknown method 'leapfrog'; expected one of auto, mdop5, " run pendulum --method leapfrog
refuse "unknown method 'rk4'; expected one of auto, mdop5, " run pendulum --method rk4
refuse "no output, coordinate, velocity or multiplier 'nonsensical'; expected one of angle, energy" run pendulum --plot new.svg --plot-outputs nonsensical
refuse "expected one of way, q/way, way'" run own.yaml --plot new.svg --plot-outputs nonsensical
refuse "no output 'nonsensical'; expected one of" linearize pendulum --outputs nonsensical
refuse "'arm.urdf' is no model file of Camber, whose names end in .yaml; files of other programs, such as URDF and MJCF, are not read" run arm.urdf
refuse "arm.urdf:1:1: the text begins with '<', as XML does; expected a model in YAML" run ./arm.urdf
refuse "unknown method 'RADAU5'; did you mean 'radau5'?" run pendulum --method RADAU5
refuse "unknown method ''" run pendulum --method ''
refuse "option --option is 'steps'; expected NAME=VALUE" run pendulum --option steps
refuse "option --option is 'steps='" run pendulum --option steps=
refuse "option --option is '=fixed'" run pendulum --option =fixed
refuse "did you mean 'projection'" run pendulum --option projektion=every
refuse "method hem5 has no option 'colour'" run pendulum --method hem5 --option colour=red
refuse "expected one of none|velocity|control|every" run pendulum --option projection=sometimes
refuse "expected one of adaptive|fixed" run pendulum --option 'steps=adaptive|fixed'
refuse "--realtime needs a real-time method such as lie; 'mdop5' is none" run pendulum --realtime --method mdop5
refuse "--realtime needs a real-time method" run --method auto fivelink --realtime --out new.csv
refuse "it cannot be used with --repeat" run pendulum --realtime --repeat 2
refuse "unknown method 'lei'; did you mean 'lie'" run pendulum --realtime --method lei
refuse "--realtime takes no value" run pendulum --realtime=1
refuse "takes no option --realtime" check pendulum --realtime
refuse "steps=fixed needs a step size" run pendulum --option steps=fixed
refuse "steps=fixed needs a step size" run pendulum --option steps=fixed --out new.csv

# ---- output
refuse "expected a file name that ends in .csv" run pendulum --out new.txt
refuse "expected a file name that ends in .csv" run pendulum --out new
refuse "expected a file name that ends in .csv" run pendulum --out .csv
refuse "expected a file name that ends in .csv" run pendulum --out ''
refuse "cannot write 'no/new.csv'" run pendulum --out no/new.csv
refuse "cannot write 'file/new.csv'" run pendulum --out file/new.csv
refuse "cannot write 'folder.csv'" run pendulum --out folder.csv
refuse "cannot write" run pendulum --out "$(printf 'x%.0s' {1..300}).csv"
refuse "expected a file name that ends in .svg; 'camber plot' draws a PNG" run pendulum --plot new.png
refuse "expected a file name that ends in .svg" run pendulum --plot .svg
refuse "cannot write 'no/new.svg'" run pendulum --plot no/new.svg
refuse "cannot write 'file/new.svg'" run pendulum --plot file/new.svg --out new.csv
refuse "cannot write 'folder.svg'" run pendulum --plot folder.svg --json
refuse "cannot write 'no/new.csv'" run pendulum --plot new.svg --out no/new.csv
refuse "parameter l = 0" run pendulum --plot new.svg --set l=0
refuse "t-end is -1" run pendulum --plot new.svg --t-end -1

# ---- an older file is not changed
refuse "--rtol is '0'" run pendulum --out old.csv --rtol 0
refuse "parameter l = 0" run pendulum --out old.csv --set l=0
refuse "t-end is -1" run pendulum --out old.csv --t-end -1
refuse "has no option" run pendulum --out old.csv --option colour=red
check "old.csv is as it was" [ "$(cat old.csv)" = "keep me" ]

# ---- a full disk
if [ -w /dev/full ]; then
  for words in 'list models' 'manpage' 'run pendulum --t-end 0.1' 'run pendulum --t-end 0.1 --json' '--version'; do
    # shellcheck disable=SC2086
    "$CAMBER" $words >/dev/full 2>../stderr
    check "[$words] to a full disk: exit code" [ $? -eq 2 ]
    check "[$words] to a full disk: one line" [ "$(wc -l <../stderr)" -eq 1 ]
    check "[$words] to a full disk: message" grep -q '^camber: cannot write to standard output' ../stderr
  done
fi

# ---- without arguments the program prints its help on standard error
"$CAMBER" >../stdout 2>../stderr
check "no arguments: exit code 2" [ $? -eq 2 ]
check "no arguments: nothing on standard output" [ ! -s ../stdout ]
check "no arguments: usage" grep -q '^usage: camber COMMAND' ../stderr

# ---- a program that was copied without the bundled models
mkdir alone
cp "$CAMBER" alone/camber
(unset CAMBER_MODELS; alone/camber run fivelink) 2>stderr
check "no folder of models: exit code" [ $? -eq 2 ]
check "no folder of models: message" grep -qF "unknown model 'fivelink'; no bundled files are found beside the program; CAMBER_MODELS" stderr
"$CAMBER" list models >models.txt
check "short numbers in lists" grep -q -- '--set start1=2.0944$' models.txt
check "no long numbers in lists" [ "$(grep -cE -- '--set [^=]*=[^ ]{11}' models.txt)" -eq 0 ]

finish
