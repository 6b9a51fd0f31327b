/*
 * Magic Formula 5.2, 6.1 and 6.2 as a law of tyres (tyre_law.h), with the coefficients of a tyre property file.
 */
#ifndef CMB_DYN_MAGIC_FORMULA_H
#define CMB_DYN_MAGIC_FORMULA_H

#include "dyn/tyre_law.h"
#include "model/tir.h"

cmb_status cmb_magic_formula(cmb_graph *g, const cmb_tir *tir, const cmb_tyre_input *in,
                             cmb_tyre_output *out);

/* Spring, damper and bottoming of the tyre, for rho > 0; where it is in the air the element takes 0. */
cmb_status cmb_magic_vertical(cmb_graph *g, const cmb_tir *tir, const cmb_tyre_deflection *in,
                              cmb_expr *Fz, cmb_tyre_limits *limits);

/* The radius without load at this spin. */
cmb_status cmb_magic_free_radius(cmb_graph *g, const cmb_tir *tir, cmb_expr omega,
                                 cmb_expr *radius);

/* The effective rolling radius under the load Fz: forward speed over spin of a wheel that rolls freely. */
cmb_status cmb_magic_rolling_radius(cmb_graph *g, const cmb_tir *tir, cmb_expr Fz, cmb_expr omega,
                                    cmb_expr *radius);

/* The height of the centre of an upright wheel that rolls freely under the load Fz, without damping and bottoming. */
cmb_status cmb_magic_loaded_radius(cmb_graph *g, const cmb_tir *tir, cmb_expr Fz, cmb_expr omega,
                                   cmb_expr *radius);

#endif
