/*
 * Gaps of stops and rigid contacts that must not be negative (dae.h, rules with `gap`): a check for computations without impacts
 * and contacts, such as equilibria and linearisations.
 */
#ifndef CMB_SYSTEM_GAPS_H
#define CMB_SYSTEM_GAPS_H

#include "dae/evaluator.h"

/* Fails with a message if a gap is closed at (t, q, v), that is smaller than `least`. `what` names the computation that takes no
 * account of stops. */
cmb_status cmb_refuse_closed_gaps(cmb_evaluator *ev, double t, const double *q, const double *v,
                                  double least, const char *what);

#endif
