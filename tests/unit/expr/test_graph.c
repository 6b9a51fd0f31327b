/*
 * Tests that the graph finds existing nodes and inputs again, also if one argument has very many users and if the nodes were made long before.
 */
#include "check.h"
#include "expr/algebra.h"

#include <camber/expr.h>
#include <stdio.h>

enum { MANY = 20000 };

/* Makes node i of one of three kinds: `hub`, a node with many users, times a number; that plus an input; the sine of an input plus a
 * number. */
static cmb_expr node(cmb_graph *g, const cmb_expr *inputs, cmb_expr hub, int i)
{
  const cmb_expr number = cmb_constant(g, i + 0.5);
  switch (i % 3) {
  case 0: return cmb_mul(g, number, hub);
  case 1: return cmb_add(g, inputs[i % 97], cmb_mul(g, hub, number));
  default: return cmb_apply(g, CMB_OP_SIN, cmb_add(g, inputs[MANY - 1 - i], number), 0, 0);
  }
}

static void test_found_again(void **state)
{
  (void)state;
  static cmb_expr inputs[MANY], made[MANY];
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_graph *g;
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  for (int i = 0; i < MANY; i++) {
    char name[16];
    snprintf(name, sizeof name, "x%d", i);
    inputs[i] = cmb_input(g, name);
  }
  for (int i = 0; i < MANY; i++) { /* by then the table of names has grown several times */
    char name[16];
    snprintf(name, sizeof name, "x%d", i);
    assert_int_equal(cmb_input(g, name), inputs[i]);
  }
  const cmb_expr hub = cmb_apply(g, CMB_OP_COS, inputs[0], 0, 0);
  for (int i = 0; i < MANY; i++) made[i] = node(g, inputs, hub, i);
  const uint32_t size = cmb_graph_size(g);
  for (int i = MANY - 1; i >= 0; i--) assert_int_equal(node(g, inputs, hub, i), made[i]);
  assert_int_equal(cmb_graph_size(g), size);
  for (int i = 1; i < MANY; i++) assert_int_not_equal(made[i], made[i - 1]);
  cmbt_ok(ctx, cmb_graph_status(g));
  cmb_graph_destroy(g);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_found_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
