/*
 * camber bench simeon-table1 (B. Simeon, "On the numerical solution of a wheel suspension benchmark problem", 1996, section 5): the four
 * variants of projection of Table 1, with mdop5 on the five-link suspension over a smooth bump, and hem5, to which the paper's text compares
 * it; Fig. 3 with --plot. The paper's data of the car are not published; these are another car's, so that only the pattern of the numbers
 * can be compared. The paper states that oscillations after the bump are damped out by the shock absorber within less than 1 s. So the
 * shock absorber of the bench has 1,500 N s/m, a fifth of critical damping; with the 5,500 N s/m of the model, two thirds of it, nothing
 * oscillates.
 *
 * Errors are the largest at 200 instants, against mdop853 at a tolerance of 1e-12, in the 13 angles of rods and carrier. The wheel's
 * rotation, 86 rad in the end, is left out; the column `all` includes it. The column `along` has the error along the constraints: that of
 * the positions after the drift has been removed by projection (12a).
 *
 * Times are those of the integration alone, medians of rounds in which the variants take turns, so that disturbances affect all of them
 * equally. The paper's code solves eq. (4) in each stage; mdop5 does not where a model provides its accelerations in one call. `by (4)` is
 * mdop5 with this disabled, as in the paper.
 */
#include "base/context.h"
#include "bench/burgermeister.h"
#include "dae/project.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COORDINATES = 16, INSTANTS = 201, MOST_MARKS = 200, ROUNDS = 21 };

/* Positions at equidistant times, the same positions projected onto the constraints (along), and the residuals of the constraints at the
 * end of the step around each. */
struct path {
  int count;
  double q[INSTANTS][MOST_COORDINATES], along[INSTANTS][MOST_COORDINATES];
  double position[INSTANTS], velocity[INSTANTS];
  long mark_count; /* number of steps that projected positions, at most MOST_MARKS */
  struct cli_mark marks[MOST_MARKS];
};

/* A row of the paper's table. */
struct row {
  const char *title, *method, *projection;
  double paper[5]; /* projections, |g|, |G v|, relative error, CPU s; NaN: none */
};

/* A variant of the table (a method and its projection), and its results. */
struct variant {
  struct row row;
  bool by_factors; /* eq. (4) in each stage instead of the accelerations in one call */
  double rtol;
  cmb_statistics counts;
  double position, velocity;            /* |g| and |G v| at the end */
  double error, error_along, error_all; /* relative */
  double seconds;
};

/* The variants: the rows of the table, the same with eq. (4) solved in each stage, and hem5 at the same tolerance and at the same error. */
enum { INDEX1, VELOCITY, CONTROL, EVERY, ROWS, HEM5 = 2 * ROWS, HEM5_EQUAL, VARIANTS };

static const struct row rows[ROWS] = {
    {"index 1", "mdop5", "none", {0, 1.8e-2, 1.1e-1, 7.7e-5, 40.1}},
    {"velocity stabilization", "mdop5", "velocity", {0, 7.4e-4, 8.2e-12, 4.0e-5, 40.8}},
    {"projection control", "mdop5", "control", {12, 1.5e-13, 1.0e-11, 3.9e-5, 41.0}},
    {"projection each step", "mdop5", "every", {83, 1.6e-13, 5.1e-12, 3.9e-5, 42.6}},
};

static const struct row rival = {"hem5", "hem5", "none", {0, NAN, NAN, 1.7e-5, 49.2}};

struct bench {
  cmb_context *ctx;
  const cmb_system *system;
  cmb_equations plain; /* the system's equations without accelerations in one call */
  cmb_evaluator *ev;
  struct path reference, paths[VARIANTS];
  struct variant variants[VARIANTS];
};

/* ---- runs */

/* Creates the integrator for one variant of Table 1: an integration method with its tolerance and its kind of projection onto the
 * constraints, as given in *w. */
static cmb_status create(struct bench *b, const struct variant *w, cmb_integrator **in)
{
  cmb_option_setting setting = {"projection", w->row.projection};
  cmb_integrator_options options = cmb_integrator_defaults();
  options.rtol = options.atol = w->rtol;
  options.setting_count = 1;
  options.settings = &setting;
  return cmb_integrator_create(b->ctx, w->by_factors ? &b->plain : cmb_system_equations(b->system),
                               cmb_method_find(w->row.method), &options, in);
}

static cmb_status begin(const struct bench *b, cmb_integrator *in)
{
  return cmb_integrator_begin(in, 0, cmb_system_q(b->system), cmb_system_v(b->system));
}

/* Stores the states of a simulation at those of its equidistant output times that lie in the last step: the positions from the dense output,
 * these positions projected onto the constraints, and the residuals of the constraints at the end of the step. `interval` is the distance of
 * the output times. */
static cmb_status store_instants(struct bench *b, cmb_integrator *in, double interval,
                                 struct path *path)
{
  const double *q = cmb_integrator_q(in), *v = cmb_integrator_v(in);
  double off[2], v_there[MOST_COORDINATES];
  CMB_TRY(cmb_constraint_residuals(b->ev, cmb_integrator_t(in), q, v, &off[0], &off[1]));
  for (; path->count < INSTANTS && path->count * interval <= cmb_integrator_t(in); path->count++) {
    const int k = path->count;
    const double t = k * interval;
    CMB_TRY(cmb_integrator_interpolate(in, t, path->q[k], v_there));
    memcpy(path->along[k], path->q[k], sizeof path->q[k]);
    CMB_TRY(cmb_project(b->ev, t, path->along[k], v_there));
    path->position[k] = off[0];
    path->velocity[k] = off[1];
  }
  return CMB_OK;
}

/* Runs one variant of Table 1 (an integration method with a kind of projection) and records in *path its positions, its residuals of the
 * constraints and the times of its first MOST_MARKS projections of positions. */
static cmb_status follow(struct bench *b, struct variant *w, struct path *path)
{
  const double end = cmb_system_t_end(b->system);
  cmb_integrator *in;
  path->count = 0;
  path->mark_count = 0;
  CMB_TRY(create(b, w, &in));
  cmb_status status = begin(b, in);
  long projections = 0;
  while (status == CMB_OK && cmb_integrator_t(in) < end) {
    status = cmb_integrator_step(in, end);
    if (status == CMB_OK) status = store_instants(b, in, end / (INSTANTS - 1), path);
    const long so_far = cmb_integrator_statistics(in)->projections;
    if (so_far > projections && path->mark_count < MOST_MARKS) {
      path->marks[path->mark_count++] = (struct cli_mark){cmb_integrator_t(in), 0};
    }
    projections = so_far;
  }
  cmb_integrator_destroy(in);
  w->position = path->position[INSTANTS - 1];
  w->velocity = path->velocity[INSTANTS - 1];
  return status;
}

/* Runs one variant of Table 1 (an integration method with a kind of projection) once, without recording its solution, and measures its
 * processor time *seconds and its numbers of steps, evaluations and so on, w->counts. */
static cmb_status time_once(struct bench *b, struct variant *w, double *seconds)
{
  const double end = cmb_system_t_end(b->system);
  cmb_integrator *in;
  CMB_TRY(create(b, w, &in));
  const double begun = cli_bench_seconds();
  cmb_status status = begin(b, in);
  while (status == CMB_OK && cmb_integrator_t(in) < end) status = cmb_integrator_step(in, end);
  *seconds = cli_bench_seconds() - begun;
  w->counts = *cmb_integrator_statistics(in);
  cmb_integrator_destroy(in);
  return status;
}

static cmb_status time_all(struct bench *b, int rounds)
{
  double *seconds = calloc((size_t)rounds * VARIANTS, sizeof *seconds);
  cmb_status status = CMB_OK;
  if (!seconds) return cmb_fail_memory(b->ctx);
  for (int k = 0; k < rounds && status == CMB_OK; k++) {
    for (int i = 0; i < VARIANTS && status == CMB_OK; i++) {
      status = time_once(b, &b->variants[i], seconds + (ptrdiff_t)i * rounds + k);
    }
  }
  for (int i = 0; i < VARIANTS && status == CMB_OK; i++) {
    b->variants[i].seconds = cli_median(rounds, seconds + (ptrdiff_t)i * rounds);
  }
  free(seconds);
  return status;
}

/* ---- errors */

/* Returns the Euclidean norm of x[n]. */
static double length(int n, const double *x)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* Returns the largest distance between q and the reference solution at the same instant (2-norm over the first n coordinates), divided by
 * the largest norm of the reference. */
static double relative_error(int n, double q[INSTANTS][MOST_COORDINATES],
                             double reference[INSTANTS][MOST_COORDINATES])
{
  double most = 0, size = 0;
  for (int k = 0; k < INSTANTS; k++) {
    double difference[MOST_COORDINATES];
    for (int i = 0; i < n; i++) difference[i] = q[k][i] - reference[k][i];
    most = fmax(most, length(n, difference));
    size = fmax(size, length(n, reference[k]));
  }
  return most / size;
}

/* Runs variant i of Table 1 (an integration method with a kind of projection) and stores three errors relative to the reference solution in
 * b->variants[i]: `error`, of all coordinates but the last, which is the wheel's rotation; `error_along`, of the same coordinates after
 * projection onto the constraints; `error_all`, of all coordinates. */
static cmb_status run_variant(struct bench *b, int i)
{
  const int all = cmb_system_equations(b->system)->nq;
  struct variant *w = &b->variants[i];
  struct path *path = &b->paths[i];
  CMB_TRY(follow(b, w, path));
  w->error = relative_error(all - 1, path->q, b->reference.q);
  w->error_along = relative_error(all - 1, path->along, b->reference.q);
  w->error_all = relative_error(all, path->q, b->reference.q);
  return CMB_OK;
}

/* Runs the method hem5 with smaller and smaller tolerances, until its error is at most that of the variant CONTROL (mdop5 that projects only
 * when needed). The results of the last run remain stored as variant HEM5_EQUAL of the table. */
static cmb_status find_equal_error(struct bench *b)
{
  struct variant *w = &b->variants[HEM5_EQUAL];
  const double finer = exp2(-0.25);
  for (w->rtol = 1; w->rtol > 1e-12; w->rtol *= finer) {
    CMB_TRY(run_variant(b, HEM5_EQUAL));
    if (w->error <= b->variants[CONTROL].error) return CMB_OK;
  }
  return CMB_OK;
}

static cmb_status run_all(struct bench *b, double rtol)
{
  struct variant reference = {.row = {.method = "mdop853", .projection = "every"}, .rtol = 1e-12};
  CMB_TRY(follow(b, &reference, &b->reference));
  for (int i = 0; i < VARIANTS; i++) {
    b->variants[i].row = i < HEM5 ? rows[i % ROWS] : rival;
    b->variants[i].by_factors = i >= ROWS;
    b->variants[i].rtol = rtol;
    if (i != HEM5_EQUAL) CMB_TRY(run_variant(b, i));
  }
  b->variants[HEM5_EQUAL].row.paper[3] = b->variants[HEM5_EQUAL].row.paper[4] = NAN;
  return find_equal_error(b);
}

/* Returns the ratio of the largest error of the run without stabilisation (index 1) to that of the run with projection control, over the
 * recorded instants up to time t. */
static double ratio_until(const struct bench *b, double t)
{
  const int n = cmb_system_equations(b->system)->nq - 1;
  const double end = cmb_system_t_end(b->system);
  double most[2] = {0, 0};
  for (int k = 0; k < INSTANTS && k * end <= t * (INSTANTS - 1); k++) {
    for (int i = 0; i < 2; i++) {
      const double *q = b->paths[i ? CONTROL : INDEX1].q[k];
      double difference[MOST_COORDINATES];
      for (int j = 0; j < n; j++) difference[j] = q[j] - b->reference.q[k][j];
      most[i] = fmax(most[i], length(n, difference));
    }
  }
  return most[0] / most[1];
}

enum { PHI1 = 0 }; /* the angle of the first rod */

/* Returns whether the suspension oscillates after the bump and comes to rest, from the angle of the first rod in the reference solution: it
 * passes its initial value at least twice, and at the end its deviation from it is at most 1 % of the largest one. */
static bool is_damped_out(const struct bench *b)
{
  const double start = b->reference.q[0][PHI1];
  double most = 0;
  int changes = 0;
  for (int k = 1; k < INSTANTS; k++) {
    const double before = b->reference.q[k - 1][PHI1] - start;
    const double now = b->reference.q[k][PHI1] - start;
    most = fmax(most, fabs(now));
    changes += fabs(before) > 1e-4 * most && before * now < 0;
  }
  return changes >= 2 && fabs(b->reference.q[INSTANTS - 1][PHI1] - start) <= 0.01 * most;
}

/* ---- printed results */

/* Writes a published number to text[16] with two digits, or a dash if it is NaN (not published); returns `text`. */
static const char *published(double x, char text[16])
{
  snprintf(text, 16, isnan(x) ? "-" : "%.1e", x);
  return text;
}

/* Returns the processor time per attempted step, in s, of one variant of Table 1 (by its index). Times per run would not be comparable, as
 * the number of rejected steps differs from variant to variant here, but not in the paper. */
static double attempt(const struct bench *b, int variant)
{
  return b->variants[variant].seconds / (double)b->variants[variant].counts.steps;
}

static void print_table(const struct bench *b)
{
  char text[2][16];
  printf("                         steps  projections        |g|            |G v|"
         "             rel. error             time, attempt\n"
         "                          ours  paper  ours    paper    ours   paper    ours   paper"
         "    ours   along     all  paper  by (4)    ours\n");
  for (int i = 0; i < ROWS; i++) {
    const struct variant *w = &b->variants[i];
    const double *p = w->row.paper;
    printf("%-24s %5ld %6.0f %5ld  %7s %7.1e %7s %7.1e %7.1e %7.1e %7.1e %7.1e %5.1f%% %6.1f%% "
           "%6.1f%%\n",
           w->row.title, w->counts.accepted, p[0], w->counts.projections, published(p[1], text[0]),
           w->position, published(p[2], text[1]), w->velocity, p[3], w->error, w->error_along,
           w->error_all, 100 * p[4] / rows[INDEX1].paper[4],
           100 * attempt(b, ROWS + i) / attempt(b, ROWS + INDEX1),
           100 * attempt(b, i) / attempt(b, INDEX1));
  }
}

static void print_rivals(const struct bench *b)
{
  static const struct {
    int variant;
    const char *title;
  } lines[] = {{CONTROL, "mdop5, control"},
               {ROWS + CONTROL, "the same by (4)"},
               {HEM5, "hem5"},
               {HEM5_EQUAL, "hem5, equal error"}};
  const struct variant *beside = &b->variants[ROWS + CONTROL];
  printf(
      "\n                      RTOL  steps  tried      f  factors    rel. error        time      "
      "attempt  beside by (4)\n"
      "                             ours   ours   ours     ours   paper    ours      ours         "
      "ours  paper   ours\n");
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    const struct variant *w = &b->variants[lines[i].variant];
    char text[16];
    printf("%-17s %8.1e %6ld %6ld %6ld %8ld %7s %7.1e %6.3f ms %9.2f us", lines[i].title, w->rtol,
           w->counts.accepted, w->counts.steps, w->counts.f, w->counts.factor,
           published(w->row.paper[3], text), w->error, 1e3 * w->seconds,
           1e6 * attempt(b, lines[i].variant));
    cli_bench_put(6, 2, w->row.paper[4] / beside->row.paper[4]);
    cli_bench_put(6, 2, w->seconds / beside->seconds);
    printf("\n");
  }
}

static void print_growth(const struct bench *b)
{
  printf("\nError of index 1 beside that of projection control: until t = 0.2 s %.1f, until 0.4 s "
         "%.1f, in all %.1f (paper: %.1f).\n\n",
         ratio_until(b, 0.2), ratio_until(b, 0.4), ratio_until(b, cmb_system_t_end(b->system)),
         rows[INDEX1].paper[3] / rows[CONTROL].paper[3]);
  printf("Claims of the paper, and whether they hold here:\n");
}

static bool is_close(double a, double b)
{
  return fabs(a - b) <= 0.05 * b;
}

struct claim {
  const char *text;
  bool holds;
};

static void print_claims(int count, const struct claim *claims)
{
  for (int i = 0; i < count; i++) cli_bench_verdict(claims[i].text, claims[i].holds);
}

static void print_verdicts(const struct bench *b)
{
  const struct variant *w = b->variants, *index1 = &w[INDEX1], *velocity = &w[VELOCITY],
                       *control = &w[CONTROL], *every = &w[EVERY];
  const struct claim claims[] = {
      {"oscillations behind the bump are damped out within 1 s", is_damped_out(b)},
      {"index 1: positions and velocities drift",
       index1->position > 10 * velocity->position && index1->velocity > 1e6 * velocity->velocity},
      {"index 1: at most 3 times control's error until the top of the bump",
       ratio_until(b, 0.2) <= 3},
      {"index 1: at most 3 times control's error in the whole run",
       ratio_until(b, cmb_system_t_end(b->system)) <= 3},
      {"velocity stabilization: the error of projection each step within 5 %",
       is_close(velocity->error, every->error)},
      {"velocity stabilization: a tenth of the drift of index 1, or less",
       velocity->position <= 0.1 * index1->position},
      {"projection control: the error of projection each step within 5 %",
       is_close(control->error, every->error)},
      {"projection control: projects positions in at most a quarter of the steps",
       4 * control->counts.projections <= control->counts.accepted},
      {"projection each step: positions and velocities to rounding",
       every->position < 1e-12 && every->velocity < 1e-12},
      {"hem5: smaller error than mdop5 at the same tolerance", w[HEM5].error < control->error},
  };
  print_claims(sizeof claims / sizeof *claims, claims);
}

/* Prints how the numbers of attempts, of evaluations in each, and the errors of hem5 and mdop5 differ, which explains the ratio of their times. */
static void print_hem5(const struct variant *hem5, const struct variant *mdop5)
{
  const double tried = (double)hem5->counts.steps, other = (double)mdop5->counts.steps;
  printf("hem5 makes %.1f times as many attempts as mdop5, with %.1f evaluations each in place of "
         "%.1f; its error is %.0f times smaller.\n",
         tried / other, (double)hem5->counts.f / tried, (double)mdop5->counts.f / other,
         mdop5->error / hem5->error);
}

/* Prints those claims of the paper that depend on measured times, each with "yes" if the measurements confirm it, otherwise "no". */
static void print_timed_verdicts(const struct bench *b)
{
  const double plain = attempt(b, ROWS + INDEX1);
  const struct claim claims[] = {
      {"velocity stabilization: by (4), at most 5 % more time for an attempt",
       attempt(b, ROWS + VELOCITY) <= 1.05 * plain},
      {"projection control: by (4), at most 5 % more time for an attempt",
       attempt(b, ROWS + CONTROL) <= 1.05 * plain},
      {"projection each step: by (4), at most 10 % more time for an attempt",
       attempt(b, ROWS + EVERY) <= 1.10 * plain},
      {"hem5: at most 1.5 times the time of mdop5 by (4), same tolerance",
       b->variants[HEM5].seconds <= 1.5 * b->variants[ROWS + CONTROL].seconds},
  };
  enum { CLAIMS = sizeof claims / sizeof *claims };
  print_claims(CLAIMS, claims);
  if (!claims[CLAIMS - 1].holds) print_hem5(&b->variants[HEM5], &b->variants[ROWS + CONTROL]);
}

/* ---- Fig. 3 */

/* Draws the angles of the rods and the residuals of the constraints over time (Fig. 3 of the paper), if --plot is given. */
static cmb_status draw(const struct bench *b, const struct cli_arguments *a)
{
  static const int angles[] = {0, 5, 7, 9, 11}; /* phi1 .. phi5, of the rods */
  const cmb_equations *eq = cmb_system_equations(b->system);
  struct cli_panel panels[3] = {{.title = "rods in rad"},
                                {.title = "|g|", .logarithmic = true},
                                {.title = "|G v|", .logarithmic = true}};
  double *t = calloc(INSTANTS * (size_t)(1 + MOST_COORDINATES), sizeof *t), *next = t + INSTANTS;
  if (!t) return cmb_fail_memory(b->ctx);
  for (int k = 0; k < INSTANTS; k++) t[k] = cmb_system_t_end(b->system) * k / (INSTANTS - 1);
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++, next += INSTANTS) {
    for (int k = 0; k < INSTANTS; k++) next[k] = b->paths[CONTROL].q[k][angles[i]];
    panels[0].curves[panels[0].curve_count++] =
        (struct cli_curve){.name = eq->q_names[angles[i]], .y = next};
  }
  for (int i = 0; i < ROWS; i++) {
    panels[1].curves[panels[1].curve_count++] =
        (struct cli_curve){.name = rows[i].title, .y = b->paths[i].position};
    panels[2].curves[panels[2].curve_count++] =
        (struct cli_curve){.name = rows[i].title, .y = b->paths[i].velocity};
  }
  static const char *const notes[] = {"Vertical lines: projection control projects positions."};
  const struct cli_plot plot = {.title =
                                    "Five-link suspension over a smooth bump (Simeon 1996, Fig. 3)",
                                .abscissa = "t in s",
                                .x = t,
                                .points = INSTANTS,
                                .stride = 1,
                                .panels = panels,
                                .panel_count = 3,
                                .marks = b->paths[CONTROL].marks,
                                .mark_count = b->paths[CONTROL].mark_count,
                                .notes = notes,
                                .note_count = 1};
  const cmb_status status = cli_bench_draw(b->ctx, a, &plot);
  free(t);
  return status;
}

static cmb_status run(struct bench *b, const struct cli_arguments *a)
{
  const double rtol = isnan(a->rtol) ? 1e-4 : a->rtol;
  const int rounds = ROUNDS * (int)a->repeat;
  CMB_TRY(cmb_evaluator_create(b->ctx, cmb_system_equations(b->system), &b->ev));
  CMB_TRY(run_all(b, rtol));
  CMB_TRY(time_all(b, rounds));
  printf("Simeon (1996), Table 1: five-link suspension over a smooth bump, RTOL = ATOL = %g.\n"
         "The paper's car is another one. |g| and |G v| at the end of the run. Errors: the largest "
         "of %d instants; along: what is\nleft when the drift has been taken away; all: with the "
         "wheel's rotation. Times: of an attempt at a step, medians of %d\nruns, with eq. (4) in "
         "each stage, as in the paper, and with accelerations in one call.\n\n",
         rtol, INSTANTS - 1, rounds);
  print_table(b);
  print_rivals(b);
  print_growth(b);
  print_verdicts(b);
  print_timed_verdicts(b);
  return draw(b, a);
}

cmb_status cli_bench_simeon_table1(cmb_context *ctx, const cmb_system *system,
                                   const struct cli_arguments *a)
{
  struct bench *b = calloc(1, sizeof *b);
  if (!b) return cmb_fail_memory(ctx);
  b->ctx = ctx;
  b->system = system;
  b->plain = *cmb_system_equations(system);
  b->plain.accelerate = NULL;
  const cmb_status status = run(b, a);
  cmb_evaluator_destroy(b->ev);
  free(b);
  return status;
}
