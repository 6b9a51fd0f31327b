/*
 * Checks that no stop or rigid contact (dae.h, rules with `gap`) is closed, for computations that take no account of impacts and
 * contacts, such as equilibria and linearisations.
 */
#ifndef CMB_SYSTEM_GAPS_H
#define CMB_SYSTEM_GAPS_H

#include "dae/evaluator.h"

/* Fails with a message if the gap of a stop or rigid contact is smaller than `least` (m) at (t, q, v). `what` names, for the message,
 * the computation that takes no account of stops. */
cmb_status cmb_refuse_closed_gaps(cmb_evaluator *ev, double t, const double *q, const double *v,
                                  double least, const char *what);

#endif
