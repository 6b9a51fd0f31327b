/*
 * The contents of a mechanism: its expressions and start values, for layer dae, which turns them into equations.
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
  cmb_start *start; /* NULL once layer system has taken it over */
};

#endif
