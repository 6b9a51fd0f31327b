/*
 * Opens and reads the files that make up a model; called by the readers of sections (reader.h). A file that a model names is looked for in
 * the directory of the file that names it, and must be in the directory of the model or below: the path is walked directory by directory,
 * without following symbolic links, so that nothing outside can be reached unless the options allow it. If a file to be included does not
 * exist there, it is looked for in the library of parts, if there is one, by the same rules. Only regular files are read, none larger than
 * 16 MB.
 */
#include "base/context.h"
#include "base/file.h"
#include "base/text.h"
#include "model/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  MOST_BYTES_READ = 64 << 20,
  BYTES_A_FILE = 4096
}; /* added to the size of each file: limits the number of small files, too */

/* ---- files */

/* Returns the length of the directory part of a path, including the last slash; 0 if there is no slash. */
static size_t folder_length(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Copies a path without its components "." and ".." into `inside`, which needs strlen(path) + 1 characters. Returns false if the path leads
 * out of the directory in which it begins, or if nothing remains of it. */
static bool simplify(const char *path, char *inside)
{
  size_t length = 0;
  while (*path) {
    size_t part = strcspn(path, "/");
    if (part == 2 && path[0] == '.' && path[1] == '.') {
      if (length == 0) return false;
      inside[length - 1] = '\0';
      length = folder_length(inside);
    } else if (part > 1 || (part == 1 && path[0] != '.')) {
      memcpy(inside + length, path, part);
      inside[length + part] = '/';
      length += part + 1;
    }
    path += part + (path[part] == '/');
  }
  if (length == 0) return false;
  inside[length - 1] = '\0';
  return true;
}

/* Opens the file root/inside for reading, directory by directory, without following symbolic links below root. Returns the file descriptor,
 * or -1 with errno set. `inside` is unchanged on return. */
static int open_inside(const char *root, char *inside)
{
  int folder = open(root[0] ? root : ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  for (char *part = inside; folder >= 0;) {
    char *slash = strchr(part, '/');
    if (slash) *slash = '\0';
    int flags =
        O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | (slash ? O_DIRECTORY : 0);
    int next = openat(folder, part, flags), error = errno;
    close(folder);
    errno = error;
    if (slash) *slash = '/';
    if (!slash || next < 0) return next;
    folder = next;
    part = slash + 1;
  }
  return -1;
}

/* Returns, on the arena, the first root_length characters of `root` (a directory with its slash, or nothing) followed by `file`; NULL if
 * out of memory. */
static char *joined(cmb_arena *arena, const char *root, size_t root_length, const char *file)
{
  size_t room = root_length + strlen(file) + 1;
  char *path = cmb_arena_take(arena, room, 1);
  if (path) snprintf(path, room, "%.*s%s", (int)root_length, root, file);
  return path;
}

/* Finds the directory that must contain all files named in the file `from`: the library of parts if `from` is in it, else the directory of
 * the model. Returns a path that begins with this directory, and its length with the slash in *length. */
static const char *root_of(const cmb_reader *r, const char *from, size_t *length)
{
  const char *library = r->options ? r->options->library : NULL;
  const size_t room = library ? strlen(library) : 0;
  const bool own = room > 0 && strncmp(from, library, room) == 0 && from[room] == '/';
  *length = own ? room + 1 : folder_length(r->model->path);
  return own ? from : r->model->path;
}

/* Opens the file `text`, which a node of a model file names, relative to the directory of that file (for the text of the option `addition`,
 * that of the model). Sets *name to its path for messages and
 * *file to its descriptor, or to -1 with errno set. A path outside of the model's directory or, in a file of the library of parts, outside of
 * the library is an error unless the options allow it. */
static cmb_status open_beside(cmb_reader *r, const cmb_node *node, const char *text,
                              const char **name, int *file)
{
  char shown[CMB_SHOWN_ROOM];
  size_t root;
  const char *from = cmb_is_addition(node->place.file) ? r->model->path : node->place.file;
  const char *path = root_of(r, from, &root);
  if (r->options && r->options->include_anywhere) {
    size_t folder = text[0] == '/' ? 0 : folder_length(from);
    *name = joined(r->model->arena, from, folder, text);
    if (!*name) return cmb_fail_memory(r->ctx);
    *file = open(*name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return CMB_OK;
  }
  char *whole = joined(r->scratch, from + root, folder_length(from) - root, text);
  char *inside = cmb_arena_take(r->scratch, strlen(from) + strlen(text) + 2, 1);
  char *folder = joined(r->scratch, path, root, "");
  if (cmb_arena_failed(r->scratch)) return cmb_fail_memory(r->ctx);
  if (text[0] == '/' || !simplify(whole, inside)) {
    return cmb_reader_fail(
        r, node->place,
        "'%s' is an absolute path or leads out of the model's folder; expected a path inside of it",
        cmb_shown(node->text, shown));
  }
  *name = joined(r->model->arena, path, root, inside);
  if (!*name) return cmb_fail_memory(r->ctx);
  *file = open_inside(folder, inside);
  return CMB_OK;
}

/* Opens the file `text` in the library of parts. Sets *name to its path for messages and *file to its descriptor, or to -1 with errno set.
 * A path that leads out of the library counts as a missing file, and leaves *name unchanged. */
static cmb_status open_in_library(cmb_reader *r, const char *text, const char **name, int *file)
{
  const char *library = r->options->library;
  char *inside = cmb_arena_take(r->scratch, strlen(text) + 2, 1);
  char *folder = joined(r->model->arena, library, strlen(library), "/");
  if (!inside || !folder) return cmb_fail_memory(r->ctx);
  *file = -1;
  errno = ENOENT;
  if (!simplify(text, inside)) return CMB_OK;
  *name = joined(r->model->arena, folder, strlen(folder), inside);
  if (!*name) return cmb_fail_memory(r->ctx);
  *file = open_inside(folder, inside);
  return CMB_OK;
}

/* Returns whether an included file, just opened as *file, has to be searched for elsewhere: it does not exist or is a directory. A directory is
 * closed, with *file set to -1 and *folder to true. */
static bool look_elsewhere(int *file, bool *folder)
{
  struct stat there;
  if (*file >= 0 && fstat(*file, &there) == 0 && S_ISDIR(there.st_mode)) {
    close(*file);
    *file = -1;
    *folder = true;
    return true;
  }
  return *file < 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* Opens a file to be included: relative to the directory of the file that names it, else in the library of parts. If its name has no
 * extension, such as `axle`, axle.yaml is tried in each place, too. Sets *name to its path for messages and *file to its descriptor, or to
 * -1 with errno set. */
static cmb_status open_included(cmb_reader *r, const cmb_node *node, const char **name, int *file)
{
  bool folder = false;
  const size_t length = strlen(node->text);
  const char *texts[2] = {node->text, joined(r->scratch, node->text, length, ".yaml")};
  const int count = strchr(node->text + folder_length(node->text), '.') ? 1 : 2;
  if (!texts[1]) return cmb_fail_memory(r->ctx);
  *file = -1;
  for (int i = 0; i < count; i++) {
    CMB_TRY(open_beside(r, node, texts[i], name, file));
    if (!look_elsewhere(file, &folder)) return CMB_OK;
  }
  for (int i = 0; i < count && r->options && r->options->library; i++) {
    CMB_TRY(open_in_library(r, texts[i], name, file));
    if (!look_elsewhere(file, &folder)) return CMB_OK;
  }
  if (folder) errno = EISDIR;
  return CMB_OK;
}

static cmb_status remember_file(cmb_reader *r, const char *path)
{
  cmb_model *m = r->model;
  cmb_model_file *file = cmb_arena_take(m->arena, 1, sizeof *file);
  if (!file) return cmb_fail_memory(r->ctx);
  *file = (cmb_model_file){path, m->files};
  m->files = file;
  return CMB_OK;
}

bool cmb_model_reads(const cmb_model *model, const char *path)
{
  if (!model || !path) return false;
  bool found = model->place.line > 0 && cmb_same_file(model->path, path);
  for (const cmb_model_file *f = model->files; f && !found; f = f->next) {
    found = cmb_same_file(f->path, path);
  }
  return found;
}

/* Searches the library of parts, in the subdirectory that `text` names, for the .yaml file whose name is most similar to `text`, among the
 * first MOST_FILES, and writes its path without the extension into `near`. Returns false if none is similar, or `text` names no
 * subdirectory or leads out of the library. */
static bool nearest_in_library(cmb_reader *r, const char *text, char near[CMB_SHOWN_ROOM])
{
  enum { MOST_FILES = 200 };
  const char *library = r->options ? r->options->library : NULL, *names[MOST_FILES];
  const size_t folder = folder_length(text);
  char *inside = cmb_arena_take(r->scratch, strlen(text) + 2, 1);
  if (!inside || !simplify(text, inside)) return false;
  char *path = library ? joined(r->scratch, library, strlen(library), "/") : NULL;
  path = path ? joined(r->scratch, path, strlen(path), text) : NULL;
  if (!path || folder == 0) return false;
  path[strlen(path) - strlen(text) + folder] = '\0';
  DIR *dir = opendir(path);
  int count = 0;
  for (struct dirent *entry; dir && count < MOST_FILES && (entry = readdir(dir));) {
    char *name = cmb_arena_text(r->scratch, entry->d_name), *end = name ? strrchr(name, '.') : NULL;
    if (!end || strcmp(end, ".yaml") != 0) continue;
    *end = '\0';
    names[count++] = name;
  }
  if (dir) closedir(dir);
  const char *found = cmb_nearest_name(text + folder, names, count, sizeof *names);
  if (found) snprintf(near, CMB_SHOWN_ROOM, "%.*s%s", (int)folder, text, found);
  return found != NULL;
}

static cmb_status fail_file(cmb_reader *r, const cmb_node *node, bool included, int error)
{
  char shown[CMB_SHOWN_ROOM], near[CMB_SHOWN_ROOM];
  if (error == ENOMEM) return cmb_fail_memory(r->ctx);
  const bool known = included && error == ENOENT && nearest_in_library(r, node->text, near);
  return cmb_reader_fail(
      r, node->place, "the file '%s' cannot be read: %s%s%s%s", cmb_shown(node->text, shown),
      error == ELOOP ? "it is a link, which is not followed" : cmb_reading_error(error),
      known ? "; did you mean '" : "", known ? near : "", known ? "'?" : "");
}

/* Reads the open file `file`, which a node names, into *text (*length bytes on the scratch arena), closes it and records its path `name` in
 * the model. It is an error if file is -1 (with the reason in errno), if it cannot be read, or if all files together are too large; if
 * `included`, the message can suggest a file of the library. */
static cmb_status take_file(cmb_reader *r, const cmb_node *node, bool included, int file,
                            const char *name, const char **text, size_t *length)
{
  char *bytes;
  if (file < 0 || !cmb_read_and_close(r->ctx, file, &bytes, length))
    return fail_file(r, node, included, errno);
  char *copy = cmb_arena_take(r->scratch, *length + 1, 1);
  r->bytes_read += *length + BYTES_A_FILE;
  if (copy) memcpy(copy, bytes, *length);
  cmb_release(r->ctx, bytes);
  if (!copy) return cmb_fail_memory(r->ctx);
  *text = copy;
  if (r->bytes_read > MOST_BYTES_READ) {
    return cmb_reader_fail(r, node->place, "the files of the model are larger than %d MB together",
                           MOST_BYTES_READ >> 20);
  }
  return remember_file(r, name);
}

cmb_status cmb_load_bytes_beside(cmb_reader *r, const cmb_node *node, const char **name,
                                 const char **bytes, size_t *length)
{
  int file = -1;
  CMB_TRY(cmb_expect_text(r, node, "a file's name"));
  CMB_TRY(open_beside(r, node, node->text, name, &file));
  return take_file(r, node, false, file, *name, bytes, length);
}

cmb_status cmb_load_beside(cmb_reader *r, const cmb_node *node, const char **name,
                           const char **text, size_t *length)
{
  CMB_TRY(cmb_load_bytes_beside(r, node, name, text, length));
  return cmb_check_text(r->ctx, *text, *length, cmb_about_place(*name, 1, 1));
}

cmb_status cmb_load_included(cmb_reader *r, const cmb_node *node, const char **name,
                             const char **text, size_t *length)
{
  int file = -1;
  CMB_TRY(cmb_expect_text(r, node, "a file's name"));
  CMB_TRY(open_included(r, node, name, &file));
  CMB_TRY(take_file(r, node, true, file, *name, text, length));
  return cmb_check_text(r->ctx, *text, *length, cmb_about_place(*name, 1, 1));
}
