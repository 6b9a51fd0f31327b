/*
 * Finds the joint motions that carry a whole mechanism over the ground, for steady motions in a moving frame (system/steady_frame.c). They
 * are the first joint motions on the path from the ground.
 *
 * A shift (prismatic motion) that only shifts precede moves along a direction fixed on the ground; the first turn or ball behind them
 * rotates everything it carries. All other motions are relative to the links that carry them, and a motion of the whole mechanism over the
 * ground does not change them.
 */
#ifndef CMB_DYN_CARRIER_H
#define CMB_DYN_CARRIER_H

#include "model/model.h"

typedef enum cmb_carrying {
  CMB_CARRY_NOTHING, /* a motion relative to other moving links */
  CMB_CARRY_SHIFT,   /* along `axis` */
  CMB_CARRY_TURN,    /* about `axis` */
  CMB_CARRY_BALL,    /* the first of three angular velocities in the link's axes */
  CMB_CARRY_BALL_MORE
} cmb_carrying;

/* Describes the part that one velocity has in a motion of the whole mechanism over the ground. */
typedef struct cmb_carrier {
  cmb_carrying kind;
  int joint;      /* index in the model */
  int q;          /* its coordinate; for a ball the first of four */
  int link;       /* in the tree */
  int before;     /* the parent link in the tree; −1: the ground */
  double axis[3]; /* of a shift or a turn, fixed on the ground */
  double R0[9];   /* of a ball: its axes in the design position, by columns */
} cmb_carrier;

/* Describes each velocity of a model in joint coordinates: allocates *carriers (count) in `arena`, in the order of
 * the velocities. The states of the model are not included. */
cmb_status cmb_carriers_find(cmb_context *ctx, cmb_arena *arena, const cmb_model *model, int *count,
                             cmb_carrier **carriers);

#endif
