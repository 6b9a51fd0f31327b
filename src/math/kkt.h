/*
 * The KKT object: factor once, solve many times with
 *
 *     [ M   Bᵀ ] [ x ]   [  r ]      M: nv x nv, symmetric positive definite
 *     [ G   0  ] [ y ] = [ −s ]      G, B: ng x nv of full rank
 *
 * The sign of s is that of 0 = G v̇ + γ, and of a Newton correction G Δ + g = 0.
 * B = G gives the symmetric matrix Q of Simeon 1996, eq. (4). B ≠ G is the half-explicit case: G taken at
 * another point than the forces' Bᵀ.
 *
 * Dense: M = L D Lᵀ, S = G M⁻¹ Bᵀ (ng x ng), factored with complete pivoting, so that a rank-deficient
 * G is seen and the constraint at fault has a number. When S is in doubt, singular values decide, and
 * solve: also where the constraints are dependent, in the sense of least squares and least norm (kkt_rank.h).
 *
 * M by its factors W and D (mass_factors.h): the dense way with W for L⁻¹. That takes O(ng nv) memory.
 *
 * Sparse and large: the whole matrix in a static order (kkt_sparse.h). Its pivots show how near G is to losing rank; where it
 * has lost it the dense way solves.
 *
 * Memory is taken when the object is created, factoring and solving allocate nothing; but for the dense object of a sparse one,
 * which is created when rank is lost for the first time.
 *
 * Dependent means: the sine of the angle between a constraint's gradient and the span of the others, in
 * the metric of M⁻¹, is no larger than rounding can make it (kkt.c). Units of constraints and of
 * coordinates do not matter.
 */
#ifndef CMB_MATH_KKT_H
#define CMB_MATH_KKT_H

#include "math/mass_factors.h"
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

/* The same where M is given by its factors: cmb_kkt_factor takes their values for M. Of the shape, M_pattern is not read. */
cmb_status cmb_kkt_create_factored(cmb_context *ctx, const cmb_kkt_shape *shape,
                                   const cmb_mass_factors *factors, cmb_kkt **kkt);

/* Lengths of the gradients as they usually are, in the metric of M⁻¹ (ng): a gradient that is shorter than these by the
 * factor that makes an angle too small counts as dependent. Not known at first: then only a gradient of length 0 does. */
void cmb_kkt_set_reference(cmb_kkt *kkt, const double *length);

/* Limits for the singular values of G, with gradients of unit length: which are found in doubt and get the singular values
 * worked out, count as 0, or are left out of corrections; and how many constraints are dependent everywhere. */
typedef struct cmb_kkt_limits {
  double doubt, zero, correct;
  int redundant;
} cmb_kkt_limits;

/* What they are at first. Below 1e-4 the pivots of S have lost half of their digits. */
#define CMB_KKT_LIMITS                                                                             \
  (cmb_kkt_limits)                                                                                 \
  {                                                                                                \
    .doubt = 1e-4                                                                                  \
  }

void cmb_kkt_set_limits(cmb_kkt *kkt, const cmb_kkt_limits *limits);

/* Whether a large system is not factored where rank is lost, if limits.correct asks for care: CMB_RETRY_SINGULAR without factors,
 * since those for dependent constraints cost the third power of their number. No at first. */
void cmb_kkt_refuse(cmb_kkt *kkt, bool refuse);

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

/* The same for r = 0, whose nv zeros are given, with s and y: the nearest x with G x + s = 0 in the metric of M. y may be s. */
void cmb_kkt_move(cmb_kkt *kkt, const double *zero, const double *s, double *x, double *y);

/* Newton's correction x with G x + s = 0, nearest to 0; what `limits` says is left out. */
void cmb_kkt_correct(cmb_kkt *kkt, const double *s, double *x);

/* A flag of the object that tells whether the singular values had to be worked out for the factors held: to be looked at often. */
const bool *cmb_kkt_doubtful(const cmb_kkt *kkt);

/* The smallest singular value in the factors held, those of redundant constraints apart: how near the constraints are to losing
 * rank. 1 if it is not in doubt. */
double cmb_kkt_nearness(const cmb_kkt *kkt);

/* The smallest singular value σ that is not 0 in the factors held, B = G, with its vectors n (ng) and x (nv), which has length 1
 * in the metric of M: nᵀ G x = σ. False if σ is above `limit`, or not in doubt. */
bool cmb_kkt_weakest(const cmb_kkt *kkt, double limit, double *sigma, double *n, double *x);

/* The part of x (nv) in the directions that the constraints determine weakly, in the factors held: those of singular values σ up
 * to `limit`; in large systems with a weight of limit²/(σ² + limit²). Gx (ng) is G x with the G that was factored. 0 if nothing
 * is in doubt. */
void cmb_kkt_weak_part(cmb_kkt *kkt, double limit, const double *x, const double *Gx, double *part);

/* After CMB_RETRY_SINGULAR: a constraint (row of G) that depends on the others; -1 otherwise. */
int cmb_kkt_dependent(const cmb_kkt *kkt);

/* The largest singular value that may count as 0. */
double cmb_kkt_zero(const cmb_kkt *kkt);

/* A bound of the singular values that count as 0 in the factors held, B = G; 0 if none does. Where G x + s = 0 is solved in the sense
 * of least squares, that times |x| may be left of it, in the metric of M and with gradients of unit length. */
double cmb_kkt_dropped(const cmb_kkt *kkt);

/* The rank of the constraints in the factors held: ng, or less after CMB_RETRY_SINGULAR. */
int cmb_kkt_rank_held(const cmb_kkt *kkt);

/* After CMB_RETRY_SINGULAR, with k from 0 to ng - rank - 1: a vector n (ng) with nᵀ B = 0, and share (ng), its entries in units
 * that make all gradients equally long, of length 1. The multipliers are known except for multiples of n. */
void cmb_kkt_null(const cmb_kkt *kkt, int k, double *n, double *share);

/* The smallest singular value of G with gradients of unit length, or shorter where they are shorter than the reference, those of
 * `redundant` (< ng) constraints apart; and as in cmb_kkt_null the share (ng) of each constraint in it. The factors are lost,
 * M's are kept. For reports, not for stepping. */
cmb_status cmb_kkt_smallest(cmb_kkt *kkt, const double *M, const double *G, int redundant,
                            double *sigma, double *share);

/* The constraints that depend on the constraints before them, in ascending order: list (ng) and how
 * many. Those that come last (ng) stand behind all others; NULL: none. Works on any G, M as in cmb_kkt_factor; meant for reports, not for stepping. The factors are
 * lost, M's are kept. */
cmb_status cmb_kkt_redundant(cmb_kkt *kkt, const double *M, const double *G, const bool *last,
                             int *list, int *count);

#endif
