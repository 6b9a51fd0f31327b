/*
 * Collects the data about a run that its result file contains besides the trajectory (table.h): the text of the model, the command line,
 * the method, the options that determine the model, and the summary. Called by `camber run` before and after the simulation.
 */
#include "base/file.h"
#include "base/text.h"
#include "cli/bytes.h"
#include "cli/summary.h"
#include "cli/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the content of the model file on the command line, to be freed by the caller; NULL if the model is a problem written in C, or the
 * file is too long or cannot be read. */
static char *read_text(const struct cli_arguments *a)
{
  enum { MOST_BYTES = 1 << 26 };
  struct cli_model_source source;
  char *text = NULL;
  size_t length;
  if (!a->model || !cli_find_model(a, &source)) return NULL;
  return cli_bytes_of(source.path, MOST_BYTES, &text, &length) ? text : NULL;
}

/* Returns the command line of the run, e.g. "camber run fivelink --set stair=1", to be freed by the caller; NULL if memory runs out. */
static char *write_command(const struct cli_arguments *a)
{
  size_t length = sizeof "camber run";
  for (int i = 0; i < a->word_count; i++) length += 1 + strlen(a->words[i]);
  char *text = malloc(length);
  if (!text) return NULL;
  char *end = stpcpy(text, "camber run");
  for (int i = 0; i < a->word_count; i++) end = stpcpy(stpcpy(end, " "), a->words[i]);
  return text;
}

/* Returns a name that denotes the model file in any current folder, to be freed by the caller: the name of a bundled model, otherwise the
 * absolute path. NULL if the model is a problem written in C, the file does not exist, or memory runs out. */
static char *locate_model(const struct cli_arguments *a)
{
  struct cli_model_source source;
  char whole[CLI_PATH_ROOM];
  if (!a->model || !cli_find_model(a, &source)) return NULL;
  if (source.bundled) return strdup(a->operand);
  return cmb_whole_path(source.path, sizeof whole, whole) ? strdup(whole) : NULL;
}

/* Writes settings of parameters or start values as command-line options, one a line: --OPTION=NAME=VALUE. */
static void put_settings(FILE *to, const char *option, int count, const cmb_setting *settings)
{
  char number[CMB_NUMBER_ROOM];
  for (int i = 0; i < count; i++) {
    cmb_format_number(settings[i].value, number);
    fprintf(to, "--%s=%s=%s\n", option, settings[i].name, number);
  }
}

/* Returns the command-line options that determine the model of the run (formulation, parameters, start values, ...), one a line, for `camber
 * view` to read again. The caller frees the text. Returns NULL if the model is a problem written in C or memory runs out. */
static char *write_arguments(const struct cli_arguments *a)
{
  char *text = NULL;
  size_t length;
  FILE *to = a->model ? open_memstream(&text, &length) : NULL;
  if (!to) return NULL;
  fprintf(to, "--formulation=%s\n", cmb_formulation_name(a->formulation));
  put_settings(to, "set", a->set_count, a->set);
  put_settings(to, "start", a->start_count, a->start);
  if (a->live_all) fprintf(to, "--live=all\n");
  for (int i = 0; i < a->live_count; i++) fprintf(to, "--live=%s\n", a->live[i]);
  if (a->include_anywhere) fprintf(to, "--include-anywhere\n");
  fclose(to);
  return text;
}

/* Stores an allocated text as s->texts[index], to be freed by cli_sheet_end. Does nothing if the text is NULL. */
static void store_owned(struct cli_sheet *s, int index, char *text)
{
  int k = 0;
  if (!text) return;
  while (s->owned[k]) k++;
  s->texts[index] = s->owned[k] = text;
}

void cli_sheet_begin(cmb_context *ctx, struct cli_sheet *s, const struct cli_arguments *a,
                     const cmb_run_options *options, const cmb_system *system)
{
  const cmb_equations *eq = cmb_system_equations(system);
  *s = (struct cli_sheet){.text = read_text(a)};
  for (int i = 0; i < CLI_TEXT_COUNT; i++) s->texts[i] = "";
  for (int i = 0; i < CLI_NUMBER_COUNT; i++) s->numbers[i] = NAN;
  s->texts[CLI_TEXT_camber] = cmb_version();
  s->texts[CLI_TEXT_model] = eq->name;
  s->texts[CLI_TEXT_method] = cmb_method_name(options->method);
  s->texts[CLI_TEXT_method_title] = cmb_method_title(options->method);
  store_owned(s, CLI_TEXT_command, write_command(a));
  store_owned(s, CLI_TEXT_model_file, locate_model(a));
  store_owned(s, CLI_TEXT_arguments, write_arguments(a));
  if (a->model && cmb_picture_digest(ctx, a->model, s->picture) == CMB_OK) {
    /* without it, a viewer cannot check that the model is the same */
    s->texts[CLI_TEXT_picture] = s->picture;
  }
  cli_summary_ask(options, system, s->numbers);
}

void cli_sheet_finish(struct cli_sheet *s, cmb_status status, const cmb_result *r,
                      const double *numbers)
{
  s->texts[CLI_TEXT_status] = cmb_status_code(status);
  s->texts[CLI_TEXT_message] = status == CMB_OK ? "" : cli_last_complaint();
  if (r->stopped_by) s->texts[CLI_TEXT_stopped_by] = r->stopped_by;
  store_owned(s, CLI_TEXT_warnings, cli_warnings_text());
  memcpy(s->numbers, numbers, sizeof s->numbers);
}

void cli_sheet_end(struct cli_sheet *s)
{
  free(s->text);
  for (size_t i = 0; i < sizeof s->owned / sizeof s->owned[0]; i++) free(s->owned[i]);
}
