/*
 * The inside of the KKT object, for the files that make it: kkt.c and kkt_weak.c. Private to math.
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
  const cmb_mass_factors *factors; /* M is given so; NULL: by its entries */
  bool has_mass;                   /* a mass matrix has been factored */
  int dependent;                   /* row of G, or -1 */
  double least_pivot;              /* of S with unit lengths; see above */
  double certain; /* a pivot above this is not zero, whatever the order of elimination */
  cmb_kkt_limits limits;
  double doubt; /* pivots of S up to this are not trusted */

  /* dense */
  double *LD;        /* (nv x nv) factors of M, NULL if M is diagonal or given by its factors */
  double *M_factors; /* (factors->values) of the M last factored, if it is given so */
  double *M_scratch; /* (factors->scratch) */
  double *D_inv;     /* (nv) */
  double *G, *B;     /* (ng x nv) rows L⁻¹ g_iᵀ, and for B ≠ G rows L⁻¹ b_iᵀ */
  const double *B_factor; /* the one of them that stands for B in the factors held */
  double *z, *u;          /* (nv) scratch */
  double *b;              /* (ng) scratch: right-hand side of S */
  cmb_schur schur;
  cmb_kkt_rank rank;
  bool by_rank;        /* the factors held are in `rank` */
  bool doubtful;       /* they, or those of the dense object, are */
  cmb_kkt_small small; /* instead of G, B and schur, if is_small */
  bool is_small;       /* one or two constraints, diagonal M and dense G */

  /* sparse; NULL if dense */
  cmb_kkt_sparse *sparse;
  bool near;         /* the factors held are sparse and near a loss of rank */
  double nearness;   /* the sine of the smallest angle then */
  double weakest;    /* the smallest singular value then, which is smaller in long rows of bodies */
  double *reference; /* (ng) for the dense object */
  double *M_values;  /* the last M, for the dense object */
  double *sparse_scratch; /* (nv) */
  cmb_kkt *dense;         /* decides where rank is lost; created when first needed */
  bool refusing;          /* no factors where rank is lost */
  bool by_dense;          /* the factors held are in `dense` */
};

/* The object that holds the factors: this one or its dense one. */
static inline const cmb_kkt *cmb_kkt_holder(const cmb_kkt *kkt)
{
  return kkt->by_dense ? kkt->dense : kkt;
}

/* M factored, or that of an earlier call kept if it is NULL. */
cmb_status cmb_kkt_mass(cmb_kkt *kkt, const double *M);

/* The mass factored, and G reduced to kkt->G, in an object that can do what only the dense way can: *dense. */
cmb_status cmb_kkt_prepare(cmb_kkt *kkt, const double *M, const double *G, cmb_kkt **dense);

/* Whether G has full rank by the sparse factors just made of it, which have left out no row. */
bool cmb_kkt_is_certain(cmb_kkt *kkt);

/* x := L⁻ᵀ x, nothing if M is diagonal. */
void cmb_kkt_backward(const cmb_kkt *kkt, double *x);

/* Solve in the sense of least squares, singular values up to `cut` left out. */
void cmb_kkt_solve_by_rank(cmb_kkt *kkt, double cut, const double *r, const double *s, double *x,
                           double *y);

#endif
