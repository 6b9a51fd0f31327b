/*
 * A heavy top on a pivot, as equations with a constraint and Euler parameters: nq = 7, nv = 6, ng = 3.
 *
 * The centre of mass x is free, g = Rᵀx − c holds it at c = (0, 0, h) of the body, whose pivot is the origin. Velocities u of
 * the centre and ω are in the body's axes, ẋ = R u: in steady rotation about the vertical nothing in the equations changes.
 */
#ifndef CMBT_TOP_H
#define CMBT_TOP_H

#include <camber/dae.h>

struct cmbt_top {
  double mass, height; /* kg; m from the pivot to the centre of mass */
  double across[2],
      along;      /* kg m² about the centre of mass: across the axis (two of them), along it */
  double gravity; /* m/s² along −z */
};

/* `top` must outlive the equations. */
cmb_equations cmbt_top_equations(const struct cmbt_top *top);

/* The state with the given Euler parameters and ω: x and u follow from them. */
void cmbt_top_state(const struct cmbt_top *top, const double e[4], const double omega[3],
                    double q[7], double v[6]);

#endif
