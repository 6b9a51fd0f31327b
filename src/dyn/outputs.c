/*
 * Builds reactions of joints, forces of bushings and loops, and energies; names.c calls it where a formula uses one of them, mechanism.c
 * for the energy.
 *
 * The reaction of a joint is the wrench that it transmits to its child, including the joint's own springs and drives: by inverse dynamics
 * for all bodies built on the child, minus the other forces on these, summed up from the last bodies to the first. Force and
 * moment about the joint's point (fixed to the child), global axes.
 */
#include "dyn/build.h"

#include <string.h>

/* A force and its moment about a point. */
struct resultant {
  cmb_vector at; /* the point, global */
  cmb_vector force, moment;
};

static void add_force(cmb_graph *g, struct resultant *r, cmb_vector at, cmb_vector force,
                      cmb_vector moment)
{
  cmb_vector arm = cmb_vector_sub(g, at, r->at);
  r->force = cmb_vector_add(g, r->force, force);
  r->moment =
      cmb_vector_add(g, r->moment, cmb_vector_add(g, moment, cmb_vector_cross(g, arm, force)));
}

/* Returns which component of a wrench a suffix names: 0..2 for fx, fy, fz, 3..5 for mx, my, mz, and −1 for any other suffix. */
static int component_of(const char *suffix)
{
  if (strlen(suffix) != 2 || suffix[1] < 'x' || suffix[1] > 'z') return -1;
  if (suffix[0] == 'f') return suffix[1] - 'x';
  return suffix[0] == 'm' ? 3 + suffix[1] - 'x' : -1;
}

static cmb_expr component(const struct resultant *r, int i)
{
  return i < 3 ? r->force.x[i] : r->moment.x[i - 3];
}

/* ---- reactions */

/* Adds the force and moment that a body's motion requires to the resultant *r: the force m (a − gravity) at the centre of mass and the moment R
 * (J' ω̇' + ω' × J' ω'), where J' and ω' are the inertia tensor and angular velocity in the body's axes. Returns false if out of memory. */
static bool add_inertial(cmb_build *b, int body, struct resultant *r)
{
  cmb_graph *g = b->g;
  const cmb_model_body *m = &b->model->bodies[body];
  cmb_anchor at = {.body = body};
  memcpy(at.at, m->com, sizeof at.at);
  cmb_site s = cmb_site_of(b->k, &at);
  const cmb_pose *p = cmb_pose_of(b->k, s.link, CMB_GROUND);
  if (!p) return false;
  cmb_vector arm = cmb_pose_arm(b->k, p, s.x), gravity = cmb_number_vector(g, b->model->gravity);
  cmb_vector a = cmb_vector_sub(g, cmb_point_acceleration(b->k, p, arm), gravity);
  cmb_vector axis[3], moment = {{0, 0, 0}}, h = moment;
  for (int i = 0; i < 3; i++) { /* the global axes of the design position, rotated with the body */
    cmb_number x[3];
    cmb_tree_direction(b->tree, s.link, cmb_unit3[i], x);
    axis[i] = cmb_pose_arm(b->k, p, x);
  }
  for (int i = 0; i < 3; i++) {
    cmb_expr rate = 0, spin = 0;
    for (int j = 0; j < 3; j++) {
      cmb_expr J = cmb_number_expr(g, m->inertia[3 * i + j]);
      rate = cmb_add(g, rate, cmb_mul(g, J, cmb_vector_dot(g, axis[j], p->aw)));
      spin = cmb_add(g, spin, cmb_mul(g, J, cmb_vector_dot(g, axis[j], p->w)));
    }
    moment = cmb_vector_add(g, moment, cmb_vector_scale(g, rate, axis[i]));
    h = cmb_vector_add(g, h, cmb_vector_scale(g, spin, axis[i]));
  }
  moment = cmb_vector_add(g, moment, cmb_vector_cross(g, p->w, h));
  add_force(g, r, cmb_point_position(b->k, p, arm),
            cmb_vector_scale(g, cmb_number_expr(g, m->mass), a), moment);
  return true;
}

/* Adds the effect on one body, *s, of a force of magnitude `scale` along the measure m (a scalar such as a distance) to the resultant *r, as
 * force and moment in global axes. Returns false if out of memory. */
static bool add_side(cmb_build *b, const cmb_measure *m, const cmb_side *s, cmb_expr scale,
                     struct resultant *r)
{
  cmb_graph *g = b->g;
  const cmb_pose *base = cmb_pose_of(b->k, m->base, CMB_GROUND);
  const cmb_pose *p = cmb_pose_of(b->k, s->link, CMB_GROUND);
  if (!base || !p) return false;
  cmb_vector force = cmb_matrix_times(g, base->R, cmb_vector_scale(g, scale, s->force));
  cmb_vector moment = cmb_matrix_times(g, base->R, cmb_vector_scale(g, scale, s->moment));
  add_force(g, r, p->r, force, moment);
  return true;
}

/* Adds the effect of a force of magnitude `scale` along the measure m (a scalar such as a distance) to the sums of forces and moments on its
 * two bodies; `of` has one such sum for each body and none for the ground. Returns false if out of memory. */
static bool add_sides(cmb_build *b, const cmb_measure *m, cmb_expr scale, struct resultant *of)
{
  for (int i = 0; i < m->side_count; i++) {
    if (m->side[i].body == CMB_GROUND) continue;
    if (!add_side(b, m, &m->side[i], scale, &of[m->side[i].body])) return false;
  }
  return true;
}

/* Subtracts the contact forces of all events and stops from the resultants `of`, one for each body, which contain the forces and moments that
 * the motion requires. The contact force on a surface u(x) = 0 is −μ ∂u/∂x along each measure x (a scalar such as a distance), with the
 * Lagrange multiplier μ. Returns false on failure. */
static bool subtract_contact_forces(cmb_build *b, struct resultant *of)
{
  const cmb_push *push = cmb_build_pushes(b);
  for (int i = 0; push && i < b->push_count; i++) {
    for (int n = 0; n < push[i].term_count; n++) {
      cmb_expr scale = cmb_mul(b->g, push[i].force, push[i].terms[n].coefficient);
      if (!add_sides(b, &push[i].terms[n].measure, scale, of)) return false;
    }
  }
  return push != NULL;
}

/* Computes by inverse dynamics the force and moment that the motion of each body requires, minus applied forces, constraint forces of loops
 * and contact forces, but for those along coordinates, in `of` (one for each body). Moments are about the point of the joint that carries
 * the body. Returns false on failure. */
static bool required_wrenches(cmb_build *b, struct resultant *of)
{
  for (int i = 0; i < b->model->joint_count; i++) {
    const cmb_model_joint *j = &b->model->joints[i];
    cmb_anchor at = {.body = j->child};
    memcpy(at.at, j->at, sizeof at.at);
    cmb_site s = cmb_site_of(b->k, &at);
    const cmb_pose *p = cmb_pose_of(b->k, s.link, CMB_GROUND);
    if (!p) return false;
    of[j->child].at = cmb_point_position(b->k, p, cmb_pose_arm(b->k, p, s.x));
  }
  for (int i = 0; i < b->model->body_count; i++) {
    if (!cmb_is_zero(b->model->bodies[i].mass) && !add_inertial(b, i, &of[i])) return false;
  }
  for (int i = 0; i < b->actions.count; i++) {
    const cmb_action *a = cmb_action_at(b, i);
    if (!add_sides(b, &a->measure, cmb_neg(b->g, a->force), of)) return false;
  }
  for (int i = 0; i < b->constraints.count; i++) {
    const cmb_constraint *c = cmb_constraint_at(b, i);
    for (int n = 0; c->loop >= 0 && n < c->term_count; n++) {
      cmb_expr scale = cmb_mul(b->g, c->lambda, c->terms[n].coefficient);
      if (!add_sides(b, &c->terms[n].measure, scale, of)) return false;
    }
  }
  return subtract_contact_forces(b, of);
}

/* Returns the reactions of all joints: for each body the force and moment that its joint transmits to it, the sum of what the body and all
 * bodies beyond it require. Builds the expressions at the first call. Returns NULL on failure. */
static struct resultant *reactions(cmb_build *b)
{
  const cmb_model *m = b->model;
  if (b->reactions) return b->reactions;
  struct resultant *of = cmb_arena_take(b->arena, (size_t)m->body_count, sizeof *of);
  if (!of || !required_wrenches(b, of)) return NULL;
  for (int i = m->joint_count; i-- > 0;) {
    const struct resultant *child = &of[m->joints[i].child];
    const int parent = m->joints[i].parent;
    if (parent != CMB_GROUND) add_force(b->g, &of[parent], child->at, child->force, child->moment);
  }
  return b->reactions = of;
}

bool cmb_build_reaction(cmb_build *b, int joint, const char *suffix, cmb_expr *e)
{
  const int wanted = component_of(suffix);
  *e = 0;
  if (wanted < 0 || !b->outputs) return wanted >= 0;
  const struct resultant *of = reactions(b);
  if (!of) return false;
  *e = component(&of[b->model->joints[joint].child], wanted);
  return true;
}

/* ---- bushings */

/* Builds in *e the component `suffix` (fx .. fz, mx .. mz) of the force and moment of a bushing on its second body, b, about its point on b, in
 * global axes. Returns false if there is no such component, or on failure. */
bool cmb_build_bushing_force(cmb_build *b, int force, const char *suffix, cmb_expr *e)
{
  const int wanted = component_of(suffix);
  if (wanted < 0 || cmb_build_force(b, force) != CMB_OK) return false;
  const cmb_site s = cmb_site_of(b->k, &b->model->forces[force].b);
  const cmb_pose *p = cmb_pose_of(b->k, s.link, CMB_GROUND);
  if (!p) return false;
  struct resultant r = {.at = cmb_point_position(b->k, p, cmb_pose_arm(b->k, p, s.x))};
  for (int i = 0; i < b->action_count[force]; i++) {
    const cmb_action *a = cmb_action_at(b, b->first_action[force] + i);
    if (!add_side(b, &a->measure, &a->measure.side[1], a->force, &r)) return false;
  }
  *e = component(&r, wanted);
  return true;
}

/* ---- loops */

/* Builds in *e the quantity `suffix` of a loop. `force` is the tension of a distance constraint, or the generalised force of a constraint that
 * is given as a formula or motion; fx .. fz, mx .. mz are the force and moment on its second body, b, about its point there, in global
 * axes. *e is 0 while Lagrange multipliers are not available. Returns false if there is no such quantity, or on failure. */
bool cmb_build_loop_force(cmb_build *b, int loop, const char *suffix, cmb_expr *e)
{
  const cmb_model_loop *l = &b->model->loops[loop];
  bool whole =
      strcmp(suffix, "force") == 0 && (l->type == CMB_LOOP_DISTANCE || l->type == CMB_LOOP_FORMULA);
  int wanted = l->type == CMB_LOOP_FORMULA ? -1 : component_of(suffix);
  struct resultant r = {{{0, 0, 0}}, {{0, 0, 0}}, {{0, 0, 0}}};
  *e = 0;
  if ((wanted < 0 && !whole) || !b->outputs) return wanted >= 0 || whole;
  for (int i = 0; i < b->constraints.count; i++) {
    const cmb_constraint *c = cmb_constraint_at(b, i);
    if (c->loop != loop) continue;
    if (whole) {
      *e = l->type == CMB_LOOP_DISTANCE ? c->lambda : cmb_neg(b->g, c->lambda);
      return true;
    }
    const cmb_pose *p = cmb_pose_of(b->k, c->terms[0].measure.side[1].link, CMB_GROUND);
    cmb_site s = cmb_site_of(b->k, &l->b);
    if (!p) return false;
    r.at = cmb_point_position(b->k, p, cmb_pose_arm(b->k, p, s.x));
    cmb_expr minus = cmb_neg(b->g, c->lambda);
    if (!add_side(b, &c->terms[0].measure, &c->terms[0].measure.side[1], minus, &r)) return false;
  }
  *e = component(&r, wanted);
  return true;
}

/* ---- energies */

static cmb_expr kinetic_energy(cmb_build *b)
{
  cmb_graph *g = b->g;
  cmb_expr twice = 0;
  for (int i = 0; i < b->tree->link_count; i++) {
    const cmb_link *l = &b->tree->links[i];
    const cmb_pose *p = cmb_pose_of(b->k, i, CMB_GROUND);
    if (cmb_is_zero(l->mass) || !p) continue;
    cmb_matrix Rt = cmb_matrix_transpose(p->R);
    cmb_vector w = cmb_matrix_times(g, Rt, p->w), v = cmb_matrix_times(g, Rt, p->v);
    cmb_vector first = cmb_number_vector(g, l->first);
    cmb_vector h = cmb_matrix_times(g, cmb_number_matrix(g, l->J), w);
    cmb_expr mixed = cmb_vector_dot(g, v, cmb_vector_cross(g, w, first));
    twice =
        cmb_add(g, twice, cmb_mul(g, cmb_number_expr(g, l->mass), cmb_vector_dot(g, p->v, p->v)));
    twice = cmb_add(g, twice, cmb_vector_dot(g, w, h));
    twice = cmb_add(g, twice, cmb_mul(g, cmb_constant(g, 2), mixed));
  }
  return cmb_mul(g, cmb_constant(g, 0.5), twice);
}

static cmb_expr potential_energy(cmb_build *b)
{
  cmb_graph *g = b->g;
  cmb_vector down = cmb_number_vector(g, b->model->gravity);
  cmb_expr sum = 0;
  for (int i = 0; i < b->tree->link_count; i++) {
    const cmb_link *l = &b->tree->links[i];
    const cmb_pose *p = cmb_pose_of(b->k, i, CMB_GROUND);
    if (cmb_is_zero(l->mass) || !p) continue;
    cmb_vector moment = cmb_vector_scale(g, cmb_number_expr(g, l->mass), p->r);
    moment = cmb_vector_add(g, moment, cmb_pose_arm(b->k, p, l->first));
    sum = cmb_sub(g, sum, cmb_vector_dot(g, down, moment));
  }
  for (int i = 0; i < b->actions.count; i++) sum = cmb_add(g, sum, cmb_action_at(b, i)->potential);
  return sum;
}

/* Builds the expression of the power that is supplied to the mechanism, dE/dt for its mechanical energy E: that of forces without a potential
 * (negative for friction and damping), of time-dependent constraints, λ g_t, and of moving contact surfaces u = 0, μ ∂u/∂t, with the Lagrange
 * multipliers λ and μ. */
static cmb_expr power(cmb_build *b)
{
  cmb_graph *g = b->g;
  cmb_expr sum = 0;
  for (int i = 0; i < b->actions.count; i++) {
    const cmb_action *a = cmb_action_at(b, i);
    sum = cmb_add(g, sum, cmb_mul(g, a->lost, a->measure.rate));
  }
  for (int i = 0; i < b->constraints.count; i++) {
    const cmb_constraint *c = cmb_constraint_at(b, i);
    sum = cmb_add(g, sum, cmb_mul(g, c->lambda, c->gt));
  }
  const cmb_push *push = cmb_build_pushes(b);
  for (int i = 0; push && i < b->push_count; i++) {
    sum = cmb_add(g, sum, cmb_mul(g, push[i].force, push[i].ut));
  }
  return sum;
}

bool cmb_build_total(cmb_build *b, const char *name, cmb_expr *e)
{
  if (strcmp(name, "kinetic") == 0)
    *e = kinetic_energy(b);
  else if (strcmp(name, "potential") == 0)
    *e = potential_energy(b);
  else if (strcmp(name, "energy") == 0)
    *e = cmb_add(b->g, kinetic_energy(b), potential_energy(b));
  else if (strcmp(name, "power") == 0)
    *e = power(b);
  else
    return false;
  return true;
}
