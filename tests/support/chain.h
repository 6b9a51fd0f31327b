/*
 * The general serial chain that the O(N) formalisms are measured on: bodies one behind the other on revolute joints, with axes
 * in any direction, offsets with three components, centres of mass off the axes, full inertia matrices, and gravity. Nothing
 * about it is simple, so nothing can be left out.
 */
#ifndef CMBT_CHAIN_H
#define CMBT_CHAIN_H

#include "model/model.h"

/* The same numbers for the same n; NULL without memory. To be given back with cmb_model_destroy. */
cmb_model *cmbt_chain_create(cmb_context *ctx, int n);

#endif
