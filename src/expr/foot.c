/*
 * Creates the tables by which feet of points on a planar curve are evaluated (foot.h), and their expressions. Such a table owns two other
 * tables, X(u) and Y(u), of which the derivatives are made.
 */
#include "expr/foot.h"

#include "base/context.h"
#include "expr/foot_code.h"
#include "expr/graph.h"

#include <math.h>
#include <string.h>

/* used part of the reach: between the points of a curve the reach may be somewhat smaller than at them */
static const double SAFE = 0.95;
/* largest number of points added at each end of a closed curve whose ends meet: the influence of a spline's end condition falls to about a
 * fourth per point */
enum { MORE = 16 };

int cmb_foot_block(int n)
{
  int size = 1;
  while ((long)size * size < n) size++;
  return size;
}

static int blocks_of(int n)
{
  const int size = cmb_foot_block(n);
  return (n + size - 1) / size;
}

int cmb_foot_coefficients(int n)
{
  return CMB_FOOT_HEAD + 3 * blocks_of(n) + 8 * (n - 1);
}

/* ---- creation */

/* Returns whether a planar curve given by points about `step` apart is closed: it has more than 8 points, the directions at both ends
 * nearly agree, and the first point lies where the curve would continue after its last point, between 0.1 steps behind and 1.5 steps ahead
 * of it, and within 0.25 steps to the side. */
static bool is_closed(const cmb_table *t, double step)
{
  const int n = t->nx;
  const double begin[2] = {t->x[1] - t->x[0], t->y[1] - t->y[0]};
  const double end[2] = {t->x[n - 1] - t->x[n - 2], t->y[n - 1] - t->y[n - 2]};
  const double gap[2] = {t->x[0] - t->x[n - 1], t->y[0] - t->y[n - 1]};
  const double along = (gap[0] * end[0] + gap[1] * end[1]) / step;
  const double aside = fabs(end[0] * gap[1] - end[1] * gap[0]) / step;
  const bool same_way = begin[0] * end[0] + begin[1] * end[1] > 0.8 * step * step;
  return n > 8 && same_way && along > -0.1 * step && along < 1.5 * step && aside < 0.25 * step;
}

/* Returns one coordinate of point i of a closed curve with n points, whose coordinates are x[n]. For i < 0 or i >= n the curve is continued
 * from its other end, shifted by x[n − 1] − x[0] so that both ends meet. */
static double point_at(int n, const double *x, int i)
{
  const double shift = x[n - 1] - x[0];
  return i < 0 ? x[n - 1 + i] - shift : i > n - 1 ? x[i - n + 1] + shift : x[i];
}

/* Creates t->line[2], the coordinates X(u) and Y(u) of a planar curve as natural cubic splines through t's points at u = 0, step, 2 step,
 * ... If more > 0, for a closed curve, `more` points from its other end are added at each end, so that the end conditions of the splines
 * hardly affect it. */
static cmb_status make_line(cmb_context *ctx, cmb_table *t, double step, int more)
{
  const int n = t->nx, all = n + 2 * more;
  double *u = cmb_arena_doubles(t->arena, all), *x = cmb_arena_doubles(t->arena, all);
  if (!u || !x) return cmb_fail_memory(ctx);
  for (int i = 0; i < all; i++) u[i] = step * (i - more);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < all; i++) x[i] = point_at(n, k == 0 ? t->x : t->y, i - more);
    CMB_TRY(cmb_table_create(ctx, CMB_TABLE_SPLINE, all, u, x, &t->line[k]));
  }
  return CMB_OK;
}

/* Computes for each block of consecutive points of a planar curve a circle that contains them, and stores its centre and radius in t->c. The
 * centre is that of the points' bounding box; the radius is slightly enlarged for rounding errors. */
static void fill_circles(cmb_table *t)
{
  const int n = t->nx, size = cmb_foot_block(n);
  double *circle = t->c + CMB_FOOT_HEAD;
  for (int b = 0; b < blocks_of(n); b++, circle += 3) {
    const int first = b * size, end = first + size < n ? first + size : n;
    double low[2] = {t->x[first], t->y[first]}, high[2] = {t->x[first], t->y[first]}, most = 0;
    for (int i = first; i < end; i++) {
      const double at[2] = {t->x[i], t->y[i]};
      for (int k = 0; k < 2; k++) {
        low[k] = fmin(low[k], at[k]);
        high[k] = fmax(high[k], at[k]);
      }
    }
    for (int k = 0; k < 2; k++) circle[k] = low[k] + (high[k] - low[k]) / 2;
    for (int i = first; i < end; i++)
      most = fmax(most, hypot(t->x[i] - circle[0], t->y[i] - circle[1]));
    circle[2] = most * (1 + 1e-12) + 1e-12 * (fabs(circle[0]) + fabs(circle[1]));
  }
}

/* Returns the distance, in the parameter u, from the seam of a closed planar curve (where its ends meet) within which the nearest point of
 * the curve may be on either end. It grows with the gap between the ends and with the difference of their tangents. */
static double seam_width(const cmb_table *t)
{
  const double end = t->c[0] * (t->nx - 1);
  double apart = 0, turned = 0;
  for (int k = 0; k < 2; k++) {
    const cmb_table *x = t->line[k];
    apart += fabs(cmb_table_value(x, 0, end) - cmb_table_value(x, 0, 0));
    turned += fabs(cmb_table_value(x, 1, end) - cmb_table_value(x, 1, 0));
  }
  return 1e-6 * t->c[0] + 2 / (1 - SAFE) * (apart + turned * fmax(t->c[1], t->c[2]));
}

static cmb_status fill(cmb_context *ctx, cmb_table *t, double step, double most,
                       cmb_foot_limit limit[CMB_FOOT_SIDES])
{
  const int n = t->nx;
  const size_t count = 4 * (size_t)(n - 1);
  const bool closed = is_closed(t, step);
  const bool meets = closed && hypot(t->x[n - 1] - t->x[0], t->y[n - 1] - t->y[0]) < 0.1 * step;
  const int more = !meets ? 0 : n - 1 < MORE ? n - 1 : MORE;
  CMB_TRY(make_line(ctx, t, step, more));
  double *pieces = t->c + CMB_FOOT_HEAD + 3 * blocks_of(n);
  for (int k = 0; k < 2; k++)
    memcpy(pieces + (size_t)k * count, t->line[k]->c + 4 * more, count * sizeof *pieces);
  t->c[0] = step;
  t->c[3] = closed ? 1 : 0;
  t->c[4] = cmb_foot_block(n);
  fill_circles(t);
  cmb_foot_find_reach(t, most / SAFE, limit);
  for (int k = 0; k < CMB_FOOT_SIDES; k++) t->c[1 + k] = limit[k].reach *= SAFE;
  t->c[5] = meets ? seam_width(t) : 4 * step;
  return CMB_OK;
}

cmb_status cmb_foot_create(cmb_context *ctx, int n, const double *x, const double *y, double step,
                           double most, cmb_foot_limit limit[CMB_FOOT_SIDES], cmb_table **out)
{
  *out = NULL;
  CMB_REQUIRE(ctx, n >= 2 && step > 0 && most > 0, "cmb_foot_create needs two points or more");
  cmb_table *t = cmb_table_take(ctx, CMB_TABLE_FOOT, n, n);
  if (!t) return cmb_fail_memory(ctx);
  memcpy(t->x, x, (size_t)n * sizeof *x);
  memcpy(t->y, y, (size_t)n * sizeof *y);
  const cmb_status status = fill(ctx, t, step, most, limit);
  if (status != CMB_OK) {
    cmb_table_destroy(t);
    return status;
  }
  *out = t;
  return CMB_OK;
}

/* ---- evaluation */

CMB_TABLE_PIECES_CODE(CMB_CODE_COMPILED)
CMB_FOOT_NEAREST_CODE(CMB_CODE_COMPILED)
CMB_FOOT_SLOPE_CODE(CMB_CODE_COMPILED)
CMB_FOOT_ROOT_CODE(CMB_CODE_COMPILED)
CMB_FOOT_PIECE_CODE(CMB_CODE_COMPILED)
CMB_FOOT_ON_CODE(CMB_CODE_COMPILED)
CMB_FOOT_BEYOND_CODE(CMB_CODE_COMPILED)
CMB_FOOT_CODE(CMB_CODE_COMPILED)

double cmb_foot_value(const cmb_table *t, bool across, double x, double y)
{
  return op_foot(t->nx, t->x, t->y, t->c, across, 0, x, y);
}

void cmb_foot_values(const cmb_table *t, double x, double y, double *u, double *v)
{
  double to[3];
  op_foot_both(t->nx, t->x, t->y, t->c, x, y, to);
  *u = to[0];
  *v = to[1];
}

/* ---- expressions; the node's derivative order in x is 0 for u and 1 for v */

/* Builds an expression for the nearest point on the planar curve of table t, continued as a straight line, to the point (x, y): its curve
 * parameter u or, if `across` is set, the signed distance v from the curve, positive to the left; NaN outside the reach of the curve. Returns 0
 * and sets the error flags of the graph if t is not such a table, or if x or y is not in the graph. */
cmb_expr cmb_foot_apply(cmb_graph *g, const cmb_table *t, bool across, cmb_expr x, cmb_expr y)
{
  if (!t || t->kind != CMB_TABLE_FOOT || x >= g->size || y >= g->size) return cmb_graph_misuse(g);
  return cmb_table_node(g, CMB_OP_TABLE2, across, cmb_table_number(g, t), x, y);
}

static cmb_expr op2(cmb_graph *g, cmb_op op, cmb_expr a, cmb_expr b)
{
  return cmb_apply(g, op, a, b, 0);
}

/* Builds an expression for the coordinate X (coordinate = 0) or Y (1) of a planar curve at the curve parameter u, or for its derivative of the
 * given order. */
static cmb_expr line_of(cmb_graph *g, const cmb_table *t, int coordinate, int order, cmb_expr u)
{
  const uint16_t number = cmb_table_number(g, t->line[coordinate]);
  return cmb_table_node(g, CMB_OP_TABLE, order, number, u, 0);
}

cmb_expr cmb_foot_partial(cmb_graph *g, cmb_expr e, int i)
{
  const cmb_node n = g->nodes[e];
  const cmb_table *t = g->tables[n.data];
  const cmb_expr u = cmb_foot_apply(g, t, false, n.a, n.b), at[2] = {n.a, n.b};
  cmb_expr slope[2], square = 0, bend = 0;
  for (int k = 0; k < 2; k++) {
    slope[k] = line_of(g, t, k, 1, u);
    square = op2(g, CMB_OP_ADD, square, op2(g, CMB_OP_MUL, slope[k], slope[k]));
    const cmb_expr away = op2(g, CMB_OP_SUB, at[k], line_of(g, t, k, 0, u));
    bend = op2(g, CMB_OP_ADD, bend, op2(g, CMB_OP_MUL, away, line_of(g, t, k, 2, u)));
  }
  if (n.order == 0) return op2(g, CMB_OP_DIV, slope[i], op2(g, CMB_OP_SUB, square, bend));
  const cmb_expr size = cmb_apply(g, CMB_OP_SQRT, square, 0, 0);
  const cmb_expr part = op2(g, CMB_OP_DIV, slope[1 - i], size);
  return i == 0 ? cmb_apply(g, CMB_OP_NEG, part, 0, 0) : part;
}
