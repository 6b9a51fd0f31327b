/*
 * Pictures of an animation: one instant of an HTML page as a PNG file, or all of it as a film (MP4, GIF); used by `camber view`.
 *
 * Chromium opens the page without a window and renders it in software; the viewer (viewer/src/film.js) writes the pictures into the
 * document as lines of base64, and ffmpeg encodes them as a film. If one of the two programs is not installed, an error message says so.
 */
#ifndef CMB_CLI_FILM_H
#define CMB_CLI_FILM_H

#include "cli/cli.h"

/* Returns whether the command line requests a picture (-o FILE.png) or a film (--video). */
bool cli_film_wanted(const struct cli_arguments *a);

/* Creates a temporary folder for the page and for the files made from it, and checks that the requested files can be written. Prints an
 * error message on failure; returns the exit code of the program. */
struct cli_film {
  char folder[256]; /* "": it does not exist */
  char page[280];   /* path of the page in that folder */
};
int cli_film_begin(cmb_context *ctx, struct cli_film *film, const struct cli_arguments *a);
void cli_film_end(struct cli_film *film); /* removes the folder */

/* Creates a symbolic link to `page`, an existing HTML file, in the temporary folder. Prints an error message on failure; returns the exit
 * code of the program. */
int cli_film_link(const struct cli_film *film, const char *page);

/* Returns whether the temporary folder contains a readable page. */
bool cli_film_has_page(const struct cli_film *film);

/* Makes the requested picture and film from the page in the temporary folder. Prints an error message on failure; returns the exit code of
 * the program. */
int cli_film_make(cmb_context *ctx, const struct cli_film *film, const struct cli_arguments *a);

#endif
