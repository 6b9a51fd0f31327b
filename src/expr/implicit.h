/*
 * Creates solutions of small systems of equations as nodes of the graph: implicit functions, and the linear systems that define their
 * derivatives. Used by cmb_implicit, and wherever a graph is differentiated, copied or compiled.
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

/* Builds the solution d[n] of the linear system A d = b, with A (n x n) stored by rows. For n = 1 it is a quotient. */
void cmb_linear_solution(cmb_graph *g, int n, const cmb_expr *A, const cmb_expr *b, cmb_expr *d);

/* Builds the forward-mode derivative of the solution e of a system of equations from the derivatives dot[] of the given quantities: for one
 * unknown its derivative, otherwise a solution whose unknowns are the derivatives; 0 if they vanish. */
cmb_expr cmb_solution_forward(cmb_graph *g, cmb_expr e, const cmb_expr *dot);

/* Adds to bar[size], the adjoints of reverse mode, those of the quantities given to the solution e of a system of equations, built from the
 * adjoints of its unknowns in bar. */
void cmb_solution_reverse(cmb_graph *g, cmb_expr e, uint32_t size, cmb_expr *bar);

/* Returns the node of unknown k of a solution. */
cmb_expr cmb_solution_part(cmb_graph *g, cmb_expr solution, int k);

/* Return the input that represents unknown i, or given quantity i, in the equations of all systems of the graph. */
cmb_expr cmb_unknown_symbol(cmb_graph *g, int i);
cmb_expr cmb_given_symbol(cmb_graph *g, int i);

/* Creates the program that computes the residuals r (n) and the Jacobian J (n x n) of nonlinear system `number` from its unknowns w (n) and
 * the given quantities. */
cmb_status cmb_system_program(cmb_context *ctx, const cmb_graph *g, uint16_t number,
                              cmb_program **program);

/* Copies a system of equations of the graph `from` into the graph `to` and returns its number there. Marks `to` as failed if that is not
 * possible. */
uint16_t cmb_import_system(cmb_graph *to, const cmb_graph *from, uint16_t number);

/* Copies all systems of equations of the graph `from` into `to`, a copy of that graph, in which expressions have the same numbers. */
void cmb_copy_systems(cmb_graph *to, const cmb_graph *from);

#endif
