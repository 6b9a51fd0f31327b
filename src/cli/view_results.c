/*
 * Writes the HTML page of one or several result files (`camber view RESULT...`), which compares the others with the first one. Called by
 * view.c.
 */
#include "base/text.h"
#include "cli/page.h"
#include "cli/report.h"
#include "cli/view.h"
#include "cli/viewed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The result files of a page. */
struct results {
  cmb_context *ctx;
  struct cli_viewed *all; /* (count) */
  int count;
};

/* ---- columns and times */

/* Returns a text about the run from its result file, e.g. the title of the model; "" if the file does not contain it. `text` is the index
 * of the text, CLI_TEXT_…. */
const char *cli_viewed_text(const struct cli_viewed *v, int text)
{
  return v->result.texts[text] ? v->result.texts[text] : "";
}

int cli_viewed_count(const struct cli_viewed *v, enum cli_column_kind kind)
{
  int count = 0;
  for (int i = 0; i < v->result.count; i++) count += v->result.columns[i].kind == kind;
  return count;
}

const struct cli_result_column *cli_viewed_column(const struct cli_viewed *v,
                                                  enum cli_column_kind kind, int number)
{
  for (int i = 0; i < v->result.count; i++) {
    if (v->result.columns[i].kind == kind && number-- == 0) return &v->result.columns[i];
  }
  return NULL;
}

/* Finds the column t of a result file, marks it as the time, and checks that its values are finite, at most 1e100 in size, and never decrease.
 * Returns CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int check_times(struct cli_viewed *v)
{
  struct cli_result *r = &v->result;
  struct cli_result_column *t = NULL;
  for (int i = 0; i < r->count && !t; i++) {
    if (strcmp(r->columns[i].name, "t") == 0) t = &r->columns[i];
  }
  if (!t) return cli_complain("'%s' has no column 't'; expected one with the time", r->path);
  t->kind = CLI_COLUMN_TIME;
  for (long k = 0; k < r->rows; k++) {
    if (!isfinite(t->numbers[k]) || fabs(t->numbers[k]) > 1e100) {
      return cli_complain("row %ld of '%s' has the time %g; expected a number from -1e100 to 1e100",
                          k + 1, r->path, t->numbers[k]);
    }
    if (k > 0 && t->numbers[k] < t->numbers[k - 1]) {
      return cli_complain(
          "row %ld of '%s' goes back in time, from %s to %s; expected times that do not "
          "decrease",
          k + 1, r->path, cmb_shortest(t->numbers[k - 1]).text, cmb_shortest(t->numbers[k]).text);
    }
  }
  return CLI_DONE;
}

/* Stores all columns of a result file over time in v->series, for the curves of the HTML page; of many rows only the smallest and largest
 * values in intervals of time. The `share` result files of the page share the memory equally. Returns CLI_DONE or, if memory runs out, another
 * exit code after an error message. */
static int keep_series(struct cli_viewed *v, int share)
{
  const struct cli_result *r = &v->result;
  const double *t = cli_viewed_column(v, CLI_COLUMN_TIME, 0)->numbers;
  const cmb_status status =
      cli_history_begin_rows(&v->series, 1 + r->count, CLI_SERIES_NUMBERS / share);
  if (status != CMB_OK) return cli_fail(NULL, status);
  for (long k = 0; k < r->rows; k++) {
    double *row = cli_history_row(&v->series);
    if (!row) return cli_fail(NULL, CMB_ERROR_MEMORY);
    row[0] = t[k];
    for (int c = 0; c < r->count; c++) row[1 + c] = r->columns[c].numbers[k];
    cli_history_keep(&v->series);
  }
  return CLI_DONE;
}

/* Reads the result file `path` and its model into *v, and stores the motion of the bodies and the curves of all columns. `share` is the number
 * of result files in the HTML page. Warnings are collected in *v. Returns CLI_DONE or, after an error message, another exit code. */
static int prepare(cmb_context *ctx, struct cli_viewed *v, const struct cli_arguments *a,
                   const char *path, int share)
{
  cmb_context_set_log(ctx, cli_viewed_add_warning, v);
  int code = cli_result_read(path, &v->result);
  if (code == CLI_DONE) code = check_times(v);
  if (code == CLI_DONE) code = cli_viewed_move(ctx, v, a, share);
  if (code == CLI_DONE) code = keep_series(v, share);
  return code;
}

/* ---- the page */

/* Writes all result files of an HTML page as the JSON list "reports". A callback of cli_page_save; `user` is a struct results. */
static cmb_status put_reports(struct cli_json *j, void *user)
{
  const struct results *r = user;
  cmb_status status = CMB_OK;
  cli_json_open(j, "reports", '[');
  for (int i = 0; i < r->count && status == CMB_OK; i++) {
    status = cli_viewed_put(r->ctx, j, &r->all[i], r->count > 1);
  }
  cli_json_close(j, ']');
  return status;
}

/* Returns the title of the HTML page of several result files: the title that all of them have (the path of the first file if it is empty),
 * otherwise "Comparison". */
static const char *title_of(const struct results *r)
{
  const char *title = cli_viewed_text(&r->all[0], CLI_TEXT_title);
  for (int i = 1; i < r->count; i++) {
    if (strcmp(title, cli_viewed_text(&r->all[i], CLI_TEXT_title)) != 0) return "Comparison";
  }
  return title[0] ? title : r->all[0].result.path;
}

/* Writes the HTML page of the result files to the file `path`. Returns CLI_DONE or, after an error message, another exit code. */
static int save(struct results *r, const char *path)
{
  FILE *viewer = cli_page_viewer("'camber view'");
  if (!viewer) return CLI_BAD_INPUT;
  const struct cli_page page = {
      .title = title_of(r), .kind = "runs", .viewer = viewer, .put = put_reports, .user = r};
  const cmb_status status = cli_page_save(r->ctx, &page, path);
  fclose(viewer);
  if (status == CMB_OK) return CLI_DONE;
  return cli_fail(status == CMB_ERROR_MEMORY ? NULL : r->ctx, status);
}

/* Prints a line for each result file: its numbers of rows and columns, and the model whose motion the page shows, or why it shows only
 * plots. */
static void print(const struct results *r)
{
  for (int i = 0; i < r->count; i++) {
    const struct cli_viewed *v = &r->all[i];
    printf("  %-14s %ld rows, %d columns; ", v->result.path, v->result.rows, v->result.count);
    if (v->no_motion)
      printf("plots only: %s\n", v->no_motion);
    else
      printf("motion of %s at %ld instants\n", cmb_model_name(v->with.model), v->frames.count);
  }
}

static void release(struct results *r)
{
  for (int i = 0; i < r->count; i++) {
    struct cli_viewed *v = &r->all[i];
    cli_result_end(&v->result);
    cli_history_end(&v->series);
    cli_frames_end(&v->frames);
    cmb_model_destroy(v->with.model);
    cli_release(&v->with);
    for (int k = 0; k < v->word_count; k++) free(v->words[k]);
    free(v->words);
    free(v->warnings);
  }
  free(r->all);
}

/* Sets the labels that distinguish the result files in the HTML page. Returns CLI_DONE or, if memory runs out, another exit code after an error
 * message. */
static int label(const struct results *r)
{
  struct cli_result *compared[CLI_MOST_RESULTS];
  for (int i = 0; i < r->count; i++) compared[i] = &r->all[i].result;
  return cli_result_label(r->count, compared) ? CLI_DONE : cli_fail(NULL, CMB_ERROR_MEMORY);
}

int cli_view_results(cmb_context *ctx, const struct cli_arguments *a, const char *page)
{
  struct results r = {.ctx = ctx, .count = a->result_count};
  int code = CLI_DONE;
  r.all = calloc((size_t)r.count, sizeof *r.all);
  if (!r.all) return cli_fail(NULL, CMB_ERROR_MEMORY);
  for (int i = 0; i < r.count && code == CLI_DONE; i++) {
    code = prepare(ctx, &r.all[i], a, a->result[i], r.count);
  }
  cmb_context_set_log(ctx, cli_warn, NULL);
  if (!cli_viewed_print_warnings(r.count, r.all) && code == CLI_DONE) {
    code = cli_fail(NULL, CMB_ERROR_MEMORY);
  }
  if (code == CLI_DONE) code = label(&r);
  if (code == CLI_DONE) code = save(&r, page);
  if (code == CLI_DONE && !a->quiet) print(&r);
  if (code == CLI_DONE) cli_view_print_path(a, page);
  release(&r);
  return code;
}
