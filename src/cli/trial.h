/*
 * Carries out work that may crash or hang the process in a child process first, such as reading a damaged file with a library of others.
 *
 * The trial is a copy of this process (fork) with limits of time and memory, without output and core dump. If it succeeds, this process
 * does the same from the same state with the same limit of memory, so that the result is the same.
 */
#ifndef CMB_CLI_TRIAL_H
#define CMB_CLI_TRIAL_H

#include <stdbool.h>

struct cli_trial_limits {
  double seconds; /* processor time */
  double bytes;   /* memory in addition to what the process has */
};

/* Calls work(what) in a child process, and if that succeeds, in this process. Returns false if the child was killed or exceeded a limit;
 * then there is no second call. If no child process can be created, the work is done once. */
bool cli_try(void (*work)(void *what), void *what, const struct cli_trial_limits *limits);

#endif
