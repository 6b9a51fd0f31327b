/*
 * Draws the picture of a wheelset on a track (rail.h). Above, both sides as they are seen from behind: the wheel touching the rail (dashed) and
 * raised, with lines that join the contact points on both for each lateral displacement of the table. Below, four diagrams: contact points
 * on the wheels, difference of the rolling radii and contact angles over the lateral displacement, and equivalent conicity over the amplitude.
 */
#include "cli/diagram.h"
#include "cli/plot.h"
#include "cli/rail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in pixels. */
enum {
  WIDTH = 400, /* of a diagram and of a picture of a side */
  HEIGHT = 190,
  LEFT = 62, /* margins of the picture */
  TOP = 62,
  SIDE_HEIGHT = 240,
  ACROSS = 80, /* distances between diagrams */
  DOWN = 84,
  OUTLINE = 500 /* number of points with which a profile is drawn */
};

static const double DEGREE = 0.017453292519943295; /* in rad */
static const double MM = 1e-3;
/* m: what a picture of a side shows, from the tape line inwards and outwards and below the top of the rail; how far the wheel is raised */
static const double INWARDS = 0.073, OUTWARDS = 0.063, BELOW = 0.030, RAISED = 0.030;

/* ---- the profiles */

/* A picture of one side: scale and position. */
struct view {
  double left, top, scale; /* pixels; pixels in a metre */
  double inner;            /* distance of its inner edge from the middle of the track, in m */
  cmb_rail_side side;
};

/* Returns the horizontal position in pixels of a point at the distance `out` from the middle of the track. */
static double across(const struct view *v, double out)
{
  const double x = v->scale * (out - v->inner);
  return v->side == CMB_RAIL_LEFT ? v->left + WIDTH - x : v->left + x;
}

/* Returns the vertical position in pixels of a point at the height z above the rails. */
static double up(const struct view *v, double z)
{
  return v->top + SIDE_HEIGHT - v->scale * (z + BELOW);
}

/* Draws a profile that is displaced by (y, z), as a line of the class `class`. */
static void put_profile(FILE *to, const struct view *v, const cmb_profile *p, double y, double z,
                        const char *class)
{
  const double length = cmb_profile_about(p).length;
  fprintf(to, "<polyline class='%s' points='", class);
  for (int i = 0; i <= OUTLINE; i++) {
    const cmb_profile_point q = cmb_profile_at(p, length * i / OUTLINE);
    fprintf(to, "%.2f,%.2f ", across(v, y + q.y), up(v, z + q.z));
  }
  fputs("'/>\n", to);
}

/* Returns the displacement of a wheel's profile in the middle of the track: the distance outwards, and with `height` the height. */
static double wheel_place(const struct cli_rail *r, cmb_rail_side side, bool height)
{
  const cmb_wheel_contact *c = &r->table.row[0].c.at[side];
  for (int i = 0; i < r->table.count; i++) {
    if (r->table.row[i].c.y == 0) c = &r->table.row[i].c.at[side];
  }
  return height ? c->z - c->wheel_z : fabs(c->y) - c->wheel_y;
}

/* Returns whether a line is labelled with its lateral displacement y: with steps of less than 1 mm only whole millimetres are. */
static bool is_labelled(const struct cli_rail *r, double y)
{
  return r->step > 0.999 * MM || fabs(y / MM - round(y / MM)) < 1e-6;
}

/* Draws the lines that join the contact points, each with its lateral displacement above the wheel if there is room. */
static void put_joins(FILE *to, const struct cli_rail *r, const struct view *v)
{
  const double y = wheel_place(r, v->side, false), z = wheel_place(r, v->side, true) + RAISED;
  const double rail = fabs(cmb_contact_rail_place(r->geometry, v->side));
  double last = -INFINITY;
  for (int i = 0; i < r->table.count; i++) {
    const struct cli_rail_row *row = &r->table.row[i];
    const cmb_wheel_contact *c = &row->c.at[v->side];
    const double x = across(v, y + c->wheel_y), top = up(v, z + c->wheel_z);
    if (row->jump && row->side != v->side) continue;
    fprintf(to, "<path class='%s' d='M%.2f %.2fL%.2f %.2f'/>\n", row->jump ? "jump" : "join", x,
            top, across(v, rail + c->rail_y), up(v, c->rail_z));
    if (row->jump || fabs(x - last) < 20 || !is_labelled(r, row->c.y)) continue;
    fprintf(to, "<text x='%.1f' y='%.1f' class='m tiny'>%.4g</text>\n", x, v->top + 12,
            row->c.y / MM);
    fprintf(to, "<path class='grid' d='M%.1f %.1fL%.1f %.1f'/>\n", x, v->top + 15, x, top - 2);
    last = x;
  }
}

/* Draws one side. */
static void put_side(FILE *to, const struct cli_rail *r, cmb_rail_side side)
{
  const double tape = r->set.back_to_back / 2 + 0.070;
  const struct view v = {.left = LEFT + (side == CMB_RAIL_LEFT ? 0 : WIDTH + ACROSS),
                         .top = TOP,
                         .scale = WIDTH / (INWARDS + OUTWARDS),
                         .inner = tape - INWARDS,
                         .side = side};
  const double y = wheel_place(r, side, false), z = wheel_place(r, side, true);
  fprintf(to,
          "<clipPath id='side%d'><rect x='%.1f' y='%.1f' width='%d' height='%d'/></clipPath>\n"
          "<g clip-path='url(#side%d)'>\n",
          (int)side, v.left, v.top, WIDTH, SIDE_HEIGHT, (int)side);
  put_joins(to, r, &v);
  put_profile(to, &v, r->set.rail[side], fabs(cmb_contact_rail_place(r->geometry, side)), 0,
              "profile");
  put_profile(to, &v, r->set.wheel[side], y, z, "touching");
  put_profile(to, &v, r->set.wheel[side], y, z + RAISED, "profile");
  fprintf(to,
          "</g>\n<rect x='%.1f' y='%.1f' width='%d' height='%d' class='box'/>\n<text x='%.1f' "
          "y='%.1f'>%s</text>\n",
          v.left, v.top, WIDTH, SIDE_HEIGHT, v.left, v.top - 10,
          side == CMB_RAIL_LEFT ? "Left side, seen from behind, with y [mm]"
                                : "Right side, seen from behind, with y [mm]");
}

/* ---- the diagrams */

/* Returns quantity `what` of a line for the diagrams: 0: contact point on the left wheel, 1: on the right wheel, 2: difference of the radii, all
 * in mm; 3, 4: contact angles of the left and right wheel in degrees. */
static double quantity(const struct cli_rail_row *row, int what)
{
  switch (what) {
  case 0: return row->c.at[CMB_RAIL_LEFT].wheel_y / MM;
  case 1: return row->c.at[CMB_RAIL_RIGHT].wheel_y / MM;
  case 2: return cli_rail_difference(row) / MM;
  case 3: return row->c.at[CMB_RAIL_LEFT].angle / DEGREE;
  default: return row->c.at[CMB_RAIL_RIGHT].angle / DEGREE;
  }
}

/* Fills a curve of a quantity over the lateral displacement in mm, with a gap at each jump of its side (of either one for the difference of
 * the radii). x and y have room for two numbers a line. */
static void set_curve(const struct cli_rail *r, int what, double *x, double *y,
                      struct cli_diagram_curve *curve)
{
  const bool both = what == 2;
  const cmb_rail_side side = what == 0 || what == 3 ? CMB_RAIL_LEFT : CMB_RAIL_RIGHT;
  bool before = false;
  curve->points = 0;
  curve->x = x;
  curve->y = y;
  for (int i = 0; i < r->picture.count; i++) {
    const struct cli_rail_row *row = &r->picture.row[i];
    const bool jump = row->jump && (both || row->side == side);
    x[curve->points] = row->c.y / MM;
    y[curve->points++] = quantity(row, what);
    before = jump && !before;
    if (!before) continue;
    x[curve->points] = row->c.y / MM;
    y[curve->points++] = NAN;
  }
}

/* Draws diagram number i of the four. `work` has room for eight numbers a line of r->picture, or two an amplitude. */
static void put_diagram(FILE *to, const struct cli_rail *r, int i, double *work)
{
  static const char *const titles[] = {"Contact point on the wheel [mm from the tape line]",
                                       "Rolling radius difference [mm]", "Contact angle [°]",
                                       "Equivalent conicity"};
  const int row = i / 2;
  struct cli_diagram d = {.title = titles[i],
                          .abscissa = i < 3 ? "lateral displacement y [mm]" : "amplitude [mm]",
                          .left = LEFT + (i % 2) * (WIDTH + ACROSS),
                          .top = TOP + SIDE_HEIGHT + DOWN + row * (HEIGHT + DOWN) - 20,
                          .width = WIDTH,
                          .height = HEIGHT,
                          .count = i == 0 || i == 2 ? 2 : 1};
  const int half = 2 * r->picture.count;
  if (i == 0 || i == 2) {
    set_curve(r, i == 0 ? 0 : 3, work, work + half, &d.curves[0]);
    set_curve(r, i == 0 ? 1 : 4, work + 2 * half, work + 3 * half, &d.curves[1]);
    strcpy(d.curves[0].name, "left");
    strcpy(d.curves[1].name, "right");
  }
  if (i == 1) set_curve(r, 2, work, work + half, &d.curves[0]);
  if (i == 3) {
    for (int k = 0; k < r->amplitude_count; k++) work[k] = r->amplitude[k] / MM;
    d.curves[0] =
        (struct cli_diagram_curve){.x = work, .y = r->conicity, .points = r->amplitude_count};
  }
  cli_diagram_draw(to, &d);
}

void cli_rail_draw(FILE *to, const void *rail)
{
  const struct cli_rail *r = rail;
  char title[1024], whole[1200];
  const size_t room = 8 * (size_t)r->picture.count + (size_t)r->amplitude_count;
  double *work = malloc(room * sizeof *work);
  cli_rail_title(r, sizeof title, title);
  snprintf(whole, sizeof whole, "%s, gauge %.6g mm, back to back %.6g mm, cant %.5g", title,
           r->set.gauge / MM, r->set.back_to_back / MM, r->cant);
  const size_t length = strlen(whole);
  if (r->set.penetration > 0)
    snprintf(whole + length, sizeof whole - length, ", penetration %.4g mm",
             r->set.penetration / MM);
  cli_diagram_begin(to, LEFT + 2 * WIDTH + ACROSS + 24,
                    TOP + SIDE_HEIGHT + 2 * (HEIGHT + DOWN) + 24, whole);
  fputs("<style>.profile{stroke:#222}.touching{stroke:#999;stroke-dasharray:4 3}"
        ".join{stroke:#0072b2;stroke-width:.7}.jump{stroke:#d55e00;stroke-dasharray:3 2}"
        ".tiny{font-size:9px}</style>\n",
        to);
  put_side(to, r, CMB_RAIL_LEFT);
  put_side(to, r, CMB_RAIL_RIGHT);
  for (int i = 0; i < 4 && work; i++) put_diagram(to, r, i, work);
  fputs("</svg>\n", to);
  free(work);
}
