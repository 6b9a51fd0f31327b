/*
 * The KKT object: factor once, solve many times with
 *
 *     [ M   Bᵀ ] [ x ]   [  r ]      M: nv x nv, symmetric positive definite
 *     [ G   0  ] [ y ] = [ −s ]      G, B: ng x nv of full rank
 *
 * The sign of s is that of 0 = G v̇ + γ, and of a Newton correction G Δ + g = 0.
 * B = G gives the symmetric matrix Q of seed 000, eq. (4). B ≠ G is the half-explicit case: G taken at
 * another point than the forces' Bᵀ.
 *
 * Dense: M = L D Lᵀ, S = G M⁻¹ Bᵀ (ng x ng), factored with complete pivoting, so that a rank-deficient
 * G is seen and the constraint at fault has a number. Sparse and large: KLU on the whole matrix; when
 * that is in doubt (tiny or missing pivot) the dense way decides, and solves. When S is in doubt, singular values decide, and
 * solve: also where the constraints are dependent, in the sense of least squares and least norm (kkt_rank.h).
 *
 * Memory is taken when the object is created. Factoring and solving dense allocate nothing. Sparse:
 * KLU allocates when it chooses pivots (first factorisation, and when the old choice has become poor),
 * and the first doubtful factorisation creates the dense object.
 *
 * Dependent means: the sine of the angle between a constraint's gradient and the span of the others, in
 * the metric of M⁻¹, is no larger than rounding can make it (kkt.c). Units of constraints and of
 * coordinates do not matter.
 */
#ifndef CMB_MATH_KKT_H
#define CMB_MATH_KKT_H

#include "math/pattern.h"

#include <camber/base.h>
#include <stdbool.h>

typedef struct cmb_kkt cmb_kkt;

typedef struct cmb_kkt_shape {
  int nv, ng;                   /* ng may be 0 */
  bool mass_diagonal;           /* M is stored as its nv diagonal entries */
  const cmb_pattern *M_pattern; /* NULL: dense, row-major. Otherwise both triangles are stored */
  const cmb_pattern *G_pattern; /* NULL: dense, row-major. B is stored like G */
} cmb_kkt_shape;

enum { CMB_KKT_SPARSE_FROM = 64 }; /* nv + ng from which patterns of M and G lead to KLU */

/* Patterns must outlive the object. */
cmb_status cmb_kkt_create(cmb_context *ctx, const cmb_kkt_shape *shape, cmb_kkt **kkt);
void cmb_kkt_destroy(cmb_kkt *kkt);

/* Lengths of the gradients as they usually are, in the metric of M⁻¹ (ng): a gradient that is shorter than these by the
 * factor that makes an angle too small counts as dependent. Not known at first: then only a gradient of length 0 does. */
void cmb_kkt_set_reference(cmb_kkt *kkt, const double *length);

/* Corrections (cmb_kkt_correct) leave out singular values up to `cut`, at least 1e-4. `redundant`: how many constraints are
 * dependent everywhere; nearness and weak directions are about the others. */
void cmb_kkt_set_cut(cmb_kkt *kkt, double cut, int redundant);

/* The lengths of the rows of G in the metric of M⁻¹ (ng). M as in cmb_kkt_factor. Factors made in the sense of least squares
 * stay, others are lost; M's are kept. */
cmb_status cmb_kkt_lengths(cmb_kkt *kkt, const double *M, const double *G, double *length);

/* Factor. M == NULL keeps the mass matrix of the call before (constant mass). B == G or B == NULL:
 * symmetric. Returns CMB_RETRY_MASS if M is not positive definite, CMB_RETRY_SINGULAR if the
 * constraints are dependent (cmb_kkt_dependent then tells which), CMB_RETRY_NONFINITE for NaN or Inf.
 * After CMB_RETRY_SINGULAR there are factors all the same: cmb_kkt_solve meets the constraints as well as they can be met, and
 * takes the multipliers of the least norm, in units that make all gradients equally long.
 * None of these leaves words in the context: only the caller knows what the constraints are called.
 * Of a dense M only the lower triangle is read, so a NaN above the diagonal is not seen. */
cmb_status cmb_kkt_factor(cmb_kkt *kkt, const double *M, const double *G, const double *B);

/* Solve with the factors of the last cmb_kkt_factor that was successful or singular. r, s may be the same arrays as x, y.
 * NULL for s means 0. y may be NULL. */
void cmb_kkt_solve(cmb_kkt *kkt, const double *r, const double *s, double *x, double *y);

/* Newton's correction x with G x + s = 0, nearest to 0. Directions in which the constraints are nearly dependent are left out:
 * there s is mostly rounding, and x would be that many times larger. */
void cmb_kkt_correct(cmb_kkt *kkt, const double *s, double *x);

/* About sin² of the smallest angle between a gradient and the others in the factors held, or the square of how much shorter
 * one is than its reference: how near the constraints are to losing rank. */
double cmb_kkt_nearness(const cmb_kkt *kkt);

/* The directions x_k = M⁻¹ Gᵀ n_k, of length 1 in the metric of M, in which G has the singular values up to `limit`: X (ng x nv)
 * and dual = X M, row by row; returns how many, -1 if G is not finite. Other factors are lost, M's are kept. */
int cmb_kkt_weak(cmb_kkt *kkt, const double *G, double limit, double *X, double *dual);

/* After CMB_RETRY_SINGULAR: a constraint (row of G) that depends on the others; -1 otherwise. */
int cmb_kkt_dependent(const cmb_kkt *kkt);

/* The rank of the constraints in the factors held: ng, or less after CMB_RETRY_SINGULAR. */
int cmb_kkt_rank_held(const cmb_kkt *kkt);

/* After CMB_RETRY_SINGULAR, with k from 0 to ng - rank - 1: a vector n (ng) with nᵀ B = 0, and share (ng), its entries in units
 * that make all gradients equally long, of length 1. The multipliers are known except for multiples of n. */
void cmb_kkt_null(const cmb_kkt *kkt, int k, double *n, double *share);

/* The singular values of G with gradients of unit length, or shorter where they are shorter than the reference: sigma (ng),
 * descending; and as in cmb_kkt_null the share (ng) of each constraint in number k, counted from the largest. The factors are
 * lost, M's are kept. For reports, not for stepping. */
cmb_status cmb_kkt_singular_values(cmb_kkt *kkt, const double *M, const double *G, int k,
                                   double *sigma, double *share);

/* Number k of these values with its left vector n (ng), in the units of G, and its right vector x (nv), of length 1 in the metric
 * of M: nᵀ G x = σ. M is that of the call before. The factors are lost. */
cmb_status cmb_kkt_singular_pair(cmb_kkt *kkt, const double *G, int k, double *sigma, double *n,
                                 double *x);

/* The constraints that depend on the constraints before them, in ascending order: list (ng) and how
 * many. Works on any G, M as in cmb_kkt_factor; meant for reports, not for stepping. The factors are
 * lost, M's are kept. */
cmb_status cmb_kkt_redundant(cmb_kkt *kkt, const double *M, const double *G, int *list, int *count);

#endif
