/*
 * Collects the contacts that touch at one time and solves their simultaneous impacts (contacts.h).
 */
#include "sim/contacts.h"

#include "math/dense.h"
#include "math/finite.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double LINKED = 1e-12;  /* an entry of A that is not 0, beside the diagonal */
enum { LABORIOUS = 20 };             /* an impact of several, beside one */
enum { MOST_PASSES = 3 };            /* of refinement */
static const double REGULAR = 1e-10; /* beside ones on the diagonal of A */
/* A rate that is none, beside what the impulses have done to it: by their sums alone, and by the problems that were solved for them. */
static const double NOISE = 1e-14, ROUNDING = 1e-11;

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
  if (x->most == 0) return CMB_OK;
  CMB_TRY(cmb_surfaces(ev, at->t, at->q, at->v));
  for (int i = 0; i < eq->rule_count; i++) {
    if (!eq->rules[i].gap || rests[i]) continue;
    if (!(-ev->u[i] <= gap * cmb_surface_size(ev, i))) continue;
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
    double *tau = x->tau_of + (ptrdiff_t)x->count * ng;
    if (!cmb_impact_respond(impact, row, response, tau)) continue;
    x->rule[x->count] = x->rule[k];
    x->e[x->count] = r->restitution;
    x->joint[x->count] = r->law == CMB_LAW_POISSON || r->restitution == 0;
    x->rate[x->count++] = -impact->change[r->first_reset] / (1 + r->restitution);
  }
  return CMB_OK;
}

cmb_status cmb_contacts_gather(cmb_contacts *x, cmb_impact *impact, const cmb_point *at,
                               const double *lambda, const bool *rests, double gap, int least)
{
  cmb_evaluator *ev = impact->ev;
  const cmb_equations *eq = ev->eq;
  x->impact = impact;
  CMB_TRY(list_touching(x, ev, at, rests, gap));
  if (x->count < least) return CMB_OK;
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

int cmb_contacts_take_members(cmb_contacts *x)
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
  return size;
}

cmb_status cmb_contacts_compress(cmb_contacts *x)
{
  const int size = cmb_contacts_take_members(x);
  return cmb_lcp_solve(&x->lcp, size, x->B, x->b, x->z, x->sole);
}

/* Both phases. */
static cmb_status press(cmb_contacts *x)
{
  bool expands = false;
  CMB_TRY(cmb_contacts_compress(x));
  for (int i = 0, k = 0; i < x->count; i++) {
    if (!x->member[i]) continue;
    expands = expands || x->e[i] * x->z[k] > 0;
    x->unique[i] = x->unique[i] && x->sole[k];
    act_upon(x, i, (1 + x->e[i]) * x->z[k++]);
  }
  if (!expands) return CMB_OK;
  CMB_TRY(cmb_contacts_compress(x));
  for (int i = 0, k = 0; i < x->count; i++) {
    if (x->member[i]) act_upon(x, i, x->z[k++]);
  }
  return CMB_OK;
}

/* What the impulses have done to the rate of contact k, all signs alike. */
static double done_to(const cmb_contacts *x, int k)
{
  const double *row = x->A + (ptrdiff_t)k * x->count;
  double size = 0;
  for (int i = 0; i < x->count; i++) size += fabs(row[i]) * x->impulse[i];
  return size;
}

/* Whether contact k still closes by more than the tolerances, and by more than rounding. */
static bool closes(const cmb_contacts *x, int k, double rtol, double atol)
{
  const int nv = x->eq->nv;
  if (!(x->now[k] < -NOISE * done_to(x, k))) return false;
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

/* ---- the whole of it */

static const double *row_of(const cmb_contacts *x, int k)
{
  const cmb_equations *eq = x->eq;
  return x->impact->R + (ptrdiff_t)eq->rules[x->rule[k]].first_reset * eq->nv;
}

/* What rounding has left of M jump + Gᵀ τ = Wᵀ Λ and G jump = 0, once more. */
static void refine_jump(cmb_contacts *x)
{
  const int nv = x->eq->nv;
  double *momentum = x->impact->momentum;
  memset(momentum, 0, (size_t)nv * sizeof *momentum);
  for (int k = 0; k < x->count; k++) cmb_add_scaled(nv, x->impulse[k], row_of(x, k), momentum);
  cmb_solve_again(x->impact->ev, momentum, x->jump, x->tau);
}

/* The rates behind the jump. */
static void find_rates(cmb_contacts *x)
{
  const int nv = x->eq->nv;
  for (int k = 0; k < x->count; k++) x->now[k] = x->rate[k] + cmb_dot(nv, row_of(x, k), x->jump);
}

/* What rounding makes of these rates. */
static double finest(const cmb_contacts *x)
{
  double most = 0;
  for (int k = 0; k < x->count; k++) {
    const double *row = row_of(x, k);
    double size = fabs(x->rate[k]);
    for (int i = 0; i < x->eq->nv; i++) size += fabs(row[i] * x->jump[i]);
    most = fmax(most, size);
  }
  return DBL_EPSILON * most;
}

/* The whole of what has acted, and the rates behind it. */
static void sum_up(cmb_contacts *x)
{
  const int nv = x->eq->nv, ng = x->ng;
  memset(x->jump, 0, (size_t)nv * sizeof *x->jump);
  memset(x->tau, 0, (size_t)ng * sizeof *x->tau);
  for (int k = 0; k < x->count; k++) {
    cmb_add_scaled(nv, x->impulse[k], x->response + (ptrdiff_t)k * nv, x->jump);
    cmb_add_scaled(ng, x->impulse[k], x->tau_of + (ptrdiff_t)k * ng, x->tau);
  }
  refine_jump(x);
  find_rates(x);
}

/* What still closes behind a sequence without end is compressed and does not come back: there such sequences lead. The rates
 * of many impacts are found anew: their sums have the rounding errors of all. */
static cmb_status conclude(cmb_contacts *x)
{
  memcpy(x->member, x->linked, (size_t)x->count * sizeof *x->member);
  sum_up(x);
  for (int k = 0; k < x->count; k++) {
    if (fabs(x->now[k]) <= NOISE * done_to(x, k))
      x->now[k] = 0; /* contacts may oppose each other */
  }
  CMB_TRY(cmb_contacts_compress(x));
  for (int i = 0, k = 0; i < x->count; i++) {
    if (!x->member[i]) continue;
    x->unique[i] = x->unique[i] && x->sole[k];
    act_upon(x, i, x->z[k++]);
  }
  return CMB_OK;
}

/* Into `stack`: the members that do not open. Those that have no impulse count if they close. */
static int list_staying(cmb_contacts *x)
{
  int size = 0;
  for (int k = 0; k < x->count; k++) {
    if (!x->member[k] || !cmb_contacts_stay(x, k)) continue;
    if (x->impulse[k] > 0 || x->now[k] < 0) x->stack[size++] = k;
  }
  return size;
}

/* The impulses that make the rates of these contacts 0, of about the least length, into z; in units in which A has ones on its diagonal. */
static bool find_missing(cmb_contacts *x, int size)
{
  const ptrdiff_t n = x->count;
  for (int i = 0; i < size; i++) {
    const ptrdiff_t row = x->stack[i];
    const double unit = 1 / sqrt(x->A[row * n + row]);
    x->z[i] = -unit * x->now[row];
    for (int k = 0; k < size; k++) {
      const ptrdiff_t column = x->stack[k];
      const double a = unit * x->A[row * n + column] / sqrt(x->A[column * n + column]);
      x->B[(ptrdiff_t)i * size + k] = a + (i == k ? REGULAR : 0);
    }
  }
  if (cmb_ldlt_factor(size, x->B) >= 0) return false;
  cmb_ldlt_solve(size, x->B, x->z);
  for (int i = 0; i < size; i++) x->z[i] /= sqrt(x->A[(n + 1) * x->stack[i]]);
  return true;
}

/* The same for those of them whose impulses do not become negative; how many that are. */
static int find_possible(cmb_contacts *x, int size)
{
  while (size > 0) {
    int left = 0;
    if (!find_missing(x, size)) return 0;
    for (int i = 0; i < size; i++) {
      const int k = x->stack[i];
      if (x->impulse[k] + x->z[i] >= 0) x->stack[left++] = k;
    }
    if (left == size) return size;
    size = left;
  }
  return 0;
}

static void add_missing(cmb_contacts *x, int size, double factor)
{
  const int nv = x->eq->nv, ng = x->ng;
  for (int i = 0; i < size; i++) {
    const int k = x->stack[i];
    const double by = factor * x->z[i];
    x->impulse[k] = fmax(x->impulse[k] + by, 0);
    cmb_add_scaled(nv, by, x->response + (ptrdiff_t)k * nv, x->jump);
    cmb_add_scaled(ng, by, x->tau_of + (ptrdiff_t)k * ng, x->tau);
  }
  find_rates(x);
}

/* The largest rate that should be 0, or that closes. */
static double farthest(const cmb_contacts *x)
{
  double most = 0;
  for (int k = 0; k < x->count; k++) {
    if (!x->member[k]) continue;
    const bool stays = x->impulse[k] > 0 && cmb_contacts_stay(x, k);
    most = fmax(most, stays ? fabs(x->now[k]) : -x->now[k]);
  }
  return most;
}

/* Large impulses of contacts that nearly depend on each other cancel, and rounding errors do not: A Λ is then less exact than the rates behind
 * the jump itself. Rates that should be 0 are made so, but for what rounding makes of them again. */
static void refine(cmb_contacts *x)
{
  double before = farthest(x);
  for (int pass = 0; pass < MOST_PASSES && before > finest(x); pass++) {
    const int size = find_possible(x, list_staying(x));
    if (size == 0) return;
    add_missing(x, size, 1);
    const double after = farthest(x);
    if (!(after < before)) {
      add_missing(x, size, -1);
      return;
    }
    before = after;
  }
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
  sum_up(x);
  refine(x);
  return cmb_all_finite(x->eq->nv, x->jump) ? CMB_OK : CMB_RETRY_NONFINITE;
}

bool cmb_contacts_stay(const cmb_contacts *x, int k)
{
  return x->now[k] <= ROUNDING * done_to(x, k);
}
