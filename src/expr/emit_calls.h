/*
 * The C functions that emitted code (emit.h) calls: one for each operation of CMB_OP_LIST, made from its C expression there; others for
 * tables, user functions and systems of equations.
 */
#ifndef CMB_EXPR_EMIT_CALLS_H
#define CMB_EXPR_EMIT_CALLS_H

#include "expr/program.h"

/* Computes the value of instruction i for the arguments a, b and c. */
typedef double (*cmb_emit_scalar)(const cmb_program *p, const cmb_instruction *i, double a,
                                  double b, double c);

enum { CMB_EMIT_MOST_LANES = 4 };

/* The same for `width` lanes: argument n of lane l is x[n][l], and the results replace x[0]. */
typedef void (*cmb_emit_lanes)(const cmb_program *p, const cmb_instruction *i, int width,
                               double x[3][CMB_EMIT_MOST_LANES]);

/* Solves a system of equations (cmb_program_run_solution). */
typedef void (*cmb_emit_solve)(const cmb_program *p, const cmb_instruction *i, int lanes,
                               double *work);

/* The function for an operation; which member is valid depends on the operation and on the kind of code. */
typedef union cmb_emit_call {
  cmb_emit_scalar scalar;
  cmb_emit_lanes lanes;
  cmb_emit_solve solve;
} cmb_emit_call;

/* Return the functions that code for numbers, and code for lanes, call for an operation other than an input or a constant. */
cmb_emit_call cmb_emit_call_of(cmb_op op, bool lanes);

#endif
