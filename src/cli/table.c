/*
 * Writes the trajectory of a run to a CSV, HDF5 or MAT file, record by record as `camber run` computes them (table.h). This file collects the
 * rows and decides when an HDF5 or MAT file is written; their contents are written in table_hdf5.c and table_mat.c.
 */
#include "cli/table.h"

#include "base/file.h"
#include "base/output.h"
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The minimum time in seconds from one writing of an HDF5 or MAT file to the next. */
static const double INTERVAL = 0.5;
/* The minimum of this time as a multiple of the time that the writing took. */
static const double SHARE = 20;

struct cli_table {
  cmb_context *ctx;
  cmb_csv *csv; /* NULL for the formats that are written as a whole */
  const cmb_equations *eq;
  struct cli_sheet sheet;
  cli_sheet_writer write; /* writes a whole file of the format */
  cmb_output *output;
  int scratch;      /* descriptor of the temporary file with all rows; -1: none */
  double *rows;     /* (CLI_SHEET_ROWS x columns) working array, in the format of that file */
  double *columns;  /* (columns x CLI_SHEET_ROWS) working array, column by column */
  long rows_held;   /* number of rows in `rows` that are not in the temporary file yet */
  double next_time; /* when the file is written next, by the clock cli_seconds */
};

/* ---- columns */

/* Adds a group of columns (e.g. all velocities) to the description of a result file: the name of the group, and the names and units of its
 * columns, names[count] and units[count] (NULL: unknown), which are not copied. Does nothing if `count` is 0. */
static void add_group(struct cli_sheet *s, const char *name, int count, const char *const *names,
                      const char *const *units)
{
  if (count == 0) return;
  s->groups[s->group_count++] =
      (struct cli_columns){.name = name, .count = count, .names = names, .units = units};
  s->column_count += count;
}

/* Describes the columns of a result file in s: the groups time t, positions q, velocities v, Lagrange multipliers lambda, outputs and, if
 * `residuals` is set, the norms of the constraint residuals. Empty groups are omitted. */
static void find_groups(struct cli_sheet *s, const cmb_equations *eq, bool residuals)
{
  static const char *const time[] = {"t"}, *const second[] = {"s"};
  s->group_count = s->column_count = 0;
  add_group(s, "t", 1, time, second);
  add_group(s, "q", eq->nq, eq->q_names, eq->q_units);
  add_group(s, "v", eq->nv, eq->v_names, eq->v_units);
  add_group(s, "lambda", eq->ng, eq->lambda_names, NULL);
  add_group(s, "outputs", eq->no, eq->output_names, eq->output_units);
  if (residuals) add_group(s, "residuals", 2, cli_norm_names, NULL);
}

/* ---- rows */

/* Appends the rows of the trajectory that are still in memory, t->rows, to the temporary file that collects all rows, and sets t->rows_held to
 * 0. Returns the error of the output file if this fails. */
static cmb_status append_rows(struct cli_table *t)
{
  const size_t size = (size_t)t->rows_held * (size_t)t->sheet.column_count * sizeof(double);
  if (t->rows_held == 0) return CMB_OK;
  if (!cmb_write_all(t->scratch, t->rows, size)) return cmb_output_spoil(t->output);
  t->rows_held = 0;
  return CMB_OK;
}

/* Reads `length` bytes from the offset `at` of an open file (`file` is its descriptor) into `bytes`. Returns false and sets errno on
 * failure, also if the file ends too early. */
static bool read_all(int file, void *bytes, size_t length, off_t at)
{
  char *to = bytes;
  while (length > 0) {
    const ssize_t got = pread(file, to, length, at);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO; /* the file is shorter than what was written */
    if (got <= 0) return false;
    to += got;
    at += got;
    length -= (size_t)got;
  }
  return true;
}

/* Reads `count` rows of the trajectory, from row number `first` on, from the temporary file, and stores them column by column in `numbers`
 * (columns x count). A callback of the functions that write a result file; `user` is the struct cli_table. Returns false and sets errno on
 * failure. */
static bool read_rows(void *user, long first, long count, double *numbers)
{
  struct cli_table *t = user;
  const long columns = t->sheet.column_count;
  const size_t row = (size_t)columns * sizeof(double);
  if (!read_all(t->scratch, t->rows, (size_t)count * row, (off_t)((size_t)first * row)))
    return false;
  for (long c = 0; c < columns; c++) {
    for (long i = 0; i < count; i++) numbers[c * count + i] = t->rows[i * columns + c];
  }
  return true;
}

/* Writes a complete result file with all rows of the trajectory so far, which replaces the previous one, and sets t->next_time, the time at
 * which it is written again. */
static cmb_status write_anew(struct cli_table *t)
{
  const double begun = cli_seconds();
  const char *path;
  CMB_TRY(append_rows(t));
  CMB_TRY(cmb_output_draft(t->output, &path));
  cmb_status status = t->write(path, &t->sheet, read_rows, t, t->columns)
                          ? cmb_output_adopt(t->output)
                          : cmb_output_spoil(t->output);
  if (status != CMB_OK) cmb_output_drop(t->output);
  const double now = cli_seconds();
  t->next_time = now + fmax(INTERVAL, SHARE * (now - begun));
  return status;
}

/* Copies the `count` numbers in `from` to the array `to`. Returns to + count, the position after the last number written. */
static double *copy(double *to, int count, const double *from)
{
  if (count > 0) memcpy(to, from, (size_t)count * sizeof *to);
  return to + count;
}

cmb_status cli_table_record(struct cli_table *t, const cmb_record *r)
{
  if (t->csv) return cmb_csv_record(t->csv, r);
  const cmb_equations *eq = t->eq;
  const long columns = t->sheet.column_count;
  double *to = copy(t->rows + t->rows_held * columns, 1, &r->t);
  to = copy(to, eq->nq, r->q);
  to = copy(to, eq->nv, r->v);
  to = copy(to, eq->ng, r->lambda);
  to = copy(to, eq->no, r->outputs);
  if (to - t->rows < (t->rows_held + 1) * columns)
    copy(to, 2, (const double[]){r->position, r->velocity});
  t->sheet.rows++;
  if (++t->rows_held == CLI_SHEET_ROWS) CMB_TRY(append_rows(t));
  return cli_seconds() > t->next_time ? write_anew(t) : CMB_OK;
}

/* ---- opening and closing */

/* Opens a result file of a format that cannot be extended row by row (HDF5 or MAT): describes its columns, allocates memory for rows, creates
 * the temporary file that collects all of them, and writes a first result file without rows. */
static cmb_status open_whole(struct cli_table *t, const char *path, bool residuals)
{
  find_groups(&t->sheet, t->eq, residuals);
  t->sheet.rows = 0;
  t->sheet.texts[CLI_TEXT_status] = "running";
  const size_t numbers = (size_t)t->sheet.column_count * CLI_SHEET_ROWS;
  t->rows = malloc(numbers * sizeof *t->rows);
  t->columns = malloc(numbers * sizeof *t->columns);
  if (!t->rows || !t->columns) return CMB_ERROR_MEMORY;
  CMB_TRY(cmb_output_open(t->ctx, path, &t->output));
  t->scratch = cmb_output_scratch(t->output);
  if (t->scratch < 0) return CMB_ERROR_IO;
  return write_anew(t);
}

cmb_status cli_table_open(cmb_context *ctx, const char *path, const cmb_equations *eq,
                          bool residuals, const struct cli_sheet *sheet, struct cli_table **table)
{
  cmb_status status;
  struct cli_table *t = *table = calloc(1, sizeof *t);
  if (!t) return CMB_ERROR_MEMORY;
  *t = (struct cli_table){.ctx = ctx, .eq = eq, .sheet = *sheet, .scratch = -1};
  const enum cli_format format = cli_format_of(path, strlen(path));
  if (format == CLI_FORMAT_CSV) {
    status = residuals ? cmb_csv_open_residuals(ctx, path, eq, &t->csv)
                       : cmb_csv_open(ctx, path, eq, &t->csv);
  } else {
    t->write = format == CLI_FORMAT_HDF5 ? cli_sheet_write_hdf5 : cli_sheet_write_mat;
    status = open_whole(t, path, residuals);
  }
  if (status != CMB_OK) {
    cli_table_discard(t);
    *table = NULL;
  }
  return status;
}

static void release(struct cli_table *t)
{
  if (t->scratch >= 0) close(t->scratch);
  free(t->rows);
  free(t->columns);
  free(t);
}

cmb_status cli_table_close(struct cli_table *t, const struct cli_sheet *end)
{
  cmb_status status;
  if (t->csv) {
    status = cmb_csv_close(t->csv);
  } else {
    memcpy(t->sheet.texts, end->texts, sizeof t->sheet.texts);
    memcpy(t->sheet.numbers, end->numbers, sizeof t->sheet.numbers);
    t->sheet.events = end->events;
    t->sheet.event_count = end->event_count;
    status = write_anew(t);
    const cmb_status placed = cmb_output_finish(t->output);
    if (status == CMB_OK) status = placed;
  }
  release(t);
  return status;
}

void cli_table_discard(struct cli_table *t)
{
  if (!t) return;
  cmb_csv_discard(t->csv);
  cmb_output_discard(t->output);
  release(t);
}
