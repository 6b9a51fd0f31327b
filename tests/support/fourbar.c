/*
 * The equations of the parallelogram four-bar (fourbar.h). Crank 1 goes from A at the origin to B, the coupler from B to C, crank 3
 * from D = b e(tilt) to C, with e(x) = (cos x, sin x). The centres of mass lie on the links, at the distances r₁, c and r₃ from A, B
 * and D.
 */
#include "fourbar.h"

#include <math.h>
#include <string.h>

static const double a_ = 0.4, b_ = 1, r1_ = 0.15, c_ = 0.45, r3_ = 0.25; /* m */
static const double m1 = 1.5, m2 = 2, m3 = 0.7;                          /* kg */
static const double I1_ = 0.03, I2_ = 0.2, I3_ = 0.02; /* kg m², about the centres of mass */
static const double gravity_ = 9.81;

struct numbers { /* the parameters in the problem's unit of length */
  double a, b, r1, c, r3, I1, I2, I3, g[2], k, D[2];
};

static struct numbers numbers_of(const struct cmbt_fourbar *p)
{
  const double u = p->unit, u2 = u * u;
  return (struct numbers){a_ * u,
                          b_ * u,
                          r1_ * u,
                          c_ * u,
                          r3_ * u,
                          I1_ * u2,
                          I2_ * u2,
                          I3_ * u2,
                          {gravity_ * u * cos(p->down), gravity_ * u * sin(p->down)},
                          p->stiffness * u2,
                          {b_ * u * cos(p->tilt), b_ * u * sin(p->tilt)}};
}

/* Returns the moment of the torsion spring at the absolute angle of crank 1. */
static double spring(const struct cmbt_fourbar *p, const struct numbers *n, double angle)
{
  return -n->k * (angle - p->tilt - p->rest);
}

/* ---- three absolute angles */

/* Computes M (3 x 3) and, unless NULL, f (3) of the links without the loop constraint, for absolute angles x and rates w. */
static void tree(const struct cmbt_fourbar *p, const struct numbers *n, const double *x,
                 const double *w, double *M, double *f)
{
  const double coupling = m2 * n->a * n->c, cosine = cos(x[0] - x[1]), sine = sin(x[0] - x[1]);
  const double J1 = n->I1 + m1 * n->r1 * n->r1, J3 = n->I3 + m3 * n->r3 * n->r3;
  const double mass[9] = {J1 + m2 * n->a * n->a,
                          coupling * cosine,
                          0,
                          coupling * cosine,
                          n->I2 + m2 * n->c * n->c,
                          0,
                          0,
                          0,
                          J3};
  const double moment[3] = {m1 * n->r1 + m2 * n->a, m2 * n->c, m3 * n->r3};
  if (M) memcpy(M, mass, sizeof mass);
  if (!f) return;
  for (int i = 0; i < 3; i++) f[i] = moment[i] * (-n->g[0] * sin(x[i]) + n->g[1] * cos(x[i]));
  f[0] += -coupling * sine * w[1] * w[1] + spring(p, n, x[0]);
  f[1] += coupling * sine * w[0] * w[0];
}

/* Computes the loop constraint g = a e(x₀) + b e(x₁) − a e(x₂) − D, its Jacobian G (2 x 3) and γ. w may be NULL (rates 0). */
static void loop(const struct numbers *n, const double *x, const double *w, double g[2],
                 double G[6], double gamma[2])
{
  const double length[3] = {n->a, n->b, -n->a};
  g[0] = -n->D[0], g[1] = -n->D[1];
  gamma[0] = gamma[1] = 0;
  for (int i = 0; i < 3; i++) {
    const double px = length[i] * cos(x[i]), py = length[i] * sin(x[i]), rate = w ? w[i] : 0;
    g[0] += px, g[1] += py;
    G[i] = -py, G[3 + i] = px;
    gamma[0] -= px * rate * rate, gamma[1] -= py * rate * rate;
  }
}

/* Evaluates the equations in angles. The absolute angles are x = L q, where L is the identity but for the entry l of row 1, column 0. */
static cmb_status evaluate_angles(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct cmbt_fourbar *p = self;
  const struct numbers n = numbers_of(p);
  const double l = p->kind == CMBT_FOURBAR_RELATIVE ? 1 : 0;
  const int copies = p->kind == CMBT_FOURBAR_DOUBLE ? 2 : 1;
  const double x[3] = {at->q[0], at->q[1] + l * at->q[0], at->q[2]};
  const double w[3] = {at->v ? at->v[0] : 0, at->v ? at->v[1] + l * at->v[0] : 0,
                       at->v ? at->v[2] : 0};
  double M[9], f[3], g[2], G[6], gamma[2];
  tree(p, &n, x, w, M, f);
  loop(&n, x, w, g, G, gamma);
  if (want->M) {
    M[0] += 2 * l * M[1] + l * M[4];
    M[1] += l * M[4], M[3] = M[1];
    memcpy(want->M, M, sizeof M);
  }
  if (want->f) want->f[0] = f[0] + l * f[1], want->f[1] = f[1], want->f[2] = f[2];
  for (int i = 0; i < 2 * copies; i++) {
    const int k = i % 2;
    const double size = i < 2 ? 1 : 3; /* the redundant copy is scaled by 3 */
    if (want->g) want->g[i] = size * g[k];
    if (want->gamma) want->gamma[i] = size * gamma[k];
    if (want->gt) want->gt[i] = 0;
    if (!want->G) continue;
    want->G[3 * i] = size * (G[3 * k] + l * G[3 * k + 1]);
    want->G[3 * i + 1] = size * G[3 * k + 1];
    want->G[3 * i + 2] = size * G[3 * k + 2];
  }
  return CMB_OK;
}

/* ---- three bodies */

/* A point in a joint constraint: on body `body` (−1: none) at the distance `along` from its centre of mass along its x axis; `sign` is
 * its factor in the constraint. */
struct arm {
  int body;
  double along, sign;
};

/* Sets the points of the four joints A, B, C and D, two for each. */
static void joints(const struct numbers *n, struct arm arms[4][2])
{
  const struct arm all[4][2] = {{{0, -n->r1, 1}, {-1, 0, 0}},
                                {{0, n->a - n->r1, 1}, {1, -n->c, -1}},
                                {{1, n->b - n->c, 1}, {2, n->a - n->r3, -1}},
                                {{2, -n->r3, 1}, {-1, 0, 0}}};
  memcpy(arms, all, sizeof all);
}

/* Adds the contribution of one point to g (2), G (2 x 9) and γ (2) of its joint. */
static void joint_terms(const struct arm *arm, const cmb_point *at, double g[2], double *G,
                        double gamma[2])
{
  if (arm->body < 0) return;
  const int i = 3 * arm->body;
  const double rate = at->v ? at->v[i + 2] : 0, s = arm->sign;
  const double px = arm->along * cos(at->q[i + 2]), py = arm->along * sin(at->q[i + 2]);
  g[0] += s * (at->q[i] + px), g[1] += s * (at->q[i + 1] + py);
  gamma[0] -= s * px * rate * rate, gamma[1] -= s * py * rate * rate;
  G[i] += s, G[i + 2] -= s * py;
  G[9 + i + 1] += s, G[9 + i + 2] += s * px;
}

static cmb_status evaluate_bodies(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct cmbt_fourbar *p = self;
  const struct numbers n = numbers_of(p);
  const double mass[9] = {m1, m1, n.I1, m2, m2, n.I2, m3, m3, n.I3};
  struct arm arms[4][2];
  joints(&n, arms);
  if (want->M) memcpy(want->M, mass, sizeof mass);
  for (int i = 0; want->f && i < 9; i++) want->f[i] = i % 3 < 2 ? mass[i] * n.g[i % 3] : 0;
  if (want->f) want->f[2] = spring(p, &n, at->q[2]);
  for (int k = 0; k < 4; k++) {
    double g[2] = {k == 3 ? -n.D[0] : 0, k == 3 ? -n.D[1] : 0}, G[18] = {0}, gamma[2] = {0, 0};
    for (int end = 0; end < 2; end++) joint_terms(&arms[k][end], at, g, G, gamma);
    if (want->g) memcpy(want->g + 2 * k, g, sizeof g);
    if (want->G) memcpy(want->G + 18 * k, G, sizeof G);
    if (want->gamma) memcpy(want->gamma + 2 * k, gamma, sizeof gamma);
    if (want->gt) want->gt[2 * k] = want->gt[2 * k + 1] = 0;
  }
  return CMB_OK;
}

/* ---- equations and states of all kinds */

cmb_equations cmbt_fourbar_equations(const struct cmbt_fourbar *p)
{
  static const char *const angles[] = {"crank", "coupler", "rocker"};
  static const char *const bodies[] = {"x1", "y1", "phi1", "x2", "y2", "phi2", "x3", "y3", "phi3"};
  static const char *const loops[] = {"loop x", "loop y", "loop x again", "loop y again"};
  static const char *const at[] = {"A x", "A y", "B x", "B y", "C x", "C y", "D x", "D y"};
  const bool cartesian = p->kind == CMBT_FOURBAR_BODIES;
  const int n = cartesian ? 9 : 3;
  return (cmb_equations){.name = "fourbar",
                         .nq = n,
                         .nv = n,
                         .ng = cartesian                        ? 8
                               : p->kind == CMBT_FOURBAR_DOUBLE ? 4
                                                                : 2,
                         .q_names = cartesian ? bodies : angles,
                         .v_names = cartesian ? bodies : angles,
                         .g_names = cartesian ? at : loops,
                         .lambda_names = cartesian ? at : loops,
                         .mass_diagonal = cartesian,
                         .mass_constant = cartesian,
                         .self = p,
                         .evaluate = cartesian ? evaluate_bodies : evaluate_angles};
}

/* Computes positions q (9) and velocities v (9) of the three bodies from the absolute angles x and their rates w. */
static void place(const struct numbers *n, const double *x, const double *w, double *q, double *v)
{
  const double along[3] = {n->r1, n->c, n->r3};
  const double from[3][2] = {{0, 0}, {n->a * cos(x[0]), n->a * sin(x[0])}, {n->D[0], n->D[1]}};
  for (int i = 0; i < 3; i++) {
    const double cosine = cos(x[i]), sine = sin(x[i]);
    q[3 * i] = from[i][0] + along[i] * cosine, v[3 * i] = -along[i] * sine * w[i];
    q[3 * i + 1] = from[i][1] + along[i] * sine, v[3 * i + 1] = along[i] * cosine * w[i];
    q[3 * i + 2] = x[i], v[3 * i + 2] = w[i];
  }
  v[3] -= n->a * sin(x[0]) * w[0];
  v[4] += n->a * cos(x[0]) * w[0];
}

void cmbt_fourbar_state(const struct cmbt_fourbar *p, double phi, double rate, double *q, double *v)
{
  const struct numbers n = numbers_of(p);
  const double x[3] = {p->tilt + phi, p->tilt, p->tilt + phi}, w[3] = {rate, 0, rate};
  if (p->kind == CMBT_FOURBAR_BODIES) {
    place(&n, x, w, q, v);
    return;
  }
  memcpy(q, x, sizeof x);
  memcpy(v, w, sizeof w);
  if (p->kind == CMBT_FOURBAR_RELATIVE) q[1] -= x[0], v[1] -= w[0];
}

void cmbt_fourbar_crank(const struct cmbt_fourbar *p, const double *q, const double *v, double *phi,
                        double *rate)
{
  const int i = p->kind == CMBT_FOURBAR_BODIES ? 2 : 0;
  *phi = q[i] - p->tilt;
  *rate = v[i];
}

/* Returns φ'' by the equation in fourbar.h, in metres. */
static long double acceleration(const struct cmbt_fourbar *p, long double phi)
{
  const long double J = I1_ + m1 * r1_ * r1_ + I3_ + m3 * r3_ * r3_ + m2 * a_ * a_;
  const long double S = (m1 * r1_ + m3 * r3_ + m2 * a_) * gravity_;
  const long double x = p->tilt + phi;
  return (S * sinl(p->down - x) - p->stiffness * (phi - p->rest)) / J;
}

int cmbt_fourbar_exact(const struct cmbt_fourbar *p, double t, int steps, double *phi, double *rate,
                       int room, double *times)
{
  const long double h = (long double)t / steps, pi = acosl(-1);
  long double x = *phi, w = *rate;
  int count = 0;
  for (int k = 0; k < steps; k++) {
    long double before = x;
    long double k1 = acceleration(p, x), x2 = x + h / 2 * w, w2 = w + h / 2 * k1;
    long double k2 = acceleration(p, x2), x3 = x + h / 2 * w2, w3 = w + h / 2 * k2;
    long double k3 = acceleration(p, x3), x4 = x + h * w3, w4 = w + h * k3;
    long double k4 = acceleration(p, x4);
    x += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    if (floorl(x / pi) == floorl(before / pi)) continue;
    long double line = pi * fmaxl(floorl(x / pi), floorl(before / pi));
    if (count < room) times[count] = (double)(h * (k + (line - before) / (x - before)));
    count++;
  }
  *phi = (double)x;
  *rate = (double)w;
  return count;
}
