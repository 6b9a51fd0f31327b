/*
 * What a file of results says of its run (table.h): the text of the model, the command line, the method.
 */
#include "base/context.h"
#include "base/file.h"
#include "cli/realtime.h"
#include "cli/table.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The text of the model's file, or NULL if there is none, or it is gone. */
static char *read_text(cmb_context *ctx, const struct cli_arguments *a)
{
  enum { MOST_BYTES = 1 << 26 };
  struct cli_model_source source;
  void *bytes = NULL;
  size_t length = 0;
  if (!a->model || !cli_find_model(a, &source)) return NULL;
  const int file = open(source.path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  const bool read = cmb_read_all(ctx, file, MOST_BYTES, &bytes, &length);
  close(file);
  if (!read) return NULL;
  char *text = strndup(bytes, length);
  cmb_release(ctx, bytes);
  return text;
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

void cli_sheet_begin(struct cli_sheet *s, cmb_context *ctx, const struct cli_arguments *a,
                     const cmb_run_options *options)
{
  const bool stepped = cmb_method_is_real_time(options->method);
  *s = (struct cli_sheet){.method = cmb_method_name(options->method),
                          .text = read_text(ctx, a),
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
