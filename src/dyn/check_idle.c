/*
 * Reports joint motions that move no mass, which would make the mass matrix singular (idle.c finds them). The error messages name the body
 * and, unless nothing that moves with it has mass, the axis and the joint. Called while a mechanism is built.
 */
#include "base/context.h"
#include "dyn/build.h"

#include <stdio.h>

/* Returns whether the body is one of the two bodies of a loop constraint that can carry the end of a chain like a joint: a joint of any type,
 * or a point on a line, which guides the ends of plane mechanisms. */
static bool has_loop_end(const cmb_model *m, int body)
{
  for (int i = 0; i < m->loop_count; i++) {
    const cmb_model_loop *l = &m->loops[i];
    const bool joint = l->type < CMB_JOINT_TYPES || l->type == CMB_LOOP_POINT_LINE;
    if (joint && (l->a.body == body || l->b.body == body)) return true;
  }
  return false;
}

static cmb_status fail_idle(cmb_build *b, const cmb_idle *idle)
{
  const cmb_model_joint *j = &b->model->joints[idle->joint];
  const cmb_model_body *body = &b->model->bodies[j->child];
  const cmb_about about = cmb_about_part(&body->place, "body", body->name);
  char axis[100];
  snprintf(axis, sizeof axis, "the axis [%.4g, %.4g, %.4g]", idle->axis[0], idle->axis[1],
           idle->axis[2]);
  if (idle->count > 1) snprintf(axis, sizeof axis, "more than one axis");
  if (idle->bare) {
    return cmb_build_fail(b, about, "body '%s' moves, but nothing that moves with it has mass%s",
                          body->name,
                          has_loop_end(b->model, j->child)
                              ? ": a massless bar between joints is a loop of the type distance "
                                "between its ends, or a body whose loop is closed at another "
                                "joint, behind a body with mass"
                              : "");
  }
  if (idle->turn) {
    return cmb_build_fail(
        b, about,
        "body '%s' has no moment of inertia about %s, and joint '%s' lets it turn that way: give "
        "the body a radius or an inertia, or a joint without that turn",
        body->name, axis, j->name);
  }
  return cmb_build_fail(b, about,
                        "body '%s' moves along %s by joint '%s', but nothing that moves with it "
                        "that way has mass",
                        body->name, axis, j->name);
}

cmb_status cmb_build_check_idle(cmb_build *b, const cmb_tree *joints)
{
  cmb_idle idle;
  cmb_arena *scratch = cmb_arena_create(b->ctx);
  if (!scratch) return CMB_ERROR_MEMORY;
  cmb_status status = cmb_tree_idle(scratch, joints, &idle);
  cmb_arena_destroy(scratch);
  return status == CMB_OK && idle.joint >= 0 ? fail_idle(b, &idle) : status;
}
