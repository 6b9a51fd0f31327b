/*
 * camber view MODEL: the page of an assembled mechanism.
 */
#include "cli/view.h"

int cli_view_model(cmb_context *ctx, const struct cli_arguments *a, const char *page)
{
  (void)ctx;
  (void)page;
  return cli_complain("models cannot be looked at yet: '%s'", a->operand);
}
