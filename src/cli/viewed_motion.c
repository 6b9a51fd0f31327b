/*
 * Computes the motion of a result file for the page of `camber view` (viewed.h): its model is read again, as the file or the command line
 * specifies it, and the coordinates of each row give the poses of the bodies.
 *
 * A picture of another model than that of the run would be wrong without anyone noticing. So the hash of what the model looks like must agree
 * with that in the file, if it has one and the user names no other model. In any case the file must have all coordinates of the model, and its
 * first row must satisfy the constraints.
 */
#include "base/text.h"
#include "cli/viewed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double LARGEST = 1e9; /* in m or rad: larger coordinates cannot be drawn */

/* ---- reading the model */

/* Appends a copy of a word, text[length], to v->words. These are the words of the command line of a run that is stored in a result file, by
 * which its model is read again. Returns false if memory runs out. */
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

/* Returns whether a line of a result file, line[length], is a command-line option that determines the mechanism (--set, --start, --live,
 * --formulation, --include-anywhere). Other options are not accepted, since the file may come from anywhere. */
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

/* Prints the error message that a result file contains command-line options that `camber run` would not have written; returns the exit code
 * CLI_BAD_INPUT. */
static int complain_arguments(const struct cli_viewed *v)
{
  return cli_complain(
      "the command line in '%s' is not one that camber run writes; --no-motion shows plots "
      "only",
      v->result.path);
}

/* Collects the command line with which the model of a result file is read, v->words: the options stored in the file, and the model named by
 * --model or, without it, in the file. Returns CLI_DONE or, after an error message, another exit code. */
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

/* Adds the settings from[count] of parameters or start values to the list to[*to_count]; each replaces one of the same name. Returns CLI_DONE,
 * or CLI_BAD_INPUT after an error message if there would be more than CLI_MOST_SETTINGS. */
static int add_settings(int count, const cmb_setting *from, int *to_count, cmb_setting *to)
{
  for (int i = 0; i < count; i++) {
    const int known = cmb_find_name(from[i].name, to, *to_count, sizeof *to);
    if (known < 0 && *to_count >= CLI_MOST_SETTINGS) {
      return cli_complain(
          "the run and the command line set too many parameters; expected at most %d",
          CLI_MOST_SETTINGS);
    }
    to[known >= 0 ? known : (*to_count)++] = from[i];
  }
  return CLI_DONE;
}

/* Appends options of the command line of `camber view` to `with`, the options stored in a result file, over which they take precedence:
 * parameters, start values, formulation, live parameters (changeable after set-up) and --include-anywhere. Returns CLI_DONE, or CLI_BAD_INPUT
 * after an error message if there are too many. */
static int add_command_line_options(struct cli_arguments *with, const struct cli_arguments *a)
{
  int code = add_settings(a->set_count, a->set, &with->set_count, with->set);
  if (code == CLI_DONE) {
    code = add_settings(a->start_count, a->start, &with->start_count, with->start);
  }
  if (cli_given(a, "formulation")) {
    with->formulation = a->formulation;
    /* so that the model file does not set the formulation */
    with->given[cli_find_option(with->command, "formulation")] = true;
  }
  if (cli_given(a, "live")) {
    with->live_all = a->live_all;
    with->live_count = a->live_count;
    memcpy(with->live, a->live, sizeof with->live);
  }
  with->include_anywhere |= a->include_anywhere;
  return code;
}

/* Returns whether the model file of a result file exists and is a regular file. `with` contains the command-line arguments with which this
 * model is read. */
static bool model_file_exists(const struct cli_arguments *with)
{
  struct cli_model_source source;
  struct stat about;
  return cli_find_model(with, &source) && stat(source.path, &about) == 0 && S_ISREG(about.st_mode);
}

/* Reads the model of a result file, v->with.model, with the options that the file contains and those of the command line. Returns CLI_DONE or,
 * after an error message, another exit code. */
static int read_model(cmb_context *ctx, struct cli_viewed *v, const struct cli_arguments *a)
{
  int code = collect_words(v, a);
  if (code == CLI_DONE) code = cli_parse_words(a->command, v->word_count, v->words, &v->with);
  if (code == CLI_DONE) code = add_command_line_options(&v->with, a);
  if (code != CLI_DONE) return code;
  if (cmb_problem_find(v->with.operand)) {
    return cli_complain("'%s' is a problem written in C, which has no bodies to show",
                        v->with.operand);
  }
  if (!a->model_of_results && !model_file_exists(&v->with)) {
    return cli_complain("'%s' is of the model '%s', which does not exist; --model names its file, "
                        "--no-motion shows plots only",
                        v->result.path, v->with.operand);
  }
  return cli_read_model(ctx, &v->with);
}

/* ---- whether it is the model of the run */

/* Stores a warning about the model of a result file; `what` is the text that follows the name of the model. */
static void add_warning(struct cli_viewed *v, const char *what)
{
  char text[512];
  snprintf(text, sizeof text, "the model '%.200s' %s", v->with.operand, what);
  cli_viewed_add_warning(v, CMB_LOG_WARNING, text);
}

/* Checks by a hash of bodies, joints and shapes that the model looks as it did in the run of the result file. If not, fails, or stores a
 * warning if the user has named the model with --model; also stores a warning if the file has no hash. Returns CLI_DONE or, after an error
 * message, another exit code. */
static int check_picture(cmb_context *ctx, struct cli_viewed *v, const struct cli_arguments *a)
{
  const char *wanted = cli_viewed_text(v, CLI_TEXT_picture);
  char now[CMB_PICTURE_DIGEST_ROOM];
  if (!wanted[0]) {
    add_warning(
        v,
        "and its parameters are those of the command line, which cannot be checked: the file does "
        "not say what the model of the run looked like");
    return CLI_DONE;
  }
  const cmb_status status = cmb_picture_digest(ctx, v->with.model, now);
  if (status != CMB_OK) return cli_fail(ctx, status);
  if (strcmp(now, wanted) == 0) return CLI_DONE;
  if (a->model_of_results) {
    add_warning(v, "differs from that of the run in its bodies, joints, shapes or their names");
    return CLI_DONE;
  }
  return cli_complain("the model '%s' was changed since the run in '%s': its parts have other "
                      "places, shapes or names; --model names another file (or this one as it "
                      "is now), --no-motion shows plots only",
                      v->with.operand, v->result.path);
}

/* Copies the numbers of all columns of one kind (e.g. all coordinates) in a row of a result file to x, in the order of the columns. */
static void copy_row(const struct cli_viewed *v, enum cli_column_kind kind, long row, double *x)
{
  for (int i = 0, k = 0; i < v->result.count; i++) {
    if (v->result.columns[i].kind == kind) x[k++] = v->result.columns[i].numbers[row];
  }
}

/* Checks that the first row of a result file, at the time t, satisfies the position constraints of the model with an error of at most 1e-3
 * `size`. If not, the file belongs to another model. q[nq] and velocity[nv + 1] are working arrays. Returns CLI_DONE or, after an error
 * message, another exit code. */
static int check_constraints(cmb_context *ctx, const struct cli_viewed *v, const cmb_system *system,
                             double t, double *q, double *velocity, double size)
{
  const cmb_equations *eq = cmb_system_equations(system);
  double position, rate;
  copy_row(v, CLI_COLUMN_COORDINATE, 0, q);
  memset(velocity, 0, ((size_t)eq->nv + 1) * sizeof *velocity);
  if (cli_viewed_count(v, CLI_COLUMN_VELOCITY) == eq->nv) {
    copy_row(v, CLI_COLUMN_VELOCITY, 0, velocity);
  }
  const cmb_status status = cmb_system_residuals(ctx, system, t, q, velocity, &position, &rate);
  if (status != CMB_OK) return cli_fail(ctx, status);
  if (!(position > 1e-3 * size)) return CLI_DONE;
  return cli_complain("'%s' is not of the model '%s' as it is read here: the first row violates "
                      "its constraints by %.2g; is a --set missing? --no-motion shows plots only",
                      v->result.path, v->with.operand, position);
}

/* Returns the largest distance between the centre of mass of the first body and that of another body in the design position; 0 if there is
 * no other body. */
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

/* Checks that x, coordinate i in a row of a result file, is at most 1e9 in size and not NaN, so that it can be drawn. Returns CLI_DONE, or
 * CLI_BAD_INPUT after an error message. */
static int check_number(const struct cli_viewed *v, long row, int i, double x)
{
  if (fabs(x) <= LARGEST) return CLI_DONE; /* false for NaN */
  return cli_complain(
      "row %ld of '%s': the coordinate '%s' is %g, which cannot be drawn; expected a number from "
      "-%g to %g; --no-motion shows plots only",
      row + 1, v->result.path, cli_viewed_column(v, CLI_COLUMN_COORDINATE, i)->name, x, LARGEST,
      LARGEST);
}

/* Makes frames of the animation, v->frames, from the coordinates in the rows of a result file; if there are too many rows, only from a
 * selection of them. q[nq] is a working array. Returns CLI_DONE, or CLI_BAD_INPUT after an error message if a coordinate is too large to be
 * drawn or not finite. */
static int keep_frames(struct cli_viewed *v, int nq, double *q)
{
  const double *t = cli_viewed_column(v, CLI_COLUMN_TIME, 0)->numbers;
  for (long k = 0; k < v->result.rows; k++) {
    copy_row(v, CLI_COLUMN_COORDINATE, k, q);
    for (int i = 0; i < nq; i++) {
      const int code = check_number(v, k, i, q[i]);
      if (code != CLI_DONE) return code;
    }
    cli_frames_add(&v->frames, t[k], q, NULL);
  }
  cli_frames_close(&v->frames);
  return CLI_DONE;
}

/* Checks that the coordinates at all stored instants give rotation matrices whose rows have length 1 (squared length within 1e-3 of 1), which
 * Euler parameters in a file may violate. at[bodies] is a working array for poses. Returns CLI_DONE or, after an error message, another exit
 * code. */
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
        return cli_complain("'%s': the coordinates at t = %g are not positions of the model '%s'; "
                            "--no-motion shows plots only",
                            v->result.path, row[0], v->with.operand);
      }
    }
  }
  return CLI_DONE;
}

/* Checks that the coordinates of a result file at all stored instants give the bodies of the model rotation matrices whose rows have length 1.
 * Returns CLI_DONE or, after an error message, another exit code. */
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

/* Stores the coordinates of a result file as frames of the animation, and checks that they can be positions of the model, whose equations are
 * `system`. `share` is the number of result files in the HTML page. Returns CLI_DONE or, after an error message, another exit code. */
static int store_motion(cmb_context *ctx, struct cli_viewed *v, const cmb_system *system, int share)
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
    v->no_motion =
        a->no_motion ? "--no-motion"
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
  if (code == CLI_DONE) code = store_motion(ctx, v, system, share);
  cmb_system_destroy(system);
  return code;
}
