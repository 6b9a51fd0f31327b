/*
 * Coordinate partitioning (Haug, Negrut and Engstler 1999 §2 and §4): velocities are split into dependent and independent ones, u
 * and z in the paper's letters, so that the columns of G that belong to the dependent ones make a regular matrix Φ_u. Independent
 * ones are integrated; dependent ones follow from the constraints:
 *
 *     (53)  Φ_u Δu = −g(t, q),  q := q + T(q) Δw,  Δw = (Δu, 0)       until Δu is rounding
 *     (54)  Φ_u v_u = −Φ_v v_z − g_t
 *
 * Where T = I the independent coordinates are those of the independent velocities, and (53) does not change them. Where T ≠ I
 * there are no such coordinates: all of q is integrated, and corrected along the dependent directions.
 *
 * If constraints depend on the others only as many of them are taken as are independent. There may be none at all.
 */
#ifndef CMB_FORM_PARTITION_H
#define CMB_FORM_PARTITION_H

#include "dae/evaluator.h"

typedef struct cmb_partition {
  cmb_evaluator *ev;
  int rank;         /* dependent velocities, and constraints taken */
  int free_count;   /* independent velocities: nv − rank */
  int *dependent;   /* (rank) in ascending order */
  int *independent; /* (free_count) in ascending order */
  int *rows;        /* (rank) the constraints taken, in ascending order */
  bool chosen;
  double condition;       /* ‖G‖ ‖Φ_u⁻¹‖ at the factors held, estimated */
  double condition_least; /* the least one with this choice */
  double enough;          /* increments of q and v that end (53) and (54); at least rounding */
  struct cmb_partition_work *work;
} cmb_partition;

/* Memory is from the arena, a failure to take it may be left to it; the object has to be destroyed before it. */
cmb_status cmb_partition_create(cmb_evaluator *ev, cmb_arena *arena, cmb_partition **partition);
void cmb_partition_destroy(cmb_partition *p);

/* Factor Φ_u at (t, q), and choose another partition if that is the first, or if the condition number has grown to 1.25 times
 * its least value and a search gives another one; or if it was chosen where the constraints had lost rank. The evaluator counts choices that differ from the one before. To be called where a
 * step begins. G, g_t at (t, q) stay in the evaluator. */
cmb_status cmb_partition_check(cmb_partition *p, double t, const double *q);

/* The constraints may be others from now on: the next check chooses as the first one does. */
void cmb_partition_forget(cmb_partition *p);

/* Whether it was chosen where the constraints had lost rank: without those left out then the motion leaves them. */
bool cmb_partition_lacks_constraints(const cmb_partition *p);

/* Factor Φ_u at (t, q), in a step, for the same partition. */
cmb_status cmb_partition_refactor(cmb_partition *p, double t, const double *q);

/* (53) with the factors held, renewed at q if they do not serve. q is normalised first. CMB_RETRY_NEWTON if it does not
 * converge. */
cmb_status cmb_partition_position(cmb_partition *p, double t, double *q);

/* (54) at (t, q). G and g_t there stay in the evaluator. */
cmb_status cmb_partition_velocity(cmb_partition *p, double t, const double *q, double *v);

/* With the factors held: w (nv) = (Φ_u⁻¹ c, 0) for c (ng), and λ (ng) = Φ_u⁻ᵀ b_u for b (nv), 0 for constraints not taken. */
void cmb_partition_solve(cmb_partition *p, const double *c, double *w);
void cmb_partition_solve_transposed(cmb_partition *p, const double *b, double *lambda);

/* N (free_count x nv), row k: the motion that the k-th independent velocity makes, G N = 0 (eq. 41), by the evaluator's G and
 * the factors held. */
void cmb_partition_motions(cmb_partition *p, double *N);

/* What multiplier i is measured by beside the others: 1, unless the units of the velocities are very different. */
double cmb_partition_multiplier_unit(const cmb_partition *p, int i);

#endif
