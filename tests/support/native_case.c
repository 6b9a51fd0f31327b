/*
 * Programs, inputs and folders for tests of generated code (native_case.h).
 */
#include "native_case.h"

#include "check.h"
#include "random.h"
#include "random_expr.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_inputs(cmb_graph *g, int count, cmb_expr *x)
{
  for (int i = 0; i < count; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "x%d", i);
    x[i] = cmb_input(g, name);
  }
}

cmb_program *cmbt_random_program(cmb_context *ctx, uint64_t seed, int outputs, int nodes)
{
  struct cmbt_random r = {seed};
  cmb_graph *g;
  cmb_program *p;
  cmb_expr x[CMBT_CASE_INPUTS];
  cmb_expr *y = malloc((size_t)outputs * sizeof *y);
  assert_non_null(y);
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  make_inputs(g, CMBT_CASE_INPUTS, x);
  for (int k = 0; k < outputs; k++)
    y[k] = cmbt_random_expr(&r, g, CMBT_CASE_INPUTS, x, nodes, k % 2 ? 0 : CMBT_EXPR_TAME);
  cmbt_ok(ctx, cmb_program_create(ctx, g, CMBT_CASE_INPUTS, x, outputs, y, &p));
  cmb_graph_destroy(g);
  free(y);
  return p;
}

/* Rotates two of the six components v by a constant angle, and applies another random operation to them in 12 of 40 cases. */
static void chain_link(struct cmbt_random *r, cmb_graph *g, cmb_expr v[CMBT_CASE_INPUTS])
{
#define OP(name, a, b) cmb_apply(g, CMB_OP_##name, a, b, 0)
  int i = cmbt_random_int(r, 0, 5), j = (i + cmbt_random_int(r, 1, 5)) % 6, what;
  double angle = cmbt_random_uniform(r, 0, 6);
  cmb_expr c = cmb_constant(g, cos(angle)), s = cmb_constant(g, sin(angle)), a = v[i], b = v[j];
  v[i] = OP(SUB, OP(MUL, c, a), OP(MUL, s, b));
  v[j] = OP(ADD, OP(MUL, s, a), OP(MUL, c, b));
  what = cmbt_random_int(r, 0, 39);
  a = v[i], b = v[j];
  if (what < 8) v[i] = OP(SUB, a, OP(MUL, OP(MUL, a, cmb_constant(g, 0.01)), b));
  if (what == 8) v[i] = OP(DIV, a, OP(ADD, cmb_constant(g, 0.9), OP(MUL, b, b)));
  if (what == 9) v[i] = OP(SQRT, OP(ADD, cmb_constant(g, 0.1), OP(MUL, a, a)), 0);
  if (what == 10) v[i] = cmbt_random_int(r, 0, 1) ? OP(SIN, a, 0) : OP(COS, a, 0);
  if (what == 11) v[i] = OP(MIN, a, b);
#undef OP
}

cmb_program *cmbt_chain_program(cmb_context *ctx, int operations)
{
  struct cmbt_random r = {7};
  cmb_graph *g;
  cmb_program *p;
  cmb_expr x[CMBT_CASE_INPUTS], v[CMBT_CASE_INPUTS];
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  make_inputs(g, CMBT_CASE_INPUTS, x);
  memcpy(v, x, sizeof v);
  int constants = 2; /* each call of chain_link adds about two constants and seven operations */
  while ((int)cmb_graph_size(g) - constants < operations) {
    chain_link(&r, g, v);
    constants += 2;
  }
  cmbt_ok(ctx, cmb_program_create(ctx, g, CMBT_CASE_INPUTS, x, CMBT_CASE_INPUTS, v, &p));
  cmb_graph_destroy(g);
  return p;
}

void cmbt_random_inputs(uint64_t seed, int count, double *in)
{
  static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 0.5, 2.0};
  enum { SPECIAL = sizeof special / sizeof special[0] };
  struct cmbt_random r = {seed};
  for (int i = 0; i < count; i++) {
    in[i] = cmbt_random_uniform(&r, -4, 4);
    int kind = cmbt_random_int(&r, 0, 19);
    if (kind == 0) in[i] = special[cmbt_random_int(&r, 0, SPECIAL - 1)];
    if (kind == 1) in[i] *= cmbt_random_scale(&r, 300);
  }
}

bool cmbt_same_bits(int count, const double *a, const double *b)
{
  for (int i = 0; i < count; i++) {
    if (memcmp(&a[i], &b[i], sizeof a[i]) != 0 && !(isnan(a[i]) && isnan(b[i]))) return false;
  }
  return true;
}

static double *doubles(int count)
{
  double *x = aligned_alloc(64, ((size_t)count + 8) / 8 * 64);
  assert_non_null(x);
  return x;
}

void cmbt_compare_native(const cmb_native *native, int i, const cmb_program *p, int runs)
{
  int inputs = cmb_program_inputs(p), outputs = cmb_program_outputs(p);
  double *in = doubles(CMB_LANES * inputs), *work = doubles(CMB_LANES * cmb_program_work(p));
  double *expected = doubles(CMB_LANES * outputs), *got = doubles(CMB_LANES * outputs);
  for (int k = 0; k < runs; k++) {
    cmbt_random_inputs(1000 + (uint64_t)k, CMB_LANES * inputs, in);
    memset(got, 0x55, CMB_LANES * (size_t)outputs * sizeof *got);
    cmb_program_run_lanes(p, in, expected, work);
    cmb_native_run_lanes(native, i, in, got, work);
    if (!cmbt_same_bits(CMB_LANES * outputs, expected, got))
      fail_msg("interpreter and native code differ with lanes, in run %d", k);
    memset(got, 0x55, CMB_LANES * (size_t)outputs * sizeof *got);
    cmb_program_run(p, in, expected, work);
    cmb_native_run(native, i, in, got, work);
    if (!cmbt_same_bits(outputs, expected, got))
      fail_msg("interpreter and native code differ with scalars, in run %d", k);
  }
  free(in);
  free(work);
  free(expected);
  free(got);
}

void cmbt_make_folder(char path[256])
{
  char here[200];
  assert_non_null(getcwd(here, sizeof here));
  (void)snprintf(path, 256, "%s/case-XXXXXX", here);
  assert_non_null(mkdtemp(path));
}

void cmbt_remove_folder(const char *path)
{
  DIR *folder = opendir(path);
  if (!folder) return;
  for (const struct dirent *e = readdir(folder); e; e = readdir(folder)) {
    char name[1024];
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
    (void)snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    if (unlink(name) != 0) cmbt_remove_folder(name);
  }
  closedir(folder);
  rmdir(path);
}
