/*
 * Factors of Φ_u: the columns of G that belong to the dependent velocities, in the rows of the selected constraints.
 *
 * Small, or G dense: LU of Φ_u itself. From CMB_LINEAR_SPARSE_FROM unknowns on, and G on a pattern: sparse factors of
 *
 *     K = [ P_z   Gᵀ ]     P_z = 1 for independent velocities, D = 1 for constraints that are not selected, whose G is set to 0
 *         [ G    −D  ]
 *
 * whose pattern does not depend on the partition. K (w, μ) = (0, c) has w = (Φ_u⁻¹ c, 0); K (w, μ) = ((b_u, 0), 0) has μ = Φ_u⁻ᵀ b_u.
 */
#ifndef CMB_FORM_PARTITION_FACTORS_H
#define CMB_FORM_PARTITION_FACTORS_H

#include "base/arena.h"

#include <camber/dae.h>

typedef struct cmb_partition_factors cmb_partition_factors;

/* Selected constraints, dependent velocities and G, which determine Φ_u. */
typedef struct cmb_partition_choice {
  int rank;
  const int *rows, *dependent; /* (rank) */
  const double *G;             /* on its pattern, or dense */
  const double *scale;         /* (ng) scale factors of the rows */
} cmb_partition_choice;

/* Creates an object for factors with memory from the arena; the caller also checks whether the arena has failed. Has to be destroyed
 * before the arena. */
cmb_status cmb_partition_factors_create(cmb_context *ctx, cmb_arena *arena, const cmb_equations *eq,
                                        cmb_partition_factors **factors);
void cmb_partition_factors_destroy(cmb_partition_factors *f);

/* Factorises Φ_u for this choice, whose arrays must stay unchanged as long as the factors are used. */
cmb_status cmb_partition_factors_make(cmb_partition_factors *f, const cmb_partition_choice *choice);

/* Solve x (rank) := Φ_u⁻¹ x, and x := Φ_u⁻ᵀ x, with the scaled rows of G. */
void cmb_partition_factors_solve(cmb_partition_factors *f, double *x);
void cmb_partition_factors_solve_transposed(cmb_partition_factors *f, double *x);

#endif
