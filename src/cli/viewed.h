/*
 * A file of results on its way into a page of the viewer (view_results.c): its columns as curves, and the motion of the model that it is of.
 */
#ifndef CMB_CLI_VIEWED_H
#define CMB_CLI_VIEWED_H

#include "cli/cli.h"
#include "cli/frames.h"
#include "cli/history.h"
#include "cli/result.h"

struct cli_viewed {
  struct cli_result result;
  struct cli_arguments with; /* how its model was read; `with.model` NULL: there is no motion */
  char **words;              /* of the command line that `with` was made from */
  int word_count;
  const char *why; /* there is no motion, in words; NULL: there is one */
  char *notes;     /* warnings while it was read, one a line; NULL: none */
  bool notes_lost; /* there was no memory for one of them */
  struct cli_frames frames;
  struct cli_history series; /* t, then all columns of the result */
};

/* viewed_motion.c: reads the model, sees to it that it is the one of the run, and keeps the instants. `share`: of how many results in the
 * page. Complains and returns an exit code. */
int cli_viewed_move(cmb_context *ctx, struct cli_viewed *v, const struct cli_arguments *a,
                    int share);

/* viewed_match.c: which columns are which quantities of the equations: kinds and units are put in place. Complains of the first
 * coordinate that is missing. */
int cli_viewed_match(struct cli_viewed *v, const cmb_equations *eq);

/* viewed_report.c: the object of the page; exact: curves in double precision. */
cmb_status cli_viewed_put(cmb_context *ctx, struct cli_json *j, struct cli_viewed *v, bool exact);

/* viewed_notes.c: keeps a warning, once; a function for cmb_context_set_log, whose user is a struct cli_viewed. */
void cli_viewed_note(void *user, cmb_log_level level, const char *message);

/* Says each warning of all results once, with its files. False: no memory, or there was none for one of them. */
bool cli_viewed_say_notes(int count, const struct cli_viewed *all);

/* The next line of a text, without its end; *rest goes on behind it. False: there is none. */
bool cli_viewed_line(const char **rest, const char **line, size_t *length);

/* The column of that kind and number, counted among its kind; NULL: there is none. And how many there are. */
const struct cli_result_column *cli_viewed_column(const struct cli_viewed *v,
                                                  enum cli_column_kind kind, int number);
int cli_viewed_count(const struct cli_viewed *v, enum cli_column_kind kind);

/* The formulation that the file says, or that its model was read with; NULL: it is not known. */
const char *cli_viewed_formulation(const struct cli_viewed *v);

const char *cli_viewed_text(const struct cli_viewed *v, int text); /* never NULL */

#endif
