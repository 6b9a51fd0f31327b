/*
 * Writes the summary of a run as keys of a JSON object. Apart from the states at events, it is the same in the output of --json, in the
 * report of a run and in the viewer's pages of results; it is made from the numbers that are also in result files (facts.h).
 */
#ifndef CMB_CLI_SUMMARY_H
#define CMB_CLI_SUMMARY_H

#include "cli/cli.h"
#include "cli/facts.h"
#include "cli/sides.h"

/* The data of a summary. */
struct cli_summary {
  const double *numbers;         /* (CLI_NUMBER_COUNT), NaN: unknown */
  const char *stopped_by;        /* name of the event that stopped the run; "": none */
  long event_count;              /* number of stored events */
  const cmb_event *events;       /* (event_count) */
  const struct cli_sides *sides; /* states before and after events; NULL: omitted */
  const long *instants;          /* (event_count) index of each event's instant in `sides` */
};

/* cli_summary_ask sets the requested accuracy and end time of a run, and the number of first-order states, in numbers[CLI_NUMBER_COUNT];
 * cli_summary_take sets the results of a run there. Other numbers remain unchanged. */
void cli_summary_ask(const cmb_run_options *options, const cmb_system *system, double *numbers);
void cli_summary_take(const cmb_result *result, double *numbers);

/* Writes the keys "rtol", "atol", "step", "q_moved" and "v_moved". */
void cli_summary_accuracy(struct cli_json *j, const double *numbers);

/* Writes the keys "residual", "worst", "projected", "events" and all that follow, up to "stats" and "seconds". */
void cli_summary_put(struct cli_json *j, const struct cli_summary *summary);

#endif
