/*
 * The sparsity pattern of a system's difference Jacobian and its groups of columns, for cmb_system_jacobian in the public interface
 * (include/camber/method.h): Arnold, Fuchs and Führer 2006 §3.1 and Figs. 3 to 5. The Jacobian is that of the form that bdf takes by
 * default.
 */
#include "base/context.h"
#include "form/form.h"
#include "math/colour.h"
#include "math/pattern.h"
#include "method/implicit.h"

#include <math.h>
#include <string.h>

/* The exact sparsity pattern as the equations know it, composed of the patterns of their derivatives: [K D; C₁ ·] or, in index 1, [K
 * D; C₂ C₁]. */
struct exact {
  const cmb_pattern *by_q, *by_v; /* of the residual r of the dynamic equations */
  const cmb_pattern *motion_by_q, *motion_by_v;
};

/* Finds the exact sparsity patterns of the derivatives of the equations, as far as the equations declare them, and stores them in *x; those of
 * the constraints are for constraints on accelerations if `index1` is set, else on velocities. Returns false if not all are known, or if q̇ =
 * T(q) v with T ≠ I. */
static bool find_exact(const cmb_equations *eq, bool index1, struct exact *x)
{
  const cmb_pattern *const *d = eq->derivative_pattern;
  *x = (struct exact){d[CMB_RESIDUAL_Q], d[CMB_RESIDUAL_V],
                      d[index1 ? CMB_GAMMA_Q : CMB_VELOCITY_Q], index1 ? d[CMB_GAMMA_V] : NULL};
  /* with T the columns belong to other directions than those of the coordinates */
  if (eq->rates || !x->by_q || !x->by_v) return false;
  return eq->ng == 0 || (x->motion_by_q && (!index1 || x->motion_by_v));
}

/* Appends the column indices of row i of the sparsity pattern p (NULL: no entries), each increased by `shift`, to the list column[count].
 * Returns the new length of the list. */
static int append(const cmb_pattern *p, int i, int shift, int *column, int count)
{
  for (int k = p ? p->start[i] : 0; p && k < p->start[i + 1]; k++) {
    column[count++] = p->column[k] + shift;
  }
  return count;
}

/* Counts the entries of the Jacobian's exact sparsity pattern, and the groups of columns (colours) that its finite differences need, and stores
 * both numbers in the report. They stay −1 if the pattern is not known. */
static cmb_status count_exact(cmb_context *ctx, const cmb_equations *eq, bool index1,
                              cmb_arena *arena, cmb_jacobian_report *report)
{
  struct exact x;
  if (!find_exact(eq, index1, &x)) return CMB_OK;
  int *start = cmb_arena_ints(arena, report->rows + 1), count = 0;
  int *column = cmb_arena_ints(arena, report->rows * report->columns);
  int *group = cmb_arena_ints(arena, report->columns);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  for (int i = 0; i < report->rows; i++) {
    const bool motion = i >= eq->nv;
    const int row = motion ? i - eq->nv : i;
    count = append(motion ? x.motion_by_q : x.by_q, row, 0, column, count);
    count = append(motion ? x.motion_by_v : x.by_v, row, eq->nv, column, count);
    start[i + 1] = count;
  }
  const cmb_pattern pattern = {report->rows, report->columns, start, column};
  CMB_TRY(cmb_colour_columns(ctx, &pattern, group, &report->exact_groups));
  report->exact_entries = count;
  return CMB_OK;
}

/* Numbers the groups of Jacobian columns (colours) in the order of their first columns; group[j] becomes the number of column j's group. */
static void number_groups(const cmb_form_estimate *e, int *group)
{
  int next = 0;
  for (int j = 0; j < e->columns; j++) {
    int before = 0;
    while (before < j && e->group[before] != e->group[j]) before++;
    group[j] = before < j ? group[before] : next++;
  }
}

/* Copies the estimated sparsity pattern of the form's Jacobian to the report. Also fills the array there[] (rows x columns) with whether each
 * entry can be non-zero, and group[columns] with the group (colour) of each column; NULL: not wanted. */
static void copy_pattern(const cmb_form *form, cmb_jacobian_report *report, bool *there, int *group)
{
  const cmb_form_estimate e = cmb_form_estimated(form);
  *report = (cmb_jacobian_report){e.rows, e.columns, e.entries, e.groups, -1, -1};
  if (there) memcpy(there, e.there, (size_t)e.rows * (size_t)e.columns * sizeof *there);
  if (group) number_groups(&e, group);
}

/* Estimates the sparsity pattern of the Jacobian at the state (t, q, v) as the method bdf does, and stores it in the report. Also fills the
 * array there[] (rows x columns) with whether each entry can be non-zero, and group[columns] with the group (colour) of each column; NULL: not
 * wanted. */
static cmb_status estimate_pattern(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                                   const double *v, cmb_jacobian_report *report, bool *there,
                                   int *group)
{
  const cmb_equations *eq = ev->eq;
  const bool index1 = cmb_implicit_prefers_index1(eq);
  const cmb_form_options options = {.kind = index1 ? CMB_FORM_INDEX1 : CMB_FORM_GGL,
                                    .source = CMB_SOURCE_SPARSE};
  double *a = cmb_arena_doubles(arena, eq->nv), *lambda = cmb_arena_doubles(arena, eq->ng);
  cmb_form *form;
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ev->ctx);
  CMB_TRY(cmb_accelerate(ev, t, q, v, a, lambda));
  CMB_TRY(cmb_form_create(ev, &options, &form));
  const cmb_form_state at = {t, q, v, a, lambda};
  const cmb_status status = cmb_form_linearize(form, &at, true);
  if (status == CMB_OK) copy_pattern(form, report, there, group);
  cmb_form_destroy(form);
  return status == CMB_OK ? count_exact(ev->ctx, eq, index1, arena, report) : status;
}

cmb_status cmb_system_jacobian(cmb_context *ctx, const cmb_system *system, double t,
                               const double *q, const double *v, const int *mode,
                               cmb_jacobian_report *report, bool *there, int *group)
{
  cmb_evaluator *ev;
  CMB_REQUIRE(
      ctx, ctx && system && q && v && report && isfinite(t),
      "cmb_system_jacobian needs a context, a system, a finite t, q, v and a place for the report");
  const cmb_equations *eq = cmb_system_equations(system);
  *report = (cmb_jacobian_report){0};
  CMB_REQUIRE(ctx, mode || eq->ns == 0, "cmb_system_jacobian needs the modes");
  CMB_TRY(cmb_evaluator_create(ctx, eq, &ev));
  for (int i = 0; i < eq->ns; i++) ev->mode[i] = mode[i];
  cmb_arena *arena = cmb_arena_create(ctx);
  const cmb_status status =
      arena ? estimate_pattern(ev, arena, t, q, v, report, there, group) : cmb_fail_memory(ctx);
  cmb_arena_destroy(arena);
  cmb_evaluator_destroy(ev);
  if (status <= 0) return status;
  return cmb_fail(ctx, CMB_ERROR_EQUATIONS, "the Jacobian cannot be computed at t = %.6g: %s", t,
                  cmb_status_meaning(status));
}
