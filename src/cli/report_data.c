/*
 * Writes the numbers of a report as JSON (report.h): arrays are base64 strings of their bytes in memory, which the viewer takes as
 * little-endian.
 *
 * A column consists of a number `base` and the differences to it in single precision, so that a quantity that stays near a large value,
 * such as an energy, keeps its digits. A column beyond the range of single precision is written in double precision (`exact`), as are all
 * columns of a page that compares runs. Times are in double precision. A pose consists of seven single-precision numbers: the position of
 * the centre of mass and the quaternion (x, y, z, w) of the rotation from the design position.
 */
#include "cli/facts.h"
#include "cli/report.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Writes the numbers x[n] in single precision, as a base64 string, under a key of a JSON object. */
static void put_floats(struct cli_json *j, const char *key, long n, const float *x)
{
  cli_json_bytes(j, key, x, (size_t)n * sizeof *x);
}

/* Writes the numbers x[n] in double precision, as a base64 string, under a key of a JSON object. */
static void put_doubles(struct cli_json *j, const char *key, long n, const double *x)
{
  cli_json_bytes(j, key, x, (size_t)n * sizeof *x);
}

/* ---- poses */

/* Computes the unit quaternion q = (x, y, z, w) with w ≥ 0 of the rotation matrix R, which is stored by rows. Divides by the largest
 * component, for accuracy (Shepperd 1978). */
static void quaternion_of(const double R[9], float q[4])
{
  /* 4x², 4y², 4z², 4w² */
  const double four[4] = {1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8],
                          1 + R[0] + R[4] + R[8]};
  const double xy = R[1] + R[3], yz = R[5] + R[7], zx = R[2] + R[6];
  /* four times the products of two components */
  const double xw = R[7] - R[5], yw = R[2] - R[6], zw = R[3] - R[1];
  const double rows[4][4] = {
      {four[0], xy, zx, xw}, {xy, four[1], yz, yw}, {zx, yz, four[2], zw}, {xw, yw, zw, four[3]}};
  int most = 3;
  for (int i = 0; i < 3; i++) most = four[i] > four[most] ? i : most;
  const double scale = copysign(0.5 / sqrt(four[most]), rows[most][3]);
  for (int i = 0; i < 4; i++) q[i] = (float)(rows[most][i] * scale);
}

/* Converts the pose of a body to single precision: out[] receives the position of the centre of mass (3) and the quaternion x, y, z, w of
 * the rotation (4). */
static void convert_pose(const cmb_pose_of_body *pose, float out[CLI_A_POSE])
{
  for (int i = 0; i < 3; i++) out[i] = (float)pose->place[i];
  quaternion_of(pose->turn, out + 3);
}

/* Computes the poses of all bodies at each instant that f has stored of an animation, and stores them in to->pose (instants x bodies x 7), with
 * the times in to->t. `from` is the object that computes poses from positions, now[bodies] a working array. */
static cmb_status fill_poses(const struct cli_frames *f, cmb_poses *from, cmb_pose_of_body *now,
                             struct cli_poses *to)
{
  for (long k = 0; k < f->count; k++) {
    const double *row = cli_frames_row(f, k);
    to->t[k] = row[0];
    CMB_TRY(cmb_poses_at(from, f->nq, row + 1, 0, NULL, now));
    for (int b = 0; b < to->bodies; b++)
      convert_pose(&now[b], to->pose + CLI_A_POSE * (k * to->bodies + b));
  }
  return CMB_OK;
}

cmb_status cli_report_poses_by(cmb_poses *from, int bodies, const struct cli_frames *f,
                               struct cli_poses *to)
{
  *to = (struct cli_poses){.count = f->count, .bodies = bodies};
  to->pose = calloc((size_t)(CLI_A_POSE * to->count * to->bodies) + 1, sizeof *to->pose);
  to->t = calloc((size_t)to->count + 1, sizeof *to->t);
  cmb_pose_of_body *now = calloc((size_t)to->bodies + 1, sizeof *now);
  const bool good = to->pose && to->t && now;
  const cmb_status status = good ? fill_poses(f, from, now, to) : CMB_ERROR_MEMORY;
  free(now);
  return status;
}

/* Completes the list of instants stored in f, and computes the poses of the model's bodies at all of them into *to, with memory allocated here.
 * The caller has to release *to even after a failure. */
static cmb_status find_poses(cmb_context *ctx, struct cli_frames *f, const struct cli_arguments *a,
                             struct cli_poses *to)
{
  cmb_poses *from;
  cli_frames_close(f);
  *to = (struct cli_poses){.count = 0};
  CMB_TRY(cmb_poses_create(ctx, a->model, a->formulation, &from));
  const cmb_status status =
      cli_report_poses_by(from, cmb_model_count(a->model, CMB_ITEM_BODY), f, to);
  cmb_poses_destroy(from);
  return status;
}

void cli_report_poses(struct cli_json *j, const struct cli_poses *p)
{
  cli_json_open(j, "frames", '{');
  cli_json_integer(j, "count", p->count);
  put_doubles(j, "t", p->count, p->t);
  put_floats(j, "poses", CLI_A_POSE * p->count * p->bodies, p->pose);
  cli_json_close(j, '}');
}

void cli_report_release_poses(struct cli_poses *p)
{
  free(p->t);
  free(p->pose);
}

cmb_status cli_report_motion(cmb_context *ctx, struct cli_json *j, struct cli_frames *f,
                             const struct cli_arguments *a)
{
  struct cli_poses poses;
  cmb_status status = find_poses(ctx, f, a, &poses);
  if (status == CMB_OK) {
    cli_report_scene(j, a->model);
    cli_report_poses(j, &poses);
    status = cli_report_surfaces(ctx, j, a->model, &poses);
  }
  cli_report_release_poses(&poses);
  return status;
}

/* ---- columns */

/* A history that is being written: its rows as the points of a plot, and working arrays. */
struct table {
  struct cli_plot plot; /* only points, stride and abscissas are used */
  const struct cli_history *h;
  float *work; /* (points) working array for columns in single precision */
  /* (points) the times; after these are written, a working array for columns in double precision */
  double *time;
  bool exact; /* all columns are written in double precision */
};

/* Returns the number that is subtracted from all values of a column of a report before they are stored in single precision: the first finite
 * value, or 0 if there is none. `y` points to the first value. */
static double base_of(const struct table *t, const double *y)
{
  for (long k = 0; k < t->plot.points; k++) {
    if (isfinite(y[k * t->plot.stride])) return y[k * t->plot.stride];
  }
  return 0;
}

/* Returns whether the values of a column, minus `base`, can be stored in single precision: the largest of them in magnitude must be 0 or
 * between 1e-31 (else digits are lost) and 3.4e38 (else it overflows). `y` points to the first value. */
static bool fits_floats(const struct table *t, const double *y, double base)
{
  double most = 0;
  for (long k = 0; k < t->plot.points; k++) {
    const double value = y[k * t->plot.stride];
    if (isfinite(value)) most = fmax(most, fabs(value - base));
  }
  return most == 0 || (most <= FLT_MAX && most >= FLT_MIN / FLT_EPSILON);
}

/* Writes a column of a report as JSON: the number `base`, and all values minus `base` in single precision as base64. `y` points to the first
 * value. */
static void put_floats_from(struct cli_json *j, const struct table *t, const double *y, double base)
{
  for (long k = 0; k < t->plot.points; k++) t->work[k] = (float)(y[k * t->plot.stride] - base);
  cli_json_number(j, "base", base);
  put_floats(j, "data", t->plot.points, t->work);
}

/* Writes the values of a column of a report in double precision as base64. `y` points to the first value; the array t->time is used as a buffer. */
static void put_doubles_of(struct cli_json *j, const struct table *t, const double *y)
{
  for (long k = 0; k < t->plot.points; k++) t->time[k] = y[k * t->plot.stride];
  put_doubles(j, "data", t->plot.points, t->time);
}

/* Writes a column of a report as a JSON object: name, kind, unit, title and values. Values are in single precision relative to a base value
 * or, if this loses accuracy or t->exact is set, in double precision. */
static void put_column(struct cli_json *j, const struct table *t,
                       const struct cli_report_column *about)
{
  const double *y = t->h->rows + about->index, base = base_of(t, y);
  cli_json_open(j, NULL, '{');
  cli_json_text(j, "name", about->name);
  cli_json_text(j, "kind", about->kind);
  cli_json_text(j, "unit", about->unit ? about->unit : "");
  cli_json_text(j, "title", about->title ? about->title : "");
  if (t->exact) {
    put_doubles_of(j, t, y);
  } else if (fits_floats(t, y, base)) {
    put_floats_from(j, t, y, base);
  } else {
    cli_json_bool(j, "exact", true);
    put_doubles_of(j, t, y);
  }
  cli_json_close(j, '}');
}

/* Begins the JSON object `key` for curves over time from the stored trajectory h: writes the number of points and their times, and opens the
 * list of columns. Allocates the working arrays of *t, which close_table frees. Returns CMB_ERROR_MEMORY if memory runs out. */
static cmb_status open_table(struct cli_json *j, const char *key, const struct cli_history *h,
                             bool exact, struct table *t)
{
  *t = (struct table){.h = h, .exact = exact};
  cli_history_points(h, &t->plot);
  t->work = calloc((size_t)t->plot.points + 1, sizeof *t->work);
  t->time = calloc((size_t)t->plot.points + 1, sizeof *t->time);
  if (!t->work || !t->time) return CMB_ERROR_MEMORY;
  for (long k = 0; k < t->plot.points; k++) t->time[k] = t->plot.x[k * t->plot.stride];
  cli_json_open(j, key, '{');
  cli_json_integer(j, "points", t->plot.points);
  cli_json_bool(j, "thinned", h->width > 0);
  if (exact) cli_json_bool(j, "exact", true);
  put_doubles(j, "t", t->plot.points, t->time);
  cli_json_open(j, "columns", '[');
  return CMB_OK;
}

/* Ends the list of columns and the JSON object of a table, and frees the working arrays of *t. */
static void close_table(struct cli_json *j, struct table *t)
{
  cli_json_close(j, ']');
  cli_json_close(j, '}');
  free(t->work);
  free(t->time);
}

cmb_status cli_report_table(struct cli_json *j, const char *key, const struct cli_history *h,
                            bool exact, int count, const struct cli_report_column *columns)
{
  struct table t;
  const cmb_status status = open_table(j, key, h, exact, &t);
  for (int i = 0; i < count && status == CMB_OK; i++) put_column(j, &t, &columns[i]);
  close_table(j, &t);
  return status;
}

/* Appends the descriptions of n columns of the same `kind` (such as "velocity") at `to`. Their values are the numbers first, first + 1, ... in
 * each row of the stored trajectory. `units` may be NULL. Returns the address after the last one. */
static struct cli_report_column *add_columns(struct cli_report_column *to, int first, int n,
                                             const char *const *names, const char *const *units,
                                             const char *kind)
{
  for (int i = 0; i < n; i++) {
    *to++ = (struct cli_report_column){
        .name = names[i], .unit = units ? units[i] : NULL, .kind = kind, .index = first + i};
  }
  return to;
}

/* Writes the curves of a run over time as the JSON object "series": outputs, coordinates, velocities, first-order states, Lagrange
 * multipliers and constraint residuals. */
static cmb_status put_series(struct cli_json *j, const struct cli_report *r)
{
  const cmb_equations *eq = r->eq;
  const int v = 1 + eq->nq, z = v + eq->nv - eq->nz, lambda = v + eq->nv, y = lambda + eq->ng;
  const char *const *state_units = eq->v_units ? eq->v_units + (z - v) : NULL;
  struct cli_report_column *all = calloc((size_t)cli_history_columns(eq), sizeof *all), *to = all;
  if (!all) return CMB_ERROR_MEMORY;
  to = add_columns(to, y, eq->no, eq->output_names, eq->output_units, "output");
  to = add_columns(to, 1, eq->nq, eq->q_names, eq->q_units, "coordinate");
  to = add_columns(to, v, z - v, eq->v_names, eq->v_units, "velocity");
  to = add_columns(to, z, eq->nz, eq->v_names + (z - v), state_units, "state");
  to = add_columns(to, lambda, eq->ng, eq->lambda_names, NULL, "multiplier");
  if (eq->ng > 0) to = add_columns(to, y + eq->no, 2, cli_norm_names, cli_norm_units, "residual");
  const cmb_status status = cli_report_table(j, "series", &r->series, false, (int)(to - all), all);
  free(all);
  return status;
}

cmb_status cli_report_columns(struct cli_json *j, const struct cli_report *r)
{
  static const struct cli_report_column steps[] = {
      {.name = "step size", .unit = "s", .kind = "step", .index = 1},
      {.name = "order", .kind = "step", .index = 2}};
  CMB_TRY(put_series(j, r));
  return cli_report_table(j, "steps", &r->steps, false, 2, steps);
}
