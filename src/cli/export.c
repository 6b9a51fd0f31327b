/*
 * The command `camber export c MODEL`: writes standalone C code of a model with a real-time method.
 */
#include "cli/cli.h"

#include <string.h>

/* Writes the names in the string `names`, which are separated by blanks, as a JSON list of strings under `key`. */
static void json_names(struct cli_json *j, const char *key, const char *names)
{
  char name[sizeof((cmb_export_report *)NULL)->rate_names];
  cli_json_open(j, key, '[');
  while (*names) {
    const size_t length = strcspn(names, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, names);
    cli_json_text(j, NULL, name);
    names += length + strspn(names + length, " ");
  }
  cli_json_close(j, ']');
}

/* Prints the report of an export to C: the names of the files in `folder`, the number of operations per time step, the numbers of inputs,
 * outputs, event flags and parameters, and the command to compile the files. Prints it as JSON, without this command, if --json is given. */
static void print_report(const struct cli_arguments *a, const char *folder,
                         const cmb_run_options *options, const cmb_export_report *r)
{
  if (a->json) {
    struct cli_json j;
    cli_json_begin(&j, cmb_model_name(a->model), cmb_method_name(options->method), CMB_OK);
    cli_json_text(&j, "name", r->name);
    cli_json_text(&j, "folder", folder);
    cli_json_integer(&j, "instructions", r->instructions);
    cli_json_integer(&j, "inputs", r->inputs);
    json_names(&j, "rates", r->rate_names);
    cli_json_integer(&j, "outputs", r->outputs);
    cli_json_integer(&j, "parameters", r->parameters);
    cli_json_integer(&j, "flags", r->flags);
    cli_json_end(&j);
    return;
  }
  printf("%s with %s: %s/%s.c and %s.h\n", r->name, cmb_method_name(options->method), folder,
         r->name, r->name);
  printf("  a step is %d operations; %d inputs, %d outputs, %d event flags, %d parameters\n",
         r->instructions, r->inputs, r->outputs, r->flags, r->parameters);
  if (r->rates > 0) {
    printf("  the rates of inputs count, too: feed %s as well, or they are 0\n", r->rate_names);
  }
  printf("  compile with cc -std=c99 -O2 -ffp-contract=off -I%s %s/%s.c YOURS.c -lm\n", folder,
         folder, r->name);
}

int cli_export(cmb_context *ctx, const struct cli_arguments *given)
{
  struct cli_arguments a = *given;
  cmb_run_options options;
  cmb_export_report report;
  cmb_system *system;
  const char *folder = a.folder ? a.folder : ".";
  const cmb_method *of_model = a.method ? cmb_method_find(a.method) : NULL;
  if (!cli_given(&a, "method") && !(of_model && cmb_method_is_real_time(of_model))) {
    a.method = "lie";
  }
  int code = cli_run_options(&a, &options);
  if (code != CLI_DONE) return code;
  if (!a.model) return cli_complain("'%s' is written in C; expected a model file", a.operand);
  code = cli_open_system(ctx, &a, &system);
  if (code != CLI_DONE) return code;
  cmb_status status = cmb_export_c(ctx, system, &options, folder, &report);
  cmb_system_destroy(system);
  if (status != CMB_OK) return cli_fail(ctx, status);
  if (!a.quiet || a.json) print_report(&a, folder, &options, &report);
  return CLI_DONE;
}
