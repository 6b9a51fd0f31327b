/*
 * Tables as piecewise polynomials (table.h): creation from points, and evaluation.
 *
 * 1-D: on [x_i, x_{i+1}], with u = x − x_i, p_i(u) = c0 + c1 u + c2 u² + c3 u³. Outside, the table continues along its tangent at the end.
 *     linear   c1 = the slope; kinks at the points
 *     spline   natural cubic spline: C², second derivative 0 at the ends
 *     akima    slopes by Akima (1970): C¹, no overshoot next to a discontinuity
 * The last two are cubic Hermite interpolation with slopes s_i:
 *     c1 = s_i,  c2 = (3 δ_i − 2 s_i − s_{i+1})/h,  c3 = (s_i + s_{i+1} − 2 δ_i)/h²,   δ_i = (y_{i+1} − y_i)/h
 *
 * 2-D: bicubic Hermite patches. Slopes in x, in y and the mixed ones come from natural splines along the grid's lines, so the surface is
 * C² where the grid is. Outside, the arguments are clamped to the border.
 */
#include "expr/table.h"

#include "base/arena.h"
#include "base/context.h"
#include "base/text.h"
#include "expr/foot.h"
#include "expr/table_code.h"

#include <math.h>
#include <string.h>

/* ---- slopes */

/* Computes the slopes s[n] of the natural cubic spline through the points (x[i], y[i · stride]), i < n, by solving the tridiagonal system for
 * continuous second derivatives. work[2 n] is overwritten. */
static void spline_slopes(int n, const double *x, const double *y, int stride, double *s,
                          double *work)
{
  double *diagonal = work, *right = work + n;
  for (int i = 0; i < n; i++) { /* forward elimination, row by row */
    double left = i > 0 ? 1 / (x[i] - x[i - 1]) : 0, next = i < n - 1 ? 1 / (x[i + 1] - x[i]) : 0;
    double d_left = i > 0 ? (y[i * stride] - y[(i - 1) * stride]) * left * left : 0;
    double d_next = i < n - 1 ? (y[(i + 1) * stride] - y[i * stride]) * next * next : 0;
    diagonal[i] = 2 * (left + next);
    right[i] = 3 * (d_left + d_next);
    if (i == 0) continue;
    double factor = left / diagonal[i - 1];
    diagonal[i] -= factor * left;
    right[i] -= factor * right[i - 1];
  }
  for (int i = n - 1; i >= 0; i--) {
    double next = i < n - 1 ? s[i + 1] / (x[i + 1] - x[i]) : 0;
    s[i] = (right[i] - next) / diagonal[i];
  }
}

static double secant(const double *x, const double *y, int i)
{
  return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

/* Returns the slope of the secant between points i and i + 1 of n; for i < 0 and i > n − 2 it is extrapolated linearly from the two secants
 * at that end, as Akima (1970) does (for n = 2 it is constant). */
static double secant_beyond(int n, const double *x, const double *y, int i)
{
  if (i < 0) return secant(x, y, 0) + i * (n > 2 ? secant(x, y, 1) - secant(x, y, 0) : 0);
  if (i > n - 2) {
    double last = secant(x, y, n - 2);
    return last + (i - (n - 2)) * (n > 2 ? last - secant(x, y, n - 3) : 0);
  }
  return secant(x, y, i);
}

static void akima_slopes(int n, const double *x, const double *y, double *s)
{
  for (int i = 0; i < n; i++) {
    double m1 = secant_beyond(n, x, y, i - 2), m2 = secant_beyond(n, x, y, i - 1);
    double m3 = secant_beyond(n, x, y, i), m4 = secant_beyond(n, x, y, i + 1);
    double before = fabs(m4 - m3), after = fabs(m2 - m1);
    s[i] = before + after > 0 ? (before * m2 + after * m3) / (before + after) : (m2 + m3) / 2;
  }
}

/* ---- coefficients */

/* Computes the coefficients c[4], by ascending powers, of the cubic on [0, h] with the values y0 and y1 and the slopes s0 and s1 at its
 * ends. */
static void hermite(double h, double y0, double y1, double s0, double s1, double *c)
{
  double delta = (y1 - y0) / h;
  c[0] = y0;
  c[1] = s0;
  c[2] = (3 * delta - 2 * s0 - s1) / h;
  c[3] = (s0 + s1 - 2 * delta) / (h * h);
}

static void fill_line(cmb_table *t, const double *f, double *slope, double *work)
{
  if (t->kind == CMB_TABLE_SPLINE) spline_slopes(t->nx, t->x, f, 1, slope, work);
  if (t->kind == CMB_TABLE_AKIMA) akima_slopes(t->nx, t->x, f, slope);
  for (int i = 0; i < t->nx - 1; i++) {
    double h = t->x[i + 1] - t->x[i], *c = t->c + 4 * i;
    if (t->kind == CMB_TABLE_LINEAR) {
      c[0] = f[i], c[1] = (f[i + 1] - f[i]) / h, c[2] = c[3] = 0;
    } else {
      hermite(h, f[i], f[i + 1], slope[i], slope[i + 1], c);
    }
  }
}

/* Computes the 16 coefficients of the bicubic patch (i, j) of a 2-D table by Hermite interpolation, in x and then in y. grid[] contains f,
 * f_x, f_y and f_xy at the points of the grid (nx x ny, index i ny + j). */
static void fill_patch(cmb_table *t, int i, int j, const double *const grid[4])
{
  const int ny = t->ny;
  double hx = t->x[i + 1] - t->x[i], hy = t->y[j + 1] - t->y[j], rows[4][4];
  for (int k = 0; k < 4; k++) { /* k: f at j, f at j + 1, f_y at j, f_y at j + 1 */
    const double *f = grid[k < 2 ? 0 : 2], *fx = grid[k < 2 ? 1 : 3];
    int at = i * ny + j + k % 2;
    hermite(hx, f[at], f[at + ny], fx[at], fx[at + ny], rows[k]);
  }
  double *c = t->c + 16 * (i * (ny - 1) + j);
  for (int a = 0; a < 4; a++)
    hermite(hy, rows[0][a], rows[1][a], rows[2][a], rows[3][a], c + 4 * a);
}

static void fill_surface(cmb_table *t, const double *f, double *fx, double *fy, double *fxy,
                         double *work)
{
  const int nx = t->nx, ny = t->ny;
  double *line = work + 2 * (nx > ny ? nx : ny);
  for (int j = 0; j < ny; j++) {
    spline_slopes(nx, t->x, f + j, ny, line, work);
    for (int i = 0; i < nx; i++) fx[i * ny + j] = line[i];
  }
  for (int i = 0; i < nx; i++) {
    spline_slopes(ny, t->y, f + i * ny, 1, fy + i * ny, work);
    spline_slopes(ny, t->y, fx + i * ny, 1, fxy + i * ny, work);
  }
  const double *const grid[4] = {f, fx, fy, fxy};
  for (int i = 0; i < nx - 1; i++) {
    for (int j = 0; j < ny - 1; j++) fill_patch(t, i, j, grid);
  }
}

/* ---- creation */

/* Returns an error unless x[n] are at least two finite numbers in strictly ascending order: the points of a table along the axis that is
 * named `axis` in messages. */
static cmb_status check_axis(cmb_context *ctx, const char *axis, int n, const double *x)
{
  if (n < 2)
    return cmb_fail(ctx, CMB_ERROR_INPUT, "the table has %d point%s along %s; expected at least 2",
                    n, n == 1 ? "" : "s", axis);
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i]) || (i > 0 && !(x[i] > x[i - 1]))) {
      return cmb_fail(ctx, CMB_ERROR_INPUT,
                      "point %d of the table along %s is %s; expected finite numbers that ascend",
                      i + 1, axis, cmb_shortest(x[i]).text);
    }
  }
  return CMB_OK;
}

static cmb_status check_values(cmb_context *ctx, int n, const double *f)
{
  for (int i = 0; i < n; i++) {
    if (!isfinite(f[i]))
      return cmb_fail(ctx, CMB_ERROR_INPUT, "value %d of a table is not finite", i + 1);
  }
  return CMB_OK;
}

int cmb_table_coefficients(const cmb_table *t)
{
  if (t->kind == CMB_TABLE_WAVES) return 2 * t->nx + 2;
  if (t->kind == CMB_TABLE_FOOT) return cmb_foot_coefficients(t->nx);
  return t->ny > 0 ? 16 * (t->nx - 1) * (t->ny - 1) : 4 * (t->nx - 1);
}

cmb_table *cmb_table_take(cmb_context *ctx, cmb_table_kind kind, int nx, int ny)
{
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_table *t = arena ? cmb_arena_take(arena, 1, sizeof *t) : NULL;
  if (!t) {
    cmb_arena_destroy(arena);
    return NULL;
  }
  *t = (cmb_table){.arena = arena, .kind = kind, .nx = nx, .ny = ny};
  t->x = cmb_arena_doubles(arena, nx);
  if (ny > 0) t->y = cmb_arena_doubles(arena, ny);
  t->c = cmb_arena_doubles(arena, cmb_table_coefficients(t));
  if (!cmb_arena_failed(arena)) return t;
  cmb_arena_destroy(arena);
  return NULL;
}

static cmb_table *new_table(cmb_context *ctx, cmb_table_kind kind, int nx, const double *x, int ny,
                            const double *y)
{
  cmb_table *t = cmb_table_take(ctx, kind, nx, ny);
  if (t) memcpy(t->x, x, (size_t)nx * sizeof *x);
  if (t && ny > 0) memcpy(t->y, y, (size_t)ny * sizeof *y);
  return t;
}

cmb_status cmb_table_create(cmb_context *ctx, cmb_table_kind kind, int n, const double *x,
                            const double *f, cmb_table **out)
{
  CMB_REQUIRE(ctx, ctx && out, "cmb_table_create needs a context and a place for the table");
  *out = NULL;
  CMB_REQUIRE(ctx, x && f, "cmb_table_create needs points");
  CMB_REQUIRE(ctx, kind >= CMB_TABLE_LINEAR && kind <= CMB_TABLE_AKIMA,
              "there is no such kind of table");
  CMB_TRY(check_axis(ctx, "x", n, x));
  CMB_TRY(check_values(ctx, n, f));
  cmb_table *t = new_table(ctx, kind, n, x, 0, NULL);
  double *slope = t ? cmb_arena_doubles(t->arena, n) : NULL;
  double *work = t ? cmb_arena_doubles(t->arena, 2 * n) : NULL;
  if (!t || cmb_arena_failed(t->arena)) {
    cmb_table_destroy(t);
    return cmb_fail_memory(ctx);
  }
  fill_line(t, f, slope, work);
  *out = t;
  return CMB_OK;
}

cmb_status cmb_table2_create(cmb_context *ctx, int nx, const double *x, int ny, const double *y,
                             const double *f, cmb_table **out)
{
  CMB_REQUIRE(ctx, ctx && out, "cmb_table2_create needs a context and a place for the table");
  *out = NULL;
  CMB_REQUIRE(ctx, x && y && f, "cmb_table2_create needs points");
  CMB_TRY(check_axis(ctx, "x", nx, x));
  CMB_TRY(check_axis(ctx, "y", ny, y));
  CMB_TRY(check_values(ctx, nx * ny, f));
  cmb_table *t = new_table(ctx, CMB_TABLE_SPLINE, nx, x, ny, y);
  double *grid = t ? cmb_arena_doubles(t->arena, 3 * nx * ny) : NULL;
  double *work = t ? cmb_arena_doubles(t->arena, 3 * (nx > ny ? nx : ny)) : NULL;
  if (!t || cmb_arena_failed(t->arena)) {
    cmb_table_destroy(t);
    return cmb_fail_memory(ctx);
  }
  fill_surface(t, f, grid, grid + nx * ny, grid + 2 * nx * ny, work);
  *out = t;
  return CMB_OK;
}

void cmb_table_destroy(cmb_table *t)
{
  if (!t) return;
  for (int k = 0; k < 2; k++) cmb_table_destroy(t->line[k]);
  cmb_arena_destroy(t->arena);
}

bool cmb_table_has_kinks(const cmb_table *t)
{
  return t->kind == CMB_TABLE_LINEAR && t->nx > 2;
}

/* ---- evaluation */

CMB_TABLE_INTERVAL_CODE(CMB_CODE_COMPILED)
CMB_TABLE_MODE_CODE(CMB_CODE_COMPILED)
CMB_TABLE_PIECES_CODE(CMB_CODE_COMPILED)
CMB_TABLE_LINE_CODE(CMB_CODE_COMPILED)
CMB_TABLE_MARGIN_CODE(CMB_CODE_COMPILED)
CMB_TABLE_SURFACE_CODE(CMB_CODE_COMPILED)

int cmb_table_interval(const cmb_table *t, double x)
{
  return op_table_interval(t->nx, t->x, x);
}

int cmb_table_piece(const cmb_table *t, double mode)
{
  return op_table_piece(t->nx, mode);
}

double cmb_table_value_in(const cmb_table *t, int order, int interval, double x)
{
  return op_table_in(t->nx, t->x, t->c, order, interval, x);
}

double cmb_table_value(const cmb_table *t, int order, double x)
{
  return cmb_table_value_in(t, order, cmb_table_interval(t, x), x);
}

double cmb_table_margin(const cmb_table *t, int interval, double x)
{
  return op_table_margin(t->nx, t->x, interval, x);
}

double cmb_table2_value(const cmb_table *t, int dx, int dy, double x, double y)
{
  if (t->kind == CMB_TABLE_WAVES) return cmb_waves_value(t, dx, dy, x, y);
  if (t->kind == CMB_TABLE_FOOT) return cmb_foot_value(t, dx == 1, x, y);
  return op_table2(t->nx, t->x, t->ny, t->y, t->c, dx, dy, x, y);
}
