/*
 * Writes a page of the viewer: one HTML file that opens from disk without a network. It contains the viewer (a script that is made from
 * viewer/ when Camber is built) and the data to be shown, a JSON object (docs/report.md). Used for reports of runs and by `camber view`.
 */
#ifndef CMB_CLI_PAGE_H
#define CMB_CLI_PAGE_H

#include "cli/cli.h"

enum { CLI_PAGE_SCHEMA = 2 };

/* Opens the script of the viewer, to be closed by the caller. If this build has none, prints an error message about the option or
 * command `what` and returns NULL. */
FILE *cli_page_viewer(const char *what);

/* Writes the page to the file `path`, which is replaced as a whole. Its JSON object has the keys `schema` and `kind` and those that the
 * callback `put` writes. If the result is CMB_ERROR_MEMORY, the context may have no error message. */
struct cli_page {
  const char *title, *kind; /* `kind` is "runs" or "model" */
  FILE *viewer;
  cmb_status (*put)(struct cli_json *j, void *user);
  void *user;
};
cmb_status cli_page_save(cmb_context *ctx, const struct cli_page *page, const char *path);

#endif
