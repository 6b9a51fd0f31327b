/*
 * Equations over equations: a layer that changes some of what is below it and hands on the rest.
 *
 * A layer may have further constraints and further switching functions behind those below; coordinates, velocities and outputs are
 * the same. What it does not have are exact derivatives, an explicit and a residual form: methods take M, f, G, γ and differences.
 * A layer belongs to one run, unlike other equations: it may keep scratch memory of its own.
 */
#ifndef CMB_DAE_LAYER_H
#define CMB_DAE_LAYER_H

#include "base/arena.h"

#include <camber/dae.h>

typedef struct cmb_layer {
  cmb_equations eq; /* its `self` is the layer */
  const cmb_equations *inner;
  int *mode; /* (ns of inner) scratch: the modes below */

  /* The modes below, from those of the layer; NULL: the same, as far as they go. */
  void (*lower_modes)(const struct cmb_layer *layer, const int *mode, int *lower);
} cmb_layer;

/* A layer that hands on everything; arrays from the arena, a failure is left to it. `inner` must outlive it. */
void cmb_layer_begin(cmb_layer *layer, cmb_arena *arena, const cmb_equations *inner);

/* The same point with the modes below. */
cmb_point cmb_layer_point(const cmb_layer *layer, const cmb_point *at);

#endif
