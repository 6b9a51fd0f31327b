/*
 * The KKT matrix as one sparse matrix, factored by KLU. Private to math.
 *
 * M is on shape->M_pattern, or diagonal; G and B on shape->G_pattern.
 */
#ifndef CMB_MATH_KKT_SPARSE_H
#define CMB_MATH_KKT_SPARSE_H

#include "base/arena.h"
#include "math/kkt.h"

typedef struct cmb_kkt_sparse cmb_kkt_sparse;

/* Arrays come from the arena; what KLU allocates is given back by cmb_kkt_sparse_destroy. */
cmb_status cmb_kkt_sparse_create(cmb_context *ctx, cmb_arena *arena, const cmb_kkt_shape *shape,
                                 cmb_kkt_sparse **sparse);
void cmb_kkt_sparse_destroy(cmb_kkt_sparse *sparse);

/* A new mass matrix; it stays until the next one. CMB_RETRY_MASS, CMB_RETRY_NONFINITE and
 * CMB_ERROR_MEMORY are possible, and leave no mass matrix. */
cmb_status cmb_kkt_sparse_mass(cmb_kkt_sparse *sparse, const double *M);

/* Factor with this mass matrix. CMB_RETRY_SINGULAR is only a doubt: a pivot is missing, or so small that
 * rounding could have made it. `least_pivot` says how small, for the matrix scaled so that M has unit
 * diagonal and the rows of G and B have about unit length, and `least_length2` (ng) how short a row may be before. CMB_RETRY_NONFINITE: G or B is not finite;
 * CMB_ERROR_MEMORY: KLU had none. */
cmb_status cmb_kkt_sparse_factor(cmb_kkt_sparse *sparse, const double *G, const double *B,
                                 double least_pivot, const double *least_length2);

/* As cmb_kkt_solve. */
void cmb_kkt_sparse_solve(cmb_kkt_sparse *sparse, const double *r, const double *s, double *x,
                          double *y);

#endif
