/*
 * Computes the reach of a planar curve (foot.h): for each point P with the normal n to a side, the smallest |d|²/(2 d·n) for the
 * differences d to all other points, and the radius of curvature. For a block of points inside a circle at the distance D it is at least
 * D²/(2 m), where m is the largest possible d·n there, so that most blocks can be skipped.
 *
 * At an end the line has a half plane of normals. In a closed line, points next to each other across its seam are not compared: how well
 * the line is closed has nothing to do with its reach.
 */
#include "expr/foot.h"
#include "expr/foot_code.h"

#include <math.h>

/* number of points at the seam of a closed curve that are not compared with those across it */
enum { SEAM = 4 };

struct finder {
  const cmb_table *t;
  int n;
  bool closed;
  cmb_foot_limit *limit; /* (CMB_FOOT_SIDES) */
};

/* A point of the curve with its index i, its coordinates, and the unit tangent there (along). */
struct point {
  int i;
  /* out: 1 or -1 at an end of an open curve, the sign with which the tangent leads beyond it; 0: no end */
  double x, y, along[2], out;
};

static void reduce_reach(struct finder *f, int side, double reach, int at, int other)
{
  if (!(reach < f->limit[side].reach)) return;
  f->limit[side] = (cmb_foot_limit){reach, at, other};
}

static int side_of(double left)
{
  return left > 0 ? CMB_FOOT_LEFT : CMB_FOOT_RIGHT;
}

static struct point point_of(struct finder *f, int i)
{
  const cmb_table *t = f->t;
  struct point p = {.i = i, .x = t->x[i], .y = t->y[i]};
  double first[2], second[2];
  for (int k = 0; k < 2; k++) {
    first[k] = cmb_table_value(t->line[k], 1, t->c[0] * i);
    second[k] = cmb_table_value(t->line[k], 2, t->c[0] * i);
  }
  const double size = hypot(first[0], first[1]);
  for (int k = 0; k < 2; k++) p.along[k] = first[k] / size;
  if (!f->closed) p.out = i == 0 ? -1 : i == f->n - 1 ? 1 : 0;
  const double bend = p.along[0] * second[1] - p.along[1] * second[0];
  if (bend != 0) reduce_reach(f, side_of(bend), size * size / fabs(bend), i, i);
  if (!(size > 0)) reduce_reach(f, CMB_FOOT_LEFT, 0, i, i);
  return p;
}

static void compare(struct finder *f, const struct point *p, int j)
{
  const int apart = p->i > j ? p->i - j : j - p->i;
  if (apart == 0 || (f->closed && apart > f->n - 1 - SEAM)) return;
  const double dx = f->t->x[j] - p->x, dy = f->t->y[j] - p->y, square = dx * dx + dy * dy;
  const double left = p->along[0] * dy - p->along[1] * dx;
  const double out = p->out * (p->along[0] * dx + p->along[1] * dy);
  if (left != 0 || square == 0)
    reduce_reach(f, side_of(left), square > 0 ? square / (2 * fabs(left)) : 0, p->i, j);
  if (!(out > 0)) return;
  reduce_reach(f, side_of(left), sqrt(square) / 2, p->i, j);
  reduce_reach(f, side_of(-left), square / (2 * out), p->i, j);
}

/* Returns whether points inside a circle (x, y, radius) may be so near to the point p of a planar curve that they reduce the curve's reach, the
 * distance up to which the nearest point of the curve is unique. */
static bool may_reduce_reach(const struct finder *f, const struct point *p, const double *circle)
{
  const double dx = circle[0] - p->x, dy = circle[1] - p->y, far = hypot(dx, dy);
  const double left = fabs(p->along[0] * dy - p->along[1] * dx);
  const double most = (p->out != 0 ? far : left) + circle[2], least = far - circle[2];
  const double reach = fmax(f->limit[0].reach, f->limit[1].reach);
  return !(least > 0 && least * least >= 2 * most * reach);
}

void cmb_foot_find_reach(const cmb_table *t, double most, cmb_foot_limit limit[CMB_FOOT_SIDES])
{
  struct finder f = {.t = t, .n = t->nx, .closed = t->c[3] > 0, .limit = limit};
  const int size = (int)t->c[4];
  for (int k = 0; k < CMB_FOOT_SIDES; k++) limit[k] = (cmb_foot_limit){most, -1, -1};
  for (int i = 0; i < f.n; i++) {
    const struct point p = point_of(&f, i);
    for (int b = 0; b * size < f.n; b++) {
      if (!may_reduce_reach(&f, &p, t->c + CMB_FOOT_HEAD + 3 * b)) continue;
      const int end = (b + 1) * size < f.n ? (b + 1) * size : f.n;
      for (int j = b * size; j < end; j++) compare(&f, &p, j);
    }
  }
}
