/*
 * The KKT matrix K as one sparse matrix (kkt_sparse.h).
 *
 * M is also factored separately: only that shows whether it is positive definite, and it costs little, since M is sparser than K.
 *
 * With N = diag(1/length), S = G M⁻¹ Gᵀ, A = N G M^−½ with singular values σ, left vectors η and right vectors ξ:
 *
 *     K with −c² length² in its last block:   y = (S + c² N⁻²)⁻¹ s,   x = −M⁻¹ Gᵀ y = −Σ σ/(σ² + c²) (ηᵀ N s) M^−½ ξ
 *     its pivots:   those of K, less about c² Σ n_j² length_j² over the rows j, n the combination of rows that the pivot belongs to
 *     inverse iteration:   y := S⁻¹ N⁻² y,    σ² = yᵀ S y / yᵀ N⁻² y,   n = N η = y/|N⁻¹ y|,   x = M⁻¹ Gᵀ n/σ
 */
#include "math/kkt_sparse.h"

#include "base/context.h"
#include "math/finite.h"
#include "math/random.h"
#include "math/static_lu.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { INVERSE_ITERATIONS = 4 };

/* With an angle whose sin² is below this a solution has lost some digits; one step of iterative refinement restores them. */
static const double REFINE_BELOW = 1e-2;

/* Shift c² for measuring lengths: too small to influence them, and factors exist also for dependent rows. */
static const double MEASURING_SHIFT = 1e-8;

/* Shift c² for finding the smallest singular value: the square of the smallest one that can be distinguished from 0. */
static const double SEARCHING_SHIFT = 1e-14;

/* Relative change of a pivot by errors up to which its value serves as the reference for later ones. */
static const double LITTLE = 0.25;

/* Reduction of sin² of a row, relative to the largest seen, below which it counts as fallen: the row is near to losing rank. */
static const double FALLEN = 1e-4;

struct cmb_kkt_sparse {
  cmb_kkt_shape shape;
  cmb_static_lu K, M; /* M unused if diagonal */
  cmb_static_factors mass, symmetric, unsymmetric, shifted;
  cmb_static_factors *held; /* symmetric or unsymmetric: the present factors */
  double shift;             /* shift c² of `shifted`; negative: `shifted` is not valid */
  /* where each value of M is stored in K, below or on, and above the diagonal; NULL: nowhere */
  double **M_low, **M_up;
  double **M_own; /* where each value of M is stored in the separate M; NULL for the upper half */
  double **G_to_K, **B_to_K;
  double *length2; /* (nv + ng) squares of the usual lengths, 0 for the rows of M */
  double *largest; /* (ng) largest sin² seen of each row */
  /* (ng) sin² of each row when full rank was last verified with a small change of the pivots; initially infinite */
  double *verified;
  double *b, *x;           /* (nv + ng) scratch */
  double *y;               /* (ng) vector of the inverse iteration */
  double *kept[3];         /* (ng) copies of largest, verified and y */
  double *weak_n, *weak_x; /* (ng), (nv) its results */
};

/* ---- the pattern */

/* Lists the columns in which row i of the sparse KKT matrix [M Gᵀ; G 0] has entries, except for the diagonal of M, in `column`, unless that
 * is NULL. Returns their number. t_start and t_row are the pattern of Gᵀ by rows: row j has its entries in the columns t_row[t_start[j]] ..
 * t_row[t_start[j + 1] − 1]. */
static int pattern_row(const cmb_kkt_shape *s, const int *t_start, const int *t_row, int i,
                       int *column)
{
  int count = 0;
  if (i >= s->nv) {
    for (int k = s->G_pattern->start[i - s->nv]; k < s->G_pattern->start[i - s->nv + 1]; k++) {
      if (column) column[count] = s->G_pattern->column[k];
      count++;
    }
    return count;
  }
  const cmb_pattern *M = s->mass_diagonal ? NULL : s->M_pattern;
  for (int k = M ? M->start[i] : 0; M && k < M->start[i + 1]; k++) {
    if (M->column[k] == i) continue;
    if (column) column[count] = M->column[k];
    count++;
  }
  for (int k = t_start[i]; k < t_start[i + 1]; k++) {
    if (column) column[count] = s->nv + t_row[k];
    count++;
  }
  return count;
}

/* Computes the sparsity pattern of Gᵀ by rows from that of G: the entries of row i are in the columns row[start[i]] .. row[start[i + 1] −
 * 1]. start (nv + 1) must contain zeros at entry. */
static void transpose(const cmb_kkt_shape *s, int *start, int *row)
{
  const cmb_pattern *G = s->G_pattern;
  for (int k = 0; k < G->start[s->ng]; k++) start[G->column[k] + 1]++;
  for (int i = 0; i < s->nv; i++) start[i + 1] += start[i];
  for (int j = 0; j < s->ng; j++) {
    for (int k = G->start[j]; k < G->start[j + 1]; k++) row[start[G->column[k]]++] = j;
  }
  for (int i = s->nv; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
}

/* Builds the sparsity pattern of the KKT matrix, and computes the elimination order and the fill-in of the KKT matrix and, unless it is
 * diagonal, of the mass matrix. */
static cmb_status analyze(cmb_context *ctx, cmb_arena *arena, cmb_arena *work, cmb_kkt_sparse *sp)
{
  const cmb_kkt_shape *s = &sp->shape;
  const int n = s->nv + s->ng, in_G = s->G_pattern->start[s->ng];
  const int in_M = s->mass_diagonal ? 0 : s->M_pattern->start[s->nv];
  int *t_start = cmb_arena_ints(work, s->nv + 1), *t_row = cmb_arena_ints(work, in_G);
  cmb_pattern p = {.rows = n, .columns = n};
  int *start = cmb_arena_ints(work, n + 1), *column = cmb_arena_ints(work, in_M + 2 * in_G);
  if (cmb_arena_failed(work)) return cmb_fail_memory(ctx);
  transpose(s, t_start, t_row);
  for (int i = 0; i < n; i++) {
    start[i + 1] = start[i] + pattern_row(s, t_start, t_row, i, column + start[i]);
  }
  p.start = start, p.column = column;
  CMB_TRY(cmb_static_lu_create(ctx, arena, &p, s->nv, &sp->K));
  return s->mass_diagonal ? CMB_OK : cmb_static_lu_create(ctx, arena, s->M_pattern, s->nv, &sp->M);
}

/* ---- storage */

/* Finds, for each stored value of the mass matrix, pointers to the places to which it has to be copied: in the sparse KKT matrix and in the
 * mass matrix that is factored separately. */
static void locate_mass(cmb_kkt_sparse *sp)
{
  const cmb_pattern *p = sp->shape.mass_diagonal ? NULL : sp->shape.M_pattern;
  for (int i = 0; i < sp->shape.nv; i++) {
    if (!p) sp->M_low[i] = &sp->K.a_diagonal[sp->K.place[i]];
    for (int k = p ? p->start[i] : 0; p && k < p->start[i + 1]; k++) {
      const int j = p->column[k];
      if (i == j) {
        sp->M_low[k] = &sp->K.a_diagonal[sp->K.place[i]];
        sp->M_own[k] = &sp->M.a_diagonal[sp->M.place[i]];
      } else {
        const bool low = sp->K.place[i] > sp->K.place[j];
        *(low ? &sp->M_low[k] : &sp->M_up[k]) = cmb_static_lu_entry(&sp->K, i, j);
        if (sp->M.place[i] > sp->M.place[j]) sp->M_own[k] = cmb_static_lu_entry(&sp->M, i, j);
      }
    }
  }
}

/* Finds, for each stored value of the constraint Jacobians G and B, a pointer to its place in the sparse KKT matrix [M Bᵀ; G 0]. */
static void locate_constraints(cmb_kkt_sparse *sp)
{
  const cmb_pattern *p = sp->shape.G_pattern;
  const int nv = sp->shape.nv;
  for (int j = 0; j < sp->shape.ng; j++) {
    for (int k = p->start[j]; k < p->start[j + 1]; k++) {
      sp->G_to_K[k] = cmb_static_lu_entry(&sp->K, nv + j, p->column[k]);
      sp->B_to_K[k] = cmb_static_lu_entry(&sp->K, p->column[k], nv + j);
    }
  }
}

static void take_arrays(cmb_arena *arena, cmb_kkt_sparse *sp)
{
  const cmb_kkt_shape *s = &sp->shape;
  const int n = s->nv + s->ng;
  const size_t in_G = (size_t)s->G_pattern->start[s->ng];
  const size_t in_M = (size_t)(s->mass_diagonal ? s->nv : s->M_pattern->start[s->nv]);
  sp->M_low = cmb_arena_take(arena, in_M, sizeof *sp->M_low);
  sp->M_up = cmb_arena_take(arena, in_M, sizeof *sp->M_up);
  sp->M_own = cmb_arena_take(arena, in_M, sizeof *sp->M_own);
  sp->G_to_K = cmb_arena_take(arena, in_G, sizeof *sp->G_to_K);
  sp->B_to_K = cmb_arena_take(arena, in_G, sizeof *sp->B_to_K);
  sp->length2 = cmb_arena_doubles(arena, n);
  sp->largest = cmb_arena_doubles(arena, s->ng);
  sp->verified = cmb_arena_doubles(arena, s->ng);
  sp->b = cmb_arena_doubles(arena, n);
  sp->x = cmb_arena_doubles(arena, n);
  sp->y = cmb_arena_doubles(arena, s->ng);
  for (int k = 0; k < 3; k++) sp->kept[k] = cmb_arena_doubles(arena, s->ng);
  sp->weak_n = cmb_arena_doubles(arena, s->ng);
  sp->weak_x = cmb_arena_doubles(arena, s->nv);
}

static void take_factors(cmb_arena *arena, cmb_kkt_sparse *sp)
{
  if (!sp->shape.mass_diagonal) cmb_static_factors_take(arena, &sp->M, true, &sp->mass);
  cmb_static_factors_take(arena, &sp->K, true, &sp->symmetric);
  cmb_static_factors_take(arena, &sp->K, true, &sp->shifted);
  cmb_static_factors_take(arena, &sp->K, false, &sp->unsymmetric);
  sp->held = &sp->symmetric;
}

cmb_status cmb_kkt_sparse_create(cmb_context *ctx, cmb_arena *arena, const cmb_kkt_shape *shape,
                                 cmb_kkt_sparse **sparse)
{
  cmb_kkt_sparse *sp = cmb_arena_take(arena, 1, sizeof *sp);
  cmb_arena *work = cmb_arena_create(ctx);
  *sparse = sp;
  if (!sp || !work) {
    cmb_arena_destroy(work);
    return cmb_fail_memory(ctx);
  }
  sp->shape = *shape;
  take_arrays(arena, sp);
  cmb_status status = analyze(ctx, arena, work, sp);
  cmb_arena_destroy(work);
  CMB_TRY(status);
  take_factors(arena, sp);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  for (int j = 0; j < shape->ng; j++) sp->verified[j] = INFINITY;
  locate_mass(sp);
  locate_constraints(sp);
  return CMB_OK;
}

void cmb_kkt_sparse_reference(cmb_kkt_sparse *sp, const double *length)
{
  for (int j = 0; j < sp->shape.ng; j++) sp->length2[sp->shape.nv + j] = length[j] * length[j];
}

/* ---- factors */

cmb_status cmb_kkt_sparse_mass(cmb_kkt_sparse *sp, const double *M)
{
  const bool diagonal = sp->shape.mass_diagonal;
  const int nv = sp->shape.nv, count = diagonal ? nv : sp->shape.M_pattern->start[nv];
  if (!cmb_all_finite(count, M)) return CMB_RETRY_NONFINITE;
  for (int k = 0; k < count; k++) {
    if (sp->M_low[k]) *sp->M_low[k] = M[k];
    if (sp->M_up[k]) *sp->M_up[k] = M[k];
    if (sp->M_own[k]) *sp->M_own[k] = M[k];
    if (diagonal && !(M[k] > 0)) return CMB_RETRY_MASS;
  }
  return diagonal ? CMB_OK : cmb_static_factor(&sp->mass, NULL, 0, 0);
}

cmb_status cmb_kkt_sparse_factor(cmb_kkt_sparse *sp, const double *G, const double *B, double zero)
{
  const int count = sp->shape.G_pattern->start[sp->shape.ng];
  for (int k = 0; k < count; k++) *sp->G_to_K[k] = G[k];
  for (int k = 0; k < count && B != G; k++) *sp->B_to_K[k] = B[k];
  sp->held = B == G ? &sp->symmetric : &sp->unsymmetric;
  sp->shift = -1;
  return cmb_static_factor(sp->held, sp->length2, 0, zero);
}

int cmb_kkt_sparse_widest(const cmb_kkt_sparse *sp)
{
  int most = 0;
  for (int k = 0; k < sp->K.n; k++) {
    const int entries = sp->K.row_start[k + 1] - sp->K.row_start[k];
    if (entries > most) most = entries;
  }
  return most;
}

/* Returns sin² of the angle between the gradient of constraint j and the span of those eliminated before it, from its pivot in the
 * symmetric factors of the KKT matrix. Returns 0 if the pivot does not have the right sign. */
static double sin2_of_row(const cmb_kkt_sparse *sp, int j)
{
  const int k = sp->K.place[sp->shape.nv + j];
  const double inverse = -sp->symmetric.d_inv[k] * sp->symmetric.length2[k];
  return inverse > 0 ? 1 / inverse : 0;
}

/* Returns whether no second factorisation is needed to verify that the constraints have full rank: each constraint's pivot, relative to its
 * squared length, is at least half as large as at the last such verification. */
static bool are_pivots_verified(const cmb_kkt_sparse *sp)
{
  for (int j = 0; j < sp->shape.ng; j++) {
    if (!(sin2_of_row(sp, j) >= 0.5 * sp->verified[j])) return false;
  }
  return true;
}

bool cmb_kkt_sparse_certain(cmb_kkt_sparse *sp, double rounding)
{
  const int *place = sp->K.place + sp->shape.nv;
  bool little = true;
  if (are_pivots_verified(sp)) return true;
  sp->shift = -1;
  if (cmb_static_factor(&sp->shifted, sp->length2, rounding, 0) != CMB_OK) return false;
  sp->shift = rounding;
  for (int j = 0; j < sp->shape.ng; j++) {
    const double held = sp->symmetric.d_inv[place[j]], moved = sp->shifted.d_inv[place[j]];
    if (!(held < 0 && moved < 0 && held >= 2 * moved)) return false;
    little = little && held >= (1 + LITTLE) * moved;
  }
  for (int j = 0; little && j < sp->shape.ng; j++) sp->verified[j] = sin2_of_row(sp, j);
  return true;
}

bool cmb_kkt_sparse_has_fallen(cmb_kkt_sparse *sp, double zero)
{
  bool fallen = false;
  for (int j = 0; j < sp->shape.ng; j++) {
    const double now = sin2_of_row(sp, j);
    sp->largest[j] = fmax(sp->largest[j], now);
    fallen = fallen || (now < zero && now < FALLEN * sp->largest[j]);
  }
  return fallen;
}

void cmb_kkt_sparse_keep(cmb_kkt_sparse *sp)
{
  const size_t size = (size_t)sp->shape.ng * sizeof(double);
  memcpy(sp->kept[0], sp->largest, size);
  memcpy(sp->kept[1], sp->verified, size);
  memcpy(sp->kept[2], sp->y, size);
}

void cmb_kkt_sparse_restore(cmb_kkt_sparse *sp)
{
  const size_t size = (size_t)sp->shape.ng * sizeof(double);
  memcpy(sp->largest, sp->kept[0], size);
  memcpy(sp->verified, sp->kept[1], size);
  memcpy(sp->y, sp->kept[2], size);
}

double cmb_kkt_sparse_least(const cmb_kkt_sparse *sp)
{
  return sp->held->least;
}

void cmb_kkt_sparse_pivots(const cmb_kkt_sparse *sp, double *pivot)
{
  for (int j = 0; j < sp->shape.ng; j++) {
    const double inverse = sp->held->d_inv[sp->K.place[sp->shape.nv + j]];
    pivot[j] = inverse != 0 ? 1 / inverse : 0;
  }
}

/* Factorises the KKT matrix for the constraint Jacobian G with −shift · length² on the diagonal of each constraint row, so that dependent
 * constraints do not make the matrix singular. length2 contains lower bounds of the squared gradient lengths length², indexed by the rows
 * of the KKT matrix; NULL: none. Returns CMB_OK also if a row had to be left out. */
static cmb_status factor_shifted(cmb_kkt_sparse *sp, const double *G, const double *length2,
                                 double shift)
{
  const int count = sp->shape.G_pattern->start[sp->shape.ng];
  for (int k = 0; k < count; k++) *sp->G_to_K[k] = G[k];
  sp->shift = -1;
  cmb_status status = cmb_static_factor(&sp->shifted, length2, shift, 0);
  return status == CMB_RETRY_SINGULAR ? CMB_OK : status;
}

cmb_status cmb_kkt_sparse_measure(cmb_kkt_sparse *sp, const double *G, double *length)
{
  CMB_TRY(factor_shifted(sp, G, NULL, MEASURING_SHIFT));
  for (int j = 0; j < sp->shape.ng; j++) {
    length[j] = sqrt(sp->shifted.length2[sp->K.place[sp->shape.nv + j]]);
  }
  return CMB_OK;
}

/* ---- solutions */

/* Not inlined, so that cmb_kkt_solve stays short for small systems. */
__attribute__((noinline)) void cmb_kkt_sparse_solve(cmb_kkt_sparse *sp, const double *r,
                                                    const double *s, double *x, double *y)
{
  const int nv = sp->shape.nv, ng = sp->shape.ng;
  memcpy(sp->b, r, (size_t)nv * sizeof *r);
  for (int j = 0; j < ng; j++) sp->b[nv + j] = s ? -s[j] : 0;
  cmb_static_solve(sp->held, sp->held->least < REFINE_BELOW, sp->b, sp->x);
  memcpy(x, sp->x, (size_t)nv * sizeof *x);
  if (y) memcpy(y, sp->x + nv, (size_t)ng * sizeof *y);
}

void cmb_kkt_sparse_damped(cmb_kkt_sparse *sp, double cut, const double *s, double *x)
{
  const int nv = sp->shape.nv, ng = sp->shape.ng;
  const double shift = cut * cut;
  if (sp->shift != shift) {
    /* cannot fail: the same values have been factored before */
    cmb_static_factor(&sp->shifted, sp->length2, shift, 0);
    sp->shift = shift;
  }
  memset(sp->b, 0, (size_t)nv * sizeof *sp->b);
  for (int j = 0; j < ng; j++) sp->b[nv + j] = -s[j];
  cmb_static_solve(&sp->shifted, 0, sp->b, sp->x);
  memcpy(x, sp->x, (size_t)nv * sizeof *x);
}

/* Performs one step of inverse iteration for the smallest singular value of the scaled constraint Jacobian, from the vector sp->y, with the
 * factors f of the KKT matrix shifted by `shift`. The new vector is the last part of sp->x, *sigma the estimate of the singular value.
 * Returns the length of the new vector with each entry multiplied by its row's length. */
static double inverse_step(cmb_kkt_sparse *sp, cmb_static_factors *f, double shift, double *sigma)
{
  const int nv = sp->shape.nv, ng = sp->shape.ng, *place = sp->K.place + nv;
  double size = 0, product = 0;
  memset(sp->b, 0, (size_t)nv * sizeof *sp->b);
  for (int j = 0; j < ng; j++) sp->b[nv + j] = -f->length2[place[j]] * sp->y[j];
  cmb_static_solve(f, shift == 0, sp->b, sp->x);
  for (int j = 0; j < ng; j++) {
    const double y = sp->x[nv + j];
    size += y * y * f->length2[place[j]];
    product -= y * sp->b[nv + j];
  }
  *sigma = sqrt(fmax(product / size - shift, 0));
  return sqrt(size);
}

/* Adds a small pseudo-random vector to sp->y, the starting vector of the inverse iteration, which otherwise may have no component along the
 * singular vector sought, for example if that belongs to another part of the mechanism. */
static void perturb_start(cmb_kkt_sparse *sp, const cmb_static_factors *f)
{
  const int nv = sp->shape.nv, ng = sp->shape.ng, *place = sp->K.place + nv;
  uint32_t random = CMB_RANDOM_FIRST;
  for (int j = 0; j < ng; j++) {
    const double length2 = f->length2[place[j]];
    if (length2 > 0) sp->y[j] += 0.1 * cmb_random(&random) / sqrt(ng * length2);
  }
}

/* Estimates the smallest singular value of N G M^−½, where the diagonal N scales the constraint gradients to unit length and M is the mass
 * matrix, by inverse iteration with the factors f of the KKT matrix, shifted by `shift`. sp->y is the start vector, and on return N times the
 * left singular vector; sp->x becomes the last solution of the KKT system, and *size the length |N⁻¹ y| of its multipliers y. Returns 0 if the
 * iteration fails. */
static double iterate_inversely(cmb_kkt_sparse *sp, cmb_static_factors *f, double shift,
                                double *size)
{
  double sigma = 0;
  perturb_start(sp, f);
  for (int k = 0; k < INVERSE_ITERATIONS; k++) {
    *size = inverse_step(sp, f, shift, &sigma);
    if (!(*size > 0) || !isfinite(*size)) return 0;
    for (int j = 0; j < sp->shape.ng; j++) sp->y[j] = sp->x[sp->shape.nv + j] / *size;
  }
  return sigma;
}

double cmb_kkt_sparse_weakest(cmb_kkt_sparse *sp)
{
  double size = 0;
  const double sigma = iterate_inversely(sp, &sp->symmetric, 0, &size);
  if (!(sigma > 0)) return 0;
  memcpy(sp->weak_n, sp->y, (size_t)sp->shape.ng * sizeof *sp->y);
  for (int i = 0; i < sp->shape.nv; i++) sp->weak_x[i] = -sp->x[i] / (size * sigma);
  return sigma;
}

cmb_status cmb_kkt_sparse_smallest(cmb_kkt_sparse *sp, const double *G, double *sigma,
                                   double *share)
{
  double size = 0;
  CMB_TRY(factor_shifted(sp, G, sp->length2, SEARCHING_SHIFT));
  *sigma = iterate_inversely(sp, &sp->shifted, SEARCHING_SHIFT, &size);
  for (int j = 0; j < sp->shape.ng; j++) {
    share[j] = fabs(sp->y[j]) * sqrt(sp->shifted.length2[sp->K.place[sp->shape.nv + j]]);
  }
  return CMB_OK;
}

void cmb_kkt_sparse_weakest_vectors(const cmb_kkt_sparse *sp, double *n, double *x)
{
  memcpy(n, sp->weak_n, (size_t)sp->shape.ng * sizeof *n);
  memcpy(x, sp->weak_x, (size_t)sp->shape.nv * sizeof *x);
}
