/*
 * Computes initial values in the coordinates of a formulation (start.h) from those of the joints. Joint coordinates are copied. A Cartesian link has
 * the position r of its origin and the rotation A from the design position as coordinates; the kinematics in joint coordinates give R, ω
 * and v:
 *
 *     A = R R0ᵀ,   ω' = Aᵀ ω,   ṗ = ½ Lᵀ ω'
 */
#include "dyn/start.h"

#include "dyn/build.h"
#include "dyn/kinematics.h"
#include "math/rotation.h"

#include <string.h>

enum { POSE_NUMBERS = 27, R0_AT = 18 }; /* R, r, ω, v, R0 */

/* ---- which coordinate belongs to which joint; the arena records if memory runs out */

/* Stores in s->q_joint and s->v_joint, for each coordinate and velocity of the formulation, its index among the joint coordinates or velocities
 * in the order of the model; −1 for freely moving links. */
static void number_joints(const cmb_tree *tree, cmb_start *s)
{
  const cmb_model *m = tree->model;
  int joint = 0, nq = 0, nv = 0; /* the first coordinate and velocity of `joint` */
  for (int i = 0; i < s->nq; i++) s->q_joint[i] = -1;
  for (int i = 0; i < s->nv; i++) s->v_joint[i] = -1;
  for (int i = 0; i < tree->link_count; i++) {
    const cmb_link *l = &tree->links[i];
    const bool first = i == 0 || tree->links[i - 1].joint != l->joint;
    if (l->joint < 0 || !first) continue;
    if (l->joint < joint) joint = nq = nv = 0;
    for (; joint < l->joint; joint++) nq += m->joints[joint].nq, nv += m->joints[joint].nv;
    for (int n = 0; n < m->joints[joint].nq; n++) s->q_joint[l->q + n] = nq + n;
    for (int n = 0; n < m->joints[joint].nv; n++) s->v_joint[l->v + n] = nv + n;
  }
  for (int i = 1; i <= s->nz; i++) s->v_joint[s->nv - i] = s->joints_nv - i;
}

static void set_coordinate_kinds(const cmb_tree *tree, cmb_start *s)
{
  for (int i = 0; i < tree->link_count; i++) {
    const cmb_link *l = &tree->links[i];
    const bool single = l->kind == CMB_LINK_TURN || l->kind == CMB_LINK_SHIFT;
    for (int n = 0; n < cmb_link_velocities(l->kind); n++)
      s->rate_of[l->v + n] = single ? l->q : -1;
    for (int n = 0; n < cmb_link_coordinates(l->kind); n++) {
      s->angle[l->q + n] = l->kind != CMB_LINK_SHIFT && (l->kind != CMB_LINK_CARTESIAN || n > 2);
    }
    s->link_q[i] = l->kind == CMB_LINK_CARTESIAN ? l->q : -1;
    s->link_v[i] = l->kind == CMB_LINK_CARTESIAN ? l->v : -1;
    if (l->kind != CMB_LINK_BALL) continue;
    s->ball_v[s->ball_count] = l->v;
    s->ball_q[s->ball_count++] = l->q;
  }
  for (int i = 1; i <= s->nz; i++) s->rate_of[s->nv - i] = -1;
}

static void allocate(const cmb_build *b, cmb_start *s)
{
  const cmb_model *m = b->model;
  cmb_arena *a = s->arena;
  for (int i = 0; i < m->joint_count; i++) {
    s->joints_nq += m->joints[i].nq;
    s->joints_nv += m->joints[i].nv;
  }
  s->nz = m->state_count;
  s->joints_nv += s->nz;
  s->nq = b->tree->nq, s->nv = b->tree->nv + s->nz, s->link_count = b->tree->link_count;
  s->q_joint = cmb_arena_ints(a, s->nq);
  s->v_joint = cmb_arena_ints(a, s->nv);
  s->q_model = cmb_arena_doubles(a, s->joints_nq);
  s->v_model = cmb_arena_doubles(a, s->joints_nv);
  s->link_q = cmb_arena_ints(a, s->link_count);
  s->link_v = cmb_arena_ints(a, s->link_count);
  s->R0 = b->cartesian ? cmb_arena_take(a, (size_t)s->link_count * 9, sizeof *s->R0) : NULL;
  s->angle = cmb_arena_take(a, (size_t)s->nq, sizeof *s->angle);
  s->rate_of = cmb_arena_ints(a, s->nv);
  s->ball_q = cmb_arena_ints(a, s->link_count);
  s->ball_v = cmb_arena_ints(a, s->link_count);
}

/* ---- programs */

cmb_status cmb_start_expressions(cmb_build *b, cmb_expressions *x)
{
  const cmb_model *m = b->model;
  int nq = 0, count = 0;
  if (x->np == 0) return CMB_OK;
  for (int i = 0; i < m->joint_count; i++) nq += m->joints[i].nq, count += m->joints[i].nv;
  count += nq + m->state_count;
  x->first = cmb_arena_take(b->arena, (size_t)count + 1, sizeof *x->first);
  if (!x->first) return CMB_ERROR_MEMORY;
  x->first_count = count;
  for (int i = 0, q = 0, v = nq; i < m->joint_count; i++) {
    const cmb_model_joint *j = &m->joints[i];
    for (int n = 0; n < j->nq; n++, q++) x->first[q] = cmb_number_expr(b->g, j->q_start[n]);
    for (int n = 0; n < j->nv; n++, v++) x->first[v] = cmb_number_expr(b->g, j->v_start[n]);
  }
  for (int i = 0; i < m->state_count; i++) {
    x->first[count - m->state_count + i] = cmb_number_expr(b->g, m->states[i].start);
  }
  return CMB_OK;
}

/* Stores the initial values of all joints and first-order states of the model. If there are parameters that can be changed after set-up, also
 * compiles the program that computes the initial values for other values of these. */
static cmb_status store_model_values(cmb_build *b, const cmb_expressions *x, cmb_start *s)
{
  const cmb_model *m = b->model;
  for (int i = 0, q = 0, v = 0; i < m->joint_count; i++) {
    const cmb_model_joint *j = &m->joints[i];
    for (int n = 0; n < j->nq; n++, q++) s->q_model[q] = j->q_start[n].value;
    for (int n = 0; n < j->nv; n++, v++) s->v_model[v] = j->v_start[n].value;
  }
  for (int i = 0; i < s->nz; i++) s->v_model[s->joints_nv - s->nz + i] = m->states[i].start.value;
  if (!x->first) return CMB_OK;
  return cmb_program_create(b->ctx, b->g, x->np, x->parameter, x->first_count, x->first, &s->model);
}

/* Writes the initial pose of a body of the Cartesian formulation to out[], computed by the kinematics k from joint coordinates: rotation R,
 * position r, angular velocity ω and velocity v. Then follows R0, the rotation of the body's link at joint coordinates 0, as far as it depends
 * on parameters; R0 is also stored in R0[9]. */
static cmb_status write_pose(cmb_build *b, cmb_kinematics *k, int body, cmb_number R0[9],
                             cmb_expr out[POSE_NUMBERS])
{
  const int from = k->tree->body_link[body];
  const cmb_link *to = &b->tree->links[b->tree->body_link[body]];
  const cmb_pose *p = cmb_pose_of(k, from, CMB_GROUND);
  cmb_number at[3];
  if (!p) return CMB_ERROR_MEMORY;
  cmb_tree_point(k->tree, from, to->r0, at);
  const cmb_vector arm = cmb_pose_arm(k, p, at);
  const cmb_vector r = cmb_point_position(k, p, arm), v = cmb_point_velocity(k, p, arm);
  memcpy(out, p->R.a, sizeof p->R.a);
  memcpy(out + 9, r.x, sizeof r.x);
  memcpy(out + 12, p->w.x, sizeof p->w.x);
  memcpy(out + 15, v.x, sizeof v.x);
  memcpy(R0, k->tree->links[from].R0, 9 * sizeof *R0);
  for (int i = 0; i < 9; i++) out[R0_AT + i] = R0[i].live;
  return CMB_OK;
}

static cmb_status make_pose_program(cmb_build *b, const cmb_expressions *x, cmb_start *s)
{
  cmb_tree *joints;
  cmb_kinematics *k;
  CMB_TRY(cmb_tree_create(b->arena, b->g, b->model, &joints));
  CMB_TRY(cmb_build_check_idle(b, joints));
  CMB_TRY(cmb_kinematics_create(b->arena, b->g, joints, &k));
  const int nq = joints->nq, nv = joints->nv, inputs = nq + nv + x->np;
  const size_t outputs = (size_t)s->link_count * POSE_NUMBERS;
  cmb_expr *in = cmb_arena_take(b->arena, (size_t)inputs + 1, sizeof *in);
  cmb_expr *out = cmb_arena_take(b->arena, outputs + 1, sizeof *out);
  if (!in || !out) return CMB_ERROR_MEMORY;
  for (int body = b->model->body_count; body-- > 0;) {
    const int link = b->tree->body_link[body];
    if (link == CMB_GROUND) continue;
    CMB_TRY(write_pose(b, k, body, s->R0 + (size_t)link * 9, out + (size_t)link * POSE_NUMBERS));
  }
  memcpy(in, k->q, (size_t)nq * sizeof *in);
  memcpy(in + nq, k->v, (size_t)nv * sizeof *in);
  memcpy(in + nq + nv, x->parameter, (size_t)x->np * sizeof *in);
  return cmb_program_create(b->ctx, k->g, inputs, in, (int)outputs, out, &s->poses);
}

static cmb_status make(cmb_build *b, const cmb_expressions *x, cmb_start *s)
{
  s->np = x->np;
  allocate(b, s);
  if (cmb_arena_failed(s->arena)) return CMB_ERROR_MEMORY;
  number_joints(b->tree, s);
  set_coordinate_kinds(b->tree, s);
  CMB_TRY(store_model_values(b, x, s));
  return b->cartesian ? make_pose_program(b, x, s) : CMB_OK;
}

cmb_status cmb_start_create(cmb_build *b, const cmb_expressions *x, cmb_start **start)
{
  *start = NULL;
  cmb_arena *arena = cmb_arena_create(b->ctx);
  cmb_start *s = arena ? cmb_arena_take(arena, 1, sizeof *s) : NULL;
  if (!s) {
    cmb_arena_destroy(arena);
    return CMB_ERROR_MEMORY;
  }
  s->arena = arena;
  const cmb_status status = make(b, x, s);
  if (status == CMB_OK)
    *start = s;
  else
    cmb_start_destroy(s);
  return status;
}

void cmb_start_destroy(cmb_start *s)
{
  if (!s) return;
  cmb_program_destroy(s->model);
  cmb_program_destroy(s->poses);
  cmb_arena_destroy(s->arena);
}

/* ---- values */

cmb_status cmb_start_of_model(const cmb_start *s, cmb_arena *scratch, const double *p, double *q,
                              double *v)
{
  memcpy(q, s->q_model, (size_t)s->joints_nq * sizeof *q);
  memcpy(v, s->v_model, (size_t)s->joints_nv * sizeof *v);
  if (!p || !s->model) return CMB_OK;
  double *out = cmb_arena_doubles(scratch, s->joints_nq + s->joints_nv);
  double *work = cmb_arena_doubles(scratch, cmb_program_work(s->model));
  if (!out || !work) return CMB_ERROR_MEMORY;
  cmb_program_run(s->model, p, out, work);
  memcpy(q, out, (size_t)s->joints_nq * sizeof *q);
  memcpy(v, out + s->joints_nq, (size_t)s->joints_nv * sizeof *v);
  return CMB_OK;
}

static void place_link(const cmb_number R0[9], const double *pose, double *q, double *v)
{
  double A[9], R0t[9], w[3];
  for (int i = 0; i < 9; i++) {
    const int from = 3 * (i % 3) + i / 3;
    R0t[i] = R0[from].live != 0 ? pose[R0_AT + from] : R0[from].value;
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      A[3 * i + j] = 0;
      for (int n = 0; n < 3; n++) A[3 * i + j] += pose[3 * i + n] * R0t[3 * n + j];
    }
  }
  for (int i = 0; i < 3; i++) {
    w[i] = A[i] * pose[12] + A[3 + i] * pose[13] + A[6 + i] * pose[14];
    q[i] = pose[9 + i];
    v[i] = pose[15 + i];
  }
  cmb_euler_from_rotation(A, q + 3);
  cmb_euler_rates(q + 3, w, v + 3);
}

static cmb_status place_links(const cmb_start *s, cmb_arena *scratch, const double *p,
                              const double *q_joints, const double *v_joints, double *q, double *v)
{
  const int nq = s->joints_nq, nv = s->joints_nv - s->nz;
  double *in = cmb_arena_doubles(scratch, nq + nv + s->np);
  double *out = cmb_arena_doubles(scratch, cmb_program_outputs(s->poses));
  double *work = cmb_arena_doubles(scratch, cmb_program_work(s->poses));
  if (!in || !out || !work) return CMB_ERROR_MEMORY;
  memcpy(in, q_joints, (size_t)nq * sizeof *in);
  memcpy(in + nq, v_joints, (size_t)nv * sizeof *in);
  for (int i = 0; i < s->np; i++) in[nq + nv + i] = p[i];
  cmb_program_run(s->poses, in, out, work);
  for (int i = 0; i < s->link_count; i++) {
    if (s->link_q[i] < 0) continue;
    place_link(s->R0 + (size_t)i * 9, out + (size_t)i * POSE_NUMBERS, q + s->link_q[i],
               v + s->link_v[i]);
  }
  return CMB_OK;
}

cmb_status cmb_start_place(const cmb_start *s, cmb_arena *scratch, const double *p,
                           const double *q_joints, const double *v_joints, double *q, double *v)
{
  for (int i = 0; i < s->nq; i++) {
    if (s->q_joint[i] >= 0) q[i] = q_joints[s->q_joint[i]];
  }
  for (int i = 0; i < s->nv; i++) {
    if (s->v_joint[i] >= 0) v[i] = v_joints[s->v_joint[i]];
  }
  return s->poses ? place_links(s, scratch, p, q_joints, v_joints, q, v) : CMB_OK;
}
