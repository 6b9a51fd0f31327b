/*
 * The chain of mathematical pendulums (seed 001 §4.2.1) in joint angles, without constraints: N point masses
 * hang on N massless rods from a suspension that moves slowly. α_i is the angle of rod i to the vertical.
 *
 *     x_k = x_s + l Σ_{j≤k} sin α_j,   y_k = y_s − l Σ_{j≤k} cos α_j
 *     x_s = 2 + 0.3 sin ω t,  y_s = 0.2 sin ω t,  ω = 0.05
 *
 * The mass at the suspension itself (the paper counts N + 1) is driven and has no equation. Residual in
 * O(N) operations: accelerations of the masses down the chain, sums of m (ẍ, ÿ + g) back up,
 *     r_i = l cos α_i Σ_{k≥i} m ẍ_k + l sin α_i Σ_{k≥i} m (ÿ_k + g).
 * Mass matrix and forces written out for the methods that want them:
 *     M_ij = m l² (N − max(i,j)) cos(α_i − α_j)
 */
#include "dae/system.h"

#include <math.h>
#include <stdio.h>

enum { COUNT, MASS, LENGTH, GRAVITY, OMEGA, SHIFT_X, SHIFT_Y, PARAMETERS };
enum { MOST_LINKS = 1000, NAME_ROOM = 24 };

static const cmb_parameter parameters[PARAMETERS] = {
    [COUNT] = {"N", 12, 1, MOST_LINKS, true, "", "number of rods"},
    [MASS] = {"m", 1, 1e-9, 1e9, false, "kg", "each mass"},
    [LENGTH] = {"l", 1, 1e-6, 1e6, false, "m", "length of each rod"},
    [GRAVITY] = {"g", 9.81, 0, 1e6, false, "m/s^2", "gravity"},
    [OMEGA] = {"omega", 0.05, 0, 1e6, false, "rad/s", "frequency of the suspension"},
    [SHIFT_X] = {"shift_x", 0.3, -1e6, 1e6, false, "m", "amplitude of the suspension in x"},
    [SHIFT_Y] = {"shift_y", 0.2, -1e6, 1e6, false, "m", "amplitude of the suspension in y"},
};

static const char *const output_names[] = {"tip_x", "tip_y"};

/* Second time derivative of the suspension, (ẍ_s, ÿ_s + g). */
static void suspension(const double *par, double t, double a[2])
{
  double s = -par[OMEGA] * par[OMEGA] * sin(par[OMEGA] * t);
  a[0] = par[SHIFT_X] * s;
  a[1] = par[SHIFT_Y] * s + par[GRAVITY];
}

static void mass_matrix(const double *par, int n, const double *q, double *M)
{
  double ml2 = par[MASS] * par[LENGTH] * par[LENGTH];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      M[i * n + j] = M[j * n + i] = ml2 * (n - i) * cos(q[i] - q[j]);
    }
  }
}

static cmb_status residual(const void *self, const cmb_point *at, const double *a,
                           const double *lambda, double *r)
{
  const double *par = self, *q = at->q, *v = at->v;
  const int n = (int)par[COUNT];
  const double m = par[MASS], l = par[LENGTH];
  double *x2 = at->scratch, *y2 = x2 + n, top[2];
  (void)lambda;
  suspension(par, at->t, top);
  for (int i = 0; i < n; i++) { /* accelerations of the masses, down the chain */
    double s = sin(q[i]), c = cos(q[i]), centripetal = v[i] * v[i];
    x2[i] = (i ? x2[i - 1] : top[0]) + l * (c * a[i] - s * centripetal);
    y2[i] = (i ? y2[i - 1] : top[1]) + l * (s * a[i] + c * centripetal);
  }
  double fx = 0, fy = 0;
  for (int i = n - 1; i >= 0; i--) { /* inertia forces, back up */
    fx += m * x2[i];
    fy += m * y2[i];
    r[i] = l * (cos(q[i]) * fx + sin(q[i]) * fy);
  }
  return CMB_OK;
}

/* f = −r at zero acceleration. */
static cmb_status forces(const void *self, const cmb_point *at, double *f)
{
  const double *par = self;
  const int n = (int)par[COUNT];
  double *zero = (double *)at->scratch + 2 * n;
  for (int i = 0; i < n; i++) zero[i] = 0;
  CMB_TRY(residual(self, at, zero, NULL, f));
  for (int i = 0; i < n; i++) f[i] = -f[i];
  return CMB_OK;
}

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const double *par = self;
  if (want->M) mass_matrix(par, (int)par[COUNT], at->q, want->M);
  return want->f ? forces(self, at, want->f) : CMB_OK;
}

static cmb_status outputs(const void *self, const cmb_point *at, const double *a,
                          const double *lambda, double *out)
{
  const double *par = self;
  (void)a, (void)lambda;
  out[0] = 2 + par[SHIFT_X] * sin(par[OMEGA] * at->t);
  out[1] = par[SHIFT_Y] * sin(par[OMEGA] * at->t);
  for (int i = 0; i < (int)par[COUNT]; i++) {
    out[0] += par[LENGTH] * sin(at->q[i]);
    out[1] -= par[LENGTH] * cos(at->q[i]);
  }
  return CMB_OK;
}

/* "alpha1", "alpha2", ... with a suffix. */
static const char *const *angle_names(cmb_arena *arena, int n, const char *suffix)
{
  const char **names = cmb_arena_take(arena, (size_t)n, sizeof *names);
  for (int i = 0; i < n && names; i++) {
    char *name = cmb_arena_take(arena, NAME_ROOM, 1);
    if (!name) return NULL;
    snprintf(name, NAME_ROOM, "alpha%d%s", i + 1, suffix);
    names[i] = name;
  }
  return names;
}

static cmb_status build(cmb_system *system, const double *values)
{
  const int n = (int)values[COUNT];
  double *par = cmb_arena_doubles(system->arena, PARAMETERS);
  if (!par) return CMB_OK;
  for (int i = 0; i < PARAMETERS; i++) par[i] = values[i];
  system->q = cmb_arena_doubles(system->arena, n); /* hanging straight down, at rest */
  system->v = cmb_arena_doubles(system->arena, n);
  system->t_end = 200;
  system->eq.nq = system->eq.nv = n;
  system->eq.no = 2;
  system->eq.q_names = angle_names(system->arena, n, "");
  system->eq.v_names = angle_names(system->arena, n, "'");
  system->eq.output_names = output_names;
  system->eq.self = par;
  system->eq.scratch_size = 3 * (size_t)n * sizeof(double);
  system->eq.evaluate = evaluate;
  system->eq.residual = residual;
  system->eq.outputs = outputs;
  return CMB_OK;
}

const cmb_problem cmb_problem_pendulum_chain = {
    "pendulum-chain", "N pendulums hanging from one another, joint angles, O(N) residual",
    parameters, PARAMETERS, build};
