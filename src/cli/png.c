/*
 * Pictures as PNG (png.h). The SVG goes to the converter through a file without a name, so that neither waits for the other.
 */
#include "cli/png.h"

#include "base/context.h"
#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 28 };

static cmb_status fail(cmb_context *ctx, const char *path, const char *words)
{
  return cmb_fail_about(ctx, CMB_ERROR_IO, cmb_about_file(path), "cannot write '%s': %s", path,
                        words);
}

/* The converter as a process of its own, from one open file to another. Whether it did it; 127: it is not there. */
static int convert(int from, int to)
{
  const pid_t child = fork();
  if (child == 0) {
    if (dup2(from, STDIN_FILENO) >= 0 && dup2(to, STDOUT_FILENO) >= 0) {
      execlp("rsvg-convert", "rsvg-convert", "--zoom=2", "--format=png", (char *)NULL);
    }
    _exit(127);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 1;
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static cmb_status take_picture(cmb_context *ctx, FILE *picture, const char *path)
{
  void *bytes = NULL;
  size_t length = 0;
  if (lseek(fileno(picture), 0, SEEK_SET) != 0) return fail(ctx, path, strerror(errno));
  if (!cmb_read_all(ctx, fileno(picture), MOST_BYTES, &bytes, &length)) {
    return fail(ctx, path, strerror(errno));
  }
  const cmb_status status = cmb_file_save(ctx, path, bytes, length);
  cmb_release(ctx, bytes);
  return status;
}

static cmb_status draw(cmb_context *ctx, FILE *drawing, FILE *picture, const char *path)
{
  if (ferror(drawing) || fflush(drawing) != 0 || lseek(fileno(drawing), 0, SEEK_SET) != 0) {
    return fail(ctx, path, strerror(errno));
  }
  const int code = convert(fileno(drawing), fileno(picture));
  if (code == 127) {
    return fail(ctx, path,
                "PNG pictures are made by rsvg-convert, which is not installed (Debian: "
                "librsvg2-bin); .svg needs nothing");
  }
  return code == 0 ? take_picture(ctx, picture, path) : fail(ctx, path, "rsvg-convert has failed");
}

cmb_status cli_png_save(cmb_context *ctx, void (*write)(FILE *to, const void *what),
                        const void *what, const char *path)
{
  FILE *drawing = tmpfile(), *picture = tmpfile();
  cmb_status status = fail(ctx, path, "no temporary file can be made");
  if (drawing && picture) {
    write(drawing, what);
    status = draw(ctx, drawing, picture, path);
  }
  if (drawing) fclose(drawing);
  if (picture) fclose(picture);
  return status;
}
