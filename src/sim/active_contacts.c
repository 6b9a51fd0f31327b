/*
 * Selects the contacts that carry load among those that stay closed (active_contacts.h).
 */
#include "sim/active_contacts.h"

#include "math/dense.h"
#include "math/finite.h"

#include <math.h>

static const double LINKED = 1e-12;   /* an entry of A that is not 0, beside the diagonal */
static const double ROUNDING = 1e-13; /* of b, beside what it is made of */
static const double STAYS = 1e-9;     /* d̈ that is none, beside what it is made of */

void cmb_active_contacts_create(cmb_active_contacts *x, cmb_arena *arena, const cmb_equations *eq)
{
  cmb_contacts_create(&x->contacts, arena, eq);
  const int n = x->contacts.most;
  const size_t flags = (size_t)n, rules = (size_t)eq->rule_count;
  cmb_basic_create(&x->basic, arena, n, eq->nv);
  x->row = cmb_arena_take(arena, flags, sizeof(void *));
  x->response = cmb_arena_take(arena, flags, sizeof(void *));
  x->d2 = cmb_arena_doubles(arena, n);
  x->size = cmb_arena_doubles(arena, n);
  x->first = cmb_arena_take(arena, flags, sizeof *x->first);
  x->more = cmb_arena_take(arena, flags, sizeof *x->more);
  x->active = cmb_arena_take(arena, flags, sizeof *x->active);
  x->none = cmb_arena_take(arena, rules, sizeof *x->none);
  x->decided = cmb_arena_take(arena, rules, sizeof *x->decided);
  x->a = cmb_arena_doubles(arena, eq->nv);
  x->lambda = cmb_arena_doubles(arena, eq->ng + eq->rule_count);
}

void cmb_active_contacts_forget(cmb_active_contacts *x)
{
  const int rules = x->contacts.eq->rule_count;
  for (int k = 0; k < rules; k++) x->decided[k] = false;
}

/* Those that stay become members: also where the accelerations that there are would bring them back before they are seen to have left. */
static void list_members(cmb_active_contacts *x, const cmb_evaluator *ev,
                         const cmb_active_contacts_query *query)
{
  cmb_contacts *c = &x->contacts;
  for (int k = 0; k < c->count; k++) {
    const int rule = c->rule[k];
    const double size = cmb_surface_size(ev, rule);
    const double unseen = 2 * sqrt(query->unseen * size * x->size[k]);
    const bool stays = fabs(ev->u[rule]) <= query->gap * size &&
                       fabs(c->rate[k]) <= fmax(query->rate * size, unseen);
    c->member[k] = x->decided[rule] = stays || query->closed[rule] || query->undecided[rule];
  }
}

/* b of all; what is nothing but rounding is 0, for bodies may fit in between others exactly. */
static cmb_status find_accelerations(cmb_active_contacts *x, const cmb_impact *impact,
                                     const cmb_point *at, double still)
{
  cmb_contacts *c = &x->contacts;
  cmb_evaluator *ev = impact->ev;
  const int nv = ev->eq->nv;
  CMB_TRY(cmb_accelerate_factored(ev, at->t, at->q, at->v, x->a, x->lambda));
  for (int k = 0; k < c->count; k++) {
    const int rule = c->rule[k];
    const double *row = impact->R + (ptrdiff_t)ev->eq->rules[rule].first_reset * nv;
    c->now[k] = cmb_dot(nv, row, x->a) - ev->u_gamma[rule];
    x->size[k] = fabs(ev->u_gamma[rule]);
    for (int i = 0; i < nv; i++) x->size[k] += fabs(row[i] * x->a[i]);
    const double none = fmax(ROUNDING * x->size[k], still * cmb_surface_size(ev, rule));
    if (fabs(c->now[k]) <= none) c->now[k] = 0;
  }
  return cmb_all_finite(c->count, c->now) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* Whether member i acts upon one that pushes. */
static bool is_linked(const cmb_contacts *c, int n, int i)
{
  for (int k = 0; k < n; k++) {
    const double size = sqrt(c->B[(ptrdiff_t)i * (n + 1)] * c->B[(ptrdiff_t)k * (n + 1)]);
    if (c->z[k] > 0 && fabs(c->B[(ptrdiff_t)i * n + k]) > LINKED * size) return true;
  }
  return false;
}

/* Members that do not open may bear without a force, for the bodies would lean on them the next moment: those that did so before, and
 * those beside others that push. */
void cmb_active_contacts_choose(cmb_active_contacts *x, const double *R,
                                const cmb_active_contacts_query *query)
{
  cmb_contacts *c = &x->contacts;
  const ptrdiff_t nv = c->eq->nv;
  int n = 0, i = 0;
  for (int k = 0; k < c->count; k++) n += c->member[k];
  for (int k = 0; k < c->count; k++) {
    if (!c->member[k]) continue;
    const int rule = c->rule[k];
    const double *row = c->B + (ptrdiff_t)i * n;
    double size = x->size[k];
    for (int j = 0; j < n; j++) size += fabs(row[j]) * c->z[j];
    x->d2[i] = c->b[i] + cmb_dot(n, row, c->z);
    x->row[i] = R + c->eq->rules[rule].first_reset * nv;
    x->response[i] = c->response + k * nv;
    x->first[i] = query->closed[rule];
    x->more[i] = x->d2[i] <= STAYS * size && !query->ended[rule] &&
                 (query->closed[rule] || query->undecided[rule] || is_linked(c, n, i));
    i++;
  }
  const cmb_basic_rows rows = {n, x->row, x->response};
  cmb_basic_find(&x->basic, &rows, x->first, x->more, c->z, x->active);
}

cmb_status cmb_active_contacts_gather(cmb_active_contacts *x, cmb_impact *impact,
                                      const cmb_point *at, const double *lambda,
                                      const cmb_active_contacts_query *query, int least)
{
  cmb_contacts *c = &x->contacts;
  cmb_active_contacts_forget(x);
  CMB_TRY(cmb_contacts_gather(c, impact, at, lambda, x->none, query->far, least));
  if (c->touching < least || c->touching > c->most) return CMB_OK;
  CMB_TRY(find_accelerations(x, impact, at, query->still));
  list_members(x, impact->ev, query);
  return CMB_OK;
}

cmb_status cmb_active_contacts_find(cmb_active_contacts *x, cmb_impact *impact, const cmb_point *at,
                                    const double *lambda, const cmb_active_contacts_query *query)
{
  cmb_contacts *c = &x->contacts;
  CMB_TRY(cmb_active_contacts_gather(x, impact, at, lambda, query, 2));
  if (c->touching < 2 || c->touching > c->most) return CMB_OK;
  CMB_TRY(cmb_contacts_compress(c));
  cmb_active_contacts_choose(x, impact->R, query);
  return CMB_OK;
}

bool cmb_active_contacts_contain(const cmb_active_contacts *x, int rule)
{
  const cmb_contacts *c = &x->contacts;
  for (int k = 0, i = 0; k < c->count; k++) {
    if (!c->member[k]) continue;
    if (c->rule[k] == rule) return x->active[i];
    i++;
  }
  return false;
}
