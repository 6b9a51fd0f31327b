/*
 * Writes the trajectory of a run to a result file: CSV, HDF5 or MAT, by the ending of the file's name.
 *
 * CSV is written line by line (cmb_csv). The other two formats begin with the number of rows, so the records are collected in a temporary
 * file without a name, and the result file is written anew from time to time, each time as a new file that replaces the previous one
 * (cmb_output_draft): a run that is killed leaves a readable file. This takes at most a twentieth of the time.
 */
#ifndef CMB_CLI_TABLE_H
#define CMB_CLI_TABLE_H

#include "cli/cli.h"
#include "cli/facts.h"

/* A group of columns, e.g. "q" with the names of the coordinates. */
struct cli_columns {
  const char *name;
  int count;
  const char *const *names;
  const char *const *units; /* NULL: unknown */
};

/* All that a result file contains besides the numbers of the trajectory. */
struct cli_sheet {
  const char *texts[CLI_TEXT_COUNT]; /* may be "" */
  double numbers[CLI_NUMBER_COUNT];  /* NaN: unknown */
  char *text;                        /* text of the model's file; NULL for a problem written in C */
  char *owned[4];                    /* those of `texts` that are freed with the sheet */
  char picture[CMB_PICTURE_DIGEST_ROOM];
  long rows;
  int group_count, column_count;
  struct cli_columns groups[6]; /* t, q, v, lambda, outputs, residuals; those with columns */
  const cmb_event *events;
  long event_count;
};

/* sheet.c: cli_sheet_begin collects what is known before a run; cli_sheet_finish adds its outcome, the numbers of the summary and the
 * warnings so far. */
void cli_sheet_begin(cmb_context *ctx, struct cli_sheet *sheet,
                     const struct cli_arguments *arguments, const cmb_run_options *options,
                     const cmb_system *system);
void cli_sheet_finish(struct cli_sheet *sheet, cmb_status status, const cmb_result *result,
                      const double *numbers);
void cli_sheet_end(struct cli_sheet *sheet);

struct cli_table;

/* Opens the file of a trajectory. The data in `sheet` must remain valid until the table is closed; groups and rows are set here. If the
 * result is CMB_ERROR_MEMORY, the context has no error message. */
cmb_status cli_table_open(cmb_context *ctx, const char *path, const cmb_equations *eq,
                          bool residuals, const struct cli_sheet *sheet, struct cli_table **table);
cmb_status cli_table_record(struct cli_table *table, const cmb_record *record);

/* Completes the file with the outcome of the run, and frees the table. */
cmb_status cli_table_close(struct cli_table *table, const struct cli_sheet *end);
void cli_table_discard(struct cli_table *table); /* removes the file; NULL is permitted */

/* Returns whether this program can write and read HDF5. */
bool cli_has_hdf5(void);

/* ---- the formats that are written as a whole (table_hdf5.c, table_mat.c) */

/* Reads `count` rows from number `first` on, column by column: those of column c begin at numbers + c·count. Returns false and sets
 * errno on failure. */
typedef bool (*cli_sheet_reader)(void *user, long first, long count, double *numbers);

enum { CLI_SHEET_ROWS = 4096 }; /* greatest number of rows read at once */

/* Writes the whole file `path`, which exists and is empty. `room` is a working array for CLI_SHEET_ROWS rows. Returns false and sets
 * errno on failure. */
typedef bool (*cli_sheet_writer)(const char *path, const struct cli_sheet *sheet,
                                 cli_sheet_reader read, void *user, double *room);

bool cli_sheet_write_mat(const char *path, const struct cli_sheet *sheet, cli_sheet_reader read,
                         void *user, double *room);
bool cli_sheet_write_hdf5(const char *path, const struct cli_sheet *sheet, cli_sheet_reader read,
                          void *user, double *room);

#endif
