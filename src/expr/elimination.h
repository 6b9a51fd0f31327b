/*
 * Builds straight-line code (expressions) that solves linear systems by elimination in a static order, without pivoting. Used for equations
 * of motion with constraints.
 *
 *     [ A  Bᵀ ] [ x ]   [ r ]
 *     [ C  0  ] [ y ] = [ s ]        A: n x n, B and C: m x n
 *
 * No pivoting is needed where A has a positive definite symmetric part (a mass matrix with what damping and stiffness add to it) and C is
 * near B, both of full rank. Entries that are the constant 0 are skipped.
 */
#ifndef CMB_EXPR_ELIMINATION_H
#define CMB_EXPR_ELIMINATION_H

#include "base/arena.h"

#include <camber/expr.h>

typedef struct cmb_elimination cmb_elimination;

/* Factorises the matrix [A Bᵀ; C 0] of expressions, A (n x n), B and C (m x n) stored by rows. Memory is taken from the arena; returns NULL
 * if out of memory. */
cmb_elimination *cmb_eliminate(cmb_graph *g, cmb_arena *arena, int n, int m, const cmb_expr *A,
                               const cmb_expr *B, const cmb_expr *C);

/* Builds the solution of the factorised system: x[n + m] is the right-hand side and is overwritten by the solution's expressions. */
void cmb_elimination_solve(const cmb_elimination *e, cmb_expr *x);

/* Builds the expression of pivot i divided by |A_ii|, the magnitude of its value before the elimination: for a symmetric positive definite
 * A the squared sine of the angle, in the inner product of A, between unknown i and those eliminated before it. For a row of C the divisor
 * is the sum of the terms from pivots of A. */
cmb_expr cmb_elimination_pivot(const cmb_elimination *e, int i);

/* Builds the expression of the smallest relative pivot, the minimum of cmb_elimination_pivot over all pivots: near 0 the solution is useless,
 * and below 0 the conditions above are violated. A pivot of 0 makes values computed after it infinite or NaN, perhaps this one too. */
cmb_expr cmb_elimination_health(const cmb_elimination *e);

#endif
