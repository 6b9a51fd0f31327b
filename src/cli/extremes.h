/*
 * Least, greatest and root mean square values of the outputs of a run, for its summary. They are taken from the points that are handed in:
 * each accepted step, both sides of each event, and further points in between. Between two points an output is a parabola, whose second
 * derivative is the smaller one of those that the neighbouring points on either side suggest, and 0 where these have different signs. So
 * the top between two points is seen, and a corner or a jump makes no top that is not there.
 */
#ifndef CMB_CLI_EXTREMES_H
#define CMB_CLI_EXTREMES_H

#include <camber/camber.h>

enum { CLI_EXTREMES_POINTS = 3 };

struct cli_extremes {
  int n;
  long points;
  int known;                       /* points since the last jump, at most 3 */
  double t[CLI_EXTREMES_POINTS];   /* their times, the last one at the end */
  double *at[CLI_EXTREMES_POINTS]; /* (n) values there */
  double duration;                 /* of all intervals that are closed */
  double *least, *greatest;        /* (n) of the points */
  double *bottom, *top;            /* (n) of the parabolas */
  double *integral;                /* (n) ∫ x dt over the duration */
  double *squares, *less; /* (n) ∫ x² dt, of the rule of trapezoids, and what parabolas have less */
  double
      *deviations; /* (n) ∫ d² dt: d is how far a point is from the line through its neighbours */
  double *memory;
};

/* What is known of an output. */
struct cli_extreme {
  double least, greatest, rms; /* √(1/T ∫ x² dt), of a single instant |x| */
  /* The output changes so fast that the points do not show it: an oscillation has fewer than about ten points a period. Then the
   * three are those of the points alone. */
  bool is_coarse;
};

/* Takes the memory for n outputs; CMB_ERROR_MEMORY if there is none. */
cmb_status cli_extremes_begin(struct cli_extremes *x, int n);
void cli_extremes_end(struct cli_extremes *x);

/* The next point; two at the same time are both sides of a jump. */
void cli_extremes_add(struct cli_extremes *x, double t, const double *values);

/* No more points come: takes the last interval into account. */
void cli_extremes_finish(struct cli_extremes *x);

struct cli_extreme cli_extremes_of(const struct cli_extremes *x, int i);

#endif
