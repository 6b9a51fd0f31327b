/*
 * Random systems of equations r(w, x) = 0 with a regular Jacobian near their root, the same for the same generator:
 *
 *     r_i = 4 w_i + Σ_j a_ij w_j + 0.3 e_i(w, x) − b_i,   |a_ij| <= 0.4,   e_i a tame smooth expression (random_expr.h)
 */
#ifndef CMBT_RANDOM_SYSTEM_H
#define CMBT_RANDOM_SYSTEM_H

#include "random.h"

#include <camber/expr.h>

enum { CMBT_SYSTEM_INPUTS = 6 };

/* r (n) of the inputs `unknown` (n) and x (inputs), in about `nodes` steps each. */
void cmbt_random_system(struct cmbt_random *r, cmb_graph *g, int n, const cmb_expr *unknown,
                        int inputs, const cmb_expr *x, int nodes, cmb_expr *equation);

/* A program of CMBT_SYSTEM_INPUTS inputs with the roots of systems of 1 to 6 unknowns, the last ones given by the first ones', and
 * their derivatives along a direction. */
cmb_program *cmbt_system_program(cmb_context *ctx, uint64_t seed);

#endif
