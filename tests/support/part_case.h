/*
 * For tests of bundled parts (docs/parts.md): computes reference solutions without the library, and compares simulations with them.
 */
#ifndef CMBT_PART_CASE_H
#define CMBT_PART_CASE_H

#include <camber/camber.h>

enum { CMBT_MOST_UNKNOWNS = 9 };

typedef void (*cmbt_rates)(long double t, const long double *x, long double *rate);

/* Integrates ẋ = f(t, x) from t = 0, with the start values in x (n), to t_end by the classical Runge-Kutta method of order 4 in long
 * double; x becomes x(t_end). Where f has a kink, the error of that step is of the order of the step size squared. */
void cmbt_runge_kutta(cmbt_rates f, int n, long double t_end, int steps, long double *x);

/* Computes x and v = x' at t of the damped oscillation x'' + 2 d x' + w² x = 0, w > d, x(0) = x0, x'(0) = v0. */
void cmbt_swing(double d, double w, double x0, double v0, double t, double *x, double *v);

/* Simulates the model to t_end and returns the largest of |output_i − exact_i| / (1e-9 max(|exact_i|, 1)). */
double cmbt_part_error(cmb_context *ctx, const cmb_model *model, const char *method,
                       cmb_formulation formulation, double t_end, const double *exact);

#endif
