/*
 * The report of a run (report.h): what is kept while it goes, and the page.
 */
#include "cli/report.h"

#include "base/file.h"
#include "cli/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* ---- the viewer */

/* Beside the program as the bundled models are, or where CAMBER_VIEWER says. */
static bool find_viewer(char path[CLI_PATH_ROOM])
{
  char program[CLI_PATH_ROOM];
  const char *given = getenv("CAMBER_VIEWER");
  if (given) {
    const int length = snprintf(path, CLI_PATH_ROOM, "%s", given);
    return length < CLI_PATH_ROOM && access(path, R_OK) == 0;
  }
  if (!cli_program_folder(program)) return false;
  snprintf(path, CLI_PATH_ROOM, "%.*s/../share/camber/viewer.js", CLI_PATH_ROOM - 64, program);
  if (access(path, R_OK) == 0) return true;
  snprintf(path, CLI_PATH_ROOM, "%.*s/viewer/viewer.js", CLI_PATH_ROOM - 64, program);
  return access(path, R_OK) == 0;
}

int cli_report_open(struct cli_report *r, const struct cli_arguments *a)
{
  char path[CLI_PATH_ROOM];
  *r = (struct cli_report){.step_begin = NAN};
  if (!a->html) return CLI_DONE;
  r->viewer = find_viewer(path) ? fopen(path, "rb") : NULL;
  if (r->viewer) return CLI_DONE;
  return cli_complain("option --html: this build of Camber has no viewer, which reports are made "
                      "with; install node and npm (scripts/setup.sh viewer) and build it again");
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

/* What `write` needs; status is its result. */
struct page {
  cmb_context *ctx;
  struct cli_report *r;
  const struct cli_arguments *a;
  const struct cli_report_texts *texts;
  void (*put_run)(struct cli_json *j, const void *run);
  const void *run;
  cmb_status status;
};

/* What the model has, where its bodies are, and what is below them. */
static cmb_status put_motion(struct cli_json *j, const struct page *p)
{
  struct cli_poses poses;
  cmb_status status = cli_report_find_poses(p->ctx, &p->r->frames, p->a, &poses);
  if (status == CMB_OK) {
    cli_report_scene(j, p->a->model);
    cli_report_poses(j, &poses);
    status = cli_report_surfaces(p->ctx, j, p->a->model, &poses);
  }
  if (status == CMB_OK) {
    status = cli_report_forces(j, &p->r->forces, &p->r->frames);
  }
  cli_report_release_poses(&poses);
  return status;
}

static void put_data(FILE *to, struct page *p)
{
  struct cli_json j = {.to = to, .first = true, .in_page = true};
  cli_json_open(&j, NULL, '{');
  cli_json_integer(&j, "schema", CLI_REPORT_SCHEMA);
  cli_json_text(&j, "title", p->texts->title);
  cli_json_text(&j, "file", p->texts->file);
  cli_json_number(&j, "t_end", p->texts->t_end);
  cli_json_open(&j, "settings", '{');
  for (int i = 0; i < p->a->set_count; i++) {
    cli_json_number(&j, p->a->set[i].name, p->a->set[i].value);
  }
  cli_json_close(&j, '}');
  cli_json_open(&j, "run", '{');
  p->put_run(&j, p->run);
  cli_json_close(&j, '}');
  if (p->a->model) p->status = put_motion(&j, p);
  if (p->status == CMB_OK) p->status = cli_report_columns(&j, p->r);
  cli_json_close(&j, '}');
}

static void put_file(FILE *to, FILE *from)
{
  char piece[4096];
  for (size_t n; (n = fread(piece, 1, sizeof piece, from)) > 0;) fwrite(piece, 1, n, to);
}

static void put_page(FILE *to, struct page *p)
{
  fputs("<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; script-src "
        "'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
        "<meta name='color-scheme' content='light dark'>\n<title>",
        to);
  cli_svg_text(to, p->texts->title);
  fputs(" – Camber</title>\n</head>\n<body>\n"
        "<noscript>This report shows its plots and the motion by scripts.</noscript>\n"
        "<script type='application/json' id='camber-report'>\n",
        to);
  put_data(to, p);
  fputs("</script>\n<script>\n", to);
  put_file(to, p->r->viewer);
  fputs("</script>\n</body>\n</html>\n", to);
}

/* The page as a text of its own in memory; NULL: there was not enough. */
static char *make_page(struct page *p, size_t *length)
{
  char *text = NULL;
  FILE *memory = open_memstream(&text, length);
  if (!memory) return NULL;
  put_page(memory, p);
  const bool good = !ferror(memory) && !ferror(p->r->viewer);
  if (fclose(memory) == 0 && good) return text;
  free(text);
  return NULL;
}

cmb_status cli_report_save(cmb_context *ctx, struct cli_report *r, const struct cli_arguments *a,
                           const struct cli_report_texts *texts,
                           void (*put_run)(struct cli_json *j, const void *run), const void *run)
{
  struct page p = {
      .ctx = ctx, .r = r, .a = a, .texts = texts, .put_run = put_run, .run = run, .status = CMB_OK};
  size_t length = 0;
  char *text = make_page(&p, &length);
  cmb_status status = text ? p.status : CMB_ERROR_MEMORY;
  if (status == CMB_OK) status = cmb_file_save(ctx, a->html, text, length);
  free(text);
  return status;
}
