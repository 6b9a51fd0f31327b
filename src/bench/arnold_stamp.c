/*
 * camber bench arnold-stamp: measures the gain by the extended partitioned update of Jacobians (Arnold, Fuchs, Führer, "Efficient
 * corrector iteration for DAE time integration in multibody dynamics", §3.3 and Fig. 1): a rear axle on a stamp, models/axle-stamp.yaml,
 * six periods of the stamp with amplitudes and frequencies from small to large.
 *
 *     partitioned    eqs. (24), (25): M, G and c are new in every matrix, the derivatives only if that does not suffice
 *     extended       eq. (26): the derivatives are also updated with the rheonomic joints
 *
 * bdf with DASSL's step-size control (control=classic) and the tolerances of the paper's Table 1. The paper has no numbers for this axle.
 * Rounding decides where steps are rejected: numbers of Jacobians are medians of runs whose tolerances differ slightly.
 */
#include "bench/bench.h"

#include <math.h>
#include <string.h>

enum {
  AMPLITUDES = 5,
  FREQUENCIES = 4,
  MOVED = 1,
  RUNS = 2 * MOVED + 1,
  PERIODS = 6,
  MOST = 64,
  COLUMNS = 401
};
enum { PARTITIONED, EXTENDED, PAIR };
enum { STRATEGIES = 7 };

static const double amplitudes[AMPLITUDES] = {0.02, 0.04, 0.06, 0.08, 0.1};
static const double frequencies[FREQUENCIES] = {0.5, 1, 2, 4};
/* amplitude in m and frequency in Hz of the run with all Jacobian strategies and of the plot */
static const double SELECTED[2] = {0.08, 2};

/* The paper's claim: at least FEWER times fewer Jacobians for amplitudes from STRONG, where the input is strong enough to need new ones,
 * to MILD, where the axle is still only mildly nonlinear. */
static const double FEWER = 3, STRONG = 0.04, MILD = 0.08;

static const char *const pair_names[PAIR] = {"partitioned", "extended"};
static const char *const strategy_names[STRATEGIES] = {
    "dense", "sparse", "partitioned", "sparse-partitioned", "extended", "sparse-extended", "exact"};
static const char *const formalisms[2] = {"explicit", "residual"};

/* The results for one amplitude and frequency, with partitioned and with extended updates. */
struct pair {
  double jacobians[PAIR], evaluations[PAIR]; /* medians */
};

struct bench {
  cmb_context *ctx;
  double tolerance;
  int repeat;
};

/* ---- the runs */

/* Opens the model of a rear axle on a vibrating platform (stamp) with the given amplitude (m) and frequency (Hz) of the platform. Returns
 * an exit code. */
static int open_axle(cmb_context *ctx, double amplitude, double frequency,
                     struct cli_bench_model *m)
{
  const cmb_setting set[] = {{"amplitude", amplitude}, {"frequency", frequency}};
  return cli_bench_open(ctx, "axle-stamp", 2, set, NULL, m);
}

/* Returns the options of a run over PERIODS periods of the excitation with bdf, with the tolerances multiplied by `factor` and the given
 * Jacobian strategy and formalism. The returned options point to settings[3], which the caller provides. */
static cmb_run_options options_of(const struct bench *b, double frequency, double factor,
                                  const char *jacobian, const char *formalism,
                                  cmb_option_setting settings[3])
{
  cmb_run_options options = cmb_run_defaults();
  settings[0] = (cmb_option_setting){"jacobian", jacobian};
  settings[1] = (cmb_option_setting){"formalism", formalism};
  settings[2] = (cmb_option_setting){"control", "classic"};
  options.method = cmb_method_find("bdf");
  options.t_end = PERIODS / frequency;
  options.integrator.rtol = options.integrator.atol = factor * b->tolerance;
  options.integrator.settings = settings;
  options.integrator.setting_count = 3;
  return options;
}

static cmb_status run_pair(const struct bench *b, const cmb_system *system, double frequency,
                           struct pair *p)
{
  for (int strategy = 0; strategy < PAIR; strategy++) {
    double jacobians[RUNS], evaluations[RUNS];
    for (int k = 0; k < RUNS; k++) {
      cmb_option_setting settings[3];
      const cmb_run_options options = options_of(b, frequency, 1 + 1e-3 * (k - MOVED),
                                                 pair_names[strategy], formalisms[0], settings);
      struct cli_outcome o = {0};
      CMB_TRY(cli_bench_run(b->ctx, system, &options, 1, &o));
      jacobians[k] = (double)o.statistics.jacobian;
      evaluations[k] = (double)o.statistics.f;
    }
    p->jacobians[strategy] = cli_median(RUNS, jacobians);
    p->evaluations[strategy] = cli_median(RUNS, evaluations);
  }
  return CMB_OK;
}

/* ---- table of amplitudes and frequencies */

/* Prints a row of the table for one frequency (Hz): for each amplitude, with results p[i], the numbers of finite-difference Jacobians (or
 * of function evaluations if `evaluations`) with partitioned Jacobian updates and with extended ones, which also update the derivatives
 * with the prescribed motions, and their ratio. */
static void print_pairs(const char *title, const double frequency, const struct pair *p,
                        bool evaluations)
{
  printf("%-12s %5g", title, frequency);
  for (int i = 0; i < AMPLITUDES; i++) {
    const double *x = evaluations ? p[i].evaluations : p[i].jacobians;
    printf("  %5.0f %5.0f %5.1f", x[PARTITIONED], x[EXTENDED], x[PARTITIONED] / x[EXTENDED]);
  }
  printf("\n");
}

static cmb_status run_grid(const struct bench *b, struct pair grid[FREQUENCIES][AMPLITUDES])
{
  for (int f = 0; f < FREQUENCIES; f++) {
    for (int i = 0; i < AMPLITUDES; i++) {
      struct cli_bench_model m;
      const int code = open_axle(b->ctx, amplitudes[i], frequencies[f], &m);
      cmb_status status = code == CLI_DONE ? CMB_OK : CMB_ERROR_INPUT;
      if (code == CLI_DONE) status = run_pair(b, m.system, frequencies[f], &grid[f][i]);
      cli_bench_close(&m);
      CMB_TRY(status);
    }
  }
  return CMB_OK;
}

static void print_grid(struct pair grid[FREQUENCIES][AMPLITUDES])
{
  printf("\n%-12s %5s", "amplitude", "Hz");
  for (int i = 0; i < AMPLITUDES; i++) printf("  %11g m    ", amplitudes[i]);
  printf("\n%-18s", "");
  for (int i = 0; i < AMPLITUDES; i++) printf("   (24)  (26) ratio");
  printf("\n");
  for (int f = 0; f < FREQUENCIES; f++) {
    print_pairs("Jacobians", frequencies[f], grid[f], false);
  }
  for (int f = 0; f < FREQUENCIES; f++) {
    print_pairs("evaluations", frequencies[f], grid[f], true);
  }
}

/* ---- one case with all Jacobian strategies */

/* Computes the reference solution q, v at the end of the run with the selected amplitude and frequency, by radau5 at a thousandth of the
 * tolerance. */
static cmb_status find_reference(const struct bench *b, const cmb_system *system, double *q,
                                 double *v)
{
  cmb_run_options options = cmb_run_defaults();
  struct cli_outcome o = {0};
  o.q = q;
  o.v = v;
  options.method = cmb_method_find("radau5");
  options.t_end = PERIODS / SELECTED[1];
  options.integrator.rtol = options.integrator.atol = 1e-3 * b->tolerance;
  return cli_bench_run(b->ctx, system, &options, 1, &o);
}

/* Returns the largest difference between the entries of x[n] and of the reference solution, each divided by tolerance · (1 +
 * |reference|). */
static double error_of(const struct bench *b, int n, const double *x, const double *reference)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most =
        fmax(most, fabs(x[i] - reference[i]) / (b->tolerance + b->tolerance * fabs(reference[i])));
  }
  return most;
}

static cmb_status print_strategy(const struct bench *b, const cmb_system *system,
                                 const char *formalism, const char *strategy,
                                 double *const reference[2])
{
  const cmb_equations *eq = cmb_system_equations(system);
  cmb_option_setting settings[3];
  const cmb_run_options options = options_of(b, SELECTED[1], 1, strategy, formalism, settings);
  double q[MOST], v[MOST];
  struct cli_outcome o = {.q = q, .v = v};
  CMB_TRY(cli_bench_run(b->ctx, system, &options, b->repeat, &o));
  const cmb_statistics *s = &o.statistics;
  const double error =
      fmax(error_of(b, eq->nq, q, reference[0]), error_of(b, eq->nv, v, reference[1]));
  printf("%-9s %-19s %6ld %8ld %6ld %6ld %6ld %7ld %7.1f %6.2f\n", formalism, strategy, s->jacobian,
         s->jacobian_update, s->f, s->accepted, s->groups, s->pattern_growth, 1e3 * o.seconds,
         error);
  return CMB_OK;
}

static cmb_status print_strategies(const struct bench *b, const cmb_system *system)
{
  double q[MOST], v[MOST], *const reference[2] = {q, v};
  const cmb_equations *eq = cmb_system_equations(system);
  if (eq->nq > MOST || eq->nv > MOST) return CMB_ERROR_INPUT;
  CMB_TRY(find_reference(b, system, q, v));
  printf("\n%g m, %g Hz\n%-9s %-19s %6s %8s %6s %6s %6s %7s %7s %6s\n", SELECTED[0], SELECTED[1],
         "formalism", "jacobian", "#J", "updates", "f", "steps", "groups", "growths", "ms",
         "error");
  for (int f = 0; f < 2; f++) {
    for (int strategy = 0; strategy < STRATEGIES; strategy++) {
      CMB_TRY(print_strategy(b, system, formalisms[f], strategy_names[strategy], reference));
    }
  }
  return CMB_OK;
}

/* ---- the plot: the number of Jacobians over time, as in the paper's Fig. 7 */

struct watch {
  const cmb_statistics *statistics;
  int stroke; /* index of the stamp's coordinate */
  int count;
  double t[COLUMNS], height[COLUMNS], jacobians[COLUMNS];
};

static cmb_status on_record(void *user, const cmb_record *record)
{
  struct watch *w = user;
  if (w->count == COLUMNS) return CMB_OK;
  w->t[w->count] = record->t;
  w->height[w->count] = record->q[w->stroke];
  w->jacobians[w->count++] = (double)w->statistics->jacobian;
  return CMB_OK;
}

static cmb_status watch_run(const struct bench *b, const cmb_system *system, int strategy,
                            struct watch *w)
{
  const cmb_equations *eq = cmb_system_equations(system);
  cmb_option_setting settings[3];
  cmb_run_options options =
      options_of(b, SELECTED[1], 1, pair_names[strategy], formalisms[0], settings);
  cmb_simulation *sim;
  while (w->stroke < eq->nq - 1 && strcmp(eq->q_names[w->stroke], "stroke") != 0) w->stroke++;
  options.every = options.t_end / (COLUMNS - 1);
  options.observer = (cmb_observer){.user = w, .record = on_record};
  CMB_TRY(cmb_simulation_create(b->ctx, system, &options, &sim));
  w->statistics = cmb_simulation_result(sim)->statistics;
  const cmb_status status = cmb_simulation_run(sim);
  cmb_simulation_destroy(sim);
  return status;
}

static cmb_status draw(const struct bench *b, const cmb_system *system,
                       const struct cli_arguments *a)
{
  static struct watch watches[PAIR];
  if (!a->plot) return CMB_OK;
  for (int strategy = 0; strategy < PAIR; strategy++)
    CMB_TRY(watch_run(b, system, strategy, &watches[strategy]));
  const struct watch *w = watches;
  const struct cli_panel panels[] = {
      {.title = "stamp in m", .curves = {{.name = "height", .y = w->height}}, .curve_count = 1},
      {.title = "difference Jacobians so far",
       .curves = {{.name = "partitioned, (24)", .y = w[PARTITIONED].jacobians},
                  {.name = "extended, (26)", .y = w[EXTENDED].jacobians}},
       .curve_count = PAIR}};
  const struct cli_plot plot = {.title = "Rear axle on a stamp: difference Jacobians",
                                .abscissa = "t in s",
                                .x = w->t,
                                .points = w->count,
                                .stride = 1,
                                .panels = panels,
                                .panel_count = 2};
  return cli_bench_draw(b->ctx, a, &plot);
}

/* ---- the paper's claims */

/* Prints whether the updates of the Jacobian that the paper calls extended need at least three times fewer finite-difference Jacobians, and
 * fewer function evaluations, than those that it calls partitioned, at all frequencies and at the amplitudes from 0.04 to 0.08 m. grid contains
 * the results for each frequency and amplitude. */
static void print_verdicts(struct pair grid[FREQUENCIES][AMPLITUDES])
{
  bool jacobians = true, evaluations = true;
  for (int f = 0; f < FREQUENCIES; f++) {
    for (int i = 0; i < AMPLITUDES; i++) {
      const struct pair *p = &grid[f][i];
      if (amplitudes[i] < STRONG || amplitudes[i] > MILD) continue;
      jacobians = jacobians && p->jacobians[PARTITIONED] >= FEWER * p->jacobians[EXTENDED];
      evaluations = evaluations && p->evaluations[EXTENDED] < p->evaluations[PARTITIONED];
    }
  }
  printf("\n");
  cli_bench_verdict("extended: at least 3 times fewer difference Jacobians, 0.04 to 0.08 m",
                    jacobians);
  cli_bench_verdict("extended: fewer evaluations there, with those for second derivatives",
                    evaluations);
}

cmb_status cli_bench_arnold_stamp(cmb_context *ctx, const cmb_system *system,
                                  const struct cli_arguments *a)
{
  const struct bench b = {ctx, isnan(a->rtol) ? 1e-4 : a->rtol, (int)a->repeat};
  struct pair grid[FREQUENCIES][AMPLITUDES];
  struct cli_bench_model m;
  (void)system;
  printf(
      "Arnold, Fuchs, Fuehrer, section 3.3: rear axle on a stamp, %d periods, bdf with\n"
      "control=classic, RTOL = ATOL = %g. Difference Jacobians and evaluations with partitioned\n"
      "(24) and extended (26) updates, explicit formalism (the paper's): medians of %d runs\n"
      "whose tolerances differ by 0.1 %%. error: at the end, in units of the tolerance.\n",
      PERIODS, b.tolerance, RUNS);
  CMB_TRY(run_grid(&b, grid));
  print_grid(grid);
  const int code = open_axle(ctx, SELECTED[0], SELECTED[1], &m);
  cmb_status status = code == CLI_DONE ? print_strategies(&b, m.system) : CMB_ERROR_INPUT;
  if (status == CMB_OK) print_verdicts(grid);
  if (status == CMB_OK) status = draw(&b, m.system, a);
  cli_bench_close(&m);
  return status;
}
