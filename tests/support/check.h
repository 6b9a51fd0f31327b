/*
 * Includes cmocka.h with the headers that it needs, and defines assertions on numbers whose messages contain the numbers.
 */
#ifndef CMBT_CHECK_H
#define CMBT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

/* Checks that value <= limit; a NaN fails. */
#define cmbt_below(value, limit)                                                                   \
  do {                                                                                             \
    double cmbt_value = (value), cmbt_limit = (limit);                                             \
    if (!(cmbt_value <= cmbt_limit)) {                                                             \
      fail_msg("%s is %.6g; expected at most %.6g", #value, cmbt_value, cmbt_limit);               \
    }                                                                                              \
  } while (0)

/* Checks that |value − expected| <= tolerance; a NaN fails. */
#define cmbt_near(value, expected, tolerance)                                                      \
  do {                                                                                             \
    double cmbt_value = (value), cmbt_expected = (expected), cmbt_tolerance = (tolerance);         \
    if (!(fabs(cmbt_value - cmbt_expected) <= cmbt_tolerance)) {                                   \
      fail_msg("%s is %.17g; expected %.17g within %.3g (off by %.3g)", #value, cmbt_value,        \
               cmbt_expected, cmbt_tolerance, cmbt_value - cmbt_expected);                         \
    }                                                                                              \
  } while (0)

/* Checks that the call returns CMB_OK; otherwise the test fails with the error message of the context. */
#define cmbt_ok(ctx, call)                                                                         \
  do {                                                                                             \
    cmb_status cmbt_status = (call);                                                               \
    if (cmbt_status != CMB_OK) {                                                                   \
      fail_msg("%s: %s: %s", #call, cmb_status_code(cmbt_status), cmb_last_error(ctx));            \
    }                                                                                              \
  } while (0)

#endif
