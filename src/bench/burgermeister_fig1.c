/*
 * camber bench burgermeister-fig1: finds the limits of stability of the method lie (Burgermeister, Arnold and Esterl 2006 §2 and Fig. 1)
 * by running it.
 *
 * One step with h = 1 of q'' = −a q − b q' from (1, 0) and from (0, 1) gives the two columns of the matrix by which every step multiplies
 * (q, q'); the method is stable if no eigenvalue of it is larger than 1 in magnitude. Limits are found by bisection and compared with the
 * paper's:
 *
 *     J1: a <= 2 b + 4      J3: b <= 2, a <= 4 − 2 b      J2, exact: all a, b >= 0      none: a <= b <= 2 + a/2
 *
 * with h² a for a and h b for b. (The paper does not give the last one, that of the explicit Euler method.)
 */
#include "bench/burgermeister.h"

#include "base/context.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MATRICES = 5, BOUNDED = 3, SAMPLES = 5, POINTS = 241 };
enum { NONE, J1, J3, J2, EXACT };

static const char *const matrices[MATRICES] = {"none", "J1", "J3", "J2", "exact"};
static const double samples[SAMPLES] = {0.25, 0.5, 1, 1.5, 1.75}; /* values of b */

static const double LARGEST = 1e6;    /* a and b that are tried where there should be no limit */
static const double AGREEMENT = 1e-6; /* difference of limits that counts as agreement */

/* ---- the test equation */

struct coefficients {
  double a, b;
};

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct coefficients *c = self;
  if (want->M) want->M[0] = 1;
  if (want->f) want->f[0] = -c->a * at->q[0] - c->b * at->v[0];
  return CMB_OK;
}

static cmb_status derivative(const void *self, const cmb_point *at, const double *a,
                             const double *lambda, cmb_derivative which, double *J)
{
  const struct coefficients *c = self;
  (void)at, (void)a, (void)lambda;
  if (which == CMB_RESIDUAL_Q) J[0] = c->a;
  if (which == CMB_RESIDUAL_V) J[0] = c->b;
  return CMB_OK;
}

struct probe {
  struct coefficients c;
  cmb_equations eq;
  cmb_integrator *in;
  cmb_status status; /* the first status other than CMB_OK */
};

static void create_probe(cmb_context *ctx, const char *matrix, struct probe *p)
{
  static const char *const q_names[] = {"q"}, *const v_names[] = {"q'"};
  const cmb_option_setting setting = {"jacobian", matrix};
  cmb_integrator_options options = cmb_integrator_defaults();
  *p = (struct probe){.eq = {.name = "test equation",
                             .nq = 1,
                             .nv = 1,
                             .q_names = q_names,
                             .v_names = v_names,
                             .evaluate = evaluate,
                             .derivative = derivative}};
  p->eq.self = &p->c;
  options.step = 1;
  options.setting_count = 1;
  options.settings = &setting;
  p->status = cmb_integrator_create(ctx, &p->eq, cmb_method_find("lie"), &options, &p->in);
}

/* Takes one step of size 1 of the test equation q'' = −a q − b q' from q and v = q'; out becomes the new q and v, or NaN if the step fails
 * or an earlier one has failed. */
static void step_once(struct probe *p, double q, double v, double out[2])
{
  out[0] = out[1] = NAN;
  if (p->status == CMB_OK) p->status = cmb_integrator_begin(p->in, 0, &q, &v);
  if (p->status == CMB_OK) p->status = cmb_integrator_step(p->in, 1);
  if (p->status != CMB_OK) return;
  out[0] = cmb_integrator_q(p->in)[0];
  out[1] = cmb_integrator_v(p->in)[0];
}

static double spectral_radius(struct probe *p, double a, double b)
{
  double x[2], y[2];
  p->c = (struct coefficients){a, b};
  step_once(p, 1, 0, x);
  step_once(p, 0, 1, y);
  const double half = (x[0] - y[1]) / 2, root = half * half + y[0] * x[1];
  if (root < 0) return sqrt(x[0] * y[1] - x[1] * y[0]);
  return fabs(x[0] + y[1]) / 2 + sqrt(root);
}

/* 1 plus a bound of the rounding errors */
static const double LARGEST_RADIUS = 1 + 16 * DBL_EPSILON;

static bool stable(struct probe *p, double a, double b)
{
  return spectral_radius(p, a, b) <= LARGEST_RADIUS;
}

/* ---- limits of stability */

/* Finds, by bisection between 0 and LARGEST, the s up to which the method is stable for the test equation q'' = −a q − b q' with (a, b) =
 * from + s (da, db). Returns NaN if the method is unstable at s = 0, INFINITY if it is stable at s = LARGEST. */
static double limit(struct probe *p, struct coefficients from, double da, double db)
{
  double low = 0, high = LARGEST;
  if (!stable(p, from.a, from.b)) return NAN;
  if (stable(p, from.a + high * da, from.b + high * db)) return INFINITY;
  while (high - low > 1e-3 * AGREEMENT) {
    const double middle = (low + high) / 2;
    *(stable(p, from.a + middle * da, from.b + middle * db) ? &low : &high) = middle;
  }
  return low;
}

static double published(int matrix, double b)
{
  if (matrix == J1) return 2 * b + 4;
  return matrix == J3 ? 4 - 2 * b : b;
}

/* Prints, beside the paper's, the stability limits of the method for q'' = −a q − b q' with one kind of Jacobian (index `matrix`): the limits
 * of a for some values of b, and that of b for a = 0. Returns the largest difference from the paper's limits, infinity if one of them is finite
 * and the other not. */
static double print_limits(struct probe *p, int matrix)
{
  double most = 0;
  for (int i = 0; i < SAMPLES; i++) {
    const double b = samples[i], paper = published(matrix, b);
    const double ours = limit(p, (struct coefficients){0, b}, 1, 0);
    most = fmax(most, isfinite(ours) ? fabs(ours - paper) : INFINITY);
    printf("%-6s h b = %4.2f     h^2 a <= %10.7f  %10.7f   %s\n", matrices[matrix], b, paper, ours,
           cli_bench_word(fabs(ours - paper) <= AGREEMENT));
  }
  const double ours = limit(p, (struct coefficients){0, 0}, 0, 1);
  if (matrix == J1) {
    printf("%-6s h^2 a = 0         h b <= %10s  %10s   %s\n", matrices[matrix], "no limit",
           isinf(ours) ? "no limit" : "a limit", cli_bench_word(isinf(ours)));
    return isinf(ours) ? most : INFINITY;
  }
  printf("%-6s h^2 a = 0         h b <= %10.7f  %10.7f   %s\n", matrices[matrix], 2.0, ours,
         cli_bench_word(fabs(ours - 2) <= AGREEMENT));
  return fmax(most, isfinite(ours) ? fabs(ours - 2) : INFINITY);
}

/* Prints whether the method is stable for q'' = −a q − b q' with one kind of Jacobian (index `matrix`), for all a and b of a grid of 0 and
 * values from 1e-6 to 1e6. Returns the largest spectral radius of the matrix by which a step multiplies (q, q'). */
static double print_largest_radius(struct probe *p, int matrix)
{
  double most = 0;
  for (int i = -25; i <= 24; i++) {
    for (int k = -25; k <= 24; k++) {
      const double a = i < -24 ? 0 : pow(10, i / 4.0), b = k < -24 ? 0 : pow(10, k / 4.0);
      const double radius = spectral_radius(p, a, b);
      if (!(radius <= most)) most = radius;
    }
  }
  printf("%-6s all a, b up to %.0e      no limit  %10s   %s\n", matrices[matrix], LARGEST,
         most <= LARGEST_RADIUS ? "no limit" : "a limit", cli_bench_word(most <= LARGEST_RADIUS));
  return most;
}

/* ---- the plot: the largest stable imaginary part of an eigenvalue of the equation, times h, for each real part */

struct curves {
  double re[POINTS], im[BOUNDED][POINTS];
};

static void trace(struct probe *p, int matrix, struct curves *c)
{
  for (int i = 0; i < POINTS; i++) {
    const double re = -6 + 6.0 * i / (POINTS - 1);
    const double extra = limit(p, (struct coefficients){re * re, -2 * re}, 1, 0);
    c->re[i] = re;
    c->im[matrix][i] = isfinite(extra) ? sqrt(extra) : NAN;
  }
}

static cmb_status draw(cmb_context *ctx, const struct cli_arguments *a, const struct curves *c)
{
  const struct cli_panel panel = {.title = "Im, upper half",
                                  .curves = {{.name = "none (explicit)", .y = c->im[NONE]},
                                             {.name = "J1", .y = c->im[J1]},
                                             {.name = "J3", .y = c->im[J3]}},
                                  .curve_count = BOUNDED};
  const struct cli_plot plot = {.title =
                                    "Stable below the curve; J2 and exact: in the whole half plane",
                                .abscissa = "Re of h times eigenvalues of q'' = -a q - b q'",
                                .x = c->re,
                                .points = POINTS,
                                .stride = 1,
                                .panels = &panel,
                                .panel_count = 1};
  return cli_bench_draw(ctx, a, &plot);
}

/* ---- all matrices */

/* Finds and prints the stability limits of the method with one kind of Jacobian (index `matrix`). *worst becomes the largest difference
 * from the paper's limits, or, where there should be no limit, the largest spectral radius of a step. Stores the boundary of the stability
 * region for the plot in *c, if there is one. */
static cmb_status run_matrix(cmb_context *ctx, int matrix, double *worst, struct curves *c)
{
  struct probe p;
  create_probe(ctx, matrices[matrix], &p);
  if (p.status == CMB_OK && matrix < BOUNDED) {
    *worst = print_limits(&p, matrix);
    trace(&p, matrix, c);
  } else if (p.status == CMB_OK) {
    *worst = print_largest_radius(&p, matrix);
  }
  cmb_integrator_destroy(p.in);
  return p.status;
}

static void print_verdicts(const double worst[MATRICES])
{
  printf("\n");
  for (int i = 0; i < BOUNDED; i++) {
    char claim[64];
    snprintf(claim, sizeof claim, "%s: limits agree within %.0e", matrices[i], AGREEMENT);
    cli_bench_verdict(claim, worst[i] <= AGREEMENT);
  }
  cli_bench_verdict("J2: stable for all a, b >= 0", worst[J2] <= LARGEST_RADIUS);
  cli_bench_verdict("exact: stable for all a, b >= 0", worst[EXACT] <= LARGEST_RADIUS);
}

static cmb_status run_all(cmb_context *ctx, const struct cli_arguments *a, struct curves *c)
{
  double worst[MATRICES];
  for (int i = 0; i < MATRICES; i++) CMB_TRY(run_matrix(ctx, i, &worst[i], c));
  print_verdicts(worst);
  return draw(ctx, a, c);
}

cmb_status cli_bench_burgermeister_fig1(cmb_context *ctx, const cmb_system *system,
                                        const struct cli_arguments *a)
{
  struct curves *c = calloc(1, sizeof *c);
  (void)system;
  if (!c) return cmb_fail_memory(ctx);
  printf(
      "Burgermeister et al., section 2 and Fig. 1: limits of stability of lie, from its own steps "
      "on\nq'' = -a q - b q'. The paper has none for the explicit method; it is that of "
      "Euler's.\n\n"
      "                                 paper        ours   agrees\n");
  const cmb_status status = run_all(ctx, a, c);
  free(c);
  return status;
}
