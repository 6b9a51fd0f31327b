/*
 * camber bench caraxis: work and precision on the car axis (IVP Test Set, problem II.17, index 3), t from 0 to 3.
 *
 * Every method that has a tolerance, and SUNDIALS IDA if the program was built with it, at rtol = atol = 10^-(4 + m/4), m = 0 .. 24, as the Test Set
 * does. A method that needs too many steps is not asked for more digits. Methods with the option control run with classic, the
 * rule of the codes they are compared with, and with strict. Precision is mescd over all ten components
 * (dae/problems/caraxis_reference.h). The numbers of other codes are those of the Test Set's Table II.17.2, or, where that has none, were
 * measured with the authors' programs; their times are all measured, on another machine.
 */
#include "base/context.h"
#include "bench/ida.h"
#include "dae/problems/caraxis_reference.h"
#include "dae/project.h"

#include <math.h>
#include <string.h>

enum { TOLERANCES = 25, MOST_CODES = 32, SHOWN = 3, LEVELS = 4 };
enum { MOST_STEPS = 20000, FEWEST_REPETITIONS = 3 };

static const int shown[SHOWN] = {0, 12, 24}; /* 1e-4, 1e-7, 1e-10 */
static const double level[LEVELS] = {2, 4, 6, 8};

struct point {
  bool failed;
  double mescd, seconds;
  long steps, f, jacobians;
};

struct code {
  char name[16];
  struct point runs[TOLERANCES];
};

/* Another code: mescd, steps, evaluations, Jacobians and microseconds at 1e-4, 1e-7, 1e-10, and the microseconds of its cheapest run
 * that reaches each level. NaN: not known or not reached. */
struct rival {
  const char *name;
  double runs[SHOWN][5], cheapest[LEVELS];
};

/* clang-format off */
static const struct rival rivals[] = {
    {"RADAU5 *", {{1.34, 98, NAN, NAN, 331}, {3.73, 289, NAN, NAN, 967}, {5.85, 884, NAN, NAN, 3021}}, {452, 1250, NAN, NAN}},
    {"RADAU",    {{1.34, 97, 850, 95, 326}, {3.73, 288, 2559, 282, 953}, {5.99, 178, 4281, 169, 1356}}, {NAN, NAN, NAN, NAN}},
    {"BIMD",     {{2.19, 71, 1693, 71, 686}, {5.47, 138, 4511, 138, 1786}, {8.01, 235, 9669, 235, 3884}}, {662, 1283, 2264, 4246}},
    {"GAMD",     {{1.98, 39, 2169, 39, 670}, {4.82, 98, 7167, 98, 2240}, {6.50, 179, 18771, 179, 5666}}, {NAN, NAN, NAN, NAN}},
    {"MEBDFI",   {{0.88, 278, 1246, 27, 461}, {4.65, 648, 2797, 47, 1066}, {4.21, 1391, 5624, 85, 2148}}, {436, 643, 1238, NAN}},
    {"PSIDE",    {{0.83, 54, 1403, 42, 828}, {4.41, 172, 4103, 83, 2249}, {7.25, 612, 13751, 115, 7219}}, {NAN, NAN, NAN, NAN}},
    {"DASSL *",  {{2.33, NAN, NAN, NAN, 1057}, {4.70, NAN, NAN, NAN, 2866}, {6.98, NAN, NAN, NAN, 6049}}, {841, 2529, 4750, NAN}},
    {"HEM5 *",   {{4.48, NAN, NAN, NAN, 1636}, {7.26, NAN, NAN, NAN, 7334}, {10.16, NAN, NAN, NAN, 33669}}, {2014, 2014, 4216, 12183}},
    {"PHEM56 *", {{1.94, NAN, NAN, NAN, 458}, {5.54, NAN, NAN, NAN, 1458}, {8.01, NAN, NAN, NAN, 5211}}, {541, 832, 2249, 5974}},
};
/* clang-format on */
enum { RIVALS = sizeof rivals / sizeof rivals[0] };

static double tolerance_at(int m)
{
  return pow(10, -(4 + m / 4.0));
}

/* ---- the runs */

static struct point point_of(const struct cli_outcome *o)
{
  const cmb_statistics *s = &o->statistics;
  return (struct point){.mescd = cmb_caraxis_mescd(o->q, o->v, o->lambda, 1),
                        .seconds = o->seconds,
                        .steps = s->accepted,
                        .f = s->f,
                        .jacobians = s->jacobian};
}

static bool has_control(const cmb_method *method)
{
  int count;
  const cmb_option *options = cmb_method_options(method, &count);
  for (int i = 0; i < count; i++) {
    if (strcmp(options[i].name, "control") == 0) return true;
  }
  return false;
}

/* All tolerances; from the first on that takes too many steps, failures. `control` is an option of the method, or NULL. */
static cmb_status run_method(cmb_context *ctx, const cmb_system *system, const cmb_method *method,
                             const char *control, int repeat, struct code *code)
{
  const cmb_option_setting setting = {"control", control};
  double q[4], v[4], lambda[2];
  bool failed = false;
  cmb_run_options options = cmb_run_defaults();
  options.method = method;
  options.integrator.max_steps = MOST_STEPS;
  options.integrator.settings = &setting;
  options.integrator.setting_count = control ? 1 : 0;
  snprintf(code->name, sizeof code->name, "%s%s", cmb_method_name(method),
           control && strcmp(control, "strict") == 0 ? "-str" : "");
  for (int m = 0; m < TOLERANCES; m++) {
    struct cli_outcome o = {.q = q, .v = v, .lambda = lambda};
    code->runs[m].failed = failed;
    if (failed) continue;
    options.integrator.rtol = options.integrator.atol = tolerance_at(m);
    cmb_status status = cli_bench_run(ctx, system, &options, repeat, &o);
    if (status != CMB_OK && status != CMB_ERROR_STEP_COUNT) return status;
    code->runs[m] = point_of(&o);
    code->runs[m].failed = failed = status != CMB_OK;
  }
  return CMB_OK;
}

#ifdef CMB_WITH_IDA

struct ida_job {
  cmb_evaluator *ev;
  const cmb_system *system;
  double tolerance;
};

static cmb_status run_ida_once(void *user, struct cli_outcome *o)
{
  const struct ida_job *job = user;
  cmb_evaluator *ev = job->ev;
  cmb_start_report report;
  const double t = cmb_system_t_start(job->system), t_end = cmb_system_t_end(job->system);
  double q[4], v[4], a[4], lambda[2];
  memcpy(q, cmb_system_q(job->system), sizeof q);
  memcpy(v, cmb_system_v(job->system), sizeof v);
  CMB_TRY(cmb_consistent_start(ev, t, q, v, a, lambda, &report));
  struct cli_ida *ida = cli_ida_create(ev, q, v, a, lambda, t, t_end, job->tolerance);
  if (!ida) return cmb_fail_memory(ev->ctx);
  const double begun = cli_bench_seconds();
  const int failed = cli_ida_run(ida);
  o->seconds = cli_bench_seconds() - begun;
  cli_ida_collect(ida, o);
  cli_ida_destroy(ida);
  if (!failed) return CMB_OK;
  return cmb_fail(ev->ctx, CMB_ERROR_EQUATIONS, "IDA fails at a tolerance of %g", job->tolerance);
}

static cmb_status run_ida(cmb_context *ctx, const cmb_system *system, int repeat, struct code *code)
{
  double q[4], v[4], lambda[2];
  struct ida_job job = {.system = system};
  cmb_status status = cmb_evaluator_create(ctx, cmb_system_equations(system), &job.ev);
  strcpy(code->name, "IDA");
  for (int m = 0; m < TOLERANCES && status == CMB_OK; m++) {
    struct cli_outcome o = {.q = q, .v = v, .lambda = lambda};
    job.tolerance = tolerance_at(m);
    status = cli_bench_repeat(ctx, repeat, run_ida_once, &job, &o);
    code->runs[m] = point_of(&o);
  }
  cmb_evaluator_destroy(job.ev);
  return status;
}

#endif

static cmb_status run_all(cmb_context *ctx, const cmb_system *system, int repeat, int *count,
                          struct code *codes)
{
  *count = 0;
  for (int i = 0; i < cmb_method_count() && *count < MOST_CODES - 2; i++) {
    const cmb_method *method = cmb_method_at(i);
    if (cmb_method_is_real_time(method)) continue;
    const bool both = has_control(method);
    CMB_TRY(run_method(ctx, system, method, both ? "classic" : NULL, repeat, &codes[(*count)++]));
    if (both) CMB_TRY(run_method(ctx, system, method, "strict", repeat, &codes[(*count)++]));
  }
#ifdef CMB_WITH_IDA
  CMB_TRY(run_ida(ctx, system, repeat, &codes[*count]));
  ++*count;
#endif
  return CMB_OK;
}

/* ---- the tables */

static void put_run(const double run[5])
{
  printf(" |");
  cli_bench_put(5, 2, run[0]);
  cli_bench_put(5, 0, run[1]);
  cli_bench_put(6, 0, run[2]);
  cli_bench_put(5, 0, run[3]);
  cli_bench_put(6, 0, run[4]);
}

static void print_runs(int count, const struct code *codes)
{
  printf("%-10s", "rtol");
  for (int k = 0; k < SHOWN; k++) printf(" |  %-30.0e", tolerance_at(shown[k]));
  printf("\n%-10s", "");
  for (int k = 0; k < SHOWN; k++) printf(" | mescd steps      f   Jac     us");
  printf("\n");
  for (int i = 0; i < count; i++) {
    printf("%-10s", codes[i].name);
    for (int k = 0; k < SHOWN; k++) {
      const struct point *p = &codes[i].runs[shown[k]];
      const double run[5] = {p->mescd, (double)p->steps, (double)p->f, (double)p->jacobians,
                             1e6 * p->seconds};
      if (p->failed) {
        printf(" | more than %d steps%10s", MOST_STEPS, "");
      } else {
        put_run(run);
      }
    }
    printf("\n");
  }
  printf("others\n");
  for (int i = 0; i < RIVALS; i++) {
    printf("%-10s", rivals[i].name);
    for (int k = 0; k < SHOWN; k++) put_run(rivals[i].runs[k]);
    printf("\n");
  }
}

/* Which run reaches the level in the least time; −1: none. */
static int cheapest(const struct code *code, double mescd)
{
  int best = -1;
  for (int m = 0; m < TOLERANCES; m++) {
    const struct point *p = &code->runs[m];
    if (p->failed || !(p->mescd >= mescd)) continue;
    if (best < 0 || p->seconds < code->runs[best].seconds) best = m;
  }
  return best;
}

static void print_cheapest(int count, const struct code *codes)
{
  printf("\nThe cheapest run that reaches a precision: us (its rtol)\n\n%-10s", "mescd");
  for (int k = 0; k < LEVELS; k++) printf(" | %4s %-10.0f", ">=", level[k]);
  printf("\n");
  for (int i = 0; i < count; i++) {
    printf("%-10s", codes[i].name);
    for (int k = 0; k < LEVELS; k++) {
      const int m = cheapest(&codes[i], level[k]);
      printf(" |");
      char text[16] = "";
      if (m >= 0) snprintf(text, sizeof text, "(%.1e)", tolerance_at(m));
      cli_bench_put(5, 0, m < 0 ? NAN : 1e6 * codes[i].runs[m].seconds);
      printf(" %-9s", text);
    }
    printf("\n");
  }
  printf("others\n");
  for (int i = 0; i < RIVALS; i++) {
    if (isnan(rivals[i].cheapest[0])) continue;
    printf("%-10s", rivals[i].name);
    for (int k = 0; k < LEVELS; k++) {
      printf(" |");
      cli_bench_put(5, 0, rivals[i].cheapest[k]);
      printf(" %-9s", "");
    }
    printf("\n");
  }
}

cmb_status cli_bench_caraxis(cmb_context *ctx, const cmb_system *system,
                             const struct cli_arguments *a)
{
  static struct code codes[MOST_CODES];
  int count;
  const int repeat = (int)fmax(a->repeat, FEWEST_REPETITIONS);
  CMB_TRY(run_all(ctx, system, repeat, &count, codes));
  printf("IVP Test Set, II.17: the car axis, rtol = atol; medians of %d runs.\n"
         "Steps are the accepted ones; f: evaluations, those for differences included.\n"
         "radau5, bdf, auto: with control=classic, the rules of RADAU5 and DASSL; -str:\n"
         "with control=strict, the default: errors near the tolerance.\n"
         "Others: Table II.17.2; * and all their times: measured with the authors' programs on an\n"
         "Intel Xeon (Ice Lake) at 2.8 GHz, DASSL on the stabilised index-2 form.\n\n",
         repeat);
  print_runs(count, codes);
  print_cheapest(count, codes);
#ifndef CMB_WITH_IDA
  printf("\nIDA: not built in (libsundials-dev was not there)\n");
#endif
  return CMB_OK;
}
