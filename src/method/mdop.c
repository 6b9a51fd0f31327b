/*
 * Explicit Runge–Kutta methods with projection onto the constraints, for mdop5 and mdop853 (Simeon 1996 §4.2; its p is q here, its P'_i,
 * V'_i are the slopes k_i):
 *
 *     Y_i = y_0 + h Σ_j a_ij k_j,  k_i = (T(Q_i) V_i, a(t_i, Q_i, V_i)) by eq. (4)        i = 1 .. s
 *     y_1 = y_0 + h Σ_j b_j k_j, projected by (12) before the slope k_{s+1} = k(y_1) is taken
 *
 * The slope k_{s+1} serves the error estimate and is the first slope of the next step. The projection of positions uses the factors of the
 * last stage, which lies at the same time; the factors made for the projection of velocities serve k_{s+1}. So projecting costs back
 * substitutions only, unless the equations have an explicit formalism, which makes no factors.
 *
 * With form=projecting the same Runge–Kutta table is applied to the projecting descriptor form (form/projecting.h). Its variables q and u
 * are y + offset, with y = (p, v) on the constraints; this offset, which results from the multipliers τ and η, is all that the form has in
 * addition. The option `projection` tells which part of it is set to 0 at the end of a step: none, that of η, that of η and, when
 * projection control decides so, of τ, or always that of both.
 */
#include "method/mdop.h"

#include "dae/project.h"

#include <float.h>
#include <string.h>

/* Marks functions for form=projecting, which are rarely used: they are compiled apart from the code of the fast steps. */
#define ASIDE __attribute__((noinline, cold))

static const double ROUNDING =
    512 * DBL_EPSILON; /* as much as a converged projection may leave (project.c) */

/* The error of dense output, in tolerances, above which it is computed again with smaller steps. Where accuracy limits the steps it is
 * 1 to 3 times the error estimate of the step (mdop853.c). */
static const double MOST_DENSE = 4;

cmb_status cmb_mdop_create(cmb_integrator *in, const cmb_mdop_table *table)
{
  cmb_mdop *m = cmb_arena_take(in->arena, 1, sizeof *m);
  in->data = m;
  if (!m) return CMB_OK;
  m->table = table;
  int slopes = table->stages + 1 + table->dense_stages;
  for (int i = 0; i < slopes; i++) m->k[i] = cmb_arena_doubles(in->arena, in->n);
  for (int i = 1; table->dense_by_thirds && i < table->stages; i++) {
    m->k_inside[i] = cmb_arena_doubles(in->arena, in->n);
  }
  for (int i = 0; i < table->dense_vectors; i++) m->r[i] = cmb_arena_doubles(in->arena, in->n);
  m->y_stage = cmb_arena_doubles(in->arena, in->n);
  m->y_plain = cmb_arena_doubles(in->arena, in->n);
  m->work = cmb_arena_doubles(in->arena, in->n);
  if (in->ng > 0 && cmb_choice(in, "form") == CMB_MDOP_PROJECTING) {
    m->offset = cmb_arena_doubles(in->arena, in->n);
    m->offset_new = cmb_arena_doubles(in->arena, in->n);
    m->a = cmb_arena_doubles(in->arena, in->nv);
    CMB_TRY(cmb_projecting_create(in->arena, in->ev, &m->form));
  }
  cmb_projection_create(in, &m->projection, (cmb_projection)cmb_choice(in, "projection"));
  return CMB_OK;
}

/* ---- the projecting descriptor form */

/* Projects y = (q, u), the variables of the projecting descriptor form (Simeon 1996, eq. 5), onto the constraints at time t: y becomes the
 * consistent state (p, v), offset (n) the difference (q, u) − (p, v), and lambda (ng) the multipliers. */
static cmb_status project_form(cmb_integrator *in, const cmb_mdop *m, double t, double *y,
                               double *offset, double *lambda)
{
  CMB_TRY(cmb_projecting_solve(m->form, t, y, y + in->nq));
  cmb_copy(in->n, y, offset);
  cmb_copy(in->nq, m->form->p, y);
  cmb_copy(in->nv, m->form->v, y + in->nq);
  cmb_subtract(in->n, offset, y, offset);
  cmb_copy(in->ng, m->form->lambda, lambda);
  return CMB_OK;
}

/* Computes the slope (n) of the variables (q, u) of the projecting descriptor form (Simeon 1996, eq. 5), at the state for which the form was
 * last solved. */
static void slope_of_form(const cmb_integrator *in, const cmb_mdop *m, double *slope)
{
  const cmb_projecting *f = m->form;
  for (int i = 0; i < in->nv; i++) {
    slope[i] = f->v[i] + f->rate[i];
    slope[in->nq + i] = f->w[i] + f->force[i];
  }
}

/* Computes the slope (n) of the variables (q, u) of the projecting descriptor form (Simeon 1996, eq. 5) at time t and (q, u) = m->y_stage +
 * offset. These variables may violate the constraints; offset (n) is their difference from the consistent state at the beginning of the step.
 * Overwrites m->y_stage. */
static cmb_status slope_by_form(cmb_integrator *in, const cmb_mdop *m, double t,
                                const double *offset, double *slope)
{
  cmb_add_to(in->n, offset, m->y_stage);
  CMB_TRY(cmb_projecting_solve(m->form, t, m->y_stage, m->y_stage + in->nq));
  slope_of_form(in, m, slope);
  return CMB_OK;
}

/* Computes the slopes k of all Runge–Kutta stages but the first for a step of size h from (t, y), with the projecting descriptor form.
 * offset (n) is the difference between the form's variables (q, u) and the consistent state y at the beginning of the step. */
static ASIDE cmb_status stages_of_form(cmb_integrator *in, cmb_mdop *m, double t, const double *y,
                                       double h, const double *offset, double *const *k)
{
  const cmb_mdop_table *table = m->table;
  const int s = table->stages;
  for (int i = 1; i < s; i++) {
    cmb_combine(in->n, y, h, i, table->a + (i - 1) * s, k, m->y_stage);
    CMB_TRY(slope_by_form(in, m, t + table->c[i] * h, offset, k[i]));
  }
  return CMB_OK;
}

/* Resets the variables (q, u) of the projecting descriptor form at the end of a step to the consistent state: their difference from it, and its
 * contribution to the slope, become 0. The option `projection` decides for which variables: none, the velocities, or positions and velocities. */
static void reset_offset(cmb_integrator *in, cmb_mdop *m)
{
  const size_t size = (size_t)in->nv * sizeof *m->offset;
  m->projection.next = 0;
  if (m->projection.kind == CMB_PROJECT_NONE) return;
  memset(m->offset_new + in->nq, 0, size);
  memset(m->form->force, 0, size);
  if (!cmb_projection_due(in, &m->projection)) return;
  cmb_projection_measure(in, &m->projection, m->offset_new);
  memset(m->offset_new, 0, size);
  memset(m->form->rate, 0, size);
}

/* Completes a step with the projecting descriptor form: projects y_new onto the constraints at time t, resets the difference to the
 * consistent state as the option `projection` requires, and computes the slope (n) there. */
static ASIDE cmb_status finish_form(cmb_integrator *in, cmb_mdop *m, double t, double *slope)
{
  const cmb_projecting *f = m->form;
  cmb_add_to(in->n, m->offset, in->y_new);
  CMB_TRY(project_form(in, m, t, in->y_new, m->offset_new, in->lambda_new));
  in->ev->tau_square = cmb_dot(in->ng, f->tau, f->tau);
  in->ev->eta_square = cmb_dot(in->ng, f->eta, f->eta);
  reset_offset(in, m);
  slope_of_form(in, m, slope);
  return CMB_OK;
}

/* Returns whether offset (n), the displacement of the state y (n) by its projection onto the constraints, is only rounding error. */
static bool offset_is_rounding(const cmb_integrator *in, const double *y, const double *offset)
{
  const int nq = in->nq, nv = in->nv;
  const double q_size = 1 + cmb_largest(nq, y), v_size = 1 + cmb_largest(nv, y + nq);
  return cmb_largest(nq, offset) <= ROUNDING * q_size &&
         cmb_largest(nv, offset + nq) <= ROUNDING * v_size;
}

/* Begins a motion with the projecting descriptor form at y, which may violate the constraints: its variables q and u begin at y, and y
 * is projected. A state that is consistent up to rounding remains unchanged bit for bit: if an event was located there, its switching
 * function must keep its sign. */
static ASIDE cmb_status begin_form(cmb_integrator *in, cmb_mdop *m)
{
  cmb_copy(in->n, in->y, m->y_stage);
  CMB_TRY(project_form(in, m, in->t, in->y, m->offset, in->lambda));
  if (offset_is_rounding(in, in->y, m->offset)) {
    cmb_copy(in->n, m->y_stage, in->y);
    memset(m->offset, 0, (size_t)in->n * sizeof *m->offset);
  }
  slope_of_form(in, m, m->k[0]);
  cmb_copy(in->nv, m->form->w, m->a);
  in->a = m->a;
  return CMB_OK;
}

static ASIDE void accept_form(cmb_integrator *in, cmb_mdop *m)
{
  double *before = m->offset;
  m->offset = m->offset_new;
  m->offset_new = before; /* for dense output over the last step */
  cmb_copy(in->nv, m->form->w, m->a);
  in->a = m->a;
}

/* Saves the state of the projecting descriptor form to the archive a or restores it from there: the consistent state, the difference of the
 * form's variables from it, and the accelerations. */
static void visit_form(cmb_integrator *in, const cmb_mdop *m, cmb_archive *a)
{
  cmb_archive_doubles(a, "offset", in->n, m->offset);
  cmb_archive_doubles(a, "projected", in->n, in->y);
  cmb_archive_doubles(a, "acceleration", in->nv, m->a);
}

/* ---- a step */

cmb_status cmb_mdop_begin(cmb_integrator *in)
{
  cmb_mdop *m = in->data;
  m->shift = false;
  cmb_projection_begin(&m->projection);
  if (m->form) return begin_form(in, m);
  in->a = m->k[0] + in->nq;
  return cmb_slope(in, in->t, in->y, m->k[0], in->lambda);
}

/* Completes a step: projects y_new onto the constraints at time t as the option `projection` requires, and computes the slope there for the
 * error estimate and the next step. */
static cmb_status finish(cmb_integrator *in, cmb_mdop *m, double t)
{
  bool due;
  double *q = in->y_new, *v = in->y_new + in->nq, *slope = m->k[m->table->stages];
  if (m->form) return finish_form(in, m, t, slope);
  CMB_TRY(cmb_projection_position(in, &m->projection, t, &due));
  if (m->projection.kind == CMB_PROJECT_NONE) {
    return cmb_slope(in, t, in->y_new, slope, in->lambda_new);
  }
  CMB_TRY(cmb_factor_at(in->ev, t, q));
  CMB_TRY(cmb_project_velocity(in->ev, v));
  cmb_rates(in->ev, q, v, slope);
  return cmb_accelerate_factored(in->ev, t, q, v, slope + in->nq, in->lambda_new);
}

/* Computes the slopes k of all Runge–Kutta stages except the first for a step of size h from (t, y), by the index-1 equations. */
static inline cmb_status stages_of_index1(cmb_integrator *in, cmb_mdop *m, double t,
                                          const double *y, double h, double *const *k)
{
  const cmb_mdop_table *table = m->table;
  const int s = table->stages;
  for (int i = 1; i < s; i++) {
    cmb_combine(in->n, y, h, i, table->a + (i - 1) * s, k, m->y_stage);
    CMB_TRY(cmb_slope(in, t + table->c[i] * h, m->y_stage, k[i], in->lambda_new));
  }
  return CMB_OK;
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
  CMB_TRY(m->form ? stages_of_form(in, m, in->t, in->y, h, m->offset, m->k)
                  : stages_of_index1(in, m, in->t, in->y, h, m->k));
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
  if (m->form) accept_form(in, m);
}

/* ---- dense output over the last step */

/* Computes the slope (n) at a time t inside the last step for the state m->y_stage, for dense output. m->y_stage may be overwritten. */
static cmb_status slope_inside(cmb_integrator *in, const cmb_mdop *m, double t, double *slope)
{
  return m->form ? slope_by_form(in, m, t, m->offset_new, slope)
                 : cmb_slope(in, t, m->y_stage, slope, in->lambda_new);
}

/* Takes a Runge–Kutta step of size h inside the last step, from (t, y) to y_end (n), and computes the slope (n) at its end; for dense output.
 * m->k_inside[0] must be the slope at (t, y). */
static cmb_status step_inside(cmb_integrator *in, cmb_mdop *m, double t, const double *y, double h,
                              double *y_end, double *slope)
{
  const int s = m->table->stages;
  CMB_TRY(m->form ? stages_of_form(in, m, t, y, h, m->offset_new, m->k_inside)
                  : stages_of_index1(in, m, t, y, h, m->k_inside));
  cmb_combine(in->n, y, h, s, m->table->a + (s - 1) * s, m->k_inside, y_end);
  memcpy(m->y_stage, y_end, (size_t)in->n * sizeof *y_end);
  return slope_inside(in, m, t + h, slope);
}

cmb_status cmb_mdop_densify(cmb_integrator *in)
{
  cmb_mdop *m = in->data;
  const cmb_mdop_table *table = m->table;
  const int before = table->stages + 1, all = before + table->dense_stages;
  for (int i = 0; i < table->dense_stages; i++) {
    cmb_combine(in->n, in->y_before, in->h_taken, before + i, table->dense_a + i * all, m->k,
                m->y_stage);
    const double t = in->t_before + table->dense_c[i] * in->h_taken;
    CMB_TRY(slope_inside(in, m, t, m->k[before + i]));
  }
  table->dense(in);
  return CMB_OK;
}

bool cmb_mdop_is_rough(const cmb_integrator *in, double *bounds)
{
  const cmb_mdop *m = in->data;
  if (in->fixed_step) return false;
  /* norms take their weights from y_new */
  memcpy(in->y_new, in->y_before, (size_t)in->n * sizeof *in->y_new);
  return m->table->dense_error(in, bounds) > MOST_DENSE;
}

/* Computes the vectors r[4] and higher of dense output from the values y and slopes at thirds of the last step, if their error is then
 * smaller: the steps of a third have no error test, and one of them can meet a bump or an instability that the step itself did not. */
static ASIDE void take_thirds(cmb_integrator *in, cmb_mdop *m, const double *const y[2],
                              double *const slope[2])
{
  const cmb_mdop_table *table = m->table;
  const int first = 4, count = table->dense_vectors - first;
  double **usual = m->k_inside + 1;
  const double before = table->dense_error(in, m->y_stage);
  for (int i = 0; i < count; i++) cmb_copy(in->n, m->r[first + i], usual[i]);
  table->dense_by_thirds(in, y, slope);
  if (table->dense_error(in, m->y_stage) < before) return;
  for (int i = 0; i < count; i++) cmb_copy(in->n, usual[i], m->r[first + i]);
}

/* Computes the dense output of the last step from two additional steps of a third of its size, where the usual polynomial is not
 * accurate. If one of these steps fails, or if they are no better, the usual polynomial is kept. */
ASIDE cmb_status cmb_mdop_refine(cmb_integrator *in)
{
  cmb_mdop *m = in->data;
  const int end = m->table->stages;
  const double h = in->h_taken / 3, t = in->t_before;
  const double *const y[2] = {m->y_plain, m->work};
  double *const slope[2] = {m->k[end + 1], m->k[end + 2]};
  m->k_inside[0] = m->k[0];
  cmb_status status = step_inside(in, m, t, in->y_before, h, m->y_plain, slope[0]);
  m->k_inside[0] = slope[0];
  if (status == CMB_OK) status = step_inside(in, m, t + h, m->y_plain, h, m->work, slope[1]);
  if (status == CMB_OK) take_thirds(in, m, y, slope);
  return status < 0 ? status : CMB_OK;
}

/* Computes the position q at node k of the last step, before projection: that of the method's own stage. With form=projecting the stage's
 * projected position differs from it by no more than the violation of the constraints. */
void cmb_mdop_node_position(const cmb_integrator *in, int k, double *q)
{
  const cmb_mdop *m = in->data;
  const cmb_mdop_table *table = m->table;
  const int s = table->stages, i = k + (int)(in->method->nodes - table->c);
  cmb_combine(in->nq, in->y_before, in->h_taken, i, table->a + (i - 1) * s, m->k, q);
}

void cmb_mdop_visit(cmb_integrator *in, cmb_archive *a)
{
  cmb_mdop *m = in->data;
  cmb_projection_visit(&m->projection, a);
  cmb_archive_doubles(a, "slope", in->n, m->k[m->shift ? m->table->stages : 0]);
  if (m->form) visit_form(in, m, a);
}
