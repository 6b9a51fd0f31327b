/*
 * Tests of the interpreter's order of operations (expr/schedule.h): a permutation in which each operation comes after those that it
 * reads, and operations of the same kind are adjacent.
 */
#include "check.h"
#include "failing_allocator.h"
#include "random_expr.h"

#include "expr/schedule.h"

#include <camber/camber.h>
#include <stdio.h>

enum { ROOM = 4096 };

static int list_operations(const cmb_graph *g, cmb_expr *order)
{
  int count = 0;
  for (cmb_expr e = 0; e < cmb_graph_size(g); e++) {
    if (cmb_op_arity(cmb_expr_op(g, e)) == 0) continue;
    assert_in_range(count, 0, ROOM - 1);
    order[count++] = e;
  }
  return count;
}

static int count_runs(const cmb_graph *g, int count, const cmb_expr *order)
{
  int runs = 0;
  for (int k = 0; k < count; k++) {
    runs += k == 0 || cmb_expr_op(g, order[k]) != cmb_expr_op(g, order[k - 1]);
  }
  return runs;
}

static void check_order(const cmb_graph *g, int count, const cmb_expr *order)
{
  int place[ROOM] = {0}; /* 1 + the place of a node in the order */
  for (int k = 0; k < count; k++) {
    assert_int_equal(place[order[k]], 0);
    for (int i = 0; i < cmb_op_arity(cmb_expr_op(g, order[k])); i++) {
      cmb_expr x = cmb_expr_argument(g, order[k], i);
      if (cmb_op_arity(cmb_expr_op(g, x)) > 0) assert_true(place[x] > 0);
    }
    place[order[k]] = k + 1;
  }
}

static void test_random_graphs(void **state)
{
  (void)state;
  struct cmbt_random r = {3};
  long before = 0, after = 0;
  for (int k = 0; k < 300; k++) {
    cmb_context *ctx = cmb_context_create(NULL);
    cmb_graph *g;
    cmb_expr order[ROOM];
    cmbt_ok(ctx, cmb_graph_create(ctx, &g));
    cmb_expr x[2] = {cmb_input(g, "x"), cmb_input(g, "y")};
    for (int i = 0; i < 10; i++) (void)cmbt_random_expr(&r, g, 2, x, 30, 0);
    int count = list_operations(g, order);
    before += count_runs(g, count, order);
    assert_true(cmb_schedule(g, count, order));
    check_order(g, count, order);
    after += count_runs(g, count, order);
    cmb_graph_destroy(g);
    cmb_context_destroy(ctx);
  }
  printf("%ld runs of equal operations became %ld\n", before, after);
  assert_true(10 * after < 9 * before);
}

/* x_i² and its sine for a hundred inputs: checks that only two runs of equal operations remain. */
static void test_two_runs(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_graph *g;
  cmb_expr order[ROOM];
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  for (int i = 0; i < 100; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "x%d", i);
    cmb_expr x = cmb_input(g, name);
    (void)cmb_apply(g, CMB_OP_SIN, cmb_apply(g, CMB_OP_MUL, x, x, 0), 0, 0);
  }
  int count = list_operations(g, order);
  assert_int_equal(count, 200);
  assert_int_equal(count_runs(g, count, order), 200);
  assert_true(cmb_schedule(g, count, order));
  check_order(g, count, order);
  assert_int_equal(count_runs(g, count, order), 2);
  assert_true(cmb_schedule(g, 0, order)); /* an empty list */
  cmb_graph_destroy(g);
  cmb_context_destroy(ctx);
}

static void test_memory(void **state)
{
  (void)state;
  struct cmbt_allocator memory;
  bool good = false;
  for (long k = 1; !good; k++) {
    cmbt_allocator_init(&memory);
    cmb_context *ctx = cmb_context_create(&memory.hook);
    cmb_graph *g;
    cmbt_ok(ctx, cmb_graph_create(ctx, &g));
    cmb_expr e = cmb_apply(g, CMB_OP_SIN, cmb_input(g, "x"), 0, 0);
    memory.fail_at = memory.calls + k;
    good = cmb_schedule(g, 1, &e);
    assert_true(good == (memory.refused == 0));
    assert_true(k < 20);
    cmb_graph_destroy(g);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_graphs),
      cmocka_unit_test(test_two_runs),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
