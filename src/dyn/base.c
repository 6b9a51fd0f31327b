/*
 * Frames and masses of links, chosen so that the recursions have little to compute.
 *
 * Origins. That of a turn may lie anywhere on its axis. At the foot of the perpendicular from its first child's origin the child's
 * offset has no z component. It goes there if that makes offsets shorter and not long.
 *
 * Masses (base parameters: Gautier and Khalil 1990). Mass on the axis of a turn moves with the link and with its parent alike;
 * so it may be counted as the parent's. The same holds for the mass in the centre of a ball, and for the second moments of
 * a shift, which only turn. In terms of Σ m, Σ m x, Σ m x xᵀ a turn gives away m, m c_z and P_zz, a shift P, a ball m. From the
 * child's axes (R) and origin (r) to the parent's, with c = R Σ m x:
 *
 *     Σ m x:  c + m r            Σ m x xᵀ:  R P Rᵀ + r cᵀ + c rᵀ + m r rᵀ
 *
 * Generalised forces and the kinetic energy as a whole stay what they are.
 */
#include "dyn/tree.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-14;
static const double FARTHEST = 3; /* from the joint, in distances between joints */

/* ---- origins */

/* How many components a vector has in a link's axes. */
static int components(const double R0[9], const double d[3], double scale)
{
  double x[3];
  int count = 0;
  cmb_mul3t(R0, d, x);
  for (int i = 0; i < 3; i++) count += fabs(x[i]) > ROUNDING * scale;
  return count;
}

/* Components of the offsets of a link, if its origin is at `at`, and of its child. */
static int components_at(const cmb_tree *tree, const cmb_link *l, const cmb_link *child,
                         const double at[3])
{
  double d[3], scale = fmax(cmb_norm3(at), cmb_norm3(child->r0));
  int count = 0;
  if (l->parent != CMB_GROUND) {
    const cmb_link *parent = &tree->links[l->parent];
    for (int i = 0; i < 3; i++) d[i] = at[i] - parent->r0[i];
    count += components(parent->R0, d, scale);
  }
  for (int i = 0; i < 3; i++) d[i] = child->r0[i] - at[i];
  return count + components(l->R0, d, scale);
}

static void choose_origin(const cmb_tree *tree, int i)
{
  cmb_link *l = &tree->links[i];
  int first = cmb_tree_first_child(tree, i);
  if (l->kind != CMB_LINK_TURN || first < 0) return;
  const cmb_link *child = &tree->links[first];
  double d[3], e[3], at[3], z[3] = {l->R0[2], l->R0[5], l->R0[8]};
  const double *joint = tree->model->joints[child->joint].at;
  for (int k = 0; k < 3; k++) d[k] = child->r0[k] - l->r0[k], e[k] = joint[k] - l->r0[k];
  double way = cmb_dot3(d, z);
  for (int k = 0; k < 3; k++) at[k] = l->r0[k] + way * z[k];
  if (fabs(way) > FARTHEST * cmb_norm3(e)) return;
  if (components_at(tree, l, child, at) < components_at(tree, l, child, l->r0)) {
    memcpy(l->r0, at, sizeof at);
  }
}

void cmb_tree_choose_origins(cmb_tree *tree, int from)
{
  for (int i = tree->link_count; i-- > from;) choose_origin(tree, i);
}

/* ---- masses */

static cmb_moments moments_of(const cmb_link *l)
{
  cmb_moments o = {.mass = l->mass};
  memcpy(o.first, l->first, sizeof o.first);
  double half = (l->J[0] + l->J[4] + l->J[8]) / 2;
  for (int i = 0; i < 9; i++) o.second[i] = (i % 4 == 0 ? half : 0) - l->J[i];
  return o;
}

/* Takes out of the moments what the parent may have, and returns it. */
static cmb_moments give_away(cmb_link_kind kind, cmb_moments *o)
{
  cmb_moments part = {.mass = 0};
  if (kind == CMB_LINK_TURN || kind == CMB_LINK_BALL) {
    part.mass = o->mass;
    o->mass = 0;
  }
  if (kind == CMB_LINK_TURN) {
    part.first[2] = o->first[2], part.second[8] = o->second[8];
    o->first[2] = o->second[8] = 0;
  }
  if (kind == CMB_LINK_SHIFT) {
    memcpy(part.second, o->second, sizeof part.second);
    memset(o->second, 0, sizeof o->second);
  }
  return part;
}

/* R P Rᵀ */
static void turned(const double R[9], const double P[9], double out[9])
{
  double half[9], Rt[9];
  for (int i = 0; i < 9; i++) Rt[i] = R[3 * (i % 3) + i / 3];
  cmb_mul33(R, P, half);
  cmb_mul33(half, Rt, out);
}

static void add_part(const cmb_link *l, const double Rp[9], const cmb_moments *part,
                     cmb_moments *to)
{
  double Rpt[9], R[9], c[3], P[9];
  const double *r = l->offset;
  for (int i = 0; i < 9; i++) Rpt[i] = Rp[3 * (i % 3) + i / 3];
  cmb_mul33(Rpt, l->R0, R);
  for (int i = 0; i < 3; i++) c[i] = cmb_dot3(R + 3 * (ptrdiff_t)i, part->first);
  turned(R, part->second, P);
  to->mass += part->mass;
  for (int i = 0; i < 3; i++) {
    to->first[i] += c[i] + part->mass * r[i];
    for (int j = 0; j < 3; j++) {
      to->second[3 * i + j] += P[3 * i + j] + r[i] * c[j] + c[i] * r[j] + part->mass * r[i] * r[j];
    }
  }
}

/* Rounding errors of 0 become 0. */
static void clean(cmb_moments *o, double first, double second)
{
  for (int i = 0; i < 3; i++) {
    if (fabs(o->first[i]) < ROUNDING * first) o->first[i] = 0;
  }
  for (int i = 0; i < 9; i++) {
    if (fabs(o->second[i]) < ROUNDING * second) o->second[i] = 0;
  }
}

void cmb_tree_move_masses(cmb_tree *tree)
{
  for (int i = 0; i < tree->link_count; i++) tree->links[i].needed = moments_of(&tree->links[i]);
  for (int i = tree->link_count; i-- > 0;) {
    cmb_link *l = &tree->links[i];
    double first = cmb_norm3(l->needed.first);
    double second = l->needed.second[0] + l->needed.second[4] + l->needed.second[8];
    cmb_moments part = give_away(l->kind, &l->needed);
    clean(&l->needed, first, second);
    if (l->parent != CMB_GROUND) {
      add_part(l, tree->links[l->parent].R0, &part, &tree->links[l->parent].needed);
    }
  }
}
