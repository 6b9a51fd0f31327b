/*
 * Tests of bundled parts (docs/parts.md): a reference that knows nothing of the library, and runs against it.
 */
#ifndef CMBT_PART_CASE_H
#define CMBT_PART_CASE_H

#include <camber/camber.h>

enum { CMBT_MOST_UNKNOWNS = 9 };

typedef void (*cmbt_rates)(long double t, const long double *x, long double *rate);

/* x at t_end by Runge and Kutta's method of order 4 in long double, from x at 0. A kink of the rates costs an error of the order of the step squared. */
void cmbt_runge_kutta(cmbt_rates f, int n, long double t_end, int steps, long double *x);

/* x'' + 2 d x' + w² x = 0, w > d: x and x' at t. */
void cmbt_swing(double d, double w, double x0, double v0, double t, double *x, double *v);

/* The largest difference of the outputs of a run from `exact`, in tolerances of 1e-9 of their size or of 1. */
double cmbt_part_error(cmb_context *ctx, const cmb_model *model, const char *method,
                       cmb_formulation formulation, double t_end, const double *exact);

#endif
