/*
 * Paces the steps of a run by the clock (`camber run --realtime`), and reports how long they took.
 */
#ifndef CMB_CLI_REALTIME_H
#define CMB_CLI_REALTIME_H

#include "cli/cli.h"
#include "cli/histogram.h"

#include <sched.h>

struct cli_realtime {
  double t_start;  /* simulated time at the clock time `start` */
  long long start; /* clock time at the beginning of the first step, in ns */
  long long woken; /* clock time at the beginning of the current step, in ns */
  bool begun;      /* whether the first step has begun */
  long overruns;   /* number of steps that had not ended when the next one was due */
  double latest;   /* greatest delay of a wake-up, in s */
  bool fifo;       /* whether the process runs under the real-time scheduler SCHED_FIFO */
  bool locked;     /* whether memory is locked against swapping */
  int policy_before;
  struct sched_param priority_before;
  /* computing times of the steps in s; the histogram's unit is the period */
  struct cli_histogram times;
};

/* Chooses a real-time method if --realtime is given without a method. Prints an error message if --realtime contradicts other options;
 * returns an exit code. */
int cli_realtime_choose(struct cli_arguments *arguments);

/* Returns the step size of a real-time method in seconds. */
double cli_period(const cmb_run_options *options);

/* Paces a run by the clock: begin, then one call before and one after each step, then end. The call before a step sleeps until simulated
 * time t is due; it returns CMB_ERROR_INTERRUPTED if the user interrupts. */
void cli_realtime_begin(struct cli_realtime *r, double period);
cmb_status cli_realtime_before_step(struct cli_realtime *r, double t);
void cli_realtime_after_step(struct cli_realtime *r, double t);
void cli_realtime_end(struct cli_realtime *r);

void cli_realtime_print(const struct cli_realtime *r);
/* under the key "realtime" */
void cli_realtime_json(const struct cli_realtime *r, struct cli_json *j);

#endif
