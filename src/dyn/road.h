/*
 * Roads as expressions: height, slope, friction and distance at a place, for tyres, contacts and formulas.
 */
#ifndef CMB_DYN_ROAD_H
#define CMB_DYN_ROAD_H

#include "dyn/build.h"

typedef struct cmb_road_point {
  /* of the envelope of a wheel of this radius that rolls on the road; radius 0: of the road itself */
  cmb_expr height;
  cmb_expr height_x, height_y, height_t; /* its partial derivatives */
  cmb_expr friction;                     /* factor of the tyre's friction */
} cmb_road_point;

/* Computes height, derivatives and friction of road number `road` of the model at (x, y), for a wheel of this radius. */
cmb_status cmb_build_road(cmb_build *b, int road, cmb_expr x, cmb_expr y, cmb_expr radius,
                          cmb_road_point *p);

/* Computes only the height, or only the friction, at a place [x, y] for a wheel of this radius. */
cmb_status cmb_build_road_value(cmb_build *b, int road, bool friction, const cmb_expr *place,
                                cmb_expr radius, cmb_expr *e);

/* Computes the distance D of a point [x, y, z] from the road, for a disc with this axis, and the unit normal n of the
 * road there: the normalised gradient of D without the part from the road's curvature. */
cmb_status cmb_build_road_distance(cmb_build *b, int road, const cmb_vector *at,
                                   const cmb_vector *axis, cmb_expr *D, cmb_vector *n);

/* cmb_build_take_roads allocates memory for the roads; cmb_build_check_roads builds all of them, to report errors
 * also in those that are not used. */
cmb_status cmb_build_take_roads(cmb_build *b);
cmb_status cmb_build_check_roads(cmb_build *b);

#endif
