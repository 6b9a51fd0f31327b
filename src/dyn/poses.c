/*
 * Computes positions and orientations of a model's bodies (cmb_poses_* of camber/dyn.h) by one program of the coordinates and live parameters.
 * With x = r + R ξ the position of a point ξ of a link, and ξ_u the direction u of the design position in the link's axes:
 *
 *     place = r + R ξ_com,    turn = (R ξ_x, R ξ_y, R ξ_z)  by columns
 */
#include "base/context.h"
#include "dyn/kinematics.h"
#include "expr/graph.h"

#include <camber/dyn.h>
#include <math.h>
#include <string.h>

/* numbers for each body: the position of its centre of mass and a rotation matrix */
enum { A_BODY = 12 };

struct cmb_poses {
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_program *program; /* computes all poses from q and p */
  /* if set, more coordinates than nq may be passed: those of joints, which follow the bodies' and are ignored */
  bool cartesian;
  int bodies, nq, np;
  double *in, *out, *work;
  const double *p; /* (np) the live parameters when the model was read */
};

static void put_body(cmb_kinematics *k, int body, cmb_expr out[A_BODY])
{
  const cmb_tree *tree = k->tree;
  const int link = tree->body_link[body];
  const cmb_pose *pose = cmb_pose_of(k, link, CMB_GROUND);
  cmb_number x[3];
  if (!pose) return; /* the arena keeps the failure; make_program checks it */
  cmb_tree_point(tree, link, tree->model->bodies[body].com, x);
  const cmb_vector place = cmb_point_position(k, pose, cmb_pose_arm(k, pose, x));
  memcpy(out, place.x, sizeof place.x);
  for (int i = 0; i < 3; i++) {
    const cmb_number u[3] = {cmb_fixed(i == 0), cmb_fixed(i == 1), cmb_fixed(i == 2)};
    cmb_tree_direction(tree, link, u, x);
    /* a direction is only rotated, without the link's position */
    const cmb_vector now = cmb_pose_arm(k, pose, x);
    for (int row = 0; row < 3; row++) out[3 + 3 * row + i] = now.x[row];
  }
}

static cmb_status make_program(cmb_poses *p, cmb_kinematics *k, const cmb_model *model)
{
  const size_t inputs = (size_t)p->nq + (size_t)p->np, outputs = A_BODY * (size_t)p->bodies;
  cmb_expr *in = cmb_arena_take(k->arena, inputs + 1, sizeof *in);
  cmb_expr *out = cmb_arena_take(k->arena, outputs + 1, sizeof *out);
  if (!in || !out) return cmb_fail_memory(p->ctx);
  memcpy(in, k->q, (size_t)p->nq * sizeof *in);
  int n = p->nq;
  for (int i = 0; i < model->parameter_count; i++) {
    if (model->parameters[i].live) in[n++] = model->parameters[i].number.live;
  }
  for (int i = 0; i < p->bodies; i++) put_body(k, i, out + A_BODY * (size_t)i);
  if (cmb_arena_failed(k->arena)) return cmb_fail_memory(p->ctx);
  CMB_TRY(cmb_graph_status(k->g));
  return cmb_program_create(p->ctx, k->g, (int)inputs, in, (int)outputs, out, &p->program);
}

static cmb_status take_memory(cmb_poses *p, const cmb_model *model)
{
  double *values = cmb_arena_doubles(p->arena, p->np);
  p->in = cmb_arena_doubles(p->arena, p->nq + p->np);
  p->out = cmb_arena_doubles(p->arena, A_BODY * p->bodies);
  p->work = cmb_arena_doubles(p->arena, cmb_program_work(p->program));
  if (cmb_arena_failed(p->arena)) return cmb_fail_memory(p->ctx);
  int n = 0;
  for (int i = 0; i < model->parameter_count; i++) {
    if (model->parameters[i].live) values[n++] = model->parameters[i].number.value;
  }
  p->p = values;
  return CMB_OK;
}

static cmb_status make_in(cmb_poses *p, const cmb_model *model, cmb_arena *scratch, cmb_graph *g)
{
  cmb_tree *tree;
  cmb_kinematics *k;
  CMB_TRY(p->cartesian ? cmb_tree_create_cartesian(scratch, g, model, &tree)
                       : cmb_tree_create(scratch, g, model, &tree));
  CMB_TRY(cmb_kinematics_create(scratch, g, tree, &k));
  p->bodies = model->body_count;
  p->nq = tree->nq;
  for (int i = 0; i < model->parameter_count; i++) p->np += model->parameters[i].live ? 1 : 0;
  CMB_TRY(make_program(p, k, model));
  return take_memory(p, model);
}

/* Compiles the program that computes the positions and orientations of all bodies. Frees the expression graph and the tree of links, which are
 * only needed for this. */
static cmb_status make(cmb_poses *p, const cmb_model *model)
{
  cmb_graph *g;
  cmb_arena *scratch = cmb_arena_create(p->ctx);
  cmb_status status = scratch ? cmb_graph_copy(p->ctx, model->graph, &g) : CMB_ERROR_MEMORY;
  if (status == CMB_OK) {
    status = make_in(p, model, scratch, g);
    cmb_graph_destroy(g);
  }
  cmb_arena_destroy(scratch);
  return status == CMB_ERROR_MEMORY ? cmb_fail_memory(p->ctx) : status;
}

cmb_status cmb_poses_create(cmb_context *ctx, const cmb_model *model, cmb_formulation formulation,
                            cmb_poses **poses)
{
  CMB_REQUIRE(ctx, ctx && poses, "cmb_poses_create needs a context and a place for the poses");
  *poses = NULL;
  CMB_REQUIRE(ctx, model, "cmb_poses_create needs a model");
  CMB_REQUIRE(ctx, formulation >= CMB_FORM_EXPLICIT && formulation <= CMB_FORM_CARTESIAN,
              "there is no such formulation");
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_poses *p = arena ? cmb_arena_take(arena, 1, sizeof *p) : NULL;
  if (!p) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *p = (cmb_poses){.ctx = ctx, .arena = arena, .cartesian = formulation == CMB_FORM_CARTESIAN};
  const cmb_status status = make(p, model);
  if (status == CMB_OK)
    *poses = p;
  else
    cmb_poses_destroy(p);
  return status;
}

void cmb_poses_destroy(cmb_poses *p)
{
  if (!p) return;
  cmb_program_destroy(p->program);
  cmb_arena_destroy(p->arena);
}

cmb_status cmb_poses_at(cmb_poses *p, int nq, const double *q, int np, const double *values,
                        cmb_pose_of_body *pose)
{
  if (!p) return CMB_ERROR_ARGUMENT;
  CMB_REQUIRE(p->ctx, pose || p->bodies == 0, "cmb_poses_at needs a place for the poses");
  CMB_REQUIRE(p->ctx, (q || p->nq == 0) && (nq == p->nq || (p->cartesian && nq > p->nq)),
              "cmb_poses_at needs the coordinates of the model in its formulation");
  CMB_REQUIRE(p->ctx, !values || np >= p->np, "values of live parameters are missing");
  if (p->nq > 0) memcpy(p->in, q, (size_t)p->nq * sizeof *q);
  memcpy(p->in + p->nq, values ? values : p->p, (size_t)p->np * sizeof *q);
  cmb_program_run(p->program, p->in, p->out, p->work);
  for (int i = 0; i < p->bodies; i++) {
    const double *from = p->out + A_BODY * (ptrdiff_t)i;
    for (int n = 0; n < A_BODY; n++) {
      if (isfinite(from[n])) continue;
      return cmb_fail(p->ctx, CMB_ERROR_NONFINITE,
                      "the pose of body number %d (counted from 0) is not finite", i);
    }
    memcpy(pose[i].place, from, sizeof pose[i].place);
    memcpy(pose[i].turn, from + 3, sizeof pose[i].turn);
  }
  return CMB_OK;
}
