/*
 * Measures: scalar functions of the configuration that constraints and forces are made of.
 *
 *     x(q)      value
 *     ẋ         = Σ moment·ω + force·v over the two sides (or one velocity), exact
 *     ẍ         = (the same with ω̇, v̇) + bias
 *
 * A force Q along a measure has the power Q ẋ, so Q times the sides' moments and forces is what it does to the bodies; and a
 * constraint x = 0 has the sides as its gradient. Sides are given in the axes of `base`, about the links' origins.
 */
#ifndef CMB_DYN_MEASURE_H
#define CMB_DYN_MEASURE_H

#include "dyn/kinematics.h"

typedef struct cmb_side {
  int link;
  int body; /* for reactions; CMB_GROUND: the ground, or none */
  cmb_vector moment, force;
} cmb_side;

typedef struct cmb_measure {
  cmb_expr value, rate, bias;
  int velocity; /* ẋ is this velocity; -1: see the sides */
  int base;
  int side_count;
  cmb_side side[2];
} cmb_measure;

/* A frame or a point on a body, resolved: link, and components in the link's axes. */
typedef struct cmb_site {
  int link, body;
  cmb_number x[3];
} cmb_site;

cmb_site cmb_site_of(const cmb_kinematics *k, const cmb_anchor *anchor);

/* u · (b − a), the direction u (design position) fixed to a's body. */
cmb_measure cmb_measure_component(cmb_kinematics *k, cmb_site a, cmb_site b, const cmb_number u[3]);

/* u · w, two directions (design position) fixed to two bodies. */
cmb_measure cmb_measure_cosine(cmb_kinematics *k, cmb_site a, const cmb_number u[3], cmb_site b,
                               const cmb_number w[3]);

/* No value, but a rate: the component along u (design position, fixed to a) of the angular velocity of b relative to a. */
cmb_measure cmb_measure_turning(cmb_kinematics *k, cmb_site a, cmb_site b, const cmb_number u[3]);

/* The rotation vector a n of b as seen from a: the frame of b has turned from that of a about the unit vector n by the angle a, below π,
 * and is parallel to it in the design position; its components along the axes (3 x 3, design position), which are fixed to a. And cos a. */
cmb_status cmb_measure_rotation(cmb_kinematics *k, cmb_site a, cmb_site b, const cmb_number axes[9],
                                cmb_measure x[3], cmb_expr *cosine);

/* |b − a| */
cmb_measure cmb_measure_distance(cmb_kinematics *k, cmb_site a, cmb_site b);

/* c1 m1 + c2 m2, measures between the same two bodies. */
cmb_measure cmb_measure_combined(cmb_kinematics *k, double c1, cmb_measure m1, double c2,
                                 cmb_measure m2);

/* A coordinate whose rate is a velocity; q = -1: a velocity that is no coordinate's rate. */
cmb_measure cmb_measure_coordinate(cmb_kinematics *k, int q, int v);

/* Adds Q times the measure to generalised forces `out` (nv); `scratch` (links) is zero before and after. */
void cmb_measure_force(cmb_kinematics *k, const cmb_measure *m, cmb_expr Q, cmb_wrench *scratch,
                       cmb_expr *out);

/* Adds Q times the sides to the wrenches on links, which belong to the measure's base. */
void cmb_measure_wrench(cmb_kinematics *k, const cmb_measure *m, cmb_expr Q, cmb_wrench *on);

#endif
