/*
 * Appends formatted text to an array; the test fails if the array is too small.
 */
#ifndef CMBT_TEXT_WRITER_H
#define CMBT_TEXT_WRITER_H

#include <stddef.h>

struct cmbt_text {
  char *text;
  size_t used, room;
};

__attribute__((format(printf, 2, 3))) void cmbt_put(struct cmbt_text *w, const char *format, ...);

#endif
