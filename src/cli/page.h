/*
 * Writes an HTML page with the viewer: one file that a browser opens from disk without a network. The page contains the viewer (JavaScript
 * code that is made from viewer/ when Camber is built) and the data to be shown, a JSON object (docs/report.md). Used for the report of
 * `camber run --html` and by `camber view`.
 */
#ifndef CMB_CLI_PAGE_H
#define CMB_CLI_PAGE_H

#include "cli/cli.h"

enum { CLI_PAGE_SCHEMA = 2 }; /* version of the JSON data in a page */

/* Opens the JavaScript file of the viewer, to be closed by the caller. If there is none, prints an error message that begins with `what`
 * (the option or command that needs the viewer) and returns NULL. */
FILE *cli_page_viewer(const char *what);

/* The content of a page. */
struct cli_page {
  const char *title, *kind; /* `kind` is "runs" or "model" */
  FILE *viewer;             /* the JavaScript file of the viewer, at its beginning */
  /* writes the keys of the JSON data of the page, except `schema` and `kind` */
  cmb_status (*put)(struct cli_json *j, void *user);
  void *user; /* the argument of `put` */
};

/* Writes a page to the file `path`, which is replaced as a whole. If the result is CMB_ERROR_MEMORY, the context may have no error
 * message. */
cmb_status cli_page_save(cmb_context *ctx, const struct cli_page *page, const char *path);

#endif
