/*
 * Contacts that touch (contacts.h).
 */
#include "sim/contacts.h"

#include "math/dense.h"
#include "math/finite.h"

#include <math.h>
#include <string.h>

static const double LINKED = 1e-12;   /* an entry of A that is not 0, beside the diagonal */
enum { LABORIOUS = 20 };              /* an impact of several, beside one */
static const double ROUNDING = 1e-11; /* a rate, beside what the impulses have done to it */

void cmb_contacts_create(cmb_contacts *x, cmb_arena *arena, const cmb_equations *eq)
{
  int gaps = 0;
  for (int i = 0; i < eq->rule_count; i++) gaps += eq->rules[i].gap;
  const int n = gaps < CMB_MOST_CONTACTS ? gaps : CMB_MOST_CONTACTS;
  const int ng = eq->ng + eq->rule_count; /* bodies may rest on all surfaces */
  const size_t flags = (size_t)n;
  *x = (cmb_contacts){.eq = eq, .most = n};
  x->rule = cmb_arena_ints(arena, n);
  x->stack = cmb_arena_ints(arena, n);
  x->e = cmb_arena_doubles(arena, n);
  x->joint = cmb_arena_take(arena, flags, sizeof(bool));
  x->linked = cmb_arena_take(arena, flags, sizeof(bool));
  x->member = cmb_arena_take(arena, flags, sizeof(bool));
  x->unique = cmb_arena_take(arena, flags, sizeof(bool));
  x->sole = cmb_arena_take(arena, flags, sizeof(bool));
  x->rate = cmb_arena_doubles(arena, n);
  x->now = cmb_arena_doubles(arena, n);
  x->A = cmb_arena_doubles(arena, n * n);
  x->B = cmb_arena_doubles(arena, n * n);
  x->b = cmb_arena_doubles(arena, n);
  x->z = cmb_arena_doubles(arena, n);
  x->response = cmb_arena_take(arena, flags, (size_t)eq->nv * sizeof(double));
  x->tau_of = cmb_arena_take(arena, flags, (size_t)ng * sizeof(double));
  x->impulse = cmb_arena_doubles(arena, n);
  x->v = cmb_arena_doubles(arena, eq->nv);
  x->jump = cmb_arena_doubles(arena, eq->nv);
  x->tau = cmb_arena_doubles(arena, ng);
  cmb_lcp_create(&x->lcp, arena, n);
}

/* ---- which contacts */

/* Those that touch. */
static cmb_status list_touching(cmb_contacts *x, cmb_evaluator *ev, const cmb_point *at,
                                const bool *rests, double gap)
{
  const cmb_equations *eq = ev->eq;
  x->touching = x->count = 0;
  CMB_TRY(cmb_surfaces(ev, at->t, at->q, at->v));
  for (int i = 0; i < eq->rule_count; i++) {
    if (!eq->rules[i].gap || rests[i]) continue;
    if (!(-ev->u[i] <= gap)) continue;
    x->touching++;
    if (x->count < x->most) x->rule[x->count++] = i;
  }
  return CMB_OK;
}

/* Their responses and rates; those that cannot move are left out. */
static cmb_status respond(cmb_contacts *x, const cmb_impact *impact, const cmb_point *at)
{
  cmb_evaluator *ev = impact->ev;
  const int nv = ev->eq->nv, ng = x->ng = ev->eq->ng, listed = x->count;
  CMB_TRY(cmb_factor_at(ev, at->t, at->q));
  x->count = 0;
  for (int k = 0; k < listed; k++) {
    const cmb_rule *r = &ev->eq->rules[x->rule[k]];
    const double *row = impact->R + (ptrdiff_t)r->first_reset * nv;
    double *response = x->response + (ptrdiff_t)x->count * nv;
    cmb_solve(ev, row, NULL, response, x->tau_of + (ptrdiff_t)x->count * ng);
    if (!cmb_impact_is_allowed(impact, response) || !(cmb_dot(nv, row, response) > 0)) continue;
    x->rule[x->count] = x->rule[k];
    x->e[x->count] = r->restitution;
    x->joint[x->count] = r->law == CMB_LAW_POISSON || r->restitution == 0;
    x->rate[x->count++] = -impact->change[r->first_reset] / (1 + r->restitution);
  }
  return CMB_OK;
}

cmb_status cmb_contacts_gather(cmb_contacts *x, cmb_impact *impact, const cmb_point *at,
                               const double *lambda, const bool *rests, double gap)
{
  cmb_evaluator *ev = impact->ev;
  const cmb_equations *eq = ev->eq;
  CMB_TRY(list_touching(x, ev, at, rests, gap));
  if (x->count < 2) return CMB_OK;
  CMB_TRY(cmb_resets(ev, at->t, at->q, at->v, lambda, impact->R, impact->change));
  CMB_TRY(respond(x, impact, at));
  for (int i = 0; i < x->count; i++) {
    const ptrdiff_t row = (ptrdiff_t)eq->rules[x->rule[i]].first_reset * eq->nv;
    for (int k = 0; k <= i; k++) {
      const double *response = x->response + (ptrdiff_t)k * eq->nv;
      x->A[i * x->count + k] = x->A[k * x->count + i] = cmb_dot(eq->nv, impact->R + row, response);
    }
  }
  return cmb_all_finite(x->count * x->count, x->A) && cmb_all_finite(x->count, x->rate)
             ? CMB_OK
             : CMB_RETRY_NONFINITE;
}

/* Those that act upon contact i, directly or by others. */
static void link_to(cmb_contacts *x, int i)
{
  const ptrdiff_t n = x->count;
  int waiting = 0;
  for (int k = 0; k < n; k++) x->linked[k] = k == i;
  x->stack[waiting++] = i;
  while (waiting > 0) {
    const ptrdiff_t from = x->stack[--waiting];
    for (int k = 0; k < n; k++) {
      const double size = sqrt(x->A[from * n + from] * x->A[k * n + k]);
      if (x->linked[k] || !(fabs(x->A[from * n + k]) > LINKED * size)) continue;
      x->linked[k] = true;
      x->stack[waiting++] = k;
    }
  }
}

/* ---- what they do */

static void begin(cmb_contacts *x, const double *v)
{
  memcpy(x->now, x->rate, (size_t)x->count * sizeof *x->now);
  memcpy(x->v, v, (size_t)x->eq->nv * sizeof *x->v);
  for (int k = 0; k < x->count; k++) x->impulse[k] = 0, x->unique[k] = true;
}

static void act_upon(cmb_contacts *x, int k, double impulse)
{
  const ptrdiff_t n = x->count;
  x->impulse[k] += impulse;
  for (int i = 0; i < n; i++) x->now[i] += impulse * x->A[i * n + k];
  cmb_add_scaled(x->eq->nv, impulse, x->response + (ptrdiff_t)k * x->eq->nv, x->v);
}

/* The members' impulses that end their closing, into z. */
static cmb_status compress(cmb_contacts *x)
{
  int size = 0, row = 0;
  for (int k = 0; k < x->count; k++) size += x->member[k];
  for (int i = 0; i < x->count; i++) {
    if (!x->member[i]) continue;
    x->b[row] = x->now[i];
    double *to = x->B + (ptrdiff_t)row++ * size;
    for (int k = 0; k < x->count; k++) {
      if (x->member[k]) *to++ = x->A[(ptrdiff_t)i * x->count + k];
    }
  }
  return cmb_lcp_solve(&x->lcp, size, x->B, x->b, x->z, x->sole);
}

/* Both phases. */
static cmb_status press(cmb_contacts *x)
{
  bool expands = false;
  CMB_TRY(compress(x));
  for (int i = 0, k = 0; i < x->count; i++) {
    if (!x->member[i]) continue;
    expands = expands || x->e[i] * x->z[k] > 0;
    x->unique[i] = x->unique[i] && x->sole[k];
    act_upon(x, i, (1 + x->e[i]) * x->z[k++]);
  }
  if (!expands) return CMB_OK;
  CMB_TRY(compress(x));
  for (int i = 0, k = 0; i < x->count; i++) {
    if (x->member[i]) act_upon(x, i, x->z[k++]);
  }
  return CMB_OK;
}

/* Whether contact k still closes by more than the tolerances. */
static bool closes(const cmb_contacts *x, int k, double rtol, double atol)
{
  const int nv = x->eq->nv;
  const double impulse = -(1 + x->e[k]) * x->now[k] / x->A[(ptrdiff_t)k * (x->count + 1)];
  for (int i = 0; impulse > 0 && i < nv; i++) {
    const double jump = impulse * x->response[(ptrdiff_t)k * nv + i];
    if (!(fabs(jump) <= rtol * fabs(x->v[i]) + atol)) return true;
  }
  return false;
}

/* One impact of a sequence: of contact k alone, or of all whose law is for several together. */
static cmb_status strike(cmb_contacts *x, int k)
{
  if (x->joint[k]) return press(x);
  act_upon(x, k, -(1 + x->e[k]) * x->now[k] / x->A[(ptrdiff_t)k * (x->count + 1)]);
  return CMB_OK;
}

/* The sequence of impacts, how many there are, and whether it ends. */
static cmb_status follow(cmb_contacts *x, const double *v, double rtol, double atol, int *impacts,
                         bool *ends)
{
  *impacts = 0;
  begin(x, v);
  for (*ends = false; !*ends && *impacts < CMB_LONG_SEQUENCE;) {
    *ends = true;
    for (int k = 0; k < x->count; k++) {
      if (!x->linked[k] || !closes(x, k, rtol, atol)) continue;
      *ends = false;
      *impacts += x->joint[k] ? LABORIOUS : 1;
      CMB_TRY(strike(x, k));
    }
  }
  return CMB_OK;
}

/* What still closes behind a sequence without end is compressed and does not come back: there such sequences lead. */
static cmb_status conclude(cmb_contacts *x)
{
  memcpy(x->member, x->linked, (size_t)x->count * sizeof *x->member);
  CMB_TRY(compress(x));
  for (int i = 0, k = 0; i < x->count; i++) {
    if (!x->member[i]) continue;
    x->unique[i] = x->unique[i] && x->sole[k];
    act_upon(x, i, x->z[k++]);
  }
  return CMB_OK;
}

/* All that has acted. */
static cmb_status sum_up(cmb_contacts *x)
{
  const int nv = x->eq->nv, ng = x->ng;
  memset(x->jump, 0, (size_t)nv * sizeof *x->jump);
  memset(x->tau, 0, (size_t)ng * sizeof *x->tau);
  for (int k = 0; k < x->count; k++) {
    cmb_add_scaled(nv, x->impulse[k], x->response + (ptrdiff_t)k * nv, x->jump);
    cmb_add_scaled(ng, x->impulse[k], x->tau_of + (ptrdiff_t)k * ng, x->tau);
  }
  return cmb_all_finite(nv, x->jump) ? CMB_OK : CMB_RETRY_NONFINITE;
}

cmb_status cmb_contacts_act(cmb_contacts *x, int rule, const double *v, double rtol, double atol,
                            bool *acted, bool *ends)
{
  int asked = 0, impacts, members = 0;
  *acted = *ends = false;
  while (asked < x->count && x->rule[asked] != rule) asked++;
  if (asked == x->count || !(x->rate[asked] < 0)) return CMB_OK;
  link_to(x, asked);
  for (int k = 0; k < x->count; k++) members += x->member[k] = x->linked[k] && x->joint[k];
  CMB_TRY(follow(x, v, rtol, atol, &impacts, ends));
  const bool by_itself = *ends && impacts <= CMB_MOST_IMPACTS;
  if (by_itself && (!x->joint[asked] || members < 2)) return CMB_OK;
  *acted = true;
  if (by_itself) {
    begin(x, v);
    CMB_TRY(press(x));
  } else {
    CMB_TRY(conclude(x));
  }
  return sum_up(x);
}

bool cmb_contacts_stay(const cmb_contacts *x, int k)
{
  const double *row = x->A + (ptrdiff_t)k * x->count;
  double size = 0;
  for (int i = 0; i < x->count; i++) size += fabs(row[i]) * x->impulse[i];
  return x->now[k] <= ROUNDING * size;
}
