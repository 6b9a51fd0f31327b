/*
 * camber bench haug-wishbone (E. J. Haug, D. Negrut and C. Engstler, "Implicit Runge–Kutta integration of the equations of multibody
 * dynamics in descriptor form", 1999, §6.2 to §6.4): errors, times and step sizes of InflTrap and InflSDIRK, here trap and sdirk4, and of
 * the explicit ExplDEABM, here abm.
 *
 * The paper's vehicle is not available; the model is one corner of it, with the paper's bushings and tyre (models/double-wishbone.yaml).
 * Errors are those of the chassis's height in place of the distance travelled. The reference is, as in the paper, forsdirk at 1e-8.
 *
 *     (62)  Δ_i = |E*(t_i) − e_i|    E*: cubic through four points of the reference around t_i
 *     (63)  Δ = max Δ_i              over the steps of the run
 */
#include "bench/haug.h"
#include "base/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MEASURED = 0,
  INSTANTS = 801
}; /* the measured coordinate: height of the corner, distance travelled by the vehicle */

const char *const cli_haug_names[HAUG_METHODS] = {"trap", "sdirk4"};
/* s: rows that are closer (the two sides of an event, or the events of the left and the right wheel) are merged, since (62) divides by
 * differences of times. */
static const double MERGED = 1e-7;
static const double EXPLICIT_FROM = 0.5; /* s, when the wheel of the corner is on the bump */

/* The paper's errors (Tables 6 and 7: positions and velocities), times (Tables 8 and 9), and times of the explicit method (second Table
 * 6). */
const double cli_haug_paper_errors[HAUG_METHODS][HAUG_TOLERANCES][2] = {
    {{0.00198767020, 0.00329997828},
     {0.00041249616, 0.00057043579},
     {0.00004450907, 0.00006135104},
     {0.00000520341, 0.00000641223}},
    {{0.00065708165, 0.00507871695},
     {0.00004549833, 0.00207167794},
     {0.00000337006, 0.00013460534},
     {0.00000069689, 0.00004154424}},
};
const double cli_haug_paper_times[HAUG_METHODS][HAUG_LENGTHS][HAUG_TOLERANCES] = {
    {{42, 61, 158, 463}, {79, 155, 420, 1198}, {92, 189, 524, 1521}, {100, 206, 552, 1568}},
    {{33, 52, 90, 170}, {69, 124, 218, 433}, {81, 150, 248, 493}, {84, 155, 256, 500}},
};
const double cli_haug_paper_explicit[HAUG_LENGTHS][HAUG_TOLERANCES] = {
    {3618, 3641, 3667, 3663},
    {7276, 7348, 7287, 7276},
    {10865, 11122, 10949, 10965},
    {14480, 14771, 14630, 14592}};

double cli_haug_tolerance(int k)
{
  return pow(10, -2 - k);
}

/* ---- runs, step by step */

/* Appends a record to the path *user as a row: time, measured coordinate, its velocity, and a flag. If the record is at nearly the same time as
 * the last row, as at an event, it replaces that row and gets the flag 1, else 0. Returns CMB_ERROR_MEMORY if out of memory. */
static cmb_status on_record(void *user, const cmb_record *record)
{
  struct haug_path *p = user;
  if (p->count == p->room) {
    const long room = 2 * p->room + 64;
    void *more = realloc(p->row, (size_t)room * sizeof *p->row);
    if (!more) return CMB_ERROR_MEMORY;
    p->row = more, p->room = room;
  }
  const bool again = p->count > 0 && record->t - p->row[p->count - 1][0] < MERGED;
  if (again) p->count--;
  double *row = p->row[p->count++];
  row[0] = record->t, row[1] = record->q[MEASURED], row[2] = record->v[MEASURED], row[3] = again;
  return CMB_OK;
}

static cmb_run_options run_of(const char *method, double tolerance, double t_end)
{
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(method);
  options.integrator.rtol = options.integrator.atol = tolerance;
  options.t_end = t_end;
  return options;
}

cmb_status cli_haug_follow(cmb_context *ctx, const cmb_system *system, const char *method,
                           double tolerance, double t_end, struct haug_path *path)
{
  cmb_run_options options = run_of(method, tolerance, t_end);
  struct cli_outcome o = {0};
  path->count = 0;
  options.observer = (cmb_observer){.user = path, .record = on_record};
  return cli_bench_run(ctx, system, &options, 1, &o);
}

/* ---- errors */

/* Returns the value at time t of the cubic polynomial through four successive rows of the recorded path, the first of which is row `at`; i
 * is the column to interpolate (1: coordinate, 2: velocity). */
static double interpolate(const struct haug_path *p, long at, int i, double t)
{
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    double weight = 1;
    for (int j = 0; j < 4; j++) {
      if (j != k) weight *= (t - p->row[at + j][0]) / (p->row[at + k][0] - p->row[at + j][0]);
    }
    sum += weight * p->row[at + k][i];
  }
  return sum;
}

/* Returns the first of four successive rows of the reference solution for interpolation in the interval that ends at row `right`. At an
 * event, where forces are discontinuous, the solution has a kink: all four rows are on one side of the event, if there are enough. */
static long window(const struct haug_path *p, long right)
{
  const long last = p->count - 4;
  long at = right < 2 ? 0 : right - 2 > last ? last : right - 2;
  for (long i = at + 1; i < at + 3; i++) {
    if (p->row[i][3] == 0) continue;
    at = i < right ? i : i - 3;
    break;
  }
  return at < 0 ? 0 : at > last ? last : at;
}

/* Computes error[0] and error[1], the largest differences in position and in velocity between the steps of a run and the reference
 * solution, which is interpolated by cubic polynomials (equation (63) of the paper). */
static void find_errors(const struct haug_path *path, const struct haug_path *reference,
                        double error[2])
{
  long right = 0;
  error[0] = error[1] = 0;
  for (long n = 0; n < path->count; n++) {
    const double t = path->row[n][0];
    while (right < reference->count - 1 && reference->row[right][0] < t) right++;
    const long at = window(reference, right);
    for (int i = 0; i < 2; i++) {
      error[i] = fmax(error[i], fabs(interpolate(reference, at, i + 1, t) - path->row[n][i + 1]));
    }
  }
}

cmb_status cli_haug_print_errors(cmb_context *ctx, const cmb_system *system, int m,
                                 const struct haug_path *reference, struct haug_path *path,
                                 double error[HAUG_TOLERANCES][2])
{
  printf("\n%s: errors (63) over %g s\n"
         "  tolerance      position: paper       ours   velocity: paper       ours   below\n",
         cli_haug_names[m], HAUG_ERRORS_TO);
  for (int k = 0; k < HAUG_TOLERANCES; k++) {
    const double tolerance = cli_haug_tolerance(k), *paper = cli_haug_paper_errors[m][k];
    double *ours = error[k];
    CMB_TRY(cli_haug_follow(ctx, system, cli_haug_names[m], tolerance, HAUG_ERRORS_TO, path));
    find_errors(path, reference, ours);
    printf("  %9.0e %20.2e %10.2e %17.2e %10.2e   %s\n", tolerance, paper[0], ours[0], paper[1],
           ours[1], ours[0] <= tolerance && ours[1] <= tolerance ? "yes" : "no");
  }
  return CMB_OK;
}

/* ---- times */

/* Runs method m (0: trap, 1: sdirk4) for all lengths of the run and all tolerances, and prints its processor times beside the paper's.
 * Times and numbers of function evaluations are stored in *cost. */
cmb_status cli_haug_print_times(cmb_context *ctx, const cmb_system *system, int m, int repeat,
                                struct haug_cost *cost)
{
  printf("\n%s: time, paper in s (SGI Onyx, 1999), ours in ms; f: evaluations\n          ",
         cli_haug_names[m]);
  for (int k = 0; k < HAUG_TOLERANCES; k++)
    printf("   %5.0e: paper   ours      f", cli_haug_tolerance(k));
  printf("\n");
  for (int length = 0; length < HAUG_LENGTHS; length++) {
    printf("  %d s    ", length + 1);
    for (int k = 0; k < HAUG_TOLERANCES; k++) {
      const cmb_run_options options = run_of(cli_haug_names[m], cli_haug_tolerance(k), length + 1);
      struct cli_outcome o = {0};
      CMB_TRY(cli_bench_run(ctx, system, &options, repeat, &o));
      cost->f[length][k] = (double)o.statistics.f;
      cost->ms[length][k] = 1e3 * o.seconds;
      printf("   %13.0f %6.1f %6.0f", cli_haug_paper_times[m][length][k], cost->ms[length][k],
             cost->f[length][k]);
    }
    printf("\n");
  }
  return CMB_OK;
}

/* Integrates a corner of the car with the explicit method abm from t = 0.5 s on, when its wheel is on top of the bump; there it has the initial
 * state of the system. f[i] and seconds[i] become the number of function evaluations and the processor time up to the end of the i-th of
 * HAUG_LENGTHS time spans. */
static cmb_status run_explicit(cmb_context *ctx, const cmb_system *system, double tolerance,
                               double f[HAUG_LENGTHS], double seconds[HAUG_LENGTHS])
{
  const cmb_run_options options = run_of("abm", tolerance, NAN);
  const cmb_equations *eq = cmb_system_equations(system);
  cmb_integrator *in;
  CMB_TRY(cmb_integrator_create(ctx, eq, options.method, &options.integrator, &in));
  const double begun = cli_bench_seconds();
  cmb_status status =
      cmb_integrator_begin(in, EXPLICIT_FROM, cmb_system_q(system), cmb_system_v(system));
  for (int length = 0; length < HAUG_LENGTHS && status == CMB_OK; length++) {
    const double end = EXPLICIT_FROM + HAUG_EXPLICIT_PART * (length + 1);
    while (status == CMB_OK && cmb_integrator_t(in) < end) status = cmb_integrator_step(in, end);
    f[length] = (double)cmb_integrator_statistics(in)->f;
    seconds[length] = cli_bench_seconds() - begun;
  }
  cmb_integrator_destroy(in);
  return status;
}

cmb_status cli_haug_print_explicit(cmb_context *ctx, const cmb_system *system,
                                   struct haug_cost *cost)
{
  double of[HAUG_TOLERANCES][HAUG_LENGTHS], seconds[HAUG_TOLERANCES][HAUG_LENGTHS];
  for (int k = 0; k < HAUG_TOLERANCES; k++) {
    CMB_TRY(run_explicit(ctx, system, cli_haug_tolerance(k), of[k], seconds[k]));
  }
  printf(
      "\nabm, on the bump: time, paper (ExplDEABM) in s for the hundredfold length, ours in ms; f: "
      "evaluations\n          ");
  for (int k = 0; k < HAUG_TOLERANCES; k++)
    printf("   %5.0e: paper   ours      f", cli_haug_tolerance(k));
  printf("\n");
  for (int length = 0; length < HAUG_LENGTHS; length++) {
    printf("  %.2f s ", HAUG_EXPLICIT_PART * (length + 1));
    for (int k = 0; k < HAUG_TOLERANCES; k++) {
      cost->f[length][k] = of[k][length];
      cost->ms[length][k] = 1e3 * seconds[k][length];
      printf("   %13.0f %6.0f %6.0f", cli_haug_paper_explicit[length][k], cost->ms[length][k],
             cost->f[length][k]);
    }
    printf("\n");
  }
  return CMB_OK;
}

/* ---- the paper's statements */

/* Returns whether the largest of the n numbers x is at most `most` times the smallest; x ≥ 0. */
static bool spread_below(int n, const double *x, double most)
{
  double least = INFINITY, largest = 0;
  for (int i = 0; i < n; i++) least = fmin(least, x[i]), largest = fmax(largest, x[i]);
  return largest <= most * least;
}

void cli_haug_judge_implicit(const struct haug_cost cost[HAUG_METHODS])
{
  bool fewer = true;
  for (int length = 0; length < HAUG_LENGTHS; length++) {
    for (int k = 2; k < HAUG_TOLERANCES; k++) {
      fewer = fewer && cost[1].f[length][k] < cost[0].f[length][k];
    }
  }
  cli_bench_verdict("sdirk4 takes fewer evaluations than trap at 1e-4 and 1e-5", fewer);
}

void cli_haug_judge_explicit(const struct haug_cost *abm, const struct haug_cost *sdirk4)
{
  double rate[HAUG_LENGTHS], worth = INFINITY;
  bool alike = true, linear = true;
  for (int length = 0; length < HAUG_LENGTHS; length++) {
    alike = alike && spread_below(HAUG_TOLERANCES, abm->f[length], 1.5);
  }
  for (int k = 0; k < HAUG_TOLERANCES; k++) {
    const int last = HAUG_LENGTHS - 1;
    for (int i = 0; i < HAUG_LENGTHS; i++) rate[i] = abm->f[i][k] / (i + 1);
    linear = linear && spread_below(HAUG_LENGTHS, rate, 1.2);
    worth = fmin(worth, abm->f[last][k] / HAUG_EXPLICIT_PART / sdirk4->f[last][k]);
  }
  cli_bench_verdict("abm takes as many at each tolerance (within 1.5 times)", alike);
  cli_bench_verdict("abm's grow in proportion to the length (within 1.2 times)", linear);
  printf("abm would take %.0f times the evaluations of sdirk4 or more over 4 s\n", worth);
  cli_bench_verdict("which is two orders of magnitude, as in the paper, or more", worth >= 100);
}

/* ---- step sizes */

/* Returns the size of the step of the recorded path that contains the time t, and advances *n to the row at the end of that step; t must not
 * decrease from call to call. Returns NaN if t is at the start of the path. */
static double step_at(const struct haug_path *p, double t, long *n)
{
  while (*n < p->count - 1 && p->row[*n][0] < t) (*n)++;
  return *n > 0 ? p->row[*n][0] - p->row[*n - 1][0] : NAN;
}

/* Returns the measured height at time t between the recorded points n − 1 and n of a path: the cubic Hermite polynomial through the heights
 * with the velocities at both points. Returns the initial height if n is 0. */
static double height_at(const struct haug_path *p, double t, long n)
{
  if (n == 0) return p->row[0][1];
  const double *a = p->row[n - 1], *b = p->row[n], h = b[0] - a[0], x = (t - a[0]) / h;
  return a[1] + x * x * (3 - 2 * x) * (b[1] - a[1]) + h * x * (1 - x) * ((1 - x) * a[2] - x * b[2]);
}

static cmb_status draw(cmb_context *ctx, const struct cli_arguments *a,
                       const struct haug_path *path, double t_end)
{
  double *x = calloc((size_t)INSTANTS * (2 + HAUG_METHODS), sizeof *x), *y[1 + HAUG_METHODS];
  if (!x) return cmb_fail_memory(ctx);
  for (int i = 0; i < 1 + HAUG_METHODS; i++) y[i] = x + (size_t)INSTANTS * (size_t)(i + 1);
  long n[HAUG_METHODS] = {0, 0};
  for (int i = 0; i < INSTANTS; i++) {
    x[i] = t_end * i / (INSTANTS - 1);
    for (int m = 0; m < HAUG_METHODS; m++) y[m][i] = step_at(&path[m], x[i], &n[m]);
    y[HAUG_METHODS][i] = height_at(&path[1], x[i], n[1]);
  }
  const struct cli_panel panels[] = {
      {.title = "height in m",
       .curves = {{.name = "sdirk4", .y = y[HAUG_METHODS]}},
       .curve_count = 1},
      {.title = "step in s",
       .curves = {{.name = cli_haug_names[1], .y = y[1]}, {.name = cli_haug_names[0], .y = y[0]}},
       .curve_count = HAUG_METHODS,
       .logarithmic = true}};
  const struct cli_plot plot = {.title = "Double wishbone over a bump, tolerance 1e-3",
                                .abscissa = "t in s",
                                .x = x,
                                .points = INSTANTS,
                                .stride = 1,
                                .panels = panels,
                                .panel_count = 2};
  const cmb_status status = cli_bench_draw(ctx, a, &plot);
  free(x);
  return status;
}

static cmb_status print_steps(cmb_context *ctx, const cmb_system *system,
                              const struct cli_arguments *a)
{
  struct haug_path path[HAUG_METHODS] = {{0}, {0}};
  cmb_status status = CMB_OK;
  printf("\nsteps at 1e-3 over 4 s\n");
  for (int m = 0; m < HAUG_METHODS && status == CMB_OK; m++) {
    double least = INFINITY, most = 0;
    status = cli_haug_follow(ctx, system, cli_haug_names[m], 1e-3, HAUG_LENGTHS, &path[m]);
    for (long n = 1; n < path[m].count; n++) {
      const double h = path[m].row[n][0] - path[m].row[n - 1][0];
      least = fmin(least, h), most = fmax(most, h);
    }
    printf("  %-7s %5ld steps, from %.1e s to %.1e s\n", cli_haug_names[m], path[m].count - 1,
           least, most);
  }
  if (status == CMB_OK) {
    cli_bench_verdict("sdirk4's steps are larger than trap's", path[1].count < path[0].count);
    status = draw(ctx, a, path, HAUG_LENGTHS);
  }
  for (int m = 0; m < HAUG_METHODS; m++) free(path[m].row);
  return status;
}

cmb_status cli_bench_haug_wishbone(cmb_context *ctx, const cmb_system *system,
                                   const struct cli_arguments *a)
{
  struct haug_path reference = {0}, path = {0};
  struct haug_cost implicit[HAUG_METHODS], abm;
  double error[HAUG_TOLERANCES][2];
  printf(
      "Haug, Negrut and Engstler (1999), section 6: one corner of the vehicle, over a bump at 0.45 "
      "s.\nThe paper's numbers are those of the whole vehicle, and its errors those of the "
      "distance travelled; ours are of the height.\n");
  cmb_status status = cli_haug_follow(ctx, system, "forsdirk", 1e-8, HAUG_ERRORS_TO, &reference);
  for (int m = 0; m < HAUG_METHODS && status == CMB_OK; m++) {
    status = cli_haug_print_errors(ctx, system, m, &reference, &path, error);
  }
  for (int m = 0; m < HAUG_METHODS && status == CMB_OK; m++) {
    status = cli_haug_print_times(ctx, system, m, (int)a->repeat, &implicit[m]);
  }
  if (status == CMB_OK) status = cli_haug_print_explicit(ctx, system, &abm);
  if (status == CMB_OK) {
    printf("\n");
    cli_haug_judge_implicit(implicit);
    cli_haug_judge_explicit(&abm, &implicit[1]);
  }
  if (status == CMB_OK) status = print_steps(ctx, system, a);
  free(reference.row);
  free(path.row);
  return status;
}
