/*
 * Roads as expressions: what a wheel, a contact or a formula asks of one at a place.
 */
#ifndef CMB_DYN_ROAD_H
#define CMB_DYN_ROAD_H

#include "dyn/build.h"

typedef struct cmb_road_point {
  cmb_expr
      height; /* as a wheel of this radius meets the road from above; radius 0: the road itself */
  cmb_expr height_x, height_y, height_t; /* its partial derivatives */
  cmb_expr friction;                     /* factor on the tyre's friction */
} cmb_road_point;

/* Road number `road` of the model at (x, y). */
cmb_status cmb_build_road(cmb_build *b, int road, cmb_expr x, cmb_expr y, cmb_expr radius,
                          cmb_road_point *p);

/* Only the height, or only the friction, at a place [x, y]: for formulas. */
cmb_status cmb_build_road_value(cmb_build *b, int road, bool friction, const cmb_expr *place,
                                cmb_expr radius, cmb_expr *e);

/* The distance D of a place [x, y, z] above the road, for a disc with this axis, and the normal n of the road there, of length 1: the gradient of
 * D without what comes of the road's curvature. */
cmb_status cmb_build_road_distance(cmb_build *b, int road, const cmb_vector *at,
                                   const cmb_vector *axis, cmb_expr *D, cmb_vector *n);

/* Room for what is known of the roads; and all of them once, for what is wrong in those that nothing asks for. */
cmb_status cmb_build_take_roads(cmb_build *b);
cmb_status cmb_build_check_roads(cmb_build *b);

#endif
