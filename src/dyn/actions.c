/*
 * Builds the force elements of a model as actions, forces along measures (build.h):
 *
 *     spring      pull = k (x − x0) + preload + c ẋ + tables + formula along the distance or a coordinate: Q = −pull
 *     bushing     Q_i = −k_i (x_i − x_i0) − c_i ẋ_i along three components of the displacement, −k_i x_i of the rotation vector, and −c_i ω_i
 *                 of the angular velocity, which is defined at any angle
 *     load        a force and a moment
 *     contact     penetration depth d = radius − s/|∇s| of the surface s = 0: N = k d^e + c ḋ while both d and this are positive, and friction
 *                 −μ N v_t / sqrt(v_t² + v_0²), or −stick(v·t, μ N, μs N) along a tangent t
 *     spheres     N = k d^e (1 + 3/2 c ḋ), d = r_a + r_b − x, along the distance x of their centres (Hunt and Crossley 1975)
 */
#include "dyn/build.h"

#include "expr/continued.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static cmb_expr constant(cmb_build *b, double x)
{
  return cmb_constant(b->g, x);
}

static cmb_expr number(cmb_build *b, cmb_number x)
{
  return cmb_number_expr(b->g, x);
}

static cmb_action *new_action(cmb_build *b, cmb_measure m)
{
  cmb_action *a = cmb_list_add(b, &b->actions, sizeof *a);
  if (a) a->measure = m;
  return a;
}

/* ---- laws: forces as functions of symbols, so that they can be differentiated with respect to value and rate */

/* Returns the two symbols in which force laws along a measure are written: one for the argument x, such as the length of a spring, and one
 * for its rate ẋ. A law in these symbols can be differentiated with respect to them before the actual expressions are inserted. */
cmb_law_symbols cmb_build_law_symbols(cmb_build *b)
{
  return (cmb_law_symbols){cmb_input(b->g, "value of a force"), cmb_input(b->g, "rate of a force")};
}

cmb_status cmb_build_law(cmb_build *b, cmb_expr value, cmb_expr rate, cmb_expr *e)
{
  const cmb_law_symbols s = cmb_build_law_symbols(b);
  const cmb_expr symbols[2] = {s.x, s.rate}, actual[2] = {value, rate};
  return cmb_substitute(b->g, 2, symbols, actual, 1, e, e);
}

/* Adds a force along the measure m (a scalar such as a distance, with the value x) to the applied forces: Q = −(k (x − x0) + preload) − lost −
 * more. The first part has the potential energy ½ k (x − x0)² + preload x. `lost`, the part without potential energy, is written in the
 * symbols for x and ẋ that force laws use; `more` is an expression of the state. */
static cmb_status add_elastic_force(cmb_build *b, cmb_measure m, cmb_expr k, cmb_expr x0,
                                    cmb_expr preload, cmb_expr lost, cmb_expr more)
{
  cmb_graph *g = b->g;
  cmb_action *a = new_action(b, m);
  if (!a) return CMB_ERROR_MEMORY;
  const cmb_law_symbols s = cmb_build_law_symbols(b);
  const cmb_expr symbols[2] = {s.x, s.rate}, actual[2] = {m.value, m.rate};
  cmb_expr away = cmb_sub(g, m.value, x0), more_law = more;
  cmb_expr energy = cmb_mul(g, cmb_mul(g, constant(b, 0.5), k), cmb_square(g, away));
  if (b->stiffness && more != 0)
    CMB_TRY(cmb_substitute(g, 2, actual, symbols, 1, &more, &more_law));
  a->law = cmb_add(g, cmb_mul(g, k, cmb_sub(g, s.x, x0)), preload);
  a->law = cmb_neg(g, cmb_add(g, a->law, cmb_add(g, lost, more_law)));
  CMB_TRY(cmb_build_law(b, m.value, m.rate, &lost));
  lost = cmb_add(g, lost, more);
  cmb_expr pull = cmb_add(g, cmb_mul(g, k, away), preload);
  a->potential = cmb_add(g, energy, cmb_mul(g, preload, m.value));
  a->lost = cmb_neg(g, lost);
  a->force = cmb_neg(g, cmb_add(g, pull, lost));
  a->along_line = true;
  a->line = m;
  a->value = m.value;
  a->rate = m.rate;
  return CMB_OK;
}

/* ---- joints */

static cmb_expr friction_law(cmb_build *b, const cmb_model_coordinate *c, cmb_expr rate)
{
  if (c->sticks) {
    return cmb_apply(b->g, CMB_OP_STICK, rate, number(b, c->friction),
                     number(b, c->friction_static));
  }
  if (cmb_is_zero(c->friction)) return 0;
  cmb_expr ratio = cmb_div(b->g, rate, number(b, c->friction_velocity));
  return cmb_mul(b->g, number(b, c->friction), cmb_apply(b->g, CMB_OP_TANH, ratio, 0, 0));
}

static cmb_status joint_force(cmb_build *b, int joint, int n)
{
  const cmb_model_joint *j = &b->model->joints[joint];
  const cmb_model_coordinate *c = &j->coordinate[n];
  const bool rubs = !cmb_is_zero(c->friction) || !cmb_is_zero(c->friction_static);
  if (cmb_is_zero(c->stiffness) && cmb_is_zero(c->damping) && !rubs) return CMB_OK;
  if (cmb_joint_coordinate_index(j, n) < 0) {
    return cmb_build_fail(
        b, cmb_about_leading(cmb_about_part(&j->place, "joint", j->name)),
        "damping and friction of rotations need angles, but Euler parameters describe the "
        "rotations of this joint; expected 0 for them, and a bushing instead");
  }
  cmb_measure m = cmb_build_coordinate(b, joint, n);
  const cmb_expr rate = cmb_build_law_symbols(b).rate;
  cmb_expr lost = cmb_mul(b->g, number(b, c->damping), rate);
  lost = cmb_add(b->g, lost, rubs ? friction_law(b, c, rate) : 0);
  if (rubs && c->sticks) {
    cmb_build_hint(b, CMB_HINT_MOTION, b->model->joints[joint].coordinate[n].name, "friction",
                   m.rate);
  }
  return add_elastic_force(b, m, number(b, c->stiffness), number(b, c->reference), 0, lost, 0);
}

cmb_status cmb_build_joint_forces(cmb_build *b)
{
  for (int i = 0; i < b->model->joint_count; i++) {
    for (int n = 0; n < b->model->joints[i].nv; n++) CMB_TRY(joint_force(b, i, n));
  }
  return CMB_OK;
}

/* ---- springs */

/* Finds the joint coordinate along which the force element f acts, and stores it as a measure (a scalar function) in *m. *sign becomes −1 if f
 * belongs to a mirrored copy of a subassembly that counts the coordinate in the opposite direction, else 1. Reports an error if there is no
 * such coordinate, or if its axes are not those of the copy. */
static cmb_status find_coordinate(cmb_build *b, const cmb_model_force *f, cmb_measure *m,
                                  double *sign)
{
  for (int i = 0; i < b->model->joint_count; i++) {
    const cmb_model_joint *j = &b->model->joints[i];
    for (int n = 0; n < j->nv; n++) {
      int q = cmb_joint_coordinate_index(j, n);
      if (q < 0 || strcmp(j->q_names[q], f->coordinate) != 0) continue;
      *m = cmb_build_coordinate(b, i, n);
      *sign = cmb_coordinate_sign(&f->mirror, j, n);
      if (*sign != 0) return CMB_OK;
      return cmb_build_fail_axes(
          b, cmb_about_leading(cmb_about_part(&f->coordinate_place, "force", f->name)),
          f->coordinate);
    }
  }
  return cmb_build_fail(b,
                        cmb_about_leading(cmb_about_part(&f->coordinate_place, "force", f->name)),
                        "unknown coordinate '%s'; expected a coordinate of a joint", f->coordinate);
}

static cmb_measure spring_measure(cmb_build *b, int force, double *sign)
{
  const cmb_model_force *f = &b->model->forces[force];
  cmb_measure m = {.velocity = -1};
  *sign = 1;
  if (f->type != CMB_FORCE_COORDINATE) {
    return cmb_measure_distance(b->k, cmb_site_of(b->k, &f->a), cmb_site_of(b->k, &f->b));
  }
  find_coordinate(b, f, &m, sign);
  return m;
}

cmb_measure cmb_build_spring_measure(cmb_build *b, int force)
{
  double sign;
  return spring_measure(b, force, &sign);
}

/* Adds three spring-damper forces −k (x − rest) − c ẋ between the points a and b of force element f, one for each component x of the
 * displacement from a to b. The components are measured along the rows of `axes` (3 x 3), which are fixed to a's body. */
static cmb_status add_displacement_forces(cmb_build *b, const cmb_model_force *f,
                                          const cmb_number axes[9], const cmb_number stiffness[3],
                                          const cmb_number damping[3], const cmb_number rest[3])
{
  const cmb_expr rate = cmb_build_law_symbols(b).rate;
  const cmb_site sa = cmb_site_of(b->k, &f->a), sb = cmb_site_of(b->k, &f->b);
  for (int i = 0; i < 3; i++) {
    const cmb_measure m = cmb_measure_component(b->k, sa, sb, axes + 3L * i);
    const cmb_expr lost = cmb_mul(b->g, number(b, damping[i]), rate);
    CMB_TRY(add_elastic_force(b, m, number(b, stiffness[i]), number(b, rest[i]), 0, lost, 0));
  }
  return CMB_OK;
}

/* Adds a spring of zero free length, whose tension is k x for the distance x of its ends. Adds it as three linear forces along axes fixed
 * to a's body, since the direction of a single force would not be smooth where the ends coincide. */
static cmb_status add_spring_from_zero(cmb_build *b, const cmb_model_force *f)
{
  static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const cmb_number k[3] = {f->stiffness, f->stiffness, f->stiffness}, none[3] = {{0}};
  cmb_number axes[9];
  cmb_fix_numbers(9, unit, axes);
  return add_displacement_forces(b, f, axes, k, none, none);
}

/* Adds the spring-damper with the index `force`, between two points or along a joint coordinate, to the applied forces. If a mirrored copy of a
 * subassembly counts the coordinate x in the opposite direction, the force law is applied to −x. */
static cmb_status add_spring(cmb_build *b, int force)
{
  const cmb_model_force *f = &b->model->forces[force];
  cmb_graph *g = b->g;
  double sign;
  cmb_measure m = spring_measure(b, force, &sign);
  CMB_TRY(b->status);
  const cmb_law_symbols s = cmb_build_law_symbols(b);
  const cmb_expr factor = constant(b, sign), rate = cmb_mul(g, factor, s.rate);
  const cmb_expr free_length = cmb_mul(g, factor, number(b, f->free_length));
  cmb_expr lost = cmb_mul(g, number(b, f->damping), s.rate), more = 0;
  if (f->spring_table) {
    cmb_expr away = cmb_mul(g, factor, cmb_sub(g, s.x, free_length));
    lost = cmb_add(g, lost, cmb_mul(g, factor, cmb_build_table(b, f->spring_table, &away)));
  }
  if (f->damper_table)
    lost = cmb_add(g, lost, cmb_mul(g, factor, cmb_build_table(b, f->damper_table, &rate)));
  if (f->formula.text) CMB_TRY(cmb_build_formula(b, &f->formula, CMB_LEVEL_MOTION, NULL, &more));
  CMB_TRY(add_elastic_force(b, m, number(b, f->stiffness), free_length,
                            cmb_mul(g, factor, number(b, f->preload)), lost,
                            cmb_mul(g, factor, more)));
  return b->status;
}

/* ---- bushings */

/* limit for the rotation of a bushing: the rotation vector is discontinuous at 180° */
static const double pi = 3.14159265358979323846, LARGEST_ANGLE = 175; /* degrees */

static void bound_rotation(cmb_build *b, const cmb_model_force *f, cmb_expr cosine)
{
  char text[400];
  snprintf(text, sizeof text,
           "bushing '%s' is turned by more than %g degrees: at 180 degrees its moments change "
           "their sign, and it does not count turns; for a shaft take a force of the type torsion",
           f->name, LARGEST_ANGLE);
  cmb_build_bound(b, f->name, "turned",
                  cmb_sub(b->g, constant(b, cos(LARGEST_ANGLE * pi / 180)), cosine), text, false);
}

static cmb_status resist_rotation(cmb_build *b, const cmb_model_force *f, cmb_site sa, cmb_site sb)
{
  const cmb_number *stiffness = f->bushing_stiffness + 3;
  cmb_measure x[3];
  cmb_expr cosine;
  bool any = false;
  for (int i = 0; i < 3; i++) any |= !cmb_is_zero(stiffness[i]);
  if (!any) return CMB_OK;
  CMB_TRY(cmb_measure_rotation(b->k, sa, sb, f->axes, x, &cosine));
  bound_rotation(b, f, cosine);
  for (int i = 0; i < 3; i++) {
    if (cmb_is_zero(stiffness[i])) continue;
    CMB_TRY(add_elastic_force(b, x[i], number(b, stiffness[i]), 0, 0, 0, 0));
  }
  return CMB_OK;
}

static cmb_status resist_turning(cmb_build *b, const cmb_model_force *f, cmb_site sa, cmb_site sb)
{
  const cmb_expr rate = cmb_build_law_symbols(b).rate;
  const cmb_number *damping = f->bushing_damping + 3;
  for (int i = 0; i < 3; i++) {
    if (cmb_is_zero(damping[i])) continue;
    const cmb_measure m = cmb_measure_turning(b->k, sa, sb, f->axes + 3L * i);
    CMB_TRY(add_elastic_force(b, m, 0, 0, 0, cmb_mul(b->g, number(b, damping[i]), rate), 0));
  }
  return CMB_OK;
}

static cmb_status bushing(cmb_build *b, const cmb_model_force *f)
{
  cmb_number apart[3], rest[3];
  cmb_number_minus3(b->g, f->b.at, f->a.at, apart);
  for (int i = 0; i < 3; i++) rest[i] = cmb_number_dot3(b->g, f->axes + 3L * i, apart);
  CMB_TRY(add_displacement_forces(b, f, f->axes, f->bushing_stiffness, f->bushing_damping, rest));
  const cmb_site sa = cmb_site_of(b->k, &f->a), sb = cmb_site_of(b->k, &f->b);
  CMB_TRY(resist_rotation(b, f, sa, sb));
  return resist_turning(b, f, sa, sb);
}

/* ---- loads */

/* Builds a measure *out (a scalar function) for a force and a moment that act on body b and, reversed, on body a: its rate is their power. The
 * force acts at `arm` from the origin of b's link; all vectors are in the axes of the link `base`. */
static cmb_status make_wrench_measure(cmb_build *b, cmb_site sa, cmb_site sb, int base,
                                      cmb_vector force, cmb_vector moment, cmb_vector arm,
                                      cmb_measure *out)
{
  cmb_graph *g = b->g;
  const cmb_pose *pb = cmb_pose_of(b->k, sb.link, base), *pa = cmb_pose_of(b->k, sa.link, base);
  if (!pa || !pb) return CMB_ERROR_MEMORY;
  cmb_measure m = {.velocity = -1, .base = base, .side_count = 2};
  cmb_vector minus_force = cmb_vector_scale(g, constant(b, -1), force);
  cmb_vector at = cmb_vector_sub(g, cmb_vector_add(g, pb->r, arm), pa->r);
  cmb_vector on_a = cmb_vector_add(g, cmb_vector_cross(g, at, force), moment);
  m.side[0] = (cmb_side){sb.link, sb.body,
                         cmb_vector_add(g, cmb_vector_cross(g, arm, force), moment), force};
  m.side[1] = (cmb_side){sa.link, sa.body, cmb_vector_scale(g, constant(b, -1), on_a), minus_force};
  cmb_expr power = 0;
  for (int i = 0; i < 2; i++) {
    const cmb_pose *p = i == 0 ? pb : pa;
    power = cmb_add(g, power, cmb_vector_dot(g, m.side[i].moment, p->w));
    power = cmb_add(g, power, cmb_vector_dot(g, m.side[i].force, p->v));
  }
  m.rate = power;
  *out = m;
  return CMB_OK;
}

/* Adds a force and a moment on body b, and their reaction on body a, to the applied forces. The force acts at `arm`
 * from the origin of b's link; all vectors are in the axes of the link `base`. */
static cmb_status add_wrench(cmb_build *b, cmb_site sa, cmb_site sb, int base, cmb_vector force,
                             cmb_vector moment, cmb_vector arm)
{
  cmb_measure m;
  CMB_TRY(make_wrench_measure(b, sa, sb, base, force, moment, arm, &m));
  cmb_action *a = new_action(b, m);
  if (a) a->force = a->lost = constant(b, 1);
  return CMB_OK;
}

cmb_status cmb_build_wrench_action(cmb_build *b, cmb_site on, cmb_vector force, cmb_vector moment,
                                   cmb_vector arm)
{
  const cmb_site ground = {.link = CMB_GROUND, .body = CMB_GROUND};
  return add_wrench(b, ground, on, CMB_GROUND, force, moment, arm);
}

cmb_status cmb_build_wrench(cmb_build *b, cmb_site sa, cmb_site sb, cmb_vector force,
                            cmb_vector moment, cmb_vector arm, cmb_measure *out)
{
  return make_wrench_measure(b, sa, sb, CMB_GROUND, force, moment, arm, out);
}

/* Computes the force or the moment of an applied load f as a vector in the axes of the link `base`: Σ_k formula[k] d_k, where the directions
 * d_k are the rows of `directions` (3 x 3). These are fixed to the loaded body, which has the point sb, if the load's option body_frame is set,
 * else to the ground. */
static cmb_status load_vector(cmb_build *b, const cmb_model_force *f,
                              const cmb_model_formula formula[3], const double directions[9],
                              cmb_site sb, int base, cmb_vector *out)
{
  cmb_graph *g = b->g;
  *out = (cmb_vector){{0, 0, 0}};
  for (int i = 0; i < 3; i++) {
    cmb_expr e = 0;
    cmb_vector along = cmb_vector_constant(g, directions + 3L * i);
    if (!formula[i].text) continue;
    CMB_TRY(cmb_build_formula(b, &formula[i], CMB_LEVEL_MOTION, NULL, &e));
    if (f->body_frame) {
      cmb_number direction[3], x[3];
      const cmb_pose *p = cmb_pose_of(b->k, sb.link, base);
      cmb_fix_numbers(3, directions + 3L * i, direction);
      cmb_tree_direction(b->tree, sb.link, direction, x);
      if (!p) return CMB_ERROR_MEMORY;
      along = cmb_pose_arm(b->k, p, x);
    }
    *out = cmb_vector_add(g, *out, cmb_vector_scale(g, e, along));
  }
  return CMB_OK;
}

static cmb_status load(cmb_build *b, const cmb_model_force *f)
{
  cmb_site sb = cmb_site_of(b->k, &f->b), sa = {.link = CMB_GROUND, .body = CMB_GROUND};
  if (f->a.body != CMB_GROUND) {
    sa.link = b->tree->body_link[f->a.body];
    sa.body = f->a.body;
  }
  int base = f->body_frame ? cmb_tree_common(b->tree, sa.link, sb.link) : CMB_GROUND;
  cmb_vector force, moment;
  CMB_TRY(load_vector(b, f, f->force, f->directions, sb, base, &force));
  CMB_TRY(load_vector(b, f, f->torque, f->torque_directions, sb, base, &moment));
  const cmb_pose *p = cmb_pose_of(b->k, sb.link, base);
  if (!p) return CMB_ERROR_MEMORY;
  return add_wrench(b, sa, sb, base, force, moment, cmb_pose_arm(b->k, p, sb.x));
}

/* ---- contact */

/* Builds the expression d^e for d ≥ 0, continued as an odd function: −|d|^e for d < 0. */
static cmb_expr power_law(cmb_build *b, cmb_expr d, cmb_number e)
{
  if (cmb_is_one(e)) return d;
  return cmb_odd_power(b->g, d, number(b, e));
}

cmb_status cmb_build_surface(cmb_build *b, const cmb_model_formula *formula, cmb_vector at,
                             cmb_expr *s, cmb_vector *gradient, cmb_expr *rate)
{
  cmb_graph *g = b->g;
  const cmb_vector xyz = cmb_surface_symbols(g);
  cmb_expr raw, d[4], symbol[4] = {xyz.x[0], xyz.x[1], xyz.x[2], b->k->t};
  CMB_TRY(cmb_build_formula(b, formula, CMB_LEVEL_SURFACE, NULL, &raw));
  for (int i = 0; i < 4; i++) {
    cmb_expr direction[4] = {0};
    direction[i] = constant(b, 1);
    CMB_TRY(cmb_forward(g, 4, symbol, direction, 1, &raw, &d[i]));
  }
  CMB_TRY(cmb_build_add_input_rates(b, raw, &d[3]));
  cmb_expr five[5] = {raw, d[0], d[1], d[2], d[3]}, out[5];
  CMB_TRY(cmb_substitute(g, 3, symbol, at.x, 5, five, out));
  *s = out[0];
  memcpy(gradient->x, out + 1, sizeof gradient->x);
  *rate = out[4];
  return CMB_OK;
}

void cmb_build_hint(cmb_build *b, cmb_hint_kind kind, const char *name, const char *part,
                    cmb_expr e)
{
  char text[300];
  cmb_hint *hint = cmb_list_add(b, &b->hints, sizeof *hint);
  if (!hint) return;
  snprintf(text, sizeof text, "%s%s%s", name, part[0] ? "." : "", part);
  *hint = (cmb_hint){e, cmb_arena_text(b->arena, text), kind};
}

/* Builds the expression of a contact force that is `normal` while `depth` and `second` are both positive, and 0 otherwise. *both becomes the
 * minimum of the two; its change of sign is the opening or closing of the contact. */
cmb_expr cmb_while_pressed(cmb_graph *g, cmb_expr depth, cmb_expr second, cmb_expr normal,
                           cmb_expr *both)
{
  *both = cmb_apply(g, CMB_OP_MIN, depth, second, 0);
  *both = cmb_apply(g, CMB_OP_SMOOTH, *both, 0, 0);
  return cmb_apply(g, CMB_OP_IF, cmb_apply(g, CMB_OP_GT, *both, 0, 0), normal, 0);
}

/* Builds the normal force of a compliant contact, k d^e + c ḋ while the contact is closed and 0 otherwise, as an expression in the symbols for
 * the penetration depth d and its rate ḋ. *both becomes the switching function, positive while the contact is closed. */
static cmb_expr normal_law(cmb_build *b, const cmb_model_force *f, cmb_expr *both)
{
  cmb_graph *g = b->g;
  const cmb_law_symbols s = cmb_build_law_symbols(b);
  const cmb_expr stiffness = number(b, f->stiffness);
  cmb_expr normal = cmb_add(g, cmb_mul(g, stiffness, power_law(b, s.x, f->exponent)),
                            cmb_mul(g, number(b, f->damping), s.rate));
  const cmb_expr depth = cmb_mul(g, stiffness, s.x);
  return cmb_while_pressed(g, depth, cmb_is_zero(f->damping) ? depth : normal, normal, both);
}

/* Builds the regularised Coulomb friction of a contact, μ N u/√(u² + v₀²), for the sliding velocity u (`slip`) and the normal force N
 * (`normal`). The friction force on the body is minus the returned vector. */
static cmb_vector smooth_friction(cmb_build *b, const cmb_model_force *f, cmb_vector slip,
                                  cmb_expr normal)
{
  cmb_graph *g = b->g;
  const cmb_expr v0 = number(b, f->friction_velocity);
  const cmb_expr speed2 = cmb_add(g, cmb_vector_dot(g, slip, slip), cmb_square(g, v0));
  const cmb_expr ratio = cmb_div(g, cmb_mul(g, number(b, f->friction), normal),
                                 cmb_apply(g, CMB_OP_SQRT, speed2, 0, 0));
  return cmb_vector_scale(g, ratio, slip);
}

/* Builds the dry friction of a contact, which can stick: stick(v·t, μ N, μs N) t, with the sliding velocity v·t, the sliding force μ N and the
 * largest force while sticking μs N. v is the velocity of the contact point, N the normal force (`normal`), and t the unit vector along the
 * given friction direction, projected onto the tangent plane with the unit normal n. The friction force on the body is minus the returned
 * vector. */
static cmb_vector dry_friction(cmb_build *b, const cmb_model_force *f, cmb_vector n, cmb_vector v,
                               cmb_expr normal)
{
  cmb_graph *g = b->g;
  const cmb_vector d = cmb_number_vector(g, f->friction_direction);
  cmb_vector t = cmb_vector_sub(g, d, cmb_vector_scale(g, cmb_vector_dot(g, d, n), n));
  t = cmb_vector_scale(g, cmb_div(g, constant(b, 1), cmb_vector_length(g, t)), t);
  const cmb_expr rate = cmb_vector_dot(g, t, v);
  cmb_build_hint(b, CMB_HINT_MOTION, f->name, "friction", rate);
  return cmb_vector_scale(g,
                          cmb_apply(g, CMB_OP_STICK, rate,
                                    cmb_mul(g, number(b, f->friction), normal),
                                    cmb_mul(g, number(b, f->friction_static), normal)),
                          t);
}

static cmb_status contact(cmb_build *b, const cmb_model_force *f)
{
  cmb_graph *g = b->g;
  cmb_site sb = cmb_site_of(b->k, &f->b), ground = {.link = CMB_GROUND, .body = CMB_GROUND};
  const cmb_pose *p = cmb_pose_of(b->k, sb.link, CMB_GROUND);
  if (!p) return CMB_ERROR_MEMORY;
  cmb_vector arm = cmb_pose_arm(b->k, p, sb.x), n;
  cmb_expr s, s_t;
  CMB_TRY(cmb_build_surface(b, &f->surface, cmb_point_position(b->k, p, arm), &s, &n, &s_t));
  if (n.x[0] == 0 && n.x[1] == 0 && n.x[2] == 0)
    return cmb_build_fail_fixed(b, &f->surface, "force", f->name);
  cmb_expr inverse = cmb_div(g, constant(b, 1), cmb_vector_length(g, n));
  n = cmb_vector_scale(g, inverse, n);
  cmb_expr depth = cmb_sub(g, number(b, f->radius), cmb_mul(g, inverse, s));
  arm = cmb_vector_sub(g, arm, cmb_vector_scale(g, number(b, f->radius), n));
  cmb_vector v = cmb_point_velocity(b->k, p, arm);
  cmb_expr away = cmb_vector_dot(g, n, v);
  cmb_expr deeper = cmb_neg(g, cmb_add(g, away, cmb_mul(g, inverse, s_t)));
  cmb_expr both, law = normal_law(b, f, &both), normal = law;
  CMB_TRY(cmb_build_law(b, depth, deeper, &both));
  CMB_TRY(cmb_build_law(b, depth, deeper, &normal));
  cmb_build_hint(b, CMB_HINT_CONTACT, f->name, "contact", both);
  cmb_vector force = cmb_vector_scale(g, normal, n);
  const bool rubs = !cmb_is_zero(f->friction) || !cmb_is_zero(f->friction_static);
  if (rubs) {
    const cmb_vector slip = cmb_vector_sub(g, v, cmb_vector_scale(g, away, n));
    const cmb_vector friction =
        f->sticks ? dry_friction(b, f, n, v, normal) : smooth_friction(b, f, slip, normal);
    force = cmb_vector_sub(g, force, friction);
  }
  const cmb_vector none = {{0, 0, 0}};
  CMB_TRY(add_wrench(b, ground, sb, CMB_GROUND, force, none, arm));
  if (rubs || b->actions.count == 0) return CMB_OK;
  cmb_action *a = cmb_action_at(b, b->actions.count - 1);
  CMB_TRY(make_wrench_measure(b, ground, sb, CMB_GROUND, n, none, arm, &a->line));
  a->along_line = true;
  a->law = law;
  a->value = depth;
  a->rate = deeper;
  a->against = true; /* depth grows against the normal */
  return CMB_OK;
}

/* ---- two spheres */

/* Builds the repulsive force between two spheres (Hunt and Crossley), which is 0 while they do not touch, as an expression in the symbols for
 * the distance of their centres and its rate. *both becomes the switching function, positive while the force acts. */
static cmb_expr spheres_law(cmb_build *b, const cmb_model_force *f, cmb_expr *both)
{
  cmb_graph *g = b->g;
  const cmb_law_symbols s = cmb_build_law_symbols(b);
  const cmb_expr stiffness = number(b, f->stiffness);
  const cmb_expr depth = cmb_sub(g, number(b, f->radius), s.x);
  const cmb_expr loss = cmb_mul(g, number(b, cmb_scaled(g, 1.5, f->damping)), s.rate);
  const cmb_expr factor = cmb_sub(g, constant(b, 1), loss);
  const cmb_expr elastic = cmb_mul(g, stiffness, power_law(b, depth, f->exponent));
  const cmb_expr second =
      cmb_mul(g, number(b, f->radius), factor); /* has the dimension of a length, like the depth */
  return cmb_while_pressed(g, depth, second, cmb_mul(g, elastic, factor), both);
}

static cmb_status spheres(cmb_build *b, const cmb_model_force *f)
{
  const cmb_measure m =
      cmb_measure_distance(b->k, cmb_site_of(b->k, &f->a), cmb_site_of(b->k, &f->b));
  cmb_expr both, law = spheres_law(b, f, &both), force = law;
  CMB_TRY(cmb_build_law(b, m.value, m.rate, &both));
  CMB_TRY(cmb_build_law(b, m.value, m.rate, &force));
  cmb_build_hint(b, CMB_HINT_CONTACT, f->name, "contact", both);
  cmb_action *a = new_action(b, m);
  if (!a) return CMB_ERROR_MEMORY;
  a->force = a->lost = force;
  a->along_line = true;
  a->line = m;
  a->law = law;
  a->value = m.value;
  a->rate = m.rate;
  return CMB_OK;
}

/* Limit for forces that depend on each other in a chain, each being built while another is read; more could overflow
 * the stack. */
enum { MOST_FORCES = 64 };

cmb_status cmb_build_force(cmb_build *b, int force)
{
  const cmb_model_force *f = &b->model->forces[force];
  if (b->force_state[force] == CMB_BUILT) return CMB_OK;
  if (b->force_state[force] == CMB_IN_WORK) {
    return cmb_build_fail(b, cmb_about_part(&f->place, "force", f->name),
                          "force '%s' depends on itself", f->name);
  }
  if (b->force_depth == MOST_FORCES) {
    return cmb_build_fail(
        b, cmb_about_part(&f->place, "force", f->name),
        "force '%s' is the last of %d forces that depend on each other; expected at most %d",
        f->name, MOST_FORCES + 1, MOST_FORCES);
  }
  b->force_state[force] = CMB_IN_WORK;
  const int depth = b->formula_depth;
  /* measures in its formulas are read while the force is built, even if the formulas that use the force are deeply nested */
  b->formula_depth = 0;
  b->force_depth++;
  cmb_status status = CMB_OK;
  /* formulas may build other forces first: the actions of this force follow theirs */
  cmb_list before = b->actions;
  switch (f->type) {
  case CMB_FORCE_SPRING:
  case CMB_FORCE_COORDINATE:
    status = f->from_zero ? add_spring_from_zero(b, f) : add_spring(b, force);
    break;
  case CMB_FORCE_BUSHING: status = bushing(b, f); break;
  case CMB_FORCE_LOAD: status = load(b, f); break;
  case CMB_FORCE_CONTACT: status = contact(b, f); break;
  case CMB_FORCE_SPHERES: status = spheres(b, f); break;
  case CMB_FORCE_TYRE: status = cmb_build_tyre(b, force); break;
  case CMB_FORCE_TYPES: break;
  }
  b->formula_depth = depth;
  b->force_depth--;
  int own = cmb_force_rows[f->type].several || f->from_zero ? b->actions.count - before.count : 1;
  b->first_action[force] = b->actions.count - own;
  b->action_count[force] = own;
  b->force_state[force] = CMB_BUILT;
  if (status == CMB_OK) cmb_build_force_source(b, force, b->first_action[force]);
  return status != CMB_OK ? status : b->status;
}
