/*
 * Explicit Runge–Kutta with projection (Simeon 1996 §4.2; its p is our q, its P'_i, V'_i our slopes k_i):
 *
 *     Y_i = y_0 + h Σ_j a_ij k_j,  k_i = (T(Q_i) V_i, a(t_i, Q_i, V_i)) by eq. (4)        i = 1 .. s
 *     y_1 = y_0 + h Σ_j b_j k_j, projected by (12) before the slope k_{s+1} = k(y_1) is taken
 *
 * k_{s+1} serves the error estimate and is the next step's first slope. The position projection uses the
 * factors of the last stage, which lies at the same time; the factors made for the velocity projection
 * serve k_{s+1}. So projecting costs back-substitutions only.
 */
#include "method/mdop.h"

#include "dae/project.h"

#include <string.h>

cmb_status cmb_mdop_create(cmb_integrator *in, const cmb_mdop_table *table)
{
  cmb_mdop *m = cmb_arena_take(in->arena, 1, sizeof *m);
  in->data = m;
  if (!m) return CMB_OK;
  m->table = table;
  int slopes = table->stages + 1 + table->dense_stages;
  for (int i = 0; i < slopes; i++) m->k[i] = cmb_arena_doubles(in->arena, in->n);
  for (int i = 0; i < table->dense_vectors; i++) m->r[i] = cmb_arena_doubles(in->arena, in->n);
  m->y_stage = cmb_arena_doubles(in->arena, in->n);
  m->y_plain = cmb_arena_doubles(in->arena, in->n);
  m->work = cmb_arena_doubles(in->arena, in->n);
  cmb_projection_create(in, &m->projection, (cmb_projection)cmb_choice(in, "projection"));
  return CMB_OK;
}

cmb_status cmb_mdop_begin(cmb_integrator *in)
{
  cmb_mdop *m = in->data;
  m->shift = false;
  cmb_projection_begin(&m->projection);
  in->a = m->k[0] + in->nq;
  return cmb_slope(in, in->t, in->y, m->k[0], in->lambda);
}

/* y_new onto the constraints, and the slope there. */
static cmb_status finish(cmb_integrator *in, cmb_mdop *m, double t)
{
  bool due;
  double *q = in->y_new, *v = in->y_new + in->nq, *slope = m->k[m->table->stages];
  CMB_TRY(cmb_projection_position(in, &m->projection, t, &due));
  if (m->projection.kind == CMB_PROJECT_NONE) {
    return cmb_slope(in, t, in->y_new, slope, in->lambda_new);
  }
  CMB_TRY(cmb_factor_at(in->ev, t, q));
  CMB_TRY(cmb_project_velocity(in->ev, v));
  cmb_rates(in->ev, q, v, slope);
  return cmb_accelerate_factored(in->ev, t, q, v, slope + in->nq, in->lambda_new);
}

cmb_status cmb_mdop_attempt(cmb_integrator *in, double h, double *error)
{
  cmb_mdop *m = in->data;
  const cmb_mdop_table *table = m->table;
  const int s = table->stages;
  if (m->shift) {
    double *last = m->k[s];
    m->k[s] = m->k[0], m->k[0] = last;
    m->shift = false;
  }
  for (int i = 1; i < s; i++) {
    cmb_combine(in->n, in->y, h, i, table->a + (i - 1) * s, m->k, m->y_stage);
    CMB_TRY(cmb_slope(in, in->t + table->c[i] * h, m->y_stage, m->k[i], in->lambda_new));
  }
  cmb_combine(in->n, in->y, h, s, table->a + (s - 1) * s, m->k, in->y_new);
  memcpy(m->y_plain, in->y_new, (size_t)in->n * sizeof *in->y_new);
  CMB_TRY(finish(in, m, in->t + h));
  *error = table->error(in, h);
  return CMB_OK;
}

void cmb_mdop_accept(cmb_integrator *in)
{
  cmb_mdop *m = in->data;
  m->shift = true;
  in->a = m->k[m->table->stages] + in->nq;
  cmb_projection_accept(&m->projection);
}

cmb_status cmb_mdop_densify(cmb_integrator *in)
{
  cmb_mdop *m = in->data;
  const cmb_mdop_table *table = m->table;
  const int before = table->stages + 1, all = before + table->dense_stages;
  for (int i = 0; i < table->dense_stages; i++) {
    cmb_combine(in->n, in->y_before, in->h_taken, before + i, table->dense_a + i * all, m->k,
                m->y_stage);
    CMB_TRY(cmb_slope(in, in->t_before + table->dense_c[i] * in->h_taken, m->y_stage,
                      m->k[before + i], in->lambda_new));
  }
  table->dense(in);
  return CMB_OK;
}

void cmb_mdop_visit(cmb_integrator *in, cmb_archive *a)
{
  cmb_mdop *m = in->data;
  cmb_projection_visit(&m->projection, a);
  cmb_archive_doubles(a, "slope", in->n, m->k[m->shift ? m->table->stages : 0]);
}
