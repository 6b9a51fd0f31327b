/*
 * Does work in a child process first, and in this process if that succeeds (trial.h).
 */
#include "cli/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns how many bytes of virtual memory this process has mapped, as /proc/self/statm says; 0 if unknown. */
static double mapped_bytes(void)
{
  double pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f) return 0;
  if (fscanf(f, "%lf", &pages) != 1) pages = 0;
  fclose(f);
  return pages * (double)sysconf(_SC_PAGESIZE);
}

/* Lowers the soft limit of a resource (RLIMIT_CPU, ...) of this process to `most`, unless it is lower already. Failures are ignored. */
static void lower_limit(int resource, double most)
{
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return;
  if (limit.rlim_cur != RLIM_INFINITY && (double)limit.rlim_cur <= most) return;
  limit.rlim_cur = (rlim_t)most;
  setrlimit(resource, &limit);
}

/* Calls work(what) in the child process, with limited processor time and without output and core dump. Then writes a byte to the pipe as a sign
 * of success, since the exit code alone is not reliable, and ends the process. Does not return. */
static void run_child(void (*work)(void *), void *what, const struct cli_trial_limits *limits,
                      int pipe)
{
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing >= 0) dup2(nothing, STDOUT_FILENO), dup2(nothing, STDERR_FILENO);
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_CPU, ceil(limits->seconds));
  work(what);
  _exit(write(pipe, "", 1) == 1 ? 0 : 1);
}

/* Waits until the child process `trial` has ended. Returns whether it has written a byte to the pipe, the sign that its work was done; `pipe`
 * is the descriptor of the reading end. */
static bool wait_for(pid_t trial, int pipe)
{
  char byte;
  ssize_t got;
  while ((got = read(pipe, &byte, 1)) < 0 && errno == EINTR) continue;
  while (waitpid(trial, NULL, 0) < 0 && errno == EINTR) continue;
  return got == 1;
}

/* Calls work(what) in a child process, a copy of this one, with limited processor time. Returns whether the call came to its end; also true if
 * no pipe or child process can be created. */
static bool try_in_child(void (*work)(void *), void *what, const struct cli_trial_limits *limits)
{
  int ends[2];
  if (pipe(ends) != 0) return true;
  const pid_t trial = fork();
  if (trial == 0) {
    close(ends[0]);
    run_child(work, what, limits, ends[1]);
  }
  close(ends[1]);
  const bool good = trial < 0 || wait_for(trial, ends[0]);
  close(ends[0]);
  return good;
}

bool cli_try(void (*work)(void *what), void *what, const struct cli_trial_limits *limits)
{
  struct rlimit before;
  const double now = mapped_bytes();
  const bool limited = now > 0 && getrlimit(RLIMIT_AS, &before) == 0;
  if (limited) lower_limit(RLIMIT_AS, now + limits->bytes);
  const bool good = try_in_child(work, what, limits);
  if (good) work(what);
  if (limited) setrlimit(RLIMIT_AS, &before);
  return good;
}
