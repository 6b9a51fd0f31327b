/*
 * Exports a model with a real-time method as C code (include/camber/export.h): collects what is to be printed, and writes the files.
 */
#include "base/context.h"
#include "base/output.h"
#include "dae/system.h"
#include "export/c_code.h"
#include "export/identifiers.h"
#include "method/integrator.h"
#include "sim/simulation.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SETTINGS = 64 };

/* Makes the C identifiers c->u_names of the model's inputs and, after them, of their rates of change; c->u_model_names receives their names
 * in the model. */
static cmb_status name_inputs(cmb_c_code *c)
{
  const int nu = c->x->nu, nr = c->x->nr;
  const char **names = cmb_arena_take(c->arena, (size_t)nu + (size_t)nr, sizeof *names);
  if (!names) return cmb_fail_memory(c->ctx);
  for (int i = 0; i < nu; i++) names[i] = c->eq->u_names[i];
  for (int i = 0; i < nr; i++) names[nu + i] = c->x->input_rate_names[i];
  c->u_model_names = names;
  c->u_names = cmb_identifiers(c->arena, "", nu + nr, names, 0, NULL);
  return cmb_arena_failed(c->arena) ? cmb_fail_memory(c->ctx) : CMB_OK;
}

/* Chooses all C identifiers of the exported code: the name of the model's type and functions, and the struct members for inputs, parameters,
 * outputs and events. */
static cmb_status name_all(cmb_c_code *c)
{
  static const char *const own[] = {"health", "settled"}; /* further members of the outputs */
  const cmb_equations *eq = c->eq;
  const cmb_code *x = c->x;
  cmb_arena *a = c->arena;
  cmb_code_name(eq->name, sizeof c->name, c->name);
  CMB_TRY(name_inputs(c));
  c->parameter_names = cmb_identifiers(a, "", c->live, x->parameter_names, 0, NULL);
  c->output_names = cmb_identifiers(a, "", x->no, eq->output_names, c->grips > 0 ? 2 : 1, own);
  if (cmb_arena_failed(a)) return cmb_fail_memory(c->ctx);
  c->event_names = cmb_identifiers(a, "event_", x->ns, eq->switch_names, x->no, c->output_names);
  return cmb_arena_failed(a) ? cmb_fail_memory(c->ctx) : CMB_OK;
}

/* Writes the text to the file NAME.ENDING in `folder` under a temporary name. On return all bytes are on the disk, and the caller gives *file
 * its final name. Returns an error if the path is too long, if the model reads that file, or if writing fails. */
static cmb_status write_file(const cmb_c_code *c, const char *folder, const char *ending,
                             const cmb_buffer *text, cmb_output **file)
{
  char path[4096];
  const int length = snprintf(path, sizeof path, "%s/%s.%s", folder, c->name, ending);
  if (length < 0 || (size_t)length >= sizeof path) {
    return cmb_fail(
        c->ctx, CMB_ERROR_IO,
        "the path of the file '%s.%s' in the folder has %d characters; expected at most %d",
        c->name, ending, length, (int)sizeof path - 1);
  }
  if (c->system->model && cmb_model_reads(c->system->model, path)) {
    return cmb_fail_about(
        c->ctx, CMB_ERROR_IO, cmb_about_file(path),
        "the code would overwrite '%s', a file of the model; expected another folder", path);
  }
  CMB_TRY(cmb_output_open(c->ctx, path, file));
  CMB_TRY(cmb_output_add(*file, text->text, text->length));
  return cmb_output_sync(*file);
}

/* Writes the exported header and source to `folder`. Neither file gets its final name before all bytes of both are on the disk, so that a
 * failure of writing leaves earlier files as they were. */
static cmb_status write_files(const cmb_c_code *c, const char *folder, const cmb_buffer *header,
                              const cmb_buffer *source)
{
  cmb_output *files[2] = {NULL, NULL};
  cmb_status status = write_file(c, folder, "h", header, &files[0]);
  if (status == CMB_OK) status = write_file(c, folder, "c", source, &files[1]);
  for (int i = 0; i < 2; i++) {
    if (status == CMB_OK) {
      status = cmb_output_finish(files[i]);
    } else {
      cmb_output_discard(files[i]);
    }
  }
  return status;
}

/* Prints the exported header and source, creates the folder if it is missing, and writes the files to it. */
static cmb_status save(cmb_c_code *c, const char *folder)
{
  cmb_buffer header = cmb_buffer_begin(c->ctx), source = cmb_buffer_begin(c->ctx);
  cmb_c_code_header(c, &header);
  cmb_status status = cmb_c_code_source(c, &source);
  if (status == CMB_OK && (header.failed || source.failed)) status = cmb_fail_memory(c->ctx);
  if (status == CMB_OK && mkdir(folder, 0777) != 0 && errno != EEXIST) {
    status = cmb_fail_about(c->ctx, CMB_ERROR_IO, cmb_about_file(folder),
                            "cannot make the folder '%s': %s", folder, strerror(errno));
  }
  if (status == CMB_OK) status = write_files(c, folder, &header, &source);
  cmb_buffer_release(&header);
  cmb_buffer_release(&source);
  return status;
}

/* Lists the switching functions of friction that can stick in c->grip_mode, and their number in c->grips. If there are any, starts the
 * integrator at the initial state and takes from it their initial modes (with the friction forces), accelerations and multipliers. */
static cmb_status get_sticking_modes(cmb_c_code *c, cmb_integrator *in)
{
  c->grips = cmb_grip_count(c->eq);
  if (c->grips == 0) return CMB_OK;
  c->grip_mode = cmb_arena_ints(c->arena, c->grips);
  if (!c->grip_mode) return cmb_fail_memory(c->ctx);
  cmb_grip_list(c->eq, c->grip_mode);
  CMB_TRY(cmb_integrator_begin(in, c->start->t, c->start->q, c->start->v));
  c->grip = cmb_integrator_evaluator(in)->grip;
  c->a = cmb_integrator_a(in);
  c->lambda = cmb_integrator_lambda(in);
  return CMB_OK;
}

/* Writes the identifiers of the inputs' rates of change to report->rate_names, separated by blanks; if not all fit, " .." follows the
 * last. */
static void list_rates(const cmb_c_code *c, cmb_export_report *report)
{
  const char *const *names = c->u_names + c->x->nu;
  size_t used = 0;
  for (int i = 0; i < c->x->nr; i++) {
    const size_t length = strlen(names[i]), more = (i > 0) + length + sizeof " ..";
    if (used + more > sizeof report->rate_names) {
      memcpy(report->rate_names + used, " ..", sizeof " ..");
      return;
    }
    if (i > 0) report->rate_names[used++] = ' ';
    memcpy(report->rate_names + used, names[i], length + 1);
    used += length;
  }
}

/* Makes the identifiers and programs of the exported code, writes header and source to `folder`, and fills *report unless it is NULL. */
static cmb_status write_code(cmb_c_code *c, const cmb_run_options *options, const char *folder,
                             cmb_export_report *report)
{
  c->method = cmb_method_name(options->method);
  c->setting_count = options->integrator.setting_count - 1; /* without the option `bound` */
  c->settings = options->integrator.settings;
  CMB_TRY(name_all(c));
  CMB_TRY(cmb_c_code_programs(c));
  CMB_TRY(save(c, folder));
  if (!report) return CMB_OK;
  *report = (cmb_export_report){.instructions = cmb_program_instructions(c->stepper->program),
                                .inputs = c->x->nu,
                                .rates = c->x->nr,
                                .outputs = c->x->no,
                                .parameters = c->live,
                                .flags = c->x->ns};
  memcpy(report->name, c->name, sizeof report->name);
  list_rates(c, report);
  return CMB_OK;
}

/* Returns an error if a constraint is defined piecewise, so that its rate may be discontinuous, and the method with its options never corrects
 * velocities onto the constraints: exported code cannot report their violation at run time. */
static cmb_status refuse_jumping_rates(cmb_context *ctx, const cmb_system *system,
                                       const cmb_integrator *in, const cmb_method *method)
{
  if (!cmb_integrator_has_loose_rates(in)) return CMB_OK;
  for (int i = 0; system->g_has_branches && i < system->eq.ng; i++) {
    if (!system->g_has_branches[i]) continue;
    return cmb_fail_about(
        ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("constraint", system->eq.g_names[i]),
        "constraint '%s' has branches, so that it may require a sudden change of "
        "velocity, which %s with this value of the option stabilization does not make; expected "
        "stabilization=projection",
        system->eq.g_names[i], cmb_method_name(method));
  }
  return CMB_OK;
}

/* Returns an error if parameters can be changed, a controller samples at the start, and sampled values depend on accelerations or constraint
 * forces: exported code does not compute these before its first step. */
static cmb_status refuse_first_sample(const cmb_c_code *c)
{
  const cmb_equations *eq = c->eq;
  if (c->live == 0 || !eq->samples_read_forces) return CMB_OK;
  for (int i = 0; i < eq->sampler_count; i++) {
    const cmb_sampler *s = &eq->samplers[i];
    if (s->phase > c->start->t + 0.5 * c->step) continue;
    return cmb_fail_about(c->ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("controller", s->name),
                          "controller '%s' samples accelerations or constraint forces at the "
                          "start, which exported code "
                          "does not know for live parameters; expected a phase greater than 0, or "
                          "no live parameters",
                          s->name);
  }
  return CMB_OK;
}

/* Starts a simulation of the system, and exports C code to `folder` with the integrator and the start values of that simulation. Fills
 * *report unless it is NULL. */
static cmb_status export_with(cmb_context *ctx, const cmb_system *system,
                              const cmb_run_options *options, const char *folder,
                              cmb_export_report *report)
{
  cmb_simulation *sim;
  CMB_TRY(cmb_simulation_create(ctx, system, options, &sim));
  cmb_integrator *in = cmb_simulation_integrator(sim);
  cmb_status status = refuse_jumping_rates(ctx, system, in, options->method);
  if (status == CMB_OK) status = cmb_simulation_start(sim);
  cmb_c_code c = {.ctx = ctx,
                  .arena = cmb_arena_create(ctx),
                  .system = system,
                  .eq = cmb_system_equations(system)};
  if (!c.arena && status == CMB_OK) status = cmb_fail_memory(ctx);
  if (status == CMB_OK) {
    c.x = c.eq->code;
    c.step = options->integrator.step > 0 ? options->integrator.step : CMB_USUAL_PERIOD;
    c.live = c.x->np - c.x->nh;
    c.start = cmb_simulation_result(sim);
    c.a = cmb_simulation_a(sim);
    c.lambda = c.start->lambda;
    c.stepper = cmb_integrator_stepper(in);
    status = get_sticking_modes(&c, in);
    if (status == CMB_OK) status = refuse_first_sample(&c);
    if (status == CMB_OK) status = write_code(&c, options, folder, report);
  }
  cmb_program_destroy(c.modes);
  cmb_program_destroy(c.outputs);
  cmb_program_destroy(c.first);
  cmb_arena_destroy(c.arena);
  cmb_simulation_destroy(sim);
  return status;
}

/* Returns an error if the model has an event that does more than record, that is, changes the motion or ends the run. Exported C code for
 * real-time use, with a fixed amount of work for each step, does not locate events. */
static cmb_status refuse_actions(cmb_context *ctx, const cmb_equations *eq)
{
  for (int i = 0; i < eq->rule_count; i++) {
    const cmb_rule *rule = &eq->rules[i];
    if (rule->action == CMB_EVENT_RECORD) continue;
    return cmb_fail_about(
        ctx, CMB_ERROR_ARGUMENT, cmb_about_thing(rule->gap ? "stop" : "event", rule->name),
        "%s '%s' %s, which exported code cannot do; expected a model whose events are only "
        "recorded",
        rule->gap ? "stop" : "event", rule->name,
        rule->action == CMB_EVENT_STOP ? "ends the run" : "changes velocities or states");
  }
  return CMB_OK;
}

/* Exports a system with a real-time method (of fixed cost per step) as C code: writes a header and a source to `folder`, and fills *report
 * unless it is NULL. The method's option `bound`, which bounds the drift during a simulation, is switched off in the code. */
cmb_status cmb_export_c(cmb_context *ctx, const cmb_system *system, const cmb_run_options *options,
                        const char *folder, cmb_export_report *report)
{
  CMB_REQUIRE(ctx, ctx && system && options && options->method && folder,
              "cmb_export_c needs a context, a system, options with a method and a folder");
  cmb_run_options plain = *options;
  cmb_option_setting settings[MOST_SETTINGS];
  const int count = options->integrator.setting_count;
  if (!cmb_method_is_real_time(options->method)) {
    return cmb_fail(ctx, CMB_ERROR_ARGUMENT,
                    "method %s cannot be exported; expected one of fixed cost: lie or rosw2",
                    cmb_method_name(options->method));
  }
  if (!cmb_system_equations(system)->code) {
    return cmb_fail(ctx, CMB_ERROR_ARGUMENT,
                    system->model
                        ? "the system of '%s' has no expressions, from which code is made; "
                          "expected the option 'expressions' when the system is made"
                        : "'%s' is written in C and has no expressions; expected a model file",
                    cmb_system_equations(system)->name);
  }
  CMB_TRY(refuse_actions(ctx, cmb_system_equations(system)));
  if (count < 0 || (count > 0 && !plain.integrator.settings)) {
    return cmb_fail(ctx, CMB_ERROR_ARGUMENT,
                    "wrong call: the options of the method are NULL, or their number is negative");
  }
  if (count >= MOST_SETTINGS)
    return cmb_fail(ctx, CMB_ERROR_ARGUMENT, "the method has %d options; expected fewer than %d",
                    count, MOST_SETTINGS);
  for (int i = 0; i < count; i++) settings[i] = options->integrator.settings[i];
  settings[count] = (cmb_option_setting){"bound", "none"};
  plain.integrator.settings = settings;
  plain.integrator.setting_count = count + 1;
  return export_with(ctx, system, &plain, folder, report);
}
