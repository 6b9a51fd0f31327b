/*
 * Links from joints (tree.h): stages of each joint, frames, inertias.
 */
#include "dyn/tree.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double PARALLEL = 1e-9;  /* sine below which axes count as parallel */
static const double ROUNDING = 1e-14; /* cosines this near to 0, 1, -1 are that */

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
  cmb_link_kind kind;
  double axis[3]; /* design position; not of a ball */
};

static void add_stage(struct stage *s, int *count, cmb_link_kind kind, const double axis[3],
                      int sign)
{
  s[*count].kind = kind;
  for (int i = 0; i < 3; i++) s[*count].axis[i] = sign * axis[i];
  ++*count;
}

/* The motions of a joint in the order in which they build on each other. */
static int stages_of(const cmb_model_joint *j, struct stage s[CMB_MOST_STAGES])
{
  static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int n = 0;
  switch (j->type) {
  case CMB_JOINT_REVOLUTE: add_stage(s, &n, CMB_LINK_TURN, j->axes[0], j->turn); break;
  case CMB_JOINT_PRISMATIC: add_stage(s, &n, CMB_LINK_SHIFT, j->axes[0], 1); break;
  case CMB_JOINT_CYLINDRICAL:
    add_stage(s, &n, CMB_LINK_SHIFT, j->axes[0], 1);
    add_stage(s, &n, CMB_LINK_TURN, j->axes[0], j->turn);
    break;
  case CMB_JOINT_UNIVERSAL:
    for (int k = 0; k < 2; k++) add_stage(s, &n, CMB_LINK_TURN, j->axes[k], j->turn);
    break;
  case CMB_JOINT_SPHERICAL:
    if (j->euler)
      add_stage(s, &n, CMB_LINK_BALL, unit[2], 1);
    else
      for (int k = 0; k < 3; k++) add_stage(s, &n, CMB_LINK_TURN, j->axes[k], j->turn);
    break;
  case CMB_JOINT_PLANAR:
    for (int k = 0; k < 2; k++) add_stage(s, &n, CMB_LINK_SHIFT, j->axes[k], 1);
    add_stage(s, &n, CMB_LINK_TURN, j->axes[2], j->turn);
    break;
  case CMB_JOINT_FREE:
    for (int k = 0; k < 3; k++) add_stage(s, &n, CMB_LINK_SHIFT, unit[k], 1);
    add_stage(s, &n, CMB_LINK_BALL, unit[2], 1);
    break;
  default: break; /* fixed */
  }
  return n;
}

/* ---- frames */

static void set_columns(double R[9], const double x[3], const double y[3], const double z[3])
{
  for (int i = 0; i < 3; i++) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
}

static void column(const double R[9], int k, double x[3])
{
  for (int i = 0; i < 3; i++) x[i] = R[3 * i + k];
}

static void identity(double R[9])
{
  memcpy(R, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof *R);
}

/* The frame with this z, and x along `wish` as far as it is perpendicular. False: wish is parallel to z. */
static bool frame_from(const double z[3], const double wish[3], double R[9])
{
  double x[3], y[3], along = cmb_dot3(z, wish);
  for (int i = 0; i < 3; i++) x[i] = wish[i] - along * z[i];
  double length = cmb_norm3(x);
  if (!(length > PARALLEL)) return false;
  for (int i = 0; i < 3; i++) x[i] /= length;
  cmb_cross3(z, x, y);
  set_columns(R, x, y, z);
  return true;
}

static void ground_frame(const cmb_tree *tree, int link, double R[9], double r[3])
{
  if (link == CMB_GROUND) {
    identity(R);
    memset(r, 0, 3 * sizeof *r);
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

/* x of a link's frame: perpendicular to its axis and to its first child's; else as near to the parent's x as can be. */
static void choose_frame(cmb_tree *tree, int i)
{
  cmb_link *l = &tree->links[i];
  double z[3], Rp[9], rp[3], wish[3];
  if (l->kind == CMB_LINK_BALL || l->kind == CMB_LINK_CARTESIAN) return; /* along the global axes */
  column(l->R0, 2, z);
  int child = cmb_tree_first_child(tree, i);
  if (child >= 0) {
    double zc[3];
    column(tree->links[child].R0, 2, zc);
    cmb_cross3(z, zc, wish);
    if (cmb_norm3(wish) > PARALLEL && frame_from(z, wish, l->R0)) return;
  }
  ground_frame(tree, l->parent, Rp, rp);
  for (int k = 0; k < 3; k++) { /* x, else y, else z of the parent: one is not parallel */
    column(Rp, k, wish);
    if (frame_from(z, wish, l->R0)) return;
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

/* β, α, γ of R = Rz(β) Rx(α) Rz(γ). */
static void decompose(const double R[9], cmb_link *l)
{
  double sine = sqrt(R[2] * R[2] + R[5] * R[5]);
  if (sine > ROUNDING) {
    /* of the two ways the one with sin α of the sign of R[2,1], so that β is 0 where it can be */
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

/* Offset and constant rotation against the parent's frame. */
static void connect(const cmb_tree *tree, cmb_link *l)
{
  double Rp[9], rp[3], d[3], Rpt[9], R[9];
  ground_frame(tree, l->parent, Rp, rp);
  for (int i = 0; i < 3; i++) d[i] = l->r0[i] - rp[i];
  cmb_mul3t(Rp, d, l->offset);
  double scale = fmax(cmb_norm3(l->r0), cmb_norm3(rp));
  for (int i = 0; i < 3; i++) {
    if (fabs(l->offset[i]) < ROUNDING * scale) l->offset[i] = 0;
  }
  for (int i = 0; i < 9; i++) Rpt[i] = Rp[3 * (i % 3) + i / 3];
  cmb_mul33(Rpt, l->R0, R);
  decompose(R, l);
}

/* ---- building */

void cmb_tree_point(const cmb_tree *tree, int link, const double at[3], double x[3])
{
  double R[9], r[3], d[3];
  ground_frame(tree, link, R, r);
  for (int i = 0; i < 3; i++) d[i] = at[i] - r[i];
  cmb_mul3t(R, d, x);
}

void cmb_tree_direction(const cmb_tree *tree, int link, const double u[3], double x[3])
{
  double R[9], r[3];
  ground_frame(tree, link, R, r);
  cmb_mul3t(R, u, x);
  for (int i = 0; i < 3; i++) x[i] = rounded(x[i]);
}

static cmb_link *new_link(cmb_tree *tree, cmb_link_kind kind, int parent, const double at[3])
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

static int add_links(cmb_tree *tree, int joint, int parent)
{
  const cmb_model_joint *j = &tree->model->joints[joint];
  struct stage s[CMB_MOST_STAGES];
  int n = stages_of(j, s);
  for (int k = 0; k < n; k++) {
    cmb_link *l = new_link(tree, s[k].kind, parent, j->at);
    l->joint = joint;
    /* z is what matters here; choose_frame turns x later */
    for (int i = 0; i < 3; i++) l->R0[3 * i + 2] = s[k].axis[i];
    parent = tree->link_count - 1;
  }
  tree->joint_link[joint] = parent;
  return parent;
}

/* Inertia of a body added to its link: J about the link's origin in its axes. */
static void add_inertia(cmb_tree *tree, int link, const cmb_model_body *b)
{
  if (link == CMB_GROUND || b->mass == 0) return;
  cmb_link *l = &tree->links[link];
  double c[3], Rt[9], half[9], J[9];
  cmb_tree_point(tree, link, b->com, c);
  for (int i = 0; i < 9; i++) Rt[i] = l->R0[3 * (i % 3) + i / 3];
  cmb_mul33(Rt, b->inertia, half);
  cmb_mul33(half, l->R0, J);
  l->mass += b->mass;
  for (int i = 0; i < 3; i++) {
    l->first[i] += b->mass * c[i];
    for (int k = 0; k < 3; k++) {
      double steiner = (i == k ? cmb_dot3(c, c) : 0) - c[i] * c[k];
      l->J[3 * i + k] += (J[3 * i + k] + J[3 * k + i]) / 2 + b->mass * steiner;
    }
  }
}

/* Entries that are rounding errors of 0 become 0: the expressions get shorter. */
static void clean_inertia(cmb_link *l)
{
  double most_first = cmb_norm3(l->first), most_J = l->J[0] + l->J[4] + l->J[8];
  for (int i = 0; i < 3; i++) {
    if (fabs(l->first[i]) < ROUNDING * most_first) l->first[i] = 0;
  }
  for (int i = 0; i < 9; i++) {
    if (fabs(l->J[i]) < ROUNDING * most_J) l->J[i] = 0;
  }
}

static cmb_tree *new_tree(cmb_arena *arena, const cmb_model *model)
{
  cmb_tree *tree = cmb_arena_take(arena, 1, sizeof *tree);
  if (!tree) return NULL;
  size_t room = (size_t)model->joint_count * CMB_MOST_STAGES + (size_t)model->body_count;
  tree->model = model;
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
  for (int i = from; i < tree->link_count; i++) connect(tree, &tree->links[i]);
}

static void add_bodies(cmb_tree *tree)
{
  for (int b = 0; b < tree->model->body_count; b++) {
    add_inertia(tree, tree->body_link[b], &tree->model->bodies[b]);
  }
  for (int i = 0; i < tree->link_count; i++) clean_inertia(&tree->links[i]);
}

cmb_status cmb_tree_create(cmb_arena *arena, const cmb_model *model, cmb_tree **out)
{
  cmb_tree *tree = *out = new_tree(arena, model);
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

/* A link for the group of bodies whose first body is the child of joint i; its origin is the centre of mass, known only
 * when all bodies are: begin with the joint's place. */
cmb_status cmb_tree_create_cartesian(cmb_arena *arena, const cmb_model *model, cmb_tree **out)
{
  cmb_tree *tree = *out = new_tree(arena, model);
  double *mass = cmb_arena_doubles(arena, model->body_count);
  double *first = cmb_arena_doubles(arena, 3 * model->body_count);
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
    mass[link] += b->mass;
    for (int k = 0; k < 3; k++) first[3 * link + k] += b->mass * b->com[k];
  }
  for (int i = 0; i < tree->link_count; i++) {
    if (mass[i] == 0) continue;
    for (int k = 0; k < 3; k++) tree->links[i].r0[k] = first[3 * i + k] / mass[i];
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
