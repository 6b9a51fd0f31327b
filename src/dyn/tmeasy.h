/*
 * TMeasy as a tyre law (tyre_law.h), for tyre forces.
 */
#ifndef CMB_DYN_TMEASY_H
#define CMB_DYN_TMEASY_H

#include "dyn/tyre_law.h"
#include "model/tyre.h"

/* Computes the forces and moments of a tyre by TMeasy. The aligning torque is a lever arm times Fy, given as a part
 * of the contact `length`. Mx and My are 0, since TMeasy does not define them. */
cmb_status cmb_tmeasy_law(cmb_graph *g, const cmb_tmeasy *t, const cmb_tyre_input *in,
                          cmb_expr length, cmb_tyre_output *out);

#endif
