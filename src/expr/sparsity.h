/*
 * The exact sparsity pattern of a Jacobian.
 */
#ifndef CMB_EXPR_SPARSITY_H
#define CMB_EXPR_SPARSITY_H

#include "base/arena.h"

#include <camber/expr.h>

/* Which of `input` each of `output` depends on with a derivative that is not 0 everywhere: a pattern of outputs x
 * inputs, its arrays from the arena. */
cmb_status cmb_sparsity(cmb_graph *g, cmb_arena *arena, int inputs, const cmb_expr *input,
                        int outputs, const cmb_expr *output, cmb_pattern *pattern);

#endif
