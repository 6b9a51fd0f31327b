/*
 * Computes the shape of the ground for a report (report.h): of a surface at rest its height over a grid around the paths of the points that
 * touch it, with finer lines where it is not straight; of a moving surface, such as a test rig, its height below each touching point at
 * each instant.
 */
#include "cli/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  FIRST_LINES = 320, /* grid lines with constant x: before, and at most after refinement */
  MOST_LINES = 900,
  FIRST_ACROSS = 8, /* the same with constant y */
  MOST_ACROSS = 60,
  PROBES = 5 /* sample positions along a grid line */
};

/* The data for computing the shape of the ground. */
struct ground {
  struct cli_json *j; /* the output */
  const cmb_model *model;
  const struct cli_poses *poses; /* the animation of the bodies */
  cmb_ground *surfaces;          /* the surfaces of the model as functions s(t, x, y, z) */
  double size;                   /* estimate of the mechanism's size, in m */
};

/* ---- positions and heights */

/* Computes the global position x of point p of a body at stored instant k of an animation, from the pose of the body and the point's
 * coordinates in the design position. A point of the ground keeps its coordinates. */
static void point_at(const struct ground *g, long k, const cmb_body_point *p, double x[3])
{
  cmb_body body;
  memcpy(x, p->at, sizeof p->at);
  if (!cmb_body_of(g->model, p->body, &body)) return;
  const float *pose = g->poses->pose + CLI_A_POSE * (k * g->poses->bodies + p->body), *u = pose + 3;
  double r[3], c[3], turned[3];
  for (int i = 0; i < 3; i++) r[i] = p->at[i] - body.com[i];
  for (int i = 0; i < 3; i++) {
    const int m = (i + 1) % 3, n = (i + 2) % 3;
    c[i] = u[m] * r[n] - u[n] * r[m] + u[3] * r[i];
  }
  for (int i = 0; i < 3; i++) {
    const int m = (i + 1) % 3, n = (i + 2) % 3;
    turned[i] = r[i] + 2 * (u[m] * c[n] - u[n] * c[m]);
    x[i] = pose[i] + turned[i];
  }
}

/* Returns the value at (x, y, z) and time t of the function s(t, x, y, z) of a ground surface, which is 0 on the surface and positive above
 * it. */
static double value_at(const struct ground *g, int surface, double t, double x, double y, double z)
{
  return cmb_ground_at(g->surfaces, surface, t, (const double[3]){x, y, z});
}

/* Finds the height of a ground surface below the point (x, y, high) by 64 steps downwards and bisection: the highest z found where s(t, x, y,
 * z), positive above the surface, changes its sign. Returns NaN if there is none within a depth of 2·g->size, or if the point is not above the
 * surface. */
static double search_height(const struct ground *g, int surface, double t, double x, double y,
                            double high)
{
  enum { PARTS = 64, HALVINGS = 44 };
  const double step = 2 * g->size / PARTS;
  double above = high;
  if (!(value_at(g, surface, t, x, y, above) > 0)) return NAN;
  for (int k = 1; k <= PARTS; k++) {
    double below = high - k * step;
    if (value_at(g, surface, t, x, y, below) > 0) {
      above = below;
      continue;
    }
    for (int i = 0; i < HALVINGS; i++) {
      const double middle = 0.5 * (above + below);
      if (value_at(g, surface, t, x, y, middle) > 0)
        above = middle;
      else
        below = middle;
    }
    return 0.5 * (above + below);
  }
  return NAN;
}

/* Computes the height of a ground surface s(t, x, y, z) = 0 below the point (x, y, high) at time t: by one secant step, which is exact if s is
 * linear in z, otherwise by a search. Returns NaN if the surface is not found. */
static double height(const struct ground *g, int surface, double t, double x, double y, double high)
{
  const double s = value_at(g, surface, t, x, y, high);
  const double slope = (s - value_at(g, surface, t, x, y, high - g->size)) / g->size;
  const double z = high - s / slope;
  const double left = fabs(value_at(g, surface, t, x, y, z));
  if (s > 0 && z >= high - g->size && left <= 1e-12 * (1 + fabs(high))) return z;
  return search_height(g, surface, t, x, y, high);
}

/* ---- surfaces at rest */

/* The grid lines that cross one axis, and sample positions along them at which heights of neighbouring lines are compared. */
struct lines {
  double *at;           /* (count) coordinates of the lines, x */
  int count, most;      /* number of lines; length of the array */
  double other[PROBES]; /* coordinates of the sample positions, y */
  bool swapped;         /* `at` contains y, `other` contains x */
};

/* Returns the height of a ground surface at time 0 at one point of a grid line: the line has the coordinate `at`, and `probe` is the number of
 * the sample position along it. The surface is searched downwards from the height `high`; returns NaN if it is not found. */
static double height_of_line(const struct ground *g, int surface, const struct lines *l, double at,
                             int probe, double high)
{
  const double other = l->other[probe];
  return l->swapped ? height(g, surface, 0, other, at, high)
                    : height(g, surface, 0, at, other, high);
}

/* Returns whether a ground surface is nearly linear between the grid lines i and i + 1: at all sample positions along the lines, its height
 * midway between them is about the mean of its heights on both. Positions where a height is not found do not count. */
static bool is_straight(const struct ground *g, int surface, const struct lines *l, int i,
                        double high)
{
  const double a = l->at[i], b = l->at[i + 1];
  for (int probe = 0; probe < PROBES; probe++) {
    const double z = 0.5 * (height_of_line(g, surface, l, a, probe, high) +
                            height_of_line(g, surface, l, b, probe, high));
    const double middle = height_of_line(g, surface, l, 0.5 * (a + b), probe, high);
    if (fabs(middle - z) > 2e-4 * g->size) return false;
  }
  return true;
}

/* Refines a grid on a ground surface in up to five rounds: inserts a grid line midway between two neighbours if the surface is not nearly
 * linear between them, until there are l->most lines. */
static void add_lines(const struct ground *g, int surface, struct lines *l, double high)
{
  bool added = true;
  for (int round = 0; round < 5 && added; round++) {
    added = false;
    for (int i = 0; i + 1 < l->count && l->count < l->most; i++) {
      if (is_straight(g, surface, l, i, high)) continue;
      memmove(l->at + i + 2, l->at + i + 1, (size_t)(l->count - i - 1) * sizeof *l->at);
      l->at[i + 1] = 0.5 * (l->at[i] + l->at[i + 2]);
      l->count++;
      i++;
      added = true;
    }
  }
}

/* Initialises the grid lines along one axis: at[most] receives `count` evenly spaced coordinates from `low` to `high`. */
static void begin_lines(struct lines *l, double *at, int count, int most, double low, double high)
{
  *l = (struct lines){.at = at, .count = count, .most = most};
  for (int i = 0; i < count; i++) at[i] = low + (high - low) * i / (count - 1);
}

/* Sets evenly spaced sample positions along grid lines, from `low` to `high`, at which the heights of neighbouring lines are compared. */
static void set_probes(struct lines *l, double low, double high)
{
  for (int i = 0; i < PROBES; i++) l->other[i] = low + (high - low) * i / (PROBES - 1);
}

/* Computes the bounding box of all positions, over the whole animation, of the points of bodies that can touch ground surface number `surface`;
 * its corners are low[3] and high[3]. */
static void bounding_box(const struct ground *g, int surface, double low[3], double high[3])
{
  cmb_surface s;
  for (int c = 0; c < 3; c++) low[c] = INFINITY, high[c] = -INFINITY;
  for (int i = 0; cmb_ground_surface(g->surfaces, i, &s); i++) {
    for (long k = 0; s.same == surface && k < g->poses->count; k++) {
      double x[3];
      point_at(g, k, &s.at, x);
      for (int c = 0; c < 3; c++) low[c] = fmin(low[c], x[c]), high[c] = fmax(high[c], x[c]);
    }
  }
}

/* Writes the heights of a ground surface at time 0 on a grid as JSON: the coordinates of the grid lines, x and y, and the heights z at their
 * intersections, y->count of them for each value of x. The surface is searched downwards from the height `high`. */
static void put_heights(const struct ground *g, int surface, const struct lines *x,
                        const struct lines *y, double high)
{
  float *z = calloc((size_t)x->count * (size_t)y->count + 1, sizeof *z);
  for (int i = 0; z && i < x->count; i++) {
    for (int k = 0; k < y->count; k++) {
      z[i * y->count + k] = (float)height(g, surface, 0, x->at[i], y->at[k], high);
    }
  }
  cli_json_numbers(g->j, "x", x->count, x->at);
  cli_json_numbers(g->j, "y", y->count, y->at);
  cli_json_bytes(g->j, "z", z, z ? (size_t)x->count * (size_t)y->count * sizeof *z : 0);
  free(z);
}

/* Writes the heights of a ground surface at rest as JSON, on a grid around the paths of the points that touch it, which is refined where
 * the surface is curved. */
static void put_field(const struct ground *g, int surface)
{
  double low[3], high[3], at_x[MOST_LINES], at_y[MOST_ACROSS];
  struct lines x, y;
  bounding_box(g, surface, low, high);
  const double air = 0.5 * g->size;
  for (int c = 0; c < 2; c++) low[c] -= air, high[c] += air;
  const double top = high[2] + 0.5 * g->size;
  begin_lines(&x, at_x, FIRST_LINES, MOST_LINES, low[0], high[0]);
  begin_lines(&y, at_y, FIRST_ACROSS, MOST_ACROSS, low[1], high[1]);
  y.swapped = true;
  set_probes(&x, low[1], high[1]);
  set_probes(&y, low[0], high[0]);
  add_lines(g, surface, &x, top);
  add_lines(g, surface, &y, top);
  put_heights(g, surface, &x, &y, top);
}

/* ---- moving surfaces */

/* Writes a moving ground surface, such as a platform of a test rig, as JSON: the point of a body that touches it (s->at), and at each instant
 * of the animation the height of the surface below this point. */
static void put_patch(const struct ground *g, int surface, const cmb_surface *s)
{
  float *z = calloc((size_t)g->poses->count + 1, sizeof *z);
  cli_json_integer(g->j, "body", s->at.body);
  cli_json_numbers(g->j, "at", 3, s->at.at);
  for (long k = 0; z && k < g->poses->count; k++) {
    double x[3];
    point_at(g, k, &s->at, x);
    z[k] = (float)height(g, surface, g->poses->t[k], x[0], x[1], x[2]);
  }
  cli_json_bytes(g->j, "z", z, z ? (size_t)g->poses->count * sizeof *z : 0);
  free(z);
}

/* ---- all surfaces */

/* Estimates the size of the mechanism, from which follows how far below it the ground is searched: 1 m plus the largest difference of a
 * coordinate, at the first instant, between the centres of mass of the first body and any other. */
static double mechanism_size(const struct cli_poses *p)
{
  double most = 0;
  for (int b = 0; b < p->bodies && p->count > 0; b++) {
    for (int c = 0; c < 3; c++)
      most = fmax(most, fabs((double)p->pose[CLI_A_POSE * b + c] - p->pose[c]));
  }
  return 1 + most;
}

cmb_status cli_report_surfaces(cmb_context *ctx, struct cli_json *j, const cmb_model *model,
                               const struct cli_poses *poses)
{
  struct ground g = {.j = j, .model = model, .poses = poses, .size = mechanism_size(poses)};
  cmb_surface s;
  CMB_TRY(cmb_ground_create(ctx, model, &g.surfaces));
  cli_json_open(j, "surfaces", '[');
  for (int i = 0; cmb_ground_surface(g.surfaces, i, &s) && poses->count > 0; i++) {
    if (!s.moves && s.same != i) continue;
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", s.name);
    cli_json_bool(j, "moves", s.moves);
    if (s.moves)
      put_patch(&g, i, &s);
    else
      put_field(&g, i);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
  cmb_ground_destroy(g.surfaces);
  return CMB_OK;
}
