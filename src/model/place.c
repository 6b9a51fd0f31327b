/*
 * Computes the placements (rotation, mirror, offset) of template instances from their keys `mirror`, `axes`, and `at` or `offset`; called by
 * points.c, joints.c, roads.c and read.c (reader.h).
 *
 * An instance x -> T s x + o (rotation T, signs s, offset o) is placed in the frame of the scope around it, x -> T' s' x + o', so that
 * nested ones are composed. Mirrors are in coordinate planes and so consist of signs only; mirrors and rotations are interchanged by
 *
 *     T' s' T s = (T' s' T s') s' s        offset T' s' o + o'
 *
 * Copy i of a repeated instance (repeat.c) has the offset o + (i - 1) step. The placement of an instance is computed when one of its points
 * is first needed, so that an instance can be put at a point of another one.
 */
#include "base/context.h"
#include "model/reader.h"

#include <math.h>

/* smaller components of an instance's axes are rounding errors and are set to 0 */
static const double ROUNDING = 1e-14;

/* Copies unit vector i of the axes of scope s (the model or a template instance), not mirrored, to axis[3] in global coordinates. */
void cmb_scope_axis(const cmb_scope *s, int i, cmb_number axis[3])
{
  double row[3];
  cmb_mirror_axis(&s->placed->mirror, i, row);
  cmb_fix_numbers(3, row, axis);
}

void cmb_scope_vector(cmb_graph *g, const cmb_scope *s, cmb_number x[3])
{
  const cmb_mirror *m = &s->placed->mirror;
  cmb_number own[3];
  for (int i = 0; i < 3; i++) own[i] = cmb_scaled(g, m->sign[i], x[i]);
  for (int k = 0; k < 3; k++) {
    x[k] = m->axes ? cmb_fixed(0) : own[k];
    for (int i = 0; i < 3 && m->axes; i++)
      x[k] = cmb_plus(g, x[k], cmb_scaled(g, m->axes[3 * i + k], own[i]));
  }
}

/* Reads the key `axes` of a template instance and computes m->axes (3 x 3), the instance's axes in global coordinates, from its rotation T and
 * from the rotation T' and the mirror signs s' of the scope `outer` around it: row i is column i of T' s' T s'. The axes cannot depend on
 * parameters that can be changed after set-up. */
static cmb_status read_turn(cmb_reader *r, const cmb_scope *outer, const cmb_node *node,
                            cmb_mirror *m)
{
  const char *saved = r->fixed_number;
  cmb_number rows[9];
  double *axes = cmb_arena_doubles(r->model->arena, 9);
  if (!axes) return cmb_fail_memory(r->ctx);
  r->fixed_number = "the axes of an instance";
  CMB_TRY(cmb_read_axes(r, outer, node, rows));
  for (int i = 0; i < 9; i++) {
    if (rows[i].live) CMB_TRY(cmb_fix_number(r, rows[i], node->place));
  }
  r->fixed_number = saved;
  /* cmb_read_axes gives rows[i] = T' s' T e_i; the rows of T' s' T s' are sign[i] times these */
  const double *sign = outer->placed->mirror.sign;
  for (int i = 0; i < 9; i++)
    axes[i] = fabs(rows[i].value) > ROUNDING ? sign[i / 3] * rows[i].value : 0;
  m->axes = axes;
  return CMB_OK;
}

static cmb_status read_shift(cmb_reader *r, const cmb_scope *s, cmb_number offset[3])
{
  const cmb_node *at = cmb_node_find(s->instance, "at");
  const cmb_node *shift = cmb_node_find(s->instance, "offset");
  const cmb_node *step = cmb_node_find(s->instance, "step");
  const cmb_scope *outer = s->parent;
  cmb_graph *g = r->model->graph;
  cmb_number own[3] = {{0}}, each[3] = {{0}};
  if (at && shift) {
    return cmb_reader_fail(r, shift->key_place,
                           "'at' and 'offset' are both given; expected one of them");
  }
  if (at) CMB_TRY(cmb_read_position(r, outer, at, offset));
  if (shift) CMB_TRY(cmb_read_numbers(r, outer, shift, 3, own));
  if (step) CMB_TRY(cmb_read_numbers(r, outer, step, 3, each));
  for (int i = 0; i < 3; i++)
    own[i] = cmb_plus(g, own[i], cmb_scaled(g, s->copy > 1 ? s->copy - 1 : 0, each[i]));
  cmb_scope_vector(g, outer, own);
  for (int i = 0; i < 3; i++)
    offset[i] = cmb_plus(g, own[i], at ? offset[i] : outer->placed->offset[i]);
  return CMB_OK;
}

static cmb_status place(cmb_reader *r, const cmb_scope *s)
{
  static const char *const planes[] = {"x", "y", "z"};
  const cmb_node *mirror = cmb_node_find(s->instance, "mirror");
  const cmb_node *axes = cmb_node_find(s->instance, "axes");
  const cmb_scope *outer = s->parent;
  cmb_placement *to = s->placed;
  int plane = -1;
  if (mirror) CMB_TRY(cmb_read_choice(r, mirror, planes, 3, sizeof *planes, &plane));
  to->mirror = outer->placed->mirror;
  if (axes) CMB_TRY(read_turn(r, outer, axes, &to->mirror));
  if (mirror) {
    to->mirror.sign[plane] = -to->mirror.sign[plane];
    to->mirror.turn = -to->mirror.turn;
  }
  return read_shift(r, s, to->offset);
}

cmb_status cmb_place_scope(cmb_reader *r, const cmb_scope *s)
{
  const cmb_subject subject = r->subject;
  if (s->placed->state == CMB_PLACE_KNOWN) return CMB_OK;
  cmb_reader_subject(r, "instance", s->parent->prefix, s->instance->key);
  if (s->placed->state == CMB_PLACE_BUSY) {
    return cmb_reader_fail(r, s->instance->key_place,
                           "its place depends on itself; expected a place that does not");
  }
  s->placed->state = CMB_PLACE_BUSY;
  CMB_TRY(cmb_place_scope(r, s->parent));
  CMB_TRY(place(r, s));
  s->placed->state = CMB_PLACE_KNOWN;
  r->subject = subject;
  return CMB_OK;
}

cmb_status cmb_place_scopes(cmb_reader *r)
{
  for (const cmb_scope *s = r->scopes; s; s = s->next) CMB_TRY(cmb_place_scope(r, s));
  return CMB_OK;
}
