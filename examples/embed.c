/*
 * A run that a program drives: a cart on a spring, held in place by a controller that the program is. A hundred times a second it reads
 * the position, decides on a force and sets it as an input of the model. At one second the state is saved; another run goes on
 * from there and comes to the same end, bit for bit.
 *
 *     cc embed.c $(pkg-config --cflags --libs camber) && ./a.out
 */
#include <camber/camber.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "parameters: {k: 40, c: 0.5}\n"
                           "inputs: {force: 0}\n"
                           "bodies: {cart: {mass: 2, box: [0.4, 0.2, 0.1], at: [0, 0, 0]}}\n"
                           "joints: {x: {type: prismatic, child: cart, axis: x, start: 0.3}}\n"
                           "forces:\n"
                           "  drive:\n"
                           "    type: load\n"
                           "    on: {body: cart, at: [0, 0, 0]}\n"
                           "    force: [\"force - k*x - c*x'\", 0, 0]\n";

static const double T_END = 2, T_SAVED = 1;

/* The state of one controller. */
struct controller {
  double integral, before;
};

/* Returns the force of a PID controller that moves the cart to x = 0.1 m; `period` is the time since the last call, in s. */
static double decide(struct controller *c, double x, double period)
{
  const double error = 0.1 - x, rate = (error - c->before) / period;
  c->integral += error * period;
  c->before = error;
  return 120 * error + 200 * c->integral + 20 * rate;
}

/* Advances the simulation from control period `first` to the end, setting the controller's force at the start of each period. At T_SAVED
 * saves the state of the simulation to the file `path` and that of the controller to *saved, unless `path` is NULL. */
static cmb_status drive(cmb_simulation *sim, struct controller *c, struct controller *saved,
                        int first, const char *path)
{
  const cmb_result *r = cmb_simulation_result(sim);
  const double period = 0.01;
  for (int k = first; k * period < T_END - period / 2; k++) {
    if (path && k * period >= T_SAVED) {
      CMB_TRY(cmb_simulation_save(sim, path));
      *saved = *c;
      path = NULL;
    }
    CMB_TRY(cmb_simulation_advance(sim, k * period)); /* the first time: the start */
    const cmb_setting force = {"force", decide(c, r->q[0], period)};
    CMB_TRY(cmb_simulation_set(sim, 1, &force));
  }
  return cmb_simulation_advance(sim, T_END);
}

/* Runs the system twice and compares the results: the second run resumes from the state that the first one saved at T_SAVED. */
static cmb_status run_twice(cmb_context *ctx, const cmb_system *system)
{
  cmb_simulation *first = NULL, *second = NULL;
  cmb_run_options options = cmb_run_defaults();
  struct controller c = {0, 0.1}, saved = c;
  options.t_end = T_END;
  cmb_status status = cmb_simulation_create(ctx, system, &options, &first);
  if (status == CMB_OK) status = cmb_simulation_create(ctx, system, &options, &second);
  if (status == CMB_OK) status = drive(first, &c, &saved, 0, "cart.state");
  if (status == CMB_OK) status = cmb_simulation_resume(second, "cart.state");
  if (status == CMB_OK) status = drive(second, &saved, NULL, 100, NULL);
  if (status == CMB_OK) {
    const cmb_result *a = cmb_simulation_result(first), *b = cmb_simulation_result(second);
    printf("x = %.17g m at t = %g s\nx = %.17g m in the run that was resumed: %s\n", a->q[0], a->t,
           b->q[0], a->q[0] == b->q[0] && a->v[0] == b->v[0] ? "the same" : "another");
  }
  cmb_simulation_destroy(second);
  cmb_simulation_destroy(first);
  return status;
}

int main(void)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = NULL;
  cmb_system *system = NULL;
  const cmb_model_system_options options = {.live_inputs = true};
  cmb_status status = cmb_model_parse(ctx, text, strlen(text), "cart.yaml", NULL, &model);
  if (status == CMB_OK) status = cmb_model_system(ctx, model, &options, &system);
  if (status == CMB_OK) status = run_twice(ctx, system);
  if (status != CMB_OK) fprintf(stderr, "%s\n", cmb_last_error(ctx));
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
  return status == CMB_OK ? 0 : 1;
}
