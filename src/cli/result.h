/*
 * A file of results, read back: the columns of a trajectory as CSV, HDF5 or MAT file, by the ending of its name (docs/results.md).
 * What a killed run has left, NAME.ENDING.partial, is read as well.
 */
#ifndef CMB_CLI_RESULT_H
#define CMB_CLI_RESULT_H

#include <stdbool.h>
#include <stddef.h>

struct cli_result_column {
  char *name;      /* "camber" */
  char *unit;      /* "": none, or not known */
  bool is_output;  /* of the model; false in CSV files, which do not say it */
  double *numbers; /* (rows) */
};

struct cli_result {
  const char *path;    /* as it was given */
  char *title, *label; /* the model's; "fivelink, mdop5"; "": not known */
  struct cli_result_column *columns;
  int count;
  long rows;
};

/* Whether a file's name has an ending of such files. */
bool cli_is_result(const char *path);

/* Complains, with the place in the file, of what is not such a file. Returns an exit code; the result is released in any case with
 * cli_result_end. */
int cli_result_read(const char *path, struct cli_result *result);
void cli_result_end(struct cli_result *result);

/* The column of that name: an output, if there is one, else the first. NULL: there is none. */
const struct cli_result_column *cli_result_find(const struct cli_result *result, const char *name);

/* Whether there is another one that could be meant as well. */
bool cli_result_ambiguous(const struct cli_result *result, const struct cli_result_column *column);

/* ---- for the readers of the formats */

/* A column more, with a copy of the name and unit; its numbers are to be filled in. NULL: no memory. */
struct cli_result_column *cli_result_add(struct cli_result *result, const char *name, size_t length,
                                         const char *unit, bool is_output);

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
