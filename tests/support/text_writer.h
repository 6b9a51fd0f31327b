/*
 * Text that is written piece by piece into an array; a test fails where there is no room for it.
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
