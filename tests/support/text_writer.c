/*
 * Appends text to an array (text_writer.h).
 */
#include "text_writer.h"

#include "check.h"

#include <stdarg.h>
#include <stdio.h>

void cmbt_put(struct cmbt_text *w, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(w->text + w->used, w->room - w->used, format, arguments);
  va_end(arguments);
  assert_true(n >= 0 && (size_t)n < w->room - w->used);
  w->used += (size_t)n;
}
