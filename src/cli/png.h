/*
 * Saves pictures as PNG: what is written as SVG is converted by the program rsvg-convert (Debian: librsvg2-bin) at twice the size. If that
 * program is not installed, an error message says so.
 */
#ifndef CMB_CLI_PNG_H
#define CMB_CLI_PNG_H

#include <camber/base.h>
#include <stdio.h>

/* Converts the SVG that the callback `write` prints for `what` to the PNG file `path`, which is replaced as a whole. Prints an error
 * message if this fails; returns an exit code. */
int cli_png_save(cmb_context *ctx, void (*write)(FILE *to, const void *what), const void *what,
                 const char *path);

#endif
