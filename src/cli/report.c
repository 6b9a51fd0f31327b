/*
 * The report of a run (report.h): what is kept while it goes, and the page.
 */
#include "cli/report.h"

#include "cli/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that are kept: with the viewer, below 6 MB a file, of models with up to some hundred columns and some fifty bodies. */
enum {
  SERIES_NUMBERS = 600000,
  STEPS_NUMBERS = 24000,
  FRAME_BYTES = 1500000,
  A_POSE_BYTES = 28,
  A_FORCE_BYTES = 2,
  MOST_FRAMES = 2048,
  LEAST_FRAMES = 128
};

int cli_report_open(struct cli_report *r, const struct cli_arguments *a)
{
  *r = (struct cli_report){.step_begin = NAN};
  if (!a->html) return CLI_DONE;
  r->viewer = cli_page_viewer("option --html");
  return r->viewer ? CLI_DONE : CLI_BAD_INPUT;
}

/* ---- instants */

static double *instant(const struct cli_frames *f, long k)
{
  return f->rows + k * f->width;
}

/* Half as many as there is room for, over the time until t. */
static void thin(struct cli_frames *f, double t)
{
  long last = 0;
  f->interval = 2 * (t - instant(f, 0)[0]) / (double)f->room;
  for (long k = 1; k < f->count; k++) {
    if (instant(f, k)[0] - instant(f, last)[0] < f->interval) continue;
    if (++last < k) memcpy(instant(f, last), instant(f, k), (size_t)f->width * sizeof(double));
  }
  f->count = last + 1;
}

/* Positions do not jump: of the two sides of an event one is enough. */
static void add_instant(struct cli_frames *f, const struct cli_forces *forces, const cmb_record *r)
{
  if (f->room == 0) return; /* a problem written in C has no bodies */
  double *row = instant(f, f->count);
  if (f->count > 0 && !(r->t > instant(f, f->count - 1)[0])) return;
  row[0] = r->t;
  memcpy(row + 1, r->q, (size_t)f->nq * sizeof *row);
  cli_forces_take(forces, r, row + 1 + f->nq);
  f->newer = f->count > 0 && r->t - instant(f, f->count - 1)[0] < f->interval;
  if (f->newer) return;
  if (++f->count == f->room - 1) thin(f, r->t);
}

static cmb_status begin_frames(struct cli_frames *f, const cmb_equations *eq, int bodies,
                               int forces)
{
  *f = (struct cli_frames){.nq = eq->nq, .width = 1 + eq->nq + forces};
  if (bodies == 0) return CMB_OK; /* a problem written in C */
  f->room = FRAME_BYTES / (A_POSE_BYTES * bodies + A_FORCE_BYTES * forces);
  if (f->room > MOST_FRAMES) f->room = MOST_FRAMES;
  if (f->room < LEAST_FRAMES) f->room = LEAST_FRAMES;
  f->rows = calloc((size_t)f->room * (size_t)f->width, sizeof *f->rows);
  return f->rows ? CMB_OK : CMB_ERROR_MEMORY;
}

/* ---- the run */

static cmb_status take_memory(struct cli_report *r, int bodies)
{
  CMB_TRY(begin_frames(&r->frames, r->eq, bodies, r->forces.numbers));
  CMB_TRY(cli_history_begin_rows(&r->series, cli_history_columns(r->eq), SERIES_NUMBERS));
  return cli_history_begin_rows(&r->steps, 3, STEPS_NUMBERS);
}

int cli_report_begin(struct cli_report *r, const struct cli_arguments *a, const cmb_equations *eq)
{
  if (!a->html) return CLI_DONE;
  r->eq = eq;
  cmb_status status = cli_forces_begin(&r->forces, a, eq);
  if (status == CMB_OK) status = take_memory(r, cmb_model_count(a->model, CMB_ITEM_BODY));
  return status == CMB_OK ? CLI_DONE : cli_fail(NULL, status);
}

void cli_report_end(struct cli_report *r)
{
  cli_history_end(&r->series);
  cli_history_end(&r->steps);
  free(r->frames.rows);
  cli_forces_end(&r->forces);
  if (r->viewer) fclose(r->viewer);
}

void cli_report_sample(struct cli_report *r, const cmb_record *record)
{
  cli_history_take(&r->series, r->eq, record);
  add_instant(&r->frames, &r->forces, record);
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

/* What `put_reports` needs. */
struct content {
  cmb_context *ctx;
  struct cli_report *r;
  const struct cli_arguments *a;
  const struct cli_report_texts *texts;
  void (*put_run)(struct cli_json *j, const void *run);
  const void *run;
};

/* What the model has, where its bodies are, and what is below them. */
static cmb_status put_motion(struct cli_json *j, const struct content *c)
{
  struct cli_poses poses;
  cmb_status status = cli_report_find_poses(c->ctx, &c->r->frames, c->a, &poses);
  if (status == CMB_OK) {
    cli_report_scene(j, c->a->model);
    cli_report_poses(j, &poses);
    status = cli_report_surfaces(c->ctx, j, c->a->model, &poses);
  }
  if (status == CMB_OK) {
    status = cli_report_forces(j, &c->r->forces, &c->r->frames);
  }
  cli_report_release_poses(&poses);
  return status;
}

void cli_report_head(struct cli_json *j, const struct cli_arguments *a,
                     const struct cli_report_texts *texts)
{
  cli_json_text(j, "title", texts->title);
  cli_json_text(j, "file", texts->file);
  cli_json_number(j, "t_end", texts->t_end);
  cli_json_open(j, "settings", '{');
  for (int i = 0; i < a->set_count; i++) cli_json_number(j, a->set[i].name, a->set[i].value);
  cli_json_close(j, '}');
}

static cmb_status put_reports(struct cli_json *j, void *user)
{
  const struct content *c = user;
  cli_json_open(j, "reports", '[');
  cli_json_open(j, NULL, '{');
  cli_report_head(j, c->a, c->texts);
  cli_json_open(j, "run", '{');
  c->put_run(j, c->run);
  cli_json_close(j, '}');
  cmb_status status = c->a->model ? put_motion(j, c) : CMB_OK;
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
