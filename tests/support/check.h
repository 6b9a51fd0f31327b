/*
 * cmocka's header with what it needs, and assertions on numbers that say what they saw.
 */
#ifndef CMBT_CHECK_H
#define CMBT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#define cmbt_below(value, limit)                                                                   \
  do {                                                                                             \
    double cmbt_value = (value), cmbt_limit = (limit);                                             \
    if (!(cmbt_value <= cmbt_limit)) {                                                             \
      fail_msg("%s is %.6g; expected at most %.6g", #value, cmbt_value, cmbt_limit);               \
    }                                                                                              \
  } while (0)

#define cmbt_near(value, expected, tolerance)                                                      \
  do {                                                                                             \
    double cmbt_value = (value), cmbt_expected = (expected), cmbt_tolerance = (tolerance);         \
    if (!(fabs(cmbt_value - cmbt_expected) <= cmbt_tolerance)) {                                   \
      fail_msg("%s is %.17g; expected %.17g within %.3g (off by %.3g)", #value, cmbt_value,        \
               cmbt_expected, cmbt_tolerance, cmbt_value - cmbt_expected);                         \
    }                                                                                              \
  } while (0)

/* Status CMB_OK, or the context's words. */
#define cmbt_ok(ctx, call)                                                                         \
  do {                                                                                             \
    cmb_status cmbt_status = (call);                                                               \
    if (cmbt_status != CMB_OK) {                                                                   \
      fail_msg("%s: %s: %s", #call, cmb_status_code(cmbt_status), cmb_last_error(ctx));            \
    }                                                                                              \
  } while (0)

#endif
