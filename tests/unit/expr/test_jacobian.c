/*
 * Tests of Jacobians (camber/expr.h): for 1,000 random sparse functions the entries computed by groups of columns equal those computed
 * column by column; and the pattern contains exactly the entries that can differ from 0.
 */
#include "check.h"
#include "random_expr.h"

#include "expr/sparsity.h"

#include <camber/camber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24, ROOM = 400000 };

struct function {
  cmb_context *ctx;
  cmb_graph *g;
  int inputs, outputs;
  cmb_expr x[MOST], f[MOST];
};

/* Makes a function whose outputs are random expressions of up to four inputs each. */
static void make(struct function *s, struct cmbt_random *r)
{
  s->ctx = cmb_context_create(NULL);
  s->inputs = cmbt_random_int(r, 1, MOST);
  s->outputs = cmbt_random_int(r, 1, MOST);
  cmbt_ok(s->ctx, cmb_graph_create(s->ctx, &s->g));
  for (int j = 0; j < s->inputs; j++) {
    char name[16];
    snprintf(name, sizeof name, "x%d", j);
    s->x[j] = cmb_input(s->g, name);
  }
  for (int i = 0; i < s->outputs; i++) {
    int few = cmbt_random_int(r, 1, 4);
    cmb_expr used[4];
    for (int k = 0; k < few; k++) used[k] = s->x[cmbt_random_int(r, 0, s->inputs - 1)];
    s->f[i] = cmbt_random_expr(r, s->g, few, used, cmbt_random_int(r, 1, 20), CMBT_EXPR_TAME);
  }
}

static void destroy(struct function *s)
{
  cmb_graph_destroy(s->g);
  cmb_context_destroy(s->ctx);
}

/* Computes column j alone, by forward mode and the interpreter. */
static void column(struct function *s, int j, const double *at, double *work, double *result)
{
  cmb_expr one = cmb_constant(s->g, 1), dot[MOST];
  cmb_program *p;
  cmbt_ok(s->ctx, cmb_forward(s->g, 1, &s->x[j], &one, s->outputs, s->f, dot));
  cmbt_ok(s->ctx, cmb_program_create(s->ctx, s->g, s->inputs, s->x, s->outputs, dot, &p));
  assert_in_range(cmb_program_work(p), 0, ROOM);
  cmb_program_run(p, at, result, work);
  cmb_program_destroy(p);
}

static void expand(const cmb_pattern *p, const double *values, double *J)
{
  memset(J, 0, (size_t)(p->rows * p->columns) * sizeof *J);
  for (int i = 0; i < p->rows; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
      J[i * p->columns + p->column[k]] = values[k];
  }
}

/* Compares the Jacobian at a random point with its single columns. Returns by how many the groups are fewer than the columns. */
static int compare(struct function *s, struct cmbt_random *r, double *work)
{
  cmb_jacobian *jacobian;
  double at[MOST], values[MOST * MOST], J[MOST * MOST], one[MOST];
  for (int j = 0; j < s->inputs; j++) at[j] = cmbt_random_uniform(r, -2, 2);
  cmbt_ok(s->ctx, cmb_jacobian_create(s->ctx, s->g, s->inputs, s->x, s->inputs, s->x, s->outputs,
                                      s->f, &jacobian));
  assert_in_range(cmb_jacobian_work(jacobian), 0, ROOM);
  cmb_jacobian_run(jacobian, at, values, work);
  expand(cmb_jacobian_pattern(jacobian), values, J);
  for (int j = 0; j < s->inputs; j++) {
    column(s, j, at, work, one);
    for (int i = 0; i < s->outputs; i++) {
      double entry = J[i * s->inputs + j];
      if (!(entry == one[i] || (isnan(entry) && isnan(one[i])))) {
        fail_msg("entry %d, %d: %.17g by groups, %.17g by its column", i, j, entry, one[i]);
      }
    }
  }
  int saved = s->inputs - cmb_jacobian_groups(jacobian);
  cmb_jacobian_destroy(jacobian);
  return saved;
}

static void test_compressed(void **state)
{
  (void)state;
  static _Alignas(64) double work[ROOM];
  struct cmbt_random r = {21};
  long saved = 0;
  for (int k = 0; k < 1000; k++) {
    struct function s;
    make(&s, &r);
    saved += compare(&s, &r, work);
    destroy(&s);
  }
  printf("%ld columns saved by grouping on 1,000 functions\n", saved);
  assert_true(saved > 1000);
}

static bool has(const cmb_pattern *p, int i, int j)
{
  for (int k = p->start[i]; k < p->start[i + 1]; k++) {
    if (p->column[k] == j) return true;
  }
  return false;
}

/* Checks that arguments without influence on the derivative are not in the pattern, with more inputs than one word has bits. */
static void test_pattern(void **state)
{
  (void)state;
  enum { N = 200 };
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_graph *g;
  cmb_expr x[N], f[N];
  cmb_pattern p;
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  for (int j = 0; j < N; j++) {
    char name[16];
    snprintf(name, sizeof name, "x%d", j);
    x[j] = cmb_input(g, name);
  }
  for (int i = 0; i < N; i++) { /* if(x_{i+1} > 0, x_i², floor(x_{i+2})) */
    cmb_expr condition = cmb_apply(g, CMB_OP_GT, x[(i + 1) % N], 0, 0);
    cmb_expr square = cmb_apply(g, CMB_OP_MUL, x[i], x[i], 0);
    f[i] = cmb_apply(g, CMB_OP_IF, condition, square,
                     cmb_apply(g, CMB_OP_FLOOR, x[(i + 2) % N], 0, 0));
  }
  cmbt_ok(ctx, cmb_sparsity(g, arena, N, x, N, f, &p));
  assert_int_equal(p.start[N], N);
  for (int i = 0; i < N; i++) assert_true(has(&p, i, i));
  cmb_graph_destroy(g);
  cmb_arena_destroy(arena);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_compressed),
      cmocka_unit_test(test_pattern),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
