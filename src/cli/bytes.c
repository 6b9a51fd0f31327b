/*
 * Reads whole files into memory (bytes.h).
 */
#include "cli/bytes.h"

#include <errno.h>
#include <stdlib.h>

/* Doubles the capacity *room of the buffer *bytes, at first to 64 KiB; one more byte is allocated for a terminating 0. Returns false and
 * changes nothing if memory runs out. */
static bool grow(char **bytes, size_t *room)
{
  const size_t wanted = *room ? 2 * *room : 1 << 16;
  char *grown = realloc(*bytes, wanted + 1);
  if (!grown) return false;
  *bytes = grown;
  *room = wanted;
  return true;
}

/* Reads a file from its current position to its end into a new buffer *bytes and stores the number of bytes in *length; on entry *bytes is
 * NULL and *length is 0. Returns false if memory runs out, reading fails, or the file is longer than `most` bytes (errno is then EFBIG). The
 * caller frees the buffer in any case. */
static bool read_all(FILE *file, size_t most, char **bytes, size_t *length)
{
  for (size_t room = 0;;) {
    if (*length == room && !grow(bytes, &room)) return false;
    const size_t got = fread(*bytes + *length, 1, room - *length, file);
    *length += got;
    if (*length > most) {
      errno = EFBIG;
      return false;
    }
    if (got == 0) return !ferror(file);
  }
}

bool cli_bytes_read(FILE *file, size_t most, char **bytes, size_t *length)
{
  *bytes = NULL;
  *length = 0;
  if (fseek(file, 0, SEEK_SET) == 0 && read_all(file, most, bytes, length)) {
    (*bytes)[*length] = '\0';
    return true;
  }
  const int reason = errno;
  free(*bytes);
  *bytes = NULL;
  errno = reason;
  return false;
}

bool cli_bytes_of(const char *path, size_t most, char **bytes, size_t *length)
{
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  const bool done = cli_bytes_read(file, most, bytes, length);
  const int reason = errno;
  fclose(file);
  errno = reason;
  return done;
}
