/*
 * The bundled problem `pendulum-chain` (Arnold, Fuchs and Führer 2006 §4.2.1) in joint angles, without constraints: N point masses hang on
 * N massless rods from a suspension that moves slowly. α_i is the angle of rod i to the vertical, i = 0 .. N − 1.
 *
 *     x_k = x_s + l Σ_{j≤k} sin α_j,   y_k = y_s − l Σ_{j≤k} cos α_j
 *     x_s = 2 + 0.3 sin ω t,  y_s = 0.2 sin ω t,  ω = 0.05
 *
 * The mass at the suspension itself (the paper counts N + 1) is driven and has no equation. Residual in O(N) operations:
 * accelerations of the masses down the chain, sums of m (ẍ, ÿ + g) back up,
 *
 *     r_i = l cos α_i Σ_{k≥i} m ẍ_k + l sin α_i Σ_{k≥i} m (ÿ_k + g).
 *
 * Mass matrix and forces for the methods that need them:
 *
 *     M_ij = m l² (N − max(i,j)) cos(α_i − α_j)
 *
 * The inputs are (ẍ_s, ÿ_s). With d_j = cos α_j a_j − sin α_j v_j² and e_j = sin α_j a_j + cos α_j v_j²
 *
 *     ∂r_i/∂α_j = m l² (N − max(i,j)) (sin α_i d_j − cos α_i e_j), and for i = j also r_i with α_i + π/2 for α_i
 *     ∂r_i/∂v_j = m l² (N − max(i,j)) (sin α_i 2 v_j cos α_j − cos α_i 2 v_j sin α_j)
 *     ∂r_i/∂u   = m l (N − i) (cos α_i, sin α_i)
 */
#include "dae/system.h"

#include <math.h>
#include <stddef.h>
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
static const char *const output_units[] = {"m", "m"};
static const char *const u_names[] = {"suspension_ax", "suspension_ay"};

/* Computes the inputs u = (ẍ_s, ÿ_s), the accelerations of the point from which the chain is suspended, at the point's time. */
static cmb_status inputs(const void *self, const cmb_point *at, double *u)
{
  const double *par = self;
  double s = -par[OMEGA] * par[OMEGA] * sin(par[OMEGA] * at->t);
  u[0] = par[SHIFT_X] * s;
  u[1] = par[SHIFT_Y] * s;
  return CMB_OK;
}

/* Contents of the scratch memory; N zeros follow. */
struct chain {
  double *s, *c;   /* (N) sines and cosines */
  double *x2, *y2; /* (N) accelerations of the masses minus that of gravity; or x, y of fill_row */
};

static struct chain chain_at(const double *par, const cmb_point *at)
{
  const int n = (int)par[COUNT];
  double *w = at->scratch;
  struct chain k = {w, w + n, w + 2 * n, w + 3 * n};
  for (int i = 0; i < n; i++) {
    const double angle = at->q[i]; /* read once, so that one call computes both */
    k.s[i] = sin(angle);
    k.c[i] = cos(angle);
  }
  return k;
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
  const double *par = self, *v = at->v;
  const int n = (int)par[COUNT];
  const double m = par[MASS], l = par[LENGTH];
  struct chain k = chain_at(par, at);
  double top[2];
  (void)lambda;
  CMB_TRY(inputs(self, at, top));
  top[1] += par[GRAVITY];
  for (int i = 0; i < n; i++) { /* accelerations of the masses, down the chain */
    double s = k.s[i], c = k.c[i], centripetal = v[i] * v[i];
    k.x2[i] = (i ? k.x2[i - 1] : top[0]) + l * (c * a[i] - s * centripetal);
    k.y2[i] = (i ? k.y2[i - 1] : top[1]) + l * (s * a[i] + c * centripetal);
  }
  double fx = 0, fy = 0;
  for (int i = n - 1; i >= 0; i--) { /* inertia forces, back up */
    fx += m * k.x2[i];
    fy += m * k.y2[i];
    r[i] = l * (k.c[i] * fx + k.s[i] * fy);
  }
  return CMB_OK;
}

/* Computes row i of the dense N x N derivative J_ij = m l² (N − max(i, j)) (sin α_i x_j − cos α_i y_j) for a chain of N rods of length l at the
 * angles α with masses m. x and y are k->x2 and k->y2, whose entries i are multiplied by m l² (N − i) for the rows above; so the rows must be
 * computed from the last to the first. */
static void fill_row(const double *par, const struct chain *k, int i, double *J)
{
  const int n = (int)par[COUNT];
  const double weight = par[MASS] * par[LENGTH] * par[LENGTH] * (n - i);
  const double s = k->s[i], c = k->c[i], ws = weight * s, wc = weight * c;
  double *x = k->x2, *y = k->y2, *row = J + (ptrdiff_t)i * n;
  for (int j = 0; j <= i; j++) row[j] = ws * x[j] - wc * y[j];
  for (int j = i + 1; j < n; j++) row[j] = s * x[j] - c * y[j];
  x[i] *= weight;
  y[i] *= weight;
}

static void residual_by_q(const double *par, const cmb_point *at, const double *a, double *J)
{
  const int n = (int)par[COUNT];
  const double m = par[MASS], l = par[LENGTH], *v = at->v;
  struct chain k = chain_at(par, at);
  double *d = k.x2, *e = k.y2, tip[2], fx = 0, fy = 0;
  (void)inputs(par, at, tip);
  tip[1] += par[GRAVITY];
  for (int i = 0; i < n; i++) {
    d[i] = k.c[i] * a[i] - k.s[i] * v[i] * v[i];
    e[i] = k.s[i] * a[i] + k.c[i] * v[i] * v[i];
    tip[0] += l * d[i];
    tip[1] += l * e[i];
  }
  for (int i = n - 1; i >= 0; i--) { /* inertia forces, back up */
    fx += m * tip[0];
    fy += m * tip[1];
    tip[0] -= l * d[i];
    tip[1] -= l * e[i];
    fill_row(par, &k, i, J);
    J[i * n + i] += l * (k.c[i] * fy - k.s[i] * fx);
  }
}

static void residual_by_v(const double *par, const cmb_point *at, double *J)
{
  const int n = (int)par[COUNT];
  struct chain k = chain_at(par, at);
  for (int i = 0; i < n; i++) {
    k.x2[i] = 2 * at->v[i] * k.c[i];
    k.y2[i] = 2 * at->v[i] * k.s[i];
  }
  for (int i = n - 1; i >= 0; i--) fill_row(par, &k, i, J);
}

static void residual_by_u(const double *par, const cmb_point *at, double *J)
{
  const int n = (int)par[COUNT];
  struct chain k = chain_at(par, at);
  for (int i = 0; i < n; i++) {
    double ml = par[MASS] * par[LENGTH] * (n - i);
    J[2 * i] = ml * k.c[i];
    J[2 * i + 1] = ml * k.s[i];
  }
}

/* Computes the derivative of the residual with respect to the positions, the velocities or the inputs, as `which` says, into J.
 * Writes nothing for other derivatives, since the chain has no constraints. */
static cmb_status derivative(const void *self, const cmb_point *at, const double *a,
                             const double *lambda, cmb_derivative which, double *J)
{
  (void)lambda;
  if (which == CMB_RESIDUAL_Q) residual_by_q(self, at, a, J);
  if (which == CMB_RESIDUAL_V) residual_by_v(self, at, J);
  if (which == CMB_RESIDUAL_U) residual_by_u(self, at, J);
  return CMB_OK;
}

/* Computes the applied forces f (N) at a point, which are minus the residual r at zero accelerations. */
static cmb_status forces(const void *self, const cmb_point *at, double *f)
{
  const double *par = self;
  const int n = (int)par[COUNT];
  const double *zero = (const double *)at->scratch + 4 * n; /* never written */
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

/* Returns the names "alpha1", "alpha2", ... with a suffix. */
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
  system->eq.no = system->eq.nu = 2;
  system->eq.q_names = angle_names(system->arena, n, "");
  system->eq.v_names = angle_names(system->arena, n, "'");
  system->eq.output_names = output_names;
  system->eq.output_units = output_units;
  system->eq.u_names = u_names;
  system->eq.self = par;
  system->eq.scratch_size = 5 * (size_t)n * sizeof(double);
  system->eq.evaluate = evaluate;
  system->eq.residual = residual;
  system->eq.derivative = derivative;
  system->eq.inputs = inputs;
  system->eq.outputs = outputs;
  return CMB_OK;
}

const cmb_problem cmb_problem_pendulum_chain = {
    "pendulum-chain", "N pendulums hanging from one another, joint angles, O(N) residual",
    "chain",          parameters,
    PARAMETERS,       build};
