/*
 * The KKT object solves the equations of motion with constraints; factor once, solve many times with
 *
 *     [ M   Bᵀ ] [ x ]   [  r ]      M: nv x nv, symmetric positive definite
 *     [ G   0  ] [ y ] = [ −s ]      G, B: ng x nv of full rank
 *
 * The sign of s is that of 0 = G v̇ + γ, and of a Newton correction G Δ + g = 0. B = G gives the symmetric matrix Q of Simeon 1996, eq. (4).
 * B ≠ G is the half-explicit case: G is taken at another point than the Bᵀ of the constraint forces.
 *
 * Dense: M = L D Lᵀ, S = G M⁻¹ Bᵀ (ng x ng), factored with complete pivoting, so that a loss of rank is detected and the dependent
 * constraint is known. If a pivot of S is too small to be trusted, singular values decide, and are used for solving: also where the
 * constraints are dependent, in the sense of least squares and least norm (kkt_rank.h).
 *
 * M given by its factors W and D (mass_factors.h): the dense method with W for L⁻¹. That takes O(ng nv) memory.
 *
 * Sparse and large: the whole matrix in a static order (kkt_sparse.h). Its pivots show how near G is to losing rank; where rank is lost the
 * dense method is used.
 *
 * All memory is allocated when the object is created; factoring and solving allocate nothing, except for the dense object of a sparse one,
 * which is created when it is first needed, mostly where rank is lost.
 *
 * Dependent means: the sine of the angle between a constraint's gradient and the span of the others, in the metric of M⁻¹, is no larger
 * than rounding can make it (kkt.c) or than the limit `zero`. Units of constraints and of coordinates do not matter.
 */
#ifndef CMB_MATH_KKT_H
#define CMB_MATH_KKT_H

#include "math/mass_factors.h"
#include "math/pattern.h"

#include <camber/base.h>
#include <stdbool.h>

typedef struct cmb_kkt cmb_kkt;

typedef struct cmb_kkt_shape {
  int nv, ng;         /* numbers of velocities and of constraints; ng may be 0 */
  bool mass_diagonal; /* M is stored as its nv diagonal entries */
  /* NULL: dense, stored by rows. Otherwise both triangles are stored */
  const cmb_pattern *M_pattern;
  const cmb_pattern *G_pattern; /* NULL: dense, stored by rows. B is stored like G */
} cmb_kkt_shape;

/* nv + ng from which the sparse method is used, if G has a pattern, and M has one or is diagonal */
enum { CMB_KKT_SPARSE_FROM = 64 };

/* Creates a KKT object for matrices of this shape; the patterns must outlive it. */
cmb_status cmb_kkt_create(cmb_context *ctx, const cmb_kkt_shape *shape, cmb_kkt **kkt);
void cmb_kkt_destroy(cmb_kkt *kkt);

/* Creates a KKT object whose M is given by its factors: cmb_kkt_factor takes the values of the factors in place of M. shape->M_pattern is
 * not used. */
cmb_status cmb_kkt_create_factored(cmb_context *ctx, const cmb_kkt_shape *shape,
                                   const cmb_mass_factors *factors, cmb_kkt **kkt);

/* Sets the usual lengths of the constraint gradients (ng), in the metric of M⁻¹. A gradient counts as dependent if its length divided by
 * the usual one is so small that the sine of an angle of that size would count as 0. Until this is called only a gradient of length 0
 * does. */
void cmb_kkt_set_reference(cmb_kkt *kkt, const double *length);

/* Limits for the singular values of G with gradients of unit length. Up to `doubt` pivots are not trusted, and singular values are
 * computed instead; up to `zero` they count as 0; up to `correct` they are left out of corrections (0: weak directions are not treated).
 * `redundant` is the number of constraints that depend on others in every position. */
typedef struct cmb_kkt_limits {
  double doubt, zero, correct;
  int redundant;
} cmb_kkt_limits;

/* The initial limits. Below 1e-4 the pivots of S have lost half of their digits. */
#define CMB_KKT_LIMITS                                                                             \
  (cmb_kkt_limits)                                                                                 \
  {                                                                                                \
    .doubt = 1e-4                                                                                  \
  }

void cmb_kkt_set_limits(cmb_kkt *kkt, const cmb_kkt_limits *limits);

/* Sets whether a large system is refused where rank is lost, if limits.correct > 0: cmb_kkt_factor then returns CMB_RETRY_SINGULAR
 * without factors, since those for dependent constraints cost the third power of their number. Initially false. */
void cmb_kkt_refuse(cmb_kkt *kkt, bool refuse);

/* Computes the lengths of the rows of G in the metric of M⁻¹ (ng), in large systems approximately. M as in cmb_kkt_factor. Factors by
 * singular values stay valid, others are lost; the factors of M are kept. */
cmb_status cmb_kkt_lengths(cmb_kkt *kkt, const double *M, const double *G, double *length);

/* Factorises the KKT matrix. M == NULL keeps the mass matrix of the previous call (constant mass). B == G or B == NULL: symmetric.
 * Returns CMB_RETRY_MASS if M is not positive definite, CMB_RETRY_SINGULAR if the constraints are dependent (cmb_kkt_dependent returns
 * which), CMB_RETRY_NONFINITE for NaN or Inf. After CMB_RETRY_SINGULAR there are factors all the same, unless refused: cmb_kkt_solve then
 * satisfies the constraints in the sense of least squares, with the multipliers of the least norm, in units in which all gradients are
 * equally long. None of these statuses sets an error message in the context: only the caller knows the names of the constraints. Errors,
 * with a message, are CMB_ERROR_ARGUMENT if there is no mass matrix to keep, and CMB_ERROR_MEMORY if a large system needs a dense object
 * that is too large. Only the lower triangle of a dense M is read, so that a NaN above the diagonal is not noticed. */
cmb_status cmb_kkt_factor(cmb_kkt *kkt, const double *M, const double *G, const double *B);

/* Solves with the factors of the last cmb_kkt_factor that was successful or singular. r, s may be the same arrays as x, y. s == NULL
 * means 0. y may be NULL. */
void cmb_kkt_solve(cmb_kkt *kkt, const double *r, const double *s, double *x, double *y);

/* Computes the x with G x + s = 0 that is smallest in the metric of M: as cmb_kkt_solve for r = 0, whose nv zeros are passed in `zero`.
 * Neither s nor y is NULL; y may be s. */
void cmb_kkt_move(cmb_kkt *kkt, const double *zero, const double *s, double *x, double *y);

/* Computes the smallest Newton correction x with G x + s = 0; directions with singular values σ up to limits.correct are left out, in large
 * systems damped: all parts are multiplied by σ²/(σ² + correct²). */
void cmb_kkt_correct(cmb_kkt *kkt, const double *s, double *x);

/* Returns a pointer to the object's flag that says whether the present factors required singular values. It stays valid, for frequent
 * checks. */
const bool *cmb_kkt_doubtful(const cmb_kkt *kkt);

/* Invalidates the factors; those of the mass matrix stay. The flag of cmb_kkt_doubtful is false then. */
void cmb_kkt_lose(cmb_kkt *kkt);

/* cmb_kkt_keep copies what later calls read of earlier factorisations: the flag of cmb_kkt_doubtful and, in large systems, which pivots are
 * usual. cmb_kkt_restore restores it, so that factorisations between the two have no influence on later ones. The factors are then to be
 * made anew before they are used. */
void cmb_kkt_keep(cmb_kkt *kkt);
void cmb_kkt_restore(cmb_kkt *kkt);

/* Returns how near the constraints are to losing rank: the smallest singular value of the present factors, apart from those of redundant
 * constraints, or a lower bound of it; in large systems the sine of the smallest angle of a row. Returns 1 if no singular values were
 * needed. */
double cmb_kkt_nearness(const cmb_kkt *kkt);

/* Computes the smallest nonzero singular value σ of the present factors, B = G, with its left vector n (ng) and right vector x (nv),
 * which has length 1 in the metric of M: nᵀ G x = σ. Returns false if σ, in large systems cmb_kkt_nearness, is above `limit`, or if σ was
 * not computed. `limit` must not exceed limits.doubt, with limits.correct > 0. */
bool cmb_kkt_weakest(const cmb_kkt *kkt, double limit, double *sigma, double *n, double *x);

/* Computes the part of x (nv) in the directions that the constraints determine weakly: those of singular values σ up to `limit` of the
 * present factors; in large systems with a weight of limit²/(σ² + limit²). Gx (ng) is G x with the G that was factored. part is 0 if no
 * singular values were needed. */
void cmb_kkt_weak_part(cmb_kkt *kkt, double limit, const double *x, const double *Gx, double *part);

/* Returns, after CMB_RETRY_SINGULAR, a constraint (row of G) that depends on the others; -1 otherwise, or if the system was refused. */
int cmb_kkt_dependent(const cmb_kkt *kkt);

/* Returns the largest singular value that may count as 0. */
double cmb_kkt_zero(const cmb_kkt *kkt);

/* Returns a bound of the singular values that count as 0 in the present factors, B = G; 0 if there are none. Where G x + s = 0 is solved
 * in the sense of least squares, the remainder may be this bound times |x|, in the metric of M and with gradients of unit length. */
double cmb_kkt_dropped(const cmb_kkt *kkt);

/* Returns the rank of the constraints in the present factors: ng, or less after CMB_RETRY_SINGULAR with factors. */
int cmb_kkt_rank_held(const cmb_kkt *kkt);

/* Computes, after CMB_RETRY_SINGULAR, the k-th null vector n (ng), nᵀ B = 0, with k from 0 to ng - rank - 1; and share (ng), the absolute
 * values of its entries in units in which all gradients are equally long, as a vector of length 1. The multipliers are determined except
 * for multiples of n. */
void cmb_kkt_null(const cmb_kkt *kkt, int k, double *n, double *share);

/* Computes the smallest singular value of G with gradients of unit length (or shorter where they are shorter than the reference), apart
 * from those of `redundant` (< ng) constraints; and the share (ng) of each constraint in it, as in cmb_kkt_null. The factors are lost,
 * those of M are kept. For reports, not for stepping. */
cmb_status cmb_kkt_smallest(cmb_kkt *kkt, const double *M, const double *G, int redundant,
                            double *sigma, double *share);

/* Finds the constraints that depend on the constraints before them: list (ng), in ascending order, and their number. Constraints with
 * last[i] count as after all others; `last` may be NULL. Works for any G, M as in cmb_kkt_factor; meant for reports, not for stepping.
 * The factors are lost, those of M are kept. */
cmb_status cmb_kkt_redundant(cmb_kkt *kkt, const double *M, const double *G, const bool *last,
                             int *list, int *count);

#endif
