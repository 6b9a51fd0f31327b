/*
 * What goes wrong: complaints and warnings on standard error, and the same for --json.
 *
 * With --json every failure prints one object, also one of the command line: status, message (the sentence that stands
 * on standard error too), warnings, and what is known. Commands print it themselves where they have more to say.
 */
#include "cli/cli.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The program is one run of one command: what it has said is kept here. */
static struct {
  char complaint[2048];
  cmb_status status; /* that the complaint is about */
  char **warnings;
  int warning_count;
  bool object_printed;
} said;

const char *cli_last_complaint(void)
{
  return said.complaint;
}

void cli_note_status(cmb_status status)
{
  said.status = status;
}

int cli_complain(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(said.complaint, sizeof said.complaint, format, args);
  va_end(args);
  for (char *c = said.complaint; *c; c++) { /* one line, whatever the user's words contain */
    if (iscntrl((unsigned char)*c)) *c = '?';
  }
  fprintf(stderr, "camber: %s\n", said.complaint);
  said.status = CMB_ERROR_INPUT;
  return CLI_BAD_INPUT;
}

int cli_fail(const cmb_context *ctx, cmb_status status)
{
  const bool has_words = ctx && status < 0 && status != CMB_ERROR_INTERRUPTED;
  cli_complain("%s", has_words ? cmb_last_error(ctx) : cmb_status_meaning(status));
  said.status = status;
  return cli_exit_code(status);
}

int cli_exit_code(cmb_status status)
{
  switch (status) {
  case CMB_OK: return CLI_DONE;
  case CMB_ERROR_ARGUMENT:
  case CMB_ERROR_INPUT:
  case CMB_ERROR_IO: return CLI_BAD_INPUT;
  default: return CLI_FAILED;
  }
}

void cli_note_message(void *user, cmb_log_level level, const char *message)
{
  (void)user;
  if (level < CMB_LOG_WARNING) return;
  fprintf(stderr, "camber: warning: %s\n", message);
  const size_t size = strlen(message) + 1;
  char **grown = realloc(said.warnings, ((size_t)said.warning_count + 1) * sizeof *grown);
  if (!grown) return;
  said.warnings = grown;
  grown[said.warning_count] = malloc(size);
  if (grown[said.warning_count]) memcpy(grown[said.warning_count++], message, size);
}

void cli_failure_end(void)
{
  for (int i = 0; i < said.warning_count; i++) free(said.warnings[i]);
  free(said.warnings);
  said.warnings = NULL;
  said.warning_count = 0;
  said.object_printed = false;
}

/* ---- JSON */

void cli_json_begin(struct cli_json *j, const char *model, const char *method, cmb_status status,
                    const char *message)
{
  *j = (struct cli_json){.to = stdout, .first = true};
  said.object_printed = true;
  cli_json_open(j, NULL, '{');
  cli_json_text(j, "camber", cmb_version());
  cli_json_text(j, "model", model);
  if (method) cli_json_text(j, "method", method);
  cli_json_text(j, "status", cmb_status_code(status));
  if (status != CMB_OK) cli_json_text(j, "message", message);
}

void cli_json_end(struct cli_json *j)
{
  cli_json_open(j, "warnings", '[');
  for (int i = 0; i < said.warning_count; i++) cli_json_text(j, NULL, said.warnings[i]);
  cli_json_close(j, ']');
  cli_json_close(j, '}');
}

static void json_system(struct cli_json *j, const cmb_system *system)
{
  const cmb_equations *eq = cmb_system_equations(system);
  cli_json_number(j, "t", cmb_system_t_start(system));
  cli_json_open(j, "names", '{');
  cli_json_texts(j, "q", eq->nq, eq->q_names);
  cli_json_texts(j, "v", eq->nv, eq->v_names);
  cli_json_texts(j, "lambda", eq->ng, eq->lambda_names);
  cli_json_close(j, '}');
  cli_json_numbers(j, "q", eq->nq, cmb_system_q(system));
  cli_json_numbers(j, "v", eq->nv, cmb_system_v(system));
}

void cli_json_failure(const struct cli_arguments *a, const cmb_system *system)
{
  struct cli_json j;
  if (!a->json || said.object_printed) return;
  const char *model = a->model ? cmb_model_name(a->model) : a->operand ? a->operand : "";
  cli_json_begin(&j, model, a->method, said.status, said.complaint);
  if (system) json_system(&j, system);
  cli_json_end(&j);
}
