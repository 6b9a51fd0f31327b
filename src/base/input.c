/*
 * Reads files whose paths users give, and checks that they are text (input.h).
 */
#include "base/input.h"

#include "base/context.h"
#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns whether a character may occur in a text: any but control characters, except line feed, carriage return and tab. */
static bool is_allowed(char c)
{
  return !cmb_is_control(c) || c == '\n' || c == '\r' || c == '\t';
}

cmb_status cmb_check_text(cmb_context *ctx, const char *text, size_t length, cmb_about at)
{
  for (size_t i = 0; i < length;) {
    const size_t step = is_allowed(text[i]) ? cmb_character_length(text + i, length - i) : 0;
    if (step == 0) {
      return cmb_fail_about(ctx, CMB_ERROR_INPUT, at,
                            "byte 0x%02X is no part of a text; expected UTF-8 without control "
                            "characters",
                            (unsigned)(unsigned char)text[i]);
    }
    if (at.line > 0) {
      at.column = text[i] == '\n' ? 1 : at.column + 1;
      at.line += text[i] == '\n';
    }
    i += step;
  }
  return CMB_OK;
}

const char *cmb_reading_error(int error)
{
  if (error == EFBIG) return "it is larger than 16 MB";
  return error == EINVAL ? "it is no plain file" : strerror(error);
}

bool cmb_read_and_close(cmb_context *ctx, int file, char **text, size_t *length)
{
  struct stat there;
  void *bytes = NULL;
  bool done = fstat(file, &there) == 0;
  if (done && !S_ISREG(there.st_mode)) {
    errno = S_ISDIR(there.st_mode) ? EISDIR : EINVAL;
    done = false;
  }
  done = done && cmb_read_all(ctx, file, CMB_MOST_BYTES, &bytes, length);
  int error = errno;
  close(file);
  errno = error;
  *text = bytes;
  return done;
}

cmb_status cmb_load_file(cmb_context *ctx, const char *path, char **text, size_t *length)
{
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file >= 0 && cmb_read_and_close(ctx, file, text, length)) return CMB_OK;
  if (errno == ENOMEM) return cmb_fail_memory(ctx);
  if (errno == EFBIG) {
    return cmb_fail_about(ctx, CMB_ERROR_INPUT, cmb_about_place(path, 1, 1),
                          "the file is larger than %d MB", CMB_MOST_BYTES >> 20);
  }
  return cmb_fail_about(ctx, CMB_ERROR_IO, cmb_about_file(path), "%s: cannot be read: %s", path,
                        cmb_reading_error(errno));
}
