/*
 * Pictures of a page: its animation at one time as a PNG file, or as a film (MP4, GIF).
 *
 * The page is opened by Chromium without a window, which draws it by software; the viewer (viewer/src/film.js) hands the pictures back as lines of base64 in the
 * document, and ffmpeg makes a film of them. Both are programs of their own that may be missing, which is then said.
 */
#ifndef CMB_CLI_FILM_H
#define CMB_CLI_FILM_H

#include "cli/cli.h"

/* Whether the command line asks for one. */
bool cli_film_wanted(const struct cli_arguments *a);

/* A folder of its own, for the page and what is made from it. Complains and returns an exit code. */
struct cli_film {
  char folder[256];
  char page[280]; /* where the page is to lie */
};
int cli_film_begin(cmb_context *ctx, struct cli_film *film, const struct cli_arguments *a);
void cli_film_end(struct cli_film *film); /* removes it */

/* A page that is kept elsewhere lies there as well. */
int cli_film_link(const struct cli_film *film, const char *page);

/* Whether a page lies there. */
bool cli_film_has_page(const struct cli_film *film);

/* The page, which lies there now, as what the command line asks for. */
int cli_film_make(cmb_context *ctx, const struct cli_film *film, const struct cli_arguments *a);

#endif
