/*
 * Shows that the explicit and the residual formalism cost O(N) on long chains: the number of operations per body does not grow with the
 * chain and is at most that counted by hand. The accelerations of the explicit formalism satisfy the equations of the residual formalism,
 * also for a thousand bodies.
 */
#include "chain.h"
#include "check.h"
#include "random.h"

#include "dyn/recursion.h"

#include <stdlib.h>
#include <string.h>

/* Both recursions of a chain as programs of q, v, a, without the mass matrix, which has N² entries. */
struct chain {
  cmb_context *ctx;
  cmb_model *model;
  cmb_arena *arena;
  cmb_graph *g;
  cmb_program *explicit_form, *residual;
  int n;
  double *x; /* (3 n) q, v, a */
};

static void open_chain(int n, struct chain *c)
{
  cmb_tree *tree;
  cmb_kinematics *k;
  cmb_articulation *w;
  c->n = n;
  c->ctx = cmb_context_create(NULL);
  c->model = cmbt_chain_create(c->ctx, n);
  c->arena = cmb_arena_create(c->ctx);
  cmbt_ok(c->ctx, cmb_graph_create(c->ctx, &c->g));
  cmbt_ok(c->ctx, cmb_tree_create(c->arena, c->g, c->model, &tree));
  cmbt_ok(c->ctx, cmb_kinematics_create(c->arena, c->g, tree, &k));
  const size_t size = (size_t)n;
  cmb_wrench *on = cmb_arena_take(c->arena, size, sizeof *on);
  cmb_expr *in = cmb_arena_take(c->arena, 3 * size, sizeof *in), *u, *a, *r;
  u = cmb_arena_take(c->arena, size, sizeof *u);
  a = cmb_arena_take(c->arena, size, sizeof *a);
  r = cmb_arena_take(c->arena, size, sizeof *r);
  c->x = cmb_arena_doubles(c->arena, 3 * n);
  for (int i = 0; i < n; i++) in[i] = k->q[i], in[n + i] = k->v[i], in[2 * n + i] = k->a[i];
  cmb_newton_euler(k, k->a, on);
  cmb_wrenches_project(k, CMB_GROUND, on, r);
  cmbt_ok(c->ctx, cmb_program_create(c->ctx, c->g, 3 * n, in, n, r, &c->residual));
  cmb_newton_euler(k, NULL, on);
  cmbt_ok(c->ctx, cmb_articulate(k, &w));
  cmb_articulation_half(w, u, on);
  cmb_articulation_accelerate(w, u, a);
  cmbt_ok(c->ctx, cmb_program_create(c->ctx, c->g, 2 * n, in, n, a, &c->explicit_form));
}

static void close_chain(struct chain *c)
{
  cmb_program_destroy(c->explicit_form);
  cmb_program_destroy(c->residual);
  cmb_graph_destroy(c->g);
  cmb_arena_destroy(c->arena);
  cmb_model_destroy(c->model);
  cmb_context_destroy(c->ctx);
}

/* Returns max |r(a)|/max |r(0)|: the residual of the accelerations a of the explicit formalism, relative to the forces, which are the
 * residual without accelerations. */
static double relative_residual(struct chain *c)
{
  struct cmbt_random random = {3};
  const int n = c->n, work_explicit = cmb_program_work(c->explicit_form),
            work_residual = cmb_program_work(c->residual);
  double *work =
      cmb_arena_doubles(c->arena, work_explicit > work_residual ? work_explicit : work_residual);
  double *r = cmb_arena_doubles(c->arena, n), size = 0, most = 0;
  for (int i = 0; i < 2 * n; i++) c->x[i] = cmbt_random_uniform(&random, -1, 1);
  cmb_program_run(c->residual, c->x, r, work);
  for (int i = 0; i < n; i++) size = fmax(size, fabs(r[i]));
  cmb_program_run(c->explicit_form, c->x, c->x + 2 * (ptrdiff_t)n, work);
  cmb_program_run(c->residual, c->x, r, work);
  for (int i = 0; i < n; i++) most = fmax(most, fabs(r[i]));
  return most / size;
}

static void test_cost_of_a_body(void **state)
{
  static const int sizes[] = {10, 100, 1000};
  (void)state;
  double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
  for (int i = 0; i < 3; i++) {
    struct chain c;
    open_chain(sizes[i], &c);
    const cmb_program *const programs[] = {c.explicit_form, c.residual};
    for (int k = 0; k < 2; k++) {
      double each = (double)cmb_program_instructions(programs[k]) / sizes[i];
      least[k] = fmin(least[k], each);
      most[k] = fmax(most[k], each);
    }
    cmbt_below(relative_residual(&c), 1e-11);
    close_chain(&c);
  }
  print_message("operations a body: explicit %.1f to %.1f, residual %.1f to %.1f\n", least[0],
                most[0], least[1], most[1]);
  cmbt_below(most[0] / least[0], 1.3);
  cmbt_below(most[1] / least[1], 1.3);
  cmbt_below(most[0], 405);
  cmbt_below(most[1], 155);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cost_of_a_body)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
