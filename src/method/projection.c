/*
 * Projection control (Simeon 1996 eq. 16): decides how often the explicit Runge–Kutta methods project positions onto the constraints. With
 * k steps between two projections (12a), and the first increment Δp⁽⁰⁾ of the last one:
 *
 *     ‖Δp⁽⁰⁾‖ < 0.009: k := min(2k, 8);   < 0.02: k stays;   else k := max(k/2, 1)
 *
 * The norm is that of the error test, so that drift is held to a small part of the tolerance. Near a loss of rank of the constraints the
 * control lets every step project, because velocities that belong to positions off the constraints are far off there.
 */
#include "method/projection.h"

#include "dae/project.h"

#include <string.h>

enum { BETWEEN_AT_FIRST = 4, BETWEEN_MOST = 8, BETWEEN_LEAST = 1 };

static const double DRIFT_SMALL = 0.009, DRIFT_LARGE = 0.02;

void cmb_projection_create(cmb_integrator *in, cmb_projection_control *control, cmb_projection kind)
{
  control->kind = in->ng > 0 ? kind : CMB_PROJECT_NONE;
  control->first = cmb_arena_doubles(in->arena, in->nq);
}

void cmb_projection_begin(cmb_projection_control *control)
{
  control->between = BETWEEN_AT_FIRST;
  control->since = control->next = 0;
}

/* Returns the number of steps until positions are projected onto the constraints again. `between` was the last such number, `drift` the drift
 * removed by the last projection, in units of the tolerance. Small drift doubles the number, large drift halves it, within limits. */
static int next_interval(int between, double drift)
{
  if (drift < DRIFT_SMALL) return 2 * between < BETWEEN_MOST ? 2 * between : BETWEEN_MOST;
  if (drift < DRIFT_LARGE) return between;
  return between / 2 > BETWEEN_LEAST ? between / 2 : BETWEEN_LEAST;
}

bool cmb_projection_due(const cmb_integrator *in, const cmb_projection_control *control)
{
  return control->kind == CMB_PROJECT_EVERY ||
         (control->kind == CMB_PROJECT_CONTROL &&
          (cmb_step_is_near_singular(in) || control->since >= control->between));
}

void cmb_projection_measure(const cmb_integrator *in, cmb_projection_control *control,
                            const double *first)
{
  control->next = next_interval(control->between, cmb_error_norm(in, 0, in->nq, first));
}

cmb_status cmb_projection_position(cmb_integrator *in, cmb_projection_control *control, double t,
                                   bool *due)
{
  cmb_evaluator *ev = in->ev;
  const cmb_equations *eq = ev->eq;
  *due = cmb_projection_due(in, control);
  control->next = 0;
  if (eq->normalize) eq->normalize(eq->self, in->y_new);
  if (!*due) return CMB_OK;
  if (!ev->factors_near) CMB_TRY(cmb_factor_at(ev, t, in->y_new));
  CMB_TRY(cmb_project_position(ev, t, in->y_new, control->first));
  cmb_projection_measure(in, control, control->first);
  return CMB_OK;
}

void cmb_projection_accept(cmb_projection_control *control)
{
  control->since++;
  if (control->next == 0) return;
  control->between = control->next;
  control->since = 0;
}

void cmb_projection_visit(cmb_projection_control *control, cmb_archive *a)
{
  cmb_archive_small_count(a, "projection-between", &control->between);
  cmb_archive_small_count(a, "projection-since", &control->since);
}
