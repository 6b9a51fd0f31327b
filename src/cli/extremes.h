/*
 * Least, greatest and root mean square values of the outputs of a run, for its summary. They are taken from the points that are handed in:
 * each accepted step, both sides of each event, and points at even distances in between.
 */
#ifndef CMB_CLI_EXTREMES_H
#define CMB_CLI_EXTREMES_H

#include <camber/camber.h>

struct cli_extremes {
  int n;
  long points;
  double t, duration; /* of the last point; of all */
  double *last;       /* (n) values at the last point */
  double *least, *greatest;
  double *squares; /* (n) ∫ x² dt by the trapezoidal rule */
};

/* Takes the memory for n outputs; CMB_ERROR_MEMORY if there is none. */
cmb_status cli_extremes_begin(struct cli_extremes *x, int n);
void cli_extremes_end(struct cli_extremes *x);

void cli_extremes_add(struct cli_extremes *x, double t, const double *values);

/* √(1/T ∫ x² dt) of output i; of a single instant |x|. */
double cli_extremes_rms(const struct cli_extremes *x, int i);

#endif
