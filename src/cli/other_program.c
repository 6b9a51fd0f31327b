/*
 * Runs another program and waits for its end (other_program.h).
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

/* Redirects the standard descriptor `place` (STDIN_FILENO, ...) of this process to the open file descriptor `file` or, if `file` is
 * negative, to the descriptor dev_null of /dev/null. Returns whether this succeeded. */
static bool redirect(int file, int place, int dev_null)
{
  return dup2(file >= 0 ? file : dev_null, place) >= 0;
}

/* Replaces this process, the child after fork, by the program words[0] with the arguments words[] (ended by NULL). Its standard input and
 * output are the file descriptors `input` and `output` (−1: /dev/null), its error output is discarded. Exits with CLI_NOT_INSTALLED if the
 * program cannot be executed. */
static void execute(char *const words[], int input, int output)
{
  const int dev_null = open("/dev/null", O_RDWR);
  if (dev_null >= 0 && redirect(input, STDIN_FILENO, dev_null) &&
      redirect(output, STDOUT_FILENO, dev_null) && redirect(-1, STDERR_FILENO, dev_null)) {
    execvp(words[0], words);
  }
  _exit(CLI_NOT_INSTALLED);
}

static void sleep_for(long milliseconds)
{
  nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

/* Kills all processes of a process group and waits until they have ended, but at most half a second, so that the caller can remove the files
 * they use. */
static void end_group(pid_t group)
{
  enum { TRIES = 100 };
  for (int i = 0; i < TRIES && kill(-group, SIGKILL) == 0; i++) {
    waitpid(group, NULL, WNOHANG);
    sleep_for(5);
  }
}

/* Runs another program, words[0] with the arguments words[] (ended by NULL), and waits until it has ended. `input` and `output` are the file
 * descriptors of its standard input and output (−1: /dev/null). Ctrl-C kills it. Returns its exit code, CLI_NOT_INSTALLED if it cannot be
 * executed, or 1 if it was killed or could not be started. */
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
