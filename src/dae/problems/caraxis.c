/*
 * The bundled problem `caraxis`, the car axis (IVP Test Set): two point masses, a rigid bar of length L between them, springs to
 * the wheels; the left wheel is fixed at the origin, the right one (xb, yb) rolls over a bump.
 *
 *     K p'' = f(t,p) + φ_pᵀ λ,   0 = φ(t,p),   K = ε² m/2 I,   p = (xl, yl, xr, yr)
 *     φ1 = xl xb + yl yb                       the left spring is perpendicular to the axis
 *     φ2 = (xl − xr)² + (yl − yr)² − L²         the bar
 *     xb = sqrt(L² − yb²),  yb = h sin ω t
 *
 * Camber's equations subtract Gᵀλ, so g = −φ: then λ is the paper's, in sign and scaling (II.17.2).
 *
 * A spring of length ℓ along p pushes with (L0/ℓ − 1) p, whose derivative is (L0/ℓ − 1) I − L0/ℓ³ p pᵀ.
 */
#include "dae/system.h"
#include "expr/sine_code.h"
#include "expr/table_code.h"

#include <math.h>

/* the sine and cosine used by formulas of model files */
CMB_TURN_CODE(CMB_CODE_COMPILED)
CMB_SINE_CODE(CMB_CODE_COMPILED)
CMB_COSINE_CODE(CMB_CODE_COMPILED)

enum { BAR_LENGTH, SPRING_LENGTH, EPSILON, BUMP, OMEGA, MASS, PARAMETERS };

/* POINT_MASS: ε² m/2, the mass of each point and, as gravity is 1, its weight; stored behind the parameters */
enum { POINT_MASS = PARAMETERS, NUMBERS };

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
static const char *const q_units[] = {"m", "m", "m", "m"};
static const char *const v_units[] = {"m/s", "m/s", "m/s", "m/s"};

static const int no_starts[] = {0, 0, 0, 0, 0}; /* empty pattern: ∂r/∂v = 0 */
static const cmb_pattern no_pattern = {4, 4, no_starts, NULL};

/* Position of the right wheel and its first two time derivatives. */
struct wheel {
  double x, y, x1, y1, x2, y2;
};

static inline struct wheel compute_wheel(const double *par, double t)
{
  double L = par[BAR_LENGTH], h = par[BUMP], omega = par[OMEGA];
  struct wheel b;
  b.y = h * op_sine(omega * t);
  b.x = sqrt(L * L - b.y * b.y);
  b.y1 = h * omega * op_cosine(omega * t);
  b.x1 = -b.y * b.y1 / b.x;
  b.y2 = -omega * omega * b.y;
  b.x2 = -(b.y1 * b.y1 + b.y * b.y2 + b.x1 * b.x1) / b.x;
  return b;
}

/* Cache of the wheel for the times last used: the stages of an implicit method return to the same times. */
enum { REMEMBERED = 4 };

struct memory {
  const struct wheel *last; /* the wheel at t_last; NULL at first */
  double t_last;
  unsigned next;
  double t[REMEMBERED]; /* NaN: empty */
  struct wheel wheel[REMEMBERED];
};

static __attribute__((noinline)) const struct wheel *find_wheel(const double *par, struct memory *m,
                                                                double t)
{
  for (int i = 0; !m->last && i < REMEMBERED; i++) m->t[i] = NAN;
  m->t_last = t;
  for (int i = 0; i < REMEMBERED; i++) {
    if (m->t[i] == t) return m->last = &m->wheel[i];
  }
  const struct wheel here = compute_wheel(par, t);
  const unsigned i = m->next;
  m->t[i] = t;
  m->wheel[i] = here;
  m->next = (i + 1) % REMEMBERED;
  return m->last = &m->wheel[i];
}

static inline const struct wheel *wheel_at(const double *par, const cmb_point *at)
{
  struct memory *m = at->scratch;
  return m->last && m->t_last == at->t ? m->last : find_wheel(par, m, at->t);
}

static void forces(const double *par, const struct wheel *b, const double *q, double *f)
{
  double L0 = par[SPRING_LENGTH], weight = par[POINT_MASS];
  double xr = q[2] - b->x, yr = q[3] - b->y;
  double left = L0 / sqrt(q[0] * q[0] + q[1] * q[1]) - 1; /* (L0 − Ll)/Ll */
  double right = L0 / sqrt(xr * xr + yr * yr) - 1;
  f[0] = left * q[0];
  f[1] = left * q[1] - weight;
  f[2] = right * xr;
  f[3] = right * yr - weight;
}

/* Fills the dense matrix J (2 x 4) with the rows (−x, −y, 0, 0) and (−dx, −dy, dx, dy). The constraint Jacobian G and the
 * derivatives of the velocity and acceleration constraints with respect to q and v have this form. */
static void fill_rows(double x, double y, double dx, double dy, double *J)
{
  J[0] = -x, J[1] = -y, J[2] = 0, J[3] = 0;
  J[4] = -dx, J[5] = -dy, J[6] = dx, J[7] = dy;
}

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const double *par = self;
  const struct wheel *b = wheel_at(par, at);
  const double *q = at->q, *v = at->v;
  double dx = q[0] - q[2], dy = q[1] - q[3];
  if (want->M) {
    for (int i = 0; i < 4; i++) want->M[i] = par[POINT_MASS];
  }
  if (want->f) forces(par, b, q, want->f);
  if (want->g) {
    want->g[0] = -(q[0] * b->x + q[1] * b->y);
    want->g[1] = -(dx * dx + dy * dy - par[BAR_LENGTH] * par[BAR_LENGTH]);
  }
  if (want->G) fill_rows(b->x, b->y, 2 * dx, 2 * dy, want->G);
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

static cmb_status residual(const void *self, const cmb_point *at, const double *a,
                           const double *lambda, double *r)
{
  const double *par = self, *q = at->q;
  const struct wheel *b = wheel_at(par, at);
  double f[4], m = par[POINT_MASS], bar = 2 * lambda[1];
  double x = bar * (q[0] - q[2]), y = bar * (q[1] - q[3]);
  forces(par, b, q, f);
  r[0] = m * a[0] - f[0] - b->x * lambda[0] - x;
  r[1] = m * a[1] - f[1] - b->y * lambda[0] - y;
  r[2] = m * a[2] - f[2] + x;
  r[3] = m * a[3] - f[3] + y;
  return CMB_OK;
}

/* Computes the symmetric stiffness matrix K = −∂f/∂p − bar · I (2 x 2) for the force f on the point p = (x, y) by a spring of stiffness 1
 * and free length L0 between the origin and p. bar is twice the Lagrange multiplier of the rigid bar. Stores K_11, K_12 and K_22 in k. */
static void stiffness(double L0, double x, double y, double bar, double k[3])
{
  double inverse = 1 / (x * x + y * y), ratio = L0 * sqrt(inverse); /* 1/ℓ², L0/ℓ */
  double cx = ratio * inverse * x, base = 1 - ratio - bar;
  k[0] = base + cx * x;
  k[1] = cx * y;
  k[2] = base + ratio * inverse * y * y;
}

static void residual_by_q(const double *par, const struct wheel *b, const double *q,
                          const double *lambda, double *J)
{
  double L0 = par[SPRING_LENGTH], bar = 2 * lambda[1], left[3], right[3];
  stiffness(L0, q[0], q[1], bar, left);
  stiffness(L0, q[2] - b->x, q[3] - b->y, bar, right);
  J[0] = left[0], J[1] = left[1], J[2] = bar, J[3] = 0;
  J[4] = left[1], J[5] = left[2], J[6] = 0, J[7] = bar;
  J[8] = bar, J[9] = 0, J[10] = right[0], J[11] = right[1];
  J[12] = 0, J[13] = bar, J[14] = right[1], J[15] = right[2];
}

static cmb_status derivative(const void *self, const cmb_point *at, const double *a,
                             const double *lambda, cmb_derivative which, double *J)
{
  const double *v = at->v;
  const struct wheel *b = wheel_at(self, at);
  if (which == CMB_RESIDUAL_Q) {
    residual_by_q(self, b, at->q, lambda, J);
  } else if (which == CMB_VELOCITY_Q) {
    fill_rows(b->x1, b->y1, 2 * (v[0] - v[2]), 2 * (v[1] - v[3]), J);
  } else if (which == CMB_GAMMA_Q) {
    fill_rows(b->x2, b->y2, 2 * (a[0] - a[2]), 2 * (a[1] - a[3]), J);
  } else if (which == CMB_GAMMA_V) {
    fill_rows(2 * b->x1, 2 * b->y1, 4 * (v[0] - v[2]), 4 * (v[1] - v[3]), J);
  }
  return CMB_OK;
}

static cmb_status build(cmb_system *system, const double *values)
{
  double *par = cmb_arena_doubles(system->arena, NUMBERS);
  double *q = cmb_arena_doubles(system->arena, 4), *v = cmb_arena_doubles(system->arena, 4);
  if (!par || !q || !v) return CMB_OK;
  for (int i = 0; i < PARAMETERS; i++) par[i] = values[i];
  par[POINT_MASS] = par[EPSILON] * par[EPSILON] * par[MASS] / 2;
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
  system->eq.q_units = q_units;
  system->eq.v_units = v_units;
  system->eq.mass_constant = system->eq.mass_diagonal = true;
  system->eq.self = par;
  system->eq.scratch_size = sizeof(struct memory);
  system->eq.evaluate = evaluate;
  system->eq.residual = residual;
  system->eq.derivative = derivative;
  system->eq.derivative_pattern[CMB_RESIDUAL_V] = &no_pattern;
  return CMB_OK;
}

const cmb_problem cmb_problem_caraxis = {
    "caraxis",  "car axis on a bumpy road, index 3 (IVP Test Set)",
    "car-axis", parameters,
    PARAMETERS, build};
