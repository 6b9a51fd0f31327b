/*
 * The integration Jacobian of Haug, Negrut and Engstler 1999, eq. (51), for stage accelerations a and multipliers λ with c = h
 * a_ii:
 *
 *     [ M + X P   Gᵀ ] [ δa ]   [ −r        ]     X = c D N + c² (K N + D J),     D = ∂r/∂v,  K = ∂r/∂q T
 *     [ G + Y P   0  ] [ δλ ] = [ −(G a + γ)]     Y = c C₁ N + c² (C₂ N + C₁ J),  C₁ = ∂γ/∂v, C₂ = ∂(G a + γ)/∂q T
 *
 * N are the motions of the independent velocities (Ĥ in the paper), Φ_u J = −∂(G v + g_t)/∂q T N, and P takes the independent
 * ones out. X and Y have as many columns as there are degrees of freedom. They are eliminated: with z = P δa
 *
 *     δa = N z + Φ_u⁻¹(s − Y z),   s = −(G a + γ),      Nᵀ (M (N − Φ_u⁻¹ Y) + X) z = Nᵀ (−r − M Φ_u⁻¹ s)
 *     Φ_uᵀ δλ = (−r − M δa − X z)_u
 *
 * so that only the matrix S = S₀ + c S₁ + c² S₂ of the size of the degrees of freedom is factored again when c changes. The
 * result is that of the larger matrix, which would be singular if constraints depend on others. S₀, S₁ and S₂ are mass, damping
 * and stiffness of the state-space form.
 */
#ifndef CMB_FORM_PARTITION_JACOBIAN_H
#define CMB_FORM_PARTITION_JACOBIAN_H

#include "form/partition.h"

typedef struct cmb_partition_jacobian cmb_partition_jacobian;

/* Memory for vectors and matrices is from the arena, a failure is left to it; the object has to be destroyed before it. */
cmb_status cmb_partition_jacobian_create(cmb_partition *p, cmb_arena *arena,
                                         cmb_partition_jacobian **jacobian);
void cmb_partition_jacobian_destroy(cmb_partition_jacobian *jacobian);

/* The derivatives D, K, C₁, C₂ and ∂(G v + g_t)/∂q at a state. They cost more than all the rest. */
cmb_status cmb_partition_linearize(cmb_partition_jacobian *j, double t, const double *q,
                                   const double *v, const double *a, const double *lambda);

/* The blocks at a position on the constraints, whose factors the partition holds: M, G and N are those of this position, the
 * derivatives those of the last call of the above, which may have been at another state. */
cmb_status cmb_partition_assemble(cmb_partition_jacobian *j, double t, const double *q);

/* S for c, factored. */
cmb_status cmb_partition_factor(cmb_partition_jacobian *j, double c);

/* r (nv) and s = G a + γ (ng), to δa (nv) and δλ (ng). */
void cmb_partition_correct(cmb_partition_jacobian *j, const double *r, const double *s, double *da,
                           double *dlambda);

/* What is to be added to δa and δλ so that they solve the equations with M and G of the evaluator, to first order. */
void cmb_partition_refine(cmb_partition_jacobian *j, const double *r, const double *s,
                          const double *da, const double *dlambda, double *da_more,
                          double *dlambda_more);

/* w (nv) = N P δa: the motion that the independent components of δa (nv) make. */
void cmb_partition_motion_of(cmb_partition_jacobian *j, const double *da, double *w);

/* (I − c J)⁻¹ (w, v), J the Jacobian of the state-space form: errors of positions, in the directions of velocities, and of
 * velocities (nv), in place. Stiff parts of them become small. */
void cmb_partition_smooth(cmb_partition_jacobian *j, double *w, double *v);

#endif
