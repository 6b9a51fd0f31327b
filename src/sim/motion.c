/*
 * Converts the dense output of the last step to polynomials (motion.h).
 */
#include "sim/motion.h"

#include "dae/evaluator.h"
#include "expr/interval.h"
#include "math/finite.h"
#include "method/integrator.h"

#include <float.h>
#include <math.h>

void cmb_motion_create(cmb_motion *m, cmb_arena *arena, cmb_integrator *in, const bool *reads)
{
  const cmb_equations *eq = cmb_integrator_evaluator(in)->eq;
  const size_t n = (size_t)eq->nq + (size_t)eq->nv, nodes = CMB_BERNSTEIN_MOST + 1;
  *m = (cmb_motion){.in = in, .nq = eq->nq, .n = (int)n, .reads = reads};
  m->values = cmb_arena_take(arena, nodes * n, sizeof(double));
  m->c = cmb_arena_take(arena, nodes * n, sizeof(double));
  m->dc = cmb_arena_take(arena, nodes * n, sizeof(double));
  m->rounding = cmb_arena_take(arena, n, sizeof(double));
  m->rate_rounding = cmb_arena_take(arena, n, sizeof(double));
}

static bool is_read(const cmb_motion *m, int i)
{
  return !m->reads || m->reads[i];
}

typedef cmb_status interpolation(cmb_integrator *in, double t, double *q, double *v);

static cmb_status take(cmb_motion *m, int count, interpolation *interpolate)
{
  const int degree = cmb_integrator_dense_degree(m->in), n = m->n;
  const double t = cmb_integrator_t(m->in), h = t - cmb_integrator_t_before(m->in);
  const double blur = 4 * DBL_EPSILON * fabs(t) / h; /* of θ, since the nodes are rounded times */
  double at[CMB_BERNSTEIN_MOST + 1];
  if (m->degree != degree) cmb_bernstein_create(&m->basis, m->degree = degree);
  for (int j = 0; j <= degree; j++) {
    double *y = m->values + j * n;
    CMB_TRY(interpolate(m->in, cmb_integrator_time_at(m->in, m->basis.node[j]), y, y + m->nq));
  }
  if (!cmb_all_finite(n * (degree + 1), m->values)) return CMB_RETRY_NONFINITE;
  for (int i = 0; i < count; i++) {
    double *c = m->c + i * (degree + 1), *dc = m->dc + i * degree;
    if (!is_read(m, i)) continue;
    for (int j = 0; j <= degree; j++) at[j] = m->values[j * n + i];
    m->rounding[i] = cmb_bernstein_coefficients(&m->basis, at, c);
    m->rate_rounding[i] = cmb_bernstein_derivative(degree, c, m->rounding[i], dc);
    for (int j = 0; j < degree; j++) m->rounding[i] = fmax(m->rounding[i], blur * fabs(dc[j]));
  }
  return CMB_OK;
}

cmb_status cmb_motion_take(cmb_motion *m, int count)
{
  return take(m, count, cmb_integrator_interpolate);
}

cmb_status cmb_motion_take_roughly(cmb_motion *m, int count, const double *bounds)
{
  CMB_TRY(take(m, count, cmb_integrator_interpolate_roughly));
  for (int i = 0; i < count; i++) m->rounding[i] += bounds[i];
  return CMB_OK;
}

void cmb_motion_range(const cmb_motion *m, int count, double a, double b, cmb_interval *y)
{
  const int degree = m->degree;
  for (int i = 0; i < count; i++) {
    y[i] = is_read(m, i)
               ? cmb_bernstein_range(degree, m->c + i * (degree + 1), m->rounding[i], a, b)
               : cmb_interval_unknown();
  }
}

void cmb_motion_rate_range(const cmb_motion *m, int count, double a, double b, cmb_interval *rate)
{
  const int degree = m->degree;
  for (int i = 0; i < count; i++) {
    rate[i] = is_read(m, i)
                  ? cmb_bernstein_range(degree - 1, m->dc + i * degree, m->rate_rounding[i], a, b)
                  : cmb_interval_unknown();
  }
}

void cmb_motion_bend_range(const cmb_motion *m, int count, double a, double b, cmb_interval *bend)
{
  const int degree = m->degree;
  double c[CMB_BERNSTEIN_MOST];
  for (int i = 0; i < count; i++) {
    bend[i] = is_read(m, i) ? cmb_interval_of(0) : cmb_interval_unknown();
    if (!is_read(m, i) || degree < 2) continue;
    const double rounding =
        cmb_bernstein_derivative(degree - 1, m->dc + i * degree, m->rate_rounding[i], c);
    bend[i] = cmb_bernstein_range(degree - 2, c, rounding, a, b);
  }
}
