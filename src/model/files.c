/*
 * Files that make up a model (reader.h). A file that a model names is looked for beside the file that names it, and must lie
 * in the folder of the model or below: the path is walked folder by folder, without following links, so that nothing
 * outside can be reached unless the options allow it. Only plain files are opened, none larger than 16 MB.
 */
#include "base/context.h"
#include "base/file.h"
#include "model/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  MOST_BYTES_READ = 64 << 20,
  BYTES_A_FILE = 4096
}; /* many small files are too many as well */

/* ---- text */

/* Length of the character in UTF-8 at text, of which `left` bytes remain; 0 if it is none or a control character. */
static size_t character(const unsigned char *text, size_t left)
{
  unsigned char c = text[0];
  if (c < 0x80) return c >= ' ' ? c != 0x7F : c == '\n' || c == '\r' || c == '\t';
  size_t length = c >= 0xF5 || c < 0xC2 ? 0 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
  if (length > left) return 0;
  for (size_t i = 1; i < length; i++) {
    if ((text[i] & 0xC0) != 0x80) return 0;
  }
  bool overlong = (c == 0xE0 && text[1] < 0xA0) || (c == 0xF0 && text[1] < 0x90);
  bool no_character = (c == 0xED && text[1] > 0x9F) || (c == 0xF4 && text[1] > 0x8F);
  return overlong || no_character ? 0 : length;
}

cmb_status cmb_check_text(cmb_context *ctx, const char *text, size_t length, cmb_place at)
{
  for (size_t i = 0; i < length;) {
    size_t step = character((const unsigned char *)text + i, length - i);
    if (step == 0) {
      return cmb_fail_at(ctx, at, "byte 0x%02X is not text; expected UTF-8",
                         (unsigned)(unsigned char)text[i]);
    }
    at.column = text[i] == '\n' ? 1 : at.column + 1;
    at.line += text[i] == '\n';
    i += step;
  }
  return CMB_OK;
}

/* ---- files */

static const char *reason(int error)
{
  if (error == EFBIG) return "it is larger than 16 MB";
  return error == EINVAL ? "it is no plain file" : strerror(error);
}

/* The bytes of an open file, which is closed. False and errno on failure. */
static bool read_and_close(cmb_context *ctx, int file, char **text, size_t *length)
{
  struct stat there;
  void *bytes = NULL;
  bool done = fstat(file, &there) == 0;
  if (done && !S_ISREG(there.st_mode)) {
    errno = S_ISDIR(there.st_mode) ? EISDIR : EINVAL;
    done = false;
  }
  done = done && cmb_read_all(ctx, file, CMB_MOST_BYTES, &bytes, length);
  int error = errno;
  close(file);
  errno = error;
  *text = bytes;
  return done;
}

cmb_status cmb_load_main(cmb_context *ctx, const char *path, char **text, size_t *length)
{
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file >= 0 && read_and_close(ctx, file, text, length)) return CMB_OK;
  if (errno == ENOMEM) return cmb_fail_memory(ctx);
  if (errno == EFBIG) {
    return cmb_fail_at(ctx, cmb_place_in(path, 1, 1), "the file is larger than %d MB",
                       CMB_MOST_BYTES >> 20);
  }
  return cmb_fail_about(ctx, CMB_ERROR_IO, cmb_about_file(path), "%s: cannot be read: %s", path,
                        reason(errno));
}

/* Length of the folder's part of a path, with the last slash. */
static size_t folder_length(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* `inside` := the path seen from the model's folder, without "." and ".."; false if it leads out of it. */
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

/* Opens root/inside, folder by folder. -1 and errno on failure. */
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

/* root (a folder with its slash, or "") and file, as one path. */
static char *joined(cmb_arena *arena, const char *root, size_t root_length, const char *file)
{
  size_t room = root_length + strlen(file) + 1;
  char *path = cmb_arena_take(arena, room, 1);
  if (path) snprintf(path, room, "%.*s%s", (int)root_length, root, file);
  return path;
}

/* The path of the file as messages call it, and an open file, or -1 and errno. */
static cmb_status open_beside(cmb_reader *r, const cmb_node *node, const char **name, int *file)
{
  char shown[CMB_SHOWN_ROOM];
  const char *from = node->place.file, *path = r->model->path;
  size_t root = folder_length(path);
  if (r->options && r->options->include_anywhere) {
    size_t folder = node->text[0] == '/' ? 0 : folder_length(from);
    *name = joined(r->model->arena, from, folder, node->text);
    if (!*name) return cmb_fail_memory(r->ctx);
    *file = open(*name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return CMB_OK;
  }
  char *whole = joined(r->scratch, from + root, folder_length(from) - root, node->text);
  char *inside = cmb_arena_take(r->scratch, strlen(from) + strlen(node->text) + 2, 1);
  char *folder = joined(r->scratch, path, root, "");
  if (cmb_arena_failed(r->scratch)) return cmb_fail_memory(r->ctx);
  if (node->text[0] == '/' || !simplify(whole, inside)) {
    return cmb_reader_fail(r, node->place,
                           "'%s' lies outside of the model's folder; expected a file in it",
                           cmb_shown(node->text, shown));
  }
  *name = joined(r->model->arena, path, root, inside);
  if (!*name) return cmb_fail_memory(r->ctx);
  *file = open_inside(folder, inside);
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

cmb_status cmb_load_beside(cmb_reader *r, const cmb_node *node, const char **name,
                           const char **text, size_t *length)
{
  int file = -1;
  char shown[CMB_SHOWN_ROOM], *bytes;
  CMB_TRY(cmb_expect_text(r, node, "a file's name"));
  CMB_TRY(open_beside(r, node, name, &file));
  if (file < 0 || !read_and_close(r->ctx, file, &bytes, length)) {
    if (errno == ENOMEM) return cmb_fail_memory(r->ctx);
    return cmb_reader_fail(r, node->place, "the file '%s' cannot be read: %s",
                           cmb_shown(node->text, shown),
                           errno == ELOOP ? "it is a link" : reason(errno));
  }
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
  CMB_TRY(remember_file(r, *name));
  return cmb_check_text(r->ctx, copy, *length, cmb_place_in(*name, 1, 1));
}
