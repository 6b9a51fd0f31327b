/*
 * Reads the files of MiniProf instruments, .whl of wheels and .ban of rails (read.h): a header with lines KEY=VALUE, then a line for each
 * point, in mm. ColumnDef names the columns: X and Y are the point, A the angle, C the curvature. XYPoints is the number of points.
 *
 * In files of the first versions, which have MINIPROF in their first three lines, the header has other lines, too, and an empty line ends it.
 * In newer files the first line that begins with a number does. What follows !, % or " in a line is a comment.
 */
#include "rail/read.h"

#include "base/context.h"

#include <string.h>

struct miniprof {
  cmb_profile_file *f;
  int column_x, column_y; /* from 0 */
  int count;              /* XYPoints; 0: not given */
  int count_line;
};

/* Reads the value of ColumnDef, such as X,Y,A,C. */
static cmb_status read_columns(struct miniprof *m, const char *from)
{
  const cmb_profile_file *f = m->f;
  char room[CMB_SHOWN_ROOM];
  m->column_x = m->column_y = -1;
  const char *at = from;
  for (int column = 0; at <= f->line_end; column++) {
    const char *stop = memchr(at, ',', (size_t)(f->line_end - at));
    if (!stop) stop = f->line_end;
    const char *first = at, *last = stop;
    while (first < last && *first == ' ') first++;
    while (first < last && last[-1] == ' ') last--;
    if (cmb_profile_is_word(first, last, "X")) m->column_x = column;
    if (cmb_profile_is_word(first, last, "Y")) m->column_y = column;
    at = stop + 1;
  }
  if (m->column_x >= 0 && m->column_y >= 0) return CMB_OK;
  return cmb_profile_fail(f, from, "ColumnDef is '%s'; expected X and Y among its columns",
                          cmb_profile_shown(from, f->line_end, room));
}

static cmb_status read_count(struct miniprof *m, const char *from)
{
  const cmb_profile_file *f = m->f;
  char room[CMB_SHOWN_ROOM];
  double x;
  if (!cmb_profile_number(from, f->line_end, &x) || x < 1 || x > 1e9 || x != (int)x) {
    return cmb_profile_fail(f, from, "XYPoints is '%s'; expected the number of points",
                            cmb_profile_shown(from, f->line_end, room));
  }
  m->count = (int)x;
  m->count_line = f->number;
  return CMB_OK;
}

/* Warns that an offset of the header that is not 0 has no effect. */
static void read_offset(const struct miniprof *m, const char *key, const char *key_end,
                        const char *from)
{
  const cmb_profile_file *f = m->f;
  char room[CMB_SHOWN_ROOM];
  double x;
  if (!cmb_profile_number(from, f->line_end, &x) || x == 0) return;
  cmb_log(f->ctx, CMB_LOG_WARNING, "%s:%d: %s is not 0; it has no effect on the points", f->name,
          f->number, cmb_profile_shown(key, key_end, room));
}

/* Reads a line KEY=VALUE of the header; `sign` is its equals sign. Keys that are not used are skipped. */
static cmb_status read_entry(struct miniprof *m, const char *sign)
{
  const cmb_profile_file *f = m->f;
  const char *key = f->line, *key_end = sign, *value = sign + 1;
  while (key_end > key && key_end[-1] == ' ') key_end--;
  while (value < f->line_end && *value == ' ') value++;
  const bool columns = cmb_profile_is_word(key, key_end, "ColumnDef");
  const bool count = cmb_profile_is_word(key, key_end, "XYPoints");
  if (value == f->line_end) return CMB_OK;
  if (columns || count) CMB_TRY(cmb_profile_check_line(f));
  if (columns) return read_columns(m, value);
  if (count) return read_count(m, value);
  if (cmb_profile_is_word(key, key_end, "XOffset") || cmb_profile_is_word(key, key_end, "YOffset"))
    read_offset(m, key, key_end, value);
  return CMB_OK;
}

/* Reads the header, and moves to the first line after it. */
static cmb_status read_header(struct miniprof *m)
{
  cmb_profile_file *f = m->f;
  bool old = false, empty = false;
  while (cmb_profile_any_line(f)) {
    for (const char *at = f->line; f->number <= 3 && at + 8 <= f->line_end; at++) {
      if (memcmp(at, "MINIPROF", 8) == 0) old = true;
    }
    empty = f->line == f->line_end;
    cmb_profile_cut_line(f, "!%\"");
    const char *sign = memchr(f->line, '=', (size_t)(f->line_end - f->line));
    if (old && empty) return CMB_OK;
    if (sign) {
      CMB_TRY(read_entry(m, sign));
    } else if (!old && cmb_profile_begins_number(f)) {
      cmb_profile_same_line(f);
      return CMB_OK;
    }
  }
  return CMB_OK;
}

cmb_status cmb_profile_read_miniprof(cmb_profile_file *f)
{
  struct miniprof m = {.f = f, .column_x = 0, .column_y = 1};
  CMB_TRY(read_header(&m));
  while (cmb_profile_line(f)) {
    cmb_profile_cut_line(f, "!%\"");
    if (f->line < f->line_end) CMB_TRY(cmb_profile_row(f, ' ', m.column_x, m.column_y));
  }
  if (m.count > 0 && f->points->n != m.count) {
    cmb_log(f->ctx, CMB_LOG_WARNING, "%s:%d: XYPoints is %d, but the file has %d points", f->name,
            m.count_line, m.count, f->points->n);
  }
  return CMB_OK;
}
