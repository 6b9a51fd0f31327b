/*
 * Writes HTML pages with the viewer (page.h).
 */
#include "cli/page.h"

#include "base/file.h"
#include "cli/plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the viewer */

/* Finds the JavaScript file of the HTML viewer and writes its path to `path`: the file that the environment variable CAMBER_VIEWER names
 * or, if this is not set, viewer.js in a folder relative to the program. Returns false if that folder has no such file. */
static bool find_viewer(char path[CLI_PATH_ROOM])
{
  char program[CLI_PATH_ROOM];
  const char *given = getenv("CAMBER_VIEWER");
  if (given) {
    const int length = snprintf(path, CLI_PATH_ROOM, "%s", given);
    return length < CLI_PATH_ROOM;
  }
  if (!cli_program_folder(program)) return false;
  snprintf(path, CLI_PATH_ROOM, "%.*s/../share/camber/viewer.js", CLI_PATH_ROOM - 64, program);
  if (access(path, F_OK) == 0) return true;
  snprintf(path, CLI_PATH_ROOM, "%.*s/viewer/viewer.js", CLI_PATH_ROOM - 64, program);
  return access(path, F_OK) == 0;
}

FILE *cli_page_viewer(const char *what)
{
  char path[CLI_PATH_ROOM];
  const bool found = find_viewer(path);
  FILE *viewer = found ? fopen(path, "rb") : NULL;
  if (!viewer && found) {
    cli_complain("%s: the viewer '%s' cannot be read: %s", what, path, strerror(errno));
  } else if (!viewer) {
    cli_complain("%s: this build of Camber has no viewer, which HTML pages contain; install node "
                 "and npm (scripts/setup.sh report), then build and install Camber again",
                 what);
  }
  return viewer;
}

/* ---- the page */

/* Writes the data of an HTML page as a JSON object: the version of the format, the kind of the page, and the keys that the callback p->put
 * writes. Returns the status of the callback. */
static cmb_status put_data(FILE *to, const struct cli_page *p)
{
  struct cli_json j = {.to = to, .first = true, .in_page = true};
  cli_json_open(&j, NULL, '{');
  cli_json_integer(&j, "schema", CLI_PAGE_SCHEMA);
  cli_json_text(&j, "kind", p->kind);
  const cmb_status status = p->put(&j, p->user);
  cli_json_close(&j, '}');
  return status;
}

/* Copies the file `from`, from its current position to its end, to the file `to`. */
static void put_file(FILE *to, FILE *from)
{
  char piece[4096];
  for (size_t n; (n = fread(piece, 1, sizeof piece, from)) > 0;) fwrite(piece, 1, n, to);
}

/* Writes an HTML page to a file: head with the title, the data as JSON, and the JavaScript code of the viewer. Returns the status of the
 * callback that writes the data. */
static cmb_status put_page(FILE *to, const struct cli_page *p)
{
  fputs("<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; script-src "
        "'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
        "<meta name='color-scheme' content='light dark'>\n<title>",
        to);
  cli_svg_text(to, p->title);
  fputs(" – Camber</title>\n</head>\n<body>\n"
        "<noscript>This page shows its plots and the motion by scripts.</noscript>\n"
        "<script type='application/json' id='camber-report'>\n",
        to);
  const cmb_status status = put_data(to, p);
  fputs("</script>\n<script>\n", to);
  put_file(to, p->viewer);
  fputs("</script>\n</body>\n</html>\n", to);
  return status;
}

/* Writes an HTML page to memory: *text receives the text, which the caller frees even on failure, and *length its size in bytes. Returns
 * CMB_ERROR_MEMORY if out of memory or if the viewer's file cannot be read, otherwise the status of the callback that writes the data. */
static cmb_status make_page(const struct cli_page *p, char **text, size_t *length)
{
  *text = NULL;
  FILE *memory = open_memstream(text, length);
  if (!memory) return CMB_ERROR_MEMORY;
  const cmb_status status = put_page(memory, p);
  const bool good = !ferror(memory) && !ferror(p->viewer);
  return fclose(memory) == 0 && good ? status : CMB_ERROR_MEMORY;
}

cmb_status cli_page_save(cmb_context *ctx, const struct cli_page *p, const char *path)
{
  char *text;
  size_t length = 0;
  cmb_status status = make_page(p, &text, &length);
  if (status == CMB_OK) status = cmb_file_save(ctx, path, text, length);
  free(text);
  return status;
}
