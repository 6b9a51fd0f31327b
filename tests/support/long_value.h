/*
 * Evaluates a program in long double, for reference values of derivatives by differences.
 */
#ifndef CMBT_LONG_VALUE_H
#define CMBT_LONG_VALUE_H

#include <camber/expr.h>

/* Returns the first output of the program; work: cmb_program_work(p) numbers. The program may contain operations of CMB_OP_LIST only. */
long double cmbt_long_value(const cmb_program *p, const long double *in, long double *work);

/* Returns the derivative of the first output along `direction` by a central difference of order 6 with the given step. */
long double cmbt_long_slope(const cmb_program *p, const double *at, const double *direction,
                            long double step, long double *work);

#endif
