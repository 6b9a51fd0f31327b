/*
 * Redundant constraints of plane mechanisms. In space each of their loops has three redundant constraints; parallel cranks, and points that
 * are held in the plane, have more. The number of constraints left out is the number of constraints minus their rank along the motion, which
 * is known from the degrees of freedom; the remaining constraints have full rank, and all kinds of methods compute the same motion with them
 * in all formulations.
 *
 * Random mechanisms of one to three stages, in the plane of x and z or in one of any direction: a stage is a four-bar, or a parallelogram
 * with two or three cranks, that stands on the coupler of the stage before. The mechanism has one degree of freedom per stage. Its hinges are
 * joints and loops, or all of them loops between free bodies.
 */
#include "check.h"
#include "model_run.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 20000, MOST_STAGES = 3 };

/* The text of a mechanism while it is made. */
struct maker {
  struct cmbt_random random;
  double u[3], w[3], n[3]; /* the plane's axes and its normal */
  bool loose;              /* all hinges are loops */
  int bodies, hinges;
  char body[TEXT], joint[TEXT], loop[TEXT];
};

/* Returns a random number between low and high. */
static double draw(struct maker *m, double low, double high)
{
  return cmbt_random_uniform(&m->random, low, high);
}

static void add(char text[TEXT], const char *more)
{
  assert_true(strlen(text) + strlen(more) + 1 < TEXT);
  strcat(text, more);
}

/* Writes the plane's point with the coordinates x in space. */
static void put_point(const struct maker *m, const double x[2], size_t room, char *text)
{
  double p[3];
  for (int i = 0; i < 3; i++) p[i] = x[0] * m->u[i] + x[1] * m->w[i];
  snprintf(text, room, "[%.17g, %.17g, %.17g]", p[0], p[1], p[2]);
}

/* Makes a random plane: orthonormal axes u and w with the normal n = u × w. */
static void make_plane(struct maker *m)
{
  double size = 0, along = 0;
  for (int i = 0; i < 3; i++) m->u[i] = draw(m, -1, 1), m->w[i] = draw(m, -1, 1);
  m->u[0] += 1.5, m->w[2] += 1.5;
  for (int i = 0; i < 3; i++) size += m->u[i] * m->u[i];
  for (int i = 0; i < 3; i++) m->u[i] /= sqrt(size), along += m->u[i] * m->w[i];
  size = 0;
  for (int i = 0; i < 3; i++) m->w[i] -= along * m->u[i], size += m->w[i] * m->w[i];
  for (int i = 0; i < 3; i++) m->w[i] /= sqrt(size);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    m->n[i] = m->u[j] * m->w[l] - m->u[l] * m->w[j];
  }
}

/* Adds a bar between two points of the plane and returns its number. */
static int add_bar(struct maker *m, const double a[2], const double b[2])
{
  char from[100], to[100], text[400];
  put_point(m, a, sizeof from, from);
  put_point(m, b, sizeof to, to);
  snprintf(text, sizeof text, "  b%d: {mass: %.3g, rod: [%s, %s], radius: 0.02}\n", m->bodies,
           draw(m, 0.5, 2), from, to);
  add(m->body, text);
  if (m->loose) {
    snprintf(text, sizeof text, "  f%d: {type: free, child: b%d, at: %s}\n", m->bodies, m->bodies,
             from);
    add(m->joint, text);
  }
  return m->bodies++;
}

/* Adds a hinge at x, as a loop if it `closes` one; body -1 is the ground. */
static void add_hinge(struct maker *m, int parent, int child, const double x[2], bool closes)
{
  char at[100], text[400], name[20] = "ground";
  put_point(m, x, sizeof at, at);
  if (parent >= 0) snprintf(name, sizeof name, "b%d", parent);
  const bool loop = closes || m->loose;
  const char *form = loop ? "  h%d: {type: revolute, bodies: [%s, b%d], at: %s, axis: [%.17g, "
                            "%.17g, %.17g]}\n"
                          : "  h%d: {type: revolute, parent: %s, child: b%d, at: %s, axis: "
                            "[%.17g, %.17g, %.17g]}\n";
  snprintf(text, sizeof text, form, m->hinges++, name, child, at, m->n[0], m->n[1], m->n[2]);
  add(loop ? m->loop : m->joint, text);
}

/* Adds a constraint, redundant, that holds the body's point x in the plane. */
static void hold_in_plane(struct maker *m, int body, const double x[2])
{
  char at[100], text[500];
  put_point(m, x, sizeof at, at);
  snprintf(text, sizeof text,
           "  p%d: {type: point-plane, point: {body: b%d, at: %s}, on: {body: ground, at: [0, 0, "
           "0]}, normal: [%.17g, %.17g, %.17g]}\n",
           m->hinges++, body, at, m->n[0], m->n[1], m->n[2]);
  add(m->loop, text);
}

/* Adds a stage on the bar `base` from A to D; the ends of its coupler replace A and D. Returns the coupler. */
static int add_stage(struct maker *m, int base, double A[2], double D[2])
{
  const bool parallel = draw(m, 0, 1) < 0.7, third = parallel && draw(m, 0, 1) < 0.5;
  const double crank[2] = {draw(m, -0.5, 0.5), draw(m, 0.6, 1.2)};
  double B[2], C[2], E[2], F[2];
  for (int i = 0; i < 2; i++) {
    B[i] = A[i] + crank[i];
    C[i] = D[i] + crank[i] + (parallel ? 0 : draw(m, 0.1, 0.3));
    E[i] = (A[i] + D[i]) / 2, F[i] = (B[i] + C[i]) / 2;
  }
  const int one = add_bar(m, A, B), coupler = add_bar(m, B, C), two = add_bar(m, D, C);
  if (draw(m, 0, 1) < 0.3) hold_in_plane(m, one, B);
  add_hinge(m, base, one, A, false);
  add_hinge(m, one, coupler, B, false);
  add_hinge(m, base, two, D, false);
  add_hinge(m, coupler, two, C, true);
  if (draw(m, 0, 1) < 0.5) hold_in_plane(m, coupler, C);
  if (third) {
    const int three = add_bar(m, E, F);
    add_hinge(m, base, three, E, false);
    add_hinge(m, coupler, three, F, true);
  }
  memcpy(A, B, sizeof B);
  memcpy(D, C, sizeof C);
  return coupler;
}

/* Writes the text of a mechanism and returns its number of degrees of freedom. */
static int make(int seed, char text[4 * TEXT])
{
  static struct maker m;
  double A[2] = {0, 0}, D[2] = {1, 0};
  m = (struct maker){.random = {(uint64_t)seed}, .u = {1, 0, 0}, .w = {0, 0, 1}, .n = {0, -1, 0}};
  if (seed % 2 == 0) make_plane(&m);
  m.loose = seed / 2 % 3 == 0;
  const int stages = 1 + seed / 4 % MOST_STAGES;
  for (int k = 0, base = -1; k < stages; k++) base = add_stage(&m, base, A, D);
  snprintf(text, 4 * TEXT,
           "gravity: [1, -2, -9]\nbodies:\n%sjoints:\n%sloops:\n%soutputs: {x: b1.x, y: b1.y, z: "
           "b%d.z}\n",
           m.body, m.joint, m.loop, m.bodies - 1);
  return stages;
}

/* Checks that so many constraints are left out that nv − ng is the number of degrees of freedom, and that the others have full rank. */
static void check_rank(const cmbt_run *r, int freedoms)
{
  cmb_rank_report rank;
  int *mode = calloc((size_t)r->eq->ns + 1, sizeof *mode), left;
  cmb_system_left_out(r->system, &left);
  cmbt_ok(r->ctx,
          cmb_system_rank(r->ctx, r->system, 0, cmb_system_q(r->system), mode, &rank, NULL));
  free(mode);
  assert_true(left > 0);
  assert_int_equal(r->eq->nv - r->eq->ng, freedoms);
  assert_int_equal(rank.here, r->eq->ng);
  assert_int_equal(rank.around, r->eq->ng);
}

static void test_plane_mechanisms(void **state)
{
  (void)state;
  static const char *const methods[] = {"mdop5", "radau5", "bdf", "hem5", "lie"};
  static const double tolerance[] = {1e-6, 1e-6, 1e-5, 1e-6, 2e-2};
  static char text[4 * TEXT];
  const int count = cmbt_count("REDUNDANT", 12);
  for (int seed = 0; seed < count; seed++) {
    const int freedoms = make(seed, text);
    double reference[3] = {0};
    for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
      for (int k = 0; k < (int)(sizeof methods / sizeof *methods); k++) {
        static const char *const names[] = {"x", "y", "z"};
        cmbt_run r;
        cmbt_run_open_text_with(&r, text, (cmb_formulation)f, strcmp(methods[k], "lie") == 0);
        if (k == 0) check_rank(&r, freedoms);
        r.method = methods[k];
        r.rtol = 1e-8;
        cmbt_run_to(&r, 0.1, 0);
        for (int i = 0; i < 3; i++) {
          const double x = cmbt_output(&r, names[i]);
          if (f == CMB_FORM_EXPLICIT && k == 0) reference[i] = x;
          cmbt_near(x, reference[i], tolerance[k]);
        }
        cmbt_run_close(&r);
      }
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_plane_mechanisms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
