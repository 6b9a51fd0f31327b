/*
 * The step-size controller (controller.h): the formulas that are not inline there, for the implicit and the multistep methods.
 */
#include "method/controller.h"

/* After an iteration was given up because it was predicted to be too slow (RADAU5): limits of the excess over the tolerance, and the
 * constant part of the denominator of its power. */
static const double LEAST_EXCESS = 1e-4, MOST_EXCESS = 20;
enum { EXCESS_ORDER = 4 };

/* smaller errors of the previous step count as this in the predictive formula (RADAU5) */
static const double LEAST_TREND = 1e-2;

void cmb_controller_reset(cmb_controller_memory *memory)
{
  memory->rejected = 0;
  cmb_controller_begin(memory);
}

void cmb_controller_begin(cmb_controller_memory *memory)
{
  memory->log_error = log(CMB_CONTROLLER_LEAST_BEFORE);
  cmb_controller_restart(memory);
}

void cmb_controller_restart(cmb_controller_memory *memory)
{
  memory->h = 0;
  memory->limit = INFINITY;
}

/* Returns x limited to the interval [least, most]. */
static double clamp(double least, double most, double x)
{
  return fmax(least, fmin(most, x));
}

/* Returns x^(1/k). For k = 4, as in RADAU5, uses two square roots, which are faster than pow(). */
static double root(double x, double k)
{
  return k == 4 ? sqrt(sqrt(x)) : pow(x, 1 / k);
}

/* Returns the ratio h/h_new of the attempted step size to the next one, by the error of the attempt s alone (elementary controller), within the
 * controller's limits. The safety factor is smaller the more Newton iterations the attempt took. */
static double step_size_ratio(const cmb_controller *c, const cmb_controller_step *s)
{
  const int N = c->iterations;
  const double safety = fmin(c->safety, c->safety * (1 + 2 * N) / (s->iterations + 2 * N));
  return clamp(1 / c->grow, 1 / c->shrink, root(s->error, c->order) / safety);
}

double cmb_controller_predict(const cmb_controller *c, cmb_controller_memory *m,
                              const cmb_controller_step *s, bool again)
{
  const double h = s->h, error = s->error;
  double quotient = step_size_ratio(c, s);
  if (m->h > 0) {
    const double trend = m->h / h * root(error * error / m->error, c->order) / c->safety;
    quotient = fmax(quotient, clamp(1 / c->grow, 1 / c->shrink, trend));
  }
  m->h = h;
  m->error = fmax(LEAST_TREND, error);
  double next = h / quotient;
  if (s->rejections > 0) next = fmin(next, h);
  next = fmin(next, m->limit);
  m->limit *= c->back;
  return again && next >= c->keep_from * h && next <= c->keep_to * h ? h : next;
}

double cmb_controller_predict_rejected(const cmb_controller *c, const cmb_controller_step *s,
                                       bool first)
{
  return first ? c->first_rejected * s->h : s->h / step_size_ratio(c, s);
}

void cmb_controller_stay_below(const cmb_controller *c, cmb_controller_memory *m, double h)
{
  m->limit = c->below_failure * h;
}

double cmb_controller_failure(const cmb_controller *c, double excess, int left)
{
  if (!(excess > 0)) return c->failed;
  const double counted = clamp(LEAST_EXCESS, MOST_EXCESS, excess);
  return c->foreseen * pow(counted, -1.0 / (EXCESS_ORDER + left));
}

/* Returns 2 error + floor, the quantity (h/h_new)^k of the step-size controller of multistep methods before its limits and safety factor. h is
 * the attempted step size, h_new the next one, k the order of the error estimate; `error` is in units of the tolerance. */
static double error_power(const cmb_controller *c, double error)
{
  return 2 * error + c->floor;
}

double cmb_controller_halve(const cmb_controller *c, double h, double error, int k, bool may_grow)
{
  const double x = error_power(c, error);
  if (x <= 1.0 / (1 << k) && may_grow) return c->grow * h;
  return x < 1 ? h : h * clamp(c->shrink, c->decided, pow(x, -1.0 / k));
}

double cmb_controller_halve_rejected(const cmb_controller *c, double h, double error, int k,
                                     int count)
{
  if (count > 1) return c->rejected_again * h;
  const double wanted = c->rejected_safety * pow(error_power(c, error), -1.0 / k);
  return h * clamp(c->rejected_least, c->rejected_most, wanted);
}
