/*
 * Which methods a test over all methods is meant for.
 */
#ifndef CMBT_METHODS_H
#define CMBT_METHODS_H

#include <camber/dyn.h>
#include <camber/method.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool cmbt_is(const cmb_method *method, const char *name)
{
  return strcmp(cmb_method_name(method), name) == 0;
}

/* The number of the next error-controlled method from i on; cmb_method_count(): there is none. */
static inline int cmbt_next_method(int i)
{
  while (i < cmb_method_count() && cmb_method_is_real_time(cmb_method_at(i))) i++;
  return i;
}

/* The same but for trap, which takes too many steps at small tolerances. */
static inline int cmbt_next_but_trap(int i)
{
  i = cmbt_next_method(i);
  return i < cmb_method_count() && cmbt_is(cmb_method_at(i), "trap") ? cmbt_next_method(i + 1) : i;
}

/* Whether a test of many similar cases has this one: under the sanitizers, which take ten times as long, one of five. */
static inline bool cmbt_is_sampled(int number)
{
  return !getenv("CAMBER_SANITIZED") || number % 5 == 0;
}

/* The formulations, joint coordinates first. */
static inline cmb_formulation cmbt_formulation(int k)
{
  const cmb_formulation all[] = {CMB_FORM_EXPLICIT, CMB_FORM_RESIDUAL, CMB_FORM_CARTESIAN};
  return all[k];
}

/* Small tolerances are no trouble: high order, and errors that are about the tolerance. Not so the methods for stiff systems: trap
 * is of order 2, sdirk4 and forsdirk of order 4 at ten times the work, bdf comes near to rounding in the error of a
 * step, radau5 takes many steps. Real-time methods have no tolerance at all. They have tests of their own (test_implicit_*, test_partitioned_*, test_real_time). */
static inline bool cmbt_is_precise(const cmb_method *method)
{
  const bool stiff = cmb_method_is_implicit(method) && !cmbt_is(method, "auto");
  return !stiff && !cmb_method_is_real_time(method);
}

/* A whole run is made for each of its evaluations: those that take thousands are left out. */
static inline bool cmbt_is_short(const cmb_method *method)
{
  const bool many = cmbt_is(method, "trap") || cmbt_is(method, "forsdirk");
  return !many && !cmbt_is(method, "sdirk4") && !cmb_method_is_real_time(method);
}

/* Whether a run goes on from a saved state as if nothing had been, bit for bit. Implicit and multistep methods begin anew there. */
static inline bool cmbt_resumes_exactly(const cmb_method *method)
{
  static const char *const names[] = {"mdop5", "mdop853", "hem5", "phem56", "lie", "rosw2"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    if (cmbt_is(method, names[k])) return true;
  }
  return false;
}

#endif
