/*
 * Files as a whole (file.h).
 */
#include "base/file.h"

#include "base/buffer.h"
#include "base/context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* One byte more than the file has now is asked for, so that a file that grows meanwhile is noticed. */
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

static bool write_synced(const char *path, const void *bytes, size_t length)
{
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return false;
  bool done = cmb_write_all(file, bytes, length) && fsync(file) == 0;
  int reason = errno;
  if (close(file) != 0 && done) return false;
  errno = reason;
  return done;
}

cmb_status cmb_file_save(cmb_context *ctx, const char *path, const void *bytes, size_t length)
{
  cmb_buffer partial = cmb_buffer_begin(ctx);
  cmb_buffer_print(&partial, "%s.%ld.partial", path, (long)getpid());
  if (partial.failed) {
    cmb_buffer_release(&partial);
    return cmb_fail_memory(ctx);
  }
  cmb_status status = CMB_OK;
  if (!write_synced(partial.text, bytes, length) || rename(partial.text, path) != 0) {
    status = cmb_fail(ctx, CMB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    unlink(partial.text);
  }
  cmb_buffer_release(&partial);
  return status;
}
