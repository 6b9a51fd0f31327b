/*
 * Creates a system whose equations are programs made from a model's expressions (dyn/expressions.h); called when a model is
 * compiled.
 */
#ifndef CMB_DAE_GRAPH_SYSTEM_H
#define CMB_DAE_GRAPH_SYSTEM_H

#include "dyn/expressions.h"

#include <camber/dae.h>

typedef struct cmb_graph_options {
  cmb_evaluation evaluation;
  bool derivatives;   /* exact Jacobians are wanted: they take time to prepare */
  bool keep;          /* the expressions are kept (dae/code.h) */
  bool explicit_form; /* accelerations in one call, if the expressions include them */
  bool forced_form;   /* accelerations for given λ in one call, if included */
  bool residual_form; /* residuals in one call, if included */
} cmb_graph_options;

/* Creates a system that starts at the expressions' start values at t = 0; its t_end is 0 until the caller sets it. Adds nodes to
 * the graph. Afterwards the graph and x are not needed any more, but the tables and C functions in the graph are. */
cmb_status cmb_graph_system_create(cmb_context *ctx, const cmb_expressions *x,
                                   const cmb_graph_options *options, cmb_system **system);

#endif
