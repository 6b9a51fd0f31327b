/*
 * Computes the reference line of OpenCRG roads; called by crg_grid.c (crg.h; ASAM OpenCRG 1.2, chapter 3). Neighbouring points have the
 * distance du,
 *
 *     x_i = x_{i-1} + du cos φ_i,   y_i = y_{i-1} + du sin φ_i
 *
 * where the heading φ_i belongs to the interval that ends at u_i: the heading of the first row is not used. Between the points a line that
 * turns is the natural spline through them (expr/foot.h).
 *
 * Positions and headings that are given twice, by increments and by an end, have to agree: to 1 mm, the least increment that the format
 * expects (its CHECK_INC), headings and other ratios to 1e-6 (its CHECK_EPS).
 *
 * There has to be one height at each place (x, y). So all of the road has to be nearer to its own part of the line than to any other part,
 * and nearer than the centre that the line turns around.
 */
#include "base/context.h"
#include "base/text.h"
#include "expr/foot.h"
#include "model/crg.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* The reach (the distance up to which there is one nearest point of the line) is computed from the points alone. If it is at least this
 * many increments, what lies between the points does not reduce it by more than the margin that foot.h allows: chords and arcs differ by
 * du²/(8 r), 1/128 of the radius of curvature r each. */
enum { LEAST_STEPS = 4 };

/* A closed line has no gap if its first and last points are nearer to each other than this, in increments (as in foot.c). */
static const double MEETS = 0.1;

cmb_status cmb_crg_agree(const cmb_crg_file *c, cmb_crg_key key, const char *name, double expected,
                         double tolerance)
{
  const double value = cmb_crg_value_of(c, key);
  if (!cmb_crg_is_given(c, key) || fabs(value - expected) <= tolerance) return CMB_OK;
  return cmb_reader_fail(c->r, cmb_crg_place(c, c->value[key].line, 1),
                         "'%s' is %s; the other numbers of the file give %s", name,
                         cmb_shortest(value).text, cmb_shortest(expected).text);
}

int cmb_crg_column(const cmb_crg_file *c, cmb_crg_channel_kind kind)
{
  for (int i = 0; i < c->channel_count; i++) {
    if (c->channels[i].kind == kind) return i;
  }
  return -1;
}

/* ---- lengths and headings */

/* Checks that an OpenCRG file gives the increment of the reference line, that it is positive and the road's length finite, and that there
 * are two or more rows of data. If the file gives the coordinate u of the road's end, this must agree with increment and number of rows. */
cmb_status cmb_crg_check_length(const cmb_crg_file *c)
{
  const double step = cmb_crg_value_of(c, CMB_CRG_INCREMENT);
  if (!cmb_crg_is_given(c, CMB_CRG_INCREMENT)) {
    return cmb_reader_fail(
        c->r, cmb_crg_place(c, c->data_line, 1),
        "'REFERENCE_LINE_INCREMENT' is not given in $ROAD_CRG; expected a number");
  }
  if (!(step > 0) || !isfinite(step * c->rows)) {
    return cmb_reader_fail(c->r, cmb_crg_place(c, c->value[CMB_CRG_INCREMENT].line, 1),
                           "'REFERENCE_LINE_INCREMENT' is %g; expected a number greater than 0 and "
                           "a road of finite length",
                           step);
  }
  if (c->rows < 2) {
    return cmb_reader_fail(c->r, cmb_crg_place(c, c->data_line, 1),
                           "the file has %d row%s of data; expected two or more", c->rows,
                           c->rows == 1 ? "" : "s");
  }
  return cmb_crg_agree(c, CMB_CRG_END_U, "REFERENCE_LINE_END_U",
                       cmb_crg_value_of(c, CMB_CRG_START_U) + step * (c->rows - 1),
                       fmin(CMB_CRG_SAME_PLACE, step / 2));
}

/* Checks that the heading under `key`, for the start or the end of an OpenCRG road, agrees with `heading` (rad), the one in the data there,
 * up to multiples of 2π; `name` is the key's name for messages. A file that does not give the key is accepted. */
static cmb_status check_heading(const cmb_crg_file *c, cmb_crg_key key, const char *name,
                                double heading)
{
  const double turns = round((cmb_crg_value_of(c, key) - heading) / (2 * pi));
  return cmb_crg_agree(c, key, name, heading + 2 * pi * turns, CMB_CRG_SAME_RATIO);
}

cmb_status cmb_crg_find_heading(const cmb_crg_file *c, cmb_crg *crg)
{
  const int column = cmb_crg_column(c, CMB_CRG_PHI);
  double heading =
      column < 0 ? cmb_crg_value_of(c, CMB_CRG_START_PHI) : cmb_crg_number(c, 1, column);
  crg->phi = heading;
  for (int i = 1; i < c->rows && column >= 0; i++) {
    heading = cmb_crg_number(c, i, column);
    crg->turns = crg->turns || fabs(heading - crg->phi) > CMB_CRG_SAME_RATIO;
    if (!isnan(heading) && isfinite(heading - crg->phi)) continue;
    return cmb_reader_fail(c->r, cmb_crg_row_place(c, i),
                           isnan(heading)
                               ? "row %d has no heading; expected a number"
                               : "the heading in row %d is too large; expected a finite angle",
                           i + 1);
  }
  CMB_TRY(check_heading(c, CMB_CRG_START_PHI, "REFERENCE_LINE_START_PHI", crg->phi));
  return check_heading(c, CMB_CRG_END_PHI, "REFERENCE_LINE_END_PHI", heading);
}

/* ---- the line */

/* Computes the points (x[i], y[i]) of an OpenCRG road's reference line, i < c->rows, in a frame with its origin at the first point and its
 * x-axis along the first interval. x[0] and y[0] must be 0. */
static void find_points(const cmb_crg_file *c, const cmb_crg *crg, double *x, double *y)
{
  const int column = cmb_crg_column(c, CMB_CRG_PHI);
  const double step = cmb_crg_value_of(c, CMB_CRG_INCREMENT);
  for (int i = 1; i < c->rows; i++) {
    const double turned = crg->turns ? cmb_crg_number(c, i, column) - crg->phi : 0;
    x[i] = crg->turns ? x[i - 1] + step * cos(turned) : step * i;
    y[i] = y[i - 1] + step * sin(turned);
  }
}

static cmb_status check_end(const cmb_crg_file *c, double phi, double x, double y)
{
  CMB_TRY(cmb_crg_agree(c, CMB_CRG_END_X, "REFERENCE_LINE_END_X",
                        cmb_crg_value_of(c, CMB_CRG_START_X) + x * cos(phi) - y * sin(phi),
                        CMB_CRG_SAME_PLACE));
  return cmb_crg_agree(c, CMB_CRG_END_Y, "REFERENCE_LINE_END_Y",
                       cmb_crg_value_of(c, CMB_CRG_START_Y) + x * sin(phi) + y * cos(phi),
                       CMB_CRG_SAME_PLACE);
}

/* Checks that one side of a road, which extends by `width` from its reference line, is within the reach limit->reach: the distance up to
 * which each place has one nearest point of the line. The reach must also be at least LEAST_STEPS increments. The error message says
 * whether the road overlaps itself, its line turns too sharply, or it reaches beyond the centre of a turn. */
static cmb_status check_side(const cmb_crg_file *c, const cmb_foot_limit *limit, double width,
                             const char *side)
{
  const double step = cmb_crg_value_of(c, CMB_CRG_INCREMENT);
  const cmb_place place = cmb_crg_row_place(c, limit->at > 0 ? limit->at : 0);
  const double apart = fabs((double)limit->at - limit->other) * step;
  const double needed = fmax(width, LEAST_STEPS * step);
  if (limit->reach >= needed) return CMB_OK;
  if (apart >= 4 * fmax(limit->reach, step)) {
    return cmb_reader_fail(
        c->r, place,
        "the road overlaps itself to the %s in rows %d and %d: only up to a distance of %.4g m "
        "from "
        "the reference line does each place have one height; expected at least %.4g m, %s",
        side, limit->at + 1, limit->other + 1, limit->reach, needed,
        needed > width ? "the least that this increment permits" : "the width on this side");
  }
  if (limit->reach < LEAST_STEPS * step) {
    return cmb_reader_fail(c->r, place,
                           "the reference line turns too sharply in row %d; expected a radius of "
                           "more than %d increments, which are %g",
                           limit->at + 1, LEAST_STEPS, LEAST_STEPS * step);
  }
  return cmb_reader_fail(
      c->r, place,
      "the road reaches %.9g to the %s, beyond the centre that the reference line "
      "turns around in row %d; expected one height at each place, which it has "
      "up to %.9g",
      width, side, limit->at + 1, limit->reach);
}

/* Checks that a closed reference line with the points (x[i], y[i]) ends at its first point, to within a tenth of the increment, because the
 * file gives no heights in a gap between the two. An open line is accepted. */
static cmb_status check_seam(const cmb_crg_file *c, const double *x, const double *y,
                             const cmb_crg *crg)
{
  const int last = c->rows - 1;
  const double apart = hypot(x[last] - x[0], y[last] - y[0]);
  const bool closed = crg->line->c[3] > 0;
  if (!closed || apart < MEETS * cmb_crg_value_of(c, CMB_CRG_INCREMENT)) return CMB_OK;
  return cmb_reader_fail(c->r, cmb_crg_row_place(c, last),
                         "the course ends %.4g before its start, and there are no heights between "
                         "them; expected the first row once more at its end",
                         apart);
}

/* Creates crg->line, the function that converts a position to coordinates along and across a road's curved reference line through the
 * points (x[i], y[i]). Checks that the road lies within the line's reach on both sides (the distance up to which each place has only one
 * nearest point of the line). Returns an error, with crg->line NULL, if it does not. */
static cmb_status make_turning_line(const cmb_crg_file *c, const double *x, const double *y,
                                    cmb_crg *crg)
{
  const double step = cmb_crg_value_of(c, CMB_CRG_INCREMENT);
  const double width[] = {[CMB_FOOT_RIGHT] = -crg->v[0], [CMB_FOOT_LEFT] = crg->v[crg->nv - 1]};
  const double wide = fmax(fabs(width[0]), fabs(width[1])),
               most = fmax(100, 2 * LEAST_STEPS * step) + 2 * wide;
  cmb_foot_limit limit[CMB_FOOT_SIDES];
  if (!(step >= 1e-6 && step * c->rows <= 1e9 && wide <= 1e9)) {
    return cmb_reader_fail(
        c->r, cmb_crg_place(c, c->value[CMB_CRG_INCREMENT].line, 1),
        "this road, which turns, has increments of %s, a length of %s and a width "
        "of %s on one side; expected increments of 1e-6 or more, and a length and "
        "a width of 1e9 or less",
        cmb_shortest(step).text, cmb_shortest(step * c->rows).text, cmb_shortest(wide).text);
  }
  CMB_TRY(cmb_foot_create(c->r->ctx, c->rows, x, y, step, most, limit, &crg->line));
  const int worse =
      limit[CMB_FOOT_RIGHT].reach < limit[CMB_FOOT_LEFT].reach ? CMB_FOOT_RIGHT : CMB_FOOT_LEFT;
  cmb_status status = check_seam(c, x, y, crg);
  for (int k = 0; k < CMB_FOOT_SIDES && status == CMB_OK; k++) {
    const int side = k == 0 ? worse : CMB_FOOT_SIDES - 1 - worse;
    status = check_side(c, &limit[side], width[side], side == CMB_FOOT_RIGHT ? "right" : "left");
  }
  if (status == CMB_OK) return CMB_OK;
  cmb_table_destroy(crg->line);
  crg->line = NULL;
  return status;
}

cmb_status cmb_crg_make_line(const cmb_crg_file *c, cmb_crg *crg)
{
  const int n = c->rows;
  double *x = cmb_arena_doubles(c->r->scratch, n), *y = cmb_arena_doubles(c->r->scratch, n);
  if (!x || !y) return cmb_fail_memory(c->r->ctx);
  find_points(c, crg, x, y);
  CMB_TRY(check_end(c, crg->phi, x[n - 1], y[n - 1]));
  return crg->turns ? make_turning_line(c, x, y, crg) : CMB_OK;
}
