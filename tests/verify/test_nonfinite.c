/*
 * Equations that return values that are not finite. A wrapper passes on a bundled problem, but at the k-th time that one of its arrays
 * (M, f, g, G, γ, g_t, switching functions, outputs, q̇) is filled, one entry becomes NaN, +Inf or -Inf: only then, or from then on. For
 * every k of a short run with events and dense output, every array and every method:
 *
 *   - the run returns, after a bounded number of evaluations, with CMB_OK or with an error and a message;
 *   - all records and all of the result are finite;
 *   - CMB_OK means that the end is reached, the constraints are satisfied, and state and events are those of the undisturbed run; a
 *     permanent fault does not end in CMB_OK unless the result is exactly that of the undisturbed run;
 *   - a fault inside an attempted step costs no more than that attempt.
 *
 * Also: equations that cannot be evaluated beyond a limit of the position, and equations that request the end of the run.
 */
#include "methods.h"

#include <camber/camber.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 8, MOST_STEPS = 4000, MOST_EVALUATIONS = 100000 };

/* The array that is disturbed. MASS_ONCE: M of a problem that declares its mass matrix constant. */
enum target { MASS, MASS_ONCE, FORCES, G_VALUE, G_MATRIX, GAMMA, G_T, SWITCHES, OUTPUTS, RATES };
enum { TARGETS = RATES + 1 };

static const char *const target_names[TARGETS] = {
    "M", "constant M", "f", "g", "G", "gamma", "g_t", "switches", "outputs", "rates"};

struct fault {
  enum target target;
  double value;
  long at;    /* counts how often the target is filled, from 1; 0: no fault */
  bool stays; /* permanent from then on */
};

/* A problem with a fault: `self` of the wrapped equations. */
struct faulty {
  const cmb_equations *inner;
  struct fault fault;
  long *filled;      /* how often the target was filled */
  long *evaluations; /* calls of any function */
  bool dense;        /* M is handed out as a full matrix */
  double border;     /* for q[0] < border f is NaN, or the equations return an error */
  bool refuses;      /* that error: CMB_RETRY_DOMAIN */
  long ends_at;      /* the evaluation that returns CMB_ERROR_INPUT; 0: none */
};

/* Counts that `target` is filled and disturbs one entry of x if the fault is due. */
static void disturb(const struct faulty *p, enum target target, int n, double *x)
{
  if (target != p->fault.target || !x || n == 0) return;
  long k = ++*p->filled;
  bool now = p->fault.stays ? p->fault.at > 0 && k >= p->fault.at : k == p->fault.at;
  if (now) x[k % n] = p->fault.value;
}

/* Expands the diagonal mass matrix to a full one if `dense`, and disturbs it. A disturbed entry is mirrored on the other side of the diagonal,
 * since the library reads only one of them. */
static void give_mass(const struct faulty *p, double *M)
{
  double diagonal[MOST];
  const int nv = p->inner->nv, count = p->dense ? nv * nv : nv;
  if (!M) return;
  memcpy(diagonal, M, (size_t)nv * sizeof *M);
  for (int i = 0; p->dense && i < count; i++) M[i] = i % (nv + 1) == 0 ? diagonal[i / nv] : 0;
  disturb(p, MASS, count, M);
  disturb(p, MASS_ONCE, count, M);
  for (int i = 0; p->dense && i < count; i++) {
    if (!isfinite(M[i])) M[i % nv * nv + i / nv] = M[i];
  }
}

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct faulty *p = self;
  const cmb_equations *eq = p->inner;
  if (++*p->evaluations == p->ends_at) return CMB_ERROR_INPUT;
  if (at->q[0] < p->border && p->refuses) return CMB_RETRY_DOMAIN;
  CMB_TRY(eq->evaluate(eq->self, at, want));
  give_mass(p, want->M);
  disturb(p, FORCES, eq->nv, want->f);
  if (want->f && at->q[0] < p->border) want->f[0] = NAN;
  disturb(p, G_VALUE, eq->ng, want->g);
  disturb(p, G_MATRIX, eq->ng * eq->nv, want->G);
  disturb(p, GAMMA, eq->ng, want->gamma);
  disturb(p, G_T, eq->ng, want->gt);
  return CMB_OK;
}

static cmb_status switches(const void *self, const cmb_point *at, const double *lambda, double *s)
{
  const struct faulty *p = self;
  ++*p->evaluations;
  CMB_TRY(p->inner->switches(p->inner->self, at, lambda, s));
  disturb(p, SWITCHES, p->inner->ns, s);
  return CMB_OK;
}

static cmb_status outputs(const void *self, const cmb_point *at, const double *a,
                          const double *lambda, double *out)
{
  const struct faulty *p = self;
  ++*p->evaluations;
  CMB_TRY(p->inner->outputs(p->inner->self, at, a, lambda, out));
  disturb(p, OUTPUTS, p->inner->no, out);
  return CMB_OK;
}

static void rates(const void *self, const double *q, const double *v, double *qdot)
{
  const struct faulty *p = self;
  ++*p->evaluations;
  p->inner->rates(p->inner->self, q, v, qdot);
  disturb(p, RATES, p->inner->nq, qdot);
}

static cmb_equations wrap(const struct faulty *p)
{
  cmb_equations eq = *p->inner;
  assert_true(eq.mass_diagonal && eq.nq <= MOST && eq.ng <= MOST && eq.no <= MOST);
  eq.self = p;
  eq.evaluate = evaluate;
  eq.residual = NULL;
  eq.derivative = NULL;
  eq.mass_constant = p->fault.target != MASS;
  eq.mass_diagonal = !p->dense;
  if (eq.switches) eq.switches = switches;
  if (eq.outputs) eq.outputs = outputs;
  if (eq.rates) eq.rates = rates;
  return eq;
}

/* ---- one run */

struct outcome {
  cmb_status status;
  char message[256];
  double t, q[MOST], v[MOST], lambda[MOST];
  double position, velocity;
  long events, records, filled, evaluations, bad_records;
  bool finite; /* all values of the result */
};

static bool all_finite(int n, const double *x)
{
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i])) return false;
  }
  return true;
}

struct watcher {
  const cmb_equations *eq;
  long bad;
};

/* Counts the records with a value that is not finite. */
static cmb_status count_bad_records(void *user, const cmb_record *r)
{
  struct watcher *w = user;
  bool good = isfinite(r->t) && all_finite(w->eq->nq, r->q) && all_finite(w->eq->nv, r->v) &&
              all_finite(w->eq->ng, r->lambda) && all_finite(w->eq->no, r->outputs);
  if (!good) w->bad++;
  return CMB_OK;
}

static void keep(const cmb_equations *eq, const cmb_result *r, struct outcome *o)
{
  const double residuals[] = {r->position, r->velocity, r->worst_position, r->worst_velocity};
  o->t = r->t;
  o->position = r->position;
  o->velocity = r->velocity;
  o->events = r->events;
  o->records = r->records;
  memcpy(o->q, r->q, (size_t)eq->nq * sizeof *o->q);
  memcpy(o->v, r->v, (size_t)eq->nv * sizeof *o->v);
  memcpy(o->lambda, r->lambda, (size_t)eq->ng * sizeof *o->lambda);
  o->finite = isfinite(r->t) && all_finite(eq->nq, r->q) && all_finite(eq->nv, r->v) &&
              all_finite(eq->ng, r->lambda) && all_finite(eq->no, r->outputs) &&
              all_finite(4, residuals);
}

struct setup {
  const char *problem;
  const cmb_method *method;
  double t_end, every, tolerance;
  bool dense;
};

/* Runs the problem with the fault p and returns its result. */
static struct outcome run(const struct setup *s, struct faulty p)
{
  static const cmb_setting angle = {"angle", 1};
  struct outcome o = {0};
  cmb_system *inner, *system;
  cmb_simulation *sim;
  cmb_context *ctx = cmb_context_create(NULL);
  assert_non_null(ctx);
  bool pendulum = strcmp(s->problem, "pendulum") == 0;
  assert_int_equal(cmb_problem_create(ctx, cmb_problem_find(s->problem), pendulum, &angle, &inner),
                   CMB_OK);
  p.inner = cmb_system_equations(inner);
  p.dense = s->dense;
  p.filled = &o.filled;
  p.evaluations = &o.evaluations;
  cmb_equations eq = wrap(&p);
  struct watcher watcher = {.eq = &eq};
  assert_int_equal(
      cmb_system_create(ctx, &eq, 0, s->t_end, cmb_system_q(inner), cmb_system_v(inner), &system),
      CMB_OK);
  cmb_run_options options = cmb_run_defaults();
  options.method = s->method;
  options.integrator.rtol = options.integrator.atol = s->tolerance;
  options.integrator.max_steps = MOST_STEPS;
  options.every = s->every;
  options.observer = (cmb_observer){.user = &watcher, .record = count_bad_records};
  assert_int_equal(cmb_simulation_create(ctx, system, &options, &sim), CMB_OK);
  o.status = cmb_simulation_run(sim);
  snprintf(o.message, sizeof o.message, "%s", cmb_last_error(ctx));
  keep(&eq, cmb_simulation_result(sim), &o);
  o.bad_records = watcher.bad;
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_system_destroy(inner);
  cmb_context_destroy(ctx);
  return o;
}

/* ---- checking a run */

static double distance(const double *x, const double *y)
{
  double most = 0;
  for (int i = 0; i < MOST; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

/* Returns a description of what is wrong with the outcome, NULL if nothing is; `reference` is the undisturbed run. */
static const char *verdict(const struct setup *s, const struct fault *f,
                           const struct outcome *reference, const struct outcome *o)
{
  const double enough = 100 * s->tolerance;
  if (o->evaluations > MOST_EVALUATIONS) return "too many evaluations";
  if (o->bad_records > 0) return "a record is not finite";
  if (!o->finite) return "the result is not finite";
  if (o->status > 0) return "a recoverable status at the end";
  if (o->status < 0 && o->message[0] == '\0') return "an error without a message";
  if (o->status < 0) {
    return o->status == CMB_ERROR_STEP_SIZE || o->status == CMB_ERROR_NONFINITE ||
                   o->status == CMB_ERROR_EQUATIONS || o->status == CMB_ERROR_INCONSISTENT
               ? NULL
               : "an error of another kind than those of step size, values, equations or start";
  }
  if (f->stays) { /* a fault after the last step can affect only the check of the rank, not the result */
    bool same = distance(o->q, reference->q) == 0 && distance(o->v, reference->v) == 0 &&
                o->position == reference->position && o->velocity == reference->velocity;
    return same ? NULL : "a permanent fault was not noticed";
  }
  if (o->t != s->t_end) return "the end is not reached";
  if (o->position > s->tolerance || o->velocity > s->tolerance) return "constraints are violated";
  if (o->events != reference->events || o->records != reference->records)
    return "other events or records";
  if (distance(o->q, reference->q) > enough || distance(o->v, reference->v) > 10 * enough)
    return "the state differs from that of the undisturbed run";
  return NULL;
}

/* Numbers of runs, of single faults by target, and of those after which the run still ended with CMB_OK. */
struct tally {
  long runs, recovered[TARGETS], single[TARGETS];
};

/* Runs with the fault f and fails the test if the outcome is wrong. */
static void check_fault(const struct setup *s, struct fault f, const struct outcome *reference,
                        struct tally *tally)
{
  struct outcome o = run(s, (struct faulty){.fault = f, .border = -INFINITY});
  const char *wrong = verdict(s, &f, reference, &o);
  tally->runs++;
  if (!f.stays) {
    tally->single[f.target]++;
    tally->recovered[f.target] += o.status == CMB_OK;
  }
  if (wrong) {
    fail_msg("%s with %s, %s = %g %s filling %ld: %s (status %s, '%s', t = %.17g)", s->problem,
             cmb_method_name(s->method), target_names[f.target], f.value, f.stays ? "from" : "at",
             f.at, wrong, cmb_status_code(o.status), o.message, o.t);
  }
}

/* Tests each k with each of the three values (a sample of them under the sanitizers), as a single and as a permanent fault. */
static void disturb_everywhere(const struct setup *s, enum target target, struct tally *tally)
{
  static const double values[] = {NAN, INFINITY, -INFINITY};
  const struct fault none = {.target = target};
  struct outcome reference = run(s, (struct faulty){.fault = none, .border = -INFINITY});
  assert_int_equal(reference.status, CMB_OK);
  assert_true(reference.records > 2);
  for (long k = 1; k <= reference.filled; k++) {
    for (int i = 0; i < 3; i++) {
      if (!cmbt_is_sampled((int)k + i)) continue;
      struct fault f = {.target = target, .value = values[i], .at = k};
      check_fault(s, f, &reference, tally);
      f.stays = true;
      check_fault(s, f, &reference, tally);
    }
  }
}

static void check_problem(struct setup s)
{
  struct tally tally = {0};
  for (int m = 0; m < cmb_method_count(); m++) {
    if (!cmbt_is_short(cmb_method_at(m))) continue;
    s.method = cmb_method_at(m);
    for (int i = 0; i < TARGETS; i++) disturb_everywhere(&s, (enum target)i, &tally);
  }
  print_message("%s: %ld runs\n", s.problem, tally.runs);
  for (int i = 0; i < TARGETS; i++) {
    print_message("  %-10s %4ld of %4ld runs with a single fault recovered\n", target_names[i],
                  tally.recovered[i], tally.single[i]);
  }
  assert_true(tally.recovered[FORCES] > tally.single[FORCES] / 2);
  assert_true(tally.recovered[MASS] > tally.single[MASS] / 2);
}

static void test_pendulum(void **state)
{
  (void)state;
  check_problem((struct setup){"pendulum", NULL, 1.8, 0.3, 1e-4, false}); /* two events */
}

static void test_caraxis(void **state)
{
  (void)state;
  check_problem((struct setup){"caraxis", NULL, 0.3, 0.07, 1e-4, false});
}

static void test_dense_mass(void **state)
{
  (void)state;
  check_problem((struct setup){"caraxis", NULL, 0.2, 0.06, 1e-4, true});
}

static void test_circular_track(void **state)
{
  (void)state;
  check_problem((struct setup){"circular-track", NULL, 1.2, 0.3, 1e-4, false}); /* q̇ = T(q) v */
}

/* ---- errors that the equations return */

/* Checks that a run comes as near to the limit of the position as it can, and that its message names the reason. */
static void check_border(const cmb_method *method, bool refuses, cmb_status reason)
{
  struct setup s = {"pendulum", method, 2, 0, 1e-6, false};
  struct outcome o = run(&s, (struct faulty){.border = -0.3, .refuses = refuses});
  assert_int_equal(o.status, CMB_ERROR_STEP_SIZE);
  assert_non_null(strstr(o.message, cmb_status_meaning(reason)));
  assert_true(o.finite && o.bad_records == 0 && o.events == 1);
  assert_true(o.evaluations < MOST_EVALUATIONS);
  if (!(o.q[0] >= -0.3 && o.q[0] < -0.3 + 1e-6)) {
    fail_msg("%s stops at x = %.17g, limit at -0.3", cmb_method_name(method), o.q[0]);
  }
}

static void test_border(void **state)
{
  (void)state;
  for (int m = 0; m < cmb_method_count(); m++) {
    if (!cmbt_is_short(cmb_method_at(m))) continue;
    check_border(cmb_method_at(m), true, CMB_RETRY_DOMAIN);
    check_border(cmb_method_at(m), false, CMB_RETRY_NONFINITE);
  }
}

/* Lets each evaluation in turn request the end of the run. The run must end at this evaluation, with the equations' status and a message. */
static void test_end_asked_for(void **state)
{
  (void)state;
  const struct fault none = {0};
  for (int m = 0; m < cmb_method_count(); m++) {
    if (!cmbt_is_short(cmb_method_at(m))) continue;
    struct setup s = {"pendulum", cmb_method_at(m), 0.7, 0.1, 1e-4, false};
    struct outcome reference = run(&s, (struct faulty){.fault = none, .border = -INFINITY});
    for (long k = 1; k <= reference.evaluations; k++) {
      struct faulty p = {.fault = none, .border = -INFINITY, .ends_at = k};
      struct outcome o = run(&s, p);
      if (o.status == CMB_OK) { /* evaluation k was one of switches or outputs */
        assert_int_equal(o.evaluations, reference.evaluations);
        continue;
      }
      assert_int_equal(o.status, CMB_ERROR_INPUT);
      assert_int_equal(o.evaluations, k);
      assert_true(o.message[0] != '\0' && o.finite && o.bad_records == 0);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),       cmocka_unit_test(test_caraxis),
      cmocka_unit_test(test_circular_track), cmocka_unit_test(test_border),
      cmocka_unit_test(test_dense_mass),     cmocka_unit_test(test_end_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
