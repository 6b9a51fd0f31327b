/*
 * Reads the result files that `camber run` writes: the columns of a trajectory and the data about its run, from a CSV, HDF5 or MAT file,
 * according to the ending of its name (docs/results.md). Used by `camber plot` and `camber view`. The file that a killed run has left,
 * NAME.ENDING.partial, can be read as well.
 */
#ifndef CMB_CLI_RESULT_H
#define CMB_CLI_RESULT_H

#include "cli/facts.h"

#include <stdbool.h>
#include <stddef.h>

/* What a column contains; unknown for CSV files, which do not specify it. */
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
  char *name;
  char *unit; /* "": none, or unknown */
  enum cli_column_kind kind;
  double *numbers; /* (rows) */
};

struct cli_result_event {
  char *name;
  double t;
  int direction; /* as in cmb_event */
  cmb_event_kind kind;
};

struct cli_result {
  const char *path; /* as given on the command line */
  char *label;      /* distinguishes it from other files (cli_result_label); NULL: not set yet */
  struct cli_result_column *columns;
  int count;                        /* number of columns */
  long rows;                        /* number of values in each column */
  char *texts[CLI_TEXT_COUNT];      /* "" or NULL: not in the file */
  double numbers[CLI_NUMBER_COUNT]; /* NaN: not in the file */
  struct cli_result_event *events;
  long event_count;
};

/* Returns whether a file name has the ending of a result file (.csv, .h5 or .mat), which may be followed by ".partial". */
bool cli_is_result(const char *path);

/* Reads a result file. Prints an error message on failure, with the line if a CSV file is invalid; returns the exit code of the program.
 * `result`, which refers to `path`, has to be released with cli_result_end in any case. */
int cli_result_read(const char *path, struct cli_result *result);
void cli_result_end(struct cli_result *result);

/* Returns the column with this name: the first output of this name if there is one, otherwise the first other column. If there is none, the
 * names "q/NAME" and "v/NAME", as columns are called in CSV files if there is also an output NAME, give the coordinate or the velocity NAME.
 * Returns NULL if there is no such column. */
const struct cli_result_column *cli_result_find(const struct cli_result *result, const char *name);

/* Returns whether another column has the same name as `column`, so that the name is ambiguous. Outputs are compared with outputs only, other
 * columns with other columns only. */
bool cli_result_ambiguous(const struct cli_result *result, const struct cli_result_column *column);

/* Takes the first name from a list of names separated by commas in CSV notation: a name with a comma is in quotes, and a quote in it is
 * doubled. *name points into the list, which is overwritten; *list becomes the rest, or NULL after the last name. Returns false if a
 * closing quote is missing or something other than a comma follows the name. */
bool cli_result_cut_name(char **list, char **name);

/* result_labels.c: sets the labels of results that are compared, such as "damping = 1500" or "mdop5, rtol 1e-6": the model, method, accuracy,
 * formulation and parameter settings in which they differ. If these labels are not distinct, the labels are the file names, or the paths, or
 * the paths with numbers. Returns false if memory runs out. */
bool cli_result_label(int count, struct cli_result *const *results);

/* Returns the name of the formulation of the equations of motion with which the run was computed; NULL if the file has no known one. */
const char *cli_result_formulation(const struct cli_result *result);

/* Returns the name of a file without its folders. */
const char *cli_base_name(const char *path);

/* Replaces what cannot be shown in a text (NULL: nothing) by '?': bytes that are not valid UTF-8, and control characters, except for line
 * ends if `lines` is set. */
void cli_result_clean(char *text, bool lines);

/* ---- for the functions that read the file formats */

/* Initialises *result without columns and data; the path is not copied. */
void cli_result_begin(struct cli_result *result, const char *path);

/* Appends a column with copies of name[length] and unit, and returns it; the caller sets its numbers. Returns NULL if memory runs out or
 * there are too many columns. */
struct cli_result_column *cli_result_add(struct cli_result *result, const char *name, size_t length,
                                         const char *unit, enum cli_column_kind kind);

/* Returns the kind of the columns in a group of this name: "t", "q", "v", "lambda", "outputs" or "residuals"; CLI_COLUMN_UNKNOWN for other
 * names. */
enum cli_column_kind cli_result_kind(const char *group);

/* Allocates `count` events, at most CLI_MOST_KEPT, with all members 0; the caller sets them. Returns false if memory runs out. */
bool cli_result_take_events(struct cli_result *result, long count);

enum { CLI_RESULT_MOST_TEXT = 1 << 20 }; /* bytes in a text of a file; longer texts are ignored */

/* The reason why a file cannot be read. */
struct cli_result_fault {
  const char *words; /* error message without the name of the file; NULL: the file was read */
  /* line and column (in bytes) of the invalid field of a CSV file, from 1 on, column 1 for the line of names; line 0: unknown */
  long line, column;
};

/* Parse the content of a CSV or MAT file (`length` bytes), or read the HDF5 file `path`, and store the columns and data in *result, which is
 * empty before. The last line of a CSV file need not end in a newline; if `unfinished` is set, such a line may be incomplete and is
 * ignored. */
struct cli_result_fault cli_result_parse_csv(struct cli_result *result, const char *text,
                                             size_t length, bool unfinished);
struct cli_result_fault cli_result_parse_mat(struct cli_result *result, const char *bytes,
                                             size_t length);
struct cli_result_fault cli_result_read_hdf5(struct cli_result *result, const char *path);

extern const char cli_result_no_memory[]; /* error message of a fault: memory runs out */

#endif
