/*
 * Gaps that cannot become negative (dae.h, rules that are stops), for those who know nothing of impacts and rests.
 */
#ifndef CMB_SYSTEM_GAPS_H
#define CMB_SYSTEM_GAPS_H

#include "dae/evaluator.h"

/* An error in words if a gap is closed at (t, q, v), or smaller than `least`: `what` takes no account of stops. */
cmb_status cmb_refuse_closed_gaps(cmb_evaluator *ev, double t, const double *q, const double *v,
                                  double least, const char *what);

#endif
