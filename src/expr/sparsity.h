/*
 * The exact sparsity pattern of a Jacobian; used by jacobian.c and by dae/graph_parts.c.
 */
#ifndef CMB_EXPR_SPARSITY_H
#define CMB_EXPR_SPARSITY_H

#include "base/arena.h"

#include <camber/expr.h>

/* Finds on which of `input` each of `output` depends with a derivative that is not 0 everywhere: a pattern of outputs x inputs, with its
 * arrays in the arena. */
cmb_status cmb_sparsity(cmb_graph *g, cmb_arena *arena, int inputs, const cmb_expr *input,
                        int outputs, const cmb_expr *output, cmb_pattern *pattern);

#endif
