/*
 * camber bench burgermeister-fig7: the method lie on the car axis with h = 1 ms (Burgermeister, Arnold and Esterl 2006 §4.2), against
 * mdop853 at a tolerance of 1e-10: the oscillations of the explicit method grow, those of the others do not. Deviations are 2-norms over
 * the four positions.
 */
#include "base/context.h"
#include "bench/burgermeister.h"

#include <math.h>
#include <stdlib.h>

/* The reference solution of a run; the run's first coordinate is stored in xl for a plot if that is not NULL. */
struct comparison {
  const double *reference; /* (steps + 1) x CLI_AXIS_COORDINATES */
  double *xl;
};

static double measure_deviation(void *user, long k, const struct cli_run_state *at)
{
  const struct comparison *c = user;
  if (c->xl) c->xl[k] = at->q[0];
  return cli_axis_distance(at->q, c->reference + k * CLI_AXIS_COORDINATES);
}

enum { MATRICES = 5, STEPS = 3000, WINDOW = STEPS / 10, STABILISATIONS = 3 };

static const char *const matrices[MATRICES] = {"none", "J1", "J2", "J3", "exact"};
static const char *const stabilisations[STABILISATIONS] = {"none", "baumgarte", "projection"};

static const double LEAST_GROWTH = 10;

/* For one plot: the times, and for each matrix (and the reference) xl, and the deviation. */
struct motion {
  double t[STEPS + 1], xl[MATRICES + 1][STEPS + 1], deviation[MATRICES][STEPS + 1];
};

/* Runs one variant of the method, stores the deviation from the reference after each step in deviation[STEPS + 1], and prints the largest
 * deviation in the first and in the last tenth of the time and their ratio *ratio. If the run ends because no step is possible, prints
 * "overflows" and sets *ratio to infinity. */
static cmb_status print_growth(cmb_context *ctx, const cmb_system *system,
                               const struct cli_variant *variant, struct comparison *c,
                               double *deviation, double *ratio)
{
  const cmb_status status =
      cli_follow(ctx, system, variant, 1e-3, STEPS, measure_deviation, c, deviation);
  if (status != CMB_OK && status != CMB_ERROR_STEP_SIZE) return status;
  if (status != CMB_OK) {
    printf("  %-23s", "overflows");
    *ratio = INFINITY;
    return CMB_OK;
  }
  const double first = cli_largest(0, WINDOW, deviation);
  const double last = cli_largest(STEPS - WINDOW, STEPS, deviation);
  *ratio = last / first;
  printf("  %8.1e %8.1e %5.1f", first, last, *ratio);
  return CMB_OK;
}

static cmb_status print_matrix(cmb_context *ctx, const cmb_system *system, int matrix,
                               const double *reference, struct motion *m)
{
  double least = INFINITY, most = 0;
  printf("%-10s", matrices[matrix]);
  for (int i = 0; i < STABILISATIONS; i++) {
    const struct cli_variant variant = {"", "1", matrices[matrix], stabilisations[i]};
    struct comparison c = {reference, m->xl[matrix]};
    double ratio;
    CMB_TRY(print_growth(ctx, system, &variant, &c, m->deviation[matrix], &ratio));
    least = fmin(least, ratio);
    most = fmax(most, ratio);
  }
  const bool explicit = matrix == 0;
  printf("   %-7s  %s\n", explicit ? "grows" : "stable",
         cli_bench_word(explicit ? least >= LEAST_GROWTH : most < LEAST_GROWTH));
  return CMB_OK;
}

static cmb_status draw_motion(cmb_context *ctx, const struct cli_arguments *a,
                              const struct motion *m)
{
  struct cli_panel panels[2] = {{.title = "xl in m"},
                                {.title = "deviation in m", .logarithmic = true}};
  for (int i = 0; i < MATRICES; i++) {
    panels[0].curves[panels[0].curve_count++] =
        (struct cli_curve){.name = matrices[i], .y = m->xl[i]};
    panels[1].curves[panels[1].curve_count++] =
        (struct cli_curve){.name = matrices[i], .y = m->deviation[i]};
  }
  panels[0].curves[panels[0].curve_count++] =
      (struct cli_curve){.name = "reference", .y = m->xl[MATRICES]};
  const struct cli_plot plot = {.title = "Car axis, h = 1 ms, projected",
                                .abscissa = "t in s",
                                .x = m->t,
                                .points = STEPS + 1,
                                .stride = 1,
                                .panels = panels,
                                .panel_count = 2};
  return cli_bench_draw(ctx, a, &plot);
}

static cmb_status compare_matrices(cmb_context *ctx, const cmb_system *system,
                                   const double *reference, struct motion *m)
{
  for (long k = 0; k <= STEPS; k++) {
    m->t[k] = (double)k * 1e-3;
    m->xl[MATRICES][k] = reference[k * CLI_AXIS_COORDINATES];
  }
  printf("Burgermeister et al., Fig. 7: car axis, h = 1 ms. The largest deviation from the "
         "reference in the first 0.3 s,\nin the last 0.3 s, and their ratio; grows: at least "
         "%.0f.\n\nJacobian  ",
         LEAST_GROWTH);
  for (int i = 0; i < STABILISATIONS; i++) printf("  index 1, %-14s", stabilisations[i]);
  printf("   paper    agrees\n");
  for (int i = 0; i < MATRICES; i++) CMB_TRY(print_matrix(ctx, system, i, reference, m));
  printf("\nOf exact the paper shows no run. Its positions go on with the new velocities, so that "
         "Baumgarte's\nalpha is 1/(2h) there: with 1/h errors of the constraints would grow.\n");
  return CMB_OK;
}

cmb_status cli_bench_burgermeister_fig7(cmb_context *ctx, const cmb_system *system,
                                        const struct cli_arguments *a)
{
  double *reference = NULL;
  struct motion *m = calloc(1, sizeof *m);
  if (!m) return cmb_fail_memory(ctx);
  cmb_status status = cli_follow_reference(ctx, system, 1e-3, STEPS, &reference);
  if (status == CMB_OK) status = compare_matrices(ctx, system, reference, m);
  if (status == CMB_OK) status = draw_motion(ctx, a, m);
  free(reference);
  free(m);
  return status;
}
