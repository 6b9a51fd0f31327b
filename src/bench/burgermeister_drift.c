/*
 * camber bench burgermeister-fig3, -fig5, -fig6: the drift of the method lie from the constraints (Burgermeister, Arnold and Esterl 2006
 * §4).
 *
 *     fig3   circular track: the error of the distance from the centre, unstabilised and projected
 *     fig5   car axis, h = 10 ms: |g| over time with all stabilisations
 *     fig6   car axis: the largest |g| and |G v + g_t| in 3 s against h, and the slopes
 *
 * Norms are 2-norms. All runs use the default, jacobian=J2.
 */
#include "base/context.h"
#include "bench/burgermeister.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VARIANTS = CLI_PLOT_MOST_CURVES };

/* The recorded quantity of all variants over time: t, and one array y for each variant. */
struct curves {
  long steps;
  int count;
  const struct cli_variant *variants;
  double *t, *y[MOST_VARIANTS];
};

static cmb_status create_curves(cmb_context *ctx, long steps, double h, int count,
                                const struct cli_variant *variants, struct curves *c)
{
  const size_t length = (size_t)steps + 1;
  *c = (struct curves){.steps = steps, .count = count, .variants = variants};
  c->t = calloc((size_t)(count + 1) * length, sizeof *c->t);
  if (!c->t) return cmb_fail_memory(ctx);
  for (long k = 0; k <= steps; k++) c->t[k] = (double)k * h;
  for (int i = 0; i < count; i++) c->y[i] = c->t + (size_t)(i + 1) * length;
  return CMB_OK;
}

static cmb_status run_curves(cmb_context *ctx, const cmb_system *system, double h,
                             cli_measure measure, struct curves *c)
{
  for (int i = 0; i < c->count; i++) {
    CMB_TRY(cli_follow(ctx, system, &c->variants[i], h, c->steps, measure, NULL, c->y[i]));
  }
  return CMB_OK;
}

/* Draws the recorded quantity of all variants of the method over time, if --plot is given: in one panel with a logarithmic axis and, if
 * panel_count is 2, in a second one with a linear axis. */
static cmb_status draw_curves(cmb_context *ctx, const struct cli_arguments *a, const char *title,
                              const char *ordinate, int panel_count, const struct curves *c)
{
  struct cli_panel panels[2] = {{.title = ordinate, .logarithmic = true}, {.title = ordinate}};
  for (int p = 0; p < panel_count; p++) {
    for (int i = 0; i < c->count; i++) {
      panels[p].curves[panels[p].curve_count++] =
          (struct cli_curve){.name = c->variants[i].title, .y = c->y[i]};
    }
  }
  const struct cli_plot plot = {.title = title,
                                .abscissa = "t in s",
                                .x = c->t,
                                .points = c->steps + 1,
                                .stride = 1,
                                .panels = panels,
                                .panel_count = panel_count};
  return cli_bench_draw(ctx, a, &plot);
}

/* ---- the circular track */

enum { TRACK_STEPS = 100000, TRACK_ROWS = 5 };
enum { TRACK_INDEX_1, TRACK_INDEX_2, TRACK_PROJECTED, TRACK_VARIANTS };

static const struct cli_variant track_variants[TRACK_VARIANTS] = {
    {"index 1", "1", "J2", "none"},
    {"index 2", "2", "J2", "none"},
    {"index 1, projected", "1", "J2", "projection"},
};

static double measure_radius(void *user, long k, const struct cli_run_state *at)
{
  (void)user, (void)k;
  return fabs(hypot(at->q[0], at->q[1]) - 1);
}

static void print_track(const struct curves *c)
{
  bool ordered = true;
  printf("Burgermeister et al., Fig. 3: circular track, h = 1 ms, |r - 1|. The paper has the "
         "picture, and says that\nindex 1 drifts faster than index 2; agrees: and that faster than "
         "projected.\n\n     t");
  for (int i = 0; i < c->count; i++) printf("  %18s", c->variants[i].title);
  printf("  agrees\n");
  for (int row = 1; row <= TRACK_ROWS; row++) {
    const long k = c->steps * row / TRACK_ROWS;
    const double one = c->y[TRACK_INDEX_1][k], two = c->y[TRACK_INDEX_2][k];
    const double projected = cli_largest(0, k, c->y[TRACK_PROJECTED]);
    const bool here = one > two && two > projected;
    printf("%4.0f s  %18.3e  %18.3e  %18.3e  %s\n", c->t[k], one, two, projected,
           cli_bench_word(here));
    ordered = ordered && here;
  }
  printf("(projected: the largest until then)\n\n");
  cli_bench_verdict("index 1 drifts faster than index 2, that faster than projected", ordered);
}

cmb_status cli_bench_burgermeister_fig3(cmb_context *ctx, const cmb_system *system,
                                        const struct cli_arguments *a)
{
  const double h = 1e-3;
  struct curves c;
  cmb_status status = create_curves(ctx, TRACK_STEPS, h, TRACK_VARIANTS, track_variants, &c);
  if (status == CMB_OK) status = run_curves(ctx, system, h, measure_radius, &c);
  if (status == CMB_OK) {
    print_track(&c);
    status = draw_curves(ctx, a, "Circular track, h = 1 ms: drift", "|r - 1| in m", 2, &c);
  }
  free(c.t);
  return status;
}

/* ---- drift of the car axis over time */

enum { AXIS_VARIANTS = 8, AXIS_STEPS = 300 };

static const struct cli_variant axis_variants[AXIS_VARIANTS] = {
    {"index 1", "1", "J2", "none"},
    {"index 2", "2", "J2", "none"},
    {"1, Baumgarte", "1", "J2", "baumgarte"},
    {"2, Baumgarte", "2", "J2", "baumgarte"},
    {"1, q projected", "1", "J2", "projection-q"},
    {"1, projected", "1", "J2", "projection"},
    {"2, projected", "2", "J2", "projection"},
    {"2, GGL", "2", "J2", "ggl"},
};

/* What the paper states for each variant; NULL: it is not in the paper. */
static const char *const axis_growth[AXIS_VARIANTS] = {"grows", "grows",   "bounded", "bounded",
                                                       NULL,    "bounded", "bounded", "bounded"};

/* largest factor from the first half to the whole run that counts as bounded */
static const double BOUNDED_GROWTH = 1.25;

static void print_axis(const struct curves *c)
{
  printf("Burgermeister et al., Fig. 5: car axis, h = 10 ms, the largest |g|. The paper: unbounded "
         "growth\nwithout stabilization, bounded with it. Bounded: the second half adds at most "
         "%.0f %%.\n\n                   until 1.5 s   until 3 s   factor   ours      paper     "
         "agrees\n",
         100 * (BOUNDED_GROWTH - 1));
  for (int i = 0; i < c->count; i++) {
    const char *paper = axis_growth[i];
    const double half = cli_largest(0, c->steps / 2, c->y[i]);
    const double all = cli_largest(0, c->steps, c->y[i]);
    const char *ours = all <= BOUNDED_GROWTH * half ? "bounded" : "grows";
    printf("%-17s  %11.2e  %10.2e  %7.2f   %-8s  %-8s  %s\n", c->variants[i].title, half, all,
           all / half, ours, paper ? paper : "-",
           paper ? cli_bench_word(strcmp(ours, paper) == 0) : "-");
  }
}

cmb_status cli_bench_burgermeister_fig5(cmb_context *ctx, const cmb_system *system,
                                        const struct cli_arguments *a)
{
  const double h = 1e-2;
  struct curves c;
  cmb_status status = create_curves(ctx, AXIS_STEPS, h, AXIS_VARIANTS, axis_variants, &c);
  if (status == CMB_OK) status = run_curves(ctx, system, h, cli_measure_position, &c);
  if (status == CMB_OK) {
    print_axis(&c);
    status = draw_curves(ctx, a, "Car axis, h = 10 ms: drift", "|g|", 1, &c);
  }
  free(c.t);
  return status;
}

/* ---- drift of the car axis against h */

enum { SIZES = 5, SLOPES = 7, DRAWN = 6, FINER = 32 };

static const double sizes[SIZES] = {4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4};
static const double SLOPE_TOLERANCE = 0.15; /* difference of slopes that counts as agreement */

/* Bound on the rounding error of G v + g_t, whose terms are up to 10 m²/s, after several operations. */
static const double ROUNDING = 1e-13;

/* What the paper says instead of a slope of velocities: nothing, or that the residual is exactly 0. */
enum { NOT_STATED = -1, EXACTLY = 0 };

static const struct slope {
  struct cli_variant variant;
  int position, velocity; /* the paper's slopes */
  int finer;              /* h is divided by this */
} slopes[SLOPES] = {
    {{"index 1", "1", "J2", "none"}, 1, NOT_STATED, 1},
    {{"index 2", "2", "J2", "none"}, 1, EXACTLY, 1},
    {{"1, Baumgarte", "1", "J2", "baumgarte"}, 2, 1, 1},
    {{"2, Baumgarte", "2", "J2", "baumgarte"}, 2, 1, 1},
    {{"1, projected", "1", "J2", "projection"}, 3, EXACTLY, 1},
    {{"2, GGL", "2", "J2", "ggl"}, 3, EXACTLY, 1},
    {{"index 1, h/32", "1", "J2", "none"}, 1, NOT_STATED, FINER},
};

/* The largest residuals of one variant, for each h. */
struct largest {
  double position[SIZES], velocity[SIZES];
};

/* Callback: returns the norm |g| of the position constraints after a step, and raises the number that `user` points to (a double) to the norm
 * |G v + g_t| of the velocity constraints if that is larger. */
static double measure_both(void *user, long k, const struct cli_run_state *at)
{
  double *velocity = user;
  (void)k;
  *velocity = fmax(*velocity, at->velocity);
  return at->position;
}

/* Returns the slope of the straight line fitted by least squares to the n points (log x, log y). */
static double fitted_slope(int n, const double *x, const double *y)
{
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    const double u = log(x[i]), w = log(y[i]);
    sx += u, sy += w, sxx += u * u, sxy += u * w;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static cmb_status run_sizes(cmb_context *ctx, const cmb_system *system, const struct slope *s,
                            double *y, struct largest *l)
{
  for (int i = 0; i < SIZES; i++) {
    const double h = sizes[i] / s->finer;
    const long steps = lround(cmb_system_t_end(system) / h);
    l->velocity[i] = 0;
    CMB_TRY(cli_follow(ctx, system, &s->variant, h, steps, measure_both, &l->velocity[i], y));
    l->position[i] = cli_largest(0, steps, y);
  }
  return CMB_OK;
}

static void print_head(const char *what)
{
  printf("\n%-13s", what);
  for (int i = 0; i < SIZES; i++) printf("  %6g ms", 1e3 * sizes[i]);
  printf("  paper   ours   agrees\n");
}

static void print_slope(const char *title, int paper, const double y[SIZES])
{
  const double ours = fitted_slope(SIZES, sizes, y);
  printf("%-13s", title);
  for (int i = 0; i < SIZES; i++) printf("  %9.2e", y[i]);
  if (paper == NOT_STATED) {
    printf("      -  %5.2f   -\n", ours);
  } else {
    printf("  %5d  %5.2f   %s\n", paper, ours,
           cli_bench_word(fabs(ours - paper) <= SLOPE_TOLERANCE));
  }
}

/* Prints a table row of residuals y that should be 0, one for each step size, and whether all are: each as "0" if it is within rounding error,
 * otherwise as "not 0", since rounding errors differ between machines. */
static void print_exact(const char *title, const double y[SIZES])
{
  bool exact = true;
  for (int i = 0; i < SIZES; i++) exact = exact && y[i] <= ROUNDING;
  printf("%-13s", title);
  for (int i = 0; i < SIZES; i++) printf("  %9s", y[i] <= ROUNDING ? "0" : "not 0");
  printf("  %5s  %5s   %s\n", "0", exact ? "0" : "not 0", cli_bench_word(exact));
}

static void print_slopes(const struct largest l[SLOPES])
{
  printf("Burgermeister et al., Fig. 6: car axis, the largest |g| in 3 s, slopes by least squares; "
         "agrees: within %g.\n",
         SLOPE_TOLERANCE);
  print_head("h");
  for (int i = 0; i < SLOPES; i++) {
    print_slope(slopes[i].variant.title, slopes[i].position, l[i].position);
  }
  printf(
      "\nindex 1 comes to its line only at smaller h, in the last row.\n\nThe largest |G v + g_t| "
      "in the same runs (sections 3.1 to 3.3); 0: below %.0e, which is rounding.\n",
      ROUNDING);
  print_head("h, velocities");
  for (int i = 0; i < SLOPES; i++) {
    if (slopes[i].velocity == EXACTLY) {
      print_exact(slopes[i].variant.title, l[i].velocity);
    } else {
      print_slope(slopes[i].variant.title, slopes[i].velocity, l[i].velocity);
    }
  }
}

static cmb_status draw_slopes(cmb_context *ctx, const struct cli_arguments *a,
                              const struct largest l[SLOPES])
{
  struct cli_panel panels[2] = {{.title = "largest |g| in m²", .logarithmic = true},
                                {.title = "largest |G v + g_t| in m²/s", .logarithmic = true}};
  for (int i = 0; i < DRAWN; i++) {
    const char *title = slopes[i].variant.title;
    panels[0].curves[panels[0].curve_count++] =
        (struct cli_curve){.name = title, .y = l[i].position};
    if (slopes[i].velocity == EXACTLY) continue;
    panels[1].curves[panels[1].curve_count++] =
        (struct cli_curve){.name = title, .y = l[i].velocity};
  }
  const struct cli_plot plot = {.title = "Car axis: largest drift in 3 s",
                                .abscissa = "h in s",
                                .x = sizes,
                                .points = SIZES,
                                .stride = 1,
                                .panels = panels,
                                .panel_count = 2,
                                .logarithmic = true,
                                .dots = true};
  return cli_bench_draw(ctx, a, &plot);
}

cmb_status cli_bench_burgermeister_fig6(cmb_context *ctx, const cmb_system *system,
                                        const struct cli_arguments *a)
{
  const long most = lround(FINER * cmb_system_t_end(system) / sizes[SIZES - 1]);
  struct largest largest[SLOPES];
  double *y = calloc((size_t)most + 1, sizeof *y);
  cmb_status status = y ? CMB_OK : cmb_fail_memory(ctx);
  for (int i = 0; i < SLOPES && status == CMB_OK; i++) {
    status = run_sizes(ctx, system, &slopes[i], y, &largest[i]);
  }
  free(y);
  if (status != CMB_OK) return status;
  print_slopes(largest);
  return draw_slopes(ctx, a, largest);
}
