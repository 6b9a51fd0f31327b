/*
 * Chooses the origins and the masses of links such that the recursions need few operations; tree.c calls it when links are made.
 *
 * Origins. That of a turn (revolute motion) may lie anywhere on its axis. At the foot of the perpendicular from its first child's origin the child's
 * offset has no z component. The origin is moved there if that gives the offsets fewer components, is not too far away, and depends on no
 * live parameter.
 *
 * Masses (base parameters: Gautier and Khalil 1990). Mass on the axis of a turn moves with the link and with its parent alike,
 * so that it can be attributed to the parent. The same holds for the mass in the centre of a ball, and for the second moments of
 * a shift, which only rotate. In terms of Σ m, Σ m x, Σ m x xᵀ a turn passes on m, m c_z and P_zz, a shift P, a ball m. From the
 * child's axes (R) and origin (r) to the parent's, with c = R Σ m x:
 *
 *     Σ m x:  c + m r            Σ m x xᵀ:  R P Rᵀ + r cᵀ + c rᵀ + m r rᵀ
 *
 * Generalised forces and the kinetic energy as a whole are unchanged.
 */
#include "dyn/tree.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-14;
/* limit for the distance of an origin from its joint, as a multiple of the distance between the joints */
static const double FARTHEST = 3;

/* ---- origins */

/* Returns the number of components of the vector d (global axes), resolved in the axes R0 (3 x 3, by columns), that exceed rounding errors
 * relative to `scale`. */
static int count_components(const cmb_number R0[9], const double d[3], double scale)
{
  double R[9], x[3];
  int count = 0;
  cmb_values_of(9, R0, R);
  cmb_mul3t(R, d, x);
  for (int i = 0; i < 3; i++) count += fabs(x[i]) > ROUNDING * scale;
  return count;
}

/* Returns how many components would be non-zero in two offsets if the origin of link l were moved to the point `at` (global axes), in the
 * design position: from the parent's origin to that of l, in the parent's axes (not counted if the parent is the ground), and from there to
 * the origin of the child, in the axes of l. */
static int count_offset_components(const cmb_tree *tree, const cmb_link *l, const cmb_link *child,
                                   const double at[3])
{
  double d[3], child_at[3];
  cmb_values_of(3, child->r0, child_at);
  const double scale = fmax(cmb_norm3(at), cmb_norm3(child_at));
  int count = 0;
  if (l->parent != CMB_GROUND) {
    const cmb_link *parent = &tree->links[l->parent];
    for (int i = 0; i < 3; i++) d[i] = at[i] - parent->r0[i].value;
    count += count_components(parent->R0, d, scale);
  }
  for (int i = 0; i < 3; i++) d[i] = child_at[i] - at[i];
  return count + count_components(l->R0, d, scale);
}

/* Returns whether parameters that can be changed after set-up affect the frame of link l, the frame of its parent or the origin of its child.
 * If so, the link's origin stays at the joint; otherwise it may be moved to simplify the equations. */
static bool has_live_origins(const cmb_tree *tree, const cmb_link *l, const cmb_link *child)
{
  if (cmb_any_live(3, l->r0) || cmb_any_live(9, l->R0) || cmb_any_live(3, child->r0)) return true;
  if (l->parent == CMB_GROUND) return false;
  const cmb_link *parent = &tree->links[l->parent];
  return cmb_any_live(3, parent->r0) || cmb_any_live(9, parent->R0);
}

static void choose_origin(const cmb_tree *tree, int i)
{
  cmb_link *l = &tree->links[i];
  int first = cmb_tree_first_child(tree, i);
  if (l->kind != CMB_LINK_TURN || first < 0) return;
  const cmb_link *child = &tree->links[first];
  if (has_live_origins(tree, l, child)) return;
  double d[3], e[3], at[3], here[3], z[3] = {l->R0[2].value, l->R0[5].value, l->R0[8].value};
  const cmb_number *joint = tree->model->joints[child->joint].at;
  cmb_values_of(3, l->r0, here);
  for (int k = 0; k < 3; k++) {
    d[k] = child->r0[k].value - here[k];
    e[k] = joint[k].value - here[k];
  }
  double way = cmb_dot3(d, z);
  for (int k = 0; k < 3; k++) at[k] = here[k] + way * z[k];
  if (fabs(way) > FARTHEST * cmb_norm3(e)) return;
  if (count_offset_components(tree, l, child, at) < count_offset_components(tree, l, child, here)) {
    cmb_fix_numbers(3, at, l->r0);
  }
}

void cmb_tree_choose_origins(cmb_tree *tree, int from)
{
  for (int i = tree->link_count; i-- > from;) choose_origin(tree, i);
}

/* ---- masses */

static cmb_moments moments_of(cmb_graph *g, const cmb_link *l)
{
  cmb_moments o = {.mass = l->mass};
  memcpy(o.first, l->first, sizeof o.first);
  const cmb_number trace = cmb_plus(g, cmb_plus(g, l->J[0], l->J[4]), l->J[8]);
  const cmb_number half = cmb_over(g, trace, cmb_fixed(2));
  for (int i = 0; i < 9; i++) {
    o.second[i] = cmb_minus(g, i % 4 == 0 ? half : cmb_fixed(0), l->J[i]);
  }
  return o;
}

/* Removes from the mass moments *o of a link those parts that can be attributed to its parent without changing the equations of motion, and
 * returns them, so that fewer inertial parameters remain (base parameters). The parts depend on how the link moves relative to its parent,
 * `kind`. */
static cmb_moments move_to_parent(cmb_link_kind kind, cmb_moments *o)
{
  const cmb_number zero = cmb_fixed(0);
  cmb_moments part = {.mass = zero};
  if (kind == CMB_LINK_TURN || kind == CMB_LINK_BALL) {
    part.mass = o->mass;
    o->mass = zero;
  }
  if (kind == CMB_LINK_TURN) {
    part.first[2] = o->first[2], part.second[8] = o->second[8];
    o->first[2] = o->second[8] = zero;
  }
  if (kind == CMB_LINK_SHIFT) {
    memcpy(part.second, o->second, sizeof part.second);
    memset(o->second, 0, sizeof o->second);
  }
  return part;
}

/* Computes out := R P Rᵀ for a rotation R and a matrix P (3 x 3, row-major). */
static void rotated(cmb_graph *g, const cmb_number R[9], const cmb_number P[9], cmb_number out[9])
{
  cmb_number half[9], Rt[9];
  cmb_number_transpose(R, Rt);
  cmb_number_mul33(g, R, P, half);
  cmb_number_mul33(g, half, Rt, out);
}

static void add_to(cmb_graph *g, cmb_number *sum, cmb_number x)
{
  *sum = cmb_plus(g, *sum, x);
}

static void add_part(cmb_graph *g, const cmb_link *l, const cmb_number Rp[9],
                     const cmb_moments *part, cmb_moments *to)
{
  cmb_number Rpt[9], R[9], c[3], P[9];
  const cmb_number *r = l->offset;
  cmb_number_transpose(Rp, Rpt);
  cmb_number_mul33(g, Rpt, l->R0, R);
  for (int i = 0; i < 3; i++) c[i] = cmb_number_dot3(g, R + 3 * (ptrdiff_t)i, part->first);
  rotated(g, R, part->second, P);
  add_to(g, &to->mass, part->mass);
  for (int i = 0; i < 3; i++) {
    const cmb_number there = cmb_times(g, part->mass, r[i]);
    add_to(g, &to->first[i], cmb_plus(g, c[i], there));
    for (int j = 0; j < 3; j++) {
      cmb_number sum = cmb_plus(g, P[3 * i + j], cmb_times(g, r[i], c[j]));
      add_to(g, &sum, cmb_times(g, c[i], r[j]));
      add_to(g, &sum, cmb_times(g, there, r[j]));
      add_to(g, &to->second[3 * i + j], sum);
    }
  }
}

void cmb_tree_move_masses(cmb_tree *tree)
{
  for (int i = 0; i < tree->link_count; i++) {
    tree->links[i].reduced = moments_of(tree->g, &tree->links[i]);
  }
  for (int i = tree->link_count; i-- > 0;) {
    cmb_link *l = &tree->links[i];
    double first[3];
    cmb_values_of(3, l->reduced.first, first);
    const cmb_number *P = l->reduced.second;
    const double second = P[0].value + P[4].value + P[8].value;
    cmb_moments part = move_to_parent(l->kind, &l->reduced);
    cmb_number_clean(3, l->reduced.first, ROUNDING * cmb_norm3(first));
    cmb_number_clean(9, l->reduced.second, ROUNDING * second);
    if (l->parent != CMB_GROUND) {
      add_part(tree->g, l, tree->links[l->parent].R0, &part, &tree->links[l->parent].reduced);
    }
  }
}
