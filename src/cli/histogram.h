/*
 * A histogram of positive numbers with buckets of constant ratio, which gives percentiles of any number of samples in fixed memory; used
 * for the computing times of --realtime.
 *
 * Bucket k counts the numbers x with unit·2^((k-1)/20) < x <= unit·2^(k/20), so a percentile is exact to 3.5 %, and the counts between
 * powers of two times the unit are exact. k runs over 30 octaves below the unit and 10 above it; the outermost buckets count everything
 * beyond.
 */
#ifndef CMB_CLI_HISTOGRAM_H
#define CMB_CLI_HISTOGRAM_H

enum {
  CLI_PER_OCTAVE = 20,
  CLI_OCTAVES_BELOW = 30,
  CLI_OCTAVES_ABOVE = 10,
  CLI_BUCKETS = CLI_PER_OCTAVE * (CLI_OCTAVES_BELOW + CLI_OCTAVES_ABOVE) + 2
};

struct cli_histogram {
  double unit; /* the unit of the bucket limits */
  double most; /* the largest sample so far; 0: none */
  long total;  /* number of samples */
  long count[CLI_BUCKETS];
};

/* Begins an empty histogram whose bucket limits are multiples of `unit`. */
void cli_histogram_begin(struct cli_histogram *h, double unit);
/* Adds the sample x > 0. */
void cli_histogram_add(struct cli_histogram *h, double x);

/* Returns the quantile of order permille/1000: the number that `permille` thousandths of all samples do not exceed, up to the width of a
 * bucket (its upper end, or the largest sample if that is smaller). Returns NaN if there are no samples. */
double cli_histogram_quantile(const struct cli_histogram *h, int permille);

/* Returns how many samples are at most unit·2^octave. */
long cli_histogram_up_to(const struct cli_histogram *h, int octave);

#endif
