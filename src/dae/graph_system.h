/*
 * A system whose equations are programs made from expressions (dyn/expressions.h).
 */
#ifndef CMB_DAE_GRAPH_SYSTEM_H
#define CMB_DAE_GRAPH_SYSTEM_H

#include "dyn/expressions.h"

#include <camber/dae.h>

typedef struct cmb_graph_options {
  cmb_evaluation evaluation;
  bool derivatives;   /* exact Jacobians are wanted: they take time to prepare */
  bool keep;          /* the expressions stay (dae/code.h) */
  bool explicit_form; /* accelerations in one call, where the expressions have them */
  bool forced_form;   /* accelerations for given λ in one call, likewise */
  bool residual_form; /* residuals in one call, likewise */
} cmb_graph_options;

/* The system starts at the expressions' start values and at t = 0; its t_end is 0, the caller may know better. The
 * graph gets new nodes. Afterwards it and x are not needed any more, but the tables and C functions in it are. */
cmb_status cmb_graph_system_create(cmb_context *ctx, const cmb_expressions *x,
                                   const cmb_graph_options *options, cmb_system **system);

#endif
