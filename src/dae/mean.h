/*
 * A layer in which forces that depend on the sign of a velocity held at 0 are the mean of their values for both signs,
 *
 *     f = (f₊ + f₋) / 2,
 *
 * where f₊ and f₋ have these switching functions on one side of their zeros and on the other. It is used while a body is in contact
 * with a surface and dry friction acts along the same line: friction may have any value between f₋ and f₊, and the surface takes
 * the rest. The motion is determined, the two forces are not. The mean is the choice that is the same when left and right are
 * exchanged. Outputs are means, too.
 */
#ifndef CMB_DAE_MEAN_H
#define CMB_DAE_MEAN_H

#include "base/archive.h"
#include "base/context.h"
#include "dae/layer.h"

typedef struct cmb_mean {
  cmb_layer layer;
  int *side;       /* (ns) mode of a held function on the first side; 0: the function is not held */
  bool any;        /* whether any function is held */
  int only;        /* 1 or −1: take the values of the first or second side alone; 0: the mean */
  double *f, *out; /* (nv), (no + nh) scratch */
  cmb_interval *f_bounds; /* (nv) scratch */
} cmb_mean;

/* Creates a layer in which no function is held yet. Arrays come from the arena; `inner` must outlive the layer. */
cmb_status cmb_mean_create(cmb_context *ctx, cmb_arena *arena, const cmb_equations *inner,
                           cmb_mean **out);

/* Sets which functions are held: side (ns) as in cmb_mean; NULL: none. */
void cmb_mean_hold(cmb_mean *x, const int *side);

/* Writes or reads which functions are held, for a saved run (base/archive.h). */
void cmb_mean_visit(cmb_mean *x, cmb_archive *a);

#endif
