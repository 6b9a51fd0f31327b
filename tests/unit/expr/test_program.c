/*
 * Tests of graphs and programs (expr/graph.h, expr/program.h): equal expressions are one node, simplification keeps values, the
 * interpreters for numbers and for lanes agree to the last bit, slots are used again, a graph of a million nodes is built and run, and
 * failing allocations are errors without leaks.
 */
#include "check.h"
#include "failing_allocator.h"
#include "random_expr.h"

#include "expr/graph.h"

#include <camber/camber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__has_feature)
enum { EXPRESSIONS = 20000 };
#else
enum { EXPRESSIONS = 100000 };
#endif

enum { INPUTS = 4, BATCH = 100, MOST_SLOTS = 4096 };

static bool same_bits(double a, double b)
{
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void take_inputs(cmb_graph *g, cmb_expr *x)
{
  static const char *const names[INPUTS] = {"x", "y", "z", "w"};
  for (int i = 0; i < INPUTS; i++) x[i] = cmb_input(g, names[i]);
}

/* Compares each lane of a run on lanes with a run on that lane's inputs alone. */
static void compare_lanes(const cmb_program *p, struct cmbt_random *r)
{
  static _Alignas(64) double work[MOST_SLOTS * CMB_LANES], in[INPUTS * CMB_LANES], out[CMB_LANES];
  assert_in_range(cmb_program_work(p), 0, MOST_SLOTS);
  for (int i = 0; i < INPUTS * CMB_LANES; i++) {
    in[i] = cmbt_random_uniform(r, -2, 2);
    in[i] *= cmbt_random_scale(r, 1);
  }
  cmb_program_run_lanes(p, in, out, work);
  for (int l = 0; l < CMB_LANES; l++) {
    double one[INPUTS], alone;
    for (int i = 0; i < INPUTS; i++) one[i] = in[i * CMB_LANES + l];
    cmb_program_run(p, one, &alone, work);
    if (!same_bits(alone, out[l])) fail_msg("%.17g alone, %.17g in lane %d", alone, out[l], l);
  }
}

static void test_lanes(void **state)
{
  (void)state;
  struct cmbt_random r = {3};
  for (int k = 0; k < EXPRESSIONS; k += BATCH) {
    cmb_context *ctx = cmb_context_create(NULL);
    cmb_graph *g;
    cmb_expr x[INPUTS];
    cmbt_ok(ctx, cmb_graph_create(ctx, &g));
    take_inputs(g, x);
    for (int i = 0; i < BATCH; i++) {
      cmb_program *p;
      cmb_expr e = cmbt_random_expr(&r, g, INPUTS, x, cmbt_random_int(&r, 1, 200), 0);
      cmbt_ok(ctx, cmb_program_create(ctx, g, INPUTS, x, 1, &e, &p));
      compare_lanes(p, &r);
      cmb_program_destroy(p);
    }
    cmb_graph_destroy(g);
    cmb_context_destroy(ctx);
  }
}

static cmb_expr op(cmb_graph *g, cmb_op o, cmb_expr a, cmb_expr b)
{
  return cmb_apply(g, o, a, b, 0);
}

/* Checks each rule of simplification by the node that results. */
static void test_simplification(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_graph *g;
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  cmb_expr x = cmb_input(g, "x"), y = cmb_input(g, "y"), one = cmb_constant(g, 1);
  cmb_expr minus_x = op(g, CMB_OP_NEG, x, 0), sum = op(g, CMB_OP_ADD, x, y);
  assert_int_equal(cmb_input(g, "x"), x);
  assert_int_equal(op(g, CMB_OP_ADD, y, x), sum);
  assert_int_equal(op(g, CMB_OP_ADD, x, 0), x);
  assert_int_equal(op(g, CMB_OP_SUB, x, x), 0);
  assert_int_equal(op(g, CMB_OP_SUB, 0, x), minus_x);
  assert_int_equal(op(g, CMB_OP_NEG, minus_x, 0), x);
  assert_int_equal(op(g, CMB_OP_ADD, y, minus_x), op(g, CMB_OP_SUB, y, x));
  assert_int_equal(op(g, CMB_OP_SUB, y, minus_x), sum);
  assert_int_equal(op(g, CMB_OP_MUL, one, x), x);
  assert_int_equal(op(g, CMB_OP_MUL, 0, x), 0);
  assert_int_equal(op(g, CMB_OP_MUL, minus_x, op(g, CMB_OP_NEG, y, 0)), op(g, CMB_OP_MUL, x, y));
  assert_int_equal(op(g, CMB_OP_DIV, x, one), x);
  assert_int_equal(op(g, CMB_OP_POW, x, one), x);
  assert_int_equal(op(g, CMB_OP_POW, x, 0), one);
  assert_int_equal(op(g, CMB_OP_COS, minus_x, 0), op(g, CMB_OP_COS, x, 0));
  assert_int_equal(cmb_apply(g, CMB_OP_IF, x, y, y), y);
  assert_int_equal(op(g, CMB_OP_ADD, cmb_constant(g, 2), cmb_constant(g, 3)), cmb_constant(g, 5));
  assert_int_equal(cmb_expr_op(g, op(g, CMB_OP_DIV, one, 0)), CMB_OP_DIV); /* 1/0 is not folded */
  assert_int_equal(cmb_constant(g, -0.0), 0);
  cmb_graph_destroy(g);
  cmb_context_destroy(ctx);
}

/* A chain s := s y + x of a million nodes: checks that few slots are needed, and compares with the value in doubles. */
static void test_million(void **state)
{
  (void)state;
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  cmb_graph *g;
  cmb_program *p;
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  cmb_expr x = cmb_input(g, "x"), y = cmb_input(g, "y"), s = x;
  double expected = 0.5, in[2] = {0.5, 0.25}, out, work[16];
  while (cmb_graph_size(g) < 1000000) {
    s = op(g, CMB_OP_ADD, op(g, CMB_OP_MUL, s, y), x);
    expected = expected * in[1] + in[0];
  }
  cmb_expr inputs[2] = {x, y};
  cmbt_ok(ctx, cmb_program_create(ctx, g, 2, inputs, 1, &s, &p));
  printf("a million nodes: %.0f MB at most, %d slots\n", (double)memory.peak / 1e6,
         cmb_program_work(p));
  assert_in_range(cmb_program_work(p), 2, 16);
  cmbt_below((double)memory.peak, 250e6);
  cmb_program_run(p, in, &out, work);
  cmbt_near(out, expected, 1e-15);
  cmb_program_destroy(p);
  cmb_graph_destroy(g);
  cmb_context_destroy(ctx);
  assert_int_equal(memory.outstanding, 0);
}

/* Checks that a program of expressions at the beginning of a large graph takes at most 1.5 bytes for each node of the graph while it is
 * created, as long as its inputs are at the beginning too. */
static void test_beginning(void **state)
{
  (void)state;
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  cmb_graph *g;
  cmb_program *p;
  double in[2] = {3, 5}, out, work[16];
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  cmb_expr x = cmb_input(g, "x"), e = op(g, CMB_OP_MUL, x, x), s = e;
  while (cmb_graph_size(g) < 100000) s = op(g, CMB_OP_ADD, op(g, CMB_OP_MUL, s, x), x);
  cmb_expr last = cmb_input(g, "last"), inputs[2] = {x, last};
  const size_t before = memory.peak = memory.bytes;
  cmbt_ok(ctx, cmb_program_create(ctx, g, 1, inputs, 1, &e, &p));
  cmbt_below((double)(memory.peak - before), 150e3);
  cmb_program_run(p, in, &out, work);
  assert_true(out == 9);
  cmb_program_destroy(p);
  cmbt_ok(ctx, cmb_program_create(ctx, g, 2, inputs, 1, &e, &p));
  cmb_program_run(p, in, &out, work);
  assert_true(out == 9);
  cmb_program_destroy(p);
  cmb_graph_destroy(g);
  cmb_context_destroy(ctx);
  assert_int_equal(memory.outstanding, 0);
}

static cmb_status use_all_parts(cmb_context *ctx)
{
  cmb_graph *g;
  cmb_program *p = NULL;
  cmb_expr x[INPUTS], e, dot, one;
  struct cmbt_random r = {9};
  CMB_TRY(cmb_graph_create(ctx, &g));
  take_inputs(g, x);
  e = cmbt_random_expr(&r, g, INPUTS, x, 900, 0);
  one = cmb_constant(g, 1);
  cmb_status status = cmb_forward(g, 1, x, &one, 1, &e, &dot);
  if (status == CMB_OK) status = cmb_reverse(g, INPUTS, x, 1, &e, &one, x);
  if (status == CMB_OK) {
    take_inputs(g, x);
    status = cmb_program_create(ctx, g, INPUTS, x, 1, &dot, &p);
  }
  cmb_program_destroy(p);
  cmb_graph_destroy(g);
  return status;
}

static void test_failing_memory(void **state)
{
  (void)state;
  long refused = 1;
  for (long k = 1; refused > 0; k++) {
    struct cmbt_allocator memory;
    cmbt_allocator_init(&memory);
    memory.fail_at = k;
    cmb_context *ctx = cmb_context_create(&memory.hook);
    if (ctx) {
      cmb_status status = use_all_parts(ctx);
      assert_int_equal(status, memory.refused ? CMB_ERROR_MEMORY : CMB_OK);
      cmb_context_destroy(ctx);
    }
    refused = memory.refused;
    assert_int_equal(memory.outstanding, 0);
  }
}

static void test_missing_input(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_graph *g;
  cmb_program *p;
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  cmb_expr x = cmb_input(g, "x"), e = op(g, CMB_OP_ADD, x, cmb_input(g, "friction"));
  assert_int_equal(cmb_program_create(ctx, g, 1, &x, 1, &e, &p), CMB_ERROR_ARGUMENT);
  assert_non_null(strstr(cmb_last_error(ctx), "friction"));
  assert_int_equal(cmb_program_create(ctx, g, 1, &e, 1, &e, &p), CMB_ERROR_ARGUMENT);
  cmb_graph_destroy(g);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lanes),         cmocka_unit_test(test_simplification),
      cmocka_unit_test(test_million),       cmocka_unit_test(test_failing_memory),
      cmocka_unit_test(test_missing_input), cmocka_unit_test(test_beginning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
