/*
 * Tests of how error estimates are treated near a loss of rank (method/passage.c), for a parallelogram four-bar near its flat position: the
 * components in the weak direction are removed from velocities and from positions, with q̇ = v and with q̇ = T(q) v, and their size in the
 * norm of the kinetic energy is returned. Also tests the step sizes before a predicted loss of rank, and which errors of the steps across it count.
 */
#include "check.h"
#include "fourbar.h"
#include "model_run.h"
#include "random.h"

#include "dae/branch.h"
#include "dae/project.h"
#include "method/method.h"

#include <string.h>

enum { MOST = 64 };

/* An integrator of mdop5 at (q, v), with the factors of the constraints there and a random error e (nq + nv). */
struct subject {
  cmb_context *ctx;
  const cmb_equations *eq;
  cmb_integrator *in;
  double e[2 * MOST];
};

static void begin(struct subject *s, const double *q, const double *v)
{
  struct cmbt_random random = {17};
  const cmb_integrator_options options = cmb_integrator_defaults();
  assert_true(s->eq->nq <= MOST && s->eq->nv <= MOST);
  cmbt_ok(s->ctx, cmb_integrator_create(s->ctx, s->eq, cmb_method_find("mdop5"), &options, &s->in));
  cmbt_ok(s->ctx, cmb_integrator_begin(s->in, 0, q, v));
  cmb_watch_rank(s->in->ev, true);
  cmbt_ok(s->ctx, cmb_factor_at(s->in->ev, 0, q));
  assert_true(*s->in->ev->doubtful);
  memcpy(s->in->y_new, q, (size_t)s->eq->nq * sizeof *q);
  memcpy(s->in->y_new + s->eq->nq, v, (size_t)s->eq->nv * sizeof *v);
  for (int i = 0; i < s->eq->nq + s->eq->nv; i++) s->e[i] = cmbt_random_uniform(&random, -1, 1);
}

static double energy(const struct subject *s, const double *v)
{
  double Mv[MOST];
  cmb_multiply_mass(s->in->ev, v, Mv);
  double sum = 0;
  for (int i = 0; i < s->eq->nv; i++) sum += v[i] * Mv[i];
  return sum;
}

/* Checks that the weak part w (nv) of the velocities has been removed from x (nq + nv) and nothing else, and the value that was returned. */
static void check_velocities(const struct subject *s, const double *x, double returned, double *w)
{
  const int nq = s->eq->nq, nv = s->eq->nv;
  const cmb_integrator_options o = cmb_integrator_defaults();
  double left[MOST], size = 0, rest = 0;
  cmb_weak_part(s->in->ev, s->e + nq, w);
  cmb_weak_part(s->in->ev, x + nq, left);
  for (int i = 0; i < nv; i++) {
    cmbt_near(x[nq + i], s->e[nq + i] - w[i], 1e-14);
    size = fmax(size, fabs(w[i]));
    rest = fmax(rest, fabs(left[i]));
  }
  assert_true(size > 0.01);
  cmbt_below(rest, 1e-10 * size);
  const double expected =
      sqrt(energy(s, w)) / (sqrt(o.rtol * energy(s, s->in->y_new + nq)) + o.atol);
  cmbt_near(returned, expected, 1e-9 * expected);
}

/* Checks that positions and velocities, with q̇ = v, lose the same. */
static void test_angles(void **state)
{
  (void)state;
  const struct cmbt_fourbar p = {CMBT_FOURBAR_ANGLES, 1, 0.7, 1, 3, 0.1};
  const cmb_equations eq = cmbt_fourbar_equations(&p);
  struct subject s = {.ctx = cmb_context_create(NULL), .eq = &eq};
  double q[3], v[3], w[MOST], x[2 * MOST], y[2 * MOST];
  cmbt_fourbar_state(&p, 1e-7, 0.3, q, v);
  begin(&s, q, v);
  memcpy(s.e, s.e + 3, 3 * sizeof *s.e);
  memcpy(x, s.e, sizeof x);
  memcpy(y, s.e, sizeof y);
  const double returned = cmb_remove_weak_error(s.in, x, y);
  check_velocities(&s, x, returned, w);
  for (int i = 0; i < 3; i++) assert_true(x[i] == x[3 + i] && y[i] == x[i] && y[3 + i] == x[i]);
  cmb_integrator_destroy(s.in);
  cmb_context_destroy(s.ctx);
}

/* Checks with q̇ = T(q) v that positions lose their component along T w, and nothing else. */
static void test_bodies(void **state)
{
  (void)state;
  cmbt_run r;
  cmbt_run_open_text(
      &r,
      "points: {A: [0, 0, 0], B: [0, 0, 1], C: [2, 0, 1], D: [2, 0, 0]}\n"
      "parameters: {phi: 1.5707962}\n"
      "bodies: {left: {mass: 1, rod: [A, B], radius: 0.02}, top: {mass: 2, rod: [B, C], radius: "
      "0.02},"
      " right: {mass: 1.5, rod: [D, C], radius: 0.02}}\n"
      "joints:\n"
      "  a: {type: revolute, child: left, at: A, axis: y, start: phi, rate: 0.3}\n"
      "  b: {type: revolute, parent: left, child: top, at: B, axis: y, start: -phi, rate: -0.3}\n"
      "  d: {type: revolute, child: right, at: D, axis: y, start: phi, rate: 0.3}\n"
      "loops: {c: {type: revolute, between: [top@C, right@C], axis: y}}\n",
      CMB_FORM_CARTESIAN);
  cmbt_run_start(&r);
  struct subject s = {.ctx = r.ctx, .eq = r.eq};
  const int nq = r.eq->nq;
  double w[MOST], Tw[MOST], x[2 * MOST], size = 0, left = 0, before = 0;
  assert_non_null(r.eq->rates);
  begin(&s, r.result->q, r.result->v);
  memcpy(x, s.e, sizeof x);
  const double returned = cmb_remove_weak_error(s.in, x, NULL);
  check_velocities(&s, x, returned, w);
  cmb_rates(s.in->ev, s.in->y_new, w, Tw);
  for (int i = 0; i < nq; i++) {
    size += Tw[i] * Tw[i];
    left += Tw[i] * x[i];
    before += Tw[i] * s.e[i];
  }
  assert_true(fabs(before) > 0.01 * size);
  cmbt_near(left, 0, 1e-12 * size);
  for (int i = 0; i < nq; i++) cmbt_near(x[i], s.e[i] - before / size * Tw[i], 1e-12);
  cmb_integrator_destroy(s.in);
  cmbt_run_close(&r);
}

/* Opens an integrator at the flat position of the parallelogram, from which the caller sets the predicted loss of rank. */
static void open_near(struct subject *s, cmb_equations *eq)
{
  static const struct cmbt_fourbar p = {CMBT_FOURBAR_ANGLES, 1, 0.7, 1, 3, 0.1};
  double q[3], v[3];
  *eq = cmbt_fourbar_equations(&p);
  *s = (struct subject){.ctx = cmb_context_create(NULL), .eq = eq};
  cmbt_fourbar_state(&p, 1e-7, 0.3, q, v);
  begin(s, q, v);
}

static void close_near(struct subject *s)
{
  cmb_integrator_destroy(s->in);
  cmb_context_destroy(s->ctx);
}

/* Checks that a step that reaches a predicted loss of rank ends well before it or passes it, and that other steps keep their size. */
static void test_steps(void **state)
{
  (void)state;
  static const struct {
    double h, ahead, zone;
    int rejections;
    double expected;
  } cases[] = {
      {1, 1.46, 0.1, 0, 1},                 /* too far ahead */
      {1, 1.44, 0.1, 4, 1},                 /* too many rejections */
      {1, 1.44, 0.1, 3, 1.44 - 0.405},      /* the next step passes */
      {1, 0.47, 0.1, 0, 0.47 / 4},          /* at least a quarter of the distance */
      {1, 0.45, 0.1, 0, 1},                 /* passes, with the position at 0.45 */
      {1, 0.225, 0.1, 0, 0.5},              /* the same, by a shorter step */
      {1, 0.1, 0.1, 0, 0.23},               /* ends beyond the zone after the position */
      {1, 0.8, 0.48, 0, 0.8 - 0.405 * 1.2}, /* a wider zone needs a longer step */
  };
  struct subject s;
  cmb_equations eq;
  open_near(&s, &eq);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    s.in->passage.ahead = cases[i].ahead;
    s.in->passage.zone = cases[i].zone;
    s.in->rejections = cases[i].rejections;
    cmbt_near(cmb_passage_step(s.in, cases[i].h), cases[i].expected, 1e-14);
  }
  close_near(&s);
}

/* Checks which error estimate of a step across a loss of rank is taken for rounding error: one that grows when the step is repeated with a
 * smaller size, unless it is too large, or its weak component is. An accepted step ends such a series. */
static void test_errors_across(void **state)
{
  (void)state;
  struct subject s;
  cmb_equations eq;
  open_near(&s, &eq);
  cmb_passage *p = &s.in->passage;
  p->ahead = 0.5, p->zone = 0.01;
  s.in->options.rtol = 1e-6;
  *p->weak_error = 1;
  assert_true(cmb_passage_judge(s.in, 1, 5) == 5);
  assert_true(cmb_passage_judge(s.in, 0.9, 4) == 4);
  assert_true(cmb_passage_judge(s.in, 0.8, 4) == 1);
  assert_true(cmb_passage_judge(s.in, 0.7, 4) == 4); /* a new series */
  assert_true(cmb_passage_judge(s.in, 0.7, 4) == 4); /* of the same size */
  assert_true(cmb_passage_judge(s.in, 0.65, 101) == 101);
  assert_true(cmb_passage_judge(s.in, 0.64, 99) == 99);
  assert_true(cmb_passage_judge(s.in, 0.63, 99) == 1);
  *p->weak_error = 1.01;
  assert_true(cmb_passage_judge(s.in, 1, 5) == 5);
  assert_true(cmb_passage_judge(s.in, 0.9, 6) == 6);
  *p->weak_error = 1;
  assert_true(cmb_passage_judge(s.in, 1, 5) == 5);
  assert_true(cmb_passage_judge(s.in, 0.9, 0.5) == 0.5);
  assert_true(cmb_passage_judge(s.in, 0.8, 6) == 6);
  p->ahead = 0.001; /* a step that cannot be made smaller */
  assert_true(cmb_passage_judge(s.in, 0.029, 6) == 1);
  assert_true(cmb_passage_judge(s.in, 0.029, 0.3) == 0.3);
  assert_true(cmb_passage_judge(s.in, 0.031, 6) == 6);
  close_near(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_angles), cmocka_unit_test(test_bodies),
                                     cmocka_unit_test(test_steps),
                                     cmocka_unit_test(test_errors_across)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
