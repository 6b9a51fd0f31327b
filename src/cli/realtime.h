/*
 * Runs a simulation in real time (`camber run --realtime`): starts each step when the clock has reached its simulated time, measures the
 * computing times of the steps, and reports them.
 */
#ifndef CMB_CLI_REALTIME_H
#define CMB_CLI_REALTIME_H

#include "cli/cli.h"
#include "cli/histogram.h"

#include <sched.h>

struct cli_realtime {
  double t_start;    /* simulated time at the clock time `start` */
  long long start;   /* clock time at the beginning of the first step, in ns */
  long long woken;   /* clock time at the beginning of the current step, in ns */
  bool begun;        /* whether the first step has begun */
  long overruns;     /* number of steps that had not ended when the next one was due */
  double latest;     /* greatest delay of a wake-up, in s */
  bool fifo;         /* whether the process runs under the real-time scheduler SCHED_FIFO */
  bool locked;       /* whether memory is locked against swapping */
  int policy_before; /* scheduler and priority of the process before the run */
  struct sched_param priority_before;
  /* computing times of the steps in s; the histogram's unit is the period */
  struct cli_histogram times;
};

/* If --realtime is set without a real-time method, selects one; but drops --realtime if only the model file sets it and the command line
 * names another method. Prints an error message if --realtime contradicts other options. Returns an exit code, CLI_DONE on success. */
int cli_realtime_choose(struct cli_arguments *arguments);

/* Returns the step size of a real-time method in seconds. */
double cli_period(const cmb_run_options *options);

/* Synchronise a run with the clock: begin, then one call before and one after each step, then end. `period` is the step size in seconds. The
 * call before a step sleeps until the simulated time t at its beginning is due; it returns CMB_ERROR_INTERRUPTED if the user interrupts the
 * sleep. The first such call prepares the process and starts the clock instead. The call after the step, which ends at t, records its
 * computing time and counts it as an overrun if it ended too late. */
void cli_realtime_begin(struct cli_realtime *r, double period);
cmb_status cli_realtime_before_step(struct cli_realtime *r, double t);
void cli_realtime_after_step(struct cli_realtime *r, double t);
void cli_realtime_end(struct cli_realtime *r);

/* Print the report of a run in real time: as text, or under the JSON key "realtime". */
void cli_realtime_print(const struct cli_realtime *r);
void cli_realtime_json(const struct cli_realtime *r, struct cli_json *j);

#endif
