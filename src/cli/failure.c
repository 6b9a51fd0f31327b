/*
 * What goes wrong: complaints and warnings on standard error, and the same for --json.
 *
 * With --json every failure prints one object, also one of the command line: status, message (the sentence that stands
 * on standard error too), error (its parts as data), warnings, and what is known. Commands print it themselves where they
 * have more to say.
 */
#include "cli/cli.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The program is one run of one command: what it has said is kept here. */
static struct {
  char complaint[2048]; /* the whole sentence */
  char file[4096], kind[64], name[512], subject[512], text[2048];
  cmb_error error; /* points to the texts before */
  char **warnings;
  int warning_count;
  bool object_printed;
} said;

const char *cli_last_complaint(void)
{
  return said.complaint;
}

/* A text of the user's in one line, whatever it contains; NULL stays NULL. */
static const char *keep(char *to, size_t room, const char *text)
{
  if (!text) return NULL;
  snprintf(to, room, "%s", text);
  for (char *c = to; *c; c++) {
    if (iscntrl((unsigned char)*c)) *c = '?';
  }
  return to;
}

static void keep_error(const cmb_error *e)
{
  said.error = *e;
  said.error.file = keep(said.file, sizeof said.file, e->file);
  said.error.kind = keep(said.kind, sizeof said.kind, e->kind);
  said.error.name = keep(said.name, sizeof said.name, e->name);
  said.error.subject = keep(said.subject, sizeof said.subject, e->subject);
  said.error.text = keep(said.text, sizeof said.text, e->text);
}

int cli_say_kept(void)
{
  fprintf(stderr, "camber: %s\n", said.complaint);
  return CLI_BAD_INPUT;
}

/* As much of the text as there is room for behind what is there. */
static void add(char *to, size_t room, const char *text)
{
  const size_t used = strlen(to);
  snprintf(to + used, room - used, "%.*s", (int)(room - used - 1), text);
}

static void note_words(const cmb_error *about, const char *lead, const char *format, va_list words)
{
  char text[sizeof said.text], sentence[sizeof said.complaint];
  cmb_error e = *about;
  vsnprintf(text, sizeof text, format, words);
  e.text = text;
  sentence[0] = '\0';
  if (e.line > 0) snprintf(sentence, sizeof sentence, "%s:%d:%d: ", e.file, e.line, e.column);
  add(sentence, sizeof sentence, lead);
  add(sentence, sizeof sentence, text);
  keep(said.complaint, sizeof said.complaint, sentence);
  keep_error(&e);
}

void cli_keep_complaint(const cmb_error *about, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  note_words(about, "", format, words);
  va_end(words);
}

int cli_complain(const char *format, ...)
{
  const cmb_error unknown = {.status = CMB_ERROR_INPUT, .time = NAN};
  va_list words;
  va_start(words, format);
  note_words(&unknown, "", format, words);
  va_end(words);
  return cli_say_kept();
}

int cli_complain_at(const cmb_error *about, const char *lead, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  note_words(about, lead, format, words);
  va_end(words);
  return cli_say_kept();
}

void cli_keep_failure(const cmb_context *ctx, cmb_status status)
{
  const bool has_words = ctx && status < 0 && status != CMB_ERROR_INTERRUPTED;
  cmb_error e = has_words ? *cmb_error_of(ctx) : (cmb_error){.time = NAN};
  e.status = status;
  if (!has_words) e.text = cmb_status_meaning(status);
  keep(said.complaint, sizeof said.complaint, has_words ? cmb_last_error(ctx) : e.text);
  keep_error(&e);
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
  char **grown = realloc(said.warnings, ((size_t)said.warning_count + 1) * sizeof *grown);
  if (!grown) return;
  said.warnings = grown;
  grown[said.warning_count] = malloc(size);
  if (grown[said.warning_count]) memcpy(grown[said.warning_count++], message, size);
}

char *cli_warnings_text(void)
{
  size_t length = 1;
  for (int i = 0; i < said.warning_count; i++) length += strlen(said.warnings[i]) + 1;
  char *text = calloc(length, 1), *end = text;
  for (int i = 0; text && i < said.warning_count; i++) {
    end = stpcpy(stpcpy(end, said.warnings[i]), "\n");
  }
  return text;
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

/* What was complained of as data: null where it is not known. */
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
  cli_json_text(j, "message", said.complaint);
  json_error(j, &said.error);
}

void cli_json_begin(struct cli_json *j, const char *model, const char *method, cmb_status status)
{
  *j = (struct cli_json){.to = stdout, .first = true};
  said.object_printed = true;
  cli_json_open(j, NULL, '{');
  cli_json_head(j, model, method, status);
}

void cli_json_warnings(struct cli_json *j)
{
  cli_json_open(j, "warnings", '[');
  for (int i = 0; i < said.warning_count; i++) cli_json_text(j, NULL, said.warnings[i]);
  cli_json_close(j, ']');
}

void cli_json_end(struct cli_json *j)
{
  cli_json_warnings(j);
  cli_json_close(j, '}');
}

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
  if (!a->json || said.object_printed) return;
  const char *model = a->model ? cmb_model_name(a->model) : a->operand ? a->operand : "";
  cli_json_begin(&j, model, a->method, said.error.status);
  if (system) json_system(&j, system);
  cli_json_end(&j);
}
