/*
 * Tests of substitution and of import into another graph: the value of the result is that of the original for the replaced inputs; all
 * inputs are replaced simultaneously; tables and C functions are kept; long chains need no recursion; failing allocations are errors.
 */
#include "check.h"
#include "failing_allocator.h"
#include "random_expr.h"

#include <camber/camber.h>
#include <stdio.h>

enum { INPUTS = 3, ROOM = 8192 };

struct test_graph {
  cmb_context *ctx;
  cmb_graph *g;
  cmb_expr x[INPUTS];
};

static void open_graph(struct test_graph *s)
{
  static const char *const names[INPUTS] = {"x", "y", "z"};
  s->ctx = cmb_context_create(NULL);
  cmbt_ok(s->ctx, cmb_graph_create(s->ctx, &s->g));
  for (int i = 0; i < INPUTS; i++) s->x[i] = cmb_input(s->g, names[i]);
}

static void close_graph(struct test_graph *s)
{
  cmb_graph_destroy(s->g);
  cmb_context_destroy(s->ctx);
}

static void values(struct test_graph *s, int count, const cmb_expr *e, const double *x, double *out)
{
  static double work[ROOM];
  cmb_program *p;
  cmbt_ok(s->ctx, cmb_program_create(s->ctx, s->g, INPUTS, s->x, count, e, &p));
  assert_in_range(cmb_program_work(p), 0, ROOM);
  cmb_program_run(p, x, out, work);
  cmb_program_destroy(p);
}

/* Compares f(a(x, y, z), b(x, y, z), z) by substitution with evaluating a and b first. */
static void test_composition(void **state)
{
  (void)state;
  struct cmbt_random r = {5};
  int compared = 0;
  for (int k = 0; k < 1000; k++) {
    struct test_graph s;
    double x[INPUTS], moved[INPUTS], got[2], expected[2];
    unsigned flags = CMBT_EXPR_SMOOTH | CMBT_EXPR_TAME;
    open_graph(&s);
    cmb_expr f[2], composed[2], to[2];
    for (int i = 0; i < 2; i++) f[i] = cmbt_random_expr(&r, s.g, INPUTS, s.x, 25, flags);
    for (int i = 0; i < 2; i++) to[i] = cmbt_random_expr(&r, s.g, INPUTS, s.x, 10, flags);
    for (int i = 0; i < INPUTS; i++) x[i] = cmbt_random_uniform(&r, -2, 2);
    cmbt_ok(s.ctx, cmb_substitute(s.g, 2, s.x, to, 2, f, composed));
    values(&s, 2, to, x, moved);
    moved[2] = x[2];
    values(&s, 2, f, moved, expected);
    values(&s, 2, composed, x, got);
    for (int i = 0; i < 2; i++) {
      if (!isfinite(expected[i])) continue;
      cmbt_near(got[i], expected[i], 1e-9 * (1 + fabs(expected[i])));
      compared++;
    }
    close_graph(&s);
  }
  printf("%d values compared\n", compared);
  assert_true(compared > 1500);
}

/* Checks that x and y can be exchanged, which replacing one after the other could not do. */
static void test_simultaneous(void **state)
{
  (void)state;
  struct test_graph s;
  open_graph(&s);
  cmb_expr swapped[2] = {s.x[1], s.x[0]}, result;
  cmb_expr e = cmb_apply(s.g, CMB_OP_SUB, s.x[0], s.x[1], 0);
  cmbt_ok(s.ctx, cmb_substitute(s.g, 2, s.x, swapped, 1, &e, &result));
  assert_int_equal(result, cmb_apply(s.g, CMB_OP_SUB, s.x[1], s.x[0], 0));
  close_graph(&s);
}

/* Checks that constants are folded, that expressions without the input stay the same nodes, and that the results may overwrite the list. */
static void test_simplified(void **state)
{
  (void)state;
  struct test_graph s;
  open_graph(&s);
  cmb_expr other = cmb_apply(s.g, CMB_OP_SIN, s.x[1], 0, 0), zero = 0;
  cmb_expr product = cmb_apply(s.g, CMB_OP_MUL, s.x[0], other, 0);
  cmb_expr list[4] = {cmb_apply(s.g, CMB_OP_ADD, other, product, 0), other, product, s.x[0]};
  cmbt_ok(s.ctx, cmb_substitute(s.g, 1, s.x, &zero, 4, list, list));
  assert_int_equal(list[0], other);
  assert_int_equal(list[1], other);
  assert_int_equal(list[2], 0);
  assert_int_equal(list[3], 0);
  close_graph(&s);
}

static double cube(const void *user, const double *x)
{
  (void)user;
  return x[0] * x[0] * x[0];
}

static double weigh(const void *user, const double *x)
{
  (void)user;
  return x[0] + 10 * x[1] + 100 * x[2];
}

/* Substitutes x = 2 y in a table, its derivative, a table of two arguments and a C function. */
static void test_tables_and_calls(void **state)
{
  (void)state;
  struct test_graph s;
  const double knots[3] = {0, 1, 2}, f[3] = {0, 3, 5}, f2[9] = {0, 1, 2, 1, 2, 3, 2, 3, 4};
  const double x[INPUTS] = {7, 0.75, 0.5};
  const cmb_external function = {.name = "cube", .arity = 1, .value = cube};
  cmb_table *line, *surface;
  double got[4];
  open_graph(&s);
  cmbt_ok(s.ctx, cmb_table_create(s.ctx, CMB_TABLE_LINEAR, 3, knots, f, &line));
  cmbt_ok(s.ctx, cmb_table2_create(s.ctx, 3, knots, 3, knots, f2, &surface));
  cmb_expr one = cmb_constant(s.g, 1), twice = cmb_apply(s.g, CMB_OP_ADD, s.x[1], s.x[1], 0);
  cmb_expr e[4] = {cmb_table_apply(s.g, line, s.x[0]), 0,
                   cmb_table2_apply(s.g, surface, s.x[2], s.x[0]),
                   cmb_external_apply(s.g, &function, s.x)};
  cmbt_ok(s.ctx, cmb_forward(s.g, 1, s.x, &one, 1, e, &e[1]));
  cmbt_ok(s.ctx, cmb_substitute(s.g, 1, s.x, &twice, 4, e, e));
  values(&s, 4, e, x, got);
  cmbt_near(got[0], 4, 1e-14);
  cmbt_near(got[1], 2, 1e-14);
  cmbt_near(got[2], 2, 1e-14);
  cmbt_near(got[3], 3.375, 1e-14);
  cmb_table_destroy(line);
  cmb_table_destroy(surface);
  close_graph(&s);
}

/* Checks the values of f(a, b, z) after import into another graph, where a and b are expressions; f is random, or a table of such an f. */
static void test_import(void **state)
{
  (void)state;
  static const double px[3] = {0, 1, 3}, py[3] = {0, 2, 1};
  struct cmbt_random r = {9};
  cmb_table *table;
  struct test_graph from, to;
  open_graph(&from);
  open_graph(&to);
  cmb_apply(to.g, CMB_OP_SIN, to.x[0], 0,
            0); /* so that nodes have different numbers in the two graphs */
  cmbt_ok(from.ctx, cmb_table_create(from.ctx, CMB_TABLE_SPLINE, 3, px, py, &table));
  for (int k = 0; k < 300; k++) {
    cmb_expr e[2], imported[2];
    cmb_expr by[2] = {cmb_apply(to.g, CMB_OP_MUL, to.x[1], to.x[2], 0), to.x[0]};
    double x[INPUTS];
    for (int i = 0; i < INPUTS; i++) x[i] = cmbt_random_uniform(&r, -2, 2);
    const double at[INPUTS] = {x[1] * x[2], x[0], x[2]};
    double expected[2], got[2];
    e[0] = cmbt_random_expr(&r, from.g, INPUTS, from.x, 30, CMBT_EXPR_TAME);
    e[1] = cmb_table_apply(from.g, table, e[0]);
    cmbt_ok(to.ctx, cmb_import(to.g, from.g, 2, from.x, by, 2, e, imported));
    values(&from, 2, e, at, expected);
    values(&to, 2, imported, x, got);
    for (int i = 0; i < 2; i++) cmbt_near(got[i], expected[i], 1e-9 * (1 + fabs(expected[i])));
  }
  cmb_table_destroy(table);
  close_graph(&from);
  close_graph(&to);
}

/* Imports two C functions into a graph that already has one of them: each keeps its own function, with its derivative. */
static void test_import_calls(void **state)
{
  (void)state;
  const cmb_external cubes = {.name = "cube", .arity = 1, .value = cube},
                     sums = {.name = "weigh", .arity = 3, .value = weigh};
  const double at[INPUTS] = {2, 3, 5};
  struct test_graph from, to;
  double got[3];
  open_graph(&from);
  open_graph(&to);
  cmb_expr present = cmb_external_apply(to.g, &sums, to.x), one = cmb_constant(from.g, 1);
  cmb_expr e[3] = {cmb_external_apply(from.g, &cubes, from.x),
                   cmb_external_apply(from.g, &sums, from.x)};
  cmbt_ok(from.ctx, cmb_forward(from.g, 1, &from.x[0], &one, 1, &e[0], &e[2]));
  cmbt_ok(to.ctx, cmb_import(to.g, from.g, 0, NULL, NULL, 3, e, e));
  assert_int_equal(e[1], present);
  values(&to, 3, e, at, got);
  cmbt_near(got[0], 8, 0);
  cmbt_near(got[1], 2 + 10 * 3 + 100 * 5, 0);
  cmbt_near(got[2], 12, 1e-7);
  close_graph(&from);
  close_graph(&to);
}

/* Checks that a place for the results is required if and only if there are results. */
static void test_no_results(void **state)
{
  (void)state;
  struct test_graph from, to;
  open_graph(&from);
  open_graph(&to);
  cmbt_ok(to.ctx, cmb_import(to.g, from.g, 0, NULL, NULL, 0, NULL, NULL));
  cmbt_ok(to.ctx, cmb_substitute(to.g, 0, NULL, NULL, 0, NULL, NULL));
  assert_int_equal(cmb_import(to.g, from.g, 0, NULL, NULL, 1, from.x, NULL), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_substitute(to.g, 0, NULL, NULL, 1, to.x, NULL), CMB_ERROR_ARGUMENT);
  close_graph(&from);
  close_graph(&to);
}

static void test_long_chain(void **state)
{
  (void)state;
  enum { LENGTH = 200000 };
  struct test_graph s;
  open_graph(&s);
  cmb_expr e = s.x[0], result, half = cmb_constant(s.g, 0.5);
  for (int i = 0; i < LENGTH; i++) {
    e = cmb_apply(s.g, i % 2 ? CMB_OP_SIN : CMB_OP_COS, e, 0, 0);
  }
  cmbt_ok(s.ctx, cmb_substitute(s.g, 1, s.x, &half, 1, &e, &result));
  assert_int_equal(cmb_expr_op(s.g, result), CMB_OP_CONSTANT);
  double expected = 0.5;
  for (int i = 0; i < LENGTH; i++) expected = i % 2 ? sin(expected) : cos(expected);
  cmbt_near(cmb_expr_constant(s.g, result), expected, 1e-12);
  close_graph(&s);
}

static void test_memory(void **state)
{
  (void)state;
  struct cmbt_allocator memory;
  cmb_status status = CMB_ERROR_MEMORY;
  for (long k = 1; status != CMB_OK; k++) {
    cmbt_allocator_init(&memory);
    cmb_context *ctx = cmb_context_create(&memory.hook);
    cmb_graph *g;
    cmbt_ok(ctx, cmb_graph_create(ctx, &g));
    cmb_expr x = cmb_input(g, "x"), y = cmb_input(g, "y"), e = cmb_apply(g, CMB_OP_SIN, x, 0, 0),
             result;
    memory.fail_at = memory.calls + k;
    status = cmb_substitute(g, 1, &x, &y, 1, &e, &result);
    assert_int_equal(status, memory.refused ? CMB_ERROR_MEMORY : CMB_OK);
    assert_true(k <= 3);
    cmb_graph_destroy(g);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_composition), cmocka_unit_test(test_simultaneous),
      cmocka_unit_test(test_simplified),  cmocka_unit_test(test_tables_and_calls),
      cmocka_unit_test(test_import),      cmocka_unit_test(test_import_calls),
      cmocka_unit_test(test_no_results),  cmocka_unit_test(test_long_chain),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
