/*
 * The KKT object (kkt.h): choice of the method, and the dense method.
 *
 * Dense, with M = L D Lᵀ (L = I if M is diagonal), block elimination of Simeon 1996, eq. (4):
 *
 *     factor:  G' = G L⁻ᵀ,  B' = B L⁻ᵀ,  S = G' D⁻¹ B'ᵀ = G M⁻¹ Bᵀ
 *     solve:   z = D⁻¹ L⁻¹ r,  S y = G' z + s,  x = L⁻ᵀ (z − D⁻¹ B'ᵀ y)
 *
 * so that half of S suffices if B = G, and G' = G if M is diagonal.
 *
 * The rank test. In the metric of M⁻¹ and with gradients of unit length S is a matrix of cosines, and a pivot is sin² of the angle between
 * one gradient and the span of those eliminated before. Each entry of S is a sum of nv products, in error by at most about nv eps. A
 * dependent gradient is a combination of the pivots' gradients, with coefficients that complete pivoting keeps near 1 or below, so its
 * pivot, 0 without rounding, is a sum of up to ng² such errors with coefficients near 1: independent ones, so the sum is about ng times one
 * of them. Hence a pivot up to
 *
 *     SAFETY · ng nv eps
 *
 * cannot be distinguished from zero. For nv = 60 and ng = 40 that is an angle of 1.5e-6. Errors made before S, in L and G', do not count if
 * B = G: S is then exact for slightly different gradients, and their angle is in error by about nv eps, its sin² by the square of that. If B
 * ≠ G and only one of the two is dependent they do count, times the condition of L, and a dependence may be mistaken for a small angle.
 *
 * The sparse method. In a chain of N bodies the pivots of independent constraints fall as N⁻³, and soon below that limit. But a row is
 * combined only with those in its row of the factors, at most w entries; so a pivot up to SAFETY · w² eps is zero. Between the two limits a
 * second factorisation decides: the squared length of each row of G is changed by SAFETY · eps, which stands for the errors of S, and each
 * pivot then changes by as much as these errors can have changed it. A pivot that is more than doubled may have been zero, and the dense
 * method is used. For chains of N bodies this changes a pivot by the fraction 1e-7 for N = 100, growing as N⁴. As long as the pivots stay
 * near those of a factorisation that passed this test, it is not repeated.
 *
 * Between that limit and limits.doubt, where the pivot is right but has lost digits, the system is solved by singular values (kkt_rank.h).
 * The sparse method, whose cost must not grow faster than the matrix, computes only the smallest one (kkt_sparse.h), and only if
 * corrections leave out weak directions; it computes all singular values only where rank is lost.
 *
 * All memory is in the object's arena.
 */
#include "math/kkt_object.h"

#include "base/context.h"
#include "math/dense.h"
#include "math/finite.h"
#include "math/pattern.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const double MOST_DENSE_BYTES = 8e9; /* memory limit for the dense object of a sparse one */

/* Keeps a function from being inlined in cmb_kkt_factor: its overhead would cost more than the arithmetic of the smallest case
 * (kkt_small.h). */
#define APART __attribute__((noinline))

/* factor of the rank test; 0.4 would suffice for random rows, nv from 4 to 100 */
static const double SAFETY = 4;

/* ---- create and destroy */

/* Returns whether the KKT matrix is to be factored by the sparse method: nv + ng is large enough, G has a sparsity pattern, and M is
 * diagonal or has a pattern. */
static bool is_sparse_worthwhile(const cmb_kkt_shape *s)
{
  return s->G_pattern && (s->mass_diagonal || s->M_pattern) && s->nv + s->ng >= CMB_KKT_SPARSE_FROM;
}

/* Checks that the sizes of a KKT matrix are not negative and match those of the patterns of M and G. Returns CMB_ERROR_ARGUMENT
 * otherwise. */
static cmb_status check_shape(cmb_context *ctx, const cmb_kkt_shape *s)
{
  const cmb_pattern *M = s->mass_diagonal ? NULL : s->M_pattern, *G = s->G_pattern;
  if (s->nv < 0 || s->ng < 0 || (M && (M->rows != s->nv || M->columns != s->nv)) ||
      (G && (G->rows != s->ng || G->columns != s->nv))) {
    return cmb_fail(
        ctx, CMB_ERROR_ARGUMENT,
        "KKT matrix: nv = %d and ng = %d are negative or differ from the sizes of the patterns",
        s->nv, s->ng);
  }
  return CMB_OK;
}

/* Allocates the arrays for the closed-form solution of a KKT system with one or two constraints and a diagonal mass matrix, and selects
 * that solution. */
static void take_small(cmb_kkt *kkt)
{
  cmb_kkt_small *small = &kkt->small;
  *small = (cmb_kkt_small){.nv = kkt->shape.nv, .ng = kkt->shape.ng, .D_inv = kkt->D_inv};
  small->least_length2 = kkt->schur.least_length2;
  small->W_G = cmb_arena_doubles(kkt->arena, 2 * small->nv);
  small->W_B = cmb_arena_doubles(kkt->arena, 2 * small->nv);
  kkt->is_small = true;
}

/* Allocates the arrays for the dense factorisation of the KKT matrix. Failures remain recorded in the arena. */
static void take_dense(cmb_kkt *kkt)
{
  const size_t nv = (size_t)kkt->shape.nv, ng = (size_t)kkt->shape.ng;
  const cmb_mass_factors *factors = kkt->factors;
  if (factors) {
    kkt->M_factors = cmb_arena_doubles(kkt->arena, factors->values);
    kkt->M_scratch = cmb_arena_doubles(kkt->arena, factors->scratch);
  } else if (!kkt->shape.mass_diagonal) {
    kkt->LD = cmb_arena_take(kkt->arena, nv * nv, sizeof(double));
  }
  kkt->D_inv = cmb_arena_doubles(kkt->arena, kkt->shape.nv);
  kkt->G = cmb_arena_take(kkt->arena, ng * nv, sizeof(double));
  kkt->B = cmb_arena_take(kkt->arena, ng * nv, sizeof(double));
  kkt->z = cmb_arena_doubles(kkt->arena, kkt->shape.nv);
  kkt->u = cmb_arena_doubles(kkt->arena, kkt->shape.nv);
  kkt->b = cmb_arena_doubles(kkt->arena, kkt->shape.ng);
  cmb_schur_create(kkt->arena, kkt->shape.ng, &kkt->schur);
  cmb_kkt_rank_create(kkt->arena, kkt->shape.nv, kkt->shape.ng, &kkt->rank);
  if ((ng == 1 || ng == 2) && kkt->shape.mass_diagonal && !kkt->shape.G_pattern) take_small(kkt);
}

/* Returns the number of values with which the mass matrix is stored: its diagonal, the entries of its pattern, or all nv². */
static int mass_values(const cmb_kkt_shape *s)
{
  return s->mass_diagonal ? s->nv : cmb_pattern_values(s->M_pattern, s->nv, s->nv);
}

/* Returns the largest pivot that counts as zero in the sparse factorisation of the KKT matrix: SAFETY ε w², where w is the largest number
 * of entries in a row of the factors, as a row is combined only with that many others; but at most the limit kkt->certain, which holds for
 * any order of elimination. */
static double sparse_least_pivot(const cmb_kkt *kkt)
{
  const double widest = cmb_kkt_sparse_widest(kkt->sparse);
  return fmin(kkt->certain, SAFETY * DBL_EPSILON * widest * widest);
}

/* Creates a KKT object that uses the sparse or the dense method; `factors` describes the factors by which M is given, NULL if M is given by
 * its entries. */
static cmb_status create(cmb_context *ctx, const cmb_kkt_shape *shape,
                         const cmb_mass_factors *factors, bool sparse, cmb_kkt **result)
{
  *result = NULL;
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_kkt *kkt = arena ? cmb_arena_take(arena, 1, sizeof *kkt) : NULL;
  if (!kkt) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *kkt = (cmb_kkt){
      .ctx = ctx, .arena = arena, .shape = *shape, .dependent = -1, .limits = CMB_KKT_LIMITS};
  kkt->factors = factors;
  kkt->least_pivot = kkt->certain = SAFETY * DBL_EPSILON * shape->nv * shape->ng;
  cmb_status status = CMB_OK;
  if (sparse) {
    kkt->M_values = cmb_arena_doubles(arena, mass_values(shape));
    kkt->reference = cmb_arena_doubles(arena, shape->ng);
    kkt->sparse_scratch = cmb_arena_doubles(arena, shape->nv);
    status = cmb_kkt_sparse_create(ctx, arena, shape, &kkt->sparse);
    if (status == CMB_OK) kkt->least_pivot = sparse_least_pivot(kkt);
  } else {
    take_dense(kkt);
  }
  kkt->doubt = fmax(kkt->least_pivot, kkt->limits.doubt * kkt->limits.doubt);
  if (status == CMB_OK && cmb_arena_failed(arena)) status = cmb_fail_memory(ctx);
  if (status != CMB_OK) {
    cmb_kkt_destroy(kkt);
    return status;
  }
  *result = kkt;
  return CMB_OK;
}

cmb_status cmb_kkt_create(cmb_context *ctx, const cmb_kkt_shape *shape, cmb_kkt **kkt)
{
  *kkt = NULL;
  CMB_TRY(check_shape(ctx, shape));
  return create(ctx, shape, NULL, is_sparse_worthwhile(shape), kkt);
}

cmb_status cmb_kkt_create_factored(cmb_context *ctx, const cmb_kkt_shape *shape,
                                   const cmb_mass_factors *factors, cmb_kkt **kkt)
{
  *kkt = NULL;
  CMB_TRY(check_shape(ctx, shape));
  return create(ctx, shape, factors, false, kkt);
}

void cmb_kkt_destroy(cmb_kkt *kkt)
{
  if (!kkt) return;
  cmb_kkt_destroy(kkt->dense);
  cmb_arena_destroy(kkt->arena);
}

/* ---- the mass matrix */

/* Computes the inverse of a diagonal mass matrix M[nv] in kkt->D_inv. Returns CMB_RETRY_MASS if an entry is not positive,
 * CMB_RETRY_NONFINITE if an entry is NaN or infinite. */
static cmb_status factor_diagonal_mass(cmb_kkt *kkt, const double *M)
{
  for (int i = 0; i < kkt->shape.nv; i++) {
    if (!isfinite(M[i])) return CMB_RETRY_NONFINITE;
    if (!(M[i] > 0)) return CMB_RETRY_MASS;
    kkt->D_inv[i] = 1 / M[i];
  }
  return CMB_OK;
}

/* Copies the values of a mass matrix that is given by its factors W⁻¹ D W⁻ᵀ; the first nv values are the diagonal of D⁻¹. Returns
 * CMB_RETRY_MASS if one of these is not positive, CMB_RETRY_NONFINITE if a value is not finite. */
static cmb_status copy_factors(cmb_kkt *kkt, const double *values)
{
  const int nv = kkt->shape.nv, count = kkt->factors->values;
  if (!cmb_all_finite(count, values)) return CMB_RETRY_NONFINITE;
  for (int i = 0; i < nv; i++) {
    if (!(values[i] > 0)) return CMB_RETRY_MASS;
    kkt->D_inv[i] = values[i];
  }
  memcpy(kkt->M_factors, values, (size_t)count * sizeof *values);
  return CMB_OK;
}

/* Returns why the LDLᵀ factorisation of the mass matrix M failed: CMB_RETRY_NONFINITE if an entry of its lower triangle is not finite,
 * otherwise CMB_RETRY_MASS (not positive definite). */
static cmb_status bad_mass(cmb_kkt *kkt, const double *M)
{
  const int nv = kkt->shape.nv;
  for (int i = 0; i < nv; i++) {
    cmb_expand_row(kkt->shape.M_pattern, nv, i, M, kkt->u);
    if (!cmb_all_finite(i + 1, kkt->u)) return CMB_RETRY_NONFINITE;
  }
  return CMB_RETRY_MASS;
}

/* Factorises a mass matrix M = L D Lᵀ that is not diagonal as a dense matrix. Returns CMB_RETRY_MASS if M is not positive definite,
 * CMB_RETRY_NONFINITE if an entry of its lower triangle is not finite; the upper triangle is not examined. */
static cmb_status factor_full_mass(cmb_kkt *kkt, const double *M)
{
  const int nv = kkt->shape.nv;
  for (int i = 0; i < nv; i++) {
    cmb_expand_row(kkt->shape.M_pattern, nv, i, M, kkt->LD + (ptrdiff_t)i * nv);
  }
  if (cmb_ldlt_factor(nv, kkt->LD) >= 0) return bad_mass(kkt, M);
  for (int i = 0; i < nv; i++) kkt->D_inv[i] = kkt->LD[(ptrdiff_t)i * (nv + 1)];
  return CMB_OK;
}

/* Factorises the sparse mass matrix M, and copies its values, since a dense factorisation may need them later. Returns CMB_RETRY_MASS if M
 * is not positive definite, CMB_RETRY_NONFINITE if a value is not finite. */
static cmb_status factor_sparse_mass(cmb_kkt *kkt, const double *M)
{
  memcpy(kkt->M_values, M, (size_t)mass_values(&kkt->shape) * sizeof *M);
  return cmb_kkt_sparse_mass(kkt->sparse, M);
}

/* Factorises the mass matrix M. Returns CMB_ERROR_ARGUMENT if M is NULL (keep the mass matrix of an earlier call): there is no such call. */
static APART cmb_status factor_mass(cmb_kkt *kkt, const double *M)
{
  if (!M) {
    return cmb_fail(kkt->ctx, CMB_ERROR_ARGUMENT,
                    "KKT matrix: the mass matrix is missing; expected it in the first call");
  }
  kkt->has_mass = false;
  if (kkt->sparse) {
    CMB_TRY(factor_sparse_mass(kkt, M));
  } else if (kkt->M_factors) {
    CMB_TRY(copy_factors(kkt, M));
  } else if (kkt->LD) {
    CMB_TRY(factor_full_mass(kkt, M));
  } else {
    CMB_TRY(factor_diagonal_mass(kkt, M));
  }
  kkt->has_mass = true;
  return CMB_OK;
}

cmb_status cmb_kkt_mass(cmb_kkt *kkt, const double *M)
{
  return M || !kkt->has_mass ? factor_mass(kkt, M) : CMB_OK;
}

/* ---- the constraints */

/* Computes a := L⁻¹ a for each of the `rows` rows a of length nv, where L is the lower triangular factor of the mass matrix M = L D Lᵀ.
 * Does nothing if M is diagonal. If M is given by factors W⁻¹ D W⁻ᵀ, L⁻¹ is W. */
static void forward(cmb_kkt *kkt, int rows, double *a)
{
  const int nv = kkt->shape.nv;
  const cmb_mass_factors *f = kkt->factors;
  if (kkt->LD) cmb_ldlt_forward(nv, kkt->LD, rows, a);
  for (int i = 0; f && i < rows; i++) {
    f->forward(f->self, kkt->M_factors, kkt->M_scratch, a + (ptrdiff_t)i * nv);
  }
}

void cmb_kkt_backward(const cmb_kkt *kkt, double *x)
{
  const cmb_mass_factors *f = kkt->factors;
  if (kkt->LD) cmb_ldlt_backward(kkt->shape.nv, kkt->LD, x);
  if (f) f->backward(f->self, kkt->M_factors, kkt->M_scratch, x);
}

/* Computes reduced = G L⁻ᵀ (ng x nv, dense) from the constraint Jacobian G and the lower triangular factor L of the mass matrix M = L D Lᵀ:
 * row i is L⁻¹ g_iᵀ. */
static void reduce(cmb_kkt *kkt, const double *G, double *reduced)
{
  const int nv = kkt->shape.nv, ng = kkt->shape.ng;
  for (int i = 0; i < ng; i++) {
    cmb_expand_row(kkt->shape.G_pattern, nv, i, G, reduced + (ptrdiff_t)i * nv);
  }
  forward(kkt, ng, reduced);
}

/* Computes the dot products dot[i] = uᵀ a_i of u[nv] with the rows a_i of A (rows x nv). */
static void multiply_rows(int rows, int nv, const double *A, const double *u, double *dot)
{
  int i = 0;
  for (; i + 3 < rows; i += 4) {
    const double *a = A + (ptrdiff_t)i * nv;
    const double *const four[4] = {a, a + nv, a + 2 * (ptrdiff_t)nv, a + 3 * (ptrdiff_t)nv};
    cmb_dot4(nv, u, four, dot + i);
  }
  for (; i < rows; i++) dot[i] = cmb_dot(nv, u, A + (ptrdiff_t)i * nv);
}

/* Computes and factorises the Schur complement S = G M⁻¹ Gᵀ of the KKT matrix, from the factored mass matrix M and the constraint
 * Jacobian G. */
static APART cmb_status factor_symmetric(cmb_kkt *kkt, const double *G)
{
  const int nv = kkt->shape.nv, ng = kkt->shape.ng;
  double *S = kkt->schur.S;
  reduce(kkt, G, kkt->G);
  for (int i = 0; i < ng; i++) {
    cmb_multiply_entries(nv, kkt->D_inv, kkt->G + (ptrdiff_t)i * nv, kkt->u);
    multiply_rows(i + 1, nv, kkt->G, kkt->u, S + (ptrdiff_t)i * ng);
    for (int j = 0; j < i; j++) S[(ptrdiff_t)j * ng + i] = S[(ptrdiff_t)i * ng + j];
  }
  kkt->B_factor = kkt->G;
  return cmb_schur_factor_symmetric(&kkt->schur, kkt->doubt, &kkt->dependent);
}

/* Computes and factorises the Schur complement S = G M⁻¹ Bᵀ of the KKT matrix, where constraint forces act by another Jacobian B than G,
 * that of the constraints. */
static APART cmb_status factor_unsymmetric(cmb_kkt *kkt, const double *G, const double *B)
{
  const int nv = kkt->shape.nv, ng = kkt->shape.ng;
  reduce(kkt, G, kkt->G);
  reduce(kkt, B, kkt->B);
  for (int i = 0; i < ng; i++) {
    const double *b = kkt->B + (ptrdiff_t)i * nv, *g = kkt->G + (ptrdiff_t)i * nv;
    cmb_multiply_entries(nv, kkt->D_inv, b, kkt->u);
    kkt->schur.B_length2[i] = cmb_dot(nv, b, kkt->u);
    cmb_multiply_entries(nv, kkt->D_inv, g, kkt->u);
    kkt->schur.G_length2[i] = cmb_dot(nv, g, kkt->u);
    multiply_rows(ng, nv, kkt->B, kkt->u, kkt->schur.S + (ptrdiff_t)i * ng);
  }
  kkt->B_factor = kkt->B;
  return cmb_schur_factor_unsymmetric(&kkt->schur, kkt->doubt, &kkt->dependent);
}

/* Factorises the KKT matrix [M Bᵀ; G 0] by its Schur complement S = G M⁻¹ Bᵀ; M is already factored. CMB_RETRY_SINGULAR only means that a
 * pivot of S is too small to be trusted; the constraints may still have full rank. */
static cmb_status factor_schur(cmb_kkt *kkt, const double *G, const double *B)
{
  if (kkt->is_small) {
    return B == G
               ? cmb_kkt_small_factor(&kkt->small, G, kkt->doubt, &kkt->dependent)
               : cmb_kkt_small_factor_unsymmetric(&kkt->small, G, B, kkt->doubt, &kkt->dependent);
  }
  return B == G ? factor_symmetric(kkt, G) : factor_unsymmetric(kkt, G, B);
}

/* Factorises the KKT matrix by singular values, where a pivot of the Schur complement is too small to be trusted. Unless corrections
 * leave out weak directions (limits.correct > 0), singular values that are certainly not 0 need not be computed. Returns
 * CMB_RETRY_SINGULAR if the constraints have lost rank. */
static APART cmb_status factor_in_doubt(cmb_kkt *kkt, const double *G, const double *B)
{
  const double zero = fmax(kkt->least_pivot, kkt->limits.zero * kkt->limits.zero);
  const bool treats_weak = kkt->limits.correct > 0;
  const cmb_kkt_rank_limits limits = {
      .zero = zero,
      .rounding = kkt->least_pivot,
      .doubt = treats_weak ? fmax(kkt->limits.doubt, kkt->limits.correct) : sqrt(zero)};
  kkt->by_rank = kkt->doubtful = true;
  reduce(kkt, G, kkt->G);
  if (B != G) reduce(kkt, B, kkt->B);
  cmb_kkt_rank_factor(&kkt->rank, kkt->D_inv, kkt->G, B == G ? kkt->G : kkt->B, &limits);
  if (kkt->rank.rank < kkt->shape.ng) return CMB_RETRY_SINGULAR;
  kkt->dependent = -1;
  return CMB_OK;
}

/* Factorises the KKT matrix [M Bᵀ; G 0] by its Schur complement, or by a singular value decomposition if a pivot of the Schur complement is
 * too small to be trusted. Returns CMB_RETRY_SINGULAR if the constraints have lost rank. */
static cmb_status factor_dense(cmb_kkt *kkt, const double *G, const double *B)
{
  kkt->by_rank = kkt->doubtful = false;
  cmb_status status = factor_schur(kkt, G, B);
  return status == CMB_RETRY_SINGULAR ? factor_in_doubt(kkt, G, B) : status;
}

/* Computes the minimum-norm least-squares solution of the KKT system M x + Bᵀ y = r, G x = −s by a singular value decomposition; singular
 * values up to `cut` are left out. Starts from the solution without constraints, z = D^½ Lᵀ x with M = L D Lᵀ, corrects z for the
 * constraints and transforms it back to x. s may be NULL, which means 0; y may be NULL. */
void cmb_kkt_solve_by_rank(cmb_kkt *kkt, double cut, const double *r, const double *s, double *x,
                           double *y)
{
  const int nv = kkt->shape.nv;
  memcpy(kkt->z, r, (size_t)nv * sizeof *kkt->z);
  forward(kkt, 1, kkt->z);
  for (int k = 0; k < nv; k++) kkt->z[k] *= sqrt(kkt->D_inv[k]);
  cmb_kkt_rank_solve(&kkt->rank, cut, s, kkt->z, kkt->b);
  for (int k = 0; k < nv; k++) x[k] = kkt->z[k] * sqrt(kkt->D_inv[k]);
  cmb_kkt_backward(kkt, x);
  if (y) memcpy(y, kkt->b, (size_t)kkt->shape.ng * sizeof *y);
}

/* Solves the KKT system M x + Bᵀ y = r, G x = −s with the dense factors of the mass matrix and of the Schur complement. s may be NULL,
 * which means 0; y may be NULL. */
static void solve_dense(cmb_kkt *kkt, const double *r, const double *s, double *x, double *y)
{
  const int nv = kkt->shape.nv, ng = kkt->shape.ng;
  double *z = kkt->z, *u = kkt->u, *b = kkt->b;
  const double *reduced_r = r;
  if (kkt->LD || kkt->M_factors) {
    memcpy(u, r, (size_t)nv * sizeof *u);
    forward(kkt, 1, u);
    reduced_r = u;
  }
  cmb_multiply_entries(nv, kkt->D_inv, reduced_r, z);
  multiply_rows(ng, nv, kkt->G, z, b);
  for (int i = 0; s && i < ng; i++) b[i] += s[i];
  cmb_schur_solve(&kkt->schur, b, b);

  memset(u, 0, (size_t)nv * sizeof *u);
  for (int i = 0; i < ng; i++) cmb_add_scaled(nv, b[i], kkt->B_factor + (ptrdiff_t)i * nv, u);
  for (int k = 0; k < nv; k++) x[k] = z[k] - kkt->D_inv[k] * u[k];
  cmb_kkt_backward(kkt, x);
  if (y) memcpy(y, b, (size_t)ng * sizeof *y);
}

/* ---- sparse method */

/* Returns kkt->dense, the dense KKT solver that a sparse KKT solver uses to find dependent constraints; creates it at the first call.
 * Returns NULL, with an error message in the context, if out of memory or if the solver would need more than MOST_DENSE_BYTES. */
static cmb_kkt *dense_object(cmb_kkt *kkt)
{
  const double nv = kkt->shape.nv, ng = kkt->shape.ng,
               bytes = 8 * (nv * nv + 4 * ng * nv + 2 * ng * ng);
  if (bytes > MOST_DENSE_BYTES) {
    cmb_fail(kkt->ctx, CMB_ERROR_MEMORY,
             "some of the %.0f constraints on %.0f velocities may be redundant; finding out which "
             "ones would take %.1f GB of memory, expected at most %g",
             ng, nv, ceil(bytes / 1e8) / 10, MOST_DENSE_BYTES / 1e9);
    return NULL;
  }
  if (!kkt->dense && create(kkt->ctx, &kkt->shape, NULL, false, &kkt->dense) == CMB_OK) {
    cmb_kkt_set_limits(kkt->dense, &kkt->limits);
    cmb_kkt_set_reference(kkt->dense, kkt->reference);
  }
  return kkt->dense;
}

/* Factorises a large KKT matrix by the dense method, which finds the dependent constraints. Returns CMB_RETRY_SINGULAR if there are any. */
static APART cmb_status factor_by_dense(cmb_kkt *kkt, const double *G, const double *B)
{
  cmb_kkt *dense = dense_object(kkt);
  if (!dense) return CMB_ERROR_MEMORY;
  cmb_status status = cmb_kkt_factor(dense, kkt->M_values, G, B);
  kkt->dependent = dense->dependent;
  kkt->doubtful = dense->doubtful;
  kkt->by_dense = status == CMB_OK || status == CMB_RETRY_SINGULAR;
  return status;
}

bool cmb_kkt_is_certain(cmb_kkt *kkt)
{
  return cmb_kkt_sparse_least(kkt->sparse) > kkt->certain ||
         cmb_kkt_sparse_certain(kkt->sparse, SAFETY * DBL_EPSILON);
}

/* Factorises with the sparse method; the rank is determined from G alone, also if B ≠ G. If weak directions are to be treated
 * (limits.correct > 0), rank also counts as lost where the angle of a row has dropped below limits.zero: in a long chain of bodies some
 * angles are below it in every position, and as long as a pivot is more than rounding its factors are usable. Near a loss of rank the
 * factors are those of B = G, as half-explicit stages (method/half_explicit.h), which have B ≠ G, do not occur together with such a
 * treatment. Where rank is lost, the dense object factorises, unless that is refused. */
static APART cmb_status factor_sparse(cmb_kkt *kkt, const double *G, const double *B)
{
  const double zero = kkt->least_pivot;
  kkt->by_dense = kkt->doubtful = kkt->near_singular = false;
  cmb_status status = cmb_kkt_sparse_factor(kkt->sparse, G, G, zero);
  if (status != CMB_OK && status != CMB_RETRY_SINGULAR) return status;
  if (status == CMB_OK && !cmb_kkt_is_certain(kkt)) status = CMB_RETRY_SINGULAR;
  const bool treats_weak = kkt->limits.correct > 0;
  const double lost = kkt->limits.zero * kkt->limits.zero;
  if (status == CMB_OK && treats_weak && cmb_kkt_sparse_has_fallen(kkt->sparse, lost)) {
    status = CMB_RETRY_SINGULAR;
  }
  if (status == CMB_OK && (!treats_weak || cmb_kkt_sparse_least(kkt->sparse) > kkt->doubt)) {
    if (B == G) return CMB_OK;
    status = cmb_kkt_sparse_factor(kkt->sparse, G, B, zero);
    return status == CMB_RETRY_SINGULAR ? factor_by_dense(kkt, G, B) : status;
  }
  if (status == CMB_OK) {
    kkt->nearness = sqrt(cmb_kkt_sparse_least(kkt->sparse));
    kkt->weakest = cmb_kkt_sparse_weakest(kkt->sparse);
    kkt->near_singular = kkt->doubtful = kkt->weakest > 0;
  }
  if (kkt->near_singular) return CMB_OK;
  return kkt->refusing ? CMB_RETRY_SINGULAR : factor_by_dense(kkt, G, B);
}

/* ---- the interface */

cmb_status cmb_kkt_factor(cmb_kkt *kkt, const double *M, const double *G, const double *B)
{
  kkt->dependent = -1;
  if (!B) B = G;
  CMB_TRY(cmb_kkt_mass(kkt, M));
  return kkt->sparse ? factor_sparse(kkt, G, B) : factor_dense(kkt, G, B);
}

void cmb_kkt_solve(cmb_kkt *kkt, const double *r, const double *s, double *x, double *y)
{
  if (kkt->by_rank) {
    cmb_kkt_solve_by_rank(kkt, 0, r, s, x, y);
  } else if (kkt->is_small) {
    cmb_kkt_small_solve(&kkt->small, r, s, x, y);
  } else if (!kkt->sparse) {
    solve_dense(kkt, r, s, x, y);
  } else if (kkt->by_dense) {
    cmb_kkt_solve(kkt->dense, r, s, x, y);
  } else {
    cmb_kkt_sparse_solve(kkt->sparse, r, s, x, y);
  }
}

void cmb_kkt_move(cmb_kkt *kkt, const double *zero, const double *s, double *x, double *y)
{
  if (kkt->is_small && !kkt->by_rank) {
    cmb_kkt_small_move(&kkt->small, s, x, y);
  } else {
    cmb_kkt_solve(kkt, zero, s, x, y);
  }
}

cmb_status cmb_kkt_prepare(cmb_kkt *kkt, const double *M, const double *G, cmb_kkt **dense)
{
  *dense = kkt;
  CMB_TRY(cmb_kkt_mass(kkt, M));
  if (kkt->sparse) {
    *dense = dense_object(kkt);
    if (!*dense) return CMB_ERROR_MEMORY;
    CMB_TRY(factor_mass(*dense, kkt->M_values));
  }
  reduce(*dense, G, (*dense)->G);
  bool finite = cmb_all_finite(kkt->shape.ng * kkt->shape.nv, (*dense)->G);
  return finite ? CMB_OK : CMB_RETRY_NONFINITE;
}
