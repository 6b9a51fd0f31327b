/*
 * Does work that may crash or hang the process first in a child process, as a trial; used to read HDF5 files, since a damaged file may crash the
 * HDF5 library.
 *
 * The child process is a copy of this process (fork) with limits of time and memory, without output and core dump. If the work succeeds there,
 * this process does the same from the same state with the same limit of memory, so that the result is the same.
 */
#ifndef CMB_CLI_TRIAL_H
#define CMB_CLI_TRIAL_H

#include <stdbool.h>

/* Limits for the child process; that of memory also holds for the work in this process. */
struct cli_trial_limits {
  double seconds; /* processor time */
  double bytes;   /* memory in addition to what this process has mapped */
};

/* Calls work(what) in a child process and, if it came to its end there, in this process. Returns false if it did not, e.g. because of a crash
 * or a limit; then there is no second call. If no child process can be created, work(what) is only called in this process. */
bool cli_try(void (*work)(void *what), void *what, const struct cli_trial_limits *limits);

#endif
