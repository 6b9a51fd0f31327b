/*
 * Numbers under names (archive.h).
 */
#include "base/archive.h"

#include "base/context.h"
#include "base/sha256.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC[] = "camber-state 1\n", SEAL[] = "sha256 ";

enum { SEAL_LENGTH = sizeof SEAL - 1 + CMB_DIGEST_TEXT }; /* with the end of the line */

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

static cmb_about here(const cmb_archive *a)
{
  return cmb_about_place(a->path, a->line, 1);
}

void cmb_archive_refuse(cmb_archive *a, const char *why)
{
  if (a->status != CMB_OK || a->writing) return;
  a->status =
      cmb_fail_about(a->ctx, CMB_ERROR_INPUT, here(a), "this is no state to go on from: %s", why);
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
    a.status =
        cmb_fail_about(ctx, CMB_ERROR_INPUT, cmb_about_file(path),
                       "%s is no saved state, or one of another version of Camber; expected a "
                       "first line '%.*s'",
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
  a.status =
      cmb_fail_about(ctx, CMB_ERROR_INPUT, cmb_about_file(path),
                     "%s is damaged: it was cut off or changed, its checksum does not fit", path);
  return a;
}

/* The text `word` is next, and is passed. */
static bool pass(cmb_archive *a, const char *word)
{
  const size_t length = strlen(word);
  if (a->status != CMB_OK) return false;
  if (!begins_with(a->next, (size_t)(a->end - a->next), word)) return false;
  a->next += length;
  return true;
}

/* A whole number is next, and is passed. There is always something that is no digit behind it: the last line at the latest. */
static bool read_long(cmb_archive *a, long *x)
{
  char *end;
  if (a->next >= a->end || !strchr("-0123456789", *a->next)) return false;
  const intmax_t value = strtoimax(a->next, &end, 10);
  if (end == a->next || end > a->end || value < LONG_MIN || value > LONG_MAX) return false;
  a->next = end;
  *x = (long)value;
  return true;
}

static bool read_bits(cmb_archive *a, uint64_t *bits)
{
  *bits = 0;
  if (a->end - a->next < 16) return false;
  for (int i = 0; i < 16; i++) {
    static const char digits[] = "0123456789abcdef";
    const char here = *a->next++, *digit = here ? strchr(digits, here) : NULL;
    if (!digit) return false;
    *bits = *bits << 4 | (uint64_t)(digit - digits);
  }
  return true;
}

/* "NAME COUNT:" begins a line. */
static bool head(cmb_archive *a, const char *name, int count)
{
  long found = -1;
  if (a->status != CMB_OK) return false;
  if (a->writing) {
    cmb_buffer_print(&a->text, "%s %d:", name, count);
    return true;
  }
  a->line++;
  if (pass(a, name) && pass(a, " ") && read_long(a, &found) && pass(a, ":") && found == count) {
    return true;
  }
  a->status = cmb_fail_about(a->ctx, CMB_ERROR_INPUT, here(a),
                             "this state is of another model or other options: expected %d "
                             "numbers '%s'",
                             count, name);
  return false;
}

static void tail(cmb_archive *a, bool good)
{
  if (a->writing) {
    cmb_buffer_put(&a->text, "\n");
    return;
  }
  if (!good || !pass(a, "\n")) cmb_archive_refuse(a, "a number is not as it was written");
}

/* ---- both */

void cmb_archive_doubles(cmb_archive *a, const char *name, int count, double *x)
{
  bool good = head(a, name, count);
  if (!good) return;
  for (int i = 0; i < count && good; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    if (a->writing) {
      cmb_buffer_print(&a->text, " %016" PRIx64, bits);
      continue;
    }
    good = pass(a, " ") && read_bits(a, &bits);
    memcpy(&x[i], &bits, sizeof bits);
  }
  tail(a, good);
}

/* One whole number, which is read only if it is in these bounds. */
static bool visit_whole(cmb_archive *a, long least, long most, long *x)
{
  long value = *x;
  if (a->writing) {
    cmb_buffer_print(&a->text, " %ld", value);
    return true;
  }
  if (!pass(a, " ") || !read_long(a, &value) || value < least || value > most) return false;
  *x = value;
  return true;
}

void cmb_archive_longs(cmb_archive *a, const char *name, int count, long *x)
{
  bool good = head(a, name, count);
  if (!good) return;
  for (int i = 0; i < count && good; i++) good = visit_whole(a, LONG_MIN, LONG_MAX, &x[i]);
  tail(a, good);
}

void cmb_archive_ints(cmb_archive *a, const char *name, int count, int *x)
{
  bool good = head(a, name, count);
  if (!good) return;
  for (int i = 0; i < count && good; i++) {
    long value = x[i];
    good = visit_whole(a, INT_MIN, INT_MAX, &value);
    x[i] = (int)value;
  }
  tail(a, good);
}

void cmb_archive_bools(cmb_archive *a, const char *name, int count, bool *x)
{
  bool good = head(a, name, count);
  if (!good) return;
  for (int i = 0; i < count && good; i++) {
    long value = x[i];
    good = visit_whole(a, 0, 1, &value);
    x[i] = value == 1;
  }
  tail(a, good);
}

void cmb_archive_count(cmb_archive *a, const char *name, long *x)
{
  cmb_archive_longs(a, name, 1, x);
  if (*x < 0 || *x > LONG_MAX / 4) cmb_archive_refuse(a, "nothing was counted so");
}

void cmb_archive_small_count(cmb_archive *a, const char *name, int *x)
{
  cmb_archive_ints(a, name, 1, x);
  if (*x < 0 || *x > INT_MAX / 4) cmb_archive_refuse(a, "nothing was counted so");
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
  if (pass(a, what) && pass(a, " \"") && pass(a, text) && pass(a, "\"\n")) return;
  const char *end = memchr(line, '\n', (size_t)(a->end - line));
  const int length = end && end - line < 200 ? (int)(end - line) : 0;
  a->status =
      otherwise ? cmb_fail_about(a->ctx, CMB_ERROR_INPUT, here(a),
                                 "this state cannot go on here: %s", otherwise)
                : cmb_fail_about(a->ctx, CMB_ERROR_INPUT, here(a),
                                 "this state cannot go on here: it has %.*s, here it is %s \"%s\"",
                                 length, line, what, text);
}

void cmb_archive_finish(cmb_archive *a)
{
  if (a->next != a->end) cmb_archive_refuse(a, "there is more than a state has");
}
