/*
 * Tests of modes (camber/expr.h): with the modes that belong to a point a frozen expression has the value of the original; with other modes
 * it continues smoothly beyond the switch; each switch is found once and named, inner ones first; smooth(...) has no mode.
 */
#include "check.h"
#include "random_expr.h"

#include "base/context.h"
#include "expr/graph.h"
#include "expr/table.h"

#include <camber/camber.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { INPUTS = 3, MOST = 512, ROOM = 8192 };

struct frozen {
  cmb_context *ctx;
  cmb_graph *g;
  cmb_modes *modes;
  cmb_expr x[INPUTS];
};

static void open_graph(struct frozen *s)
{
  static const char *const names[INPUTS] = {"x", "y", "z"};
  s->ctx = cmb_context_create(NULL);
  cmbt_ok(s->ctx, cmb_graph_create(s->ctx, &s->g));
  cmbt_ok(s->ctx, cmb_modes_create(s->ctx, &s->modes));
  for (int i = 0; i < INPUTS; i++) s->x[i] = cmb_input(s->g, names[i]);
}

static void close_graph(struct frozen *s)
{
  cmb_modes_destroy(s->modes);
  cmb_graph_destroy(s->g);
  cmb_context_destroy(s->ctx);
}

/* Returns the value of e for inputs x and the given modes. */
static double value(struct frozen *s, cmb_expr e, const double *x, const double *mode)
{
  static double work[ROOM];
  cmb_expr all[INPUTS + MOST];
  double in[INPUTS + MOST], out;
  int count = cmb_modes_count(s->modes);
  cmb_program *p;
  assert_in_range(count, 0, MOST);
  for (int i = 0; i < INPUTS; i++) all[i] = s->x[i], in[i] = x[i];
  for (int i = 0; i < count; i++) {
    all[INPUTS + i] = cmb_modes_at(s->modes, i)->mode;
    in[INPUTS + i] = mode[i];
  }
  cmbt_ok(s->ctx, cmb_program_create(s->ctx, s->g, INPUTS + count, all, 1, &e, &p));
  assert_in_range(cmb_program_work(p), 0, ROOM);
  cmb_program_run(p, in, &out, work);
  cmb_program_destroy(p);
  return out;
}

/* Sets the modes that belong to x, in their order, as a later one may depend on earlier ones. Returns whether no switch is exactly 0. */
static bool set_modes(struct frozen *s, const double *x, double *mode)
{
  bool clear = true; /* no switching function is exactly 0 */
  for (int i = 0; i < cmb_modes_count(s->modes); i++) {
    const cmb_mode *m = cmb_modes_at(s->modes, i);
    for (int k = i; k < cmb_modes_count(s->modes); k++) mode[k] = 1;
    double of = value(s, m->of, x, mode);
    clear = clear && of != 0;
    if (cmb_mode_is_sign(m->kind)) mode[i] = of > 0 ? 1 : -1;
    if (m->kind == CMB_MODE_FLOOR) mode[i] = floor(of);
    if (m->kind == CMB_MODE_TABLE) mode[i] = cmb_table_interval(s->g->tables[m->table], of);
  }
  return clear;
}

static bool has_switch(const cmb_graph *g, cmb_expr e)
{
  uint8_t *marked = cmb_reachable(g, 1, &e);
  bool found = false;
  for (cmb_expr i = 0; i < cmb_graph_size(g); i++) {
    cmb_op op = cmb_expr_op(g, i);
    found = found || (marked[i] && (op == CMB_OP_ABS || op == CMB_OP_MIN || op == CMB_OP_MAX ||
                                    op == CMB_OP_LT || op == CMB_OP_GE || op == CMB_OP_SIGN ||
                                    op == CMB_OP_FLOOR));
  }
  cmb_release(g->ctx, marked);
  return found;
}

static void test_same_value(void **state)
{
  (void)state;
  struct cmbt_random r = {31};
  int compared = 0, switches = 0;
  for (int k = 0; k < 2000; k++) {
    struct frozen s;
    double x[INPUTS], mode[MOST];
    open_graph(&s);
    cmb_expr e = cmbt_random_expr(&r, s.g, INPUTS, s.x, 25, CMBT_EXPR_TAME), f;
    cmbt_ok(s.ctx, cmb_modes_freeze(s.modes, s.g, 1, &e, &f));
    for (int i = 0; i < INPUTS; i++) x[i] = cmbt_random_uniform(&r, -2, 2);
    bool clear = set_modes(&s, x, mode);
    double plain = value(&s, e, x, mode), frozen = value(&s, f, x, mode);
    if (isfinite(plain) && clear) {
      cmbt_near(frozen, plain, 1e-12 * (1 + fabs(plain)));
      compared++;
    }
    switches += cmb_modes_count(s.modes);
    close_graph(&s);
  }
  printf("%d values compared, %d switches\n", compared, switches);
  assert_true(compared > 1500 && switches > 2000);
}

/* Returns whether e depends on a mode with the number `first` or a higher one. */
static bool has_mode(const struct frozen *s, cmb_expr e, int first)
{
  uint8_t *marked = cmb_reachable(s->g, 1, &e);
  bool found = false;
  for (int i = first; i < cmb_modes_count(s->modes); i++) {
    found = found || marked[cmb_modes_at(s->modes, i)->mode];
  }
  cmb_release(s->ctx, marked);
  return found;
}

/* Checks that the switching function of a mode depends on modes before it only, in expressions frozen together or later: searches for
 * modes (dae/modes.c) and exported code use this order. */
static void test_inner_modes_first(void **state)
{
  (void)state;
  struct cmbt_random r = {32};
  int nested = 0;
  for (int k = 0; k < 300; k++) {
    struct frozen s;
    open_graph(&s);
    for (int n = 0; n < 3; n++) {
      cmb_expr e[2], f[2];
      for (int i = 0; i < 2; i++) e[i] = cmbt_random_expr(&r, s.g, INPUTS, s.x, 20, 0);
      cmbt_ok(s.ctx, cmb_modes_freeze(s.modes, s.g, 2, e, f));
    }
    for (int i = 0; i < cmb_modes_count(s.modes); i++) {
      const cmb_mode *m = cmb_modes_at(s.modes, i);
      assert_false(has_mode(&s, m->of, i));
      assert_false(has_mode(&s, m->margin, i + 1));
      nested += has_mode(&s, m->of, 0);
    }
    close_graph(&s);
  }
  printf("%d modes depend on others\n", nested);
  assert_true(nested > 500);
}

static cmb_expr op(struct frozen *s, cmb_op o, cmb_expr a, cmb_expr b)
{
  return cmb_apply(s->g, o, a, b, 0);
}

/* |x − y| + max(x, y) has one switch for both; with the mode +1 it is 2 x − y on either side. */
static void test_held(void **state)
{
  (void)state;
  struct frozen s;
  open_graph(&s);
  cmb_expr difference = op(&s, CMB_OP_SUB, s.x[0], s.x[1]);
  cmb_expr e =
      op(&s, CMB_OP_ADD, op(&s, CMB_OP_ABS, difference, 0), op(&s, CMB_OP_MAX, s.x[0], s.x[1]));
  cmb_expr f, again;
  cmbt_ok(s.ctx, cmb_modes_freeze(s.modes, s.g, 1, &e, &f));
  assert_int_equal(cmb_modes_count(s.modes), 1);
  assert_string_equal(cmb_modes_at(s.modes, 0)->name, "x - y");
  assert_int_equal(cmb_modes_at(s.modes, 0)->margin, difference);
  const double here[INPUTS] = {3, 1, 0}, beyond[INPUTS] = {1, 3, 0}, plus[1] = {1}, minus[1] = {-1};
  cmbt_near(value(&s, f, here, plus), 5, 0);
  cmbt_near(value(&s, f, beyond, plus), -1, 0); /* 2 · 1 − 3 */
  cmbt_near(value(&s, f, beyond, minus), 5, 0);
  cmbt_ok(s.ctx, cmb_modes_freeze(s.modes, s.g, 1, &e, &again));
  assert_int_equal(again, f);
  assert_int_equal(cmb_modes_count(s.modes), 1);
  close_graph(&s);
}

static bool symbol(void *user, const char *name, cmb_expr *e)
{
  *e = cmb_input(user, name);
  return true;
}

/* Returns the value of a formula at `at`, frozen with the modes of the point `where`. */
static double frozen_at(const char *text, const double *where, const double *at)
{
  struct frozen s;
  double mode[MOST];
  cmb_expr e;
  open_graph(&s);
  const cmb_names names = {.user = s.g, .value = symbol};
  cmbt_ok(s.ctx, cmb_formula_parse(s.g, text, strlen(text), 1, 1, &names, &e));
  cmbt_ok(s.ctx, cmb_modes_freeze(s.modes, s.g, 1, &e, &e));
  set_modes(&s, where, mode);
  const double result = value(&s, e, at, mode);
  close_graph(&s);
  return result;
}

/* Checks roots whose argument the formula itself keeps from being negative: beyond its switch the branch continues as an odd function of
 * the argument; where the branch is taken its value does not change. Other roots of negative numbers stay NaN. */
static void test_roots(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double here, beyond; /* at x = 0.25 and, with the same modes, at −0.25 */
  } guarded[] = {
      {"abs(x)^1.5", 0.125, -0.125},
      {"sqrt(abs(x))", 0.5, -0.5},
      {"max(x, 0)^1.5", 0.125, -0.125},
      {"sqrt(max(0, abs(y)*x))", 0.5, -0.5},
      {"if(x > 0, sqrt(x), 0)", 0.5, -0.5},
      {"if(x >= 0, x^1.5, 0)", 0.125, -0.125},
      {"if(x <= 0, 7, x^1.5)", 0.125, -0.125},
      {"if(0 < x and y > 0, 3 + sqrt(4*x), 0)", 4, 2},
      {"if(x < 0 or y < 0, 7, sqrt(x))", 0.5, -0.5},
      {"if(x > z, sqrt(x - z), 0)", 0.5, -0.5},
      {"if(-x < 0, if(y > 0, sqrt(x), 5), 0)", 0.5, -0.5},
      {"if(x, sqrt(x), 0)", 0.5, -0.5},
      {"if(x > 0, x^z, 0)", 1,
       0}, /* the exponent z = 0 is an integer; no value beyond is checked */
  };
  static const char *const open[] = {"sqrt(x)",
                                     "if(y > 0, sqrt(x), 0)",
                                     "if(x > -1, x^1.5, 0)",
                                     "if(x > 0, 0, sqrt(x))",
                                     "if(x > 0, sqrt(x), 0) + sqrt(x)",
                                     "if(x > 0 or y > 0, sqrt(x), 0)",
                                     "sqrt(min(abs(y), x))"};
  const double plus[INPUTS] = {0.25, 1, 0}, minus[INPUTS] = {-0.25, 1, 0};
  for (size_t i = 0; i < sizeof guarded / sizeof guarded[0]; i++) {
    cmbt_near(frozen_at(guarded[i].text, plus, plus), guarded[i].here, 0);
    if (guarded[i].beyond != 0)
      cmbt_near(frozen_at(guarded[i].text, plus, minus), guarded[i].beyond, 0);
    assert_true(isfinite(frozen_at(guarded[i].text, minus, minus)));
  }
  for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
    assert_true(isnan(frozen_at(open[i], minus, minus)));
  }
}

static void test_smooth_has_no_mode(void **state)
{
  (void)state;
  struct frozen s;
  open_graph(&s);
  cmb_expr inside = op(&s, CMB_OP_ABS, s.x[0], 0), e = op(&s, CMB_OP_SMOOTH, inside, 0), f;
  cmbt_ok(s.ctx, cmb_modes_freeze(s.modes, s.g, 1, &e, &f));
  assert_int_equal(cmb_modes_count(s.modes), 0);
  const double x[INPUTS] = {-2, 0, 0};
  cmbt_near(value(&s, f, x, NULL), 2, 0);
  close_graph(&s);
}

/* A linear table and floor: checks that the interval is kept as the mode, and that the margin is negative outside of it. */
static void test_intervals(void **state)
{
  (void)state;
  struct frozen s;
  cmb_table *t;
  const double at[4] = {0, 1, 2, 3}, y[4] = {0, 1, 3, 6};
  open_graph(&s);
  cmbt_ok(s.ctx, cmb_table_create(s.ctx, CMB_TABLE_LINEAR, 4, at, y, &t));
  cmb_expr e[2] = {cmb_table_apply(s.g, t, s.x[0]), op(&s, CMB_OP_FLOOR, s.x[0], 0)}, f[2];
  cmbt_ok(s.ctx, cmb_modes_freeze(s.modes, s.g, 2, e, f));
  assert_int_equal(cmb_modes_count(s.modes), 2);
  const double x[INPUTS] = {1.25, 0, 0}, beyond[INPUTS] = {2.5, 0, 0};
  double mode[2];
  set_modes(&s, x, mode);
  cmbt_near(mode[0], 1, 0);
  cmbt_near(mode[1], 1, 0);
  cmbt_near(value(&s, f[0], x, mode), 1.5, 1e-15);
  cmbt_near(value(&s, f[0], beyond, mode), 4, 1e-15); /* the second piece continued: 1 + 2 · 1.5 */
  cmbt_near(value(&s, f[1], beyond, mode), 1, 0);
  for (int i = 0; i < 2; i++) {
    cmbt_near(value(&s, cmb_modes_at(s.modes, i)->margin, x, mode), 0.25, 1e-15);
    cmbt_near(value(&s, cmb_modes_at(s.modes, i)->margin, beyond, mode), -0.5, 1e-15);
  }
  cmb_table_destroy(t); /* the graph has a pointer to it, but does not use it any more */
  close_graph(&s);
}

/* Checks that the derivative of a frozen expression contains no switch. */
static void test_derivative(void **state)
{
  (void)state;
  struct frozen s;
  open_graph(&s);
  cmb_expr e = op(&s, CMB_OP_MUL, op(&s, CMB_OP_ABS, s.x[0], 0), s.x[1]), f, dot,
           one = cmb_constant(s.g, 1);
  cmbt_ok(s.ctx, cmb_modes_freeze(s.modes, s.g, 1, &e, &f));
  cmbt_ok(s.ctx, cmb_forward(s.g, 1, &s.x[0], &one, 1, &f, &dot));
  assert_false(has_switch(s.g, dot));
  const double x[INPUTS] = {0.5, 7, 0}, minus[1] = {-1};
  cmbt_near(value(&s, dot, x, minus), -7, 0);
  close_graph(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_value),         cmocka_unit_test(test_held),
      cmocka_unit_test(test_smooth_has_no_mode), cmocka_unit_test(test_intervals),
      cmocka_unit_test(test_derivative),         cmocka_unit_test(test_roots),
      cmocka_unit_test(test_inner_modes_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
