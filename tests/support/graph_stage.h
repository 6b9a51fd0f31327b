/*
 * A hand-made model (graph_model.h) as a system, with what one thread needs to evaluate it. The expressions are gone by
 * then.
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

cmb_point cmbt_stage_point(struct cmbt_stage *s, double t, const double *q, const double *v);

#endif
