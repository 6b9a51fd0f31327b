/*
 * Builds the contact forces with which surfaces support resting bodies, for outputs and rates of late states. While bodies rest on the surface u
 * = 0 of a rule (an event or a stop, rules.c), u = 0 is a constraint with the multiplier μ: M v̇ = f − Gᵀ λ − (∂u̇/∂v)ᵀ μ. Here μ is an input of
 * the outputs, 0 while there is no resting contact. It acts on the bodies like forces along the measures x_i that u depends on,
 *
 *     u(x₁, x₂, ..):   −μ ∂u/∂x_i along the measure x_i.
 *
 * The force of a gap d, u = −d, is μ, positive in compression. A rigid contact acts with the force μ ∂d/∂p at its point p.
 */
#include "base/text.h"
#include "dyn/build.h"

#include <stdio.h>
#include <string.h>

/* Builds the partial derivatives of a surface function u with respect to time and to the measures (scalars such as distances) on which it
 * depends. Stores them, with the measures, in *push, from which the contact force on the surface is built. u is given in symbols for the
 * measures, which are replaced by their expressions in the result. */
static cmb_status make_terms(cmb_build *b, const cmb_symbols *symbols, cmb_expr u, cmb_push *push)
{
  cmb_graph *g = b->g;
  const cmb_symbol *s = symbols->items.items;
  const size_t n = (size_t)symbols->items.count;
  const cmb_expr one = cmb_constant(g, 1);
  cmb_expr *from = cmb_arena_take(b->arena, 4 * n + 2, sizeof *from), *to = from + n;
  cmb_expr *slope = to + n, *found = slope + n + 1;
  push->terms = cmb_arena_take(b->arena, n, sizeof *push->terms);
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    from[i] = s[i].x, to[i] = s[i].measure.value;
    CMB_TRY(cmb_forward(g, 1, &s[i].x, &one, 1, &u, &slope[i]));
  }
  CMB_TRY(cmb_forward(g, 1, &b->k->t, &one, 1, &u, &slope[n]));
  CMB_TRY(cmb_build_add_input_rates(b, u, &slope[n]));
  CMB_TRY(cmb_substitute(g, (int)n, from, to, (int)n + 1, slope, found));
  push->ut = found[n];
  for (size_t i = 0; i < n; i++) push->terms[i] = (cmb_term){found[i], s[i].measure};
  push->term_count = (int)n;
  return CMB_OK;
}

/* Reads a formula that defines a surface u = 0 of a contact, and stores the derivatives of u, from which the direction of the contact force
 * follows, in *push. If `gap` is set, the formula is a gap and u is minus the formula; otherwise it is the condition of an event, and u the
 * expression whose sign decides it. */
static cmb_status push_of_formula(cmb_build *b, const cmb_model_formula *formula, bool gap,
                                  cmb_push *push)
{
  cmb_symbols symbols = {.number = ++b->symbol_sets};
  cmb_expr u;
  CMB_TRY(cmb_build_formula(b, formula, gap ? CMB_LEVEL_POSITION : CMB_LEVEL_MOTION, &symbols, &u));
  return make_terms(b, &symbols, gap ? cmb_neg(b->g, u) : cmb_build_deciding(b, u), push);
}

/* Builds the direction of the contact force of the rigid contact `stop`, the gradient of the distance d = s/|∇s| of a point of the body from
 * the surface s = 0. Stores it in *push, as a force between the ground and the body. */
static cmb_status push_of_contact(cmb_build *b, const cmb_model_stop *stop, cmb_push *push)
{
  cmb_graph *g = b->g;
  const cmb_site ground = {.link = CMB_GROUND, .body = CMB_GROUND};
  const cmb_site at = cmb_site_of(b->k, &stop->b);
  const cmb_vector xyz = cmb_surface_symbols(g), none = {{0, 0, 0}};
  const cmb_pose *p = cmb_pose_of(b->k, at.link, CMB_GROUND);
  const cmb_expr minus = cmb_constant(g, -1), one = cmb_constant(g, 1);
  cmb_vector n;
  cmb_expr s, s_t, slope[4], found[4];
  if (!p) return CMB_ERROR_MEMORY;
  const cmb_vector arm = cmb_pose_arm(b->k, p, at.x), point = cmb_point_position(b->k, p, arm);
  CMB_TRY(cmb_build_surface(b, &stop->gap, xyz, &s, &n, &s_t));
  const cmb_expr d = cmb_div(g, s, cmb_vector_length(g, n));
  for (int i = 0; i < 3; i++) CMB_TRY(cmb_forward(g, 1, &xyz.x[i], &one, 1, &d, &slope[i]));
  CMB_TRY(cmb_forward(g, 1, &b->k->t, &one, 1, &d, &slope[3]));
  CMB_TRY(cmb_build_add_input_rates(b, d, &slope[3]));
  CMB_TRY(cmb_substitute(g, 3, xyz.x, point.x, 4, slope, found));
  memcpy(push->direction.x, found, sizeof push->direction.x);
  push->ut = cmb_neg(g, found[3]);
  push->terms = cmb_arena_take(b->arena, 1, sizeof *push->terms);
  if (!push->terms) return CMB_ERROR_MEMORY;
  push->terms->coefficient = minus; /* ∂u/∂d of u = −d */
  push->term_count = 1;
  return cmb_build_wrench(b, ground, at, push->direction, none, arm, &push->terms->measure);
}

static cmb_status make(cmb_build *b, cmb_push *push)
{
  const cmb_model *m = b->model;
  char text[300];
  for (int i = 0; i < m->event_count; i++) {
    const cmb_model_event *event = &m->events[i];
    cmb_push *of = &push[i];
    snprintf(text, sizeof text, "push of %s", event->name);
    of->force = cmb_input(b->g, text);
    if (event->reset_count == 1) CMB_TRY(push_of_formula(b, &event->when, false, of));
  }
  for (int i = 0; i < m->stop_count; i++) {
    const cmb_model_stop *stop = &m->stops[i];
    cmb_push *of = &push[m->event_count + i];
    snprintf(text, sizeof text, "push of %s", stop->name);
    of->force = cmb_input(b->g, text);
    CMB_TRY(stop->contact ? push_of_contact(b, stop, of)
                          : push_of_formula(b, &stop->gap, true, of));
  }
  return CMB_OK;
}

cmb_push *cmb_build_pushes(cmb_build *b)
{
  const int count = b->model->event_count + b->model->stop_count;
  if (b->pushes) return b->pushes;
  cmb_push *push = cmb_arena_take(b->arena, (size_t)count, sizeof *push);
  cmb_status status = push ? make(b, push) : CMB_ERROR_MEMORY;
  if (status != CMB_OK) {
    if (b->status == CMB_OK) b->status = status;
    return NULL;
  }
  b->push_count = count;
  return b->pushes = push;
}

bool cmb_build_push(cmb_build *b, int stop, const char *suffix, cmb_expr *e)
{
  static const char *const parts[] = {"fx", "fy", "fz"};
  const bool contact = b->model->stops[stop].contact;
  const int part = cmb_find_name(suffix, parts, 3, sizeof *parts);
  *e = 0;
  if (contact ? part < 0 : strcmp(suffix, "force") != 0) return false;
  if (!b->outputs) return true;
  const cmb_push *all = cmb_build_pushes(b);
  if (!all) return false;
  const cmb_push *push = &all[b->model->event_count + stop];
  *e = contact ? cmb_mul(b->g, push->force, push->direction.x[part]) : push->force;
  return true;
}

/* ---- units of impulses */

/* Returns the dimension of a term of a gap function, a coefficient times a measure (a scalar such as a distance): 'm' for a length, 'r' for an
 * angle. Returns 0 if it is not known, or if the coefficient is neither 1 nor −1. */
static char dimension_of(const cmb_build *b, const cmb_term *term)
{
  const cmb_measure *m = &term->measure;
  const cmb_expr one = cmb_constant(b->g, 1), minus = cmb_constant(b->g, -1);
  if (term->coefficient != one && term->coefficient != minus) return 0;
  for (int i = 0; m->velocity >= 0 && i < b->tree->link_count; i++) {
    const cmb_link *l = &b->tree->links[i];
    if (l->v == m->velocity) return l->kind == CMB_LINK_SHIFT ? 'm' : 'r';
  }
  if (m->velocity >= 0) return 0;
  for (int i = 0; i < 3; i++) {
    if (m->side[0].force.x[i] != 0 || m->side[1].force.x[i] != 0) return 'm';
  }
  return 0; /* the cosine of an angle */
}

/* Returns the unit of the impulse along a gap: "N s" if the gap function is a sum of lengths, "N m s" if it is a sum
 * of angles, else "". */
static const char *unit_of(const cmb_build *b, const cmb_push *push)
{
  char kind = push->term_count > 0 ? dimension_of(b, &push->terms[0]) : 0;
  for (int i = 1; i < push->term_count; i++) {
    if (dimension_of(b, &push->terms[i]) != kind) kind = 0;
  }
  return kind == 'm' ? "N s" : kind == 'r' ? "N m s" : "";
}

cmb_status cmb_build_reset_units(cmb_build *b, cmb_expressions *x)
{
  x->reset_units = cmb_arena_take(b->arena, (size_t)x->reset_count, sizeof(void *));
  if (!x->reset_units) return CMB_ERROR_MEMORY;
  for (int i = 0; i < x->reset_count; i++) x->reset_units[i] = "";
  if (b->model->stop_count == 0) return CMB_OK;
  const cmb_push *push = cmb_build_pushes(b);
  if (!push) return b->status;
  for (int i = 0; i < x->rule_count; i++) {
    if (!x->rules[i].gap) continue;
    const bool contact = b->model->stops[i - b->model->event_count].contact;
    x->reset_units[x->rules[i].first_reset] = contact ? "N s" : unit_of(b, &push[i]);
  }
  return CMB_OK;
}
