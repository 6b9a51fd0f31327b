/*
 * Checks the numbers of a tyre property file for consistency; called by tir.c (tir.h): the ranges of slip, slip angle and camber contain 0,
 * the load range is not empty, the range of pressures contains the given one, and friction and stiffness are positive in these ranges. A law
 * whose friction changes its sign would supply energy to the vehicle.
 */
#include "base/text.h"
#include "model/tir.h"

#include <math.h>

static double larger(double a, double b)
{
  return a > b ? a : b;
}

/* Returns the minimum of c0 + c1 x + c2 x² for low <= x <= high. */
static double least(double c0, double c1, double c2, double low, double high)
{
  const double at = c2 > 0 ? -c1 / (2 * c2) : low;
  double y = fmin(c0 + low * (c1 + low * c2), c0 + high * (c1 + high * c2));
  if (at > low && at < high) y = fmin(y, c0 + at * (c1 + at * c2));
  return y;
}

/* What the checks need: the numbers, and the lines where the file gives them, for messages. */
struct checked {
  cmb_context *ctx;
  const char *name;   /* of the file */
  const int *line_of; /* (CMB_TIR_KEY_COUNT) line of each key; 0: not given */
  const cmb_tir *t;
};

/* Returns the place of the first of two keys that the file gives, for messages; the first line if it gives neither. */
static cmb_place place_of(const struct checked *c, int key, int other)
{
  const int line = c->line_of[key] > 0 ? c->line_of[key] : c->line_of[other];
  return cmb_place_in(c->name, line > 0 ? line : 1, 1);
}

#define PLACE(first, second) place_of(c, CMB_TIR_AT_##first, CMB_TIR_AT_##second)

/* Checks that the ranges of longitudinal slip, slip angle and camber contain 0. */
static cmb_status check_slip_ranges(const struct checked *c)
{
  const cmb_tir *t = c->t;
  if (!(t->KPUMIN < 0 && t->KPUMAX > 0)) {
    return cmb_fail_at(
        c->ctx, t->KPUMIN < 0 ? PLACE(KPUMAX, KPUMIN) : PLACE(KPUMIN, KPUMAX),
        "slip ranges from KPUMIN = %g to KPUMAX = %g; expected KPUMIN below 0 and KPUMAX above 0",
        t->KPUMIN, t->KPUMAX);
  }
  if (!(t->ALPMIN < 0 && t->ALPMAX > 0)) {
    return cmb_fail_at(c->ctx, t->ALPMIN < 0 ? PLACE(ALPMAX, ALPMIN) : PLACE(ALPMIN, ALPMAX),
                       "the slip angle ranges from ALPMIN = %g rad to ALPMAX = %g rad; expected "
                       "ALPMIN below 0 and ALPMAX above 0",
                       t->ALPMIN, t->ALPMAX);
  }
  if (!(t->CAMMIN <= 0 && t->CAMMAX >= 0)) {
    return cmb_fail_at(c->ctx, t->CAMMIN <= 0 ? PLACE(CAMMAX, CAMMIN) : PLACE(CAMMIN, CAMMAX),
                       "camber ranges from CAMMIN = %g rad to CAMMAX = %g rad; expected CAMMIN of "
                       "at most 0 and CAMMAX of at least 0",
                       t->CAMMIN, t->CAMMAX);
  }
  return CMB_OK;
}

/* Checks that the range of loads is not empty and that the range of pressures contains the given one. */
static cmb_status check_other_ranges(const struct checked *c)
{
  const cmb_tir *t = c->t;
  if (!(t->FZMIN < t->FZMAX)) {
    return cmb_fail_at(c->ctx, PLACE(FZMAX, FZMIN),
                       "loads range from FZMIN = %s N to FZMAX = %s N; expected FZMAX above FZMIN",
                       cmb_shortest(t->FZMIN).text, cmb_shortest(t->FZMAX).text);
  }
  const double p = t->INFLPRES > 0 ? t->INFLPRES : t->NOMPRES;
  if (p > 0 && (p < t->PRESMIN || p > t->PRESMAX)) {
    return cmb_fail_at(c->ctx, t->INFLPRES > 0 ? PLACE(INFLPRES, NOMPRES) : PLACE(NOMPRES, NOMPRES),
                       "the pressure %s = %s Pa lies outside of the range from PRESMIN = %s Pa to "
                       "PRESMAX = %s Pa",
                       t->INFLPRES > 0 ? "INFLPRES" : "NOMPRES", cmb_shortest(p).text,
                       cmb_shortest(t->PRESMIN).text, cmb_shortest(t->PRESMAX).text);
  }
  return CMB_OK;
}

/* Reports an error unless x > 0, where x is the value that `what` names in the message. */
static cmb_status check_positive(const struct checked *c, cmb_place at, const char *what, double x)
{
  if (x > 0) return CMB_OK;
  return cmb_fail_at(c->ctx, at, "%s is %g; expected a number greater than 0", what, x);
}

/* Returns the largest absolute camber angle (rad) in the range that a tyre property file gives, but at most π/2. */
static double largest_camber(const cmb_tir *t)
{
  return fmin(larger(-t->CAMMIN, t->CAMMAX), 1.5707963267948966);
}

/* in messages: the relative change of the load in the Magic Formula, and its range; dp is that of the pressure */
#define FOR_ALL_LOADS ", with df = Fz/(LFZO FNOMIN) - 1 for loads Fz from 0 to FZMAX,"

/* Checks that friction and the load of the largest cornering stiffness are positive for all loads and cambers of the ranges. */
static cmb_status check_friction(const struct checked *c)
{
  const cmb_tir *t = c->t;
  const double dp = cmb_tir_pressure(t), most = t->FZMAX / (t->LFZO * t->FNOMIN) - 1;
  const double g = largest_camber(t), s = t->FITTYP == 6 ? g : sin(g);
  const double gx = t->LGAX * g, gy = t->LGAY * s;
  CMB_TRY(check_positive(c, PLACE(PDX2, PDX1), "the least friction PDX1 + PDX2 df" FOR_ALL_LOADS,
                         least(t->PDX1, t->PDX2, 0, -1, most)));
  CMB_TRY(check_positive(c, PLACE(PDY2, PDY1), "the least friction PDY1 + PDY2 df" FOR_ALL_LOADS,
                         least(t->PDY1, t->PDY2, 0, -1, most)));
  CMB_TRY(check_positive(c, PLACE(PPX3, PPX4), "the factor 1 + PPX3 dp + PPX4 dp^2 of friction",
                         1 + dp * (t->PPX3 + dp * t->PPX4)));
  CMB_TRY(check_positive(c, PLACE(PPY3, PPY4), "the factor 1 + PPY3 dp + PPY4 dp^2 of friction",
                         1 + dp * (t->PPY3 + dp * t->PPY4)));
  CMB_TRY(check_positive(c, PLACE(PDX3, CAMMAX),
                         "the factor 1 - PDX3 camber^2 of friction at the largest camber",
                         fmin(1, 1 - t->PDX3 * gx * gx)));
  CMB_TRY(check_positive(c, PLACE(PDY3, CAMMAX),
                         "the factor 1 - PDY3 camber^2 of friction at the largest camber",
                         fmin(1, 1 - t->PDY3 * gy * gy)));
  return check_positive(
      c, PLACE(PKY5, PKY2),
      "the least load (PKY2 + PKY5 camber^2) (1 + PPY2 dp) of the largest cornering stiffness",
      fmin(t->PKY2, t->PKY2 + t->PKY5 * gy * gy) * (1 + t->PPY2 * dp));
}

/* Checks that the vertical stiffness of a tyre and the shape factors of its forces (PCFX, PCFY) are positive for all loads of the file's range. */
static cmb_status check_stiffness(const struct checked *c)
{
  const cmb_tir *t = c->t;
  const double dp = cmb_tir_pressure(t), most = t->FZMAX / (t->LFZO * t->FNOMIN) - 1;
  const double slope = t->VERTICAL_STIFFNESS * t->UNLOADED_RADIUS / t->FNOMIN;
  CMB_TRY(check_positive(
      c, PLACE(Q_FZ2, VERTICAL_STIFFNESS),
      "the square of Q_FZ1, (VERTICAL_STIFFNESS UNLOADED_RADIUS/FNOMIN)^2 - 4 Q_FZ2,",
      slope * slope - 4 * t->Q_FZ2));
  CMB_TRY(check_positive(c, PLACE(PFZ1, NOMPRES), "the factor 1 + PFZ1 dp", 1 + t->PFZ1 * dp));
  CMB_TRY(check_positive(c, PLACE(Q_FCY2, FITTYP), "the exponent 1 + 2 Q_FCY2", 1 + 2 * t->Q_FCY2));
  CMB_TRY(
      check_positive(c, PLACE(PCFX1, PCFX2),
                     "the least factor (1 + PCFX1 df + PCFX2 df^2) (1 + PCFX3 dp)" FOR_ALL_LOADS,
                     least(1, t->PCFX1, t->PCFX2, -1, most) * (1 + t->PCFX3 * dp)));
  return check_positive(c, PLACE(PCFY1, PCFY2),
                        "the least factor (1 + PCFY1 df + PCFY2 df^2) (1 + PCFY3 dp)" FOR_ALL_LOADS,
                        least(1, t->PCFY1, t->PCFY2, -1, most) * (1 + t->PCFY3 * dp));
}

cmb_status cmb_tir_check(cmb_context *ctx, const char *name, const int *line_of, const cmb_tir *tir)
{
  const struct checked c = {ctx, name, line_of, tir};
  CMB_TRY(check_slip_ranges(&c));
  CMB_TRY(check_other_ranges(&c));
  CMB_TRY(check_friction(&c));
  return check_stiffness(&c);
}
