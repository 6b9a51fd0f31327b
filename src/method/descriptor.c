/*
 * Diagonally implicit Runge–Kutta methods in descriptor form, for the methods sdirk4 and trap (descriptor.h; Haug, Negrut and Engstler
 * 1999, eqs. 29 to 61). Stage i, with c = h a_ii, is solved for the accelerations a and the multipliers λ:
 *
 *     v = v_n + h Σ_{j<i} a_ij a_j + c a          independent velocities (31)
 *     q = q_n + h Σ_{j<i} a_ij T v_j + c T(q) v   independent coordinates (30); T ≠ I: all coordinates
 *     dependent velocities and coordinates by (53) and (54)
 *     0 = M a − f + Gᵀ λ,  0 = G a + γ            (48), by Newton's method (52) with the matrix (51)
 *
 * In this matrix, M, G and the null-space basis N are those of the step's beginning; iterative refinement corrects for those of the stage
 * or, where it fails, they are computed anew there. Its derivatives, which cost most, are kept from an earlier step as long as the
 * iteration converges fast with them. (The paper makes the whole matrix anew in each step.) The matrix depends on h through c only: after a
 * rejected step its blocks are reused.
 *
 * The starting values of accelerations and multipliers of a stage are extrapolated from the ends of previous steps and from earlier
 * stages.
 *
 * The error estimate (58), (59), h Σ (b_i − b̂_i) k_i with the slopes k_i of the stages, has to be within the tolerance for each position
 * and velocity; its stiff components are damped by (I − c J)⁻¹, as in Hairer and Wanner's SDIRK4. The correction of the step by (53) and
 * (54) has to be within the tolerance as well, which the paper does not require.
 */
#include "method/descriptor.h"

#include "form/partition_jacobian.h"
#include "math/dense.h"
#include "math/pattern.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 10, REFINEMENTS = 4 };

/* In tolerances, for the fixed-point iteration of q with q̇ = T(q) v: the change of q at which it ends, and the change that is still
 * acceptable after the last iteration. */
static const double CHANGE_ENOUGH = 1e-3, CHANGE_MOST = 0.03;

/* The rate of convergence above which the next step computes new derivatives. They cost as much as ten to twenty iterations, and at
 * this rate starting values that are worse by one tolerance cost half of an iteration in each stage. */
static const double SLOW = 0.03;

/* The part of the Newton tolerance that the corrections of dependent coordinates and velocities (eqs. 53, 54) may leave. */
static const double UNSEEN = 0.01;

/* The part of an increment below which its refinement can stop. */
static const double REFINED = 0.003;

/* Past values of the accelerations or of the multipliers, from which the starting values of the stages are extrapolated. */
struct past {
  int n;
  const double *value[3]; /* (n) at the beginning of this step and of the two steps before */
  double *kept[2];        /* (n) storage of the latter two */
  double *stage[CMB_DIRK_MOST_STAGES]; /* (n) values at the stages of this step */
  /* (n) difference of the previous step's stage values from the polynomial through the ends of steps */
  double *deviation[CMB_DIRK_MOST_STAGES];
};

struct descriptor {
  cmb_partitioned head;
  const cmb_dirk_table *table;
  cmb_partition_jacobian *jacobian;
  bool linearized;                 /* the derivatives in the matrix have been computed, */
  bool linearized_here;            /* and at the beginning of this step */
  double theta;                    /* the slowest rate of convergence of the stages in this step */
  double c;                        /* c of the factored matrix; 0: none is factored */
  double *a;                       /* (nv) accelerations where the step begins */
  double *k[CMB_DIRK_MOST_STAGES]; /* (n) slopes (T v, a) of the stages */
  double *v[CMB_DIRK_MOST_STAGES]; /* (nv) velocities of the stages */
  double *lambda[CMB_DIRK_MOST_STAGES]; /* (ng) multipliers of the stages */
  double h, past_h[2]; /* sizes of this step and of the two before; 0: there was none */
  struct past of_a, of_lambda;
  double enough; /* tolerance of the corrections (53) and (54) inside the iteration */
  /* (n) state of the stage without the term of its own slope; state of the stage */
  double *base, *y;
  double *q_turn;                 /* (nq) change of q in the iteration with T(q) v */
  double *r, *s;                  /* (nv), (ng) residuals of (48) */
  double *da, *dlambda;           /* (nv), (ng) Newton increments */
  double *da_more, *dlambda_more; /* (nv), (ng) their refinement */
  double *x; /* (n) error estimate, increment; afterwards the gap of the dense output */
  /* (nv) the motion N Δz of an increment; scratch */
  double *w;
  cmb_newton newton;
};

/* Allocates in `past` the arrays for past values of a vector of n numbers (the accelerations or the multipliers), for a Runge–Kutta method with
 * `stages` stages. */
static void create_past(cmb_arena *arena, int stages, int n, struct past *past)
{
  past->n = n;
  for (int i = 0; i < 2; i++) past->value[i + 1] = past->kept[i] = cmb_arena_doubles(arena, n);
  for (int i = 0; i < stages; i++) past->deviation[i] = cmb_arena_doubles(arena, n);
}

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
  create_past(arena, table->stages, in->nv, &m->of_a);
  create_past(arena, table->stages, in->ng, &m->of_lambda);
  for (int i = 0; i < table->stages; i++) {
    m->of_a.stage[i] = m->k[i] ? m->k[i] + in->nq : NULL;
    m->of_lambda.stage[i] = m->lambda[i];
  }
  m->enough = UNSEEN * m->newton.enough * in->options.atol;
  m->a = cmb_arena_doubles(arena, in->nv);
  m->base = cmb_arena_doubles(arena, in->n);
  m->y = cmb_arena_doubles(arena, in->n);
  m->q_turn = cmb_arena_doubles(arena, in->nq);
  m->r = cmb_arena_doubles(arena, in->nv);
  m->s = cmb_arena_doubles(arena, in->ng);
  m->da = cmb_arena_doubles(arena, in->nv);
  m->dlambda = cmb_arena_doubles(arena, in->ng);
  m->da_more = cmb_arena_doubles(arena, in->nv);
  m->dlambda_more = cmb_arena_doubles(arena, in->ng);
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
  m->past_h[0] = m->past_h[1] = 0;
  m->linearized = false; /* in other modes the forces and constraints differ */
  CMB_TRY(cmb_slope(in, in->t, in->y, m->k[0], in->lambda));
  memcpy(m->a, m->k[0] + in->nq, (size_t)in->nv * sizeof *m->a);
  in->a = m->a;
  return CMB_OK;
}

/* Prepares a step of size h: partitions the coordinates into dependent and independent ones, and factorises the Newton matrix of the stages.
 * Reuses what is still valid from an earlier attempt. */
static cmb_status prepare(cmb_integrator *in, double h)
{
  struct descriptor *m = in->data;
  const double c = m->table->gamma * h;
  if (!m->head.ready) {
    CMB_TRY(cmb_partitioned_prepare(in));
    m->head.ready = false; /* until everything is prepared */
    if (!m->linearized) {
      CMB_TRY(cmb_partition_linearize(m->jacobian, in->t, in->y, in->y + in->nq, m->a, in->lambda));
      m->linearized = m->linearized_here = true;
    }
    CMB_TRY(cmb_partition_assemble(m->jacobian, in->t, in->y));
    m->head.ready = true;
    m->c = 0;
  }
  if (c == m->c) return CMB_OK;
  m->c = 0;
  CMB_TRY(cmb_partition_factor(m->jacobian, c));
  m->c = c;
  return CMB_OK;
}

/* Updates the coordinate rates k (nq) of the current stage to T(q) v, and computes the resulting change of the coordinates, c times the change
 * of k with c = h a_ii, in m->q_turn (nq). Returns the norm of that change in units of the tolerance. */
static double rate_change(cmb_integrator *in, struct descriptor *m, double *k)
{
  memcpy(m->q_turn, k, (size_t)in->nq * sizeof *k);
  cmb_rates(in->ev, m->y, m->y + in->nq, k);
  for (int l = 0; l < in->nq; l++) m->q_turn[l] = m->c * (k[l] - m->q_turn[l]);
  return cmb_error_norm(in, 0, in->nq, m->q_turn);
}

/* Solves for the coordinates q of the current stage and their rates k = T(q) v (nq), each of which depends on the other, by at most ten fixed-
 * point iterations. The constraints are treated elsewhere. */
static void iterate_positions(cmb_integrator *in, struct descriptor *m, double *k)
{
  for (int n = 0; n < ROUNDS && rate_change(in, m, k) > CHANGE_ENOUGH; n++) {
    cmb_add_scaled(in->nq, 1, m->q_turn, m->y);
  }
}

/* Corrects the dependent coordinates and velocities of a stage at time t so that the constraints are satisfied, and computes the coordinate
 * rates k = q̇ (nq). If q̇ = T(q) v with T ≠ I, iterates between q and q̇; returns CMB_RETRY_NEWTON if this does not converge in ten
 * iterations. */
static cmb_status recover(cmb_integrator *in, struct descriptor *m, double *k, double t)
{
  const bool turns = in->ev->eq->rates;
  double change = 0;
  if (turns) iterate_positions(in, m, k);
  for (int n = 0; n < ROUNDS; n++) {
    CMB_TRY(cmb_partitioned_recover(in, t, m->y));
    change = rate_change(in, m, k);
    if (!turns || change <= CHANGE_ENOUGH) return CMB_OK;
    if (n < ROUNDS - 1) cmb_add_scaled(in->nq, 1, m->q_turn, m->y);
  }
  return change <= CHANGE_MOST ? CMB_OK : CMB_RETRY_NEWTON;
}

/* Computes the positions and velocities of stage i by the Runge–Kutta formulas from the starting value of its acceleration, without correcting
 * the dependent coordinates. */
static void integrate(cmb_integrator *in, struct descriptor *m, int i)
{
  const int nq = in->nq;
  double *q = m->y, *v = m->y + nq, *k = m->k[i];
  for (int l = 0; l < in->nv; l++) v[l] = m->base[nq + l] + m->c * k[nq + l];
  cmb_rates(in->ev, q, v, k);
  for (int l = 0; l < nq; l++) q[l] = m->base[l] + m->c * k[l];
}

/* Adds a Newton increment to the state of stage i: c w to the velocities and c² w to the positions (where T ≠ I, positions by a fixed-point
 * iteration), with c = h a_ii. w = N Δz is the motion tangent to the constraints that belongs to the increment Δz of the independent
 * accelerations; N is a basis of the null space of the constraint Jacobian. */
static void move_state(cmb_integrator *in, struct descriptor *m, int i)
{
  const int nq = in->nq;
  double *q = m->y, *v = m->y + nq;
  for (int l = 0; l < in->nv; l++) v[l] += m->c * m->w[l];
  if (in->ev->eq->rates) {
    iterate_positions(in, m, m->k[i]);
  } else {
    for (int l = 0; l < nq; l++) q[l] += m->c * m->c * m->w[l];
  }
}

/* Completes stage i at time t after its Newton iteration has converged, and computes its coordinate rates q̇. In the last stage, corrects all
 * dependent coordinates and velocities so that the constraints are satisfied; in other stages, corrects the dependent velocities if the last
 * Newton increment was above the tolerance. */
static cmb_status finish_stage(cmb_integrator *in, struct descriptor *m, int i, double t)
{
  cmb_partition *p = m->head.partition;
  if (i == m->table->stages - 1) {
    p->enough = 0;
    return recover(in, m, m->k[i], t);
  }
  if (m->newton.before > m->newton.enough) {
    CMB_TRY(cmb_partition_velocity(p, t, m->y, m->y + in->nq));
  }
  cmb_rates(in->ev, m->y, m->y + in->nq, m->k[i]);
  return CMB_OK;
}

/* Computes the residuals of stage i at time t: that of the equations of motion, r = M a − f + Gᵀλ, in m->r (nv), and that of the constraints on
 * accelerations, G a + γ, in m->s (ng). */
static cmb_status evaluate(cmb_integrator *in, struct descriptor *m, int i, double t)
{
  cmb_evaluator *ev = in->ev;
  const cmb_equations *eq = ev->eq;
  const double *q = m->y, *v = m->y + in->nq, *a = m->k[i] + in->nq;
  CMB_TRY(cmb_residual(ev, t, q, v, a, m->lambda[i], m->r));
  if (in->ng == 0) return CMB_OK;
  cmb_terms want = {.M = ev->M, .gamma = ev->gamma};
  CMB_TRY(cmb_evaluate(ev, t, q, v, &want));
  cmb_multiply(eq->G_pattern, in->ng, in->nv, ev->G, a, m->s);
  for (int l = 0; l < in->ng; l++) m->s[l] += ev->gamma[l];
  return CMB_OK;
}

/* Returns the norm of an increment da (nv) of the accelerations in units of the tolerance. Converts da to increments of positions by the factor
 * c² and of velocities by the factor c, with c = h a_ii. */
static double size_of(const cmb_integrator *in, struct descriptor *m, const double *da)
{
  cmb_rates(in->ev, m->y, da, m->x);
  for (int l = 0; l < in->nq; l++) m->x[l] *= m->c * m->c;
  for (int l = 0; l < in->nv; l++) m->x[in->nq + l] = m->c * da[l];
  return cmb_size_of_change(in, m->x);
}

/* Returns the size, in units of the tolerance, of an increment dlambda (ng) of the multipliers of stage i: its largest component relative to
 * the largest multiplier of the stage, multiplied by min(h a_ii, 1). */
static double size_of_forces(const cmb_integrator *in, const struct descriptor *m, int i,
                             const double *dlambda)
{
  double most = 0, moved = 0;
  for (int l = 0; l < in->ng; l++) {
    const double unit = cmb_partition_multiplier_unit(m->head.partition, l);
    most = fmax(most, fabs(m->lambda[i][l]) / unit);
    moved = cmb_larger_error(moved, fabs(dlambda[l]) / unit);
  }
  return fmin(m->c, 1) * moved / (in->options.rtol * most + in->options.atol);
}

/* Returns the size of a Newton increment of stage i in units of the tolerance: the larger of the norms of da (nv), for the accelerations, and
 * dlambda (ng), for the multipliers. */
static double size_of_all(const cmb_integrator *in, struct descriptor *m, int i, const double *da,
                          const double *dlambda)
{
  return cmb_larger_error(size_of(in, m, da), size_of_forces(in, m, i, dlambda));
}

/* Computes the Newton increments of stage i, m->da (nv) for the accelerations and m->dlambda (ng) for the multipliers. Refines increments above
 * the Newton tolerance iteratively, since the factorised matrix is that of the step's beginning. Returns the error that may remain, in units of
 * the tolerance; *solved becomes false if the refinement does not converge. */
static double correct(cmb_integrator *in, struct descriptor *m, int i, bool *solved)
{
  /* An increment within the Newton tolerance is not refined. A larger one always is: without refinement it is off by the part by which M
   * and G have changed within the step, which for a spinning body is most of it. */
  cmb_partition_correct(m->jacobian, m->r, m->s, m->da, m->dlambda);
  double size = size_of_all(in, m, i, m->da, m->dlambda), before = INFINITY;
  const double enough = fmax(m->newton.enough, REFINED * size);
  *solved = true;
  for (int n = 0; n < REFINEMENTS && *solved && !(size <= enough); n++) {
    cmb_partition_refine(m->jacobian, m->r, m->s, m->da, m->dlambda, m->da_more, m->dlambda_more);
    size = size_of_all(in, m, i, m->da_more, m->dlambda_more);
    *solved = size < before / 2;
    if (!*solved) break;
    for (int l = 0; l < in->nv; l++) m->da[l] += m->da_more[l];
    for (int l = 0; l < in->ng; l++) m->dlambda[l] += m->dlambda_more[l];
    before = size;
  }
  /* If the refinement has converged, the error that remains comes from the motion N Δz, or is as large as the last refinement; otherwise
   * the whole increment counts. It also counts for methods whose next step starts from this acceleration. An iteration in which only λ
   * still changes has not converged, since the constraints may have lost rank within the step. */
  cmb_partition_motion_of(m->jacobian, m->da, m->w);
  if (*solved && !m->table->explicit_first) return cmb_larger_error(size_of(in, m, m->w), size);
  return size_of_all(in, m, i, m->da, m->dlambda);
}

/* Computes the Newton increments of stage i at time t; *size becomes the error that may remain, in units of the tolerance. The coordinate
 * partition, null-space basis and factorised matrix are those of the beginning of the step; if iterative refinement with them fails in the
 * first iteration, they are computed anew at the stage. */
static cmb_status correct_at(cmb_integrator *in, struct descriptor *m, int i, double t,
                             double *size)
{
  bool solved;
  *size = correct(in, m, i, &solved);
  if (solved || m->newton.iterations > 0) return CMB_OK;
  CMB_TRY(cmb_partition_refactor(m->head.partition, t, m->y));
  CMB_TRY(cmb_partition_assemble(m->jacobian, t, m->y));
  CMB_TRY(cmb_partition_factor(m->jacobian, m->c));
  *size = correct(in, m, i, &solved);
  return CMB_OK;
}

/* Computes the weights of a quadratic extrapolation to the time x after the beginning of the step: weight[0], weight[1] and weight[2] multiply
 * the values at the beginnings of this step and of the two steps before. The extrapolation is linear if there is one previous step, constant if
 * there is none. */
static void extrapolate(const struct descriptor *m, double x, double weight[3])
{
  const double h1 = m->past_h[0], h2 = m->past_h[1];
  weight[1] = h1 > 0 ? -x / h1 : 0;
  weight[2] = h2 > 0 ? x * (x + h1) / (h2 * (h1 + h2)) : 0;
  if (h2 > 0) weight[1] *= (x + h1 + h2) / h2;
  weight[0] = 1 - weight[1] - weight[2];
}

/* Computes a starting value x (n) for the Newton iteration of stage i, from the accelerations or multipliers in `past`. It is extrapolated by
 * the polynomial through the ends of previous steps and corrected by the deviations from that polynomial of the previous step's stage i and of
 * the earlier stages of this step. */
static void predict(const struct descriptor *m, const struct past *past, int i, double *x)
{
  const double *start = m->table->start + i * m->table->stages, *c = m->table->c;
  const double ratio = m->past_h[0] > 0 ? m->h / m->past_h[0] : 0, again = ratio * ratio;
  double all[3], of[3];
  extrapolate(m, c[i] * m->h, all);
  for (int j = 0; j < i; j++) {
    extrapolate(m, c[j] * m->h, of);
    for (int l = 0; l < 3; l++) all[l] -= start[j] * of[l];
  }
  for (int l = 0; l < past->n; l++) {
    double sum = all[0] * past->value[0][l] + all[1] * past->value[1][l] +
                 all[2] * past->value[2][l] + again * past->deviation[i][l];
    for (int j = 0; j < i; j++)
      sum += start[j] * (past->stage[j][l] - again * past->deviation[j][l]);
    x[l] = sum;
  }
}

/* Sets the starting values of the accelerations and multipliers for the Newton iteration of stage i. For the first stage also sets m->y to the
 * state at the beginning of the step. */
static void start_stage(cmb_integrator *in, struct descriptor *m, int i)
{
  m->of_a.value[0] = m->a;
  m->of_lambda.value[0] = in->lambda;
  predict(m, &m->of_a, i, m->k[i] + in->nq);
  predict(m, &m->of_lambda, i, m->lambda[i]);
  if (i == 0) memcpy(m->y, in->y, (size_t)in->n * sizeof *m->y);
}

/* Solves stage i of a diagonally implicit Runge–Kutta step of size h by Newton's method for its accelerations and multipliers, and computes its
 * positions and velocities. An explicit first stage is the state at the beginning of the step. */
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
  integrate(in, m, i);
  m->head.partition->enough = m->enough;
  for (cmb_newton_begin(&m->newton); !m->newton.arrived;) {
    CMB_TRY(recover(in, m, m->k[i], t));
    CMB_TRY(evaluate(in, m, i, t));
    double size = 0;
    CMB_TRY(correct_at(in, m, i, t, &size));
    in->ev->stats.newton++;
    for (int l = 0; l < in->nv; l++) a[l] += m->da[l];
    for (int l = 0; l < in->ng; l++) m->lambda[i][l] += m->dlambda[l];
    CMB_TRY(cmb_newton_judge(&m->newton, size));
    move_state(in, m, i);
  }
  m->theta = fmax(m->theta, m->newton.theta);
  CMB_TRY(finish_stage(in, m, i, t));
  memcpy(m->v[i], m->y + in->nq, (size_t)in->nv * sizeof *a);
  return CMB_OK;
}

/* Returns the error estimate of a step of size h in units of the tolerance: the largest component of the difference to the embedded method,
 * after multiplication by (I − c J)⁻¹, which damps stiff components. J is the Jacobian of the equations, c = h a_ii. */
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

/* Factorises the Newton matrix if it is not valid for the step size h, and then solves all stages of a step of size h one after the other. */
static cmb_status all_stages(cmb_integrator *in, struct descriptor *m, double h)
{
  CMB_TRY(prepare(in, h));
  m->theta = 0;
  m->h = h;
  for (int i = 0; i < m->table->stages; i++) CMB_TRY(stage(in, m, i, h));
  return CMB_OK;
}

cmb_status cmb_descriptor_attempt(cmb_integrator *in, double h, double *error)
{
  struct descriptor *m = in->data;
  const int last = m->table->stages - 1;
  memcpy(in->y_new, in->y, (size_t)in->n * sizeof *in->y); /* norms take their weights from y_new */
  cmb_status status = all_stages(in, m, h);
  /* perhaps old derivatives are the cause, not the step size */
  if (status == CMB_RETRY_NEWTON && !m->linearized_here) {
    m->linearized = m->head.ready = false;
    status = all_stages(in, m, h);
  }
  CMB_TRY(status);
  memcpy(in->y_new, m->y, (size_t)in->n * sizeof *in->y);
  memcpy(in->lambda_new, m->lambda[last], (size_t)in->ng * sizeof *in->lambda);
  *error = error_of(in, m, h);
  bool regained;
  CMB_TRY(cmb_partitioned_regain(in, h, &regained));
  *error = cmb_larger_error(*error, cmb_dirk_recovery_error(in, m->table, m->k, h, m->x));
  return regained ? cmb_slope(in, in->t + h, in->y_new, m->k[last], in->lambda_new) : CMB_OK;
}

/* Stores the accelerations or multipliers at the end of an accepted step, `end` (n), in `past`, and how far their values at the stages deviate
 * from the polynomial through the values at the ends of steps. */
static void store_past(const struct descriptor *m, const double *end, struct past *past)
{
  double *free = past->kept[1], of[3];
  const double *current = past->value[0];
  past->value[2] = past->kept[1] = past->kept[0];
  past->value[1] = past->kept[0] = free;
  memcpy(free, current, (size_t)past->n * sizeof *free);
  past->value[0] = end;
  for (int i = 0; i < m->table->stages; i++) {
    extrapolate(m, (m->table->c[i] - 1) * m->h, of);
    for (int l = 0; l < past->n; l++) {
      past->deviation[i][l] = past->stage[i][l] - of[0] * end[l] - of[1] * past->value[1][l] -
                              of[2] * past->value[2][l];
    }
  }
}

void cmb_descriptor_accept(cmb_integrator *in)
{
  struct descriptor *m = in->data;
  m->past_h[1] = m->past_h[0], m->past_h[0] = m->h;
  store_past(m, m->k[m->table->stages - 1] + in->nq, &m->of_a);
  store_past(m, in->lambda_new, &m->of_lambda);
  memcpy(m->a, m->k[m->table->stages - 1] + in->nq, (size_t)in->nv * sizeof *m->a);
  in->a = m->a;
  m->head.ready = m->linearized_here = false;
  m->linearized = m->theta <= SLOW;
}

/* Computes the position q of node k of the last step, which is one of the method's first stages, from the slopes of the stages. The formulas of
 * the stages (finish_stage) hold for its dependent coordinates, too. */
void cmb_descriptor_node_position(const cmb_integrator *in, int k, double *q)
{
  const struct descriptor *m = in->data;
  const double *row = m->table->a + k * m->table->stages;
  cmb_combine(in->nq, in->y_before, in->h_taken, k + 1, row, m->k, q);
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
              "CMB_DESCRIPTOR_OPTIONS in descriptor.h has to be the number of options");
