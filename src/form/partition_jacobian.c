/*
 * The Jacobian of an implicit method with coordinate partitioning, with its constraints eliminated (partition_jacobian.h). Vectors Φ_u⁻¹ y,
 * which are zero except for the dependent velocities, are stored with all nv entries.
 */
#include "form/partition_jacobian.h"

#include "dae/derivative.h"
#include "form/check.h"
#include "math/dense.h"
#include "math/pattern.h"

#include <math.h>
#include <string.h>

enum { KINDS = CMB_RESIDUAL_U };

struct cmb_partition_jacobian {
  cmb_partition *p;
  cmb_differences *differences;
  cmb_check *check;
  double *value[KINDS]; /* the derivatives of the equations, stored as these store them */
  double *N;            /* (free x nv) motions of the independent velocities */
  double *X[2];         /* (free x nv) row k: column k of D N and of K N + D J */
  double *Y[2];         /* (free x ng) row k: column k of C₁ N and of C₂ N + C₁ J */
  double *W[2];         /* (free x nv) row k: column k of Φ_u⁻¹ Y */
  double *S[3];         /* (free x free) coefficients of 1, c and c² in the reduced matrix */
  double *Xc, *Yc, *Nc; /* c X₀ + c² X₁, c Y₀ + c² Y₁, and N − Φ_u⁻¹ Yc, for the c of the factors */
  double *LU; /* (free x free) factors of the reduced matrix */
  int *pivot; /* (free) */
  double c;
  double *tn;                      /* (nq) T n for a motion n */
  double *jn;                      /* (nv) J n for a motion n */
  double *x, *y;                   /* (nv) scratch */
  double *s;                       /* (ng) scratch */
  double *r_residual, *s_residual; /* (nv), (ng) residuals for refinement */
  double *z, *b;                   /* (free) scratch */
};

/* Returns the number of rows of a derivative of the equations: nv for the residual of the dynamic equations, ng for constraints. */
static int rows_of(const cmb_equations *eq, cmb_derivative kind)
{
  return kind == CMB_RESIDUAL_Q || kind == CMB_RESIDUAL_V ? eq->nv : eq->ng;
}

/* Returns the number of columns of a derivative of the equations: nv with respect to v, nq with respect to q. */
static int columns_of(const cmb_equations *eq, cmb_derivative kind)
{
  return kind == CMB_RESIDUAL_V || kind == CMB_GAMMA_V ? eq->nv : eq->nq;
}

/* Allocates all arrays of the Jacobian j from the arena, which the caller checks for failure. */
static void take_memory(cmb_partition_jacobian *j, cmb_arena *arena)
{
  const cmb_equations *eq = j->p->ev->eq;
  const size_t square = (size_t)eq->nv * (size_t)eq->nv;
  for (int k = 0; k < KINDS; k++) {
    const cmb_derivative kind = (cmb_derivative)k;
    int count =
        cmb_pattern_values(eq->derivative_pattern[k], rows_of(eq, kind), columns_of(eq, kind));
    j->value[k] = cmb_arena_doubles(arena, count);
  }
  double **matrices[] = {&j->N,    &j->X[0], &j->X[1], &j->W[0], &j->W[1], &j->S[0],
                         &j->S[1], &j->S[2], &j->LU,   &j->Xc,   &j->Nc};
  for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++) {
    *matrices[i] = cmb_arena_take(arena, square, sizeof(double));
  }
  for (int i = 0; i < 2; i++) {
    j->Y[i] = cmb_arena_take(arena, (size_t)eq->nv * (size_t)eq->ng, sizeof(double));
  }
  j->Yc = cmb_arena_take(arena, (size_t)eq->nv * (size_t)eq->ng, sizeof(double));
  double **vectors[] = {&j->jn, &j->x, &j->y, &j->z, &j->b, &j->r_residual};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    *vectors[i] = cmb_arena_doubles(arena, eq->nv);
  }
  j->pivot = cmb_arena_ints(arena, eq->nv);
  j->tn = cmb_arena_doubles(arena, eq->nq);
  j->s = cmb_arena_doubles(arena, eq->ng);
  j->s_residual = cmb_arena_doubles(arena, eq->ng);
}

cmb_status cmb_partition_jacobian_create(cmb_partition *p, cmb_arena *arena,
                                         cmb_partition_jacobian **out)
{
  cmb_partition_jacobian *j = *out = p ? cmb_arena_take(arena, 1, sizeof *j) : NULL;
  if (!j) return CMB_OK;
  j->p = p;
  j->check = cmb_check_create(p->ev, arena);
  take_memory(j, arena);
  return cmb_differences_create(p->ev, &j->differences);
}

void cmb_partition_jacobian_destroy(cmb_partition_jacobian *j)
{
  if (j) cmb_differences_destroy(j->differences);
}

/* Computes y = A x, where A is that derivative of the equations, with respect to q or v, which `kind` selects. */
static void multiply(const cmb_partition_jacobian *j, cmb_derivative kind, const double *x,
                     double *y)
{
  const cmb_equations *eq = j->p->ev->eq;
  cmb_multiply(eq->derivative_pattern[kind], rows_of(eq, kind), columns_of(eq, kind),
               j->value[kind], x, y);
}

/* Projects a generalised force x (nv) onto the independent velocities: stores entry l of Nᵀ x in out[l * stride]. Column l of N is
 * the motion in which the l-th independent velocity is 1 and the other independent ones are 0. */
static void reduce(const cmb_partition_jacobian *j, const double *x, int stride, double *out)
{
  const cmb_partition *p = j->p;
  const int nv = p->ev->eq->nv;
  for (int l = 0; l < p->free_count; l++) {
    const double *n = j->N + (size_t)l * (size_t)nv;
    double sum = x[p->independent[l]];
    for (int i = 0; i < p->rank; i++) sum += n[p->dependent[i]] * x[p->dependent[i]];
    out[(size_t)l * (size_t)stride] = sum;
  }
}

/* Computes column k of j->S[i + 1] (i = 0 or 1), the coefficient of c^(i+1) in the iteration matrix reduced to the independent
 * velocities: Nᵀ (x − M w) with w = Φ_u⁻¹ y, where x (nv) and y (ng) are row k of j->X[i] and j->Y[i]. Stores w (nv) in row k of
 * j->W[i]. N has the motions of the independent velocities, Φ_u is the constraint Jacobian for the dependent ones. */
static void make_part(cmb_partition_jacobian *j, int k, int i)
{
  cmb_evaluator *ev = j->p->ev;
  const int nv = ev->eq->nv;
  const double *x = j->X[i] + (size_t)k * (size_t)nv, *y = j->Y[i] + (size_t)k * (size_t)ev->eq->ng;
  double *w = j->W[i] + (size_t)k * (size_t)nv;
  cmb_partition_solve(j->p, y, w);
  cmb_multiply_mass(ev, w, j->x);
  for (int l = 0; l < nv; l++) j->x[l] = x[l] - j->x[l];
  reduce(j, j->x, j->p->free_count, j->S[i + 1] + k);
}

/* Computes all terms of the reduced iteration matrix for independent velocity k at positions q, in row k of j->X, j->Y and j->W
 * and column k of j->S: derivatives of the dynamic equations and of the constraints along the motion in which this velocity is 1
 * and the other independent ones are 0. */
static void make_column(cmb_partition_jacobian *j, const double *q, int k)
{
  cmb_evaluator *ev = j->p->ev;
  const int nv = ev->eq->nv, ng = ev->eq->ng;
  const double *n = j->N + (size_t)k * (size_t)nv;
  double *x1 = j->X[0] + (size_t)k * (size_t)nv, *x2 = j->X[1] + (size_t)k * (size_t)nv;
  double *y1 = j->Y[0] + (size_t)k * (size_t)ng, *y2 = j->Y[1] + (size_t)k * (size_t)ng;
  cmb_multiply_mass(ev, n, j->x);
  reduce(j, j->x, j->p->free_count, j->S[0] + k);

  cmb_rates(ev, q, n, j->tn);
  multiply(j, CMB_VELOCITY_Q, j->tn, j->s);
  for (int i = 0; i < ng; i++) j->s[i] = -j->s[i];
  cmb_partition_solve(j->p, j->s, j->jn);

  multiply(j, CMB_RESIDUAL_V, n, x1);
  multiply(j, CMB_GAMMA_V, n, y1);
  make_part(j, k, 0);

  multiply(j, CMB_RESIDUAL_Q, j->tn, x2);
  multiply(j, CMB_RESIDUAL_V, j->jn, j->y);
  for (int i = 0; i < nv; i++) x2[i] += j->y[i];
  multiply(j, CMB_GAMMA_Q, j->tn, y2);
  multiply(j, CMB_GAMMA_V, j->jn, j->s);
  for (int i = 0; i < ng; i++) y2[i] += j->s[i];
  make_part(j, k, 1);
}

cmb_status cmb_partition_linearize(cmb_partition_jacobian *j, double t, const double *q,
                                   const double *v, const double *a, const double *lambda)
{
  cmb_evaluator *ev = j->p->ev;
  const long jacobians = ev->stats.jacobian;
  for (int k = 0; k < KINDS; k++) {
    const cmb_derivative kind = (cmb_derivative)k;
    if (rows_of(ev->eq, kind) == 0) continue;
    CMB_TRY(cmb_derivative_at(j->differences, t, q, v, a, lambda, kind, j->value[k]));
  }
  ev->stats.jacobian = jacobians + 1;
  const cmb_form_state state = {t, q, v, a, lambda};
  return cmb_check_derivatives(j->check, &state, j->value[CMB_RESIDUAL_Q],
                               j->value[CMB_RESIDUAL_V]);
}

cmb_status cmb_partition_assemble(cmb_partition_jacobian *j, double t, const double *q)
{
  cmb_evaluator *ev = j->p->ev;
  cmb_terms want = {.M = ev->M, .G = ev->G};
  CMB_TRY(cmb_evaluate(ev, t, q, NULL, &want));
  cmb_partition_motions(j->p, j->N);
  for (int k = 0; k < j->p->free_count; k++) make_column(j, q, k);
  return CMB_OK;
}

/* Computes the matrices that every solution with a given c uses: Xc = c X₀ + c² X₁, Yc = c Y₀ + c² Y₁ and Nc = N − c W₀ − c² W₁
 * (arrays of j). c is proportional to the step size. */
static void sum_powers(cmb_partition_jacobian *j, double c)
{
  const cmb_equations *eq = j->p->ev->eq;
  const size_t columns = (size_t)j->p->free_count;
  for (size_t i = 0; i < columns * (size_t)eq->nv; i++) {
    j->Xc[i] = c * (j->X[0][i] + c * j->X[1][i]);
    j->Nc[i] = j->N[i] - c * (j->W[0][i] + c * j->W[1][i]);
  }
  for (size_t i = 0; i < columns * (size_t)eq->ng; i++) {
    j->Yc[i] = c * (j->Y[0][i] + c * j->Y[1][i]);
  }
}

cmb_status cmb_partition_factor(cmb_partition_jacobian *j, double c)
{
  const int n = j->p->free_count;
  sum_powers(j, c);
  for (size_t i = 0; i < (size_t)n * (size_t)n; i++) {
    j->LU[i] = j->S[0][i] + c * (j->S[1][i] + c * j->S[2][i]);
  }
  j->c = c;
  j->p->ev->stats.factor++;
  const cmb_status status = cmb_lu_factor(n, j->LU, j->b, j->pivot);
  return status == CMB_RETRY_SINGULAR ? CMB_RETRY_MATRIX : status;
}

/* Adds weight · A z to out (n), where z = j->z has one entry for each independent velocity. A has one column (n) for each of them,
 * stored one after the other. */
static void add_columns(const cmb_partition_jacobian *j, double weight, int n, const double *A,
                        double *out)
{
  for (int k = 0; k < j->p->free_count; k++) {
    cmb_add_scaled(n, weight * j->z[k], A + (size_t)k * (size_t)n, out);
  }
}

void cmb_partition_correct(cmb_partition_jacobian *j, const double *r, const double *s, double *da,
                           double *dlambda)
{
  cmb_partition *p = j->p;
  cmb_evaluator *ev = p->ev;
  const int nv = ev->eq->nv;
  for (int i = 0; i < ev->eq->ng; i++) j->s[i] = -s[i];
  cmb_partition_solve(p, j->s, da);
  cmb_multiply_mass(ev, da, j->x);
  for (int i = 0; i < nv; i++) j->x[i] = -r[i] - j->x[i];
  reduce(j, j->x, 1, j->z);
  cmb_lu_solve(p->free_count, j->LU, j->pivot, j->z);
  add_columns(j, 1, nv, j->Nc, da);
  ev->stats.solve++;
  if (p->rank == 0) return;
  cmb_multiply_mass(ev, da, j->x);
  for (int i = 0; i < nv; i++) j->x[i] = -r[i] - j->x[i];
  add_columns(j, -1, nv, j->Xc, j->x);
  cmb_partition_solve_transposed(p, j->x, dlambda);
}

/* Computes the residuals that the increments x = δa (nv) of the accelerations and y = δλ (ng) of the multipliers leave in Newton's
 * equations: j->r_residual of the dynamic equations and j->s_residual of the constraints. r (nv) and s (ng) are the residuals
 * without increments. Overwrites j->z. */
static void compute_residuals(cmb_partition_jacobian *j, const double *r, const double *s,
                              const double *x, const double *y)
{
  const cmb_partition *p = j->p;
  const cmb_equations *eq = p->ev->eq;
  const int nv = eq->nv, ng = eq->ng;
  for (int k = 0; k < p->free_count; k++) j->z[k] = x[p->independent[k]];
  cmb_multiply_mass(p->ev, x, j->r_residual);
  cmb_multiply_transposed_add(eq->G_pattern, ng, nv, p->ev->G, 1.0, y, j->r_residual);
  cmb_multiply(eq->G_pattern, ng, nv, p->ev->G, x, j->s_residual);
  add_columns(j, 1, nv, j->Xc, j->r_residual);
  add_columns(j, 1, ng, j->Yc, j->s_residual);
  for (int i = 0; i < nv; i++) j->r_residual[i] += r[i];
  for (int i = 0; i < ng; i++) j->s_residual[i] += s[i];
}

void cmb_partition_refine(cmb_partition_jacobian *j, const double *r, const double *s,
                          const double *da, const double *dlambda, double *da_more,
                          double *dlambda_more)
{
  compute_residuals(j, r, s, da, dlambda);
  cmb_partition_correct(j, j->r_residual, j->s_residual, da_more, dlambda_more);
}

void cmb_partition_motion_of(cmb_partition_jacobian *j, const double *da, double *w)
{
  const cmb_partition *p = j->p;
  const int nv = p->ev->eq->nv;
  for (int k = 0; k < p->free_count; k++) j->z[k] = da[p->independent[k]];
  memset(w, 0, (size_t)nv * sizeof *w);
  add_columns(j, 1, nv, j->N, w);
}

void cmb_partition_smooth(cmb_partition_jacobian *j, double *w, double *v)
{
  const cmb_partition *p = j->p;
  const int n = p->free_count, nv = p->ev->eq->nv;
  for (int l = 0; l < n; l++) { /* right-hand side of S z = S₀ v − c S₂ w */
    double sum = 0;
    for (int k = 0; k < n; k++) {
      const size_t at = (size_t)l * (size_t)n + (size_t)k;
      sum += j->S[0][at] * v[p->independent[k]] - j->c * j->S[2][at] * w[p->independent[k]];
    }
    j->z[l] = sum;
  }
  for (int k = 0; k < n; k++) j->b[k] = w[p->independent[k]];
  cmb_lu_solve(n, j->LU, j->pivot, j->z);
  p->ev->stats.solve++;
  memset(v, 0, (size_t)nv * sizeof *v);
  memset(w, 0, (size_t)nv * sizeof *w);
  add_columns(j, 1, nv, j->N, v);
  for (int k = 0; k < n; k++) j->z[k] = j->b[k] + j->c * j->z[k];
  add_columns(j, 1, nv, j->N, w);
}
