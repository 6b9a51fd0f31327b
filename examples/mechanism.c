/*
 * A model made by calls, in place of a file: a four-bar linkage that a motor turns. The program lists what the model has, runs it for
 * 0.3 s, and says where the bodies are then.
 *
 *     cc mechanism.c $(pkg-config --cflags --libs camber) && ./a.out
 */
#include <camber/camber.h>
#include <stdio.h>

/* Builds the four-bar linkage by function calls. Their statuses need not be checked: cmb_draft_model returns the first failure. */
static cmb_status describe(cmb_context *ctx, cmb_model **model)
{
  cmb_draft *d;
  CMB_TRY(cmb_draft_create(ctx, "four-bar", &d));
  cmb_draft_parameter(d, "speed", 6.283185307179586);
  cmb_draft_point(d, "A", 0, 0, 0);
  cmb_draft_point(d, "B", 0, 0, 0.2);
  cmb_draft_point(d, "C", 0.7, 0, 0.6);
  cmb_draft_point(d, "D", 0.8, 0, 0);
  cmb_draft_rod(d, "crank", 1, "A", "B");
  cmb_draft_rod(d, "coupler", 3, "B", "C");
  cmb_draft_rod(d, "rocker", 2, "C", "D");
  cmb_draft_joint(d, "a", "revolute", "ground", "crank", "A", "y");
  cmb_draft_joint(d, "b", "revolute", "crank", "coupler", "B", "y");
  cmb_draft_joint(d, "d", "revolute", "ground", "rocker", "D", "y");
  cmb_draft_loop(d, "c", "revolute", "coupler@C", "rocker@C", "y");
  cmb_draft_text(d, "motions/motor/coordinate", "a");
  cmb_draft_text(d, "motions/motor/value", "speed*t");
  cmb_draft_output(d, "torque", "motor.force", "N m");
  cmb_status status = cmb_draft_model(d, NULL, model);
  cmb_draft_destroy(d);
  return status;
}

static void list(const cmb_model *model)
{
  for (int kind = 0; kind < CMB_ITEM_KINDS; kind++) {
    cmb_item item;
    for (int i = 0; cmb_model_item(model, (cmb_item_kind)kind, i, &item); i++)
      printf("%-9s %-8s %-9s %s %s\n", item.kind, item.name, item.type, item.text, item.unit);
  }
}

static cmb_status show_bodies(cmb_context *ctx, const cmb_model *model, const cmb_result *r, int nq)
{
  cmb_pose_of_body pose[3]; /* one a body */
  cmb_poses *poses;
  cmb_body body;
  CMB_TRY(cmb_poses_create(ctx, model, CMB_FORM_EXPLICIT, &poses));
  cmb_status status = cmb_poses_at(poses, nq, r->q, 0, NULL, pose);
  for (int i = 0; status == CMB_OK && cmb_body_of(model, i, &body); i++)
    printf("%-9s at (%.6f, %.6f)\n", body.name, pose[i].place[0], pose[i].place[2]);
  cmb_poses_destroy(poses);
  return status;
}

static cmb_status run(cmb_context *ctx, const cmb_model *model, const cmb_system *system)
{
  cmb_run_options options = cmb_run_defaults();
  cmb_simulation *sim;
  options.t_end = 0.3;
  CMB_TRY(cmb_simulation_create(ctx, system, &options, &sim));
  cmb_status status = cmb_simulation_run(sim);
  const cmb_result *r = cmb_simulation_result(sim);
  if (status == CMB_OK) {
    printf("torque %.6f N m at t = %g s\n", r->outputs[0], r->t);
    status = show_bodies(ctx, model, r, cmb_system_equations(system)->nq);
  }
  cmb_simulation_destroy(sim);
  return status;
}

int main(void)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = NULL;
  cmb_system *system = NULL;
  cmb_status status = describe(ctx, &model);
  if (status == CMB_OK) {
    list(model);
    status = cmb_model_system(ctx, model, NULL, &system);
  }
  if (status == CMB_OK) status = run(ctx, model, system);
  if (status != CMB_OK) fprintf(stderr, "%s\n", cmb_last_error(ctx));
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
  return status == CMB_OK ? 0 : 1;
}
