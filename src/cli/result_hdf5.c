/*
 * A trajectory from an HDF5 file that `camber run` has written (table_hdf5.c): every data set with the attribute `column`, in the order
 * that this gives, in the file itself and in its groups.
 *
 * The file may come from anywhere. A few bytes can claim a data set of any size, and that its numbers lie in another file, which may be a device that never
 * ends: the one is compared with the size of the file, the other is refused.
 */
#include "cli/cli.h"
#include "cli/result.h"

#ifdef CMB_WITH_HDF5

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a byte of a file can stand for at most: the best that HDF5's compression does. */
static const double MOST_FOR_A_BYTE = 1032;

struct visit {
  struct cli_result *result;
  double most; /* numbers that a file of this size can have */
  int *places; /* `column` of each column */
  enum cli_column_kind kind;
  int depth;         /* 0: in the file itself; 1: in one of its groups, which has no others */
  const char *words; /* of what is wrong */
};

/* An attribute's text, to be freed; NULL: there is none, or no memory. */
static char *read_text(hid_t of, const char *name)
{
  char *found = NULL, *text = NULL;
  if (H5Aexists(of, name) <= 0) return NULL;
  hid_t attribute = H5Aopen(of, name, H5P_DEFAULT);
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  const bool single = H5Sget_simple_extent_npoints(space) == 1;
  if (single && H5Tis_variable_str(type) > 0 && H5Aget_storage_size(attribute) > 0 &&
      H5Aread(attribute, type, &found) >= 0 && found) {
    if (strlen(found) <= CLI_RESULT_MOST_TEXT) text = strdup(found);
    H5free_memory(found);
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return text;
}

/* A number of an attribute; NaN: there is none. */
static double read_number(hid_t of, const char *name)
{
  double x = NAN;
  if (H5Aexists(of, name) <= 0) return NAN;
  hid_t attribute = H5Aopen(of, name, H5P_DEFAULT);
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  const bool number = H5Tget_class(type) == H5T_FLOAT && H5Sget_simple_extent_npoints(space) == 1;
  if (!number || H5Aread(attribute, H5T_NATIVE_DOUBLE, &x) < 0) x = NAN;
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return x;
}

static bool read_place(hid_t set, int *place)
{
  if (H5Aexists(set, "column") <= 0) return false;
  hid_t attribute = H5Aopen(set, "column", H5P_DEFAULT);
  hid_t space = H5Aget_space(attribute);
  const bool single = H5Sget_simple_extent_npoints(space) == 1;
  const bool read = single && H5Aread(attribute, H5T_NATIVE_INT, place) >= 0;
  H5Sclose(space);
  H5Aclose(attribute);
  return read;
}

/* Whether the numbers of a set lie in the file itself. */
static bool is_inside(hid_t set)
{
  hid_t made = H5Dget_create_plist(set);
  if (made < 0) return false;
  const H5D_layout_t layout = H5Pget_layout(made);
  const bool plain = layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED;
  const bool inside = plain && H5Pget_external_count(made) == 0;
  H5Pclose(made);
  return inside;
}

/* How many numbers a set has; -1: it is no row of numbers. */
static long length_of(hid_t set)
{
  hsize_t size = 0;
  hid_t space = H5Dget_space(set), type = H5Dget_type(set);
  const bool plain = H5Sget_simple_extent_ndims(space) == 1 && H5Tget_class(type) == H5T_FLOAT;
  if (plain) H5Sget_simple_extent_dims(space, &size, NULL);
  H5Sclose(space);
  H5Tclose(type);
  return plain && size < (hsize_t)1 << 40 ? (long)size : -1;
}

static const char *add_column(struct visit *v, hid_t set, int place)
{
  struct cli_result *r = v->result;
  const long rows = length_of(set);
  if (rows < 0) return "a column is no row of numbers";
  if (!is_inside(set)) return "the numbers of a column lie in another file";
  if (r->count > 0 && rows != r->rows) return "its columns have different lengths";
  if ((double)rows * (r->count + 1.0) > v->most) return "it is too small for its columns";
  r->rows = rows;
  int *places = realloc(v->places, ((size_t)r->count + 1) * sizeof *places);
  if (!places) return cli_result_no_memory;
  v->places = places;
  places[r->count] = place;
  char *name = read_text(set, "name"), *unit = read_text(set, "unit");
  struct cli_result_column *c =
      cli_result_add(r, name ? name : "", name ? strlen(name) : 0, unit ? unit : "", v->kind);
  free(name);
  free(unit);
  if (c) c->numbers = calloc((size_t)rows + 1, sizeof(double));
  if (!c || !c->numbers) return cli_result_no_memory;
  if (rows == 0) return NULL;
  return H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->numbers) >= 0
             ? NULL
             : "the numbers of a column cannot be read";
}

/* What an open object is: a column is read, in a group its columns are looked for. */
static herr_t look(hid_t place, const char *name, const H5L_info_t *info, void *user)
{
  struct visit *v = user;
  int column;
  if (info->type != H5L_TYPE_HARD) return 0;
  hid_t object = H5Oopen(place, name, H5P_DEFAULT);
  if (object < 0) return 0;
  const H5I_type_t kind = H5Iget_type(object);
  if (kind == H5I_DATASET && read_place(object, &column)) {
    if (v->depth == 0) v->kind = cli_result_kind(name);
    v->words = add_column(v, object, column);
  } else if (kind == H5I_GROUP && v->depth == 0) {
    hsize_t next = 0;
    v->depth = 1;
    v->kind = cli_result_kind(name);
    H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, &next, look, v);
    v->depth = 0;
  }
  H5Oclose(object);
  return v->words ? 1 : 0;
}

/* Into the order of the columns; there are few enough for the plainest way. */
static void sort(struct cli_result *r, int *places)
{
  for (int i = 1; i < r->count; i++) {
    for (int k = i; k > 0 && places[k] < places[k - 1]; k--) {
      const struct cli_result_column column = r->columns[k];
      const int place = places[k];
      r->columns[k] = r->columns[k - 1], r->columns[k - 1] = column;
      places[k] = places[k - 1], places[k - 1] = place;
    }
  }
}

/* ---- events */

/* A data set of the file's own; negative: there is none. */
static hid_t open_set(hid_t place, const char *name)
{
  hid_t set = H5Dopen2(place, name, H5P_DEFAULT);
  if (set < 0 || is_inside(set)) return set;
  H5Dclose(set);
  return -1;
}

/* A data set of `count` texts of one length, one behind the other with a 0 behind each, to be freed; NULL: it is none. */
static char *read_texts(hid_t place, const char *name, long count, size_t *length)
{
  enum { MOST = 16 * CLI_RESULT_MOST_TEXT };
  char *raw = NULL;
  hid_t set = open_set(place, name);
  if (set < 0) return NULL;
  hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  *length = H5Tget_size(type);
  const bool plain = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                     *length <= MOST / ((size_t)count + 1) &&
                     H5Sget_simple_extent_npoints(space) == count;
  if (plain) raw = calloc((size_t)count + 1, *length);
  if (raw && count > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) < 0) {
    free(raw);
    raw = NULL;
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(set);
  return raw;
}

/* A data set of numbers into x (count); false: it has another size. */
static bool read_row(hid_t place, const char *name, hid_t type, long count, void *x)
{
  hid_t set = open_set(place, name);
  if (set < 0) return false;
  hid_t space = H5Dget_space(set);
  const bool fits = H5Sget_simple_extent_npoints(space) == count;
  const bool read = fits && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0;
  H5Sclose(space);
  H5Dclose(set);
  return read;
}

static long count_of(hid_t place, const char *name)
{
  hid_t set = open_set(place, name);
  if (set < 0) return 0;
  const long count = length_of(set);
  H5Dclose(set);
  return count > 0 && count <= CLI_MOST_KEPT ? count : 0;
}

/* What of the events can be read; their number is at most CLI_MOST_KEPT. */
static bool read_events(hid_t place, struct cli_result *r, long count)
{
  double t[CLI_MOST_KEPT];
  int direction[CLI_MOST_KEPT];
  size_t name_length = 0, kind_length = 0;
  char *names = read_texts(place, "name", count, &name_length);
  char *kinds = read_texts(place, "kind", count, &kind_length);
  const bool there = names && read_row(place, "t", H5T_NATIVE_DOUBLE, count, t) &&
                     read_row(place, "direction", H5T_NATIVE_INT, count, direction);
  bool good = !there || cli_result_take_events(r, count);
  for (long i = 0; there && good && i < count; i++) {
    char kind[16] = "";
    if (kinds && kind_length < sizeof kind)
      memcpy(kind, kinds + (size_t)i * kind_length, kind_length);
    r->events[i] =
        (struct cli_result_event){.name = strndup(names + (size_t)i * name_length, name_length),
                                  .t = t[i],
                                  .direction = direction[i],
                                  .kind = cli_event_kind_of(kind)};
    good = r->events[i].name != NULL;
  }
  free(names);
  free(kinds);
  return good;
}

/* ---- what the file says besides */

static bool read_facts(hid_t file, struct cli_result *r)
{
  bool good = true;
  for (int i = 0; i < CLI_TEXT_COUNT; i++) r->texts[i] = read_text(file, cli_text_names[i]);
  for (int i = 0; i < CLI_FIRST_OF_SUMMARY; i++)
    r->numbers[i] = read_number(file, cli_number_names[i]);
  hid_t place = H5Gopen2(file, "summary", H5P_DEFAULT);
  for (int i = CLI_FIRST_OF_SUMMARY; place >= 0 && i < CLI_NUMBER_COUNT; i++) {
    r->numbers[i] = read_number(place, cli_number_names[i]);
  }
  if (place >= 0) H5Gclose(place);
  place = H5Gopen2(file, "events", H5P_DEFAULT);
  if (place < 0) return true;
  const long count = count_of(place, "t");
  if (count > 0) good = read_events(place, r, count);
  H5Gclose(place);
  return good;
}

struct cli_result_fault cli_result_read_hdf5(struct cli_result *r, const char *path)
{
  struct visit v = {.result = r};
  hsize_t next = 0;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* its own messages are not for the user */
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) {
    return (struct cli_result_fault){"it is not there, is being written, or is no HDF5 file", 0};
  }
  hsize_t size = 0;
  if (H5Fget_filesize(file, &size) >= 0) v.most = MOST_FOR_A_BYTE * (double)size / sizeof(double);
  H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, &next, look, &v);
  if (!v.words) sort(r, v.places);
  if (!v.words && !read_facts(file, r)) v.words = cli_result_no_memory;
  H5Fclose(file);
  free(v.places);
  return (struct cli_result_fault){v.words, 0};
}

#else

struct cli_result_fault cli_result_read_hdf5(struct cli_result *r, const char *path)
{
  (void)r, (void)path;
  return (struct cli_result_fault){"this camber was built without HDF5 (Debian: libhdf5-dev)", 0};
}

#endif
