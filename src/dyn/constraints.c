/*
 * Builds the constraints of a mechanism: closed loops, motions, joints' own constraints, in Cartesian coordinates all joints; and the rows of
 * the constraint Jacobian G. With frames on bodies a and b, d from a's point to b's, e1 and e2 perpendicular to the axis:
 *
 *     spherical    d = 0, in axes fixed to a                     revolute      and e1_a·axis_b = e2_a·axis_b = 0
 *     universal    d = 0, axis1_a·axis2_b = 0                    cylindrical   e·d = 0, e_a·axis_b = 0 for e1, e2
 *     fixed        d = 0, x_a·y_b = y_a·z_b = z_a·x_b = 0         prismatic     these three, e1·d = e2·d = 0
 *     planar       normal·d = 0, e_a·normal_b = 0 for e1, e2     constant velocity   d = 0, e1_a·e2_b − e2_a·e1_b = 0
 *     screw        as cylindrical, and translation = pitch times turns, of the joint's own coordinates
 *     translation  x_a·y_b = y_a·z_b = z_a·x_b = 0
 *     distance     |d| = length(t)        point on line  e1·d = e2·d = 0        point on plane  normal·d = 0
 *     formula      F(x, t) = 0 of measures x: G = Σ ∂F/∂x_i G_i, g_t = ∂F/∂t, and γ = F̈ with ẍ_i = its bias
 */
#include "dyn/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cmb_constraint *new_constraint(cmb_build *b, const char *name, const char *part, int terms)
{
  char text[300];
  cmb_constraint *c = cmb_list_add(b, &b->constraints, sizeof *c);
  if (!c) return NULL;
  snprintf(text, sizeof text, "%s%s%s", name, part[0] ? "." : "", part);
  c->name = cmb_arena_text(b->arena, text);
  c->term_count = terms;
  c->terms = cmb_arena_take(b->arena, (size_t)terms + 1, sizeof *c->terms);
  c->loop = -1;
  return c->name && c->terms ? c : NULL;
}

cmb_constraint *cmb_build_constraint(cmb_build *b, const char *name, const char *part,
                                     cmb_measure m)
{
  cmb_constraint *c = new_constraint(b, name, part, 1);
  if (!c) return NULL;
  c->g = m.value;
  c->gamma = m.bias;
  c->terms[0] = (cmb_term){cmb_constant(b->g, 1), m};
  return c;
}

/* Two frames that a joint or loop connects. */
struct frames {
  const char *name;
  cmb_site a, b;
  const cmb_number (*axes)[3], (*axes_b)[3];
};

static void component(cmb_build *b, const struct frames *f, const cmb_number u[3], const char *part)
{
  cmb_build_constraint(b, f->name, part, cmb_measure_component(b->k, f->a, f->b, u));
}

static void perpendicular(cmb_build *b, const struct frames *f, const cmb_number u[3],
                          const cmb_number w[3], const char *part)
{
  cmb_constraint *c =
      cmb_build_constraint(b, f->name, part, cmb_measure_cosine(b->k, f->a, u, f->b, w));
  if (c) c->angle = true;
}

static void coincident(cmb_build *b, const struct frames *f)
{
  static const char *const part[] = {"x", "y", "z"};
  for (int i = 0; i < 3; i++) component(b, f, cmb_unit3[i], part[i]);
}

static void parallel_frames(cmb_build *b, const struct frames *f)
{
  static const char *const part[] = {"turn1", "turn2", "turn3"};
  for (int i = 0; i < 3; i++) perpendicular(b, f, cmb_unit3[i], cmb_unit3[(i + 1) % 3], part[i]);
}

/* Computes two unit vectors e1 and e2 that are perpendicular to the unit vector `axis` and to each other, along global axes where possible. */
static void perpendicular_axes(cmb_graph *g, const cmb_number axis[3], cmb_number e1[3],
                               cmb_number e2[3])
{
  int least = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(axis[i].value) < fabs(axis[least].value) - 1e-9) least = i;
  }
  cmb_number_cross3(g, axis, cmb_unit3[least], e2);
  const cmb_number length = cmb_number_norm3(g, e2);
  for (int i = 0; i < 3; i++) e2[i] = cmb_over(g, e2[i], length);
  cmb_number_cross3(g, e2, axis, e1);
}

static void on_line(cmb_build *b, const struct frames *f, const cmb_number axis[3])
{
  cmb_number e1[3], e2[3];
  perpendicular_axes(b->g, axis, e1, e2);
  component(b, f, e1, "across1");
  component(b, f, e2, "across2");
}

static void axis_parallel(cmb_build *b, const struct frames *f, const cmb_number axis[3],
                          const cmb_number axis_b[3])
{
  cmb_number e1[3], e2[3];
  perpendicular_axes(b->g, axis, e1, e2);
  perpendicular(b, f, e1, axis_b, "tilt1");
  perpendicular(b, f, e2, axis_b, "tilt2");
}

/* Adds the constraint e1_a·e2_b − e2_a·e1_b = 0 of a constant-velocity joint, which prevents a rotation of body b relative to body a about the
 * joint's axis. e1 and e2 are the first two axes of the joint's frames f, one fixed to each body. */
static cmb_status add_twist(cmb_build *b, const struct frames *f)
{
  const cmb_measure one = cmb_measure_cosine(b->k, f->a, f->axes[0], f->b, f->axes_b[1]);
  const cmb_measure other = cmb_measure_cosine(b->k, f->a, f->axes[1], f->b, f->axes_b[0]);
  cmb_constraint *c =
      cmb_build_constraint(b, f->name, "twist", cmb_measure_combined(b->k, 1, one, -1, other));
  if (!c) return CMB_ERROR_MEMORY;
  c->angle = true;
  return CMB_OK;
}

static void hold(cmb_build *b, const struct frames *f, cmb_joint_condition condition, int axis)
{
  switch (condition) {
  case CMB_HOLD_POINT: coincident(b, f); break;
  case CMB_HOLD_FRAMES: parallel_frames(b, f); break;
  case CMB_HOLD_LINE: on_line(b, f, f->axes[axis]); break;
  case CMB_HOLD_PARALLEL: axis_parallel(b, f, f->axes[axis], f->axes_b[axis]); break;
  case CMB_HOLD_ACROSS: perpendicular(b, f, f->axes[0], f->axes_b[1], "tilt"); break;
  case CMB_HOLD_PLANE: component(b, f, f->axes[axis], "off"); break;
  case CMB_HOLD_TWIST: add_twist(b, f); break;
  default: break;
  }
}

/* Adds the constraints of a joint between the two frames *f; `type` is a row of the table cmb_joint_rows. A free
 * joint has no constraints. */
static void add_joint(cmb_build *b, const struct frames *f, int type)
{
  const cmb_joint_row *row = &cmb_joint_rows[type];
  for (int k = 0; k < CMB_MOST_HOLDS; k++) hold(b, f, row->hold[k].kind, row->hold[k].axis);
}

/* ---- constraints that depend on time */

/* Builds the first and second time derivatives *first and *second of an expression e that depends on time and inputs
 * only, including the contributions of the inputs' rates. */
static cmb_status time_rates(cmb_build *b, cmb_expr e, cmb_expr *first, cmb_expr *second)
{
  cmb_expr one = cmb_constant(b->g, 1);
  CMB_TRY(cmb_forward(b->g, 1, &b->k->t, &one, 1, &e, first));
  CMB_TRY(cmb_build_add_input_rates(b, e, first));
  CMB_TRY(cmb_forward(b->g, 1, &b->k->t, &one, 1, first, second));
  return cmb_build_add_input_rates(b, *first, second);
}

static cmb_status distance(cmb_build *b, const struct frames *f, const cmb_model_loop *l)
{
  cmb_graph *g = b->g;
  cmb_number apart[3];
  cmb_number_minus3(g, l->b.at, l->a.at, apart);
  cmb_expr length = cmb_number_expr(g, cmb_number_norm3(g, apart)), first, second;
  if (l->length.text) {
    CMB_TRY(cmb_build_formula(b, &l->length, CMB_LEVEL_TIME, NULL, &length));
  }
  CMB_TRY(time_rates(b, length, &first, &second));
  cmb_constraint *c = cmb_build_constraint(b, f->name, "", cmb_measure_distance(b->k, f->a, f->b));
  if (!c) return CMB_ERROR_MEMORY;
  c->g = cmb_sub(g, c->g, length);
  c->gt = cmb_neg(g, first);
  c->gamma = cmb_sub(g, c->gamma, second);
  return CMB_OK;
}

/* Builds a constraint F(x, t) = 0 in *c: its value g, its partial time derivative g_t, the part γ of g̈ that remains for v̇ = 0, and its
 * gradient. F is an expression in symbols for the scalars x, such as distances (measures); after the differentiation these are replaced by
 * their own expressions. */
static cmb_status differentiate(cmb_build *b, const cmb_symbols *symbols, cmb_expr F,
                                cmb_constraint *c)
{
  cmb_graph *g = b->g;
  const cmb_symbol *s = symbols->items.items;
  const int n = symbols->items.count, all = 2 * n + 1, wanted = n + 3;
  const size_t room = 4 * (size_t)all + 2 * (size_t)wanted + (size_t)n;
  cmb_expr *arrays = cmb_arena_take(b->arena, room, sizeof *arrays);
  if (!arrays) return CMB_ERROR_MEMORY;
  cmb_expr *input = arrays, *direction = input + all, *from = direction + all, *to = from + all;
  cmb_expr *want = to + all + n, *got = want + wanted, one = cmb_constant(g, 1);
  for (int i = 0; i < n; i++) {
    input[i] = s[i].x, direction[i] = s[i].rate;
    input[n + i] = s[i].rate, direction[n + i] = s[i].measure.bias;
    from[2 * i] = s[i].x, to[2 * i] = s[i].measure.value;
    from[2 * i + 1] = s[i].rate, to[2 * i + 1] = s[i].measure.rate;
  }
  input[2 * n] = b->k->t, direction[2 * n] = one;
  cmb_expr rate;
  want[0] = F;
  CMB_TRY(cmb_forward(g, all, input, direction, 1, &F, &rate));
  CMB_TRY(cmb_build_add_input_rates(b, F, &rate));
  CMB_TRY(cmb_forward(g, 1, &b->k->t, &one, 1, &F, &want[1]));
  CMB_TRY(cmb_build_add_input_rates(b, F, &want[1]));
  CMB_TRY(cmb_forward(g, all, input, direction, 1, &rate, &want[2]));
  CMB_TRY(cmb_build_add_input_rates(b, rate, &want[2]));
  for (int i = 0; i < n; i++) CMB_TRY(cmb_forward(g, 1, &s[i].x, &one, 1, &F, &want[3 + i]));
  CMB_TRY(cmb_substitute(g, 2 * n, from, to, wanted, want, got));
  c->g = got[0], c->gt = got[1], c->gamma = got[2];
  for (int i = 0; i < n; i++) c->terms[i] = (cmb_term){got[3 + i], s[i].measure};
  return CMB_OK;
}

/* Completes the constraint of a gear, loop l, with its second coordinate, the ratio and the offset: *F := *F − ratio · second − offset, where
 * *F is the first coordinate on entry. */
static cmb_status add_gear_terms(cmb_build *b, const cmb_model_loop *l, cmb_symbols *symbols,
                                 cmb_expr *F)
{
  cmb_graph *g = b->g;
  cmb_expr second;
  CMB_TRY(cmb_build_formula(b, &l->second, CMB_LEVEL_POSITION, symbols, &second));
  *F = cmb_sub(g, *F, cmb_mul(g, cmb_number_expr(g, l->ratio), second));
  *F = cmb_sub(g, *F, cmb_number_expr(g, l->offset));
  return CMB_OK;
}

static cmb_status formula(cmb_build *b, const cmb_model_loop *l)
{
  cmb_symbols symbols = {.number = ++b->symbol_sets};
  cmb_expr F, minus = 0;
  CMB_TRY(cmb_build_formula(b, &l->formula, CMB_LEVEL_POSITION, &symbols, &F));
  if (l->minus.text) {
    CMB_TRY(cmb_build_formula(b, &l->minus, CMB_LEVEL_TIME, &symbols, &minus));
  }
  if (l->second.text) CMB_TRY(add_gear_terms(b, l, &symbols, &F));
  if (symbols.items.count == 0) {
    return cmb_build_fail_fixed(b, &l->formula, l->motion ? "motion" : "loop", l->name);
  }
  cmb_constraint *c = new_constraint(b, l->name, "", symbols.items.count);
  if (!c) return CMB_ERROR_MEMORY;
  return differentiate(b, &symbols, cmb_sub(b->g, F, minus), c);
}

cmb_status cmb_build_loops(cmb_build *b)
{
  for (int i = 0; i < b->model->loop_count; i++) {
    const cmb_model_loop *l = &b->model->loops[i];
    int first = b->constraints.count;
    if (l->type == CMB_LOOP_FORMULA)
      CMB_TRY(formula(b, l));
    else {
      struct frames f = {l->name, cmb_site_of(b->k, &l->a), cmb_site_of(b->k, &l->b), l->axes,
                         l->axes_b};
      if (l->type == CMB_LOOP_DISTANCE)
        CMB_TRY(distance(b, &f, l));
      else if (l->type == CMB_LOOP_POINT_LINE)
        on_line(b, &f, f.axes[0]);
      else if (l->type == CMB_LOOP_POINT_PLANE)
        component(b, &f, f.axes[0], "off");
      else
        add_joint(b, &f, l->type);
    }
    for (int n = first; n < b->constraints.count; n++) {
      cmb_constraint_at(b, n)->loop = i;
      cmb_build_loop_source(b, cmb_constraint_at(b, n));
    }
  }
  return CMB_OK;
}

/* Returns the two frames of a joint, on its parent body and on its child body. */
static struct frames frames_of(cmb_build *b, const cmb_model_joint *j)
{
  cmb_anchor pa = {.body = j->parent}, pb = {.body = j->child};
  memcpy(pa.at, j->at, sizeof pa.at);
  memcpy(pb.at, j->at, sizeof pb.at);
  return (struct frames){j->name, cmb_site_of(b->k, &pa), cmb_site_of(b->k, &pb), j->axes, j->axes};
}

/* Adds the constraint of a screw joint between its two coordinates: translation − pitch/(2π)·angle = 0. `joint` is
 * the index of the joint. */
static cmb_status add_pitch(cmb_build *b, int joint)
{
  static const double turn = 6.283185307179586;
  cmb_graph *g = b->g;
  const cmb_model_joint *j = &b->model->joints[joint];
  const cmb_measure x = cmb_build_coordinate(b, joint, 0),
                    angle = cmb_build_coordinate(b, joint, 1);
  const cmb_expr per_radian = cmb_number_expr(g, cmb_over(g, j->pitch, cmb_fixed(turn)));
  cmb_constraint *c = new_constraint(b, j->name, "pitch", 2);
  if (!c) return CMB_ERROR_MEMORY;
  c->g = cmb_sub(g, x.value, cmb_mul(g, per_radian, angle.value));
  c->terms[0] = (cmb_term){cmb_constant(g, 1), x};
  c->terms[1] = (cmb_term){cmb_neg(g, per_radian), angle};
  return CMB_OK;
}

cmb_status cmb_build_own_constraints(cmb_build *b)
{
  for (int i = 0; i < b->model->joint_count; i++) {
    const cmb_model_joint *j = &b->model->joints[i];
    const cmb_joint_own own = cmb_joint_rows[j->type].own;
    if (own == CMB_OWN_PITCH) CMB_TRY(add_pitch(b, i));
    if (own == CMB_OWN_TWIST && !b->cartesian) {
      const struct frames f = frames_of(b, j);
      CMB_TRY(add_twist(b, &f));
    }
  }
  return CMB_OK;
}

cmb_status cmb_build_joint_constraints(cmb_build *b, int joint)
{
  const cmb_model_joint *j = &b->model->joints[joint];
  struct frames f = frames_of(b, j);
  int branch = b->tree->joint_link[joint], type = (int)j->type;
  int first = b->constraints.count;
  if (branch != CMB_GROUND) {
    /* its coordinates are used: its branch of links exists, and the end of the branch is fixed to the child */
    if (cmb_joint_rows[type].own == CMB_OWN_TWIST) CMB_TRY(add_twist(b, &f));
    f.a.link = branch;
    cmb_tree_point(b->tree, branch, j->at, f.a.x);
    type = CMB_JOINT_FIXED;
  }
  add_joint(b, &f, type);
  for (int n = first; n < b->constraints.count; n++) {
    cmb_constraint_at(b, n)->weigh = branch != CMB_GROUND;
  }
  return cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}

/* ---- rows of G */

struct dense_row {
  cmb_expr *e;  /* (nv) 0 between uses */
  int *touched; /* (nv) columns that may be other than 0 */
  bool *seen;   /* (nv) */
  int count;
};

static void mark_column(struct dense_row *d, int column)
{
  if (d->seen[column]) return;
  d->seen[column] = true;
  d->touched[d->count++] = column;
}

/* Marks in the dense row d the columns of the constraint Jacobian that can be non-zero: those of the velocities on which the rate of the
 * measure m (a scalar such as a distance) depends. */
static void mark_measure(cmb_build *b, const cmb_measure *m, struct dense_row *d)
{
  const int from[2] = {m->side[0].link, m->side[1].link};
  const int *path, n = cmb_ways(b->k, m->base, m->side_count, from, &path);
  if (m->velocity >= 0) mark_column(d, m->velocity);
  for (int i = 0; i < n; i++) {
    const cmb_link *l = &b->tree->links[path[i]];
    for (int v = 0; v < cmb_link_velocities(l->kind); v++) mark_column(d, l->v + v);
  }
}

static int ascending(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Moves the non-zero entries of the dense row d to a new sparse row *row, with ascending columns; d is zero
 * afterwards. */
static cmb_status move_to_sparse(cmb_build *b, struct dense_row *d, cmb_row *row)
{
  const size_t most = (size_t)d->count + 1;
  *row = (cmb_row){.column = cmb_arena_ints(b->arena, d->count)};
  row->e = cmb_arena_take(b->arena, most, sizeof *row->e);
  if (!row->column || !row->e) return CMB_ERROR_MEMORY;
  qsort(d->touched, (size_t)d->count, sizeof *d->touched, ascending);
  for (int i = 0; i < d->count; i++) {
    const int column = d->touched[i];
    if (d->e[column] != 0) {
      row->column[row->count] = column;
      row->e[row->count++] = d->e[column];
    }
    d->e[column] = 0;
    d->seen[column] = false;
  }
  d->count = 0;
  return CMB_OK;
}

cmb_status cmb_build_rows(cmb_build *b)
{
  const size_t nv = (size_t)b->tree->nv + 1;
  struct dense_row d = {.e = cmb_arena_take(b->arena, nv, sizeof *d.e)};
  d.touched = cmb_arena_take(b->arena, nv, sizeof *d.touched);
  d.seen = cmb_arena_take(b->arena, nv, sizeof *d.seen);
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  for (int i = 0; i < b->constraints.count; i++) {
    cmb_constraint *c = cmb_constraint_at(b, i);
    if (c->row.column) continue;
    for (int n = 0; n < c->term_count; n++) {
      const cmb_term *term = &c->terms[n];
      mark_measure(b, &term->measure, &d);
      cmb_measure_force(b->k, &term->measure, term->coefficient, b->scratch, d.e);
    }
    CMB_TRY(move_to_sparse(b, &d, &c->row));
  }
  return CMB_OK;
}
