/*
 * A system made from a model with its formulas as text (graph_model.h), with the scratch memory and modes that one thread needs to
 * evaluate it. The expressions have been released.
 */
#ifndef CMBT_GRAPH_STAGE_H
#define CMBT_GRAPH_STAGE_H

#include "graph_model.h"

#include "dae/graph_system.h"

enum { CMBT_STAGE_MODES = 8 };

struct cmbt_stage {
  cmb_context *ctx;
  cmb_system *system;
  const cmb_equations *eq;
  void *scratch;
  int mode[CMBT_STAGE_MODES];
};

void cmbt_stage_open(struct cmbt_stage *s, const struct cmbt_graph_model *model,
                     const cmb_graph_options *options);
void cmbt_stage_close(struct cmbt_stage *s);

/* Returns the arguments of an evaluation at t, q and v, with the modes and the scratch memory of s. */
cmb_point cmbt_stage_point(struct cmbt_stage *s, double t, const double *q, const double *v);

#endif
