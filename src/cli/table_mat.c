/*
 * Writes a whole MAT file with the trajectory of a run; called by table.c. The file contains a matrix for each group of columns, with one row
 * for each record, and the names and units of the columns as character matrices: `outputs`, `outputs_names`, `outputs_units`. The texts and
 * numbers about the run (facts.h) are matrices of their own, but the numbers of the summary are one column `summary`, with their names in
 * `summary_names`.
 */
#include "cli/mat.h"
#include "cli/table.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* Writes a text as a character matrix with one row to a MAT file. */
static void put_text(FILE *to, const char *name, const char *text)
{
  cli_mat_names(to, name, 1, &text);
}

/* Writes the times, directions, names and kinds of the events of a run to a MAT file, as the matrices events_t, events_direction,
 * events_names and events_kinds. Without enough memory, names and kinds are omitted. */
static void put_events(FILE *to, const struct cli_sheet *s)
{
  const int count = (int)s->event_count;
  cli_mat_head(to, false, "events_t", count, 1);
  for (int i = 0; i < count; i++) cli_mat_numbers(to, 1, &s->events[i].t);
  cli_mat_head(to, false, "events_direction", count, 1);
  for (int i = 0; i < count; i++) cli_mat_numbers(to, 1, &(double){s->events[i].direction});
  const char **names = calloc((size_t)count + 1, sizeof *names);
  for (int i = 0; names && i < count; i++) names[i] = s->events[i].name;
  if (names) cli_mat_names(to, "events_names", count, names);
  for (int i = 0; names && i < count; i++) names[i] = cli_event_kind_name(s->events[i].kind);
  if (names) cli_mat_names(to, "events_kinds", count, names);
  free(names);
}

/* Writes everything but the trajectory to a MAT file: texts and numbers about the run, the text of the model file ("" if there is none),
 * the names and, if known, units of the columns except time, and the events. */
static void put_texts(FILE *to, const struct cli_sheet *s)
{
  enum { SUMMARY = CLI_NUMBER_COUNT - CLI_FIRST_OF_SUMMARY };
  char suffixed[64];
  for (int i = 0; i < CLI_TEXT_COUNT; i++) put_text(to, cli_text_names[i], s->texts[i]);
  put_text(to, "text", s->text ? s->text : "");
  for (int i = 0; i < CLI_FIRST_OF_SUMMARY; i++) {
    cli_mat_matrix(to, cli_number_names[i], 1, 1, &s->numbers[i]);
  }
  cli_mat_matrix(to, "summary", SUMMARY, 1, s->numbers + CLI_FIRST_OF_SUMMARY);
  cli_mat_names(to, "summary_names", SUMMARY, cli_number_names + CLI_FIRST_OF_SUMMARY);
  for (int g = 1; g < s->group_count; g++) {
    const struct cli_columns *c = &s->groups[g];
    snprintf(suffixed, sizeof suffixed, "%s_names", c->name);
    cli_mat_names(to, suffixed, c->count, c->names);
    if (!c->units) continue;
    snprintf(suffixed, sizeof suffixed, "%s_units", c->name);
    cli_mat_names(to, suffixed, c->count, c->units);
  }
  put_events(to, s);
}

/* Writes the headers of the matrices of all groups of columns (t, q, v, ...) to a MAT file, each followed by space for the entries.
 * begin[group_count] receives the file positions of the first entries. Returns false on failure. */
static bool put_heads(FILE *to, const struct cli_sheet *s, off_t *begin)
{
  for (int g = 0; g < s->group_count; g++) {
    const struct cli_columns *c = &s->groups[g];
    cli_mat_head(to, false, c->name, (int)s->rows, c->count);
    begin[g] = ftello(to);
    if (begin[g] < 0) return false;
    if (fseeko(to, (off_t)c->count * s->rows * 8, SEEK_CUR) != 0) return false;
  }
  return true;
}

/* Writes `count` rows of the trajectory, from row number `first` on, to their places in the matrices of a MAT file. `numbers` (columns x count)
 * contains them column by column, and begin[group_count] the file position where each group's matrix begins. Returns false on failure. */
static bool put_block(FILE *to, const struct cli_sheet *s, const off_t *begin, long first,
                      long count, const double *numbers)
{
  for (int g = 0; g < s->group_count; g++) {
    for (int c = 0; c < s->groups[g].count; c++) {
      if (fseeko(to, begin[g] + ((off_t)c * s->rows + first) * 8, SEEK_SET) != 0) return false;
      cli_mat_numbers(to, count, numbers);
      numbers += count;
    }
  }
  return !ferror(to);
}

/* Writes the matrices of all groups of columns to a MAT file. The callback `read` reads up to CLI_SHEET_ROWS rows of the trajectory at a time
 * into the working array `room`. Returns false on failure. */
static bool put_rows(FILE *to, const struct cli_sheet *s, cli_sheet_reader read, void *user,
                     double *room)
{
  off_t begin[sizeof s->groups / sizeof s->groups[0]];
  if (!put_heads(to, s, begin)) return false;
  for (long first = 0; first < s->rows; first += CLI_SHEET_ROWS) {
    const long left = s->rows - first, count = left < CLI_SHEET_ROWS ? left : CLI_SHEET_ROWS;
    if (!read(user, first, count, room)) return false;
    if (!put_block(to, s, begin, first, count, room)) return false;
  }
  return true;
}

bool cli_sheet_write_mat(const char *path, const struct cli_sheet *s, cli_sheet_reader read,
                         void *user, double *room)
{
  if (s->rows > INT_MAX) { /* more than the 32-bit header of a matrix can express */
    errno = EFBIG;
    return false;
  }
  FILE *to = fopen(path, "wb");
  if (!to) return false;
  put_texts(to, s);
  const bool good = put_rows(to, s, read, user, room) && !ferror(to);
  return fclose(to) == 0 && good;
}
