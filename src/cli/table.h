/*
 * Writes the trajectory of a run to a result file, `camber run --out FILE`: CSV, HDF5 or MAT, by the ending of the file's name.
 *
 * CSV is written line by line (cmb_csv). Files of the other two formats begin with the number of rows. So all records are collected in a
 * temporary file without a name, and from time to time a new result file is written, which replaces the previous one (cmb_output_draft): a
 * run that is killed leaves a readable file. This takes about a twentieth of the time at most.
 */
#ifndef CMB_CLI_TABLE_H
#define CMB_CLI_TABLE_H

#include "cli/cli.h"
#include "cli/facts.h"

/* A group of columns, e.g. "q" with the names of the coordinates. */
struct cli_columns {
  const char *name;
  int count;                /* number of columns */
  const char *const *names; /* (count) */
  const char *const *units; /* (count) NULL: unknown */
};

/* All that a result file contains besides the numbers of the trajectory. */
struct cli_sheet {
  const char *texts[CLI_TEXT_COUNT]; /* about the run (facts.h); may be "" */
  double numbers[CLI_NUMBER_COUNT];  /* about the run (facts.h); NaN: unknown */
  char *text;                        /* text of the model's file; NULL for a problem written in C */
  char *owned[4];                    /* those of `texts` that are freed with the sheet */
  char picture[CMB_PICTURE_DIGEST_ROOM]; /* hash of what the model looks like */
  long rows;                             /* number of rows of the trajectory so far */
  int group_count, column_count;         /* number of groups; of columns in all groups */
  struct cli_columns groups[6]; /* t, q, v, lambda, outputs, residuals; those with columns */
  const cmb_event *events;      /* (event_count) events of the run */
  long event_count;
};

/* sheet.c: cli_sheet_begin collects what is known about a run before it begins; cli_sheet_finish adds its outcome, the numbers of its
 * summary and the warnings so far; cli_sheet_end frees the memory. */
void cli_sheet_begin(cmb_context *ctx, struct cli_sheet *sheet,
                     const struct cli_arguments *arguments, const cmb_run_options *options,
                     const cmb_system *system);
void cli_sheet_finish(struct cli_sheet *sheet, cmb_status status, const cmb_result *result,
                      const double *numbers);
void cli_sheet_end(struct cli_sheet *sheet);

struct cli_table;

/* Opens the result file `path` for the trajectory of the equations eq, with columns for the norms of the residuals if `residuals` is set.
 * The sheet is copied, but the data that it points to must remain valid until the table is closed; its groups and rows need not be set. If
 * CMB_ERROR_MEMORY is returned, the context may have no error message. */
cmb_status cli_table_open(cmb_context *ctx, const char *path, const cmb_equations *eq,
                          bool residuals, const struct cli_sheet *sheet, struct cli_table **table);

/* Adds a record of the run as a row to the trajectory. HDF5 and MAT files contain the row when they are next written. */
cmb_status cli_table_record(struct cli_table *table, const cmb_record *record);

/* Completes the result file and frees the table, also on failure. HDF5 and MAT files contain the texts, numbers and events of `end`, the
 * sheet with the outcome of the run. */
cmb_status cli_table_close(struct cli_table *table, const struct cli_sheet *end);
/* Removes the unfinished result file and frees the table, which may be NULL. */
void cli_table_discard(struct cli_table *table);

/* Returns whether this program can write and read HDF5. */
bool cli_has_hdf5(void);

/* ---- the formats that are written as a whole (table_hdf5.c, table_mat.c) */

/* Reads `count` rows of the trajectory, from row number `first` on, into `numbers` column by column: those of column c begin at
 * numbers + c count. Returns false and sets errno on failure. */
typedef bool (*cli_sheet_reader)(void *user, long first, long count, double *numbers);

enum { CLI_SHEET_ROWS = 4096 }; /* greatest number of rows read at once */

/* Writes the whole result file `path`, which exists and is empty, with sheet->rows rows, which are read by read(user, ...) in blocks.
 * `room` (columns x CLI_SHEET_ROWS) is a working array. Returns false and sets errno on failure. */
typedef bool (*cli_sheet_writer)(const char *path, const struct cli_sheet *sheet,
                                 cli_sheet_reader read, void *user, double *room);

bool cli_sheet_write_mat(const char *path, const struct cli_sheet *sheet, cli_sheet_reader read,
                         void *user, double *room);
bool cli_sheet_write_hdf5(const char *path, const struct cli_sheet *sheet, cli_sheet_reader read,
                          void *user, double *room);

#endif
