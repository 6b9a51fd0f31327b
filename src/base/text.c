/*
 * Text helpers (text.h). The C library prints and reads numbers with the decimal point of the host program's locale; these functions always
 * use '.'.
 */
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 64 }; /* names of this length or more are never proposed as similar */

/* bytes of a locale's decimal point, which may be one character of several bytes */
enum { POINT_ROOM = 16 };

/* Returns whether c is an ASCII control character (below 0x20, or 0x7F). */
bool cmb_is_control(char c)
{
  return (unsigned char)c < ' ' || c == 0x7F;
}

size_t cmb_character_length(const char *text, size_t left)
{
  const unsigned char *at = (const unsigned char *)text, c = left > 0 ? at[0] : 0xFF;
  if (c < 0x80) return 1;
  const size_t length = c >= 0xF5 || c < 0xC2 ? 0 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
  if (length > left) return 0;
  for (size_t i = 1; i < length; i++) {
    if ((at[i] & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (c == 0xE0 && at[1] < 0xA0) || (c == 0xF0 && at[1] < 0x90);
  const bool no_character = (c == 0xED && at[1] > 0x9F) || (c == 0xF4 && at[1] > 0x8F);
  return overlong || no_character ? 0 : length;
}

/* Prints x to `text` with up to `digits` significant digits, as "%.*g" does, and with '.' as the decimal point in any locale. Returns the
 * length. */
static int format(double x, int digits, char text[CMB_NUMBER_ROOM])
{
  char local[CMB_NUMBER_ROOM + POINT_ROOM];
  snprintf(local, sizeof local, "%.*g", digits, x);
  const char *point = localeconv()->decimal_point;
  const char *at = strstr(local, point), *rest = at ? at + strlen(point) : "";
  return snprintf(text, CMB_NUMBER_ROOM, "%.*s%s%s", at ? (int)(at - local) : CMB_NUMBER_ROOM,
                  local, at ? "." : "", rest);
}

int cmb_format_number(double x, char text[CMB_NUMBER_ROOM])
{
  return format(x, 17, text);
}

int cmb_format_shortest(double x, char text[CMB_NUMBER_ROOM])
{
  double back;
  /* up to 15 digits survive text -> double -> text, except in subnormal numbers */
  for (int digits = 15; digits < 17; digits++) {
    int length = format(x, digits, text);
    if (cmb_parse_number(text, &back) && back == x) return length;
  }
  return format(x, 17, text);
}

cmb_number_text cmb_shortest(double x)
{
  cmb_number_text number;
  cmb_format_shortest(x, number.text);
  return number;
}

bool cmb_parse_number(const char *text, double *x)
{
  char local[CMB_LONGEST_NUMBER + POINT_ROOM], *end;
  size_t length = strlen(text), whole = strcspn(text, ".");
  if (length == 0 || length > CMB_LONGEST_NUMBER || strspn(text, "0123456789+-.eE") != length) {
    return false;
  }
  const bool has_point = text[whole] == '.';
  snprintf(local, sizeof local, "%.*s%s%s", (int)whole, text,
           has_point ? localeconv()->decimal_point : "", has_point ? text + whole + 1 : "");
  double value = strtod(local, &end);
  if (*end != '\0' || end == local || !isfinite(value)) return false;
  *x = value;
  return true;
}

/* Returns the name of entry i of an array whose entries are `stride` bytes apart and begin with a pointer to their name. */
static const char *name_at(const void *names, int i, size_t stride)
{
  const char *const *name = (const void *)((const char *)names + (size_t)i * stride);
  return *name;
}

int cmb_find_name(const char *text, const void *names, int count, size_t stride)
{
  for (int i = 0; i < count; i++) {
    if (strcmp(text, name_at(names, i, stride)) == 0) return i;
  }
  return -1;
}

/* Returns the lower-case letter of an ASCII capital letter, and any other character unchanged, independently of the locale. */
static char lower(char c)
{
  return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Returns the Levenshtein distance of two words, ignoring case: the least number of inserted, deleted or replaced characters that turns a
 * into b. Returns SIZE_MAX if one of them has NAME_ROOM characters or more. */
static size_t edit_distance(const char *a, const char *b)
{
  size_t na = strlen(a), nb = strlen(b);
  if (na >= NAME_ROOM || nb >= NAME_ROOM) return SIZE_MAX;
  size_t row[NAME_ROOM];
  for (size_t j = 0; j <= nb; j++) row[j] = j;
  for (size_t i = 1; i <= na; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= nb; j++) {
      size_t replace = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      size_t change = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      diagonal = row[j];
      row[j] = replace < change ? replace : change;
    }
  }
  return row[nb];
}

const char *cmb_nearest_name(const char *text, const void *names, int count, size_t stride)
{
  const char *nearest = NULL;
  size_t least = strlen(text) / 3 + 2; /* one error in three letters, plus one */
  for (int i = 0; i < count; i++) {
    const char *name = name_at(names, i, stride);
    const size_t distance = edit_distance(text, name), a = strlen(text), b = strlen(name);
    const bool alike = distance < (a > b ? a : b); /* they have a letter in common */
    if (distance < least && alike) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

const char *cmb_hint_of_names(const char *text, const void *names, int count, size_t stride,
                              char hint[CMB_HINT_ROOM])
{
  enum { LINE = 160 }; /* length up to which names are listed */
  const char *near = cmb_nearest_name(text, names, count, stride);
  if (near || count == 0) {
    snprintf(hint, CMB_HINT_ROOM, near ? "did you mean '%.300s'?" : "there is none", near);
    return hint;
  }
  int i = 0, used = snprintf(hint, CMB_HINT_ROOM, count > 1 ? "expected one of" : "expected");
  for (; i < count && used + (int)strlen(name_at(names, i, stride)) < LINE; i++)
    used += snprintf(hint + used, (size_t)(CMB_HINT_ROOM - used), "%s %s", i ? "," : "",
                     name_at(names, i, stride));
  if (i == 0)
    snprintf(hint, CMB_HINT_ROOM, "expected one of %d others", count);
  else if (i < count)
    snprintf(hint + used, (size_t)(CMB_HINT_ROOM - used), " and %d more", count - i);
  return hint;
}

cmb_status cmb_csv_field(const char *text,
                         cmb_status (*put)(void *to, const char *piece, size_t length), void *to)
{
  if (!strpbrk(text, ",\"\n\r")) return put(to, text, strlen(text));
  CMB_TRY(put(to, "\"", 1));
  for (; *text; text++) {
    if (*text == '"') CMB_TRY(put(to, "\"", 1));
    CMB_TRY(put(to, text, 1));
  }
  return put(to, "\"", 1);
}

const char *cmb_shown(const char *text, char shown[CMB_SHOWN_ROOM])
{
  size_t n = 0;
  while (text[n] && n < CMB_SHOWN_ROOM - 4) {
    unsigned char c = (unsigned char)text[n];
    shown[n++] = c < ' ' || c == 0x7F ? '?' : (char)c;
  }
  while (text[n] && n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
    n--; /* do not cut a UTF-8 character */
  memcpy(shown + n, text[n] ? "..." : "", text[n] ? sizeof "..." : 1);
  return shown;
}
