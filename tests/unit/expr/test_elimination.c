/*
 * Tests of elimination in a static order (expr/elimination.h): solutions of random systems [A Bᵀ; C 0], symmetric and not, sparse and
 * dense, with and without constraints, against the LU factorisation with pivoting; the number of operations, which is smaller for
 * symmetric and for sparse matrices; the value of cmb_elimination_health for dependent constraints and indefinite matrices; failing
 * allocations.
 */
#include "base/arena.h"
#include "check.h"
#include "expr/elimination.h"
#include "failing_allocator.h"
#include "math/dense.h"
#include "random.h"

#include <camber/camber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24, MOST_INPUTS = 2 * MOST * MOST };

struct problem {
  int n, m;
  bool symmetric;
  double A[MOST * MOST], B[MOST * MOST], C[MOST * MOST], right[MOST];
};

static double random_number(struct cmbt_random *r)
{
  return 2 * cmbt_random_uniform(r, 0, 1) - 1;
}

/* Makes A with a dominant diagonal, and C near B. `density` is the share of the other places that have an entry. */
static void make_problem(struct cmbt_random *r, struct problem *p, double density)
{
  const int n = p->n, m = p->m;
  memset(p->A, 0, sizeof p->A);
  memset(p->B, 0, sizeof p->B);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      if (cmbt_random_uniform(r, 0, 1) > density) continue;
      p->A[i * n + k] = random_number(r);
      p->A[k * n + i] = p->symmetric ? p->A[i * n + k] : random_number(r);
    }
    p->A[i * n + i] = n + 1 + cmbt_random_uniform(r, 0, 1);
  }
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < n; k++) {
      if (k != i && cmbt_random_uniform(r, 0, 1) > density) continue;
      p->B[i * n + k] = random_number(r) + (k == i ? 3 : 0);
    }
  }
  memcpy(p->C, p->B, sizeof p->C);
  for (int i = 0; i < m * n && !p->symmetric; i++) p->C[i] *= 1 + 0.01 * random_number(r);
  for (int i = 0; i < n + m; i++) p->right[i] = random_number(r);
}

/* The entries as inputs of a graph, with their values; an entry 0 stays the constant 0, symmetric entries are one input. */
struct inputs {
  int count;
  cmb_expr node[MOST_INPUTS];
  double value[MOST_INPUTS];
};

static cmb_expr input(cmb_graph *g, struct inputs *in, double value)
{
  char name[16];
  if (value == 0) return 0;
  snprintf(name, sizeof name, "x%d", in->count);
  in->value[in->count] = value;
  return in->node[in->count++] = cmb_input(g, name);
}

static void put_matrices(cmb_graph *g, const struct problem *p, struct inputs *in, cmb_expr *A,
                         cmb_expr *B, cmb_expr *C)
{
  const int n = p->n;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k <= i; k++) {
      A[i * n + k] = input(g, in, p->A[i * n + k]);
      if (k < i) {
        A[k * n + i] = p->symmetric ? A[i * n + k] : input(g, in, p->A[k * n + i]);
      }
    }
  }
  for (int i = 0; i < p->m * n; i++) {
    B[i] = input(g, in, p->B[i]);
    C[i] = p->symmetric ? B[i] : input(g, in, p->C[i]);
  }
}

/* Solves the system as straight-line code: x (n + m), followed by the value of cmb_elimination_health. Returns the number of instructions. */
static int solve(const struct problem *p, double *x)
{
  static struct inputs in;
  static cmb_expr A[MOST * MOST], B[MOST * MOST], C[MOST * MOST], out[MOST + 1];
  const int size = p->n + p->m;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_graph *g;
  cmb_program *program;
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  in.count = 0;
  put_matrices(g, p, &in, A, B, C);
  for (int i = 0; i < size; i++) out[i] = input(g, &in, p->right[i]);
  cmb_elimination *e = cmb_eliminate(g, arena, p->n, p->m, A, B, C);
  assert_non_null(e);
  cmb_elimination_solve(e, out);
  out[size] = cmb_elimination_health(e);
  cmbt_ok(ctx, cmb_program_create(ctx, g, in.count, in.node, size + 1, out, &program));
  double *work = cmb_arena_doubles(arena, cmb_program_work(program));
  cmb_program_run(program, in.value, x, work);
  const int instructions = cmb_program_instructions(program);
  cmb_program_destroy(program);
  cmb_graph_destroy(g);
  cmb_arena_destroy(arena);
  cmb_context_destroy(ctx);
  return instructions;
}

static void solve_by_pivoting(const struct problem *p, double *x)
{
  static double K[MOST * MOST];
  double scale[MOST];
  int pivot[MOST];
  const int n = p->n, size = n + p->m;
  memset(K, 0, sizeof K);
  for (int i = 0; i < size; i++) {
    for (int k = 0; k < size; k++) {
      if (i < n && k < n) K[i * size + k] = p->A[i * n + k];
      if (i < n && k >= n) K[i * size + k] = p->B[(k - n) * n + i];
      if (i >= n && k < n) K[i * size + k] = p->C[(i - n) * n + k];
    }
  }
  memcpy(x, p->right, (size_t)size * sizeof *x);
  assert_int_equal(cmb_lu_factor(size, K, scale, pivot), CMB_OK);
  cmb_lu_solve(size, K, pivot, x);
}

static void test_random(void **state)
{
  (void)state;
  struct cmbt_random r = {11};
  for (int k = 0; k < 300; k++) {
    static struct problem p;
    double x[MOST + 1], right[MOST];
    p.n = 1 + (int)(12 * cmbt_random_uniform(&r, 0, 1));
    p.m = (int)(p.n * cmbt_random_uniform(&r, 0, 1));
    p.symmetric = k % 2 == 0;
    make_problem(&r, &p, k % 3 == 0 ? 1 : 0.3);
    solve(&p, x);
    solve_by_pivoting(&p, right);
    for (int i = 0; i < p.n + p.m; i++) cmbt_near(x[i], right[i], 1e-11 * (1 + fabs(right[i])));
    assert_true(x[p.n + p.m] > 0);
  }
}

/* Checks that a symmetric matrix takes at most 65 % of the operations of a general one, and a band matrix at most 20 %. */
static void test_cost(void **state)
{
  (void)state;
  static struct problem p = {.n = 12, .m = 6};
  struct cmbt_random r = {3};
  double x[MOST + 1];
  make_problem(&r, &p, 1);
  const int full = solve(&p, x);
  p.symmetric = true;
  make_problem(&r, &p, 1);
  const int symmetric = solve(&p, x);
  memset(p.B, 0, sizeof p.B);
  for (int i = 0; i < 12; i++) {
    for (int k = 0; k < 12; k++) p.A[12 * i + k] *= abs(i - k) <= 1;
  }
  for (int i = 0; i < 6; i++) p.B[12 * i + 2 * i] = p.B[12 * i + 2 * i + 1] = 1;
  const int band = solve(&p, x);
  printf("instructions: full %d, symmetric %d, band %d\n", full, symmetric, band);
  cmbt_below(symmetric, 0.65 * full);
  cmbt_below(band, 0.2 * full);
}

static void test_health(void **state)
{
  (void)state;
  static struct problem p = {.n = 4, .m = 2, .symmetric = true};
  struct cmbt_random r = {7};
  double x[MOST + 1];
  make_problem(&r, &p, 1);
  solve(&p, x);
  cmbt_near(x[6], 0.9, 0.2);
  for (int k = 0; k < 4; k++) p.B[4 + k] = p.B[k] * (1 + 1e-7 * k); /* nearly dependent gradients */
  solve(&p, x);
  cmbt_below(fabs(x[6]), 1e-12);
  make_problem(&r, &p, 1);
  p.A[0] = -p.A[0];
  solve(&p, x);
  cmbt_below(x[6], 0);
}

/* Checks that a failed allocation is reported, by a NULL or by the status of the graph. */
static void test_memory(void **state)
{
  (void)state;
  static cmb_expr A[MOST * MOST], x[MOST];
  bool good = false;
  for (long k = 1; !good; k++) {
    struct cmbt_allocator memory;
    cmbt_allocator_init(&memory);
    cmb_context *ctx = cmb_context_create(&memory.hook);
    cmb_graph *g;
    cmb_arena *arena = cmb_arena_create(ctx);
    cmbt_ok(ctx, cmb_graph_create(ctx, &g));
    for (int i = 0; i < MOST; i++) {
      for (int j = 0; j < MOST; j++) A[i * MOST + j] = cmb_input(g, i == j ? "a" : "b");
      x[i] = cmb_input(g, "c");
    }
    memory.fail_at = memory.calls + k;
    cmb_elimination *e = cmb_eliminate(g, arena, MOST, 0, A, NULL, NULL);
    if (e) cmb_elimination_solve(e, x);
    good = e && cmb_graph_status(g) == CMB_OK;
    assert_int_equal(good, memory.refused == 0);
    cmb_graph_destroy(g);
    cmb_arena_destroy(arena);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
    assert_true(k < 100);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_cost),
      cmocka_unit_test(test_health),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
