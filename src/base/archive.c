/*
 * Writes and reads archives, the text format of saved simulation states (archive.h).
 */
#include "base/archive.h"

#include "base/context.h"
#include "base/sha256.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC[] = "camber-state 1\n", SEAL[] = "sha256 ";

enum { SEAL_LENGTH = sizeof SEAL - 1 + CMB_DIGEST_TEXT }; /* with the line end */

static void digest_of(const char *text, size_t length, char digest[CMB_DIGEST_TEXT])
{
  uint8_t bytes[CMB_DIGEST_SIZE];
  cmb_sha256 s = cmb_sha256_begin();
  cmb_sha256_add(&s, text, length);
  cmb_sha256_end(&s, bytes);
  cmb_digest_print(bytes, digest);
}

/* ---- writing */

cmb_archive cmb_archive_write(cmb_context *ctx)
{
  cmb_archive a = {.ctx = ctx, .writing = true, .text = cmb_buffer_begin(ctx)};
  cmb_buffer_put(&a.text, MAGIC);
  return a;
}

cmb_status cmb_archive_close(cmb_archive *a)
{
  char digest[CMB_DIGEST_TEXT];
  if (a->text.failed) return cmb_fail_memory(a->ctx);
  digest_of(a->text.text, a->text.length, digest);
  cmb_buffer_print(&a->text, "%s%s\n", SEAL, digest);
  return a->text.failed ? cmb_fail_memory(a->ctx) : CMB_OK;
}

/* ---- reading */

static cmb_about current_line(const cmb_archive *a)
{
  return cmb_about_place(a->path, a->line, 1);
}

void cmb_archive_refuse(cmb_archive *a, const char *why)
{
  if (a->status != CMB_OK || a->writing) return;
  a->status =
      cmb_fail_about(a->ctx, CMB_ERROR_INPUT, current_line(a),
                     "this saved state cannot be resumed: in its line '%s' %s", a->name, why);
}

void cmb_archive_check(cmb_archive *a, int number, int value, int least, int most)
{
  char why[128];
  if (value >= least && value <= most) return;
  snprintf(why, sizeof why, "number %d is %d; expected a number from %d to %d", number + 1, value,
           least, most);
  cmb_archive_refuse(a, why);
}

static bool begins_with(const char *text, size_t length, const char *with)
{
  return length >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

cmb_archive cmb_archive_read(cmb_context *ctx, const char *path, const char *text, size_t length)
{
  char digest[CMB_DIGEST_TEXT];
  const size_t first = strlen(MAGIC);
  cmb_archive a = {.ctx = ctx, .path = path, .next = text + first, .line = 1};
  if (!begins_with(text, length, MAGIC)) {
    a.status = cmb_fail_about(
        ctx, CMB_ERROR_INPUT, cmb_about_file(path),
        "%s is not a saved state, or was saved by another version of Camber; expected "
        "the first line '%.*s'",
        path, (int)first - 1, MAGIC);
    return a;
  }
  if (length >= first + SEAL_LENGTH) {
    a.end = text + length - SEAL_LENGTH;
    digest_of(text, (size_t)(a.end - text), digest);
    const char *seal = a.end + strlen(SEAL);
    if (begins_with(a.end, SEAL_LENGTH, SEAL) && memcmp(seal, digest, CMB_DIGEST_TEXT - 1) == 0 &&
        text[length - 1] == '\n') {
      return a;
    }
  }
  a.status = cmb_fail_about(
      ctx, CMB_ERROR_INPUT, cmb_about_file(path),
      "%s is damaged: its checksum is missing or wrong, so it was cut off or changed", path);
  return a;
}

/* Skips `word` in the unread text of the archive if that text begins with it, and returns whether it does. Returns false if reading has
 * already failed. */
static bool skip_word(cmb_archive *a, const char *word)
{
  const size_t length = strlen(word);
  if (a->status != CMB_OK) return false;
  if (!begins_with(a->next, (size_t)(a->end - a->next), word)) return false;
  a->next += length;
  return true;
}

/* Reads a decimal integer from the archive into *x and advances past it. Returns false if there is none or it does not fit a long. strtoimax
 * cannot run past the end of the text, since the checksum line, which begins with a letter, always follows. */
static bool read_long(cmb_archive *a, long *x)
{
  char *end;
  if (a->next >= a->end || !strchr("-0123456789", *a->next)) return false;
  errno = 0;
  const intmax_t value = strtoimax(a->next, &end, 10);
  if (end == a->next || end > a->end || errno == ERANGE) return false;
  if (value < LONG_MIN || value > LONG_MAX) return false;
  a->next = end;
  *x = (long)value;
  return true;
}

/* Reads 16 hexadecimal digits (lower case) from the archive into the 64-bit pattern *bits and advances past them. Returns false if there are
 * fewer or another character is among them; *bits is then undefined. */
static bool read_bits(cmb_archive *a, uint64_t *bits)
{
  *bits = 0;
  if (a->end - a->next < 16) return false;
  for (int i = 0; i < 16; i++) {
    static const char digits[] = "0123456789abcdef";
    const char character = *a->next++, *digit = character ? strchr(digits, character) : NULL;
    if (!digit) return false;
    *bits = *bits << 4 | (uint64_t)(digit - digits);
  }
  return true;
}

/* Writes the beginning "NAME COUNT:" of a line to the archive or, when reading, checks that the next line begins so. Returns false if it does
 * not, with the archive's status set to an error, or if the archive has failed before. */
static bool begin_line(cmb_archive *a, const char *name, int count)
{
  long found = -1;
  if (a->status != CMB_OK) return false;
  a->name = name;
  if (a->writing) {
    cmb_buffer_print(&a->text, "%s %d:", name, count);
    return true;
  }
  a->line++;
  if (skip_word(a, name) && skip_word(a, " ") && read_long(a, &found) && skip_word(a, ":") &&
      found == count) {
    return true;
  }
  a->status = cmb_fail_about(a->ctx, CMB_ERROR_INPUT, current_line(a),
                             "this saved state cannot be resumed: expected a "
                             "line '%s' with %d value%s",
                             name, count, count == 1 ? "" : "s");
  return false;
}

/* Ends a line of the archive: writes the line end or, when reading, checks that it comes next and that all values of the line were read
 * correctly (`good`). Otherwise sets the archive's status to an error. */
static void end_line(cmb_archive *a, bool good)
{
  if (a->writing) {
    cmb_buffer_put(&a->text, "\n");
    return;
  }
  if (!good || !skip_word(a, "\n"))
    cmb_archive_refuse(
        a, "a value is missing, malformed or out of range, or text follows the last value");
}

/* ---- both */

void cmb_archive_doubles(cmb_archive *a, const char *name, int count, double *x)
{
  bool good = begin_line(a, name, count);
  if (!good) return;
  for (int i = 0; i < count && good; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    if (a->writing) {
      cmb_buffer_print(&a->text, " %016" PRIx64, bits);
      continue;
    }
    good = skip_word(a, " ") && read_bits(a, &bits);
    memcpy(&x[i], &bits, sizeof bits);
  }
  end_line(a, good);
}

/* Writes the integer *x to the archive, or reads it from there. Returns false and leaves *x unchanged if, when reading, the number is missing
 * or not in [least, most]. */
static bool transfer_integer(cmb_archive *a, long least, long most, long *x)
{
  long value = *x;
  if (a->writing) {
    cmb_buffer_print(&a->text, " %ld", value);
    return true;
  }
  if (!skip_word(a, " ") || !read_long(a, &value) || value < least || value > most) return false;
  *x = value;
  return true;
}

void cmb_archive_longs(cmb_archive *a, const char *name, int count, long *x)
{
  bool good = begin_line(a, name, count);
  if (!good) return;
  for (int i = 0; i < count && good; i++) good = transfer_integer(a, LONG_MIN, LONG_MAX, &x[i]);
  end_line(a, good);
}

void cmb_archive_ints(cmb_archive *a, const char *name, int count, int *x)
{
  bool good = begin_line(a, name, count);
  if (!good) return;
  for (int i = 0; i < count && good; i++) {
    long value = x[i];
    good = transfer_integer(a, INT_MIN, INT_MAX, &value);
    x[i] = (int)value;
  }
  end_line(a, good);
}

void cmb_archive_bools(cmb_archive *a, const char *name, int count, bool *x)
{
  bool good = begin_line(a, name, count);
  if (!good) return;
  for (int i = 0; i < count && good; i++) {
    long value = x[i];
    good = transfer_integer(a, 0, 1, &value);
    x[i] = value == 1;
  }
  end_line(a, good);
}

void cmb_archive_count(cmb_archive *a, const char *name, long *x)
{
  cmb_archive_longs(a, name, 1, x);
  if (*x < 0 || *x > LONG_MAX / 4) cmb_archive_refuse(a, "the number is negative or too large");
}

void cmb_archive_small_count(cmb_archive *a, const char *name, int *x)
{
  cmb_archive_ints(a, name, 1, x);
  cmb_archive_check(a, 0, *x, 0, INT_MAX / 4);
}

void cmb_archive_expect(cmb_archive *a, const char *what, const char *text, const char *otherwise)
{
  if (a->status != CMB_OK) return;
  if (a->writing) {
    cmb_buffer_print(&a->text, "%s \"%s\"\n", what, text);
    return;
  }
  a->line++;
  const char *line = a->next;
  if (skip_word(a, what) && skip_word(a, " \"") && skip_word(a, text) && skip_word(a, "\"\n"))
    return;
  const char *end = memchr(line, '\n', (size_t)(a->end - line));
  const int length = end && end - line < 200 ? (int)(end - line) : 0;
  a->status =
      otherwise
          ? cmb_fail_about(a->ctx, CMB_ERROR_INPUT, current_line(a),
                           "this saved state cannot be resumed here: %s", otherwise)
          : cmb_fail_about(
                a->ctx, CMB_ERROR_INPUT, current_line(a),
                "this saved state cannot be resumed here: it has %.*s, but this run has %s \"%s\"",
                length, line, what, text);
}

void cmb_archive_finish(cmb_archive *a)
{
  if (a->status != CMB_OK || a->next == a->end) return;
  a->line++;
  a->status =
      cmb_fail_about(a->ctx, CMB_ERROR_INPUT, current_line(a),
                     "this saved state cannot be resumed: more lines follow its last value; "
                     "expected the line '%.*s' with the checksum",
                     (int)strlen(SEAL) - 1, SEAL);
}
