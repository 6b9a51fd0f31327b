/*
 * A pseudorandom number generator for tests (splitmix64, Steele, Lea and Flood 2014). The same seed gives the same numbers on every
 * machine, so that a failed case can be repeated.
 */
#ifndef CMBT_RANDOM_H
#define CMBT_RANDOM_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Returns how many random cases a test runs: the number in the environment variable `variable` if it is set, otherwise `sample`
 * (`make test`), or sample times CAMBER_CAMPAIGN if that variable is set (`make campaign`). */
static inline int cmbt_count(const char *variable, int sample)
{
  const char *count = getenv(variable), *factor = getenv("CAMBER_CAMPAIGN");
  if (count) return atoi(count);
  return factor ? sample * atoi(factor) : sample;
}

struct cmbt_random {
  uint64_t state; /* any number is a good seed */
};

static inline uint64_t cmbt_random_bits(struct cmbt_random *r)
{
  uint64_t z = (r->state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* Returns a number that is uniformly distributed in [a, b). */
static inline double cmbt_random_uniform(struct cmbt_random *r, double a, double b)
{
  return a + (b - a) * ((double)(cmbt_random_bits(r) >> 11) * 0x1p-53);
}

/* Returns an integer that is uniformly distributed in a .. b, both included. */
static inline int cmbt_random_int(struct cmbt_random *r, int a, int b)
{
  return a + (int)(cmbt_random_bits(r) % (uint64_t)(b - a + 1));
}

/* Returns a factor between 10^-decades and 10^decades whose logarithm is uniformly distributed. */
static inline double cmbt_random_scale(struct cmbt_random *r, double decades)
{
  return pow(10.0, cmbt_random_uniform(r, -decades, decades));
}

#endif
