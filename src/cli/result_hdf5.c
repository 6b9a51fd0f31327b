/*
 * A trajectory from an HDF5 file that `camber run` has written (table_hdf5.c): every data set with the attribute `column`, in the order
 * that this gives, in the file itself and in its groups.
 */
#include "cli/result.h"

#ifdef CMB_WITH_HDF5

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct visit {
  struct cli_result *result;
  int *places; /* `column` of each column */
  bool is_output;
  int depth;         /* 0: in the file itself; 1: in one of its groups, which has no others */
  const char *words; /* of what is wrong */
};

enum { TEXT_ROOM = 512 };

/* An attribute's text; "" if there is none. */
static void read_text(hid_t of, const char *name, char text[TEXT_ROOM])
{
  char *found = NULL;
  text[0] = '\0';
  if (H5Aexists(of, name) <= 0) return;
  hid_t attribute = H5Aopen(of, name, H5P_DEFAULT);
  hid_t type = H5Aget_type(attribute);
  if (H5Tis_variable_str(type) > 0 && H5Aget_storage_size(attribute) > 0 &&
      H5Aread(attribute, type, &found) >= 0 && found) {
    snprintf(text, TEXT_ROOM, "%s", found);
    H5free_memory(found);
  }
  H5Tclose(type);
  H5Aclose(attribute);
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
  char name[TEXT_ROOM], unit[TEXT_ROOM];
  const long rows = length_of(set);
  if (rows < 0) return "a column is no row of numbers";
  if (r->count > 0 && rows != r->rows) return "its columns have different lengths";
  r->rows = rows;
  read_text(set, "name", name);
  read_text(set, "unit", unit);
  int *places = realloc(v->places, ((size_t)r->count + 1) * sizeof *places);
  if (!places) return cli_result_no_memory;
  v->places = places;
  places[r->count] = place;
  struct cli_result_column *c = cli_result_add(r, name, strlen(name), unit, v->is_output);
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
    v->words = add_column(v, object, column);
  } else if (kind == H5I_GROUP && v->depth == 0) {
    hsize_t next = 0;
    v->depth = 1;
    v->is_output = strcmp(name, "outputs") == 0;
    H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, &next, look, v);
    v->depth = 0;
    v->is_output = false;
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

static void read_label(hid_t file, struct cli_result *r)
{
  char model[TEXT_ROOM], method[TEXT_ROOM], title[TEXT_ROOM], label[2 * TEXT_ROOM + 2] = "";
  read_text(file, "title", title);
  read_text(file, "model", model);
  read_text(file, "method", method);
  if (model[0]) snprintf(label, sizeof label, "%s, %s", model, method);
  r->title = strdup(title);
  r->label = strdup(label);
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
  H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, &next, look, &v);
  if (!v.words) sort(r, v.places);
  read_label(file, r);
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
