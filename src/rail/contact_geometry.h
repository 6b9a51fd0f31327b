/*
 * The contact geometry of a wheelset, for use inside of the layer; include/camber/rail.h has its functions.
 */
#ifndef CMB_RAIL_CONTACT_GEOMETRY_H
#define CMB_RAIL_CONTACT_GEOMETRY_H

#include "rail/contact_side.h"

struct cmb_contact_geometry {
  cmb_context *ctx;
  cmb_arena *arena; /* of all its memory, with this struct */
  cmb_contact_side side[CMB_RAIL_SIDES];
  double play, penetration;
  bool symmetric; /* whether both sides have the same profiles */
};

#endif
