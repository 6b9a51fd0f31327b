/*
 * The bundled problem `circular-track` (Burgermeister, Arnold and Esterl 2006 §4.1): a point mass held at distance 1 from the
 * centre by a constraint, its speed held by a PI controller that pushes along the track, while a force pushes it outwards.
 *
 *     m ẍ = F_PI τ + F_R n − Gᵀ λ,   0 = x1² + x2² − 1,   n = x/|x|,  τ = (−x2, x1)/|x|
 *     F_PI = kp (s − ṙ) + ki (s t − r),   ṙ = τᵀ ẋ       r: distance along the track, s: desired speed
 *
 * The integral term needs the distance r as a third coordinate. It has no velocity: T(q) = [I; τᵀ]. The paper does not give the
 * gains. With m = 1, kp = 10 and ki = 25 the controlled speed is critically damped, and from rest r = s t (1 − exp(−5 t)) exactly,
 * which the tests use.
 *
 * Derivatives: ∂n/∂x = τ τᵀ/|x|, ∂τ/∂x = −n τᵀ/|x|, so that with f the force without Gᵀ λ
 *
 *     ∂f/∂x = ((kp nᵀẋ + F_R) τ − F_PI n) τᵀ/|x|,   ∂f/∂r = −ki τ,   ∂f/∂ẋ = −kp τ τᵀ
 */
#include "dae/system.h"

#include <math.h>

enum { MASS, SPEED, GAIN_P, GAIN_I, OUTWARD, PARAMETERS };

static const cmb_parameter parameters[PARAMETERS] = {
    [MASS] = {"m", 1, 1e-9, 1e9, false, "kg", "mass"},
    [SPEED] = {"speed", 1, -1e3, 1e3, false, "m/s", "wanted speed"},
    [GAIN_P] = {"kp", 10, 0, 1e9, false, "N s/m", "proportional gain on the speed"},
    [GAIN_I] = {"ki", 25, 0, 1e9, false, "N/m", "integral gain"},
    [OUTWARD] = {"outward", 10, -1e9, 1e9, false, "N", "force away from the centre"},
};

static const char *const q_names[] = {"x1", "x2", "way"};
static const char *const v_names[] = {"x1'", "x2'"};
static const char *const g_names[] = {"distance from the centre"};
static const char *const lambda_names[] = {"lambda"};
static const char *const output_names[] = {"radius", "speed"};
static const char *const q_units[] = {"m", "m", "m"};
static const char *const v_units[] = {"m/s", "m/s"};
static const char *const output_units[] = {"m", "m/s"};

static double speed_along(const double *q, const double *v)
{
  return (q[0] * v[1] - q[1] * v[0]) / hypot(q[0], q[1]);
}

static void rates(const void *self, const double *q, const double *v, double *qdot)
{
  (void)self;
  qdot[0] = v[0];
  qdot[1] = v[1];
  qdot[2] = speed_along(q, v);
}

/* Returns the force of the PI controller along the track, F_PI = kp (s − ṙ) + ki (s t − r), with the desired speed s and the
 * distance r travelled along the track. */
static double push_along(const double *par, const cmb_point *at)
{
  return par[GAIN_P] * (par[SPEED] - speed_along(at->q, at->v)) +
         par[GAIN_I] * (par[SPEED] * at->t - at->q[2]);
}

static void forces(const double *par, const cmb_point *at, double *f)
{
  const double *q = at->q;
  double r = hypot(q[0], q[1]), n[2] = {q[0] / r, q[1] / r}, push = push_along(par, at);
  f[0] = -push * n[1] + par[OUTWARD] * n[0];
  f[1] = push * n[0] + par[OUTWARD] * n[1];
}

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const double *par = self, *q = at->q, *v = at->v;
  if (want->M) want->M[0] = want->M[1] = par[MASS];
  if (want->f) forces(par, at, want->f);
  if (want->g) want->g[0] = q[0] * q[0] + q[1] * q[1] - 1;
  if (want->G) want->G[0] = 2 * q[0], want->G[1] = 2 * q[1];
  if (want->gt) want->gt[0] = 0;
  if (want->gamma) want->gamma[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
  return CMB_OK;
}

static void residual_by_q(const double *par, const cmb_point *at, double lambda, double *J)
{
  const double *q = at->q, *v = at->v;
  double r = hypot(q[0], q[1]), n[2] = {q[0] / r, q[1] / r}, tau[2] = {-n[1], n[0]};
  double push = push_along(par, at);
  double turn = par[GAIN_P] * (n[0] * v[0] + n[1] * v[1]) + par[OUTWARD];
  for (int i = 0; i < 2; i++) {
    double c = (push * n[i] - turn * tau[i]) / r;
    J[3 * i] = c * tau[0];
    J[3 * i + 1] = c * tau[1];
    J[3 * i + 2] = par[GAIN_I] * tau[i];
    J[3 * i + i] += 2 * lambda;
  }
}

static void residual_by_v(const double *par, const double *q, double *J)
{
  double c = par[GAIN_P] / (q[0] * q[0] + q[1] * q[1]);
  J[0] = c * q[1] * q[1];
  J[1] = J[2] = -c * q[0] * q[1];
  J[3] = c * q[0] * q[0];
}

static cmb_status derivative(const void *self, const cmb_point *at, const double *a,
                             const double *lambda, cmb_derivative which, double *J)
{
  const double *v = at->v;
  if (which == CMB_RESIDUAL_Q) {
    residual_by_q(self, at, lambda[0], J);
  } else if (which == CMB_RESIDUAL_V) {
    residual_by_v(self, at->q, J);
  } else if (which == CMB_VELOCITY_Q) {
    J[0] = 2 * v[0], J[1] = 2 * v[1], J[2] = 0;
  } else if (which == CMB_GAMMA_Q) {
    J[0] = 2 * a[0], J[1] = 2 * a[1], J[2] = 0;
  } else if (which == CMB_GAMMA_V) {
    J[0] = 4 * v[0], J[1] = 4 * v[1];
  }
  return CMB_OK;
}

static cmb_status outputs(const void *self, const cmb_point *at, const double *a,
                          const double *lambda, double *out)
{
  (void)self, (void)a, (void)lambda;
  out[0] = hypot(at->q[0], at->q[1]);
  out[1] = speed_along(at->q, at->v);
  return CMB_OK;
}

static cmb_status build(cmb_system *system, const double *values)
{
  double *par = cmb_arena_doubles(system->arena, PARAMETERS);
  double *q = cmb_arena_doubles(system->arena, 3), *v = cmb_arena_doubles(system->arena, 2);
  if (!par || !q || !v) return CMB_OK;
  for (int i = 0; i < PARAMETERS; i++) par[i] = values[i];
  q[0] = 1;
  system->q = q;
  system->v = v;
  system->t_end = 10;
  system->eq.nq = 3;
  system->eq.nv = system->eq.no = 2;
  system->eq.ng = 1;
  system->eq.q_names = q_names;
  system->eq.v_names = v_names;
  system->eq.g_names = g_names;
  system->eq.lambda_names = lambda_names;
  system->eq.output_names = output_names;
  system->eq.q_units = q_units;
  system->eq.v_units = v_units;
  system->eq.output_units = output_units;
  system->eq.mass_constant = system->eq.mass_diagonal = true;
  system->eq.self = par;
  system->eq.evaluate = evaluate;
  system->eq.derivative = derivative;
  system->eq.rates = rates;
  system->eq.outputs = outputs;
  return CMB_OK;
}

const cmb_problem cmb_problem_circular_track = {
    "circular-track",   "point mass on a circle, speed held by a PI controller",
    "controlled-track", parameters,
    PARAMETERS,         build};
