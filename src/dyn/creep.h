/*
 * The forces in one contact of a wheel and a rail as expressions (camber/rail.h has the axes and the meaning of all quantities).
 */
#ifndef CMB_DYN_CREEP_H
#define CMB_DYN_CREEP_H

#include "dyn/kalker.h"

#include <camber/rail.h>

typedef struct cmb_creep_input {
  cmb_expr curvature_x, curvature_y; /* > 0, and load >= 0: the caller ensures it */
  cmb_expr load, xi, eta, phi, speed, friction;
} cmb_creep_input;

typedef struct cmb_creep_output {
  cmb_expr a, b, pressure, approach, Fx, Fy, Mz, friction;
} cmb_creep_output;

/* Builds the expressions of a contact. No option of *options is 0, except perhaps those that may be; the tables are those of
 * its Poisson's ratio. Expressions have no switching functions. */
cmb_status cmb_creep_law_build(cmb_graph *g, const cmb_creep_options *options,
                               const cmb_contact_tables *tables, const cmb_creep_input *in,
                               cmb_creep_output *out);

#endif
