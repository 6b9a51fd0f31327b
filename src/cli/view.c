/*
 * The command `camber view`: makes an HTML page with the viewer (page.h) from a model or from result files, which are recognised by the endings
 * of their names, and pictures and films of what that page shows (film.h).
 */
#include "cli/view.h"

#include "base/file.h"
#include "cli/film.h"
#include "cli/result.h"

#include <stdlib.h>
#include <string.h>

/* Returns whether `camber view` keeps its HTML page: it does if -o names the page, or without -o if no film is requested. Otherwise the page is
 * a temporary file for drawing a picture or film. */
static bool keeps_page(const struct cli_arguments *a)
{
  return a->out ? cli_ends_in(a->out, ".html") : !a->video;
}

void cli_view_print_path(const struct cli_arguments *a, const char *page)
{
  if (keeps_page(a) && !a->quiet) printf("  page         %s: open it in a browser\n", page);
}

/* Writes the default name of the HTML page to `page`, a file in the current folder: the file names of all operands joined by '+', with ".html"
 * appended, e.g. "osc.yaml.html". Returns CLI_DONE; CLI_BAD_INPUT after an error message if this is too long or an operand has no file name. */
static int default_page(const struct cli_arguments *a, char page[CLI_PATH_ROOM])
{
  enum { LONGEST = 200 };
  size_t length = 0;
  for (int i = 0; i < a->result_count; i++) {
    const char *name = a->result[i], *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    const size_t more = strlen(base) + (i > 0);
    if (base[0] == '\0' || length + more > LONGEST) {
      return cli_complain(
          "no name for the page can be made from the names of the files; expected -o FILE.html");
    }
    snprintf(page + length, CLI_PATH_ROOM - length, "%s%s", i > 0 ? "+" : "", base);
    length += more;
  }
  snprintf(page + length, CLI_PATH_ROOM - length, ".html");
  return CLI_DONE;
}

/* Sets *results to whether the operands are result files (trajectories of runs), judged by the endings of their names; if not, there must be a
 * single operand, a model. Returns CLI_DONE, or CLI_BAD_INPUT after an error message if the operands are mixed or several models. */
static int classify(const struct cli_arguments *a, bool *results)
{
  int count = 0;
  for (int i = 0; i < a->result_count; i++) count += cli_is_result(a->result[i]);
  *results = count > 0;
  if (count == a->result_count || a->result_count == 1) return CLI_DONE;
  return cli_complain(
      "'camber view' takes one model, or files of results that end in " CLI_FORMAT_ENDINGS);
}

/* Reads the model on the command line and writes its HTML page to the file `page`. Returns CLI_DONE or, after an error message, another exit
 * code, e.g. if an option is only for result files or the operand is a problem written in C. */
static int make_model_page(cmb_context *ctx, const struct cli_arguments *a, const char *page)
{
  struct cli_arguments with = *a;
  if (a->model_of_results || a->no_motion) {
    return cli_complain("--%s is for files of results; '%s' is a model",
                        a->no_motion ? "no-motion" : "model", a->operand);
  }
  int code = cli_read_model(ctx, &with);
  if (code == CLI_DONE && !with.model) {
    code =
        cli_complain("'%s' is a problem written in C, which has no bodies to show", with.operand);
  }
  if (code == CLI_DONE) code = cli_view_model(ctx, &with, page);
  cmb_model_destroy(with.model);
  for (int i = a->owned_count; i < with.owned_count; i++)
    free(with.owned[i]); /* names from the model file */
  return code;
}

/* Checks that none of the options for the start of a model (--equilibrium, --steady, --free, --trim) is given, since the operands are result
 * files, which contain their motion. Returns CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int check_start(const struct cli_arguments *a)
{
  static const char *const starts[] = {"equilibrium", "steady", "free", "trim"};
  for (int i = 0; i < 4; i++) {
    if (cli_given(a, starts[i])) {
      return cli_complain("option --%s is for a model; a result file contains its motion already",
                          starts[i]);
    }
  }
  return CLI_DONE;
}

/* Checks that options for pictures, films and start values are given only where they apply; `results` tells whether the operands are result
 * files or a model. Returns CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int check_options(const struct cli_arguments *a, bool results)
{
  if (results && check_start(a) != CLI_DONE) return CLI_BAD_INPUT;
  if ((a->video || cli_given(a, "at")) && !results) {
    return cli_complain("option --%s is for results: a model does not move before it is run",
                        a->video ? "video" : "at");
  }
  const bool picture = a->out && cli_ends_in(a->out, ".png");
  if (cli_given(a, "at") && !picture) {
    return cli_complain("option --at is the time of a picture; expected -o FILE.png");
  }
  if (cli_given(a, "speed") && !a->video) {
    return cli_complain("option --speed is for a film; expected --video FILE");
  }
  if (cli_given(a, "size") && !cli_film_wanted(a)) {
    return cli_complain("option --size is for a picture or film; expected -o FILE.png or "
                        "--video FILE");
  }
  return CLI_DONE;
}

/* Checks that no output file would overwrite an operand: the HTML page `page` (unless it is NULL), the film of --video, and the file of -o.
 * Returns CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int check_places(const struct cli_arguments *a, const char *page)
{
  for (int i = 0; i < a->result_count; i++) {
    const bool both = (page && cmb_same_file(a->result[i], page)) ||
                      (a->video && cmb_same_file(a->result[i], a->video)) ||
                      (a->out && cmb_same_file(a->result[i], a->out));
    if (both)
      return cli_complain(
          "the file '%s' would be overwritten; expected another name for the output", a->result[i]);
  }
  return CLI_DONE;
}

/* Writes the HTML page to the file `page`: of the result files if `results` is set, otherwise of the model on the command line. Returns
 * CLI_DONE or, after an error message, another exit code. */
static int make_page(cmb_context *ctx, const struct cli_arguments *a, bool results,
                     const char *page)
{
  return results ? cli_view_results(ctx, a, page) : make_model_page(ctx, a, page);
}

/* Makes the HTML page, then the requested picture and film from it, in a temporary folder. `page` is the name under which the page is kept, or
 * NULL if only picture or film are wanted. If a mechanism cannot be assembled, the page says why; picture and film are then made of it only if
 * the page is not kept. Returns CLI_DONE or, after an error message, another exit code. */
static int make_film(cmb_context *ctx, const struct cli_arguments *a, bool results,
                     const char *page)
{
  struct cli_film film;
  int code = cli_film_begin(ctx, &film, a), drawn = code;
  if (code == CLI_DONE) code = drawn = make_page(ctx, a, results, page ? page : film.page);
  if (code == CLI_DONE && page) drawn = cli_film_link(&film, page);
  if (code != CLI_DONE && !page && cli_film_has_page(&film)) drawn = CLI_DONE;
  if (drawn == CLI_DONE) drawn = cli_film_make(ctx, &film, a);
  cli_film_end(&film);
  return code == CLI_DONE ? drawn : code;
}

int cli_view(cmb_context *ctx, const struct cli_arguments *a)
{
  char name[CLI_PATH_ROOM];
  const char *page = NULL; /* file of the page that is kept; NULL: it is temporary */
  bool results;
  int code = classify(a, &results);
  if (code == CLI_DONE) code = check_options(a, results);
  if (code == CLI_DONE && keeps_page(a)) {
    page = a->out ? a->out : name;
    if (!a->out) code = default_page(a, name);
  }
  if (code == CLI_DONE) code = check_places(a, page);
  if (code == CLI_DONE) {
    code = cli_film_wanted(a) ? make_film(ctx, a, results, page) : make_page(ctx, a, results, page);
  }
  if (code != CLI_DONE || a->quiet) return code;
  if (a->out && !page) printf("  picture      %s\n", a->out);
  if (a->video) printf("  film         %s\n", a->video);
  return code;
}
