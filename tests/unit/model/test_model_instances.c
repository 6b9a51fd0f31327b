/*
 * Tests of templates and instances: names inside and outside of instances, parameters, offsets, rotations, and mirrored instances, which
 * move like the mirror image of the original.
 */
#include "check.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model_case.h"

#include <string.h>

static const char corner[] =
    "parameters: {track: 1.5, k: 100}\n"
    "points: {O: [0, 0, 0.5], C: [9, 9, 9]}\n"
    "bodies: {chassis: {mass: 500, box: [3, 1, 1], at: O}}\n"
    "joints: {car: {type: free, child: chassis}}\n"
    "templates:\n"
    "  corner:\n"
    "    parameters: {stiffness: k/2, half: track/2}\n"
    "    points: {C: [0.1, half, 0.3], D: [0.2, 0.4, 0.6], M: {between: [C, O]}}\n"
    "    bodies:\n"
    "      arm: {mass: 2, com: C, inertia: [1, 2, 2.5, 0.1, 0.2, 0.3]}\n"
    "      hub: {mass: 1, com: M}\n"
    "      tilted: {mass: 1, com: C, inertia: [1, 2, 2.5, 0.1, 0.2, 0.3], "
    "axes: {x: [C, D], y: [3.5, 1, 0]}}\n"
    "    joints:\n"
    "      hinge: {type: revolute, parent: chassis, child: arm, at: D, axis: [1, 2, 3], start: "
    "0.3}\n"
    "      slide: {type: prismatic, parent: arm, child: hub, axis: [C, D]}\n"
    "      flat: {type: planar, parent: hub, child: tilted, at: D, normal: [1, 1, 0]}\n"
    "    loops: {tie: {type: distance, between: [chassis@O, hub@C], length: 1 + stiffness}}\n"
    "    forces:\n"
    "      spring: {type: spring, between: [chassis@O, arm@C], stiffness: stiffness}\n"
    "      push: {type: load, on: arm@C, force: [1, hinge, 0], torque: [0, 0, 1]}\n"
    "      rubber: {type: bushing, between: [chassis@D, hub@D], stiffness: 1, axes: {x: [1, 2, 2], "
    "y: [2, 1, -2]}}\n"
    "    markers: {tip: {on: arm, at: C}}\n"
    "    measures: {length: {distance: [tip, ground@O]}}\n"
    "    shapes: [{body: arm, line: [C, D]}]\n"
    "instances:\n"
    "  left: {template: corner}\n"
    "  right: {template: corner, mirror: y, offset: [10, 0, track], parameters: {stiffness: 3*k}}\n"
    "outputs: {F: right.spring.force}\n";

static void near3(const double *x, double a, double b, double c)
{
  cmbt_near(x[0], a, 1e-12);
  cmbt_near(x[1], b, 1e-12);
  cmbt_near(x[2], c, 1e-12);
}

static void numbers3(const cmb_number *x, double a, double b, double c)
{
  near3((double[]){x[0].value, x[1].value, x[2].value}, a, b, c);
}

/* Computes the position y in the instance `right` that belongs to the position x in `left`: mirrored, y → −y, and shifted. */
static void mirrored(const double x[3], double y[3])
{
  y[0] = x[0] + 10;
  y[1] = -x[1];
  y[2] = x[2] + 1.5;
}

static void mirrored_number(const cmb_number x[3], double y[3])
{
  mirrored((double[]){x[0].value, x[1].value, x[2].value}, y);
}

static void names_are_looked_up_inside_then_outside(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, corner);
  assert_int_equal(m->body_count, 7);
  numbers3(cmbt_model_body(m, "left.arm")->com, 0.1, 0.75, 0.3); /* the template's C */
  /* M is in the middle between the template's C and the O outside */
  numbers3(cmbt_model_body(m, "left.hub")->com, 0.05, 0.375, 0.4);
  cmbt_near(cmbt_model_parameter(m, "left.stiffness"), 50, 0);
  cmbt_near(cmbt_model_parameter(m, "right.stiffness"), 300, 0);
  assert_int_equal(cmbt_model_joint(m, "left.hinge")->parent, 0);
  assert_string_equal(cmbt_model_joint(m, "right.hinge")->q_names[0], "right.hinge");
  const cmb_model_loop *l = cmbt_model_loop(m, "right.tie");
  assert_string_equal(l->length.text, "1 + stiffness");
  assert_string_equal(l->length.scope, "right.");
  cmbt_near(cmbt_model_force(m, "left.spring")->stiffness.value, 50, 0);
  cmbt_near(cmbt_model_force(m, "right.spring")->stiffness.value, 300, 0);
  assert_string_equal(m->outputs[0].formula.scope, "");
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

static void positions_are_mirrored_and_shifted(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, corner);
  double at[3];
  mirrored_number(cmbt_model_body(m, "left.arm")->com, at);
  numbers3(cmbt_model_body(m, "right.arm")->com, at[0], at[1], at[2]);
  /* in the middle between the mirrored C and O, a point outside, which is not mirrored */
  numbers3(cmbt_model_body(m, "right.hub")->com, 5.05, -0.375, 1.15);
  numbers3(cmbt_model_loop(m, "right.tie")->a.at, 0, 0, 0.5); /* O itself */
  mirrored_number(cmbt_model_marker(m, "left.tip")->anchor.at, at);
  numbers3(cmbt_model_marker(m, "right.tip")->anchor.at, at[0], at[1], at[2]);
  numbers3(m->shapes[1].points[0].at, at[0], at[1], at[2]);
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

/* Checks the mirrored inertia matrix I = ∫ (|x|² − x xᵀ) dm: Ixy and Iyz change their signs. */
static void inertia_is_mirrored(void **state)
{
  (void)state;
  static const char *const names[][2] = {{"left.arm", "right.arm"},
                                         {"left.tilted", "right.tilted"}};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, corner);
  for (int k = 0; k < 2; k++) {
    const cmb_number *left = cmbt_model_body(m, names[k][0])->inertia;
    const cmb_number *right = cmbt_model_body(m, names[k][1])->inertia;
    for (int i = 0; i < 9; i++) {
      double sign = (i / 3 == 1) != (i % 3 == 1) ? -1 : 1;
      cmbt_near(right[i].value, sign * left[i].value, 1e-12);
    }
    assert_true(fabs(left[1].value) > 0.01 && fabs(left[5].value) > 0.01);
  }
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

/* Computes where a joint moves the point x of its child from the design position: to y, at the coordinates q (translations, then the
 * angle). */
static void move(const cmb_model_joint *j, const double *q, const double x[3], double y[3])
{
  double A[9], from[3], axis[3];
  const cmb_number *about = j->type == CMB_JOINT_PLANAR ? j->axes[2] : j->axes[0];
  double angle = j->type == CMB_JOINT_PRISMATIC ? 0 : q[j->nq - 1] * j->turn;
  for (int i = 0; i < 3; i++) {
    axis[i] = about[i].value;
    from[i] = x[i] - j->at[i].value;
  }
  cmb_rotation_from_axis(axis, angle, A);
  cmb_mul3(A, from, y);
  for (int i = 0; i < 3; i++) {
    y[i] += j->at[i].value;
    if (j->type != CMB_JOINT_REVOLUTE) y[i] += q[0] * j->axes[0][i].value;
    if (j->type == CMB_JOINT_PLANAR) y[i] += q[1] * j->axes[1][i].value;
  }
}

/* Checks that a mirrored joint moves the mirror image of a point to the mirror image of the moved point, at the same coordinates. */
static void mirrored_joints_move_like_the_mirror_image(void **state)
{
  (void)state;
  static const char *const names[][2] = {
      {"left.hinge", "right.hinge"}, {"left.slide", "right.slide"}, {"left.flat", "right.flat"}};
  static const double q[3] = {0.7, -0.4, 1.1}, x[3] = {0.3, 0.9, -0.2};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, corner);
  for (int k = 0; k < 3; k++) {
    const cmb_model_joint *left = cmbt_model_joint(m, names[k][0]);
    cmb_model_joint right = *cmbt_model_joint(m, names[k][1]);
    double seen[3], at[3], y[3];
    if (k == 1) { /* it is at the hub's centre of mass, which depends on a point outside */
      mirrored_number(left->at, at);
      cmb_fix_numbers(3, at, right.at);
    }
    move(left, q, x, y);
    mirrored(y, seen);
    mirrored(x, at);
    move(&right, q, at, y);
    near3(y, seen[0], seen[1], seen[2]);
    cmbt_near(right.q_start[0].value, left->q_start[0].value, 0);
  }
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

static void directions_of_forces_are_mirrored(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, corner);
  const cmb_model_force *f = cmbt_model_force(m, "right.push");
  near3(f->directions, 1, 0, 0);
  near3(f->directions + 3, 0, -1, 0);
  near3(f->directions + 6, 0, 0, 1);
  /* a torque is a pseudovector: the mirror y → −y changes the signs of its x and z components */
  near3(f->torque_directions, -1, 0, 0);
  near3(f->torque_directions + 3, 0, 1, 0);
  near3(f->torque_directions + 6, 0, 0, -1);
  assert_string_equal(f->force[1].scope, "right.");
  const cmb_number *left = cmbt_model_force(m, "left.rubber")->axes;
  const cmb_number *right = cmbt_model_force(m, "right.rubber")->axes;
  for (int i = 0; i < 9; i++) {
    cmbt_near(right[i].value, i % 3 == 1 ? -left[i].value : left[i].value, 1e-12);
  }
  numbers3(left + 6, -2.0 / 3, 2.0 / 3, -1.0 / 3);
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

/* Checks that the start values of a free joint are mirrored, because its coordinates are along the global axes in every instance. */
static void start_of_free_joints_is_mirrored(void **state)
{
  (void)state;
  static const char text[] = "templates:\n"
                             "  half: {bodies: {b: {mass: 1, com: [1, 2, 3]}},\n"
                             "      joints: {j: {type: free, child: b, start: [1, 2, 3, 0.8, 0.6, "
                             "0, 0], rate: [1, 2, 3, 4, 5, 6]}}}\n"
                             "instances: {a: {template: half}, b: {template: half, mirror: x}}\n";
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, text);
  const cmb_model_joint *j = cmbt_model_joint(m, "b.j");
  double start[7], left[9], right[9];
  numbers3(j->q_start, -1, 2, 3);
  numbers3(j->v_start, -1, 2, 3);
  numbers3(j->v_start + 3, 4, -5, -6);
  cmb_values_of(7, cmbt_model_joint(m, "a.j")->q_start, start);
  cmb_rotation_from_euler(start + 3, left);
  cmb_values_of(7, j->q_start, start);
  cmb_rotation_from_euler(start + 3, right);
  for (int i = 0; i < 9; i++) { /* D A D with D = diag(−1, 1, 1) */
    double sign = (i / 3 == 0) != (i % 3 == 0) ? -1 : 1;
    cmbt_near(right[i], sign * left[i], 1e-12);
  }
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

static void nested_instances_are_composed(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(
      ctx, "templates:\n"
           "  inner: {points: {P: [1, 2, 3]}, bodies: {b: {mass: 1, com: P}},\n"
           "          joints: {j: {type: revolute, child: b, at: P, axis: x}}}\n"
           "  outer: {instances: {i: {template: inner, mirror: z, offset: [1, 1, 1]}}}\n"
           "instances: {o: {template: outer, mirror: x, offset: [0, 0, 10]}}\n");
  const cmb_model_joint *j = cmbt_model_joint(m, "o.i.j");
  numbers3(j->at, -2, 3, 8); /* (1, 2, −3) + (1, 1, 1), then x → −x, and 10 added to z */
  assert_int_equal(j->turn, 1);
  numbers3(j->axes[0], -1, 0, 0); /* the two mirrors are a rotation by π about y */
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

/* Checks instances that are mirrored, rotated and shifted, one inside of the other, and one at a point of another instance. */
static void instances_are_turned(void **state)
{
  (void)state;
  static const char text[] =
      "templates:\n"
      "  inner:\n"
      "    points: {A: [1, 2, 3]}\n"
      "    bodies: {b: {mass: 1, com: A, inertia: [1, 2, 2.5]}}\n"
      "    markers: {m: {on: b, at: A}}\n"
      "    joints: {j: {type: free, child: b}}\n"
      "  outer: {instances: {i: {template: inner, mirror: x, axes: {x: y, z: z}, offset: [10, 0, "
      "0]}}}\n"
      "instances:\n"
      "  second: {template: inner, at: first.i.A, axes: {x: [first.i.A, [-1, 4, 8]], y: -z}, "
      "repeat: 2, step: [0, 0, 1]}\n"
      "  first: {template: outer, mirror: z, axes: {x: z, y: x}, offset: [0, 5, 0]}\n";
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, text);
  /* inner: mirrored (−1, 2, 3), rotated (x → y, y → −x) (−2, −1, 3), shifted (8, −1, 3); outer: mirrored (8, −1, −3), rotated (x → z, y →
   * x, z → y) (−1, −3, 8), shifted (−1, 2, 8) */
  numbers3(cmbt_model_body(m, "first.i.b")->com, -1, 2, 8);
  /* rotated (x → y, y → −z, z → y × (−z) = −x) and shifted to the point above: (−1, 2, 8) + (−3, 1, −2); the second copy is 1 higher */
  numbers3(cmbt_model_body(m, "second1.b")->com, -4, 3, 6);
  numbers3(cmbt_model_body(m, "second2.b")->com, -4, 3, 7);
  const cmb_number *I = cmbt_model_body(m, "second1.b")->inertia;
  numbers3((cmb_number[]){I[0], I[4], I[8]}, 2.5, 1, 2);
  numbers3(cmbt_model_marker(m, "second1.m")->axes, 0, 1, 0);
  numbers3(cmbt_model_marker(m, "second1.m")->axes + 3, 0, 0, -1);
  /* the x axis: mirrored −x, rotated −y, mirrored −y, rotated −x */
  numbers3(cmbt_model_marker(m, "first.i.m")->axes, -1, 0, 0);
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

static void wrong_positions_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text, *place, *words;
  } rows[] = {
      {"templates: {u: {points: {A: [0, 0, 0]}}}\ninstances: {i: {template: u, at: i.A}}\n",
       "test.yaml:2:13", "instance 'i': its place depends on itself"},
      {"templates: {u: {points: {A: [0, 0, 0]}}}\n"
       "instances: {i: {template: u, at: k.A}, k: {template: u, axes: {x: [i.A, [1, 2, 3]], y: "
       "z}}}\n",
       "test.yaml:2:13", "instance 'i': its place depends on itself"},
      {"templates: {u: {}}\ninstances: {i: {template: u, at: [0, 0, 0], offset: [1, 0, 0]}}\n",
       "test.yaml:2:45", "instance 'i': 'at' and 'offset' are both given; expected one"},
      {"templates: {u: {}}\ninstances: {i: {template: u, axes: {x: [1, 0, 0]}}}\n",
       "test.yaml:2:36", "instance 'i': 1 axis is given; expected two of x, y and z"},
      {"templates: {u: {}}\ninstances: {i: {template: u, axes: {x: x, y: [1, 1, 0]}}}\n",
       "test.yaml:2:36", "expected a right angle"},
      {"templates: {u: {}}\ninstances: {i: {template: u, at: nowhere}}\n", "test.yaml:2:34",
       "instance 'i': unknown point 'nowhere'"},
      {"templates: {u: {roads: {r: {type: flat}}}}\ninstances: {i: {template: u, axes: {x: x, y: "
       "z}}}\n",
       "test.yaml:1:25", "road 'i.r': a road cannot be turned upside down or be tilted"},
  };
  cmb_context *ctx = cmb_context_create(NULL);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    cmbt_model_refused(ctx, rows[i].text, rows[i].place, rows[i].words);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_looked_up_inside_then_outside),
      cmocka_unit_test(positions_are_mirrored_and_shifted),
      cmocka_unit_test(inertia_is_mirrored),
      cmocka_unit_test(mirrored_joints_move_like_the_mirror_image),
      cmocka_unit_test(directions_of_forces_are_mirrored),
      cmocka_unit_test(start_of_free_joints_is_mirrored),
      cmocka_unit_test(nested_instances_are_composed),
      cmocka_unit_test(instances_are_turned),
      cmocka_unit_test(wrong_positions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
