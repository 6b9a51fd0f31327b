/*
 * Sets the magnitudes of coordinates (q_sizes and v_sizes, dae.h) by the extent of the model: the diagonal of the box
 * around its joints, ends of loops, centres of mass and ends of rods in the design position. If the extent is 0.1 m or
 * more, all magnitudes are 1. In a smaller mechanism lengths, and their rates, have the magnitude 10 times the extent. If all points
 * coincide, the magnitudes stay 1.
 */
#include "dyn/build.h"

#include <math.h>

/* magnitude of lengths in a small mechanism, as a multiple of its extent */
static const double SPAN = 10;
static const double ROUNDING = 1e-12; /* relative rounding error of the points' coordinates */

/* A box around points, with sides parallel to the axes. */
struct box {
  double least[3], most[3];
  double away; /* the largest absolute value of a coordinate of any point */
};

static void add_point(struct box *box, const cmb_number at[3])
{
  for (int k = 0; k < 3; k++) {
    box->away = fmax(box->away, fabs(at[k].value));
    box->least[k] = fmin(box->least[k], at[k].value);
    box->most[k] = fmax(box->most[k], at[k].value);
  }
}

/* Returns the size of the model, the diagonal of the bounding box of all joints, loop ends, centres of mass and rod ends; 0 if it is not above
 * the rounding errors of their coordinates. */
static double extent_of(const cmb_model *m)
{
  struct box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};
  for (int i = 0; i < m->body_count; i++) {
    add_point(&box, m->bodies[i].com);
    for (int end = 0; end < 2 && m->bodies[i].is_rod; end++)
      add_point(&box, m->bodies[i].ends[end]);
  }
  for (int i = 0; i < m->joint_count; i++) add_point(&box, m->joints[i].at);
  for (int i = 0; i < m->loop_count; i++) {
    if (m->loops[i].type == CMB_LOOP_FORMULA) continue;
    add_point(&box, m->loops[i].a.at);
    add_point(&box, m->loops[i].b.at);
  }
  const double extent = hypot(hypot(box.most[0] - box.least[0], box.most[1] - box.least[1]),
                              box.most[2] - box.least[2]);
  return extent > ROUNDING * box.away ? extent : 0;
}

cmb_status cmb_build_sizes(cmb_build *b, cmb_expressions *x)
{
  const double extent = extent_of(b->model);
  if (!(extent > 0 && SPAN * extent < 1)) return CMB_OK;
  double *q = cmb_arena_doubles(b->arena, x->nq + 1), *v = cmb_arena_doubles(b->arena, x->nv + 1);
  if (!q || !v) return CMB_ERROR_MEMORY;
  for (int i = 0; i < x->nq; i++) q[i] = 1;
  for (int i = 0; i < x->nv; i++) v[i] = 1;
  for (int i = 0; i < b->tree->link_count; i++) {
    const cmb_link *l = &b->tree->links[i];
    const int lengths = l->kind == CMB_LINK_SHIFT ? 1 : l->kind == CMB_LINK_CARTESIAN ? 3 : 0;
    for (int n = 0; n < lengths; n++) q[l->q + n] = v[l->v + n] = SPAN * extent;
  }
  x->q_sizes = q, x->v_sizes = v;
  return CMB_OK;
}
