/*
 * Linear systems of expressions by elimination in a static order, without pivoting: the result is straight-line code. Used for equations
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

/* Factorises the matrix given by A, B and C (stored by rows). Memory is taken from the arena; returns NULL if there is none. */
cmb_elimination *cmb_eliminate(cmb_graph *g, cmb_arena *arena, int n, int m, const cmb_expr *A,
                               const cmb_expr *B, const cmb_expr *C);

/* Solves the factorised system: x (n + m) is the right-hand side and is overwritten by the solution. */
void cmb_elimination_solve(const cmb_elimination *e, cmb_expr *x);

/* Returns pivot i divided by its value before other rows were subtracted from it: for a symmetric positive definite A the squared sine
 * of the angle between row i and the rows eliminated before it. */
cmb_expr cmb_elimination_pivot(const cmb_elimination *e, int i);

/* Returns the smallest of these quotients of all pivots: near 0 the solution is useless, and below 0 the conditions above are violated.
 * A pivot of 0 makes all values computed after it NaN, perhaps this one too. */
cmb_expr cmb_elimination_health(const cmb_elimination *e);

#endif
