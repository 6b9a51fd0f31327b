/*
 * Camber's methods in the race: the public interface, options but `control` as they are by default, no observers. A run
 * includes the consistent start and the watch over the constraints that every run of Camber keeps.
 */
#include "support/codes.h"

#include <string.h>

void *bench_camber_create(const bench_code *code, bench_caraxis *problem, double tolerance)
{
  const cmb_option_setting setting = {"control", code->control};
  cmb_run_options options = cmb_run_defaults();
  cmb_simulation *sim;
  options.method = cmb_method_find(code->method);
  if (!options.method) return NULL;
  options.integrator.settings = &setting;
  options.integrator.setting_count = code->control ? 1 : 0;
  options.integrator.rtol = options.integrator.atol = tolerance;
  return cmb_simulation_create(problem->ctx, problem->system, &options, &sim) == CMB_OK ? sim
                                                                                        : NULL;
}

int bench_camber_run(void *run)
{
  return cmb_simulation_run(run);
}

void bench_camber_collect(void *run, bench_outcome *o)
{
  const cmb_result *r = cmb_simulation_result(run);
  memcpy(o->q, r->q, sizeof o->q);
  memcpy(o->v, r->v, sizeof o->v);
  memcpy(o->lambda, r->lambda, sizeof o->lambda);
  o->steps = r->statistics->accepted;
  o->rejected = r->statistics->rejected;
  o->f = r->statistics->f;
}

void bench_camber_destroy(void *run)
{
  cmb_simulation_destroy(run);
}
