/*
 * Equations in which forces that switch with velocities which are held at 0 have the mean of the values of the two sides: a layer with
 *
 *     f = (f₊ + f₋) / 2,
 *
 * where f₊ and f₋ have these functions on one side of their zeros and on the other. It is for bodies that rest on a surface while dry
 * friction acts along the same line: friction may be anything between f₋ and f₊, and the surface pushes with what is left. The motion is
 * determined, the two forces are not. The mean is the choice that is the same when left and right are exchanged. Outputs are means, too.
 */
#ifndef CMB_DAE_MEAN_H
#define CMB_DAE_MEAN_H

#include "base/archive.h"
#include "base/context.h"
#include "dae/layer.h"

typedef struct cmb_mean {
  cmb_layer layer;
  int *side; /* (ns) the mode of a function on the first side; 0: it has the mode of the point */
  bool any;  /* some are not 0 */
  int only;  /* 1, -1: the values of the first or the second side alone; 0: the mean */
  double *f, *out;        /* (nv), (no) scratch */
  cmb_interval *f_bounds; /* (nv) likewise */
} cmb_mean;

/* A layer in which no function is held. Arrays from the arena; `inner` must outlive it. */
cmb_status cmb_mean_create(cmb_context *ctx, cmb_arena *arena, const cmb_equations *inner,
                           cmb_mean **out);

/* Which functions are held: side (ns); NULL: none. */
void cmb_mean_hold(cmb_mean *x, const int *side);

/* The same for a run that is saved (base/archive.h). */
void cmb_mean_visit(cmb_mean *x, cmb_archive *a);

#endif
