/*
 * A parallelogram four-bar, written out by hand: two cranks of equal length on the ground and a coupler as long as the ground
 * between them. On its branch the coupler only translates, and both cranks turn by the same angle φ:
 *
 *     J φ'' = S (ĝ·e'(φ)) − κ (φ − φ₀),    J = J₁ + J₃ + m a²,   S = s₁ + s₃ + m a
 *
 * Where all links lie on one line (φ = 0 or π from the ground line) the constraints lose one rank. The cranks differ in
 * inertia, and the spring κ acts on the first only, so that forces go through the coupler in that position too.
 */
#ifndef CMBT_FOURBAR_H
#define CMBT_FOURBAR_H

#include <camber/camber.h>

typedef enum cmbt_fourbar_kind {
  CMBT_FOURBAR_ANGLES,   /* three absolute angles, 2 loop constraints */
  CMBT_FOURBAR_RELATIVE, /* joint angles: the coupler's counts from the crank */
  CMBT_FOURBAR_BODIES,   /* x, y, φ of three bodies, 8 constraints */
  CMBT_FOURBAR_DOUBLE /* three absolute angles, and each loop constraint a second time: 2 redundant ones */
} cmbt_fourbar_kind;

struct cmbt_fourbar {
  cmbt_fourbar_kind kind;
  double unit;      /* lengths in this unit: 1 for m, 1000 for mm */
  double tilt;      /* of the ground line */
  double down;      /* direction of gravity */
  double stiffness; /* κ, kg m²/s² */
  double rest;      /* φ₀ */
};

/* Equations; `p` must outlive them. */
cmb_equations cmbt_fourbar_equations(const struct cmbt_fourbar *p);

/* q and v on the branch, at the crank's angle φ to the ground line and its rate. */
void cmbt_fourbar_state(const struct cmbt_fourbar *p, double phi, double rate, double *q,
                        double *v);

/* The crank's angle and rate in a state. */
void cmbt_fourbar_crank(const struct cmbt_fourbar *p, const double *q, const double *v, double *phi,
                        double *rate);

/* φ and its rate after t by the equation above, and how often and when φ passed a multiple of π on the way: times has room
 * for `room` of them. Runge-Kutta of order 4 in long double with `steps` steps. */
int cmbt_fourbar_exact(const struct cmbt_fourbar *p, double t, int steps, double *phi, double *rate,
                       int room, double *times);

#endif
