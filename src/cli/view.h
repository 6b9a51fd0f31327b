/*
 * The two kinds of HTML pages of `camber view`: of a model (view_model.c), and of result files (view_results.c). Called by view.c.
 */
#ifndef CMB_CLI_VIEW_H
#define CMB_CLI_VIEW_H

#include "cli/cli.h"

/* view.c: prints the path of the HTML page, if it is kept and not only used for a picture or film. Does nothing with --quiet. */
void cli_view_print_path(const struct cli_arguments *a, const char *page);

/* view_results.c and view_model.c: write the HTML page of the result files, or of the model, on the command line to the file `page`. Both
 * print an error message on failure and return an exit code. */
int cli_view_results(cmb_context *ctx, const struct cli_arguments *a, const char *page);
int cli_view_model(cmb_context *ctx, const struct cli_arguments *a, const char *page);

#endif
