/*
 * Reference trajectories that owe nothing to the library: the equations written out afresh as ordinary
 * differential equations in long double, integrated by Gragg's extrapolation.
 */
#ifndef CMBT_REFERENCE_H
#define CMBT_REFERENCE_H

typedef void (*cmbt_ode)(const void *user, long double t, const long double *y, long double *dy);

enum { CMBT_MOST_STATES = 64 };

/* y(t1) from y(t0) in `steps` steps of extrapolation of order 16. */
void cmbt_extrapolate(cmbt_ode f, const void *user, int n, long double t0, long double t1,
                      int steps, long double *y);

/* The car axis (standard parameters) from its start to t: q (4), v (4), lambda (2). */
void cmbt_caraxis_at(double t, double *q, double *v, double *lambda);

/* The pendulum (mass 1) of length l from rest at the angle phi0, to t: q (2), v (2), lambda (1). */
void cmbt_pendulum_at(double l, double g, double phi0, double t, double *q, double *v,
                      double *lambda);

/* Its period, by the arithmetic-geometric mean. */
long double cmbt_pendulum_period(double l, double g, double phi0);

#endif
