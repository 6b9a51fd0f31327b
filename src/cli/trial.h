/*
 * Work that may kill or hang the process, tried in another one first: a library of others on a file that may be damaged.
 *
 * The trial is a copy of this process (fork) with limits of time and memory, which says nothing and leaves no core. Then this process does the
 * same from the same state, with the same limit of memory: so it ends as the trial did.
 */
#ifndef CMB_CLI_TRIAL_H
#define CMB_CLI_TRIAL_H

#include <stdbool.h>

struct cli_trial_limits {
  double seconds; /* of the processor */
  double bytes;   /* of memory, more than there is now */
};

/* Does the work twice. False: the first time it ended by a signal or ran into the limit of time, and there was no second one. What cannot be
 * tried, because there is no process to be had, is done once. */
bool cli_try(void (*work)(void *what), void *what, const struct cli_trial_limits *limits);

#endif
