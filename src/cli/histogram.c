/*
 * Counts positive numbers in buckets of constant ratio (histogram.h). Bucket k has the array index k + FIRST.
 */
#include "cli/histogram.h"

#include <math.h>

enum { FIRST = CLI_PER_OCTAVE * CLI_OCTAVES_BELOW };

void cli_histogram_begin(struct cli_histogram *h, double unit)
{
  *h = (struct cli_histogram){.unit = unit};
}

void cli_histogram_add(struct cli_histogram *h, double x)
{
  double k = ceil(CLI_PER_OCTAVE * log2(x / h->unit));
  int i = (int)fmin(CLI_BUCKETS - 1, fmax(0, k + FIRST));
  h->count[i]++;
  h->total++;
  h->most = fmax(h->most, x);
}

double cli_histogram_quantile(const struct cli_histogram *h, int permille)
{
  const long rank = (permille * h->total + 999) / 1000;
  long below = 0;
  if (h->total == 0) return NAN;
  for (int i = 0; i < CLI_BUCKETS - 1; i++) {
    below += h->count[i];
    if (below >= rank) return fmin(h->most, h->unit * exp2((double)(i - FIRST) / CLI_PER_OCTAVE));
  }
  return h->most;
}

long cli_histogram_up_to(const struct cli_histogram *h, int octave)
{
  const int last = FIRST + CLI_PER_OCTAVE * octave;
  long sum = 0;
  for (int i = 0; i <= last && i < CLI_BUCKETS; i++) sum += h->count[i];
  return sum;
}
