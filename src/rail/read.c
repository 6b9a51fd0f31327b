/*
 * Lines, words and numbers of the files of profiles, and the choice of the format (read.h).
 */
#include "rail/read.h"

#include "base/context.h"
#include "base/input.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t\r"

/* ---- lines */

static void trim(const char **from, const char **to)
{
  while (*from < *to && strchr(BLANKS, **from) && **from) ++*from;
  while (*from < *to && strchr(BLANKS, (*to)[-1]) && (*to)[-1]) --*to;
}

bool cmb_profile_any_line(cmb_profile_file *f)
{
  if (f->next >= f->end) return false;
  const char *stop = memchr(f->next, '\n', (size_t)(f->end - f->next));
  f->begin = f->line = f->next;
  f->line_end = stop ? stop : f->end;
  f->next = stop ? stop + 1 : f->end;
  f->number++;
  trim(&f->line, &f->line_end);
  return true;
}

bool cmb_profile_line(cmb_profile_file *f)
{
  while (cmb_profile_any_line(f)) {
    if (f->line < f->line_end) return true;
  }
  return false;
}

void cmb_profile_same_line(cmb_profile_file *f)
{
  f->next = f->begin;
  f->number--;
}

void cmb_profile_cut_line(cmb_profile_file *f, const char *characters)
{
  for (const char *at = f->line; at < f->line_end; at++) {
    if (*at && strchr(characters, *at)) f->line_end = at;
  }
  trim(&f->line, &f->line_end);
}

cmb_status cmb_profile_check_line(const cmb_profile_file *f)
{
  return cmb_check_text(f->ctx, f->line, (size_t)(f->line_end - f->line),
                        cmb_about_place(f->name, f->number, (int)(f->line - f->begin) + 1));
}

cmb_status cmb_profile_fail(const cmb_profile_file *f, const char *at, const char *format, ...)
{
  const cmb_about about = cmb_about_place(f->name, f->number > 0 ? f->number : 1,
                                          at && f->begin ? (int)(at - f->begin) + 1 : 1);
  va_list arguments;
  va_start(arguments, format);
  cmb_fail_words(f->ctx, CMB_ERROR_INPUT, &about, format, arguments);
  va_end(arguments);
  return CMB_ERROR_INPUT;
}

/* ---- words */

const char *cmb_profile_shown(const char *from, const char *to, char room[CMB_SHOWN_ROOM])
{
  char part[CMB_SHOWN_ROOM];
  size_t length = (size_t)(to - from);
  if (length >= sizeof part) length = sizeof part - 1;
  memcpy(part, from, length);
  part[length] = '\0';
  return cmb_shown(part, room);
}

bool cmb_profile_is_word(const char *from, const char *to, const char *word)
{
  return strlen(word) == (size_t)(to - from) && strncasecmp(from, word, strlen(word)) == 0;
}

bool cmb_profile_number(const char *from, const char *to, double *x)
{
  char text[CMB_LONGEST_NUMBER + 1];
  if (to - from > CMB_LONGEST_NUMBER) return false;
  memcpy(text, from, (size_t)(to - from));
  text[to - from] = '\0';
  return cmb_parse_number(text, x);
}

/* Finds the end of the first word of the current line, from `at`. */
static const char *end_of_word(const cmb_profile_file *f, const char *at)
{
  while (at < f->line_end && !(*at && strchr(BLANKS ",;", *at))) at++;
  return at;
}

bool cmb_profile_begins_number(const cmb_profile_file *f)
{
  if (f->line == f->line_end) return false;
  if (*f->line && strchr("0123456789+-.", *f->line)) return true;
  const char *stop = end_of_word(f, f->line);
  return cmb_profile_is_word(f->line, stop, "nan") || cmb_profile_is_word(f->line, stop, "inf") ||
         cmb_profile_is_word(f->line, stop, "infinity");
}

/* Finds cell number `column` (from 0) of the current line, without blanks around it. Returns false if there are fewer cells. */
static bool find_cell(const cmb_profile_file *f, char separator, int column, const char **from,
                      const char **to)
{
  const char *at = f->line;
  for (int i = 0;; i++) {
    const char *stop = at;
    if (separator == ' ') {
      stop = end_of_word(f, at);
    } else {
      while (stop < f->line_end && *stop != separator) stop++;
    }
    if (i == column) {
      *from = at;
      *to = stop;
      trim(from, to);
      return true;
    }
    at = stop;
    if (separator == ' ') {
      while (at < f->line_end && *at && strchr(BLANKS ",;", *at)) at++;
    } else {
      at++;
    }
    if (at >= f->line_end) return false;
  }
}

cmb_status cmb_profile_row(cmb_profile_file *f, char separator, int column_y, int column_z)
{
  char room[CMB_SHOWN_ROOM];
  const int columns[2] = {column_y, column_z};
  double x[2] = {0};
  CMB_TRY(cmb_profile_check_line(f));
  for (int k = 0; k < 2; k++) {
    const char *from, *to;
    if (!find_cell(f, separator, columns[k], &from, &to)) {
      return cmb_profile_fail(f, f->line, "the line has no column %d; expected a number in mm",
                              columns[k] + 1);
    }
    if (!cmb_profile_number(from, to, &x[k])) {
      return cmb_profile_fail(f, from, "column %d is '%s'; expected a number in mm", columns[k] + 1,
                              cmb_profile_shown(from, to, room));
    }
  }
  f->points->y[f->points->n] = x[0];
  f->points->z[f->points->n] = x[1];
  f->points->line[f->points->n++] = f->number;
  return CMB_OK;
}

/* ---- formats */

#define COLUMNS  "lines of two numbers, y and z in mm"
#define MINIPROF "lines of numbers in mm in the order of ColumnDef"
#define SIMPACK                                                                                    \
  "lines of y and z between point.begin and point.end, with y between bound.y.min and bound.y.max"

static const struct format {
  const char *ending;
  cmb_status (*read)(cmb_profile_file *f);
  int kind;             /* of the profiles with this ending, or −1: any */
  const char *expected; /* what the file should contain, for a message */
} formats[] = {
    {".csv", cmb_profile_read_csv, -1, COLUMNS},
    {".txt", cmb_profile_read_csv, -1, COLUMNS},
    {".whl", cmb_profile_read_miniprof, CMB_PROFILE_WHEEL, MINIPROF},
    {".ban", cmb_profile_read_miniprof, CMB_PROFILE_RAIL, MINIPROF},
    {".prw", cmb_profile_read_simpack, CMB_PROFILE_WHEEL, SIMPACK},
    {".prr", cmb_profile_read_simpack, CMB_PROFILE_RAIL, SIMPACK},
};

/* Returns the format of the file `name`; NULL, with a message, if its ending is not known or belongs to the other kind of profile. */
static const struct format *find_format(cmb_context *ctx, const char *name, cmb_profile_kind kind)
{
  const char *slash = strrchr(name, '/'), *ending = strrchr(slash ? slash : name, '.');
  const char *const own = kind == CMB_PROFILE_WHEEL ? "wheel" : "rail";
  const cmb_about about = cmb_about_file(name);
  for (size_t i = 0; ending && i < sizeof formats / sizeof *formats; i++) {
    if (strcasecmp(ending, formats[i].ending) != 0) continue;
    if (formats[i].kind < 0 || formats[i].kind == (int)kind) return &formats[i];
    cmb_fail_about(ctx, CMB_ERROR_INPUT, about,
                   "%s: %s is the ending of profiles of a %s; expected the profile of a %s", name,
                   ending, kind == CMB_PROFILE_WHEEL ? "rail" : "wheel", own);
    return NULL;
  }
  cmb_fail_about(ctx, CMB_ERROR_INPUT, about,
                 "%s: no format of profiles has this ending; expected .csv, .txt, %s", name,
                 kind == CMB_PROFILE_WHEEL ? ".whl or .prw" : ".ban or .prr");
  return NULL;
}

cmb_status cmb_profile_read(cmb_context *ctx, const char *name, cmb_profile_kind kind,
                            const char *text, size_t length, cmb_arena *arena,
                            cmb_profile_points *points)
{
  const bool marked = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
  const struct format *format = find_format(ctx, name, kind);
  cmb_profile_file f = {.ctx = ctx,
                        .name = name,
                        .kind = kind,
                        .next = text + (marked ? 3 : 0),
                        .end = text + length,
                        .points = points};
  int lines = 1;
  if (!format) return CMB_ERROR_INPUT;
  for (const char *at = text; at < f.end; at++) lines += *at == '\n';
  *points = (cmb_profile_points){.y = cmb_arena_doubles(arena, lines),
                                 .z = cmb_arena_doubles(arena, lines),
                                 .line = cmb_arena_ints(arena, lines)};
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  CMB_TRY(format->read(&f));
  if (points->n > 0) return CMB_OK;
  return cmb_profile_fail(&f, NULL, "the file has no points that can be used; expected %s",
                          format->expected);
}
