/*
 * camber bench arnold-table2: compares strategies for computing the Jacobian, on the chain of mathematical pendulums (Arnold, Fuchs, Führer, "Efficient
 * corrector iteration for DAE time integration in multibody dynamics", §4.2.1, Table 2 and Fig. 7): bdf with DASSL's own rules
 * (control=dassl), t from 0 to 200, RTOL 1e-4, ATOL 1e-6.
 *
 *     dense, sparse                eqs. (16), (20): all derivatives in every matrix
 *     partitioned                  eqs. (24), (25): M new in every matrix, the derivatives only if that does not suffice
 *     extended                     eq. (26): the derivatives are also updated with the inputs
 *     dense, strict                as dense, with bdf's default step-size control
 *     exact                        from the equations, partitioned
 *
 * Evaluations are those of the accelerations (explicit, the paper's formalism) or of the residual. Those that neither Newton's method nor
 * the start needs are for Jacobians; a run with exact Jacobians shows how many the start needs. Rounding decides where steps are rejected,
 * and so changes the number of Jacobians by a few dozen: all numbers but the error are medians of runs whose tolerances differ slightly.
 * Errors: the largest at 200 instants of all components, in units of ATOL + RTOL |value|, against mdop853 at a tolerance of 1e-10.
 */
#include "bench/bench.h"

#include <math.h>
#include <string.h>

enum { SIZES = 3, MOST_LINKS = 16, INSTANTS = 201, COLUMNS = 100, MOVED = 2, RUNS = 2 * MOVED + 1 };
enum {
  DENSE,
  SPARSE,
  PARTITIONED,
  SPARSE_PARTITIONED,
  EXTENDED,
  SPARSE_EXTENDED,
  STRICT,
  EXACT,
  STRATEGIES
};

static const int links[SIZES] = {12, 14, 16};

struct strategy {
  const char *label, *jacobian, *control;
};

static const struct strategy strategies[STRATEGIES] = {
    [DENSE] = {"dense", "dense", "dassl"},
    [SPARSE] = {"sparse", "sparse", "dassl"},
    [PARTITIONED] = {"partitioned", "partitioned", "dassl"},
    [SPARSE_PARTITIONED] = {"sparse-partitioned", "sparse-partitioned", "dassl"},
    [EXTENDED] = {"extended", "extended", "dassl"},
    [SPARSE_EXTENDED] = {"sparse-extended", "sparse-extended", "dassl"},
    [STRICT] = {"dense, strict", "dense", "strict"},
    [EXACT] = {"exact", "exact", "dassl"},
};

/* The paper's CPU time in s, number of difference Jacobians and of updates. NaN: not published. */
struct paper {
  double seconds, differences, updates;
};

#define UNPUBLISHED                                                                                \
  {                                                                                                \
    NAN, NAN, NAN                                                                                  \
  }

static const struct paper papers[SIZES][STRATEGIES] = {
    {{5.69, 59, 0},
     {5.24, 72, 0},
     UNPUBLISHED,
     UNPUBLISHED,
     {4.68, 9, 27},
     {5.09, 10, 59},
     UNPUBLISHED,
     UNPUBLISHED},
    {{9.03, 96, 0},
     {6.76, 70, 0},
     UNPUBLISHED,
     UNPUBLISHED,
     {6.78, 12, 62},
     {6.16, 8, 16},
     UNPUBLISHED,
     UNPUBLISHED},
    {{NAN, 43, 0},
     UNPUBLISHED,
     UNPUBLISHED,
     UNPUBLISHED,
     {NAN, 6, NAN},
     UNPUBLISHED,
     UNPUBLISHED,
     UNPUBLISHED},
};

/* Measured numbers of DASSL and IDA with dense difference Jacobians: Jacobians, residuals, steps, ms; DASSL's error as defined below. */
enum { DASSL, IDA, RIVALS };
enum { RIVAL_JACOBIANS, RIVAL_EVALUATIONS, RIVAL_STEPS, RIVAL_MS, RIVAL_ERROR, RIVAL_NUMBERS };
static const double rivals[SIZES][RIVALS][RIVAL_NUMBERS] = {
    {{30, 5496, 4515, 6.7, 151}, {53, 6710, 5044, 38, NAN}},
    {{99, 8236, 4798, 9.9, 214}, {31, 6405, 5222, 36, NAN}},
    {{22, 5884, 4967, 15, 230}, {48, 8067, 6143, 69, NAN}}};

/* Positions and velocities at INSTANTS equidistant times. */
struct path {
  int links, count;
  double q[INSTANTS][MOST_LINKS], v[INSTANTS][MOST_LINKS];
};

/* The numbers of Jacobian evaluations and updates in each of COLUMNS equal parts of the time. */
struct timeline {
  long jacobians[COLUMNS], updates[COLUMNS];
};

/* The quantities counted in a run. */
enum {
  DIFFERENCES,
  EXACTS,
  UPDATES,
  EVALUATIONS,
  NOT_NEWTON,
  PER_JACOBIAN,
  STEPS,
  MILLISECONDS,
  NUMBERS
};

struct result {
  double number[NUMBERS]; /* medians */
  double fewest, most;    /* smallest and largest number of difference Jacobians */
  double error;
  struct timeline timeline;
};

struct bench {
  cmb_context *ctx;
  double rtol, atol;
  int repeat;
  struct path reference[SIZES];
  struct result results[SIZES][STRATEGIES];
};

/* ---- the runs */

struct watch {
  struct path *path;
  struct timeline *timeline;
  const cmb_statistics *statistics;
  cmb_statistics before;
};

static cmb_status on_record(void *user, const cmb_record *record)
{
  struct path *path = ((struct watch *)user)->path;
  if (path->count == INSTANTS) return CMB_OK;
  const size_t size = (size_t)path->links * sizeof(double);
  memcpy(path->q[path->count], record->q, size);
  memcpy(path->v[path->count++], record->v, size);
  return CMB_OK;
}

static cmb_status on_progress(void *user, double t, double t_start, double t_end)
{
  struct watch *w = user;
  int column = (int)(COLUMNS * (t - t_start) / (t_end - t_start));
  if (column >= COLUMNS) column = COLUMNS - 1;
  w->timeline->jacobians[column] += w->statistics->jacobian - w->before.jacobian;
  w->timeline->updates[column] += w->statistics->jacobian_update - w->before.jacobian_update;
  w->before = *w->statistics;
  return CMB_OK;
}

/* Runs a simulation once, and stores its positions and velocities at INSTANTS equidistant times in *path, and the numbers of Jacobian
 * evaluations and of Jacobian updates in each of COLUMNS equal parts of the time in *timeline. */
static cmb_status follow(cmb_context *ctx, const cmb_system *system, const cmb_run_options *options,
                         struct path *path, struct timeline *timeline)
{
  cmb_run_options watched = *options;
  struct watch w = {.path = path, .timeline = timeline};
  cmb_simulation *sim;
  path->links = cmb_system_equations(system)->nq;
  path->count = 0;
  *timeline = (struct timeline){0};
  watched.every = cmb_system_t_end(system) / (INSTANTS - 1);
  watched.observer = (cmb_observer){.user = &w, .record = on_record, .progress = on_progress};
  CMB_TRY(cmb_simulation_create(ctx, system, &watched, &sim));
  w.statistics = cmb_simulation_result(sim)->statistics;
  cmb_status status = cmb_simulation_run(sim);
  cmb_simulation_destroy(sim);
  return status;
}

static double error_of(const struct bench *b, const struct path *path, const struct path *reference)
{
  double most = path->count == reference->count ? 0 : INFINITY;
  for (int k = 0; k < path->count && k < reference->count; k++) {
    for (int i = 0; i < path->links; i++) {
      const double q = reference->q[k][i], v = reference->v[k][i];
      most = fmax(most, fabs(path->q[k][i] - q) / (b->atol + b->rtol * fabs(q)));
      most = fmax(most, fabs(path->v[k][i] - v) / (b->atol + b->rtol * fabs(v)));
    }
  }
  return most;
}

/* Fills number[] with the statistics of one run: Jacobians, updates, function evaluations, steps and time in ms. `strategy` is the index of
 * the strategy by which Jacobians are computed (dense, sparse, exact, ...), `start` the number of function evaluations needed at the start
 * of a run. */
static void count(const struct cli_outcome *o, int strategy, double start, double number[NUMBERS])
{
  const cmb_statistics *s = &o->statistics;
  number[DIFFERENCES] = strategy == EXACT ? 0 : (double)s->jacobian;
  number[EXACTS] = strategy == EXACT ? (double)s->jacobian : NAN;
  number[UPDATES] = (double)s->jacobian_update;
  number[EVALUATIONS] = (double)s->f;
  number[NOT_NEWTON] = (double)(s->f - s->newton); /* evaluations not made by Newton's method */
  number[PER_JACOBIAN] =
      strategy == EXACT ? NAN : (number[NOT_NEWTON] - start) / number[DIFFERENCES];
  number[STEPS] = (double)s->accepted;
  number[MILLISECONDS] = 1e3 * o->seconds;
}

static void summarize(double number[NUMBERS][RUNS], struct result *r)
{
  for (int i = 0; i < NUMBERS; i++) r->number[i] = cli_median(RUNS, number[i]);
  r->fewest = number[DIFFERENCES][0];
  r->most = number[DIFFERENCES][RUNS - 1];
}

static cmb_status run_strategy(struct bench *b, const cmb_system *system, const char *formalism,
                               int size, int strategy)
{
  const cmb_option_setting settings[] = {{"jacobian", strategies[strategy].jacobian},
                                         {"formalism", formalism},
                                         {"control", strategies[strategy].control}};
  struct result *r = &b->results[size][strategy];
  double number[NUMBERS][RUNS], one[NUMBERS];
  cmb_run_options options = cmb_run_defaults();
  struct path path;
  options.method = cmb_method_find("bdf");
  options.integrator.settings = settings;
  options.integrator.setting_count = 3;
  for (int k = 0; k < RUNS; k++) {
    const double factor = 1 + 1e-3 * (k - MOVED);
    struct cli_outcome o = {0};
    options.integrator.rtol = factor * b->rtol;
    options.integrator.atol = factor * b->atol;
    CMB_TRY(cli_bench_run(b->ctx, system, &options, b->repeat, &o));
    count(&o, strategy, b->results[size][EXACT].number[NOT_NEWTON], one);
    for (int i = 0; i < NUMBERS; i++) number[i][k] = one[i];
  }
  summarize(number, r);
  options.integrator.rtol = b->rtol;
  options.integrator.atol = b->atol;
  CMB_TRY(follow(b->ctx, system, &options, &path, &r->timeline));
  r->error = error_of(b, &path, &b->reference[size]);
  return CMB_OK;
}

static cmb_status find_reference(struct bench *b, const cmb_system *system, struct path *path)
{
  cmb_run_options options = cmb_run_defaults();
  struct timeline timeline;
  options.method = cmb_method_find("mdop853");
  options.integrator.rtol = options.integrator.atol = 1e-10;
  return follow(b->ctx, system, &options, path, &timeline);
}

static cmb_status run_size(struct bench *b, int size, const char *formalism)
{
  const cmb_setting setting = {"N", links[size]};
  struct path *reference = &b->reference[size];
  cmb_system *system;
  CMB_TRY(cmb_problem_create(b->ctx, cmb_problem_find("pendulum-chain"), 1, &setting, &system));
  cmb_status status = reference->count > 0 ? CMB_OK : find_reference(b, system, reference);
  for (int strategy = EXACT; strategy >= 0 && status == CMB_OK; strategy--) {
    status = run_strategy(b, system, formalism, size, strategy);
  }
  cmb_system_destroy(system);
  return status;
}

/* ---- the tables */

/* Prints the table's row for one Jacobian strategy (dense, sparse, partitioned, ...) and one length of the pendulum chain: the paper's
 * numbers and the measured ones. `size` and `strategy` are indices. */
static void print_row(const struct bench *b, int size, int strategy)
{
  const struct paper *p = &papers[size][strategy];
  const struct result *r = &b->results[size][strategy];
  const double *x = r->number;
  char range[16] = "";
  if (r->most > r->fewest) snprintf(range, sizeof range, "%.0f-%.0f", r->fewest, r->most);
  printf("%-18s", strategies[strategy].label);
  cli_bench_put(5, 2, p->seconds);
  cli_bench_put(4, 0, 100 * p->seconds / papers[size][DENSE].seconds);
  cli_bench_put(4, 0, p->differences);
  cli_bench_put(7, 0, p->updates);
  printf(" |");
  cli_bench_put(4, 0, x[DIFFERENCES]);
  printf(" %-7s", range);
  cli_bench_put(5, 0, x[EXACTS]);
  cli_bench_put(7, 0, x[UPDATES]);
  cli_bench_put(6, 0, x[EVALUATIONS]);
  cli_bench_put(5, 1, x[PER_JACOBIAN]);
  cli_bench_put(5, 0, x[STEPS]);
  cli_bench_put(5, 1, x[MILLISECONDS]);
  cli_bench_put(4, 0, 100 * x[MILLISECONDS] / b->results[size][DENSE].number[MILLISECONDS]);
  cli_bench_put(5, 0, r->error);
  printf("\n");
}

static void print_size(const struct bench *b, int size)
{
  static const char *const names[2] = {"DASSL, dense *", "IDA, dense *"};
  printf(
      "\nN = %-15d           paper        | ours\n"
      "%-18s cpu s    %%  #Je updates |  #Je range   exact updates      f  f/Je steps    ms    %% "
      "error\n",
      links[size], "jacobian");
  for (int strategy = 0; strategy < STRATEGIES; strategy++) print_row(b, size, strategy);
  for (int i = 0; i < RIVALS; i++) {
    const double *x = rivals[size][i];
    printf("%-18s %24s|", names[i], "");
    cli_bench_put(4, 0, x[RIVAL_JACOBIANS]);
    cli_bench_put(28, 0, x[RIVAL_EVALUATIONS]);
    cli_bench_put(11, 0, x[RIVAL_STEPS]);
    cli_bench_put(5, 1, x[RIVAL_MS]);
    cli_bench_put(10, 0, x[RIVAL_ERROR]);
    printf("\n");
  }
}

static void print_line(const char *title, const long *counts)
{
  printf("%-22s ", title);
  for (int k = 0; k < COLUMNS; k++) {
    fputc(counts[k] == 0 ? '.' : counts[k] > 9 ? '+' : (char)('0' + counts[k]), stdout);
  }
  printf("\n");
}

/* Prints a line of COLUMNS characters that shows the suspension's motion sin ωt from t = 0 to t_end: ^ where it is above 0.5, v below −0.5,
 * - in between. */
static void print_excitation(double omega, double t_end)
{
  printf("%-22s ", "suspension");
  for (int k = 0; k < COLUMNS; k++) {
    const double s = sin(omega * t_end * (k + 0.5) / COLUMNS);
    fputc(s > 0.5 ? '^' : s < -0.5 ? 'v' : '-', stdout);
  }
  printf("\n");
}

static void print_timelines(const struct bench *b)
{
  const struct result *r = b->results[SIZES - 1];
  printf("\nFig. 7, N = 16: how many fell into each 2 s of 200 s\n\n");
  print_excitation(0.05, 200);
  print_line("dense: Jacobians", r[DENSE].timeline.jacobians);
  print_line("extended: Jacobians", r[EXTENDED].timeline.jacobians);
  print_line("extended: updates", r[EXTENDED].timeline.updates);
}

/* ---- the paper's claims */

/* Prints a claim of the paper, and "yes" if it holds for all lengths of the pendulum chain, otherwise "no" and the lengths for which it
 * does not. */
static void print_verdict(const char *claim, const bool holds[SIZES])
{
  bool all = true;
  for (int size = 0; size < SIZES; size++) all = all && holds[size];
  printf("%-72s %s", claim, all ? "yes" : "no:");
  for (int size = 0; size < SIZES && !all; size++) {
    if (!holds[size]) printf(" N = %d", links[size]);
  }
  printf("\n");
}

/* Returns whether a run needs at most `times` as many function evaluations as the solver DASSL on a chain of the same length (index
 * `size`), with an error that is not larger. */
static bool beats_dassl(const struct result *r, int size, double times)
{
  const double *rival = rivals[size][DASSL];
  return r->number[EVALUATIONS] <= times * rival[RIVAL_EVALUATIONS] &&
         r->error <= rival[RIVAL_ERROR];
}

/* Returns whether a run needs at most as many finite-difference Jacobians as the paper of Arnold, Fuchs and Führer reports for this chain length
 * (index `size`) and Jacobian strategy (index `strategy`); true if the paper gives no number. */
static bool as_published(const struct result *r, int size, int strategy)
{
  return !(r->number[DIFFERENCES] > papers[size][strategy].differences);
}

/* Returns whether the measured results confirm the bench's claim about one Jacobian strategy for one length of the pendulum chain (index
 * `size`). `strategy` is the index of the strategy; for example, sparse must need at most half of the evaluations per Jacobian of dense. */
static bool holds(const struct bench *b, int size, int strategy)
{
  const struct result *all = b->results[size], *r = &all[strategy];
  const double *dense = all[DENSE].number;
  switch (strategy) {
  case DENSE: return beats_dassl(r, size, 1) && as_published(r, size, strategy);
  case STRICT: return beats_dassl(r, size, 1.3);
  case SPARSE:
    return 2 * r->number[PER_JACOBIAN] <= dense[PER_JACOBIAN] && as_published(r, size, strategy);
  case EXACT: return r->number[NOT_NEWTON] < links[size];
  default: return 4 * r->most <= all[DENSE].fewest && as_published(r, size, strategy);
  }
}

static void print_verdicts(const struct bench *b)
{
  static const char *const claims[STRATEGIES] = {
      [DENSE] = "dense: no more evaluations, nor a larger error, than DASSL",
      [SPARSE] = "sparse: at most half of dense's evaluations per Jacobian",
      [PARTITIONED] = "partitioned: at most a quarter of dense's difference Jacobians",
      [SPARSE_PARTITIONED] = "sparse-partitioned: the same",
      [EXTENDED] = "extended: at most a quarter of dense's difference Jacobians",
      [SPARSE_EXTENDED] = "sparse-extended: the same",
      [STRICT] = "dense, strict: at most 1.3 times DASSL's evaluations, no larger error",
      [EXACT] = "exact: no evaluations for differences",
  };
  printf("\nEach row, besides: no more difference Jacobians than in the paper.\n");
  for (int strategy = 0; strategy < STRATEGIES; strategy++) {
    bool here[SIZES];
    for (int size = 0; size < SIZES; size++) here[size] = holds(b, size, strategy);
    print_verdict(claims[strategy], here);
  }
}

static cmb_status print_all(struct bench *b)
{
  static const char *const formalisms[2] = {"explicit", "residual"};
  printf(
      "Arnold, Fuchs, Fuehrer, Table 2: chain of pendulums, bdf with DASSL's own rules\n"
      "(control=dassl) but in the row strict, RTOL = %g, ATOL = %g.\n"
      "Medians of %d runs whose tolerances differ by 0.1 %%: rounding decides where steps are\n"
      "rejected. #Je: difference Jacobians, and their range; exact: exact ones; f: evaluations,\n"
      "f/Je of them for each difference Jacobian; error: the largest of 200 instants in units of\n"
      "the tolerance. * measured with the authors' programs, one run, on an Intel Xeon (Ice Lake)\n"
      "at 2.8 GHz.\n",
      b->rtol, b->atol, RUNS);
  for (int i = 0; i < 2; i++) {
    printf("\n%s formalism%s\n", formalisms[i], i == 0 ? " (the paper's)" : "");
    for (int size = 0; size < SIZES; size++) {
      CMB_TRY(run_size(b, size, formalisms[i]));
      print_size(b, size);
    }
    if (i == 0) print_timelines(b);
    print_verdicts(b);
  }
  return CMB_OK;
}

cmb_status cli_bench_arnold(cmb_context *ctx, const cmb_system *system,
                            const struct cli_arguments *a)
{
  static struct bench b;
  (void)system;
  b.ctx = ctx;
  b.rtol = isnan(a->rtol) ? 1e-4 : a->rtol;
  b.atol = b.rtol / 100;
  b.repeat = (int)a->repeat;
  return print_all(&b);
}
