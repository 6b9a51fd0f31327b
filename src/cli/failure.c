/*
 * Error messages and warnings of the program, on standard error and in the JSON output of --json; used by all commands.
 *
 * With --json each failure of a known command prints one JSON object, also if the command line is wrong: status, message (the sentence that
 * also appears on standard error), error (its parts as data), warnings, and the values that are known. Commands that have more to report
 * print the object themselves.
 */
#include "cli/cli.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The last error message and all warnings. They are global, since a process carries out one command. */
static struct {
  char complaint[2048]; /* the last error message, as one sentence */
  char file[4096], kind[64], name[512], subject[512], text[2048];
  cmb_error error; /* its parts; the strings but `key` (unused) are the arrays above */
  char **warnings;
  int warning_count;
  bool object_printed; /* the JSON object of --json has been printed */
} last_messages;

const char *cli_last_complaint(void)
{
  return last_messages.complaint;
}

/* Copies `text` into the array `to` of `room` bytes, truncated if necessary, and replaces control characters such as line breaks by '?'.
 * Returns `to`, or NULL if `text` is NULL. */
static const char *copy_in_one_line(char *to, size_t room, const char *text)
{
  if (!text) return NULL;
  snprintf(to, room, "%s", text);
  for (char *c = to; *c; c++) {
    if (iscntrl((unsigned char)*c)) *c = '?';
  }
  return to;
}

/* Stores the error e, with copies of its strings other than `key`, for the JSON output of --json. */
static void store_error(const cmb_error *e)
{
  last_messages.error = *e;
  last_messages.error.file =
      copy_in_one_line(last_messages.file, sizeof last_messages.file, e->file);
  last_messages.error.kind =
      copy_in_one_line(last_messages.kind, sizeof last_messages.kind, e->kind);
  last_messages.error.name =
      copy_in_one_line(last_messages.name, sizeof last_messages.name, e->name);
  last_messages.error.subject =
      copy_in_one_line(last_messages.subject, sizeof last_messages.subject, e->subject);
  last_messages.error.text =
      copy_in_one_line(last_messages.text, sizeof last_messages.text, e->text);
}

int cli_say_kept(void)
{
  fprintf(stderr, "camber: %s\n", last_messages.complaint);
  return CLI_BAD_INPUT;
}

/* Appends `text` to the string in the array `to` of `room` bytes, truncated where the array is full. */
static void append_text(char *to, size_t room, const char *text)
{
  const size_t used = strlen(to);
  snprintf(to + used, room - used, "%.*s", (int)(room - used - 1), text);
}

/* Builds an error message and stores it: the file position in `about` ("FILE:LINE:COLUMN: ", if known), the text `lead`, and the text made from
 * `format` and `words` as by vprintf. The position and element in `about` are stored with it, for the output of --json. */
static void store_message(const cmb_error *about, const char *lead, const char *format,
                          va_list words)
{
  char text[sizeof last_messages.text], sentence[sizeof last_messages.complaint];
  cmb_error e = *about;
  vsnprintf(text, sizeof text, format, words);
  e.text = text;
  sentence[0] = '\0';
  if (e.line > 0) snprintf(sentence, sizeof sentence, "%s:%d:%d: ", e.file, e.line, e.column);
  append_text(sentence, sizeof sentence, lead);
  append_text(sentence, sizeof sentence, text);
  copy_in_one_line(last_messages.complaint, sizeof last_messages.complaint, sentence);
  store_error(&e);
}

void cli_keep_complaint(const cmb_error *about, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  store_message(about, "", format, words);
  va_end(words);
}

int cli_complain(const char *format, ...)
{
  const cmb_error unknown = {.status = CMB_ERROR_INPUT, .time = NAN};
  va_list words;
  va_start(words, format);
  store_message(&unknown, "", format, words);
  va_end(words);
  return cli_say_kept();
}

/* Prints an error message on standard error: the file position in `about` (if known), the text `lead` and the text made from `format` as by
 * printf. The position and element in `about` are stored for the output of --json. Returns the exit code CLI_BAD_INPUT. */
int cli_complain_at(const cmb_error *about, const char *lead, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  store_message(about, lead, format, words);
  va_end(words);
  return cli_say_kept();
}

void cli_keep_failure(const cmb_context *ctx, cmb_status status)
{
  const bool has_words = ctx && status < 0 && status != CMB_ERROR_INTERRUPTED;
  cmb_error e = has_words ? *cmb_error_of(ctx) : (cmb_error){.time = NAN};
  e.status = status;
  if (!has_words) e.text = cmb_status_meaning(status);
  copy_in_one_line(last_messages.complaint, sizeof last_messages.complaint,
                   has_words ? cmb_last_error(ctx) : e.text);
  store_error(&e);
}

int cli_fail(const cmb_context *ctx, cmb_status status)
{
  cli_keep_failure(ctx, status);
  cli_say_kept();
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

void cli_warn(void *arguments_or_null, cmb_log_level level, const char *message)
{
  const struct cli_arguments *a = arguments_or_null;
  if (level == CMB_LOG_INFO && a && a->verbose) fprintf(stderr, "camber: %s\n", message);
  if (level < CMB_LOG_WARNING) return;
  fprintf(stderr, "camber: warning: %s\n", message);
  const size_t size = strlen(message) + 1;
  char **grown =
      realloc(last_messages.warnings, ((size_t)last_messages.warning_count + 1) * sizeof *grown);
  if (!grown) return;
  last_messages.warnings = grown;
  grown[last_messages.warning_count] = malloc(size);
  if (grown[last_messages.warning_count])
    memcpy(grown[last_messages.warning_count++], message, size);
}

char *cli_warnings_text(void)
{
  size_t length = 1;
  for (int i = 0; i < last_messages.warning_count; i++)
    length += strlen(last_messages.warnings[i]) + 1;
  char *text = calloc(length, 1), *end = text;
  for (int i = 0; text && i < last_messages.warning_count; i++) {
    end = stpcpy(stpcpy(end, last_messages.warnings[i]), "\n");
  }
  return text;
}

void cli_failure_end(void)
{
  for (int i = 0; i < last_messages.warning_count; i++) free(last_messages.warnings[i]);
  free(last_messages.warnings);
  last_messages.warnings = NULL;
  last_messages.warning_count = 0;
  last_messages.object_printed = false;
}

/* ---- JSON output */

/* Writes the error e as the JSON object "error" with its status, file position, element, time and text; unknown members are null. */
static void json_error(struct cli_json *j, const cmb_error *e)
{
  cli_json_open(j, "error", '{');
  cli_json_text(j, "status", cmb_status_code(e->status));
  cli_json_text(j, "file", e->file);
  cli_json_count(j, "line", e->line);
  cli_json_count(j, "column", e->column);
  cli_json_text(j, "kind", e->kind);
  cli_json_text(j, "name", e->name);
  cli_json_text(j, "subject", e->subject);
  cli_json_number(j, "time", e->time);
  cli_json_text(j, "text", e->text);
  cli_json_close(j, '}');
}

void cli_json_head(struct cli_json *j, const char *model, const char *method, cmb_status status)
{
  cli_json_text(j, "camber", cmb_version());
  cli_json_text(j, "model", model);
  if (method) cli_json_text(j, "method", method);
  cli_json_text(j, "status", cmb_status_code(status));
  if (status == CMB_OK) return;
  cli_json_text(j, "message", last_messages.complaint);
  json_error(j, &last_messages.error);
}

void cli_json_begin(struct cli_json *j, const char *model, const char *method, cmb_status status)
{
  *j = (struct cli_json){.to = stdout, .first = true};
  last_messages.object_printed = true;
  cli_json_open(j, NULL, '{');
  cli_json_head(j, model, method, status);
}

void cli_json_warnings(struct cli_json *j)
{
  cli_json_open(j, "warnings", '[');
  for (int i = 0; i < last_messages.warning_count; i++)
    cli_json_text(j, NULL, last_messages.warnings[i]);
  cli_json_close(j, ']');
}

void cli_json_end(struct cli_json *j)
{
  cli_json_warnings(j);
  cli_json_close(j, '}');
}

/* Writes the initial time, positions and velocities of a system as JSON, with the names of its coordinates, velocities and Lagrange
 * multipliers, for the report of a failed run. */
static void json_system(struct cli_json *j, const cmb_system *system)
{
  const cmb_equations *eq = cmb_system_equations(system);
  cli_json_number(j, "t", cmb_system_t_start(system));
  cli_json_open(j, "names", '{');
  cli_json_texts(j, "q", eq->nq, eq->q_names);
  cli_json_velocity_names(j, eq);
  cli_json_texts(j, "lambda", eq->ng, eq->lambda_names);
  cli_json_close(j, '}');
  cli_json_numbers(j, "q", eq->nq, cmb_system_q(system));
  cli_json_velocities(j, eq, cmb_system_v(system));
}

void cli_json_failure(const struct cli_arguments *a, const cmb_system *system)
{
  struct cli_json j;
  if (!a->json || last_messages.object_printed) return;
  const char *model = a->model ? cmb_model_name(a->model) : a->operand ? a->operand : "";
  cli_json_begin(&j, model, a->method, last_messages.error.status);
  if (system) json_system(&j, system);
  cli_json_end(&j);
}
