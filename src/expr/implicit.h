/*
 * Solutions of small systems of equations as nodes of the graph: implicit functions, and the linear systems that define their derivatives.
 *
 * A solution consists of three kinds of nodes: lists of the given quantities and of start values (CMB_OP_LIST_OF), the solution of a
 * system with these (CMB_OP_SOLVE), and its unknowns one by one (CMB_OP_PART). The lists are no operations. The equations are written in
 * symbols that are the same for all systems, so that equal equations are one system, whatever quantities they are given: all that does not
 * depend on the unknowns is computed outside, once. No function that visits a graph goes from a solution into its equations.
 *
 * With r(w, x) = 0, J = ∂r/∂w, P = ∂r/∂x (Krantz and Parks 2002, the implicit function theorem):
 *     forward    J ẇ = −P ẋ
 *     reverse    Jᵀ μ = w̄,   x̄ −= Pᵀ μ
 * The same holds for a linear system A d = b with r(d, (A, b)) = A d − b, so that derivatives of derivatives are linear systems again.
 */
#ifndef CMB_EXPR_IMPLICIT_H
#define CMB_EXPR_IMPLICIT_H

#include "expr/graph.h"

/* Forms the solution d (n) of A d = b, with A stored by rows. For n = 1 it is a quotient. */
void cmb_linear_solution(cmb_graph *g, int n, const cmb_expr *A, const cmb_expr *b, cmb_expr *d);

/* Returns the derivative of solution e from the derivatives dot[] of the nodes in its lists: for one unknown its derivative, otherwise a
 * solution whose unknowns are the derivatives; 0 if they vanish. */
cmb_expr cmb_solution_forward(cmb_graph *g, cmb_expr e, const cmb_expr *dot);

/* Adds the adjoints of the quantities given to solution e to bar (size), computed from the adjoints of its unknowns there (reverse
 * mode). */
void cmb_solution_reverse(cmb_graph *g, cmb_expr e, uint32_t size, cmb_expr *bar);

/* Returns the node of unknown k of a solution. */
cmb_expr cmb_solution_part(cmb_graph *g, cmb_expr solution, int k);

/* Return the input that stands for unknown i, or for given quantity i, in the equations of systems. */
cmb_expr cmb_unknown_symbol(cmb_graph *g, int i);
cmb_expr cmb_given_symbol(cmb_graph *g, int i);

/* Creates the program (w, given) -> r (n), J (n x n) of a nonlinear system. */
cmb_status cmb_system_program(cmb_context *ctx, const cmb_graph *g, uint16_t number,
                              cmb_program **program);

/* Copies a system of graph `from` into graph `to` and returns its number there. */
uint16_t cmb_import_system(cmb_graph *to, const cmb_graph *from, uint16_t number);

/* Copies all systems of a graph into a copy of that graph, in which expressions have the same numbers. */
void cmb_copy_systems(cmb_graph *to, const cmb_graph *from);

#endif
