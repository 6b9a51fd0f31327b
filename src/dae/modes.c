/*
 * Finds the modes that belong to a state (modes.h). With given modes, the equations yield all switching functions s at once, also
 * those of wrong modes. So the search makes passes, at least as many as functions are nested, and one more that changes nothing:
 *
 *     pass 1     functions of the state alone get their modes
 *     pass k     functions of modes that pass k − 1 has found get theirs
 *
 * for a function depends on modes of earlier functions only (expr/modes.c freezes inner ones first). A level at its edge takes up
 * to three passes: here, ahead, and here again. A function that is not finite in wrong modes is left for the next pass. Where a
 * function is exactly 0, the state a moment later decides,
 *
 *     q + τ T(q) (v + τ/2 a),   v + τ a,   t + τ,
 *
 * which also covers motion that begins from rest. In later rounds, too, the accelerations of the first modes are used for this:
 * where each mode drives its function towards 0, as dry friction at rest does, the new ones would reverse the prediction each time.
 */
#include "dae/modes.h"

#include "base/context.h"
#include "dae/project.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
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
  m->a_first = cmb_arena_doubles(arena, eq->nv);
  m->no_force = cmb_arena_doubles(arena, eq->ng);
  m->no_change = cmb_arena_doubles(arena, eq->nv);
  m->before = cmb_arena_ints(arena, eq->ns);
  m->level = cmb_arena_ints(arena, eq->ns);
  m->level_ahead = cmb_arena_ints(arena, eq->ns);
  m->edge = cmb_arena_ints(arena, eq->ns);
  m->lift = NULL;
  m->still = NULL;
}

/* The state whose modes are searched for, with accelerations. */
struct mode_state {
  double t;
  const double *q, *v, *lambda, *a;
};

/* Evaluates the switching functions s (ns) at the state x in the evaluator's current modes. Returns CMB_OK also if values are not
 * finite, which the caller has to check; values that the equations do not write are NaN. */
static cmb_status values_at(cmb_evaluator *ev, const struct mode_state *x, double *s)
{
  for (int i = 0; i < ev->eq->ns; i++) s[i] = NAN; /* if the equations fail without giving values */
  cmb_status status = cmb_switches(ev, x->t, x->q, x->v, x->lambda, s);
  return status == CMB_RETRY_NONFINITE ? CMB_OK : status;
}

/* Evaluates the switching functions and the whole-number modes at the state a very short time after x, extrapolated with the
 * accelerations x->a, and stores them in m->s_ahead and m->level_ahead. They decide the modes of functions that are exactly 0 at
 * x. */
static cmb_status look_ahead(cmb_evaluator *ev, cmb_mode_search *m, const struct mode_state *x)
{
  const cmb_equations *eq = ev->eq;
  /* long enough to change s by more than rounding, short enough not to matter otherwise */
  const double ahead = 1e-8 * fmax(1, fabs(x->t));
  for (int i = 0; i < eq->nv; i++) m->v[i] = x->v[i] + ahead / 2 * x->a[i];
  cmb_rates(ev, x->q, m->v, m->rate);
  for (int i = 0; i < eq->nq; i++) m->q[i] = x->q[i] + ahead * m->rate[i];
  for (int i = 0; i < eq->nv; i++) m->v[i] = x->v[i] + ahead * x->a[i];
  const struct mode_state then = {x->t + ahead, m->q, m->v, x->lambda, NULL};
  CMB_TRY(values_at(ev, &then, m->s_ahead));
  return cmb_levels(ev, then.t, then.q, then.v, then.lambda, m->level_ahead);
}

/* Returns the next value of integer-valued mode i, such as the number of the current interval of a table, when its argument has left this
 * interval (m->s[i] < 0) or is on its boundary (m->s[i] = 0): m->level[i], the value that belongs to the present argument. On the boundary, if
 * `ahead` is set, returns m->level_ahead[i], the value for the argument a moment later, unless that was tried and did not fit (m->edge[i]). */
static int level_of(cmb_mode_search *m, int i, bool ahead)
{
  if (m->s[i] < 0) {
    if (m->edge[i] == CMB_EDGE_AHEAD) m->edge[i] = CMB_EDGE_NONE;
    return m->level[i];
  }
  if (!ahead || m->edge[i] == CMB_EDGE_NONE) return m->level[i];
  m->edge[i] = CMB_EDGE_AHEAD;
  return m->level_ahead[i];
}

/* Returns the new mode of switching function i from its value s. A sign becomes +1 if s > 0, else −1. A whole-number mode remains if s > 0,
 * else level_of gives it. If s = 0 and `ahead` is set, the value a moment later decides. A fixed mode, m->still[i], has precedence; the mode
 * remains if s is not finite, and becomes that from before the search if |s| < m->lift[i]. */
static int mode_of(const cmb_evaluator *ev, cmb_mode_search *m, int i, bool ahead)
{
  const double s = m->s[i];
  if (m->still && m->still[i] != 0) return m->still[i];
  if (!isfinite(s)) return ev->mode[i];
  if (m->lift && fabs(s) < m->lift[i]) return m->before[i];
  if (cmb_mode_is_level(ev, i)) return s > 0 ? ev->mode[i] : level_of(m, i, ahead);
  return (s == 0 && ahead ? m->s_ahead[i] : s) > 0 ? 1
                                                   : -1; /* −1 if s stays 0, as in the formula */
}

/* Makes one pass of the search for the modes (signs of the switching functions) at the state x: evaluates the switching functions with the
 * modes ev->mode, and sets ev->mode to the signs that they have. Sets *changed to whether a mode has changed. Where a function is exactly 0,
 * the accelerations x->a predict its sign, unless x->a is NULL. */
static cmb_status pass(cmb_evaluator *ev, cmb_mode_search *m, const struct mode_state *x,
                       bool *changed)
{
  bool on_edge = false, level_left = false;
  CMB_TRY(values_at(ev, x, m->s));
  for (int i = 0; i < ev->eq->ns; i++) {
    on_edge = on_edge || m->s[i] == 0;
    level_left = level_left || (cmb_mode_is_level(ev, i) && m->s[i] <= 0);
  }
  if (level_left) CMB_TRY(cmb_levels(ev, x->t, x->q, x->v, x->lambda, m->level));
  const bool ahead = on_edge && x->a;
  if (ahead) CMB_TRY(look_ahead(ev, m, x));
  *changed = false;
  for (int i = 0; i < ev->eq->ns; i++) {
    const int mode = mode_of(ev, m, i, ahead);
    *changed = *changed || mode != ev->mode[i];
    ev->mode[i] = mode;
  }
  return CMB_OK;
}

/* Checks the values m->s of the switching functions at the end of a search for modes. Returns CMB_RETRY_NONFINITE if one is not finite, or an
 * error with a message if the value of an integer-valued mode, such as floor(x), exceeds the range of an int. */
static cmb_status check_values(const cmb_evaluator *ev, const cmb_mode_search *m, double t)
{
  for (int i = 0; i < ev->eq->ns; i++) {
    if (!isfinite(m->s[i])) return CMB_RETRY_NONFINITE;
    if (!cmb_mode_is_level(ev, i) || m->s[i] >= 0) continue;
    return cmb_fail_about(
        ev->ctx, CMB_ERROR_EVENTS, cmb_about_time(t, "switching function", ev->eq->switch_names[i]),
        "switching function '%s' at t = %.9g has left the level %d, the last one; "
        "expected whole numbers from -%d to %d",
        ev->eq->switch_names[i], t, ev->mode[i], INT_MAX, INT_MAX);
  }
  return CMB_OK;
}

static cmb_status fail_circle(const cmb_evaluator *ev, double t)
{
  return cmb_fail_about(ev->ctx, CMB_ERROR_EQUATIONS, cmb_about_time(t, NULL, NULL),
                        "switching functions at t = %.9g depend on each other's modes in a "
                        "circle; expected conditions that do not",
                        t);
}

static cmb_status search(cmb_evaluator *ev, cmb_mode_search *m, const struct mode_state *x)
{
  bool changed = true;
  for (int k = 0; changed; k++) {
    if (k > 3 * ev->eq->ns) return fail_circle(ev, x->t);
    CMB_TRY(pass(ev, m, x, &changed));
  }
  return check_values(ev, m, x->t);
}

/* Makes one pass of cmb_follow_modes at the state x; *changed: a mode has changed. */
static cmb_status follow_once(cmb_evaluator *ev, const cmb_mode_search *m,
                              const struct mode_state *x, const double *before, double least,
                              const int *fixed, bool *changed)
{
  double *s = m->s_ahead;
  int *level = m->level_ahead;
  CMB_TRY(values_at(ev, x, s));
  CMB_TRY(cmb_levels(ev, x->t, x->q, x->v, x->lambda, level));
  *changed = false;
  for (int i = 0; i < ev->eq->ns; i++) {
    if (fixed[i] != 0 || !(fabs(s[i] - before[i]) > least)) continue;
    const int sign = s[i] > 0 ? 1 : -1;
    const int mode = !cmb_mode_is_level(ev, i) ? sign : s[i] < 0 ? level[i] : ev->mode[i];
    *changed = *changed || mode != ev->mode[i];
    ev->mode[i] = mode;
  }
  return CMB_OK;
}

cmb_status cmb_follow_modes(cmb_evaluator *ev, const cmb_mode_search *m, double t, const double *q,
                            const double *v, const double *lambda, const double *before,
                            double least, const int *fixed)
{
  const struct mode_state x = {t, q, v, lambda, NULL};
  bool changed = true;
  for (int k = 0; changed; k++) {
    if (k > 3 * ev->eq->ns) return fail_circle(ev, t);
    CMB_TRY(follow_once(ev, m, &x, before, least, fixed, &changed));
  }
  return CMB_OK;
}

cmb_status cmb_find_modes(cmb_evaluator *ev, cmb_mode_search *m, double t, const double *q,
                          const double *v, const double *lambda, const double *a, bool *changed)
{
  const size_t size = (size_t)ev->eq->ns * sizeof *m->before;
  const struct mode_state x = {t, q, v, lambda, a};
  *changed = false;
  if (ev->eq->ns == 0) return CMB_OK;
  memcpy(m->before, ev->mode, size);
  for (int i = 0; i < ev->eq->ns; i++) m->edge[i] = CMB_EDGE_UNKNOWN;
  cmb_status status = search(ev, m, &x);
  if (status == CMB_OK) {
    *changed = memcmp(m->before, ev->mode, size) != 0;
  } else {
    memcpy(ev->mode, m->before, size);
  }
  return status;
}

cmb_status cmb_guess_modes(cmb_evaluator *ev, cmb_mode_search *m, double t, const double *q,
                           const double *v, bool *changed)
{
  return cmb_find_modes(ev, m, t, q, v, m->no_force, m->no_change, changed);
}

/* Returns the name of the first switching function that is not finite at the end of a search for modes; NULL: none. */
static const char *not_finite(const cmb_evaluator *ev, const cmb_mode_search *m)
{
  for (int i = 0; i < ev->eq->ns; i++) {
    if (!isfinite(m->s[i])) return ev->eq->switch_names[i];
  }
  return NULL;
}

/* Converts a positive status of a search for modes at time t to an error with a message, since outside of a time step there is no smaller step
 * size to try. Returns other statuses unchanged. */
static cmb_status fail_recoverable(cmb_evaluator *ev, const cmb_mode_search *m, cmb_status status,
                                   double t)
{
  char text[256];
  if (status <= 0) return status;
  if (status != CMB_RETRY_NONFINITE || cmb_evaluator_unsolved(ev) || !not_finite(ev, m)) {
    const cmb_status end =
        status == CMB_RETRY_NONFINITE ? CMB_ERROR_NONFINITE : CMB_ERROR_EQUATIONS;
    return cmb_fail_about(ev->ctx, end,
                          cmb_about_time(t, "constraint", cmb_evaluator_blamed(ev, status)),
                          "the conditions of events, contacts and 'if', 'abs' and the like cannot "
                          "be evaluated at t = %.9g: %s",
                          t, cmb_evaluator_blame(ev, status, sizeof text, text));
  }
  const char *name = not_finite(ev, m);
  return cmb_fail_about(ev->ctx, CMB_ERROR_NONFINITE, cmb_about_time(t, "switching function", name),
                        "switching function '%s' at t = %.9g: %s", name, t,
                        cmb_status_meaning(status));
}

/* Writes the names of the switching functions whose current mode differs from their mode in other[ns] to text[room], such as
 * "'a', 'b', 'c' and others". */
static void name_changed(const cmb_evaluator *ev, const int *other, size_t room, char *text)
{
  enum { MOST_NAMED = 3 };
  size_t used = 0;
  int named = 0;
  text[0] = '\0';
  for (int i = 0; i < ev->eq->ns && named <= MOST_NAMED && used < room; i++) {
    if (ev->mode[i] == other[i]) continue;
    const int n = named < MOST_NAMED ? snprintf(text + used, room - used, "%s'%s'",
                                                named ? ", " : "", ev->eq->switch_names[i])
                                     : snprintf(text + used, room - used, " and others");
    used += n > 0 ? (size_t)n : 0;
    named++;
  }
}

cmb_status cmb_modes_unsettled(const cmb_evaluator *ev, const int *other, double t)
{
  char names[256];
  name_changed(ev, other, sizeof names, names);
  return cmb_fail_about(
      ev->ctx, CMB_ERROR_EVENTS, cmb_about_time(t, NULL, NULL),
      "switching functions change sign without end at t = %.9g: after %d rounds the "
      "accelerations and constraint forces in the new modes still require other modes of %s",
      t, cmb_mode_rounds(ev->eq), names);
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
  CMB_TRY(fail_recoverable(ev, m, cmb_guess_modes(ev, m, t, q, v, &changed), t));
  for (int round = 0; round < cmb_mode_rounds(eq); round++) {
    memcpy(q, m->q_given, q_size);
    memcpy(v, m->v_given, v_size);
    CMB_TRY(cmb_consistent_start(ev, t, q, v, a, lambda, report));
    if (round == 0) memcpy(m->a_first, a, v_size);
    CMB_TRY(
        fail_recoverable(ev, m, cmb_find_modes(ev, m, t, q, v, lambda, m->a_first, &changed), t));
    if (!changed) return CMB_OK;
  }
  return cmb_modes_unsettled(ev, m->before, t);
}
