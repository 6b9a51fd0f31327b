/*
 * Reads a trajectory from a MAT file of version 4 (mat.h, table_mat.c): the matrices q, v, lambda, outputs and residuals with one row for
 * each time in t, and the matrices with the names and units of their columns. Called by result.c.
 */
#include "base/text.h"
#include "cli/result.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A matrix of the file. */
struct matrix {
  const unsigned char *numbers; /* (8 rows columns) doubles by columns, lowest byte first */
  const char *name;             /* zero-terminated */
  uint32_t kind;                /* 0: numbers; 1: character codes */
  uint32_t rows, columns;
};

/* Returns the unsigned 32-bit integer in bytes[4], which is stored with the lowest byte first (little-endian). */
static uint32_t word_at(const char *bytes)
{
  uint32_t word = 0;
  for (int i = 0; i < 4; i++) word |= (uint32_t)(unsigned char)bytes[i] << (8 * i);
  return word;
}

/* Returns the element with this index of a matrix in a MAT file, which is stored by columns as little-endian doubles. */
static double number_at(const struct matrix *m, size_t index)
{
  uint64_t bits = 0;
  double x;
  for (int i = 0; i < 8; i++) bits |= (uint64_t)m->numbers[8 * index + (size_t)i] << (8 * i);
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Parses the matrix that begins at bytes[*at] of a MAT file of `length` bytes, and advances *at to the next one. The name and numbers in *m
 * point into the file. Returns NULL on success, otherwise an error message. */
static const char *parse_matrix(const char *bytes, size_t length, size_t *at, struct matrix *m)
{
  enum { HEAD = 20, MOST_NAME = 256 };
  static const char cut[] = "it is cut off, or no MAT file of version 4";
  if (length - *at < HEAD) return cut;
  const char *head = bytes + *at;
  const size_t name = word_at(head + 16);
  *m = (struct matrix){
      .kind = word_at(head), .rows = word_at(head + 4), .columns = word_at(head + 8)};
  *at += HEAD;
  if (m->kind > 1 || word_at(head + 12) != 0) {
    return "it has a matrix of another type than double precision or text; camber run writes "
           "MAT files of version 4";
  }
  if (name == 0 || name > MOST_NAME || name > length - *at) return cut;
  m->name = bytes + *at;
  if (m->name[name - 1] != '\0') return cut;
  *at += name;
  const uint64_t numbers = (uint64_t)m->rows * m->columns;
  if (numbers > (length - *at) / 8) return cut;
  m->numbers = (const unsigned char *)bytes + *at;
  *at += 8 * (size_t)numbers;
  return NULL;
}

/* Finds the last matrix with this name in a MAT file of `length` bytes and stores it in *found; *there says whether there is one. Returns
 * NULL, or an error message if the file is invalid. */
static const char *find_matrix(const char *bytes, size_t length, const char *name,
                               struct matrix *found, bool *there)
{
  *there = false;
  for (size_t at = 0; at < length;) {
    struct matrix m;
    const char *error = parse_matrix(bytes, length, &at, &m);
    if (error) return error;
    if (strcmp(m.name, name) == 0) *found = m, *there = true;
  }
  return NULL;
}

/* Copies a row of a character matrix to text[room] as a string without trailing blanks, truncated to room − 1 bytes. Codes that are not
 * between 1 and 255 become '?'. */
static void row_text(const struct matrix *m, uint32_t row, size_t room, char *text)
{
  size_t length = 0;
  for (uint32_t j = 0; j < m->columns && j < room - 1; j++) {
    const double code = number_at(m, (size_t)j * m->rows + row);
    text[j] = code >= 1 && code < 256 ? (char)(unsigned char)code : '?';
    if (text[j] != ' ') length = j + 1;
  }
  text[length] = '\0';
}

enum { NAME_ROOM = 512 };

/* Appends the columns of the matrix m to the result. Row c of the character matrix `names` is the name of column c, and row c of `units` its
 * unit (NULL: no unit). If `names` is NULL, m is the time: its name is that of the matrix, its unit s. Returns NULL on success, otherwise an
 * error message. */
static const char *add_columns(struct cli_result *r, const struct matrix *m,
                               const struct matrix *names, const struct matrix *units)
{
  char name[NAME_ROOM], unit[NAME_ROOM];
  snprintf(name, sizeof name, "%s", m->name);
  snprintf(unit, sizeof unit, "%s", names ? "" : "s");
  if ((long)m->rows != r->rows) return "its matrices have different numbers of rows";
  for (uint32_t c = 0; c < m->columns; c++) {
    if (names) row_text(names, c, sizeof name, name);
    if (units) row_text(units, c, sizeof unit, unit);
    struct cli_result_column *column =
        cli_result_add(r, name, strlen(name), unit, cli_result_kind(m->name));
    if (column) column->numbers = calloc((size_t)m->rows + 1, sizeof(double));
    if (!column || !column->numbers) return cli_result_no_memory;
    for (uint32_t i = 0; i < m->rows; i++) {
      column->numbers[i] = number_at(m, (size_t)c * m->rows + i);
    }
  }
  return NULL;
}

/* Appends the columns of the matrix `group` of a MAT file, e.g. "q", to the result, with names from the matrix q_names and units from
 * q_units, if that exists. Appends nothing if there is no such matrix. Returns NULL on success, otherwise an error message. */
static const char *read_group(struct cli_result *r, const char *bytes, size_t length,
                              const char *group)
{
  struct matrix m, names, units;
  char beside[32];
  bool there, named, with_units;
  const char *error = find_matrix(bytes, length, group, &m, &there);
  if (error || !there) return error;
  snprintf(beside, sizeof beside, "%s_names", group);
  error = find_matrix(bytes, length, beside, &names, &named);
  if (error) return error;
  if (!named || names.rows != m.columns) return "the names of its columns are missing";
  snprintf(beside, sizeof beside, "%s_units", group);
  error = find_matrix(bytes, length, beside, &units, &with_units);
  if (error) return error;
  if (with_units && units.rows != m.columns) return "the units of its columns are missing";
  return add_columns(r, &m, &names, with_units ? &units : NULL);
}

/* Returns a copy of the text in the character matrix `name` of a MAT file, to be freed by the caller. Returns NULL if the file has no such
 * matrix with a single row, the text is too long, or memory runs out. */
static char *text_of(const char *bytes, size_t length, const char *name)
{
  struct matrix m;
  bool there;
  const char *error = find_matrix(bytes, length, name, &m, &there);
  if (error || !there || m.kind != 1 || m.rows != 1 || m.columns > CLI_RESULT_MOST_TEXT)
    return NULL;
  char *text = calloc((size_t)m.columns + 1, 1);
  if (text) row_text(&m, 0, (size_t)m.columns + 1, text);
  return text;
}

/* Returns the number in the matrix `name` of a MAT file; NaN if the file has no such matrix with a single element. */
static double number_of(const char *bytes, size_t length, const char *name)
{
  struct matrix m;
  bool there;
  const char *error = find_matrix(bytes, length, name, &m, &there);
  const bool single = !error && there && m.kind == 0 && m.rows == 1 && m.columns == 1;
  return single ? number_at(&m, 0) : NAN;
}

/* Reads the summary of the run (counts of steps, computing times and others) from a MAT file: the numbers in the matrix `summary`, whose
 * names are in `summary_names`. Unknown names are ignored, and so is a summary whose matrices do not fit together. */
static void read_summary(struct cli_result *r, const char *bytes, size_t length)
{
  struct matrix m, names;
  bool there, named;
  char name[NAME_ROOM];
  if (find_matrix(bytes, length, "summary", &m, &there) || !there || m.kind != 0) return;
  if (find_matrix(bytes, length, "summary_names", &names, &named) || !named) return;
  if (m.columns != 1 || names.rows != m.rows) return;
  for (uint32_t i = 0; i < m.rows; i++) {
    row_text(&names, i, sizeof name, name);
    const int k = cmb_find_name(name, cli_number_names, CLI_NUMBER_COUNT, sizeof *cli_number_names);
    if (k >= CLI_FIRST_OF_SUMMARY) r->numbers[k] = number_at(&m, i);
  }
}

/* Reads the events of a run from the matrices events_t, events_direction, events_names and events_kinds of a MAT file. If events_kinds is
 * missing or its size differs, all events have the kind CMB_KIND_SWITCH; if another one is missing or its size differs, no events are read.
 * Returns false if memory runs out. */
static bool read_events(struct cli_result *r, const char *bytes, size_t length)
{
  struct matrix t, direction, names, kinds;
  bool there[4];
  char text[NAME_ROOM];
  if (find_matrix(bytes, length, "events_t", &t, &there[0]) ||
      find_matrix(bytes, length, "events_direction", &direction, &there[1]) ||
      find_matrix(bytes, length, "events_names", &names, &there[2]) ||
      find_matrix(bytes, length, "events_kinds", &kinds, &there[3])) {
    return true;
  }
  if (!there[0] || !there[1] || !there[2] || t.columns != 1 || direction.columns != 1) return true;
  if (direction.rows != t.rows || names.rows != t.rows) return true;
  if (!cli_result_take_events(r, (long)t.rows)) return false;
  for (long i = 0; i < r->event_count; i++) {
    struct cli_result_event *e = &r->events[i];
    row_text(&names, (uint32_t)i, sizeof text, text);
    e->name = strdup(text);
    if (!e->name) return false;
    e->t = number_at(&t, (size_t)i);
    e->direction = number_at(&direction, (size_t)i) > 0 ? 1 : -1;
    if (there[3] && kinds.rows == t.rows) {
      row_text(&kinds, (uint32_t)i, sizeof text, text);
      e->kind = cli_event_kind_of(text);
    }
  }
  return true;
}

/* Reads the data about the run from a MAT file: texts, numbers, summary and events. What is missing is set to NULL or NaN. Returns false if
 * there is no memory for the events. */
static bool read_facts(struct cli_result *r, const char *bytes, size_t length)
{
  for (int i = 0; i < CLI_TEXT_COUNT; i++) r->texts[i] = text_of(bytes, length, cli_text_names[i]);
  for (int i = 0; i < CLI_FIRST_OF_SUMMARY; i++) {
    r->numbers[i] = number_of(bytes, length, cli_number_names[i]);
  }
  read_summary(r, bytes, length);
  return read_events(r, bytes, length);
}

struct cli_result_fault cli_result_parse_mat(struct cli_result *r, const char *bytes, size_t length)
{
  static const char *const groups[] = {"q", "v", "lambda", "outputs", "residuals"};
  struct matrix t;
  bool there;
  const char *error = find_matrix(bytes, length, "t", &t, &there);
  if (!error && (!there || t.columns != 1)) error = "it has no column t";
  if (error) return (struct cli_result_fault){.words = error};
  r->rows = (long)t.rows;
  error = add_columns(r, &t, NULL, NULL);
  for (size_t g = 0; !error && g < sizeof groups / sizeof groups[0]; g++) {
    error = read_group(r, bytes, length, groups[g]);
  }
  if (!error && !read_facts(r, bytes, length)) error = cli_result_no_memory;
  return (struct cli_result_fault){.words = error};
}
