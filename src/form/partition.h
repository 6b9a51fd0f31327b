/*
 * Coordinate partitioning (Haug, Negrut and Engstler 1999 §2 and §4): velocities are split into dependent and independent ones, u and z in
 * the paper's letters, so that the columns of G that belong to the dependent ones form a regular matrix Φ_u. Independent ones are
 * integrated; dependent ones follow from the constraints:
 *
 *     (53)  Φ_u Δu = −g(t, q),  q := q + T(q) Δw,  Δw = (Δu, 0)       until Δu is rounding
 *     (54)  Φ_u v_u = −Φ_v v_z − g_t
 *
 * Where T = I the independent coordinates are those of the independent velocities, and (53) does not change them. Where T ≠ I there are no
 * such coordinates: all of q is integrated, and corrected along the dependent directions.
 *
 * If constraints depend on others, only as many of them are selected as are independent. There may be none at all.
 */
#ifndef CMB_FORM_PARTITION_H
#define CMB_FORM_PARTITION_H

#include "dae/evaluator.h"

typedef struct cmb_partition {
  cmb_evaluator *ev;
  int rank;         /* number of dependent velocities, and of selected constraints */
  int free_count;   /* independent velocities: nv − rank */
  int *dependent;   /* (rank) in ascending order */
  int *independent; /* (free_count) in ascending order */
  int *rows;        /* (rank) the selected constraints, in ascending order */
  bool chosen;
  double condition;       /* ‖G‖ ‖Φ_u⁻¹‖ for the present factors, estimated */
  double condition_least; /* the smallest one with this choice */
  /* size of increments of q and v up to which (53) and (54) have converged; at least rounding */
  double enough;
  struct cmb_partition_work *work;
} cmb_partition;

/* Creates a partition with memory from the arena; the caller also checks whether the arena has failed. Has to be destroyed before the
 * arena. */
cmb_status cmb_partition_create(cmb_evaluator *ev, cmb_arena *arena, cmb_partition **partition);
void cmb_partition_destroy(cmb_partition *p);

/* Factorises Φ_u at (t, q). Chooses a new partition in the first call; if Φ_u is singular or its condition number exceeds 1.25 times its
 * least value; or if the present one was chosen where the constraints had lost rank. The evaluator counts choices that differ from the
 * previous one. To be called at the beginning of a step. G, g_t at (t, q) stay in the evaluator. */
cmb_status cmb_partition_check(cmb_partition *p, double t, const double *q);

/* Makes the next check choose a partition as the first one does, because the constraints may have changed. */
void cmb_partition_forget(cmb_partition *p);

/* Returns whether the partition was chosen where the constraints had lost rank: motions would then violate the constraints that are left
 * out. */
bool cmb_partition_lacks_constraints(const cmb_partition *p);

/* Factorises Φ_u at (t, q), within a step, for the same partition. */
cmb_status cmb_partition_refactor(cmb_partition *p, double t, const double *q);

/* Corrects the dependent positions by (53) with the present factors, or with new ones at q if it does not converge. q is normalised
 * first. Returns CMB_RETRY_NEWTON if it still does not converge. */
cmb_status cmb_partition_position(cmb_partition *p, double t, double *q);

/* Computes the dependent velocities by (54) at (t, q). G and g_t there stay in the evaluator. */
cmb_status cmb_partition_velocity(cmb_partition *p, double t, const double *q, double *v);

/* Solve with the present factors: w (nv) = (Φ_u⁻¹ c, 0) for c (ng), and λ (ng) = Φ_u⁻ᵀ b_u for b (nv), 0 for constraints that are not
 * selected. */
void cmb_partition_solve(cmb_partition *p, const double *c, double *w);
void cmb_partition_solve_transposed(cmb_partition *p, const double *b, double *lambda);

/* Computes N (free_count x nv) with the evaluator's G and the present factors: row k is the motion in which the k-th independent velocity
 * is 1 and the other independent ones are 0, G n = 0 (eq. 41). */
void cmb_partition_motions(cmb_partition *p, double *N);

/* Returns the unit in which multiplier i is compared with the others: 1, unless the units of the velocities are very different. */
double cmb_partition_multiplier_unit(const cmb_partition *p, int i);

#endif
