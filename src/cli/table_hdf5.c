/*
 * Writes a whole HDF5 file with the trajectory of a run; called by table.c. The file contains a data set of 64-bit numbers for each column, in a
 * group for each kind of columns: /t, /q/phi1, /v/phi1', /lambda/…, /outputs/camber, /residuals/|g|, each with the attributes `name`, `column`
 * (its position, from 1 on) and, if known, `unit`; the events in /events; the text of the model in /model; the numbers of the summary as
 * attributes of /summary; the other texts and numbers about the run as attributes of the file (facts.h).
 *
 * Without the library (CMB_WITH_HDF5) such files are refused with an error message.
 */
#include "cli/table.h"

#ifdef CMB_WITH_HDF5

#include <errno.h>
#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_has_hdf5(void)
{
  return true;
}

/* The HDF5 file that is being written. After a failure (`good` is false) nothing else is written. */
struct file {
  hid_t id, text_type, scalar; /* the file; the type and the data space of its attributes */
  const struct cli_sheet *sheet;
  hid_t *sets; /* (columns) data set of each column; negative: none */
  bool good;
};

/* Returns whether an HDF5 call succeeded, i.e. whether its `result` is not negative. Otherwise sets f->good to false. */
static bool check(struct file *f, hid_t result)
{
  if (result < 0) f->good = false;
  return result >= 0;
}

/* ---- attributes and texts */

/* Writes an attribute with one value of the HDF5 type `type` to the file, group or data set `to`. A failure sets f->good to false; after an
 * earlier failure, nothing is written. */
static void put_attribute(struct file *f, hid_t to, const char *name, hid_t type, const void *value)
{
  if (!f->good) return;
  hid_t a = H5Acreate2(to, name, type, f->scalar, H5P_DEFAULT, H5P_DEFAULT);
  if (!check(f, a)) return;
  check(f, H5Awrite(a, type, value));
  check(f, H5Aclose(a));
}

static void put_text(struct file *f, hid_t to, const char *name, const char *text)
{
  put_attribute(f, to, name, f->text_type, &text);
}

static void put_number(struct file *f, hid_t to, const char *name, double value)
{
  put_attribute(f, to, name, H5T_NATIVE_DOUBLE, &value);
}

/* ---- data sets */

/* Creates an HDF5 data set of `count` elements of the given type in the group or file `place`. Returns the data set, to be closed by the
 * caller; a negative number and f->good = false on failure. */
static hid_t create_set(struct file *f, hid_t place, const char *name, hid_t type, long count)
{
  const hsize_t size = (hsize_t)count;
  if (!f->good) return -1;
  hid_t space = H5Screate_simple(1, &size, NULL);
  hid_t set = -1;
  if (check(f, space)) {
    set = H5Dcreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    check(f, set);
    H5Sclose(space);
  }
  return set;
}

/* Writes values[count] as a new data set in the HDF5 group or file `place`. `type` is their HDF5 type in memory, `kept_as` that in the file. A
 * failure sets f->good to false. */
static void put_set(struct file *f, hid_t place, const char *name, hid_t kept_as, hid_t type,
                    long count, const void *values)
{
  hid_t set = create_set(f, place, name, kept_as, count);
  if (set < 0) return;
  if (count > 0) check(f, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  check(f, H5Dclose(set));
}

/* Returns whether texts[count] consist of ASCII characters only. */
static bool is_ascii(long count, const char *const *texts)
{
  for (long i = 0; i < count; i++) {
    for (const char *c = texts[i]; *c; c++) {
      if ((unsigned char)*c > 127) return false;
    }
  }
  return true;
}

/* Writes texts[count] as a new data set of strings of equal length, padded with zero bytes, in the HDF5 group or file `place`. They are marked
 * as UTF-8 only if one is not ASCII, since Octave cannot read UTF-8 strings. A failure sets f->good to false. */
static void put_texts(struct file *f, hid_t place, const char *name, long count,
                      const char *const *texts)
{
  size_t longest = 1;
  for (long i = 0; i < count; i++) {
    if (strlen(texts[i]) > longest) longest = strlen(texts[i]);
  }
  char *padded = calloc((size_t)count + 1, longest);
  hid_t type = H5Tcopy(H5T_C_S1);
  if (!padded) f->good = false;
  if (check(f, type) && padded && check(f, H5Tset_size(type, longest)) &&
      check(f, H5Tset_strpad(type, H5T_STR_NULLPAD)) &&
      check(f, H5Tset_cset(type, is_ascii(count, texts) ? H5T_CSET_ASCII : H5T_CSET_UTF8))) {
    for (long i = 0; i < count; i++)
      memcpy(padded + (size_t)i * longest, texts[i], strlen(texts[i]));
    put_set(f, place, name, type, type, count, padded);
  }
  if (type >= 0) H5Tclose(type);
  free(padded);
}

/* Writes a name for a new HDF5 object in the group or file `place` to link[room], made from the name of a column: each '/' is replaced by '_',
 * and so are the whole names "." and "". If the name exists already, "_2", "_3", ... is appended. */
static void find_link(hid_t place, const char *name, size_t room, char *link)
{
  snprintf(link, room - 16, "%s", name);
  for (char *c = link; *c; c++) {
    if (*c == '/') *c = '_';
  }
  if (strcmp(link, ".") == 0 || !link[0]) snprintf(link, room, "_");
  const size_t length = strlen(link);
  for (int k = 2; H5Lexists(place, link, H5P_DEFAULT) > 0; k++) {
    snprintf(link + length, room - length, "_%d", k);
  }
}

/* Creates an HDF5 data set for each column of a group of columns (e.g. all velocities), and stores their identifiers in sets[c->count]. Name,
 * column number and, if known, unit are attributes. The data sets, except the time t, are in an HDF5 group of their own. A failure sets f->good
 * to false. */
static void create_columns(struct file *f, const struct cli_columns *c, hid_t *sets)
{
  char link[512];
  const bool alone = strcmp(c->name, "t") == 0; /* t is not in a group */
  hid_t place = alone ? f->id : H5Gcreate2(f->id, c->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (!check(f, place)) return;
  for (int i = 0; i < c->count && f->good; i++) {
    find_link(place, c->names[i], sizeof link, link);
    sets[i] = create_set(f, place, link, H5T_IEEE_F64LE, f->sheet->rows);
    if (sets[i] < 0) break;
    put_text(f, sets[i], "name", c->names[i]);
    const int column = (int)(sets + i - f->sets) + 1;
    put_attribute(f, sets[i], "column", H5T_NATIVE_INT, &column);
    if (c->units && c->units[i][0]) put_text(f, sets[i], "unit", c->units[i]);
  }
  if (!alone) check(f, H5Gclose(place));
}

/* Writes numbers[count] to the rows from number `first` on of the data set of a column. A failure sets f->good to false. */
static void put_column(struct file *f, hid_t set, long first, long count, const double *numbers)
{
  const hsize_t from = (hsize_t)first, size = (hsize_t)count;
  hid_t there = H5Dget_space(set), here = H5Screate_simple(1, &size, NULL);
  if (check(f, there) && check(f, here) &&
      check(f, H5Sselect_hyperslab(there, H5S_SELECT_SET, &from, NULL, &size, NULL))) {
    check(f, H5Dwrite(set, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, numbers));
  }
  if (there >= 0) H5Sclose(there);
  if (here >= 0) H5Sclose(here);
}

/* Writes all rows of the trajectory to the data sets f->sets of the columns. The callback `read` reads up to CLI_SHEET_ROWS rows at a time into
 * the working array `room`. A failure sets f->good to false. */
static void put_rows(struct file *f, cli_sheet_reader read, void *user, double *room)
{
  const struct cli_sheet *s = f->sheet;
  for (long first = 0; first < s->rows && f->good; first += CLI_SHEET_ROWS) {
    const long left = s->rows - first, count = left < CLI_SHEET_ROWS ? left : CLI_SHEET_ROWS;
    f->good = read(user, first, count, room);
    for (int c = 0; c < s->column_count && f->good; c++) {
      put_column(f, f->sets[c], first, count, room + c * count);
    }
  }
}

/* Writes the trajectory to an HDF5 file: creates a data set for each column and fills them with all rows, which the callback `read` reads into
 * the working array `room`. A failure sets f->good to false. */
static void put_columns(struct file *f, cli_sheet_reader read, void *user, double *room)
{
  const struct cli_sheet *s = f->sheet;
  hid_t *sets = f->sets;
  for (int c = 0; c < s->column_count; c++) sets[c] = -1;
  for (int g = 0; g < s->group_count && f->good; g++) {
    create_columns(f, &s->groups[g], sets);
    sets += s->groups[g].count;
  }
  put_rows(f, read, user, room);
  for (int c = 0; c < s->column_count; c++) {
    if (f->sets[c] >= 0) check(f, H5Dclose(f->sets[c]));
  }
}

/* ---- other data of the file */

/* Writes the times, directions, names and kinds of the events of a run as data sets of the HDF5 group /events. A failure sets f->good to
 * false. */
static void put_events(struct file *f)
{
  const struct cli_sheet *s = f->sheet;
  const long count = s->event_count;
  const size_t room = (size_t)count + 1;
  double *t = calloc(room, sizeof *t);
  int32_t *direction = calloc(room, sizeof *direction);
  const char **name = calloc(room, sizeof *name), **kind = calloc(room, sizeof *kind);
  hid_t place = H5Gcreate2(f->id, "events", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const bool memory = t && direction && name && kind;
  if (!memory) f->good = false;
  if (memory && check(f, place)) {
    for (long i = 0; i < count; i++) {
      t[i] = s->events[i].t;
      direction[i] = s->events[i].direction;
      name[i] = s->events[i].name;
      kind[i] = cli_event_kind_name(s->events[i].kind);
    }
    put_set(f, place, "t", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, t);
    put_set(f, place, "direction", H5T_STD_I32LE, H5T_NATIVE_INT32, count, direction);
    put_texts(f, place, "name", count, name);
    put_texts(f, place, "kind", count, kind);
  }
  if (place >= 0) check(f, H5Gclose(place));
  free(t);
  free(direction);
  free(name);
  free(kind);
}

/* Writes the numbers of a run's summary (such as its statistics) as attributes of the HDF5 group /summary. A failure sets f->good to
 * false. */
static void put_summary(struct file *f)
{
  const struct cli_sheet *s = f->sheet;
  hid_t place = H5Gcreate2(f->id, "summary", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (!check(f, place)) return;
  for (int i = CLI_FIRST_OF_SUMMARY; i < CLI_NUMBER_COUNT; i++) {
    put_number(f, place, cli_number_names[i], s->numbers[i]);
  }
  check(f, H5Gclose(place));
}

/* Writes everything but the trajectory to an HDF5 result file: texts and numbers about the run, its summary, the text of the model file if
 * there is one, and the events. A failure sets f->good to false. */
static void put_about(struct file *f)
{
  const struct cli_sheet *s = f->sheet;
  for (int i = 0; i < CLI_TEXT_COUNT; i++) put_text(f, f->id, cli_text_names[i], s->texts[i]);
  for (int i = 0; i < CLI_FIRST_OF_SUMMARY; i++) {
    put_number(f, f->id, cli_number_names[i], s->numbers[i]);
  }
  put_summary(f);
  if (s->text)
    put_texts(f, f->id, "model", 1, (const char *const *)&s->text); /* too long for an attribute */
  put_events(f);
}

/* Creates the HDF5 file `path`, whose previous content is lost, and the HDF5 types that the file's attributes use. A failure sets f->good to
 * false. */
static void open_file(struct file *f, const char *path)
{
  H5dont_atexit(); /* otherwise a file that could not be closed, on a full disk, would be closed again at the program's end, and crash it */
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* suppresses error messages of the library */
  f->scalar = H5Screate(H5S_SCALAR);
  f->text_type = H5Tcopy(H5T_C_S1);
  if (check(f, f->scalar) && check(f, f->text_type)) {
    check(f, H5Tset_size(f->text_type, H5T_VARIABLE));
    check(f, H5Tset_cset(f->text_type, H5T_CSET_UTF8));
  }
  f->id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  check(f, f->id);
}

/* Closes the HDF5 file and the objects that open_file has created for it, as far as they exist. Sets f->good to false if the file cannot be
 * closed. */
static void close_file(struct file *f)
{
  if (f->text_type >= 0) H5Tclose(f->text_type);
  if (f->scalar >= 0) H5Sclose(f->scalar);
  if (f->id >= 0) check(f, H5Fclose(f->id));
}

bool cli_sheet_write_hdf5(const char *path, const struct cli_sheet *s, cli_sheet_reader read,
                          void *user, double *room)
{
  struct file f = {.sheet = s, .good = true, .id = -1, .text_type = -1, .scalar = -1};
  f.sets = calloc((size_t)s->column_count, sizeof *f.sets);
  if (!f.sets) return false;
  errno = 0;
  open_file(&f, path);
  if (f.good) put_columns(&f, read, user, room);
  if (f.good) put_about(&f);
  close_file(&f);
  free(f.sets);
  if (!f.good && !errno) errno = EIO; /* the library does not report the reason */
  return f.good;
}

#else

#include <errno.h>

bool cli_has_hdf5(void)
{
  return false;
}

bool cli_sheet_write_hdf5(const char *path, const struct cli_sheet *s, cli_sheet_reader read,
                          void *user, double *room)
{
  (void)path, (void)s, (void)read, (void)user, (void)room;
  errno = ENOTSUP;
  return false;
}

#endif
