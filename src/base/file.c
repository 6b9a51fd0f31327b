/*
 * Whole files: comparing paths, reading, writing and removing (file.h).
 */
#include "base/file.h"

#include "base/context.h"
#include "base/output.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cmb_same_file(const char *one, const char *other)
{
  struct stat a, b;
  return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Splits a path into its folder, written to `folder` as an absolute path with all links resolved, and the file's name in that folder, *name,
 * which points into `path`. Returns false if the folder does not exist or cannot be resolved. */
static bool resolve(const char *path, char folder[PATH_MAX], const char **name)
{
  char before[PATH_MAX] = ".";
  const char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  if (slash) {
    const size_t length = slash == path ? 1 : (size_t)(slash - path);
    if (length >= sizeof before) return false;
    memcpy(before, path, length);
    before[length] = '\0';
  }
  return realpath(before, folder) != NULL;
}

bool cmb_same_place(const char *one, const char *other)
{
  char folder[PATH_MAX], other_folder[PATH_MAX];
  const char *name, *other_name;
  if (cmb_same_file(one, other)) return true;
  return resolve(one, folder, &name) && resolve(other, other_folder, &other_name) &&
         strcmp(folder, other_folder) == 0 && strcmp(name, other_name) == 0;
}

bool cmb_whole_path(const char *path, size_t room, char *whole)
{
  char found[PATH_MAX];
  if (!realpath(path, found) || strlen(found) >= room) return false;
  memcpy(whole, found, strlen(found) + 1);
  return true;
}

bool cmb_write_all(int file, const void *bytes, size_t length)
{
  const char *from = bytes;
  while (length > 0) {
    ssize_t n = write(file, from, length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    from += n;
    length -= (size_t)n;
  }
  return true;
}

/* Reads an open file into new memory *bytes and stores the number of bytes read in *length. Returns false with errno set on failure, EFBIG if
 * the file is longer than `limit`. Requests one byte more than the file's present size, so that *length exceeds this size if the file grows
 * meanwhile. */
bool cmb_read_all(cmb_context *ctx, int file, size_t limit, void **bytes, size_t *length)
{
  struct stat there;
  if (fstat(file, &there) != 0) return false;
  if (there.st_size < 0 || (size_t)there.st_size > limit) {
    errno = EFBIG;
    return false;
  }
  size_t room = (size_t)there.st_size + 1, done = 0;
  char *to = cmb_allocate(ctx, room);
  if (!to) {
    errno = ENOMEM;
    return false;
  }
  while (done < room) {
    ssize_t n = read(file, to + done, room - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      int reason = errno;
      cmb_release(ctx, to);
      errno = reason;
      return false;
    }
    if (n == 0) break;
    done += (size_t)n;
  }
  *bytes = to;
  *length = done;
  return true;
}

cmb_status cmb_file_save(cmb_context *ctx, const char *path, const void *bytes, size_t length)
{
  cmb_output *o;
  CMB_TRY(cmb_output_open(ctx, path, &o));
  cmb_status status = cmb_output_add(o, bytes, length);
  if (status == CMB_OK) status = cmb_output_sync(o);
  if (status == CMB_OK) return cmb_output_finish(o);
  cmb_output_discard(o);
  return status;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
  (void)about;
  (void)kind;
  (void)where;
  return remove(path);
}

void cmb_remove_folder(const char *path)
{
  nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
