/*
 * Reads result files (result.h): the functions for all formats, and those for CSV files.
 */
#include "cli/result.h"

#include "base/text.h"
#include "cli/bytes.h"
#include "cli/cli.h"
#include "cli/trial.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 1 << 30, MOST_COLUMNS = 1 << 20 };

static const char partial_ending[] = ".partial"; /* ending of the file that a killed run leaves */

const char cli_result_no_memory[] = "out of memory";

void cli_result_begin(struct cli_result *r, const char *path)
{
  *r = (struct cli_result){.path = path};
  for (int i = 0; i < CLI_NUMBER_COUNT; i++) r->numbers[i] = NAN;
}

struct cli_result_column *cli_result_add(struct cli_result *r, const char *name, size_t length,
                                         const char *unit, enum cli_column_kind kind)
{
  if (r->count >= MOST_COLUMNS) return NULL;
  if ((r->count & (r->count - 1)) == 0) { /* the room is doubled when the count is a power of 2 */
    const size_t room = r->count ? 2 * (size_t)r->count : 1;
    struct cli_result_column *grown = realloc(r->columns, room * sizeof *grown);
    if (!grown) return NULL;
    r->columns = grown;
  }
  struct cli_result_column *c = &r->columns[r->count++];
  *c =
      (struct cli_result_column){.name = strndup(name, length), .unit = strdup(unit), .kind = kind};
  return c->name && c->unit ? c : NULL;
}

void cli_result_end(struct cli_result *r)
{
  for (int i = 0; i < r->count; i++) {
    free(r->columns[i].name);
    free(r->columns[i].unit);
    free(r->columns[i].numbers);
  }
  free(r->columns);
  for (long i = 0; i < r->event_count; i++) free(r->events[i].name);
  free(r->events);
  for (int i = 0; i < CLI_TEXT_COUNT; i++) free(r->texts[i]);
  free(r->label);
  cli_result_begin(r, r->path);
}

enum cli_column_kind cli_result_kind(const char *group)
{
  static const char *const groups[] = {
      [CLI_COLUMN_UNKNOWN] = "",          [CLI_COLUMN_TIME] = "t",
      [CLI_COLUMN_COORDINATE] = "q",      [CLI_COLUMN_VELOCITY] = "v",
      [CLI_COLUMN_MULTIPLIER] = "lambda", [CLI_COLUMN_OUTPUT] = "outputs",
      [CLI_COLUMN_RESIDUAL] = "residuals"};
  const int k = cmb_find_name(group, groups, sizeof groups / sizeof groups[0], sizeof groups[0]);
  return k < 0 ? CLI_COLUMN_UNKNOWN : (enum cli_column_kind)k;
}

bool cli_result_take_events(struct cli_result *r, long count)
{
  if (count > CLI_MOST_KEPT) count = CLI_MOST_KEPT;
  r->events = calloc((size_t)count + 1, sizeof *r->events);
  if (r->events) r->event_count = count;
  return r->events != NULL;
}

static bool is_output(const struct cli_result_column *c)
{
  return c->kind == CLI_COLUMN_OUTPUT;
}

/* Returns whether `name` is the name of the column with the prefix that CSV files use to distinguish it from an output of the same name: "q/"
 * for a coordinate, "v/" for a velocity or first-order state. Returns false for columns of another kind. */
static bool has_prefixed_name(const struct cli_result_column *c, const char *name)
{
  const char *prefix = c->kind == CLI_COLUMN_COORDINATE ? "q/"
                       : c->kind == CLI_COLUMN_VELOCITY ? "v/"
                                                        : NULL;
  return prefix && strncmp(name, prefix, 2) == 0 && strcmp(name + 2, c->name) == 0;
}

const struct cli_result_column *cli_result_find(const struct cli_result *r, const char *name)
{
  const struct cli_result_column *found = NULL;
  for (int i = 0; i < r->count; i++) {
    const struct cli_result_column *c = &r->columns[i];
    if (strcmp(c->name, name) == 0 && (!found || (is_output(c) && !is_output(found)))) found = c;
  }
  for (int i = 0; i < r->count && !found; i++) {
    if (has_prefixed_name(&r->columns[i], name)) found = &r->columns[i];
  }
  return found;
}

bool cli_result_ambiguous(const struct cli_result *r, const struct cli_result_column *column)
{
  for (int i = 0; i < r->count; i++) {
    const struct cli_result_column *c = &r->columns[i];
    if (c != column && is_output(c) == is_output(column) && strcmp(c->name, column->name) == 0) {
      return true;
    }
  }
  return false;
}

/* ---- CSV */

/* The remaining text: the part of a text that has not been parsed yet, without a terminating 0. */
struct text {
  const char *at, *end; /* its first character, and the place after its last one */
};

/* Parses a name at the beginning of the remaining text t of a CSV file, in quotes or up to a comma or newline, and advances t past it. *name
 * points to its first character in t, and *length excludes the enclosing quotes; doubled quotes inside stay doubled. Returns false if the
 * closing quote is missing. */
static bool parse_name(struct text *t, const char **name, size_t *length)
{
  const bool quoted = t->at < t->end && *t->at == '"';
  if (quoted) t->at++;
  *name = t->at;
  while (t->at < t->end) {
    if (quoted && *t->at == '"' && (t->at + 1 == t->end || t->at[1] != '"')) break;
    if (quoted && *t->at == '"') t->at++; /* the first one of a doubled quote */
    if (!quoted && (*t->at == ',' || *t->at == '\n')) break;
    t->at++;
  }
  *length = (size_t)(t->at - *name);
  if (quoted && t->at == t->end) return false;
  if (quoted) t->at++;
  return true;
}

/* Replaces each doubled quote ("") in a name by a single one, in place. */
static void unescape_quotes(char *name)
{
  char *to = name;
  for (const char *from = name; *from; from++) {
    *to++ = *from;
    if (from[0] == '"' && from[1] == '"') from++;
  }
  *to = '\0';
}

bool cli_result_cut_name(char **list, char **name)
{
  struct text t = {.at = *list, .end = *list + strlen(*list)};
  const char *from;
  size_t length;
  if (!parse_name(&t, &from, &length) || (t.at < t.end && *t.at != ',')) return false;
  char *after = *list + (t.at - *list);
  *name = *list + (from - *list);
  *list = *after ? after + 1 : NULL;
  (*name)[length] = '\0';
  if (length < (size_t)(after - *name)) unescape_quotes(*name); /* it was in quotes */
  return true;
}

/* Advances the beginning of the remaining text t past blanks. */
static void skip_blanks(struct text *t)
{
  while (t->at < t->end && *t->at == ' ') t->at++;
}

/* Parses the first line of a CSV file, which contains the names of the columns, and appends a column to the result for each name. Advances
 * t past that line. Returns NULL on success, otherwise an error message. */
static const char *parse_names(struct cli_result *r, struct text *t)
{
  for (bool more = true; more;) {
    skip_blanks(t);
    const char *name;
    size_t length;
    if (!parse_name(t, &name, &length)) return "the quotes of a name do not end";
    if (t->at == t->end) return "the line of names has no end";
    if (*t->at != ',' && *t->at != '\n') return "a comma is missing after a name in quotes";
    while (length > 0 && (name[length - 1] == '\r' || name[length - 1] == ' ')) length--;
    if (length == 0) return "a column has no name";
    struct cli_result_column *c = cli_result_add(r, name, length, "", CLI_COLUMN_UNKNOWN);
    if (!c) return cli_result_no_memory;
    unescape_quotes(c->name);
    more = *t->at++ == ',';
  }
  return NULL;
}

/* Returns the number of newline characters in the remaining text t. */
static long count_lines(const struct text *t)
{
  long count = 0;
  for (const char *c = t->at; (c = memchr(c, '\n', (size_t)(t->end - c))); c++) count++;
  return count;
}

/* Parses a number of a CSV file into *x, and advances t past the number and the character `stop` (a comma or newline), which must follow.
 * At the end of the text a newline may be missing. Returns false if another character follows, or if the field has no number or contains
 * anything but a number and blanks. */
static bool parse_number(struct text *t, char stop, double *x)
{
  char copy[64], *after;
  size_t length = 0;
  while (t->at < t->end && *t->at != ',' && *t->at != '\n' && length < sizeof copy - 1) {
    copy[length++] = *t->at++;
  }
  if (length > 0 && copy[length - 1] == '\r') length--;
  copy[length] = '\0';
  *x = strtod(copy, &after);
  if (after == copy) return false;
  while (*after == ' ') after++;
  if (*after != '\0') return false;
  if (t->at == t->end) return stop == '\n'; /* the last line of the file need not have an end */
  return *t->at++ == stop;
}

/* Parses the next line of a CSV file and stores its numbers as the next row of all columns, whose arrays must be allocated. Returns NULL on
 * success, otherwise an error message; t then begins with the invalid field. */
static const char *parse_row(struct cli_result *r, struct text *t)
{
  for (int c = 0; c < r->count; c++) {
    const char stop = c + 1 < r->count ? ',' : '\n', *field = t->at;
    if (!parse_number(t, stop, &r->columns[c].numbers[r->rows])) {
      t->at = field;
      return "expected as many numbers as there are names, separated by commas";
    }
  }
  r->rows++;
  return NULL;
}

struct cli_result_fault cli_result_parse_csv(struct cli_result *r, const char *text, size_t length,
                                             bool unfinished)
{
  static const char mark[] = "\xEF\xBB\xBF"; /* the byte order mark, which some programs write */
  struct text t = {.at = text, .end = text + length};
  if (length >= 3 && memcmp(text, mark, 3) == 0) t.at += 3;
  const char *words = parse_names(r, &t);
  if (words) return (struct cli_result_fault){words, 1, 1};
  const bool open_end = t.at < t.end && t.end[-1] != '\n';
  const long lines = count_lines(&t) + (open_end && !unfinished ? 1 : 0);
  for (int c = 0; c < r->count; c++) {
    r->columns[c].numbers = calloc((size_t)lines + 1, sizeof(double));
    if (!r->columns[c].numbers) return (struct cli_result_fault){.words = cli_result_no_memory};
  }
  while (r->rows < lines) {
    const char *line = t.at;
    words = parse_row(r, &t);
    if (words) return (struct cli_result_fault){words, r->rows + 2, t.at - line + 1};
  }
  return (struct cli_result_fault){0};
}

/* ---- files */

/* Returns the format of a result file (CSV, HDF5, MAT or none) that the ending of its name denotes. The ending ".partial", which the file
 * of a killed run has in addition, is ignored. */
static enum cli_format format_of(const char *path)
{
  const bool partial = cli_ends_in(path, partial_ending);
  return cli_format_of(path, strlen(path) - (partial ? strlen(partial_ending) : 0));
}

bool cli_is_result(const char *path)
{
  return format_of(path) != CLI_FORMAT_NONE;
}

/* The data of read_hdf5. A damaged HDF5 file can crash the HDF5 library or block it forever, so the file is first read in a child process
 * (trial.h). */
struct hdf5_work {
  struct cli_result *result;
  const char *path;
  struct cli_result_fault fault;
};

/* Reads an HDF5 file. `what` is a struct hdf5_work, which contains its path; the columns and the error message, if any, are stored there. A
 * callback of cli_try. */
static void read_hdf5(void *what)
{
  struct hdf5_work *w = what;
  w->fault = cli_result_read_hdf5(w->result, w->path);
}

/* Reads the HDF5 file `path` into a result. The file is first read in a child process with limits of time and memory that grow with its
 * size, because a damaged file can crash or block the HDF5 library. Returns the error message, which is NULL on success. */
static struct cli_result_fault try_hdf5(struct cli_result *r, const char *path)
{
  const double least_rate = 1e7; /* in bytes per second */
  /* bytes of memory per byte of the file; files written by camber need little more than 1 */
  const double most_for_a_byte = 64;
  struct hdf5_work work = {.result = r, .path = path};
  struct stat about;
  const double size = stat(path, &about) == 0 ? (double)about.st_size : 0;
  const struct cli_trial_limits limits = {.seconds = 2 + size / least_rate,
                                          .bytes = 1e9 + most_for_a_byte * size};
  if (cli_try(read_hdf5, &work, &limits)) return work.fault;
  return (struct cli_result_fault){.words =
                                       "it is damaged, so that the HDF5 library cannot read it"};
}

/* Reads a result file in the format (CSV, HDF5 or MAT) that the ending of its name denotes. Returns the error message, which is NULL on
 * success, and the line number if a line of a CSV file is invalid. */
static struct cli_result_fault read_file(const char *path, struct cli_result *r)
{
  const enum cli_format format = format_of(path);
  if (format == CLI_FORMAT_HDF5) return try_hdf5(r, path);
  if (format == CLI_FORMAT_NONE) {
    return (struct cli_result_fault){.words =
                                         "expected a file name that ends in " CLI_FORMAT_ENDINGS};
  }
  char *bytes = NULL;
  size_t length = 0;
  if (!cli_bytes_of(path, MOST_BYTES, &bytes, &length)) {
    return (struct cli_result_fault){.words = strerror(errno)};
  }
  const struct cli_result_fault fault =
      format == CLI_FORMAT_CSV
          ? cli_result_parse_csv(r, bytes, length, cli_ends_in(path, partial_ending))
          : cli_result_parse_mat(r, bytes, length);
  free(bytes);
  return fault;
}

/* Returns whether a text is UTF-8 without control characters, so that it can be shown in a picture. */
static bool is_text(const char *text)
{
  const char *end = text + strlen(text);
  for (size_t step; text < end; text += step) {
    step = cmb_is_control(*text) ? 0 : cmb_character_length(text, (size_t)(end - text));
    if (step == 0) return false;
  }
  return true;
}

/* Returns whether the names and units of all columns are UTF-8 without control characters, so that they can be shown in a picture. */
static bool has_plain_names(const struct cli_result *r)
{
  for (int i = 0; i < r->count; i++) {
    if (!is_text(r->columns[i].name) || !is_text(r->columns[i].unit)) return false;
  }
  return true;
}

void cli_result_clean(char *text, bool lines)
{
  if (!text) return;
  const char *end = text + strlen(text);
  for (size_t step; text < end; text += step) {
    step = cmb_character_length(text, (size_t)(end - text));
    if (step == 0 || (cmb_is_control(*text) && !(lines && *text == '\n'))) {
      *text = '?';
      step = 1;
    }
  }
}

/* Replaces invalid UTF-8 and control characters by '?' in the names of the events of a result file and in the texts about its run. The path
 * of the model file and the command-line options are not changed, as they are used again; line ends in the warnings are kept. */
static void clean_texts(struct cli_result *r)
{
  for (int i = 0; i < CLI_TEXT_COUNT; i++) {
    if (i != CLI_TEXT_model_file && i != CLI_TEXT_arguments) {
      cli_result_clean(r->texts[i], i == CLI_TEXT_warnings);
    }
  }
  for (long i = 0; i < r->event_count; i++) cli_result_clean(r->events[i].name, false);
}

/* Returns whether the run that writes a result file has not completed it, since it is still in progress or was killed: the file name ends
 * in ".partial", or the status in the file is "running". */
static bool is_unfinished(const struct cli_result *r)
{
  const char *status = r->texts[CLI_TEXT_status];
  return cli_ends_in(r->path, partial_ending) || (status && strcmp(status, "running") == 0);
}

int cli_result_read(const char *path, struct cli_result *r)
{
  cli_result_begin(r, path);
  struct cli_result_fault fault = read_file(path, r);
  clean_texts(r);
  if (!fault.words && r->count == 0) fault.words = "it has no columns of a trajectory";
  if (!fault.words && r->rows == 0)
    fault.words = is_unfinished(r) ? "it has no rows yet" : "it has no rows";
  if (!fault.words && !has_plain_names(r)) fault.words = "a name in it is no text in UTF-8";
  if (!fault.words) return CLI_DONE;
  if (fault.words == cli_result_no_memory) return cli_fail(NULL, CMB_ERROR_MEMORY);
  if (fault.line > 0)
    return cli_complain("%s:%ld:%ld: %s", path, fault.line, fault.column, fault.words);
  return cli_complain("cannot read '%s': %s", path, fault.words);
}
