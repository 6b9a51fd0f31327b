/*
 * Helpers for the files that turn a model into expressions (build.h): growing lists, error messages, joint coordinates
 * as measures, and the sums of forces on the links.
 */
#include "dyn/build.h"

#include "base/context.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void *cmb_list_add(cmb_build *b, cmb_list *list, size_t size)
{
  if (list->count == list->room) {
    int room = list->room ? 2 * list->room : 16;
    void *grown = cmb_arena_take(b->arena, (size_t)room, size);
    if (!grown) return NULL;
    if (list->items) memcpy(grown, list->items, (size_t)list->count * size);
    list->items = grown;
    list->room = room;
  }
  return (char *)list->items + (size_t)list->count++ * size;
}

cmb_action *cmb_action_at(const cmb_build *b, int i)
{
  return (cmb_action *)b->actions.items + i;
}

cmb_constraint *cmb_constraint_at(const cmb_build *b, int i)
{
  return (cmb_constraint *)b->constraints.items + i;
}

cmb_about cmb_about_part(const cmb_place *place, const char *kind, const char *name)
{
  cmb_about about = cmb_about_at(*place);
  about.kind = kind;
  about.name = name;
  return about;
}

cmb_about cmb_about_formula(const cmb_model_formula *formula)
{
  cmb_about about = cmb_about_part(&formula->place, formula->kind, formula->name);
  about.subject = formula->subject;
  about.subject_leads = true;
  return about;
}

cmb_status cmb_build_fail(cmb_build *b, cmb_about about, const char *format, ...)
{
  if (b->status != CMB_OK) return b->status;
  va_list arguments;
  va_start(arguments, format);
  b->status = cmb_fail_words(b->ctx, CMB_ERROR_INPUT, &about, format, arguments);
  va_end(arguments);
  cmb_error_keep(b->ctx, b->status, &b->failure);
  return b->status;
}

cmb_status cmb_build_fail_fixed(cmb_build *b, const cmb_model_formula *formula, const char *kind,
                                const char *name)
{
  return cmb_build_fail(
      b, cmb_about_part(&formula->place, kind, name),
      "%s '%s' depends on no coordinate, length or position; expected a formula that does", kind,
      name);
}

int cmb_joint_coordinate_index(const cmb_model_joint *j, int n)
{
  const int ball_from = cmb_joint_translations(j->type);
  if (j->euler && n >= ball_from) return -1;
  return n;
}

/* Returns the factor by which velocity n of joint j, and its coordinate, are multiplied in formulas of a mirrored copy of a subassembly: 1 or
 * −1, or 0 if they are measured along other axes than those of the copy, so that no factor exists. Joints without Euler parameters always have
 * 1, since their axes are mirrored, too. */
double cmb_coordinate_sign(const cmb_mirror *mirror, const cmb_model_joint *j, int n)
{
  const int shifts = cmb_joint_translations(j->type);
  if (!j->euler) return 1;
  if (!cmb_same_axes(mirror->axes, j->axes0)) return 0;
  return n < shifts ? mirror->sign[n] : mirror->turn * mirror->sign[n - shifts];
}

cmb_status cmb_build_fail_axes(cmb_build *b, cmb_about about, const char *coordinate)
{
  return cmb_build_fail(
      b, about,
      "'%s' is measured along axes that differ from those of this instance, which is "
      "turned; expected a position such as BODY.x",
      coordinate);
}

cmb_measure cmb_build_coordinate(cmb_build *b, int joint, int n)
{
  const cmb_model_joint *j = &b->model->joints[joint];
  cmb_tree *tree = b->tree;
  if (b->cartesian && tree->joint_link[joint] == CMB_GROUND) {
    int from = tree->link_count;
    int parent = j->parent == CMB_GROUND ? CMB_GROUND : tree->body_link[j->parent];
    cmb_tree_add_joint(tree, joint, parent);
    cmb_kinematics_name(b->k, from);
  }
  int first = tree->joint_link[joint];
  while (tree->links[first].parent != CMB_GROUND &&
         tree->links[tree->links[first].parent].joint == joint) {
    first = tree->links[first].parent;
  }
  const cmb_link *l = &tree->links[first];
  int at = cmb_joint_coordinate_index(j, n);
  return cmb_measure_coordinate(b->k, at < 0 ? -1 : l->q + at, l->v + n);
}

void cmb_build_wrenches(cmb_build *b, int base, bool with_lambda, cmb_wrench *on)
{
  for (int i = 0; i < b->actions.count; i++) {
    const cmb_action *a = cmb_action_at(b, i);
    if (a->measure.side_count > 0 && a->measure.base == base) {
      cmb_measure_wrench(b->k, &a->measure, a->force, on);
    }
  }
  for (int i = 0; with_lambda && i < b->constraints.count; i++) {
    const cmb_constraint *c = cmb_constraint_at(b, i);
    cmb_expr minus = cmb_neg(b->g, c->lambda);
    for (int n = 0; n < c->term_count; n++) {
      const cmb_measure *m = &c->terms[n].measure;
      if (m->side_count == 0 || m->base != base) continue;
      cmb_measure_wrench(b->k, m, cmb_mul(b->g, minus, c->terms[n].coefficient), on);
    }
  }
}

static void add_at_velocity(cmb_build *b, const cmb_measure *m, cmb_expr Q, cmb_expr *f)
{
  if (m->velocity >= 0) f[m->velocity] = cmb_add(b->g, f[m->velocity], Q);
}

/* A force along a measure that acts on two links with a common base link (not the ground). */
struct link_force {
  const cmb_measure *measure;
  cmb_expr force;
};

static int count_link_forces(const cmb_build *b, bool with_lambda)
{
  int count = b->actions.count;
  for (int i = 0; with_lambda && i < b->constraints.count; i++) {
    count += cmb_constraint_at(b, i)->term_count;
  }
  return count;
}

static void add_link_force(const cmb_measure *m, cmb_expr force, struct link_force *list,
                           int *count)
{
  if (m->side_count > 0 && m->base != CMB_GROUND) list[(*count)++] = (struct link_force){m, force};
}

static int list_link_forces(cmb_build *b, bool with_lambda, struct link_force *list)
{
  int count = 0;
  for (int i = 0; i < b->actions.count; i++) {
    const cmb_action *a = cmb_action_at(b, i);
    add_link_force(&a->measure, a->force, list, &count);
  }
  for (int i = 0; with_lambda && i < b->constraints.count; i++) {
    const cmb_constraint *c = cmb_constraint_at(b, i);
    cmb_expr minus = cmb_neg(b->g, c->lambda);
    for (int n = 0; n < c->term_count; n++) {
      add_link_force(&c->terms[n].measure, cmb_mul(b->g, minus, c->terms[n].coefficient), list,
                     &count);
    }
  }
  return count;
}

/* Compares two forces between links, for qsort(): by the index of their base link, where the paths of both bodies to the ground meet, then by
 * address. */
static int by_base(const void *x, const void *y)
{
  const struct link_force *const *a = x, *const *b = y;
  const int first = (*a)->measure->base, second = (*b)->measure->base;
  return first != second ? (first > second) - (first < second) : (*a > *b) - (*a < *b);
}

/* Adds to the generalised forces f (nv) the applied forces between links whose paths to the ground meet in a link and, if with_lambda is
 * set, the constraint forces between such links. A force acts on all links between its two bodies and this base link; forces with the same
 * base link are projected onto the joint velocities together. */
static void add_forces_between_links(cmb_build *b, bool with_lambda, cmb_expr *f)
{
  const size_t most = (size_t)count_link_forces(b, with_lambda) + 1;
  struct link_force *list = cmb_arena_take(b->arena, most, sizeof *list);
  const struct link_force **order = cmb_arena_take(b->arena, most, sizeof(void *));
  int *from = cmb_arena_take(b->arena, 2 * most, sizeof *from);
  if (cmb_arena_failed(b->arena)) return;
  const int count = list_link_forces(b, with_lambda, list);
  for (int i = 0; i < count; i++) order[i] = &list[i];
  qsort(order, (size_t)count, sizeof(void *), by_base);
  for (int i = 0, next; i < count; i = next) {
    const int base = order[i]->measure->base;
    int sides = 0;
    for (next = i; next < count && order[next]->measure->base == base; next++) {
      const cmb_measure *m = order[next]->measure;
      cmb_measure_wrench(b->k, m, order[next]->force, b->scratch);
      for (int n = 0; n < m->side_count; n++) from[sides++] = m->side[n].link;
    }
    cmb_wrenches_project_from(b->k, base, sides, from, b->scratch, f);
  }
}

void cmb_build_inner_forces(cmb_build *b, bool with_lambda, cmb_expr *f)
{
  for (int i = 0; i < b->actions.count; i++) {
    const cmb_action *a = cmb_action_at(b, i);
    add_at_velocity(b, &a->measure, a->force, f);
  }
  for (int i = 0; with_lambda && i < b->constraints.count; i++) {
    const cmb_constraint *c = cmb_constraint_at(b, i);
    cmb_expr minus = cmb_neg(b->g, c->lambda);
    for (int n = 0; n < c->term_count; n++) {
      add_at_velocity(b, &c->terms[n].measure, cmb_mul(b->g, minus, c->terms[n].coefficient), f);
    }
  }
  add_forces_between_links(b, with_lambda, f);
}
