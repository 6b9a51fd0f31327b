/*
 * The Magic Formula 5.2, 6.1 and 6.2 as a tyre law (tyre_law.h), with the coefficients of a tyre property file.
 */
#ifndef CMB_DYN_MAGIC_FORMULA_H
#define CMB_DYN_MAGIC_FORMULA_H

#include "dyn/tyre_law.h"
#include "model/tir.h"

cmb_status cmb_magic_formula(cmb_graph *g, const cmb_tir *tir, const cmb_tyre_input *in,
                             cmb_tyre_output *out);

/* Computes the vertical force of the tyre's spring and damper and of the rim that touches the ground, for a
 * deflection rho > 0; it is not valid for a wheel in the air. *limits receives the limits of validity. */
cmb_status cmb_magic_vertical(cmb_graph *g, const cmb_tir *tir, const cmb_tyre_deflection *in,
                              cmb_expr *Fz, cmb_tyre_limits *limits);

/* Computes the radius of the unloaded tyre at the spin `omega`. */
cmb_status cmb_magic_free_radius(cmb_graph *g, const cmb_tir *tir, cmb_expr omega,
                                 cmb_expr *radius);

/* Computes the effective rolling radius under the load Fz: forward speed over spin of a freely rolling wheel. */
cmb_status cmb_magic_rolling_radius(cmb_graph *g, const cmb_tir *tir, cmb_expr Fz, cmb_expr omega,
                                    cmb_expr *radius);

/* Computes the height of the centre of an upright, freely rolling wheel under the load Fz, without damping and rim contact. */
cmb_status cmb_magic_loaded_radius(cmb_graph *g, const cmb_tir *tir, cmb_expr Fz, cmb_expr omega,
                                   cmb_expr *radius);

#endif
