/*
 * The method `mdop5` of the integrator (Simeon 1996 §4.2): the explicit Runge–Kutta method of Dormand and Prince of order 5(4) with
 * projection, dense output of order 4.
 *
 * The error estimate is ‖y_1 − ŷ_1‖ with the fourth-order ŷ_1 = y_0 + h Σ a_8j k_j; y_1 is the projected value, as in the paper, so the
 * displacement by the projection is part of it. Positions and velocities are tested separately. Dense output (Hairer, Nørsett, Wanner):
 * with θ = (t − t_0)/h,
 *
 *     y(θ) = r_0 + θ (r_1 + (1−θ)(r_2 + θ (r_3 + (1−θ) r_4))).
 */
#include "method/mdop.h"

#include <string.h>

/* clang-format off */
static const double c[6] = {0, 1.0/5, 3.0/10, 4.0/5, 8.0/9, 1};
static const double a[6][6] = {
  {1.0/5},
  {3.0/40, 9.0/40},
  {44.0/45, -56.0/15, 32.0/9},
  {19372.0/6561, -25360.0/2187, 64448.0/6561, -212.0/729},
  {9017.0/3168, -355.0/33, 46732.0/5247, 49.0/176, -5103.0/18656},
  {35.0/384, 0, 500.0/1113, 125.0/192, -2187.0/6784, 11.0/84},
};
static const double e[7] = { /* a_7j − a_8j */
  71.0/57600, 0, -71.0/16695, 71.0/1920, -17253.0/339200, 22.0/525, -1.0/40};
static const double d[7] = {
  -12715105075.0/11282082432.0, 0, 87487479700.0/32700410799.0, -10690763975.0/1880347072.0,
  701980252875.0/199316789632.0, -1453857185.0/822651844.0, 69997945.0/29380423.0};
/* clang-format on */

static double error_of(const cmb_integrator *in, double h)
{
  const cmb_mdop *m = in->data;
  double *x = m->work;
  cmb_displacement(in, m->y_plain, x);
  cmb_combine(in->n, x, h, 7, e, m->k, x);
  double worst = cmb_separate_weak_error(in, x, NULL);
  worst = cmb_larger_error(worst, cmb_error_norm(in, 0, in->nq, x));
  return cmb_larger_error(worst, cmb_error_norm(in, in->nq, in->n, x));
}

static void dense(cmb_integrator *in)
{
  const cmb_mdop *m = in->data;
  const double h = in->h_taken, *y0 = in->y_before, *y1 = in->y;
  for (int i = 0; i < in->n; i++) {
    m->r[0][i] = y0[i];
    m->r[1][i] = y1[i] - y0[i];
    m->r[2][i] = h * m->k[0][i] - m->r[1][i];
    m->r[3][i] = m->r[1][i] - h * m->k[6][i] - m->r[2][i];
    m->r[4][i] = 0;
  }
  cmb_combine(in->n, m->r[4], h, 7, d, m->k, m->r[4]);
}

static void interpolate(const cmb_integrator *in, double theta, double *y)
{
  const cmb_mdop *m = in->data;
  const double s = theta, s1 = 1 - theta;
  for (int i = 0; i < in->n; i++) {
    y[i] = m->r[0][i] + s * (m->r[1][i] + s1 * (m->r[2][i] + s * (m->r[3][i] + s1 * m->r[4][i])));
  }
}

static const cmb_mdop_table table = {
    .stages = 6, .c = c, .a = a[0], .dense_vectors = 5, .error = error_of, .dense = dense};

static cmb_status create(cmb_integrator *in)
{
  return cmb_mdop_create(in, &table);
}

static const cmb_option options[] = {CMB_OPTION_PROJECTION, CMB_OPTION_MDOP_FORM, CMB_OPTION_STEPS};

/* The step-size controller with the constants of DOPRI5 (Hairer, Nørsett, Wanner). */
static const cmb_controller control = {
    .kind = CMB_CONTROLLER_PI,
    CMB_CONTROLLER_PI_ORDER(5, 0.04),
    .safety = 0.9,
    .shrink = 0.2,
    .grow = 10,
    .failed = 0.25,
};

const cmb_method cmb_method_mdop5 = {
    .name = "mdop5",
    .passes_singular = true,
    .title = "Dormand-Prince 5(4) on the index-1 form with projection (Simeon)",
    .order = 5,
    .control = &control,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .ends_with_slope = true,
    .stability = 3.25,
    .create = create,
    .begin = cmb_mdop_begin,
    .attempt = cmb_mdop_attempt,
    .accept = cmb_mdop_accept,
    .densify = cmb_mdop_densify,
    .visit = cmb_mdop_visit,
    .nodes = c + 2, /* the second stage has no weight */
    .node_count = sizeof c / sizeof *c - 2,
    .node_position = cmb_mdop_node_position,
    .dense_degree = 4,
    .interpolate = interpolate,
};
