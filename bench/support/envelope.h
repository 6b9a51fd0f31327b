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

/* Selects, among n runs, those that no other run beats in both accuracy and time, and stores them in
 * front (n) by ascending accuracy. Returns their number. A run that failed has mescd = −infinity and is
 * left out. */
int bench_envelope(int n, const bench_point *runs, bench_point *front);

/* Returns the time at the accuracy `mescd`, by linear interpolation of log(time) between the runs front (count);
 * NaN if no run reaches it. If even the cheapest run is more accurate, returns its time and sets *beyond. */
double bench_time_at(int count, const bench_point *front, double mescd, bool *beyond);

#endif
