/*
 * Finds the sparsity pattern of a Jacobian from its expressions; used by jacobian.c and by dae/graph_parts.c.
 */
#ifndef CMB_EXPR_SPARSITY_H
#define CMB_EXPR_SPARSITY_H

#include "base/arena.h"

#include <camber/expr.h>

/* Finds the sparsity pattern (outputs x inputs) of the Jacobian ∂output/∂input: the entries that are not known to be 0 everywhere. The
 * pattern's arrays are allocated in the arena. */
cmb_status cmb_sparsity(cmb_graph *g, cmb_arena *arena, int inputs, const cmb_expr *input,
                        int outputs, const cmb_expr *output, cmb_pattern *pattern);

#endif
