/*
 * Tests of programs on intervals (expr/interval.h): the interval computed for a box contains the values at points of the box, for random
 * expressions of all operations and for tables; the interval of each operation contains the exact value (computed in long double);
 * intervals of narrow boxes are narrow; and what cannot be bounded is unknown.
 */
#include "check.h"
#include "random_expr.h"

#include "expr/graph.h"
#include "expr/interval.h"

#include <camber/camber.h>
#include <float.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__has_feature)
enum { EXPRESSIONS = 5000 };
#else
enum { EXPRESSIONS = 100000 }; /* a million values, with POINTS each */
#endif

enum { INPUTS = 3, POINTS = 10, BATCH = 100, MOST_SLOTS = 1024 };

struct test_graph {
  cmb_context *ctx;
  cmb_graph *g;
  cmb_expr x[INPUTS];
};

static struct test_graph open_graph(void)
{
  static const char *const names[INPUTS] = {"x", "y", "z"};
  struct test_graph s = {.ctx = cmb_context_create(NULL)};
  cmbt_ok(s.ctx, cmb_graph_create(s.ctx, &s.g));
  for (int i = 0; i < INPUTS; i++) s.x[i] = cmb_input(s.g, names[i]);
  return s;
}

static void close_graph(struct test_graph *s)
{
  cmb_graph_destroy(s->g);
  cmb_context_destroy(s->ctx);
}

/* Returns an interval around a point of random size; its width is between a few units in the last place and several times that size. */
static cmb_interval random_interval(struct cmbt_random *r)
{
  double middle = cmbt_random_uniform(r, -2, 2);
  middle *= cmbt_random_scale(r, 1);
  double half = fabs(middle) * pow(10, cmbt_random_uniform(r, -16, 0.5));
  if (cmbt_random_int(r, 0, 9) == 0) half = 0;
  return (cmb_interval){middle - half, middle + half};
}

/* Returns a random point of the interval, half of the time one of its ends. */
static double random_point(struct cmbt_random *r, cmb_interval x)
{
  int kind = cmbt_random_int(r, 0, 3);
  if (kind == 0) return x.low;
  if (kind == 1) return x.high;
  return fmin(x.high, x.low + (x.high - x.low) * cmbt_random_uniform(r, 0, 1));
}

/* Checks that the program's interval for the box contains its values at random points. Returns whether the interval is known. */
static bool check_box(struct cmbt_random *r, const cmb_program *p, const cmb_interval *box)
{
  static cmb_interval work[MOST_SLOTS];
  static double numbers[MOST_SLOTS];
  cmb_interval range;
  assert_in_range(cmb_program_work(p), 0, MOST_SLOTS);
  cmb_program_enclose(p, box, &range, work);
  if (!cmb_interval_known(range)) return false;
  for (int k = 0; k < POINTS; k++) {
    double x[INPUTS], value;
    for (int i = 0; i < INPUTS; i++) x[i] = random_point(r, box[i]);
    cmb_program_run(p, x, &value, numbers);
    if (!(range.low <= value && value <= range.high)) {
      fail_msg("%.17g is not in [%.17g, %.17g] at (%.17g, %.17g, %.17g)", value, range.low,
               range.high, x[0], x[1], x[2]);
    }
  }
  return true;
}

static void check_containment(uint64_t seed, unsigned flags, double least_known)
{
  struct cmbt_random r = {seed};
  int known = 0;
  for (int k = 0; k < EXPRESSIONS; k += BATCH) {
    struct test_graph s = open_graph();
    for (int i = 0; i < BATCH; i++) {
      cmb_program *p;
      cmb_interval box[INPUTS];
      cmb_expr e = cmbt_random_expr(&r, s.g, INPUTS, s.x, cmbt_random_int(&r, 1, 40), flags);
      cmbt_ok(s.ctx, cmb_program_create(s.ctx, s.g, INPUTS, s.x, 1, &e, &p));
      for (int j = 0; j < INPUTS; j++) box[j] = random_interval(&r);
      known += check_box(&r, p, box);
      cmb_program_destroy(p);
    }
    close_graph(&s);
  }
  cmbt_below(least_known * EXPRESSIONS, known);
}

/* Checks random expressions: of any kind, of which at least 15 % must have a known interval, as many are undefined in a part of their box;
 * and tame ones (random_expr.h), of which at least 40 % must. */
static void test_containment(void **state)
{
  (void)state;
  check_containment(1, 0, 0.15);
  check_containment(2, CMBT_EXPR_TAME, 0.4);
}

/* ---- single operations against long double */

static long double exact(cmb_op op, long double a, long double b)
{
  switch (op) {
  case CMB_OP_ADD: return a + b;
  case CMB_OP_SUB: return a - b;
  case CMB_OP_MUL: return a * b;
  case CMB_OP_DIV: return a / b;
  case CMB_OP_POW: return powl(a, b);
  case CMB_OP_SQRT: return sqrtl(a);
  case CMB_OP_SIN: return sinl(a);
  case CMB_OP_COS: return cosl(a);
  case CMB_OP_TAN: return tanl(a);
  case CMB_OP_ASIN: return asinl(a);
  case CMB_OP_ACOS: return acosl(a);
  case CMB_OP_ATAN: return atanl(a);
  case CMB_OP_ATAN2: return atan2l(a, b);
  case CMB_OP_SINH: return sinhl(a);
  case CMB_OP_COSH: return coshl(a);
  case CMB_OP_TANH: return tanhl(a);
  case CMB_OP_EXP: return expl(a);
  case CMB_OP_LOG: return logl(a);
  default: fail_msg("operation %d has no exact value here", (int)op); return 0;
  }
}

static void test_exact_values(void **state)
{
  (void)state;
  static const cmb_op ops[] = {CMB_OP_ADD,   CMB_OP_SUB,  CMB_OP_MUL,  CMB_OP_DIV,  CMB_OP_POW,
                               CMB_OP_SQRT,  CMB_OP_SIN,  CMB_OP_COS,  CMB_OP_TAN,  CMB_OP_ASIN,
                               CMB_OP_ACOS,  CMB_OP_ATAN, CMB_OP_SINH, CMB_OP_COSH, CMB_OP_TANH,
                               CMB_OP_ATAN2, CMB_OP_EXP,  CMB_OP_LOG};
  enum { OPS = sizeof ops / sizeof *ops, EACH = EXPRESSIONS / 10 };
  struct cmbt_random r = {3};
  for (int k = 0; k < OPS * EACH; k++) {
    cmb_op op = ops[k % OPS];
    double a = cmbt_random_uniform(&r, -1, 1);
    a *= cmbt_random_scale(&r, k % 3 ? 2 : 150);
    double b = cmbt_random_uniform(&r, -1, 1);
    b *= cmbt_random_scale(&r, k % 3 ? 1 : 150);
    cmb_interval x = cmb_op_enclose(op, cmb_interval_of(a), cmb_interval_of(b), cmb_interval_of(0));
    if (!cmb_interval_known(x)) continue;
    long double value = exact(op, a, b);
    if (!(x.low <= value && value <= x.high)) {
      fail_msg("%s(%.17g, %.17g) = %.20Lg is not in [%.17g, %.17g]", cmb_op_text(op), a, b, value,
               x.low, x.high);
    }
    if (fabs(a) < 1e3) {
      cmbt_below(x.high - x.low, 16 * DBL_EPSILON * (double)fabsl(value) + 64 * DBL_TRUE_MIN);
    }
  }
}

/* ---- extrema inside of intervals, and unknown intervals */

static cmb_interval enclose(cmb_op op, double low, double high)
{
  return cmb_op_enclose(op, (cmb_interval){low, high}, cmb_interval_of(2), cmb_interval_of(0));
}

static void check_range(cmb_interval x, double low, double high)
{
  cmbt_near(x.low, low, 1e-14 * fmax(1, fabs(low)));
  cmbt_near(x.high, high, 1e-14 * fmax(1, fabs(high)));
  assert_true(x.low <= low && high <= x.high);
}

static void test_extremes(void **state)
{
  (void)state;
  check_range(enclose(CMB_OP_SIN, 1, 2), sin(1), 1);
  check_range(enclose(CMB_OP_SIN, 4, 5), -1, sin(4));
  check_range(enclose(CMB_OP_SIN, -1, 1), -sin(1), sin(1));
  check_range(enclose(CMB_OP_COS, -1, 2), cos(2), 1);
  check_range(enclose(CMB_OP_COS, 1000, 1001), cos(1001), cos(1000));
  check_range(enclose(CMB_OP_COS, 3, 3.2), -1, cos(3));
  check_range(enclose(CMB_OP_SIN, 0, 7), -1, 1);
  check_range(enclose(CMB_OP_POW, -3, 2), 0, 9);
  check_range(enclose(CMB_OP_COSH, -1, 2), 1, cosh(2));
  check_range(enclose(CMB_OP_ABS, -1, 2), 0, 2);
  check_range(enclose(CMB_OP_FLOOR, -0.5, 2.5), -1, 2);
  check_range(enclose(CMB_OP_GT, 1, 3), 0, 1);
  check_range(enclose(CMB_OP_GT, 2.5, 3), 1, 1);
  check_range(enclose(CMB_OP_LE, 2.5, 3), 0, 0);
}

static void test_unknown(void **state)
{
  (void)state;
  assert_false(cmb_interval_known(enclose(CMB_OP_SQRT, -1, 1)));
  assert_false(cmb_interval_known(enclose(CMB_OP_LOG, 0, 1)));
  assert_false(cmb_interval_known(enclose(CMB_OP_TAN, 1, 2)));
  assert_false(cmb_interval_known(enclose(CMB_OP_EXP, 0, 1000)));
  assert_false(cmb_interval_known(enclose(CMB_OP_ASIN, 0, 1.5)));
  const cmb_interval unknown = cmb_interval_unknown(), one = cmb_interval_of(1),
                     zero = cmb_interval_of(0);
  assert_false(cmb_interval_known(cmb_op_enclose(CMB_OP_DIV, one, (cmb_interval){-1, 1}, zero)));
  assert_false(cmb_interval_known(cmb_op_enclose(CMB_OP_ATAN, unknown, zero, zero)));
  assert_false(cmb_interval_known(cmb_op_enclose(CMB_OP_MIN, one, unknown, zero)));
  assert_false(cmb_interval_known(cmb_op_enclose(CMB_OP_IF, unknown, one, one)));
  assert_true(cmb_interval_known(cmb_op_enclose(CMB_OP_IF, one, one, unknown)));
  assert_false(cmb_interval_known(cmb_op_enclose(CMB_OP_IF, (cmb_interval){-1, 1}, one, unknown)));
  assert_false(unknown.low > 0 || unknown.high < 0); /* neither sign can be concluded */
}

/* √(x² + y²): checks that the interval of a square is not negative. */
static void test_squares(void **state)
{
  (void)state;
  struct test_graph s = open_graph();
  cmb_program *p;
  cmb_interval box[INPUTS] = {{-3, 1}, {-4, 4}, {0, 0}}, range, work[MOST_SLOTS];
  cmb_expr a = cmb_apply(s.g, CMB_OP_MUL, s.x[0], s.x[0], 0);
  cmb_expr b = cmb_apply(s.g, CMB_OP_MUL, s.x[1], s.x[1], 0);
  cmb_expr e = cmb_apply(s.g, CMB_OP_SQRT, cmb_apply(s.g, CMB_OP_ADD, a, b, 0), 0, 0);
  cmbt_ok(s.ctx, cmb_program_create(s.ctx, s.g, INPUTS, s.x, 1, &e, &p));
  cmb_program_enclose(p, box, &range, work);
  check_range(range, 0, 5);
  cmb_program_destroy(p);
  close_graph(&s);
}

/* Checks for all choices of the outputs (x + y)², x y and x − y that only the chosen ones are computed, with the same bounds. */
static void test_wanted(void **state)
{
  (void)state;
  enum { OUTPUTS = 3 };
  struct test_graph s = open_graph();
  cmb_program *p;
  const cmb_interval box[INPUTS] = {{-3, 1}, {2, 4}, {0, 0}};
  cmb_interval all[OUTPUTS], some[OUTPUTS], work[MOST_SLOTS];
  uint32_t needed[MOST_SLOTS];
  uint8_t alive[MOST_SLOTS];
  const cmb_expr sum = cmb_apply(s.g, CMB_OP_ADD, s.x[0], s.x[1], 0);
  const cmb_expr e[OUTPUTS] = {cmb_apply(s.g, CMB_OP_MUL, sum, sum, 0),
                               cmb_apply(s.g, CMB_OP_MUL, s.x[0], s.x[1], 0),
                               cmb_apply(s.g, CMB_OP_SUB, s.x[0], s.x[1], 0)};
  cmbt_ok(s.ctx, cmb_program_create(s.ctx, s.g, INPUTS, s.x, OUTPUTS, e, &p));
  cmb_program_enclose(p, box, all, work);
  for (int choice = 0; choice < 1 << OUTPUTS; choice++) {
    bool wanted[OUTPUTS];
    for (int i = 0; i < OUTPUTS; i++) wanted[i] = (choice >> i) & 1;
    const int count = cmb_program_find_needed(p, wanted, alive, needed);
    assert_int_equal(count, 2 * wanted[0] + wanted[1] + wanted[2]);
    for (int i = 0; i < MOST_SLOTS; i++) work[i] = cmb_interval_unknown();
    cmb_program_enclose_wanted(p, box, wanted, count, needed, some, work);
    for (int i = 0; i < OUTPUTS; i++) {
      assert_int_equal(cmb_interval_known(some[i]), wanted[i]);
      if (wanted[i]) check_range(some[i], all[i].low, all[i].high);
    }
  }
  cmb_program_destroy(p);
  close_graph(&s);
}

/* ---- sums of waves */

enum { WAVES = 30 };

/* Returns twice the width that the first derivatives in the middle of a square give, plus the contribution of the second derivatives,
 * which are at most `bend`. */
static double widest(const cmb_table *t, double bend, double x, double y, double width)
{
  const double fx = cmb_table2_value(t, 1, 0, x + width / 2, y + width / 2);
  const double fy = cmb_table2_value(t, 0, 1, x + width / 2, y + width / 2);
  return (fabs(fx) + fabs(fy)) * width + bend * width * width / 2;
}

/* Checks that bounds of a sum of waves and its derivatives contain its values in a square, and that those of the sum itself are narrow
 * if the square is small. */
static void check_waves(struct cmbt_random *r, const cmb_table *t, double bend, double width)
{
  const double far = cmbt_random_uniform(r, 0, 1) < 0.1 ? 1e6 : 10;
  const double x = cmbt_random_uniform(r, -far, far), y = cmbt_random_uniform(r, -10, 10);
  const cmb_interval along = {x, x + width}, across = {y, y + width};
  for (int order = 0; order < 9; order++) {
    const int dx = order % 3, dy = order / 3;
    const cmb_interval range = cmb_table2_enclose(t, dx, dy, along, across);
    for (int k = 0; k < POINTS; k++) {
      const double at_x = random_point(r, along), at_y = random_point(r, across);
      const double value = cmb_table2_value(t, dx, dy, at_x, at_y);
      assert_true(range.low <= value && value <= range.high);
    }
    if (order == 0 && width < 0.04 && far < 100) {
      cmbt_below(range.high - range.low, widest(t, bend, x, y, width) + 1e-10);
    }
  }
}

static void test_waves(void **state)
{
  (void)state;
  struct cmbt_random r = {6};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int k = 0; k < EXPRESSIONS / 1000; k++) {
    cmb_wave w[WAVES];
    cmb_table *t;
    double bend = 0;
    for (int i = 0; i < WAVES; i++) {
      w[i] = (cmb_wave){cmbt_random_uniform(&r, -1, 1), pow(10, cmbt_random_uniform(&r, -2, 1)),
                        cmbt_random_uniform(&r, -1, 1), cmbt_random_uniform(&r, 0, 1)};
      const double turns = 6.2832 * (w[i].along + fabs(w[i].across));
      bend += fabs(w[i].amplitude) * turns * turns;
    }
    cmbt_ok(ctx, cmb_waves_create(ctx, WAVES, w, &t));
    for (int i = 0; i < 40; i++) check_waves(&r, t, bend, i == 0 ? 0 : pow(10, -5 + i * 0.15));
    const cmb_interval all = {-1e5, 1e5}, beyond = {0, 1e9};
    const cmb_interval range = cmb_table2_enclose(t, 0, 0, all, all);
    assert_true(range.low < 0 && range.high > 0 && range.high - range.low < 2 * WAVES);
    assert_false(cmb_interval_known(cmb_table2_enclose(t, 0, 0, beyond, all)));
    cmb_table_destroy(t);
  }
  cmb_context_destroy(ctx);
}

/* ---- tables and C functions */

enum { N = 9, MODES = N + 2 };

static const double X[N] = {-2, -1.5, -0.5, 0, 0.25, 1, 1.75, 2, 3};

static void check_table(struct cmbt_random *r, const cmb_table *t)
{
  cmb_interval x = random_interval(r);
  for (int order = 0; order < 4; order++) {
    cmb_interval range = cmb_table_enclose(t, order, x), at[MODES];
    for (int m = 0; m < MODES; m++)
      at[m] = cmb_table_enclose_at(t, order, x, cmb_interval_of(m - 1));
    for (int k = 0; k < POINTS; k++) {
      double p = random_point(r, x), value = cmb_table_value(t, order, p);
      assert_true(range.low <= value && value <= range.high);
      for (int m = 0; m < MODES; m++) {
        double in = cmb_table_value_in(t, order, cmb_table_piece(t, m - 1), p);
        assert_true(at[m].low <= in && in <= at[m].high);
      }
    }
    if (order == 0 && x.high - x.low < 1e-6) {
      cmbt_below(range.high - range.low, 200 * (x.high - x.low) + 1e-9);
    }
  }
  cmb_interval margin = cmb_table_enclose_at(t, CMB_TABLE_MARGIN, x, cmb_interval_of(3));
  for (int k = 0; k < POINTS; k++) {
    double value = cmb_table_margin(t, 3, random_point(r, x));
    assert_true(margin.low <= value && value <= margin.high);
  }
}

static void test_tables(void **state)
{
  (void)state;
  struct cmbt_random r = {4};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int kind = CMB_TABLE_LINEAR; kind <= CMB_TABLE_AKIMA; kind++) {
    for (int k = 0; k < EXPRESSIONS / 1000; k++) {
      double y[N];
      cmb_table *t;
      for (int i = 0; i < N; i++) y[i] = cmbt_random_uniform(&r, -1, 1);
      cmbt_ok(ctx, cmb_table_create(ctx, (cmb_table_kind)kind, N, X, y, &t));
      for (int i = 0; i < 50; i++) check_table(&r, t);
      cmb_table_destroy(t);
    }
  }
  cmb_context_destroy(ctx);
}

static void check_surface(struct cmbt_random *r, const cmb_table *t)
{
  cmb_interval x = random_interval(r), y = random_interval(r);
  for (int order = 0; order < 9; order++) {
    cmb_interval range = cmb_table2_enclose(t, order % 3, order / 3, x, y);
    for (int k = 0; k < POINTS; k++) {
      const double at_y = random_point(r, y), at_x = random_point(r, x);
      double value = cmb_table2_value(t, order % 3, order / 3, at_x, at_y);
      assert_true(range.low <= value && value <= range.high);
    }
  }
}

static void test_surfaces(void **state)
{
  (void)state;
  struct cmbt_random r = {5};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int k = 0; k < EXPRESSIONS / 1000; k++) {
    double f[N * 4];
    cmb_table *t;
    for (int i = 0; i < N * 4; i++) f[i] = cmbt_random_uniform(&r, -1, 1);
    cmbt_ok(ctx, cmb_table2_create(ctx, N, X, 4, X + 2, f, &t));
    for (int i = 0; i < 20; i++) check_surface(&r, t);
    cmb_table_destroy(t);
  }
  cmb_context_destroy(ctx);
}

static double product(const void *user, const double *x)
{
  (void)user;
  return x[0] * x[1];
}

static void test_calls(void **state)
{
  (void)state;
  const cmb_external f = {.name = "f", .arity = 2, .value = product};
  struct test_graph s = open_graph();
  cmb_program *p;
  cmb_interval box[INPUTS] = {{3, 3}, {5, 5}, {0, 0}}, range, work[MOST_SLOTS];
  cmb_expr e = cmb_external_apply(s.g, &f, s.x);
  cmbt_ok(s.ctx, cmb_program_create(s.ctx, s.g, INPUTS, s.x, 1, &e, &p));
  cmb_program_enclose(p, box, &range, work);
  assert_true(range.low == 15 && range.high == 15);
  box[1].high = 6;
  cmb_program_enclose(p, box, &range, work);
  assert_false(cmb_interval_known(range));
  cmb_program_destroy(p);
  close_graph(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_containment), cmocka_unit_test(test_exact_values),
      cmocka_unit_test(test_extremes),    cmocka_unit_test(test_unknown),
      cmocka_unit_test(test_squares),     cmocka_unit_test(test_wanted),
      cmocka_unit_test(test_tables),      cmocka_unit_test(test_waves),
      cmocka_unit_test(test_surfaces),    cmocka_unit_test(test_calls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
