/*
 * Reads the centre of mass and the inertia of a body, as numbers or from a homogeneous solid of mass m; called by bodies.c (reader.h).
 *
 *     rod, cylinder of radius r, length l    about the axis m r²/2, across it m (3 r² + l²)/12
 *     box a x b x c                          m (b² + c²)/12, ...
 *     sphere of radius r                     2/5 m r²
 *
 * I = Aᵀ I' A transforms an inertia I' from the axes that are the rows of A to the global ones; mirrored rows give the inertia of the
 * mirrored body. limits.c checks whether the result is physically possible.
 */
#include "math/vec3.h"
#include "model/reader.h"

#include <string.h>

static void rotate_to_global(cmb_graph *g, const cmb_number own[9], const cmb_number axes[9],
                             cmb_number inertia[9])
{
  cmb_number half[9];
  cmb_number_mul33(g, own, axes, half);
  for (int i = 0; i < 9; i++) {
    inertia[i] = cmb_fixed(0);
    for (int k = 0; k < 3; k++) {
      inertia[i] = cmb_plus(g, inertia[i], cmb_times(g, axes[3 * k + i / 3], half[3 * k + i % 3]));
    }
  }
}

/* ---- numbers */

/* Reads a symmetric inertia matrix into I (3 x 3, by rows) from [Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz], or three rows of three
 * numbers. Rows that are not symmetric are an error. */
static cmb_status read_matrix(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                              cmb_number I[9])
{
  cmb_number list[6] = {{0}};
  if (node->kind == CMB_NODE_LIST && node->count == 3 && node->first->kind == CMB_NODE_LIST) {
    const cmb_node *row = node->first;
    for (int i = 0; i < 3; i++, row = row->next)
      CMB_TRY(cmb_read_numbers(r, s, row, 3, I + 3L * i));
    double most = fabs(I[0].value) + fabs(I[4].value) + fabs(I[8].value);
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3;
      if (fabs(I[3 * i + j].value - I[3 * j + i].value) <= 1e-9 * most) continue;
      return cmb_reader_fail(r, node->place,
                             "the inertia's rows are not symmetric; expected I%c%c = I%c%c",
                             'x' + i, 'x' + j, 'x' + j, 'x' + i);
    }
    return CMB_OK;
  }
  int count = node->kind == CMB_NODE_LIST && node->count == 6 ? 6 : 3;
  CMB_TRY(cmb_expect_list(r, node, count,
                          "[Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz], or three rows"));
  CMB_TRY(cmb_read_numbers(r, s, node, count, list));
  const cmb_number full[9] = {list[0], list[3], list[4], list[3], list[1],
                              list[5], list[4], list[5], list[2]};
  memcpy(I, full, sizeof full);
  return CMB_OK;
}

static cmb_status read_plain(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                             cmb_model_body *b)
{
  const cmb_node *com, *inertia = cmb_node_find(entry, "inertia");
  cmb_number own[9] = {{0}}, axes[9];
  CMB_TRY(cmb_require(r, entry, "com", &com));
  CMB_TRY(cmb_read_position(r, s, com, b->com));
  CMB_TRY(cmb_read_axes(r, s, cmb_node_find(entry, "axes"), axes));
  if (!inertia) return CMB_OK;
  CMB_TRY(read_matrix(r, s, inertia, own));
  rotate_to_global(r->model->graph, own, axes, b->inertia);
  return cmb_limit_inertia(r, inertia->place, b->inertia);
}

/* ---- homogeneous solids */

/* A homogeneous solid that is being read. */
struct solid {
  cmb_reader *r;
  const cmb_scope *s;
  const cmb_node *node;       /* the value of the key `rod`, `box`, .. */
  const cmb_node *dimensions; /* the map with radius, axes and so on: `node`, or the body's entry */
};

static cmb_status read_radius(const struct solid *solid, cmb_number *radius)
{
  const cmb_node *node;
  CMB_TRY(cmb_require(solid->r, solid->dimensions, "radius", &node));
  return cmb_read_limited(solid->r, solid->s, solid->dimensions, "radius", CMB_POSITIVE, radius);
}

/* Computes b->inertia (3 x 3), about the centre of mass in global axes, of a homogeneous cylinder or thin rod (radius 0) of mass m =
 * b->mass: m r²/2 about the axis, whose unit vector is `along`, and m (3 r² + l²)/12 about any axis perpendicular to it. */
static void cylinder_inertia(cmb_graph *g, cmb_number radius, cmb_number length,
                             const cmb_number along[3], cmb_model_body *b)
{
  const cmb_number two = cmb_fixed(2), twelve = cmb_fixed(12);
  const cmb_number square = cmb_times(g, cmb_scaled(g, 3, radius), radius);
  const cmb_number squares = cmb_plus(g, square, cmb_times(g, length, length));
  const cmb_number about = cmb_over(g, cmb_times(g, cmb_times(g, b->mass, radius), radius), two);
  const cmb_number across = cmb_over(g, cmb_times(g, b->mass, squares), twelve);
  const cmb_number more = cmb_minus(g, about, across);
  for (int i = 0; i < 9; i++) {
    const cmb_number part = cmb_times(g, cmb_times(g, more, along[i / 3]), along[i % 3]);
    b->inertia[i] = cmb_plus(g, i % 4 == 0 ? across : cmb_fixed(0), part);
  }
}

/* Reads a homogeneous rod (if is_rod) or cylinder from its two end points and sets centre of mass, ends and inertia of *b. The radius of a
 * rod is 0 if not given; the key `length` of a cylinder replaces the distance of its ends in the inertia. */
static cmb_status read_rod_or_cylinder(const struct solid *solid, bool is_rod, cmb_model_body *b)
{
  cmb_reader *r = solid->r;
  const cmb_node *ends = solid->node;
  cmb_graph *g = r->model->graph;
  cmb_number from[3], to[3], along[3], radius = cmb_fixed(0);
  if (ends->kind == CMB_NODE_MAP) CMB_TRY(cmb_require(r, ends, "between", &ends));
  CMB_TRY(cmb_expect_list(r, ends, 2, "its two ends [P, Q]"));
  CMB_TRY(cmb_read_position(r, solid->s, ends->first, from));
  CMB_TRY(cmb_read_position(r, solid->s, ends->first->next, to));
  for (int i = 0; i < 3; i++) {
    along[i] = cmb_minus(g, to[i], from[i]);
    b->com[i] = cmb_plus(g, from[i], cmb_scaled(g, 0.5, along[i]));
  }
  cmb_number length = cmb_number_norm3(g, along);
  if (!(length.value > 0)) {
    return cmb_reader_fail(r, ends->place, "the two ends are the same point; expected two points");
  }
  CMB_TRY(
      cmb_limit_number(r, ends->place, "the distance of its two ends", CMB_POSITIVE, NULL, length));
  for (int i = 0; i < 3; i++) along[i] = cmb_over(g, along[i], length);
  b->is_rod = is_rod;
  memcpy(b->ends[0], from, sizeof from);
  memcpy(b->ends[1], to, sizeof to);
  if (!is_rod || cmb_node_find(solid->dimensions, "radius")) CMB_TRY(read_radius(solid, &radius));
  CMB_TRY(cmb_read_limited(r, solid->s, solid->dimensions, "length", CMB_POSITIVE, &length));
  cylinder_inertia(g, radius, length, along, b);
  return CMB_OK;
}

static cmb_status read_box(const struct solid *solid, cmb_model_body *b)
{
  cmb_reader *r = solid->r;
  const cmb_node *size = solid->node, *at;
  cmb_graph *g = r->model->graph;
  cmb_number edge[3], axes[9], own[9] = {{0}};
  if (size->kind == CMB_NODE_MAP) CMB_TRY(cmb_require(r, size, "size", &size));
  CMB_TRY(cmb_read_numbers(r, solid->s, size, 3, edge));
  if (!(edge[0].value > 0 && edge[1].value > 0 && edge[2].value > 0)) {
    return cmb_reader_fail(r, size->place,
                           "the edges are %g, %g and %g; expected three numbers greater than 0",
                           edge[0].value, edge[1].value, edge[2].value);
  }
  CMB_TRY(cmb_limit_each(r, size->place, "an edge", CMB_POSITIVE, 3, edge));
  CMB_TRY(cmb_require(r, solid->dimensions, "at", &at));
  CMB_TRY(cmb_read_position(r, solid->s, at, b->com));
  CMB_TRY(cmb_read_axes(r, solid->s, cmb_node_find(solid->dimensions, "axes"), axes));
  const cmb_number squares = cmb_number_dot3(g, edge, edge);
  for (int i = 0; i < 3; i++) {
    const cmb_number others = cmb_minus(g, squares, cmb_times(g, edge[i], edge[i]));
    own[4 * i] = cmb_over(g, cmb_times(g, b->mass, others), cmb_fixed(12));
  }
  rotate_to_global(g, own, axes, b->inertia);
  return CMB_OK;
}

static cmb_status read_sphere(const struct solid *solid, cmb_model_body *b)
{
  const cmb_node *at = solid->node;
  cmb_graph *g = solid->r->model->graph;
  cmb_number radius = cmb_fixed(0);
  if (at->kind == CMB_NODE_MAP) CMB_TRY(cmb_require(solid->r, at, "at", &at));
  CMB_TRY(cmb_read_position(solid->r, solid->s, at, b->com));
  CMB_TRY(read_radius(solid, &radius));
  const cmb_number inertia =
      cmb_times(g, cmb_times(g, cmb_scaled(g, 0.4, b->mass), radius), radius);
  for (int i = 0; i < 3; i++) b->inertia[4 * i] = inertia;
  return CMB_OK;
}

enum { ROD, BOX, CYLINDER, SPHERE, SOLIDS };

/* The keys of each solid: the first count - 1 of them are in the solid's own map or, if it has none, in the entry of the body; the last
 * one is only allowed in that map. */
static const struct {
  const char *name;
  int count;
  const char *keys[4];
} solids[SOLIDS] = {{"rod", 2, {"radius", "between"}},
                    {"box", 3, {"at", "axes", "size"}},
                    {"cylinder", 3, {"radius", "length", "between"}},
                    {"sphere", 2, {"radius", "at"}}};

static cmb_status check_solid_keys(cmb_reader *r, const cmb_node *entry, int kind,
                                   const cmb_node *solid)
{
  const char *keys[8] = {"mass", "markers", "massless", solids[kind].name};
  if (solid->kind == CMB_NODE_MAP) {
    CMB_TRY(cmb_check_keys(r, solid, solids[kind].count, solids[kind].keys));
    return cmb_check_keys(r, entry, 4, keys);
  }
  int count = solids[kind].count - 1;
  memcpy(keys + 4, solids[kind].keys, (size_t)count * sizeof *keys);
  return cmb_check_keys(r, entry, 4 + count, keys);
}

/* Returns which homogeneous solid (ROD, BOX, CYLINDER or SPHERE) the entry of a body specifies; SOLIDS if none, since its inertia is then
 * given by numbers. */
static int solid_of(const cmb_node *entry)
{
  int kind = 0;
  while (kind < SOLIDS && !cmb_node_find(entry, solids[kind].name)) kind++;
  return kind;
}

cmb_status cmb_check_body_keys(cmb_reader *r, const cmb_node *entry)
{
  static const char *const keys[] = {"mass",     "com", "inertia", "axes",     "markers",
                                     "massless", "rod", "box",     "cylinder", "sphere"};
  const int kind = solid_of(entry);
  if (kind == SOLIDS) return CMB_CHECK_KEYS(r, entry, keys);
  return check_solid_keys(r, entry, kind, cmb_node_find(entry, solids[kind].name));
}

cmb_status cmb_read_inertia(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                            cmb_model_body *b)
{
  const int kind = solid_of(entry);
  if (kind == SOLIDS) return read_plain(r, s, entry, b);
  struct solid solid = {.r = r, .s = s, .node = cmb_node_find(entry, solids[kind].name)};
  solid.dimensions = solid.node->kind == CMB_NODE_MAP ? solid.node : entry;
  if (kind == BOX)
    CMB_TRY(read_box(&solid, b));
  else if (kind == SPHERE)
    CMB_TRY(read_sphere(&solid, b));
  else
    CMB_TRY(read_rod_or_cylinder(&solid, kind == ROD, b));
  return cmb_limit_inertia(r, solid.node->place, b->inertia);
}
