/*
 * Formulas differentiated, coloured and compiled: a ring of nine springs, its exact Jacobian in three groups of
 * columns, and a product with it in native code.
 */
#include <camber/camber.h>
#include <stdio.h>

enum { N = 9 };

static bool any_name(void *graph, const char *name, cmb_expr *e)
{
  *e = cmb_input(graph, name);
  return true;
}

static cmb_status spring_chain(cmb_context *ctx, cmb_graph *g)
{
  cmb_expr x[N], f[N];
  cmb_jacobian *jacobian;
  cmb_native *native;
  const cmb_names names = {.user = g, .value = any_name};
  for (int i = 0; i < N; i++) { /* f_i = (x_{i+1} − x_i)³ − (x_i − x_{i−1})³ */
    char text[80], name[8];
    int length = snprintf(text, sizeof text, "(x%d - x%d)^3 - (x%d - x%d)^3", (i + 1) % N, i, i,
                          (i + N - 1) % N);
    snprintf(name, sizeof name, "x%d", i);
    x[i] = cmb_input(g, name);
    CMB_TRY(cmb_formula_parse(g, text, (size_t)length, 1, 1, &names, &f[i]));
  }
  CMB_TRY(cmb_jacobian_create(ctx, g, N, x, N, x, N, f, &jacobian));
  const cmb_program *product = cmb_jacobian_program(jacobian); /* (x, ẋ) -> J ẋ */
  cmb_status status = cmb_native_create(ctx, 1, &product, NULL, &native);
  if (status == CMB_OK) {
    double in[2 * N] = {0, 1, 0, 2, 0, 3, 0, 4, [N] = 1}, out[N],
                  work[200]; /* ẋ = e_0: the first column */
    cmb_native_run(native, 0, in, out, work);
    printf("%d entries, %d groups; df0/dx0 = %g, df1/dx0 = %g\n",
           cmb_jacobian_pattern(jacobian)->start[N], cmb_jacobian_groups(jacobian), out[0], out[1]);
    cmb_native_destroy(native);
  }
  cmb_jacobian_destroy(jacobian);
  return status;
}

int main(void)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_graph *g;
  cmb_status status = cmb_graph_create(ctx, &g);
  if (status == CMB_OK) status = spring_chain(ctx, g);
  if (status != CMB_OK) fprintf(stderr, "%s\n", cmb_last_error(ctx));
  cmb_graph_destroy(g);
  cmb_context_destroy(ctx);
  return status != CMB_OK;
}
