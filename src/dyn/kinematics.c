/*
 * Computes poses of links relative to a base link, with velocities and accelerations, and generalised forces from wrenches
 * (kinematics.h), all as expressions.
 *
 * From a parent p to a link with axis e (unit, in the base's axes), d from origin to origin:
 *
 *     turn:   ω = ω_p + e q̇          ω̇ = ω̇_p + e q̈ + ω_p × e q̇
 *     shift:  v = v_p + ω_p × d + e q̇    v̇ = v̇_p + ω̇_p × d + ω_p × (ω_p × d) + 2 ω_p × e q̇ + e q̈
 *     ball:   ω = ω_p + R ω'           ω̇ = ω̇_p + R ω̇' + ω_p × R ω'
 */
#include "dyn/kinematics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cmb_vector add(cmb_graph *g, cmb_vector a, cmb_vector b)
{
  return cmb_vector_add(g, a, b);
}

static cmb_vector cross(cmb_graph *g, cmb_vector a, cmb_vector b)
{
  return cmb_vector_cross(g, a, b);
}

static cmb_vector zero_vector(void)
{
  return (cmb_vector){{0, 0, 0}};
}

static void rest_at(cmb_pose *p, cmb_graph *g)
{
  p->R = cmb_matrix_identity(g);
  p->r = p->w = p->v = p->dw = p->dv = p->aw = p->av = zero_vector();
}

cmb_status cmb_kinematics_create(cmb_arena *arena, cmb_graph *g, cmb_tree *tree,
                                 cmb_kinematics **out)
{
  cmb_kinematics *k = *out = cmb_arena_take(arena, 1, sizeof *k);
  if (!k) return CMB_ERROR_MEMORY;
  /* coordinates of each body and, in the Cartesian formulation, possibly those of its joint */
  size_t rooms = 2 * (size_t)tree->model->joint_count * CMB_MOST_COORDINATES;
  size_t links =
      (size_t)tree->model->joint_count * CMB_MOST_STAGES + (size_t)tree->model->body_count;
  *k = (cmb_kinematics){.arena = arena, .g = g, .tree = tree};
  k->q = cmb_arena_take(arena, rooms, sizeof *k->q);
  k->v = cmb_arena_take(arena, rooms, sizeof *k->v);
  k->a = cmb_arena_take(arena, rooms, sizeof *k->a);
  k->q_names = cmb_arena_take(arena, rooms, sizeof *k->q_names);
  k->v_names = cmb_arena_take(arena, rooms, sizeof *k->v_names);
  k->poses = cmb_arena_take(arena, links, sizeof(void *));
  k->path = cmb_arena_take(arena, links, sizeof *k->path);
  k->on_path = cmb_arena_take(arena, links, sizeof *k->on_path);
  k->rest = cmb_arena_take(arena, 1, sizeof *k->rest);
  if (cmb_arena_failed(arena)) return CMB_ERROR_MEMORY;
  rest_at(k->rest, g);
  k->t = cmb_input(g, "t");
  cmb_kinematics_name(k, 0);
  return cmb_arena_failed(arena) ? CMB_ERROR_MEMORY : CMB_OK;
}

/* ---- names of coordinates and velocities */

/* Creates the symbol (an input of the expression graph) of coordinate number i with the given name. */
static void name_q(cmb_kinematics *k, int i, const char *name)
{
  char text[300];
  snprintf(text, sizeof text, "q %s", name);
  k->q_names[i] = name;
  k->q[i] = cmb_input(k->g, text);
}

static void name_v(cmb_kinematics *k, int i, const char *name)
{
  char text[300];
  snprintf(text, sizeof text, "v %s", name);
  k->v_names[i] = name;
  k->v[i] = cmb_input(k->g, text);
  snprintf(text, sizeof text, "a %s", name);
  k->a[i] = cmb_input(k->g, text);
}

/* Creates the symbols (inputs of the expression graph) of the coordinates and velocities of a freely moving link, named after its first body:
 * BODY.x, BODY.y, BODY.z and the Euler parameters BODY.p0 .. BODY.p3; rates have a prime. */
static void name_cartesian(cmb_kinematics *k, int link)
{
  static const char *const parts[] = {"x", "y", "z", "p0", "p1", "p2", "p3"};
  const cmb_tree *tree = k->tree;
  const char *body = "";
  for (int b = tree->model->body_count; b-- > 0;) {
    if (tree->body_link[b] == link) body = tree->model->bodies[b].name;
  }
  for (int i = 0; i < 7; i++) {
    char text[300];
    snprintf(text, sizeof text, "%s.%s", body, parts[i]);
    const char *name = cmb_arena_text(k->arena, text);
    snprintf(text, sizeof text, "%s.%s'", body, parts[i]);
    const char *rate = cmb_arena_text(k->arena, text);
    if (!name || !rate) return;
    name_q(k, tree->links[link].q + i, name);
    name_v(k, tree->links[link].v + i, rate);
  }
}

void cmb_kinematics_name(cmb_kinematics *k, int from)
{
  const cmb_tree *tree = k->tree;
  for (int i = from; i < tree->link_count; i++) {
    const cmb_link *l = &tree->links[i];
    if (l->kind == CMB_LINK_CARTESIAN) {
      name_cartesian(k, i);
      continue;
    }
    const cmb_model_joint *j = &tree->model->joints[l->joint];
    /* named together with its joint's first link */
    if (i > from && tree->links[i - 1].joint == l->joint) continue;
    for (int n = 0; n < j->nq; n++) name_q(k, l->q + n, j->q_names[n]);
    for (int n = 0; n < j->nv; n++) name_v(k, l->v + n, j->v_names[n]);
  }
}

/* ---- transformations between frames */

/* Returns the vector x rotated about coordinate axis number `axis` (0..2) by the angle with cosine c and sine s. */
cmb_vector cmb_turn(cmb_graph *g, int axis, cmb_expr c, cmb_expr s, cmb_vector x)
{
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  cmb_vector y = x;
  y.x[i] = cmb_sub(g, cmb_mul(g, c, x.x[i]), cmb_mul(g, s, x.x[j]));
  y.x[j] = cmb_add(g, cmb_mul(g, s, x.x[i]), cmb_mul(g, c, x.x[j]));
  return y;
}

static cmb_vector turn_back(cmb_graph *g, int axis, cmb_expr c, cmb_expr s, cmb_vector x)
{
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  cmb_vector y = x;
  y.x[i] = cmb_add(g, cmb_mul(g, c, x.x[i]), cmb_mul(g, s, x.x[j]));
  y.x[j] = cmb_sub(g, cmb_mul(g, c, x.x[j]), cmb_mul(g, s, x.x[i]));
  return y;
}

/* Builds the cosine and the sine of the angle γ + q, a constant angle plus a joint coordinate, and stores them in s, the transformation from a
 * link's frame to its parent's. If γ is a multiple of 90°, they are exactly ±cos q or ±sin q. */
static void set_turn_angle(cmb_graph *g, cmb_quarter gamma, cmb_expr q, cmb_step *s)
{
  cmb_expr c = cmb_apply(g, CMB_OP_COS, q, 0, 0), n = cmb_apply(g, CMB_OP_SIN, q, 0, 0);
  if (gamma.c == 0 || gamma.s == 0) {
    cmb_expr gc = cmb_constant(g, gamma.c), gs = cmb_constant(g, gamma.s);
    s->c = cmb_sub(g, cmb_mul(g, gc, c), cmb_mul(g, gs, n));
    s->s = cmb_add(g, cmb_mul(g, gs, c), cmb_mul(g, gc, n));
  } else {
    cmb_expr angle = cmb_add(g, q, cmb_constant(g, atan2(gamma.s, gamma.c)));
    s->c = cmb_apply(g, CMB_OP_COS, angle, 0, 0);
    s->s = cmb_apply(g, CMB_OP_SIN, angle, 0, 0);
  }
}

cmb_step cmb_step_of(cmb_kinematics *k, int link)
{
  const cmb_link *l = &k->tree->links[link];
  cmb_graph *g = k->g;
  cmb_step s = {.ca = cmb_constant(g, l->alpha.c),
                .sa = cmb_constant(g, l->alpha.s),
                .cb = cmb_constant(g, l->beta.c),
                .sb = cmb_constant(g, l->beta.s),
                .c = cmb_constant(g, l->gamma.c),
                .s = cmb_constant(g, l->gamma.s),
                .general = l->general,
                .offset = cmb_number_vector(g, l->offset)};
  if (l->general) s.F = cmb_number_matrix(g, l->F);
  if (l->kind == CMB_LINK_TURN) set_turn_angle(g, l->gamma, k->q[l->q], &s);
  if (l->kind == CMB_LINK_BALL) {
    s.ball = true;
    s.R = cmb_rotation_euler(g, k->q + l->q);
  }
  if (l->kind == CMB_LINK_SHIFT) {
    cmb_vector e = cmb_step_up(g, &s, (cmb_vector){{0, 0, k->q[l->q]}});
    s.offset = add(g, s.offset, e);
  }
  return s;
}

cmb_vector cmb_step_up(cmb_graph *g, const cmb_step *s, cmb_vector x)
{
  if (s->ball) x = cmb_matrix_times(g, s->R, x);
  x = cmb_turn(g, 2, s->c, s->s, x);
  x = cmb_turn(g, 0, s->ca, s->sa, x);
  x = cmb_turn(g, 2, s->cb, s->sb, x);
  return s->general ? cmb_matrix_times(g, s->F, x) : x;
}

cmb_vector cmb_step_down(cmb_graph *g, const cmb_step *s, cmb_vector x)
{
  if (s->general) x = cmb_matrix_times(g, cmb_matrix_transpose(s->F), x);
  x = turn_back(g, 2, s->cb, s->sb, x);
  x = turn_back(g, 0, s->ca, s->sa, x);
  x = turn_back(g, 2, s->c, s->s, x);
  return s->ball ? cmb_matrix_times(g, cmb_matrix_transpose(s->R), x) : x;
}

/* ---- Euler parameters */

/* Returns L(p) x for Euler parameters p. The 3 x 4 matrix L(p) gives the angular velocity in the body's axes, ω' = 2 L(p) ṗ. */
cmb_vector cmb_euler_times(cmb_graph *g, const cmb_expr p[4], const cmb_expr x[4])
{
  cmb_vector e = {{p[1], p[2], p[3]}}, y = {{x[1], x[2], x[3]}};
  cmb_vector out = cmb_vector_scale(g, p[0], y);
  out = cmb_vector_sub(g, out, cmb_vector_scale(g, x[0], e));
  return cmb_vector_sub(g, out, cross(g, e, y));
}

void cmb_euler_transposed(cmb_graph *g, const cmb_expr p[4], cmb_vector y, cmb_expr out[4])
{
  cmb_vector e = {{p[1], p[2], p[3]}};
  cmb_vector rest = add(g, cmb_vector_scale(g, p[0], y), cross(g, e, y));
  out[0] = cmb_neg(g, cmb_vector_dot(g, e, y));
  memcpy(out + 1, rest.x, sizeof rest.x);
}

/* ---- poses */

/* Builds the pose, velocities and accelerations *p of a freely moving body from its position, its Euler parameters e
 * and their time derivatives: ω' = 2 L(e) ė and ω̇' = 2 L(e) ë in the body's axes. */
static void cartesian_pose(cmb_kinematics *k, const cmb_link *l, cmb_pose *p)
{
  cmb_graph *g = k->g;
  cmb_expr two = cmb_constant(g, 2);
  const cmb_expr *e = k->q + l->q + 3;
  p->R = cmb_rotation_euler(g, e);
  memcpy(p->r.x, k->q + l->q, sizeof p->r.x);
  memcpy(p->v.x, k->v + l->v, sizeof p->v.x);
  memcpy(p->av.x, k->a + l->v, sizeof p->av.x);
  p->dv = p->dw = zero_vector();
  cmb_vector w = cmb_vector_scale(g, two, cmb_euler_times(g, e, k->v + l->v + 3));
  cmb_vector dw = cmb_vector_scale(g, two, cmb_euler_times(g, e, k->a + l->v + 3));
  p->w = cmb_matrix_times(g, p->R, w);
  p->aw = cmb_matrix_times(g, p->R, dw);
}

/* Computes the angular and linear acceleration of a point that moves with the link `from`, at the offset d from its
 * origin, given those of the link, aw and av: *w_out = aw, *v_out = av + aw × d + ω × (ω × d). */
static void accelerations_at(cmb_graph *g, const cmb_pose *from, cmb_vector d, cmb_vector aw,
                             cmb_vector av, cmb_vector *w_out, cmb_vector *v_out)
{
  *w_out = aw;
  *v_out = add(g, av, add(g, cross(g, aw, d), cross(g, from->w, cross(g, from->w, d))));
}

static cmb_matrix composed(cmb_graph *g, cmb_matrix R, const cmb_step *s)
{
  cmb_matrix out;
  for (int i = 0; i < 3; i++) { /* row i of R S is Sᵀ applied to row i of R */
    cmb_vector row = {{R.a[3 * i], R.a[3 * i + 1], R.a[3 * i + 2]}};
    row = cmb_step_down(g, s, row);
    memcpy(out.a + 3 * i, row.x, sizeof row.x);
  }
  return out;
}

/* Computes the velocity or acceleration of a link relative to its parent, *angular and *linear, in the axes of the base link: the entries of
 * rate[nv] that belong to the link's joint times the joint's axes. R is the rotation from the link's axes to the base's. */
static void relative_motion(cmb_kinematics *k, const cmb_link *l, cmb_matrix R,
                            const cmb_expr *rate, cmb_vector *angular, cmb_vector *linear)
{
  cmb_graph *g = k->g;
  cmb_vector axis = {{R.a[2], R.a[5], R.a[8]}};
  *angular = *linear = zero_vector();
  if (l->kind == CMB_LINK_TURN) *angular = cmb_vector_scale(g, rate[l->v], axis);
  if (l->kind == CMB_LINK_SHIFT) *linear = cmb_vector_scale(g, rate[l->v], axis);
  if (l->kind == CMB_LINK_BALL) {
    *angular = cmb_matrix_times(g, R, (cmb_vector){{rate[l->v], rate[l->v + 1], rate[l->v + 2]}});
  }
}

static void pose_on(cmb_kinematics *k, int link, const cmb_pose *from, cmb_pose *p)
{
  cmb_graph *g = k->g;
  const cmb_link *l = &k->tree->links[link];
  const cmb_step s = cmb_step_of(k, link);
  cmb_vector d = cmb_matrix_times(g, from->R, s.offset), w, v, dw, dv;
  p->R = composed(g, from->R, &s);
  p->r = add(g, from->r, d);
  relative_motion(k, l, p->R, k->v, &w, &v);
  relative_motion(k, l, p->R, k->a, &dw, &dv);
  p->w = add(g, from->w, w);
  p->v = add(g, add(g, from->v, cross(g, from->w, d)), v);
  cmb_vector turning = cross(g, from->w, w);
  cmb_vector coriolis = cmb_vector_scale(g, cmb_constant(g, 2), cross(g, from->w, v));
  accelerations_at(g, from, d, from->dw, from->dv, &p->dw, &p->dv);
  p->dw = add(g, p->dw, turning);
  p->dv = add(g, p->dv, coriolis);
  accelerations_at(g, from, d, from->aw, from->av, &p->aw, &p->av);
  p->aw = add(g, p->aw, add(g, turning, dw));
  p->av = add(g, p->av, add(g, coriolis, dv));
}

static cmb_pose *known_pose(const cmb_kinematics *k, int link, int base)
{
  for (cmb_pose *p = k->poses[link]; p; p = p->next) {
    if (p->base == base) return p;
  }
  return NULL;
}

/* Returns the pose of a link relative to `base`, a link on its path to the ground or CMB_GROUND. Each pose is computed once and stored; the
 * poses of links in between are computed without recursion, since the path may have thousands of links. Returns NULL if out of memory. */
const cmb_pose *cmb_pose_of(cmb_kinematics *k, int link, int base)
{
  int depth = 0, at = link;
  while (at != base && !known_pose(k, at, base)) at = k->tree->links[at].parent, depth++;
  const cmb_pose *from = at == base ? k->rest : known_pose(k, at, base);
  for (; depth > 0 && from; depth--) {
    int next = link;
    for (int i = 1; i < depth; i++) next = k->tree->links[next].parent;
    cmb_pose *p = cmb_arena_take(k->arena, 1, sizeof *p);
    if (!p) return NULL;
    p->base = base;
    if (k->tree->links[next].kind == CMB_LINK_CARTESIAN)
      cartesian_pose(k, &k->tree->links[next], p);
    else
      pose_on(k, next, from, p);
    p->next = k->poses[next];
    k->poses[next] = p;
    from = p;
  }
  return from;
}

cmb_vector cmb_pose_arm(cmb_kinematics *k, const cmb_pose *p, const cmb_number x[3])
{
  return cmb_matrix_times(k->g, p->R, cmb_number_vector(k->g, x));
}

cmb_vector cmb_point_position(cmb_kinematics *k, const cmb_pose *p, cmb_vector arm)
{
  return add(k->g, p->r, arm);
}

cmb_vector cmb_point_velocity(cmb_kinematics *k, const cmb_pose *p, cmb_vector arm)
{
  return add(k->g, p->v, cross(k->g, p->w, arm));
}

static cmb_vector point_rate(cmb_kinematics *k, const cmb_pose *p, cmb_vector aw, cmb_vector av,
                             cmb_vector arm)
{
  cmb_vector w, v;
  accelerations_at(k->g, p, arm, aw, av, &w, &v);
  return v;
}

cmb_vector cmb_point_bias(cmb_kinematics *k, const cmb_pose *p, cmb_vector arm)
{
  return point_rate(k, p, p->dw, p->dv, arm);
}

cmb_vector cmb_point_acceleration(cmb_kinematics *k, const cmb_pose *p, cmb_vector arm)
{
  return point_rate(k, p, p->aw, p->av, arm);
}

/* ---- generalised forces */

/* Adds a moment and a force, given in the axes of a base, to the wrench *w on a link, which is stored in the link's axes. p is the pose of the
 * link relative to this base. */
void cmb_wrench_add(cmb_kinematics *k, cmb_wrench *w, const cmb_pose *p, cmb_vector moment,
                    cmb_vector force)
{
  cmb_matrix Rt = cmb_matrix_transpose(p->R);
  w->moment = add(k->g, w->moment, cmb_matrix_times(k->g, Rt, moment));
  w->force = add(k->g, w->force, cmb_matrix_times(k->g, Rt, force));
  w->given = true;
}

void cmb_wrench_onto(cmb_kinematics *k, int link, const cmb_wrench *w, cmb_expr *out)
{
  cmb_graph *g = k->g;
  const cmb_link *l = &k->tree->links[link];
  cmb_expr *o = out + l->v;
  if (l->kind == CMB_LINK_TURN) o[0] = cmb_add(g, o[0], w->moment.x[2]);
  if (l->kind == CMB_LINK_SHIFT) o[0] = cmb_add(g, o[0], w->force.x[2]);
  if (l->kind == CMB_LINK_BALL) {
    for (int i = 0; i < 3; i++) o[i] = cmb_add(g, o[i], w->moment.x[i]);
  }
  if (l->kind == CMB_LINK_CARTESIAN) {
    cmb_expr p4[4];
    cmb_matrix R = cmb_rotation_euler(g, k->q + l->q + 3);
    cmb_vector force = cmb_matrix_times(g, R, w->force);
    cmb_euler_transposed(g, k->q + l->q + 3, w->moment, p4);
    for (int i = 0; i < 3; i++) o[i] = cmb_add(g, o[i], force.x[i]);
    for (int i = 0; i < 4; i++) {
      o[3 + i] = cmb_add(g, o[3 + i], cmb_mul(g, cmb_constant(g, 2), p4[i]));
    }
  }
}

/* Projects the wrench on[i] of link i onto the velocities of its joint, adding the generalised forces to out[nv]. Then adds the wrench to that
 * of the parent link, unless the parent is `base`, and clears on[i]. */
static void project_link(cmb_kinematics *k, int base, int i, cmb_wrench *on, cmb_expr *out)
{
  cmb_graph *g = k->g;
  if (!on[i].given) return;
  int parent = k->tree->links[i].parent;
  cmb_wrench_onto(k, i, &on[i], out);
  if (parent != base) {
    const cmb_step s = cmb_step_of(k, i);
    cmb_vector force = cmb_step_up(g, &s, on[i].force), moment = cmb_step_up(g, &s, on[i].moment);
    moment = add(g, moment, cross(g, s.offset, force));
    on[parent].force = add(g, on[parent].force, force);
    on[parent].moment = add(g, on[parent].moment, moment);
    on[parent].given = true;
  }
  on[i] = (cmb_wrench){.given = false};
}

void cmb_wrenches_project(cmb_kinematics *k, int base, cmb_wrench *on, cmb_expr *out)
{
  for (int i = k->tree->link_count; i-- > 0;) project_link(k, base, i, on, out);
}

static int descending(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x < y) - (x > y);
}

int cmb_ways(cmb_kinematics *k, int base, int count, const int *from, const int **path)
{
  int n = 0;
  for (int j = 0; j < count; j++) {
    for (int i = from[j]; i != base && !k->on_path[i]; i = k->tree->links[i].parent) {
      k->on_path[i] = true;
      k->path[n++] = i;
    }
  }
  for (int j = 0; j < n; j++) k->on_path[k->path[j]] = false;
  qsort(k->path, (size_t)n, sizeof *k->path, descending);
  *path = k->path;
  return n;
}

void cmb_wrenches_project_from(cmb_kinematics *k, int base, int count, const int *from,
                               cmb_wrench *on, cmb_expr *out)
{
  const int *path, n = cmb_ways(k, base, count, from, &path);
  for (int j = 0; j < n; j++) project_link(k, base, path[j], on, out);
}
