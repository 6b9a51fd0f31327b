/*
 * Reads a trajectory from an HDF5 file that `camber run` has written (table_hdf5.c): all data sets with the attribute `column`, in the
 * order of its value, in the file itself and in its groups. Called by result.c.
 *
 * The file may come from an untrusted source. A few bytes can declare a data set of any size, and that its numbers are in another file, which
 * may be an endless device: so the size is compared with that of the file, and external data are refused.
 */
#include "cli/cli.h"
#include "cli/result.h"

#ifdef CMB_WITH_HDF5

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The greatest ratio of the size of data to that of their file that HDF5's compression can reach. */
static const double MOST_COMPRESSION = 1032;

/* The data of an iteration over the objects of a file. */
struct visit {
  struct cli_result *result;
  double most;               /* the greatest number of values in a file of this size */
  int *positions;            /* (count) the attribute `column` of each column of the result */
  enum cli_column_kind kind; /* of the columns in the current group */
  int depth;                 /* 0: in the file itself; 1: in a group; deeper groups are ignored */
  const char *words;         /* error message; NULL: none */
};

/* Returns a copy of the string in an attribute of the HDF5 object `of`, to be freed by the caller. Returns NULL if there is no such
 * attribute, if it is not a single string of variable length or is longer than CLI_RESULT_MOST_TEXT bytes, or if memory runs out. */
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

/* Returns the value of an attribute of the HDF5 object `of`; NaN if there is none or it is not a single floating-point number. */
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

/* Reads the attribute `column` of a data set, which is the position of this column in the trajectory, into *position. Returns false if
 * there is no such attribute or it cannot be read as a single integer. */
static bool read_position(hid_t set, int *position)
{
  if (H5Aexists(set, "column") <= 0) return false;
  hid_t attribute = H5Aopen(set, "column", H5P_DEFAULT);
  hid_t space = H5Aget_space(attribute);
  const bool single = H5Sget_simple_extent_npoints(space) == 1;
  const bool read = single && H5Aread(attribute, H5T_NATIVE_INT, position) >= 0;
  H5Sclose(space);
  H5Aclose(attribute);
  return read;
}

/* Returns whether the numbers of a data set are stored in the HDF5 file itself, and not in an external file. */
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

/* Returns the number of elements of a data set; −1 if it is not a one-dimensional array of floating-point numbers, or has 2⁴⁰ elements or
 * more. */
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

/* Reads a data set and appends it to the columns of the result, with name and unit from its attributes. `position`, its place in the
 * trajectory, is stored for sorting. All columns must have the same length. Returns NULL on success, otherwise an error message. */
static const char *add_column(struct visit *v, hid_t set, int position)
{
  struct cli_result *r = v->result;
  const long rows = length_of(set);
  if (rows < 0) return "a column is not a one-dimensional array of numbers";
  if (!is_inside(set)) return "the numbers of a column are in another file";
  if (r->count > 0 && rows != r->rows) return "its columns have different lengths";
  if ((double)rows * (r->count + 1.0) > v->most) return "it is too small for its columns";
  r->rows = rows;
  int *positions = realloc(v->positions, ((size_t)r->count + 1) * sizeof *positions);
  if (!positions) return cli_result_no_memory;
  v->positions = positions;
  positions[r->count] = position;
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

/* Visits the object `name` of an HDF5 group (or file): a data set with the attribute `column` becomes a column of the result, a group directly
 * in the file is visited in turn, and anything else is ignored. A callback of H5Literate, where `user` is a struct visit; returns 0, or 1 after
 * an error to end the iteration. */
static herr_t visit_object(hid_t group_or_file, const char *name, const H5L_info_t *info,
                           void *user)
{
  struct visit *v = user;
  int column;
  if (info->type != H5L_TYPE_HARD) return 0;
  hid_t object = H5Oopen(group_or_file, name, H5P_DEFAULT);
  if (object < 0) return 0;
  const H5I_type_t kind = H5Iget_type(object);
  if (kind == H5I_DATASET && read_position(object, &column)) {
    if (v->depth == 0) v->kind = cli_result_kind(name);
    v->words = add_column(v, object, column);
  } else if (kind == H5I_GROUP && v->depth == 0) {
    hsize_t next = 0;
    v->depth = 1;
    v->kind = cli_result_kind(name);
    H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, &next, visit_object, v);
    v->depth = 0;
  }
  H5Oclose(object);
  return v->words ? 1 : 0;
}

/* Sorts the columns of a result in ascending order of their column indices in the trajectory, given by positions[], one for each column.
 * Sorts positions[] with them. Insertion sort suffices, since there are few columns. */
static void sort_columns(struct cli_result *r, int *positions)
{
  for (int i = 1; i < r->count; i++) {
    for (int k = i; k > 0 && positions[k] < positions[k - 1]; k--) {
      const struct cli_result_column column = r->columns[k];
      const int position = positions[k];
      r->columns[k] = r->columns[k - 1], r->columns[k - 1] = column;
      positions[k] = positions[k - 1], positions[k - 1] = position;
    }
  }
}

/* ---- events */

/* Opens a data set whose numbers are stored in the HDF5 file itself, to be closed by the caller. Returns a negative value if there is
 * none. */
static hid_t open_set(hid_t group_or_file, const char *name)
{
  hid_t set = H5Dopen2(group_or_file, name, H5P_DEFAULT);
  if (set < 0 || is_inside(set)) return set;
  H5Dclose(set);
  return -1;
}

/* Reads the data set `name` of `count` strings with a fixed length, which is stored in *length (in bytes). Returns all strings one after
 * the other in an array to be freed by the caller; NULL if there is no such data set, it has another form or is too large, or memory runs
 * out. */
static char *read_texts(hid_t group_or_file, const char *name, long count, size_t *length)
{
  enum { MOST = 16 * CLI_RESULT_MOST_TEXT };
  char *raw = NULL;
  hid_t set = open_set(group_or_file, name);
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

/* Reads the data set `name` of `count` numbers into the array x, whose elements have the HDF5 type `type`. Returns false if there is no
 * such data set, it has another size, or it cannot be read. */
static bool read_row(hid_t group_or_file, const char *name, hid_t type, long count, void *x)
{
  hid_t set = open_set(group_or_file, name);
  if (set < 0) return false;
  hid_t space = H5Dget_space(set);
  const bool fits = H5Sget_simple_extent_npoints(space) == count;
  const bool read = fits && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0;
  H5Sclose(space);
  H5Dclose(set);
  return read;
}

/* Returns the number of elements of the data set `name`, a one-dimensional array of floating-point numbers; 0 if there is no such data set,
 * or if it has more than CLI_MOST_KEPT elements. */
static long count_of(hid_t group_or_file, const char *name)
{
  hid_t set = open_set(group_or_file, name);
  if (set < 0) return 0;
  const long count = length_of(set);
  H5Dclose(set);
  return count > 0 && count <= CLI_MOST_KEPT ? count : 0;
}

/* Reads `count` events of a run (at most CLI_MOST_KEPT) from the data sets `name`, `t`, `direction` and `kind` of an HDF5 group. Without a
 * valid `kind`, they have the kind CMB_KIND_SWITCH; if one of the others is missing or invalid, no events are read. Returns false if memory
 * runs out. */
static bool read_events(hid_t group_or_file, struct cli_result *r, long count)
{
  double t[CLI_MOST_KEPT];
  int direction[CLI_MOST_KEPT];
  size_t name_length = 0, kind_length = 0;
  char *names = read_texts(group_or_file, "name", count, &name_length);
  char *kinds = read_texts(group_or_file, "kind", count, &kind_length);
  const bool there = names && read_row(group_or_file, "t", H5T_NATIVE_DOUBLE, count, t) &&
                     read_row(group_or_file, "direction", H5T_NATIVE_INT, count, direction);
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

/* ---- other data of the file */

/* Reads the data about the run from an HDF5 result file: the texts and numbers in its attributes, the summary in the group `summary`, and
 * the events. What is missing is set to NULL or NaN. Returns false if there is no memory for the events. */
static bool read_facts(hid_t file, struct cli_result *r)
{
  bool good = true;
  for (int i = 0; i < CLI_TEXT_COUNT; i++) r->texts[i] = read_text(file, cli_text_names[i]);
  for (int i = 0; i < CLI_FIRST_OF_SUMMARY; i++)
    r->numbers[i] = read_number(file, cli_number_names[i]);
  hid_t group = H5Gopen2(file, "summary", H5P_DEFAULT);
  for (int i = CLI_FIRST_OF_SUMMARY; group >= 0 && i < CLI_NUMBER_COUNT; i++) {
    r->numbers[i] = read_number(group, cli_number_names[i]);
  }
  if (group >= 0) H5Gclose(group);
  group = H5Gopen2(file, "events", H5P_DEFAULT);
  if (group < 0) return true;
  const long count = count_of(group, "t");
  if (count > 0) good = read_events(group, r, count);
  H5Gclose(group);
  return good;
}

struct cli_result_fault cli_result_read_hdf5(struct cli_result *r, const char *path)
{
  struct visit v = {.result = r};
  hsize_t next = 0;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* suppresses error messages of the library */
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) {
    return (struct cli_result_fault){.words =
                                         "it does not exist, is being written, or is no HDF5 file"};
  }
  hsize_t size = 0;
  if (H5Fget_filesize(file, &size) >= 0) v.most = MOST_COMPRESSION * (double)size / sizeof(double);
  H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, &next, visit_object, &v);
  if (!v.words) sort_columns(r, v.positions);
  if (!v.words && !read_facts(file, r)) v.words = cli_result_no_memory;
  H5Fclose(file);
  free(v.positions);
  return (struct cli_result_fault){.words = v.words};
}

#else

struct cli_result_fault cli_result_read_hdf5(struct cli_result *r, const char *path)
{
  (void)r, (void)path;
  return (struct cli_result_fault){.words =
                                       "this camber was built without HDF5 (Debian: libhdf5-dev)"};
}

#endif
