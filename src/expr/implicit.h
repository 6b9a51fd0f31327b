/*
 * Solutions of small systems as nodes of the graph: implicit functions, and the linear systems that their derivatives are solutions of.
 *
 * A solution is three kinds of nodes: lists of what the system is given and of start values (CMB_OP_LIST_OF), the solution of a
 * system with these (CMB_OP_SOLVE), and its unknowns one by one (CMB_OP_PART). Of these the lists are no operations. The equations are
 * written in symbols of their own, the same for all systems, so that equal equations are one system, whatever they are given:
 * what does not depend on the unknowns is computed outside, once. No walk over a graph goes from a solution into its equations.
 *
 * With r(w, x) = 0, J = ∂r/∂w, P = ∂r/∂x (Krantz and Parks 2002, the implicit function theorem):
 *     forward    J ẇ = −P ẋ
 *     reverse    Jᵀ μ = w̄,   x̄ −= Pᵀ μ
 * and of a linear system A d = b, which is r(d, (A, b)) = A d − b, so that derivatives of derivatives are linear systems again.
 */
#ifndef CMB_EXPR_IMPLICIT_H
#define CMB_EXPR_IMPLICIT_H

#include "expr/graph.h"

/* d (n) with A d = b, A row by row. For n = 1 a quotient. */
void cmb_linear_solution(cmb_graph *g, int n, const cmb_expr *A, const cmb_expr *b, cmb_expr *d);

/* Derivative of solution e along that of its lists, dot (e): of an only unknown its rate, else a solution whose parts are the rates;
 * 0: no rate. */
cmb_expr cmb_solution_forward(cmb_graph *g, cmb_expr e, const cmb_expr *dot);

/* Adds to bar (size) of what solution e is given what its parts have there. */
void cmb_solution_reverse(cmb_graph *g, cmb_expr e, uint32_t size, cmb_expr *bar);

/* Unknown k of a solution. */
cmb_expr cmb_solution_part(cmb_graph *g, cmb_expr solution, int k);

/* The symbols of equations: unknown or given quantity i. */
cmb_expr cmb_unknown_symbol(cmb_graph *g, int i);
cmb_expr cmb_given_symbol(cmb_graph *g, int i);

/* (w, given) -> r (n), J (n x n) of a system that is not linear. */
cmb_status cmb_system_program(cmb_context *ctx, const cmb_graph *g, uint16_t number,
                              cmb_program **program);

/* A system of `from` in `to`. */
uint16_t cmb_import_system(cmb_graph *to, const cmb_graph *from, uint16_t number);

/* All systems of a graph into a copy of it, in which expressions have the same numbers. */
void cmb_copy_systems(cmb_graph *to, const cmb_graph *from);

#endif
