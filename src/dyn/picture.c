/*
 * Computes a digest of what a picture of the model shows (cmb_picture_digest of camber/dyn.h): bodies, joints, points,
 * shapes and surfaces. How the joints move the bodies enters by the poses of all bodies at one arbitrary position, and
 * each surface by its values at 64 points.
 */
#include "base/arena.h"
#include "base/context.h"
#include "base/sha256.h"

#include <camber/dyn.h>
#include <math.h>

static void add_numbers(cmb_sha256 *s, int count, const double *x)
{
  cmb_sha256_add(s, x, (size_t)count * sizeof *x);
}

static void add_points(cmb_sha256 *s, cmb_arena *arena, const cmb_model *m, cmb_item_kind kind,
                       int i)
{
  const int count = cmb_model_points(m, kind, i, 0, NULL);
  cmb_body_point *points = cmb_arena_take(arena, (size_t)count + 1, sizeof *points);
  if (!points) return; /* the arena keeps the failure; the caller checks it */
  cmb_sha256_add(s, &count, sizeof count);
  cmb_model_points(m, kind, i, count, points);
  for (int k = 0; k < count; k++) {
    cmb_sha256_add(s, &points[k].body, sizeof points[k].body);
    add_numbers(s, 3, points[k].at);
  }
}

/* Adds all items of one kind (such as markers or loops) to the SHA-256 digest s, each by its name, type and points. */
static void add_items(cmb_sha256 *s, cmb_arena *arena, const cmb_model *m, cmb_item_kind kind)
{
  cmb_item item;
  for (int i = 0; cmb_model_item(m, kind, i, &item); i++) {
    cmb_sha256_add_text(s, item.name);
    cmb_sha256_add_text(s, item.type);
    add_points(s, arena, m, kind, i);
  }
}

/* Adds all bodies and joints of the model to the SHA-256 digest s. Returns the number of joint coordinates of the model. */
static int add_tree(cmb_sha256 *s, cmb_arena *arena, const cmb_model *m)
{
  cmb_body body;
  cmb_joint joint;
  int nq = 0;
  for (int i = 0; cmb_body_of(m, i, &body); i++) {
    cmb_sha256_add_text(s, body.name);
    add_numbers(s, 3, body.com);
    if (cmb_model_points(m, CMB_ITEM_BODY, i, 0, NULL) > 0)
      add_points(s, arena, m, CMB_ITEM_BODY, i);
  }
  for (int i = 0; cmb_joint_of(m, i, &joint); i++) {
    const int bodies[] = {joint.parent, joint.child};
    cmb_sha256_add_text(s, joint.name);
    cmb_sha256_add_text(s, joint.type);
    cmb_sha256_add(s, bodies, sizeof bodies);
    add_numbers(s, 3, joint.at);
    add_numbers(s, 9, joint.axes);
    nq += joint.nq;
  }
  return nq;
}

static void add_drawn(cmb_sha256 *s, const cmb_model *m)
{
  cmb_force_view force;
  cmb_shape shape;
  for (int i = 0; cmb_force_of(m, i, &force); i++) {
    const int kinds[] = {force.elastic, force.damped};
    add_numbers(s, 1, &force.radius);
    add_numbers(s, 3, force.axis);
    cmb_sha256_add(s, kinds, sizeof kinds);
  }
  for (int i = 0; cmb_shape_of(m, i, &shape); i++) {
    cmb_sha256_add_text(s, shape.colour);
    add_numbers(s, 3, shape.size);
    add_numbers(s, 9, shape.axes);
  }
}

static cmb_status add_poses(cmb_context *ctx, cmb_sha256 *s, cmb_arena *arena, const cmb_model *m,
                            int nq)
{
  const int bodies = cmb_model_count(m, CMB_ITEM_BODY);
  cmb_poses *poses;
  double *q = cmb_arena_doubles(arena, nq);
  cmb_pose_of_body *at = cmb_arena_take(arena, (size_t)bodies + 1, sizeof *at);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  for (int i = 0; i < nq; i++) q[i] = 0.4 * sin(i + 1.0);
  CMB_TRY(cmb_poses_create(ctx, m, CMB_FORM_EXPLICIT, &poses));
  const cmb_status status = cmb_poses_at(poses, nq, q, 0, NULL, at);
  for (int i = 0; status == CMB_OK && i < bodies; i++) {
    add_numbers(s, 3, at[i].place);
    add_numbers(s, 9, at[i].turn);
  }
  cmb_poses_destroy(poses);
  return status;
}

static cmb_status add_ground(cmb_context *ctx, cmb_sha256 *s, const cmb_model *m)
{
  enum { PLACES = 64 };
  cmb_ground *ground;
  cmb_surface surface;
  CMB_TRY(cmb_ground_create(ctx, m, &ground));
  for (int i = 0; cmb_ground_surface(ground, i, &surface); i++) {
    cmb_sha256_add_text(s, surface.name);
    for (int k = 0; k < PLACES; k++) {
      const double x[3] = {30 * sin(3.0 * k), 10 * cos(5.0 * k), sin(7.0 * k)};
      const double value = cmb_ground_at(ground, i, 0.1 * k, x);
      add_numbers(s, 1, &value);
    }
  }
  cmb_ground_destroy(ground);
  return CMB_OK;
}

static cmb_status add_all(cmb_context *ctx, cmb_sha256 *s, cmb_arena *arena, const cmb_model *model)
{
  static const cmb_item_kind kinds[] = {CMB_ITEM_MARKER, CMB_ITEM_LOOP, CMB_ITEM_STOP,
                                        CMB_ITEM_FORCE, CMB_ITEM_SHAPE};
  const int nq = add_tree(s, arena, model);
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) add_items(s, arena, model, kinds[k]);
  add_drawn(s, model);
  CMB_TRY(add_poses(ctx, s, arena, model, nq));
  return add_ground(ctx, s, model);
}

cmb_status cmb_picture_digest(cmb_context *ctx, const cmb_model *model,
                              char text[CMB_PICTURE_DIGEST_ROOM])
{
  uint8_t digest[CMB_DIGEST_SIZE];
  cmb_sha256 s = cmb_sha256_begin();
  CMB_REQUIRE(ctx, ctx && model && text, "cmb_picture_digest needs a context, a model and room");
  cmb_arena *arena = cmb_arena_create(ctx);
  const cmb_status status = arena ? add_all(ctx, &s, arena, model) : cmb_fail_memory(ctx);
  cmb_arena_destroy(arena);
  cmb_sha256_end(&s, digest);
  cmb_digest_print(digest, text);
  return status;
}
