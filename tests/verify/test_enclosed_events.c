/*
 * Shows that no event is missed. Random switching functions of time and of a free motion have known zeros: they are products of factors,
 * which are simple zeros, pairs of close zeros, double zeros (no event), sines with up to 1,000 zeros a second and narrow Gaussian curves.
 * The methods with dense output, which take turns, find each zero exactly once, to 1e-9 s. Further tests: pulses, and a smooth bump of an
 * input after a long time at rest, which no step may pass over.
 *
 * The environment variable CAMBER_EVENTS sets the number of random problems.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 2100, TEXT = 6000, PROBLEMS = 2000, SEVERAL = 3 };

static const double SHORTEST = 1e-6; /* between two zeros, in seconds */

/* A switching function, and the times in (0, 1) at which it changes its sign. */
struct problem {
  char formula[1000];
  double zero[MOST];
  int count;
};

static void add_zero(struct problem *p, double t)
{
  assert_in_range(p->count, 0, MOST - 1);
  if (t > 0 && t < 1) p->zero[p->count++] = t;
}

static void add_factor(struct problem *p, const char *text)
{
  size_t length = strlen(p->formula);
  snprintf(p->formula + length, sizeof p->formula - length, "%s(%s)", length ? "*" : "", text);
}

/* Returns the name of a variable z that equals the time: t, or the position of a body that moves with the speed 1. */
static const char *clock_of(struct cmbt_random *r)
{
  return cmbt_random_int(r, 0, 1) ? "t" : "slide";
}

static void add_simple(struct cmbt_random *r, struct problem *p)
{
  char text[200];
  double zero = cmbt_random_uniform(r, 0.01, 0.99);
  snprintf(text, sizeof text, "%s - %.17g", clock_of(r), zero);
  add_factor(p, text);
  add_zero(p, zero);
}

/* Multiplies by (z − a)(z − b), with a close to b. */
static void add_pair(struct cmbt_random *r, struct problem *p)
{
  char text[200];
  double a = cmbt_random_uniform(r, 0.01, 0.98),
         b = a + SHORTEST * pow(10, cmbt_random_uniform(r, 0, 4));
  snprintf(text, sizeof text, "(%s - %.17g)*(%s - %.17g)", clock_of(r), a, clock_of(r), b);
  add_factor(p, text);
  add_zero(p, a);
  add_zero(p, b);
}

static void add_double(struct cmbt_random *r, struct problem *p)
{
  char text[200];
  snprintf(text, sizeof text, "(%s - %.17g)^2", clock_of(r), cmbt_random_uniform(r, 0.01, 0.99));
  add_factor(p, text);
}

/* Multiplies by sin(ω z + φ). */
static void add_sine(struct cmbt_random *r, struct problem *p)
{
  char text[200];
  const double pi = acos(-1), omega = pi * pow(10, cmbt_random_uniform(r, 0.3, 3)),
               phase = cmbt_random_uniform(r, 0.01, 3);
  snprintf(text, sizeof text, "sin(%.17g*%s + %.17g)", omega, clock_of(r), phase);
  add_factor(p, text);
  for (int k = 1; (k * pi - phase) / omega < 1; k++) add_zero(p, (k * pi - phase) / omega);
}

/* Multiplies by exp(−((z − c)/w)²) − 1/2. */
static void add_bell(struct cmbt_random *r, struct problem *p)
{
  char text[200];
  double c = cmbt_random_uniform(r, 0.05, 0.95), w = 1e-5 * pow(10, cmbt_random_uniform(r, 0, 3));
  snprintf(text, sizeof text, "exp(-((%s - %.17g)/%.17g)^2) - 0.5", clock_of(r), c, w);
  add_factor(p, text);
  add_zero(p, c - w * sqrt(log(2)));
  add_zero(p, c + w * sqrt(log(2)));
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns whether all zeros are at least 0.9 SHORTEST apart. Sorts them. */
static bool has_distinct_zeros(struct problem *p)
{
  qsort(p->zero, (size_t)p->count, sizeof *p->zero, ascending);
  for (int i = 1; i < p->count; i++) {
    if (p->zero[i] - p->zero[i - 1] < 0.9 * SHORTEST) return false;
  }
  return true;
}

static struct problem *random_problem(struct cmbt_random *r)
{
  static struct problem p;
  static void (*const factors[])(struct cmbt_random *, struct problem *) = {
      add_simple, add_pair, add_double, add_sine, add_bell};
  do {
    p.count = 0;
    p.formula[0] = '\0';
    for (int k = cmbt_random_int(r, 1, 3); k > 0; k--) factors[cmbt_random_int(r, 0, 4)](r, &p);
  } while (!has_distinct_zeros(&p));
  return &p;
}

struct log {
  double t[SEVERAL * MOST];
  int count;
};

static cmb_status on_event(void *user, const cmb_event *event)
{
  struct log *log = user;
  if (log->count < SEVERAL * MOST) log->t[log->count++] = event->t;
  return CMB_OK;
}

/* Runs a model with a force on a body of its own, so that the free motion stays as it is. */
static void run_torque(const char *torque, const char *method, struct log *log, long *undecided)
{
  char text[TEXT];
  cmbt_run r;
  snprintf(text, sizeof text,
           "gravity: [0, 0, 0]\n"
           "bodies: {free: {mass: 1, com: [0, 0, 0]}, pushed: {mass: 1, com: [0, 0, 0]}}\n"
           "joints:\n"
           "  slide: {type: prismatic, child: free, at: [0, 0, 0], axis: x, rate: 1}\n"
           "  other: {type: prismatic, child: pushed, at: [0, 0, 0], axis: x}\n"
           "forces: {push: {type: torsion, coordinate: other, torque: \"%s\"}}\n",
           torque);
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(method);
  options.t_end = 1;
  options.observer = (cmb_observer){.user = log, .event = on_event};
  log->count = 0;
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
  cmbt_ok(r.ctx, cmb_simulation_run(r.sim));
  *undecided += cmb_simulation_result(r.sim)->undecided;
  cmbt_run_close(&r);
}

/* Runs a model with the formula as the condition of a force. */
static void run_formula(const char *formula, const char *method, struct log *log, long *undecided)
{
  char torque[1100];
  snprintf(torque, sizeof torque, "if(%s > 0, 1, 2)", formula);
  run_torque(torque, method, log, undecided);
}

static int problems(void)
{
  return cmbt_count("CAMBER_EVENTS", getenv("CAMBER_SANITIZED") ? PROBLEMS / 10 : PROBLEMS);
}

static const char *random_method(int k)
{
  for (;; k++) {
    const cmb_method *method = cmb_method_at(k % cmb_method_count());
    if (!cmb_method_is_real_time(method)) return cmb_method_name(method);
  }
}

static void test_random_zeros(void **state)
{
  (void)state;
  static struct log log;
  struct cmbt_random r = {1};
  double worst = 0;
  long undecided = 0, zeros = 0;
  for (int k = 0; k < problems(); k++) {
    const struct problem *p = random_problem(&r);
    const char *method = random_method(k);
    run_formula(p->formula, method, &log, &undecided);
    if (log.count != p->count) {
      fail_msg("%s: %d events instead of %d: %s", method, log.count, p->count, p->formula);
    }
    for (int i = 0; i < p->count; i++) worst = fmax(worst, fabs(log.t[i] - p->zero[i]));
    if (worst > 1e-9) fail_msg("%s: off by %.2g s: %s", method, worst, p->formula);
    zeros += p->count;
  }
  printf("%d problems, %ld zeros, all found, largest error %.1e s, %ld undecided\n", problems(),
         zeros, worst, undecided);
}

/* Sets up random problems whose zeros are distinct, stores them all in zero[], writes the sum of forces with these conditions, and returns the
 * number of zeros. Before each condition there is another one on a function without zeros, which is large. */
static int several_problems(struct cmbt_random *r, struct problem *all, char torque[TEXT])
{
  do {
    int used = 0;
    all->count = 0;
    for (int k = 0; k < SEVERAL; k++) {
      const struct problem *p = random_problem(r);
      used += snprintf(torque + used, TEXT - (size_t)used,
                       "%sif(%d + sin(30*%s)^3 > 0, 1, 2) + if(%s > 0, 1, 2)", k ? " + " : "",
                       (k % 2 ? 5 : -5), clock_of(r), p->formula);
      if (all->count + p->count > MOST) continue;
      memcpy(all->zero + all->count, p->zero, (size_t)p->count * sizeof *p->zero);
      all->count += p->count;
    }
  } while (all->count > 500 || !has_distinct_zeros(all));
  return all->count;
}

/* Checks that of several functions, with bounds of different sizes, none makes the search miss a zero of another one. */
static void test_several_functions(void **state)
{
  (void)state;
  static struct log log;
  static struct problem all;
  struct cmbt_random r = {21};
  long undecided = 0;
  for (int k = 0; k < problems() / 40; k++) {
    char torque[TEXT];
    const char *method = random_method(k);
    const int count = several_problems(&r, &all, torque);
    run_torque(torque, method, &log, &undecided);
    if (log.count != count)
      fail_msg("%s: %d events instead of %d: %s", method, log.count, count, torque);
    for (int i = 0; i < count; i++) cmbt_near(log.t[i], all.zero[i], 1e-9);
  }
}

/* Checks pulses of 1.42 ms, one a second, each with an impulse of 100 N times its width; the run starts in the middle of one. */
static void test_pulses(void **state)
{
  (void)state;
  const double width = 2 * acos(0.99999) / (2 * acos(-1));
  for (int i = 0; i < cmb_method_count(); i++) {
    if (cmb_method_is_real_time(cmb_method_at(i))) continue;
    cmbt_run r;
    cmbt_run_open_text(&r,
                       "gravity: [0, 0, 0]\n"
                       "bodies: {puck: {mass: 1, com: [0, 0, 0]}}\n"
                       "joints: {slide: {type: prismatic, child: puck, at: [0, 0, 0], axis: x}}\n"
                       "forces: {f: {type: torsion, coordinate: slide,\n"
                       "  torque: \"-if(cos(2*pi*t) > 0.99999, 100, 0)\"}}\n"
                       "outputs: {speed: slide'}\n",
                       CMB_FORM_EXPLICIT);
    r.method = cmb_method_name(cmb_method_at(i));
    r.rtol = 1e-6;
    cmbt_run_to(&r, 10.5, 0);
    cmbt_near(cmbt_output(&r, "speed"), 10.5 * 100 * width, 1e-5);
    cmbt_run_close(&r);
  }
}

/* Checks that every method applies the whole impulse of short forces after a long time at rest, which no error estimate can notice. */
static void test_short_forces_after_rest(void **state)
{
  (void)state;
  const double pi = acos(-1);
  const struct {
    const char *force;
    double impulse;
  } cases[] = {{"100*exp(-((t - 12)/0.02)^2)", 100 * 0.02 * sqrt(pi)},
               {"1e6*exp(-((t - 500)/1e-6)^2)", sqrt(pi)},
               {"100/cosh((t - 437.123)/0.1)", 10 * pi}, /* cosh overflows at most times */
               {"bump(t)", 0.5}};                        /* the same area as with straight lines */
  for (int i = 0; i < cmb_method_count(); i++) {
    if (cmb_method_is_real_time(cmb_method_at(i)) || cmbt_is(cmb_method_at(i), "trap")) continue;
    for (int k = 0; k < 4; k++) {
      char text[TEXT];
      cmbt_run r;
      snprintf(
          text, sizeof text,
          "gravity: [0, 0, 0]\n"
          "bodies: {puck: {mass: 1, com: [0, 0, 0]}}\n"
          "joints: {slide: {type: prismatic, child: puck, at: [0, 0, 0], axis: x}}\n"
          "tables: {bump: {kind: akima, points: [[-1, 0], [437, 0], [437.05, 0], [437.1, 10],\n"
          "  [437.15, 0], [437.2, 0], [3000, 0]]}}\n"
          "forces: {f: {type: torsion, coordinate: slide, torque: \"-%s\"}}\n"
          "outputs: {speed: slide'}\n",
          cases[k].force);
      cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
      r.method = cmb_method_name(cmb_method_at(i));
      r.rtol = 1e-6;
      cmbt_run_to(&r, 1000, 0);
      cmbt_near(cmbt_output(&r, "speed"), cases[k].impulse, 2e-4 * fmax(1, cases[k].impulse));
      cmbt_run_close(&r);
    }
  }
}

/* Checks that a start at rest exactly at s = 0 is decided by the formula: x > y is false where both are equal. */
static void test_start_on_a_switch(void **state)
{
  (void)state;
  const struct {
    const char *force;
    double end;
  } cases[] = {{"if(slide >= 0, 2, -1)", 1},
               {"if(slide > 0, 2, -1)", -0.5},
               {"if(slide >= 0, 1, 0)", 0.5},
               {"if(slide > 0, 1, 0)", 0}};
  for (int k = 0; k < 4; k++) {
    char text[TEXT];
    cmbt_run r;
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "bodies: {puck: {mass: 1, com: [0, 0, 0]}}\n"
             "joints: {slide: {type: prismatic, child: puck, at: [0, 0, 0], axis: x}}\n"
             "forces: {f: {type: torsion, coordinate: slide, torque: \"-%s\"}}\n"
             "outputs: {x: slide + 0}\n",
             cases[k].force);
    cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
    cmbt_run_to(&r, 1, 0);
    cmbt_near(cmbt_output(&r, "x"), cases[k].end, 1e-9);
    cmbt_run_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_zeros), cmocka_unit_test(test_several_functions),
      cmocka_unit_test(test_pulses), cmocka_unit_test(test_short_forces_after_rest),
      cmocka_unit_test(test_start_on_a_switch)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
