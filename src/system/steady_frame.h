/*
 * The frame that goes with a mechanism on a straight line or on a circle, in joint coordinates (dyn/carrier.h). It turns with ω about the
 * vertical e. Of the horizontal shifts of a chain, along d_i, the velocity vector V = Σ v_i d_i turns with it, V̇ = ω e × V:
 *
 *     v̇ = ω S v,    S_ij = d_i · (e × d_j)
 *
 * All other velocities are constant: rates of joints, and the angular velocity of a ball in the axes of its link. The first turn of a chain
 * about the vertical has the rate ω, and a ball the angular velocity ω R(p)ᵀ R0ᵀ e.
 */
#ifndef CMB_SYSTEM_STEADY_FRAME_H
#define CMB_SYSTEM_STEADY_FRAME_H

#include "dae/system.h"
#include "dyn/carrier.h"

typedef struct cmb_moving_frame {
  const cmb_equations *eq;
  int count; /* velocities but for states */
  cmb_carrier *carrier;
  double up[3]; /* e */
  double *S;    /* (nv x nv) */
} cmb_moving_frame;

/* Memory from `arena`. A system that is not in the joint coordinates of its model is refused in words. */
cmb_status cmb_frame_create(cmb_context *ctx, cmb_arena *arena, const cmb_system *system,
                            cmb_moving_frame *frame);

/* Whether velocity i carries the mechanism over the ground: a horizontal shift, a turn about the vertical, a ball. */
bool cmb_frame_carries(const cmb_moving_frame *frame, int i);

/* Of a velocity that does: whether it is one of another chain than the first that does, such as that of a trailer with a joint of its own. */
bool cmb_frame_follows(const cmb_moving_frame *frame, int i);

/* The part of ω that the first turn of a chain has: 1 or -1; 0: its axis is not vertical. */
double cmb_frame_share(const cmb_moving_frame *frame, int i);

/* Rᵀ R0ᵀ e of the ball that velocity i begins. */
void cmb_frame_up(const cmb_moving_frame *frame, int i, const double *q, double up[3]);

/* For ω, in memory from `arena`; NULL without any. */
const cmb_steady_frame *cmb_frame_at(const cmb_moving_frame *frame, cmb_arena *arena, double omega);

#endif
