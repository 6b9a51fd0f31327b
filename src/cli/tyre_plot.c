/*
 * Draws the picture of a tyre (tyre.h) with six panels: Fx over slip, Fy and Mz over slip angle at several loads; Fy over Fx at several
 * slip angles, where each curve runs through all slips at the nominal load; stiffnesses and greatest friction over load.
 */
#include "cli/plot.h"
#include "cli/tyre.h"

#include <math.h>
#include <string.h>

/* Sizes in pixels, and numbers. */
enum {
  PANEL = 250, /* width of a panel */
  PANEL_HEIGHT = 200,
  LEFT = 62, /* margins of the picture */
  TOP = 62,
  ACROSS = 76, /* distances between panels */
  DOWN = 88,
  COLUMNS = 3, /* panels side by side */
  CURVES = 4   /* in a panel, at most */
};

static const char *const COLOURS[CURVES] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7"};
static const double DEGREE = 0.017453292519943295; /* in rad */

struct curve {
  double x[CLI_TYRE_POINTS], y[CLI_TYRE_POINTS]; /* in the units of the axes; may be NaN */
  char name[32];                                 /* in the legend */
};

struct panel {
  const char *title, *abscissa;
  struct curve curves[CURVES];
  int count, points;               /* number of curves; of points of each */
  double low[2], high[2], step[2]; /* range and tick spacing of both axes */
};

/* ---- axes */

/* Returns a tick spacing of 1, 2 or 5 times a power of ten for an axis of length `size` (in the unit of the axis), so that it has about
 * four ticks. */
static double nice_step(double size)
{
  const double power = pow(10, floor(log10(size / 4))), digit = size / 4 / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

/* Sets the range and the tick spacing of an axis of a panel (0: abscissa, 1: ordinate) so that it contains all finite values of the curves,
 * with a margin of 4 % at both ends of an ordinate. Without two different values, the range without margin is 0 to 1. */
static void set_axis(struct panel *p, int axis)
{
  double low = INFINITY, high = -INFINITY;
  for (int c = 0; c < p->count; c++) {
    const double *v = axis ? p->curves[c].y : p->curves[c].x;
    for (int i = 0; i < p->points; i++) {
      if (!isfinite(v[i])) continue;
      low = fmin(low, v[i]);
      high = fmax(high, v[i]);
    }
  }
  if (!(high > low)) low = 0, high = 1;
  p->step[axis] = nice_step(high - low);
  const double room = axis ? 0.04 * (high - low) : 0;
  p->low[axis] = low - room;
  p->high[axis] = high + room;
}

/* Returns the horizontal position, in pixels, of the abscissa x in a panel of the plot whose left edge is at `left` pixels. */
static double place_x(const struct panel *p, double left, double x)
{
  return left + PANEL * (x - p->low[0]) / (p->high[0] - p->low[0]);
}

/* Returns the vertical position, in pixels, of the ordinate y in a panel of the plot whose upper edge is at `top` pixels. */
static double place_y(const struct panel *p, double top, double y)
{
  return top + PANEL_HEIGHT * (p->high[1] - y) / (p->high[1] - p->low[1]);
}

/* Draws the grid lines of a panel of the plot, and the number of each beside the panel, as SVG. `left` and `top` are the edges of the panel
 * in pixels. */
static void put_ticks(FILE *to, const struct panel *p, double left, double top)
{
  for (double k = ceil(p->low[0] / p->step[0] - 1e-9); k * p->step[0] <= p->high[0] * (1 + 1e-9);
       k++) {
    const double x = place_x(p, left, k * p->step[0]);
    fprintf(to,
            "<path d='M%.1f %.1fv%d' class='grid'/><text x='%.1f' y='%.1f' class='m'>%g</text>\n",
            x, top, PANEL_HEIGHT, x, top + PANEL_HEIGHT + 15, k * p->step[0] + 0.0);
  }
  for (double k = ceil(p->low[1] / p->step[1]); k * p->step[1] <= p->high[1]; k++) {
    const double y = place_y(p, top, k * p->step[1]);
    fprintf(to,
            "<path d='M%.1f %.1fh%d' class='grid'/><text x='%.1f' y='%.1f' class='e'>%g</text>\n",
            left, y, PANEL, left - 6, y + 4, k * p->step[1] + 0.0);
  }
}

/* Draws a panel of the plot as SVG: grid, curves, title, label of the abscissa and legend. Sets the ranges of its axes first. `number` is its
 * place in the picture, counted from 0 row by row. */
static void put_panel(FILE *to, struct panel *p, int number)
{
  const double left = LEFT + (number % COLUMNS) * (PANEL + ACROSS);
  const int row = number / COLUMNS;
  const double top = TOP + row * (PANEL_HEIGHT + DOWN);
  set_axis(p, 0);
  set_axis(p, 1);
  put_ticks(to, p, left, top);
  fprintf(to, "<rect x='%.1f' y='%.1f' width='%d' height='%d' class='box'/>\n", left, top, PANEL,
          PANEL_HEIGHT);
  for (int c = 0; c < p->count; c++) {
    fprintf(to, "<polyline stroke='%s' points='", COLOURS[c]);
    for (int i = 0; i < p->points; i++) {
      if (!isfinite(p->curves[c].y[i])) continue;
      fprintf(to, "%.1f,%.1f ", place_x(p, left, p->curves[c].x[i]),
              place_y(p, top, p->curves[c].y[i]));
    }
    fputs("'/>\n", to);
  }
  fprintf(to, "<text x='%.1f' y='%.1f'>", left, top - 22);
  cli_svg_text(to, p->title);
  fprintf(to, "</text><text x='%.1f' y='%.1f' class='m'>", left + PANEL / 2.0,
          top + PANEL_HEIGHT + 31);
  cli_svg_text(to, p->abscissa);
  fprintf(to, "</text><text x='%.1f' y='%.1f' class='small'>", left, top - 7);
  for (int c = 0; c < p->count; c++) {
    fprintf(to, "<tspan fill='%s' dx='%d'>%s</tspan>", COLOURS[c], c ? 10 : 0, p->curves[c].name);
  }
  fputs("</text>\n", to);
}

/* ---- contents of the panels */

/* Returns point number i, from 0, of CLI_TYRE_POINTS evenly spaced points from −limit to limit. */
static double point(double limit, int i)
{
  return limit * (2.0 * i / (CLI_TYRE_POINTS - 1) - 1);
}

/* Sets the name of a curve in the legend to a vertical load, e.g. "4 kN". */
static void name_load(struct curve *c, double load)
{
  snprintf(c->name, sizeof c->name, "%.3g kN", load / 1000);
}

/* Computes the curves of a panel of the tyre plot, one for each load in t->loads. `what` is 0 for the longitudinal force Fx in kN over the
 * slip, 1 for the lateral force Fy in kN and 2 for the aligning moment Mz in N m over the slip angle in degrees. The other slip is 0. */
static void over_slip(const struct cli_tyre *t, int what, struct panel *p)
{
  p->count = CLI_TYRE_LOADS;
  p->points = CLI_TYRE_POINTS;
  for (int c = 0; c < CLI_TYRE_LOADS; c++) {
    const double load = t->loads[c].load;
    name_load(&p->curves[c], load);
    for (int i = 0; i < CLI_TYRE_POINTS; i++) {
      const double slip = what ? 0 : point(t->slip_limit, i),
                   angle = what ? point(t->angle_limit, i) : 0;
      const cmb_tyre_forces f = cli_tyre_forces(t, load, slip, angle);
      p->curves[c].x[i] = what ? angle / DEGREE : slip;
      p->curves[c].y[i] = what == 0 ? f.Fx / 1000 : what == 1 ? f.Fy / 1000 : f.Mz;
    }
  }
}

/* Computes curves of the lateral force of a tyre against its longitudinal force (both in kN) at the nominal load: one curve for each of four
 * slip angles, along which the longitudinal slip covers its whole range. */
static void combined(const struct cli_tyre *t, struct panel *p)
{
  static const double shares[CURVES] = {0.1, 0.25, 0.5, 1};
  p->count = CURVES;
  p->points = CLI_TYRE_POINTS;
  for (int c = 0; c < CURVES; c++) {
    const double angle = shares[c] * t->angle_limit;
    snprintf(p->curves[c].name, sizeof p->curves[c].name, "%.1f°", angle / DEGREE);
    for (int i = 0; i < CLI_TYRE_POINTS; i++) {
      /* points are denser near zero slip, where the forces change most */
      const double s = point(1, i);
      const cmb_tyre_forces f = cli_tyre_forces(t, t->nominal, t->slip_limit * s * fabs(s), angle);
      p->curves[c].x[i] = f.Fx / 1000;
      p->curves[c].y[i] = f.Fy / 1000;
    }
  }
}

/* Computes two curves of a tyre against the vertical load in kN, the first for longitudinal slip, the second for slip angle: the largest
 * force divided by the load if `friction` is set; otherwise the slip stiffness ∂Fx/∂κ in 10 kN and −∂Fy/∂α in kN/rad. */
static void over_load(const struct cli_tyre *t, bool friction, struct panel *p)
{
  double most = 2 * t->nominal;
  cmb_tyre_number(t->tyre, "FZMAX", &most);
  p->count = 2;
  p->points = friction ? CLI_TYRE_LOADS : 41;
  snprintf(p->curves[0].name, sizeof p->curves[0].name, "%s", friction ? "Fx/Fz" : "dFx/dκ /10");
  snprintf(p->curves[1].name, sizeof p->curves[1].name, "%s", friction ? "Fy/Fz" : "−dFy/dα");
  for (int i = 0; i < p->points; i++) {
    double J[CMB_TYRE_FORCES * CMB_TYRE_STATES] = {0};
    cmb_tyre_forces f;
    const double load = friction ? t->loads[i].load : most * i / (p->points - 1);
    const cmb_tyre_state s = {.load = load, .speed = t->speed, .friction = 1};
    const bool good = friction || cmb_tyre_evaluate(t->tyre, &s, &f, J) == CMB_OK;
    p->curves[0].x[i] = p->curves[1].x[i] = load / 1000;
    p->curves[0].y[i] = friction ? t->loads[i].mu_x : good ? J[1] / 1e4 : NAN;
    p->curves[1].y[i] = friction ? t->loads[i].mu_y : good ? -J[CMB_TYRE_STATES + 2] / 1e3 : NAN;
  }
}

void cli_tyre_draw(FILE *to, const void *tyre)
{
  const struct cli_tyre *t = tyre;
  const int width = LEFT + COLUMNS * (PANEL + ACROSS) - ACROSS + 24,
            height = TOP + 2 * (PANEL_HEIGHT + DOWN) - 40;
  static const char *const titles[] = {"Fx [kN]",
                                       "Fy [kN]",
                                       "Mz [N m]",
                                       "Fy [kN] over Fx, by slip angle",
                                       "Stiffness [kN, kN/rad]",
                                       "Peak friction"};
  static const char *const below[] = {"slip κ",  "slip angle α [°]", "slip angle α [°]",
                                      "Fx [kN]", "load [kN]",        "load [kN]"};
  fprintf(
      to,
      "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
      "font-family='sans-serif' font-size='12'>\n<style>polyline{fill:none;stroke-width:1.4}"
      ".grid{stroke:#e4e4e4}.box{fill:none;stroke:#555}.e{text-anchor:end}.m{text-anchor:middle}"
      ".small{font-size:11px}</style>\n<rect width='%d' height='%d' fill='white'/>\n<text x='%d' "
      "y='20' font-size='14' class='m'>",
      width, height, width, height, width, height, width / 2);
  const char *slash = strrchr(t->name, '/');
  cli_svg_text(to, slash ? slash + 1 : t->name);
  fputs("</text>\n", to);
  for (int i = 0; i < 6; i++) {
    struct panel p = {.title = titles[i], .abscissa = below[i]};
    if (i < 3) over_slip(t, i, &p);
    if (i == 3) combined(t, &p);
    if (i > 3) over_load(t, i == 5, &p);
    put_panel(to, &p, i);
  }
  fputs("</svg>\n", to);
}
