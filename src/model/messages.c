/*
 * The words of the reader (reader.h): messages with their place and what they are about.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

#include <stdarg.h>
#include <stdio.h>

cmb_status cmb_reader_fail(cmb_reader *r, cmb_place at, const char *format, ...)
{
  char words[700];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  return cmb_fail_at(r->ctx, at, "%s%s%s", r->subject, r->subject[0] ? ": " : "", words);
}

void cmb_reader_subject(cmb_reader *r, const char *what, const char *prefix, const char *name)
{
  char shown[CMB_SHOWN_ROOM];
  if (!name)
    snprintf(r->subject, sizeof r->subject, "%s", what);
  else
    snprintf(r->subject, sizeof r->subject, "%s '%.40s%s'", what, prefix, cmb_shown(name, shown));
}
