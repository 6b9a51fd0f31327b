/*
 * Saves SVG pictures as PNG files: they are converted by the program rsvg-convert (Debian: librsvg2-bin) at twice their size. If that
 * program is not installed, an error message says so. Used by `camber plot`.
 */
#ifndef CMB_CLI_PNG_H
#define CMB_CLI_PNG_H

#include <camber/base.h>
#include <stdio.h>

/* Saves a picture as the PNG file `path`, which is replaced as a whole. The callback `write` writes the picture as SVG to the file `to` for
 * the data `what`. Prints an error message on failure. Returns an exit code, CLI_DONE on success. */
int cli_png_save(cmb_context *ctx, void (*write)(FILE *to, const void *what), const void *what,
                 const char *path);

#endif
