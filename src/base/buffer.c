/*
 * Growing text buffer (buffer.h). Its capacity doubles, so that each character is copied fewer than two times on average.
 */
#include "base/buffer.h"

#include "base/context.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

cmb_buffer cmb_buffer_begin(cmb_context *ctx)
{
  return (cmb_buffer){.ctx = ctx};
}

void cmb_buffer_release(cmb_buffer *b)
{
  cmb_release(b->ctx, b->text);
  *b = cmb_buffer_begin(b->ctx);
}

/* Ensures that the buffer has room for `more` characters and a terminating 0 after its text, and enlarges it if necessary. Returns false and
 * marks the buffer as failed if memory runs out; returns false if it has failed before. */
static bool reserve(cmb_buffer *b, size_t more)
{
  if (b->failed) return false;
  if (more < b->room - b->length) return true;
  size_t room = b->room > 0 ? b->room : FIRST_ROOM;
  while (room - b->length <= more && room <= SIZE_MAX / 4) room *= 2;
  char *text = room - b->length > more ? cmb_allocate(b->ctx, room) : NULL;
  if (!text) {
    b->failed = true;
    return false;
  }
  if (b->length > 0) memcpy(text, b->text, b->length);
  text[b->length] = '\0';
  cmb_release(b->ctx, b->text);
  b->text = text;
  b->room = room;
  return true;
}

void cmb_buffer_add(cmb_buffer *b, const void *bytes, size_t length)
{
  if (!reserve(b, length)) return;
  if (length > 0) memcpy(b->text + b->length, bytes, length);
  b->length += length;
  b->text[b->length] = '\0';
}

void cmb_buffer_put(cmb_buffer *b, const char *text)
{
  cmb_buffer_add(b, text, strlen(text));
}

void cmb_buffer_print(cmb_buffer *b, const char *format, ...)
{
  enum { USUAL = 128 }; /* enough for nearly every call, so that the text is formatted only once */
  if (!reserve(b, USUAL)) return;
  for (int pass = 0; pass < 2; pass++) {
    size_t room = b->room - b->length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(b->text + b->length, room, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < room) {
      b->length += (size_t)length;
      return;
    }
    b->text[b->length] = '\0';
    if (length < 0 || !reserve(b, (size_t)length)) break;
  }
  b->failed = true;
}
