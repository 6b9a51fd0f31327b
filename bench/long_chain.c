/*
 * A chain of bodies set up, started and stepped: long_chain [explicit|residual|cartesian [BODIES]]
 *
 * Bars on hinges, the first at 0.3 rad, interpreted, 100 steps of fixed length with mdop5. Prints one row of the table that
 * bench/long_chain.sh makes: bodies, formulation, seconds of processor time for set-up, start and steps, the peak of
 * memory in MB, beyond what the process has at its start, and time in ms and memory in kB a body.
 */
#include <camber/sim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const char text[] = "parameters: {N: 1}\n"
                           "templates:\n"
                           "  link:\n"
                           "    points: {A: [0, 0, 0], B: [0, 0, -0.05]}\n"
                           "    bodies: {bar: {mass: 1, com: B, inertia: [0.001, 0.001, 0.0001]}}\n"
                           "    joints: {hinge: {type: revolute, parent: previous.bar, child: bar, "
                           "at: A, axis: y, start: 'if(index < 2, 0.3, 0)'}}\n"
                           "instances: {link: {template: link, repeat: N, step: [0, 0, -0.1]}}\n";

static const double STEP = 1e-5;
enum { STEPS = 100 };

static double seconds(void)
{
  return (double)clock() / CLOCKS_PER_SEC;
}

static void check(cmb_context *ctx, cmb_status status)
{
  if (status == CMB_OK) return;
  fprintf(stderr, "long_chain: %s\n", cmb_last_error(ctx));
  exit(1);
}

static cmb_run_options fixed_steps(void)
{
  static const cmb_option_setting fixed = {"steps", "fixed"};
  cmb_run_options run = cmb_run_defaults();
  run.method = cmb_method_find("mdop5");
  run.integrator.step = STEP;
  run.integrator.setting_count = 1;
  run.integrator.settings = &fixed;
  run.t_end = STEPS * STEP;
  return run;
}

int main(int argc, char **argv)
{
  static const char *const name = "N";
  cmb_model_system_options options = {.evaluation = CMB_EVALUATE_INTERPRETER};
  const char *formulation = argc > 1 ? argv[1] : "explicit";
  const double bodies = argc > 2 ? atof(argv[2]) : 1000;
  if (!(bodies >= 1) || !cmb_formulation_find(formulation, &options.formulation)) {
    fprintf(stderr, "usage: long_chain [explicit|residual|cartesian [BODIES]]\n");
    return 2;
  }
  const cmb_model_options given = {.set_count = 1, .set_names = &name, .set_values = &bodies};
  const cmb_run_options run = fixed_steps();
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_system *system;
  cmb_simulation *sim;
  struct rusage before, usage;
  getrusage(RUSAGE_SELF, &before);
  double at[4] = {seconds()};
  check(ctx, cmb_model_parse(ctx, text, strlen(text), "chain.yaml", &given, &model));
  check(ctx, cmb_model_system(ctx, model, &options, &system));
  check(ctx, cmb_simulation_create(ctx, system, &run, &sim));
  at[1] = seconds();
  check(ctx, cmb_simulation_start(sim));
  at[2] = seconds();
  check(ctx, cmb_simulation_run(sim)); /* starts once more */
  at[3] = seconds() - (at[2] - at[1]);
  getrusage(RUSAGE_SELF, &usage);
  const double kilobytes = (double)(usage.ru_maxrss - before.ru_maxrss);
  printf("%6.0f  %-10s %9.3f %9.3f %9.3f %9.1f %10.3f %9.1f\n", bodies, formulation, at[1] - at[0],
         at[2] - at[1], at[3] - at[2], kilobytes / 1024, 1000 * (at[3] - at[0]) / bodies,
         kilobytes / bodies);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
  return 0;
}
