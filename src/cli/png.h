/*
 * Pictures as PNG: what is written as SVG is handed to rsvg-convert (Debian: librsvg2-bin), at twice the size, and what comes
 * back is put in place as a whole. Where that program is not installed, this is said.
 */
#ifndef CMB_CLI_PNG_H
#define CMB_CLI_PNG_H

#include <camber/base.h>
#include <stdio.h>

/* Complains if that fails. Returns an exit code. */
int cli_png_save(cmb_context *ctx, void (*write)(FILE *to, const void *what), const void *what,
                 const char *path);

#endif
