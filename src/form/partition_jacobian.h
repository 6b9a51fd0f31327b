/*
 * The Jacobian of an implicit method with coordinate partitioning, Haug, Negrut and Engstler 1999, eq. (51), for stage accelerations a and
 * multipliers λ with c = h a_ii:
 *
 *     [ M + X P   Gᵀ ] [ δa ]   [ −r        ]     X = c D N + c² (K N + D J),     D = ∂r/∂v,  K = ∂r/∂q T
 *     [ G + Y P   0  ] [ δλ ] = [ −(G a + γ)]     Y = c C₁ N + c² (C₂ N + C₁ J),  C₁ = ∂γ/∂v, C₂ = ∂(G a + γ)/∂q T
 *
 * N are the motions of the independent velocities (Ĥ in the paper), Φ_u J = −∂(G v + g_t)/∂q T N, and P selects the independent components.
 * X and Y have as many columns as there are degrees of freedom. The constraints are eliminated: with z = P δa
 *
 *     δa = N z + Φ_u⁻¹(s − Y z),   s = −(G a + γ),      Nᵀ (M (N − Φ_u⁻¹ Y) + X) z = Nᵀ (−r − M Φ_u⁻¹ s)
 *     Φ_uᵀ δλ = (−r − M δa − X z)_u
 *
 * so that only the matrix S = S₀ + c S₁ + c² S₂, of the size of the degrees of freedom, is factored again when c changes. The result is that
 * of the larger matrix, which would be singular if constraints depend on others. S₀, S₁ and S₂ are mass, damping and stiffness of the
 * state-space form.
 */
#ifndef CMB_FORM_PARTITION_JACOBIAN_H
#define CMB_FORM_PARTITION_JACOBIAN_H

#include "form/partition.h"

typedef struct cmb_partition_jacobian cmb_partition_jacobian;

/* Creates the Jacobian with memory from the arena; the caller also checks whether the arena has failed. Has to be destroyed before the
 * arena. */
cmb_status cmb_partition_jacobian_create(cmb_partition *p, cmb_arena *arena,
                                         cmb_partition_jacobian **jacobian);
void cmb_partition_jacobian_destroy(cmb_partition_jacobian *jacobian);

/* Computes the derivatives D, K, C₁, C₂ and ∂(G v + g_t)/∂q at a state, which costs more than everything else. */
cmb_status cmb_partition_linearize(cmb_partition_jacobian *j, double t, const double *q,
                                   const double *v, const double *a, const double *lambda);

/* Computes the blocks at a position on the constraints for which the partition has factors: M, G and N are those of this position, the
 * derivatives those of the last cmb_partition_linearize, which may have been at another state. */
cmb_status cmb_partition_assemble(cmb_partition_jacobian *j, double t, const double *q);

/* Assembles S for this c and factorises it. Returns CMB_RETRY_MATRIX if it is singular. */
cmb_status cmb_partition_factor(cmb_partition_jacobian *j, double c);

/* Solves Newton's equations for the defects r (nv) and s = G a + γ (ng): computes the increments δa (nv) and δλ (ng). δλ is not written if
 * the partition has selected no constraint. */
void cmb_partition_correct(cmb_partition_jacobian *j, const double *r, const double *s, double *da,
                           double *dlambda);

/* Computes the corrections of δa and δλ by one step of iterative refinement with M and G of the evaluator. */
void cmb_partition_refine(cmb_partition_jacobian *j, const double *r, const double *s,
                          const double *da, const double *dlambda, double *da_more,
                          double *dlambda_more);

/* Computes w (nv) = N P δa: the motion with the independent components of δa (nv). */
void cmb_partition_motion_of(cmb_partition_jacobian *j, const double *da, double *w);

/* Multiplies (w, v) by (I − c J)⁻¹, J being the Jacobian of the state-space form: errors of positions, in the directions of velocities,
 * and of velocities (nv), in place. This reduces their stiff components. */
void cmb_partition_smooth(cmb_partition_jacobian *j, double *w, double *v);

#endif
