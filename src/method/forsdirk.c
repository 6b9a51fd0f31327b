/*
 * The method `forsdirk` of the integrator (Haug, Negrut and Engstler: ForSDIRK), a slow reference for others: the implicit Runge–Kutta
 * method SDIRK4 on the first-order state-space form y' = F(Π(y)) (partitioned.h), where y = (q, v) and Π corrects the dependent
 * coordinates.
 *
 *     k_i = F(Π(h Σ_{j<i} a_ij k_j + c k_i + y_n)),  c = h γ      by Newton's method for the active components of y
 *
 * The active components are the independent coordinates and velocities; where T ≠ I, all coordinates and the independent velocities. The
 * matrix I − c J is made by differences of F(Π(y)) where the step begins, one for each active component. Error estimate as in SDIRK4: (I −
 * c J)⁻¹ h Σ (b_i − b̂_i) k_i for the active components. Dependent components have the error that follows from the constraints, and the
 * correction by Π in the step counts as well.
 */
#include "method/partitioned.h"

#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STAGES = 5 };

struct forsdirk {
  cmb_partitioned head;
  const cmb_dirk_table *table;
  double *J;     /* (n x active) ∂F(Π(y))/∂y for the active components of y */
  double *LU;    /* (active x active) factors of I − c J for the active components */
  double *scale; /* (active) row scaling of the factorisation; scratch */
  int *pivot;    /* (active) row permutation of the factors */
  int *active;   /* (n) indices of the active components of y */
  int active_count;
  double c;          /* c = h γ of the factored matrix; 0: none is factored */
  double *a;         /* (nv) accelerations where the step begins */
  double *k[STAGES]; /* (n) slopes of the stages */
  /* (n) state of the stage without the term of its own slope; state of the stage */
  double *base, *y;
  double *f, *f0; /* (n) slopes, at the stage and where the step begins */
  double *z;      /* (active) right side and solution */
  double *x;      /* (n) error estimate, increment; afterwards the gap of the dense output */
  cmb_newton newton;
};

static cmb_status create(cmb_integrator *in)
{
  cmb_arena *arena = in->arena;
  struct forsdirk *m = in->data = cmb_arena_take(arena, 1, sizeof *m);
  if (!m) return CMB_OK;
  m->table = &cmb_sdirk4_table;
  cmb_dirk_newton(&m->newton, in->options.rtol);
  CMB_TRY(cmb_partition_create(in->ev, arena, &m->head.partition));
  m->J = cmb_arena_take(arena, (size_t)in->n * (size_t)in->n, sizeof *m->J);
  m->LU = cmb_arena_take(arena, (size_t)in->n * (size_t)in->n, sizeof *m->LU);
  m->pivot = cmb_arena_ints(arena, in->n);
  m->active = cmb_arena_ints(arena, in->n);
  double **vectors[] = {&m->a, &m->base, &m->y, &m->f, &m->f0, &m->z, &m->x, &m->scale};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    *vectors[i] = cmb_arena_doubles(arena, in->n);
  }
  for (int i = 0; i < STAGES; i++) m->k[i] = cmb_arena_doubles(arena, in->n);
  return CMB_OK;
}

static cmb_status begin(cmb_integrator *in)
{
  struct forsdirk *m = in->data;
  cmb_partitioned_begin(in);
  cmb_newton_forget(&m->newton);
  CMB_TRY(cmb_slope(in, in->t, in->y, m->f0, in->lambda));
  memcpy(m->a, m->f0 + in->nq, (size_t)in->nv * sizeof *m->a);
  in->a = m->a;
  return CMB_OK;
}

/* Lists in m->active the indices of those components of y = (q, v) for which Newton's method solves: the independent coordinates and
 * velocities. If q̇ = T(q) v with T ≠ I, these are all coordinates and the independent velocities. */
static void list_active(const cmb_integrator *in, struct forsdirk *m)
{
  const cmb_partition *p = m->head.partition;
  int count = 0;
  if (in->ev->eq->rates) {
    for (int i = 0; i < in->nq; i++) m->active[count++] = i;
  } else {
    for (int i = 0; i < p->free_count; i++) m->active[count++] = p->independent[i];
  }
  for (int i = 0; i < p->free_count; i++) m->active[count++] = in->nq + p->independent[i];
  m->active_count = count;
}

/* Computes the Jacobian m->J (n x active) of the slope y' = F(Π(y)) at the beginning of the step with respect to the components of y for which
 * Newton's method solves, by difference quotients. Π corrects the dependent components of y so that the constraints are satisfied. */
static cmb_status differentiate(cmb_integrator *in, struct forsdirk *m)
{
  const int count = m->active_count;
  const size_t bytes = (size_t)in->n * sizeof *m->y;
  memcpy(m->y, in->y, bytes);
  CMB_TRY(cmb_partitioned_slope(in, in->t, m->y, m->f0, in->lambda_new));
  in->ev->stats.jacobian++;
  for (int l = 0; l < count; l++) {
    const int at = m->active[l];
    const double wanted = fmax(fabs(in->y[at]), sqrt(sqrt(DBL_EPSILON))) * sqrt(DBL_EPSILON);
    volatile double there = in->y[at] + wanted;
    memcpy(m->y, in->y, bytes);
    m->y[at] = there;
    CMB_TRY(cmb_partitioned_slope(in, in->t, m->y, m->f, in->lambda_new));
    for (int i = 0; i < in->n; i++) {
      m->J[i * count + l] = (m->f[i] - m->f0[i]) / (there - in->y[at]);
    }
  }
  return CMB_OK;
}

/* Prepares a step of size h: partitions the coordinates into dependent and independent ones, computes the Jacobian J at the beginning of the
 * step, and factorises I − h γ J with the diagonal coefficient γ of the Runge–Kutta method. Reuses what is still valid from an earlier attempt. */
static cmb_status prepare(cmb_integrator *in, double h)
{
  struct forsdirk *m = in->data;
  const double c = m->table->gamma * h;
  if (!m->head.ready) {
    CMB_TRY(cmb_partitioned_prepare(in));
    m->head.ready = false; /* until everything is prepared */
    list_active(in, m);
    CMB_TRY(differentiate(in, m));
    m->head.ready = true;
    m->c = 0;
  }
  if (c == m->c) return CMB_OK;
  const int n = m->active_count;
  m->c = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) m->LU[i * n + j] = (i == j) - c * m->J[m->active[i] * n + j];
  }
  in->ev->stats.factor++;
  CMB_TRY(cmb_lu_factor(n, m->LU, m->scale, m->pivot));
  m->c = c;
  return CMB_OK;
}

/* Computes x := (I − c J)⁻¹ x in place with the factorised matrix, for the components of x (n) for which Newton's method solves; sets the other
 * components to 0. J is the Jacobian of the differential equations. */
static void solve(cmb_integrator *in, struct forsdirk *m, double *x)
{
  for (int i = 0; i < m->active_count; i++) m->z[i] = x[m->active[i]];
  cmb_lu_solve(m->active_count, m->LU, m->pivot, m->z);
  in->ev->stats.solve++;
  memset(x, 0, (size_t)in->n * sizeof *x);
  for (int i = 0; i < m->active_count; i++) x[m->active[i]] = m->z[i];
}

/* Computes the state m->y of stage i at time t from the stage's slope, corrects its dependent components so that the constraints are satisfied,
 * and computes the slope F there in m->f (n). */
static cmb_status evaluate(cmb_integrator *in, struct forsdirk *m, int i, double t)
{
  for (int l = 0; l < in->n; l++) m->y[l] = m->base[l] + m->c * m->k[i][l];
  return cmb_partitioned_slope(in, t, m->y, m->f, in->lambda_new);
}

/* Performs one Newton iteration for the slopes k (n) of a stage, for which m->f must contain the slope F at the current iterate. Solves (I − c
 * J) Δ = F − k for the increments of the independent slopes, and sets k := F + c J Δ; the second term matters for dependent components of stiff
 * systems. m->x (n) becomes c Δ. */
static void newton_step(cmb_integrator *in, struct forsdirk *m, double *k)
{
  const int count = m->active_count;
  for (int l = 0; l < in->n; l++) m->x[l] = m->f[l] - k[l];
  solve(in, m, m->x);
  for (int l = 0; l < in->n; l++) m->x[l] *= m->c;
  for (int l = 0; l < count; l++) m->z[l] *= m->c;
  for (int l = 0; l < in->n; l++) k[l] = m->f[l] + cmb_dot(count, m->J + l * count, m->z);
}

/* Solves stage i of a step of size h by Newton's method for its slope m->k[i]. The starting value is a weighted sum of the slopes of earlier
 * stages or, for the first stage, the slope at the beginning of the step. */
static cmb_status stage(cmb_integrator *in, struct forsdirk *m, int i, double h)
{
  const cmb_dirk_table *table = m->table;
  const double t = in->t + table->c[i] * h;
  cmb_combine(in->n, in->y, h, i, table->a + i * table->stages, m->k, m->base);
  memset(m->k[i], 0, (size_t)in->n * sizeof *m->f0);
  if (i == 0) memcpy(m->k[0], m->f0, (size_t)in->n * sizeof *m->f0);
  cmb_combine(in->n, m->k[i], 1, i, table->start + i * table->stages, m->k, m->k[i]);
  for (cmb_newton_begin(&m->newton); !m->newton.arrived;) {
    CMB_TRY(evaluate(in, m, i, t));
    newton_step(in, m, m->k[i]);
    in->ev->stats.newton++;
    CMB_TRY(cmb_newton_judge(&m->newton, cmb_size_of_change(in, m->x)));
  }
  return CMB_OK;
}

/* Estimates the error of the new state y_new after a step of size h, in m->x (n). For the components for which Newton's method solves, it is
 * the difference from the embedded solution, multiplied by (I − c J)⁻¹ to damp stiff components; for the dependent components it follows from
 * these by the constraints. */
static cmb_status estimate_error(cmb_integrator *in, struct forsdirk *m, double h)
{
  memset(m->x, 0, (size_t)in->n * sizeof *m->x);
  cmb_combine(in->n, m->x, h, STAGES, m->table->error, m->k, m->x);
  solve(in, m, m->x);
  for (int l = 0; l < in->n; l++) m->y[l] = in->y_new[l] - m->x[l];
  CMB_TRY(cmb_partitioned_recover(in, in->t + h, m->y));
  for (int l = 0; l < in->n; l++) m->x[l] = in->y_new[l] - m->y[l];
  return CMB_OK;
}

static cmb_status attempt(cmb_integrator *in, double h, double *error)
{
  struct forsdirk *m = in->data;
  memcpy(in->y_new, in->y, (size_t)in->n * sizeof *in->y); /* norms take their weights from y_new */
  CMB_TRY(prepare(in, h));
  for (int i = 0; i < STAGES; i++) CMB_TRY(stage(in, m, i, h));
  /* multipliers and accelerations at the end of the step */
  CMB_TRY(evaluate(in, m, STAGES - 1, in->t + h));
  memcpy(in->y_new, m->y, (size_t)in->n * sizeof *in->y);
  CMB_TRY(estimate_error(in, m, h));
  *error = cmb_largest_error(in, m->x);
  bool regained;
  CMB_TRY(cmb_partitioned_regain(in, h, &regained));
  *error = cmb_larger_error(*error, cmb_dirk_recovery_error(in, m->table, m->k, h, m->x));
  return regained ? cmb_slope(in, in->t + h, in->y_new, m->f, in->lambda_new) : CMB_OK;
}

static void accept(cmb_integrator *in)
{
  struct forsdirk *m = in->data;
  memcpy(m->a, m->f + in->nq, (size_t)in->nv * sizeof *m->a);
  in->a = m->a;
  m->head.ready = false;
}

static cmb_status densify(cmb_integrator *in)
{
  struct forsdirk *m = in->data;
  cmb_dirk_densify(in, m->table, m->k, m->x);
  return CMB_OK;
}

static void interpolate(const cmb_integrator *in, double theta, double *y)
{
  const struct forsdirk *m = in->data;
  cmb_dirk_interpolate(in, m->table, m->k, m->x, theta, y);
}

static const cmb_option options[] = {CMB_OPTION_STEPS};

static const cmb_controller control = CMB_DIRK_CONTROLLER(4);

const cmb_method cmb_method_forsdirk = {
    .name = "forsdirk",
    .title = "SDIRK of order 4 on the first-order state-space form; a reference, slow (Negrut)",
    .order = 4,
    .control = &control,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .create = create,
    .begin = begin,
    .attempt = attempt,
    .accept = accept,
    .densify = densify,
    .dense_degree = 3,
    .interpolate = interpolate,
    .destroy = cmb_partitioned_destroy,
};
