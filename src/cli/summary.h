/*
 * The summary of a run as keys of a JSON object: --json, the report of a run and pages of results have them alike, from the numbers that
 * files of results have (facts.h).
 */
#ifndef CMB_CLI_SUMMARY_H
#define CMB_CLI_SUMMARY_H

#include "cli/cli.h"
#include "cli/facts.h"
#include "cli/sides.h"

struct cli_summary {
  const double *numbers;  /* (CLI_NUMBER_COUNT), NaN: not known */
  const char *stopped_by; /* "": by no event */
  long event_count;
  const cmb_event *events;
  const struct cli_sides *sides; /* states at events; NULL: left out */
  const long *instants;          /* (event_count) in `sides` */
};

/* What a run is asked for, and what came of it. The others stay. */
void cli_summary_ask(const cmb_run_options *options, const cmb_system *system, double *numbers);
void cli_summary_take(const cmb_result *result, double *numbers);

/* "rtol", "atol", "step", "q_moved", "v_moved" */
void cli_summary_accuracy(struct cli_json *j, const double *numbers);

/* "residual", "worst", "projected", "events" and all that follows, up to "stats" and "seconds". */
void cli_summary_put(struct cli_json *j, const struct cli_summary *summary);

#endif
