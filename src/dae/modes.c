/*
 * The modes of a state (modes.h): the sign of each switching function, the level of each function that has levels. Where a
 * function is exactly 0 the state a moment later decides,
 *
 *     q + τ T(q) (v + τ/2 a),   v + τ a,   t + τ:
 *
 * from rest, too, things begin to move.
 */
#include "dae/modes.h"

#include "base/context.h"
#include "dae/project.h"

#include <math.h>
#include <string.h>

void cmb_mode_search_create(cmb_mode_search *m, cmb_arena *arena, const cmb_equations *eq)
{
  m->s = cmb_arena_doubles(arena, eq->ns);
  m->s_ahead = cmb_arena_doubles(arena, eq->ns);
  m->q = cmb_arena_doubles(arena, eq->nq);
  m->v = cmb_arena_doubles(arena, eq->nv);
  m->rate = cmb_arena_doubles(arena, eq->nq);
  m->q_given = cmb_arena_doubles(arena, eq->nq);
  m->v_given = cmb_arena_doubles(arena, eq->nv);
  m->no_force = cmb_arena_doubles(arena, eq->ng);
  m->no_change = cmb_arena_doubles(arena, eq->nv);
  m->before = cmb_arena_ints(arena, eq->ns);
  m->level = cmb_arena_ints(arena, eq->ns);
}

/* The state a moment after (t, q, v), and the switching functions there. */
static cmb_status look_ahead(cmb_evaluator *ev, cmb_mode_search *m, double t, const double *q,
                             const double *v, const double *lambda, const double *a)
{
  const cmb_equations *eq = ev->eq;
  const double ahead =
      1e-8 * fmax(1, fabs(t)); /* s changes by far more than rounding, by nothing else */
  for (int i = 0; i < eq->nv; i++) m->v[i] = v[i] + ahead / 2 * a[i];
  cmb_rates(ev, q, m->v, m->rate);
  for (int i = 0; i < eq->nq; i++) m->q[i] = q[i] + ahead * m->rate[i];
  for (int i = 0; i < eq->nv; i++) m->v[i] = v[i] + ahead * a[i];
  CMB_TRY(cmb_switches(ev, t + ahead, m->q, m->v, lambda, m->s_ahead));
  return cmb_levels(ev, t + ahead, m->q, m->v, lambda, m->level);
}

/* The mode of function i from s here, or, where that is 0, from what lies ahead. */
static int mode_of(const cmb_evaluator *ev, const cmb_mode_search *m, int i)
{
  double s = m->s[i];
  if (cmb_mode_is_level(ev, i)) return s != 0 ? ev->mode[i] : m->level[i];
  return (s != 0 ? s : m->s_ahead[i]) > 0 ? 1 : -1; /* as the formula has it where s stays 0 */
}

cmb_status cmb_find_modes(cmb_evaluator *ev, cmb_mode_search *m, double t, const double *q,
                          const double *v, const double *lambda, const double *a, bool *changed)
{
  const int ns = ev->eq->ns;
  *changed = false;
  if (ns == 0) return CMB_OK;
  memcpy(m->before, ev->mode, (size_t)ns * sizeof *m->before);
  CMB_TRY(cmb_levels(ev, t, q, v, lambda, m->level));
  memcpy(ev->mode, m->level, (size_t)ns * sizeof *m->level);
  CMB_TRY(cmb_switches(ev, t, q, v, lambda, m->s));
  CMB_TRY(look_ahead(ev, m, t, q, v, lambda, a));
  for (int i = 0; i < ns; i++) {
    ev->mode[i] = mode_of(ev, m, i);
    *changed = *changed || ev->mode[i] != m->before[i];
  }
  return CMB_OK;
}

cmb_status cmb_guess_modes(cmb_evaluator *ev, cmb_mode_search *m, double t, const double *q,
                           const double *v, bool *changed)
{
  return cmb_find_modes(ev, m, t, q, v, m->no_force, m->no_change, changed);
}

/* A recoverable status is final here. */
static cmb_status final(cmb_evaluator *ev, cmb_status status, double t)
{
  char text[256];
  if (status <= 0) return status;
  cmb_status end = status == CMB_RETRY_NONFINITE ? CMB_ERROR_NONFINITE : CMB_ERROR_EQUATIONS;
  return cmb_fail(ev->ctx, end, "switching functions at t = %.9g: %s", t,
                  cmb_evaluator_blame(ev, status, sizeof text, text));
}

cmb_status cmb_start_in_modes(cmb_evaluator *ev, cmb_mode_search *m, double t, double *q, double *v,
                              double *a, double *lambda, cmb_start_report *report)
{
  const cmb_equations *eq = ev->eq;
  const size_t q_size = (size_t)eq->nq * sizeof *q, v_size = (size_t)eq->nv * sizeof *v;
  bool changed;
  memcpy(m->q_given, q, q_size);
  memcpy(m->v_given, v, v_size);
  for (int i = 0; i < eq->ns; i++) ev->mode[i] = 1;
  CMB_TRY(final(ev, cmb_guess_modes(ev, m, t, q, v, &changed), t));
  for (int k = 0; k <= eq->ns; k++) {
    memcpy(q, m->q_given, q_size);
    memcpy(v, m->v_given, v_size);
    CMB_TRY(cmb_consistent_start(ev, t, q, v, a, lambda, report));
    CMB_TRY(final(ev, cmb_find_modes(ev, m, t, q, v, lambda, a, &changed), t));
    if (!changed) return CMB_OK;
  }
  return cmb_fail(ev->ctx, CMB_ERROR_EVENTS,
                  "switching functions change sign without end at t = %.9g", t);
}
