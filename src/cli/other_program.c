/*
 * Starts another program and waits for its end (other_program.h).
 */
#include "cli/other_program.h"

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Makes `file` one of the standard descriptors (`place`: STDIN_FILENO, ...) of this process; if `file` is negative, `nothing`, an open
 * /dev/null, is used instead. Returns whether this succeeded. */
static bool attach(int file, int place, int nothing)
{
  return dup2(file >= 0 ? file : nothing, place) >= 0;
}

/* Replaces this process (the child after fork) by the program words[0] with the given input and output. Exits with CLI_NOT_INSTALLED if
 * there is no such program. */
static void execute(char *const words[], int input, int output)
{
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing >= 0 && attach(input, STDIN_FILENO, nothing) &&
      attach(output, STDOUT_FILENO, nothing) && attach(-1, STDERR_FILENO, nothing)) {
    execvp(words[0], words);
  }
  _exit(CLI_NOT_INSTALLED);
}

static void sleep_for(long milliseconds)
{
  nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

/* Kills all processes of a group and waits until they have ended, so that the caller can remove their files. Ended processes that nobody
 * waits for remain in the group, so the number of attempts is limited. */
static void end_group(pid_t group)
{
  enum { TRIES = 100 };
  for (int i = 0; i < TRIES && kill(-group, SIGKILL) == 0; i++) {
    waitpid(group, NULL, WNOHANG);
    sleep_for(5);
  }
}

/* Starts the program and polls until it has ended. It and its child processes form a process group, so that Ctrl-C reaches only this
 * process, which then kills the whole group. */
int cli_other_program(char *const words[], int input, int output)
{
  cli_catch_interrupt();
  const pid_t child = fork();
  if (child >= 0) setpgid(child, child); /* in both processes, since either may run first */
  if (child == 0) execute(words, input, output);
  int status = 0;
  while (child > 0) { /* polled: a signal right before a blocking call would not interrupt it */
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (ended < 0 && errno != EINTR) return 1;
    if (cli_interrupted()) {
      end_group(child);
      return 1;
    }
    sleep_for(5);
  }
  return 1;
}
