/*
 * Other programs (other_program.h).
 */
#include "cli/other_program.h"

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* The file as one of the three that a program has open from the start on. */
static bool attach(int file, int place, int nothing)
{
  return dup2(file >= 0 ? file : nothing, place) >= 0;
}

static void become(char *const words[], int input, int output)
{
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing >= 0 && attach(input, STDIN_FILENO, nothing) &&
      attach(output, STDOUT_FILENO, nothing) && attach(-1, STDERR_FILENO, nothing)) {
    execvp(words[0], words);
  }
  _exit(CLI_NOT_INSTALLED);
}

/* It and those that it has started are a group of their own: Ctrl-C comes to us alone, and then all of them end. */
int cli_other_program(char *const words[], int input, int output)
{
  cli_catch_interrupt();
  const pid_t child = fork();
  if (child >= 0) setpgid(child, child); /* in both processes: whichever comes first */
  if (child == 0) become(words, input, output);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 1;
    if (cli_interrupted()) kill(-child, SIGKILL);
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
