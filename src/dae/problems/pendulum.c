/*
 * The bundled problem `pendulum`, in Cartesian coordinates: a point mass m at (x, y) on a massless rod of length l, y upwards.
 *
 *     m q̈ = (0, −m g) − Gᵀ λ,   0 = (x² + y² − l²)/2,   G = (x, y),   γ = ẋ² + ẏ²
 *
 * λ l is the tension of the rod. The switching function is x: it changes sign at the lowest point. Released from rest at the angle
 * φ0 the period is 4 K(sin(φ0/2)) sqrt(l/g), K the complete elliptic integral.
 */
#include "dae/system.h"

#include <math.h>

enum { MASS, LENGTH, GRAVITY, ANGLE, PARAMETERS };

static const cmb_parameter parameters[PARAMETERS] = {
    [MASS] = {"m", 1, 1e-9, 1e9, false, "kg", "mass"},
    [LENGTH] = {"l", 1, 1e-6, 1e6, false, "m", "length of the rod"},
    [GRAVITY] = {"g", 9.81, 0, 1e6, false, "m/s^2", "gravity"},
    [ANGLE] = {"angle", 0.1, -3.2, 3.2, false, "rad",
               "angle to the vertical at the start, at rest"},
};

static const char *const q_names[] = {"x", "y"};
static const char *const v_names[] = {"x'", "y'"};
static const char *const g_names[] = {"length of the rod"};
static const char *const lambda_names[] = {"lambda"};
static const char *const switch_names[] = {"lowest point"};
static const char *const output_names[] = {"angle", "energy"};
static const char *const q_units[] = {"m", "m"};
static const char *const v_units[] = {"m/s", "m/s"};
static const char *const output_units[] = {"rad", "J"};

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const double *par = self, *q = at->q, *v = at->v;
  if (want->M) want->M[0] = want->M[1] = par[MASS];
  if (want->f) want->f[0] = 0, want->f[1] = -par[MASS] * par[GRAVITY];
  if (want->g) want->g[0] = (q[0] * q[0] + q[1] * q[1] - par[LENGTH] * par[LENGTH]) / 2;
  if (want->G) want->G[0] = q[0], want->G[1] = q[1];
  if (want->gt) want->gt[0] = 0;
  if (want->gamma) want->gamma[0] = v[0] * v[0] + v[1] * v[1];
  return CMB_OK;
}

static cmb_status derivative(const void *self, const cmb_point *at, const double *a,
                             const double *lambda, cmb_derivative which, double *J)
{
  const double *v = at->v;
  (void)self;
  if (which == CMB_RESIDUAL_Q) {
    J[0] = lambda[0], J[1] = 0, J[2] = 0, J[3] = lambda[0];
  } else if (which == CMB_RESIDUAL_V) {
    J[0] = J[1] = J[2] = J[3] = 0;
  } else if (which == CMB_VELOCITY_Q) {
    J[0] = v[0], J[1] = v[1];
  } else if (which == CMB_GAMMA_Q) {
    J[0] = a[0], J[1] = a[1];
  } else if (which == CMB_GAMMA_V) {
    J[0] = 2 * v[0], J[1] = 2 * v[1];
  }
  return CMB_OK;
}

static cmb_status switches(const void *self, const cmb_point *at, const double *lambda, double *s)
{
  (void)self, (void)lambda;
  s[0] = at->q[0];
  return CMB_OK;
}

static cmb_status outputs(const void *self, const cmb_point *at, const double *a,
                          const double *lambda, double *out)
{
  const double *par = self, *q = at->q, *v = at->v;
  (void)a, (void)lambda;
  out[0] = atan2(q[0], -q[1]);
  out[1] = par[MASS] * ((v[0] * v[0] + v[1] * v[1]) / 2 + par[GRAVITY] * (q[1] + par[LENGTH]));
  return CMB_OK;
}

static cmb_status build(cmb_system *system, const double *values)
{
  double *par = cmb_arena_doubles(system->arena, PARAMETERS);
  double *q = cmb_arena_doubles(system->arena, 2), *v = cmb_arena_doubles(system->arena, 2);
  if (!par || !q || !v) return CMB_OK;
  for (int i = 0; i < PARAMETERS; i++) par[i] = values[i];
  q[0] = par[LENGTH] * sin(par[ANGLE]);
  q[1] = -par[LENGTH] * cos(par[ANGLE]);
  system->q = q;
  system->v = v;
  system->t_end = 10;
  system->eq.nq = system->eq.nv = 2;
  system->eq.ng = system->eq.ns = 1;
  system->eq.no = 2;
  system->eq.q_names = q_names;
  system->eq.v_names = v_names;
  system->eq.g_names = g_names;
  system->eq.lambda_names = lambda_names;
  system->eq.switch_names = switch_names;
  system->eq.output_names = output_names;
  system->eq.q_units = q_units;
  system->eq.v_units = v_units;
  system->eq.output_units = output_units;
  system->eq.mass_constant = system->eq.mass_diagonal = true;
  system->eq.self = par;
  system->eq.evaluate = evaluate;
  system->eq.derivative = derivative;
  system->eq.switches = switches;
  system->eq.outputs = outputs;
  return CMB_OK;
}

const cmb_problem cmb_problem_pendulum = {
    "pendulum", "point mass on a rod, Cartesian coordinates, index 3", NULL, parameters, PARAMETERS,
    build};
