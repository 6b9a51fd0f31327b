/*
 * Accelerations at and near positions where the constraints lose rank while the mechanism passes through (branch.h).
 *
 * There nᵀ (G a + γ) = 0 determines nothing of a, but it holds before and after too, so its derivative is 0. With nᵀ G = 0 and G a
 * + γ = 0 what is left of that is
 *
 *     0 = nᵀ (Ġ a + γ̇),   γ̇ = ∂γ/∂t + ∂γ/∂q T v + ∂γ/∂v a,
 *
 * one equation for each n. The force that enforces it is the limit of Gᵀ λ with growing λ: it acts along w = P M⁻¹ Ġᵀ n, where P
 * projects onto the accelerations that the constraints of full rank permit. So a = a₀ − Σ μ_k w_k, where a₀ is the acceleration
 * with the multipliers of least norm. Constraints that are dependent everywhere have w = 0 and need no correction. Derivatives
 * along the motion are central differences; γ is quadratic in v, so its central difference with respect to v is exact.
 *
 * Near such a position nᵀ (G a + γ) = 0 is a small number times a, so the errors of position and velocity of a Runge–Kutta stage
 * are divided by it. That equation is therefore evaluated at the state (q*, v*) on the branch, which is (q, v) projected onto all
 * constraints. All else is evaluated at (q, v), so that the order of the method is kept.
 */
#include "dae/branch.h"

#include "base/context.h"
#include "dae/size.h"
#include "math/dense.h"
#include "math/orthogonal.h"
#include "math/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* relative size below which a direction or an equation counts as zero: the differences have errors of about 1e-10 */
static const double NEGLIGIBLE = 1e-5;

struct cmb_branch {
  double *G;         /* values of G before the point, then of Ġ */
  double *G_after;   /* values of G after the point */
  double *gamma[2];  /* (ng) γ before and after the point */
  double *rate;      /* (ng) lengths of the rows of Ġ; differences of γ */
  double *n, *share; /* (ng) vector n with nᵀ G = 0, and the share of each constraint in it */
  double *sigma;     /* (ng) singular values */
  double *E, *mu;    /* (ng) right-hand side and solution of A μ = E */
  double *q, *q_dot; /* (nq) displaced position, and q̇ */
  double *v;         /* (nv) displaced velocity */

  /* matrices; for a large system they are allocated when it first loses rank */
  double *N;       /* (ng x ng) the vectors n, one in each row */
  double *row, *W; /* (ng x nv) the vectors Ġᵀ n and w, one in each row */
  double *A, *J;   /* (ng x ng) matrix of A μ = E, and its orthogonalised rows' coefficients */

  /* the state on the branch */
  double *x;               /* (nv) the most weakly determined direction */
  double *q_star;          /* (nq) position */
  double *v_star, *a_star; /* (nv) velocity and acceleration */
  double *lambda_star;     /* (ng) multipliers */
};

/* Allocates from the arena the work matrices of b, which are used only in singular positions, where constraints become linearly
 * dependent. For large systems they are allocated when such a position first occurs, since they take most of the memory. The
 * caller checks for failure. */
static void take_matrices(cmb_arena *arena, const cmb_equations *eq, struct cmb_branch *b)
{
  const size_t ng = (size_t)eq->ng, square = ng * ng, wide = ng * (size_t)eq->nv;
  b->N = cmb_arena_take(arena, square, sizeof(double));
  b->row = cmb_arena_take(arena, wide, sizeof(double));
  b->W = cmb_arena_take(arena, wide, sizeof(double));
  b->A = cmb_arena_take(arena, square, sizeof(double));
  b->J = cmb_arena_take(arena, square, sizeof(double));
}

struct cmb_branch *cmb_branch_create(cmb_arena *arena, const cmb_equations *eq)
{
  const int ng = eq->ng;
  struct cmb_branch *b = cmb_arena_take(arena, 1, sizeof *b);
  if (!b) return NULL;
  if (eq->nv + ng < CMB_KKT_SPARSE_FROM) take_matrices(arena, eq, b);
  b->G = cmb_arena_doubles(arena, cmb_pattern_values(eq->G_pattern, ng, eq->nv));
  b->G_after = cmb_arena_doubles(arena, cmb_pattern_values(eq->G_pattern, ng, eq->nv));
  for (int k = 0; k < 2; k++) b->gamma[k] = cmb_arena_doubles(arena, ng);
  b->rate = cmb_arena_doubles(arena, ng);
  b->n = cmb_arena_doubles(arena, ng);
  b->share = cmb_arena_doubles(arena, ng);
  b->sigma = cmb_arena_doubles(arena, ng);
  b->E = cmb_arena_doubles(arena, ng);
  b->mu = cmb_arena_doubles(arena, ng);
  b->q = cmb_arena_doubles(arena, eq->nq);
  b->q_dot = cmb_arena_doubles(arena, eq->nq);
  b->v = cmb_arena_doubles(arena, eq->nv);
  b->x = cmb_arena_doubles(arena, eq->nv);
  b->q_star = cmb_arena_doubles(arena, eq->nq);
  b->v_star = cmb_arena_doubles(arena, eq->nv);
  b->a_star = cmb_arena_doubles(arena, eq->nv);
  b->lambda_star = cmb_arena_doubles(arena, ng);
  return b;
}

/* Evaluates the constraint Jacobian G and the term γ (ng) of the acceleration constraints G a + γ = 0 at a state shifted by the short time e
 * along the motion: time t + e, position q + e q̇, the same velocities v (nv). The rates q̇ are read from ev->branch->q_dot. */
static cmb_status evaluate_shifted(cmb_evaluator *ev, double t, const double *q, const double *v,
                                   double e, double *G, double *gamma)
{
  struct cmb_branch *b = ev->branch;
  cmb_terms want = {0};
  want.G = G, want.gamma = gamma;
  for (int i = 0; i < ev->eq->nq; i++) b->q[i] = q[i] + e * b->q_dot[i];
  return cmb_evaluate(ev, t + e, b->q, v, &want);
}

/* Computes by central differences along the motion the time derivative Ġ of the constraint Jacobian, into ev->branch->G, and that
 * of γ (ng), the velocity-dependent part of G a + γ = 0, into ev->branch->gamma[0]. The velocities v are kept fixed. q̇ is read
 * from ev->branch->q_dot; `speed` is its norm. */
static cmb_status differentiate_along_motion(cmb_evaluator *ev, double t, const double *q,
                                             const double *v, double speed)
{
  struct cmb_branch *b = ev->branch;
  const cmb_equations *eq = ev->eq;
  const double e = cbrt(DBL_EPSILON) * (1 + cmb_sized_norm(eq, q)) / speed;
  const int values = cmb_pattern_values(eq->G_pattern, eq->ng, eq->nv);
  CMB_TRY(evaluate_shifted(ev, t, q, v, -e, b->G, b->gamma[0]));
  CMB_TRY(evaluate_shifted(ev, t, q, v, e, b->G_after, b->gamma[1]));
  for (int i = 0; i < values; i++) b->G[i] = (b->G_after[i] - b->G[i]) / (2 * e);
  for (int i = 0; i < eq->ng; i++) b->gamma[0][i] = (b->gamma[1][i] - b->gamma[0][i]) / (2 * e);
  return CMB_OK;
}

/* Adds n_jᵀ (Ġ x + ∂γ/∂v x) to E[j * stride] for each null vector n_j of Gᵀ, that is, for each combination of dependent
 * constraints. This is the contribution of an acceleration x (nv) to the time derivative of n_jᵀ (G a + γ) = 0. Null vectors n_j
 * and rows Ġᵀ n_j are read from ev->branch; ∂γ/∂v x is a central difference. */
static cmb_status add_acceleration_terms(cmb_evaluator *ev, double t, const double *q,
                                         const double *v, const double *x, double *E, int stride)
{
  struct cmb_branch *b = ev->branch;
  const int nv = ev->eq->nv, ng = ev->eq->ng;
  const double length = cmb_norm2(nv, x);
  if (!(length > 0)) return CMB_OK;
  const double e = (1 + cmb_norm2(nv, v)) / length;
  for (int side = 0; side < 2; side++) {
    cmb_terms want = {.gamma = side ? b->gamma[1] : b->rate};
    for (int i = 0; i < nv; i++) b->v[i] = v[i] + (side ? e : -e) * x[i];
    CMB_TRY(cmb_evaluate(ev, t, q, b->v, &want));
  }
  for (int i = 0; i < ng; i++) b->rate[i] = (b->gamma[1][i] - b->rate[i]) / (2 * e);
  for (int j = 0; j < ev->deficiency; j++) {
    E[j * stride] +=
        cmb_dot(nv, b->row + (ptrdiff_t)j * nv, x) + cmb_dot(ng, b->N + (ptrdiff_t)j * ng, b->rate);
  }
  return CMB_OK;
}

/* Computes for each null vector n of Gᵀ (a combination of dependent constraints) the row Ġᵀ n and the acceleration w = P M⁻¹ Ġᵀ n
 * that a force along this row causes, where P projects onto the constraints. Stores n, the row and w in ev->branch. Returns false
 * if all w are negligible or if the row lengths of Ġ cannot be computed. */
static bool find_force_directions(cmb_evaluator *ev)
{
  struct cmb_branch *b = ev->branch;
  const cmb_equations *eq = ev->eq;
  const int nv = eq->nv, ng = eq->ng;
  bool any = false;
  if (cmb_kkt_lengths(ev->kkt, NULL, b->G, b->rate) != CMB_OK) return false;
  for (int j = 0; j < ev->deficiency; j++) {
    double *n = b->N + (ptrdiff_t)j * ng, *row = b->row + (ptrdiff_t)j * nv, scale = 0;
    double *w = b->W + (ptrdiff_t)j * nv;
    cmb_kkt_null(ev->kkt, j, n, b->share);
    memset(row, 0, (size_t)nv * sizeof *row);
    cmb_multiply_transposed_add(eq->G_pattern, ng, nv, b->G, 1.0, n, row);
    cmb_kkt_solve(ev->kkt, row, NULL, w, NULL);
    for (int i = 0; i < ng; i++) scale += fabs(n[i]) * b->rate[i];
    any = any || cmb_dot(nv, row, w) > NEGLIGIBLE * NEGLIGIBLE * scale * scale;
  }
  return any;
}

/* Solves A μ = E of order k for the least-squares solution of least norm, by singular values; those up to NEGLIGIBLE times the
 * largest count as 0. A, E and the result mu are arrays of b. Overwrites b->A. */
static void solve_least_norm(struct cmb_branch *b, int k)
{
  cmb_orthogonal_rows(k, k, b->A, b->J, b->sigma);
  memset(b->mu, 0, (size_t)k * sizeof *b->mu);
  for (int i = 0; i < k && b->sigma[i] > NEGLIGIBLE * b->sigma[0]; i++) {
    double c = cmb_dot(k, b->J + (ptrdiff_t)i * k, b->E) / b->sigma[i] / b->sigma[i];
    cmb_add_scaled(k, c, b->A + (ptrdiff_t)i * k, b->mu);
  }
}

cmb_status cmb_branch_accelerate(cmb_evaluator *ev, double t, const double *q, const double *v,
                                 double *a)
{
  struct cmb_branch *b = ev->branch;
  const int nv = ev->eq->nv, ng = ev->eq->ng, k = ev->deficiency;
  cmb_rates(ev, q, v, b->q_dot);
  const double speed = cmb_sized_norm(ev->eq, b->q_dot);
  if (!(speed > 0) || !isfinite(speed)) return CMB_OK; /* at rest no branch is being followed */
  if (!b->J) take_matrices(ev->arena, ev->eq, b);
  if (!b->J) return cmb_fail_memory(ev->ctx);
  CMB_TRY(differentiate_along_motion(ev, t, q, v, speed));
  if (!find_force_directions(ev)) return CMB_OK;
  for (int j = 0; j < k; j++) b->E[j] = cmb_dot(ng, b->N + (ptrdiff_t)j * ng, b->gamma[0]);
  CMB_TRY(add_acceleration_terms(ev, t, q, v, a, b->E, 1));
  memset(b->A, 0, (size_t)k * (size_t)k * sizeof *b->A);
  for (int l = 0; l < k; l++) {
    CMB_TRY(add_acceleration_terms(ev, t, q, v, b->W + (ptrdiff_t)l * nv, b->A + l, k));
  }
  solve_least_norm(b, k);
  for (int l = 0; l < k; l++) cmb_add_scaled(nv, -b->mu[l], b->W + (ptrdiff_t)l * nv, a);
  return CMB_OK;
}

void cmb_watch_rank(cmb_evaluator *ev, bool watching)
{
  cmb_kkt_limits limits = CMB_KKT_LIMITS;
  if (watching) limits = (cmb_kkt_limits){CMB_WEAK, CMB_WEAK_ZERO, CMB_WEAK_ZONE, 0};
  limits.redundant = ev->redundant;
  ev->watching = watching && ev->eq->ng > 0;
  cmb_kkt_set_limits(ev->kkt, &limits);
}

/* Moves a copy of the position q (nq) towards the constraints g = 0 by two simplified Newton (chord) iterations with the current
 * KKT factors, and stores it in ev->branch->q_star. Does not check whether the iteration has converged. */
static cmb_status position_on_branch(cmb_evaluator *ev, double t, const double *q)
{
  struct cmb_branch *b = ev->branch;
  const cmb_equations *eq = ev->eq;
  cmb_terms want = {.g = ev->g};
  memcpy(b->q_star, q, (size_t)eq->nq * sizeof *q);
  for (int pass = 0; pass < 2; pass++) {
    CMB_TRY(cmb_evaluate(ev, t, b->q_star, NULL, &want));
    cmb_solve(ev, NULL, ev->g, b->v, NULL);
    cmb_rates(ev, b->q_star, b->v, b->q_dot);
    for (int i = 0; i < eq->nq; i++) b->q_star[i] += b->q_dot[i];
  }
  return CMB_OK;
}

/* Projects the velocities v (nv) onto the velocity constraints G v + g_t = 0 at time t and position ev->branch->q_star, a position on the
 * smooth continuation of the motion beside a singular one, with KKT factors made there. Stores the result in ev->branch->v_star. */
static cmb_status velocity_on_branch(cmb_evaluator *ev, double t, const double *v)
{
  struct cmb_branch *b = ev->branch;
  const cmb_equations *eq = ev->eq;
  CMB_TRY(cmb_factor_at(ev, t, b->q_star));
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, v, ev->dtau);
  for (int i = 0; i < eq->ng; i++) ev->dtau[i] += ev->gt[i];
  cmb_solve(ev, NULL, ev->dtau, b->v_star, NULL);
  for (int i = 0; i < eq->nv; i++) b->v_star[i] += v[i];
  return CMB_OK;
}

void cmb_weak_part(cmb_evaluator *ev, const double *x, double *part)
{
  const cmb_equations *eq = ev->eq;
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, x, ev->dtau);
  cmb_kkt_weak_part(ev->kkt, CMB_WEAK, x, ev->dtau, part);
}

cmb_status cmb_branch_settle(cmb_evaluator *ev, double t, const double *q, const double *v,
                             double *a)
{
  struct cmb_branch *b = ev->branch;
  const int nv = ev->eq->nv;
  double sigma;
  if (!cmb_kkt_weakest(ev->kkt, CMB_WEAK, &sigma, b->n, b->x)) return CMB_OK;
  CMB_TRY(position_on_branch(ev, t, q));
  CMB_TRY(velocity_on_branch(ev, t, v));
  ev->watching = false; /* the state is on the branch: it needs no further correction */
  cmb_status status =
      cmb_accelerate_factored(ev, t, b->q_star, b->v_star, b->a_star, b->lambda_star);
  ev->watching = true;
  CMB_TRY(status);
  for (int i = 0; i < nv; i++) b->a_star[i] -= a[i];
  CMB_TRY(cmb_factor_at(ev, t, q)); /* the weak directions are those at q */
  cmb_weak_part(ev, b->a_star, b->x);
  for (int i = 0; i < nv; i++) a[i] += b->x[i];
  return CMB_OK;
}

/* Adds to share[i] (ng) the weight of each constraint i in the null vectors of Gᵀ, the combinations of constraints that are
 * dependent at the position of the current KKT factors. Returns false and adds nothing if no more constraints are dependent there
 * than are redundant in all positions. */
static bool lost_constraints(cmb_evaluator *ev, double *share)
{
  struct cmb_branch *b = ev->branch;
  if (!*ev->doubtful || ev->deficiency <= ev->redundant) return false;
  for (int k = 0; k < ev->deficiency; k++) {
    cmb_kkt_null(ev->kkt, k, b->n, b->share);
    for (int i = 0; i < ev->eq->ng; i++) share[i] += b->share[i];
  }
  return true;
}

bool cmb_weakest_constraints(cmb_evaluator *ev, double t, const double *q, double *share)
{
  struct cmb_branch *b = ev->branch;
  const bool watching = ev->watching;
  double sigma;
  if (ev->eq->ng == 0) return false;
  memset(share, 0, (size_t)ev->eq->ng * sizeof *share);
  cmb_watch_rank(ev, true);
  cmb_kkt_set_limits(ev->kkt,
                     &(cmb_kkt_limits){CMB_NOT_FAR, CMB_WEAK_ZERO, CMB_WEAK_ZONE, ev->redundant});
  bool near = false;
  if (cmb_factor_at(ev, t, q) == CMB_OK) {
    near = cmb_kkt_weakest(ev->kkt, CMB_NOT_FAR, &sigma, b->n, b->x);
    for (int i = 0; near && i < ev->eq->ng; i++) share[i] = fabs(b->n[i]) * ev->length[i];
    near = lost_constraints(ev, share) || near;
  }
  cmb_watch_rank(ev, watching);
  return near;
}

cmb_status cmb_weakest(cmb_evaluator *ev, double t, const double *q, const double *v, double *sigma,
                       double *rate)
{
  struct cmb_branch *b = ev->branch;
  const cmb_equations *eq = ev->eq;
  CMB_TRY(cmb_factor_at(ev, t, q));
  if (!cmb_kkt_weakest(ev->kkt, CMB_WEAK, sigma, b->n, b->x)) return CMB_RETRY_SINGULAR;
  cmb_rates(ev, q, v, b->q_dot);
  const double speed = cmb_sized_norm(eq, b->q_dot);
  if (!(speed > 0) || !isfinite(speed)) return CMB_RETRY_SINGULAR;
  CMB_TRY(differentiate_along_motion(ev, t, q, v, speed));
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, b->G, b->x, b->rate); /* Ġ x */
  *rate = cmb_dot(eq->ng, b->n, b->rate);
  return CMB_OK;
}
