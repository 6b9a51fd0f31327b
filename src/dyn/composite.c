/*
 * The mass matrix by composite rigid bodies: the inertia of a link with all that is built on it, in the link's axes
 * (mass m, first moment c, inertia J about the origin), is added to its parent's:
 *
 *     c' = c + m r        J' = J + 2 (r·c) 1 − r cᵀ − c rᵀ + m (r·r 1 − r rᵀ)        r: the link's offset
 *
 * Moving along one velocity of link i it takes the wrench F = (J e, e × c) or (c × e, m e); M_ij is what F does along the
 * velocities j of the links on the way to the ground.
 */
#include "dyn/inertia.h"
#include "dyn/recursion.h"

#include <stdlib.h>

struct composite {
  double mass;
  cmb_vector first;
  cmb_matrix J;
};

static void add_to_parent(cmb_graph *g, const cmb_step *s, const struct composite *c,
                          struct composite *to)
{
  if (c->mass == 0) return;
  cmb_vector r = s->offset, first = cmb_step_up(g, s, c->first);
  cmb_matrix J = cmb_symmetric_up(g, s, c->J);
  cmb_expr m = cmb_constant(g, c->mass), two = cmb_constant(g, 2);
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
  to->mass += c->mass;
}

/* What the composite needs to accelerate along velocity `n` of its link. */
static cmb_wrench wrench_along(cmb_graph *g, cmb_link_kind kind, int n, const struct composite *c)
{
  cmb_vector e = {{0, 0, 0}};
  int axis = kind == CMB_LINK_BALL ? n : 2;
  e.x[axis] = cmb_constant(g, 1);
  cmb_wrench w = {.given = true};
  if (kind == CMB_LINK_SHIFT) {
    w.moment = cmb_vector_cross(g, c->first, e);
    w.force = cmb_vector_scale(g, cmb_constant(g, c->mass), e);
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

/* Row and column of M for velocity n of link i; `column` (nv) is zero before and after. */
static void add_column(cmb_kinematics *k, int i, int n, const struct composite *c, cmb_expr *column,
                       cmb_entries *M)
{
  cmb_graph *g = k->g;
  const cmb_link *links = k->tree->links;
  cmb_wrench w = wrench_along(g, links[i].kind, n, c);
  const int row = links[i].v + n;
  for (int at = i;;) {
    const int first = links[at].v, count = cmb_link_velocities(links[at].kind);
    cmb_wrench_onto(k, at, &w, column);
    for (int j = first; j < first + count; j++) {
      if (j <= row) add_entry(M, row, j, column[j]);
      column[j] = 0;
    }
    if (links[at].parent == CMB_GROUND) return;
    const cmb_step s = cmb_step_of(k, at);
    w.force = cmb_step_up(g, &s, w.force);
    w.moment =
        cmb_vector_add(g, cmb_step_up(g, &s, w.moment), cmb_vector_cross(g, s.offset, w.force));
    at = links[at].parent;
  }
}

/* How many entries there are: for each velocity those on the way to the ground, twice. */
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
  for (int i = 0; i < tree->link_count; i++) {
    const cmb_link *l = &tree->links[i];
    c[i] =
        (struct composite){l->mass, cmb_vector_constant(g, l->first), cmb_matrix_constant(g, l->J)};
  }
  for (int i = tree->link_count; i-- > 0;) {
    const cmb_link *l = &tree->links[i];
    for (int n = 0; n < cmb_link_velocities(l->kind); n++) add_column(k, i, n, &c[i], column, M);
    const cmb_step s = cmb_step_of(k, i);
    if (l->parent != CMB_GROUND) add_to_parent(g, &s, &c[i], &c[l->parent]);
  }
  qsort(M->entry, (size_t)M->count, sizeof *M->entry, by_row_and_column);
  return CMB_OK;
}
