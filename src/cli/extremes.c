/*
 * Least, greatest and root mean square values of the outputs of a run (extremes.h).
 */
#include "cli/extremes.h"

#include <math.h>
#include <stdlib.h>

cmb_status cli_extremes_begin(struct cli_extremes *x, int n)
{
  *x = (struct cli_extremes){.n = n};
  x->last = calloc(4 * (size_t)n + 1, sizeof *x->last);
  if (!x->last) return CMB_ERROR_MEMORY;
  x->least = x->last + n;
  x->greatest = x->least + n;
  x->squares = x->greatest + n;
  return CMB_OK;
}

void cli_extremes_end(struct cli_extremes *x)
{
  free(x->last);
}

void cli_extremes_add(struct cli_extremes *x, double t, const double *values)
{
  const bool first = x->points++ == 0;
  const double dt = first ? 0 : t - x->t;
  for (int i = 0; i < x->n; i++) {
    const double value = values[i], before = x->last[i];
    if (dt > 0) x->squares[i] += 0.5 * dt * (value * value + before * before);
    x->least[i] = first ? value : fmin(x->least[i], value);
    x->greatest[i] = first ? value : fmax(x->greatest[i], value);
    x->last[i] = value;
  }
  x->t = t;
  x->duration += dt;
}

double cli_extremes_rms(const struct cli_extremes *x, int i)
{
  return x->duration > 0 ? sqrt(x->squares[i] / x->duration) : fabs(x->last[i]);
}
