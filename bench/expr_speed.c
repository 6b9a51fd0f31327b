/*
 * Measures how fast compiled expressions (programs) run: expr_speed [operations]
 *
 * One program of about 30,000 operations, of the kind a chain of bodies gives: vectors are rotated and added,
 * mostly + - *, with some / and sqrt, and a sine or cosine in 300 operations. It is run by the interpreter and as native
 * code, on numbers and on lanes of 8; printed is the time of an operation (and lane), the best of many runs. The
 * goals are those the design counts on.
 */
#include "random.h"

#include <camber/expr.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STATES = 30, REPEATS = 300 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the program */

static cmb_expr op(cmb_graph *g, cmb_op what, cmb_expr a, cmb_expr b)
{
  return cmb_apply(g, what, a, b, 0);
}

/* Appends operations to the expressions v[STATES], chosen at random: a plane rotation of two components and sometimes a product, quotient,
 * root, sine or cosine, such that values remain near 1. Returns about the number of operations added. */
static int add_link(struct cmbt_random *r, cmb_graph *g, cmb_expr *v)
{
  int i = cmbt_random_int(r, 0, STATES - 1), j = (i + cmbt_random_int(r, 1, STATES - 1)) % STATES;
  double angle = 0.4 * cmbt_random_int(r, 1, 15); /* a mechanism has few different constants */
  cmb_expr c = cmb_constant(g, cos(angle)), s = cmb_constant(g, sin(angle)), a = v[i], b = v[j];
  v[i] = op(g, CMB_OP_SUB, op(g, CMB_OP_MUL, c, a), op(g, CMB_OP_MUL, s, b));
  v[j] = op(g, CMB_OP_ADD, op(g, CMB_OP_MUL, s, a), op(g, CMB_OP_MUL, c, b));
  a = v[i], b = v[j];
  int what = cmbt_random_int(r, 0, 99);
  if (what < 30) {
    cmb_expr product = op(g, CMB_OP_MUL, op(g, CMB_OP_MUL, a, cmb_constant(g, 0.01)), b);
    v[i] = op(g, CMB_OP_SUB, a, product);
    return 9;
  }
  if (what < 33) {
    cmb_expr below = op(g, CMB_OP_ADD, cmb_constant(g, 0.9), op(g, CMB_OP_MUL, b, b));
    v[i] = op(g, CMB_OP_DIV, a, below);
    return 9;
  }
  if (what < 36) {
    cmb_expr square = op(g, CMB_OP_ADD, cmb_constant(g, 0.1), op(g, CMB_OP_MUL, a, a));
    v[i] = op(g, CMB_OP_SQRT, square, 0);
    return 9;
  }
  if (what < 38) v[i] = op(g, what == 36 ? CMB_OP_SIN : CMB_OP_COS, a, 0);
  return 6 + (what == 36 || what == 37);
}

static cmb_program *make_program(cmb_context *ctx, int operations)
{
  struct cmbt_random r = {1};
  cmb_graph *g;
  cmb_program *p = NULL;
  cmb_expr x[STATES], v[STATES];
  if (cmb_graph_create(ctx, &g) != CMB_OK) return NULL;
  for (int i = 0; i < STATES; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "x%d", i);
    x[i] = v[i] = cmb_input(g, name);
  }
  for (int done = 0; done < operations;) done += add_link(&r, g, v);
  (void)cmb_program_create(ctx, g, STATES, x, STATES, v, &p);
  cmb_graph_destroy(g);
  return p;
}

/* ---- timing */

struct data {
  const cmb_program *p;
  const cmb_native *native;
  double *in, *out, *work;
};

static void run_scalar(const struct data *d)
{
  cmb_program_run(d->p, d->in, d->out, d->work);
}

static void run_lanes(const struct data *d)
{
  cmb_program_run_lanes(d->p, d->in, d->out, d->work);
}

static void run_native(const struct data *d)
{
  cmb_native_run(d->native, 0, d->in, d->out, d->work);
}

static void run_native_lanes(const struct data *d)
{
  cmb_native_run_lanes(d->native, 0, d->in, d->out, d->work);
}

/* Returns the time of one operation in one lane in ns: the least of REPEATS runs of the program by `run`, which evaluates `lanes` sets of
 * numbers at once. */
static double best(const struct data *d, void (*run)(const struct data *), int lanes)
{
  double least = INFINITY;
  for (int i = 0; i < REPEATS; i++) {
    double start = now();
    run(d);
    least = fmin(least, now() - start);
  }
  return 1e9 * least / cmb_program_instructions(d->p) / lanes;
}

static void show_ratio(const char *what, double value, double goal)
{
  printf("%-52s %6.2f   goal %4.2g   %s\n", what, value, goal, value >= goal ? "met" : "MISSED");
}

static void measure(const struct data *d, double seconds)
{
  double scalar = best(d, run_scalar, 1), lanes = best(d, run_lanes, CMB_LANES);
  double native = best(d, run_native, 1), native_lanes = best(d, run_native_lanes, CMB_LANES);
  double each = 1e6 * seconds / (2.0 * cmb_program_instructions(d->p));
  printf("%d operations, work array of %d\n\n", cmb_program_instructions(d->p),
         cmb_program_work(d->p));
  printf(
      "ns an operation and lane: interpreter %.3f, lanes %.3f, native %.3f, native lanes %.3f\n\n",
      scalar, lanes, native, native_lanes);
  show_ratio("native, times as fast as the interpreter", scalar / native, 3);
  show_ratio("interpreter on lanes, times as fast as on numbers", scalar / lanes, 5);
  show_ratio("native lanes, times as fast as native", native / native_lanes, 3);
  printf("%-52s %6.3f   goal %4.2g   %s\n", "writing the code of an operation, us", each, 0.15,
         each <= 0.15 ? "met" : "MISSED");
}

static double *doubles(int count)
{
  double *x = aligned_alloc(64, ((size_t)count / 8 + 1) * 64);
  for (int i = 0; x && i < count; i++) x[i] = 0.1 + 0.01 * (i % 100);
  return x;
}

int main(int argc, char **argv)
{
  int operations = argc > 1 ? atoi(argv[1]) : 30000;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_program *p = ctx && operations > 0 ? make_program(ctx, operations) : NULL;
  if (!p) return 1;
  const cmb_program *programs[] = {p};
  cmb_native *native;
  const double start = now();
  if (cmb_native_create(ctx, 1, programs, NULL, &native) != CMB_OK) return 1;
  const double seconds = now() - start;
  if (cmb_native_where_from(native) == CMB_NATIVE_INTERPRETED)
    printf("there is no native code on this machine\n");
  struct data d = {p, native, doubles(STATES * CMB_LANES), doubles(STATES * CMB_LANES),
                   doubles(cmb_program_work(p) * CMB_LANES)};
  if (d.in && d.out && d.work) measure(&d, seconds);
  free(d.in);
  free(d.out);
  free(d.work);
  cmb_native_destroy(native);
  cmb_program_destroy(p);
  cmb_context_destroy(ctx);
  return 0;
}
