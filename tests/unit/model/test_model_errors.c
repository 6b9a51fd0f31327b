/*
 * Tests of the messages for wrong model files: each has the line and column, the element, and what was expected.
 */
#include "check.h"
#include "model_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A wrong model file, and the place and a part of the message. */
struct wrong_file {
  const char *text, *place, *fragment;
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define BODY         "bodies: {b: {mass: 1, com: [0, 0, 0]}, c: {mass: 1, com: [1, 0, 0]}}\n"
#define MODEL                                                                                      \
  BODY "joints: {j: {type: free, child: b}, k: {type: revolute, child: c, at: [0, 0, 0], axis: "   \
       "x}}\n"

static void check_all(const struct wrong_file *rows, size_t count)
{
  cmb_context *ctx = cmb_context_create(NULL);
  for (size_t i = 0; i < count; i++)
    cmbt_model_refused(ctx, rows[i].text, rows[i].place, rows[i].fragment);
  cmb_context_destroy(ctx);
}

/* Checks wrong YAML, wrong encodings, unknown sections and sections of a wrong kind. */
static void wrong_yaml_and_sections(void **state)
{
  (void)state;
  static const struct wrong_file rows[] = {
      {"", "test.yaml:1:1", "the text is empty or has only comments; expected a map of sections"},
      {"# nothing\n", "test.yaml:1:1",
       "the text is empty or has only comments; expected a map of sections"},
      {"just a text", "test.yaml:1:1", "expected a map"},
      {"- a\n- b\n", "test.yaml:1:1", "is a list; expected a map"},
      {"title: a\n---\ntitle: b\n", "test.yaml:2:1", "a second document"},
      {"title: [a\n", "test.yaml:2:1", "this is not YAML: "},
      {"title: 'a\n", "test.yaml:1:9", "this is not YAML: "},
      {"title: a\ntitle: b\n", "test.yaml:2:1",
       "the key 'title' is given twice; the first is in line 1"},
      {"points: {A: [0, 0, 0], A: [1, 0, 0]}", "test.yaml:1:24", "the key 'A' is given twice"},
      {"title: *a", "test.yaml:1:8", "unknown alias '*a'"},
      {"a: &a [*a]", "test.yaml:1:8", "is inside of the value to which it refers"},
      {"title: !x a", "test.yaml:1:8", "tags are not used"},
      {"? [a, b]\n: c", "test.yaml:1:3", "expected a name"},
      {"title: \"a\\0b\"", "test.yaml:1:9",
       "the text contains the character with the code 0; expected text without it"},
      {"title: a\n\x01", "test.yaml:2:1",
       "byte 0x01 is no part of a text; expected UTF-8 without control characters"},
      {"title: a\xFF", "test.yaml:1:9",
       "byte 0xFF is no part of a text; expected UTF-8 without control characters"},
      {"title: \xC0\xAF", "test.yaml:1:8",
       "byte 0xC0 is no part of a text; expected UTF-8 without control characters"},
      {"title: \xED\xA0\x80", "test.yaml:1:8",
       "byte 0xED is no part of a text; expected UTF-8 without control characters"},
      {"title: \xE2\x82", "test.yaml:1:8",
       "byte 0xE2 is no part of a text; expected UTF-8 without control characters"},
      {"bodys: {}", "test.yaml:1:1", "unknown key 'bodys': did you mean 'bodies'?"},
      {"something_else: {}", "test.yaml:1:1", "expected one of parameters, points"},
      {"bodies: [a]", "test.yaml:1:9", "'bodies' is a list; expected a map"},
      {"shapes: {a: b}", "test.yaml:1:9", "'shapes' is a map; expected a list"},
      {"title: {a: b}", "test.yaml:1:8", "'title' is a map; expected a text"},
      {"gravity: [0, 0]", "test.yaml:1:10", "'gravity' has 2 entries; expected a list of 3"},
  };
  check_all(rows, COUNT(rows));
}

static void numbers_and_parameters(void **state)
{
  (void)state;
  static const struct wrong_file rows[] = {
      {"parameters: {a: b, b: c, c: a}", "test.yaml:1:29",
       "parameter 'c': the parameter 'a' depends on itself"},
      {"parameters: {a: a}", "test.yaml:1:17", "depends on itself"},
      {"parameters: {long: 1, a: 2*lomg}", "test.yaml:1:28",
       "parameter 'a': unknown name 'lomg': did you mean 'long'?"},
      {"parameters: {a: '2 +'}", "test.yaml:1:21", "the formula ends too early"},
      {"parameters: {a: 1/0}", "test.yaml:1:17", "no finite value"},
      {"parameters: {a: 1e999}", "test.yaml:1:17", "too large"},
      {"parameters: {a: .nan}", "test.yaml:1:17", "is not part of formulas"},
      {"parameters: {a: .inf}", "test.yaml:1:17", "is not part of formulas"},
      {"parameters: {a: }", "test.yaml:1:14", "'a' is nothing; expected a number"},
      {"parameters: {a: [1]}", "test.yaml:1:17", "'a' is a list; expected a number"},
      {"parameters: {a: 1 deg deg}", "test.yaml:1:23", "expected an operator"},
      {"parameters: {2a: 1}", "test.yaml:1:14", "'2a' is no name"},
      {"parameters: {a.b: 1}", "test.yaml:1:14", "'a.b' is no name"},
      {"parameters: {a-b: 1}", "test.yaml:1:14", "'a-b' is no name"},
      {"parameters: {pi: 3}", "test.yaml:1:14", "the name 'pi' has a meaning in formulas"},
      {"parameters: {t: 3}", "test.yaml:1:14", "the name 't' has a meaning"},
      {"parameters: {deg: 3}", "test.yaml:1:14", "the name 'deg' has a meaning"},
      {"parameters: {sin: 3}", "test.yaml:1:14", "the name 'sin' has a meaning"},
      {"bodies: {ground: {massless: true}}", "test.yaml:1:10", "the name 'ground' has a meaning"},
      {"points: {A: [0, 0]}", "test.yaml:1:13",
       "point 'A': 'A' has 2 entries; expected a list of 3 numbers"},
      {"points: {A: {between: [B, C]}, B: {between: [A, C]}, C: [0, 0, 0]}", "test.yaml:1:46",
       "the point 'A' depends on itself"},
      {"points: {A: {between: [A1, B1]}}", "test.yaml:1:24", "unknown point 'A1'"},
      {"points: {Upper: [0, 0, 0], A: {between: [Upper, Uper]}}", "test.yaml:1:49",
       "did you mean 'Upper'?"},
      {"points: {A: {beetween: [B, C]}}", "test.yaml:1:14", "did you mean 'between'?"},
  };
  check_all(rows, COUNT(rows));
}

static void bodies_and_joints(void **state)
{
  (void)state;
  static const struct wrong_file rows[] = {
      {"bodies: {b: {mass: 0, com: [0, 0, 0]}}", "test.yaml:1:20",
       "body 'b': the mass is 0; expected"},
      {"bodies: {b: {mass: -1, com: [0, 0, 0]}}", "test.yaml:1:20", "the mass is -1"},
      {"bodies: {b: {com: [0, 0, 0]}}", "test.yaml:1:13", "the key 'mass' is missing"},
      {"bodies: {b: {mass: 1}}", "test.yaml:1:13", "the key 'com' is missing"},
      {"bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, -1]}}", "test.yaml:1:48",
       "principal moment -1"},
      {"bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 2.1]}}", "test.yaml:1:48",
       "sum of the two others"},
      {"bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1, 2, 0, 0]}}", "test.yaml:1:48",
       "principal moment -1"},
      {"bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [1, 1]}}", "test.yaml:1:48",
       "'inertia' has 2 entries"},
      {"bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}}",
       "test.yaml:1:48", "expected Ixy = Iyx"},
      {"bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1], axes: {x: y, z: [0, 1, 1]}}}",
       "test.yaml:1:65", "45 degrees; expected a right angle"},
      {"bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1], axes: {x: y}}}", "test.yaml:1:65",
       "expected two of x, y and z"},
      {"bodies: {b: {mass: 1, rod: [[0, 0, 0], [0, 0, 0]]}}", "test.yaml:1:28",
       "the two ends are the same point"},
      {"bodies: {b: {mass: 1, sphere: {at: [0, 0, 0], radius: -1}}}", "test.yaml:1:55",
       "'radius' is -1"},
      {"bodies: {b: {mass: 1, com: [0, 0, 0], rod: [[0, 0, 0], [1, 0, 0]]}}", "test.yaml:1:23",
       "unknown key 'com'"},
      {BODY, "test.yaml:1:10", "body 'b': it is the child of no joint"},
      {BODY "joints: {j: {type: free, child: b}, k: {type: free, child: b}}", "test.yaml:2:37",
       "joint 'k': the body 'b' is the child of joint 'j' already"},
      {BODY "joints: {j: {type: free, child: b, parent: c}, k: {type: free, child: c, parent: b}}",
       "test.yaml:2:10", "expected joints that form a tree from the ground"},
      {BODY "joints: {j: {type: free, child: b, parent: b}}", "test.yaml:2:33",
       "parent and child are both 'b'"},
      {BODY "joints: {j: {type: free, child: ground}}", "test.yaml:2:33",
       "joint 'j': the ground cannot be the child of a joint; expected it as 'parent'"},
      {BODY "joints: {j: {type: free, child: d}}", "test.yaml:2:33", "unknown body 'd'"},
      {BODY "joints: {j: {type: revolut, child: b}}", "test.yaml:2:20",
       "unknown type 'revolut': did you mean 'revolute'?"},
      {BODY "joints: {j: {type: revolute, child: b, at: [0, 0, 0]}}", "test.yaml:2:13",
       "the key 'axis' is missing"},
      {BODY "joints: {j: {type: revolute, child: b, axis: x}}", "test.yaml:2:13",
       "the key 'at' is missing"},
      {BODY "joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: [0, 0, 0]}}",
       "test.yaml:2:61", "the largest component of the direction is 0"},
      {BODY "joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: w}}", "test.yaml:2:61",
       "'w' is no direction"},
      {BODY "joints: {j: {type: revolute, child: b, at: [0, 0, 0], axes: [x, y]}}",
       "test.yaml:2:55", "unknown key 'axes': did you mean 'axis'?"},
      {BODY "joints: {j: {type: universal, child: b, at: [0, 0, 0], axes: [x, [1, 1, 0]]}}",
       "test.yaml:2:66", "45 degrees"},
      {BODY "joints: {j: {type: free, child: b, start: [1, 2]}}", "test.yaml:2:43",
       "'start' has 2 entries; expected a list of 7"},
      {BODY "joints: {j: {type: free, child: b, stiffness: 3}}", "test.yaml:2:47", "no angle"},
      {BODY "joints: {j: {type: free, child: b, start: [0, 0, 0, 0, 0, 0, 0]}}", "test.yaml:2:43",
       "the squares of the Euler parameters add up to 0; expected 1"},
      {BODY "joints: {j: {type: prismatic, child: b, axis: x, friction: -1}}", "test.yaml:2:60",
       "joint 'j': friction has the force -1 and the velocity 0.01; expected a force not less than "
       "0 and a velocity greater than 0"},
      {BODY "joints: {j: {type: prismatic, child: b, axis: x, coordinates: [q, r]}}",
       "test.yaml:2:63", "'coordinates' has 2 entries"},
      {BODY "joints: {j: {type: fixed, child: b, damping: 2}}", "test.yaml:2:37",
       "a fixed joint has no coordinates"},
      {BODY "joints: {b: {type: free, child: b}}", "test.yaml:2:10",
       "the name 'b' is taken by the body in test.yaml:1"},
      {BODY "joints: {j: {type: prismatic, child: b, axis: x, coordinates: c}}", "test.yaml:2:63",
       "the name 'c' is taken by the body"},
      {"parameters: {b: 1}\n" BODY, "test.yaml:2:10",
       "the name 'b' is taken by the parameter in test.yaml:1"},
  };
  check_all(rows, COUNT(rows));
}

/* Checks wrong constraints, motions, inputs, tables, forces, measures, outputs, shapes and settings of a run. */
static void constraints_and_forces(void **state)
{
  (void)state;
  static const struct wrong_file rows[] = {
      {MODEL "loops: {l: {type: spherical, between: [b@A, c@B]}}", "test.yaml:3:42",
       "loop 'l': unknown point 'A'"},
      {MODEL "loops: {l: {type: spherical, between: [bb, c]}}", "test.yaml:3:40",
       "unknown marker 'bb': expected body@point"},
      {MODEL "loops: {l: {type: spherical, bodies: [b, b], at: [0, 0, 0]}}", "test.yaml:3:12",
       "both sides are on the same body"},
      {MODEL "loops: {l: {type: distance, bodies: [b, c], at: [0, 0, 0]}}", "test.yaml:3:29",
       "unknown key 'bodies'"},
      {MODEL "loops: {l: {type: distance, between: [{body: b, at: [0, 0, 0]}, {body: c, at: [0, 0, "
             "0]}]}}",
       "test.yaml:3:12", "coincide"},
      {MODEL "loops: {l: {type: gear, coordinates: [k, kk], ratio: 2}}", "test.yaml:3:42",
       "unknown coordinate 'kk': did you mean 'k'?"},
      {MODEL "loops: {l: {type: gear, coordinates: [k, j.x]}}", "test.yaml:3:12",
       "the key 'ratio' is missing"},
      {MODEL "loops: {l: {type: formula, formula: k + }}", "test.yaml:3:40",
       "the formula ends too early"},
      {MODEL "motions: {l: {value: 2}}", "test.yaml:3:14",
       "neither 'coordinate' nor 'formula' is given"},
      {MODEL "inputs: {u: sin(}", "test.yaml:3:17", "the formula ends too early"},
      {MODEL "inputs: {u: {table: [[0, 1]]}}", "test.yaml:3:13",
       "input 'u': the table has 1 point; expected two or more"},
      {MODEL "tables: {f: [[0, 1], [0, 2]]}", "test.yaml:3:22",
       "table 'f': x = 0 follows x = 0; expected ascending numbers"},
      {MODEL "tables: {f: {kind: cubic, points: [[0, 1], [1, 2]]}}", "test.yaml:3:20",
       "unknown kind 'cubic': expected one of linear, spline, akima"},
      {MODEL "tables: {f: {kind: linear}}", "test.yaml:3:13",
       "table 'f': neither points nor 'file' are given; expected 'points: [[x, f], ...]' or 'file: "
       "NAME.csv'"},
      {"bodies:\n  b:\n    mass: 1\n    com:\n      - 0\n      -\n      - 0\n", "test.yaml:5:9",
       "body 'b': this is nothing; expected a number"},
      {MODEL "tables: {f: {points: [[0, 1], [1, 2]], columns: [a, b]}}", "test.yaml:3:40",
       "table 'f': 'columns' is given with points; expected it with 'file'"},
      {MODEL "tables: {f: {points: [[0, 1], [1, 2]], y: [1, 2]}}", "test.yaml:3:40",
       "table 'f': 'y' is given without 'values'; expected 'x', 'y' and 'values' for a table of "
       "two "
       "arguments"},
      {MODEL "tables: {f: {x: [0, 1], y: [0, 1], values: [[1, 2]]}}", "test.yaml:3:44",
       "expected a row for each x"},
      {MODEL "tables: {f: {x: [0, 1], y: [1, 0], values: [[1, 2], [3, 4]]}}", "test.yaml:3:28",
       "y = 0 follows 1"},
      {MODEL
       "forces: {f: {type: spring, between: [{body: b, at: [0, 0, 0]}, {body: c, at: [0, 0, 0]}]}}",
       "test.yaml:3:13", "force 'f': its two points coincide"},
      {MODEL "forces: {f: {type: spring, between: [{body: b, at: [0, 0, 0]}]}}", "test.yaml:3:37",
       "expected two points on bodies"},
      {MODEL "forces: {f: {type: torsion, coordinate: q}}", "test.yaml:3:41",
       "unknown coordinate 'q'"},
      {MODEL "forces: {f: {type: contact, on: {body: b, at: [0, 0, 0]}, surface: z, stiffness: 1, "
             "damping: -1}}",
       "test.yaml:3:94", "'damping' is -1"},
      {MODEL "forces: {f: {type: torsion, coordinate: k, spring: law}}", "test.yaml:3:52",
       "unknown table 'law'"},
      {MODEL "tables: {law: {x: [0, 1], y: [0, 1], values: [[1, 2], [3, 4]]}}\n"
             "forces: {f: {type: torsion, coordinate: k, spring: law}}",
       "test.yaml:4:52",
       "this table has two arguments; expected one argument, with points [x, force]"},
      {MODEL "forces: {f: {type: torsion, coordinate: k, torque: min(1, 2)}}", "test.yaml:3:52",
       "expected quotes around a formula with a comma"},
      {MODEL "forces: {f: {type: load, on: {body: b, at: [0, 0, 0]}}}", "test.yaml:3:13",
       "neither 'force' nor 'torque'"},
      {MODEL "forces: {f: {type: load, on: {body: b, at: [0, 0, 0]}, force: [1, 2]}}",
       "test.yaml:3:63", "expected a list of three formulas"},
      {MODEL
       "forces: {f: {type: load, on: {body: b, at: [0, 0, 0]}, force: [1, 2, 3], frame: wheel}}",
       "test.yaml:3:81", "unknown frame 'wheel'"},
      {MODEL
       "forces: {f: {type: contact, on: {body: ground, at: [0, 0, 0]}, surface: z, stiffness: 1}}",
       "test.yaml:3:33", "fixed to the ground"},
      {MODEL "measures: {f: {distance: [b]}}", "test.yaml:3:26", "expected two points on bodies"},
      {MODEL "outputs: {f: [1]}", "test.yaml:3:14",
       "output 'f': 'f' is a list; expected a formula"},
      {MODEL "shapes: [{body: b, cone: [0, 0, 0]}]", "test.yaml:3:10",
       "expected one of the keys line, box"},
      {MODEL "shapes: [{line: [A, B]}]", "test.yaml:3:18", "unknown marker 'A'"},
      {MODEL "simulate: {method: }", "test.yaml:3:12", "simulate: 'method' is nothing"},
  };
  check_all(rows, COUNT(rows));
}

static void templates_and_instances(void **state)
{
  (void)state;
  static const struct wrong_file rows[] = {
      {"instances: {a: {template: corner}}", "test.yaml:1:27",
       "instance 'a': unknown template 'corner'"},
      {"templates: {one: {instances: {b: {template: one}}}}\ninstances: {a: {template: one}}",
       "test.yaml:1:45", "instance 'a.b': the template 'one' contains itself"},
      {"templates: {one: {gravity: [0, 0, 0]}}\ninstances: {a: {template: one}}", "test.yaml:1:19",
       "unknown key 'gravity'"},
      {"templates: {one: [x]}\ninstances: {a: {template: one}}", "test.yaml:1:18",
       "expected a map"},
      {"templates: {one: {parameters: {k: 1}}}\ninstances: {a: {template: one, parameters: {kk: "
       "2}}}",
       "test.yaml:2:45", "the template has no parameter 'kk': did you mean 'k'?"},
      {"parameters: {stiff: 1}\ntemplates: {one: {parameters: {m: 1}}}\n"
       "instances: {a: {template: one, parameters: {stif: 2}}}",
       "test.yaml:3:45", "the template has no parameter 'stif'; expected one of its parameters"},
      {"templates: {one: {}}\ninstances: {a: {template: one, parameters: {k: 2}}}",
       "test.yaml:2:45", "the template has no parameter 'k'; it has no parameters"},
      {"templates: {one: {}}\ninstances: {a: {template: one, mirror: w}}", "test.yaml:2:40",
       "unknown mirror 'w'"},
      {"templates: {one: {}}\ninstances: {a: {template: one, offset: [1, 2]}}", "test.yaml:2:40",
       "'offset' has 2 entries"},
      {"templates: {one: {bodies: {b: {massless: true}}}}\ninstances: {a: {template: one}}",
       "test.yaml:1:28", "body 'a.b': it is the child of no joint"},
      {"parameters: {a: 1}\ntemplates: {one: {}}\ninstances: {a: {template: one}}",
       "test.yaml:3:13", "the name 'a' is taken by the parameter"},
  };
  check_all(rows, COUNT(rows));
}

/* Checks that each type of road refuses the keys of other types: roads without a place `at` and `direction`, those of one height `scale`. */
static void wrong_keys_of_roads(void **state)
{
  (void)state;
  static const struct wrong_file rows[] = {
      {"roads: {a: {type: flat, at: [0, 0, 0]}}", "test.yaml:1:25", "unknown key 'at'"},
      {"roads: {a: {type: flat, direction: x}}", "test.yaml:1:25", "unknown key 'direction'"},
      {"roads: {a: {type: flat, scale: 2}}", "test.yaml:1:25", "unknown key 'scale'"},
      {"roads: {a: {type: formula, height: x, at: [0, 0, 0]}}", "test.yaml:1:39",
       "unknown key 'at'"},
      {"roads: {a: {type: formula, height: x, scale: 2}}", "test.yaml:1:39", "unknown key 'scale'"},
      {"roads: {a: {type: half-cylinder, radius: 1, scale: 2}}", "test.yaml:1:45",
       "unknown key 'scale'"},
      {"roads: {a: {type: half-cylinder, radius: 1, length: 2}}", "test.yaml:1:45",
       "unknown key 'length'"},
      {"roads: {a: {type: stair, rise: 1, tread: 1, count: 1, scale: 2}}", "test.yaml:1:55",
       "unknown key 'scale'"},
      {"roads: {a: {type: flat}, b: {type: sum, roads: [a], at: [0, 0, 0]}}", "test.yaml:1:53",
       "unknown key 'at'"},
      {"roads: {a: {type: flat}, b: {type: sum, roads: [a], scale: 2}}", "test.yaml:1:53",
       "unknown key 'scale'"},
  };
  check_all(rows, sizeof rows / sizeof *rows);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_yaml_and_sections), cmocka_unit_test(wrong_keys_of_roads),
      cmocka_unit_test(numbers_and_parameters),  cmocka_unit_test(bodies_and_joints),
      cmocka_unit_test(constraints_and_forces),  cmocka_unit_test(templates_and_instances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
