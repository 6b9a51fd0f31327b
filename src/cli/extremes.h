/*
 * Least, greatest and root mean square values of the outputs of a run, for its summary. They are computed from points of each accepted
 * step, of both sides of each event, and of further times in between. Between two points an output is taken as a parabola, whose second
 * derivative is the smaller one of those that the neighbouring points on either side suggest, or 0 if these have different signs. So an
 * extreme between two points is found, and a kink or a discontinuity does not produce one.
 */
#ifndef CMB_CLI_EXTREMES_H
#define CMB_CLI_EXTREMES_H

#include <camber/camber.h>

enum { CLI_EXTREMES_POINTS = 3 };

struct cli_extremes {
  int n;
  long points;
  int known;                       /* points since the last discontinuity, at most 3 */
  double t[CLI_EXTREMES_POINTS];   /* their times, the last one at the end */
  double *at[CLI_EXTREMES_POINTS]; /* (n) values at these times */
  double duration;                 /* total length of all complete intervals */
  double *least, *greatest;        /* (n) extremes of the points */
  double *bottom, *top;            /* (n) extremes of the parabolas */
  double *integral;                /* (n) ∫ x dt over the duration */
  /* (n) ∫ x² dt by the trapezoidal rule, and by how much that of the parabolas is less */
  double *squares, *less;
  /* (n) ∫ d² dt, where d is the distance of a point from the line through its neighbours */
  double *deviations;
  double *memory;
};

/* The results for an output. */
struct cli_extreme {
  double least, greatest, rms; /* rms is √(1/T ∫ x² dt), for a single instant |x| */
  /* the points do not resolve the output, since an oscillation has fewer than about ten points in a period; the three values are then
   * those of the points alone */
  bool is_coarse;
};

/* Begins the computation for n outputs; returns CMB_ERROR_MEMORY if memory runs out. cli_extremes_end frees the memory. */
cmb_status cli_extremes_begin(struct cli_extremes *x, int n);
void cli_extremes_end(struct cli_extremes *x);

/* Adds the next point, with the values (n) at time t. Two points at the same time are the two sides of a discontinuity. */
void cli_extremes_add(struct cli_extremes *x, double t, const double *values);

/* Ends the computation after the last point: adds the last interval. */
void cli_extremes_finish(struct cli_extremes *x);

/* Returns the results for output i. */
struct cli_extreme cli_extremes_of(const struct cli_extremes *x, int i);

#endif
