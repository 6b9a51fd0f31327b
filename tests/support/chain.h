/*
 * The serial chain whose evaluation times and operation counts measure the O(N) formalisms: bodies in series, connected by revolute
 * joints with axes in general directions, offsets with three components, centres of mass off the axes, full inertia matrices, and
 * gravity. No parameter is zero, so that no operation of the formalisms can be simplified away.
 */
#ifndef CMBT_CHAIN_H
#define CMBT_CHAIN_H

#include "model/model.h"

/* Creates the chain of n bodies, to be released by cmb_model_destroy. All random numbers come from one fixed seed. Returns NULL if
 * memory runs out. */
cmb_model *cmbt_chain_create(cmb_context *ctx, int n);

#endif
