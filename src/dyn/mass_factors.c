/*
 * Builds the mass matrix of a long chain as a product of factors (dyn/expressions.h), M = W⁻¹ D W⁻ᵀ of the articulated bodies; joint_form.c
 * calls it where M itself would have too many entries.
 *
 * M has an entry for each pair of links of which one is built on the other: N² for a chain of N. Its factors need some ten
 * numbers for each link: 1/D, the columns U/D, and the transformation from the link's frame to its parent's. With symbols in their place
 *
 *     W x    the first half of the articulated-body recursion,      Wᵀ x   the second half with D = 1,
 *     M x    the inverse dynamics for the accelerations x at zero velocities and without gravity
 *
 * are short recursions, which are compiled into separate programs.
 */
#include "dyn/articulation.h"
#include "dyn/inertia.h"

#include <stdio.h>
#include <string.h>

/* By default M is not formed if it has more than MOST_ENTRIES entries for each velocity: its KKT matrix would cost more than
 * products with the factors. The rows of the constraints are full then, so there must be few constraints: 4 ng nv
 * less than the number of entries. */
enum { MOST_ENTRIES = 64, MOST_CONSTRAINTS_PART = 4 };

double cmb_mass_entries(const cmb_tree *tree)
{
  double count = 0;
  for (int i = 0; i < tree->link_count; i++) {
    const double before = tree->links[i].v_before, own = cmb_link_velocities(tree->links[i].kind);
    count += own * (own + 2 * before);
  }
  return count;
}

bool cmb_mass_factors_pay(const cmb_tree *tree, int ng)
{
  const double entries = cmb_mass_entries(tree), nv = tree->nv;
  return entries > MOST_ENTRIES * nv && MOST_CONSTRAINTS_PART * (double)ng * nv < entries;
}

/* ---- symbols */

struct substitution {
  cmb_kinematics *k;
  cmb_mass_expressions *out;
};

/* Appends the expression e to the list of those numbers of the factorised mass matrix that must be computed, and returns a new symbol (graph
 * input) that represents this number in products with the factors. */
static cmb_expr symbol_for(struct substitution *c, cmb_expr e)
{
  char name[40];
  cmb_mass_expressions *o = c->out;
  snprintf(name, sizeof name, "mass factor %d", o->count);
  o->value[o->count] = e;
  return o->symbol[o->count++] = cmb_input(c->k->g, name);
}

static void substitute(struct substitution *c, int count, cmb_expr *e)
{
  for (int i = 0; i < count; i++) {
    if (e[i] != 0 && cmb_expr_op(c->k->g, e[i]) != CMB_OP_CONSTANT) e[i] = symbol_for(c, e[i]);
  }
}

static void substitute_step(struct substitution *c, cmb_step *s)
{
  if (s->ball) substitute(c, 9, s->R.a);
  substitute(c, 1, &s->c);
  substitute(c, 1, &s->s);
  substitute(c, 3, s->offset.x);
}

/* Copies the factors of the mass matrix, M = W⁻¹ D W⁻ᵀ, from the articulated-body recursion *from to *to. In the copy, symbols represent the
 * factors' values, so that one program can multiply vectors by them; D is treated separately and replaced by 1. */
static cmb_status substitute_articulation(struct substitution *c, const cmb_articulation *from,
                                          cmb_articulation *to)
{
  const cmb_tree *tree = c->k->tree;
  const size_t links = (size_t)tree->link_count + 1, nv = (size_t)tree->nv + 1;
  *to = (cmb_articulation){.k = c->k, .p = from->p};
  to->steps = cmb_arena_take(c->k->arena, links, sizeof *to->steps);
  to->columns = cmb_arena_take(c->k->arena, nv, sizeof *to->columns);
  to->inverse = cmb_arena_take(c->k->arena, nv, sizeof *to->inverse);
  if (cmb_arena_failed(c->k->arena)) return CMB_ERROR_MEMORY;
  for (int i = 0; i < tree->nv; i++) {
    symbol_for(c, from->inverse[i]);
    to->inverse[i] = cmb_constant(c->k->g, 1);
  }
  for (int i = 0; i < tree->nv; i++) {
    to->columns[i] = from->columns[i];
    substitute(c, 3, to->columns[i].moment_D.x);
    substitute(c, 3, to->columns[i].force_D.x);
  }
  for (int i = 0; i < tree->link_count; i++) {
    to->steps[i] = from->steps[i];
    substitute_step(c, &to->steps[i]);
  }
  return CMB_OK;
}

/* ---- products */

struct acceleration {
  cmb_vector w, v;
};

static struct acceleration accelerate_link(const cmb_articulation *w, int link,
                                           const struct acceleration *from)
{
  cmb_kinematics *k = w->k;
  const cmb_link *l = &k->tree->links[link];
  struct acceleration a = {0};
  if (from) {
    cmb_vector at_joint = cmb_vector_cross(k->g, from->w, w->steps[link].offset);
    a.w = cmb_step_down(k->g, &w->steps[link], from->w);
    a.v = cmb_step_down(k->g, &w->steps[link], cmb_vector_add(k->g, from->v, at_joint));
  }
  for (int n = 0; n < cmb_link_velocities(l->kind); n++) {
    cmb_expr *along = l->kind == CMB_LINK_SHIFT  ? &a.v.x[2]
                      : l->kind == CMB_LINK_BALL ? &a.w.x[n]
                                                 : &a.w.x[2];
    *along = cmb_add(k->g, *along, k->a[l->v + n]);
  }
  return a;
}

/* Computes the wrench that gives a link at rest the acceleration *a (angular ω̇, linear v̇ of the origin): the moment J ω̇ + c × v̇ and the
 * force m v̇ + ω̇ × c. m is the mass, c the first mass moment, J the inertia tensor about the origin. */
static cmb_wrench inertial_wrench(cmb_graph *g, const cmb_link *l, const struct acceleration *a)
{
  cmb_vector first = cmb_number_vector(g, l->first);
  cmb_vector turned = cmb_matrix_times(g, cmb_number_matrix(g, l->J), a->w);
  cmb_vector moved = cmb_vector_scale(g, cmb_number_expr(g, l->mass), a->v);
  return (cmb_wrench){.moment = cmb_vector_add(g, turned, cmb_vector_cross(g, first, a->v)),
                      .force = cmb_vector_add(g, moved, cmb_vector_cross(g, a->w, first)),
                      .given = true};
}

static void add_to_parent(cmb_graph *g, const cmb_step *s, const cmb_wrench *w, cmb_wrench *to)
{
  cmb_vector force = cmb_step_up(g, s, w->force), moment = cmb_step_up(g, s, w->moment);
  moment = cmb_vector_add(g, moment, cmb_vector_cross(g, s->offset, force));
  to->force = cmb_vector_add(g, to->force, force);
  to->moment = cmb_vector_add(g, to->moment, moment);
}

static cmb_status multiply(const cmb_articulation *w, cmb_expr *product)
{
  cmb_kinematics *k = w->k;
  const cmb_tree *tree = k->tree;
  const size_t links = (size_t)tree->link_count + 1;
  struct acceleration *a = cmb_arena_take(k->arena, links, sizeof *a);
  cmb_wrench *on = cmb_arena_take(k->arena, links, sizeof *on);
  if (!a || !on) return CMB_ERROR_MEMORY;
  for (int i = 0; i < tree->link_count; i++) {
    const cmb_link *l = &tree->links[i];
    a[i] = accelerate_link(w, i, l->parent == CMB_GROUND ? NULL : &a[l->parent]);
    on[i] = inertial_wrench(k->g, l, &a[i]);
  }
  for (int i = tree->link_count; i-- > 0;) {
    const int parent = tree->links[i].parent;
    cmb_wrench_onto(k, i, &on[i], product);
    if (parent != CMB_GROUND) add_to_parent(k->g, &w->steps[i], &on[i], &on[parent]);
  }
  return CMB_OK;
}

static cmb_expr *expressions(cmb_kinematics *k, size_t count)
{
  return cmb_arena_take(k->arena, count + 1, sizeof(cmb_expr));
}

cmb_status cmb_mass_factors_make(cmb_articulation *w, int np, const cmb_expr *parameter,
                                 cmb_mass_expressions *out)
{
  /* for each velocity 1/D and U/D; for each link R, c, s and the offset */
  enum { PER_VELOCITY = 7, PER_LINK = 14 };
  cmb_kinematics *k = w->k;
  const size_t nv = (size_t)k->tree->nv, links = (size_t)k->tree->link_count;
  struct substitution c = {k, out};
  cmb_articulation symbolic;
  const size_t most = PER_VELOCITY * nv + PER_LINK * links + (size_t)np;
  *out = (cmb_mass_expressions){.value = expressions(k, most), .symbol = expressions(k, most)};
  out->forward = expressions(k, nv);
  out->backward = expressions(k, nv);
  out->multiply = expressions(k, nv);
  if (cmb_arena_failed(k->arena)) return CMB_ERROR_MEMORY;
  CMB_TRY(substitute_articulation(&c, w, &symbolic));
  /* masses and constant rotations may depend on the live parameters, so these are values of the factors, too */
  for (int i = 0; i < np; i++) {
    out->value[out->count] = out->symbol[out->count] = parameter[i];
    out->count++;
  }
  memcpy(out->forward, k->a, nv * sizeof *out->forward);
  cmb_articulation_half(&symbolic, out->forward, NULL);
  cmb_articulation_accelerate(&symbolic, k->a, out->backward);
  CMB_TRY(multiply(&symbolic, out->multiply));
  return cmb_arena_failed(k->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}
