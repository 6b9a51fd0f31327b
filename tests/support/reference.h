/*
 * Computes reference trajectories without the library: the equations are formulated independently as ordinary differential equations in
 * long double and integrated by Gragg's extrapolation.
 */
#ifndef CMBT_REFERENCE_H
#define CMBT_REFERENCE_H

typedef void (*cmbt_ode)(const void *user, long double t, const long double *y, long double *dy);

enum { CMBT_MOST_STATES = 64 };

/* Integrates ẏ = f(t, y) from y (n) at t0 to t1 in `steps` extrapolation steps of order 16; y becomes y(t1). */
void cmbt_extrapolate(cmbt_ode f, const void *user, int n, long double t0, long double t1,
                      int steps, long double *y);

/* Computes q (4), v (4) and lambda (2) of the car axis with its standard parameters and initial values, at t. */
void cmbt_caraxis_at(double t, double *q, double *v, double *lambda);

/* Computes q (2), v (2) and lambda (1) at t of the pendulum with mass 1 and length l, released at rest at the angle phi0. */
void cmbt_pendulum_at(double l, double g, double phi0, double t, double *q, double *v,
                      double *lambda);

/* Returns the period of this pendulum, by the arithmetic-geometric mean. */
long double cmbt_pendulum_period(double l, double g, double phi0);

#endif
