/*
 * Saves SVG pictures as PNG files (png.h). The converter reads the SVG from a temporary file rather than a pipe, so that neither program
 * waits for the other.
 */
#include "cli/png.h"

#include "base/file.h"
#include "cli/bytes.h"
#include "cli/cli.h"
#include "cli/other_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 28 }; /* of a PNG file */

/* Prints the error message that the file `path` cannot be written, for the reason `words`; returns the exit code CLI_BAD_INPUT. */
static int fail(const char *path, const char *words)
{
  return cli_complain("cannot write '%s': %s", path, words);
}

/* Copies the temporary file `picture`, a PNG image, to the file `path`, which is replaced as a whole. Returns CLI_DONE or, after an error
 * message, another exit code. */
static int save_picture(cmb_context *ctx, FILE *picture, const char *path)
{
  char *bytes = NULL;
  size_t length = 0;
  if (!cli_bytes_read(picture, MOST_BYTES, &bytes, &length)) return fail(path, strerror(errno));
  const cmb_status status = cmb_file_save(ctx, path, bytes, length);
  free(bytes);
  return status == CMB_OK ? CLI_DONE : cli_fail(ctx, status);
}

/* Converts the SVG image in the temporary file `drawing` to a PNG image in the temporary file `picture` with the program rsvg-convert, and
 * saves it as the file `path`. Returns CLI_DONE or, after an error message, another exit code. */
static int convert(cmb_context *ctx, FILE *drawing, FILE *picture, const char *path)
{
  if (ferror(drawing) || fflush(drawing) != 0 || lseek(fileno(drawing), 0, SEEK_SET) != 0) {
    return fail(path, strerror(errno));
  }
  static char *const words[] = {"rsvg-convert", "--zoom=2", "--format=png", NULL};
  const int code = cli_other_program(words, fileno(drawing), fileno(picture));
  if (code == CLI_NOT_INSTALLED) {
    return fail(path,
                "PNG pictures are made by rsvg-convert, which cannot be started; is it installed "
                "(Debian: librsvg2-bin)? SVG pictures (.svg) need no other program");
  }
  return code == 0 ? save_picture(ctx, picture, path) : fail(path, "rsvg-convert has failed");
}

int cli_png_save(cmb_context *ctx, void (*write)(FILE *to, const void *what), const void *what,
                 const char *path)
{
  FILE *drawing = tmpfile(), *picture = tmpfile();
  int code;
  if (drawing && picture) {
    write(drawing, what);
    code = convert(ctx, drawing, picture, path);
  } else {
    code = fail(path, "cannot create a temporary file");
  }
  if (drawing) fclose(drawing);
  if (picture) fclose(picture);
  return code;
}
