/*
 * The motion of a result (viewed.h): its model is read again, as the file says or the command line does, and the coordinates of each row give the
 * poses of the bodies.
 *
 * A picture of another model than that of the run would be wrong without anybody seeing it. So the model has to look as it did (the digest that
 * the file has); where that is not known, its coordinates have to be there by name, and the first row has to meet its constraints.
 */
#include "base/text.h"
#include "cli/viewed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double LARGEST = 1e9; /* a coordinate in m or rad: what is farther cannot be drawn */

/* ---- how the model is read */

static bool add_word(struct cli_viewed *v, const char *text, size_t length)
{
  char **grown = realloc(v->words, ((size_t)v->word_count + 1) * sizeof *grown);
  if (!grown) return false;
  v->words = grown;
  v->words[v->word_count] = strndup(text, length);
  return v->words[v->word_count++] != NULL;
}

const char *cli_viewed_formulation(const struct cli_viewed *v)
{
  const char *known = cli_result_formulation(&v->result);
  return known || !v->with.model ? known : cmb_formulation_name(v->with.formulation);
}

/* Options in a file are those that the mechanism depends on, and no others: the file may come from anywhere. */
static bool is_allowed(const char *line, size_t length)
{
  static const char *const allowed[] = {
      "--set=", "--start=", "--live=", "--formulation=", "--include-anywhere"};
  for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
    const size_t prefix = strlen(allowed[i]);
    const bool whole = allowed[i][prefix - 1] != '=';
    if (length >= prefix && strncmp(line, allowed[i], prefix) == 0 && (!whole || length == prefix))
      return true;
  }
  return false;
}

static int complain_arguments(const struct cli_viewed *v)
{
  return cli_complain("'%s' has other arguments than camber run writes; --no-motion shows plots "
                      "only",
                      v->result.path);
}

/* The words of the file, a line each, and the model: the command line's, else the file's. */
static int collect_words(struct cli_viewed *v, const struct cli_arguments *a)
{
  const char *file =
      a->model_of_results ? a->model_of_results : cli_viewed_text(v, CLI_TEXT_model_file);
  const char *rest = cli_viewed_text(v, CLI_TEXT_arguments), *line;
  size_t length;
  while (cli_viewed_line(&rest, &line, &length)) {
    if (!is_allowed(line, length)) return complain_arguments(v);
    if (!add_word(v, line, length)) return cli_fail(NULL, CMB_ERROR_MEMORY);
  }
  if (file[0] == '-') return complain_arguments(v);
  return add_word(v, file, strlen(file)) ? CLI_DONE : cli_fail(NULL, CMB_ERROR_MEMORY);
}

/* A setting of the command line replaces that of the same name. */
static int add_settings(int count, const cmb_setting *from, int *to_count, cmb_setting *to)
{
  for (int i = 0; i < count; i++) {
    const int known = cmb_find_name(from[i].name, to, *to_count, sizeof *to);
    if (known < 0 && *to_count >= CLI_MOST_SETTINGS) {
      return cli_complain("there are too many settings of the model");
    }
    to[known >= 0 ? known : (*to_count)++] = from[i];
  }
  return CLI_DONE;
}

/* What the command line says besides. */
static int take_more(struct cli_arguments *with, const struct cli_arguments *a)
{
  int code = add_settings(a->set_count, a->set, &with->set_count, with->set);
  if (code == CLI_DONE) {
    code = add_settings(a->start_count, a->start, &with->start_count, with->start);
  }
  if (cli_given(a, "formulation")) {
    with->formulation = a->formulation;
    with->given[cli_find_option(with->command, "formulation")] = true; /* the model has no say */
  }
  if (cli_given(a, "live")) {
    with->live_all = a->live_all;
    with->live_count = a->live_count;
    memcpy(with->live, a->live, sizeof with->live);
  }
  with->include_anywhere |= a->include_anywhere;
  return code;
}

/* Whether the file of the run's model is there: what a result names has to be a plain file. */
static bool is_there(const struct cli_arguments *with)
{
  struct cli_model_source source;
  struct stat about;
  return cli_find_model(with, &source) && stat(source.path, &about) == 0 && S_ISREG(about.st_mode);
}

static int read_model(cmb_context *ctx, struct cli_viewed *v, const struct cli_arguments *a)
{
  int code = collect_words(v, a);
  if (code == CLI_DONE) code = cli_parse_words(a->command, v->word_count, v->words, &v->with);
  if (code == CLI_DONE) code = take_more(&v->with, a);
  if (code != CLI_DONE) return code;
  if (cmb_problem_find(v->with.operand)) {
    return cli_complain("'%s' is a problem written in C, which has no bodies to look at",
                        v->with.operand);
  }
  if (!a->model_of_results && !is_there(&v->with)) {
    return cli_complain("'%s' is of the model '%s', which is not there; --model says where it is, "
                        "--no-motion shows plots only",
                        v->result.path, v->with.operand);
  }
  return cli_read_model(ctx, &v->with);
}

/* ---- whether it is the model of the run */

static void note(struct cli_viewed *v, const char *what)
{
  char text[512];
  snprintf(text, sizeof text, "the model '%.200s' %s", v->with.operand, what);
  cli_viewed_note(v, CMB_LOG_WARNING, text);
}

static int check_picture(cmb_context *ctx, struct cli_viewed *v, const struct cli_arguments *a)
{
  const char *wanted = cli_viewed_text(v, CLI_TEXT_picture);
  char now[CMB_PICTURE_DIGEST_ROOM];
  if (!wanted[0]) {
    note(v,
         "and its parameters are those of the command line, which cannot be checked: the file does "
         "not say what the model of the run looked like");
    return CLI_DONE;
  }
  const cmb_status status = cmb_picture_digest(ctx, v->with.model, now);
  if (status != CMB_OK) return cli_fail(ctx, status);
  if (strcmp(now, wanted) == 0) return CLI_DONE;
  if (a->model_of_results) {
    note(v, "looks otherwise than that of the run did");
    return CLI_DONE;
  }
  return cli_complain("the model '%s' was changed since the run in '%s': its parts are at other "
                      "places or have other forms; --model names another file (or this one as it "
                      "is now), --no-motion shows plots only",
                      v->with.operand, v->result.path);
}

/* q, or v, of a row. */
static void take_row(const struct cli_viewed *v, enum cli_column_kind kind, long row, double *x)
{
  for (int i = 0, k = 0; i < v->result.count; i++) {
    if (v->result.columns[i].kind == kind) x[k++] = v->result.columns[i].numbers[row];
  }
}

/* The first row, which begins consistently, meets the constraints as far as a picture shows it: to a thousandth of the mechanism's size. */
static int check_constraints(cmb_context *ctx, const struct cli_viewed *v, const cmb_system *system,
                             double t, double *q, double *velocity, double size)
{
  const cmb_equations *eq = cmb_system_equations(system);
  double position, rate;
  take_row(v, CLI_COLUMN_COORDINATE, 0, q);
  memset(velocity, 0, ((size_t)eq->nv + 1) * sizeof *velocity);
  if (cli_viewed_count(v, CLI_COLUMN_VELOCITY) == eq->nv) {
    take_row(v, CLI_COLUMN_VELOCITY, 0, velocity);
  }
  const cmb_status status = cmb_system_residuals(ctx, system, t, q, velocity, &position, &rate);
  if (status != CMB_OK) return cli_fail(ctx, status);
  if (!(position > 1e-3 * size)) return CLI_DONE;
  return cli_complain("'%s' is not of the model '%s' as it is read here: the first row misses its "
                      "constraints by %.2g; is a --set missing? --no-motion shows plots only",
                      v->result.path, v->with.operand, position);
}

/* How far the bodies are apart, at most; 0 of a single one. */
static double size_of(const cmb_model *model)
{
  cmb_body first, body;
  double most = 0;
  if (!cmb_body_of(model, 0, &first)) return 0;
  for (int i = 1; cmb_body_of(model, i, &body); i++) {
    most = fmax(most, hypot(hypot(body.com[0] - first.com[0], body.com[1] - first.com[1]),
                            body.com[2] - first.com[2]));
  }
  return most;
}

/* ---- the instants */

static int check_number(const struct cli_viewed *v, long row, int i, double x)
{
  if (fabs(x) <= LARGEST) return CLI_DONE; /* not so of NaN */
  return cli_complain("row %ld of '%s': the coordinate '%s' is %g, which cannot be drawn; "
                      "--no-motion shows plots only",
                      row + 1, v->result.path, cli_viewed_column(v, CLI_COLUMN_COORDINATE, i)->name,
                      x);
}

static int keep_frames(struct cli_viewed *v, int nq, double *q)
{
  const double *t = cli_viewed_column(v, CLI_COLUMN_TIME, 0)->numbers;
  for (long k = 0; k < v->result.rows; k++) {
    take_row(v, CLI_COLUMN_COORDINATE, k, q);
    for (int i = 0; i < nq; i++) {
      const int code = check_number(v, k, i, q[i]);
      if (code != CLI_DONE) return code;
    }
    cli_frames_add(&v->frames, t[k], q, NULL);
  }
  cli_frames_close(&v->frames);
  return CLI_DONE;
}

/* A turn has length 1: Euler parameters of a file may have another one. */
static int check_turns(cmb_context *ctx, const struct cli_viewed *v, cmb_poses *poses,
                       cmb_pose_of_body *at, int bodies)
{
  for (long k = 0; k < v->frames.count; k++) {
    const double *row = cli_frames_row(&v->frames, k);
    const cmb_status status = cmb_poses_at(poses, v->frames.nq, row + 1, 0, NULL, at);
    if (status != CMB_OK) return cli_fail(ctx, status);
    for (int b = 0; b < bodies; b++) {
      for (int i = 0; i < 3; i++) {
        const double *x = at[b].turn + 3 * i;
        if (fabs(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 1) <= 1e-3) continue;
        return cli_complain("'%s': the coordinates at t = %g are no positions of the model '%s'; "
                            "--no-motion shows plots only",
                            v->result.path, row[0], v->with.operand);
      }
    }
  }
  return CLI_DONE;
}

static int check_frames(cmb_context *ctx, const struct cli_viewed *v)
{
  const int bodies = cmb_model_count(v->with.model, CMB_ITEM_BODY);
  cmb_poses *poses;
  const cmb_status status = cmb_poses_create(ctx, v->with.model, v->with.formulation, &poses);
  if (status != CMB_OK) return cli_fail(ctx, status);
  cmb_pose_of_body *at = calloc((size_t)bodies + 1, sizeof *at);
  const int code = at ? check_turns(ctx, v, poses, at, bodies) : cli_fail(NULL, CMB_ERROR_MEMORY);
  free(at);
  cmb_poses_destroy(poses);
  return code;
}

/* The result is one of these equations; its instants are kept. */
static int follow(cmb_context *ctx, struct cli_viewed *v, const cmb_system *system, int share)
{
  const cmb_equations *eq = cmb_system_equations(system);
  const int bodies = cmb_model_count(v->with.model, CMB_ITEM_BODY);
  int code = cli_viewed_match(v, eq);
  if (code != CLI_DONE) return code;
  double *q = calloc((size_t)eq->nq + (size_t)eq->nv + 2, sizeof *q);
  if (!q) return cli_fail(NULL, CMB_ERROR_MEMORY);
  const cmb_status status = cli_frames_begin(&v->frames, eq->nq, 0, bodies, share);
  if (status != CMB_OK) code = cli_fail(NULL, status);
  if (code == CLI_DONE) code = keep_frames(v, eq->nq, q);
  if (code == CLI_DONE) {
    const double t = cli_viewed_column(v, CLI_COLUMN_TIME, 0)->numbers[0];
    const double size = fmax(size_of(v->with.model), 1e-3);
    code = check_constraints(ctx, v, system, t, q, q + eq->nq + 1, size);
  }
  if (code == CLI_DONE) code = check_frames(ctx, v);
  free(q);
  return code;
}

int cli_viewed_move(cmb_context *ctx, struct cli_viewed *v, const struct cli_arguments *a,
                    int share)
{
  const bool named = a->model_of_results || cli_viewed_text(v, CLI_TEXT_model_file)[0];
  cmb_system *system = NULL;
  if (a->no_motion || !named) {
    v->why = a->no_motion ? "--no-motion"
             : cmb_problem_find(cli_viewed_text(v, CLI_TEXT_model))
                 ? "it is of a problem written in C, which has no bodies"
                 : "the file does not say which model it is of; --model MODEL shows the motion";
    return CLI_DONE;
  }
  int code = read_model(ctx, v, a);
  if (code == CLI_DONE) code = check_picture(ctx, v, a);
  if (code != CLI_DONE) return code;
  const cmb_model_system_options options = {.formulation = v->with.formulation,
                                            .evaluation = a->evaluation,
                                            .start_count = v->with.start_count,
                                            .start = v->with.start};
  const cmb_status status = cmb_model_system(ctx, v->with.model, &options, &system);
  code = cli_complain_of(ctx, &v->with, status);
  if (code == CLI_DONE) code = follow(ctx, v, system, share);
  cmb_system_destroy(system);
  return code;
}
