/*
 * Computes the heights of OpenCRG roads on their grid; called by crg.c (crg.h; ASAM OpenCRG 1.2, chapter 3): at the points u_i = i du along
 * the reference line and v_j to the left of it
 *
 *     z_ij = Z_i + b_i v_j + g_ij,   Z_0 = 0,   Z_i = Z_{i-1} + du s_i
 *
 * with the slope s and the banking b from their channels, or from the keys of the start where there is no channel, and the numbers g of the
 * long sections. s_i belongs to the interval that ends at u_i: the slope of the first row is not used. Numbers missing at the ends of a row
 * are replaced by the nearest number of this row.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/crg.h"

#include <math.h>

/* Stores in *x the slope or banking (as `kind` says) of an OpenCRG road's reference line in a row of the data: the number in its column or,
 * if the file has no such column, the value of the key `start` (0 if not given). A number missing in row 0 is replaced by that of the key
 * `start` if the file gives it. Any other missing number is an error. */
static cmb_status line_number(const cmb_crg_file *c, cmb_crg_channel_kind kind, cmb_crg_key start,
                              int row, double *x)
{
  const int column = cmb_crg_column(c, kind);
  *x = column < 0 ? cmb_crg_value_of(c, start) : cmb_crg_number(c, row, column);
  if (isnan(*x) && row == 0 && cmb_crg_is_given(c, start)) *x = cmb_crg_value_of(c, start);
  if (!isnan(*x)) return CMB_OK;
  return cmb_reader_fail(c->r, cmb_crg_row_place(c, row), "row %d has no %s; expected a number",
                         row + 1, kind == CMB_CRG_SLOPE ? "slope" : "banking");
}

/* ---- across */

/* Checks that the last channels (columns of data) of an OpenCRG file are two or more long sections (height profiles along the road), either
 * all with their lateral position or all with the numbers 1, 2, ... Sets *first to the column of the first one. */
static cmb_status check_sections(const cmb_crg_file *c, int *first)
{
  *first = 0;
  while (*first < c->channel_count && c->channels[*first].kind < CMB_CRG_LINE_CHANNELS) ++*first;
  const int count = c->channel_count - *first;
  if (count < 2) {
    return cmb_reader_fail(c->r, cmb_crg_place(c, c->data_line, 1),
                           "the file has %d long section%s; expected two or more", count,
                           count == 1 ? "" : "s");
  }
  for (int j = 0; j < count; j++) {
    const cmb_crg_channel *s = &c->channels[*first + j];
    const cmb_place place = cmb_crg_place(c, s->line, 1);
    if (s->kind != c->channels[*first].kind) {
      return cmb_reader_fail(
          c->r, place,
          "this channel is of another kind than the long section before it; expected "
          "long sections after all other channels, and either v or a number in all "
          "of them");
    }
    if (s->kind == CMB_CRG_SECTION && s->number != j + 1)
      return cmb_reader_fail(c->r, place, "this long section has the number %s; expected %d",
                             cmb_shortest(s->number).text, j + 1);
  }
  return CMB_OK;
}

/* Computes the lateral positions of the `count` long sections (height profiles along an OpenCRG road) if the file gives only their numbers:
 * *right of the first one, and the spacing *step. They follow from two of right border, left border and increment, or from the increment
 * alone, symmetrically about the reference line. It is an error if these are not enough or the spacing is not positive. */
static cmb_status find_increment(const cmb_crg_file *c, int count, double *right, double *step)
{
  const bool has_right = cmb_crg_is_given(c, CMB_CRG_V_RIGHT),
             has_left = cmb_crg_is_given(c, CMB_CRG_V_LEFT);
  *right = cmb_crg_value_of(c, CMB_CRG_V_RIGHT);
  *step = cmb_crg_value_of(c, CMB_CRG_V_INCREMENT);
  if (!cmb_crg_is_given(c, CMB_CRG_V_INCREMENT)) {
    if (!has_right || !has_left) {
      return cmb_reader_fail(
          c->r, cmb_crg_place(c, c->data_line, 1),
          "'LONG_SECTION_V_INCREMENT' is not given in $ROAD_CRG; expected it, "
          "or both 'LONG_SECTION_V_RIGHT' and 'LONG_SECTION_V_LEFT', or channels "
          "'long section at v = ..,m'");
    }
    *step = (cmb_crg_value_of(c, CMB_CRG_V_LEFT) - *right) / (count - 1);
  }
  if (!(*step > 0)) {
    const cmb_crg_key key =
        cmb_crg_is_given(c, CMB_CRG_V_INCREMENT) ? CMB_CRG_V_INCREMENT : CMB_CRG_V_LEFT;
    return cmb_reader_fail(
        c->r, cmb_crg_place(c, c->value[key].line, 1),
        "the distance between long sections is %g; expected a number greater than 0", *step);
  }
  if (!has_right) {
    *right = has_left ? cmb_crg_value_of(c, CMB_CRG_V_LEFT) - *step * (count - 1)
                      : -*step * (count - 1) / 2;
  }
  return CMB_OK;
}

static cmb_status find_positions(const cmb_crg_file *c, int first, cmb_crg *crg)
{
  const int count = crg->nv;
  const bool counted = c->channels[first].kind == CMB_CRG_SECTION;
  double right = 0, step = 0;
  if (counted) CMB_TRY(find_increment(c, count, &right, &step));
  for (int j = 0; j < count; j++)
    crg->v[j] = counted ? right + j * step : c->channels[first + j].number;
  const double *v = crg->v;
  for (int j = 1; j < count; j++) {
    if (v[j] > v[j - 1] && isfinite(v[j])) continue;
    return cmb_reader_fail(c->r, cmb_crg_place(c, c->channels[first + j].line, 1),
                           "v = %s follows v = %s; expected ascending numbers",
                           cmb_shortest(v[j]).text, cmb_shortest(v[j - 1]).text);
  }
  CMB_TRY(cmb_crg_agree(c, CMB_CRG_V_RIGHT, "LONG_SECTION_V_RIGHT", v[0], CMB_CRG_SAME_PLACE));
  CMB_TRY(
      cmb_crg_agree(c, CMB_CRG_V_LEFT, "LONG_SECTION_V_LEFT", v[count - 1], CMB_CRG_SAME_PLACE));
  for (int j = 1; j < count; j++) {
    CMB_TRY(cmb_crg_agree(c, CMB_CRG_V_INCREMENT, "LONG_SECTION_V_INCREMENT", v[j] - v[j - 1],
                          CMB_CRG_SAME_PLACE));
  }
  return CMB_OK;
}

/* ---- heights */

/* Copies the `count` heights in one row of an OpenCRG file's data, from column `first` on, into g[0..count-1]. Heights missing at either
 * end of the row become equal to the nearest one in it. Heights missing in between, or all of them, are an error. */
static cmb_status fill_row(const cmb_crg_file *c, int row, int first, int count, double *g)
{
  int right = 0, left = count - 1;
  for (int j = 0; j < count; j++) g[j] = cmb_crg_number(c, row, first + j);
  while (right < count && isnan(g[right])) right++;
  while (left > right && isnan(g[left])) left--;
  for (int j = right; j <= left; j++) {
    if (!isnan(g[j])) continue;
    return cmb_reader_fail(
        c->r, cmb_crg_row_place(c, row),
        "row %d has no height at long section %d; expected missing heights only at "
        "the ends of a row",
        row + 1, j + 1);
  }
  if (right == count)
    return cmb_reader_fail(c->r, cmb_crg_row_place(c, row),
                           "row %d has no heights; expected at least one", row + 1);
  for (int j = 0; j < right; j++) g[j] = g[right];
  for (int j = left + 1; j < count; j++) g[j] = g[left];
  return CMB_OK;
}

static cmb_status fill_heights(const cmb_crg_file *c, int first, cmb_crg *crg)
{
  const double step = cmb_crg_value_of(c, CMB_CRG_INCREMENT);
  double line = 0;
  for (int i = 0; i < crg->nu; i++) {
    double *z = crg->z + (size_t)i * (size_t)crg->nv, slope = 0, banking;
    if (i > 0) CMB_TRY(line_number(c, CMB_CRG_SLOPE, CMB_CRG_START_S, i, &slope));
    CMB_TRY(line_number(c, CMB_CRG_BANKING, CMB_CRG_START_B, i, &banking));
    CMB_TRY(fill_row(c, i, first, crg->nv, z));
    line += step * slope;
    crg->u[i] = step * i;
    for (int j = 0; j < crg->nv; j++) {
      z[j] += line + banking * crg->v[j];
      if (isfinite(z[j])) continue;
      return cmb_reader_fail(
          c->r, cmb_crg_row_place(c, i),
          "a height of row %d is not finite, since numbers of the file are too large", i + 1);
    }
  }
  return cmb_crg_agree(c, CMB_CRG_END_Z, "REFERENCE_LINE_END_Z",
                       cmb_crg_value_of(c, CMB_CRG_START_Z) + line, CMB_CRG_SAME_PLACE);
}

/* Checks an OpenCRG file without a column of slopes: if it gives the slope at the end of the road, this must equal the slope at the start
 * (0 if not given). Checks the banking in the same way. */
static cmb_status check_constants(const cmb_crg_file *c)
{
  if (cmb_crg_column(c, CMB_CRG_SLOPE) < 0) {
    CMB_TRY(cmb_crg_agree(c, CMB_CRG_END_S, "REFERENCE_LINE_END_S",
                          cmb_crg_value_of(c, CMB_CRG_START_S), CMB_CRG_SAME_RATIO));
  }
  if (cmb_crg_column(c, CMB_CRG_BANKING) >= 0) return CMB_OK;
  return cmb_crg_agree(c, CMB_CRG_END_B, "REFERENCE_LINE_END_B",
                       cmb_crg_value_of(c, CMB_CRG_START_B), CMB_CRG_SAME_RATIO);
}

cmb_status cmb_crg_make_grid(const cmb_crg_file *c, cmb_crg *crg)
{
  cmb_arena *arena = c->r->scratch;
  int first;
  CMB_TRY(check_sections(c, &first));
  CMB_TRY(cmb_crg_check_length(c));
  CMB_TRY(check_constants(c));
  CMB_TRY(cmb_crg_find_heading(c, crg));
  crg->nu = c->rows;
  crg->nv = c->channel_count - first;
  for (int i = 0; i < 3; i++)
    crg->start[i] = cmb_crg_value_of(c, (cmb_crg_key)(CMB_CRG_START_X + i));
  crg->u = cmb_arena_doubles(arena, crg->nu);
  crg->v = cmb_arena_doubles(arena, crg->nv);
  crg->z = cmb_arena_take(arena, (size_t)crg->nu * (size_t)crg->nv, sizeof *crg->z);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(c->r->ctx);
  CMB_TRY(find_positions(c, first, crg));
  CMB_TRY(fill_heights(c, first, crg));
  return cmb_crg_make_line(c, crg);
}
