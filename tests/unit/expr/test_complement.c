/*
 * Tests of complementarity problems as straight-line code (expr/complement.h). Results are checked against the conditions themselves,
 * w = w₀ − P x, −1 ≤ x ≤ 1 and the signs of w, for random problems of up to 16 unknowns and random initial states: definite ones, singular
 * ones in which several unknowns have the same effect, and some whose bounds differ by many powers of ten. The number of operations does
 * not depend on the numbers and is printed. Where the rounds do not suffice, x is still within its bounds. Unknowns that do not depend
 * on each other are solved for separately.
 */
#include "base/arena.h"
#include "check.h"
#include "expr/complement.h"
#include "failing_allocator.h"
#include "math/dense.h"
#include "random.h"

#include <camber/camber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = CMB_COMPLEMENT_MOST, INPUTS = MOST * MOST + 4 * MOST, OUTPUTS = 3 * MOST + 1 };

/* The solution for n unknowns as a program. Inputs: P, w₀, whole, noise and first (complement.h); outputs: x after two corrections, the
 * states `at`, and `settled`. */
struct solver {
  int n;
  cmb_context *ctx;
  cmb_program *program;
  double *work;
};

static cmb_status form_program(struct solver *c, cmb_graph *g, cmb_arena *arena, bool apart)
{
  const int n = c->n;
  cmb_expr in[INPUTS], out[OUTPUTS], w[MOST], dx[MOST] = {0};
  int count = 0, most;
  char name[16];
  for (; count < n * n + 4 * n; count++) {
    snprintf(name, sizeof name, "x%d", count);
    in[count] = cmb_input(g, name);
  }
  cmb_expr P[MOST * MOST];
  for (int i = 0; i < n * n; i++) P[i] = apart && i / n != i % n ? 0 : in[i];
  cmb_complement p = {.g = g, .arena = arena, .n = n, .P = P, .w0 = in + n * n};
  p.whole = p.w0 + n, p.noise = p.whole + n, p.first = p.noise + n;
  cmb_status status = cmb_complement_parts(&p, &most);
  if (status == CMB_OK) status = cmb_graph_status(g); /* whether there was memory for the inputs */
  if (status == CMB_OK) assert_int_equal(most, apart ? 1 : n);
  if (status == CMB_OK) status = cmb_complement_solve(&p);
  for (int round = 0; round < 2 && status == CMB_OK; round++) {
    for (int i = 0; i < n; i++) {
      w[i] = p.w0[i];
      for (int k = 0; k < n; k++) {
        const cmb_expr part = cmb_apply(g, CMB_OP_MUL, P[i * n + k], p.x[k], 0);
        w[i] = cmb_apply(g, CMB_OP_SUB, w[i], part, 0);
      }
    }
    status = cmb_complement_correct(&p, w, dx);
    for (int i = 0; i < n; i++) p.x[i] = cmb_apply(g, CMB_OP_ADD, p.x[i], dx[i], 0);
  }
  if (status != CMB_OK) return status;
  memcpy(out, p.x, (size_t)n * sizeof *out);
  memcpy(out + n, p.at, (size_t)n * sizeof *out);
  out[2 * n] = p.settled;
  return cmb_program_create(c->ctx, g, count, in, 2 * n + 1, out, &c->program);
}

static cmb_status open_solver(struct solver *c, cmb_context *ctx, int n, bool apart)
{
  cmb_graph *g = NULL;
  *c = (struct solver){.n = n, .ctx = ctx};
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_status status = arena ? cmb_graph_create(ctx, &g) : CMB_ERROR_MEMORY;
  if (status == CMB_OK) status = form_program(c, g, arena, apart);
  cmb_graph_destroy(g);
  cmb_arena_destroy(arena);
  if (status == CMB_OK) c->work = calloc((size_t)cmb_program_work(c->program) + 1, sizeof(double));
  return status;
}

static void close_solver(struct solver *c)
{
  cmb_program_destroy(c->program);
  free(c->work);
}

/* Makes a problem with the rates w = B v of `freedoms` velocities of mass 1: P = B Bᵀ diag(c), w₀ = B v. */
static void make_problem(struct cmbt_random *r, int n, int freedoms, double decades, double *in)
{
  double B[MOST][MOST], v[MOST], *P = in, *w0 = P + n * n, *whole = w0 + n, *noise = whole + n;
  for (int k = 0; k < freedoms; k++) v[k] = cmbt_random_uniform(r, -2, 2);
  for (int i = 0; i < n; i++) {
    w0[i] = whole[i] = noise[i] = 0;
    for (int k = 0; k < freedoms; k++) {
      B[i][k] = cmbt_random_uniform(r, -1, 1);
      w0[i] += B[i][k] * v[k];
    }
    noise[n + i] = cmbt_random_int(r, -1, 1);
  }
  for (int k = 0; k < n; k++) {
    const double c = cmbt_random_scale(r, decades);
    for (int i = 0; i < n; i++) {
      P[i * n + k] = 0;
      for (int j = 0; j < freedoms; j++) P[i * n + k] += c * B[i][j] * B[k][j];
    }
    whole[k] = P[k * n + k];
  }
}

static const double LARGER = 1e-8; /* δ, the part by which the diagonal D is larger */

/* What the larger diagonal causes for the unknowns in between (F): the inverse of P_FF + δ D, and bounds of the errors w_F of the rounds, |δ D
 * x_F| <= δ D, and after each of two corrections dx = (P_FF + δ D)⁻¹ w_F, which leave δ D dx. */
struct errors {
  int count, between[MOST];
  double inverse[MOST][MOST]; /* [column][row] */
  double error[3][MOST];
  double dx[MOST]; /* bounds of the sum of both corrections */
};

static void find_errors(int n, const double *P, const double *at, struct errors *e)
{
  double A[MOST * MOST], scale[MOST];
  int pivot[MOST];
  e->count = 0;
  for (int i = 0; i < n; i++) {
    if (at[i] == 0) e->between[e->count++] = i;
  }
  for (int j = 0; j < e->count; j++) {
    for (int k = 0; k < e->count; k++) A[j * e->count + k] = P[e->between[j] * n + e->between[k]];
    A[j * e->count + j] *= 1 + LARGER;
    e->error[0][j] = LARGER * P[e->between[j] * (n + 1)];
  }
  assert_int_equal(cmb_lu_factor(e->count, A, scale, pivot), CMB_OK);
  for (int k = 0; k < e->count; k++) {
    for (int j = 0; j < e->count; j++) e->inverse[k][j] = j == k;
    cmb_lu_solve(e->count, A, pivot, e->inverse[k]);
  }
  for (int round = 0; round < 2; round++) {
    for (int j = 0; j < e->count; j++) {
      double dx = 0;
      for (int k = 0; k < e->count; k++) dx += fabs(e->inverse[k][j]) * e->error[round][k];
      e->dx[j] = dx + (round > 0 ? e->dx[j] : 0);
      e->error[round + 1][j] = LARGER * P[e->between[j] * (n + 1)] * dx;
    }
  }
}

/* Returns a bound of what both corrections change in w_i, where x_i is at a bound: P_iF dx. It does not become small with δ beside the
 * eigenvalues of P, if the effect of unknown i is a combination of those in between. */
static double change_by_corrections(int n, const double *P, const struct errors *e, int i)
{
  double change = 0;
  for (int k = 0; k < e->count; k++) {
    double part = 0;
    for (int j = 0; j < e->count; j++) part += P[i * n + e->between[j]] * e->inverse[k][j];
    change += fabs(part) * (e->error[0][k] + e->error[1][k]);
  }
  return change;
}

/* Checks the conditions of complementarity, up to the errors from the larger diagonal. */
static void check_conditions(int n, const double *in, const double *x, const double *at)
{
  const double *P = in, *w0 = P + n * n;
  struct errors e;
  find_errors(n, P, at, &e);
  for (int i = 0, f = 0; i < n; i++) {
    double w = w0[i], size = fabs(w);
    for (int k = 0; k < n; k++) {
      w -= P[i * n + k] * x[k];
      size += fabs(P[i * n + k] * x[k]);
    }
    const double none = 2e-9 * P[i * n + i] + 1e-12 * size;
    if (at[i] == 0) cmbt_below(fabs(x[i]), 1 + 2e-9 + e.dx[f]);
    if (at[i] == 0) cmbt_below(fabs(w), e.error[2][f++] + 1e-12 * size);
    if (at[i] != 0) cmbt_near(x[i], at[i], 0);
    if (at[i] != 0) cmbt_below(-at[i] * w, none + change_by_corrections(n, P, &e, i));
  }
}

static int count_settled(struct solver *c, struct cmbt_random *r, int problems, int freedoms,
                         double decades)
{
  double in[INPUTS], out[OUTPUTS];
  int settled = 0;
  for (int k = 0; k < problems; k++) {
    make_problem(r, c->n, freedoms, decades, in);
    cmb_program_run(c->program, in, out, c->work);
    const bool done = out[2 * c->n] == 1;
    for (int i = 0; !done && i < c->n; i++) cmbt_below(fabs(out[i]), 1 + 2e-9);
    if (!done) continue;
    settled++;
    check_conditions(c->n, in, out, out + c->n);
  }
  return settled;
}

static void test_random(void **state)
{
  (void)state;
  const int problems = cmbt_count("CAMBER_COMPLEMENTS", 2000);
  cmb_context *ctx = cmb_context_create(NULL);
  for (int n = 1; n <= MOST; n = n < 8 ? n + 1 : 2 * n) {
    struct cmbt_random r = {(uint64_t)n};
    struct solver c;
    cmbt_ok(ctx, open_solver(&c, ctx, n, false));
    const int plain = count_settled(&c, &r, problems, MOST, 1);
    const int wide = count_settled(&c, &r, problems, MOST, 4);
    const int singular = count_settled(&c, &r, problems, (n + 1) / 2, 1);
    printf("n = %2d: %6d operations; settled %d, %d, %d of %d\n", n,
           cmb_program_instructions(c.program), plain, wide, singular, problems);
    assert_true(n > 2 || plain + wide + singular == 3 * problems);
    assert_true(plain + wide >= 2 * problems - problems / 100);
    assert_true(singular >= problems - problems / 4); /* n unknowns with only n/2 velocities */
    close_solver(&c);
  }
  cmb_context_destroy(ctx);
}

/* Checks that four unknowns that do not depend on each other cost at most as much as four problems with one unknown. */
static void test_independent_unknowns(void **state)
{
  (void)state;
  int cost[2];
  cmb_context *ctx = cmb_context_create(NULL);
  for (int k = 0; k < 2; k++) {
    struct solver c;
    cmbt_ok(ctx, open_solver(&c, ctx, k == 0 ? 1 : 4, k == 1));
    cost[k] = cmb_program_instructions(c.program);
    close_solver(&c);
  }
  assert_in_range(cost[1], cost[0], 4 * cost[0] + 10);
  cmb_context_destroy(ctx);
}

/* Checks that each allocation that fails gives an error and leaves no memory behind. */
static void test_failing_allocations(void **state)
{
  (void)state;
  struct cmbt_allocator memory;
  for (long k = 1;; k++) {
    struct solver c;
    cmbt_allocator_init(&memory);
    memory.fail_at = k + 1; /* the first allocation is that of the context */
    cmb_context *ctx = cmb_context_create(&memory.hook);
    assert_non_null(ctx);
    const cmb_status status = open_solver(&c, ctx, 3, false);
    assert_int_equal(status, memory.refused > 0 ? CMB_ERROR_MEMORY : CMB_OK);
    if (status == CMB_OK) close_solver(&c);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
    if (memory.refused == 0) break;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                     cmocka_unit_test(test_independent_unknowns),
                                     cmocka_unit_test(test_failing_allocations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
