/*
 * A file of results, read back: the columns of a trajectory as CSV, HDF5 or MAT file, by the ending of its name (docs/results.md).
 * What a killed run has left, NAME.ENDING.partial, is read as well.
 */
#ifndef CMB_CLI_RESULT_H
#define CMB_CLI_RESULT_H

#include "cli/facts.h"

#include <stdbool.h>
#include <stddef.h>

/* What a column is; CSV files do not say it. */
enum cli_column_kind {
  CLI_COLUMN_UNKNOWN,
  CLI_COLUMN_TIME,
  CLI_COLUMN_COORDINATE,
  CLI_COLUMN_VELOCITY, /* or a state: these are the last ones */
  CLI_COLUMN_MULTIPLIER,
  CLI_COLUMN_OUTPUT,
  CLI_COLUMN_RESIDUAL
};

struct cli_result_column {
  char *name; /* "camber" */
  char *unit; /* "": none, or not known */
  enum cli_column_kind kind;
  double *numbers; /* (rows) */
};

struct cli_result_event {
  char *name;
  double t;
  int direction;
  cmb_event_kind kind;
};

struct cli_result {
  const char *path; /* as it was given */
  char *label;      /* what tells it from others (cli_result_label); NULL: that is not known yet */
  struct cli_result_column *columns;
  int count;
  long rows;
  char *texts[CLI_TEXT_COUNT];      /* "" or NULL: the file does not say it */
  double numbers[CLI_NUMBER_COUNT]; /* NaN: likewise */
  struct cli_result_event *events;
  long event_count;
};

/* Whether a file's name has an ending of such files. */
bool cli_is_result(const char *path);

/* Complains, with the place in the file, of what is not such a file. Returns an exit code; the result is released in any case with
 * cli_result_end. */
int cli_result_read(const char *path, struct cli_result *result);
void cli_result_end(struct cli_result *result);

/* The column of that name: an output, if there is one, else the first; else the one that a CSV file calls "q/NAME" or "v/NAME". NULL: there is
 * none. */
const struct cli_result_column *cli_result_find(const struct cli_result *result, const char *name);

/* Whether there is another one that could be meant as well. */
bool cli_result_ambiguous(const struct cli_result *result, const struct cli_result_column *column);

/* Cuts the first name off a list of names that are separated by commas, as the first line of a CSV file has them: in quotes if a name has a comma,
 * and a quote in it is two. `list` becomes the rest, NULL if that was the last one. False: quotes do not end, or something follows them. */
bool cli_result_cut_name(char **list, char **name);

/* result_labels.c: labels for results that are compared: "damping = 1500", "mdop5, rtol 1e-6", of model, method, accuracy, formulation and settings
 * those that differ; the names of the files where nothing does, or nothing is known. False: no memory. */
bool cli_result_label(int count, struct cli_result *const *results);

/* The formulation that the file says; NULL: it does not. */
const char *cli_result_formulation(const struct cli_result *result);

/* The name of a file without its folders. */
const char *cli_base_name(const char *path);

/* A text as it can be shown: what is no text in UTF-8, or a control character but the end of a line among `lines`, becomes a question mark. */
void cli_result_clean(char *text, bool lines);

/* ---- for the readers of the formats */

/* Nothing of it is known yet. */
void cli_result_begin(struct cli_result *result, const char *path);

/* A column more, with a copy of the name and unit; its numbers are to be filled in. NULL: no memory. */
struct cli_result_column *cli_result_add(struct cli_result *result, const char *name, size_t length,
                                         const char *unit, enum cli_column_kind kind);

/* What the columns of a group are, by its name: "q". */
enum cli_column_kind cli_result_kind(const char *group);

/* Room for so many events, whose names are to be filled in; more than a run keeps are left out. False: no memory. */
bool cli_result_take_events(struct cli_result *result, long count);

enum { CLI_RESULT_MOST_TEXT = 1 << 20 }; /* of a text of a file; a longer one is left out */

/* Words of what is wrong, without the file's name, and where: the line, or 0. NULL: nothing. Texts hold until the next call. */
struct cli_result_fault {
  const char *words;
  long line;
};

/* What the bytes of a file say; the numbers of all columns come to be `rows`. The last line of a CSV file may have no end, unless it is one that a killed run
 * has left: then it is unfinished, and left out. */
struct cli_result_fault cli_result_parse_csv(struct cli_result *result, const char *text,
                                             size_t length, bool unfinished);
struct cli_result_fault cli_result_parse_mat(struct cli_result *result, const char *bytes,
                                             size_t length);
struct cli_result_fault cli_result_read_hdf5(struct cli_result *result, const char *path);

extern const char cli_result_no_memory[]; /* a fault */

#endif
