/*
 * Transfer functions of a linearised model (`camber linearize --inputs, --outputs`), as text and JSON.
 */
#ifndef CMB_CLI_TRANSFER_H
#define CMB_CLI_TRANSFER_H

#include "cli/state_space.h"

/* Computes the transfer functions from every input to every output. One whose zeros and poles cannot be computed is omitted, with a
 * warning. */
cmb_status cli_transfer_find(cmb_context *ctx, struct cli_state_space *s);
void cli_transfer_end(struct cli_state_space *s);

void cli_transfer_print(const struct cli_state_space *s);
void cli_transfer_json(const struct cli_state_space *s, struct cli_json *j);

#endif
