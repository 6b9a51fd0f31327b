/*
 * Functions that the methods with coordinate partitioning share: abm, forsdirk, sdirk4 and trap (partitioned.h).
 */
#include "method/partitioned.h"

#include <float.h>
#include <math.h>

/* The rule for the convergence of Newton's method in the diagonally implicit methods, after Hairer and Wanner, Solving ODEs II, §IV.8,
 * and their SDIRK4; the matrix is new in each step. */
static const cmb_newton_rule dirk_newton = {
    .most = 10,
    .mean = CMB_NEWTON_OF_LAST,
    .diverges = 1,
    .predicts = true,
    .slow = 1,
    .eta_new = 1,
    .eta_power = 0.8,
    .eta_least = DBL_EPSILON,
    .kappa = 0.03,
    .roundings = 10,
};

void cmb_partitioned_destroy(cmb_integrator *in)
{
  const cmb_partitioned *m = in->data;
  cmb_partition_destroy(m->partition);
}

void cmb_partitioned_begin(cmb_integrator *in)
{
  cmb_partitioned *m = in->data;
  m->ready = false;
  cmb_partition_forget(m->partition);
}

cmb_status cmb_partitioned_prepare(cmb_integrator *in)
{
  cmb_partitioned *m = in->data;
  if (m->ready) return CMB_OK;
  CMB_TRY(cmb_partition_check(m->partition, in->t, in->y));
  m->ready = true;
  return CMB_OK;
}

cmb_status cmb_partitioned_recover(cmb_integrator *in, double t, double *y)
{
  const cmb_partitioned *m = in->data;
  CMB_TRY(cmb_partition_position(m->partition, t, y));
  return cmb_partition_velocity(m->partition, t, y, y + in->nq);
}

cmb_status cmb_partitioned_slope(cmb_integrator *in, double t, double *y, double *slope,
                                 double *lambda)
{
  CMB_TRY(cmb_partitioned_recover(in, t, y));
  return cmb_slope(in, t, y, slope, lambda);
}

cmb_status cmb_partitioned_regain(cmb_integrator *in, double h, bool *regained)
{
  cmb_partitioned *m = in->data;
  *regained = false;
  if (!cmb_partition_lacks_constraints(m->partition)) return CMB_OK;
  m->ready = false; /* the partition is then no longer that of the step's beginning */
  CMB_TRY(cmb_partition_check(m->partition, in->t + h, in->y_new));
  if (cmb_partition_lacks_constraints(m->partition)) return CMB_OK;
  *regained = true;
  return cmb_partitioned_recover(in, in->t + h, in->y_new);
}

double cmb_largest_error(const cmb_integrator *in, const double *x)
{
  const double rtol = in->options.rtol, atol = in->options.atol;
  double most = 0;
  for (int i = 0; i < in->n; i++) {
    const double scale = rtol * fmax(fabs(in->y[i]), fabs(in->y_new[i])) + atol;
    most = cmb_larger_error(most, fabs(x[i]) / scale);
  }
  return most;
}

double cmb_size_of_change(const cmb_integrator *in, const double *x)
{
  if (cmb_has_turning_velocities(in->ev->eq)) return cmb_largest_error(in, x);
  return cmb_larger_error(cmb_error_norm(in, 0, in->nq, x), cmb_error_norm(in, in->nq, in->n, x));
}

/* Computes y (n) = from + h Σ b_j k_j at the fraction theta of a step of size h, with the weights b_j(theta) of the method's dense output and
 * the slopes k_j of the stages. The result is not corrected for the constraints. */
static void dirk_sum(const cmb_integrator *in, const cmb_dirk_table *table, const double *from,
                     double h, double *const *k, double theta, double *y)
{
  double weight[CMB_DIRK_MOST_STAGES];
  table->dense(theta, weight);
  cmb_combine(in->n, from, h, table->stages, weight, k, y);
}

double cmb_dirk_recovery_error(const cmb_integrator *in, const cmb_dirk_table *table,
                               double *const *k, double h, double *gap)
{
  dirk_sum(in, table, in->y, h, k, 1, gap);
  for (int i = 0; i < in->n; i++) gap[i] = in->y_new[i] - gap[i];
  return cmb_largest_error(in, gap);
}

void cmb_dirk_densify(const cmb_integrator *in, const cmb_dirk_table *table, double *const *k,
                      double *gap)
{
  dirk_sum(in, table, in->y_before, in->h_taken, k, 1, gap);
  for (int i = 0; i < in->n; i++) gap[i] = in->y[i] - gap[i];
}

void cmb_dirk_interpolate(const cmb_integrator *in, const cmb_dirk_table *table, double *const *k,
                          const double *gap, double theta, double *y)
{
  dirk_sum(in, table, in->y_before, in->h_taken, k, theta, y);
  for (int i = 0; i < in->n; i++) y[i] += theta * gap[i];
}

void cmb_dirk_newton(cmb_newton *newton, double rtol)
{
  cmb_newton_create(newton, &dirk_newton, sqrt(rtol), rtol);
  newton->tolerable = dirk_newton.kappa;
}
