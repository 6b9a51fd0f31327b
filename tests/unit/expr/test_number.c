/*
 * Tests of numbers of a model (expr/number.h): without live numbers the arithmetic is that of doubles, bit for bit, and adds no nodes; with
 * live numbers the expressions have the values of the kernels (math/vec3.h), also for other values of the parameters; and results that do
 * not depend on a live number are not live.
 */
#include "check.h"
#include "native_case.h"
#include "random.h"

#include "expr/number.h"
#include "math/vec3.h"

#include <camber/camber.h>
#include <stdio.h>
#include <string.h>

enum { OPERANDS = 18, RESULTS = 36, ROUNDS = 200, ROOM = 4096 };

/* Two matrices of numbers, the operands of all tests, and inputs of the graph for those that are live. */
struct test_graph {
  cmb_context *ctx;
  cmb_graph *g;
  struct cmbt_random random;
  cmb_expr input[OPERANDS];
  cmb_number x[OPERANDS];
};

static void open_graph(struct test_graph *s, uint64_t seed)
{
  *s = (struct test_graph){.ctx = cmb_context_create(NULL), .random = {seed}};
  cmbt_ok(s->ctx, cmb_graph_create(s->ctx, &s->g));
  for (int i = 0; i < OPERANDS; i++) {
    char name[16];
    snprintf(name, sizeof name, "x%d", i);
    s->input[i] = cmb_input(s->g, name);
  }
}

static void close_graph(struct test_graph *s)
{
  cmbt_ok(s->ctx, cmb_graph_status(s->g));
  cmb_graph_destroy(s->g);
  cmb_context_destroy(s->ctx);
}

/* Sets the operands to random positive values, so that roots and quotients are finite; with `live` about half of them become live. Some of
 * the others become 0 or 1. */
static void choose_numbers(struct test_graph *s, bool live)
{
  for (int i = 0; i < OPERANDS; i++) {
    const double value = cmbt_random_uniform(&s->random, 0.5, 2);
    s->x[i] = cmb_fixed(value);
    if (live && cmbt_random_int(&s->random, 0, 1)) {
      s->x[i] = cmb_number_of(s->g, value, s->input[i]);
    } else if (i > 1 && cmbt_random_int(&s->random, 0, 3) == 0) { /* not x[1], which is a divisor */
      s->x[i] = cmb_fixed(cmbt_random_int(&s->random, 0, 1));
    }
  }
}

/* Computes every operation on the operands. */
static void compute(cmb_graph *g, const cmb_number x[OPERANDS], cmb_number y[RESULTS])
{
  const cmb_number *A = x, *B = x + 9;
  *y++ = cmb_plus(g, x[0], x[1]);
  *y++ = cmb_minus(g, x[0], x[1]);
  *y++ = cmb_times(g, x[0], x[1]);
  *y++ = cmb_over(g, x[0], x[1]);
  *y++ = cmb_root(g, x[0]);
  *y++ = cmb_scaled(g, -1.7, x[0]);
  *y++ = cmb_number_dot3(g, A, B);
  *y++ = cmb_number_norm3(g, A);
  cmb_number_cross3(g, A, B, y), y += 3;
  cmb_number_minus3(g, A, B, y), y += 3;
  cmb_number_mul3t(g, A, B, y), y += 3;
  cmb_number_mul33(g, A, B, y), y += 9;
  cmb_number_transpose(A, y), y += 9;
  cmb_number_clean(1, memcpy(y, B, sizeof *y), 1e-9);
}

/* Computes the results of compute() for doubles. */
static void compute_doubles(const double x[OPERANDS], double y[RESULTS])
{
  const double *A = x, *B = x + 9;
  *y++ = x[0] + x[1];
  *y++ = x[0] - x[1];
  *y++ = x[0] * x[1];
  *y++ = x[0] / x[1];
  *y++ = sqrt(x[0]);
  *y++ = -1.7 * x[0];
  *y++ = cmb_dot3(A, B);
  *y++ = cmb_norm3(A);
  cmb_cross3(A, B, y), y += 3;
  for (int i = 0; i < 3; i++) *y++ = A[i] - B[i];
  cmb_mul3t(A, B, y), y += 3;
  cmb_mul33(A, B, y), y += 9;
  for (int i = 0; i < 9; i++) *y++ = A[3 * (i % 3) + i / 3];
  *y = B[0];
}

/* Evaluates the expressions of y for the given values of the inputs. */
static void evaluate(struct test_graph *s, const double in[OPERANDS], const cmb_number *y,
                     double *out)
{
  double work[ROOM];
  cmb_expr e[RESULTS];
  cmb_program *p;
  for (int i = 0; i < RESULTS; i++) e[i] = cmb_number_expr(s->g, y[i]);
  cmbt_ok(s->ctx, cmb_program_create(s->ctx, s->g, OPERANDS, s->input, RESULTS, e, &p));
  assert_in_range(cmb_program_work(p), 0, ROOM);
  cmb_program_run(p, in, out, work);
  cmb_program_destroy(p);
}

static void fixed_numbers_are_doubles(void **state)
{
  (void)state;
  struct test_graph s;
  open_graph(&s, 1);
  const uint32_t size = cmb_graph_size(s.g);
  for (int k = 0; k < ROUNDS; k++) {
    double x[OPERANDS], expected[RESULTS], got[RESULTS];
    cmb_number y[RESULTS];
    choose_numbers(&s, false);
    cmb_values_of(OPERANDS, s.x, x);
    compute(s.g, s.x, y);
    compute_doubles(x, expected);
    cmb_values_of(RESULTS, y, got);
    assert_true(cmbt_same_bits(RESULTS, got, expected));
    assert_false(cmb_any_live(RESULTS, y));
  }
  assert_int_equal(cmb_graph_size(s.g), size);
  close_graph(&s);
}

/* Compares expressions with doubles, also for other values of the live numbers than when the expressions were made. */
static void expressions_have_the_values(void **state)
{
  (void)state;
  struct test_graph s;
  double worst = 0;
  int live = 0;
  open_graph(&s, 2);
  for (int k = 0; k < ROUNDS; k++) {
    double x[OPERANDS], expected[RESULTS], got[RESULTS];
    cmb_number y[RESULTS];
    choose_numbers(&s, true);
    cmb_values_of(OPERANDS, s.x, x);
    compute(s.g, s.x, y);
    compute_doubles(x, expected);
    cmb_values_of(RESULTS, y, got);
    assert_true(cmbt_same_bits(RESULTS, got, expected));
    for (int other = 0; other < 2; other++) {
      evaluate(&s, x, y, got);
      compute_doubles(x, expected);
      for (int i = 0; i < RESULTS; i++) worst = fmax(worst, fabs(got[i] - expected[i]));
      for (int i = 0; i < OPERANDS; i++) {
        if (s.x[i].live) x[i] = cmbt_random_uniform(&s.random, 0.5, 2);
      }
    }
    for (int i = 0; i < RESULTS; i++) live += y[i].live != 0;
  }
  print_message("%d of %d results are live: %.2g\n", live, RESULTS * ROUNDS, worst);
  assert_in_range(live, RESULTS * ROUNDS / 2, RESULTS * ROUNDS - ROUNDS);
  cmbt_below(worst, 1e-14);
  close_graph(&s);
}

static bool same(cmb_number a, cmb_number b)
{
  return a.value == b.value && a.live == b.live;
}

static void some_results_stop_being_live(void **state)
{
  (void)state;
  struct test_graph s;
  open_graph(&s, 3);
  const cmb_number x = cmb_number_of(s.g, 1.5, s.input[0]), y = cmb_number_of(s.g, 0, s.input[1]);
  const cmb_number zero = cmb_fixed(0), one = cmb_fixed(1), v[3] = {x, y, one};
  cmb_number w[3], unit[9];
  const uint32_t size = cmb_graph_size(s.g);
  assert_true(cmb_is_zero(zero) && cmb_is_one(one) && cmb_any_live(3, v));
  assert_true(x.live != 0 && y.live != 0 &&
              !cmb_is_zero(y)); /* y is 0 for the present value only */
  assert_true(cmb_is_zero(cmb_times(s.g, x, zero)) && cmb_is_zero(cmb_times(s.g, zero, x)));
  assert_true(cmb_is_zero(cmb_scaled(s.g, 0, x)) && cmb_is_zero(cmb_over(s.g, zero, x)));
  assert_true(cmb_is_zero(cmb_minus(s.g, x, x)));
  assert_true(cmb_number_of(s.g, 3, cmb_constant(s.g, 3)).live == 0);
  assert_true(same(cmb_times(s.g, x, one), x) && same(cmb_plus(s.g, x, zero), x));
  for (int i = 0; i < 3; i++) assert_true(same(cmb_number_dot3(s.g, v, cmb_unit3[i]), v[i]));
  memcpy(unit, cmb_unit3, sizeof unit);
  cmb_number_mul3t(s.g, unit, v, w);
  for (int i = 0; i < 3; i++) assert_true(same(w[i], v[i]));
  cmb_number_cross3(s.g, cmb_unit3[0], cmb_unit3[1], w);
  for (int i = 0; i < 3; i++) assert_true(same(w[i], cmb_unit3[2][i]));
  assert_in_range(cmb_graph_size(s.g), size, size + 2); /* only the constants 1 and 3 are added */
  close_graph(&s);
}

/* Checks that a product with a live number stays live although its present value is 0. */
static void dependence_follows_from_expressions(void **state)
{
  (void)state;
  struct test_graph s;
  bool yes;
  open_graph(&s, 4);
  const cmb_number x = cmb_number_of(s.g, 1.5, s.input[0]), y = cmb_number_of(s.g, 0, s.input[1]);
  const cmb_number product = cmb_times(s.g, x, y);
  assert_true(product.value == 0 && !cmb_is_zero(product));
  cmbt_ok(s.ctx, cmb_number_depends(s.g, product, x, &yes));
  assert_true(yes);
  cmbt_ok(s.ctx, cmb_number_depends(s.g, cmb_root(s.g, x), y, &yes));
  assert_false(yes);
  cmbt_ok(s.ctx, cmb_number_depends(s.g, cmb_fixed(2), x, &yes));
  assert_false(yes);
  close_graph(&s);
}

static void rounding_errors_of_zero_are_cleaned(void **state)
{
  (void)state;
  struct test_graph s;
  open_graph(&s, 5);
  const cmb_number small = cmb_number_of(s.g, 1e-17, s.input[0]);
  cmb_number x[] = {cmb_fixed(-1e-17), small, cmb_fixed(1e-15), cmb_fixed(-1)};
  cmb_number_clean(4, x, 1e-16);
  assert_true(cmb_is_zero(x[0]) && same(x[1], small)); /* x[1] may be large for another parameter */
  assert_true(x[2].value == 1e-15 && x[3].value == -1);
  close_graph(&s);
}

static void vectors_and_matrices_are_entry_by_entry(void **state)
{
  (void)state;
  struct test_graph s;
  open_graph(&s, 6);
  choose_numbers(&s, true);
  const cmb_vector v = cmb_number_vector(s.g, s.x);
  const cmb_matrix A = cmb_number_matrix(s.g, s.x + 9);
  for (int i = 0; i < 3; i++) assert_int_equal(v.x[i], cmb_number_expr(s.g, s.x[i]));
  for (int i = 0; i < 9; i++) {
    assert_int_equal(A.a[i],
                     s.x[9 + i].live ? s.x[9 + i].live : cmb_constant(s.g, s.x[9 + i].value));
  }
  cmb_number back[2];
  cmb_fix_numbers(2, (const double[]){0.1, 0.2}, back);
  assert_true(same(back[0], cmb_fixed(0.1)) && same(back[1], cmb_fixed(0.2)));
  close_graph(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fixed_numbers_are_doubles),
      cmocka_unit_test(expressions_have_the_values),
      cmocka_unit_test(some_results_stop_being_live),
      cmocka_unit_test(dependence_follows_from_expressions),
      cmocka_unit_test(rounding_errors_of_zero_are_cleaned),
      cmocka_unit_test(vectors_and_matrices_are_entry_by_entry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
