/*
 * A layer: equations on top of other equations, of which they change some functions and pass on the rest. Used for held friction,
 * contacts and means of forces.
 *
 * A layer may have further constraints and switching functions behind those of the inner equations; coordinates, velocities and
 * outputs are the same. It has no exact derivatives and no explicit or residual form: methods use M, f, G, γ and difference
 * quotients. A layer belongs to one run, unlike other equations: it may have private scratch memory.
 */
#ifndef CMB_DAE_LAYER_H
#define CMB_DAE_LAYER_H

#include "base/arena.h"

#include <camber/dae.h>

typedef struct cmb_layer {
  cmb_equations eq; /* its `self` is the layer */
  const cmb_equations *inner;
  int *mode; /* (2 ns of inner) scratch: modes of the inner equations, and levels found */

  /* Computes the modes of the inner equations from those of the layer; NULL: they are the same. */
  void (*lower_modes)(const struct cmb_layer *layer, const int *mode, int *lower);
} cmb_layer;

/* Makes a layer that passes on everything to `inner`, which must outlive it, except for the functions above that no layer has and
 * outputs_at_rest, which belongs to the layer only if that sets it. Arrays come from the arena; the caller detects a failure by
 * cmb_arena_failed. */
void cmb_layer_begin(cmb_layer *layer, cmb_arena *arena, const cmb_equations *inner);

/* Returns the point with the modes of the inner equations in place of those of the layer. */
cmb_point cmb_layer_point(const cmb_layer *layer, const cmb_point *at);

#endif
