/*
 * Fuzz target: HDF5 files of results. The input describes the contents of a file: data sets and attributes with the names that camber run uses and others, of any
 * type, rank and size, filled or not, in groups, in other files, under several names. The HDF5 library writes the file. Camber's reader then returns either an error
 * message or columns whose lengths all equal the number of rows.
 *
 * If the input begins with 'r', the bytes after it are the file. The seeds contain no such input, because this target does not test how the HDF5 library handles
 * damaged files.
 */
#include "seen_result.h"

#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
  MOST_OBJECTS = 24,
  MOST_FILLED = 64,
  OPENED = H5F_OBJ_FILE | H5F_OBJ_DATASET | H5F_OBJ_GROUP | H5F_OBJ_ATTR
};

/* The rest of the input; its bytes are 0 after the end. */
struct input {
  const uint8_t *at, *end;
};

static unsigned take(struct input *in, unsigned below)
{
  return in->at < in->end ? *in->at++ % below : 0;
}

#define PICK(in, list) (list)[take(in, sizeof(list) / sizeof *(list))]

/* The file that is being written. */
struct made {
  hid_t file, place, last; /* the current group; the object that gets attributes */
};

/* ---- types and values */

/* Returns a new type, which the caller closes. */
static hid_t pick_type(struct input *in)
{
  const hid_t numbers[] = {H5T_IEEE_F64LE, H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_STD_I32LE,
                           H5T_STD_U8LE};
  const unsigned which = take(in, 9);
  if (which < 5) return H5Tcopy(numbers[which]);
  if (which == 5) return H5Tcreate(H5T_OPAQUE, 1 + take(in, 20));
  if (which == 6) return H5Tvlen_create(H5T_IEEE_F64LE);
  hid_t text = H5Tcopy(H5T_C_S1);
  static const size_t lengths[] = {1, 8, 15, 16, 17, 300, 65536, 1 << 21, (size_t)1 << 31};
  H5Tset_size(text, which == 7 ? H5T_VARIABLE : PICK(in, lengths));
  return text;
}

static hid_t pick_space(struct input *in, hsize_t *count)
{
  static const hsize_t sizes[] = {
      1, 2, 3, 0, 10000, 10001, 1 << 20, (hsize_t)1 << 31, (hsize_t)1 << 39, (hsize_t)1 << 41};
  const unsigned rank = take(in, 4); /* 0, 1 or 2; 3 stands for 1 */
  const hsize_t size[2] = {PICK(in, sizes), rank == 2 ? PICK(in, sizes) : 1};
  *count = rank == 0 ? 1 : size[0] <= MOST_FILLED ? size[0] * size[1] : MOST_FILLED + 1;
  if (rank == 0) return H5Screate(H5S_SCALAR);
  return H5Screate_simple(rank == 2 ? 2 : 1, size, NULL);
}

/* Fills `values` with bytes of the input; elements that are texts of variable length point into one constant text. */
static void fill(struct input *in, hid_t type, size_t size, void *values)
{
  static char text[] = "--formulation=explicit\n--set=a=1";
  unsigned char *to = values;
  if (H5Tis_variable_str(type) > 0) {
    for (size_t i = 0; i < size / sizeof(char *); i++) ((char **)values)[i] = text + take(in, 30);
    return;
  }
  for (size_t i = 0; i < size; i++) to[i] = (unsigned char)take(in, 256);
}

/* ---- objects */

static void add_attribute(struct made *m, struct input *in)
{
  static const char *const names[] = {"column",  "column", "name",  "unit", "arguments",
                                      "picture", "rtol",   "t_end", "step", "warnings"};
  hsize_t count;
  const char *name = PICK(in, names);
  hid_t type = pick_type(in), space = pick_space(in, &count);
  hid_t a = H5Acreate2(m->last, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const size_t size = (size_t)count * H5Tget_size(type);
  if (a >= 0 && count <= MOST_FILLED && size <= 4096 && H5Tget_class(type) != H5T_VLEN) {
    void *values = calloc(1, size + 1);
    require(values != NULL);
    fill(in, type, size, values);
    H5Awrite(a, type, values);
    free(values);
  }
  if (a >= 0) H5Aclose(a);
  H5Sclose(space);
  H5Tclose(type);
}

static hid_t pick_layout(struct input *in)
{
  hid_t made = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk[2] = {1 + take(in, 8), 1};
  switch (take(in, 6)) {
  case 1: H5Pset_chunk(made, 1, chunk); break;
  case 2: H5Pset_chunk(made, 2, chunk); break;
  case 3: H5Pset_layout(made, H5D_COMPACT); break;
  case 4: H5Pset_external(made, "/dev/zero", 0, H5F_UNLIMITED); break;
  default: break;
  }
  return made;
}

static void keep_last(struct made *m, hid_t object)
{
  if (object < 0) return;
  if (m->last != m->file) H5Oclose(m->last);
  m->last = object;
}

static void add_set(struct made *m, struct input *in)
{
  static const char *const names[] = {"t", "a", "name", "kind", "direction", "b", "q"};
  hsize_t count;
  const char *name = PICK(in, names);
  hid_t type = pick_type(in), space = pick_space(in, &count), layout = pick_layout(in);
  hid_t set = H5Dcreate2(m->place, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  const size_t size = (size_t)count * H5Tget_size(type);
  H5Pclose(layout);
  const bool filled = take(in, 4) > 0 && count <= MOST_FILLED && size <= 4096;
  if (set >= 0 && filled && H5Tget_class(type) != H5T_VLEN) {
    hid_t made = H5Dget_create_plist(set);
    void *values = calloc(1, size + 1);
    require(values != NULL);
    fill(in, type, size, values);
    if (H5Pget_external_count(made) == 0) {
      H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    free(values);
    H5Pclose(made);
  }
  H5Sclose(space);
  H5Tclose(type);
  keep_last(m, set);
}

/* Makes a group, an existing or a new one, the current group. */
static void enter_group(struct made *m, struct input *in)
{
  static const char *const names[] = {"/", "q", "v", "outputs", "events", "summary", "other", "t"};
  const char *name = PICK(in, names);
  if (m->place != m->file) H5Gclose(m->place);
  m->place = m->file;
  hid_t group = H5Lexists(m->file, name, H5P_DEFAULT) > 0
                    ? H5Gopen2(m->file, name, H5P_DEFAULT)
                    : H5Gcreate2(m->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group >= 0) m->place = group;
}

static void add_link(struct made *m, struct input *in)
{
  static const char *const names[] = {"x", "y", "t", "name"};
  const char *name = PICK(in, names);
  switch (take(in, 4)) {
  case 0: H5Olink(m->last, m->place, name, H5P_DEFAULT, H5P_DEFAULT); break;
  case 1: H5Lcreate_soft("/q", m->place, name, H5P_DEFAULT, H5P_DEFAULT); break;
  case 2: H5Lcreate_hard(m->file, "/", m->place, name, H5P_DEFAULT, H5P_DEFAULT); break;
  default: H5Lcreate_external("/dev/zero", "/t", m->place, name, H5P_DEFAULT, H5P_DEFAULT);
  }
}

/* Writes a valid column of a trajectory, so that the reader gets beyond the first check. */
static void add_column(struct made *m, struct input *in)
{
  static const char *const names[] = {"t", "a", "b", "c"};
  const hsize_t count = take(in, 5);
  const int place = (int)take(in, 6);
  const double numbers[4] = {0, 1, 2, 3};
  hid_t space = H5Screate_simple(1, &count, NULL), scalar = H5Screate(H5S_SCALAR);
  hid_t set = H5Dcreate2(m->place, PICK(in, names), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT,
                         H5P_DEFAULT);
  if (set >= 0) {
    hid_t a = H5Acreate2(set, "column", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT);
    if (count > 0) H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
    H5Awrite(a, H5T_NATIVE_INT, &place);
    H5Aclose(a);
  }
  H5Sclose(scalar);
  H5Sclose(space);
  keep_last(m, set);
}

static void make_file(const char *path, struct input *in)
{
  static void (*const parts[])(struct made *, struct input *) = {add_column, add_attribute, add_set,
                                                                 enter_group, add_link};
  struct made m;
  m.file = m.place = m.last = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  require(m.file >= 0);
  for (int i = 0; i < MOST_OBJECTS && in->at < in->end; i++) PICK(in, parts)(&m, in);
  if (m.last != m.file) H5Oclose(m.last);
  if (m.place != m.file) H5Gclose(m.place);
  require(H5Fclose(m.file) >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct input in = {data, data + size};
  struct cli_result result;
  const char *folder = getenv("TMPDIR");
  char path[256]; /* HDF5 takes no file without a name */
  volatile double seen = 0;
  snprintf(path, sizeof path, "%s/camber-fuzz-XXXXXX", folder ? folder : "/tmp");
  const int file = mkstemp(path);
  require(file >= 0);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  if (size > 0 && data[0] == 'r')
    require(write(file, data + 1, size - 1) == (ssize_t)size - 1);
  else
    make_file(path, &in);
  cli_result_begin(&result, path);
  const struct cli_result_fault fault = cli_result_read_hdf5(&result, path);
  if (!fault.words) seen = look_at(&result);
  (void)seen;
  cli_result_end(&result);
  require(H5Fget_obj_count(H5F_OBJ_ALL, OPENED) == 0); /* no object stays open */
  close(file);
  unlink(path);
  return 0;
}
