/*
 * Work that is tried in another process first (trial.h).
 */
#include "cli/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bytes of memory that this process has mapped; 0: the system does not say it. */
static double mapped(void)
{
  double pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f) return 0;
  if (fscanf(f, "%lf", &pages) != 1) pages = 0;
  fclose(f);
  return pages * (double)sysconf(_SC_PAGESIZE);
}

/* A limit for what comes next, if it is below the one that holds. */
static void lower(int resource, double most)
{
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return;
  if (limit.rlim_cur != RLIM_INFINITY && (double)limit.rlim_cur <= most) return;
  limit.rlim_cur = (rlim_t)most;
  setrlimit(resource, &limit);
}

/* The trial itself: that it came to its end is a byte in the pipe. An end by a sanitizer is an exit, not a signal, so that exit codes do not tell. */
static void play(void (*work)(void *), void *what, const struct cli_trial_limits *limits, int pipe)
{
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing >= 0) dup2(nothing, STDOUT_FILENO), dup2(nothing, STDERR_FILENO);
  lower(RLIMIT_CORE, 0);
  lower(RLIMIT_CPU, ceil(limits->seconds));
  work(what);
  _exit(write(pipe, "", 1) == 1 ? 0 : 1);
}

/* Whether the trial came to its end. */
static bool wait_for(pid_t trial, int pipe)
{
  char byte;
  ssize_t got;
  while ((got = read(pipe, &byte, 1)) < 0 && errno == EINTR) continue;
  while (waitpid(trial, NULL, 0) < 0 && errno == EINTR) continue;
  return got == 1;
}

static bool rehearse(void (*work)(void *), void *what, const struct cli_trial_limits *limits)
{
  int ends[2];
  if (pipe(ends) != 0) return true;
  const pid_t trial = fork();
  if (trial == 0) {
    close(ends[0]);
    play(work, what, limits, ends[1]);
  }
  close(ends[1]);
  const bool good = trial < 0 || wait_for(trial, ends[0]);
  close(ends[0]);
  return good;
}

bool cli_try(void (*work)(void *what), void *what, const struct cli_trial_limits *limits)
{
  struct rlimit before;
  const double now = mapped();
  const bool limited = now > 0 && getrlimit(RLIMIT_AS, &before) == 0;
  if (limited) lower(RLIMIT_AS, now + limits->bytes);
  const bool good = rehearse(work, what, limits);
  if (good) work(what);
  if (limited) setrlimit(RLIMIT_AS, &before);
  return good;
}
