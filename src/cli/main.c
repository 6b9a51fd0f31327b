/*
 * camber: the program's entry. Commands and options are in options.c.
 */
#include "base/text.h"
#include "cli/cli.h"

#include <signal.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
  (void)signal_number;
  interrupted = 1;
}

void cli_catch_interrupt(void)
{
  struct sigaction action = {.sa_handler = on_interrupt};
  action.sa_flags = (int)SA_RESETHAND; /* a second Ctrl-C ends the program at once */
  sigaction(SIGINT, &action, NULL);
}

bool cli_interrupted(void)
{
  return interrupted != 0;
}

double cli_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int dispatch(struct cli_arguments *arguments)
{
  if (arguments->help) {
    cli_command_help(stdout, arguments->command);
    return CLI_DONE;
  }
  cmb_context *ctx = cmb_context_create(NULL);
  if (!ctx) return cli_fail(NULL, CMB_ERROR_MEMORY);
  cmb_context_set_log(ctx, cli_note_message, NULL);
  int code = cli_on_model(arguments->command) ? cli_read_model(ctx, arguments) : CLI_DONE;
  if (code == CLI_DONE) code = arguments->command->run(ctx, arguments);
  if (code != CLI_DONE) cli_json_failure(arguments, NULL);
  cli_failure_end();
  cmb_model_destroy(arguments->model);
  cmb_context_destroy(ctx);
  return code;
}

/* What was printed must have arrived: a full disk behind standard output is an error. */
static int finish(int code)
{
  if (fflush(stdout) != 0 || ferror(stdout)) {
    cli_complain("cannot write to standard output");
    return code == CLI_DONE ? CLI_BAD_INPUT : code;
  }
  return code;
}

/* Whether the words that were not understood ask for JSON, perhaps behind the one that is wrong. */
static bool wants_json(int argc, char **argv, const struct cli_arguments *a)
{
  const int k = cmb_find_name("json", cli_options, cli_option_count, sizeof *cli_options);
  if (!a->command || !cli_takes(a->command, &cli_options[k])) return false;
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "--json") == 0) return true;
  }
  return false;
}

int main(int argc, char **argv)
{
  struct cli_arguments arguments;
  if (argc < 2) {
    cli_help(stderr);
    return CLI_BAD_INPUT;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("camber %s\n", cmb_version());
    return finish(CLI_DONE);
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    cli_help(stdout);
    return finish(CLI_DONE);
  }
  int code = cli_parse(argc, argv, &arguments);
  if (code == CLI_DONE) {
    code = finish(dispatch(&arguments));
  } else {
    arguments.json = wants_json(argc, argv, &arguments);
    cli_json_failure(&arguments, NULL);
    code = finish(code);
  }
  cli_release(&arguments);
  return code;
}
