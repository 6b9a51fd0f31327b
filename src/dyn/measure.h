/*
 * Measures: scalar functions of the configuration, along which forces act and of which constraints consist.
 *
 *     x(q)      value
 *     ẋ         = Σ moment·ω + force·v over the two sides (or one velocity), exact
 *     ẍ         = (the same with ω̇, v̇) + bias
 *
 * A force Q along a measure has the power Q ẋ, so Q times the sides' moments and forces acts on the bodies; and a
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
  int velocity; /* ẋ is this velocity; −1: ẋ is given by the sides */
  int base;
  int side_count;
  cmb_side side[2];
} cmb_measure;

/* A point on a body, converted to its link: components in the link's axes. */
typedef struct cmb_site {
  int link, body;
  cmb_number x[3];
} cmb_site;

cmb_site cmb_site_of(const cmb_kinematics *k, const cmb_anchor *anchor);

/* The component u · (b − a) of the vector from a to b along the direction u (design position), which is fixed to a's body. */
cmb_measure cmb_measure_component(cmb_kinematics *k, cmb_site a, cmb_site b, const cmb_number u[3]);

/* The cosine u · w of two directions (design position) fixed to two bodies. */
cmb_measure cmb_measure_cosine(cmb_kinematics *k, cmb_site a, const cmb_number u[3], cmb_site b,
                               const cmb_number w[3]);

/* A measure without a value, whose rate is the component along u (design position, fixed to a) of the angular
 * velocity of b relative to a. */
cmb_measure cmb_measure_turning(cmb_kinematics *k, cmb_site a, cmb_site b, const cmb_number u[3]);

/* Computes the rotation vector α n of b relative to a as three measures x: the frame of b, which is parallel to that
 * of a in the design position, has turned about the unit vector n by the angle α < π. The components are along the
 * axes (3 x 3, design position), fixed to a. *cosine is cos α. */
cmb_status cmb_measure_rotation(cmb_kinematics *k, cmb_site a, cmb_site b, const cmb_number axes[9],
                                cmb_measure x[3], cmb_expr *cosine);

/* The distance |b − a| of two points. */
cmb_measure cmb_measure_distance(cmb_kinematics *k, cmb_site a, cmb_site b);

/* The linear combination c1 m1 + c2 m2 of two measures between the same two bodies. */
cmb_measure cmb_measure_combined(cmb_kinematics *k, double c1, cmb_measure m1, double c2,
                                 cmb_measure m2);

/* The coordinate q, whose rate is the velocity v; q = −1: a velocity that is no coordinate's rate. */
cmb_measure cmb_measure_coordinate(cmb_kinematics *k, int q, int v);

/* Adds a force Q along the measure to the generalised forces `out` (nv); `scratch` (links) is zero before and after. */
void cmb_measure_force(cmb_kinematics *k, const cmb_measure *m, cmb_expr Q, cmb_wrench *scratch,
                       cmb_expr *out);

/* Adds a force Q along the measure to the wrenches `on` (links), which belong to the measure's base. */
void cmb_measure_wrench(cmb_kinematics *k, const cmb_measure *m, cmb_expr Q, cmb_wrench *on);

#endif
