/*
 * Measures (measure.h). With d = b − a, velocities of points relative to the base:
 *
 *     component  x = u·d      ẋ = u·(v_b − v_a) + ω_a·(u × d)
 *                             bias = u·(v̇_b − v̇_a) + 2 (ω_a × u)·(v_b − v_a) + (ω̇_a × u + ω_a × (ω_a × u))·d
 *     cosine     x = u·w      ẋ = (ω_a − ω_b)·(u × w)
 *                             bias = (ω̇_a − ω̇_b)·(u × w) + (ω_a − ω_b)·((ω_a × u) × w + u × (ω_b × w))
 *     distance   x = |d|      ẋ = n·(v_b − v_a), n = d/x;   bias = n·(v̇_b − v̇_a) + (|v_b − v_a|² − ẋ²)/x
 */
#include "dyn/measure.h"

static cmb_vector add(cmb_graph *g, cmb_vector a, cmb_vector b)
{
  return cmb_vector_add(g, a, b);
}

static cmb_vector sub(cmb_graph *g, cmb_vector a, cmb_vector b)
{
  return cmb_vector_sub(g, a, b);
}

static cmb_vector cross(cmb_graph *g, cmb_vector a, cmb_vector b)
{
  return cmb_vector_cross(g, a, b);
}

static cmb_expr dot(cmb_graph *g, cmb_vector a, cmb_vector b)
{
  return cmb_vector_dot(g, a, b);
}

static cmb_vector minus(cmb_graph *g, cmb_vector a)
{
  for (int i = 0; i < 3; i++) a.x[i] = cmb_neg(g, a.x[i]);
  return a;
}

cmb_site cmb_site_of(const cmb_kinematics *k, const cmb_anchor *anchor)
{
  cmb_site s = {.body = anchor->body};
  s.link = anchor->body == CMB_GROUND ? CMB_GROUND : k->tree->body_link[anchor->body];
  cmb_tree_point(k->tree, s.link, anchor->at, s.x);
  return s;
}

/* Two points, relative to what they have in common. */
struct pair {
  int base;
  const cmb_pose *a, *b;
  cmb_vector arm_a, arm_b, d, v, bias; /* of b minus that of a */
};

static bool make_pair(cmb_kinematics *k, cmb_site a, cmb_site b, struct pair *p)
{
  p->base = cmb_tree_common(k->tree, a.link, b.link);
  p->a = cmb_pose_of(k, a.link, p->base);
  p->b = cmb_pose_of(k, b.link, p->base);
  if (!p->a || !p->b) return false;
  cmb_graph *g = k->g;
  p->arm_a = cmb_pose_arm(k, p->a, a.x);
  p->arm_b = cmb_pose_arm(k, p->b, b.x);
  p->d = sub(g, cmb_point_position(k, p->b, p->arm_b), cmb_point_position(k, p->a, p->arm_a));
  p->v = sub(g, cmb_point_velocity(k, p->b, p->arm_b), cmb_point_velocity(k, p->a, p->arm_a));
  p->bias = sub(g, cmb_point_bias(k, p->b, p->arm_b), cmb_point_bias(k, p->a, p->arm_a));
  return true;
}

static cmb_vector direction(cmb_kinematics *k, cmb_site s, const cmb_pose *p, const cmb_number u[3])
{
  cmb_number x[3];
  cmb_tree_direction(k->tree, s.link, u, x);
  return cmb_pose_arm(k, p, x);
}

/* A measure whose sides are forces ±n at the points, and a further moment on a. */
static void set_sides(cmb_kinematics *k, const struct pair *p, cmb_site a, cmb_site b, cmb_vector n,
                      cmb_vector moment_a, cmb_measure *m)
{
  cmb_graph *g = k->g;
  m->velocity = -1;
  m->base = p->base;
  m->side_count = 2;
  m->side[0] =
      (cmb_side){a.link, a.body, add(g, minus(g, cross(g, p->arm_a, n)), moment_a), minus(g, n)};
  m->side[1] = (cmb_side){b.link, b.body, cross(g, p->arm_b, n), n};
}

cmb_measure cmb_measure_component(cmb_kinematics *k, cmb_site a, cmb_site b, const cmb_number u[3])
{
  cmb_graph *g = k->g;
  cmb_measure m = {.velocity = -1};
  struct pair p;
  if (!make_pair(k, a, b, &p)) return m;
  cmb_vector e = direction(k, a, p.a, u), moment = cross(g, e, p.d);
  cmb_vector rate = cross(g, p.a->w, e);
  cmb_vector second = add(g, cross(g, p.a->dw, e), cross(g, p.a->w, rate));
  m.value = dot(g, e, p.d);
  m.rate = cmb_add(g, dot(g, e, p.v), dot(g, p.a->w, moment));
  cmb_expr twice = cmb_mul(g, cmb_constant(g, 2), dot(g, rate, p.v));
  m.bias = cmb_add(g, cmb_add(g, dot(g, e, p.bias), twice), dot(g, second, p.d));
  set_sides(k, &p, a, b, e, moment, &m);
  return m;
}

cmb_measure cmb_measure_distance(cmb_kinematics *k, cmb_site a, cmb_site b)
{
  cmb_graph *g = k->g;
  cmb_measure m = {.velocity = -1};
  struct pair p;
  if (!make_pair(k, a, b, &p)) return m;
  m.value = cmb_vector_length(g, p.d);
  cmb_expr inverse = cmb_div(g, cmb_constant(g, 1), m.value);
  cmb_vector n = cmb_vector_scale(g, inverse, p.d);
  m.rate = dot(g, n, p.v);
  cmb_expr across = cmb_sub(g, dot(g, p.v, p.v), cmb_square(g, m.rate));
  m.bias = cmb_add(g, dot(g, n, p.bias), cmb_mul(g, across, inverse));
  set_sides(k, &p, a, b, n, (cmb_vector){{0, 0, 0}}, &m);
  return m;
}

cmb_measure cmb_measure_cosine(cmb_kinematics *k, cmb_site a, const cmb_number u[3], cmb_site b,
                               const cmb_number w[3])
{
  cmb_graph *g = k->g;
  cmb_measure m = {
      .velocity = -1, .base = cmb_tree_common(k->tree, a.link, b.link), .side_count = 2};
  const cmb_pose *pa = cmb_pose_of(k, a.link, m.base), *pb = cmb_pose_of(k, b.link, m.base);
  if (!pa || !pb) return m;
  cmb_vector x = direction(k, a, pa, u), y = direction(k, b, pb, w), n = cross(g, x, y);
  cmb_vector turning = sub(g, pa->w, pb->w);
  cmb_vector rate = add(g, cross(g, cross(g, pa->w, x), y), cross(g, x, cross(g, pb->w, y)));
  m.value = dot(g, x, y);
  m.rate = dot(g, turning, n);
  m.bias = cmb_add(g, dot(g, sub(g, pa->dw, pb->dw), n), dot(g, turning, rate));
  m.side[0] = (cmb_side){a.link, a.body, n, {{0, 0, 0}}};
  m.side[1] = (cmb_side){b.link, b.body, minus(g, n), {{0, 0, 0}}};
  return m;
}

cmb_measure cmb_measure_combined(cmb_kinematics *k, double c1, cmb_measure m1, double c2,
                                 cmb_measure m2)
{
  cmb_graph *g = k->g;
  cmb_expr x = cmb_constant(g, c1), y = cmb_constant(g, c2);
  cmb_measure m = m1;
  m.value = cmb_add(g, cmb_mul(g, x, m1.value), cmb_mul(g, y, m2.value));
  m.rate = cmb_add(g, cmb_mul(g, x, m1.rate), cmb_mul(g, y, m2.rate));
  m.bias = cmb_add(g, cmb_mul(g, x, m1.bias), cmb_mul(g, y, m2.bias));
  for (int i = 0; i < m.side_count; i++) {
    cmb_side *s = &m.side[i];
    s->moment = cmb_vector_add(g, cmb_vector_scale(g, x, m1.side[i].moment),
                               cmb_vector_scale(g, y, m2.side[i].moment));
    s->force = cmb_vector_add(g, cmb_vector_scale(g, x, m1.side[i].force),
                              cmb_vector_scale(g, y, m2.side[i].force));
  }
  return m;
}

cmb_measure cmb_measure_coordinate(cmb_kinematics *k, int q, int v)
{
  return (cmb_measure){.value = q >= 0 ? k->q[q] : 0, .rate = k->v[v], .velocity = v};
}

void cmb_measure_wrench(cmb_kinematics *k, const cmb_measure *m, cmb_expr Q, cmb_wrench *on)
{
  for (int i = 0; i < m->side_count; i++) {
    const cmb_side *s = &m->side[i];
    if (s->link == m->base) continue;
    const cmb_pose *p = cmb_pose_of(k, s->link, m->base);
    if (!p) continue;
    cmb_wrench_add(k, &on[s->link], p, cmb_vector_scale(k->g, Q, s->moment),
                   cmb_vector_scale(k->g, Q, s->force));
  }
}

void cmb_measure_force(cmb_kinematics *k, const cmb_measure *m, cmb_expr Q, cmb_wrench *scratch,
                       cmb_expr *out)
{
  if (m->velocity >= 0) out[m->velocity] = cmb_add(k->g, out[m->velocity], Q);
  if (m->side_count == 0) return;
  cmb_measure_wrench(k, m, Q, scratch);
  const int from[2] = {m->side[0].link, m->side[1].link};
  cmb_wrenches_project_from(k, m->base, m->side_count, from, scratch, out);
}
