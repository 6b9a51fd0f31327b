/*
 * A growing text on the context's allocator. A failed allocation sticks: write everything, then look once at
 * `failed`. The text always ends with a 0 that is not counted.
 */
#ifndef CMB_BASE_BUFFER_H
#define CMB_BASE_BUFFER_H

#include <camber/base.h>
#include <stdbool.h>

typedef struct cmb_buffer {
  cmb_context *ctx;
  char *text; /* (room), NULL while nothing was written */
  size_t length, room;
  bool failed;
} cmb_buffer;

cmb_buffer cmb_buffer_begin(cmb_context *ctx);
void cmb_buffer_release(cmb_buffer *b); /* empty and usable afterwards */

void cmb_buffer_add(cmb_buffer *b, const void *bytes, size_t length);
void cmb_buffer_put(cmb_buffer *b, const char *text);

/* printf into the buffer; for words and whole numbers, since a double would follow the locale. */
void cmb_buffer_print(cmb_buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
