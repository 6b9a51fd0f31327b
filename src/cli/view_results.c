/*
 * camber view RESULT...: the page of one or several results.
 */
#include "cli/view.h"

int cli_view_results(cmb_context *ctx, const struct cli_arguments *a, const char *page)
{
  (void)ctx;
  (void)page;
  return cli_complain("results cannot be looked at yet: '%s'", a->operand);
}
