/*
 * A program run in long double: the judge of derivatives by differences.
 */
#ifndef CMBT_LONG_VALUE_H
#define CMBT_LONG_VALUE_H

#include <camber/expr.h>

/* The first output; work holds cmb_program_work(p) numbers. Operations of CMB_OP_LIST only. */
long double cmbt_long_value(const cmb_program *p, const long double *in, long double *work);

/* Its derivative along `direction` by a central difference of order 6 with the given step. */
long double cmbt_long_slope(const cmb_program *p, const double *at, const double *direction,
                            long double step, long double *work);

#endif
