/*
 * Computes the size of a mechanism, and how far a change of the coordinates displaces it, for the page of a model (view_model.h): from the
 * points of the model's elements that are fixed to bodies.
 */
#include "cli/view_model.h"

#include <math.h>
#include <stdlib.h>

/* A callback for a point: the body to which it is fixed, and its position when the bodies are in the design position. */
typedef void visit(void *user, const cmb_body_point *point);

/* Calls each(user, point) for the points, fixed to bodies, of all elements of a kind in the model (e.g. all markers). Returns false if out
 * of memory. */
static bool visit_items(const cmb_model *m, cmb_item_kind kind, visit *each, void *user)
{
  for (int i = 0; i < cmb_model_count(m, kind); i++) {
    const int count = cmb_model_points(m, kind, i, 0, NULL);
    cmb_body_point *points = calloc((size_t)count + 1, sizeof *points);
    if (!points) return false;
    cmb_model_points(m, kind, i, count, points);
    for (int k = 0; k < count; k++) each(user, &points[k]);
    free(points);
  }
  return true;
}

/* Calls each(user, point) for the points, fixed to bodies, by which the size of a model is measured: joints except those of free bodies,
 * centres of mass, and the points of bodies, markers, loops, forces, stops and shapes. Returns false if memory runs out. */
static bool visit_points(const cmb_model *m, visit *each, void *user)
{
  static const cmb_item_kind kinds[] = {CMB_ITEM_BODY,  CMB_ITEM_MARKER, CMB_ITEM_LOOP,
                                        CMB_ITEM_FORCE, CMB_ITEM_STOP,   CMB_ITEM_SHAPE};
  cmb_joint joint;
  cmb_body body;
  for (int i = 0; cmb_joint_of(m, i, &joint); i++) {
    if (joint.nv == CMB_JOINT_MOST_V) continue; /* a free body has no visible joint */
    const cmb_body_point child = {joint.child, {joint.at[0], joint.at[1], joint.at[2]}};
    each(user, &child);
  }
  for (int i = 0; cmb_body_of(m, i, &body); i++) {
    const cmb_body_point com = {i, {body.com[0], body.com[1], body.com[2]}};
    each(user, &com);
  }
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (!visit_items(m, kinds[k], each, user)) return false;
  }
  return true;
}

/* Poses of all bodies at one or two positions of the mechanism, and the results computed from them. */
struct extent {
  const cmb_model *model;
  cmb_pose_of_body *now, *then; /* (bodies) */
  double low[3], high[3];       /* corners of the bounding box of the points */
  double distance;              /* largest displacement of a point */
};

/* Computes the position x[3] of a point that is fixed to a body from the poses of all bodies, poses[bodies]. A point on the ground stays
 * where it is. */
static void place_of(const struct extent *l, const cmb_pose_of_body *poses, const cmb_body_point *p,
                     double x[3])
{
  cmb_body body;
  for (int i = 0; i < 3; i++) x[i] = p->at[i];
  if (!cmb_body_of(l->model, p->body, &body)) return;
  const cmb_pose_of_body *pose = &poses[p->body];
  for (int i = 0; i < 3; i++) {
    x[i] = pose->place[i];
    for (int k = 0; k < 3; k++) x[i] += pose->turn[3 * i + k] * (p->at[k] - body.com[k]);
  }
}

/* Extends the bounding box of a struct extent (`user`) to a point that is fixed to a body, at the poses `now` of the bodies. A callback of
 * visit_points. */
static void enclose(void *user, const cmb_body_point *p)
{
  struct extent *l = user;
  double x[3];
  place_of(l, l->now, p, x);
  for (int i = 0; i < 3; i++) {
    l->low[i] = fmin(l->low[i], x[i]);
    l->high[i] = fmax(l->high[i], x[i]);
  }
}

/* Compares a point, fixed to a body, at the poses `now` and `then` of the bodies in a struct extent (`user`), and updates the largest
 * displacement there, l->distance. A callback of visit_points. */
static void compare(void *user, const cmb_body_point *p)
{
  struct extent *l = user;
  double x[3], y[3], square = 0;
  place_of(l, l->now, p, x);
  place_of(l, l->then, p, y);
  for (int i = 0; i < 3; i++) square += (x[i] - y[i]) * (x[i] - y[i]);
  l->distance = fmax(l->distance, sqrt(square));
}

/* Initialises *l with an empty bounding box and the poses of all bodies at the positions q[nq], l->now, and allocates memory for a second set
 * of poses, l->then. The caller frees l->now (both), also after a failure. */
static cmb_status open_extent(const struct cli_view_place *p, const double *q, struct extent *l)
{
  *l = (struct extent){.model = p->a->model,
                       .low = {INFINITY, INFINITY, INFINITY},
                       .high = {-INFINITY, -INFINITY, -INFINITY}};
  l->now = calloc(2 * (size_t)p->bodies + 1, sizeof *l->now);
  if (!l->now) return CMB_ERROR_MEMORY;
  l->then = l->now + p->bodies;
  return cmb_poses_at(p->poses, p->eq.nq, q, 0, NULL, l->now);
}

cmb_status cli_view_size(struct cli_view_place *p, double *size)
{
  struct extent l;
  double square = 0;
  cmb_status status = open_extent(p, p->q, &l);
  if (status == CMB_OK && !visit_points(l.model, enclose, &l)) status = CMB_ERROR_MEMORY;
  for (int i = 0; i < 3; i++) square += (l.high[i] - l.low[i]) * (l.high[i] - l.low[i]);
  *size = isfinite(square) && square > 0 ? sqrt(square) : 1; /* the extent of a single point is 0 */
  free(l.now);
  return status;
}

/* Returns the largest angle, in rad, by which one of `bodies` bodies rotates between the poses l->now and l->then, as ‖R₁ − R₀‖/√2 with the
 * rotation matrices R₀ and R₁ (Frobenius norm), which holds for small angles. */
static double largest_turn(const struct extent *l, int bodies)
{
  double most = 0;
  for (int b = 0; b < bodies; b++) {
    const double *R = l->now[b].turn, *S = l->then[b].turn;
    double square = 0;
    for (int i = 0; i < 9; i++) square += (R[i] - S[i]) * (R[i] - S[i]);
    most = fmax(most, sqrt(square / 2));
  }
  return most;
}

cmb_status cli_view_displaced(struct cli_view_place *p, const double *dq, double *distance,
                              double *turn)
{
  static const double SMALL = 1e-6; /* rounding and curvature leave six digits */
  struct extent l;
  double *q = calloc((size_t)p->eq.nq + 1, sizeof *q);
  cmb_status status = q ? open_extent(p, p->q, &l) : CMB_ERROR_MEMORY;
  if (!q) return status;
  for (int i = 0; i < p->eq.nq; i++) q[i] = p->q[i] + SMALL * dq[i];
  if (p->eq.normalize) p->eq.normalize(p->eq.self, q);
  if (status == CMB_OK) status = cmb_poses_at(p->poses, p->eq.nq, q, 0, NULL, l.then);
  if (status == CMB_OK && !visit_points(l.model, compare, &l)) status = CMB_ERROR_MEMORY;
  if (status == CMB_OK) {
    *distance = l.distance / SMALL;
    *turn = largest_turn(&l, p->bodies) / SMALL;
  }
  free(l.now);
  free(q);
  return status;
}
