/*
 * What carries a mechanism over the ground: the motions of its joint coordinates that come first on the way from the ground.
 *
 * A shift that only shifts come before goes along a direction that is fixed on the ground; the first turn or ball behind them
 * turns all that it carries. Everything else is relative to what carries it, and a motion of the whole mechanism over the ground does not
 * change it.
 */
#ifndef CMB_DYN_CARRIER_H
#define CMB_DYN_CARRIER_H

#include "model/model.h"

typedef enum cmb_carrying {
  CMB_CARRY_NOTHING, /* a motion relative to what carries it */
  CMB_CARRY_SHIFT,   /* along `axis` */
  CMB_CARRY_TURN,    /* about `axis` */
  CMB_CARRY_BALL,    /* the first of three angular velocities in the link's axes */
  CMB_CARRY_BALL_MORE
} cmb_carrying;

/* Of one velocity. */
typedef struct cmb_carrier {
  cmb_carrying kind;
  int joint;      /* of the model */
  int q;          /* its coordinate; of a ball the first of four */
  int link;       /* of the tree, and .. */
  int before;     /* .. the carrier's link that it builds on; -1: the ground */
  double axis[3]; /* of a shift and of a turn, fixed on the ground */
  double R0[9];   /* of a ball: its axes in the design position, by columns */
} cmb_carrier;

/* For the velocities of a model in joint coordinates: *carriers (count), memory from `arena`. */
cmb_status cmb_carriers_find(cmb_context *ctx, cmb_arena *arena, const cmb_model *model, int *count,
                             cmb_carrier **carriers);

#endif
