/*
 * Builds roads as expressions (road.h), for tyres, contacts and formulas. The height of each road is built once, in symbols for x, y and the wheel's
 * radius R, with its derivatives; every use replaces the symbols by a place.
 *
 *     flat       z = h
 *     formula    z = f(x, y, t)
 *     half-cylinder  z = sqrt((R + r)² − s²) − R where this is positive, else 0: a disc of radius R on one of radius r
 *     bump       z = h/2 (1 − cos(2π s/L)), 0 < s < L
 *     stair      z = max_k of the corner k at (c, H) = (k tread, (k + 1) rise) under the disc: H for s >= c, and
 *                H − R + sqrt(R² − (c − s)²) for c − R < s < c
 *     sine       z = A sin(2π s/λ + φ)
 *     random     z = Σ a_i sin(2π (n_i s + m_i n + p_i)), the waves of model/road_waves.c, as one operation (expr/waves.c)
 *     profile    z = table(s) or table(s, n), s limited to the table's range
 *     crg        the same with the grid of model/crg_grid.c; if its reference line is curved, with the foot of (s, n) on it (expr/foot.h)
 *     sum        z = Σ z_i
 *
 * fade: sine and random are multiplied by u² (3 − 2u), u = s/fade limited to 0 .. 1.
 *
 * A road with a position x₀ has s = (x − x₀)·e along its direction e and n = (x − x₀)·e⊥ to the left of it (in a mirrored copy to the
 * right).
 *
 * The distance D of a point (x, y, z) from the road is that from the plane which touches the road below it, w = n_z (z − h), where h is the height
 * of all parts of the road without edges. Obstacles have the distances of their nearest points, which replace w where they are smaller:
 *     half-cylinder  sqrt(s² + w²) − r
 *     stair          of each step: the larger of w − H and c − s for s >= c; before it sqrt((c − s)² + (w − H)²), or c − s below the edge
 * The nearest part is that with the lowest D/cos γ, sin γ = e·n: the distance in the plane of a disc with the axis e. Where h has a continuous slope,
 * D is continuous, and a force with a potential in D generates no energy at the edges.
 */
#include "dyn/road.h"

#include "base/context.h"
#include "expr/foot.h"
#include "expr/graph.h"
#include "expr/table.h"

#include <string.h>

/* The variables of a road's height and friction. */
struct symbols {
  cmb_expr x, y, radius;
};

static struct symbols road_symbols(cmb_build *b)
{
  return (struct symbols){cmb_input(b->g, "x of a road"), cmb_input(b->g, "y of a road"),
                          cmb_input(b->g, "radius on a road")};
}

/* The expressions of a road, in symbols for the position and the radius of the wheel. */
struct cmb_read_road {
  int state; /* CMB_NOT_BUILT, CMB_IN_WORK, CMB_BUILT */
  cmb_road_point point;
};

enum { MOST_DEPTH = 16 }; /* how deep roads that use other roads may be nested */

static const double pi = 3.14159265358979323846;

static cmb_status find_road(cmb_build *b, int index, const cmb_road_point **p);

/* ---- formulas */

/* Builds the expression of a formula that may use the position x, y on a road and the time t. Reports an error if it contains z. */
static cmb_status formula_of_place(cmb_build *b, const cmb_model_formula *formula, cmb_expr *e)
{
  const cmb_vector xyz = cmb_surface_symbols(b->g);
  const struct symbols s = road_symbols(b);
  const cmb_expr to[2] = {s.x, s.y};
  bool has_z;
  CMB_TRY(cmb_build_formula(b, formula, CMB_LEVEL_SURFACE, NULL, e));
  CMB_TRY(cmb_depends(b->g, 1, &xyz.x[2], 1, e, &has_z));
  if (has_z) {
    return cmb_build_fail(b, cmb_about_formula(formula),
                          "'z' is not known in a road; expected a formula of x, y and t");
  }
  return cmb_substitute(b->g, 2, xyz.x, to, 1, e, e);
}

/* ---- the types */

static cmb_status flat(cmb_build *b, const cmb_model_road *road, cmb_expr *height)
{
  *height = cmb_number_expr(b->g, road->n[0]);
  return CMB_OK;
}

static cmb_status formula(cmb_build *b, const cmb_model_road *road, cmb_expr *height)
{
  return formula_of_place(b, &road->height, height);
}

/* A position on a road: coordinates along (s) and across (n) the road, and the radius of the wheel. */
struct place {
  cmb_expr s, n, radius;
};

static struct place place_on(cmb_build *b, const cmb_model_road *road)
{
  cmb_graph *g = b->g;
  const struct symbols of = road_symbols(b);
  const cmb_expr dx = cmb_sub(g, of.x, cmb_number_expr(g, road->at[0]));
  const cmb_expr dy = cmb_sub(g, of.y, cmb_number_expr(g, road->at[1]));
  struct place p = {.radius = of.radius};
  p.s = cmb_add(g, cmb_mul(g, cmb_number_expr(g, road->along[0]), dx),
                cmb_mul(g, cmb_number_expr(g, road->along[1]), dy));
  p.n = cmb_add(g, cmb_mul(g, cmb_number_expr(g, road->across[0]), dx),
                cmb_mul(g, cmb_number_expr(g, road->across[1]), dy));
  return p;
}

/* Returns the height of a road in global coordinates, from the height h of its shape: h times the road's scale factor plus the height of its
 * position. */
static cmb_expr lifted(cmb_build *b, const cmb_model_road *road, cmb_expr h)
{
  if (!cmb_is_one(road->scale)) h = cmb_mul(b->g, cmb_number_expr(b->g, road->scale), h);
  return cmb_add(b->g, cmb_number_expr(b->g, road->at[2]), h);
}

static cmb_expr root(cmb_graph *g, cmb_expr e)
{
  return cmb_apply(g, CMB_OP_SQRT, e, 0, 0);
}

/* Returns the expression of x limited to the range [low, high]. */
static cmb_expr limited(cmb_graph *g, cmb_expr low, cmb_expr high, cmb_expr x)
{
  return cmb_apply(g, CMB_OP_MIN, cmb_apply(g, CMB_OP_MAX, x, low, 0), high, 0);
}

/* Returns an expression that is e where `positive` > 0, and else `otherwise`. */
static cmb_expr if_positive(cmb_graph *g, cmb_expr positive, cmb_expr e, cmb_expr otherwise)
{
  return cmb_apply(g, CMB_OP_IF, cmb_apply(g, CMB_OP_GT, positive, 0, 0), e, otherwise);
}

static cmb_status cylinder(cmb_build *b, const cmb_model_road *road, cmb_expr *height)
{
  cmb_graph *g = b->g;
  const struct place p = place_on(b, road);
  const cmb_expr r = cmb_number_expr(g, road->n[0]);
  const cmb_expr both = cmb_mul(g, cmb_constant(g, 2), cmb_mul(g, p.radius, r));
  const cmb_expr reach = cmb_add(g, cmb_square(g, r), both); /* (R + r)² − R² */
  const cmb_expr inside = cmb_sub(g, reach, cmb_square(g, p.s));
  const cmb_expr h = cmb_sub(g, root(g, cmb_add(g, cmb_square(g, p.radius), inside)), p.radius);
  *height = lifted(b, road, if_positive(g, inside, h, 0));
  return CMB_OK;
}

static cmb_status bump(cmb_build *b, const cmb_model_road *road, cmb_expr *height)
{
  cmb_graph *g = b->g;
  const cmb_expr length = cmb_number_expr(g, road->n[1]);
  const cmb_expr s = limited(g, 0, length, place_on(b, road).s);
  const cmb_expr angle = cmb_div(g, cmb_mul(g, cmb_constant(g, 2 * pi), s), length);
  const cmb_expr h = cmb_sub(g, cmb_constant(g, 1), cmb_apply(g, CMB_OP_COS, angle, 0, 0));
  *height = lifted(b, road,
                   cmb_mul(g, cmb_mul(g, cmb_constant(g, 0.5), cmb_number_expr(g, road->n[0])), h));
  return CMB_OK;
}

/* Builds the height of the lowest point of a disc that rolls over the corner of a step of height H, at the distance d before the corner: H
 * after it has passed, 0 for d ≥ R. In between it is negative where the disc does not touch the corner. */
static cmb_expr corner(cmb_graph *g, cmb_expr radius, cmb_expr d, cmb_expr H)
{
  const cmb_expr near = cmb_sub(g, cmb_square(g, radius), cmb_square(g, d));
  const cmb_expr on = cmb_add(g, cmb_sub(g, H, radius), root(g, near));
  const cmb_expr before = if_positive(g, cmb_sub(g, radius, d), on, 0);
  return if_positive(g, d, before, H);
}

static cmb_status stair(cmb_build *b, const cmb_model_road *road, cmb_expr *height)
{
  cmb_graph *g = b->g;
  const struct place p = place_on(b, road);
  cmb_expr h = 0;
  for (int k = 0; k < road->count; k++) {
    const cmb_expr c = cmb_mul(g, cmb_constant(g, k), cmb_number_expr(g, road->n[1]));
    const cmb_expr H = cmb_mul(g, cmb_constant(g, k + 1), cmb_number_expr(g, road->n[0]));
    const cmb_expr e = corner(g, p.radius, cmb_sub(g, c, p.s), H);
    h = cmb_apply(g, CMB_OP_MAX, h, e, 0);
  }
  *height = lifted(b, road, h);
  return CMB_OK;
}

/* Returns the height h times a smooth ramp, u² (3 − 2u) with u = s/length limited to 0 .. 1, so that a road begins at height 0 at s = 0.
 * Returns h if length is 0. */
static cmb_expr faded(cmb_build *b, cmb_number length, cmb_expr s, cmb_expr h)
{
  cmb_graph *g = b->g;
  if (cmb_is_zero(length)) return h;
  const cmb_expr one = cmb_constant(g, 1);
  const cmb_expr u = limited(g, 0, one, cmb_div(g, s, cmb_number_expr(g, length)));
  const cmb_expr rest = cmb_sub(g, cmb_constant(g, 3), cmb_mul(g, cmb_constant(g, 2), u));
  return cmb_mul(g, cmb_mul(g, cmb_square(g, u), rest), h);
}

static cmb_status sine(cmb_build *b, const cmb_model_road *road, cmb_expr *height)
{
  cmb_graph *g = b->g;
  const cmb_expr s = place_on(b, road).s;
  cmb_expr angle = cmb_mul(g, cmb_constant(g, 2 * pi), s);
  angle = cmb_div(g, angle, cmb_number_expr(g, road->n[1]));
  angle = cmb_add(g, angle, cmb_number_expr(g, road->n[2]));
  const cmb_expr h =
      cmb_mul(g, cmb_number_expr(g, road->n[0]), cmb_apply(g, CMB_OP_SIN, angle, 0, 0));
  *height = lifted(b, road, faded(b, road->n[3], s, h));
  return CMB_OK;
}

static cmb_status random_waves(cmb_build *b, const cmb_model_road *road, cmb_expr *height)
{
  cmb_graph *g = b->g;
  const struct place p = place_on(b, road);
  const cmb_expr h = cmb_table2_apply(g, road->waves, p.s, road->striped ? 0 : p.n);
  *height = lifted(b, road, faded(b, road->n[0], p.s, h));
  return CMB_OK;
}

/* Builds the expression *height of a road given by a table: a profile over the distance s along the road, or a grid over s and the lateral
 * position (CRG file). Before and after a profile, its first or last height continues. */
static cmb_status profile(cmb_build *b, const cmb_model_road *road, cmb_expr *height)
{
  cmb_graph *g = b->g;
  const struct place p = place_on(b, road);
  const cmb_model_table *t = road->table;
  const cmb_expr stretch = cmb_number_expr(g, t->stretch[0]);
  const cmb_expr low = cmb_mul(g, cmb_constant(g, t->table->x[0]), stretch);
  const cmb_expr high = cmb_mul(g, cmb_constant(g, t->table->x[t->table->nx - 1]), stretch);
  cmb_expr at[2] = {t->arguments == 1 ? limited(g, low, high, p.s) : p.s, p.n};
  for (int k = 0; k < 2 && road->line; k++) at[k] = cmb_foot_apply(g, road->line, k == 1, p.s, p.n);
  *height = lifted(b, road, cmb_build_table(b, t, at));
  return CMB_OK;
}

static cmb_status sum(cmb_build *b, const cmb_model_road *road, cmb_expr *height)
{
  *height = 0;
  for (int i = 0; i < road->count; i++) {
    const cmb_road_point *p;
    CMB_TRY(find_road(b, road->parts[i], &p));
    *height = cmb_add(b->g, *height, p->height);
  }
  return CMB_OK;
}

/* ---- any road */

static cmb_status differentiate(cmb_build *b, cmb_road_point *p)
{
  const struct symbols s = road_symbols(b);
  const cmb_expr by[3] = {s.x, s.y, b->k->t};
  cmb_expr *const to[3] = {&p->height_x, &p->height_y, &p->height_t};
  for (int i = 0; i < 3; i++) {
    cmb_expr direction[3] = {0};
    direction[i] = cmb_constant(b->g, 1);
    CMB_TRY(cmb_forward(b->g, 3, by, direction, 1, &p->height, to[i]));
  }
  return cmb_build_add_input_rates(b, p->height, &p->height_t);
}

static cmb_status make(cmb_build *b, const cmb_model_road *road, cmb_road_point *p)
{
  static cmb_status (*const heights[CMB_ROAD_TYPES])(cmb_build *, const cmb_model_road *,
                                                     cmb_expr *) = {
      [CMB_ROAD_FLAT] = flat,           [CMB_ROAD_FORMULA] = formula,
      [CMB_ROAD_CYLINDER] = cylinder,   [CMB_ROAD_BUMP] = bump,
      [CMB_ROAD_STAIR] = stair,         [CMB_ROAD_SINE] = sine,
      [CMB_ROAD_RANDOM] = random_waves, [CMB_ROAD_PROFILE] = profile,
      [CMB_ROAD_CRG] = profile,         [CMB_ROAD_SUM] = sum};
  CMB_TRY(heights[road->type](b, road, &p->height));
  p->friction = cmb_constant(b->g, 1);
  if (road->friction.text) CMB_TRY(formula_of_place(b, &road->friction, &p->friction));
  if (cmb_expr_op(b->g, p->friction) == CMB_OP_CONSTANT &&
      cmb_expr_constant(b->g, p->friction) < 0) {
    return cmb_build_fail(b, cmb_about_formula(&road->friction),
                          "friction is %g; expected a factor that is not negative",
                          cmb_expr_constant(b->g, p->friction));
  }
  return differentiate(b, p);
}

/* Finds the height of road number `index`, its derivatives and its friction, as expressions in symbols for the horizontal position and the
 * wheel's radius. Builds them at the first call. Stores a pointer to them in *p. Reports an error if the road depends on itself or is
 * nested too deeply. */
static cmb_status find_road(cmb_build *b, int index, const cmb_road_point **p)
{
  const cmb_model_road *road = &b->model->roads[index];
  struct cmb_read_road *known = &b->roads[index];
  *p = &known->point;
  if (known->state == CMB_BUILT) return CMB_OK;
  const cmb_about about = cmb_about_part(&road->place, "road", road->name);
  if (known->state == CMB_IN_WORK)
    return cmb_build_fail(b, about, "the road '%s' depends on itself", road->name);
  if (b->road_depth == MOST_DEPTH) {
    return cmb_build_fail(
        b, about,
        "the road '%s' is used by others that use each other, more than %d deep; expected fewer",
        road->name, MOST_DEPTH);
  }
  const int depth = b->formula_depth;
  known->state = CMB_IN_WORK;
  b->road_depth++;
  /* measures in its formulas are read now, even if the formula that uses the road is deeply nested */
  b->formula_depth = 0;
  const cmb_status status = make(b, road, &known->point);
  b->formula_depth = depth;
  b->road_depth--;
  known->state = status == CMB_OK ? CMB_BUILT : CMB_NOT_BUILT;
  return status;
}

cmb_status cmb_build_road(cmb_build *b, int road, cmb_expr x, cmb_expr y, cmb_expr radius,
                          cmb_road_point *p)
{
  const struct symbols s = road_symbols(b);
  const cmb_expr from[3] = {s.x, s.y, s.radius}, to[3] = {x, y, radius};
  const cmb_road_point *known;
  CMB_TRY(find_road(b, road, &known));
  cmb_expr e[5] = {known->height, known->height_x, known->height_y, known->height_t,
                   known->friction};
  CMB_TRY(cmb_substitute(b->g, 3, from, to, 5, e, e));
  *p = (cmb_road_point){e[0], e[1], e[2], e[3], e[4]};
  return CMB_OK;
}

cmb_status cmb_build_road_value(cmb_build *b, int road, bool friction, const cmb_expr *place,
                                cmb_expr radius, cmb_expr *e)
{
  const struct symbols s = road_symbols(b);
  const cmb_expr from[3] = {s.x, s.y, s.radius}, to[3] = {place[0], place[1], radius};
  const cmb_road_point *known;
  CMB_TRY(find_road(b, road, &known));
  return cmb_substitute(b->g, 3, from, to, 1, friction ? &known->friction : &known->height, e);
}

/* ---- distances */

static bool is_obstacle(const cmb_model_road *road)
{
  return road->type == CMB_ROAD_CYLINDER || road->type == CMB_ROAD_STAIR;
}

/* Adds the heights of all parts of road number `index` to *height, except for obstacles (half-cylinders and stairs), whose edges require a true
 * distance. */
static cmb_status add_plain(cmb_build *b, int index, cmb_expr *height)
{
  const cmb_model_road *road = &b->model->roads[index];
  const cmb_road_point *p;
  CMB_TRY(find_road(b, index, &p));
  if (road->type != CMB_ROAD_SUM) {
    if (!is_obstacle(road)) *height = cmb_add(b->g, *height, p->height);
    return CMB_OK;
  }
  for (int i = 0; i < road->count; i++) CMB_TRY(add_plain(b, road->parts[i], height));
  return CMB_OK;
}

/* A distance from a road, or from a part of it, and its gradient, in symbols. */
struct distance {
  cmb_expr D;
  cmb_vector gradient;
};

/* Builds the partial derivatives of e with respect to the three variables by[0..2] and stores them in *to. */
static cmb_status gradient(cmb_graph *g, const cmb_expr by[3], cmb_expr e, cmb_vector *to)
{
  const cmb_expr one = cmb_constant(g, 1);
  return cmb_reverse(g, 3, by, 1, &e, &one, to->x);
}

/* Returns the cosine of the camber angle of a disc relative to a surface: |e × n|/|n| for the disc's axis e and the surface normal n =
 * r->gradient (not normalised). */
static cmb_expr camber_cosine(cmb_graph *g, const cmb_vector *e, const struct distance *r)
{
  const cmb_expr across = cmb_vector_length(g, cmb_vector_cross(g, *e, r->gradient));
  return cmb_div(g, across, cmb_vector_length(g, r->gradient));
}

/* Builds the smaller of the distances a and b of a disc with the axis e from two parts of a road, with its gradient. Distances are compared in
 * the plane of the disc: D/cos γ for the distance D and the camber angle γ. */
static struct distance nearer(cmb_graph *g, const cmb_vector *e, struct distance a,
                              struct distance b)
{
  const cmb_expr more = cmb_sub(g, cmb_mul(g, a.D, camber_cosine(g, e, &b)),
                                cmb_mul(g, b.D, camber_cosine(g, e, &a)));
  struct distance r = {.D = if_positive(g, more, b.D, a.D)};
  for (int i = 0; i < 3; i++)
    r.gradient.x[i] = if_positive(g, more, b.gradient.x[i], a.gradient.x[i]);
  return r;
}

/* Builds the distance *to of a point from an obstacle on the road, and its gradient. The obstacle is given by D, the distance as an expression
 * in two symbols: the position along the road, sw[0], and the distance from the road without obstacles, sw[1]. These are replaced by the
 * point's position and by *ground; the gradient follows by the chain rule. */
static cmb_status place_obstacle(cmb_build *b, const cmb_model_road *road,
                                 const struct distance *ground, const cmb_expr sw[2], cmb_expr D,
                                 struct distance *to)
{
  cmb_graph *g = b->g;
  const cmb_expr one = cmb_constant(g, 1), at[2] = {place_on(b, road).s, ground->D};
  cmb_expr e[3] = {D};
  CMB_TRY(cmb_reverse(g, 2, sw, 1, &D, &one, e + 1));
  CMB_TRY(cmb_substitute(g, 2, sw, at, 3, e, e));
  to->D = e[0];
  to->gradient = cmb_vector_scale(g, e[2], ground->gradient);
  for (int i = 0; i < 2; i++)
    to->gradient.x[i] =
        cmb_add(g, to->gradient.x[i], cmb_mul(g, e[1], cmb_number_expr(g, road->along[i])));
  return CMB_OK;
}

/* Builds the distance of a point from step number k of a stair, in the symbols sw[0] for its position along the road and sw[1] for its height
 * above the road. Inside the step the distance is negative. */
static cmb_expr distance_from_step(cmb_graph *g, const cmb_model_road *road, int k,
                                   const cmb_expr sw[2])
{
  const cmb_expr c = cmb_mul(g, cmb_constant(g, k), cmb_number_expr(g, road->n[1]));
  const cmb_expr H = cmb_mul(g, cmb_constant(g, k + 1), cmb_number_expr(g, road->n[0]));
  const cmb_expr d = cmb_sub(g, c, sw[0]), h = cmb_sub(g, sw[1], H);
  const cmb_expr edge = root(g, cmb_add(g, cmb_square(g, d), cmb_square(g, h)));
  return if_positive(g, d, if_positive(g, h, edge, d), cmb_apply(g, CMB_OP_MAX, h, d, 0));
}

static cmb_expr from_cylinder(cmb_graph *g, const cmb_model_road *road, const cmb_expr sw[2])
{
  const cmb_expr axis = root(g, cmb_add(g, cmb_square(g, sw[0]), cmb_square(g, sw[1])));
  return cmb_sub(g, axis, cmb_number_expr(g, road->n[0]));
}

/* Reduces the distance *r from a road by road->at[2], the height of the ground of the obstacle on it (a half-cylinder, or each step of a
 * stair), and replaces it by the distance from the obstacle where that is shorter in the plane of a disc with the given axis. */
static cmb_status add_obstacle(cmb_build *b, const cmb_model_road *road, const cmb_vector *axis,
                               struct distance *r)
{
  cmb_graph *g = b->g;
  const cmb_expr sw[2] = {cmb_input(g, "s of an obstacle"), cmb_input(g, "w of an obstacle")};
  const bool stair = road->type == CMB_ROAD_STAIR;
  r->D = cmb_sub(g, r->D, cmb_number_expr(g, road->at[2]));
  const struct distance ground = *r;
  for (int k = 0; k < (stair ? road->count : 1); k++) {
    const cmb_expr D = stair ? distance_from_step(g, road, k, sw) : from_cylinder(g, road, sw);
    struct distance one;
    CMB_TRY(place_obstacle(b, road, &ground, sw, D, &one));
    *r = nearer(g, axis, *r, one);
  }
  return CMB_OK;
}

static cmb_status add_obstacles(cmb_build *b, int index, const cmb_vector *axis, struct distance *r)
{
  const cmb_model_road *road = &b->model->roads[index];
  if (is_obstacle(road)) return add_obstacle(b, road, axis, r);
  for (int i = 0; i < road->count && road->type == CMB_ROAD_SUM; i++)
    CMB_TRY(add_obstacles(b, road->parts[i], axis, r));
  return CMB_OK;
}

cmb_status cmb_build_road_distance(cmb_build *b, int road, const cmb_vector *at,
                                   const cmb_vector *axis, cmb_expr *D, cmb_vector *n)
{
  cmb_graph *g = b->g;
  const struct symbols s = road_symbols(b);
  const cmb_expr z = cmb_input(g, "z above a road"), upright = cmb_input(g, "n_z of a road");
  const cmb_expr xyz[3] = {s.x, s.y, z}, one = cmb_constant(g, 1);
  cmb_expr height = 0;
  cmb_vector slope;
  struct distance r;
  CMB_TRY(add_plain(b, road, &height));
  CMB_TRY(gradient(g, xyz, height, &slope));
  r.D = cmb_mul(g, upright, cmb_sub(g, z, height));
  CMB_TRY(gradient(g, xyz, r.D, &r.gradient));
  CMB_TRY(add_obstacles(b, road, axis, &r));
  /* slope has no z component */
  const cmb_expr n_z = cmb_div(g, one, root(g, cmb_add(g, one, cmb_vector_dot(g, slope, slope))));
  cmb_expr e[4] = {r.D, r.gradient.x[0], r.gradient.x[1], r.gradient.x[2]};
  CMB_TRY(cmb_substitute(g, 1, &upright, &n_z, 4, e, e));
  CMB_TRY(cmb_substitute(g, 3, xyz, at->x, 4, e, e));
  const cmb_vector direction = {{e[1], e[2], e[3]}};
  *D = e[0];
  *n = cmb_vector_scale(g, cmb_div(g, one, cmb_vector_length(g, direction)), direction);
  return CMB_OK;
}

cmb_status cmb_build_take_roads(cmb_build *b)
{
  b->roads = cmb_arena_take(b->arena, (size_t)b->model->road_count, sizeof *b->roads);
  return b->roads ? CMB_OK : CMB_ERROR_MEMORY;
}

cmb_status cmb_build_check_roads(cmb_build *b)
{
  const cmb_road_point *p;
  for (int i = 0; i < b->model->road_count; i++) CMB_TRY(find_road(b, i, &p));
  return CMB_OK;
}
