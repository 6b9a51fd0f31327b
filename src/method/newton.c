/*
 * Convergence of Newton's method (newton.h).
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

/* Powers that a rule may have without the price of pow. */
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

static double rate_of(const cmb_newton *n, double quotient, double size)
{
  const int i = n->iterations;
  if (i == 1 || n->rule->mean == CMB_NEWTON_OF_LAST) return quotient;
  if (n->rule->mean == CMB_NEWTON_OF_TWO) return sqrt(quotient * n->quotient);
  return pow(size / n->first, 1.0 / i);
}

/* How many times too large the last increment permitted would leave the result, at this rate. */
static double excess_of(const cmb_newton *n, double size, int left)
{
  double excess = n->eta * size / n->enough;
  for (int i = 0; i < left; i++) excess *= n->theta;
  return excess;
}

/* θ and η by an increment that is not the first. */
static cmb_status measure(cmb_newton *n, double size)
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
  const double excess = excess_of(n, size, left);
  if (excess <= 1) return CMB_OK;
  n->excess = excess;
  n->left = left;
  return CMB_RETRY_NEWTON;
}

cmb_status cmb_newton_judge_next(cmb_newton *n, double size)
{
  CMB_TRY(measure(n, size));
  n->before = size;
  n->iterations++;
  n->arrived = n->arrived || n->eta * size <= n->enough;
  return n->arrived || n->iterations < n->most ? CMB_OK : CMB_RETRY_NEWTON;
}
