/*
 * Draws the picture of a tyre (tyre.h) with six panels: Fx over slip, Fy and Mz over slip angle at several loads; Fy over Fx at several
 * slip angles, where each curve runs through all slips at the nominal load; stiffnesses and greatest friction over load.
 */
#include "cli/diagram.h"
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
  CURVES = CLI_DIAGRAM_CURVES
};

static const double DEGREE = 0.017453292519943295; /* in rad */

/* A diagram with the points of its curves. */
struct panel {
  struct cli_diagram d;
  double x[CURVES][CLI_TYRE_POINTS], y[CURVES][CLI_TYRE_POINTS];
};

/* Prepares the diagram for `count` curves of `points` points each. */
static void set_curves(struct panel *p, int count, int points)
{
  p->d.count = count;
  for (int c = 0; c < count; c++) {
    p->d.curves[c].x = p->x[c];
    p->d.curves[c].y = p->y[c];
    p->d.curves[c].points = points;
  }
}

/* ---- contents of the panels */

/* Returns point number i, from 0, of CLI_TYRE_POINTS evenly spaced points from −limit to limit. */
static double point(double limit, int i)
{
  return limit * (2.0 * i / (CLI_TYRE_POINTS - 1) - 1);
}

/* Sets the name of a curve in the legend to a vertical load, e.g. "4 kN". */
static void name_load(struct cli_diagram_curve *c, double load)
{
  snprintf(c->name, sizeof c->name, "%.3g kN", load / 1000);
}

/* Computes the curves of a panel of the tyre plot, one for each load in t->loads. `what` is 0 for the longitudinal force Fx in kN over the
 * slip, 1 for the lateral force Fy in kN and 2 for the aligning moment Mz in N m over the slip angle in degrees. The other slip is 0. */
static void over_slip(const struct cli_tyre *t, int what, struct panel *p)
{
  set_curves(p, CLI_TYRE_LOADS, CLI_TYRE_POINTS);
  for (int c = 0; c < CLI_TYRE_LOADS; c++) {
    const double load = t->loads[c].load;
    name_load(&p->d.curves[c], load);
    for (int i = 0; i < CLI_TYRE_POINTS; i++) {
      const double slip = what ? 0 : point(t->slip_limit, i),
                   angle = what ? point(t->angle_limit, i) : 0;
      const cmb_tyre_forces f = cli_tyre_forces(t, load, slip, angle);
      p->x[c][i] = what ? angle / DEGREE : slip;
      p->y[c][i] = what == 0 ? f.Fx / 1000 : what == 1 ? f.Fy / 1000 : f.Mz;
    }
  }
}

/* Computes curves of the lateral force of a tyre against its longitudinal force (both in kN) at the nominal load: one curve for each of four
 * slip angles, along which the longitudinal slip covers its whole range. */
static void combined(const struct cli_tyre *t, struct panel *p)
{
  static const double shares[CURVES] = {0.1, 0.25, 0.5, 1};
  set_curves(p, CURVES, CLI_TYRE_POINTS);
  for (int c = 0; c < CURVES; c++) {
    const double angle = shares[c] * t->angle_limit;
    snprintf(p->d.curves[c].name, sizeof p->d.curves[c].name, "%.1f°", angle / DEGREE);
    for (int i = 0; i < CLI_TYRE_POINTS; i++) {
      /* points are denser near zero slip, where the forces change most */
      const double s = point(1, i);
      const cmb_tyre_forces f = cli_tyre_forces(t, t->nominal, t->slip_limit * s * fabs(s), angle);
      p->x[c][i] = f.Fx / 1000;
      p->y[c][i] = f.Fy / 1000;
    }
  }
}

/* Computes two curves of a tyre against the vertical load in kN, the first for longitudinal slip, the second for slip angle: the largest
 * force divided by the load if `friction` is set; otherwise the slip stiffness ∂Fx/∂κ in 10 kN and −∂Fy/∂α in kN/rad. */
static void over_load(const struct cli_tyre *t, bool friction, struct panel *p)
{
  double most = 2 * t->nominal;
  cmb_tyre_number(t->tyre, "FZMAX", &most);
  const int points = friction ? CLI_TYRE_LOADS : 41;
  set_curves(p, 2, points);
  snprintf(p->d.curves[0].name, sizeof p->d.curves[0].name, "%s",
           friction ? "Fx/Fz" : "dFx/dκ /10");
  snprintf(p->d.curves[1].name, sizeof p->d.curves[1].name, "%s", friction ? "Fy/Fz" : "−dFy/dα");
  for (int i = 0; i < points; i++) {
    double J[CMB_TYRE_FORCES * CMB_TYRE_STATES] = {0};
    cmb_tyre_forces f;
    const double load = friction ? t->loads[i].load : most * i / (points - 1);
    const cmb_tyre_state s = {.load = load, .speed = t->speed, .friction = 1};
    const bool good = friction || cmb_tyre_evaluate(t->tyre, &s, &f, J) == CMB_OK;
    p->x[0][i] = p->x[1][i] = load / 1000;
    p->y[0][i] = friction ? t->loads[i].mu_x : good ? J[1] / 1e4 : NAN;
    p->y[1][i] = friction ? t->loads[i].mu_y : good ? -J[CMB_TYRE_STATES + 2] / 1e3 : NAN;
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
  const char *slash = strrchr(t->name, '/');
  cli_diagram_begin(to, width, height, slash ? slash + 1 : t->name);
  for (int i = 0; i < 6; i++) {
    const int row = i / COLUMNS;
    struct panel p = {.d = {.title = titles[i],
                            .abscissa = below[i],
                            .left = LEFT + (i % COLUMNS) * (PANEL + ACROSS),
                            .top = TOP + row * (PANEL_HEIGHT + DOWN),
                            .width = PANEL,
                            .height = PANEL_HEIGHT}};
    if (i < 3) over_slip(t, i, &p);
    if (i == 3) combined(t, &p);
    if (i > 3) over_load(t, i == 5, &p);
    cli_diagram_draw(to, &p.d);
  }
  fputs("</svg>\n", to);
}
