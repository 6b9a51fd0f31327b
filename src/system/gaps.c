/*
 * Fails at positions where a stop or rigid contact is closed, for computations that take no account of these (gaps.h).
 */
#include "system/gaps.h"

#include "base/context.h"

cmb_status cmb_refuse_closed_gaps(cmb_evaluator *ev, double t, const double *q, const double *v,
                                  double least, const char *what)
{
  const cmb_equations *eq = ev->eq;
  if (!eq->surfaces) return CMB_OK;
  CMB_TRY(cmb_surfaces(ev, t, q, v));
  for (int i = 0; i < eq->rule_count; i++) {
    const double u = ev->u[i];
    if (!eq->rules[i].gap || -u >= least) continue;
    return cmb_fail_about(
        ev->ctx, CMB_ERROR_EQUATIONS, cmb_about_time(t, "stop", eq->rules[i].name),
        "the gap of '%s' is closed (%.6g), and %s takes no account of stops and rigid contacts; "
        "expected a contact with 'stiffness' in place of 'restitution', and a force such as a "
        "spring in place of a stop",
        eq->rules[i].name, -u, what);
  }
  return CMB_OK;
}
