/*
 * The trajectory of a run on its way to a file: CSV, HDF5 or MAT, by the ending of the file's name.
 *
 * CSV is written line by line (cmb_csv). The other two begin with how many rows they have, so records are kept in a file without a
 * name and the whole is written anew from time to time, each time as a file of its own that then takes the place of the
 * last one (cmb_output_draft): a run that is killed leaves a file that can be read. Writing anew takes at most a twentieth of the time.
 */
#ifndef CMB_CLI_TABLE_H
#define CMB_CLI_TABLE_H

#include "cli/cli.h"
#include "cli/facts.h"

/* Columns that belong together: "q" and the names of the coordinates. */
struct cli_columns {
  const char *name;
  int count;
  const char *const *names;
  const char *const *units; /* NULL: not known */
};

/* What a file of results says besides the numbers of its trajectory. */
struct cli_sheet {
  const char *texts[CLI_TEXT_COUNT]; /* may be "" */
  double numbers[CLI_NUMBER_COUNT];  /* NaN: not known */
  char *text;                        /* of the model's file; NULL: a problem written in C */
  char *owned[4];                    /* of `texts`, those that are released with the sheet */
  char picture[CMB_PICTURE_DIGEST_ROOM];
  long rows;
  int group_count, column_count;
  struct cli_columns groups[6]; /* t, q, v, lambda, outputs, residuals; those that have columns */
  const cmb_event *events;
  long event_count;
};

/* sheet.c: what is known of a run before it begins; and at its end, with the numbers of the summary, where `warnings` are those said until then. */
void cli_sheet_begin(cmb_context *ctx, struct cli_sheet *sheet,
                     const struct cli_arguments *arguments, const cmb_run_options *options,
                     const cmb_system *system);
void cli_sheet_finish(struct cli_sheet *sheet, cmb_status status, const cmb_result *result,
                      const double *numbers);
void cli_sheet_end(struct cli_sheet *sheet);

struct cli_table;

/* Of CMB_ERROR_MEMORY the context has no words. What the sheet points to stays while the table is there; groups and rows are filled in here. */
cmb_status cli_table_open(cmb_context *ctx, const char *path, const cmb_equations *eq,
                          bool residuals, const struct cli_sheet *sheet, struct cli_table **table);
cmb_status cli_table_record(struct cli_table *table, const cmb_record *record);

/* Keeps the file, and says in it how the run has ended. */
cmb_status cli_table_close(struct cli_table *table, const struct cli_sheet *end);
void cli_table_discard(struct cli_table *table); /* removes it; NULL: nothing */

/* Whether this program can write and read HDF5. */
bool cli_has_hdf5(void);

/* ---- the formats that are written as a whole (table_hdf5.c, table_mat.c) */

/* Rows from `first` on, `count` of them, by columns: that of column c begins at numbers + c count. False and errno on failure. */
typedef bool (*cli_sheet_reader)(void *user, long first, long count, double *numbers);

enum { CLI_SHEET_ROWS = 4096 }; /* that are read at once, at most */

/* The file at `path`, which is there and empty. `room` is for CLI_SHEET_ROWS rows. False and errno on failure. */
typedef bool (*cli_sheet_writer)(const char *path, const struct cli_sheet *sheet,
                                 cli_sheet_reader read, void *user, double *room);

bool cli_sheet_write_mat(const char *path, const struct cli_sheet *sheet, cli_sheet_reader read,
                         void *user, double *room);
bool cli_sheet_write_hdf5(const char *path, const struct cli_sheet *sheet, cli_sheet_reader read,
                          void *user, double *room);

#endif
