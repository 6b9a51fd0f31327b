/*
 * OpenCRG roads with curves: heights and slopes of a banked circle against closed forms; a road that is almost straight against the
 * straight one; an S whose curvature is a sine, against the heights in its file; a wheel on a ring with bumps, with several methods and in
 * exported C, bit for bit; bounds of second derivatives along a motion; and the error of a run that leaves the part of the plane where the
 * road has heights.
 */
#include "check.h"
#include "export_bits.h"
#include "model_case.h"
#include "model_run.h"
#include "random.h"

#include <camber/camber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS = 5, ROOM = 400000 };

static const double V[SECTIONS] = {-4, -2, 0, 2, 4};

/* A road: functions of row i give the heading of the interval before it, its banking and the heights of its points. */
struct road {
  const char *file;
  int rows;
  double step;
  double (*heading)(int i), (*banking)(int i), (*grid)(int i, double v);
};

static double zero(int i)
{
  (void)i;
  return 0;
}

static double zero_height(int i, double v)
{
  (void)i;
  (void)v;
  return 0;
}

static void write_road(const struct road *r)
{
  static char text[ROOM];
  int used = snprintf(text, sizeof text,
                      "$CT\n$\n$ROAD_CRG\nREFERENCE_LINE_INCREMENT = %.17g\n$\n$KD_Definition\n"
                      "#:LDFI\nD:reference line phi,rad\nD:reference line banking,m/m\n",
                      r->step);
  for (int j = 0; j < SECTIONS; j++)
    used += snprintf(text + used, ROOM - (size_t)used, "D:long section at v = %g,m\n", V[j]);
  used += snprintf(text + used, ROOM - (size_t)used, "$\n$$$$\n");
  for (int i = 0; i < r->rows; i++) {
    double row[2 + SECTIONS] = {r->heading(i), r->banking(i)};
    for (int j = 0; j < SECTIONS; j++) row[2 + j] = r->grid(i, V[j]);
    for (int k = 0; k < 2 + SECTIONS; k++)
      used +=
          snprintf(text + used, ROOM - (size_t)used, "%20.15f%s", row[k], k % 4 == 3 ? "\n" : "");
    used += snprintf(text + used, ROOM - (size_t)used, "\n");
  }
  assert_true(used < ROOM);
  cmbt_write_file(r->file, text, (size_t)used);
}

/* ---- heights and slopes */

/* A model with one road. Its height is a function of x and y; slopes are found as difference quotients. */
struct surface {
  cmb_context *ctx;
  cmb_model *model;
  cmb_ground *ground;
};

static struct surface open_surface(const char *file)
{
  char text[500];
  struct surface s = {.ctx = cmb_context_create(NULL)};
  snprintf(
      text, sizeof text,
      "bodies: {ball: {mass: 1, com: [0, 0, 0]}}\n"
      "joints: {x: {type: prismatic, child: ball, at: [0, 0, 0], axis: x}}\n"
      "roads: {track: {type: crg, file: %s}}\n"
      "forces: {c: {type: contact, on: {body: ball, at: [0, 0, 0]}, surface: 'z - track(x, y)', "
      "stiffness: 1}}\n",
      file);
  s.model = cmbt_model_parse(s.ctx, text);
  cmbt_ok(s.ctx, cmb_ground_create(s.ctx, s.model, &s.ground));
  return s;
}

static void close_surface(struct surface *s)
{
  cmb_ground_destroy(s->ground);
  cmb_model_destroy(s->model);
  cmb_context_destroy(s->ctx);
}

static double height(const struct surface *s, double x, double y)
{
  return -cmb_ground_at(s->ground, 0, 0, (const double[3]){x, y, 0});
}

enum { ARC = 200 };
static const double arc_turn = 0.02;

static double arc_heading(int i)
{
  return arc_turn * (i - 0.5);
}

static double arc_banking(int i)
{
  (void)i;
  return 0.1;
}

/* Checks a circle with the banking b, curved to the left: at the distance v to the left of the reference line the height is b v, so that
 * the road rises by b per metre towards the centre. */
static void test_circle(void **state)
{
  (void)state;
  const struct road road = {"arc.crg", ARC, 1, arc_heading, arc_banking, zero_height};
  const double R = 0.5 / sin(arc_turn / 2);
  struct cmbt_random r = {2};
  write_road(&road);
  struct surface s = open_surface("arc.crg");
  for (int k = 0; k < 2000; k++) {
    const double angle = arc_turn * cmbt_random_uniform(&r, 12, ARC - 13),
                 v = cmbt_random_uniform(&r, -3.9, 3.9), h = 1e-4;
    const double x = (R - v) * sin(angle), y = R - (R - v) * cos(angle);
    cmbt_near(height(&s, x, y), 0.1 * v, 1e-8);
    cmbt_near((height(&s, x + h, y) - height(&s, x - h, y)) / (2 * h), -0.1 * sin(angle), 1e-7);
    cmbt_near((height(&s, x, y + h) - height(&s, x, y - h)) / (2 * h), 0.1 * cos(angle), 1e-7);
  }
  /* beside the road the height is that of its border */
  for (int k = 0; k < 100; k++) {
    const double angle = arc_turn * cmbt_random_uniform(&r, 12, ARC - 13);
    cmbt_near(height(&s, (R + 7) * sin(angle), R - (R + 7) * cos(angle)), -0.4, 1e-8);
    cmbt_near(height(&s, (R - 9) * sin(angle), R - (R - 9) * cos(angle)), 0.4, 1e-8);
  }
  /* before its start the road goes straight on; its direction there is known up to half of what an interval turns */
  cmbt_near(height(&s, -30, 1), 0.1, 0.1 * 30 * arc_turn / 2);
  assert_true(isnan(height(&s, 0, R))); /* the centre is beyond the reach of the road */
  close_surface(&s);
}

static double tiny_heading(int i)
{
  return i % 2 ? 0 : 2e-6;
}

static double waves(int i, double v)
{
  return 0.1 * sin(0.7 * i) + 0.03 * v * cos(0.3 * i);
}

/* Checks that headings which alternate between 0 and 2 µrad, and so move the line aside by less than 0.1 mm, change heights accordingly. */
static void test_almost_straight(void **state)
{
  (void)state;
  const struct road straight = {"straight.crg", 120, 0.5, zero, zero, waves};
  const struct road almost = {"almost.crg", 120, 0.5, tiny_heading, zero, waves};
  struct cmbt_random r = {4};
  write_road(&straight);
  write_road(&almost);
  struct surface a = open_surface("straight.crg"), b = open_surface("almost.crg");
  for (int k = 0; k < 3000; k++) {
    const double x = cmbt_random_uniform(&r, -10, 70), y = cmbt_random_uniform(&r, -8, 8);
    cmbt_near(height(&b, x, y), height(&a, x, y), 2e-5);
  }
  close_surface(&a);
  close_surface(&b);
}

static double slight_heading(int i)
{
  return 1e-7 * i;
}

/* Checks the smallest increment of a road that turns: 2 µm are accepted, 0.5 µm are not. The radii are 20 m and 5 m. */
static void test_smallest_increment(void **state)
{
  (void)state;
  const struct road coarse = {"coarse.crg", 20, 2e-6, slight_heading, zero, zero_height};
  const struct road fine = {"fine.crg", 20, 5e-7, slight_heading, zero, zero_height};
  cmb_context *ctx = cmb_context_create(NULL);
  write_road(&coarse);
  write_road(&fine);
  struct surface s = open_surface("coarse.crg");
  cmbt_near(height(&s, 1e-5, 0), 0, 0);
  close_surface(&s);
  cmbt_model_refused(ctx, "roads: {track: {type: crg, file: fine.crg}}\n", "fine.crg:4:1",
                     "expected increments of 1e-6 or more");
  cmb_context_destroy(ctx);
}

/* ---- an S: the curvature grows to 1/25, changes to −1/25 and returns to 0 */

enum { S_ROWS = 181 };

static double s_heading(int i)
{
  const double pi = 3.14159265358979323846, s = (i - 0.5) / (S_ROWS - 1);
  return 0.04 * (S_ROWS - 1) / (2 * pi) * (1 - cos(2 * pi * s));
}

static double s_banking(int i)
{
  return 0.05 * sin(2 * 3.14159265358979323846 * i / (S_ROWS - 1));
}

static double s_grid(int i, double v)
{
  return 0.02 * sin(0.4 * i) * cos(0.5 * v);
}

static void write_s(void)
{
  const struct road road = {"s.crg", S_ROWS, 1, s_heading, s_banking, s_grid};
  write_road(&road);
}

/* Checks that points of the grid have the heights of the file. A point at the distance v from point P_i of the reference line is P_i + v n_i
 * with the line's normal n_i there. The normal of the spline through the P_i differs from that of the true line by h³/24 times the line's
 * fourth derivative, with the distance h of the points, and so P_i + v n_i differs by v times as much. */
static void test_s_curve(void **state)
{
  (void)state;
  double x = 0, y = 0;
  write_s();
  struct surface s = open_surface("s.crg");
  for (int i = 1; i < S_ROWS - 12; i++) {
    x += cos(s_heading(i));
    y += sin(s_heading(i));
    if (i < 12) continue;
    const double normal = 0.5 * (s_heading(i) + s_heading(i + 1)); /* exact to third order */
    for (int j = 0; j < SECTIONS; j++) {
      const double at_x = x - V[j] * sin(normal), at_y = y + V[j] * cos(normal);
      cmbt_near(height(&s, at_x, at_y), s_grid(i, V[j]) + s_banking(i) * V[j], 2e-5);
    }
  }
  close_surface(&s);
}

/* ---- runs: a wheel on an arm moves around a ring with bumps, across its seam, and loses contact at some bumps */

enum { RING = 201 };
static const double pi = 3.14159265358979323846;

static double ring_heading(int i)
{
  return 2 * pi / (RING - 1) * (i - 0.5);
}

static double ring_banking(int i)
{
  return 0.05 + 0.02 * cos(2 * pi * i / (RING - 1));
}

static double ring_grid(int i, double v)
{
  return 0.05 * sin(2 * pi * 31 * i / (RING - 1)) +
         0.002 * v * v * cos(2 * pi * 13 * i / (RING - 1));
}

static void ring_model(char text[2000])
{
  const struct road road = {"ring.crg", RING, 1, ring_heading, ring_banking, ring_grid};
  const double R = 0.5 / sin(pi / (RING - 1));
  write_road(&road);
  snprintf(
      text, 2000,
      "gravity: [0, 0, -9.81]\n"
      "points: {M: [0, %.17g, 0.02], W: [0, 1.5, 0.02]}\n"
      "bodies: {arm: {mass: 30, rod: [M, W], radius: 0.05}, wheel: {mass: 2, com: W}}\n"
      "joints:\n"
      "  turn: {type: revolute, child: arm, at: M, axis: z, start: -0.5, rate: 0.44}\n"
      "  ride: {type: prismatic, parent: arm, child: wheel, at: W, axis: z}\n"
      "roads: {track: {type: crg, file: ring.crg}}\n"
      "forces:\n"
      "  c: {type: contact, on: wheel@W, surface: 'z - track(x, y)', stiffness: 4e3, damping: 40}\n"
      "outputs: {h: 'track(wheel.x, wheel.y)', z: wheel.z}\n",
      R);
}

static void run(const char *text, const char *method, double rtol, double step, cmbt_run *r)
{
  *r = (cmbt_run){.ctx = cmb_context_create(NULL), .rtol = rtol, .step = step, .method = method};
  r->model = cmbt_model_parse(r->ctx, text);
  const cmb_model_system_options options = {.formulation = CMB_FORM_EXPLICIT,
                                            .evaluation = CMB_EVALUATE_INTERPRETER,
                                            .derivatives = true,
                                            .expressions = step > 0};
  cmbt_ok(r->ctx, cmb_model_system(r->ctx, r->model, &options, &r->system));
  r->eq = cmb_system_equations(r->system);
  cmbt_run_to(r, 3, 0);
}

static void test_methods(void **state)
{
  (void)state;
  static const struct {
    const char *method;
    double rtol, step, tolerance;
  } cases[] = {{"mdop853", 1e-10, 0, 0},
               {"mdop5", 1e-8, 0, 1e-6},
               {"radau5", 1e-7, 0, 1e-5},
               {"bdf", 1e-8, 0, 1e-5},
               {"lie", 1e-8, 0x1p-12, 2e-3}};
  char text[2000];
  double angle = 0, z = 0;
  ring_model(text);
  for (int k = 0; k < 5; k++) {
    cmbt_run r;
    run(text, cases[k].method, cases[k].rtol, cases[k].step, &r);
    const double lift[] = {r.result->q[0], cmbt_output(&r, "z")};
    if (k == 0) angle = lift[0], z = lift[1];
    printf("%s: %.10f %.10f, %d events\n", cases[k].method, lift[0], lift[1], r.event_count);
    assert_true(r.event_count > 4);
    if (k > 0) cmbt_near(lift[0], angle, cases[k].tolerance);
    if (k > 0) cmbt_near(lift[1], z, cases[k].tolerance);
    cmbt_run_close(&r);
  }
  assert_true(angle > 0.7); /* the wheel has crossed the seam at 0 */
}

/* ---- bounds of second derivatives */

enum { MOST_FUNCTIONS = 40 };

/* A piece of the arm's motion, q = c + r θ + b θ²/2 with θ from −1 to 1. The interval [c − |r| − |b|/2, c + |r| + |b|/2] contains it. */
struct piece {
  double c[2], r[2], b[2];
};

static cmb_interval around(double middle, double half)
{
  return (cmb_interval){middle - half, middle + half};
}

static void values_at(const cmb_equations *eq, const cmb_point *at, const struct piece *p,
                      double theta, double *values)
{
  cmb_point point = *at;
  double q[2];
  for (int i = 0; i < 2; i++) q[i] = p->c[i] + theta * (p->r[i] + theta / 2 * p->b[i]);
  point.q = q;
  eq->path_values(eq->self, &point, values);
}

/* Checks that second differences of the path functions lie within the bounds of their second derivatives. Returns the number of functions
 * with bounds. */
static int check_bends(const cmb_equations *eq, const cmb_point *at, const struct piece *p)
{
  cmb_interval q[2], rate[2], bend[2], bends[MOST_FUNCTIONS];
  double value[3][MOST_FUNCTIONS];
  const double theta[] = {-0.9, -0.3, 0.2, 0.8}, h = 1e-2;
  int known = 0;
  for (int i = 0; i < 2; i++) {
    q[i] = around(p->c[i], fabs(p->r[i]) + fabs(p->b[i]) / 2);
    rate[i] = around(p->r[i], fabs(p->b[i]));
    bend[i] = around(p->b[i], 0);
  }
  const cmb_box box = {
      .q = q, .q_rate = rate, .q_bend = bend, .mode = at->mode, .scratch = at->scratch};
  eq->path_bends(eq->self, &box, bends);
  for (int i = 0; i < eq->path_count; i++) known += bends[i].low <= bends[i].high;
  for (int k = 0; k < 4; k++) {
    for (int j = 0; j < 3; j++) values_at(eq, at, p, theta[k] + h * (j - 1), value[j]);
    for (int i = 0; i < eq->path_count; i++) {
      if (!(bends[i].low <= bends[i].high)) continue;
      const double second = (value[0][i] - 2 * value[1][i] + value[2][i]) / (h * h);
      const double rounding = 1e-12 / (h * h) * (1 + fabs(value[1][i]));
      assert_true(second >= bends[i].low - rounding && second <= bends[i].high + rounding);
    }
  }
  return known;
}

/* Checks the bounds for the wheel of the ring; at the border of the grid the height has a kink, and so there are no bounds. */
static void test_bends(void **state)
{
  (void)state;
  char text[2000];
  cmbt_run r;
  ring_model(text);
  char *side = strstr(text, "W: [0, 1.5"); /* the road is 4 m wide to each side */
  for (int k = 0; k < 2; k++) {
    if (k == 1) memcpy(side, "W: [0, 4.0", 10);
    run(text, "mdop5", 1e-6, 0, &r);
    const cmb_equations *eq = r.eq;
    assert_non_null(eq->path_bends);
    assert_in_range(eq->path_count, 1, MOST_FUNCTIONS);
    assert_int_equal(eq->nq, 2);
    int mode[8] = {1, 1, 1, 1, 1, 1, 1, 1}, known = 0;
    assert_in_range(eq->ns, 0, 8);
    void *scratch = calloc(1, eq->scratch_size);
    struct cmbt_random random = {9};
    const cmb_point at = {.mode = mode, .scratch = scratch};
    for (int i = 0; i < 300; i++) {
      const double size = pow(10, cmbt_random_uniform(&random, -4, -2));
      struct piece p = {{cmbt_random_uniform(&random, 0.2, 6), 0}, {size, size}, {0}};
      for (int j = 0; j < 2; j++) p.b[j] = size * cmbt_random_uniform(&random, -1, 1);
      known += check_bends(eq, &at, &p) > 0;
    }
    assert_true(k == 0 ? known > 250 : known == 0);
    free(scratch);
    cmbt_run_close(&r);
  }
}

static void test_export(void **state)
{
  (void)state;
  char text[2000];
  cmb_context *ctx = cmb_context_create(NULL);
  struct cmbt_export_bits seen;
  static const cmb_option_setting settings[][2] = {{{"bound", "none"}, {"jacobian", "exact"}},
                                                   {{"bound", "none"}, {"jacobian", "none"}}};
  ring_model(text);
  cmb_model *model = cmbt_model_parse(ctx, text);
  for (int k = 0; k < 2; k++) {
    cmbt_export_bits(ctx, model, CMB_FORM_EXPLICIT, "lie", 2, settings[k], "a wheel on a ring",
                     &seen);
    assert_true(seen.whole && seen.steps > 0 && seen.flags > 0);
  }
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Checks that a run ends with an error when a ball comes to a place where the road has no height. */
static void test_out_of_reach(void **state)
{
  (void)state;
  const struct road road = {"arc.crg", ARC, 1, arc_heading, arc_banking, zero_height};
  static const char text[] =
      "bodies: {ball: {mass: 1, com: [0, 0, 0]}}\n"
      "joints: {y: {type: prismatic, child: ball, at: [30, 0, 0], axis: y, rate: 100}}\n"
      "roads: {track: {type: crg, file: arc.crg}}\n"
      "forces: {c: {type: contact, on: {body: ball, at: [0, 0, 0]}, surface: 'z + 3 - track(x, "
      "y)', "
      "stiffness: 1}}\n";
  write_road(&road);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = cmbt_model_parse(ctx, text);
  cmb_system *system;
  cmb_simulation *sim;
  const cmb_model_system_options how = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                        .derivatives = true};
  cmbt_ok(ctx, cmb_model_system(ctx, model, &how, &system));
  cmb_run_options options = cmb_run_defaults();
  options.t_end = 2;
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  assert_int_not_equal(cmb_simulation_run(sim), CMB_OK);
  print_message("%s\n", cmb_last_error(ctx));
  assert_true(cmb_simulation_result(sim)->t < 0.6);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_circle),
                                     cmocka_unit_test(test_almost_straight),
                                     cmocka_unit_test(test_smallest_increment),
                                     cmocka_unit_test(test_s_curve),
                                     cmocka_unit_test(test_methods),
                                     cmocka_unit_test(test_bends),
                                     cmocka_unit_test(test_out_of_reach),
                                     cmocka_unit_test(test_export)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
