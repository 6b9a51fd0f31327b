/*
 * Selects the methods that a test over all methods of integration runs.
 */
#ifndef CMBT_METHODS_H
#define CMBT_METHODS_H

#include <camber/dyn.h>
#include <camber/method.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the method has this name. */
static inline bool cmbt_is(const cmb_method *method, const char *name)
{
  return strcmp(cmb_method_name(method), name) == 0;
}

/* Returns the number of the first error-controlled method from number i on, or cmb_method_count() if there is none. */
static inline int cmbt_next_method(int i)
{
  while (i < cmb_method_count() && cmb_method_is_real_time(cmb_method_at(i))) i++;
  return i;
}

/* As cmbt_next_method, but leaves out trap, which takes too many steps at small tolerances. */
static inline int cmbt_next_but_trap(int i)
{
  i = cmbt_next_method(i);
  return i < cmb_method_count() && cmbt_is(cmb_method_at(i), "trap") ? cmbt_next_method(i + 1) : i;
}

/* Returns whether a test of many similar cases runs case `number`: every one, but only every fifth under the sanitizers, where a case
 * takes ten times as long. */
static inline bool cmbt_is_sampled(int number)
{
  return !getenv("CAMBER_SANITIZED") || number % 5 == 0;
}

/* Returns the k-th formulation of the equations of motion, k = 0, 1, 2; those in joint coordinates come first. */
static inline cmb_formulation cmbt_formulation(int k)
{
  const cmb_formulation all[] = {CMB_FORM_EXPLICIT, CMB_FORM_RESIDUAL, CMB_FORM_CARTESIAN};
  return all[k];
}

/* Returns whether a method reaches small tolerances at moderate cost, with errors of about the tolerance. The explicit methods and auto
 * do. The methods for stiff systems do not: trap has order 2, sdirk4 and forsdirk have order 4 and take ten times the work, the error
 * estimates of bdf come near to rounding errors, and radau5 takes many steps. Real-time methods have no tolerance. Tests of their own
 * are test_implicit_*, test_partitioned_* and test_real_time. */
static inline bool cmbt_is_precise(const cmb_method *method)
{
  const bool stiff = cmb_method_is_implicit(method) && !cmbt_is(method, "auto");
  return !stiff && !cmb_method_is_real_time(method);
}

/* Returns whether a method takes few evaluations. Tests that make a whole run for each evaluation of another run leave out the methods
 * that take thousands. */
static inline bool cmbt_is_short(const cmb_method *method)
{
  const bool many = cmbt_is(method, "trap") || cmbt_is(method, "forsdirk");
  return !many && !cmbt_is(method, "sdirk4") && !cmb_method_is_real_time(method);
}

/* Returns whether a run that is resumed from a saved state has the same bits as a run without interruption. Implicit and multistep
 * methods restart there, with other step sizes or orders. */
static inline bool cmbt_resumes_exactly(const cmb_method *method)
{
  static const char *const names[] = {"mdop5", "mdop853", "hem5", "phem56", "lie", "rosw2"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    if (cmbt_is(method, names[k])) return true;
  }
  return false;
}

#endif
