/*
 * Reads two columns of numbers from a CSV file; called by tables.c (reader.h). Cells are separated by ; or , or tabs or blanks, whichever
 * the first line has, in this order. If the first line is made of words, it names the columns. A cell that begins like a number, or is one
 * in quotes, makes it a line of numbers, so that a mistyped number is not taken for a name. Empty lines, lines that begin with #, what
 * follows a # in a line of numbers, and a byte order mark are skipped; in a line of names # is a character like any other. Columns are
 * chosen by name or by number, counted from 1.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

#include <string.h>
#include <strings.h>

struct csv {
  cmb_reader *r;
  const char *name;       /* for messages */
  const char *next, *end; /* the part of the text that has not been read */
  const char *line, *line_end;
  int number; /* of the current line, from 1 */
  char separator;
};

/* The text of a cell without the blanks and quotes around it. */
struct cell {
  const char *text;
  size_t length;
  bool quoted;
};

static cmb_place place_of(const struct csv *c)
{
  return cmb_place_in(c->name, c->number > 0 ? c->number : 1, 1);
}

/* Advances to the next line of a CSV text that is not empty and does not begin with #, and sets c->line and c->line_end to its text without
 * leading and trailing blanks. Returns false at the end of the text. */
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

/* Removes a comment, from a # outside of quotes to the end, and the blanks before it from the current line by moving c->line_end. */
static void drop_comment(struct csv *c)
{
  bool quoted = false;
  for (const char *at = c->line; at < c->line_end; at++) {
    if (*at == '"') quoted = !quoted;
    if (*at == '#' && !quoted) c->line_end = at;
  }
  while (c->line < c->line_end && strchr(" \t", c->line_end[-1])) c->line_end--;
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

/* Reads the cell of a CSV line that begins at *at into *cell, without the blanks and quotes around it, and moves *at to the next cell.
 * Returns false if the line has no further cell. */
static bool next_cell(const struct csv *c, const char **at, struct cell *cell)
{
  const char *from = *at, *stop;
  while (c->separator == ' ' && from < c->line_end && (*from == ' ' || *from == '\t')) from++;
  if (from > c->line_end || (c->separator == ' ' && from == c->line_end)) return false;
  stop = memchr(from, c->separator, (size_t)(c->line_end - from));
  if (!stop) stop = c->line_end;
  *at = stop + 1;
  while (from < stop && strchr(" \t", *from)) from++;
  while (from < stop && strchr(" \t", stop[-1])) stop--;
  cell->quoted = from < stop && *from == '"';
  while (from < stop && strchr(" \t\"", *from)) from++;
  while (from < stop && strchr(" \t\"", stop[-1])) stop--;
  cell->text = from;
  cell->length = (size_t)(stop - from);
  return true;
}

/* Reads cell number `column` (from 0) of the current CSV line into *cell. Returns false if the line has fewer cells. */
static bool find_cell(const struct csv *c, int column, struct cell *cell)
{
  const char *at = c->line;
  for (int i = 0; next_cell(c, &at, cell); i++) {
    if (i == column) return true;
  }
  return false;
}

static bool is_text(const struct cell *cell, const char *text)
{
  return strlen(text) == cell->length && memcmp(cell->text, text, cell->length) == 0;
}

static bool is_number(const struct cell *cell, double *number)
{
  char text[CMB_LONGEST_NUMBER + 1];
  if (cell->length > CMB_LONGEST_NUMBER) return false;
  memcpy(text, cell->text, cell->length);
  text[cell->length] = '\0';
  return cmb_parse_number(text, number);
}

/* Returns whether a CSV cell is a number or looks like a mistyped one, such as 1.5, 1,O or nan. A cell in quotes may contain any words, so
 * it has to be a correct number. */
static bool begins_like_number(const struct cell *cell)
{
  static const char *const not_finite[] = {"nan", "inf", "infinity"};
  double number;
  if (cell->quoted) return is_number(cell, &number);
  if (cell->length == 0) return false;
  if (strchr("0123456789+-.", cell->text[0])) return true;
  for (int i = 0; i < 3; i++) {
    if (cell->length == strlen(not_finite[i]) &&
        strncasecmp(cell->text, not_finite[i], cell->length) == 0)
      return true;
  }
  return false;
}

/* Copies the beginning of a cell to `room` for use in a message, with '?' for control characters, and returns `room`. */
static const char *shown(const struct cell *cell, char room[CMB_SHOWN_ROOM])
{
  char part[CMB_SHOWN_ROOM];
  const size_t length = cell->length < sizeof part ? cell->length : sizeof part - 1;
  memcpy(part, cell->text, length);
  part[length] = '\0';
  return cmb_shown(part, room);
}

/* Returns the index (from 0) of the first cell of the current line whose text is `name`; -1 if there is none. */
static int find_name(const struct csv *c, const char *name)
{
  const char *at = c->line;
  struct cell cell;
  for (int i = 0; next_cell(c, &at, &cell); i++) {
    if (is_text(&cell, name)) return i;
  }
  return -1;
}

/* Stores the indices (from 0) of the two requested columns of a CSV file in chosen[]. `columns` is a list of two, each given by its number
 * (from 1) or by its name in the current line, if has_names is true; NULL chooses the first two. An unknown name is an error. */
static cmb_status choose_columns(struct csv *c, const cmb_node *columns, bool has_names,
                                 int chosen[2])
{
  chosen[0] = 0;
  chosen[1] = 1;
  if (!columns) return CMB_OK;
  CMB_TRY(cmb_expect_list(c->r, columns, 2, "two columns, by name or number"));
  const cmb_node *entry = columns->first;
  for (int k = 0; k < 2; k++, entry = entry->next) {
    char name[CMB_SHOWN_ROOM];
    double number;
    CMB_TRY(cmb_expect_text(c->r, entry, "a column's name or number"));
    if (cmb_parse_number(entry->text, &number) && number >= 1 && number <= 10000 &&
        number == (int)number) {
      chosen[k] = (int)number - 1;
      continue;
    }
    chosen[k] = has_names ? find_name(c, entry->text) : -1;
    if (chosen[k] >= 0) continue;
    return cmb_reader_fail(c->r, entry->place,
                           "%s has no column '%s'; expected the number of a column, from 1 on, or "
                           "one of the names in its first line, if it has names",
                           c->name, cmb_shown(entry->text, name));
  }
  return CMB_OK;
}

static cmb_status read_row(struct csv *c, const int chosen[2], double pair[2])
{
  char text[CMB_SHOWN_ROOM];
  struct cell cell;
  for (int k = 0; k < 2; k++) {
    if (!find_cell(c, chosen[k], &cell)) {
      return cmb_reader_fail(c->r, place_of(c), "the line has no cell %d; expected a number",
                             chosen[k] + 1);
    }
    if (!is_number(&cell, &pair[k])) {
      return cmb_reader_fail(c->r, place_of(c), "cell %d is '%s'; expected a number", chosen[k] + 1,
                             shown(&cell, text));
    }
  }
  return CMB_OK;
}

/* Returns whether the current line of a CSV file is the line of column names: whether no cell begins like a number. */
static bool is_header(const struct csv *c)
{
  const char *at = c->line;
  struct cell cell;
  while (next_cell(c, &at, &cell)) {
    if (begins_like_number(&cell)) return false;
  }
  return true;
}

static cmb_status read_lines(struct csv *c, const cmb_node *columns, int most, int *n, double *x,
                             double *f)
{
  int chosen[2];
  double pair[2] = {0};
  if (!advance(c)) {
    return cmb_reader_fail(c->r, place_of(c),
                           "the file has no numbers; expected two columns of them");
  }
  if (strchr("0123456789+-.", c->line[0]))
    drop_comment(c); /* the comment may contain other separators */
  choose_separator(c);
  bool has_names = is_header(c), more = true;
  CMB_TRY(choose_columns(c, columns, has_names, chosen));
  if (has_names) more = advance(c);
  for (; more && *n < most; more = advance(c)) {
    drop_comment(c);
    CMB_TRY(read_row(c, chosen, pair));
    if (*n > 0 && !(pair[0] > x[*n - 1])) {
      return cmb_reader_fail(c->r, place_of(c), "%s follows %s; expected ascending numbers",
                             cmb_shortest(pair[0]).text, cmb_shortest(x[*n - 1]).text);
    }
    x[*n] = pair[0];
    f[(*n)++] = pair[1];
  }
  return CMB_OK;
}

cmb_status cmb_parse_csv(cmb_reader *r, const char *name, const char *text, size_t length,
                         const cmb_node *columns, int *n, double **x, double **f)
{
  const bool marked = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
  struct csv c = {.r = r, .name = name, .next = text + (marked ? 3 : 0), .end = text + length};
  int lines = 1;
  for (const char *at = text; at < c.end; at++) lines += *at == '\n';
  *n = 0;
  *x = cmb_arena_doubles(r->scratch, lines);
  *f = cmb_arena_doubles(r->scratch, lines);
  if (cmb_arena_failed(r->scratch)) return cmb_fail_memory(r->ctx);
  return read_lines(&c, columns, lines, n, *x, *f);
}

cmb_status cmb_read_csv(cmb_reader *r, const cmb_node *file, const cmb_node *columns, int *n,
                        double **x, double **f)
{
  const char *name, *text;
  size_t length;
  CMB_TRY(cmb_load_beside(r, file, &name, &text, &length));
  return cmb_parse_csv(r, name, text, length, columns, n, x, f);
}
