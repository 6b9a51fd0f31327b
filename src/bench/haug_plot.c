/*
 * Draws the pictures of camber bench haug-table6, -table7, -table9 and -explicit (E. J. Haug, D. Negrut and C. Engstler, 1999, Figs. 5, 6,
 * 7, 9 and 10): errors and times against the tolerance, and times against the length of the run. The paper's numbers, those of its tables,
 * are drawn with dashes; its times are those of another computer.
 */
#include "bench/haug.h"

#include <math.h>

enum { TWO_SECONDS = 1, AT_1E_3 = 1 }; /* the length of Figs. 7 and 9, the tolerance of Fig. 10 */

/* Adds two curves of the same colour to a panel of a plot: the bench's results and, dashed, the paper's. */
static void add_pair(struct cli_panel *panel, const char *name, const double *ours,
                     const char *published, const double *paper)
{
  const int colour = panel->curve_count + 1;
  panel->curves[panel->curve_count++] =
      (struct cli_curve){.name = name, .y = ours, .colour = colour};
  panel->curves[panel->curve_count++] =
      (struct cli_curve){.name = published, .y = paper, .colour = colour, .dashes = 1};
}

static cmb_status draw_over_tolerances(cmb_context *ctx, const struct cli_arguments *a,
                                       const char *title, const struct cli_panel *panel)
{
  double tolerances[HAUG_TOLERANCES];
  for (int k = 0; k < HAUG_TOLERANCES; k++) tolerances[k] = cli_haug_tolerance(k);
  const struct cli_plot plot = {.title = title,
                                .abscissa = "tolerance",
                                .x = tolerances,
                                .points = HAUG_TOLERANCES,
                                .stride = 1,
                                .panels = panel,
                                .panel_count = 1,
                                .logarithmic = true,
                                .dots = true};
  return cli_bench_draw(ctx, a, &plot);
}

cmb_status cli_haug_draw_errors(cmb_context *ctx, const struct cli_arguments *a, int m,
                                double error[HAUG_TOLERANCES][2])
{
  static const char *const titles[HAUG_METHODS] = {
      "HMMWV14: errors of trap (Haug, Negrut, Engstler 1999, Fig. 5)",
      "HMMWV14: errors of sdirk4 (Haug, Negrut, Engstler 1999, Fig. 6)"};
  double ours[2][HAUG_TOLERANCES], paper[2][HAUG_TOLERANCES];
  struct cli_panel panel = {.title = "error over 2 s", .logarithmic = true};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < HAUG_TOLERANCES; k++) {
      ours[i][k] = error[k][i];
      paper[i][k] = cli_haug_paper_errors[m][k][i];
    }
  }
  add_pair(&panel, "position [m]", ours[0], "paper", paper[0]);
  add_pair(&panel, "velocity [m/s]", ours[1], "paper", paper[1]);
  return draw_over_tolerances(ctx, a, titles[m], &panel);
}

/* Converts seconds[n] to ms[n] in milliseconds, so that the paper's times and the bench's have a common axis. */
static void in_milliseconds(int n, const double *seconds, double *ms)
{
  for (int i = 0; i < n; i++) ms[i] = 1e3 * seconds[i];
}

cmb_status cli_haug_draw_times(cmb_context *ctx, const struct cli_arguments *a,
                               const struct haug_cost cost[HAUG_METHODS])
{
  double paper[HAUG_METHODS][HAUG_TOLERANCES];
  struct cli_panel panel = {.title = "CPU time of 2 s [ms]", .logarithmic = true};
  for (int m = 0; m < HAUG_METHODS; m++) {
    in_milliseconds(HAUG_TOLERANCES, cli_haug_paper_times[m][TWO_SECONDS], paper[m]);
    add_pair(&panel, cli_haug_names[m], cost[m].ms[TWO_SECONDS], "paper", paper[m]);
  }
  return draw_over_tolerances(
      ctx, a, "HMMWV14: times of trap and sdirk4 (Haug, Negrut, Engstler 1999, Fig. 7)", &panel);
}

/* Draws the times of abm and of the paper's explicit method against the length of the run, if --plot is given, to a file with "-length" added
 * to the name of the plot. The axes are linear, since the paper states that both are proportional. */
static cmb_status draw_lengths(cmb_context *ctx, const struct cli_arguments *a,
                               const struct haug_cost *abm)
{
  double lengths[HAUG_LENGTHS], ours[HAUG_LENGTHS], paper[HAUG_LENGTHS];
  for (int i = 0; i < HAUG_LENGTHS; i++) {
    lengths[i] = i + 1;
    ours[i] = 1e-3 * abm->ms[i][AT_1E_3] / HAUG_EXPLICIT_PART;
    paper[i] = cli_haug_paper_explicit[i][AT_1E_3];
  }
  const struct cli_panel panels[] = {{.title = "CPU time at 1e-3 [s]",
                                      .curves = {{.name = "abm, times 100", .y = ours}},
                                      .curve_count = 1},
                                     {.title = "the paper's [s]",
                                      .curves = {{.name = "ExplDEABM", .y = paper, .dashes = 1}},
                                      .curve_count = 1}};
  const struct cli_plot plot = {
      .title = "HMMWV14: times of an explicit method (Haug, Negrut, Engstler 1999, Fig. 10)",
      .abscissa = "length of the run [s]",
      .x = lengths,
      .points = HAUG_LENGTHS,
      .stride = 1,
      .panels = panels,
      .panel_count = 2,
      .dots = true};
  return cli_bench_draw_beside(ctx, a, "-length", &plot);
}

cmb_status cli_haug_draw_explicit(cmb_context *ctx, const struct cli_arguments *a,
                                  const struct haug_cost *abm)
{
  double ours[HAUG_TOLERANCES], paper[HAUG_TOLERANCES];
  struct cli_panel panel = {.title = "CPU time of 2 s [ms]", .logarithmic = true};
  for (int k = 0; k < HAUG_TOLERANCES; k++) {
    ours[k] = abm->ms[TWO_SECONDS][k] / HAUG_EXPLICIT_PART;
  }
  in_milliseconds(HAUG_TOLERANCES, cli_haug_paper_explicit[TWO_SECONDS], paper);
  add_pair(&panel, "abm, times 100", ours, "paper (ExplDEABM)", paper);
  CMB_TRY(draw_over_tolerances(
      ctx, a, "HMMWV14: times of an explicit method (Haug, Negrut, Engstler 1999, Fig. 9)",
      &panel));
  return draw_lengths(ctx, a, abm);
}
