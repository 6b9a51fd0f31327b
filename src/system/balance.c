/*
 * Finds an equilibrium of equations with first-order states (equilibrium.h), positions q and states z together; called by
 * cmb_equilibrium if there are such states:
 *
 *     0 = Nᵀ f(t, q, 0, z),   0 = e(t, q, 0, z),   0 = g(t, q)
 *
 * by Newton's method in the n = freedoms + nz free motions x of the tangent space (tangent.h), in which each state has a separate
 * direction:
 *
 *     K x = p,   p = Nᵀ (f, e),   K = Nᵀ (∂r/∂q T + ∂r/∂z) N,   q ← q ⊕ N x projected onto g = 0,   z ← z + x
 *
 * K is not symmetric, and a controller's equilibrium need not be the minimum of anything: a step is halved until the next
 * simplified correction is shorter (Deuflhard's natural monotonicity test). Rows and columns are scaled, since units differ, and
 * eliminated with complete pivoting. Unknowns without a pivot are determined by these equations up to null vectors of K; as many
 * combinations of rows vanish, yᵀ K = 0. By the equations of motion, M v̇ = −K_w w − D v − K_z z and ż = .., each such y conserves
 *
 *     ℓᵀ x,   ℓ = (Dᵀ y, y_z)      D = Nᵀ ∂r/∂v N in the columns of velocities, between two states of rest
 *
 * so ℓᵀ x = 0 determines the remaining unknowns: a state that nothing changes stays, two tanks keep their contents. Where ℓ
 * vanishes, as for a wheel that turns freely without damping, the step is made orthogonal to y instead, which leaves the wheel
 * where it is. Whether the equilibrium is stable is decided by the eigenvalues of the linearised equations.
 */
#include "base/context.h"
#include "dae/derivative.h"
#include "dae/project.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/finite.h"
#include "system/equilibrium.h"
#include "system/linearize.h"
#include "system/stuck.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 200, HALVINGS = 30 };

static const double RADIUS = 0.5;   /* m or rad: the largest step */
static const double ARRIVED = 1e-9; /* a step below this that no longer shrinks is rounding */
static const double ROUNDING = 1e-13;
static const double NEGLIGIBLE_STATE = 1e-12; /* a state up to this is 0 but for rounding */
static const double BALANCED = 1e-13; /* forces below this part of the largest one are rounding */
static const double AT_REST =
    1e-9; /* tolerance of rows without a pivot: part of the largest force, or 1/s */

struct balance {
  cmb_evaluator *ev;
  cmb_arena *arena;
  cmb_differences *differences;
  cmb_tangent tangent; /* tangent space of the constraints, with n columns of N */
  cmb_mode_search modes;
  double t;
  double *q, *q_trial, *dq; /* (nq) position, trial position, step */
  double *v, *v_trial;      /* (nv) velocities 0, and the first-order states; trial values */
  double *z_scale;          /* (nz) the largest values and changes of the states so far */
  double *lambda;           /* (ng) multipliers */
  double *unbalanced;       /* (nv) unbalanced part of (f, e) at the point last evaluated */
  double *w;                /* (nv) Newton step in velocities and states */
  double *J;                /* ∂r/∂q or ∂r/∂v, as the equations store it */
  double *N;             /* (n x nv) basis of the tangent space where K was computed, a row each */
  double *p, *x, *y, *c; /* (n) Nᵀ (f, e), step, scratch */
  double *K;             /* (n x n) stiffness matrix, then scaled and factored */
  double *D;             /* (n x n) Nᵀ ∂r/∂v N */
  /* (n − rank x n) null vectors of K, and the conserved quantities ℓ */
  double *null, *conserved;
  double *small;    /* (n − rank x n − rank) equations for the null vectors' share */
  int *small_pivot; /* (n − rank) */
  double *row_scale, *column_scale; /* (n) factors by which K was multiplied */
  int *row, *column;                /* (n) rows and columns of K in the order of the pivots */
  int rank;                         /* number of pivots */
  double force_scale;               /* largest |f| so far, in the metric of M⁻¹ */
  double *A, *V, *re, *im, *work;   /* state matrix, eigenvectors and eigenvalues, scratch */
};

static cmb_status take_memory(struct balance *k, cmb_arena *arena)
{
  const cmb_equations *eq = k->ev->eq;
  const int nv = eq->nv,
            by_q = cmb_pattern_values(eq->derivative_pattern[CMB_RESIDUAL_Q], nv, eq->nq);
  const int by_v = cmb_pattern_values(eq->derivative_pattern[CMB_RESIDUAL_V], nv, nv);
  double **const vectors[] = {&k->v, &k->v_trial,   &k->unbalanced,   &k->w, &k->p, &k->x,
                              &k->y, &k->row_scale, &k->column_scale, &k->c};
  double **const matrices[] = {&k->D, &k->N, &k->K, &k->null, &k->conserved, &k->small};
  CMB_TRY(cmb_tangent_create(&k->tangent, arena, k->ev));
  k->q = cmb_arena_doubles(arena, eq->nq);
  k->q_trial = cmb_arena_doubles(arena, eq->nq);
  k->dq = cmb_arena_doubles(arena, eq->nq);
  k->z_scale = cmb_arena_doubles(arena, eq->nz);
  k->lambda = cmb_arena_doubles(arena, eq->ng);
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = cmb_arena_doubles(arena, nv);
  }
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
    *matrices[i] = cmb_arena_doubles(arena, nv * nv);
  }
  k->J = cmb_arena_doubles(arena, by_q > by_v ? by_q : by_v);
  k->row = cmb_arena_ints(arena, nv);
  k->column = cmb_arena_ints(arena, nv);
  k->small_pivot = cmb_arena_ints(arena, nv);
  k->A = cmb_arena_doubles(arena, 4 * nv * nv);
  k->V = cmb_arena_doubles(arena, 4 * nv * nv);
  k->re = cmb_arena_doubles(arena, 2 * nv);
  k->im = cmb_arena_doubles(arena, 2 * nv);
  k->work = cmb_arena_doubles(arena, cmb_eigen_work(2 * nv, 0));
  cmb_mode_search_create(&k->modes, arena, eq);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(k->ev->ctx);
  return cmb_differences_create(k->ev, &k->differences);
}

static int first_state(const struct balance *k)
{
  return k->ev->eq->nv - k->ev->eq->nz;
}

static cmb_status forces_at(struct balance *k, const double *q, const double *v)
{
  double size;
  CMB_TRY(cmb_static_forces(&k->tangent, &k->modes, k->t, q, v, k->lambda, k->unbalanced, &size));
  k->force_scale = fmax(k->force_scale, size);
  return CMB_OK;
}

/* ---- K, scaled and factored */

/* Computes the stiffness matrix k->K (n x n) of the mechanism at the current position: the derivative of the unbalanced forces Nᵀ r in the
 * tangent space of the constraints, whose basis are the n columns of N, with respect to displacements and first-order states. Also stores the
 * damping matrix k->D = Nᵀ ∂r/∂v N. r is the residual of the equations of motion. Returns CMB_RETRY_NONFINITE if K is not finite. */
static cmb_status stiffness(struct balance *k)
{
  const cmb_pattern *const *pattern = k->ev->eq->derivative_pattern;
  const double *rest = k->ev->zero;
  const int n = k->tangent.n, states = n - k->ev->eq->nz;
  CMB_TRY(
      cmb_derivative_at(k->differences, k->t, k->q, k->v, rest, k->lambda, CMB_RESIDUAL_Q, k->J));
  cmb_tangent_reduce(&k->tangent, pattern[CMB_RESIDUAL_Q], k->J, k->q, k->K);
  CMB_TRY(
      cmb_derivative_at(k->differences, k->t, k->q, k->v, rest, k->lambda, CMB_RESIDUAL_V, k->J));
  cmb_tangent_reduce(&k->tangent, pattern[CMB_RESIDUAL_V], k->J, NULL, k->D);
  for (int i = 0; i < n; i++) {
    for (int j = states; j < n; j++) k->K[i * n + j] = k->D[i * n + j];
  }
  return cmb_all_finite(n * n, k->K) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* Returns 1 / max |x_i| over the `count` entries x_i = x[i stride] of a row or column; 0 if all of them are 0. */
static double inverse_of_largest(int count, const double *x, int stride)
{
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i * stride]));
  return most > 0 ? 1 / most : 0;
}

/* Equilibrates the stiffness matrix k->K (n x n) in place: divides each row, and then each column, by its largest absolute entry. Stores the
 * factors in k->row_scale and k->column_scale. Rows of forces that are negligible beside the largest ones are set to 0, since they are rounding
 * errors. */
static void scale(struct balance *k)
{
  const int n = k->tangent.n, states = n - k->ev->eq->nz;
  const double least = inverse_of_largest(states * n, k->K, 1) / cmb_stiffness_noise(k->ev->eq);
  for (int i = 0; i < n; i++) {
    k->row_scale[i] = inverse_of_largest(n, k->K + i * n, 1);
    if (i < states && k->row_scale[i] >= least) k->row_scale[i] = 0;
    for (int j = 0; j < n; j++) k->K[i * n + j] *= k->row_scale[i];
  }
  for (int j = 0; j < n; j++) {
    k->column_scale[j] = inverse_of_largest(n, k->K + j, n);
    for (int i = 0; i < n; i++) k->K[i * n + j] *= k->column_scale[j];
  }
}

static void swap(int *a, int *b)
{
  const int kept = *a;
  *a = *b;
  *b = kept;
}

/* Computes the LU factors of the scaled stiffness matrix k->K (n x n) in place, with complete pivoting; k->row and k->column become the order
 * of the pivots. Stops where all remaining entries are rounding errors, and stores the number of pivots in k->rank. */
static void eliminate(struct balance *k)
{
  const int n = k->tangent.n;
  const double least = n * cmb_stiffness_noise(k->ev->eq);
  double *K = k->K;
  for (int i = 0; i < n; i++) k->row[i] = k->column[i] = i;
  for (k->rank = 0; k->rank < n; k->rank++) {
    const int m = k->rank;
    int r = m, c = m;
    for (int i = m; i < n; i++) {
      for (int j = m; j < n; j++) {
        const double here = fabs(K[k->row[i] * n + k->column[j]]);
        if (here > fabs(K[k->row[r] * n + k->column[c]])) r = i, c = j;
      }
    }
    if (fabs(K[k->row[r] * n + k->column[c]]) <= least) return;
    swap(&k->row[m], &k->row[r]);
    swap(&k->column[m], &k->column[c]);
    const double *pivot = K + (ptrdiff_t)k->row[m] * n;
    for (int i = m + 1; i < n; i++) {
      double *at = K + (ptrdiff_t)k->row[i] * n, factor = at[k->column[m]] / pivot[k->column[m]];
      at[k->column[m]] = factor;
      for (int j = m + 1; j < n; j++) at[k->column[j]] -= factor * pivot[k->column[j]];
    }
  }
}

/* Solves K x = p with the LU factors of the n x n matrix K, which may be singular: unknowns without a pivot become 0, and equations without one
 * are ignored. Returns the 2-norm of the solution in scaled unknowns. */
static double solve(const struct balance *k, const double *p, double *x)
{
  const int n = k->tangent.n;
  double size = 0, *y = k->y;
  for (int i = 0; i < k->rank; i++) {
    y[i] = p[k->row[i]] * k->row_scale[k->row[i]];
    for (int j = 0; j < i; j++) y[i] -= k->K[k->row[i] * n + k->column[j]] * y[j];
  }
  for (int i = k->rank - 1; i >= 0; i--) {
    const double *row = k->K + (ptrdiff_t)k->row[i] * n;
    for (int j = i + 1; j < k->rank; j++) y[i] -= row[k->column[j]] * y[j];
    y[i] /= row[k->column[i]];
    size += y[i] * y[i];
  }
  memset(x, 0, (size_t)n * sizeof *x);
  for (int i = 0; i < k->rank; i++) x[k->column[i]] = y[i] * k->column_scale[k->column[i]];
  return sqrt(size);
}

/* ---- unknowns that K does not determine */

/* Computes a vector x (n) with K x = 0 from the LU factors of the singular stiffness matrix K. x is 1 in the unknown without a pivot at
 * position `free` of the pivot order, and 0 in the other unknowns without a pivot, in scaled units. */
static void find_null(const struct balance *k, int free, double *x)
{
  const int n = k->tangent.n, c = k->column[free];
  double *y = k->y;
  memset(x, 0, (size_t)n * sizeof *x);
  x[c] = k->column_scale[c] > 0 ? k->column_scale[c] : 1;
  for (int i = k->rank - 1; i >= 0; i--) {
    const double *row = k->K + (ptrdiff_t)k->row[i] * n;
    y[i] = -row[c];
    for (int j = i + 1; j < k->rank; j++) y[i] -= row[k->column[j]] * y[j];
    y[i] /= row[k->column[i]];
    x[k->column[i]] = y[i] * k->column_scale[k->column[i]];
  }
}

/* Computes a vector y (n) with yᵀ K = 0 from the LU factors of the singular stiffness matrix K. y is 1 in the equation without a pivot at
 * position `free` of the pivot order, and 0 in the other equations without a pivot, in scaled units. */
static void find_left_null(const struct balance *k, int free, double *y)
{
  const int n = k->tangent.n, r = k->row[free];
  double *c = k->y;
  memset(y, 0, (size_t)n * sizeof *y);
  for (int i = k->rank - 1; i >= 0; i--) { /* solves c L = the row's factors */
    c[i] = k->K[r * n + k->column[i]];
    for (int j = i + 1; j < k->rank; j++) c[i] -= c[j] * k->K[k->row[j] * n + k->column[i]];
    y[k->row[i]] = -c[i] * k->row_scale[k->row[i]];
  }
  y[r] = k->row_scale[r] > 0 ? k->row_scale[r] : 1;
}

/* Computes the conserved quantity that belongs to a vector y (n) with yᵀ K = 0 for the stiffness matrix K: the coefficients ℓ (n), in
 * `conserved`, of a linear function ℓᵀ x that has the same value at all states of rest x that one motion can reach. For displacements these are
 * the entries of Dᵀ y with the damping matrix D, for first-order states those of y. If all of ℓ is rounding error, `conserved` becomes y. */
static void find_conserved(const struct balance *k, const double *y, double *conserved)
{
  const int n = k->tangent.n, states = n - k->ev->eq->nz;
  double size = 0, sum = 0;
  for (int j = 0; j < n; j++) {
    conserved[j] = j < states ? 0 : y[j];
    for (int i = 0; i < n && j < states; i++) {
      conserved[j] += y[i] * k->D[i * n + j];
      sum += fabs(y[i] * k->D[i * n + j]);
    }
    size = fmax(size, fabs(conserved[j]));
  }
  if (size > n * cmb_stiffness_noise(k->ev->eq) * sum) return;
  memcpy(conserved, y, (size_t)n * sizeof *conserved);
}

static void find_undetermined(struct balance *k)
{
  const int n = k->tangent.n;
  for (int i = k->rank; i < n; i++) {
    find_null(k, i, k->null + (ptrdiff_t)(i - k->rank) * n);
    find_left_null(k, i, k->c);
    find_conserved(k, k->c, k->conserved + (ptrdiff_t)(i - k->rank) * n);
  }
}

/* Adds to the Newton step x (n) the combination of null vectors of the stiffness matrix with which the step changes none of the conserved
 * quantities ℓᵀ x. Leaves x unchanged if no unique combination exists. */
static void keep_conserved(struct balance *k, double *x)
{
  const int n = k->tangent.n, m = n - k->rank;
  for (int i = 0; i < m; i++) {
    const double *conserved = k->conserved + (ptrdiff_t)i * n;
    for (int j = 0; j < m; j++) {
      k->small[i * m + j] = cmb_dot(n, conserved, k->null + (ptrdiff_t)j * n);
    }
    k->c[i] = -cmb_dot(n, conserved, x);
  }
  if (m == 0 || cmb_lu_factor(m, k->small, k->w, k->small_pivot) != CMB_OK) return;
  cmb_lu_solve(m, k->small, k->small_pivot, k->c);
  if (!cmb_all_finite(m, k->c)) return;
  for (int j = 0; j < m; j++) cmb_add_scaled(n, k->c[j], k->null + (ptrdiff_t)j * n, x);
}

/* ---- steps */

/* Computes w = N x (nv), the velocities and changes of first-order states that belong to the coefficients x (n). N is a basis of the tangent
 * space of the constraints, stored column by column (n x nv). */
static void combine(const struct balance *k, const double *N, const double *x, double *w)
{
  const int n = k->tangent.n, nv = k->ev->eq->nv;
  memset(w, 0, (size_t)nv * sizeof *w);
  for (int i = 0; i < n; i++) cmb_add_scaled(nv, x[i], N + (ptrdiff_t)i * nv, w);
}

static void reduce_forces(const struct balance *k, const double *N, double *p)
{
  const int nv = k->ev->eq->nv;
  for (int i = 0; i < k->tangent.n; i++) p[i] = cmb_dot(nv, N + (ptrdiff_t)i * nv, k->unbalanced);
}

/* Computes the Newton step towards equilibrium from the forces last evaluated: k->x (n) in the basis N of the tangent space, k->w =
 * N x (nv), and the change k->dq (nq) of the coordinates. *size becomes the 2-norm of the step in scaled unknowns, without the part
 * along null vectors of the stiffness matrix. */
static cmb_status newton_step(struct balance *k, double *size)
{
  const cmb_equations *eq = k->ev->eq;
  const int n = k->tangent.n;
  CMB_TRY(stiffness(k));
  scale(k);
  eliminate(k);
  memcpy(k->N, k->tangent.N, (size_t)n * (size_t)eq->nv * sizeof *k->N);
  find_undetermined(k);
  reduce_forces(k, k->N, k->p);
  *size = solve(k, k->p, k->x);
  keep_conserved(k, k->x);
  combine(k, k->N, k->x, k->w);
  cmb_rates(k->ev, k->q, k->w, k->dq);
  return cmb_all_finite(eq->nq, k->dq) && isfinite(*size) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* Returns the relative size of the Newton step: the largest change of a coordinate relative to 1 + max |q|, or of a first-order state relative
 * to the largest value or change of this state so far, whichever is larger. Updates these largest values in k->z_scale. */
static double relative_size(struct balance *k)
{
  const cmb_equations *eq = k->ev->eq;
  double most = cmb_largest(eq->nq, k->dq) / (1 + cmb_largest(eq->nq, k->q));
  for (int i = 0; i < eq->nz; i++) {
    const double change = fabs(k->w[first_state(k) + i]);
    k->z_scale[i] = fmax(k->z_scale[i], fmax(change, fabs(k->v[first_state(k) + i])));
    if (change > 0) most = fmax(most, change / k->z_scale[i]);
  }
  return most;
}

/* Computes the trial point k->q_trial (nq), k->v_trial (nv) of a line search: the fraction alpha of the Newton step from the current point,
 * projected onto the position constraints. Evaluates the unbalanced forces there. */
static cmb_status try_step(struct balance *k, double alpha)
{
  const cmb_equations *eq = k->ev->eq;
  CMB_TRY(cmb_displace(k->ev, k->t, k->q, alpha, k->dq, k->q_trial));
  memcpy(k->v_trial, k->v, (size_t)eq->nv * sizeof *k->v);
  for (int i = first_state(k); i < eq->nv; i++) k->v_trial[i] += alpha * k->w[i];
  return forces_at(k, k->q_trial, k->v_trial);
}

/* Takes a damped Newton step and updates the positions k->q and first-order states in k->v. The step, of scaled norm `size`, is shortened to
 * RADIUS and then halved until the next correction with the same matrix is shorter (natural monotonicity test); if `near` is set, the first
 * trial point that can be evaluated is accepted. Returns a positive status if no trial point is accepted. */
static cmb_status descend(struct balance *k, double size, bool near)
{
  const cmb_equations *eq = k->ev->eq;
  const double most = cmb_largest(eq->nq, k->dq);
  double alpha = most > RADIUS ? RADIUS / most : 1;
  cmb_status status = CMB_RETRY_NEWTON;
  for (int i = 0; i < HALVINGS; i++, alpha /= 2) {
    status = try_step(k, alpha);
    if (status < 0) return status;
    if (status != CMB_OK) continue;
    reduce_forces(k, k->N, k->p);
    status = CMB_RETRY_NEWTON;
    if (!near && !(solve(k, k->p, k->x) <= (1 - alpha / 4) * size)) continue;
    memcpy(k->q, k->q_trial, (size_t)eq->nq * sizeof *k->q);
    memcpy(k->v, k->v_trial, (size_t)eq->nv * sizeof *k->v);
    return CMB_OK;
  }
  return status;
}

/* Returns whether the remaining equations, those whose rows of the stiffness matrix have no pivot, are satisfied at the result of Newton's
 * method: forces to AT_REST times the largest force so far, rates of first-order states z to AT_REST (1 + |z|). */
static bool is_balanced(const struct balance *k)
{
  const int states = k->tangent.n - k->ev->eq->nz;
  for (int i = k->rank; i < k->tangent.n; i++) {
    const int r = k->row[i], z = first_state(k) + r - states;
    const double limit = r < states ? k->force_scale : 1 + fabs(k->v[z]);
    if (fabs(k->p[r]) > AT_REST * limit) return false;
  }
  return true;
}

/* Returns whether the equilibrium is reached to rounding: the unbalanced forces are rounding errors, and the rates of all first-order states
 * are exactly 0. */
static bool is_rounding(const struct balance *k)
{
  const int n = k->tangent.n, states = n - k->ev->eq->nz;
  if (cmb_largest(k->ev->eq->nz, k->p + states) > 0) return false;
  return cmb_norm2(states, k->p) <= BALANCED * k->force_scale;
}

static cmb_status iterate(struct balance *k, int *iterations)
{
  double last = INFINITY;
  for (*iterations = 0; *iterations < ITERATIONS; ++*iterations) {
    double scaled;
    CMB_TRY(newton_step(k, &scaled));
    const double size = relative_size(k);
    if (size <= ROUNDING || (size <= ARRIVED && size >= last / 2) || is_rounding(k)) {
      return is_balanced(k) ? CMB_OK : CMB_RETRY_NEWTON;
    }
    CMB_TRY(descend(k, scaled, size <= ARRIVED));
    last = size;
  }
  return CMB_RETRY_NEWTON;
}

/* ---- results */

/* Reports the neutral directions of the equilibrium: motions and first-order states that it leaves undetermined. Stores their number in
 * report->neutral, and the velocities or states that dominate them, up to CMB_NEUTRAL_NAMED, none twice, in the report. */
static void name_neutral(struct balance *k, cmb_equilibrium_report *report)
{
  const int nv = k->ev->eq->nv, n = k->tangent.n;
  report->neutral = n - k->rank;
  for (int i = 0; i < report->neutral; i++) {
    double *w = k->small + (ptrdiff_t)i * nv;
    combine(k, k->N, k->null + (ptrdiff_t)i * n, w);
    for (int m = first_state(k); m < nv; m++) {
      const double seen = k->z_scale[m - first_state(k)];
      if (seen > NEGLIGIBLE_STATE) w[m] /= seen;
    }
  }
  cmb_name_neutral(report->neutral, nv, k->small, report);
}

/* Adds to the velocities k->v (nv) that part of the velocities `given` (nv) that is along motions which the equilibrium leaves undetermined, so
 * that a spinning wheel goes on spinning. Overwrites the null vectors of the stiffness matrix. */
static void keep_velocities(struct balance *k, const double *given)
{
  const int nv = k->ev->eq->nv, n = k->tangent.n, freedoms = n - k->ev->eq->nz;
  for (int i = 0; i < n - k->rank; i++) {
    double *x = k->null + (ptrdiff_t)i * n, along = 0;
    for (int j = 0; j < i; j++) {
      const double *e = k->null + (ptrdiff_t)j * n;
      cmb_add_scaled(freedoms, -cmb_dot(freedoms, x, e), e, x);
    }
    const double size = sqrt(cmb_dot(freedoms, x, x));
    for (int j = 0; j < freedoms; j++) x[j] = size > 1e-6 ? x[j] / size : 0;
    for (int j = 0; j < freedoms; j++) {
      along += x[j] * cmb_dot(first_state(k), k->tangent.P + (ptrdiff_t)j * nv, given);
    }
    for (int j = 0; j < freedoms; j++) {
      cmb_add_scaled(first_state(k), along * x[j], k->tangent.N + (ptrdiff_t)j * nv, k->v);
    }
  }
}

/* Counts the unstable ones of the m eigenvalues k->re + i k->im: those whose real part is positive by more than rounding. The smallest
 * eigenvalues, two for each null vector of the stiffness matrix, do not count if they may be 0: an error ε of the state matrix moves a double
 * eigenvalue 0 by about √ε. */
static int count_unstable(const struct balance *k, int m)
{
  const int of_null = 2 * (k->tangent.n - k->rank);
  const double noise = cmb_stiffness_noise(k->ev->eq);
  double most = 0;
  int unstable = 0;
  for (int i = 0; i < m; i++) most = fmax(most, hypot(k->re[i], k->im[i]));
  for (int i = 0; i < m; i++) {
    const double size = hypot(k->re[i], k->im[i]);
    int smaller = 0;
    for (int j = 0; j < m; j++) smaller += hypot(k->re[j], k->im[j]) < size;
    const bool doubtful = smaller < of_null && size <= sqrt(noise) * most;
    unstable += !doubtful && k->re[i] > 100 * noise * size;
  }
  return unstable;
}

/* Fills the report on an equilibrium: its stability, by the eigenvalues of the linearised equations, its neutral directions, the number of
 * unknowns and the largest unbalanced force. Returns CMB_RETRY_NEWTON if the eigenvalue iteration fails. */
static cmb_status report_stability(struct balance *k, cmb_equilibrium_report *report)
{
  const cmb_equations *eq = k->ev->eq;
  name_neutral(k, report);
  CMB_TRY(cmb_linearize_at(&k->tangent, k->t, k->q, k->v, k->ev->zero, k->lambda, k->A));
  const int m = 2 * k->tangent.n - eq->nz;
  if (!cmb_eigen_general(m, k->A, k->re, k->im, k->V, k->work)) return CMB_RETRY_NEWTON;
  report->unstable = count_unstable(k, m);
  report->freedoms = k->tangent.n;
  report->stability = report->unstable > 0  ? CMB_UNSTABLE
                      : report->neutral > 0 ? CMB_NEUTRAL
                                            : CMB_STABLE;
  for (int i = 0; i < eq->nv; i++) {
    if (fabs(k->unbalanced[i]) <= report->force) continue;
    report->force = fabs(k->unbalanced[i]);
    report->force_most = i;
  }
  return CMB_OK;
}

/* Sets the start of the search for an equilibrium: k->q becomes a position near q (nq) that satisfies the constraints, k->v the
 * first-order states in v (nv) with all velocities 0. Also finds the modes (signs of the switching functions) there. */
static cmb_status begin(struct balance *k, const double *q, const double *v)
{
  const cmb_equations *eq = k->ev->eq;
  cmb_start_report start;
  memcpy(k->q, q, (size_t)eq->nq * sizeof *q);
  memcpy(k->v, v, (size_t)eq->nv * sizeof *v);
  CMB_TRY(cmb_start_in_modes(k->ev, &k->modes, k->t, k->q, k->v, k->unbalanced, k->lambda, &start));
  memset(k->v, 0, (size_t)first_state(k) * sizeof *k->v);
  return CMB_OK;
}

static cmb_status balance(struct balance *k, const double *q, const double *v,
                          cmb_equilibrium_report *report)
{
  CMB_TRY(begin(k, q, v));
  cmb_status status = cmb_refuse_stuck(k->ev, k->arena, k->t, k->q, k->v, k->lambda,
                                       "the search for an equilibrium of a model with states");
  if (status == CMB_OK) status = forces_at(k, k->q, k->v);
  if (status == CMB_OK) status = iterate(k, &report->iterations);
  if (status == CMB_OK) status = report_stability(k, report);
  if (status == CMB_OK) keep_velocities(k, v);
  if (status <= 0) return status;
  const bool known = status == CMB_RETRY_NEWTON && forces_at(k, k->q, k->v) == CMB_OK;
  return cmb_no_equilibrium(k->ev, k->t, status, known ? k->unbalanced : NULL);
}

cmb_status cmb_balance(cmb_evaluator *ev, double t, double *q, double *v, double *lambda,
                       cmb_equilibrium_report *report)
{
  const cmb_equations *eq = ev->eq;
  struct balance k = {.ev = ev, .t = t};
  cmb_arena *arena = k.arena = cmb_arena_create(ev->ctx);
  if (!arena) return cmb_fail_memory(ev->ctx);
  cmb_status status = take_memory(&k, arena);
  if (status == CMB_OK) status = balance(&k, q, v, report);
  if (status == CMB_OK) {
    cmb_note_moved(eq->nq, q, k.q, report);
    memcpy(q, k.q, (size_t)eq->nq * sizeof *q);
    memcpy(v, k.v, (size_t)eq->nv * sizeof *v);
    memcpy(lambda, k.lambda, (size_t)eq->ng * sizeof *lambda);
  }
  cmb_differences_destroy(k.differences);
  cmb_arena_destroy(arena);
  return status;
}
