/*
 * Tests of derivatives (camber/expr.h): of random expressions against differences of order 6 in long double; reverse mode against forward
 * mode; second derivatives; and the derivative of every single operation.
 */
#include "check.h"
#include "long_value.h"
#include "random_expr.h"

#include "expr/graph.h"

#include <camber/camber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPRESSIONS = 20000 }; /* unless CAMBER_DERIVED sets another number */
enum { INPUTS = 4, BATCH = 50, MOST_SLOTS = 100000 };

struct test_graph {
  cmb_context *ctx;
  cmb_graph *g;
  cmb_expr x[INPUTS], d[INPUTS];
};

static void open_graph(struct test_graph *s)
{
  static const char *const names[] = {"x", "y", "z", "w"}, *const dots[] = {"dx", "dy", "dz", "dw"};
  s->ctx = cmb_context_create(NULL);
  cmbt_ok(s->ctx, cmb_graph_create(s->ctx, &s->g));
  for (int i = 0; i < INPUTS; i++)
    s->x[i] = cmb_input(s->g, names[i]), s->d[i] = cmb_input(s->g, dots[i]);
}

static void close_graph(struct test_graph *s)
{
  cmb_graph_destroy(s->g);
  cmb_context_destroy(s->ctx);
}

static double run(const cmb_program *p, const double *in)
{
  static double work[MOST_SLOTS];
  double out;
  assert_in_range(cmb_program_work(p), 0, MOST_SLOTS);
  cmb_program_run(p, in, &out, work);
  return out;
}

/* Compares the derivative of e at a random point along a random direction with differences. Returns 1 if they agree, −1 if not, and 0 if e
 * is not smooth or not finite there. */
static int compare(struct test_graph *s, cmb_expr e, struct cmbt_random *r)
{
  static long double work[MOST_SLOTS];
  cmb_expr all[2 * INPUTS], dot;
  cmb_program *value, *slope;
  memcpy(all, s->x, sizeof s->x);
  memcpy(all + INPUTS, s->d, sizeof s->d);
  cmbt_ok(s->ctx, cmb_forward(s->g, INPUTS, s->x, s->d, 1, &e, &dot));
  cmbt_ok(s->ctx, cmb_program_create(s->ctx, s->g, INPUTS, s->x, 1, &e, &value));
  cmbt_ok(s->ctx, cmb_program_create(s->ctx, s->g, 2 * INPUTS, all, 1, &dot, &slope));
  double in[2 * INPUTS];
  for (int i = 0; i < 2 * INPUTS; i++) in[i] = cmbt_random_uniform(r, -2, 2);
  double exact = run(slope, in), here = run(value, in);
  long double long_in[2 * INPUTS];
  for (int i = 0; i < 2 * INPUTS; i++) long_in[i] = in[i];
  const long double long_here = cmbt_long_value(value, long_in, work);
  const long double long_exact = cmbt_long_value(slope, long_in, work);
  long double fine = cmbt_long_slope(value, in, in + INPUTS, 1e-4L, work);
  long double finer = cmbt_long_slope(value, in, in + INPUTS, 5e-5L, work);
  cmb_program_destroy(value);
  cmb_program_destroy(slope);
  if (!isfinite(exact) || !isfinite(fine) || !isfinite(finer)) return 0;
  const long double size = 1e-3L + fabsl(finer);
  if (!(fabsl(here - long_here) <= 1e-9L * (1 + fabsl(long_here))) ||
      !(fabsl(exact - long_exact) <= 1e-8L * size))
    return 0;                                       /* in long double another branch is taken */
  if (fabsl(fine - finer) > 1e-9L * size) return 0; /* a kink or a pole is near */
  return fabsl(exact - finer) <= 1e-7L * size ? 1 : -1;
}

static void check_random(unsigned flags, int count, double least_share)
{
  struct cmbt_random r = {flags + 1};
  long right = 0, wrong = 0, skipped = 0;
  for (int k = 0; k < count; k += BATCH) {
    struct test_graph s;
    open_graph(&s);
    for (int i = 0; i < BATCH; i++) {
      int nodes = cmbt_random_int(&r, 1, 200);
      int verdict = compare(&s, cmbt_random_expr(&r, s.g, INPUTS, s.x, nodes, flags), &r);
      right += verdict == 1;
      wrong += verdict == -1;
      skipped += verdict == 0;
    }
    close_graph(&s);
  }
  printf("%ld derivatives right, %ld wrong, %ld not smooth or not finite there\n", right, wrong,
         skipped);
  assert_int_equal(wrong, 0);
  assert_true((double)right >= least_share * count);
}

static void test_random_smooth(void **state)
{
  (void)state;
  check_random(CMBT_EXPR_SMOOTH | CMBT_EXPR_TAME, cmbt_count("CAMBER_DERIVED", EXPRESSIONS), 0.9);
}

static void test_random_all(void **state)
{
  (void)state;
  check_random(CMBT_EXPR_TAME, cmbt_count("CAMBER_DERIVED", EXPRESSIONS) / 5, 0.5);
}

/* Checks that reverse mode gives the same gradient as forward mode. */
static void test_reverse(void **state)
{
  (void)state;
  struct cmbt_random r = {5};
  int compared = 0;
  for (int k = 0; k < 500; k++) {
    struct test_graph s;
    open_graph(&s);
    cmb_expr e = cmbt_random_expr(&r, s.g, INPUTS, s.x, 80, CMBT_EXPR_TAME),
             one = cmb_constant(s.g, 1);
    cmb_expr gradient[INPUTS];
    cmbt_ok(s.ctx, cmb_reverse(s.g, INPUTS, s.x, 1, &e, &one, gradient));
    double in[INPUTS];
    for (int i = 0; i < INPUTS; i++) in[i] = cmbt_random_uniform(&r, -2, 2);
    for (int i = 0; i < INPUTS; i++) {
      cmb_expr dot;
      cmb_program *a, *b;
      cmbt_ok(s.ctx, cmb_forward(s.g, 1, &s.x[i], &one, 1, &e, &dot));
      cmbt_ok(s.ctx, cmb_program_create(s.ctx, s.g, INPUTS, s.x, 1, &dot, &a));
      cmbt_ok(s.ctx, cmb_program_create(s.ctx, s.g, INPUTS, s.x, 1, &gradient[i], &b));
      double forward = run(a, in), reverse = run(b, in);
      if (isfinite(forward)) {
        cmbt_near(reverse, forward, 1e-11 * (1 + fabs(forward)));
        compared++;
      }
      cmb_program_destroy(a);
      cmb_program_destroy(b);
    }
    close_graph(&s);
  }
  assert_true(compared > 1500);
}

/* Checks second derivatives, as derivatives of a derivative. */
static void test_second(void **state)
{
  (void)state;
  struct cmbt_random r = {6};
  int right = 0;
  for (int k = 0; k < 1000; k++) {
    struct test_graph s;
    open_graph(&s);
    cmb_expr e = cmbt_random_expr(&r, s.g, INPUTS, s.x, 30, CMBT_EXPR_SMOOTH | CMBT_EXPR_TAME), dot;
    cmb_expr one = cmb_constant(s.g, 1);
    cmbt_ok(s.ctx, cmb_forward(s.g, 1, s.x, &one, 1, &e, &dot));
    int verdict = compare(&s, dot, &r);
    assert_true(verdict >= 0);
    right += verdict;
    close_graph(&s);
  }
  printf("%d second derivatives right\n", right);
  assert_true(right > 900);
}

/* Checks each operation alone at random points, and that the derivative by an argument is 0 exactly if cmb_op_passes says so. */
static void test_each(void **state)
{
  (void)state;
  struct cmbt_random r = {7};
  for (int op = CMB_OP_INPUT + 1; op < CMB_OP_TABLE; op++) {
    struct test_graph s;
    open_graph(&s);
    cmb_expr e = cmb_apply(s.g, (cmb_op)op, s.x[0], s.x[1], s.x[2]);
    int right = 0;
    for (int k = 0; k < 50; k++) {
      int verdict = compare(&s, e, &r);
      if (verdict < 0) fail_msg("derivative of %s", cmb_op_text((cmb_op)op));
      right += verdict;
    }
    if (right < 5) fail_msg("derivative of %s compared %d times", cmb_op_text((cmb_op)op), right);
    for (int i = 0; i < cmb_op_arity((cmb_op)op); i++) {
      bool zero = cmb_partial(s.g, e, i) == 0;
      assert_true(zero == !cmb_op_passes((cmb_op)op, i));
    }
    close_graph(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each),       cmocka_unit_test(test_random_smooth),
      cmocka_unit_test(test_random_all), cmocka_unit_test(test_reverse),
      cmocka_unit_test(test_second),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
