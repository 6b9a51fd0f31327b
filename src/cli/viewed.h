/*
 * A result file that becomes part of a page of the viewer (view_results.c): its columns as curves, and the motion of its model.
 */
#ifndef CMB_CLI_VIEWED_H
#define CMB_CLI_VIEWED_H

#include "cli/cli.h"
#include "cli/frames.h"
#include "cli/history.h"
#include "cli/result.h"

struct cli_viewed {
  struct cli_result result;
  /* arguments with which its model was read; `with.model` is NULL if there is no motion */
  struct cli_arguments with;
  char **words; /* words of a command line from which `with` was made */
  int word_count;
  const char *why; /* why there is no motion; NULL: there is one */
  char *notes;     /* warnings while it was read, one a line; NULL: none */
  bool notes_lost; /* whether a warning was lost since there was no memory */
  struct cli_frames frames;
  struct cli_history series; /* t, then all columns of the result */
};

/* viewed_motion.c: reads the model, checks that it is the model of the run, and stores the instants of the motion. `share` is the number
 * of results in the page. Prints an error message if this fails; returns an exit code. */
int cli_viewed_move(cmb_context *ctx, struct cli_viewed *v, const struct cli_arguments *a,
                    int share);

/* viewed_match.c: determines which column is which quantity of the equations, and sets their kinds and units. Prints an error message if
 * a coordinate is missing; returns an exit code. */
int cli_viewed_match(struct cli_viewed *v, const cmb_equations *eq);

/* viewed_report.c: writes the result as an object of the page; `exact` selects curves in double precision. */
cmb_status cli_viewed_put(cmb_context *ctx, struct cli_json *j, struct cli_viewed *v, bool exact);

/* viewed_notes.c: stores a warning once; a callback for cmb_context_set_log, where `user` is a struct cli_viewed. */
void cli_viewed_note(void *user, cmb_log_level level, const char *message);

/* Prints each warning of all results once, with the files it is about. Returns false if there is no memory, or was none for one of them. */
bool cli_viewed_say_notes(int count, const struct cli_viewed *all);

/* Finds the next line of a text, without its line end, and advances *rest past it. Returns false if there is none. */
bool cli_viewed_line(const char **rest, const char **line, size_t *length);

/* Return the column with this number among those of a kind (NULL if there is none), and the number of columns of a kind. */
const struct cli_result_column *cli_viewed_column(const struct cli_viewed *v,
                                                  enum cli_column_kind kind, int number);
int cli_viewed_count(const struct cli_viewed *v, enum cli_column_kind kind);

/* Returns the formulation in the file, else that with which its model was read; NULL if unknown. */
const char *cli_viewed_formulation(const struct cli_viewed *v);

const char *cli_viewed_text(const struct cli_viewed *v, int text); /* never NULL */

#endif
