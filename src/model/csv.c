/*
 * Two columns of a CSV file (reader.h). Cells are separated by ; or , or tabs or blanks, whichever the first line has, in
 * this order. A first line that is not numbers names the columns. Empty lines and lines that begin with # are
 * skipped. Columns are chosen by name or by number, counted from 1.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

#include <stdio.h>
#include <string.h>

enum { CELL_ROOM = 64 };

struct csv {
  cmb_reader *r;
  const char *name;       /* for messages */
  const char *next, *end; /* what is left of the text */
  const char *line, *line_end;
  int number; /* of the line */
  char separator;
};

static cmb_place place_of(const struct csv *c)
{
  return (cmb_place){c->name, c->number > 0 ? c->number : 1, 1};
}

/* On to the next line with something in it. False at the end. */
static bool advance(struct csv *c)
{
  while (c->next < c->end) {
    const char *stop = memchr(c->next, '\n', (size_t)(c->end - c->next));
    c->line = c->next;
    c->line_end = stop ? stop : c->end;
    c->next = stop ? stop + 1 : c->end;
    c->number++;
    while (c->line < c->line_end && strchr(" \t\r", *c->line)) c->line++;
    while (c->line < c->line_end && strchr(" \t\r", c->line_end[-1])) c->line_end--;
    if (c->line < c->line_end && *c->line != '#') return true;
  }
  return false;
}

static void choose_separator(struct csv *c)
{
  static const char separators[] = ";,\t";
  c->separator = ' ';
  for (int i = 2; i >= 0; i--) {
    if (memchr(c->line, separators[i], (size_t)(c->line_end - c->line)))
      c->separator = separators[i];
  }
}

/* The text of a cell, counted from 0, without blanks and quotes around it; cut if it is long. False if there is none. */
static bool cell(const struct csv *c, int column, char text[CELL_ROOM])
{
  const char *at = c->line, *stop;
  for (int i = 0;; i++) {
    while (c->separator == ' ' && at < c->line_end && (*at == ' ' || *at == '\t')) at++;
    if (at > c->line_end || (i > 0 && at == c->line_end && c->separator == ' ')) return false;
    stop = memchr(at, c->separator, (size_t)(c->line_end - at));
    if (!stop) stop = c->line_end;
    if (i == column) break;
    at = stop + 1;
  }
  while (at < stop && strchr(" \t\"", *at)) at++;
  while (at < stop && strchr(" \t\"", stop[-1])) stop--;
  snprintf(text, CELL_ROOM, "%.*s", (int)(stop - at < CELL_ROOM ? stop - at : CELL_ROOM), at);
  return true;
}

/* The two columns that are asked for. The names are those of the present line. */
static cmb_status choose_columns(struct csv *c, const cmb_node *columns, bool has_names,
                                 int chosen[2])
{
  chosen[0] = 0;
  chosen[1] = 1;
  if (!columns) return CMB_OK;
  CMB_TRY(cmb_expect_list(c->r, columns, 2, "two columns, by name or number"));
  const cmb_node *entry = columns->first;
  for (int k = 0; k < 2; k++, entry = entry->next) {
    char text[CELL_ROOM], shown[CMB_SHOWN_ROOM];
    double number;
    CMB_TRY(cmb_expect_text(c->r, entry, "a column's name or number"));
    if (cmb_parse_number(entry->text, &number) && number >= 1 && number <= 10000 &&
        number == (int)number) {
      chosen[k] = (int)number - 1;
      continue;
    }
    int i = 0;
    while (has_names && cell(c, i, text) && strcmp(text, entry->text) != 0) i++;
    if (!has_names || !cell(c, i, text)) {
      return cmb_reader_fail(c->r, entry->place,
                             "%s has no column '%s'; expected a name of its first line", c->name,
                             cmb_shown(entry->text, shown));
    }
    chosen[k] = i;
  }
  return CMB_OK;
}

static cmb_status read_row(struct csv *c, const int chosen[2], double pair[2])
{
  char text[CELL_ROOM], shown[CMB_SHOWN_ROOM];
  for (int k = 0; k < 2; k++) {
    if (!cell(c, chosen[k], text)) {
      return cmb_reader_fail(c->r, place_of(c), "the line has no cell %d; expected a number",
                             chosen[k] + 1);
    }
    if (!cmb_parse_number(text, &pair[k])) {
      return cmb_reader_fail(c->r, place_of(c), "'%s' is no number; expected one",
                             cmb_shown(text, shown));
    }
  }
  return CMB_OK;
}

/* All cells of the line are words: these are the columns' names. */
static bool is_header(const struct csv *c)
{
  char text[CELL_ROOM];
  double number;
  return cell(c, 0, text) && !cmb_parse_number(text, &number);
}

static cmb_status read_lines(struct csv *c, const cmb_node *columns, int most, int *n, double *x,
                             double *f)
{
  int chosen[2];
  double pair[2] = {0};
  if (!advance(c)) {
    return cmb_reader_fail(c->r, place_of(c), "the file has no numbers; expected two columns");
  }
  choose_separator(c);
  bool has_names = is_header(c), more = true;
  CMB_TRY(choose_columns(c, columns, has_names, chosen));
  if (has_names) more = advance(c);
  for (; more && *n < most; more = advance(c)) {
    CMB_TRY(read_row(c, chosen, pair));
    if (*n > 0 && !(pair[0] > x[*n - 1])) {
      return cmb_reader_fail(c->r, place_of(c), "%g follows %g; expected ascending numbers",
                             pair[0], x[*n - 1]);
    }
    x[*n] = pair[0];
    f[(*n)++] = pair[1];
  }
  return CMB_OK;
}

cmb_status cmb_read_csv(cmb_reader *r, const cmb_node *file, const cmb_node *columns, int *n,
                        double **x, double **f)
{
  const char *text;
  size_t length;
  struct csv c = {.r = r};
  CMB_TRY(cmb_load_beside(r, file, &c.name, &text, &length));
  c.next = text;
  c.end = text + length;
  int lines = 1;
  for (const char *at = text; at < c.end; at++) lines += *at == '\n';
  *n = 0;
  *x = cmb_arena_doubles(r->scratch, lines);
  *f = cmb_arena_doubles(r->scratch, lines);
  if (cmb_arena_failed(r->scratch)) return cmb_fail_memory(r->ctx);
  return read_lines(&c, columns, lines, n, *x, *f);
}
