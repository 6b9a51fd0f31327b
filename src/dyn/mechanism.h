/*
 * The inside of a mechanism: its expressions, for layer dae.
 */
#ifndef CMB_DYN_MECHANISM_H
#define CMB_DYN_MECHANISM_H

#include "dyn/expressions.h"
#include "dyn/start.h"

#include <camber/dyn.h>

struct cmb_mechanism {
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_graph *graph;
  cmb_formulation formulation;
  cmb_expressions expressions;
  cmb_start *start; /* may be taken over: NULL then */
};

#endif
