/*
 * TMeasy as a law of tyres (tyre_law.h).
 */
#ifndef CMB_DYN_TMEASY_H
#define CMB_DYN_TMEASY_H

#include "dyn/tyre_law.h"
#include "model/tyre.h"

/* length: of the contact, which the trail counts in. Mx and My are 0: TMeasy has none of its own. */
cmb_status cmb_tmeasy_law(cmb_graph *g, const cmb_tmeasy *t, const cmb_tyre_input *in,
                          cmb_expr length, cmb_tyre_output *out);

#endif
