/*
 * Output files: written as a partial file in the same folder and renamed when they are complete (output.h).
 *
 * The process that writes a partial file holds a lock on it (flock), which the kernel releases when the process ends, in whatever way. So a
 * locked partial file is being written, and an unlocked one was left behind. On file systems without locks two runs cannot be told apart:
 * each has a partial file of its own, and the run that finishes last determines the result.
 */
#include "base/output.h"

#include "base/context.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAMES = 1000, ENDING_ROOM = 32 };

static const char DRAFT_ENDING[] = ".XXXXXX";

struct cmb_output {
  cmb_context *ctx;
  int file;
  int reason;        /* errno of the first failure, or 0 */
  const char *shown; /* PATH as the user wrote it */
  const char *path;  /* the file that is replaced: PATH, or the end of its chain of links */
  char *partial;
  char *draft;  /* "" if there is none */
  char texts[]; /* memory of the four texts */
};

static cmb_status refuse(cmb_context *ctx, const char *path, const char *reason)
{
  return cmb_fail_about(ctx, CMB_ERROR_IO, cmb_about_file(path), "cannot write '%s': %s", path,
                        reason);
}

static cmb_status fail(cmb_output *o)
{
  return refuse(o->ctx, o->shown, strerror(errno));
}

/* ---- the target */

/* Returns the reason, for an error message, why something with this file mode (a folder, a pipe, a device) cannot be replaced by a file. */
static const char *why_not_plain(mode_t mode)
{
  if (S_ISDIR(mode)) return strerror(EISDIR);
  if (S_ISFIFO(mode)) return "it is a pipe; expected the name of a plain file";
  return "it is no plain file; expected the name of one";
}

/* Writes to `target` the path of the file that `path` leads to if it is a link, and "" otherwise. Fails with a message if `path` exists and
 * does not lead to a writable plain file. */
static cmb_status resolve_link(cmb_context *ctx, const char *path, char target[PATH_MAX])
{
  struct stat there;
  target[0] = '\0';
  if (lstat(path, &there) != 0) {
    return errno == ENOENT ? CMB_OK : refuse(ctx, path, strerror(errno));
  }
  const bool link = S_ISLNK(there.st_mode);
  if (link && stat(path, &there) != 0) {
    return refuse(ctx, path, errno == ENOENT ? "it is a link that leads nowhere" : strerror(errno));
  }
  if (!S_ISREG(there.st_mode)) return refuse(ctx, path, why_not_plain(there.st_mode));
  if (access(path, W_OK) != 0) return refuse(ctx, path, strerror(errno));
  return !link || realpath(path, target) ? CMB_OK : refuse(ctx, path, strerror(errno));
}

/* ---- the partial file */

/* Returns whether a running process is writing this partial file, judged by a lock on it. Returns false if that cannot be found out: if the
 * file cannot be opened for reading, is not a regular file, or its file system has no locks. */
static bool is_being_written(const char *partial)
{
  struct stat there;
  int file = open(partial, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return false;
  bool held = fstat(file, &there) == 0 && S_ISREG(there.st_mode) &&
              flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  return held;
}

/* Creates and locks the file that receives the output until it is complete: PATH.partial or, if that name is in use, PATH.2.partial,
 * PATH.3.partial ..., and stores its path in o->partial. Fails with a message if a running process is writing one of those in use, or if too
 * many are in use. */
static cmb_status create_partial(cmb_output *o)
{
  const size_t length = strlen(o->path);
  memcpy(o->partial, o->path, length + 1);
  for (int k = 1; k <= MOST_NAMES; k++) {
    if (k == 1) {
      snprintf(o->partial + length, ENDING_ROOM, ".partial");
    } else {
      snprintf(o->partial + length, ENDING_ROOM, ".%d.partial", k);
    }
    o->file = open(o->partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (o->file >= 0) {
      flock(o->file, LOCK_EX | LOCK_NB); /* has no effect on file systems without locks */
      return CMB_OK;
    }
    if (errno != EEXIST) return fail(o);
    if (is_being_written(o->partial)) {
      return cmb_fail_about(o->ctx, CMB_ERROR_IO, cmb_about_file(o->shown),
                            "cannot write '%s': another output or run is writing it, to '%s'",
                            o->shown, o->partial);
    }
  }
  return cmb_fail_about(
      o->ctx, CMB_ERROR_IO, cmb_about_file(o->shown),
      "cannot write '%s': all %d names of its temporary file, up to '%s', are in use", o->shown,
      MOST_NAMES, o->partial);
}

/* Returns whether the path o->partial still leads to the file that was created for this output, so that nobody has removed or replaced it. */
static bool is_ours(const cmb_output *o)
{
  struct stat created, there;
  return fstat(o->file, &created) == 0 && lstat(o->partial, &there) == 0 &&
         created.st_dev == there.st_dev && created.st_ino == there.st_ino;
}

/* ---- the object */

static cmb_output *create(cmb_context *ctx, const char *shown, const char *path)
{
  const size_t first = strlen(shown) + 1, second = strlen(path) + 1;
  cmb_output *o = cmb_allocate(ctx, sizeof *o + first + 3 * second + 2 * ENDING_ROOM);
  if (!o) return NULL;
  o->ctx = ctx;
  o->file = -1;
  o->shown = memcpy(o->texts, shown, first);
  o->path = memcpy(o->texts + first, path, second);
  o->partial = o->texts + first + second;
  o->draft = o->partial + second + ENDING_ROOM;
  o->draft[0] = '\0';
  return o;
}

cmb_status cmb_output_open(cmb_context *ctx, const char *path, cmb_output **output)
{
  char target[PATH_MAX];
  *output = NULL;
  CMB_TRY(resolve_link(ctx, path, target));
  cmb_output *o = create(ctx, path, target[0] ? target : path);
  if (!o) return cmb_fail_memory(ctx);
  cmb_status status = create_partial(o);
  if (status == CMB_OK) {
    *output = o;
  } else {
    cmb_release(ctx, o);
  }
  return status;
}

/* Records the result of a write to the output file: if it failed (`done` is false), stores errno as the reason, unless there was an earlier
 * failure. Returns an error from the first failure on, so that an incomplete file never replaces the target. */
static cmb_status record_result(cmb_output *o, bool done)
{
  if (!done && !o->reason) o->reason = errno;
  return o->reason ? refuse(o->ctx, o->shown, strerror(o->reason)) : CMB_OK;
}

cmb_status cmb_output_add(cmb_output *o, const void *bytes, size_t length)
{
  return record_result(o, !o->reason && cmb_write_all(o->file, bytes, length));
}

cmb_status cmb_output_sync(cmb_output *o)
{
  return record_result(o, !o->reason && fsync(o->file) == 0);
}

cmb_status cmb_output_spoil(cmb_output *o)
{
  return record_result(o, false);
}

/* ---- drafts */

/* Creates an empty temporary file beside the output's partial file (o->partial), with the same access rights if possible, and stores its path
 * in o->draft. Returns the open file's descriptor, or a negative number on failure. */
static int create_draft(cmb_output *o)
{
  struct stat partial;
  const size_t length = strlen(o->partial);
  memcpy(o->draft, o->partial, length);
  memcpy(o->draft + length, DRAFT_ENDING,
         sizeof DRAFT_ENDING); /* ENDING_ROOM includes both endings */
  int file = mkstemp(o->draft);
  if (file < 0) {
    o->draft[0] = '\0';
    return file;
  }
  fcntl(file, F_SETFD, FD_CLOEXEC);
  if (fstat(o->file, &partial) == 0) {
    fchmod(file, partial.st_mode & 0777); /* mkstemp allows only the owner to read */
  }
  return file;
}

cmb_status cmb_output_draft(cmb_output *o, const char **path)
{
  int file = create_draft(o);
  *path = o->draft;
  if (file < 0) return record_result(o, false);
  close(file);
  return CMB_OK;
}

cmb_status cmb_output_adopt(cmb_output *o)
{
  int file = open(o->draft, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return record_result(o, false);
  flock(file, LOCK_EX | LOCK_NB);
  const bool ours = is_ours(o);
  if (!ours) errno = ENOENT; /* another process has removed or replaced it */
  if (!ours || rename(o->draft, o->partial) != 0) {
    const cmb_status status = record_result(o, false);
    close(file);
    return status;
  }
  close(o->file);
  o->file = file;
  o->draft[0] = '\0';
  return record_result(o, true);
}

void cmb_output_drop(cmb_output *o)
{
  if (o->draft[0]) unlink(o->draft);
  o->draft[0] = '\0';
}

int cmb_output_scratch(cmb_output *o)
{
  int file = create_draft(o);
  if (file < 0) {
    record_result(o, false);
  } else {
    cmb_output_drop(o);
  }
  return file;
}

/* ---- the end */

/* Writes the finished partial file to disk (fsync) and renames it to its final path. Fails with a message if that is not possible, or if
 * another process has removed or replaced the partial file. */
static cmb_status put_in_place(cmb_output *o)
{
  CMB_TRY(cmb_output_sync(o));
  if (!is_ours(o)) {
    return cmb_fail_about(o->ctx, CMB_ERROR_IO, cmb_about_file(o->shown),
                          "cannot write '%s': '%s' was removed or replaced", o->shown, o->partial);
  }
  return rename(o->partial, o->path) == 0 ? CMB_OK : fail(o);
}

static void release(cmb_output *o)
{
  cmb_output_drop(o);
  close(o->file); /* it has been synced or removed, or its failure is already known */
  cmb_release(o->ctx, o);
}

cmb_status cmb_output_finish(cmb_output *o)
{
  cmb_status status = put_in_place(o);
  if (status != CMB_OK && is_ours(o)) {
    cmb_fail_further(o->ctx, "; what could be written is in '%s'", o->partial);
  }
  release(o);
  return status;
}

void cmb_output_discard(cmb_output *o)
{
  if (!o) return;
  if (is_ours(o)) unlink(o->partial);
  release(o);
}

cmb_status cmb_output_possible(cmb_context *ctx, const char *path)
{
  cmb_output *o;
  CMB_TRY(cmb_output_open(ctx, path, &o));
  cmb_output_discard(o);
  return CMB_OK;
}
