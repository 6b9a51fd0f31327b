/*
 * The convergence test of Newton iterations, for all implicit methods (newton.h).
 */
#include "method/newton.h"

#include <float.h>
#include <math.h>

void cmb_newton_create(cmb_newton *n, const cmb_newton_rule *rule, double wanted, double rtol)
{
  *n = (cmb_newton){.rule = rule, .most = rule->most};
  n->enough = fmax(rule->roundings * DBL_EPSILON / rtol, fmin(rule->kappa, wanted));
  cmb_newton_forget(n);
}

void cmb_newton_forget(cmb_newton *n)
{
  n->eta = n->rule->eta_new;
}

/* Returns x^p; without the slow call of pow() for p = 1 and p = 0.75. */
static double power(double x, double p)
{
  if (p == 1) return x;
  return p == 0.75 ? sqrt(x) * sqrt(sqrt(x)) : pow(x, p);
}

void cmb_newton_begin(cmb_newton *n)
{
  const cmb_newton_rule *rule = n->rule;
  const double eta = n->eta > rule->eta_least ? n->eta : rule->eta_least;
  n->eta = power(eta, rule->eta_power);
  n->theta = n->excess = 0;
  n->left = n->iterations = 0;
  n->arrived = false;
}

/* Returns the convergence rate θ of a Newton iteration. `size` is the norm of the last increment, `quotient` its ratio to the norm of the one
 * before. Depending on the method, θ is this quotient or the geometric mean of the last two or of all such quotients. */
static double rate_of(const cmb_newton *n, double quotient, double size)
{
  const int i = n->iterations;
  if (i == 1 || n->rule->mean == CMB_NEWTON_OF_LAST) return quotient;
  if (n->rule->mean == CMB_NEWTON_OF_TWO) return sqrt(quotient * n->quotient);
  return pow(size / n->first, 1.0 / i);
}

/* Returns the error, as a multiple of the part of the tolerance that may remain, to be expected after `left` further Newton iterations if
 * the increments, the last of which has the norm `size`, continue to shrink at the rate θ. */
static double predicted_excess(const cmb_newton *n, double size, int left)
{
  double excess = n->eta * size / n->enough;
  for (int i = 0; i < left; i++) excess *= n->theta;
  return excess;
}

/* Updates the convergence rate θ of a Newton iteration and the factor η = θ/(1 − θ) of its error bound by the norm `size` of a new increment,
 * which is not the first. Returns CMB_RETRY_NEWTON if the iteration diverges or will not converge in the permitted number of iterations. In the
 * last n->rule->spare of these it does nothing. */
static cmb_status update_rate(cmb_newton *n, double size)
{
  const int left = n->most - 1 - n->rule->spare - n->iterations;
  if (left < 0) return CMB_OK;
  if (n->iterations == 1) n->first = n->before;
  const double quotient = size / n->before, theta = rate_of(n, quotient, size);
  n->quotient = quotient;
  if (!(theta < n->rule->diverges)) {
    n->arrived = size <= n->tolerable;
    return n->arrived ? CMB_OK : CMB_RETRY_NEWTON;
  }
  n->theta = theta;
  n->eta = theta / (1 - theta);
  if (!n->rule->predicts) return CMB_OK;
  const double excess = predicted_excess(n, size, left);
  if (excess <= 1) return CMB_OK;
  n->excess = excess;
  n->left = left;
  return CMB_RETRY_NEWTON;
}

cmb_status cmb_newton_judge_next(cmb_newton *n, double size)
{
  CMB_TRY(update_rate(n, size));
  n->before = size;
  n->iterations++;
  n->arrived = n->arrived || n->eta * size <= n->enough;
  return n->arrived || n->iterations < n->most ? CMB_OK : CMB_RETRY_NEWTON;
}
