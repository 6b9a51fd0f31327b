/*
 * The two kinds of pages of `camber view`: of a model, and of results.
 */
#ifndef CMB_CLI_VIEW_H
#define CMB_CLI_VIEW_H

#include "cli/cli.h"

/* view.c: prints where the page is, if it is kept and not only used for a picture. */
void cli_view_say(const struct cli_arguments *a, const char *page);

/* view_results.c and view_model.c: make the page of the results, or of the model, on the command line. Both print an error message on
 * failure and return an exit code. */
int cli_view_results(cmb_context *ctx, const struct cli_arguments *a, const char *page);
int cli_view_model(cmb_context *ctx, const struct cli_arguments *a, const char *page);

#endif
