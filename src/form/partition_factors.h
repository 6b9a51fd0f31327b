/*
 * Factors of Φ_u, the columns of G that belong to the dependent velocities, in the rows taken.
 *
 * Small, or G dense: LU of Φ_u itself. From CMB_LINEAR_SPARSE_FROM unknowns on, and G on a pattern: sparse factors of
 *
 *     K = [ P_z   Gᵀ ]     P_z = 1 for independent velocities, D = 1 for constraints that are not taken, whose G is set to 0
 *         [ G    −D  ]
 *
 * whose pattern does not depend on the partition. K (w, μ) = (0, c) has w = (Φ_u⁻¹ c, 0); K (w, μ) = ((b_u, 0), 0) has
 * μ = Φ_u⁻ᵀ b_u.
 */
#ifndef CMB_FORM_PARTITION_FACTORS_H
#define CMB_FORM_PARTITION_FACTORS_H

#include "base/arena.h"

#include <camber/dae.h>

typedef struct cmb_partition_factors cmb_partition_factors;

/* What is to be factored. */
typedef struct cmb_partition_choice {
  int rank;
  const int *rows, *dependent; /* (rank) */
  const double *G;             /* on its pattern, or dense */
  const double *scale;         /* (ng) factors of the rows */
} cmb_partition_choice;

/* Memory is from the arena, a failure to take it may be left to it; the object has to be destroyed before it. */
cmb_status cmb_partition_factors_create(cmb_context *ctx, cmb_arena *arena, const cmb_equations *eq,
                                        cmb_partition_factors **factors);
void cmb_partition_factors_destroy(cmb_partition_factors *f);

cmb_status cmb_partition_factors_make(cmb_partition_factors *f, const cmb_partition_choice *choice);

/* x (rank) := Φ_u⁻¹ x and x := Φ_u⁻ᵀ x, of the scaled rows. */
void cmb_partition_factors_solve(cmb_partition_factors *f, double *x);
void cmb_partition_factors_solve_transposed(cmb_partition_factors *f, double *x);

#endif
