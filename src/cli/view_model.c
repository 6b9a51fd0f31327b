/*
 * Writes the HTML page of a model (`camber view MODEL`): an assembled mechanism with sliders for its free coordinates, and its modes
 * (view_model.h). Called by view.c.
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
static const double LEAST_RESIDUAL = 1e-9;

/* A constraint that is violated, and by how much. */
struct violated_constraint {
  const char *name;
  cmb_model_origin origin; /* the element of the model to which it belongs */
  double off;              /* its residual g_i, in m or rad */
};

/* The page of a model. */
struct model_page {
  const struct cli_arguments *a;
  struct cli_view_place place;
  cmb_system *system;      /* equations of the model; NULL: they could not be created */
  cmb_simulation *sim;     /* simulation whose start is shown; NULL: there is none */
  const cmb_result *start; /* NULL: the given or design position is shown */
  const char *state; /* which state is shown: "start", "equilibrium", "steady", "given", "design" */
  char *failure;     /* error message for the page; NULL: none */
  int code;          /* exit code of the command */
  struct cli_counts counts;
  struct cli_poses shown; /* the poses at one instant */
  struct cli_sliders sliders;
  struct cli_modes modes;
  struct violated_constraint *violated; /* (violated_count) constraints that are violated */
  int violated_count;
};

bool cli_view_advance(struct cli_view_place *p)
{
  p->done++;
  cli_progress_show(&p->progress, fmin(1, p->done / p->all), p->t);
  return !cli_interrupted();
}

/* ---- the system and its start */

/* Stores a failure for the HTML page: the last error message and the exit code of the program. An earlier one remains. */
static void note_failure(struct model_page *m, int code)
{
  const char *words = cli_last_complaint();
  const size_t size = strlen(words) + 1;
  if (m->code != CLI_DONE) return;
  m->code = code;
  m->failure = malloc(size);
  if (m->failure) memcpy(m->failure, words, size);
}

/* Creates the system of the model, m->system, in its start position or, if requested, in its equilibrium or steady motion; m->state is the name
 * of this state. If no equilibrium or steady motion is found, stores the error message and uses the start position; if that fails too,
 * m->system stays NULL. */
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

/* Computes the consistent initial state m->start in which a run would begin. If that fails, e.g. because a loop cannot be closed, m->start
 * stays NULL, the error message is printed and stored, and the HTML page shows the given positions. Does nothing if the model has no equations
 * of motion (m->system). */
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

/* Sets m->place, the time, positions and velocities that the HTML page shows: the consistent initial state if it was found, otherwise the given
 * values. Also creates the object that computes poses of bodies, and computes the size of the mechanism. */
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

/* Computes the poses of all bodies, m->shown, at the positions m->place.q that the page shows. */
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

/* Sets the poses of all bodies, m->shown, to the design position: no rotation, and the centres of mass where the model file gives them. */
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

/* Lists the position constraints that the given start position violates (e.g. a loop is not closed) in m->violated, with their residuals and
 * the model elements that they belong to. The list is empty if the constraints cannot be evaluated there. */
static cmb_status find_violated(cmb_context *ctx, struct model_page *m)
{
  const cmb_equations *eq = &m->place.eq;
  double *g = calloc((size_t)eq->ng + 1, sizeof *g);
  m->violated = calloc((size_t)eq->ng + 1, sizeof *m->violated);
  cmb_status status = g && m->violated ? CMB_OK : CMB_ERROR_MEMORY;
  if (status == CMB_OK) {
    status = cmb_constraint_values(ctx, eq, m->place.t, m->place.q, m->place.v, g);
  }
  for (int i = 0; status == CMB_OK && i < eq->ng; i++) {
    struct violated_constraint *o = &m->violated[m->violated_count];
    *o = (struct violated_constraint){.name = eq->g_names[i], .off = g[i]};
    if (!(fabs(g[i]) > LEAST_RESIDUAL)) continue;
    if (!cmb_model_origin_of(m->a->model, o->name, &o->origin)) o->origin.name = o->name;
    m->violated_count++;
  }
  free(g);
  /* if the constraints cannot be evaluated, nothing is known about the loops */
  return status == CMB_ERROR_EQUATIONS ? CMB_OK : status;
}

/* ---- the computation */

/* Computes what the HTML page shows of an assembled mechanism besides its bodies: the numbers of coordinates and degrees of freedom, the
 * positions for the slider controls, each of which moves a free coordinate, and the modes (eigenvalues and eigenvectors). */
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

/* Computes what the HTML page of a model shows: the poses of its bodies, and for an assembled mechanism the positions for the slider controls
 * and the modes (eigenvalues and eigenvectors), otherwise the violated constraints. If there are no equations, only the design position. */
static cmb_status compute(cmb_context *ctx, struct model_page *m)
{
  m->place.ctx = ctx;
  m->place.a = m->a;
  m->place.bodies = cmb_model_count(m->a->model, CMB_ITEM_BODY);
  if (!m->system) return show_design(m);
  if (!cli_counts_begin(m->system, &m->counts)) return CMB_ERROR_MEMORY;
  CMB_TRY(open_place(ctx, m));
  CMB_TRY(show_place(m));
  return m->start ? find_motions(ctx, m) : find_violated(ctx, m);
}

/* ---- the page */

/* Writes the violated position constraints, m->violated, as the JSON list "open": the name and the residual of each, and the kind and name
 * of the element of the model it belongs to. */
static void put_violated(struct cli_json *j, const struct model_page *m)
{
  cli_json_open(j, "open", '[');
  for (int i = 0; i < m->violated_count; i++) {
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "constraint", m->violated[i].name);
    cli_json_text(j, "kind", m->violated[i].origin.kind);
    cli_json_text(j, "name", m->violated[i].origin.name);
    cli_json_number(j, "off", m->violated[i].off);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}

/* Writes the state that the HTML page shows as keys of a JSON object: version, model, name of the state, time, error message if there was a
 * failure, violated constraints and warnings; for an assembled mechanism also the numbers of coordinates, states and degrees of freedom, the
 * residual of the constraints, and its size. */
static void put_state(struct cli_json *j, const struct model_page *m)
{
  cli_json_text(j, "camber", cmb_version());
  cli_json_text(j, "model", cmb_model_name(m->a->model));
  cli_json_text(j, "state", m->state);
  cli_json_number(j, "t", m->place.t);
  cli_json_text(j, "failure", m->code == CLI_DONE ? NULL : m->failure ? m->failure : "");
  put_violated(j, m);
  cli_json_warnings(j);
  if (!m->start) return;
  cli_json_integer(j, "coordinates", m->place.eq.nq);
  cli_json_integer(j, "states", m->place.eq.nz);
  cli_json_number(j, "residual", m->start->position);
  cli_json_number(j, "size", m->place.size);
  cli_json_counts(j, &m->counts);
}

/* Writes a model in the state that its HTML page shows as a JSON object: title, file, elements, poses of the bodies, and the shape of the
 * ground, which is empty if there are no equations to compute it. */
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

/* Writes the JSON data of the HTML page of a model: the mechanism and its state and, if it is assembled, the positions for the slider
 * controls and the modes (eigenvalues and eigenvectors). A callback of cli_page_save; `user` is a struct model_page. */
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

/* Prints a summary of a model's HTML page to the terminal: the numbers of degrees of freedom, slider controls and modes, or a note that the
 * mechanism could not be assembled; also the path `page` if the page is kept. Does nothing with --quiet. */
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
  cli_view_print_path(m->a, page);
}

/* ---- the command */

/* Makes the HTML page of a model and writes it to the file `path`; `viewer` is the open JavaScript file to be included. If the page is written,
 * returns m->code, which tells whether, for example, the mechanism could be assembled (CLI_DONE: no error); otherwise prints an error message
 * and returns another exit code. */
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
  free(m->violated);
  free(m->failure);
}

/* Checks the file name `path` of a model's HTML page: it must end in .html and be writable, and must not be a file that the model reads.
 * Returns CLI_DONE or, after an error message, another exit code. */
static int check_path(cmb_context *ctx, const struct cli_arguments *a, const char *path)
{
  if (cmb_model_reads(a->model, path)) {
    return cli_complain("the page would overwrite '%s', a file of the model; expected another file",
                        path);
  }
  if (!cli_ends_in(path, ".html")) {
    return cli_complain("the page of the model would be '%s'; expected a name that ends in .html",
                        path);
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
