/*
 * Computes the tangent space of the constraints at a point: a basis N of the motions that they permit, the free motions, orthonormal in
 * the metric of M. Used for equilibria, linearisations, quasistatic sweeps and the choice of independent coordinates.
 *
 *     G N = 0,  Nᵀ M N = I      N: nv x n, n = nv − rank of G;  z ↦ w = N z
 *
 * Displacements w are in the directions of v: δq = T(q) w. States are among v, behind the velocities: the last nz columns of N are
 * their directions, one each. Constraints may be dependent. Equilibria and linearisations are computed with these n unknowns and
 * without multipliers.
 */
#ifndef CMB_SYSTEM_TANGENT_H
#define CMB_SYSTEM_TANGENT_H

#include "dae/evaluator.h"

typedef struct cmb_tangent {
  cmb_evaluator *ev;
  int n;     /* number of free motions: degrees of freedom at the point, and first-order states */
  int rank;  /* rank of G */
  double *N; /* (n x nv) row k is the k-th free motion */
  double *P; /* (n x nv) Nᵀ M: z = P w */
  double *G; /* the constraints' gradients at the point, as the equations store them */

  double *LD, *root; /* (nv x nv), (nv) M = L D Lᵀ, root = D^(−1/2) */
  double *Q;         /* (nv x nv) orthonormal rows, the first `rank` span those of G L⁻ᵀ root */
  double *R;         /* (ng x nv) see cmb_row_space */
  double *length;    /* (ng) lengths of the rows of G in the metric of M⁻¹ */
  int *order;        /* (ng) */
  double *x, *y;     /* (max(nv, nq, ng)) scratch */
  double *work;
} cmb_tangent;

enum { CMB_TANGENT_MOST = 10000 }; /* largest number of velocities: the matrices are dense */

/* Allocates the arrays from `arena`. Fails with a message if there are more than CMB_TANGENT_MOST velocities. */
cmb_status cmb_tangent_create(cmb_tangent *tangent, cmb_arena *arena, cmb_evaluator *ev);

/* Computes the tangent space at (t, q). Returns a positive status if G or M is not finite or M is not positive definite. */
cmb_status cmb_tangent_at(cmb_tangent *tangent, double t, const double *q);

/* Computes Nᵀ J N (n x n) for J (nv x nv), or Nᵀ J T N for J (nv x nq) if q is not NULL. J is stored on its pattern, NULL: dense. */
void cmb_tangent_reduce(cmb_tangent *tangent, const cmb_pattern *pattern, const double *J,
                        const double *q, double *reduced);

/* Computes λ (ng) of the constraint forces Gᵀ λ nearest to f in the metric of M⁻¹; multipliers of dependent constraints are 0.
 * Returns the length of f in this metric. */
double cmb_tangent_multipliers(cmb_tangent *tangent, const double *f, double *lambda);

/* Computes w (nv) with G w = s, orthogonal to the tangent space in the metric of M. If constraints are dependent, s (ng) must be
 * compatible with them. */
void cmb_tangent_normal(cmb_tangent *tangent, const double *s, double *w);

#endif
