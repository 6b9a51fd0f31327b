/*
 * camber bench caraxis: work and precision of all methods on the car axis (IVP Test Set, problem II.17, index 3), t from 0 to 3.
 *
 * Every method that has a tolerance, and SUNDIALS IDA if the program was built with it, at rtol = atol = 10^-(4 + m/4), m = 0 .. 24, with
 * a first step of rtol, as in the Test Set. After a method has needed too many steps it is not run with smaller tolerances. Methods with
 * the option control run with classic, the rule of the codes they are compared with, and with strict. Precision is mescd, and scd, over
 * all ten components (dae/problems/caraxis_reference.h). The numbers of other codes are those of the Test Set's Table II.17.2, or, where
 * that has none, were measured with the authors' programs; their times are all measured, on another machine.
 */
#include "bench/caraxis.h"
#include "base/context.h"
#include "bench/burgermeister.h"
#include "bench/ida.h"
#include "dae/problems/caraxis_reference.h"
#include "dae/project.h"

#include <math.h>
#include <string.h>

enum { TOLERANCES = CARAXIS_TOLERANCES, SHOWN = CARAXIS_SHOWN, LEVELS = CARAXIS_LEVELS };
enum { MOST_CODES = 32, MOST_STEPS = 20000, REPETITIONS = 3 };

static const int shown[SHOWN] = {0, 12, 24}; /* 1e-4, 1e-7, 1e-10 */
static const double level[LEVELS] = {2, 4, 6, 8};

/* clang-format off */
#define UNKNOWN NAN, NAN, NAN, NAN, NAN, NAN
static const struct caraxis_rival rivals[] = {
    {"RADAU5 *", "radau5", {{1.34, NAN, 98, NAN, NAN, NAN, NAN, 331}, {3.73, NAN, 289, NAN, NAN, NAN, NAN, 967}, {5.85, NAN, 884, NAN, NAN, NAN, NAN, 3021}}, {452, 1250, NAN, NAN}},
    {"RADAU", "radau", {{1.34, 0.19, 98, 97, 850, 95, 98, 326}, {3.73, 2.51, 289, 288, 2559, 282, 288, 953}, {5.99, 4.22, 179, 178, 4281, 169, 179, 1356}}, {NAN, NAN, NAN, NAN}},
    {"BIMD", NULL, {{2.19, 0.34, 71, 71, 1693, 71, 71, 686}, {5.47, 3.34, 138, 138, 4511, 138, 138, 1786}, {8.01, 5.35, 235, 235, 9669, 235, 235, 3884}}, {662, 1283, 2264, 4246}},
    {"GAMD", NULL, {{1.98, 0.39, 39, 39, 2169, 39, 39, 670}, {4.82, 2.64, 98, 98, 7167, 98, 98, 2240}, {6.50, 3.84, 179, 179, 18771, 179, 179, 5666}}, {NAN, NAN, NAN, NAN}},
    {"MEBDFI", NULL, {{0.88, -0.23, 280, 278, 1246, 27, 27, 461}, {4.65, 3.34, 650, 648, 2797, 47, 47, 1066}, {4.21, 2.08, 1393, 1391, 5624, 85, 85, 2148}}, {436, 643, 1238, NAN}},
    {"PSIDE", NULL, {{0.83, -0.28, 55, 54, 1403, 42, 220, 828}, {4.41, 2.27, 179, 172, 4103, 83, 464, 2249}, {7.25, 4.86, 625, 612, 13751, 115, 964, 7219}}, {NAN, NAN, NAN, NAN}},
    {"DASSL *", "bdf", {{2.33, UNKNOWN, 1057}, {4.70, UNKNOWN, 2866}, {6.98, UNKNOWN, 6049}}, {841, 2529, 4750, NAN}},
    {"HEM5 *", "hem5", {{4.48, UNKNOWN, 1636}, {7.26, UNKNOWN, 7334}, {10.16, UNKNOWN, 33669}}, {2014, 2014, 4216, 12183}},
    {"PHEM56 *", "phem56", {{1.94, UNKNOWN, 458}, {5.54, UNKNOWN, 1458}, {8.01, UNKNOWN, 5211}}, {541, 832, 2249, 5974}},
};
/* clang-format on */
enum { RIVALS = sizeof rivals / sizeof rivals[0] };

/* Digits by which a run may miss the published ones, a factor 1.6 in the error; and the digits gained by 10 times as many steps of a
 * method of order 5. */
static const double SHORT = 0.2, DIGITS_OF_STEPS = 5;

static double tolerance_at(int m)
{
  return pow(10, -(4 + m / 4.0));
}

/* ---- the runs */

/* Stores the results of a run (digits of precision, steps, function evaluations, Jacobians, factorisations, time in µs) in run[] in the
 * order of the table's columns. */
static void collect(const struct cli_outcome *o, double run[CARAXIS_NUMBERS])
{
  const cmb_statistics *s = &o->statistics;
  run[CARAXIS_MESCD] = cmb_caraxis_mescd(o->q, o->v, o->lambda, 1);
  run[CARAXIS_SCD] = cmb_caraxis_mescd(o->q, o->v, o->lambda, 0);
  run[CARAXIS_STEPS] = (double)s->steps;
  run[CARAXIS_ACCEPTED] = (double)s->accepted;
  run[CARAXIS_F] = (double)s->f;
  run[CARAXIS_JACOBIANS] = (double)s->jacobian;
  run[CARAXIS_FACTORS] = (double)s->factor;
  run[CARAXIS_MICROSECONDS] = 1e6 * o->seconds;
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

/* Runs an integration method with all tolerances and stores the results in *code. After the first run that takes too many steps, that run
 * and all with smaller tolerances count as failed. `control` is the value of the method's option `control`, or NULL. */
static cmb_status run_method(cmb_context *ctx, const cmb_system *system, const cmb_method *method,
                             const char *control, int repeat, struct caraxis_code *code)
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
    code->failed[m] = failed;
    if (failed) continue;
    options.integrator.rtol = options.integrator.atol = tolerance_at(m);
    options.integrator.step = tolerance_at(m);
    cmb_status status = cli_bench_run(ctx, system, &options, repeat, &o);
    if (status != CMB_OK && status != CMB_ERROR_STEP_COUNT) return status;
    collect(&o, code->runs[m]);
    code->failed[m] = failed = status != CMB_OK;
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

static cmb_status run_ida(cmb_context *ctx, const cmb_system *system, int repeat,
                          struct caraxis_code *code)
{
  double q[4], v[4], lambda[2];
  struct ida_job job = {.system = system};
  cmb_status status = cmb_evaluator_create(ctx, cmb_system_equations(system), &job.ev);
  strcpy(code->name, "IDA");
  for (int m = 0; m < TOLERANCES && status == CMB_OK; m++) {
    struct cli_outcome o = {.q = q, .v = v, .lambda = lambda};
    job.tolerance = tolerance_at(m);
    status = cli_bench_repeat(ctx, repeat, run_ida_once, &job, &o);
    collect(&o, code->runs[m]);
    /* IDA does not report them */
    code->runs[m][CARAXIS_STEPS] = code->runs[m][CARAXIS_FACTORS] = NAN;
  }
  cmb_evaluator_destroy(job.ev);
  return status;
}

#endif

static cmb_status run_all(cmb_context *ctx, const cmb_system *system, int repeat, int *count,
                          struct caraxis_code *codes)
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

/* Prints a row of the table: the code's name, the tolerance, the numbers of a run, and `verdict`, which says whether the run is as good as
 * the published one (empty for other codes). */
static void put_row(const char *name, double rtol, const double run[CARAXIS_NUMBERS],
                    const char *verdict)
{
  static const int width[CARAXIS_NUMBERS] = {6, 6, 6, 6, 7, 6, 6, 7};
  printf("%-10s %.0e", name, rtol);
  for (int i = 0; i < CARAXIS_NUMBERS; i++) cli_bench_put(width[i], i < 2 ? 2 : 0, run[i]);
  printf("  %s\n", verdict);
}

static const struct caraxis_rival *rival_of(const char *name)
{
  for (int i = 0; i < RIVALS; i++) {
    if (rivals[i].ours && strcmp(rivals[i].ours, name) == 0) return &rivals[i];
  }
  return NULL;
}

/* Returns "yes" if the run at the k-th tolerance of the table is as good as that of the code on which the method is based: about as many
 * digits and, if that code's steps are known, no more steps than these digits cost at order 5. Returns "no" otherwise, "-" if there is no
 * such code. */
static const char *verdict_of(const struct caraxis_code *code, int k)
{
  const struct caraxis_rival *r = rival_of(code->name);
  if (!r) return "-";
  const double *ours = code->runs[shown[k]], *theirs = r->runs[k];
  const double more = ours[CARAXIS_MESCD] - theirs[CARAXIS_MESCD];
  const double most = theirs[CARAXIS_STEPS] * pow(10, more / DIGITS_OF_STEPS);
  return more >= -SHORT && !(ours[CARAXIS_STEPS] > most) ? "yes" : "no";
}

static void print_runs(int count, const struct caraxis_code *codes)
{
  printf("%-10s %-5s %6s %6s %6s %6s %7s %6s %6s %7s  %s\n", "", "rtol", "mescd", "scd", "steps",
         "accept", "#f", "#Jac", "#LU", "us", "as good");
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < SHOWN; k++) {
      const double rtol = tolerance_at(shown[k]);
      if (codes[i].failed[shown[k]]) {
        printf("%-10s %.0e  more than %d steps\n", codes[i].name, rtol, MOST_STEPS);
      } else {
        put_row(codes[i].name, rtol, codes[i].runs[shown[k]], verdict_of(&codes[i], k));
      }
    }
  }
  printf("others\n");
  for (int i = 0; i < RIVALS; i++) {
    for (int k = 0; k < SHOWN; k++) {
      put_row(rivals[i].name, tolerance_at(shown[k]), rivals[i].runs[k], "");
    }
  }
}

int cli_caraxis_cheapest(const struct caraxis_code *code, int kind, double digits)
{
  int best = -1;
  for (int m = 0; m < TOLERANCES; m++) {
    const double *run = code->runs[m], time = run[CARAXIS_MICROSECONDS];
    if (code->failed[m] || !(run[kind] >= digits)) continue;
    if (best < 0 || time < code->runs[best][CARAXIS_MICROSECONDS]) best = m;
  }
  return best;
}

static void print_cheapest(int count, const struct caraxis_code *codes)
{
  printf("\nThe cheapest run that reaches a precision: us (its rtol)\n\n%-10s", "mescd");
  for (int k = 0; k < LEVELS; k++) printf(" | %4s %-10.0f", ">=", level[k]);
  printf("\n");
  for (int i = 0; i < count; i++) {
    printf("%-10s", codes[i].name);
    for (int k = 0; k < LEVELS; k++) {
      const int m = cli_caraxis_cheapest(&codes[i], CARAXIS_MESCD, level[k]);
      printf(" |");
      char text[16] = "";
      if (m >= 0) snprintf(text, sizeof text, "(%.1e)", tolerance_at(m));
      cli_bench_put(5, 0, m < 0 ? NAN : codes[i].runs[m][CARAXIS_MICROSECONDS]);
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

/* Returns the smallest number of function evaluations among the runs of the named code that reach at least 8 correct digits (mescd); NaN if
 * none does. */
static double evaluations_at_8(int count, const struct caraxis_code *codes, const char *name)
{
  double least = NAN;
  for (int i = 0; i < count; i++) {
    if (strcmp(codes[i].name, name) != 0) continue;
    for (int m = 0; m < TOLERANCES; m++) {
      const double *run = codes[i].runs[m];
      if (codes[i].failed[m] || !(run[CARAXIS_MESCD] >= 8)) continue;
      if (!(run[CARAXIS_F] >= least)) least = run[CARAXIS_F];
    }
  }
  return least;
}

static void print_claims(int count, const struct caraxis_code *codes)
{
  const double radau = evaluations_at_8(count, codes, "radau-str"),
               radau5 = evaluations_at_8(count, codes, "radau5-str");
  char claim[128];
  snprintf(claim, sizeof claim,
           "mescd 8: radau at most a sixth of radau5's evaluations (%.0f, %.0f)", radau, radau5);
  printf("\n");
  cli_bench_verdict(claim, 6 * radau <= radau5);
}

cmb_status cli_bench_caraxis(cmb_context *ctx, const cmb_system *system,
                             const struct cli_arguments *a)
{
  static struct caraxis_code codes[MOST_CODES];
  int count;
  const int repeat = cli_given(a, "repeat") ? (int)a->repeat : REPETITIONS;
  CMB_TRY(run_all(ctx, system, repeat, &count, codes));
  printf("IVP Test Set, II.17: the car axis, rtol = atol = h0; medians of %d runs.\n"
         "#f: evaluations, those for differences included; #LU: all matrices, real and complex,\n"
         "those of projections included (the Test Set counts a real and its complex ones once).\n"
         "radau5, radau, bdf, auto: with control=classic, the rules of RADAU5, RADAU and DASSL;\n"
         "-str: with control=strict, the default: errors near the tolerance. As good: as many\n"
         "digits as the code it is made after has, and no more steps than they cost.\n"
         "Others: Table II.17.2; * and all their times: measured with the authors' programs on an\n"
         "Intel Xeon (Ice Lake) at 2.8 GHz, DASSL on the stabilised index-2 form.\n\n",
         repeat);
  print_runs(count, codes);
  print_cheapest(count, codes);
  print_claims(count, codes);
#ifndef CMB_WITH_IDA
  printf("\nIDA: not built in (libsundials-dev was not there)\n");
#endif
  return cli_caraxis_draw(ctx, system, a, count, codes, RIVALS, rivals);
}
