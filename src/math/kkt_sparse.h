/*
 * The KKT matrix as one sparse matrix, factored in a static order (static_lu.h). Private to math.
 *
 * M is on shape->M_pattern, or diagonal; G and B on shape->G_pattern. The length of a row of G is taken in the metric of M⁻¹,
 * with those coordinates held that are eliminated after it: it may be a little less than its whole length.
 */
#ifndef CMB_MATH_KKT_SPARSE_H
#define CMB_MATH_KKT_SPARSE_H

#include "base/arena.h"
#include "math/kkt.h"

typedef struct cmb_kkt_sparse cmb_kkt_sparse;

/* Arrays come from the arena; a failure comes with words. */
cmb_status cmb_kkt_sparse_create(cmb_context *ctx, cmb_arena *arena, const cmb_kkt_shape *shape,
                                 cmb_kkt_sparse **sparse);

/* A new mass matrix; it stays until the next one. CMB_RETRY_MASS and CMB_RETRY_NONFINITE are possible, and leave no mass matrix. */
cmb_status cmb_kkt_sparse_mass(cmb_kkt_sparse *sparse, const double *M);

/* The lengths of the rows of G as they usually are (ng): shorter rows count as short. */
void cmb_kkt_sparse_reference(cmb_kkt_sparse *sparse, const double *length);

/* Factor with this mass matrix, B == G: symmetric. CMB_RETRY_SINGULAR: a pivot of a row of G is not above zero times its squared
 * length; the row is left out of the factors then. CMB_RETRY_NONFINITE: G or B is not finite. */
cmb_status cmb_kkt_sparse_factor(cmb_kkt_sparse *sparse, const double *G, const double *B,
                                 double zero);

/* The most entries in a row of the factors, the diagonal apart. */
int cmb_kkt_sparse_widest(const cmb_kkt_sparse *sparse);

/* Whether every pivot of a row of G in the symmetric factors held has the sign it must have, and is not doubled if the squared
 * length of each row of G is changed by `rounding` of it: then it is more than what such errors make of 0. One more factorisation;
 * none if no pivot has fallen below half of what it was when such a one has shown that errors make little of it. */
bool cmb_kkt_sparse_certain(cmb_kkt_sparse *sparse, double rounding);

/* Whether sin² of a row in the symmetric factors held is below `zero`, and so by a fall: in a long row of bodies it may be as small
 * wherever the row is. What it falls from is the largest that was seen, of factors made with full rank. */
bool cmb_kkt_sparse_has_fallen(cmb_kkt_sparse *sparse, double zero);

/* sin² of the smallest angle between a row of G and those eliminated before, in the factors held. */
double cmb_kkt_sparse_least(const cmb_kkt_sparse *sparse);

/* The pivots of the rows of G in the factors held, in their own order: pivot (ng). */
void cmb_kkt_sparse_pivots(const cmb_kkt_sparse *sparse, double *pivot);

/* The lengths of the rows of this G. The symmetric factors held stay, but not their damping. */
cmb_status cmb_kkt_sparse_measure(cmb_kkt_sparse *sparse, const double *G, double *length);

/* As cmb_kkt_solve. */
void cmb_kkt_sparse_solve(cmb_kkt_sparse *sparse, const double *r, const double *s, double *x,
                          double *y);

/* For symmetric factors: x (nv) with G x + s = 0 as far as singular values σ are above `cut`, times σ²/(σ² + cut²) in general. */
void cmb_kkt_sparse_damped(cmb_kkt_sparse *sparse, double cut, const double *s, double *x);

/* For symmetric factors: the smallest singular value with its vectors n (ng) and x (nv), nᵀ G x = σ, in units of the lengths, by
 * inverse iteration from the last n. */
double cmb_kkt_sparse_weakest(cmb_kkt_sparse *sparse);
void cmb_kkt_sparse_weakest_vectors(const cmb_kkt_sparse *sparse, double *n, double *x);

/* The smallest singular value of this G and the share of each row, as in cmb_kkt_smallest. The factors are lost. */
cmb_status cmb_kkt_sparse_smallest(cmb_kkt_sparse *sparse, const double *G, double *sigma,
                                   double *share);

#endif
