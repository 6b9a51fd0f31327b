/*
 * A page of the viewer: one HTML file that opens from disk, with the viewer, a script that is made from viewer/ when Camber is built, and
 * what it shows, a JSON object (docs/report.md).
 */
#ifndef CMB_CLI_PAGE_H
#define CMB_CLI_PAGE_H

#include "cli/cli.h"

enum { CLI_PAGE_SCHEMA = 2 };

/* The viewer, to be closed by the caller; complains for the option or command `what`, and returns NULL, if this build has none. */
FILE *cli_page_viewer(const char *what);

/* The page, put in place as a whole: its object has `schema`, `kind`, and the keys that `put` writes. Of CMB_ERROR_MEMORY the context may
 * have no words. */
struct cli_page {
  const char *title, *kind; /* "runs" or "model" */
  FILE *viewer;
  cmb_status (*put)(struct cli_json *j, void *user);
  void *user;
};
cmb_status cli_page_save(cmb_context *ctx, const struct cli_page *page, const char *path);

#endif
