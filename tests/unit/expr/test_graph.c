/*
 * Tests that the graph finds existing nodes and inputs again, also if one argument has very many users and if the nodes were made long before;
 * and that operations with 0, 1, −1 and negated arguments become the simplest node, in either order of the arguments.
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

static cmb_expr unary(cmb_graph *g, cmb_op op, cmb_expr a)
{
  return cmb_apply(g, op, a, 0, 0);
}

static cmb_expr power(cmb_graph *g, cmb_expr a, double exponent)
{
  return cmb_apply(g, CMB_OP_POW, a, cmb_constant(g, exponent), 0);
}

static void test_simplest_node(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_graph *g;
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  for (int late = 0; late < 2;
       late++) { /* the inputs have smaller numbers than the constants, and then larger ones */
    const cmb_expr x = cmb_input(g, late ? "x" : "a"), y = cmb_input(g, late ? "y" : "b");
    const cmb_expr one = cmb_constant(g, 1), minus_one = cmb_constant(g, -1), zero = 0;
    const cmb_expr minus_x = cmb_neg(g, x), minus_y = cmb_neg(g, y);
    const cmb_expr xy = cmb_mul(g, x, y), quotient = cmb_div(g, x, y);
    const cmb_expr difference = cmb_sub(g, x, y), sum = cmb_add(g, x, y);
    const struct {
      cmb_expr made, expected;
    } cases[] = {
        {cmb_add(g, x, zero), x},
        {cmb_add(g, zero, x), x},
        {cmb_add(g, y, x), sum},
        {cmb_add(g, x, minus_y), difference},
        {cmb_add(g, minus_y, x), difference},
        {cmb_sub(g, x, x), zero},
        {cmb_sub(g, x, zero), x},
        {cmb_sub(g, zero, x), minus_x},
        {cmb_sub(g, x, minus_y), sum},
        {cmb_sub(g, minus_x, y), cmb_neg(g, sum)},
        {cmb_neg(g, minus_x), x},
        {cmb_neg(g, difference), cmb_sub(g, y, x)},
        {cmb_mul(g, x, zero), zero},
        {cmb_mul(g, zero, x), zero},
        {cmb_mul(g, x, one), x},
        {cmb_mul(g, one, x), x},
        {cmb_mul(g, x, minus_one), minus_x},
        {cmb_mul(g, minus_one, x), minus_x},
        {cmb_mul(g, y, x), xy},
        {cmb_mul(g, minus_x, y), cmb_neg(g, xy)},
        {cmb_mul(g, x, minus_y), cmb_neg(g, xy)},
        {cmb_mul(g, minus_x, minus_y), xy},
        {cmb_div(g, zero, x), zero},
        {cmb_div(g, x, one), x},
        {cmb_div(g, x, minus_one), minus_x},
        {cmb_div(g, minus_x, y), cmb_neg(g, quotient)},
        {cmb_div(g, x, minus_y), cmb_neg(g, quotient)},
        {cmb_div(g, minus_x, minus_y), quotient},
        {power(g, x, 0), one},
        {power(g, x, 1), x},
        {power(g, x, 2), cmb_mul(g, x, x)},
        {unary(g, CMB_OP_SIN, minus_x), cmb_neg(g, unary(g, CMB_OP_SIN, x))},
        {unary(g, CMB_OP_TAN, minus_x), cmb_neg(g, unary(g, CMB_OP_TAN, x))},
        {unary(g, CMB_OP_ASIN, minus_x), cmb_neg(g, unary(g, CMB_OP_ASIN, x))},
        {unary(g, CMB_OP_ATAN, minus_x), cmb_neg(g, unary(g, CMB_OP_ATAN, x))},
        {unary(g, CMB_OP_SINH, minus_x), cmb_neg(g, unary(g, CMB_OP_SINH, x))},
        {unary(g, CMB_OP_TANH, minus_x), cmb_neg(g, unary(g, CMB_OP_TANH, x))},
        {unary(g, CMB_OP_SIGN, minus_x), cmb_neg(g, unary(g, CMB_OP_SIGN, x))},
        {unary(g, CMB_OP_COS, minus_x), unary(g, CMB_OP_COS, x)},
        {unary(g, CMB_OP_COSH, minus_x), unary(g, CMB_OP_COSH, x)},
        {unary(g, CMB_OP_ABS, minus_x), unary(g, CMB_OP_ABS, x)},
        {unary(g, CMB_OP_ABS, unary(g, CMB_OP_ABS, x)), unary(g, CMB_OP_ABS, x)},
        {cmb_apply(g, CMB_OP_IF, x, y, y), y},
        {cmb_apply(g, CMB_OP_IF, one, x, y), x},
        {cmb_apply(g, CMB_OP_IF, zero, x, y), y},
        {cmb_apply(g, CMB_OP_MIN, x, x, 0), x},
        {cmb_apply(g, CMB_OP_MAX, y, x, 0), cmb_apply(g, CMB_OP_MAX, x, y, 0)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      if (cases[i].made != cases[i].expected) fail_msg("case %zu, late %d", i, late);
    }
  }
  cmbt_ok(ctx, cmb_graph_status(g));
  cmb_graph_destroy(g);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_found_again),
                                     cmocka_unit_test(test_simplest_node)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
