/*
 * Roads as expressions (road.h). Each road is made once, in symbols for x, y and the wheel's radius R, with its derivatives; whoever asks
 * gets it with places put in.
 *
 *     flat       z = h
 *     formula    z = f(x, y, t)
 *
 * A road that has a place knows s = (x − x₀)·e along its direction e and n = (x − x₀)·e⊥ to the left of it.
 */
#include "dyn/road.h"

#include "base/context.h"
#include "expr/graph.h"

#include <string.h>

/* What a road's height and friction are functions of. */
struct symbols {
  cmb_expr x, y, radius;
};

static struct symbols road_symbols(cmb_build *b)
{
  return (struct symbols){cmb_input(b->g, "x of a road"), cmb_input(b->g, "y of a road"),
                          cmb_input(b->g, "radius on a road")};
}

/* A road in symbols. */
struct cmb_read_road {
  int state; /* CMB_NOT_BUILT, CMB_IN_WORK, CMB_BUILT */
  cmb_road_point point;
};

enum { MOST_DEPTH = 16 }; /* roads that are made of roads */

/* ---- formulas */

/* The formula of x and y in the symbols of roads. */
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
                          "'z' cannot stand in a road; expected a formula of x, y and t");
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

/* ---- all of them */

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
  return CMB_OK;
}

static cmb_status make(cmb_build *b, const cmb_model_road *road, cmb_road_point *p)
{
  static cmb_status (*const heights[CMB_ROAD_TYPES])(cmb_build *, const cmb_model_road *,
                                                     cmb_expr *) = {
      [CMB_ROAD_FLAT] = flat, [CMB_ROAD_FORMULA] = formula};
  CMB_TRY(heights[road->type](b, road, &p->height));
  p->friction = cmb_constant(b->g, 1);
  if (road->friction.text) CMB_TRY(formula_of_place(b, &road->friction, &p->friction));
  return differentiate(b, p);
}

/* The road in symbols, once. */
static cmb_status need(cmb_build *b, int index, const cmb_road_point **p)
{
  const cmb_model_road *road = &b->model->roads[index];
  struct cmb_read_road *known = &b->roads[index];
  *p = &known->point;
  if (known->state == CMB_BUILT) return CMB_OK;
  const cmb_about about = cmb_about_part(&road->place, "road", road->name);
  if (known->state == CMB_IN_WORK)
    return cmb_build_fail(b, about, "the road '%s' depends on itself", road->name);
  if (b->road_depth == MOST_DEPTH) {
    return cmb_build_fail(b, about, "the road '%s' is used by others that use each other, %d deep",
                          road->name, MOST_DEPTH);
  }
  const int depth = b->formula_depth;
  known->state = CMB_IN_WORK;
  b->road_depth++;
  b->formula_depth = 0; /* its formulas wait for their own measures */
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
  CMB_TRY(need(b, road, &known));
  cmb_expr e[5] = {known->height, known->height_x, known->height_y, known->height_t,
                   known->friction};
  CMB_TRY(cmb_substitute(b->g, 3, from, to, 5, e, e));
  *p = (cmb_road_point){e[0], e[1], e[2], e[3], e[4]};
  return CMB_OK;
}

cmb_status cmb_build_road_height(cmb_build *b, int road, cmb_expr x, cmb_expr y, cmb_expr *height)
{
  const struct symbols s = road_symbols(b);
  const cmb_expr from[3] = {s.x, s.y, s.radius}, to[3] = {x, y, 0};
  const cmb_road_point *known;
  CMB_TRY(need(b, road, &known));
  return cmb_substitute(b->g, 3, from, to, 1, &known->height, height);
}

cmb_status cmb_build_take_roads(cmb_build *b)
{
  b->roads = cmb_arena_take(b->arena, (size_t)b->model->road_count, sizeof *b->roads);
  return b->roads ? CMB_OK : CMB_ERROR_MEMORY;
}

cmb_status cmb_build_check_roads(cmb_build *b)
{
  const cmb_road_point *p;
  for (int i = 0; i < b->model->road_count; i++) CMB_TRY(need(b, i, &p));
  return CMB_OK;
}
