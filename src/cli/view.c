/*
 * camber view: a page of the viewer (page.h) of a model, or of files of results. The ending of a name says which it is.
 */
#include "cli/view.h"

#include "base/file.h"
#include "cli/result.h"

#include <stdlib.h>
#include <string.h>

/* "folder/run.h5" gives "run.html", here. */
static int default_page(const char *name, char page[CLI_PATH_ROOM])
{
  const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
  const char *dot = strrchr(base, '.');
  const size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
  if (length == 0 || length > 200) return cli_complain("'camber view' needs -o FILE.html here");
  snprintf(page, CLI_PATH_ROOM, "%.*s.html", (int)length, base);
  return CLI_DONE;
}

/* All operands are results, or there is one, which is a model. */
static int classify(const struct cli_arguments *a, bool *results)
{
  int count = 0;
  for (int i = 0; i < a->result_count; i++) count += cli_is_result(a->result[i]);
  *results = count > 0;
  if (count == a->result_count || a->result_count == 1) return CLI_DONE;
  return cli_complain("'camber view' takes one model, or files of results that end in .csv, .h5 or "
                      ".mat");
}

static int view_model(cmb_context *ctx, const struct cli_arguments *a, const char *page)
{
  struct cli_arguments with = *a;
  int code = cli_read_model(ctx, &with);
  if (code == CLI_DONE && !with.model) {
    code = cli_complain("'%s' is a problem written in C, which has no bodies to look at",
                        with.operand);
  }
  if (code == CLI_DONE) code = cli_view_model(ctx, &with, page);
  cmb_model_destroy(with.model);
  for (int i = a->owned_count; i < with.owned_count; i++) free(with.owned[i]); /* by the model */
  return code;
}

int cli_view(cmb_context *ctx, const struct cli_arguments *a)
{
  char page[CLI_PATH_ROOM];
  bool results;
  int code = classify(a, &results);
  if (code == CLI_DONE) code = default_page(a->operand, page);
  if (code != CLI_DONE) return code;
  for (int i = 0; i < a->result_count; i++) {
    if (cmb_same_file(a->result[i], a->out ? a->out : page)) {
      return cli_complain("the file '%s' would be written over", a->result[i]);
    }
  }
  return results ? cli_view_results(ctx, a, a->out ? a->out : page)
                 : view_model(ctx, a, a->out ? a->out : page);
}
