/*
 * Encloses switching functions along a step (enclosure.h) by a search from left to right, which halves each part for which there is no proof.
 *
 * For a function that is 0 except for rounding no part has a proof, and halving would go on for ever. So a step has a budget of parts. When
 * it is used up, the rest of the step is undecided as a whole, and the next step's budget is smaller, until steps are proved again.
 */
#include "sim/enclosure.h"

#include "dae/modes.h"
#include "expr/interval.h"
#include "method/integrator.h"

#include <float.h>
#include <math.h>

enum { MOST_PARTS = 4096, LEAST_PARTS = 64, ROUGH_PARTS = 32 };

/* Undecided parts come in rows: near the edge of a half cylinder, where its height has no derivative, bounds of a rate prove nothing for
 * a hundred of the shortest parts and more. Behind an undecided part the next one may be twice as long before it counts as
 * undecided, up to this many of the shortest: a few 1e-12 of the time. */
static const double LONGEST_ROW = 1024;

/* Held functions whose loads have no bounds are looked at in points: parts of a step that are neither longer than the first nor shorter than the
 * second, in which no function of time makes more than this part of its way. */
static const double LONGEST_POINTS = 1.0 / 16, SHORTEST_POINTS = 1.0 / 256, LITTLE = 1.0 / 16;

void cmb_enclosure_create(cmb_enclosure *e, cmb_arena *arena, cmb_integrator *in)
{
  cmb_evaluator *ev = cmb_integrator_evaluator(in);
  const cmb_equations *eq = ev->eq;
  const size_t n = (size_t)eq->nq + (size_t)eq->nv, ns = (size_t)eq->ns;
  *e = (cmb_enclosure){.in = in, .ev = ev, .n = (int)n, .budget = MOST_PARTS};
  if (!eq->enclose) return;
  cmb_motion_create(&e->motion, arena, in, eq->switch_reads);
  e->y = cmb_arena_take(arena, n, sizeof *e->y);
  e->y_rate = cmb_arena_take(arena, n, sizeof *e->y_rate);
  e->s = cmb_arena_take(arena, ns, sizeof *e->s);
  e->rate = cmb_arena_take(arena, ns, sizeof *e->rate);
  e->s_begin = cmb_arena_take(arena, ns, sizeof(double));
  e->s_end = cmb_arena_take(arena, ns, sizeof(double));
  e->rough = cmb_arena_doubles(arena, (int)n);
  e->until = cmb_arena_take(arena, ns, sizeof(double));
  e->open = cmb_arena_take(arena, ns, sizeof *e->open);
}

void cmb_enclosure_hold(cmb_enclosure *e, cmb_arena *arena, const cmb_sliding *sliding,
                        const cmb_resting *resting)
{
  const cmb_equations *eq = e->ev->eq;
  if (!eq->enclose) return;
  cmb_holding_create(&e->holding, arena, e->ev, sliding, resting);
  if (e->holding.count == 0) return;
  e->q = cmb_arena_doubles(arena, eq->nq);
  e->v = cmb_arena_doubles(arena, eq->nv);
  e->a = cmb_arena_doubles(arena, eq->nv);
  e->lambda = cmb_arena_doubles(arena, eq->ng);
  for (int k = 0; k < 3; k++) e->s_state[k] = cmb_arena_doubles(arena, eq->ns);
  e->time = cmb_arena_take(arena, (size_t)eq->nt, sizeof *e->time);
  e->time_whole = cmb_arena_take(arena, (size_t)eq->nt, sizeof *e->time_whole);
}

void cmb_enclosure_begin(cmb_enclosure *e)
{
  e->budget = MOST_PARTS;
  e->parts = e->undecided = 0;
}

static void lift_bounds(cmb_enclosure *e)
{
  for (int i = 0; e->lift && i < e->ev->eq->ns; i++) {
    if (e->lift[i] == 0) continue;
    const double lift = cmb_mode_sign(e->ev, i) * e->lift[i];
    e->s[i].low = nextafter(e->s[i].low + lift, -INFINITY);
    e->s[i].high = nextafter(e->s[i].high + lift, INFINITY);
  }
}

/* Bounds on [a, b] of the open functions, or of their derivatives. */
static void enclose(cmb_enclosure *e, double a, double b, bool rates)
{
  const cmb_equations *eq = e->ev->eq;
  const double h = cmb_integrator_t(e->in) - cmb_integrator_t_before(e->in);
  cmb_motion_range(&e->motion, e->n, a, b, e->y);
  if (rates) cmb_motion_rate_range(&e->motion, e->n, a, b, e->y_rate);
  const cmb_interval t = {cmb_integrator_time_at(e->in, a), cmb_integrator_time_at(e->in, b)};
  cmb_box box = cmb_evaluator_box(e->ev, t, e->y);
  box.t_rate = (cmb_interval){h, h};
  box.v = e->y + eq->nq;
  box.q_rate = e->y_rate;
  box.v_rate = e->y_rate + eq->nq;
  box.wanted = e->open;
  eq->enclose(eq->self, &box, rates ? NULL : e->s, rates ? e->rate : NULL);
  if (!rates) lift_bounds(e);
  e->parts++;
}

/* Whether function i is looked at here. */
static bool is_wanted(const cmb_enclosure *e, int i)
{
  return e->ev->eq->switch_enclosed[i] && !(e->ignored && e->ignored[i]);
}

static bool is_proved(const cmb_enclosure *e, int i)
{
  return cmb_mode_sign(e->ev, i) > 0 ? e->s[i].low >= 0 : e->s[i].high <= 0;
}

/* The functions that have not been proved yet as far as b; returns whether there are any. */
static bool find_open(cmb_enclosure *e, double b)
{
  bool any = false;
  for (int i = 0; i < e->ev->eq->ns; i++) {
    e->open[i] = is_wanted(e, i) && e->until[i] < b;
    any = any || e->open[i];
  }
  return any;
}

/* What its bounds prove is proved in all parts of [a, b], too. */
static void note_proved(cmb_enclosure *e, double b)
{
  for (int i = 0; i < e->ev->eq->ns; i++) {
    if (e->open[i] && is_proved(e, i)) e->until[i] = b;
  }
}

typedef enum verdict { PROVED, ISOLATED, OPEN } verdict;

/* Function i on a part of the step, with the values at its ends and the bounds of its derivative. */
static verdict judge(const cmb_enclosure *e, int i, double width)
{
  const int m = cmb_mode_sign(e->ev, i);
  const double begin = m * e->s_begin[i], end = m * e->s_end[i];
  const cmb_interval rate = e->rate[i];
  if (rate.low > 0 || rate.high < 0) return end >= 0 ? PROVED : ISOLATED;
  const double steepest = fmax(fabs(rate.low), fabs(rate.high));
  const double rounding = 64 * DBL_EPSILON * (fabs(begin) + fabs(end));
  return begin + end >= width * steepest + rounding && end >= 0 ? PROVED : OPEN;
}

/* All that are open on [a, b]; *open is one that could not be decided on. */
static verdict judge_all(cmb_enclosure *e, double a, double b, int *open)
{
  verdict all = PROVED;
  for (int i = 0; i < e->ev->eq->ns; i++) {
    if (!e->open[i]) continue;
    const verdict v = judge(e, i, b - a);
    if (v == PROVED) e->until[i] = b;
    if (v == OPEN) *open = i;
    if (v > all) all = v;
  }
  return all;
}

static bool ends_negative(const cmb_enclosure *e)
{
  for (int i = 0; i < e->ev->eq->ns; i++) {
    if (e->open[i] && cmb_mode_sign(e->ev, i) * e->s_end[i] < 0) return true;
  }
  return false;
}

/* Gaps of bodies that touch are left out: a stop goes by whether its gap is closed and closing, whenever that was. The function of a rest has the
 * name of one that its rule reads, which the equations without rests have, too. Parts in a row are counted once: *counted. */
static void note_undecided(cmb_enclosure *e, int i, double theta, bool *counted)
{
  const bool *of_gap = e->ev->eq->switch_of_gap;
  const int name = cmb_holding_name(&e->holding, i);
  if (name == i && of_gap && of_gap[i]) return;
  if (!*counted) e->undecided++;
  *counted = true;
  e->undecided_function = name;
  e->undecided_t = cmb_integrator_time_at(e->in, theta);
}

/* ---- what slides and rests */

static double time_at(const cmb_enclosure *e, double theta)
{
  return cmb_integrator_time_at(e->in, theta);
}

static void time_bounds(const cmb_enclosure *e, double a, double b, cmb_interval *bounds)
{
  const cmb_equations *eq = e->ev->eq;
  const cmb_box box = cmb_evaluator_box(e->ev, (cmb_interval){time_at(e, a), time_at(e, b)}, NULL);
  if (eq->nt > 0) eq->time_bounds(eq->self, &box, bounds);
}

/* The last step is looked at: whether what holds in it depends on time. */
static cmb_status begin_held(cmb_enclosure *e)
{
  e->loads_vary = false;
  if (e->holding.count == 0) return CMB_OK;
  const double t = time_at(e, 0.5);
  CMB_TRY(cmb_integrator_interpolate(e->in, t, e->q, e->v));
  CMB_TRY(cmb_holding_begin(&e->holding, e->ev->mode, t, e->q, e->v, &e->loads_vary));
  e->loads_vary = e->loads_vary || e->ev->eq->matrices_vary;
  if (e->loads_vary) time_bounds(e, 0, 1, e->time_whole);
  return CMB_OK;
}

/* The functions at the time t in the state at θ, which stays in q and v. */
static cmb_status look_at(cmb_enclosure *e, double t, double theta, double *s)
{
  CMB_TRY(cmb_integrator_interpolate(e->in, time_at(e, theta), e->q, e->v));
  CMB_TRY(cmb_accelerate(e->ev, t, e->q, e->v, e->a, e->lambda));
  return cmb_switches(e->ev, t, e->q, e->v, e->lambda, s);
}

/* At the ends and in the middle of a part: the states there, at their times or all at that in the middle. */
static cmb_status look_at_states(cmb_enclosure *e, double a, double b, bool own_times)
{
  const double at[3] = {a, b, (a + b) / 2};
  for (int k = 0; k < 3; k++) {
    CMB_TRY(look_at(e, time_at(e, own_times ? at[k] : at[2]), at[k], e->s_state[k]));
  }
  return CMB_OK;
}

/* δ of function i */
static double state_part(const cmb_enclosure *e, int i)
{
  const double middle = e->s_state[2][i];
  return fmax(fabs(e->s_state[0][i] - middle), fabs(e->s_state[1][i] - middle));
}

/* Whether the functions of time vary so little on the part that points will do; those without bounds, that it is short. */
static bool hardly_varies(cmb_enclosure *e, double a, double b)
{
  if (b - a > LONGEST_POINTS) return false;
  if (b - a <= SHORTEST_POINTS) return true;
  time_bounds(e, a, b, e->time);
  for (int i = 0; i < e->ev->eq->nt; i++) {
    const double here = e->time[i].high - e->time[i].low;
    const double all = e->time_whole[i].high - e->time_whole[i].low;
    if (!(here <= LITTLE * all)) return false;
  }
  return true;
}

/* The bounds of the held functions on [a, b], into e->s. */
static cmb_status enclose_held(cmb_enclosure *e, double a, double b)
{
  const cmb_equations *eq = e->ev->eq;
  const cmb_interval t = {time_at(e, a), time_at(e, b)};
  bool known = !eq->matrices_vary;
  e->parts++;
  if (known) {
    CMB_TRY(look_at_states(e, a, b, false));
    CMB_TRY(cmb_holding_enclose(&e->holding, e->ev->mode, t, e->q, e->v, e->s));
  }
  for (int j = 0; known && j < e->holding.count; j++) {
    known = cmb_interval_known(e->s[e->holding.function[j]]);
  }
  if (known) return CMB_OK;
  CMB_TRY(look_at_states(e, a, b, true));
  const bool points = hardly_varies(e, a, b);
  for (int j = 0; j < e->holding.count; j++) {
    const int i = e->holding.function[j];
    e->s[i] = points ? cmb_interval_of(e->s_state[2][i]) : cmb_interval_unknown();
  }
  return CMB_OK;
}

/* Whether function i, held function j, hardly varies on the part: then its signs at the ends will do. */
static bool is_flat(const cmb_enclosure *e, int j, int i)
{
  return e->s[i].high - e->s[i].low + 2 * state_part(e, i) <= e->holding.small[j];
}

/* Held functions that are not proved on [a, b] are open, too. */
static cmb_status inspect_held(cmb_enclosure *e, cmb_sample *sample, void *user, double a, double b,
                               verdict *found, int *open)
{
  bool any = false, proved = true, flat = true;
  for (int j = 0; j < e->holding.count; j++) any = any || e->until[e->holding.function[j]] < b;
  if (!e->loads_vary || !any) return CMB_OK;
  CMB_TRY(enclose_held(e, a, b));
  for (int j = 0; j < e->holding.count; j++) {
    const int i = e->holding.function[j];
    const bool ignored = e->ignored && e->ignored[i];
    e->open[i] = !ignored && !(e->s[i].low >= 2 * state_part(e, i));
    if (!e->open[i]) continue;
    proved = false;
    flat = flat && is_flat(e, j, i);
    *open = i;
  }
  if (proved) return CMB_OK;
  CMB_TRY(sample(user, b, e->s_end));
  const verdict here = !flat ? OPEN : ends_negative(e) ? ISOLATED : PROVED;
  if (here > *found) *found = here;
  return CMB_OK;
}

/* The part [a, b]. Values at its ends are looked up only if bounds alone do not prove it. */
static cmb_status inspect_enclosed(cmb_enclosure *e, cmb_sample *sample, void *user, double a,
                                   double b, verdict *found, int *open)
{
  *found = PROVED;
  if (!find_open(e, b)) return CMB_OK;
  enclose(e, a, b, false);
  note_proved(e, b);
  if (!find_open(e, b)) return CMB_OK;
  enclose(e, a, b, true);
  CMB_TRY(sample(user, a, e->s_begin));
  CMB_TRY(sample(user, b, e->s_end));
  *found = judge_all(e, a, b, open);
  return CMB_OK;
}

static cmb_status inspect(cmb_enclosure *e, cmb_sample *sample, void *user, double a, double b,
                          verdict *found, int *open)
{
  CMB_TRY(inspect_enclosed(e, sample, user, a, b, found, open));
  return inspect_held(e, sample, user, a, b, found, open);
}

/* The search proper: [a, b] is the part under inspection, everything before a is proved. */
static cmb_status search(cmb_enclosure *e, cmb_sample *sample, void *user, double from, double *a,
                         double *b)
{
  const double t = fabs(cmb_integrator_t(e->in));
  const double h = cmb_integrator_t(e->in) - cmb_integrator_t_before(e->in);
  const double least = fmax(8 * DBL_EPSILON * t / h, 8 * DBL_EPSILON);
  const long limit = e->parts + e->budget;
  double width = 1, row = 1;
  bool counted = false;
  for (*a = from; *a < 1;) {
    *b = fmin(1, *a + width);
    int open = 0;
    verdict found;
    CMB_TRY(inspect(e, sample, user, *a, *b, &found, &open));
    const bool finest = *b - *a <= row * least || e->parts >= limit;
    if (found == ISOLATED || (found == OPEN && finest && ends_negative(e))) return CMB_OK;
    if (found == OPEN && !finest) {
      width = (*b - *a) / 2;
      continue;
    }
    if (found == OPEN && *a > from) note_undecided(e, open, *b, &counted);
    if (found == OPEN && e->parts >= limit) width = 1.0 / 8; /* on in large parts */
    row = found == OPEN ? fmin(2 * row, LONGEST_ROW) : 1;
    counted = counted && found == OPEN;
    *a = *b;
    width = fmin(2 * width, 1);
  }
  *b = 2;
  return CMB_OK;
}

/* Searches from left to right with bounds of the functions alone: rates and values in points would be those of the rough motion only. */
cmb_status cmb_enclosure_excludes(cmb_enclosure *e, bool *proved)
{
  bool rough;
  double a = 0, width = 1;
  *proved = false;
  if (e->holding.count > 0) return CMB_OK;
  CMB_TRY(cmb_integrator_is_rough(e->in, &rough, e->rough));
  if (!rough) return CMB_OK;
  for (int i = 0; i < e->ev->eq->ns; i++) e->until[i] = -1;
  CMB_TRY(cmb_motion_take_roughly(&e->motion, e->n, e->rough));
  for (int parts = 0; a < 1 && parts < ROUGH_PARTS; parts++) {
    const double b = fmin(1, a + width);
    if (find_open(e, b)) enclose(e, a, b, false);
    note_proved(e, b);
    const bool open = find_open(e, b);
    width = open ? (b - a) / 2 : 2 * width;
    if (!open) a = b;
  }
  *proved = a >= 1;
  return CMB_OK;
}

cmb_status cmb_enclosure_first(cmb_enclosure *e, cmb_sample *sample, void *user, double from,
                               double *a, double *b)
{
  const long before = e->parts;
  for (int i = 0; i < e->ev->eq->ns; i++) e->until[i] = -1;
  CMB_TRY(cmb_motion_take(&e->motion, e->n));
  CMB_TRY(begin_held(e));
  CMB_TRY(search(e, sample, user, from, a, b));
  const bool used_up = e->parts - before >= e->budget;
  e->budget = used_up ? e->budget / 2 : 2 * e->budget;
  if (e->budget < LEAST_PARTS) e->budget = LEAST_PARTS;
  if (e->budget > MOST_PARTS) e->budget = MOST_PARTS;
  return CMB_OK;
}
