/*
 * Writes a result file as a JSON object of the page of `camber view` (viewed.h), in the same form as a run writes its report (report.c,
 * docs/report.md). The contents of the file are written anew, text by text and number by number, so that nothing else of it gets into the
 * page.
 */
#include "cli/report.h"
#include "cli/summary.h"
#include "cli/viewed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns a number from the summary of the run in a result file, such as a count of steps; NaN if the file does not contain it. `which` is one
 * of the constants CLI_NUMBER_…. */
static double number(const struct cli_viewed *v, int which)
{
  return v->result.numbers[which];
}

/* Writes one of the texts stored in a result file as the JSON member `key`, or null if the file does not contain it. `text` is the index of the
 * text, one of the constants CLI_TEXT_…. */
static void put_text(struct cli_json *j, const struct cli_viewed *v, const char *key, int text)
{
  const char *said = cli_viewed_text(v, text);
  cli_json_text(j, key, said[0] ? said : NULL);
}

/* Writes the lines of the text `rest` as a JSON list of strings under `key`. */
static cmb_status put_lines(struct cli_json *j, const char *key, const char *rest)
{
  cmb_status status = CMB_OK;
  const char *line;
  size_t length;
  cli_json_open(j, key, '[');
  while (status == CMB_OK && cli_viewed_line(&rest, &line, &length)) {
    char *text = strndup(line, length);
    if (text)
      cli_json_text(j, NULL, text);
    else
      status = CMB_ERROR_MEMORY;
    free(text);
  }
  cli_json_close(j, ']');
  return status;
}

/* Writes the parameter values with which the model of a result file was read as the JSON object "settings". */
static void put_settings(struct cli_json *j, const struct cli_viewed *v)
{
  cli_json_open(j, "settings", '{');
  for (int i = 0; i < v->with.set_count; i++) {
    cli_json_number(j, v->with.set[i].name, v->with.set[i].value);
  }
  cli_json_close(j, '}');
}

/* Writes the metadata of a result file as the first keys of its JSON object: title, file names, label, the reason if no motion is shown, end
 * time, formulation, parameter values and warnings. */
static cmb_status put_head(struct cli_json *j, const struct cli_viewed *v)
{
  const char *title = cli_viewed_text(v, CLI_TEXT_title);
  if (!title[0] && v->with.model) title = cmb_model_title(v->with.model);
  cli_json_text(j, "title", title[0] ? title : cli_base_name(v->result.path));
  cli_json_text(j, "file", v->with.model ? v->with.operand : v->result.path);
  cli_json_text(j, "result", v->result.path);
  cli_json_text(j, "label", v->result.label);
  if (v->no_motion) cli_json_text(j, "no_motion", v->no_motion);
  cli_json_number(j, "t_end", number(v, CLI_NUMBER_t_end));
  cli_json_text(j, "formulation", cli_viewed_formulation(v));
  put_settings(j, v);
  return put_lines(j, "notes", v->warnings ? v->warnings : "");
}

/* ---- the run */

/* Returns how many columns of a result file are velocities in the narrow sense. Columns of the kind velocity begin with these; first-order
 * states follow. */
static int velocities(const struct cli_viewed *v)
{
  const int count = cli_viewed_count(v, CLI_COLUMN_VELOCITY);
  const double states = number(v, CLI_NUMBER_states);
  return states >= 0 && states <= count ? count - (int)states : count;
}

/* Writes the names of `count` columns of one kind in a result file (e.g. velocities) as a JSON list under `key`. `first` is the number of the
 * first one among the columns of this kind. */
static void put_names(struct cli_json *j, const struct cli_viewed *v, const char *key,
                      enum cli_column_kind kind, int first, int count)
{
  cli_json_open(j, key, '[');
  for (int i = 0; i < count; i++) {
    cli_json_text(j, NULL, cli_viewed_column(v, kind, first + i)->name);
  }
  cli_json_close(j, ']');
}

/* Writes the names of the coordinates, velocities, first-order states and Lagrange multipliers in a result file as the JSON object
 * "names". */
static void put_all_names(struct cli_json *j, const struct cli_viewed *v)
{
  const int nv = velocities(v), all = cli_viewed_count(v, CLI_COLUMN_VELOCITY);
  cli_json_open(j, "names", '{');
  put_names(j, v, "q", CLI_COLUMN_COORDINATE, 0, cli_viewed_count(v, CLI_COLUMN_COORDINATE));
  put_names(j, v, "v", CLI_COLUMN_VELOCITY, 0, nv);
  if (all > nv) put_names(j, v, "z", CLI_COLUMN_VELOCITY, nv, all - nv);
  put_names(j, v, "lambda", CLI_COLUMN_MULTIPLIER, 0, cli_viewed_count(v, CLI_COLUMN_MULTIPLIER));
  cli_json_close(j, '}');
}

/* Writes the summary of the run in a result file as keys of a JSON object, with its events; those without a finite time are left out. Returns
 * CMB_ERROR_MEMORY if memory runs out. */
static cmb_status put_summary(struct cli_json *j, const struct cli_viewed *v)
{
  const struct cli_result *r = &v->result;
  cmb_event *events = calloc((size_t)r->event_count + 1, sizeof *events);
  struct cli_summary summary = {.numbers = r->numbers,
                                .stopped_by = cli_viewed_text(v, CLI_TEXT_stopped_by),
                                .events = events};
  if (!events) return CMB_ERROR_MEMORY;
  for (long i = 0; i < r->event_count; i++) {
    const struct cli_result_event *e = &r->events[i];
    if (!isfinite(e->t)) continue;
    events[summary.event_count++] = (cmb_event){.name = e->name,
                                                .kind = e->kind,
                                                .t = e->t,
                                                .direction = e->direction > 0 ? 1 : -1,
                                                .limit = NAN};
  }
  cli_summary_put(j, &summary);
  free(events);
  return CMB_OK;
}

/* Writes the status of the run from its result file and, unless it is unknown or "ok", a message: why the run failed, or that it has not
 * ended. */
static void put_status(struct cli_json *j, const struct cli_viewed *v)
{
  const char *status = cli_viewed_text(v, CLI_TEXT_status);
  const bool running = strcmp(status, "running") == 0;
  cli_json_text(j, "status", status[0] ? status : NULL);
  if (!status[0] || strcmp(status, "ok") == 0) return;
  cli_json_text(j, "message",
                running ? "the run was killed or has not ended yet; this is what it has written"
                        : cli_viewed_text(v, CLI_TEXT_message));
}

/* Writes the data of the run in a result file as keys of a JSON object: version, model, method, status, accuracy, final time, names of the
 * quantities, summary and warnings. */
static cmb_status put_run(struct cli_json *j, const struct cli_viewed *v)
{
  const struct cli_result_column *t = cli_viewed_column(v, CLI_COLUMN_TIME, 0);
  put_text(j, v, "camber", CLI_TEXT_camber);
  put_text(j, v, "model", CLI_TEXT_model);
  put_text(j, v, "method", CLI_TEXT_method);
  put_text(j, v, "method_title", CLI_TEXT_method_title);
  put_status(j, v);
  cli_summary_accuracy(j, v->result.numbers);
  cli_json_number(j, "t", t->numbers[v->result.rows - 1]);
  put_all_names(j, v);
  CMB_TRY(put_summary(j, v));
  return put_lines(j, "warnings", cli_viewed_text(v, CLI_TEXT_warnings));
}

/* ---- the curves */

/* Appends descriptions of the columns of one kind in a result file (e.g. velocities) at `to`, the end of the list of curves for the HTML page,
 * where their kind is called `name`. First-order states among the velocities are called "state". Returns the new end of the list. */
static struct cli_report_column *add_kind(struct cli_report_column *to, const struct cli_viewed *v,
                                          enum cli_column_kind kind, const char *name)
{
  const struct cli_result *r = &v->result;
  const int nv = velocities(v);
  for (int i = 0, k = 0; i < r->count; i++) {
    const struct cli_result_column *c = &r->columns[i];
    if (c->kind != kind) continue;
    const bool state = kind == CLI_COLUMN_VELOCITY && k++ >= nv;
    *to = (struct cli_report_column){
        .name = c->name, .unit = c->unit, .kind = state ? "state" : name, .index = 1 + i};
    for (int n = 0; n < 2; n++) { /* in CSV files residuals have no kind */
      if (kind != CLI_COLUMN_UNKNOWN && kind != CLI_COLUMN_RESIDUAL) break;
      if (strcmp(c->name, cli_norm_names[n]) != 0) continue;
      to->unit = cli_norm_units[n];
      to->kind = "residual";
    }
    to++;
  }
  return to;
}

/* Writes the final values of columns[count], the curves of a result file, as the JSON list "last" with all digits. */
static void put_last(struct cli_json *j, const struct cli_viewed *v, int count,
                     const struct cli_report_column *columns)
{
  cli_json_open(j, "last", '[');
  for (int i = 0; i < count; i++) {
    const struct cli_result_column *c = &v->result.columns[columns[i].index - 1];
    cli_json_number(j, NULL, c->numbers[v->result.rows - 1]);
  }
  cli_json_close(j, ']');
}

/* Writes all columns of a result file except time as curves over time to the JSON data of the HTML page, in double precision if `exact` is set,
 * and their final values. */
static cmb_status put_series(struct cli_json *j, const struct cli_viewed *v, bool exact)
{
  struct cli_report_column *all = calloc((size_t)v->result.count, sizeof *all), *to = all;
  if (!all) return CMB_ERROR_MEMORY;
  to = add_kind(to, v, CLI_COLUMN_OUTPUT, "output");
  to = add_kind(to, v, CLI_COLUMN_COORDINATE, "coordinate");
  to = add_kind(to, v, CLI_COLUMN_VELOCITY, "velocity");
  to = add_kind(to, v, CLI_COLUMN_MULTIPLIER, "multiplier");
  to = add_kind(to, v, CLI_COLUMN_RESIDUAL, "residual");
  to = add_kind(to, v, CLI_COLUMN_UNKNOWN, "column");
  put_last(j, v, (int)(to - all), all);
  const cmb_status status = cli_report_table(j, "series", &v->series, exact, (int)(to - all), all);
  free(all);
  return status;
}

/* Writes an empty table of step sizes, which result files do not contain, as the JSON object "steps". */
static cmb_status put_no_steps(struct cli_json *j)
{
  return cli_report_table(j, "steps", &(struct cli_history){.columns = 1}, false, 0, NULL);
}

cmb_status cli_viewed_put(cmb_context *ctx, struct cli_json *j, struct cli_viewed *v, bool exact)
{
  cli_json_open(j, NULL, '{');
  cmb_status status = put_head(j, v);
  cli_json_open(j, "run", '{');
  if (status == CMB_OK) status = put_run(j, v);
  cli_json_close(j, '}');
  if (status == CMB_OK && !v->no_motion) status = cli_report_motion(ctx, j, &v->frames, &v->with);
  if (status == CMB_OK) status = put_series(j, v, exact);
  if (status == CMB_OK) status = put_no_steps(j);
  cli_json_close(j, '}');
  return status;
}
