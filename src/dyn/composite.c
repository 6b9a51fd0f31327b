/*
 * Computes the mass matrix by the method of composite rigid bodies, for joint coordinates. The inertia of a link together with all links
 * built on it, in the link's axes (mass m, first moment c, inertia J about the origin), is added to its parent's:
 *
 *     c' = c + m r        J' = J + 2 (r·c) 1 − r cᵀ − c rᵀ + m (r·r 1 − r rᵀ)        r: the link's offset
 *
 * To accelerate it along a velocity of link i, with the axis e, takes the wrench F = (J e, e × c) or (c × e, m e); M_ij is the component of
 * F along velocity j, for all links on the path to the ground. For the next few links F is transformed from frame to frame, which keeps
 * structural zeros; for links farther away M_ij is the product with their motions in one common frame (reference.h).
 */
#include "dyn/inertia.h"
#include "dyn/recursion.h"
#include "dyn/reference.h"

#include <stdlib.h>

/* the number of links on the path for which F is transformed from frame to frame */
enum { NEAR = 4 };

struct composite {
  cmb_number mass;
  cmb_vector first;
  cmb_matrix J;
};

static void add_to_parent(cmb_graph *g, const cmb_step *s, const struct composite *c,
                          struct composite *to)
{
  if (cmb_is_zero(c->mass)) return;
  cmb_vector r = s->offset, first = cmb_step_up(g, s, c->first);
  cmb_matrix J = cmb_symmetric_up(g, s, c->J);
  cmb_expr m = cmb_number_expr(g, c->mass), two = cmb_constant(g, 2);
  cmb_expr along = cmb_add(g, cmb_mul(g, two, cmb_vector_dot(g, r, first)),
                           cmb_mul(g, m, cmb_vector_dot(g, r, r)));
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j <= i; j++) {
      cmb_expr out = cmb_add(g, cmb_mul(g, r.x[i], first.x[j]), cmb_mul(g, first.x[i], r.x[j]));
      out = cmb_add(g, out, cmb_mul(g, m, cmb_mul(g, r.x[i], r.x[j])));
      cmb_expr sum = cmb_sub(g, J.a[3 * i + j], out);
      if (i == j) sum = cmb_add(g, sum, along);
      to->J.a[3 * i + j] = to->J.a[3 * j + i] = cmb_add(g, to->J.a[3 * i + j], sum);
    }
    cmb_expr c1 = cmb_add(g, first.x[i], cmb_mul(g, m, r.x[i]));
    to->first.x[i] = cmb_add(g, to->first.x[i], c1);
  }
  to->mass = cmb_plus(g, to->mass, c->mass);
}

/* Computes the wrench that accelerates a composite rigid body c (a link with all links beyond it) by 1 along velocity n of the link's joint:
 * force and moment about the link's origin, in the link's axes. */
static cmb_wrench wrench_along(cmb_graph *g, cmb_link_kind kind, int n, const struct composite *c)
{
  cmb_vector e = {{0, 0, 0}};
  int axis = kind == CMB_LINK_BALL ? n : 2;
  e.x[axis] = cmb_constant(g, 1);
  cmb_wrench w = {.given = true};
  if (kind == CMB_LINK_SHIFT) {
    w.moment = cmb_vector_cross(g, c->first, e);
    w.force = cmb_vector_scale(g, cmb_number_expr(g, c->mass), e);
  } else {
    w.moment = (cmb_vector){{c->J.a[axis], c->J.a[3 + axis], c->J.a[6 + axis]}};
    w.force = cmb_vector_cross(g, e, c->first);
  }
  return w;
}

static int by_row_and_column(const void *a, const void *b)
{
  const cmb_entry *x = a, *y = b;
  return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
                          : (x->column > y->column) - (x->column < y->column);
}

static void add_entry(cmb_entries *M, int row, int column, cmb_expr e)
{
  M->entry[M->count++] = (cmb_entry){row, column, e};
  if (row != column) M->entry[M->count++] = (cmb_entry){column, row, e};
}

/* Appends to the mass matrix M the entries that couple velocity n of link i with the velocities of link i and of the next NEAR links towards
 * the ground. Transforms the wrench w, which accelerates the link along velocity n, from frame to frame. Returns the next link on the path, or
 * CMB_GROUND. `column` (nv) is scratch, zero before and after. */
static int add_near(cmb_kinematics *k, int i, int n, cmb_wrench w, cmb_expr *column, cmb_entries *M)
{
  cmb_graph *g = k->g;
  const cmb_link *links = k->tree->links;
  const int row = links[i].v + n;
  int at = i;
  for (int way = 0; at != CMB_GROUND && way <= NEAR; way++) {
    const int first = links[at].v, count = cmb_link_velocities(links[at].kind);
    cmb_wrench_onto(k, at, &w, column);
    for (int j = first; j < first + count; j++) {
      if (j <= row) add_entry(M, row, j, column[j]);
      column[j] = 0;
    }
    const cmb_step s = cmb_step_of(k, at);
    w.force = cmb_step_up(g, &s, w.force);
    w.moment =
        cmb_vector_add(g, cmb_step_up(g, &s, w.moment), cmb_vector_cross(g, s.offset, w.force));
    at = links[at].parent;
  }
  return at;
}

/* Appends to the mass matrix M the entries that couple velocity n of link i with the velocities of link `at` and of all links between it and
 * the ground: the scalar products of the joint motions of those links with the wrench w that a unit acceleration along velocity n of link i
 * requires. w is given in the axes of link i, frames[], the frames of all links, in a common reference frame. */
static void add_far(cmb_kinematics *k, int i, int n, const cmb_wrench *w, int at,
                    const cmb_frame *frames, cmb_entries *M)
{
  const cmb_link *links = k->tree->links;
  const cmb_force F = cmb_force_to_parent(k->g, frames[i], (cmb_force){w->moment, w->force});
  for (; at != CMB_GROUND; at = links[at].parent) {
    for (int j = 0; j < cmb_link_velocities(links[at].kind); j++) {
      cmb_motion S = cmb_reference_motion(k, at, j, &frames[at]);
      add_entry(M, links[i].v + n, links[at].v + j, cmb_power(k->g, F, S));
    }
  }
}

/* Computes the frames (position and orientation) of all links in the reference frame of their tree, in a new array *frames. Sets *frames to
 * NULL if no path to the ground has more than NEAR + 1 links. */
static cmb_status make_frames(cmb_kinematics *k, cmb_frame **frames)
{
  const cmb_tree *tree = k->tree;
  int deepest = 0;
  *frames = NULL;
  for (int i = 0; i < tree->link_count; i++) {
    int depth = 0;
    for (int at = i; at != CMB_GROUND; at = tree->links[at].parent) depth++;
    if (depth > deepest) deepest = depth;
  }
  if (deepest <= NEAR + 1) return CMB_OK;
  *frames = cmb_arena_take(k->arena, (size_t)tree->link_count, sizeof **frames);
  for (int i = 0; *frames && i < tree->link_count; i++) {
    if (!cmb_reference_frame(k, i, *frames + i)) return CMB_ERROR_MEMORY;
  }
  return *frames ? CMB_OK : CMB_ERROR_MEMORY;
}

/* Returns an upper bound of the number of entries of the mass matrix: for each link and each link on its path to the ground twice the product
 * of their numbers of velocities. */
static int count_entries(const cmb_tree *tree)
{
  int count = 0;
  for (int i = 0; i < tree->link_count; i++) {
    for (int at = i; at != CMB_GROUND; at = tree->links[at].parent) {
      count +=
          2 * cmb_link_velocities(tree->links[i].kind) * cmb_link_velocities(tree->links[at].kind);
    }
  }
  return count;
}

cmb_status cmb_mass_matrix(cmb_kinematics *k, cmb_entries *M)
{
  cmb_graph *g = k->g;
  const cmb_tree *tree = k->tree;
  struct composite *c = cmb_arena_take(k->arena, (size_t)tree->link_count + 1, sizeof *c);
  cmb_expr *column = cmb_arena_take(k->arena, (size_t)tree->nv + 1, sizeof *column);
  M->count = 0;
  M->entry = cmb_arena_take(k->arena, (size_t)count_entries(tree) + 1, sizeof *M->entry);
  if (!M->entry || !column || !c) return CMB_ERROR_MEMORY;
  cmb_frame *frames;
  CMB_TRY(make_frames(k, &frames));
  for (int i = 0; i < tree->link_count; i++) {
    const cmb_link *l = &tree->links[i];
    c[i] = (struct composite){l->mass, cmb_number_vector(g, l->first), cmb_number_matrix(g, l->J)};
  }
  for (int i = tree->link_count; i-- > 0;) {
    const cmb_link *l = &tree->links[i];
    for (int n = 0; n < cmb_link_velocities(l->kind); n++) {
      const cmb_wrench w = wrench_along(g, l->kind, n, &c[i]);
      const int at = add_near(k, i, n, w, column, M);
      if (frames && at != CMB_GROUND) add_far(k, i, n, &w, at, frames, M);
    }
    const cmb_step s = cmb_step_of(k, i);
    if (l->parent != CMB_GROUND) add_to_parent(g, &s, &c[i], &c[l->parent]);
  }
  qsort(M->entry, (size_t)M->count, sizeof *M->entry, by_row_and_column);
  return CMB_OK;
}
