/*
 * A code's work-precision curve: the runs of a tolerance sweep that no other run of the same code beats in
 * both accuracy and time, and the time for a given accuracy on the line through them.
 */
#ifndef BENCH_SUPPORT_ENVELOPE_H
#define BENCH_SUPPORT_ENVELOPE_H

#include <stdbool.h>

typedef struct bench_point {
  double mescd, seconds;
} bench_point;

/* The unbeaten runs among n, by ascending accuracy, into front (n); returns how many. A run that failed has
 * mescd = −infinity and does not count. */
int bench_envelope(int n, const bench_point *runs, bench_point *front);

/* log(time) interpolated at the accuracy `mescd`; NaN if no run reaches it. Where even the cheapest run is more
 * accurate its time is the answer: less accuracy does not come cheaper. *beyond tells. */
double bench_time_at(int count, const bench_point *front, double mescd, bool *beyond);

#endif
