/*
 * camber: the program's entry. Commands and options are in options.c.
 */
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
  if (code == CLI_DONE) code = finish(dispatch(&arguments));
  cli_release(&arguments);
  return code;
}
