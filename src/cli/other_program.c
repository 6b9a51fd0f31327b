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
#include <time.h>
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

static void sleep_for(long milliseconds)
{
  nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

/* All of the group are killed, and gone when the caller removes their files. Those that nobody waits for stay in the group, so that there is an end to it. */
static void end_group(pid_t group)
{
  enum { TRIES = 100 };
  for (int i = 0; i < TRIES && kill(-group, SIGKILL) == 0; i++) {
    waitpid(group, NULL, WNOHANG);
    sleep_for(5);
  }
}

/* It and those that it has started are a group of their own: Ctrl-C comes to us alone, and then all of them end. */
int cli_other_program(char *const words[], int input, int output)
{
  cli_catch_interrupt();
  const pid_t child = fork();
  if (child >= 0) setpgid(child, child); /* in both processes: whichever comes first */
  if (child == 0) become(words, input, output);
  int status = 0;
  while (child >
         0) { /* asked again and again: a signal right before a call that waits would not end it */
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
