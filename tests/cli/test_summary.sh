#!/usr/bin/env bash
# The summary of `camber run`: outputs with their extremes, named events, one line for all warnings of a kind; --states and --verbose.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# ---- outputs: x = cos 2t over one period and a half, whose extremes and root mean square are known

cat >spring.yaml <<'EOF'
gravity: [0, 0, 0]
bodies: {m: {mass: 1, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: m, axis: x, start: 1}}
forces: {k: {type: load, on: {body: m, at: [0, 0, 0]}, force: [-2*x - 2*abs(x)*sign(x), 0, 0]}}
outputs: {way: {value: x, unit: m}, size: abs(x) + 1}
events: {far: {when: x > 0.5}}
simulate: {t-end: 4.71238898038469}
EOF
cat >no_outputs.yaml <<'EOF'
bodies: {m: {mass: 1, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: m, axis: x, start: 1, rate: 3}}
simulate: {t-end: 1}
EOF

# A steady rotation takes few steps, and the points between them are about a turn apart.
cat >rotor.yaml <<'EOF'
gravity: [0, 0, 0]
bodies: {b: {mass: 1, rod: [[0, 0, 0], [1, 0, 0]], radius: 0.05, markers: {tip: {at: [1, 0, 0]}}}}
joints: {h: {type: revolute, child: b, at: [0, 0, 0], axis: z, rate: 2*pi}}
outputs: {x: tip.x, turns: h/(2*pi)}
EOF

near() { # VALUE EXPECTED TOLERANCE
  awk -v x="$1" -v y="$2" -v tol="$3" 'BEGIN { exit !(x != "" && x - y <= tol && y - x <= tol) }'
}

row() { # NAME FINAL MIN MAX RMS: the line of an output
  local values value
  read -ra values <<<"$(awk -v name="$1" '$1 == name { $1 = ""; print }' out)"
  local expected=("${@:2}")
  for k in 0 1 2 3; do
    value=${values[$k]-}
    check "$1: '$value' in column $k, expected ${expected[$k]}" near "$value" "${expected[$k]}" 1e-4
  done
}

prints() { # PATTERN: a line of the output
  check "no '$1' in: $(cat out err)" grep -qE "$1" out
}

"$CAMBER" run rotor.yaml --t-end 200 >out 2>err
check "extremes of fast outputs" prints "^  'x' changes faster than [0-9]+ points show"
rms=$(awk '$1 == "x" { print $5 }' out)
check "few points, but not all at one phase: rms $rms" near "$rms" 0.7071 0.07
"$CAMBER" run rotor.yaml --t-end 2 >out 2>err
check "none are fast here" bash -c '! grep faster out'

silent_on() { # PATTERN: no such line
  checks=$((checks + 1))
  ! grep -E "$1" out || fail "'$1' is printed"
}

"$CAMBER" run spring.yaml >out 2>err || fail "exit code $?: $(cat err)"
row way -1 -1 1 0.70710678
row size 2 1 2 1.66530 # √(1.5 + 4/π)
prints '^  way .* m$'
silent_on '^  positions|^  velocities|^  multipliers'

# ---- events that the model names are listed; kinks in formulas are counted, and listed with --verbose

prints 'far, (rising|falling)'
prints ' in formulas, .*--verbose lists them'
silent_on 'force k'
"$CAMBER" run spring.yaml --verbose --plot all.svg >out 2>err || fail "exit code $?: $(cat err)"
prints 'force k, line 4'
check "kinks are not marked with --verbose" grep -q 'force k, line 4' all.svg
"$CAMBER" run spring.yaml --plot some.svg >out 2>err || fail "exit code $?: $(cat err)"
check "a named event is not marked" grep -q 'far, rising' some.svg
checks=$((checks + 1))
! grep -q 'force k' some.svg || fail "a kink is marked in the plot"
"$CAMBER" run spring.yaml --json >out 2>err || fail "exit code $?: $(cat err)"
prints '"name":"force k, line 4[^}]*"kind":"formula"|"kind": ?"formula"'

# A contact touches and lifts off.
"$CAMBER" run fivelink --set stair=1 >out 2>err || fail "exit code $?: $(cat err)"
prints '^  events +t = 0\.2 +tyre lifts off$'
prints '^ +t = 0\.2246199379[0-9]* +tyre touches$'

# All events are listed with --verbose, only the first ones without it.
cat >grid.yaml <<'EOF'
gravity: [0, 0, 0]
bodies: {m: {mass: 1, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: m, axis: x, rate: 1}}
events: {line: {when: "sin(40*pi*x) > 0"}}
simulate: {t-end: 1.51}
EOF
"$CAMBER" run grid.yaml >out 2>err || fail "exit code $?: $(cat err)"
check "20 events expected: $(cat out)" test "$(grep -c 'line, ' out)" = 20
prints '^ +and [0-9]+ more; --verbose lists all$'
"$CAMBER" run grid.yaml --verbose >out 2>err || fail "exit code $?: $(cat err)"
check "30 events expected: $(cat out)" test "$(grep -c 'line, ' out)" -ge 30
silent_on ' more; '

# ---- states to the last digit

"$CAMBER" run spring.yaml --states >out 2>err || fail "exit code $?: $(cat err)"
prints '^  positions +x +-0\.99999[0-9]{9,}|^  positions +x +-1\.0000[0-9]{9,}'
row way -1 -1 1 0.70710678
"$CAMBER" run no_outputs.yaml >out 2>err || fail "exit code $?: $(cat err)"
prints '^  positions +x +4$'
prints "^  velocities +x' +3$"

# as many digits as identify the number, and not more: 0.1 + 0.2
sed 's/start: 1, rate: 3/start: 0.1 + 0.2/' no_outputs.yaml >digits.yaml
"$CAMBER" run digits.yaml --states >out 2>err || fail "exit code $?: $(cat err)"
prints '^  positions +x +0\.30000000000000004$'

# ---- warnings of a kind are one line, and all of them with --verbose

"$CAMBER" run four-bar --t-end 0.1 >out 2>err || fail "exit code $?: $(cat err)"
check "one warning expected: $(cat err)" test "$(grep -c warning err)" = 1
check "no count in: $(cat err)" grep -q "3 redundant constraints are left out: 'joint_b.y', 'joint_b.tilt1', 'joint_b.tilt2'" err
"$CAMBER" run four-bar --t-end 0.1 --verbose >out 2>err || fail "exit code $?: $(cat err)"
check "each constraint expected: $(cat err)" test "$(grep -c "^camber: constraint 'joint_b\..*' is redundant and left out" err)" = 3

finish
