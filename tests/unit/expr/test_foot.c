/*
 * Tests of feet of points on lines (expr/foot.h): on a circle against closed forms; on winding lines against the nearest of many points of
 * the line; the reach of a circle and of a hairpin; u does not jump along straight ways; ends and closed lines; derivatives against
 * differences; and intervals against values.
 */
#include "check.h"
#include "random.h"

#include "expr/foot.h"
#include "expr/graph.h"

#include <camber/camber.h>

enum { MOST = 400 };

/* A line through n points that are `step` apart, given by the direction of each interval between them. */
struct line {
  int n;
  double step, x[MOST], y[MOST];
  double (*heading)(int i);
};

static cmb_table *table_of(cmb_context *ctx, struct line *l, double most, cmb_foot_limit limit[2])
{
  cmb_table *t;
  l->x[0] = l->y[0] = 0;
  for (int i = 1; i < l->n; i++) {
    l->x[i] = l->x[i - 1] + l->step * cos(l->heading(i));
    l->y[i] = l->y[i - 1] + l->step * sin(l->heading(i));
  }
  cmbt_ok(ctx, cmb_foot_create(ctx, l->n, l->x, l->y, l->step, most, limit, &t));
  return t;
}

static double circle_heading(int i)
{
  return 0.04 * (i - 0.5); /* so that the tangent at the first point is along x */
}

static double winding_heading(int i)
{
  return 1.1 * sin(0.06 * i) + 0.3 * sin(0.023 * i + 1);
}

/* A straight part, half a turn to the left with the radius 12.5, and a straight part back. */
static double hairpin_heading(int i)
{
  const double pi = 3.14159265358979323846;
  return i < 60 ? 0 : fmin(0.08 * (i - 59.5), pi);
}

static double ring_heading(int i)
{
  return 2 * 3.14159265358979323846 / 200 * (i - 0.5);
}

static void place_of(const cmb_table *t, double u, double v, double at[2])
{
  double p[2], d[2];
  for (int k = 0; k < 2; k++) {
    p[k] = cmb_table_value(t->line[k], 0, u);
    d[k] = cmb_table_value(t->line[k], 1, u);
  }
  at[0] = p[0] - v * d[1] / hypot(d[0], d[1]);
  at[1] = p[1] + v * d[0] / hypot(d[0], d[1]);
}

/* ---- values */

/* Compares u and v on a circle with closed forms. Between its points the spline has an error of 5/384 h⁴/R³, except near the ends, where
 * its curvature is 0. */
static void test_circle(void **state)
{
  (void)state;
  struct line l = {.n = 120, .step = 1, .heading = circle_heading};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_foot_limit limit[2];
  cmb_table *t = table_of(ctx, &l, 100, limit);
  const double R = 0.5 / sin(0.02);
  struct cmbt_random r = {1};
  for (int k = 0; k < 2000; k++) {
    const double angle = 0.04 * cmbt_random_uniform(&r, 14, 105),
                 v = cmbt_random_uniform(&r, -15, 16);
    const double x = (R - v) * sin(angle), y = R - (R - v) * cos(angle);
    cmbt_near(cmb_foot_value(t, true, x, y), v, 1e-6);
    const double tangent = 1 / (24 * R * R * R); /* error of the tangent's direction, h³ f''''/24 */
    cmbt_near(cmb_foot_value(t, false, x, y), angle / 0.04, 1e-6 + tangent * fabs(v) / (1 - v / R));
  }
  cmbt_near(limit[CMB_FOOT_LEFT].reach, 0.95 * hypot(l.x[119], l.y[119]) / 2,
            1e-9); /* half the distance between the ends limits the reach */
  cmb_table_destroy(t);
  l.n = 60;
  t = table_of(ctx, &l, 100, limit);
  cmbt_near(limit[CMB_FOOT_LEFT].reach, 0.95 / (3 - sqrt(3)) * R,
            1e-3 * R); /* the curvature of the spline near its ends limits the reach */
  cmb_table_destroy(t);
  cmb_context_destroy(ctx);
}

/* Returns the distance of (x, y) from the nearest of many points of the line, and its parameter *u. */
static double nearest(const cmb_table *t, double x, double y, double *u)
{
  double best = INFINITY;
  const double length = t->c[0] * (t->nx - 1);
  for (int i = 0; i <= 40 * (t->nx - 1); i++) {
    const double at = length * i / (40 * (t->nx - 1));
    const double d =
        hypot(cmb_table_value(t->line[0], 0, at) - x, cmb_table_value(t->line[1], 0, at) - y);
    if (d < best) best = d, *u = at;
  }
  return best;
}

static void check_nearest(cmb_context *ctx, struct line *l, int count)
{
  cmb_foot_limit limit[2];
  cmb_table *t = table_of(ctx, l, 40, limit);
  struct cmbt_random r = {7};
  int found = 0;
  for (int k = 0; k < count; k++) {
    const int i = cmbt_random_int(&r, 0, l->n - 1);
    const double x = l->x[i] + cmbt_random_uniform(&r, -15, 15),
                 y = l->y[i] + cmbt_random_uniform(&r, -15, 15);
    double expected = 0;
    const double d = nearest(t, x, y, &expected), u = cmb_foot_value(t, false, x, y),
                 v = cmb_foot_value(t, true, x, y);
    if (isnan(u)) { /* only beyond the reach of at least one side */
      assert_true(d >= fmin(limit[0].reach, limit[1].reach) * 0.999);
      continue;
    }
    found++;
    assert_true(v <= limit[CMB_FOOT_LEFT].reach && v >= -limit[CMB_FOOT_RIGHT].reach);
    if (u < 0 || u > l->step * (l->n - 1)) continue;
    cmbt_near(fabs(v), d, 1e-2);
    assert_true(fabs(v) <= d + 1e-9);
    cmbt_near(u, expected, 0.5 * l->step);
  }
  assert_true(found > count / 4);
  cmb_table_destroy(t);
}

static void test_nearest(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct line winding = {.n = 300, .step = 0.7, .heading = winding_heading};
  struct line hairpin = {.n = 160, .step = 1, .heading = hairpin_heading};
  struct line ring = {.n = 201, .step = 1, .heading = ring_heading};
  check_nearest(ctx, &winding, 200);
  check_nearest(ctx, &hairpin, 200);
  check_nearest(ctx, &ring, 200);
  cmb_context_destroy(ctx);
}

/* ---- reach */

/* Checks along random straight ways that u changes continuously or there is no foot: two branches are always separated by places without
 * a foot. */
static void test_no_jumps(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct line lines[] = {{.n = 160, .step = 1, .heading = hairpin_heading},
                         {.n = 300, .step = 0.7, .heading = winding_heading},
                         {.n = 120, .step = 1, .heading = circle_heading}};
  struct cmbt_random r = {3};
  int gaps = 0;
  for (int k = 0; k < 3; k++) {
    cmb_foot_limit limit[2];
    cmb_table *t = table_of(ctx, &lines[k], 60, limit);
    for (int way = 0; way < 60; way++) {
      const double a[2] = {cmbt_random_uniform(&r, -80, 120), cmbt_random_uniform(&r, -80, 80)};
      const double b[2] = {cmbt_random_uniform(&r, -80, 120), cmbt_random_uniform(&r, -80, 80)};
      const int steps = 4000;
      double before = NAN;
      for (int i = 0; i <= steps; i++) {
        const double s = (double)i / steps;
        const double u =
            cmb_foot_value(t, false, a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]));
        gaps += isnan(u) && !isnan(before);
        if (!isnan(u) && !isnan(before)) /* |∇u| ≤ 1/(1 − 0.95) */
          cmbt_below(fabs(u - before), 22 * hypot(b[0] - a[0], b[1] - a[1]) / steps);
        before = u;
      }
    }
    cmb_table_destroy(t);
  }
  assert_true(gaps > 50);
  cmb_context_destroy(ctx);
}

static void test_hairpin(void **state)
{
  (void)state;
  struct line l = {.n = 160, .step = 1, .heading = hairpin_heading};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_foot_limit limit[2];
  cmb_table *t = table_of(ctx, &l, 60, limit);
  const double wide = l.y[159];
  assert_true(wide > 24 && wide < 26);
  assert_true(limit[CMB_FOOT_LEFT].reach < wide / 2 && limit[CMB_FOOT_LEFT].reach > 8);
  assert_true(limit[CMB_FOOT_RIGHT].reach > 40);
  assert_true(isnan(cmb_foot_value(t, false, 20, wide / 2)));
  cmbt_near(cmb_foot_value(t, false, 20, 6), 20, 1e-6);
  cmbt_near(cmb_foot_value(t, true, 20, 6), 6, 1e-6);
  cmbt_near(cmb_foot_value(t, true, 20, wide - 6), 6, 1e-6);
  cmbt_near(cmb_foot_value(t, false, -500, -3), -500, 1e-6); /* on the straight continuations */
  cmbt_near(cmb_foot_value(t, true, -500, wide + 4), -4, 1e-6);
  assert_true(isnan(cmb_foot_value(t, true, NAN, 0)) && isnan(cmb_foot_value(t, false, 1e300, 0)));
  cmb_table_destroy(t);
  cmb_context_destroy(ctx);
}

/* Checks on a way around a closed ring that u continues from 200 at 0, at a constant rate, and that v is right everywhere. */
static void test_ring(void **state)
{
  (void)state;
  struct line l = {.n = 201, .step = 1, .heading = ring_heading};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_foot_limit limit[2];
  cmb_table *t = table_of(ctx, &l, 60, limit);
  const double R = 0.5 / sin(3.14159265358979323846 / 200);
  double before = 0;
  cmbt_near(limit[CMB_FOOT_LEFT].reach, 0.95 * R, 1e-3 * R);
  for (int k = 1; k < 3000; k++) {
    const double angle = k * 0.0041, v = 3 * cos(7 * angle);
    const double x = (R - v) * sin(angle), y = R - (R - v) * cos(angle);
    const double u = cmb_foot_value(t, false, x, y);
    const double change = remainder(u - before, 200);
    assert_true(u >= -0.01 && u <= 200.01);
    cmbt_near(change, 0.0041 * 200 / (2 * 3.14159265358979323846), 1e-6);
    cmbt_near(cmb_foot_value(t, true, x, y), v, 1e-6);
    before = u;
  }
  cmb_table_destroy(t);
  cmb_context_destroy(ctx);
}

/* ---- derivatives */

/* Checks first and second derivatives of u and v: each against difference quotients of the order below. */
static void test_derivatives(void **state)
{
  (void)state;
  enum { FUNCTIONS = 14, ROOM = 400 };
  struct line l = {.n = 300, .step = 0.7, .heading = winding_heading};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_foot_limit limit[2];
  cmb_table *t = table_of(ctx, &l, 40, limit);
  cmb_graph *g;
  cmb_program *p;
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  const cmb_expr x[2] = {cmb_input(g, "x"), cmb_input(g, "y")}, one = cmb_constant(g, 1);
  cmb_expr e[FUNCTIONS];
  for (int k = 0; k < 2; k++) e[k] = cmb_foot_apply(g, t, k == 1, x[0], x[1]);
  for (int k = 2; k < FUNCTIONS; k++) { /* e[2 + 2 i + j] is the derivative of e[i] by x[j] */
    cmbt_ok(ctx, cmb_forward(g, 1, &x[k % 2], &one, 1, &e[(k - 2) / 2], &e[k]));
  }
  cmbt_ok(ctx, cmb_program_create(ctx, g, 2, x, FUNCTIONS, e, &p));
  assert_in_range(cmb_program_work(p), 0, ROOM);
  struct cmbt_random r = {11};
  double work[ROOM];
  for (int k = 0; k < 500; k++) {
    const double h = 1e-5, u = cmbt_random_uniform(&r, -3, 212), v = cmbt_random_uniform(&r, -3, 3);
    double at[2], exact[FUNCTIONS], low[FUNCTIONS], high[FUNCTIONS];
    if (fabs(remainder(u, 0.7)) < 0.01)
      continue; /* third derivatives of the line are discontinuous at its points */
    place_of(t, u, v, at);
    cmb_program_run(p, at, exact, work);
    cmbt_near(exact[0], u, 1e-9);
    cmbt_near(exact[1], v, 1e-9);
    for (int j = 0; j < 2; j++) {
      double to[2] = {at[0], at[1]};
      to[j] = at[j] + h;
      cmb_program_run(p, to, high, work);
      to[j] = at[j] - h;
      cmb_program_run(p, to, low, work);
      for (int i = 0; 2 + 2 * i + j < FUNCTIONS; i++)
        cmbt_near((high[i] - low[i]) / (2 * h), exact[2 + 2 * i + j],
                  1e-8 + 1e-8 * fabs(exact[2 + 2 * i + j]));
    }
  }
  for (int i = 0; i < l.n; i++) { /* u and v exactly at the points of the line */
    for (int k = -6; k <= 6; k++) {
      double at[2], exact[FUNCTIONS];
      place_of(t, l.step * i, 0.5 * k, at);
      cmb_program_run(p, at, exact, work);
      cmbt_near(exact[0], l.step * i, 1e-11);
      cmbt_near(exact[1], 0.5 * k, 1e-11);
    }
  }
  cmb_program_destroy(p);
  cmb_graph_destroy(g);
  cmb_table_destroy(t);
  cmb_context_destroy(ctx);
}

/* ---- intervals */

/* Returns |∂/∂x| + |∂/∂y| of u or v by differences; INFINITY at the border of the region where there is a foot. */
static double slopes(const cmb_table *t, bool across, const double at[2])
{
  const double h = 1e-6;
  const double dx =
      cmb_foot_value(t, across, at[0] + h, at[1]) - cmb_foot_value(t, across, at[0] - h, at[1]);
  const double dy =
      cmb_foot_value(t, across, at[0], at[1] + h) - cmb_foot_value(t, across, at[0], at[1] - h);
  return isnan(dx + dy) ? INFINITY : (fabs(dx) + fabs(dy)) / (2 * h);
}

static void check_box(struct cmbt_random *r, const cmb_table *t, int *known)
{
  const double length = t->c[0] * (t->nx - 1), half = pow(10, cmbt_random_uniform(r, -14, 0.5));
  double at[2];
  place_of(t, cmbt_random_uniform(r, -8, length + 8), cmbt_random_uniform(r, -9, 9), at);
  const double flat = cmbt_random_uniform(r, 0, 1);
  const cmb_interval x = {at[0] - half, at[0] + half},
                     y = {at[1] - flat * half, at[1] + flat * half};
  for (int across = 0; across < 2; across++) {
    const cmb_interval range = cmb_foot_enclose(t, across, x, y);
    if (!cmb_interval_known(range)) continue;
    ++*known;
    if (half < 1e-3) /* at most twice as wide as the derivatives permit */
      cmbt_below(range.high - range.low, 4 * half * slopes(t, across, at) + 1e-9);
    for (int k = 0; k < 12; k++) {
      const double p = k < 4 ? (k % 2 ? x.low : x.high) : cmbt_random_uniform(r, x.low, x.high);
      const double q = k < 4 ? (k / 2 ? y.low : y.high) : cmbt_random_uniform(r, y.low, y.high);
      const double value = cmb_foot_value(t, across, p, q);
      if (!(range.low <= value && value <= range.high))
        fail_msg("%.17g is not in [%.17g, %.17g]", value, range.low, range.high);
    }
  }
}

static void test_intervals(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct line lines[] = {{.n = 160, .step = 1, .heading = hairpin_heading},
                         {.n = 300, .step = 0.7, .heading = winding_heading},
                         {.n = 201, .step = 1, .heading = ring_heading}};
  struct cmbt_random r = {5};
  for (int k = 0; k < 3; k++) {
    cmb_foot_limit limit[2];
    int known = 0;
    const int count = cmbt_count("CAMBER_FEET", 8000);
    cmb_table *t = table_of(ctx, &lines[k], 60, limit);
    for (int i = 0; i < count; i++) check_box(&r, t, &known);
    assert_true(known > count);
    const cmb_interval all = {-1e3, 1e3}, none = cmb_interval_unknown();
    assert_false(cmb_interval_known(cmb_foot_enclose(t, false, all, all)));
    assert_false(cmb_interval_known(cmb_table2_enclose(t, 0, 0, none, all)));
    cmb_table_destroy(t);
  }
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_circle),   cmocka_unit_test(test_nearest),
      cmocka_unit_test(test_no_jumps), cmocka_unit_test(test_hairpin),
      cmocka_unit_test(test_ring),     cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_intervals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
