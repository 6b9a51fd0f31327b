/*
 * The numbers of a report (report.h): base64 of arrays as the machine has them, little-endian.
 *
 * A column is a number `base` and single precision for what is added to it: a quantity that stays near a large value, as an energy
 * does, keeps its digits. A column beyond the range of single precision is double precision (`exact`), as all columns of a comparison are.
 * Times are double precision. A pose is seven single-precision numbers, the place of the centre of mass and the quaternion (x, y, z, w) of the
 * turn from the design position.
 */
#include "cli/report.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { A_POSE = 7 };

static void put_floats(struct cli_json *j, const char *key, long n, const float *x)
{
  cli_json_bytes(j, key, x, (size_t)n * sizeof *x);
}

static void put_doubles(struct cli_json *j, const char *key, long n, const double *x)
{
  cli_json_bytes(j, key, x, (size_t)n * sizeof *x);
}

/* ---- poses */

/* The quaternion of a rotation by rows R: the largest component first (Shepperd 1978), of positive real part. */
static void quaternion_of(const double R[9], float q[4])
{
  const double four[4] = {1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8],
                          1 + R[0] + R[4] + R[8]}; /* 4 x², 4 y², 4 z², 4 w² */
  const double xy = R[1] + R[3], yz = R[5] + R[7], zx = R[2] + R[6];
  const double xw = R[7] - R[5], yw = R[2] - R[6], zw = R[3] - R[1]; /* 4 times the products */
  const double rows[4][4] = {
      {four[0], xy, zx, xw}, {xy, four[1], yz, yw}, {zx, yz, four[2], zw}, {xw, yw, zw, four[3]}};
  int most = 3;
  for (int i = 0; i < 3; i++) most = four[i] > four[most] ? i : most;
  const double scale = copysign(0.5 / sqrt(four[most]), rows[most][3]);
  for (int i = 0; i < 4; i++) q[i] = (float)(rows[most][i] * scale);
}

static void put_pose(const cmb_pose_of_body *pose, float out[A_POSE])
{
  for (int i = 0; i < 3; i++) out[i] = (float)pose->place[i];
  quaternion_of(pose->turn, out + 3);
}

/* The poses (bodies) at each instant, and the times. */
static cmb_status fill_poses(const struct cli_frames *f, cmb_poses *from, cmb_pose_of_body *now,
                             struct cli_poses *to)
{
  for (long k = 0; k < f->count; k++) {
    const double *row = cli_frames_row(f, k);
    to->t[k] = row[0];
    CMB_TRY(cmb_poses_at(from, f->nq, row + 1, 0, NULL, now));
    for (int b = 0; b < to->bodies; b++)
      put_pose(&now[b], to->pose + A_POSE * (k * to->bodies + b));
  }
  return CMB_OK;
}

cmb_status cli_report_poses_by(cmb_poses *from, int bodies, const struct cli_frames *f,
                               struct cli_poses *to)
{
  *to = (struct cli_poses){.count = f->count, .bodies = bodies};
  to->pose = calloc((size_t)(A_POSE * to->count * to->bodies) + 1, sizeof *to->pose);
  to->t = calloc((size_t)to->count + 1, sizeof *to->t);
  cmb_pose_of_body *now = calloc((size_t)to->bodies + 1, sizeof *now);
  const bool good = to->pose && to->t && now;
  const cmb_status status = good ? fill_poses(f, from, now, to) : CMB_ERROR_MEMORY;
  free(now);
  return status;
}

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
  put_floats(j, "poses", A_POSE * p->count * p->bodies, p->pose);
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

/* A history as a plot reads it: points at a stride. */
struct table {
  struct cli_plot plot;
  const struct cli_history *h;
  float *work;  /* (points) */
  double *time; /* (points); when the times have been written, columns of double precision */
  bool exact;
};

/* The first value that is one; 0: there is none. */
static double base_of(const struct table *t, const double *y)
{
  for (long k = 0; k < t->plot.points; k++) {
    if (isfinite(y[k * t->plot.stride])) return y[k * t->plot.stride];
  }
  return 0;
}

/* Whether single precision has all digits of the largest difference to the base: it ends at 3.4e38, and below 1.2e-38 digits are lost. */
static bool fits_floats(const struct table *t, const double *y, double base)
{
  double most = 0;
  for (long k = 0; k < t->plot.points; k++) {
    const double value = y[k * t->plot.stride];
    if (isfinite(value)) most = fmax(most, fabs(value - base));
  }
  return most == 0 || (most <= FLT_MAX && most >= FLT_MIN / FLT_EPSILON);
}

static void put_floats_from(struct cli_json *j, const struct table *t, const double *y, double base)
{
  for (long k = 0; k < t->plot.points; k++) t->work[k] = (float)(y[k * t->plot.stride] - base);
  cli_json_number(j, "base", base);
  put_floats(j, "data", t->plot.points, t->work);
}

static void put_doubles_of(struct cli_json *j, const struct table *t, const double *y)
{
  for (long k = 0; k < t->plot.points; k++) t->time[k] = y[k * t->plot.stride];
  put_doubles(j, "data", t->plot.points, t->time);
}

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

/* Columns of one kind, from `first` on in the rows. */
static struct cli_report_column *add_group(struct cli_report_column *to, int first, int n,
                                           const char *const *names, const char *const *units,
                                           const char *kind)
{
  for (int i = 0; i < n; i++) {
    *to++ = (struct cli_report_column){
        .name = names[i], .unit = units ? units[i] : NULL, .kind = kind, .index = first + i};
  }
  return to;
}

static cmb_status put_series(struct cli_json *j, const struct cli_report *r)
{
  static const char *const norms[] = {"|g|", "|Gv|"}, *const units[] = {"m, rad", "m/s, rad/s"};
  const cmb_equations *eq = r->eq;
  const int v = 1 + eq->nq, z = v + eq->nv - eq->nz, lambda = v + eq->nv, y = lambda + eq->ng;
  const char *const *state_units = eq->v_units ? eq->v_units + (z - v) : NULL;
  struct cli_report_column *all = calloc((size_t)cli_history_columns(eq), sizeof *all), *to = all;
  if (!all) return CMB_ERROR_MEMORY;
  to = add_group(to, y, eq->no, eq->output_names, eq->output_units, "output");
  to = add_group(to, 1, eq->nq, eq->q_names, eq->q_units, "coordinate");
  to = add_group(to, v, z - v, eq->v_names, eq->v_units, "velocity");
  to = add_group(to, z, eq->nz, eq->v_names + (z - v), state_units, "state");
  to = add_group(to, lambda, eq->ng, eq->lambda_names, NULL, "multiplier");
  if (eq->ng > 0) to = add_group(to, y + eq->no, 2, norms, units, "residual");
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
