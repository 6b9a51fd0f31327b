/*
 * The report of a run (report.h): collects its data during the run, and writes the HTML page.
 */
#include "cli/report.h"

#include "cli/page.h"

#include <math.h>

/* The greatest number of values stored about the steps. */
enum { STEPS_NUMBERS = 24000 };

int cli_report_open(struct cli_report *r, const struct cli_arguments *a)
{
  *r = (struct cli_report){.step_begin = NAN};
  if (!a->html) return CLI_DONE;
  r->viewer = cli_page_viewer("option --html");
  return r->viewer ? CLI_DONE : CLI_BAD_INPUT;
}

/* ---- during the run */

/* Allocates the memory for the HTML report of a run: for the animation of `bodies` bodies, the curves over time, and the step sizes. Returns
 * CMB_ERROR_MEMORY if memory runs out. */
static cmb_status allocate(struct cli_report *r, int bodies)
{
  CMB_TRY(cli_frames_begin(&r->frames, r->eq->nq, r->forces.numbers, bodies, 1));
  CMB_TRY(cli_history_begin_rows(&r->series, cli_history_columns(r->eq), CLI_SERIES_NUMBERS));
  return cli_history_begin_rows(&r->steps, 3, STEPS_NUMBERS);
}

int cli_report_begin(struct cli_report *r, const struct cli_arguments *a, const cmb_equations *eq)
{
  if (!a->html) return CLI_DONE;
  r->eq = eq;
  cmb_status status = cli_forces_begin(&r->forces, a, eq);
  if (status == CMB_OK) status = allocate(r, cmb_model_count(a->model, CMB_ITEM_BODY));
  return status == CMB_OK ? CLI_DONE : cli_fail(NULL, status);
}

void cli_report_end(struct cli_report *r)
{
  cli_history_end(&r->series);
  cli_history_end(&r->steps);
  cli_frames_end(&r->frames);
  cli_forces_end(&r->forces);
  if (r->viewer) fclose(r->viewer);
}

void cli_report_sample(struct cli_report *r, const cmb_record *record)
{
  cli_history_take(&r->series, r->eq, record);
  cli_frames_add(&r->frames, record->t, record->q, cli_forces_of(&r->forces, record));
}

void cli_report_before_step(struct cli_report *r, double t)
{
  r->step_begin = t;
}

void cli_report_after_step(struct cli_report *r, double t, int order)
{
  double *row = cli_history_row(&r->steps);
  if (!row || !(t > r->step_begin)) return;
  row[0] = t;
  row[1] = t - r->step_begin;
  row[2] = order;
  cli_history_keep(&r->steps);
}

/* ---- the page */

/* The arguments of cli_report_save, for the callback put_reports. */
struct content {
  cmb_context *ctx;
  struct cli_report *r;
  const struct cli_arguments *a;
  const struct cli_report_texts *texts;
  void (*put_run)(struct cli_json *j, const void *run);
  const void *run;
};

void cli_report_head(struct cli_json *j, const struct cli_arguments *a,
                     const struct cli_report_texts *texts)
{
  cli_json_text(j, "title", texts->title);
  cli_json_text(j, "file", texts->file);
  cli_json_number(j, "t_end", texts->t_end);
  cli_json_text(j, "formulation", a->model ? cmb_formulation_name(a->formulation) : NULL);
  cli_json_open(j, "settings", '{');
  for (int i = 0; i < a->set_count; i++) cli_json_number(j, a->set[i].name, a->set[i].value);
  cli_json_close(j, '}');
}

/* Writes the data of an HTML report (`user` is a struct content) as JSON: the list "reports" with one entry, which contains title, summary of
 * the run, animation, forces and curves. A callback of cli_page_save. */
static cmb_status put_reports(struct cli_json *j, void *user)
{
  const struct content *c = user;
  cli_json_open(j, "reports", '[');
  cli_json_open(j, NULL, '{');
  cli_report_head(j, c->a, c->texts);
  cli_json_open(j, "run", '{');
  c->put_run(j, c->run);
  cli_json_close(j, '}');
  cmb_status status = c->a->model ? cli_report_motion(c->ctx, j, &c->r->frames, c->a) : CMB_OK;
  if (status == CMB_OK && c->a->model) {
    status = cli_report_forces(j, &c->r->forces, &c->r->frames);
  }
  if (status == CMB_OK) status = cli_report_columns(j, c->r);
  cli_json_close(j, '}');
  cli_json_close(j, ']');
  return status;
}

cmb_status cli_report_save(cmb_context *ctx, struct cli_report *r, const struct cli_arguments *a,
                           const struct cli_report_texts *texts,
                           void (*put_run)(struct cli_json *j, const void *run), const void *run)
{
  struct content content = {
      .ctx = ctx, .r = r, .a = a, .texts = texts, .put_run = put_run, .run = run};
  const struct cli_page page = {.title = texts->title,
                                .kind = "runs",
                                .viewer = r->viewer,
                                .put = put_reports,
                                .user = &content};
  return cli_page_save(ctx, &page, a->html);
}
