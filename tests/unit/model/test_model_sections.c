/*
 * Tests of reading model files, section by section: the elements of the model and their numbers, calculated by hand.
 */
#include "check.h"
#include "model_case.h"

#include "expr/table.h"

#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static void near3(const cmb_number *x, double a, double b, double c)
{
  cmbt_near(x[0].value, a, 1e-12);
  cmbt_near(x[1].value, b, 1e-12);
  cmbt_near(x[2].value, c, 1e-12);
}

static void near_diagonal(const cmb_number I[9], double a, double b, double c)
{
  near3(I, a, 0, 0);
  near3(I + 3, 0, b, 0);
  near3(I + 6, 0, 0, c);
}

/* Checks the text of a formula and its place in the file. */
static void is_formula(const cmb_model_formula *f, const char *text, int line, int column)
{
  assert_non_null(f->text);
  assert_string_equal(f->text, text);
  assert_string_equal(f->place.file, "test.yaml");
  assert_int_equal(f->place.line, line);
  assert_int_equal(f->place.column, column);
}

/* The warnings of a context, one in each line. */
struct warnings {
  char text[2000];
};

static void record_warning(void *user, cmb_log_level level, const char *message)
{
  struct warnings *warnings = user;
  const size_t used = strlen(warnings->text);
  if (level == CMB_LOG_WARNING)
    snprintf(warnings->text + used, sizeof warnings->text - used, "%s\n", message);
}

/* Checks that a negative stiffness, damping or free length is used, with a warning that has its place and value, in all elements, whether
 * the value is in the file or set by an option. Each number of a list has a place of its own. */
static void negative_laws_are_taken_with_a_warning(void **state)
{
  (void)state;
  static const char text[] =
      "parameters: {x: %d}\n"
      "bodies: {b: {mass: 1, com: [0, 0, 0]}, c: {mass: 1, com: [1, 0, 0]}}\n"
      "joints:\n"
      "  p: {type: prismatic, child: b, axis: x, stiffness: x, damping: x}\n"
      "  q: {type: free, child: c, at: [1, 0, 0]}\n"
      "forces:\n"
      "  s: {type: spring, between: [{body: b, at: [0, 0, 0]}, {body: c, at: [1, 0, 0]}],"
      " stiffness: x, damping: x, length: x}\n"
      "  w: {type: torsion, coordinate: p, stiffness: x, damping: x, angle: x}\n"
      "  r: {type: bushing, bodies: [b, c], at: [0, 0, 0], stiffness: x, damping: [1, x, 2*x],"
      " rotational-stiffness: x, rotational-damping: x}\n";
  static const char expected[] =
      "test.yaml:4:54: joint 'p': 'stiffness' is -3, less than 0; it is taken as it is\n"
      "test.yaml:4:66: joint 'p': 'damping' is -3, less than 0; it is taken as it is\n"
      "test.yaml:7:118: force 's': 'length' is -3, less than 0; it is taken as it is\n"
      "test.yaml:7:95: force 's': 'stiffness' is -3, less than 0; it is taken as it is\n"
      "test.yaml:7:107: force 's': 'damping' is -3, less than 0; it is taken as it is\n"
      "test.yaml:8:48: force 'w': 'stiffness' is -3, less than 0; it is taken as it is\n"
      "test.yaml:8:60: force 'w': 'damping' is -3, less than 0; it is taken as it is\n"
      "test.yaml:9:64: force 'r': 'stiffness' is -3, less than 0; it is taken as it is\n"
      "test.yaml:9:111: force 'r': 'rotational-stiffness' is -3, less than 0; it is taken as it "
      "is\n"
      "test.yaml:9:80: force 'r': 'damping' is -3, less than 0; it is taken as it is\n"
      "test.yaml:9:83: force 'r': 'damping' is -6, less than 0; it is taken as it is\n"
      "test.yaml:9:134: force 'r': 'rotational-damping' is -3, less than 0; it is taken as it is\n";
  const char *const name = "x";
  const double value = -3;
  const cmb_model_options options = {.set_count = 1, .set_names = &name, .set_values = &value};
  for (int set = 0; set < 2; set++) {
    cmb_context *ctx = cmb_context_create(NULL);
    struct warnings warnings = {{0}};
    char file[2000];
    cmb_model *m;
    cmb_context_set_log(ctx, record_warning, &warnings);
    snprintf(file, sizeof file, text, set ? 2 : -3);
    cmbt_ok(ctx, cmb_model_parse(ctx, file, strlen(file), "test.yaml", set ? &options : NULL, &m));
    assert_string_equal(warnings.text, expected);
    cmbt_near(cmbt_model_force(m, "s")->damping.value, -3, 0);
    cmbt_near(cmbt_model_force(m, "r")->bushing_stiffness[2].value, -3, 0);
    cmb_model_destroy(m);
    cmb_context_destroy(ctx);
  }
}

static void parameters_and_points_in_any_order(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m =
      cmbt_model_parse(ctx, "title: 'A title'\n"
                            "points:\n"
                            "  N: {between: [M, B]}\n"
                            "  M: {between: [A, B], ratio: 0.25}\n"
                            "  A: [0, 0, l]\n"
                            "  B: [4*r, 0, l]\n"
                            "parameters: {l: 3*r, r: 0.5, angle: 30 deg, turn: sin(30*deg)}\n"
                            "bodies: {b: {mass: 1, com: N}}\n"
                            "joints: {j: {type: free, child: b}}\n");
  assert_string_equal(cmb_model_name(m), "test");
  assert_string_equal(cmb_model_title(m), "A title");
  near3(m->gravity, 0, 0, -9.81);
  cmbt_near(cmbt_model_parameter(m, "l"), 1.5, 0);
  cmbt_near(cmbt_model_parameter(m, "angle"), pi / 6, 1e-15);
  cmbt_near(cmbt_model_parameter(m, "turn"), 0.5, 1e-15);
  near3(m->bodies[0].com, 1.25, 0, 1.5); /* x: M = 0.5, N = (0.5 + 2)/2 */
  near3(m->joints[0].at, 1.25, 0, 1.5);  /* the default, the centre of mass */
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

static void options_set_parameters(void **state)
{
  (void)state;
  static const char text[] = "parameters: {a: 2, b: 3*a}\n";
  const char *names[] = {"a"};
  const double values[] = {5};
  const cmb_model_options options = {.set_count = 1, .set_names = names, .set_values = values};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m;
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "test.yaml", &options, &m));
  cmbt_near(cmbt_model_parameter(m, "a"), 5, 0);
  cmbt_near(cmbt_model_parameter(m, "b"), 15, 0);
  cmb_model_destroy(m);
  names[0] = "aa";
  assert_int_equal(cmb_model_parse(ctx, text, strlen(text), "test.yaml", &options, &m),
                   CMB_ERROR_ARGUMENT);
  assert_non_null(strstr(cmb_last_error(ctx), "no parameter 'aa' to set: did you mean 'a'?"));
  names[0] = "stiffness";
  assert_int_equal(cmb_model_parse(ctx, text, strlen(text), "test.yaml", &options, &m),
                   CMB_ERROR_ARGUMENT);
  assert_non_null(
      strstr(cmb_last_error(ctx), "no parameter 'stiffness' to set: expected one of a, b"));
  cmb_context_destroy(ctx);
}

/* Checks the list of parameters, with those of instances of templates. */
static void parameters_are_listed(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m =
      cmbt_model_parse(ctx, "parameters: {a: 2, b: 3*a}\n"
                            "templates: {side: {parameters: {k: 7}}}\n"
                            "instances: {left: {template: side, parameters: {k: b + 1}}}\n");
  const char *const names[] = {"a", "b", "left.k"};
  const double values[] = {2, 6, 7};
  cmb_item p;
  assert_int_equal(cmb_model_count(m, CMB_ITEM_PARAMETER), 3);
  for (int i = 0; i < 3; i++) {
    assert_true(cmb_model_item(m, CMB_ITEM_PARAMETER, i, &p));
    assert_string_equal(p.name, names[i]);
    cmbt_near(p.value, values[i], 0);
  }
  assert_string_equal(p.text, "b + 1");
  assert_string_equal(p.unit, "");
  assert_false(cmb_model_item(m, CMB_ITEM_PARAMETER, 3, &p));
  assert_false(cmb_model_item(m, CMB_ITEM_PARAMETER, -1, &p));
  assert_int_equal(cmb_model_count(NULL, CMB_ITEM_PARAMETER), 0);
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

/* Checks cmb_number_parse, which reads numbers, formulas and units as in model files. */
static void numbers_as_in_model_files(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  double x = 0;
  cmbt_ok(ctx, cmb_number_parse(ctx, "2*900", &x));
  cmbt_near(x, 1800, 0);
  cmbt_ok(ctx, cmb_number_parse(ctx, "30 deg", &x));
  cmbt_near(x, pi / 6, 1e-15);
  cmbt_ok(ctx, cmb_number_parse(ctx, "0.5 - 30 deg/2", &x)); /* the unit belongs to 30 only */
  cmbt_near(x, 0.5 - pi / 12, 1e-15);
  assert_int_equal(cmb_number_parse(ctx, "pi deg", &x), CMB_ERROR_INPUT);
  assert_int_equal(cmb_number_parse(ctx, "1 kg", &x), CMB_ERROR_INPUT);
  assert_non_null(strstr(cmb_last_error(ctx), "numbers have SI units"));
  assert_int_equal(cmb_number_parse(ctx, "2*a", &x), CMB_ERROR_INPUT);
  assert_int_equal(cmb_number_parse(ctx, "1/0", &x), CMB_ERROR_INPUT);
  assert_int_equal(cmb_number_parse(ctx, NULL, &x), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_number_parse(ctx, "1", NULL), CMB_ERROR_ARGUMENT);
  cmb_context_destroy(ctx);
}

static const char solids[] =
    "points: {A: [0, 0, 0], B: [0, 0, 2]}\n"
    "bodies:\n"
    "  plain: {mass: 2, com: B, inertia: [1, 2, 2.5, 0.1, 0.2, 0.3]}\n"
    "  rows: {mass: 2, com: A, inertia: [[1, 0.1, 0], [0.1, 2, 0], [0, 0, 2.5]]}\n"
    "  turned: {mass: 1, com: A, inertia: [1, 2, 3], axes: {x: y, y: z}}\n"
    "  rod: {mass: 3, rod: [A, B]}\n"
    "  pin: {mass: 3, rod: {between: [A, B], radius: 0.5}}\n"
    "  cylinder: {mass: 3, cylinder: [A, B], radius: 0.5, length: 4}\n"
    "  box: {mass: 12, box: {size: [1, 2, 3], at: B, axes: {x: y, y: z}}}\n"
    "  cube: {mass: 6, box: [1, 1, 1], at: A}\n"
    "  ball: {mass: 5, sphere: {at: B, radius: 2}}\n"
    "  point: {mass: 5, com: B}\n"
    "  frame: {massless: true}\n"
    "joints:\n"
    "  {j1: {type: free, child: plain}, j2: {type: free, child: rows}, j3: {type: free, child: "
    "turned},\n"
    "   j4: {type: free, child: rod}, j5: {type: free, child: pin}, j6: {type: free, child: "
    "cylinder},\n"
    "   j7: {type: free, child: box}, j8: {type: free, child: cube}, j9: {type: free, child: "
    "ball},\n"
    "   ja: {type: free, child: point}, jb: {type: fixed, parent: point, child: frame}}\n";

static void bodies_have_mass_and_inertia(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, solids);
  const cmb_model_body *b = cmbt_model_body(m, "plain");
  cmbt_near(b->mass.value, 2, 0);
  near3(b->com, 0, 0, 2);
  near3(b->inertia, 1, 0.1, 0.2);
  near3(b->inertia + 3, 0.1, 2, 0.3);
  near3(b->inertia + 6, 0.2, 0.3, 2.5);
  near3(cmbt_model_body(m, "rows")->inertia, 1, 0.1, 0);
  near_diagonal(cmbt_model_body(m, "turned")->inertia, 3, 1, 2); /* x' = y, y' = z, z' = x */
  near_diagonal(cmbt_model_body(m, "rod")->inertia, 1, 1, 0);    /* m l²/12 */
  near_diagonal(cmbt_model_body(m, "pin")->inertia, 1.1875, 1.1875, 0.375);
  near3(cmbt_model_body(m, "pin")->com, 0, 0, 1);
  near_diagonal(cmbt_model_body(m, "cylinder")->inertia, 4.1875, 4.1875, 0.375);
  near_diagonal(cmbt_model_body(m, "box")->inertia, 5, 13, 10); /* edges 3, 1, 2 along x, y, z */
  near_diagonal(cmbt_model_body(m, "cube")->inertia, 1, 1, 1);
  near_diagonal(cmbt_model_body(m, "ball")->inertia, 8, 8, 8);
  near3(cmbt_model_body(m, "ball")->com, 0, 0, 2);
  near_diagonal(cmbt_model_body(m, "point")->inertia, 0, 0, 0);
  assert_true(cmbt_model_body(m, "frame")->mass.value == 0);
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

static const char mechanism[] =
    "points: {A: [0, 0, 0], B: [1, 0, 0]}\n"
    "bodies:\n"
    "  b1: {mass: 1, com: A, markers: {tip: {at: B, axes: {x: y, z: [A, B]}}}}\n"
    "  b2: {mass: 1, com: A}\n"
    "  b3: {mass: 1, com: A}\n"
    "  b4: {mass: 1, com: A}\n"
    "  b5: {mass: 1, com: A}\n"
    "  b6: {mass: 1, com: B}\n"
    "markers: {eye: {on: ground, at: [1, 2, 3]}}\n"
    "joints:\n"
    "  late: {type: universal, parent: b2, child: b1, at: B, axes: [[2, 0, 0], y], damping: [3, "
    "4]}\n"
    "  hinge: {type: revolute, child: b2, at: A, axis: [A, B], start: 90 deg, rate: 2, stiffness: "
    "5,\n"
    "          reference: 0.5, damping: 6, friction: {force: 7, velocity: 0.2}}\n"
    "  slide: {type: cylindrical, child: b3, at: A, axis: z, start: {q: [1, 2], v: [3, 4]}, "
    "friction: 1}\n"
    "  ball: {type: spherical, child: b4, at: B, axes: [z, x, z], coordinates: [psi, theta, phi]}\n"
    "  flat: {type: planar, parent: b4, child: b5, at: A, normal: z}\n"
    "  car: {type: free, child: b6, at: A, start: [1, 2, 3, 0, 0, 0, 2], rate: [1, 2, 3, 4, 5, "
    "6]}\n"
    "loops:\n"
    "  weld: {type: prismatic, between: [b1@B, b3@A], axis: -y}\n"
    "  rod: {type: distance, between: [tip, eye], length: 2 + u}\n"
    "  rail: {type: point-line, point: b3@B, on: b4@A, axis: y}\n"
    "  table: {type: point-plane, point: {body: b5, at: B}, on: ground@A, normal: [0, 0, 3]}\n"
    "  gear: {type: gear, coordinates: [hinge, slide.angle], ratio: -1/3, offset: 0.25}\n"
    "  law: {type: formula, formula: 'car.x - sin(hinge)'}\n"
    "motions:\n"
    "  drive: {coordinate: hinge, value: 10*t}\n"
    "  other: {formula: psi + phi, value: u}\n"
    "inputs:\n"
    "  u: sin(t)\n"
    "  bump: {table: [[0, 0], [1, 0.1]], kind: linear}\n"
    "measures: {gap: {distance: [ground@A, tip]}, twice: 2*gap}\n"
    "outputs: {z: tip.z, v: hinge'}\n";

static void joints_have_axes_and_coordinates(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, mechanism);
  /* the joint of the parent body comes first, otherwise the order is that of the file */
  assert_string_equal(m->joints[0].name, "hinge");
  assert_string_equal(m->joints[1].name, "late");
  assert_string_equal(m->joints[2].name, "slide");
  const cmb_model_joint *j = cmbt_model_joint(m, "hinge");
  assert_int_equal(j->parent, CMB_GROUND);
  assert_int_equal(j->child, 1);
  assert_int_equal(j->turn, 1);
  near3(j->axes[0], 1, 0, 0);
  assert_string_equal(j->q_names[0], "hinge");
  assert_string_equal(j->v_names[0], "hinge'");
  const cmb_model_coordinate *c = &j->coordinate[0];
  near3((cmb_number[]){j->q_start[0], j->v_start[0], c->stiffness}, pi / 2, 2, 5);
  near3((cmb_number[]){c->reference, c->damping, c->friction}, 0.5, 6, 7);
  cmbt_near(c->friction_velocity.value, 0.2, 0);
  j = cmbt_model_joint(m, "late");
  near3(j->axes[0], 1, 0, 0);
  near3(j->axes[1], 0, 1, 0);
  near3((cmb_number[]){j->coordinate[0].damping, j->coordinate[1].damping, cmb_fixed(j->nq)}, 3, 4,
        2);
  j = cmbt_model_joint(m, "slide");
  assert_string_equal(j->q_names[0], "slide.x");
  assert_string_equal(j->q_names[1], "slide.angle");
  near3((cmb_number[]){j->q_start[0], j->q_start[1], j->v_start[1]}, 1, 2, 4);
  assert_true(j->coordinate[0].friction.value == 1 && j->coordinate[1].friction.value == 1);
  j = cmbt_model_joint(m, "ball");
  assert_string_equal(j->q_names[1], "theta");
  near3(j->axes[2], 0, 0, 1);
  j = cmbt_model_joint(m, "flat");
  near3(j->axes[0], 1, 0, 0);
  near3(j->axes[1], 0, 1, 0);
  assert_string_equal(j->q_names[2], "flat.angle");
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

static void free_joints_have_euler_parameters(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, mechanism);
  const cmb_model_joint *j = cmbt_model_joint(m, "car");
  assert_true(j->euler);
  assert_int_equal(j->nq, 7);
  assert_int_equal(j->nv, 6);
  near3(j->q_start, 1, 2, 3);
  near3(j->q_start + 4, 0, 0, 1); /* normalised */
  near3(j->v_start + 3, 4, 5, 6);
  assert_string_equal(j->q_names[3], "car.p0");
  assert_string_equal(j->v_names[0], "car.x'");
  assert_string_equal(j->v_names[5], "car.wz'");
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

static void loops_and_motions_are_constraints(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, mechanism);
  const cmb_model_loop *l = cmbt_model_loop(m, "weld");
  assert_int_equal(l->type, CMB_JOINT_PRISMATIC);
  assert_true(l->a.body == 0 && l->b.body == 2);
  near3(l->a.at, 1, 0, 0);
  near3(l->b.at, 0, 0, 0); /* the two points need not coincide, positions may be rough */
  near3(l->axes[0], 0, -1, 0);
  near3(l->axes_b[0], 0, -1, 0);
  l = cmbt_model_loop(m, "rod");
  assert_int_equal(l->type, CMB_LOOP_DISTANCE);
  near3(l->b.at, 1, 2, 3);
  assert_int_equal(l->b.body, CMB_GROUND);
  is_formula(&l->length, "2 + u", 20, 54);
  l = cmbt_model_loop(m, "rail");
  assert_true(l->a.body == 3 && l->b.body == 2); /* b is the point, a has the line */
  l = cmbt_model_loop(m, "table");
  assert_true(l->type == CMB_LOOP_POINT_PLANE && l->b.body == 4);
  near3(l->axes[0], 0, 0, 1);
  l = cmbt_model_loop(m, "gear");
  assert_int_equal(l->type, CMB_LOOP_FORMULA);
  assert_string_equal(l->formula.text, "hinge");
  assert_string_equal(l->second.text, "slide.angle");
  cmbt_near(l->ratio.value, -0.33333333333333331, 0);
  cmbt_near(l->offset.value, 0.25, 0);
  is_formula(&cmbt_model_loop(m, "law")->formula, "car.x - sin(hinge)", 24, 34);
  l = cmbt_model_loop(m, "drive");
  assert_true(l->motion);
  assert_string_equal(l->formula.text, "hinge");
  is_formula(&l->minus, "10*t", 26, 37);
  assert_string_equal(m->loops[m->loop_count - 1].formula.text, "psi + phi");
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

static void signals_are_formulas_and_distances(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, mechanism);
  assert_int_equal(m->input_count, 2);
  is_formula(&m->inputs[0].formula, "sin(t)", 29, 6);
  assert_string_equal(m->inputs[1].formula.text, "bump.table(t)");
  assert_string_equal(m->tables[0].name, "bump.table");
  assert_true(m->measures[0].distance && m->measures[0].b.body == 0);
  near3(m->measures[0].b.at, 1, 0, 0);
  assert_string_equal(m->measures[1].formula.text, "2*gap");
  assert_string_equal(m->outputs[1].formula.text, "hinge'");
  const cmb_model_marker *marker = cmbt_model_marker(m, "tip");
  near3(marker->axes, 0, 1, 0);
  near3(marker->axes + 3, 0, 0, 1); /* y = z × x */
  near3(marker->axes + 6, 1, 0, 0);
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

static const char loaded[] =
    "points: {A: [0, 0, 0], B: [3, 0, 4]}\n"
    "bodies: {b: {mass: 1, com: A}, c: {mass: 1, com: B}}\n"
    "joints: {p: {type: revolute, child: b, at: A, axis: x}, q: {type: prismatic, child: c, axis: "
    "x}}\n"
    "tables:\n"
    "  damper: {kind: spline, points: [[0, 0], [1, 2], [2, 8]]}\n"
    "  map: {x: [0, 1], y: [0, 1, 2], values: [[1, 2, 3], [4, 5, 6]]}\n"
    "forces:\n"
    "  s: {type: spring, between: [b@A, c@B], stiffness: 10, damping: 2, preload: 3, damper: "
    "damper,\n"
    "      spring: [[0, 0], [1, 5]], force: 'map(s.length, t)'}\n"
    "  short: {type: spring, between: [b@A, c@B], stiffness: 10, length: 4}\n"
    "  twist: {type: torsion, coordinate: p, stiffness: 7, angle: 0.5, torque: sin(t)}\n"
    "  r: {type: bushing, bodies: [b, c], at: B, stiffness: [1, 2, 3], rotational-stiffness: 4, "
    "damping: 5,\n"
    "      rotational-damping: [6, 7, 8], axes: {x: z, y: x}}\n"
    "  l: {type: load, on: b@B, force: [1, t, 0], torque: [0, 0, p], frame: body, reaction: c}\n"
    "  g: {type: contact, on: c@B, radius: 0.3, surface: z, stiffness: 1e5, exponent: 1.5, "
    "damping: 9,\n"
    "      friction: 0.8, friction-velocity: 0.1}\n"
    "shapes:\n"
    "  - {body: b, line: [A, B, [1, 1, 1]]}\n"
    "  - {line: [b@A, c@B], name: strut}\n"
    "  - {body: c, cylinder: [A, B], radius: 2, colour: '#8899aa'}\n"
    "  - {body: c, box: [1, 2, 3], at: B, axes: {x: y, y: z}}\n"
    "  - {body: b, sphere: B, radius: 0.5}\n"
    "simulate: {method: mdop5, t-end: 5, option: {projection: every}, set: [m=1, k=2]}\n";

static void forces_have_their_laws(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, loaded);
  const cmb_model_force *f = cmbt_model_force(m, "s");
  assert_int_equal(f->type, CMB_FORCE_SPRING);
  near3((cmb_number[]){f->stiffness, f->damping, f->preload}, 10, 2, 3);
  cmbt_near(f->free_length.value, 5, 1e-15); /* as in the design position */
  cmbt_near(cmbt_model_force(m, "short")->free_length.value, 4, 0);
  assert_ptr_equal(f->damper_table, &m->tables[0]);
  assert_non_null(f->spring_table);
  assert_string_equal(m->tables[2].name, "s.spring");
  is_formula(&f->formula, "map(s.length, t)", 9, 41);
  f = cmbt_model_force(m, "twist");
  assert_int_equal(f->type, CMB_FORCE_COORDINATE);
  assert_string_equal(f->coordinate, "p");
  near3((cmb_number[]){f->stiffness, f->free_length, f->damping}, 7, 0.5, 0);
  f = cmbt_model_force(m, "r");
  near3(f->bushing_stiffness, 1, 2, 3);
  near3(f->bushing_stiffness + 3, 4, 4, 4);
  near3(f->bushing_damping, 5, 5, 5);
  near3(f->bushing_damping + 3, 6, 7, 8);
  near3(f->axes + 6, 0, 1, 0); /* z × x */
  f = cmbt_model_force(m, "l");
  assert_true(f->body_frame && f->b.body == 0 && f->a.body == 1);
  assert_string_equal(f->force[1].text, "t");
  assert_string_equal(f->torque[2].text, "p");
  cmb_number directions[9];
  cmb_fix_numbers(9, f->directions, directions);
  near_diagonal(directions, 1, 1, 1);
  cmb_fix_numbers(9, f->torque_directions, directions);
  near_diagonal(directions, 1, 1, 1);
  f = cmbt_model_force(m, "g");
  near3((cmb_number[]){f->radius, f->exponent, f->friction}, 0.3, 1.5, 0.8);
  near3((cmb_number[]){f->stiffness, f->damping, f->friction_velocity}, 1e5, 9, 0.1);
  assert_string_equal(f->surface.text, "z");
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

static void shapes_and_defaults_are_kept(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, loaded);
  assert_int_equal(m->shape_count, 5);
  assert_int_equal(m->shapes[0].point_count, 3);
  near3(m->shapes[0].points[2].at, 1, 1, 1);
  assert_true(m->shapes[1].points[0].body == 0 && m->shapes[1].points[1].body == 1);
  assert_string_equal(m->shapes[1].name, "strut");
  assert_string_equal(m->shapes[2].colour, "#8899aa");
  near3(m->shapes[3].size, 1, 2, 3);
  near3(m->shapes[3].axes, 0, 1, 0);
  int count;
  const cmb_model_default *d = cmb_model_defaults(m, &count);
  assert_int_equal(count, 5);
  assert_string_equal(d[1].name, "t-end");
  assert_string_equal(d[1].value, "5");
  assert_string_equal(d[2].value, "projection=every");
  assert_string_equal(d[4].name, "set");
  assert_string_equal(d[4].value, "k=2");
  assert_string_equal(d[0].file, "test.yaml");
  assert_int_equal(d[0].line, 23);
  assert_int_equal(d[0].column, 20);
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

/* Checks YAML's anchors, aliases and merge keys (<<), by which values are written only once. */
static void anchors_and_merge_keys_are_resolved(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, "title: 'it''s ''a'' ''b'' ''c'' ''d'''\n"
                                       "bodies:\n"
                                       "  a: &wheel {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
                                       "  b: {<<: *wheel, com: [0, 1, 0]}\n"
                                       "  c: *wheel\n"
                                       "joints:\n"
                                       "  ja: &free {type: free, child: a}\n"
                                       "  jb: {child: b, <<: *free}\n"
                                       "  jc: {<<: [{child: c}, *free]}\n");
  assert_string_equal(m->title, "it's 'a' 'b' 'c' 'd'");
  assert_int_equal(m->body_count, 3);
  near3(m->bodies[1].com, 0, 1, 0);
  near_diagonal(m->bodies[1].inertia, 1, 1, 1);
  cmbt_near(m->bodies[2].mass.value, 2, 0);
  assert_int_equal(m->joints[2].child, 2);
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

/* Checks scaled tables, scale · f(x/x-scale): fixed scales are multiplied into the points, scales with live parameters are stored beside
 * them. */
static void tables_are_scaled(void **state)
{
  (void)state;
  static const char text[] = "parameters: {c: 3}\n"
                             "tables:\n"
                             "  plain: {kind: akima, points: [[0, 1], [1, 2], [3, -1], [4, 0]]}\n"
                             "  large: {kind: akima, points: [[0, 1], [1, 2], [3, -1], [4, 0]], "
                             "scale: -2*c, x-scale: 0.5}\n"
                             "  map: {x: [0, 1], y: [0, 2], values: [[0, 1], [2, 5]], scale: c, "
                             "x-scale: 4, y-scale: 0.25}\n"
                             "bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 1}}\njoints: {x: "
                             "{type: prismatic, child: b, axis: "
                             "x}}\n";
  static const char *const names[] = {"c"};
  const cmb_model_options live = {.live_count = 1, .live_names = names};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, text), *l;
  for (double x = -0.4; x < 3; x += 0.1) {
    const double expected = -6 * cmb_table_value(m->tables[0].table, 0, 2 * x);
    cmbt_near(cmb_table_value(m->tables[1].table, 0, x), expected, 1e-12);
  }
  cmbt_near(cmb_table2_value(m->tables[2].table, 0, 0, 2, 0.25), 3 * 2, 1e-12);
  assert_true(cmb_is_one(m->tables[1].scale) && cmb_is_one(m->tables[1].stretch[0]));
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "scaled.yaml", &live, &l));
  assert_true(l->tables[1].scale.value == -6 && l->tables[1].scale.live != 0);
  assert_true(cmb_is_one(l->tables[1].stretch[0]) && l->tables[1].table->x[1] == 0.5);
  assert_true(l->tables[1].table->nx == 4 && l->tables[2].scale.live != 0);
  cmb_model_destroy(m);
  cmb_model_destroy(l);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(negative_laws_are_taken_with_a_warning),
      cmocka_unit_test(parameters_and_points_in_any_order),
      cmocka_unit_test(options_set_parameters),
      cmocka_unit_test(parameters_are_listed),
      cmocka_unit_test(numbers_as_in_model_files),
      cmocka_unit_test(bodies_have_mass_and_inertia),
      cmocka_unit_test(joints_have_axes_and_coordinates),
      cmocka_unit_test(free_joints_have_euler_parameters),
      cmocka_unit_test(loops_and_motions_are_constraints),
      cmocka_unit_test(signals_are_formulas_and_distances),
      cmocka_unit_test(forces_have_their_laws),
      cmocka_unit_test(tables_are_scaled),
      cmocka_unit_test(shapes_and_defaults_are_kept),
      cmocka_unit_test(anchors_and_merge_keys_are_resolved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
