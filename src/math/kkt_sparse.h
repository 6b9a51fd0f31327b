/*
 * The KKT matrix as one sparse matrix, factored in a static order (static_lu.h). Private to math.
 *
 * M is on shape->M_pattern, or diagonal; G and B on shape->G_pattern. The length of a row of G is taken in the metric of M⁻¹, with those
 * coordinates fixed that are eliminated after it: it may be a little less than its whole length.
 */
#ifndef CMB_MATH_KKT_SPARSE_H
#define CMB_MATH_KKT_SPARSE_H

#include "base/arena.h"
#include "math/kkt.h"

typedef struct cmb_kkt_sparse cmb_kkt_sparse;

/* Creates the object in memory from the arena. Failures leave a message in the context. */
cmb_status cmb_kkt_sparse_create(cmb_context *ctx, cmb_arena *arena, const cmb_kkt_shape *shape,
                                 cmb_kkt_sparse **sparse);

/* Sets and factorises the mass matrix, which stays until the next call. Returns CMB_RETRY_MASS if it is not positive definite,
 * CMB_RETRY_NONFINITE if it is not finite; there is no mass matrix then. */
cmb_status cmb_kkt_sparse_mass(cmb_kkt_sparse *sparse, const double *M);

/* Sets the usual lengths of the rows of G (ng); shorter rows are measured by these. */
void cmb_kkt_sparse_reference(cmb_kkt_sparse *sparse, const double *length);

/* Factorises with the present mass matrix; B == G: symmetric. Returns CMB_RETRY_SINGULAR if a pivot of a row of G is not above `zero`
 * times its squared length, in which case the row is left out of the factors; CMB_RETRY_NONFINITE if G or B is not finite. */
cmb_status cmb_kkt_sparse_factor(cmb_kkt_sparse *sparse, const double *G, const double *B,
                                 double zero);

/* Returns the largest number of entries in a row of the factors, without the diagonal. */
int cmb_kkt_sparse_widest(const cmb_kkt_sparse *sparse);

/* Returns whether every pivot of a row of G in the present symmetric factors has the right sign, and is at most doubled if the squared
 * length of each row of G is changed by the fraction `rounding`: it is then more than what such errors can make of 0. Costs one
 * factorisation; none if no pivot has fallen below half of its value when this was last shown with a small change. */
bool cmb_kkt_sparse_certain(cmb_kkt_sparse *sparse, double rounding);

/* Returns whether sin² of a row in the present symmetric factors has fallen below `zero`: also relative to the largest value seen in
 * earlier calls, since in a long chain of bodies it may be as small in every position. */
bool cmb_kkt_sparse_has_fallen(cmb_kkt_sparse *sparse, double zero);

/* Returns sin² of the smallest angle between a row of G and those eliminated before, in the present factors, B = G. */
double cmb_kkt_sparse_least(const cmb_kkt_sparse *sparse);

/* Copies the pivots of the rows of G in the present factors, in the order of the rows, to pivot (ng). */
void cmb_kkt_sparse_pivots(const cmb_kkt_sparse *sparse, double *pivot);

/* Computes the lengths of the rows of this G. The present symmetric factors stay, but not their damped variant. */
cmb_status cmb_kkt_sparse_measure(cmb_kkt_sparse *sparse, const double *G, double *length);

/* Solves with the present factors, as cmb_kkt_solve does. */
void cmb_kkt_sparse_solve(cmb_kkt_sparse *sparse, const double *r, const double *s, double *x,
                          double *y);

/* Computes, with symmetric factors, a damped solution x (nv) of G x + s = 0: its component of singular value σ is multiplied by σ²/(σ² +
 * cut²). */
void cmb_kkt_sparse_damped(cmb_kkt_sparse *sparse, double cut, const double *s, double *x);

/* Compute, with symmetric factors, the smallest singular value σ, by inverse iteration from the last n, and its vectors n (ng) and x
 * (nv), nᵀ G x = σ, in units of the lengths. Returns 0 if that fails. */
double cmb_kkt_sparse_weakest(cmb_kkt_sparse *sparse);
void cmb_kkt_sparse_weakest_vectors(const cmb_kkt_sparse *sparse, double *n, double *x);

/* cmb_kkt_sparse_keep copies what later factorisations read of earlier ones: the largest and the verified sin² of the rows, and the vector
 * from which inverse iterations begin. cmb_kkt_sparse_restore restores it. */
void cmb_kkt_sparse_keep(cmb_kkt_sparse *sparse);
void cmb_kkt_sparse_restore(cmb_kkt_sparse *sparse);

/* Computes the smallest singular value of this G and the share of each row, as in cmb_kkt_smallest. The factors are lost. */
cmb_status cmb_kkt_sparse_smallest(cmb_kkt_sparse *sparse, const double *G, double *sigma,
                                   double *share);

#endif
