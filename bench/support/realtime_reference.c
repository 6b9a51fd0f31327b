/*
 * What the quarter car does, far more precisely than steps of 1 ms show it: models/quarter-car.yaml run by mdop853.
 */
#include "support/realtime_code.h"

#include <camber/camber.h>
#include <math.h>

struct heave {
  int count;
  double *of;
};

static cmb_status record(void *user, const cmb_record *r)
{
  struct heave *heave = user;
  const long i = lround(r->t * BENCH_STEPS_PER_SECOND);
  if (i >= 1 && i <= heave->count) heave->of[i - 1] = r->q[0];
  return CMB_OK;
}

static cmb_status run(cmb_context *ctx, const cmb_system *system, struct heave *heave)
{
  cmb_simulation *sim;
  cmb_run_options o = cmb_run_defaults();
  o.method = cmb_method_find("mdop853");
  o.integrator.rtol = 1e-9;
  o.integrator.atol = CMB_ATOL_PER_RTOL * o.integrator.rtol;
  o.t_end = (double)heave->count / BENCH_STEPS_PER_SECOND;
  o.every = 1.0 / BENCH_STEPS_PER_SECOND;
  o.observer = (cmb_observer){.user = heave, .record = record};
  CMB_TRY(cmb_simulation_create(ctx, system, &o, &sim));
  const cmb_status status = cmb_simulation_run(sim);
  cmb_simulation_destroy(sim);
  return status;
}

bool bench_realtime_reference(int count, double *heave)
{
  static const cmb_model_system_options options = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                                   .derivatives = true};
  cmb_model *model = NULL;
  cmb_system *system = NULL;
  cmb_equilibrium_report report;
  cmb_context *ctx = cmb_context_create(NULL);
  if (!ctx) return false;
  cmb_status status = cmb_model_read(ctx, BENCH_MODELS "/quarter-car.yaml", NULL, &model);
  if (status == CMB_OK) status = cmb_model_system(ctx, model, &options, &system);
  if (status == CMB_OK) status = cmb_system_equilibrium(ctx, system, &report);
  if (status == CMB_OK) status = run(ctx, system, &(struct heave){count, heave});
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
  return status == CMB_OK;
}
