/*
 * The frame that moves with a mechanism along a straight line or a circle, in joint coordinates (dyn/carrier.h), for steady motions.
 * It turns with ω about the vertical e. For the horizontal translations of a chain, along perpendicular d_i, the velocity vector V =
 * Σ v_i d_i turns with it, V̇ = ω e × V:
 *
 *     v̇ = ω S v,    S_ij = d_i · (e × d_j)
 *
 * All other velocities are constant: rates of joints, and the angular velocity of a ball joint in the axes of its link. The first
 * rotation of a chain about the vertical has the rate ω, and a ball joint the angular velocity ω R(p)ᵀ R0ᵀ e.
 */
#ifndef CMB_SYSTEM_STEADY_FRAME_H
#define CMB_SYSTEM_STEADY_FRAME_H

#include "dae/system.h"
#include "dyn/carrier.h"

typedef struct cmb_moving_frame {
  const cmb_equations *eq;
  int count; /* number of velocities that are not states */
  cmb_carrier *carrier;
  double up[3]; /* e */
  double *S;    /* (nv x nv) */
} cmb_moving_frame;

/* Creates the frame with memory from `arena`. Fails with a message if the system has no model or is not in joint coordinates. */
cmb_status cmb_frame_create(cmb_context *ctx, cmb_arena *arena, const cmb_system *system,
                            cmb_moving_frame *frame);

/* Returns whether velocity i moves the mechanism over the ground: a horizontal translation, a rotation about the vertical, or a ball
 * joint, with only translations between it and the ground. */
bool cmb_frame_carries(const cmb_moving_frame *frame, int i);

/* Returns whether velocity i, which moves a part of the mechanism over the ground, belongs to another chain than the first one that
 * does, such as that of a trailer with separate joints. */
bool cmb_frame_follows(const cmb_moving_frame *frame, int i);

/* Returns the ratio of the velocity of rotation i to ω: 1 or −1; 0 if its axis is not vertical. */
double cmb_frame_share(const cmb_moving_frame *frame, int i);

/* Computes up = Rᵀ R0ᵀ e, the vertical in the axes of the link behind the ball joint whose first velocity is i, at q (nq). */
void cmb_frame_up(const cmb_moving_frame *frame, int i, const double *q, double up[3]);

/* Returns the matrices by which velocities and coordinates change in the frame that turns at the rate omega, in memory from `arena`;
 * NULL if memory runs out. */
const cmb_steady_frame *cmb_frame_at(const cmb_moving_frame *frame, cmb_arena *arena, double omega);

#endif
