/*
 * Growing text buffer on the context's allocator. After a failed allocation all later additions do nothing: write everything, then check
 * `failed` once. The text always ends with a 0 that `length` does not count.
 */
#ifndef CMB_BASE_BUFFER_H
#define CMB_BASE_BUFFER_H

#include <camber/base.h>
#include <stdbool.h>

typedef struct cmb_buffer {
  cmb_context *ctx;
  char *text;          /* (room), NULL while nothing has been written */
  size_t length, room; /* number of characters without the final 0; size of the array */
  bool failed;         /* memory ran out, or vsnprintf failed */
} cmb_buffer;

/* Returns an empty buffer. */
cmb_buffer cmb_buffer_begin(cmb_context *ctx);

/* Frees the text. The buffer is then empty and can be used again. */
void cmb_buffer_release(cmb_buffer *b);

/* Append `length` bytes, or a text. */
void cmb_buffer_add(cmb_buffer *b, const void *bytes, size_t length);
void cmb_buffer_put(cmb_buffer *b, const char *text);

/* Appends text as printf does. For words and integers only, since doubles would be printed in the locale of the host program. */
void cmb_buffer_print(cmb_buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
