/*
 * Makes random systems of equations (random_system.h).
 */
#include "random_system.h"

#include "check.h"
#include "random_expr.h"

#include <stdio.h>
#include <string.h>

static cmb_expr scaled(cmb_graph *g, double factor, cmb_expr x)
{
  return cmb_apply(g, CMB_OP_MUL, cmb_constant(g, factor), x, 0);
}

void cmbt_random_system(struct cmbt_random *r, cmb_graph *g, int n, const cmb_expr *unknown,
                        int inputs, const cmb_expr *x, int nodes, cmb_expr *equation)
{
  cmb_expr all[CMB_MOST_UNKNOWNS + CMBT_SYSTEM_INPUTS];
  memcpy(all, unknown, (size_t)n * sizeof *all);
  memcpy(all + n, x, (size_t)inputs * sizeof *all);
  for (int i = 0; i < n; i++) {
    cmb_expr sum = scaled(g, 4, unknown[i]);
    for (int j = 0; j < n; j++) {
      const double factor = cmbt_random_uniform(r, -0.4, 0.4);
      sum = cmb_apply(g, CMB_OP_ADD, sum, scaled(g, factor, unknown[j]), 0);
    }
    const cmb_expr e =
        cmbt_random_expr(r, g, n + inputs, all, nodes, CMBT_EXPR_SMOOTH | CMBT_EXPR_TAME);
    sum = cmb_apply(g, CMB_OP_ADD, sum, scaled(g, 0.3, e), 0);
    const double b = cmbt_random_uniform(r, -2, 2);
    equation[i] = cmb_apply(g, CMB_OP_SUB, sum, cmb_constant(g, b), 0);
  }
}

cmb_program *cmbt_system_program(cmb_context *ctx, uint64_t seed)
{
  enum { N = CMBT_SYSTEM_INPUTS, SYSTEMS = 8, MOST = 2 * SYSTEMS * CMB_MOST_UNKNOWNS };
  struct cmbt_random r = {seed};
  cmb_graph *g;
  cmb_program *p;
  cmb_expr x[N], unknown[CMB_MOST_UNKNOWNS], equation[CMB_MOST_UNKNOWNS];
  cmb_expr start[CMB_MOST_UNKNOWNS], y[MOST], direction[N];
  int count = 0;
  char name[16];
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  for (int i = 0; i < N; i++) {
    (void)snprintf(name, sizeof name, "x%d", i);
    x[i] = cmb_input(g, name);
    direction[i] = cmb_constant(g, cmbt_random_uniform(&r, -1, 1));
  }
  for (int k = 0; k < SYSTEMS; k++) {
    const int n = k % 6 + 1;
    const cmb_expr *of =
        k < 6 ? x : y + 1; /* the last two depend on roots of the second and third */
    for (int i = 0; i < n; i++) {
      (void)snprintf(name, sizeof name, "w%d", i);
      unknown[i] = cmb_input(g, name);
      start[i] = i % 2 ? cmb_constant(g, 0) : scaled(g, 0.2, x[0]);
    }
    cmbt_random_system(&r, g, n, unknown, 4, of, 12, equation);
    cmbt_ok(ctx, cmb_implicit(g, n, unknown, equation, start, NULL, y + count));
    count += n;
  }
  cmbt_ok(ctx, cmb_forward(g, N, x, direction, count, y, y + count));
  cmbt_ok(ctx, cmb_program_create(ctx, g, N, x, 2 * count, y, &p));
  cmb_graph_destroy(g);
  return p;
}
