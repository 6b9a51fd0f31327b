/*
 * A user's program in C: the version, a model file, a run. Prints where the run arrived.
 */
#include <camber/camber.h>
#include <stdio.h>

static cmb_status simulate(cmb_context *ctx, const char *path)
{
  cmb_model *model = NULL;
  cmb_system *system = NULL;
  cmb_simulation *sim = NULL;
  cmb_run_options options = cmb_run_defaults();
  cmb_status status = cmb_model_read(ctx, path, NULL, &model);
  if (status == CMB_OK) status = cmb_model_system(ctx, model, NULL, &system);
  options.t_end = 0.1;
  if (status == CMB_OK) status = cmb_simulation_create(ctx, system, &options, &sim);
  if (status == CMB_OK) status = cmb_simulation_run(sim);
  if (status == CMB_OK) {
    const cmb_result *r = cmb_simulation_result(sim);
    printf("%s %.17g %.17g\n", cmb_version(), r->t, r->q[0]);
  }
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  return status;
}

int main(int argc, char **argv)
{
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", CAMBER_VERSION_MAJOR, CAMBER_VERSION_MINOR,
           CAMBER_VERSION_PATCH);
  if (cmb_version_number() != CAMBER_VERSION_NUMBER || argc < 2) return 3;
  for (int i = 0; text[i] || cmb_version()[i]; i++) {
    if (text[i] != cmb_version()[i]) return 3;
  }
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_status status = simulate(ctx, argv[1]);
  if (status != CMB_OK) fprintf(stderr, "%s\n", cmb_last_error(ctx));
  cmb_context_destroy(ctx);
  return status == CMB_OK ? 0 : 1;
}
