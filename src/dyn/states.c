/*
 * First-order states z of the model (controllers, relaxed slips): reads their rates ż = e(t, q, v, z) and adds them to the equations of
 * motion. Rates that depend on accelerations a or multipliers λ are treated in late_states.c.
 *
 * States are stored behind the velocities: the vector that later layers call v is (v, z), M is diag(M, I), f is (f, e), and the columns of
 * G and T for z are zero. So a state takes part in stages, error estimates, dense output, Newton matrices and resets like a velocity, and
 * no projection changes it.
 */
#include "base/context.h"
#include "dyn/build.h"

#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 320 };

static cmb_expr *expressions(cmb_build *b, int count)
{
  return cmb_arena_take(b->arena, (size_t)count + 1, sizeof(cmb_expr));
}

cmb_status cmb_build_states(cmb_build *b)
{
  const cmb_model *m = b->model;
  b->state = expressions(b, m->state_count);
  b->state_rate = expressions(b, m->state_count);
  b->state_change = expressions(b, m->state_count);
  b->rate_state = cmb_arena_ints(b->arena, m->state_count);
  b->state_late = cmb_arena_take(b->arena, (size_t)m->state_count + 1, sizeof *b->state_late);
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  for (int i = 0; i < m->state_count; i++) {
    char text[NAME_ROOM];
    snprintf(text, sizeof text, "state %s", m->states[i].name);
    b->state[i] = cmb_input(b->g, text);
    snprintf(text, sizeof text, "rate of state %s", m->states[i].name);
    b->state_change[i] = cmb_input(b->g, text);
  }
  return CMB_OK;
}

cmb_status cmb_build_state_rate(cmb_build *b, int state)
{
  const cmb_model_state *s = &b->model->states[state];
  if (b->rate_state[state] == CMB_BUILT) return CMB_OK;
  if (b->rate_state[state] == CMB_IN_WORK) {
    return cmb_build_fail(b, cmb_about_part(&s->place, "state", s->name),
                          "the rate of state '%s' depends on itself", s->name);
  }
  if (s->tyre > 0) return cmb_build_force(b, s->tyre - 1);
  const bool late = b->reads_late, inside = b->in_rate;
  b->rate_state[state] = CMB_IN_WORK;
  b->reads_late = false;
  b->in_rate = true;
  CMB_TRY(cmb_build_formula(b, &s->rate, CMB_LEVEL_OUTPUT, NULL, &b->state_rate[state]));
  b->state_late[state] = b->reads_late;
  b->reads_late = late;
  b->in_rate = inside;
  b->rate_state[state] = CMB_BUILT;
  return CMB_OK;
}

cmb_status cmb_build_state_rates(cmb_build *b)
{
  for (int i = 0; i < b->model->state_count; i++) CMB_TRY(cmb_build_state_rate(b, i));
  return CMB_OK;
}

/* ---- adding the states to the equations of motion */

/* Returns a new array with items[count], followed by more[nz], one expression for each first-order state. Returns NULL if out of memory; the
 * arena records this. */
static cmb_expr *append_states(cmb_build *b, int count, const cmb_expr *items, const cmb_expr *more)
{
  const int nz = b->model->state_count;
  cmb_expr *all = expressions(b, count + nz);
  if (!all) return NULL;
  memcpy(all, items, (size_t)count * sizeof *all);
  memcpy(all + count, more, (size_t)nz * sizeof *all);
  return all;
}

static const char **append_state_names(cmb_build *b, int count, const char *const *items,
                                       bool units)
{
  const cmb_model *m = b->model;
  const char **all =
      cmb_arena_take(b->arena, (size_t)count + (size_t)m->state_count + 1, sizeof *all);
  if (!all) return NULL;
  memcpy(all, items, (size_t)count * sizeof *all);
  for (int i = 0; i < m->state_count; i++) {
    all[count + i] = units ? m->states[i].unit : m->states[i].name;
  }
  return all;
}

cmb_status cmb_build_take_states(cmb_build *b, cmb_expressions *x)
{
  const int nv = b->tree->nv;
  x->nz = b->model->state_count;
  x->nv = nv + x->nz;
  if (x->nz == 0) return CMB_OK;
  x->v = append_states(b, nv, b->k->v, b->state);
  x->a = append_states(b, nv, b->k->a, b->state_change);
  x->v_names = append_state_names(b, nv, b->k->v_names, false);
  return cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}

cmb_status cmb_build_state_units(cmb_build *b, cmb_expressions *x)
{
  if (x->nz > 0) x->v_units = append_state_names(b, b->tree->nv, x->v_units, true);
  return cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}

/* Appends the mass matrix of the first-order states, an identity, to the entries of the mass matrix M in x. */
static void add_mass(cmb_build *b, cmb_expressions *x)
{
  const int nv = b->tree->nv, count = x->M.count;
  cmb_entry *all = cmb_arena_take(b->arena, (size_t)count + (size_t)x->nz + 1, sizeof *x->M.entry);
  if (!all) return;
  memcpy(all, x->M.entry, (size_t)count * sizeof *all);
  for (int i = 0; i < x->nz; i++) {
    all[count + i] = (cmb_entry){nv + i, nv + i, cmb_constant(b->g, 1)};
  }
  x->M = (cmb_entries){all, count + x->nz};
}

/* Extends the factorised mass matrix M = W⁻¹ D W⁻ᵀ by nz first-order states, on which W acts as the identity: inserts ones into the diagonal D
 * after its entries for the velocities, and extends the products with W, Wᵀ and M so that they pass the components of the states on. */
static void add_mass_factors(cmb_build *b, cmb_mass_expressions *m, int nz)
{
  const int nv = b->tree->nv, rest = m->count - nv;
  cmb_expr *value = expressions(b, m->count + nz), *symbol = expressions(b, m->count + nz);
  if (!value || !symbol) return;
  memcpy(value, m->value, (size_t)nv * sizeof *value);
  memcpy(symbol, m->symbol, (size_t)nv * sizeof *symbol);
  for (int i = 0; i < nz; i++) {
    char text[NAME_ROOM];
    snprintf(text, sizeof text, "inertia of state %s", b->model->states[i].name);
    value[nv + i] = cmb_constant(b->g, 1);
    symbol[nv + i] = cmb_input(b->g, text);
  }
  memcpy(value + nv + nz, m->value + nv, (size_t)rest * sizeof *value);
  memcpy(symbol + nv + nz, m->symbol + nv, (size_t)rest * sizeof *symbol);
  m->value = value, m->symbol = symbol;
  m->count += nz;
  m->forward = append_states(b, nv, m->forward, b->state_change);
  m->backward = append_states(b, nv, m->backward, b->state_change);
  m->multiply = append_states(b, nv, m->multiply, b->state_change);
}

cmb_status cmb_build_state_equations(cmb_build *b, cmb_expressions *x)
{
  const int nv = b->tree->nv, nz = x->nz;
  cmb_expr *defect = expressions(b, nz), *rate = expressions(b, nz);
  if (nz == 0) return CMB_OK;
  if (!defect || !rate) return CMB_ERROR_MEMORY;
  CMB_TRY(cmb_build_late_states(b, x, rate));
  for (int i = 0; i < nz; i++) defect[i] = cmb_sub(b->g, b->state_change[i], rate[i]);
  if (x->mass_factors.count > 0) {
    add_mass_factors(b, &x->mass_factors, nz);
  } else {
    add_mass(b, x);
  }
  x->f = append_states(b, nv, x->f, rate);
  if (x->residual) x->residual = append_states(b, nv, x->residual, defect);
  if (x->applied) x->applied = append_states(b, nv, x->applied, defect);
  if (x->acceleration) x->acceleration = append_states(b, nv, x->acceleration, rate);
  if (x->forced) x->forced = append_states(b, nv, x->forced, rate);
  return cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}
