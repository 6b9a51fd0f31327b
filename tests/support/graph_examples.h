/*
 * Models for tests of graph systems, each with what is known about it from elsewhere.
 */
#ifndef CMBT_GRAPH_EXAMPLES_H
#define CMBT_GRAPH_EXAMPLES_H

#include "graph_model.h"

/* The bundled problem `pendulum` with m = 2, l = 1.5, in all forms; outputs: angle, energy, λ, ẍ. */
extern const struct cmbt_graph_model cmbt_pendulum;

/* Three coordinates, one constraint that moves with t and with u, M full of coordinates. No form but M, f, G. */
extern const struct cmbt_graph_model cmbt_arm;

/* r = M a − f + Gᵀ λ and g of the arm, written in C. */
void cmbt_arm_residual(double t, const double *q, const double *v, const double *a, double lambda,
                       double u, double *r);
double cmbt_arm_position(double t, const double *q, double u);
double cmbt_arm_gamma(double t, const double *q, const double *v);

/* A symmetric top (1, 1, 2) without forces, Euler parameters (4) and angular velocity in the body's frame (3). */
extern const struct cmbt_graph_model cmbt_top;

/* A mass of 1 above a floor that pushes with 100 N/m: y = 1 at rest at first. */
extern const struct cmbt_graph_model cmbt_bounce;

#endif
