/*
 * Reads result files back: the columns of a trajectory in a CSV, HDF5 or MAT file, chosen by the ending of its name (docs/results.md). Used
 * by `camber plot` and `camber view`. The file that a killed run has left, NAME.ENDING.partial, can be read as well.
 */
#ifndef CMB_CLI_RESULT_H
#define CMB_CLI_RESULT_H

#include "cli/facts.h"

#include <stdbool.h>
#include <stddef.h>

/* The quantity that a column contains; unknown for CSV files, which do not specify it. */
enum cli_column_kind {
  CLI_COLUMN_UNKNOWN,
  CLI_COLUMN_TIME,
  CLI_COLUMN_COORDINATE,
  CLI_COLUMN_VELOCITY, /* or a first-order state; the states are the last ones */
  CLI_COLUMN_MULTIPLIER,
  CLI_COLUMN_OUTPUT,
  CLI_COLUMN_RESIDUAL
};

struct cli_result_column {
  char *name; /* e.g. "camber" */
  char *unit; /* "": none, or unknown */
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
  const char *path; /* as given on the command line */
  char *label;      /* distinguishes it from other files (cli_result_label); NULL: not set yet */
  struct cli_result_column *columns;
  int count;
  long rows;
  char *texts[CLI_TEXT_COUNT];      /* "" or NULL: not in the file */
  double numbers[CLI_NUMBER_COUNT]; /* NaN: not in the file */
  struct cli_result_event *events;
  long event_count;
};

/* Returns whether a file's name has the ending of a result file. */
bool cli_is_result(const char *path);

/* Reads a result file. Prints an error message with the position in the file if it is invalid; returns an exit code. `result` has to be
 * released with cli_result_end in any case. */
int cli_result_read(const char *path, struct cli_result *result);
void cli_result_end(struct cli_result *result);

/* Finds the column of a name: an output if there is one of that name, else the first column; else the column that CSV files call
 * "q/NAME" or "v/NAME". Returns NULL if there is none. */
const struct cli_result_column *cli_result_find(const struct cli_result *result, const char *name);

/* Returns whether another column has the same name as `column`, so that the name is ambiguous; outputs are compared with outputs only. */
bool cli_result_ambiguous(const struct cli_result *result, const struct cli_result_column *column);

/* Cuts the first name off a list of names separated by commas in CSV notation: a name with a comma is in quotes, and a quote in it is
 * doubled. `list` becomes the rest, or NULL after the last name. Returns false if quotes do not end, or if something other than a comma
 * follows them. */
bool cli_result_cut_name(char **list, char **name);

/* result_labels.c: sets the labels of results that are compared, such as "damping = 1500" or "mdop5, rtol 1e-6": those of model, method,
 * accuracy, formulation and parameter settings in which they differ, else the names of the files. Returns false if there is no memory. */
bool cli_result_label(int count, struct cli_result *const *results);

/* Returns the formulation with which the file was computed; NULL if the file does not contain it. */
const char *cli_result_formulation(const struct cli_result *result);

/* Returns the name of a file without its folders. */
const char *cli_base_name(const char *path);

/* Replaces by '?' what cannot be shown in a text: bytes that are not UTF-8, and control characters, except for line ends if `lines` is
 * set. */
void cli_result_clean(char *text, bool lines);

/* ---- for the readers of the formats */

/* Initialises an empty result. */
void cli_result_begin(struct cli_result *result, const char *path);

/* Appends a column with a copy of the name (`length` bytes) and unit; the caller sets its numbers. Returns NULL if there is no memory or
 * there are too many columns. */
struct cli_result_column *cli_result_add(struct cli_result *result, const char *name, size_t length,
                                         const char *unit, enum cli_column_kind kind);

/* Returns the kind of the columns in a group of this name: "t", "q", "v", "lambda", "outputs" or "residuals". */
enum cli_column_kind cli_result_kind(const char *group);

/* Allocates `count` events, at most CLI_MOST_KEPT; the caller sets their names. Returns false if there is no memory. */
bool cli_result_take_events(struct cli_result *result, long count);

enum { CLI_RESULT_MOST_TEXT = 1 << 20 }; /* bytes in a text of a file; longer texts are ignored */

/* Why a file cannot be read: a text without the file's name, or NULL if it can; and the line, or 0. The text is valid until the next
 * call. */
struct cli_result_fault {
  const char *words;
  long line;
};

/* Parse the bytes of a file, or read it; all columns get `rows` numbers. The last line of a CSV file need not end in a newline, unless
 * `unfinished` is set: then it may be cut off and is ignored. */
struct cli_result_fault cli_result_parse_csv(struct cli_result *result, const char *text,
                                             size_t length, bool unfinished);
struct cli_result_fault cli_result_parse_mat(struct cli_result *result, const char *bytes,
                                             size_t length);
struct cli_result_fault cli_result_read_hdf5(struct cli_result *result, const char *path);

extern const char cli_result_no_memory[]; /* the text of a fault */

#endif
