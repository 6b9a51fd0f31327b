/*
 * Draws the pictures of `camber bench caraxis` (IVP Test Set, Figs. II.17.2 to 6).
 *
 * A work–precision diagram shows the least time in which a code reaches at least a number of digits: runs that cost more and are less
 * precise, of which a series of tolerances has many, do not appear in it.
 */
#include "base/context.h"
#include "bench/burgermeister.h"
#include "bench/caraxis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 97, PANELS = 4, MOST_SHOWN = PANELS * CLI_PLOT_MOST_CURVES };
enum { COORDINATES = 4, STEPS = 600 };

static const double GRID_STEP = 0.125; /* digits, starting at 0 */

/* The curves of all panels, and their data. */
struct picture {
  double digits[GRID], time[MOST_SHOWN][GRID];
  struct cli_panel panels[PANELS];
  int curves;
  const char *left_out; /* the last code that was left out because its panel was full; NULL: none */
};

/* Returns the panel of the plot in which a code is shown, by the beginning of its name: 1 for implicit methods, 2 for methods in
 * state-space form, 0 for all others (explicit methods and auto). */
static int panel_of(const char *name)
{
  static const struct {
    const char *name;
    int panel;
  } places[] = {{"radau", 1}, {"bdf", 1}, {"IDA", 1}, {"sdirk4", 2}, {"trap", 2}, {"forsdirk", 2}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    if (strncmp(name, places[i].name, strlen(places[i].name)) == 0) return places[i].panel;
  }
  return 0;
}

static double time_of_rival(const struct caraxis_rival *r, int kind, double digits)
{
  double least = NAN;
  for (int k = 0; k < CARAXIS_SHOWN; k++) {
    const double *run = r->runs[k];
    if (run[kind] >= digits && !(run[CARAXIS_MICROSECONDS] >= least)) {
      least = run[CARAXIS_MICROSECONDS];
    }
  }
  return least;
}

/* Adds a curve to a panel of the plot and returns its data array time[GRID], which the caller fills. If the panel is full, returns NULL and
 * records the code's name in p->left_out. */
static double *add_curve(struct picture *p, int panel, const char *name)
{
  struct cli_panel *to = &p->panels[panel];
  if (to->curve_count == CLI_PLOT_MOST_CURVES) {
    p->left_out = name;
    return NULL;
  }
  double *time = p->time[p->curves++];
  to->curves[to->curve_count++] = (struct cli_curve){.name = name, .y = time};
  return time;
}

static void add_code(struct picture *p, int kind, const struct caraxis_code *code)
{
  double *time = add_curve(p, panel_of(code->name), code->name);
  for (int i = 0; time && i < GRID; i++) {
    const int m = cli_caraxis_cheapest(code, kind, p->digits[i]);
    time[i] = m < 0 ? NAN : code->runs[m][CARAXIS_MICROSECONDS];
  }
}

/* Adds the work-precision curve of another code to the last panel, if its numbers of steps and of digits (`kind`: mescd or scd) are known
 * at the first tolerance. */
static void add_rival(struct picture *p, int kind, const struct caraxis_rival *rival)
{
  if (isnan(rival->runs[0][CARAXIS_STEPS]) || isnan(rival->runs[0][kind])) return;
  double *time = add_curve(p, 3, rival->name);
  for (int i = 0; time && i < GRID; i++) time[i] = time_of_rival(rival, kind, p->digits[i]);
}

static cmb_status draw_precision(cmb_context *ctx, const struct cli_arguments *a, int kind,
                                 const char *suffix, const struct picture *p)
{
  static const char *const notes[] = {
      "The least time in which a code reaches so many digits, rtol = atol = h0 = 10^-(4 + m/4), m "
      "= "
      "0 .. 24.",
      "Last panel: codes of the Test Set at 1e-4, 1e-7 and 1e-10, their times measured on another "
      "machine."};
  const struct cli_plot plot = {.title = kind == CARAXIS_SCD
                                             ? "Car axis: work and precision (Figs. II.17.3 and 4)"
                                             : "Car axis: work and precision (Figs. II.17.5 and 6)",
                                .abscissa = kind == CARAXIS_SCD ? "scd" : "mescd",
                                .x = p->digits,
                                .points = GRID,
                                .stride = 1,
                                .panels = p->panels,
                                .panel_count = PANELS,
                                .notes = notes,
                                .note_count = 2};
  return cli_bench_draw_beside(ctx, a, suffix, &plot);
}

/* Draws the four coordinates of the reference solution over time (Fig. II.17.2) to a file with "-motion" added to the name of the plot. */
static cmb_status draw_motion(cmb_context *ctx, const cmb_system *system,
                              const struct cli_arguments *a)
{
  static const char *const names[COORDINATES] = {"xl", "yl", "xr", "yr"};
  struct cli_panel panels[COORDINATES];
  double *q = NULL, t[STEPS + 1];
  const double h = cmb_system_t_end(system) / STEPS;
  cmb_status status = cli_follow_reference(ctx, system, h, STEPS, &q);
  for (int k = 0; k <= STEPS; k++) t[k] = k * h;
  double *columns = calloc((size_t)COORDINATES * (STEPS + 1), sizeof *columns);
  if (status == CMB_OK && !columns) status = cmb_fail_memory(ctx);
  for (int i = 0; status == CMB_OK && i < COORDINATES; i++) {
    double *y = columns + (size_t)i * (STEPS + 1);
    for (int k = 0; k <= STEPS; k++) y[k] = q[k * COORDINATES + i];
    panels[i] = (struct cli_panel){
        .title = names[i], .curves = {{.name = names[i], .y = y}}, .curve_count = 1};
  }
  const struct cli_plot plot = {.title = "Car axis: behaviour of the solution (Fig. II.17.2)",
                                .abscissa = "t [s]",
                                .x = t,
                                .points = STEPS + 1,
                                .stride = 1,
                                .panels = panels,
                                .panel_count = COORDINATES};
  if (status == CMB_OK) status = cli_bench_draw_beside(ctx, a, "-motion", &plot);
  free(columns);
  free(q);
  return status;
}

cmb_status cli_caraxis_draw(cmb_context *ctx, const cmb_system *system,
                            const struct cli_arguments *a, int count,
                            const struct caraxis_code *codes, int rival_count,
                            const struct caraxis_rival *rivals)
{
  static const char *const titles[PANELS] = {"explicit, auto [us]", "implicit [us]",
                                             "state space [us]", "Test Set [us]"};
  static const struct {
    int kind;
    const char *suffix;
  } kinds[] = {{CARAXIS_MESCD, ""}, {CARAXIS_SCD, "-scd"}};
  if (!a->plot) return CMB_OK;
  for (int n = 0; n < 2; n++) {
    struct picture p = {.curves = 0};
    for (int i = 0; i < GRID; i++) p.digits[i] = i * GRID_STEP;
    for (int k = 0; k < PANELS; k++) {
      p.panels[k] = (struct cli_panel){.title = titles[k], .logarithmic = true};
    }
    for (int i = 0; i < count; i++) add_code(&p, kinds[n].kind, &codes[i]);
    for (int i = 0; i < rival_count; i++) add_rival(&p, kinds[n].kind, &rivals[i]);
    if (p.left_out) {
      return cmb_fail(ctx, CMB_ERROR_ARGUMENT, "there is no room for %s in the plot", p.left_out);
    }
    CMB_TRY(draw_precision(ctx, a, kinds[n].kind, kinds[n].suffix, &p));
  }
  return draw_motion(ctx, system, a);
}
