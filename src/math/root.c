/*
 * Chandrupatla's root finder (root.h; T. R. Chandrupatla, Adv. Eng. Software 28 (1997) 145-149).
 */
#include "math/root.h"

#include <math.h>

void cmb_root_begin(cmb_root *r, double a, double fa, double b, double fb)
{
  *r = (cmb_root){.a = b, .fa = fb, .b = a, .fb = fa, .c = a, .fc = fa};
  /* the first point is that of the secant, or the middle where that is near an end */
  r->at = fabs(fa - fb) > 0 ? r->fa / (r->fa - r->fb) : 0.5;
  if (!(r->at > 0.01 && r->at < 0.99)) r->at = 0.5;
}

double cmb_root_width(const cmb_root *r)
{
  return fabs(r->b - r->a);
}

double cmb_root_next(const cmb_root *r)
{
  return r->a + r->at * (r->b - r->a);
}

void cmb_root_update(cmb_root *r, double x, double fx)
{
  if ((fx < 0) == (r->fa < 0)) { /* the root is still between x and b */
    r->c = r->a, r->fc = r->fa;
  } else {
    r->c = r->b, r->fc = r->fb;
    r->b = r->a, r->fb = r->fa;
  }
  r->a = x, r->fa = fx;
  double xi = (r->a - r->b) / (r->c - r->b), phi = (r->fa - r->fb) / (r->fc - r->fb);
  /* inverse quadratic interpolation stays inside */
  if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi) {
    r->at = r->fa / (r->fb - r->fa) * r->fc / (r->fb - r->fc) +
            (r->c - r->a) / (r->b - r->a) * r->fa / (r->fc - r->fa) * r->fb / (r->fc - r->fb);
  } else {
    r->at = 0.5;
  }
  /* keeps away from a and b; bisects if `at` is NaN */
  if (!(r->at >= 1e-9 && r->at <= 1 - 1e-9)) r->at = 0.5;
}
