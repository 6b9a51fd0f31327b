/*
 * camber bench arnold-table3: compares strategies for computing the Jacobian, on a passenger car that changes lanes (Arnold, Fuchs, Führer, "Efficient
 * corrector iteration for DAE time integration in multibody dynamics", §4.2.2, Table 3): models/sedan.yaml, whose steering is a rheonomic
 * joint, 5 s, bdf with DASSL's own rules (control=dassl), RTOL 1e-4, ATOL 1e-5, in the explicit formalism, which the paper uses, and in
 * the residual one.
 *
 *     dense, sparse                eqs. (16), (20): all derivatives in every matrix
 *     partitioned                  eqs. (24), (25): M, G and c new in every matrix, the derivatives only if that does not suffice
 *     extended                     eq. (26): the derivatives are also updated with the rheonomic joint
 *     exact                        from the equations, partitioned
 *
 * The paper's car is not published; this one has other data. The percentage is that of difference Jacobians, as in the paper. In a second
 * table the car is steered more and more sharply, up to where its tyres slide: there it is no longer approximately linear, as the paper's
 * is. Rounding decides where steps are rejected: numbers are medians of runs whose tolerances differ slightly.
 */
#include "bench/bench.h"

#include <math.h>
#include <string.h>

enum { MOST_RUNS = 5, MOST = 80, SHARPNESSES = 3 };
enum {
  DENSE,
  SPARSE,
  PARTITIONED,
  EXTENDED,
  SPARSE_PARTITIONED,
  SPARSE_EXTENDED,
  EXACT,
  STRATEGIES
};

static const char *const strategy_names[STRATEGIES] = {
    "dense", "sparse", "partitioned", "extended", "sparse-partitioned", "sparse-extended", "exact"};

/* The paper's CPU time in s and number of difference Jacobians; it has none for exact derivatives. */
static const double papers[STRATEGIES][2] = {{296.86, 2229}, {309.44, 2303}, {141.28, 660},
                                             {145.75, 668},  {79.66, 410},   {59.45, 317},
                                             {NAN, NAN}};

/* The paper's claim: at most this part of dense's difference Jacobians. */
static const double SHARE = 0.2;

/* The amplitude of the steering wheel's angle in rad, and the period in s. */
static const double sharpnesses[SHARPNESSES][2] = {{0.08, 3}, {0.12, 2}, {0.25, 2}};

static const double T_END = 5;

/* Medians of several runs; the time is that of the run with the unchanged tolerance. */
struct result {
  double jacobians, updates, evaluations, steps, groups, milliseconds;
  double fewest, most; /* smallest and largest number of difference Jacobians */
  double error;        /* at the end, in units of the tolerance */
};

struct bench {
  cmb_context *ctx;
  const char *formalism;
  double rtol, atol;
  int repeat;              /* repetitions of the run that is timed */
  int runs;                /* number of runs whose tolerances differ slightly, odd */
  double q[MOST], v[MOST]; /* the reference solution at the end */
};

/* ---- the runs */

/* Opens the model of the car that changes lanes; sharpness is the amplitude (rad) and the period (s) of the steering wheel's angle. Returns
 * an exit code. */
static int open_car(cmb_context *ctx, const double sharpness[2], struct cli_bench_model *m)
{
  const cmb_setting set[] = {{"steer_amplitude", sharpness[0]}, {"period", sharpness[1]}};
  return cli_bench_open(ctx, "sedan", 2, set, NULL, m);
}

static cmb_status find_reference(struct bench *b, const cmb_system *system)
{
  const cmb_equations *eq = cmb_system_equations(system);
  cmb_run_options options = cmb_run_defaults();
  struct cli_outcome o = {.q = b->q, .v = b->v};
  if (eq->nq > MOST || eq->nv > MOST) return CMB_ERROR_INPUT;
  options.method = cmb_method_find("radau5");
  options.t_end = T_END;
  options.integrator.rtol = options.integrator.atol = 1e-3 * b->atol;
  return cli_bench_run(b->ctx, system, &options, 1, &o);
}

static double error_of(const struct bench *b, int n, const double *x, const double *reference)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i] - reference[i]) / (b->atol + b->rtol * fabs(reference[i])));
  }
  return most;
}

/* Runs the simulation of the car with one Jacobian strategy (index `strategy`: dense, sparse, ...), with the tolerances multiplied by 1 + 0.001
 * · moved. Stores statistics, the final state and the processor time in *o; the run with unchanged tolerances is repeated to measure the time
 * better. */
static cmb_status run_once(const struct bench *b, const cmb_system *system, int strategy, int moved,
                           struct cli_outcome *o)
{
  const double factor = 1 + 1e-3 * moved;
  const cmb_option_setting settings[] = {
      {"jacobian", strategy_names[strategy]}, {"formalism", b->formalism}, {"control", "dassl"}};
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find("bdf");
  options.t_end = T_END;
  options.integrator.rtol = factor * b->rtol;
  options.integrator.atol = factor * b->atol;
  options.integrator.settings = settings;
  options.integrator.setting_count = 3;
  return cli_bench_run(b->ctx, system, &options, moved == 0 ? b->repeat : 1, o);
}

static cmb_status run_strategy(const struct bench *b, const cmb_system *system, int strategy,
                               struct result *r)
{
  enum { JACOBIANS, UPDATES, EVALUATIONS, STEPS, GROUPS, ERROR, NUMBERS };
  const cmb_equations *eq = cmb_system_equations(system);
  double number[NUMBERS][MOST_RUNS], q[MOST], v[MOST];
  for (int k = 0; k < b->runs; k++) {
    struct cli_outcome o = {.q = q, .v = v};
    CMB_TRY(run_once(b, system, strategy, k - b->runs / 2, &o));
    number[JACOBIANS][k] = (double)o.statistics.jacobian;
    number[UPDATES][k] = (double)o.statistics.jacobian_update;
    number[EVALUATIONS][k] = (double)o.statistics.f;
    number[STEPS][k] = (double)o.statistics.accepted;
    number[GROUPS][k] = (double)o.statistics.groups;
    if (k == b->runs / 2) r->milliseconds = 1e3 * o.seconds;
    number[ERROR][k] = fmax(error_of(b, eq->nq, q, b->q), error_of(b, eq->nv, v, b->v));
  }
  r->jacobians = cli_median(b->runs, number[JACOBIANS]);
  r->updates = cli_median(b->runs, number[UPDATES]);
  r->evaluations = cli_median(b->runs, number[EVALUATIONS]);
  r->steps = cli_median(b->runs, number[STEPS]);
  r->groups = cli_median(b->runs, number[GROUPS]);
  r->error = cli_median(b->runs, number[ERROR]);
  r->fewest = number[JACOBIANS][0]; /* cli_median has sorted them */
  r->most = number[JACOBIANS][b->runs - 1];
  return CMB_OK;
}

/* ---- Table 3 */

/* Prints the table's row for one Jacobian strategy (index `strategy`: dense, sparse, partitioned, ...): the paper's numbers and the
 * measured ones. */
static void print_strategy(const struct result results[STRATEGIES], int strategy)
{
  const struct result *r = &results[strategy], *dense = &results[DENSE];
  char range[16] = "";
  if (r->most > r->fewest) snprintf(range, sizeof range, "%.0f-%.0f", r->fewest, r->most);
  printf("%-18s", strategy_names[strategy]);
  cli_bench_put(6, 2, papers[strategy][0]);
  cli_bench_put(5, 0, papers[strategy][1]);
  cli_bench_put(6, 1, 100 * papers[strategy][1] / papers[DENSE][1]);
  printf(" |");
  cli_bench_put(4, 0, strategy == EXACT ? 0 : r->jacobians);
  printf(" %-7s", strategy == EXACT ? "" : range);
  cli_bench_put(6, 1, strategy == EXACT ? 0 : 100 * r->jacobians / dense->jacobians);
  cli_bench_put(7, 0, r->updates);
  cli_bench_put(6, 0, r->evaluations);
  cli_bench_put(6, 0, r->groups > 0 ? r->groups : NAN);
  cli_bench_put(5, 0, r->steps);
  cli_bench_put(6, 1, r->milliseconds);
  cli_bench_put(5, 0, 100 * r->milliseconds / dense->milliseconds);
  cli_bench_put(6, 2, r->error);
  printf("\n");
}

/* Returns whether the number of finite-difference Jacobians of a Jacobian strategy, relative to that of the strategy "dense", does not exceed
 * the ratio in the paper; for "dense" itself, whether its number does not exceed that in the paper. */
static bool as_published(const struct result results[STRATEGIES], int strategy)
{
  const double share = papers[strategy][1] / papers[DENSE][1];
  if (strategy == DENSE) return results[DENSE].jacobians <= papers[DENSE][1];
  return results[strategy].jacobians <= share * results[DENSE].jacobians;
}

static void print_verdicts(const struct result results[STRATEGIES])
{
  static const char *const claims[STRATEGIES] = {
      "dense: no more difference Jacobians than in the paper",
      "sparse: at most the paper's percentage of dense's difference Jacobians",
      "partitioned: the same",
      "extended: the same",
      "sparse-partitioned: the same",
      "sparse-extended: the same"};
  printf("\n");
  for (int strategy = 0; strategy < EXACT; strategy++) {
    cli_bench_verdict(claims[strategy], as_published(results, strategy));
  }
  cli_bench_verdict("sparse-extended: at most 20 % of dense's difference Jacobians",
                    results[SPARSE_EXTENDED].most <= SHARE * results[DENSE].fewest);
}

static cmb_status print_table(struct bench *b, const cmb_system *system, const char *formalism)
{
  struct result results[STRATEGIES];
  b->formalism = formalism;
  for (int strategy = 0; strategy < STRATEGIES; strategy++)
    CMB_TRY(run_strategy(b, system, strategy, &results[strategy]));
  printf(
      "\n%-18s         paper       | ours\n"
      "%-18s  cpu s   #Je      %% |  #Je range        %% updates      f groups steps     ms    %% "
      " error\n",
      formalism, "jacobian");
  for (int strategy = 0; strategy < STRATEGIES; strategy++) print_strategy(results, strategy);
  print_verdicts(results);
  return CMB_OK;
}

/* ---- sharper steering */

/* The largest |output| so far. */
struct watch {
  int output;
  double most;
};

static cmb_status on_record(void *user, const cmb_record *record)
{
  struct watch *w = user;
  w->most = fmax(w->most, fabs(record->outputs[w->output]));
  return CMB_OK;
}

/* Runs the simulation of the car and computes the largest absolute value of its lateral acceleration, in m/s², at the recorded instants. */
static cmb_status find_acceleration(const struct bench *b, const cmb_system *system, double *most)
{
  const cmb_equations *eq = cmb_system_equations(system);
  cmb_run_options options = cmb_run_defaults();
  struct watch w = {0};
  cmb_simulation *sim;
  while (w.output < eq->no - 1 && strcmp(eq->output_names[w.output], "lateral_acceleration") != 0)
    w.output++;
  options.method = cmb_method_find("radau5");
  options.t_end = T_END;
  options.every = T_END / 500;
  options.observer = (cmb_observer){.user = &w, .record = on_record};
  CMB_TRY(cmb_simulation_create(b->ctx, system, &options, &sim));
  const cmb_status status = cmb_simulation_run(sim);
  cmb_simulation_destroy(sim);
  *most = w.most;
  return status;
}

static cmb_status print_sharpness(struct bench *b, const cmb_system *system,
                                  const double sharpness[2])
{
  static const int strategies[3] = {DENSE, SPARSE_PARTITIONED, SPARSE_EXTENDED};
  struct result r[3];
  double acceleration;
  CMB_TRY(find_acceleration(b, system, &acceleration));
  for (int i = 0; i < 3; i++) CMB_TRY(run_strategy(b, system, strategies[i], &r[i]));
  printf("%9.3f %8.1f %10.2f  |", sharpness[0], sharpness[1], acceleration);
  for (int i = 0; i < 3; i++) printf("%8.0f", r[i].jacobians);
  printf("  |%8.1f%8.1f\n", 100 * r[1].jacobians / r[0].jacobians,
         100 * r[2].jacobians / r[0].jacobians);
  return CMB_OK;
}

static cmb_status print_sharper(struct bench *b)
{
  b->formalism = "explicit";
  b->repeat = 1; /* no times are printed */
  b->runs = 3;
  printf("\nSteered more sharply, explicit formalism: difference Jacobians, and percent of those "
         "of dense\n"
         "%9s %8s %10s  |%8s%8s%8s  |%8s%8s\n"
         "%9s %8s %10s  |%8s%8s%8s  |%8s%8s\n",
         "wheel rad", "period s", "most m/s^2", "dense", "(24)", "(26)", "(24)", "(26)", "", "", "",
         "", "sparse", "sparse", "%", "%");
  for (int i = 0; i < SHARPNESSES; i++) {
    struct cli_bench_model m;
    const int code = open_car(b->ctx, sharpnesses[i], &m);
    cmb_status status = code == CLI_DONE ? CMB_OK : CMB_ERROR_INPUT;
    if (code == CLI_DONE) status = print_sharpness(b, m.system, sharpnesses[i]);
    cli_bench_close(&m);
    CMB_TRY(status);
  }
  return CMB_OK;
}

cmb_status cli_bench_arnold_car(cmb_context *ctx, const cmb_system *system,
                                const struct cli_arguments *a)
{
  static struct bench b;
  b.ctx = ctx;
  b.rtol = isnan(a->rtol) ? 1e-4 : a->rtol;
  b.atol = b.rtol / 10;
  b.repeat = (int)a->repeat;
  b.runs = MOST_RUNS;
  printf("Arnold, Fuchs, Fuehrer, Table 3: a passenger car that changes lanes at 80 km/h, %g s,\n"
         "bdf with DASSL's own rules (control=dassl), both formalisms, RTOL = %g, ATOL = %g.\n"
         "The car of the paper is not published: ours is another one, with %d velocities, states\n"
         "included, and %d constraints. Medians of %d runs whose tolerances differ by 0.1 %%.\n"
         "#Je: difference Jacobians, and their range; f: evaluations; error: at the end, in units\n"
         "of the tolerance.\n",
         T_END, b.rtol, b.atol, cmb_system_equations(system)->nv, cmb_system_equations(system)->ng,
         MOST_RUNS);
  CMB_TRY(find_reference(&b, system));
  CMB_TRY(print_table(&b, system, "explicit"));
  CMB_TRY(print_table(&b, system, "residual"));
  return print_sharper(&b);
}
