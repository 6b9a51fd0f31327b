/*
 * Least, greatest and root mean square values of the outputs of a run, for its summary. They are computed from points of each accepted step,
 * of both sides of each event, and of further times in between. Between two points an output is interpolated by a parabola, whose second
 * derivative is the smaller one of the two estimates that include the neighbouring point on the left or on the right, or 0 if these have
 * different signs or one of them is missing. So an extremum between two points is found, and a kink or a discontinuity does not produce one.
 */
#ifndef CMB_CLI_EXTREMES_H
#define CMB_CLI_EXTREMES_H

#include <camber/camber.h>

enum { CLI_EXTREMES_POINTS = 3 };

struct cli_extremes {
  int n;                           /* number of outputs */
  long points;                     /* number of points so far */
  int known;                       /* number of points since the last discontinuity, at most 3 */
  double t[CLI_EXTREMES_POINTS];   /* times of the last points, the newest at the end */
  double *at[CLI_EXTREMES_POINTS]; /* (n) values at these times */
  double duration;                 /* total length of all complete intervals */
  double *least, *greatest;        /* (n) extremes of the points */
  double *bottom, *top;            /* (n) extremes of the parabolas */
  double *integral;                /* (n) ∫ y dt of the outputs y over the duration */
  /* (n) ∫ y² dt by the trapezoidal rule, and the excess of this value over the integral of the parabolas */
  double *squares, *excess;
  /* (n) ∫ d² dt, where d is the distance of a point from the line through its neighbours */
  double *deviations;
  double *memory; /* the block that contains all arrays */
};

/* The results for an output. */
struct cli_extreme {
  double least, greatest, rms; /* rms is √(1/T ∫ y² dt), for a single instant |y| */
  /* the points do not resolve the output, since an oscillation has fewer than about ten points in a period; the three values are then
   * those of the points alone */
  bool is_coarse;
};

/* Initialises the computation for n outputs; returns CMB_ERROR_MEMORY if memory runs out. cli_extremes_end frees the memory. */
cmb_status cli_extremes_begin(struct cli_extremes *x, int n);
void cli_extremes_end(struct cli_extremes *x);

/* Adds the next point of the run: the outputs values[n] at time t. Two points at the same time are the two sides of a discontinuity. */
void cli_extremes_add(struct cli_extremes *x, double t, const double *values);

/* Adds the interval before the last point to the integrals; to be called once, after the last point. */
void cli_extremes_finish(struct cli_extremes *x);

/* Returns least, greatest and root mean square value of output i. */
struct cli_extreme cli_extremes_of(const struct cli_extremes *x, int i);

#endif
