/*
 * The internal data of the KKT object, for the files that implement it: kkt.c and kkt_weak.c. Private to math.
 */
#ifndef CMB_MATH_KKT_OBJECT_H
#define CMB_MATH_KKT_OBJECT_H

#include "base/arena.h"
#include "math/kkt.h"
#include "math/kkt_rank.h"
#include "math/kkt_schur.h"
#include "math/kkt_small.h"
#include "math/kkt_sparse.h"

struct cmb_kkt {
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_kkt_shape shape;
  const cmb_mass_factors *factors; /* factors that M is given by; NULL: by its entries */
  bool has_mass;                   /* a mass matrix has been factored */
  int dependent;                   /* row of G, or -1 */
  /* largest pivot of S, for gradients of unit length, that counts as zero; see kkt.c */
  double least_pivot;
  double certain; /* a pivot above this is not zero, in any order of elimination */
  cmb_kkt_limits limits;
  double doubt; /* pivots of S up to this are not trusted */

  /* dense method */
  double *LD;        /* (nv x nv) factors of M, NULL if M is diagonal or given by its factors */
  double *M_factors; /* (factors->values) the factors of the last M, if it is given by factors */
  double *M_scratch; /* (factors->scratch) */
  double *D_inv;     /* (nv) */
  double *G, *B;     /* (ng x nv) rows L⁻¹ g_iᵀ, and for B ≠ G rows L⁻¹ b_iᵀ */
  const double *B_factor; /* G or B: the one that represents B in the present factors */
  double *z, *u;          /* (nv) scratch */
  double *b;              /* (ng) scratch: right-hand side of S */
  cmb_schur schur;
  cmb_kkt_rank rank;
  bool by_rank;  /* the present factors are in `rank` */
  bool doubtful; /* the present factors, or those of the dense object, required singular values */
  bool kept_doubtful;  /* copy of doubtful (cmb_kkt_keep) */
  cmb_kkt_small small; /* used instead of G, B and schur if is_small */
  bool is_small;       /* one or two constraints, diagonal M and dense G */

  /* sparse method; NULL if dense */
  cmb_kkt_sparse *sparse;
  bool near_singular; /* the present factors are sparse and near a loss of rank */
  double nearness;    /* the sine of the smallest angle then */
  double weakest; /* the smallest singular value then; below that sine in long chains of bodies */
  double *reference;      /* (ng) usual lengths of the gradients, for the dense object */
  double *M_values;       /* the last M, for the dense object */
  double *sparse_scratch; /* (nv) */
  cmb_kkt *dense;         /* used where rank is lost; created when first needed */
  bool refusing;          /* no factors are made where rank is lost */
  bool by_dense;          /* the present factors are in `dense` */
};

/* Returns the object that contains the present factors: this one or its dense one. */
static inline const cmb_kkt *cmb_kkt_holder(const cmb_kkt *kkt)
{
  return kkt->by_dense ? kkt->dense : kkt;
}

/* Factorises M, or keeps the factors of an earlier call if M is NULL. */
cmb_status cmb_kkt_mass(cmb_kkt *kkt, const double *M);

/* Factorises M and computes G' = G L⁻ᵀ by the dense method: in this object, or, if it is sparse, in its dense object. *dense is the
 * object that contains them. */
cmb_status cmb_kkt_prepare(cmb_kkt *kkt, const double *M, const double *G, cmb_kkt **dense);

/* Returns whether G certainly has full rank, given sparse factors of it that have left out no row. */
bool cmb_kkt_is_certain(cmb_kkt *kkt);

/* Computes x := L⁻ᵀ x with the factor L of M; x is unchanged if M is diagonal. */
void cmb_kkt_backward(const cmb_kkt *kkt, double *x);

/* Solves in the sense of least squares by singular values; those up to `cut` are left out. */
void cmb_kkt_solve_by_rank(cmb_kkt *kkt, double cut, const double *r, const double *s, double *x,
                           double *y);

#endif
