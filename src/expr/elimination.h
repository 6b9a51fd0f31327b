/*
 * Linear systems of expressions by elimination in a static order, without pivoting: what comes out is straight-line code.
 *
 *     [ A  Bᵀ ] [ x ]   [ r ]
 *     [ C  0  ] [ y ] = [ s ]        A: n x n, B and C: m x n
 *
 * That needs no pivoting where A has a positive definite symmetric part (a mass matrix with what damping and stiffness
 * add to it) and C is near B, both of full rank. Expressions that are the constant 0 take no part.
 */
#ifndef CMB_EXPR_ELIMINATION_H
#define CMB_EXPR_ELIMINATION_H

#include "base/arena.h"

#include <camber/expr.h>

typedef struct cmb_elimination cmb_elimination;

/* Matrices row by row. Memory from the arena; NULL if there is none. */
cmb_elimination *cmb_eliminate(cmb_graph *g, cmb_arena *arena, int n, int m, const cmb_expr *A,
                               const cmb_expr *B, const cmb_expr *C);

/* x (n + m) is the right side and becomes the solution. */
void cmb_elimination_solve(const cmb_elimination *e, cmb_expr *x);

/* Pivot i beside what it was before others were subtracted from it: with a symmetric positive definite A the squared sine of the angle
 * between row i and those before it. */
cmb_expr cmb_elimination_pivot(const cmb_elimination *e, int i);

/* The smallest of them: near 0 the solution is worth nothing, and below 0 the conditions above do not hold. A pivot that is 0 makes
 * all that comes after it NaN, perhaps the health too. */
cmb_expr cmb_elimination_health(const cmb_elimination *e);

#endif
