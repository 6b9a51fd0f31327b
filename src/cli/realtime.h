/*
 * camber run --realtime: steps at their times on the clock, and a report of how long they took.
 */
#ifndef CMB_CLI_REALTIME_H
#define CMB_CLI_REALTIME_H

#include "cli/cli.h"
#include "cli/histogram.h"

#include <sched.h>

struct cli_realtime {
  double t_start;  /* the model's time at `start` */
  long long start; /* the clock's time when the first step begins, in ns */
  long long woken; /* when the present step began */
  bool begun;      /* the first step has */
  long overruns;   /* steps that were not done when the next was due */
  double latest;   /* wake-up behind its time, in s */
  bool fifo;       /* the scheduler lets no ordinary program come first */
  bool locked;     /* memory stays in memory */
  int policy_before;
  struct sched_param priority_before;
  struct cli_histogram times; /* of the steps, in s; its unit is the period */
};

/* With --realtime: takes a method made for it, or complains if that contradicts what was asked for. */
int cli_realtime_choose(struct cli_arguments *arguments);

/* The step of a real-time method. */
double cli_period(const cmb_run_options *options);

/* A paced run: begin, run with the observer's two hooks, end. */
void cli_realtime_begin(struct cli_realtime *r, double period);
cmb_status cli_realtime_before_step(struct cli_realtime *r, double t);
void cli_realtime_after_step(struct cli_realtime *r, double t);
void cli_realtime_end(struct cli_realtime *r);

void cli_realtime_print(const struct cli_realtime *r);
void cli_realtime_json(const struct cli_realtime *r, struct cli_json *j); /* under "realtime" */

#endif
