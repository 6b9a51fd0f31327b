/*
 * The parallelogram four-bar passes its flat position, where its constraints lose one rank: with joint angles and with the coordinates of
 * three bodies, in metres and in millimetres, with redundant constraints, and with a start in that position. The reference is the equation
 * of the one degree of freedom of its branch (fourbar.h), integrated with small steps in long double. Every passage is reported at its
 * time and with the names of the constraints; on other problems nothing is reported.
 */
#include "check.h"
#include "fourbar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PASSAGES = 100, FINE = 20000 };

struct log {
  double t[MOST_PASSAGES];
  int count;
  bool only_x; /* in all passages 'loop x' was the only constraint */
  long records, not_unique;
};

static cmb_status keep_singular(void *user, const cmb_singularity *s)
{
  struct log *log = user;
  assert_in_range(log->count, 0, MOST_PASSAGES - 1);
  assert_true(s->count > 0);
  log->t[log->count++] = s->t;
  log->only_x = log->only_x && s->count == 1 && strcmp(s->constraints[0], "loop x") == 0;
  return CMB_OK;
}

static cmb_status keep_record(void *user, const cmb_record *record)
{
  struct log *log = user;
  log->records++;
  if (record->lambda_unique) log->not_unique++;
  return CMB_OK;
}

struct run {
  const char *method;
  double rtol, phi, rate, t_end;
  struct log log;
  double phi_end, rate_end;
};

/* Runs the four-bar and stores the crank's angle and rate at the end, and the reported passages. */
static void run_fourbar(const struct cmbt_fourbar *p, const cmb_equations *eq, struct run *run)
{
  double q[9], v[9];
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_simulation *sim;
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(run->method);
  options.integrator.rtol = run->rtol;
  options.integrator.atol = CMB_ATOL_PER_RTOL * run->rtol;
  options.observer =
      (cmb_observer){.user = &run->log, .singular = keep_singular, .record = keep_record};
  run->log = (struct log){.only_x = true};
  cmbt_fourbar_state(p, run->phi, run->rate, q, v);
  cmbt_ok(ctx, cmb_system_create(ctx, eq, 0, run->t_end, q, v, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  const cmb_result *r = cmb_simulation_result(sim);
  assert_int_equal(r->singularities, run->log.count);
  cmbt_fourbar_crank(p, r->q, r->v, &run->phi_end, &run->rate_end);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* Compares passages and final state with the reference; `start_is_flat` = 1 if the start is a further passage. */
static void compare(const struct cmbt_fourbar *p, struct run *run, int start_is_flat)
{
  double times[MOST_PASSAGES], phi = run->phi, rate = run->rate, late = 0;
  cmb_equations eq = cmbt_fourbar_equations(p);
  run_fourbar(p, &eq, run);
  int passages = cmbt_fourbar_exact(p, run->t_end, FINE, &phi, &rate, MOST_PASSAGES, times);
  assert_int_equal(run->log.count, passages + start_is_flat);
  for (int k = 0; k < passages; k++)
    late = fmax(late, fabs(run->log.t[k + start_is_flat] - times[k]));
  if (start_is_flat) assert_true(run->log.t[0] == 0);
  printf(
      "%-8s kind %d, unit %g, tilt %g: %d passages, times to %.0e, angle to %.0e, rate to %.0e\n",
      run->method, (int)p->kind, p->unit, p->tilt, passages, late, fabs(run->phi_end - phi),
      fabs(run->rate_end - rate));
  assert_true(passages >= 10);
  /* with the ground line along x the gradient of the loop's x component vanishes in the flat position */
  assert_int_equal(run->log.only_x, p->kind <= CMBT_FOURBAR_RELATIVE && p->tilt == 0);
  cmbt_below(late, 1e-6);
  cmbt_near(run->phi_end, phi, 1e-6);
  cmbt_near(run->rate_end, rate, 1e-6);
}

static const char *const methods[] = {"mdop5", "mdop853", "hem5", "phem56"};

static void all_methods(cmbt_fourbar_kind kind, double tilt, double phi, double rate, double t_end,
                        int start_is_flat)
{
  for (int m = 0; m < 4; m++) {
    for (int unit = 0; unit < 2; unit++) {
      const struct cmbt_fourbar p = {kind, unit ? 1000 : 1, tilt, tilt + 0.3, 3, 0.1};
      struct run run = {
          .method = methods[m], .rtol = 1e-8, .phi = phi, .rate = rate, .t_end = t_end};
      compare(&p, &run, start_is_flat);
    }
  }
}

/* Compares all methods with the reference for motions in which the crank swings about the flat position and passes it 21 times. */
static void test_swing(void **state)
{
  (void)state;
  all_methods(CMBT_FOURBAR_ANGLES, 0, 1, 0.3, 12, 0); /* a gradient vanishes in the flat position */
  all_methods(CMBT_FOURBAR_ANGLES, 0.7, 1, 0.3, 12, 0); /* two become parallel */
  all_methods(CMBT_FOURBAR_RELATIVE, 0.7, 1, 0.3, 12, 0);
}

static void test_swing_of_bodies(void **state)
{
  (void)state;
  all_methods(CMBT_FOURBAR_BODIES, 0, 1, 0.3, 12, 0);
  all_methods(CMBT_FOURBAR_BODIES, 0.7, 1, 0.3, 12, 0);
}

/* Compares all methods with the reference for motions that start exactly in the flat position, along the branch. */
static void test_flat_start(void **state)
{
  (void)state;
  all_methods(CMBT_FOURBAR_ANGLES, 0, 0, 2, 10, 1);
  all_methods(CMBT_FOURBAR_RELATIVE, 0.6, 0, 2, 10, 1);
  all_methods(CMBT_FOURBAR_BODIES, 0, 0, 2, 10, 1);
}

/* Checks with each constraint twice, so that it is redundant everywhere, that each passage is detected and that no record has unique
 * multipliers. */
static void test_redundant(void **state)
{
  (void)state;
  all_methods(CMBT_FOURBAR_DOUBLE, 0.7, 1, 0.3, 6, 0);
  const struct cmbt_fourbar p = {CMBT_FOURBAR_DOUBLE, 1, 0.7, 1, 3, 0.1};
  cmb_equations eq = cmbt_fourbar_equations(&p);
  for (int m = 0; m < 4; m++) {
    struct run run = {.method = methods[m], .rtol = 1e-6, .phi = 1, .rate = 0.3, .t_end = 0.2};
    run_fourbar(&p, &eq, &run);
    assert_true(run.log.records > 2);
    assert_int_equal(run.log.not_unique, run.log.records);
  }
}

/* ---- the explicit formalism */

/* Solves [M Gᵀ; G 0] (a, λ) = (f, −γ) by Gaussian elimination; CMB_RETRY_SINGULAR if a pivot is below 1e-3. */
static cmb_status accelerate(const void *self, const cmb_point *at, double *a, double *lambda)
{
  cmb_equations eq = cmbt_fourbar_equations(self);
  double M[9], f[3], G[6], gamma[2], K[5][6] = {{0}};
  const cmb_terms want = {.M = M, .f = f, .G = G, .gamma = gamma};
  eq.evaluate(self, at, &want);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) K[i][j] = M[3 * i + j];
    for (int k = 0; k < 2; k++) K[i][3 + k] = K[3 + k][i] = G[3 * k + i];
    K[i][5] = f[i];
  }
  for (int k = 0; k < 2; k++) K[3 + k][5] = -gamma[k];
  for (int c = 0; c < 5; c++) {
    int p = c;
    for (int i = c + 1; i < 5; i++) {
      if (fabs(K[i][c]) > fabs(K[p][c])) p = i;
    }
    if (!(fabs(K[p][c]) > 1e-3)) return CMB_RETRY_SINGULAR;
    for (int j = 0; j < 6; j++) {
      double t = K[c][j];
      K[c][j] = K[p][j], K[p][j] = t;
    }
    for (int i = 0; i < 5; i++) {
      double factor = K[i][c] / K[c][c];
      for (int j = c; i != c && j < 6; j++) K[i][j] -= factor * K[c][j];
    }
  }
  for (int i = 0; i < 5; i++) *(i < 3 ? a + i : lambda + i - 3) = K[i][5] / K[i][i];
  return CMB_OK;
}

/* Compares with the reference a motion by the equations' own accelerations, which are not available near the flat position. */
static void test_explicit_formalism(void **state)
{
  (void)state;
  const struct cmbt_fourbar p = {CMBT_FOURBAR_ANGLES, 1, 0.7, 1, 3, 0.1};
  cmb_equations eq = cmbt_fourbar_equations(&p);
  eq.accelerate = accelerate;
  for (int m = 0; m < 4; m++) {
    double phi = 1, rate = 0.3;
    struct run run = {.method = methods[m], .rtol = 1e-8, .phi = phi, .rate = rate, .t_end = 12};
    run_fourbar(&p, &eq, &run);
    cmbt_fourbar_exact(&p, 12, FINE, &phi, &rate, 0, NULL);
    assert_int_equal(run.log.count, 21);
    cmbt_near(run.phi_end, phi, 1e-6);
    cmbt_near(run.rate_end, rate, 1e-6);
  }
}

/* ---- no false reports */

static void test_other_problems(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < cmb_problem_count(); i++) {
    for (int m = 0; m < 4; m++) {
      cmb_system *system;
      cmb_simulation *sim;
      cmb_run_options options = cmb_run_defaults();
      struct log log = {0};
      options.method = cmb_method_find(methods[m]);
      options.observer =
          (cmb_observer){.user = &log, .singular = keep_singular, .record = keep_record};
      cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_at(i), 0, NULL, &system));
      cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
      cmbt_ok(ctx, cmb_simulation_run(sim));
      assert_int_equal(log.count, 0);
      assert_int_equal(log.not_unique, 0);
      cmb_simulation_destroy(sim);
      cmb_system_destroy(system);
    }
  }
  cmb_context_destroy(ctx);
}

/* Requests the end of the run at the first singular position. */
static cmb_status refuse(void *user, const cmb_singularity *s)
{
  (void)user;
  (void)s;
  return CMB_ERROR_INTERRUPTED;
}

static void test_observer_ends_the_run(void **state)
{
  (void)state;
  const struct cmbt_fourbar p = {CMBT_FOURBAR_ANGLES, 1, 0, 0.3, 3, 0.1};
  cmb_equations eq = cmbt_fourbar_equations(&p);
  double q[3], v[3], times[1], phi = 1, rate = 0.3;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_simulation *sim;
  cmb_run_options options = cmb_run_defaults();
  options.observer.singular = refuse;
  cmbt_fourbar_state(&p, 1, 0.3, q, v);
  cmbt_ok(ctx, cmb_system_create(ctx, &eq, 0, 12, q, v, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  assert_int_equal(cmb_simulation_run(sim), CMB_ERROR_INTERRUPTED);
  cmbt_fourbar_exact(&p, 1, FINE, &phi, &rate, 1, times);
  assert_true(cmb_simulation_result(sim)->t >= times[0]);
  cmbt_below(cmb_simulation_result(sim)->t, times[0] + 0.1);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_swing),
      cmocka_unit_test(test_swing_of_bodies),
      cmocka_unit_test(test_flat_start),
      cmocka_unit_test(test_redundant),
      cmocka_unit_test(test_explicit_formalism),
      cmocka_unit_test(test_other_problems),
      cmocka_unit_test(test_observer_ends_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
