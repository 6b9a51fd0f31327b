/*
 * Creates the equations of motion (a system) and the options of a run from the parsed command line. Used by all commands that simulate or
 * linearise a model.
 */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/facts.h"

#include <math.h>
#include <string.h>

enum { MOST_NAMES = 64 }; /* of methods, in error messages */

/* Returns the name to show for velocity i: that of coordinate i if each velocity is the rate of a coordinate, otherwise that of the
 * velocity itself. For a first-order state, returns the name of the state. */
static const char *name_of(const cmb_equations *eq, int i)
{
  return cmb_velocities_pair(eq) && i < eq->nq ? eq->q_names[i] : eq->v_names[i];
}

/* Prints how many directions of motion of an equilibrium have no stiffness (are neutral), and the names of the coordinates that move most along
 * them, e.g. ": delta, x and 3 more". */
static void print_neutral(const cmb_equations *eq, const cmb_equilibrium_report *r)
{
  if (eq->nz > 0) {
    printf(", %d of %d directions not determined by it", r->neutral, r->freedoms);
  } else {
    printf(", no stiffness in %d of %d directions", r->neutral, r->freedoms);
  }
  for (int i = 0; i < r->neutral_named; i++) {
    printf("%s%s", i ? ", " : ": ", name_of(eq, r->neutral_most[i]));
  }
  if (r->neutral > r->neutral_named) printf(" and %d more", r->neutral - r->neutral_named);
}

/* Computes the static equilibrium near the start values of a system, and makes it the new start values. Unless `quiet` is set, prints its
 * stability and how far positions have moved. */
static cmb_status find_equilibrium(cmb_context *ctx, bool quiet, cmb_system *system)
{
  static const char *const words[] = {
      [CMB_STABLE] = "stable", [CMB_NEUTRAL] = "neutral", [CMB_UNSTABLE] = "unstable"};
  const cmb_equations *eq = cmb_system_equations(system);
  cmb_equilibrium_report r;
  CMB_TRY(cmb_system_equilibrium(ctx, system, &r));
  if (quiet) return CMB_OK;
  printf("%s: %s equilibrium at t = %g, %d iterations", eq->name, words[r.stability],
         cmb_system_t_start(system), r.iterations);
  if (r.neutral > 0) print_neutral(eq, &r);
  if (r.unstable > 0 && eq->nz > 0) printf(", unstable in %d eigenmodes", r.unstable);
  if (r.unstable > 0 && eq->nz == 0) {
    printf(", unstable in %d of %d directions", r.unstable, r.freedoms);
  }
  if (r.held > 0) printf(", friction holds %d more", r.held);
  char text[CLI_MOVED_ROOM];
  printf("; positions moved by %s, '%s' most\n",
         cli_moved_text(r.q_moved, eq->q_units, r.q_most, text), eq->q_names[r.q_most]);
  return CMB_OK;
}

/* Returns whether the options of the method (--option, also from the model file) set formalism=explicit, so that an implicit method evaluates
 * the accelerations for given values of the Lagrange multipliers. */
static bool needs_forced_accelerations(const struct cli_arguments *a)
{
  for (int i = 0; i < a->option_count; i++) {
    const cmb_option_setting *o = &a->option[i];
    if (strcmp(o->name, "formalism") == 0 && strcmp(o->value, "explicit") == 0) return true;
  }
  return false;
}

/* Returns the value of the input or live parameter `name` that was adjusted to reach a steady motion (--trim); NaN if there is none of that name. */
static double trimmed(const cmb_equations *eq, const char *name)
{
  const int k = cmb_find_name(name, eq->p_names, eq->np, sizeof *eq->p_names);
  return k >= 0 ? eq->p[k] : NAN;
}

void cli_trim_json(const struct cli_arguments *a, const cmb_equations *eq, struct cli_json *j)
{
  if (a->trim_count == 0 || a->vary) return;
  cli_json_open(j, "trim", '{');
  for (int i = 0; i < a->trim_count; i++) cli_json_number(j, a->trim[i], trimmed(eq, a->trim[i]));
  cli_json_close(j, '}');
}

/* Computes the steady motion that --steady, --free and --trim specify, near the start values of a system, and makes it the new start values.
 * Prints the result, except with --json or as a part of another command. */
static cmb_status find_steady_motion(cmb_context *ctx, const struct cli_arguments *a,
                                     cmb_system *system)
{
  const cmb_equations *eq = cmb_system_equations(system);
  const cmb_steady_options options = {a->steady_count, a->steady,     a->free_count,
                                      a->free,         a->trim_count, a->trim};
  cmb_steady_report r;
  CMB_TRY(cmb_system_steady(ctx, system, &options, &r));
  if (a->json || a->inner) return CMB_OK;
  printf("%s: steady motion, %d iterations", eq->name, r.iterations);
  if (fabs(r.turn) > 1e-9) {
    printf(", on a circle with %.6g rad/s", r.turn);
  } else {
    printf(", on a straight line");
  }
  if (r.open > 0) {
    printf("; %d of %d unknowns %s", r.open, r.unknowns,
           r.open == 1 ? "is not determined and keeps its start value"
                       : "are not determined and keep their start values");
  }
  for (int i = 0; i < a->trim_count; i++) printf("; %s %.9g", a->trim[i], trimmed(eq, a->trim[i]));
  printf("\n");
  return CMB_OK;
}

bool cli_steady_wanted(const struct cli_arguments *a)
{
  return a->steady_count > 0 || a->trim_count > 0 || a->free_count > 0 || a->vary;
}

/* Checks that --equilibrium, --at and --realtime are not combined with options that request a steady motion (--steady, --trim, --free or
 * --vary). Returns CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int check_steady(const struct cli_arguments *a)
{
  if (!cli_steady_wanted(a)) return CLI_DONE;
  const char *steady = a->steady_count > 0 ? "steady"
                       : a->trim_count > 0 ? "trim"
                       : a->free_count > 0 ? "free"
                                           : "vary";
  if (a->equilibrium) {
    return cli_complain_pair(a, "equilibrium", "is a state at rest, and cannot be used with",
                             steady);
  }
  if (!isnan(a->at)) {
    return cli_complain_pair(a, "at", "is a state that a run reaches, and cannot be used with",
                             steady);
  }
  if (a->realtime) return cli_complain_pair(a, "realtime", "cannot be used with", steady);
  return CLI_DONE;
}

/* Creates the equations of motion, *system, of the model file or built-in problem on the command line, with the options given there and the
 * derivatives that the command and the integration method need. The caller destroys them. */
static cmb_status create_system(cmb_context *ctx, const struct cli_arguments *a,
                                cmb_system **system)
{
  const cmb_problem *problem = cmb_problem_find(a->operand);
  const cmb_method *method = a->method ? cmb_method_find(a->method) : NULL;
  const bool implicit = method && cmb_method_is_implicit(method);
  const bool real_time = method && cmb_method_is_real_time(method);
  const cmb_model_system_options options = {
      .formulation = a->formulation,
      .evaluation = a->evaluation,
      .forced = implicit && needs_forced_accelerations(a),
      .expressions = real_time || a->outputs || cli_steady_wanted(a),
      .live_inputs = a->inputs || a->trim_count > 0,
      .start_count = a->start_count,
      .start = a->start,
      .derivatives = implicit || a->equilibrium || cli_steady_wanted(a) || a->pattern ||
                     a->command->derivatives};
  return a->model ? cmb_model_system(ctx, a->model, &options, system)
                  : cmb_problem_create(ctx, problem, a->set_count, a->set, system);
}

cmb_status cli_create_extra_system(cmb_context *ctx, const struct cli_arguments *a,
                                   const cmb_model *model, cmb_system **system)
{
  const cmb_model_system_options options = {.formulation = a->formulation,
                                            .evaluation = a->evaluation,
                                            .live_inputs = a->inputs || a->trim_count > 0,
                                            .start_count = a->start_count,
                                            .start = a->start};
  return cmb_model_system(ctx, model, &options, system);
}

int cli_complain_of(cmb_context *ctx, const struct cli_arguments *a, cmb_status status)
{
  if (status == CMB_OK) return CLI_DONE;
  return cli_complain_loop(ctx, a, status) ? CLI_BAD_INPUT : cli_fail(ctx, status);
}

int cli_open_system(cmb_context *ctx, const struct cli_arguments *a, cmb_system **system)
{
  const int wrong = check_steady(a);
  if (wrong != CLI_DONE) return wrong;
  cmb_status status = create_system(ctx, a, system);
  if (status == CMB_OK && !a->model) {
    status = cmb_system_set_start(ctx, *system, a->start_count, a->start);
  }
  if (status == CMB_OK && a->equilibrium)
    status = find_equilibrium(ctx, a->json || a->inner, *system);
  if (status == CMB_OK && cli_steady_wanted(a) && !a->vary)
    status = find_steady_motion(ctx, a, *system);
  if (status == CMB_OK) return CLI_DONE;
  int code = cli_complain_of(ctx, a, status);
  cli_json_failure(a, *system);
  cmb_system_destroy(*system);
  *system = NULL;
  return code;
}

/* Prints the error message that there is no integration method `name`, with similar or existing names; returns the exit code CLI_BAD_INPUT. */
static int complain_method(const char *name)
{
  const char *names[MOST_NAMES];
  int count = cmb_method_count() < MOST_NAMES ? cmb_method_count() : MOST_NAMES;
  for (int i = 0; i < count; i++) names[i] = cmb_method_name(cmb_method_at(i));
  char hint[CMB_HINT_ROOM];
  return cli_complain("unknown method '%s'; %s", name,
                      cmb_hint_of_names(name, names, count, sizeof *names, hint));
}

int cli_run_options(const struct cli_arguments *a, cmb_run_options *options)
{
  *options = cmb_run_defaults();
  if (a->method) {
    options->method = cmb_method_find(a->method);
    if (!options->method) return complain_method(a->method);
  }
  cmb_integrator_options *o = &options->integrator;
  if (!isnan(a->rtol)) {
    o->rtol = a->rtol;
    o->atol = CMB_ATOL_PER_RTOL * a->rtol;
  }
  if (!isnan(a->atol)) o->atol = a->atol;
  if (!isnan(a->step)) o->step = a->step;
  if (!isnan(a->max_step)) o->max_step = a->max_step;
  if (!isnan(a->max_steps)) o->max_steps = (long)a->max_steps;
  if (!isnan(a->every)) options->every = a->every;
  options->t_end = a->t_end;
  o->setting_count = a->option_count;
  o->settings = a->option;
  return CLI_DONE;
}
