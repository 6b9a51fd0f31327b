/*
 * The page of a model (`camber view MODEL`): an assembled mechanism with sliders for its free coordinates and its modes (view_model.h).
 *
 * If the loops cannot be closed, the page shows the mechanism in the given position with the constraints that are violated, and the exit
 * code is that of `camber check`.
 */
#include "cli/view_model.h"

#include "base/output.h"
#include "cli/counts.h"
#include "cli/page.h"
#include "cli/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Smaller residuals of constraints are rounding errors. */
static const double OPEN = 1e-9;

/* A constraint that is violated, and by how much. */
struct open_constraint {
  const char *name;
  cmb_model_origin origin;
  double off;
};

struct model_page {
  const struct cli_arguments *a;
  struct cli_view_place place;
  cmb_system *system;      /* NULL: it could not be created */
  cmb_simulation *sim;     /* simulation whose start is shown; NULL: there is none */
  const cmb_result *start; /* NULL: the given position is shown */
  const char *state; /* which state is shown: "start", "equilibrium", "steady", "given", "design" */
  char *failure;     /* error message for the page; NULL: none */
  int code;          /* exit code of the command */
  struct cli_counts counts;
  struct cli_poses shown; /* the poses at one instant */
  struct cli_sliders sliders;
  struct cli_modes modes;
  struct open_constraint *open;
  int open_count;
};

bool cli_view_advance(struct cli_view_place *p)
{
  p->done++;
  cli_progress_show(&p->progress, fmin(1, p->done / p->all), p->t);
  return !cli_interrupted();
}

/* ---- the system and its start */

/* Stores the last error message for the page, and the exit code, unless an earlier failure is stored. */
static void note_failure(struct model_page *m, int code)
{
  const char *words = cli_last_complaint();
  const size_t size = strlen(words) + 1;
  if (m->code != CLI_DONE) return;
  m->code = code;
  m->failure = malloc(size);
  if (m->failure) memcpy(m->failure, words, size);
}

/* Creates the system in joint coordinates, which the sliders move. If no equilibrium or steady motion is found, the start values are
 * shown. */
static void open_system(cmb_context *ctx, const struct cli_arguments *a, struct model_page *m)
{
  struct cli_arguments plain = *a;
  m->state = a->equilibrium ? "equilibrium" : cli_steady_wanted(a) ? "steady" : "start";
  const int code = cli_open_system(ctx, a, &m->system);
  if (code == CLI_DONE) return;
  note_failure(m, code);
  const bool wanted_more = strcmp(m->state, "start") != 0;
  m->state = "design";
  if (!wanted_more) return;
  plain.equilibrium = false;
  plain.steady_count = plain.free_count = plain.trim_count = 0;
  if (cli_open_system(ctx, &plain, &m->system) == CLI_DONE) m->state = "start";
}

/* Computes the consistent start of a run, which is shown; after a failure the given position is shown. */
static void find_start(cmb_context *ctx, struct model_page *m)
{
  const cmb_run_options options = cmb_run_defaults();
  if (!m->system) return;
  cmb_status status = cmb_simulation_create(ctx, m->system, &options, &m->sim);
  if (status == CMB_OK) status = cmb_simulation_start(m->sim);
  if (status == CMB_OK) {
    m->start = cmb_simulation_result(m->sim);
    return;
  }
  m->state = "given";
  note_failure(m, cli_complain_of(ctx, m->a, status));
}

/* ---- what is shown */

/* Sets time, positions and velocities of the state that the page shows (m->place), and computes the size of the mechanism in it. */
static cmb_status open_place(cmb_context *ctx, struct model_page *m)
{
  struct cli_view_place *p = &m->place;
  const cmb_equations *eq = cmb_system_equations(m->system);
  p->system = m->system;
  p->eq = *eq;
  p->t = cmb_system_t_start(m->system);
  p->t_end = isnan(m->a->t_end) ? cmb_system_t_end(m->system) : m->a->t_end;
  p->q = m->start ? m->start->q : cmb_system_q(m->system);
  p->v = m->start ? m->start->v : cmb_system_v(m->system);
  if (m->start) p->eq.p = m->start->p;
  CMB_TRY(cmb_poses_create(ctx, m->a->model, m->a->formulation, &p->poses));
  return cli_view_size(p, &p->size);
}

/* Computes the poses of all bodies in the state that the page shows (m->place.q). */
static cmb_status show_place(struct model_page *m)
{
  const struct cli_view_place *p = &m->place;
  struct cli_frames one = {.nq = p->eq.nq, .count = 1, .room = 1};
  one.rows = calloc((size_t)p->eq.nq + 1, sizeof *one.rows);
  if (!one.rows) return CMB_ERROR_MEMORY;
  one.rows[0] = p->t;
  memcpy(one.rows + 1, p->q, (size_t)p->eq.nq * sizeof *one.rows);
  const cmb_status status = cli_report_poses_by(p->poses, p->bodies, &one, &m->shown);
  free(one.rows);
  return status;
}

/* Sets the poses of the bodies to the design position, as the model describes it. */
static cmb_status show_design(struct model_page *m)
{
  cmb_body body;
  m->shown = (struct cli_poses){.count = 1, .bodies = m->place.bodies};
  m->shown.t = calloc(1, sizeof *m->shown.t);
  m->shown.pose = calloc((size_t)(CLI_A_POSE * m->place.bodies) + 1, sizeof *m->shown.pose);
  if (!m->shown.t || !m->shown.pose) return CMB_ERROR_MEMORY;
  for (int b = 0; cmb_body_of(m->a->model, b, &body); b++) {
    float *pose = m->shown.pose + CLI_A_POSE * b;
    for (int i = 0; i < 3; i++) pose[i] = (float)body.com[i];
    pose[CLI_A_POSE - 1] = 1;
  }
  return CMB_OK;
}

/* ---- loops that do not close */

/* Lists the position constraints that are violated at the given start position, such as loops that are not closed. */
static cmb_status find_open(cmb_context *ctx, struct model_page *m)
{
  const cmb_equations *eq = &m->place.eq;
  double *g = calloc((size_t)eq->ng + 1, sizeof *g);
  m->open = calloc((size_t)eq->ng + 1, sizeof *m->open);
  cmb_status status = g && m->open ? CMB_OK : CMB_ERROR_MEMORY;
  if (status == CMB_OK) {
    status = cmb_constraint_values(ctx, eq, m->place.t, m->place.q, m->place.v, g);
  }
  for (int i = 0; status == CMB_OK && i < eq->ng; i++) {
    struct open_constraint *o = &m->open[m->open_count];
    *o = (struct open_constraint){.name = eq->g_names[i], .off = g[i]};
    if (!(fabs(g[i]) > OPEN)) continue;
    if (!cmb_model_origin_of(m->a->model, o->name, &o->origin)) o->origin.name = o->name;
    m->open_count++;
  }
  free(g);
  /* then nothing is known about the loops */
  return status == CMB_ERROR_EQUATIONS ? CMB_OK : status;
}

/* ---- the computation */

/* Computes the degrees of freedom, the sliders and the modes of an assembled mechanism. */
static cmb_status find_motions(cmb_context *ctx, struct model_page *m)
{
  struct cli_view_place *p = &m->place;
  const cmb_freedoms_place at = {&p->eq, m->a->model, p->t, p->q, p->v, p->eq.p};
  int freedoms;
  CMB_TRY(cli_counts_find(ctx, m->system, p->t, p->q, m->start->mode, &m->counts));
  CMB_TRY(cmb_freedoms_create(ctx, &at, &p->freedoms));
  cmb_freedoms_list(p->freedoms, &freedoms);
  p->all = 3.0 * freedoms + 1;
  CMB_TRY(cli_sliders_find(p, &m->sliders));
  return cli_modes_find(p, &m->modes);
}

/* Computes everything that the page of a model shows: poses of the bodies and, if the mechanism is assembled, its sliders and modes. */
static cmb_status compute(cmb_context *ctx, struct model_page *m)
{
  m->place.ctx = ctx;
  m->place.a = m->a;
  m->place.bodies = cmb_model_count(m->a->model, CMB_ITEM_BODY);
  if (!m->system) return show_design(m);
  if (!cli_counts_begin(m->system, &m->counts)) return CMB_ERROR_MEMORY;
  CMB_TRY(open_place(ctx, m));
  CMB_TRY(show_place(m));
  return m->start ? find_motions(ctx, m) : find_open(ctx, m);
}

/* ---- the page */

/* Writes the violated constraints as a JSON list, with the elements they belong to. */
static void put_open(struct cli_json *j, const struct model_page *m)
{
  cli_json_open(j, "open", '[');
  for (int i = 0; i < m->open_count; i++) {
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "constraint", m->open[i].name);
    cli_json_text(j, "kind", m->open[i].origin.kind);
    cli_json_text(j, "name", m->open[i].origin.name);
    cli_json_number(j, "off", m->open[i].off);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}

/* Writes which state the page shows, with warnings, a failure and, if the mechanism is assembled, its counts. */
static void put_state(struct cli_json *j, const struct model_page *m)
{
  cli_json_text(j, "camber", cmb_version());
  cli_json_text(j, "model", cmb_model_name(m->a->model));
  cli_json_text(j, "state", m->state);
  cli_json_number(j, "t", m->place.t);
  cli_json_text(j, "failure", m->code == CLI_DONE ? NULL : m->failure ? m->failure : "");
  put_open(j, m);
  cli_json_warnings(j);
  if (!m->start) return;
  cli_json_integer(j, "coordinates", m->place.eq.nq);
  cli_json_integer(j, "states", m->place.eq.nz);
  cli_json_number(j, "residual", m->start->position);
  cli_json_number(j, "size", m->place.size);
  cli_json_counts(j, &m->counts);
}

/* Writes the mechanism in its shown state as a JSON object. */
static cmb_status put_report(struct cli_json *j, const struct model_page *m)
{
  const struct cli_report_texts texts = {
      .title = cli_title(m->a), .file = m->a->operand, .t_end = m->place.t_end};
  cli_json_open(j, NULL, '{');
  cli_report_head(j, m->a, &texts);
  cli_report_scene(j, m->a->model);
  cli_report_poses(j, &m->shown);
  cmb_status status = CMB_OK;
  if (m->system) {
    status = cli_report_surfaces(m->place.ctx, j, m->a->model, &m->shown);
  } else { /* surfaces are computed from equations, which do not exist here */
    cli_json_open(j, "surfaces", '[');
    cli_json_close(j, ']');
  }
  cli_json_close(j, '}');
  return status;
}

/* Writes the data of the page: mechanism, state, sliders and modes. A callback of cli_page_save. */
static cmb_status put_page(struct cli_json *j, void *user)
{
  const struct model_page *m = user;
  cli_json_open(j, "reports", '[');
  const cmb_status status = put_report(j, m);
  cli_json_close(j, ']');
  CMB_TRY(status);
  cli_json_open(j, "model", '{');
  put_state(j, m);
  cli_json_close(j, '}');
  if (!m->start) return CMB_OK;
  CMB_TRY(cli_sliders_put(j, &m->place, &m->sliders));
  return cli_modes_put(j, &m->place, &m->modes);
}

/* Prints the numbers of degrees of freedom, sliders and modes, and where the page is. */
static void print_text(const struct model_page *m, const char *page)
{
  const int freedoms = m->sliders.freedoms, sliders = m->sliders.count, modes = m->modes.count;
  if (m->a->quiet) return;
  printf("%s: ", cmb_model_name(m->a->model));
  if (!m->start) {
    printf("not assembled; shown as it was given\n");
  } else {
    printf("%d degree%s of freedom, %d slider%s, %d mode%s\n", freedoms, freedoms == 1 ? "" : "s",
           sliders, sliders == 1 ? "" : "s", modes, modes == 1 ? "" : "s");
  }
  cli_view_say(m->a, page);
}

/* ---- the command */

/* Computes the page and writes it to the file `path`; returns an exit code. */
static int save(cmb_context *ctx, struct model_page *m, FILE *viewer, const char *path)
{
  const struct cli_page page = {
      .title = cli_title(m->a), .kind = "model", .viewer = viewer, .put = put_page, .user = m};
  cli_catch_interrupt();
  cli_progress_begin(&m->place.progress, m->a->quiet);
  cmb_status status = compute(ctx, m);
  cli_progress_end(&m->place.progress);
  if (status == CMB_OK) status = cli_page_save(ctx, &page, path);
  if (status != CMB_OK) return cli_fail(status == CMB_ERROR_MEMORY ? NULL : ctx, status);
  print_text(m, path);
  return m->code;
}

static void release(struct model_page *m)
{
  cli_sliders_release(&m->sliders);
  cli_modes_release(&m->modes);
  cli_report_release_poses(&m->shown);
  cli_counts_end(&m->counts);
  cmb_freedoms_destroy(m->place.freedoms);
  cmb_poses_destroy(m->place.poses);
  cmb_simulation_destroy(m->sim);
  cmb_system_destroy(m->system);
  free(m->open);
  free(m->failure);
}

/* Checks that the page can be written and is none of the files that the model is read from. Prints an error message otherwise; returns
 * an exit code. */
static int check_path(cmb_context *ctx, const struct cli_arguments *a, const char *path)
{
  if (cmb_model_reads(a->model, path)) {
    return cli_complain("the page would be '%s', which the model reads; expected another file",
                        path);
  }
  if (!cli_ends_in(path, ".html")) {
    return cli_complain("the page of a model must end in .html, and '%s' does not", path);
  }
  const cmb_status possible = cmb_output_possible(ctx, path);
  return possible == CMB_OK ? CLI_DONE : cli_fail(ctx, possible);
}

int cli_view_model(cmb_context *ctx, const struct cli_arguments *a, const char *page)
{
  struct cli_arguments with = *a;
  struct model_page m = {.a = &with, .code = CLI_DONE};
  if (with.formulation == CMB_FORM_CARTESIAN) with.formulation = CMB_FORM_EXPLICIT;
  int code = check_path(ctx, a, page);
  if (code != CLI_DONE) return code;
  FILE *viewer = cli_page_viewer("'camber view'");
  if (!viewer) return CLI_BAD_INPUT;
  open_system(ctx, &with, &m);
  find_start(ctx, &m);
  code = save(ctx, &m, viewer, page);
  release(&m);
  fclose(viewer);
  return code;
}
