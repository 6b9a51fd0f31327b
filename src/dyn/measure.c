/*
 * Builds measures (measure.h): distances, components, angles and rotations between points of two bodies, along which forces act and of which
 * constraints consist. With d = b − a, velocities of points relative to the base:
 *
 *     component  x = u·d      ẋ = u·(v_b − v_a) + ω_a·(u × d)
 *                             bias = u·(v̇_b − v̇_a) + 2 (ω_a × u)·(v_b − v_a) + (ω̇_a × u + ω_a × (ω_a × u))·d
 *     cosine     x = u·w      ẋ = (ω_a − ω_b)·(u × w)
 *                             bias = (ω̇_a − ω̇_b)·(u × w) + (ω_a − ω_b)·((ω_a × u) × w + u × (ω_b × w))
 *     turning    ẋ = u·(ω_b − ω_a)
 *                             bias = u·(ω̇_b − ω̇_a) + (ω_a × u)·(ω_b − ω_a)
 *     distance   x = |d|      ẋ = n·(v_b − v_a), n = d/x;   bias = n·(v̇_b − v̇_a) + (|v_b − v_a|² − ẋ²)/x
 *     rotation   x_i = F(c) s_i, where R_jl = u_j·w_l, c = ½ (tr R − 1) = cos a, s_i = ½ (R_lj − R_jl) = sin a n_i (i, j, l in
 *                cyclic order) and F(cos a) = a/sin a:  ẋ = F ṡ + F' s ċ,  bias = F bias_s + F' s bias_c + 2 F' ċ ṡ + F'' s ċ²
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

/* Two points a and b, relative to the last common link on their paths to the ground (base). */
struct pair {
  int base;
  const cmb_pose *a, *b;
  /* vectors from the links' origins to the points; position, velocity and bias acceleration of b minus those of a */
  cmb_vector arm_a, arm_b, d, v, bias;
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

/* Stores in the measure m (a scalar such as a distance) how a unit force along it acts on its two bodies: the force n at point b, −n at point
 * a, and the additional moment `moment_a` on a's body. */
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

cmb_measure cmb_measure_turning(cmb_kinematics *k, cmb_site a, cmb_site b, const cmb_number u[3])
{
  cmb_graph *g = k->g;
  cmb_measure m = {
      .velocity = -1, .base = cmb_tree_common(k->tree, a.link, b.link), .side_count = 2};
  const cmb_pose *pa = cmb_pose_of(k, a.link, m.base), *pb = cmb_pose_of(k, b.link, m.base);
  if (!pa || !pb) return m;
  cmb_vector e = direction(k, a, pa, u), turning = sub(g, pb->w, pa->w);
  m.rate = dot(g, e, turning);
  m.bias = cmb_add(g, dot(g, e, sub(g, pb->dw, pa->dw)), dot(g, cross(g, pa->w, e), turning));
  m.side[0] = (cmb_side){a.link, a.body, minus(g, e), {{0, 0, 0}}};
  m.side[1] = (cmb_side){b.link, b.body, e, {{0, 0, 0}}};
  return m;
}

/* Returns the linear combination x m1 + y m2 of two measures (scalars such as distances) between the same two bodies: value, rate, bias
 * acceleration and the forces on the bodies. The factors x and y are treated as constants. */
static cmb_measure combine(cmb_graph *g, cmb_expr x, cmb_measure m1, cmb_expr y, cmb_measure m2)
{
  cmb_measure m = m1;
  m.value = cmb_add(g, cmb_mul(g, x, m1.value), cmb_mul(g, y, m2.value));
  m.rate = cmb_add(g, cmb_mul(g, x, m1.rate), cmb_mul(g, y, m2.rate));
  m.bias = cmb_add(g, cmb_mul(g, x, m1.bias), cmb_mul(g, y, m2.bias));
  for (int i = 0; i < m.side_count; i++) {
    cmb_side *s = &m.side[i];
    s->moment = add(g, cmb_vector_scale(g, x, m1.side[i].moment),
                    cmb_vector_scale(g, y, m2.side[i].moment));
    s->force =
        add(g, cmb_vector_scale(g, x, m1.side[i].force), cmb_vector_scale(g, y, m2.side[i].force));
  }
  return m;
}

cmb_measure cmb_measure_combined(cmb_kinematics *k, double c1, cmb_measure m1, double c2,
                                 cmb_measure m2)
{
  return combine(k->g, cmb_constant(k->g, c1), m1, cmb_constant(k->g, c2), m2);
}

/* Builds the expression a/sin a as a function of c = cos a for 0 ≤ a < π, smooth also at a = 0. Halves the angle four times to φ = a/16, so
 * that a/sin a = (φ/sin φ)/(cos a/2 · cos a/4 · cos a/8 · cos φ), and uses a power series of φ/sin φ in sin² φ, truncated below rounding. */
static cmb_expr angle_by_sine(cmb_graph *g, cmb_expr c)
{
  enum { HALVINGS = 4, TERMS = 10 };
  const cmb_expr one = cmb_constant(g, 1), half = cmb_constant(g, 0.5);
  cmb_expr cosines = one, y = 0, series = one;
  for (int i = 0; i < HALVINGS; i++) {
    y = cmb_mul(g, half, cmb_sub(g, one, c));
    c = cmb_apply(g, CMB_OP_SQRT, cmb_mul(g, half, cmb_add(g, one, c)), 0, 0);
    cosines = cmb_mul(g, cosines, c);
  }
  for (int n = TERMS; n > 0; n--) {
    const double ratio = (2.0 * n - 1) * (2.0 * n - 1) / (2.0 * n * (2.0 * n + 1));
    series = cmb_add(g, one, cmb_mul(g, cmb_mul(g, cmb_constant(g, ratio), y), series));
  }
  return cmb_div(g, series, cosines);
}

/* Builds F(c) = α/sin α as a function of c = cos α, and its first and second derivatives with respect to c, as F[0],
 * F[1] and F[2]. */
static cmb_status angle_derivatives(cmb_graph *g, cmb_expr c, cmb_expr F[3])
{
  const cmb_expr symbol = cmb_input(g, "cosine of a rotation"), one = cmb_constant(g, 1);
  cmb_expr of[3] = {angle_by_sine(g, symbol)};
  CMB_TRY(cmb_forward(g, 1, &symbol, &one, 1, &of[0], &of[1]));
  CMB_TRY(cmb_forward(g, 1, &symbol, &one, 1, &of[1], &of[2]));
  return cmb_substitute(g, 1, &symbol, &c, 3, of, F);
}

cmb_status cmb_measure_rotation(cmb_kinematics *k, cmb_site a, cmb_site b, const cmb_number axes[9],
                                cmb_measure x[3], cmb_expr *cosine)
{
  cmb_graph *g = k->g;
  const cmb_number *u[3] = {axes, axes + 3, axes + 6};
  const cmb_expr half = cmb_constant(g, 0.5);
  cmb_expr F[3];
  cmb_measure c = cmb_measure_cosine(k, a, u[0], b, u[0]);
  for (int i = 1; i < 3; i++) {
    c = cmb_measure_combined(k, 1, c, 1, cmb_measure_cosine(k, a, u[i], b, u[i]));
  }
  c = combine(g, half, c, 0, c);
  *cosine = c.value = cmb_sub(g, c.value, half);
  CMB_TRY(angle_derivatives(g, *cosine, F));
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    const cmb_measure s = cmb_measure_combined(k, 0.5, cmb_measure_cosine(k, a, u[l], b, u[j]),
                                               -0.5, cmb_measure_cosine(k, a, u[j], b, u[l]));
    const cmb_expr slope = cmb_mul(g, F[1], s.value);
    const cmb_expr twice = cmb_mul(g, cmb_mul(g, cmb_constant(g, 2), F[1]), s.rate);
    const cmb_expr bent = cmb_mul(g, cmb_mul(g, F[2], s.value), c.rate);
    x[i] = combine(g, F[0], s, slope, c);
    x[i].value = cmb_mul(g, F[0], s.value);
    x[i].bias = cmb_add(g, x[i].bias, cmb_mul(g, c.rate, cmb_add(g, twice, bent)));
  }
  return CMB_OK;
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
