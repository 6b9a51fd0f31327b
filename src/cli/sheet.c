/*
 * What a file of results says of its run (table.h): the text of the model, the command line, the method.
 */
#include "cli/bytes.h"
#include "cli/realtime.h"
#include "cli/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The text of the model's file, or NULL if there is none, or it is gone. */
static char *read_text(const struct cli_arguments *a)
{
  enum { MOST_BYTES = 1 << 26 };
  struct cli_model_source source;
  char *text = NULL;
  size_t length;
  if (!a->model || !cli_find_model(a, &source)) return NULL;
  return cli_bytes_of(source.path, MOST_BYTES, &text, &length) ? text : NULL;
}

/* "camber run fivelink --set stair=1" */
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

void cli_sheet_begin(struct cli_sheet *s, const struct cli_arguments *a,
                     const cmb_run_options *options)
{
  const bool stepped = cmb_method_is_real_time(options->method);
  *s = (struct cli_sheet){.method = cmb_method_name(options->method),
                          .text = read_text(a),
                          .command = write_command(a),
                          .message = "",
                          .rtol = stepped ? NAN : options->integrator.rtol,
                          .atol = stepped ? NAN : options->integrator.atol,
                          .step = stepped ? cli_period(options) : NAN};
}

void cli_sheet_end(struct cli_sheet *s)
{
  free(s->text);
  free(s->command);
}
