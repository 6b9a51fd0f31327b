/*
 * Sizes of coordinates (dae.h) from how far apart the points of a model are: joints, ends of loops, centres of mass and ends of rods, in the
 * design position. A mechanism of a tenth of a metre or more is of ordinary size, and lengths in it count in metres; in a smaller one
 * they count in ten times its extent. All points in one place say nothing.
 */
#include "dyn/build.h"

#include <math.h>

static const double SPAN = 10;        /* extents */
static const double ROUNDING = 1e-12; /* of coordinates of points, relative */

/* A box around points. */
struct box {
  double least[3], most[3];
  double away; /* the largest coordinate */
};

static void add_point(struct box *box, const cmb_number at[3])
{
  for (int k = 0; k < 3; k++) {
    box->away = fmax(box->away, fabs(at[k].value));
    box->least[k] = fmin(box->least[k], at[k].value);
    box->most[k] = fmax(box->most[k], at[k].value);
  }
}

/* The diagonal of the box around all points; 0 where it is what rounding makes of one place. */
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
