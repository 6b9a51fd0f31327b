#!/usr/bin/env bash
# Limits that decide whether a model is refused: just inside of each limit it is accepted, just outside it is refused with a message. A change
# of a limit by a factor of ten, in either direction, fails here.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

# both NAME INSIDE OUTSIDE WORDS ARGUMENT...: checks the model on standard input, in which @ stands for the number, on both sides of the limit.
both() {
  local name=$1 inside=$2 outside=$3 words=$4 model
  shift 4
  model=$(cat)
  printf '%s\n' "${model//@/$inside}" >inside.yaml
  printf '%s\n' "${model//@/$outside}" >outside.yaml
  check "$name: $inside is taken: $("$CAMBER" "$1" ./inside.yaml "${@:2}" 2>&1 >/dev/null | grep -v warning)" \
    "$CAMBER" "$1" ./inside.yaml "${@:2}" >/dev/null 2>&1
  "$CAMBER" "$1" ./outside.yaml "${@:2}" >out 2>err
  check "$name: $outside is refused: exit code" [ $? -eq 2 ]
  check "$name: $outside is refused with a message: $(cat err)" grep -qF -- "$words" err
}

# ---- the contradiction of dependent constraints: in an angle in radians, in its rate, in its acceleration

pendulum='bodies: {b: {mass: 1, com: [0, 0, 2]}}
joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [a]}}'

both 'positions' 8e-10 8e-9 "cannot be met at the start" check <<END
$pendulum
motions: {one: {coordinate: a, value: 0}, two: {coordinate: a, value: @}}
END
both 'rates' 5e-10 4e-9 "no velocities satisfy it together with motion 'one'" check <<END
$pendulum
motions: {one: {coordinate: a, value: 0}, two: {coordinate: a, value: @*t}}
END
both 'accelerations' 5e-10 4e-9 "no accelerations satisfy it together with motion 'one'" check <<END
$pendulum
motions: {one: {coordinate: a, value: 0}, two: {coordinate: a, value: @*t^2/2}}
END

# The constraints that a message about a contradiction names: of a gear and two motions the second takes part with the ratio of the gear; it is named if this is at least 1/20.
for ratio in 0.06 0.04; do
  cat >gear.yaml <<END
bodies: {x: {mass: 1, com: [0, 0, 0]}, y: {mass: 1, com: [0, 0, 0]}}
joints: {a: {type: prismatic, child: x, axis: x}, b: {type: prismatic, child: y, axis: x}}
loops: {g: {type: gear, coordinates: [a, b], ratio: $ratio}}
motions: {one: {coordinate: a, value: 0.3*t}, two: {coordinate: b, value: 0.7*t}}
END
  "$CAMBER" check gear.yaml 2>err
  named=$(grep -o "'[a-z]*' *(line\|motion '[a-z]*'\|loop '[a-z]*'" err | grep -o "'[a-z]*'" | sort -u | xargs)
  wanted=$([ $ratio = 0.06 ] && echo 'g one two' || echo 'g one')
  check "ratio $ratio: named are $named" [ "$named" = "$wanted" ]
done

# ---- a controller's period that is a multiple of the step, up to 1e-9 of the step

both 'period' 0.0100000000005 0.010000000004 'expected a step of which both times are multiples' run --method lie --step 0.001 --t-end 0.05 <<'END'
bodies: {b: {mass: 1, com: [0, 0, -1]}}
joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [a], start: 1}}
controllers: {c: {period: @, update: {u: -a}}}
forces: {drive: {type: torsion, coordinate: a, torque: u}}
END

# ---- directions that are given with seven digits: the cosine of the angle between perpendicular directions is at most 1e-6

both 'right angle' 5e-7 5e-6 'expected a right angle' check <<'END'
bodies: {b: {mass: 1, com: [0, 0, -1], inertia: [1, 1, 1]}}
joints: {j: {type: universal, child: b, at: [0, 0, 0], axes: [[1, 0, 0], [@, 1, 0]]}}
END

# ---- names: 60 characters for one, 240 with the names of the instances that contain it

letters() { printf "%*s" "$1" '' | tr ' ' 'a'; }
both 'a name' "$(letters 60)" "$(letters 61)" 'is too long; expected at most 60 characters' check <<'END'
bodies: {b: {mass: 1, com: [0, 0, 0]}}
joints: {j: {type: prismatic, child: b, axis: x}}
points: {@: [0, 0, 0]}
END
# Four instances, one in the other, of 55, 55, 55 and @ characters, and a name of 16, with points between: 185 and @.
long=$(letters 55)
both 'a name in instances' "$(letters 55)" "$(letters 56)" 'has 241 characters; expected at most 240' check <<END
bodies: {b: {mass: 1, com: [0, 0, 0]}}
joints: {j: {type: prismatic, child: b, axis: x}}
templates:
  t1: {points: {point_of_letters: [0, 0, 0]}}
  t2: {instances: {@: {template: t1}}}
  t3: {instances: {$long: {template: t2}}}
  t4: {instances: {$long: {template: t3}}}
instances: {$long: {template: t4}}
END

finish
