/*
 * A heavy top on a fixed pivot, in redundant coordinates with Euler parameters and constraints: nq = 7, nv = 6, ng = 3.
 *
 * Coordinates are the position x of the centre of mass, from the pivot at the origin, and the Euler parameters of the rotation matrix R.
 * The constraint g = Rᵀx − c = 0 holds the centre of mass at c = (0, 0, height) of the body frame. The velocity u of the centre of mass
 * and the angular velocity ω are vectors of the body frame, ẋ = R u, so that all velocities are constant in a steady rotation about the
 * vertical.
 */
#ifndef CMBT_TOP_H
#define CMBT_TOP_H

#include <camber/dae.h>

struct cmbt_top {
  double mass, height; /* kg; m from the pivot to the centre of mass */
  /* kg m², moments of inertia about the centre of mass, about the two transverse axes and about the longitudinal axis */
  double across[2], along;
  double gravity; /* m/s² along −z */
};

/* Returns the equations of motion; `top` must outlive them. */
cmb_equations cmbt_top_equations(const struct cmbt_top *top);

/* Computes the consistent state q, v with the Euler parameters e (normalised here) and the angular velocity omega. */
void cmbt_top_state(const struct cmbt_top *top, const double e[4], const double omega[3],
                    double q[7], double v[6]);

#endif
