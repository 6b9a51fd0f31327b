/*
 * The two things that camber view shows: a model, and results.
 */
#ifndef CMB_CLI_VIEW_H
#define CMB_CLI_VIEW_H

#include "cli/cli.h"

/* view.c: says where the page is, if it is kept and not only drawn. */
void cli_view_say(const struct cli_arguments *a, const char *page);

/* view_results.c: the results that the command line names. view_model.c: the model, which is read. Both complain and return an exit code. */
int cli_view_results(cmb_context *ctx, const struct cli_arguments *a, const char *page);
int cli_view_model(cmb_context *ctx, const struct cli_arguments *a, const char *page);

#endif
