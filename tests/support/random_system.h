/*
 * Makes random systems of equations r(w, x) = 0 with a regular Jacobian near their root:
 *
 *     r_i = 4 w_i + Σ_j a_ij w_j + 0.3 e_i(w, x) − b_i,   |a_ij| <= 0.4
 *
 * with random numbers a_ij, b_i and random smooth expressions e_i (random_expr.h).
 */
#ifndef CMBT_RANDOM_SYSTEM_H
#define CMBT_RANDOM_SYSTEM_H

#include "random.h"

#include <camber/expr.h>

enum { CMBT_SYSTEM_INPUTS = 6 };

/* Makes the expressions r_i, equation (n), of the unknowns w, unknown (n), and of x (inputs); each e_i is made in `nodes` steps. */
void cmbt_random_system(struct cmbt_random *r, cmb_graph *g, int n, const cmb_expr *unknown,
                        int inputs, const cmb_expr *x, int nodes, cmb_expr *equation);

/* Makes a program with CMBT_SYSTEM_INPUTS inputs whose outputs are the roots of eight systems with 1 to 6 unknowns, and then their
 * derivatives along a random direction. The last two systems depend on roots of the others. */
cmb_program *cmbt_system_program(cmb_context *ctx, uint64_t seed);

#endif
