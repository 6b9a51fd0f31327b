/*
 * Pseudo-random numbers that are the same in every run: xorshift (Marsaglia 2003), with 32 bits of state, which is never 0.
 */
#ifndef CMB_MATH_RANDOM_H
#define CMB_MATH_RANDOM_H

#include <stdint.h>

#define CMB_RANDOM_FIRST 2463534242u /* an initial state */

/* Returns the next random number, between -1 and 1, and advances the state. */
static inline double cmb_random(uint32_t *state)
{
  uint32_t x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  *state = x;
  return (double)x / 2147483648.0 - 1;
}

#endif
