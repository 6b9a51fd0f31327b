/*
 * Builds the tree of links from the joints and bodies of a model (tree.h): one link for each elementary motion of a
 * joint, with its frame and the inertia of its bodies.
 */
#include "dyn/tree.h"

#include <math.h>
#include <string.h>

/* axes count as parallel if the sine of their angle is below this */
static const double PARALLEL = 1e-9;
/* cosines and sines that differ from 0, 1 or −1 by less than this are rounded to them; offsets and inertias smaller than this, relative to
 * their sizes, to 0 */
static const double ROUNDING = 1e-14;

int cmb_link_coordinates(cmb_link_kind kind)
{
  static const int count[] = {1, 1, 4, 7};
  return count[kind];
}

int cmb_link_velocities(cmb_link_kind kind)
{
  static const int count[] = {1, 1, 3, 7};
  return count[kind];
}

struct stage {
  cmb_number axis[3]; /* in the design position; for a ball the z axis of its frame */
  cmb_link_kind kind;
  int sign; /* 1 or −1, the direction of the motion along the axis */
};

/* Computes the i-th axis, axis[3], along which the coordinates of a free joint, or of a joint with Euler parameters, are measured: a global
 * axis, or an axis of a mirrored or rotated copy of a subassembly. */
static void coordinate_axis(const cmb_model_joint *j, int i, cmb_number axis[3])
{
  const cmb_mirror m = {.axes = j->axes0};
  double row[3];
  cmb_mirror_axis(&m, i, row);
  cmb_fix_numbers(3, row, axis);
}

/* Lists the elementary motions of a joint in s[], from the parent to the child: translations, rotations about an axis, or a rotation about a
 * point. Returns their number. The rotation of a joint with Euler parameters is a single rotation about a point. */
static int elementary_motions(const cmb_model_joint *j, struct stage s[CMB_MOST_STAGES])
{
  static const cmb_link_kind kinds[] = {[CMB_MOTION_SHIFT] = CMB_LINK_SHIFT,
                                        [CMB_MOTION_TURN] = CMB_LINK_TURN,
                                        [CMB_MOTION_BALL] = CMB_LINK_BALL};
  const cmb_joint_row *row = &cmb_joint_rows[j->type];
  if (row->orients && j->euler) { /* one ball instead of three turns */
    s[0] = (struct stage){.kind = CMB_LINK_BALL, .sign = 1};
    coordinate_axis(j, 2, s[0].axis);
    return 1;
  }
  for (int k = 0; k < row->stage_count; k++) {
    const cmb_joint_stage *stage = &row->stage[k];
    const bool ball = stage->motion == CMB_MOTION_BALL, turn = stage->motion == CMB_MOTION_TURN;
    s[k] = (struct stage){.kind = kinds[stage->motion], .sign = turn ? j->turn : 1};
    if (ball || stage->global)
      coordinate_axis(j, ball ? 2 : stage->axis, s[k].axis);
    else
      memcpy(s[k].axis, j->axes[stage->axis], sizeof s[k].axis);
  }
  return row->stage_count;
}

/* ---- frames */

static void set_columns(cmb_number R[9], const cmb_number x[3], const cmb_number y[3],
                        const cmb_number z[3])
{
  for (int i = 0; i < 3; i++) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
}

static void column(const cmb_number R[9], int k, cmb_number x[3])
{
  for (int i = 0; i < 3; i++) x[i] = R[3 * i + k];
}

static void identity(cmb_number R[9])
{
  memcpy(R, cmb_unit3, sizeof cmb_unit3);
}

/* Computes the frame R (3 x 3, axes by columns) with the given z axis, whose x axis is the part of `wish`
 * perpendicular to z, normalised. Returns false if `wish` is parallel to z. */
static bool frame_from(cmb_graph *g, const cmb_number z[3], const cmb_number wish[3],
                       cmb_number R[9])
{
  cmb_number x[3], y[3];
  const cmb_number along = cmb_number_dot3(g, z, wish);
  for (int i = 0; i < 3; i++) x[i] = cmb_minus(g, wish[i], cmb_times(g, along, z[i]));
  const cmb_number length = cmb_number_norm3(g, x);
  if (!(length.value > PARALLEL)) return false;
  for (int i = 0; i < 3; i++) x[i] = cmb_over(g, x[i], length);
  cmb_number_cross3(g, z, x, y);
  set_columns(R, x, y, z);
  return true;
}

/* Computes a frame R (3 x 3, axes by columns) for an axis z that depends on parameters that can be changed after set-up. Its x axis is the
 * part, perpendicular to z and normalised, of the global axis that is farthest from z. */
static void frame_of_live_axis(cmb_graph *g, const cmb_number z[3], cmb_number R[9])
{
  int least = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(z[i].value) < fabs(z[least].value)) least = i;
  }
  frame_from(g, z, cmb_unit3[least], R);
}

static void ground_frame(const cmb_tree *tree, int link, cmb_number R[9], cmb_number r[3])
{
  if (link == CMB_GROUND) {
    identity(R);
    cmb_fix_numbers(3, (const double[3]){0, 0, 0}, r);
  } else {
    memcpy(R, tree->links[link].R0, 9 * sizeof *R);
    memcpy(r, tree->links[link].r0, 3 * sizeof *r);
  }
}

int cmb_tree_first_child(const cmb_tree *tree, int link)
{
  for (int i = link + 1; i < tree->link_count; i++) {
    if (tree->links[i].parent == link) return i;
  }
  return -1;
}

/* Computes the frame R (3 x 3, axes by columns) of link i with the given z axis, and with the x axis along the common normal of z and the axis
 * of the link's first child. Returns false if there is no child, or its axis is parallel to z or depends on parameters that can be changed
 * after set-up. */
static bool frame_with_child(const cmb_tree *tree, int i, const cmb_number z[3], cmb_number R[9])
{
  const int child = cmb_tree_first_child(tree, i);
  cmb_number zc[3], wish[3];
  if (child < 0) return false;
  column(tree->links[child].R0, 2, zc);
  if (cmb_any_live(3, zc)) return false;
  cmb_number_cross3(tree->g, z, zc, wish);
  return cmb_number_norm3(tree->g, wish).value > PARALLEL && frame_from(tree->g, z, wish, R);
}

/* Chooses the x axis of the frame of link i: along the common normal of the joint axes of the link and its first child if there is one, else as
 * near as possible to the parent's x axis. If the link's axis, or the parent's frame where it is needed, depends on parameters that can be
 * changed after set-up, x is near a global axis instead. Links with a ball joint and Cartesian links keep their frames. */
static void choose_frame(cmb_tree *tree, int i)
{
  cmb_link *l = &tree->links[i];
  cmb_number z[3], Rp[9], rp[3], wish[3];
  /* they have a frame already */
  if (l->kind == CMB_LINK_BALL || l->kind == CMB_LINK_CARTESIAN) return;
  column(l->R0, 2, z);
  ground_frame(tree, l->parent, Rp, rp);
  if (!cmb_any_live(3, z) && frame_with_child(tree, i, z, l->R0)) return;
  if (cmb_any_live(3, z) || cmb_any_live(9, Rp)) {
    frame_of_live_axis(tree->g, z, l->R0);
    return;
  }
  for (int k = 0; k < 3; k++) {
    /* the parent's x, y or z: at least one is not parallel to the axis */
    column(Rp, k, wish);
    if (frame_from(tree->g, z, wish, l->R0)) return;
  }
}

static double rounded(double x)
{
  if (fabs(x) < ROUNDING) return 0;
  if (fabs(fabs(x) - 1) < ROUNDING) return x > 0 ? 1 : -1;
  return x;
}

static cmb_quarter quarter(double c, double s)
{
  double length = sqrt(c * c + s * s);
  return (cmb_quarter){rounded(c / length), rounded(s / length)};
}

/* Decomposes the rotation matrix R = Rz(β) Rx(α) Rz(γ) into the angles β, α, γ, and stores their cosines and sines in
 * the link. */
static void decompose(const double R[9], cmb_link *l)
{
  double sine = sqrt(R[2] * R[2] + R[5] * R[5]);
  if (sine > ROUNDING) {
    /* of the two solutions the one with cos β ≥ 0, so that β is 0 where possible */
    double sign = R[5] > 0 ? -1 : 1;
    l->beta = quarter(-sign * R[5], sign * R[2]);
    l->alpha = quarter(R[8], sign * sine);
    l->gamma = quarter(sign * R[7], sign * R[6]);
  } else {
    double flip = R[8] > 0 ? 1 : -1;
    l->beta = (cmb_quarter){1, 0};
    l->alpha = (cmb_quarter){flip, 0};
    l->gamma = quarter(R[0], flip * R[3]);
  }
}

static double size_of(int count, const cmb_number *x)
{
  double sum = 0;
  for (int i = 0; i < count; i++) sum += x[i].value * x[i].value;
  return sqrt(sum);
}

/* Computes the constant part of the transformation from a link's frame to its parent's: the offset, and the rotation by the angles β, α, γ. If
 * parameters that can be changed after set-up change the rotation, it is stored as a matrix F. */
static void set_constant_transform(const cmb_tree *tree, cmb_link *l)
{
  cmb_number Rp[9], rp[3], d[3], Rpt[9], R[9];
  double value[9];
  ground_frame(tree, l->parent, Rp, rp);
  cmb_number_minus3(tree->g, l->r0, rp, d);
  cmb_number_mul3t(tree->g, Rp, d, l->offset);
  cmb_number_clean(3, l->offset, ROUNDING * fmax(size_of(3, l->r0), size_of(3, rp)));
  cmb_number_transpose(Rp, Rpt);
  cmb_number_mul33(tree->g, Rpt, l->R0, R);
  l->general = cmb_any_live(9, R);
  if (l->general) {
    memcpy(l->F, R, sizeof l->F);
    l->beta = l->alpha = l->gamma = (cmb_quarter){1, 0};
    return;
  }
  cmb_values_of(9, R, value);
  decompose(value, l);
}

/* ---- building */

void cmb_tree_point(const cmb_tree *tree, int link, const cmb_number at[3], cmb_number x[3])
{
  cmb_number R[9], r[3], d[3];
  ground_frame(tree, link, R, r);
  cmb_number_minus3(tree->g, at, r, d);
  cmb_number_mul3t(tree->g, R, d, x);
}

void cmb_tree_direction(const cmb_tree *tree, int link, const cmb_number u[3], cmb_number x[3])
{
  cmb_number R[9], r[3];
  ground_frame(tree, link, R, r);
  cmb_number_mul3t(tree->g, R, u, x);
  for (int i = 0; i < 3; i++) {
    if (x[i].live == 0) x[i].value = rounded(x[i].value);
  }
}

static cmb_link *new_link(cmb_tree *tree, cmb_link_kind kind, int parent, const cmb_number at[3])
{
  cmb_link *l = &tree->links[tree->link_count++];
  *l = (cmb_link){.kind = kind, .parent = parent, .q = tree->nq, .v = tree->nv, .joint = -1};
  if (parent != CMB_GROUND) {
    const cmb_link *p = &tree->links[parent];
    l->v_before = p->v_before + cmb_link_velocities(p->kind);
  }
  tree->nq += cmb_link_coordinates(kind);
  tree->nv += cmb_link_velocities(kind);
  memcpy(l->r0, at, sizeof l->r0);
  identity(l->R0);
  return l;
}

/* Sets the columns of R (3 x 3) to the axes along which the coordinates of a ball joint (a rotation about a point)
 * are measured. */
static void ball_frame(const cmb_model_joint *j, cmb_number R[9])
{
  cmb_number x[3], y[3], z[3];
  coordinate_axis(j, 0, x), coordinate_axis(j, 1, y), coordinate_axis(j, 2, z);
  set_columns(R, x, y, z);
}

static int add_links(cmb_tree *tree, int joint, int parent)
{
  const cmb_model_joint *j = &tree->model->joints[joint];
  struct stage s[CMB_MOST_STAGES];
  int n = elementary_motions(j, s);
  for (int k = 0; k < n; k++) {
    cmb_link *l = new_link(tree, s[k].kind, parent, j->at);
    l->joint = joint;
    if (s[k].kind == CMB_LINK_BALL) ball_frame(j, l->R0);
    /* only z matters here, since choose_frame sets x later, except for a ball */
    for (int i = 0; i < 3; i++) l->R0[3 * i + 2] = cmb_scaled(tree->g, s[k].sign, s[k].axis[i]);
    parent = tree->link_count - 1;
  }
  tree->joint_link[joint] = parent;
  return parent;
}

/* Adds the mass, the first mass moment and the inertia tensor of a body to those of its link, about the link's origin
 * and in its axes. Does nothing for the ground or a body without mass. */
static void add_inertia(cmb_tree *tree, int link, const cmb_model_body *b)
{
  if (link == CMB_GROUND || cmb_is_zero(b->mass)) return;
  cmb_graph *g = tree->g;
  cmb_link *l = &tree->links[link];
  cmb_number c[3], Rt[9], half[9], J[9];
  cmb_tree_point(tree, link, b->com, c);
  cmb_number_transpose(l->R0, Rt);
  cmb_number_mul33(g, Rt, b->inertia, half);
  cmb_number_mul33(g, half, l->R0, J);
  l->mass = cmb_plus(g, l->mass, b->mass);
  for (int i = 0; i < 3; i++) {
    l->first[i] = cmb_plus(g, l->first[i], cmb_times(g, b->mass, c[i]));
    for (int k = 0; k < 3; k++) {
      const cmb_number square = i == k ? cmb_number_dot3(g, c, c) : cmb_fixed(0);
      const cmb_number steiner = cmb_minus(g, square, cmb_times(g, c[i], c[k]));
      const cmb_number sum = cmb_plus(g, J[3 * i + k], J[3 * k + i]);
      const cmb_number own = cmb_over(g, sum, cmb_fixed(2));
      cmb_number *to = &l->J[3 * i + k];
      *to = cmb_plus(g, *to, cmb_plus(g, own, cmb_times(g, b->mass, steiner)));
    }
  }
}

static void clean_inertia(cmb_link *l)
{
  cmb_number_clean(3, l->first, ROUNDING * size_of(3, l->first));
  cmb_number_clean(9, l->J, ROUNDING * (l->J[0].value + l->J[4].value + l->J[8].value));
}

static cmb_tree *new_tree(cmb_arena *arena, cmb_graph *g, const cmb_model *model)
{
  cmb_tree *tree = cmb_arena_take(arena, 1, sizeof *tree);
  if (!tree) return NULL;
  size_t room = (size_t)model->joint_count * CMB_MOST_STAGES + (size_t)model->body_count;
  tree->model = model;
  tree->g = g;
  tree->links = cmb_arena_take(arena, room, sizeof *tree->links);
  tree->body_link = cmb_arena_ints(arena, model->body_count);
  tree->joint_link = cmb_arena_ints(arena, model->joint_count);
  if (cmb_arena_failed(arena)) return NULL;
  for (int i = 0; i < model->joint_count; i++) tree->joint_link[i] = CMB_GROUND;
  return tree;
}

static int link_of_body(const cmb_tree *tree, int body)
{
  return body == CMB_GROUND ? CMB_GROUND : tree->body_link[body];
}

static void finish_frames(cmb_tree *tree, int from)
{
  for (int i = from; i < tree->link_count; i++) choose_frame(tree, i);
  cmb_tree_choose_origins(tree, from);
  for (int i = from; i < tree->link_count; i++) set_constant_transform(tree, &tree->links[i]);
}

static void add_bodies(cmb_tree *tree)
{
  for (int b = 0; b < tree->model->body_count; b++) {
    add_inertia(tree, tree->body_link[b], &tree->model->bodies[b]);
  }
  for (int i = 0; i < tree->link_count; i++) clean_inertia(&tree->links[i]);
}

cmb_status cmb_tree_create(cmb_arena *arena, cmb_graph *g, const cmb_model *model, cmb_tree **out)
{
  cmb_tree *tree = *out = new_tree(arena, g, model);
  if (!tree) return CMB_ERROR_MEMORY;
  for (int i = 0; i < model->joint_count; i++) {
    const cmb_model_joint *j = &model->joints[i];
    tree->body_link[j->child] = add_links(tree, i, link_of_body(tree, j->parent));
  }
  finish_frames(tree, 0);
  add_bodies(tree);
  cmb_tree_move_masses(tree);
  return CMB_OK;
}

/* Creates the tree of links for Cartesian coordinates: one freely moving link for each group of bodies connected by fixed joints, except for
 * those fixed to the ground. The origin of a link is the centre of mass of its group, or the point of its first joint if the group has no mass. */
cmb_status cmb_tree_create_cartesian(cmb_arena *arena, cmb_graph *g, const cmb_model *model,
                                     cmb_tree **out)
{
  cmb_tree *tree = *out = new_tree(arena, g, model);
  cmb_number *mass = cmb_arena_take(arena, (size_t)model->body_count, sizeof *mass);
  cmb_number *first = cmb_arena_take(arena, 3 * (size_t)model->body_count, sizeof *first);
  if (!tree || !mass || !first) return CMB_ERROR_MEMORY;
  for (int i = 0; i < model->joint_count; i++) {
    const cmb_model_joint *j = &model->joints[i];
    const cmb_model_body *b = &model->bodies[j->child];
    if (j->type == CMB_JOINT_FIXED)
      tree->body_link[j->child] = link_of_body(tree, j->parent);
    else {
      new_link(tree, CMB_LINK_CARTESIAN, CMB_GROUND, j->at);
      tree->body_link[j->child] = tree->link_count - 1;
    }
    int link = tree->body_link[j->child];
    if (link == CMB_GROUND) continue;
    mass[link] = cmb_plus(g, mass[link], b->mass);
    for (int k = 0; k < 3; k++) {
      cmb_number *sum = &first[3 * link + k];
      *sum = cmb_plus(g, *sum, cmb_times(g, b->mass, b->com[k]));
    }
  }
  for (int i = 0; i < tree->link_count; i++) {
    if (cmb_is_zero(mass[i])) continue;
    for (int k = 0; k < 3; k++) {
      tree->links[i].r0[k] = cmb_over(g, first[3 * i + k], mass[i]);
    }
  }
  finish_frames(tree, 0);
  add_bodies(tree);
  for (int i = 0; i < tree->link_count; i++)
    memset(tree->links[i].first, 0, sizeof tree->links[i].first);
  return CMB_OK;
}

void cmb_tree_add_joint(cmb_tree *tree, int joint, int parent)
{
  int from = tree->link_count;
  add_links(tree, joint, parent);
  finish_frames(tree, from);
}

int cmb_tree_common(const cmb_tree *tree, int a, int b)
{
  while (a != b) {
    if (a > b)
      a = tree->links[a].parent;
    else
      b = tree->links[b].parent;
  }
  return a;
}
