/*
 * Fuzz target: the command line. The input is split at line ends into words, which are processed as arguments of the
 * program up to the point where a simulation would run or a file would be opened.
 *
 * For all words the exit code is 0 without a message, or 1 or 2 with exactly one line that begins with "camber: "; numbers
 * that are accepted are finite; and the sanitizers report no error.
 */
#include "cli/cli.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 200, MOST_BYTES = 4096 };

static char *message; /* the text on stderr for this input */
static size_t message_length;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  stderr = open_memstream(&message,
                          &message_length); /* the fuzzer itself writes to the file descriptor */
  return stderr ? 0 : 1;
}

static void require(bool holds)
{
  if (!holds) abort();
}

/* Splits the text into words, in place. argv[0] is the name of the program. */
static int split(char *text, char **argv)
{
  static char program[] = "camber";
  int argc = 0;
  argv[argc++] = program;
  for (char *at = text; at && argc < MOST_WORDS;) {
    argv[argc++] = at;
    at = strchr(at, '\n');
    if (at) *at++ = '\0';
    if (at && *at == '\0') break; /* the line end of the last word */
  }
  argv[argc] = NULL;
  return argc;
}

static void require_numbers(const struct cli_arguments *a)
{
  const double given[] = {a->rtol,   a->atol,  a->step,         a->every, a->max_steps, a->repeat,
                          a->radius, a->gauge, a->back_to_back, a->range, a->amplitude};
  for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
    require(isnan(given[i]) || (given[i] > 0 && isfinite(given[i])));
  }
  require(!isinf(a->t_end));
  require(!isinf(a->cant) && !isinf(a->yaw) && !isinf(a->yaw_per_mm));
  require(!isinf(a->smoothing) && !isinf(a->penetration));
  for (int i = 0; i < a->set_count; i++) require(isfinite(a->set[i].value) && a->set[i].name[0]);
  for (int i = 0; i < a->start_count; i++) require(isfinite(a->start[i].value));
}

/* Processes the arguments as the program does, without the run. */
static int follow(cmb_context *ctx, const struct cli_arguments *a)
{
  cmb_run_options options;
  cmb_system *system = NULL;
  cmb_simulation *sim = NULL;
  if (a->help || !a->operand || a->command->operands_known) return CLI_DONE;
  if (!cmb_problem_find(a->operand)) return CLI_DONE; /* a file would be opened */
  int code = cli_run_options(a, &options);
  if (code == CLI_DONE) code = cli_open_system(ctx, a, &system);
  if (code != CLI_DONE) return code;
  cmb_status status = cmb_simulation_create(ctx, system, &options, &sim);
  if (status != CMB_OK) cli_complain("%s", cmb_last_error(ctx));
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  return cli_exit_code(status);
}

static void require_message(int code)
{
  static const char beginning[] = "camber: ";
  require(fflush(stderr) == 0);
  if (code == CLI_DONE) {
    require(message_length == 0);
    return;
  }
  const char *end = memchr(message, '\n', message_length);
  require(code == CLI_BAD_INPUT || code == CLI_FAILED);
  require(message_length > sizeof beginning && end == message + message_length - 1);
  require(memcmp(message, beginning, sizeof beginning - 1) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char text[MOST_BYTES], *argv[MOST_WORDS + 1];
  struct cli_arguments arguments;
  if (size >= sizeof text) return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  rewind(stderr);
  int code = cli_parse(split(text, argv), argv, &arguments);
  if (code == CLI_DONE) {
    cmb_context *ctx = cmb_context_create(NULL);
    require(ctx != NULL);
    require_numbers(&arguments);
    code = follow(ctx, &arguments);
    cmb_context_destroy(ctx);
  }
  cli_release(&arguments);
  require_message(code);
  return 0;
}
