/*
 * What both programs (camber and camber-bench) do around a command: create the context, log warnings, measure time, handle Ctrl-C and other
 * signals, and return the exit code.
 */
#include "cli/cli.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

static volatile sig_atomic_t interrupted; /* a signal has asked the run to stop */

/* Handles SIGINT, SIGTERM and SIGHUP: sets the flag that asks the run to stop, and restores the default action of SIGINT, so that a second
 * Ctrl-C ends the program at once. A second SIGTERM or SIGHUP does not, since a shell or timeout(1) may send these twice. */
static void on_interrupt(int signal_number)
{
  (void)signal_number;
  interrupted = 1;
  signal(SIGINT, SIG_DFL);
}

void cli_catch_interrupt(void)
{
  const struct sigaction action = {.sa_handler = on_interrupt};
  struct sigaction before;
  if (interrupted) return; /* keep the default action of SIGINT: a second Ctrl-C ends the program */
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  if (sigaction(SIGHUP, NULL, &before) == 0 &&
      before.sa_handler != SIG_IGN) { /* under nohup it is ignored */
    sigaction(SIGHUP, &action, NULL);
  }
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

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double cli_median(int n, double *x)
{
  qsort(x, (size_t)n, sizeof *x, by_size);
  return x[n / 2];
}

/* Runs the command of a parsed command line: reads its model if it takes one, and calls the command's function; prints the help of the command
 * instead if --help is given. Returns the exit code of the program. */
static int dispatch(struct cli_arguments *arguments)
{
  if (arguments->help) {
    cli_command_help(stdout, arguments->command);
    return CLI_DONE;
  }
  cmb_context *ctx = cmb_context_create(NULL);
  if (!ctx) return cli_fail(NULL, CMB_ERROR_MEMORY);
  cmb_context_set_log(ctx, cli_warn, arguments);
  int code = cli_on_model(arguments->command) ? cli_read_model(ctx, arguments) : CLI_DONE;
  if (code == CLI_DONE) code = arguments->command->run(ctx, arguments);
  if (code != CLI_DONE) cli_json_failure(arguments, NULL);
  cli_failure_end();
  cmb_model_destroy(arguments->model);
  cmb_context_destroy(ctx);
  return code;
}

int cli_finish(int code)
{
  if (fflush(stdout) != 0 || ferror(stdout)) {
    cli_complain("cannot write to standard output");
    return code == CLI_DONE ? CLI_BAD_INPUT : code;
  }
  return code;
}

int cli_carry_out(struct cli_arguments *arguments, int parsed)
{
  int code = parsed;
  if (code == CLI_DONE) {
    code = dispatch(arguments);
  } else {
    cli_json_failure(arguments, NULL);
  }
  cli_release(arguments);
  return cli_finish(code);
}
