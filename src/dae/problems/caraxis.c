/*
 * The car axis (seed 002, IVP Test Set): two point masses, a rigid bar of length L between them, springs
 * to the wheels; the left wheel rests at the origin, the right one (xb, yb) rolls over a bump.
 *
 *     K p'' = f(t,p) + φ_pᵀ λ,   0 = φ(t,p),   K = ε² m/2 I,   p = (xl, yl, xr, yr)
 *     φ1 = xl xb + yl yb                       the left spring stands square to the axis
 *     φ2 = (xl − xr)² + (yl − yr)² − L²         the bar
 *     xb = sqrt(L² − yb²),  yb = h sin ω t
 *
 * Our equations subtract Gᵀλ, so g = −φ: then λ is the paper's, in sign and scaling (II.17.2).
 */
#include "dae/system.h"

#include <math.h>

enum { BAR_LENGTH, SPRING_LENGTH, EPSILON, BUMP, OMEGA, MASS, PARAMETERS };

static const cmb_parameter parameters[PARAMETERS] = {
    [BAR_LENGTH] = {"L", 1, 1e-6, 1e6, false, "m", "length of the axis and of the bar"},
    [SPRING_LENGTH] = {"L0", 0.5, 1e-6, 1e6, false, "m", "length of the springs at rest"},
    [EPSILON] = {"epsilon", 1e-2, 1e-6, 1e3, false, "",
                 "1/epsilon^2 is the stiffness of the springs"},
    [BUMP] = {"h", 0.1, 0, 1e6, false, "m", "height of the bump"},
    [OMEGA] = {"omega", 10, 0, 1e6, false, "rad/s", "bumps come at this frequency"},
    [MASS] = {"M", 10, 1e-9, 1e9, false, "kg", "mass of the bar"},
};

static const char *const q_names[] = {"xl", "yl", "xr", "yr"};
static const char *const v_names[] = {"xl'", "yl'", "xr'", "yr'"};
static const char *const g_names[] = {"left spring square to the axis", "length of the bar"};
static const char *const lambda_names[] = {"lambda1", "lambda2"};

/* The right wheel and its first two time derivatives. */
struct wheel {
  double x, y, x1, y1, x2, y2;
};

static struct wheel compute_wheel(const double *par, double t)
{
  double L = par[BAR_LENGTH], h = par[BUMP], omega = par[OMEGA];
  struct wheel b;
  b.y = h * sin(omega * t);
  b.x = sqrt(L * L - b.y * b.y);
  b.y1 = h * omega * cos(omega * t);
  b.x1 = -b.y * b.y1 / b.x;
  b.y2 = -omega * omega * b.y;
  b.x2 = -(b.y1 * b.y1 + b.y * b.y2 + b.x1 * b.x1) / b.x;
  return b;
}

/* The wheel for the time it was last asked for: a step's last evaluations are all at one time. */
struct memory {
  bool known;
  double t;
  struct wheel wheel;
};

static const struct wheel *wheel_at(const double *par, const cmb_point *at)
{
  struct memory *last = at->scratch;
  if (!last->known || last->t != at->t) {
    *last = (struct memory){true, at->t, compute_wheel(par, at->t)};
  }
  return &last->wheel;
}

static void forces(const double *par, const struct wheel *b, const double *q, double *f)
{
  double L0 = par[SPRING_LENGTH], weight = par[EPSILON] * par[EPSILON] * par[MASS] / 2;
  double xr = q[2] - b->x, yr = q[3] - b->y;
  double left = L0 / sqrt(q[0] * q[0] + q[1] * q[1]) - 1; /* (L0 − Ll)/Ll */
  double right = L0 / sqrt(xr * xr + yr * yr) - 1;
  f[0] = left * q[0];
  f[1] = left * q[1] - weight;
  f[2] = right * xr;
  f[3] = right * yr - weight;
}

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const double *par = self, *q = at->q, *v = at->v;
  const struct wheel *b = wheel_at(par, at);
  double dx = q[0] - q[2], dy = q[1] - q[3];
  if (want->M) {
    for (int i = 0; i < 4; i++) want->M[i] = par[EPSILON] * par[EPSILON] * par[MASS] / 2;
  }
  if (want->f) forces(par, b, q, want->f);
  if (want->g) {
    want->g[0] = -(q[0] * b->x + q[1] * b->y);
    want->g[1] = -(dx * dx + dy * dy - par[BAR_LENGTH] * par[BAR_LENGTH]);
  }
  if (want->G) {
    double *G = want->G;
    G[0] = -b->x, G[1] = -b->y, G[2] = 0, G[3] = 0;
    G[4] = -2 * dx, G[5] = -2 * dy, G[6] = 2 * dx, G[7] = 2 * dy;
  }
  if (want->gt) {
    want->gt[0] = -(q[0] * b->x1 + q[1] * b->y1);
    want->gt[1] = 0;
  }
  if (want->gamma) {
    double dvx = v[0] - v[2], dvy = v[1] - v[3];
    want->gamma[0] = -(2 * (v[0] * b->x1 + v[1] * b->y1) + q[0] * b->x2 + q[1] * b->y2);
    want->gamma[1] = -2 * (dvx * dvx + dvy * dvy);
  }
  return CMB_OK;
}

static cmb_status build(cmb_system *system, const double *values)
{
  double *par = cmb_arena_doubles(system->arena, PARAMETERS);
  double *q = cmb_arena_doubles(system->arena, 4), *v = cmb_arena_doubles(system->arena, 4);
  if (!par || !q || !v) return CMB_OK;
  for (int i = 0; i < PARAMETERS; i++) par[i] = values[i];
  double L0 = par[SPRING_LENGTH], L = par[BAR_LENGTH];
  q[0] = 0, q[1] = L0, q[2] = L, q[3] = L0;
  v[0] = v[2] = -L0 / L * par[OMEGA] * par[BUMP];
  system->q = q;
  system->v = v;
  system->t_end = 3;
  system->eq.nq = system->eq.nv = 4;
  system->eq.ng = 2;
  system->eq.q_names = q_names;
  system->eq.v_names = v_names;
  system->eq.g_names = g_names;
  system->eq.lambda_names = lambda_names;
  system->eq.mass_constant = system->eq.mass_diagonal = true;
  system->eq.self = par;
  system->eq.scratch_size = sizeof(struct memory);
  system->eq.evaluate = evaluate;
  return CMB_OK;
}

const cmb_problem cmb_problem_caraxis = {
    "caraxis", "car axis on a bumpy road, index 3 (IVP Test Set)", parameters, PARAMETERS, build};
