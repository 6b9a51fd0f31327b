/*
 * A result file that becomes part of an HTML page of `camber view` (view_results.c): its columns as curves, and the motion of its model.
 */
#ifndef CMB_CLI_VIEWED_H
#define CMB_CLI_VIEWED_H

#include "cli/cli.h"
#include "cli/frames.h"
#include "cli/history.h"
#include "cli/result.h"

struct cli_viewed {
  struct cli_result result;
  /* arguments with which its model was read; `with.model` is NULL if no motion is shown */
  struct cli_arguments with;
  char **words; /* (word_count) words of a command line from which `with` was made */
  int word_count;
  const char *no_motion;     /* why no motion is shown; NULL: one is */
  char *warnings;            /* warnings while it was read, one a line; NULL: none */
  bool warnings_lost;        /* whether a warning was lost because memory ran out */
  struct cli_frames frames;  /* instants of the motion */
  struct cli_history series; /* t, then all columns of the result file */
};

/* viewed_motion.c: reads the model of a result file, checks that it is the model of the run, and stores the instants of the motion; or sets
 * v->no_motion to the reason why none is shown. `share` is the number of result files in the page. Prints an error message on failure; returns
 * an exit code. */
int cli_viewed_move(cmb_context *ctx, struct cli_viewed *v, const struct cli_arguments *a,
                    int share);

/* viewed_match.c: determines which column of a result file is which quantity of the equations, and sets the kinds and units of the columns.
 * Prints an error message if a coordinate is missing; returns an exit code. */
int cli_viewed_match(struct cli_viewed *v, const cmb_equations *eq);

/* viewed_report.c: writes a result file as a JSON object of the page; `exact` selects curves in double precision. */
cmb_status cli_viewed_put(cmb_context *ctx, struct cli_json *j, struct cli_viewed *v, bool exact);

/* viewed_warnings.c: stores a warning in v->warnings, unless it is there already; messages below the level of warnings are ignored. A callback
 * for cmb_context_set_log; `user` is the struct cli_viewed v. */
void cli_viewed_add_warning(void *user, cmb_log_level level, const char *message);

/* Prints each warning of the result files all[count] once, with the names of the files that have it. Returns false if memory runs out, or did so
 * when a warning was stored. */
bool cli_viewed_print_warnings(int count, const struct cli_viewed *all);

/* Finds the next line of the text *rest, (*line)[*length] without its line end, and advances *rest past it. Returns false if there is none. */
bool cli_viewed_line(const char **rest, const char **line, size_t *length);

/* Return column `number` (from 0) among those of a kind, NULL if there is none; and the number of columns of a kind. */
const struct cli_result_column *cli_viewed_column(const struct cli_viewed *v,
                                                  enum cli_column_kind kind, int number);
int cli_viewed_count(const struct cli_viewed *v, enum cli_column_kind kind);

/* Returns the name of the formulation that the result file contains, else of that with which its model was read; NULL if unknown. */
const char *cli_viewed_formulation(const struct cli_viewed *v);

/* Returns a text about the run from the result file, CLI_TEXT_…; "" if the file does not contain it. */
const char *cli_viewed_text(const struct cli_viewed *v, int text);

#endif
