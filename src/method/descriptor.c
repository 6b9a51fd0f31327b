/*
 * Implicit Runge–Kutta in descriptor form (descriptor.h; Haug, Negrut and Engstler 1999, eqs. 29 to 61). Stage i with c = h a_ii,
 * unknowns a and λ:
 *
 *     v = v_n + h Σ_{j<i} a_ij a_j + c a          independent ones, (31)
 *     q = q_n + h Σ_{j<i} a_ij T v_j + c T(q) v   independent ones, (30); T ≠ I: all of them
 *     dependent ones by (53) and (54)
 *     0 = M a − f + Gᵀ λ,  0 = G a + γ            (48), by Newton's method (52) with the matrix (51) of the step's beginning
 *
 * The matrix depends on h through c only: after a rejected step its blocks serve again. What the first stage starts from is the
 * acceleration where the step begins; later ones start from combinations of earlier ones.
 *
 * Error (58), (59): h Σ (b_i − b̂_i) k_i, where k_i is the slope of stage i, holds the tolerance in each position and velocity;
 * stiff parts of it are damped by (I − c J)⁻¹, as in Hairer and Wanner's SDIRK4. So does what (53) and (54) have changed in the
 * step, which the paper does not look at.
 */
#include "method/descriptor.h"

#include "form/partition_jacobian.h"
#include "math/pattern.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { TURNS = 10 };

/* Tolerances: change of q in the iteration with T(q) v that ends it, and that is still good enough after the last. */
static const double TURN_ENOUGH = 1e-3, TURN_MOST = 0.03;

struct descriptor {
  cmb_partitioned head;
  const cmb_dirk_table *table;
  cmb_partition_jacobian *jacobian;
  double c;                             /* of the matrix that is factored; 0: none is */
  double *a;                            /* (nv) where the step begins */
  double *k[CMB_DIRK_MOST_STAGES];      /* (n) slopes (T v, a) of the stages */
  double *v[CMB_DIRK_MOST_STAGES];      /* (nv) velocities of the stages, T ≠ I */
  double *lambda[CMB_DIRK_MOST_STAGES]; /* (ng) */
  double *base, *y;                     /* (n) stage without its own slope; stage */
  double *q_turn;                       /* (nq) */
  double *r, *s;                        /* (nv), (ng) what is left of (48) */
  double *da, *dlambda;                 /* (nv), (ng) increments */
  double *x; /* (n) error, size of an increment; gap of the continuous solution */
  double *w; /* (nv) */
  cmb_newton newton;
};

cmb_status cmb_descriptor_create(cmb_integrator *in)
{
  const cmb_dirk_table *table = in->method->table;
  cmb_arena *arena = in->arena;
  struct descriptor *m = in->data = cmb_arena_take(arena, 1, sizeof *m);
  if (!m) return CMB_OK;
  m->table = table;
  cmb_dirk_newton(&m->newton, in->options.rtol);
  CMB_TRY(cmb_partition_create(in->ev, arena, &m->head.partition));
  for (int i = 0; i < table->stages; i++) {
    m->k[i] = cmb_arena_doubles(arena, in->n);
    m->v[i] = cmb_arena_doubles(arena, in->nv);
    m->lambda[i] = cmb_arena_doubles(arena, in->ng);
  }
  m->a = cmb_arena_doubles(arena, in->nv);
  m->base = cmb_arena_doubles(arena, in->n);
  m->y = cmb_arena_doubles(arena, in->n);
  m->q_turn = cmb_arena_doubles(arena, in->nq);
  m->r = cmb_arena_doubles(arena, in->nv);
  m->s = cmb_arena_doubles(arena, in->ng);
  m->da = cmb_arena_doubles(arena, in->nv);
  m->dlambda = cmb_arena_doubles(arena, in->ng);
  m->x = cmb_arena_doubles(arena, in->n);
  m->w = cmb_arena_doubles(arena, in->nv);
  return cmb_partition_jacobian_create(m->head.partition, arena, &m->jacobian);
}

void cmb_descriptor_destroy(cmb_integrator *in)
{
  struct descriptor *m = in->data;
  cmb_partition_jacobian_destroy(m->jacobian);
  cmb_partitioned_destroy(in);
}

cmb_status cmb_descriptor_begin(cmb_integrator *in)
{
  struct descriptor *m = in->data;
  cmb_partitioned_begin(in);
  cmb_newton_forget(&m->newton);
  CMB_TRY(cmb_slope(in, in->t, in->y, m->k[0], in->lambda));
  memcpy(m->a, m->k[0] + in->nq, (size_t)in->nv * sizeof *m->a);
  in->a = m->a;
  return CMB_OK;
}

/* Partition and matrix for steps of size h from (t, y). */
static cmb_status prepare(cmb_integrator *in, double h)
{
  struct descriptor *m = in->data;
  const double c = m->table->gamma * h;
  if (!m->head.ready) {
    CMB_TRY(cmb_partitioned_prepare(in));
    m->head.ready = false; /* until all is there */
    CMB_TRY(cmb_partition_linearize(m->jacobian, in->t, in->y, in->y + in->nq, m->a, in->lambda));
    m->head.ready = true;
    m->c = 0;
  }
  if (c == m->c) return CMB_OK;
  m->c = 0;
  CMB_TRY(cmb_partition_factor(m->jacobian, c));
  m->c = c;
  return CMB_OK;
}

/* (30), (31), (53), (54): the stage's state from its acceleration, and q̇. Where T ≠ I, T(q) v is iterated. */
static cmb_status integrate(cmb_integrator *in, struct descriptor *m, int i, double t)
{
  const int nq = in->nq, nv = in->nv;
  const double *a = m->k[i] + nq;
  double *q = m->y, *v = m->y + nq, change = 0;
  for (int l = 0; l < nv; l++) v[l] = m->base[nq + l] + m->c * a[l];
  for (int turn = 0; turn < TURNS; turn++) {
    memcpy(m->q_turn, q, (size_t)nq * sizeof *q);
    cmb_rates(in->ev, q, v, m->k[i]);
    for (int l = 0; l < nq; l++) q[l] = m->base[l] + m->c * m->k[i][l];
    CMB_TRY(cmb_partitioned_recover(in, t, m->y));
    if (!in->ev->eq->rates) break;
    for (int l = 0; l < nq; l++) m->q_turn[l] -= q[l];
    change = cmb_error_norm(in, 0, nq, m->q_turn);
    if (change <= TURN_ENOUGH) break;
  }
  cmb_rates(in->ev, q, v, m->k[i]);
  return change <= TURN_MOST ? CMB_OK : CMB_RETRY_NEWTON;
}

/* What is left of (48). G at the stage is the evaluator's. */
static cmb_status evaluate(cmb_integrator *in, struct descriptor *m, int i, double t)
{
  cmb_evaluator *ev = in->ev;
  const cmb_equations *eq = ev->eq;
  const double *q = m->y, *v = m->y + in->nq, *a = m->k[i] + in->nq;
  CMB_TRY(cmb_residual(ev, t, q, v, a, m->lambda[i], m->r));
  if (in->ng == 0) return CMB_OK;
  cmb_terms want = {.gamma = ev->gamma};
  CMB_TRY(cmb_evaluate(ev, t, q, v, &want));
  cmb_multiply(eq->G_pattern, in->ng, in->nv, ev->G, a, m->s);
  for (int l = 0; l < in->ng; l++) m->s[l] += ev->gamma[l];
  return CMB_OK;
}

/* The increment Δa as one of positions and velocities, in units of the tolerance; Δλ beside the largest multiplier. An iteration
 * in which only λ goes on moving has not arrived: a constraint may have gone since the step began. */
static double size_of(const cmb_integrator *in, struct descriptor *m, int i)
{
  const double *lambda = m->lambda[i];
  double most = 0, moved = 0;
  cmb_rates(in->ev, m->y, m->da, m->x);
  for (int l = 0; l < in->nq; l++) m->x[l] *= m->c * m->c;
  for (int l = 0; l < in->nv; l++) m->x[in->nq + l] = m->c * m->da[l];
  for (int l = 0; l < in->ng; l++) {
    const double unit = cmb_partition_multiplier_unit(m->head.partition, l);
    most = fmax(most, fabs(lambda[l]) / unit);
    moved = cmb_larger_error(moved, fabs(m->dlambda[l]) / unit);
  }
  return cmb_larger_error(cmb_size_of_change(in, m->x),
                          fmin(m->c, 1) * moved / (in->options.rtol * most + in->options.atol));
}

/* Acceleration and multipliers that the stage's iteration begins with. */
static void start_stage(cmb_integrator *in, struct descriptor *m, int i)
{
  const double *weight = m->table->start + i * m->table->stages;
  double *a = m->k[i] + in->nq;
  if (i == 0) {
    memcpy(a, m->a, (size_t)in->nv * sizeof *a);
    memcpy(m->lambda[0], in->lambda, (size_t)in->ng * sizeof *in->lambda);
    memcpy(m->y, in->y, (size_t)in->n * sizeof *m->y);
    return;
  }
  memset(a, 0, (size_t)in->nv * sizeof *a);
  memset(m->lambda[i], 0, (size_t)in->ng * sizeof *in->lambda);
  for (int j = 0; j < i; j++) {
    for (int l = 0; l < in->nv; l++) a[l] += weight[j] * m->k[j][in->nq + l];
    for (int l = 0; l < in->ng; l++) m->lambda[i][l] += weight[j] * m->lambda[j][l];
  }
}

static cmb_status stage(cmb_integrator *in, struct descriptor *m, int i, double h)
{
  const cmb_dirk_table *table = m->table;
  const double t = in->t + table->c[i] * h;
  double *a = m->k[i] + in->nq;
  start_stage(in, m, i);
  if (i == 0 && table->explicit_first) {
    cmb_rates(in->ev, in->y, in->y + in->nq, m->k[0]);
    memcpy(m->v[0], in->y + in->nq, (size_t)in->nv * sizeof *a);
    return CMB_OK;
  }
  cmb_combine(in->n, in->y, h, i, table->a + i * table->stages, m->k, m->base);
  for (cmb_newton_begin(&m->newton); !m->newton.arrived;) {
    CMB_TRY(integrate(in, m, i, t));
    CMB_TRY(evaluate(in, m, i, t));
    cmb_partition_correct(m->jacobian, m->r, m->s, m->da, m->dlambda);
    in->ev->stats.newton++;
    for (int l = 0; l < in->nv; l++) a[l] += m->da[l];
    for (int l = 0; l < in->ng; l++) m->lambda[i][l] += m->dlambda[l];
    CMB_TRY(cmb_newton_judge(&m->newton, size_of(in, m, i)));
  }
  CMB_TRY(integrate(in, m, i, t));
  memcpy(m->v[i], m->y + in->nq, (size_t)in->nv * sizeof *a);
  return CMB_OK;
}

static double error_of(cmb_integrator *in, struct descriptor *m, double h)
{
  const int nq = in->nq, nv = in->nv;
  double *v = m->x + nq;
  memset(m->w, 0, (size_t)nv * sizeof *m->w);
  memset(v, 0, (size_t)nv * sizeof *v);
  for (int i = 0; i < m->table->stages; i++) {
    const double weight = h * m->table->error[i];
    for (int l = 0; l < nv; l++) m->w[l] += weight * m->v[i][l];
    for (int l = 0; l < nv; l++) v[l] += weight * m->k[i][nq + l];
  }
  cmb_partition_smooth(m->jacobian, m->w, v);
  cmb_rates(in->ev, in->y, m->w, m->x);
  return cmb_largest_error(in, m->x);
}

cmb_status cmb_descriptor_attempt(cmb_integrator *in, double h, double *error)
{
  struct descriptor *m = in->data;
  const int last = m->table->stages - 1;
  memcpy(in->y_new, in->y, (size_t)in->n * sizeof *in->y); /* the weights of norms */
  CMB_TRY(prepare(in, h));
  for (int i = 0; i <= last; i++) CMB_TRY(stage(in, m, i, h));
  memcpy(in->y_new, m->y, (size_t)in->n * sizeof *in->y);
  memcpy(in->lambda_new, m->lambda[last], (size_t)in->ng * sizeof *in->lambda);
  *error = error_of(in, m, h);
  bool regained;
  CMB_TRY(cmb_partitioned_regain(in, h, &regained));
  *error = cmb_larger_error(*error, cmb_dirk_recovery_error(in, m->table, m->k, h, m->x));
  return regained ? cmb_slope(in, in->t + h, in->y_new, m->k[last], in->lambda_new) : CMB_OK;
}

void cmb_descriptor_accept(cmb_integrator *in)
{
  struct descriptor *m = in->data;
  memcpy(m->a, m->k[m->table->stages - 1] + in->nq, (size_t)in->nv * sizeof *m->a);
  in->a = m->a;
  m->head.ready = false;
}

cmb_status cmb_descriptor_densify(cmb_integrator *in)
{
  struct descriptor *m = in->data;
  cmb_dirk_densify(in, m->table, m->k, m->x);
  return CMB_OK;
}

void cmb_descriptor_interpolate(const cmb_integrator *in, double theta, double *y)
{
  const struct descriptor *m = in->data;
  cmb_dirk_interpolate(in, m->table, m->k, m->x, theta, y);
}

const cmb_option cmb_descriptor_options[] = {CMB_OPTION_STEPS};

static_assert(sizeof cmb_descriptor_options / sizeof *cmb_descriptor_options ==
                  CMB_DESCRIPTOR_OPTIONS,
              "descriptor.h tells how many options there are");
