/*
 * Example models for tests of systems that are made from expression graphs, with reference values from other sources.
 */
#ifndef CMBT_GRAPH_EXAMPLES_H
#define CMBT_GRAPH_EXAMPLES_H

#include "graph_model.h"

/* The bundled problem `pendulum` with m = 2 and l = 1.5, with mass matrix, residual and solved accelerations. Outputs: angle, energy,
 * λ, ẍ. */
extern const struct cmbt_graph_model cmbt_pendulum;

/* A model with three coordinates, a constraint that depends on the time t and the input u, and a mass matrix that depends on the
 * coordinates. It has M, f and G, but neither a residual nor solved accelerations. */
extern const struct cmbt_graph_model cmbt_arm;

/* The residual r = M a − f + Gᵀ λ, the constraint g and γ of the arm, written in C. */
void cmbt_arm_residual(double t, const double *q, const double *v, const double *a, double lambda,
                       double u, double *r);
double cmbt_arm_position(double t, const double *q, double u);
double cmbt_arm_gamma(double t, const double *q, const double *v);

/* A torque-free symmetric top with moments of inertia 1, 1, 2; q: Euler parameters (4), v: angular velocity in the body frame (3). */
extern const struct cmbt_graph_model cmbt_top;

/* A mass of 1 kg that falls from y = 1 m at rest on an elastic floor at y = 0 of stiffness 100 N/m. */
extern const struct cmbt_graph_model cmbt_bounce;

#endif
