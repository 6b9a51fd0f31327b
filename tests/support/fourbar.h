/*
 * A parallelogram four-bar with equations derived by hand: two cranks of equal length a on the ground, and a coupler as long as the
 * distance of their pivots. In the parallelogram branch of its motion the coupler only translates, and both cranks turn by the same
 * angle φ from the ground line, which is inclined by the angle tilt:
 *
 *     J φ'' = S (ĝ·e'(tilt + φ)) − κ (φ − φ₀),    J = J₁ + J₃ + m a²,   S = s₁ + s₃ + m a,   e'(x) = (−sin x, cos x)
 *
 * J₁, J₃ are the moments of inertia and s₁, s₃ the first moments of mass of the cranks about their pivots, m is the mass of the
 * coupler, ĝ the gravity vector, κ and φ₀ are the stiffness and the free angle of a torsion spring. Where all links lie on one line (φ
 * = 0 or π) the constraint Jacobian loses one rank. The cranks differ in inertia, and the spring acts on the first one only, so that
 * the coupler transmits forces in that position too.
 */
#ifndef CMBT_FOURBAR_H
#define CMBT_FOURBAR_H

#include <camber/camber.h>

typedef enum cmbt_fourbar_kind {
  CMBT_FOURBAR_ANGLES,   /* three absolute angles, 2 loop constraints */
  CMBT_FOURBAR_RELATIVE, /* joint angles: that of the coupler is relative to crank 1 */
  CMBT_FOURBAR_BODIES,   /* x, y, φ of three bodies, 8 constraints */
  CMBT_FOURBAR_DOUBLE /* three absolute angles, each loop constraint twice: 2 redundant constraints */
} cmbt_fourbar_kind;

struct cmbt_fourbar {
  cmbt_fourbar_kind kind;
  double unit;      /* units of length per metre: 1 for m, 1000 for mm */
  double tilt;      /* angle of the ground line, rad */
  double down;      /* angle of the direction of gravity, rad */
  double stiffness; /* κ, kg m²/s² */
  double rest;      /* φ₀, rad */
};

/* Returns the equations of motion; `p` must outlive them. */
cmb_equations cmbt_fourbar_equations(const struct cmbt_fourbar *p);

/* Computes q and v of the parallelogram branch from the crank angle φ and its rate. */
void cmbt_fourbar_state(const struct cmbt_fourbar *p, double phi, double rate, double *q,
                        double *v);

/* Computes the crank angle φ and its rate from a state. */
void cmbt_fourbar_crank(const struct cmbt_fourbar *p, const double *q, const double *v, double *phi,
                        double *rate);

/* Integrates the equation above from φ and its rate over the time t, by the Runge-Kutta method of order 4 in long double with `steps`
 * steps. Returns how often φ passed a multiple of π; `times` gets the first `room` of these times. */
int cmbt_fourbar_exact(const struct cmbt_fourbar *p, double t, int steps, double *phi, double *rate,
                       int room, double *times);

#endif
