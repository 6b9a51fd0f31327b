/*
 * Transfer functions of a linearised model (`camber linearize --inputs, --outputs`): computes them and writes them as text and JSON. Called by
 * state_space.c.
 */
#ifndef CMB_CLI_TRANSFER_H
#define CMB_CLI_TRANSFER_H

#include "cli/state_space.h"

/* Computes the transfer functions s->transfer (ny x nu) from every input to every output. One whose zeros and poles cannot be computed is
 * NULL, and a warning is printed. They are freed by cli_transfer_end, also after a failure. */
cmb_status cli_transfer_find(cmb_context *ctx, struct cli_state_space *s);
void cli_transfer_end(struct cli_state_space *s);

/* Print the transfer functions as text, or write them as the JSON list "transfer". */
void cli_transfer_print(const struct cli_state_space *s);
void cli_transfer_json(const struct cli_state_space *s, struct cli_json *j);

#endif
