/*
 * Finds the positions in which three rotations about one point lose a degree of freedom (gimbal lock): the angles of a spherical joint, or hinges
 * through one point with only massless bodies between them. The checks during a simulation use them. With the axes a, b, c in the design
 * position and the middle angle q, the third axis is turned about the second, and the three span the volume
 *
 *     a · (b × c(q)) = a · (b × c) cos q − a · c⊥ sin q,      c⊥ = c − (b · c) b.
 *
 * Where it is 0 the three axes lie in one plane (the first and the third may be parallel): some combination of the three rates moves
 * nothing, M is singular, and the angles cannot describe how the body moves on.
 */
#include "dyn/build.h"
#include "math/vec3.h"

#include <stdio.h>

/* Returns whether a link only connects its parent with one child: it is massless, rotates about an axis and has exactly one child. children[]
 * holds the number of children of each link. */
static bool is_massless_connector(const cmb_tree *tree, const int *children, int link)
{
  return tree->links[link].kind == CMB_LINK_TURN && cmb_is_zero(tree->links[link].mass) &&
         children[link] == 1;
}

static const double ROUNDING = 1e-12; /* m: points that are closer than this coincide */

/* Returns whether the origin of a link coincides with that of its parent, up to rounding. */
static bool is_at_parent(const cmb_link *l)
{
  double offset[3];
  cmb_values_of(3, l->offset, offset);
  return cmb_norm3(offset) <= ROUNDING;
}

static void axis_of(const cmb_link *l, double axis[3])
{
  for (int i = 0; i < 3; i++) axis[i] = l->R0[3 * i + 2].value;
}

static cmb_lock lock_of(const cmb_tree *tree, int first, int middle, int last)
{
  double a[3], b[3], c[3], normal[3];
  axis_of(&tree->links[first], a);
  axis_of(&tree->links[middle], b);
  axis_of(&tree->links[last], c);
  cmb_cross3(b, c, normal);
  const double along = cmb_dot3(b, c);
  return (cmb_lock){.q = tree->links[middle].q,
                    .c = cmb_dot3(a, normal),
                    .s = along * cmb_dot3(a, b) - cmb_dot3(a, c)};
}

/* Stores in *lock, the description of a possible gimbal lock, the name and source position of the middle one of three joints, and a text that
 * names the axes: "its axes" within one joint, else "the axes of 'A', 'B' and 'C'". */
static void name_lock(cmb_build *b, const cmb_link *first, const cmb_link *middle,
                      const cmb_link *last, cmb_lock *lock)
{
  const cmb_model_joint *joints = b->model->joints, *j = &joints[middle->joint];
  char text[800];
  lock->joint = cmb_arena_text(b->arena, j->name);
  lock->file = cmb_arena_text(b->arena, j->place.file);
  lock->line = j->place.line;
  lock->column = j->place.column;
  snprintf(text, sizeof text, "its axes");
  if (first->joint != last->joint) {
    snprintf(text, sizeof text, "the axes of '%s', '%s' and '%s'", joints[first->joint].name,
             j->name, joints[last->joint].name);
  }
  lock->axes = cmb_arena_text(b->arena, text);
}

cmb_status cmb_build_locks(cmb_build *b, cmb_expressions *x)
{
  const cmb_tree *tree = b->tree;
  const size_t links = (size_t)tree->link_count + 1;
  int *children = cmb_arena_ints(b->arena, tree->link_count);
  x->locks = cmb_arena_take(b->arena, links, sizeof *x->locks);
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  for (int i = 0; i < tree->link_count; i++) {
    if (tree->links[i].parent != CMB_GROUND) children[tree->links[i].parent]++;
  }
  for (int i = 0; i < tree->link_count; i++) {
    const cmb_link *l = &tree->links[i];
    const int middle = l->parent, first = middle < 0 ? -1 : tree->links[middle].parent;
    if (l->kind != CMB_LINK_TURN || first < 0 || !is_at_parent(l)) continue;
    if (!is_massless_connector(tree, children, middle) ||
        !is_massless_connector(tree, children, first))
      continue;
    if (!is_at_parent(&tree->links[middle])) continue;
    cmb_lock *lock = &x->locks[x->lock_count++];
    *lock = lock_of(tree, first, middle, i);
    name_lock(b, &tree->links[first], &tree->links[middle], l, lock);
  }
  return cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}
