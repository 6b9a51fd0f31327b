/*
 * Writes and reads archives, the text format in which a simulation state is saved. The same sequence of calls writes a state or reads it
 * back, so that a module describes its part of the state once for both directions.
 *
 *     camber-state 1                        the kind of file and the version of its layout
 *     q 2: 3ff0000000000000 bff8000000000000
 *     ...
 *     sha256 <64 digits>                    the checksum of all bytes before it
 *
 * A line with numbers contains a name, the number of values and the values: doubles as the 16 hexadecimal digits of their bits, integers and
 * booleans (0 or 1) in decimal. A line with a text contains a name and the text in quotes. Reading a line other than the expected one sets
 * `status` to an error with the line number; all later calls then do nothing.
 */
#ifndef CMB_BASE_ARCHIVE_H
#define CMB_BASE_ARCHIVE_H

#include "base/buffer.h"

#include <stdbool.h>

typedef struct cmb_archive {
  cmb_context *ctx;
  bool writing;           /* false: reading */
  cmb_status status;      /* the first error found while reading */
  cmb_buffer text;        /* the text written so far */
  const char *path;       /* the file that is read, for error messages */
  const char *next, *end; /* the bytes still to be read */
  int line;               /* number of the line last begun while reading */
  const char *name;       /* name of the last line with numbers; NULL: none yet */
} cmb_archive;

/* cmb_archive_write begins an archive for writing; cmb_archive_close appends the checksum, which completes a.text. The caller releases
 * that buffer. */
cmb_archive cmb_archive_write(cmb_context *ctx);
cmb_status cmb_archive_close(cmb_archive *a);

/* Begins reading an archive from `length` bytes at `text` and checks their first line and checksum. `path` is the file's name for error
 * messages. A failure is stored in the status of the archive that is returned. */
cmb_archive cmb_archive_read(cmb_context *ctx, const char *path, const char *text, size_t length);

/* Write one line with the `count` values of x, or read such a line into x. `name` labels the line. While reading, a line of another name
 * or count or with a damaged value sets the status to an error. */
void cmb_archive_doubles(cmb_archive *a, const char *name, int count, double *x);
void cmb_archive_longs(cmb_archive *a, const char *name, int count, long *x);
void cmb_archive_ints(cmb_archive *a, const char *name, int count, int *x);
void cmb_archive_bools(cmb_archive *a, const char *name, int count, bool *x);

/* Sets the status of an archive that is being read to an error unless least <= value <= most, where `value` is entry `number` (from 0) of
 * the line just read. */
void cmb_archive_check(cmb_archive *a, int number, int value, int least, int most);

/* Write or read a line with a single count x. When reading, the status becomes an error if x is negative or above a quarter of the
 * largest value of its type. */
void cmb_archive_count(cmb_archive *a, const char *name, long *x);
void cmb_archive_small_count(cmb_archive *a, const char *name, int *x);

/* Writes the line `WHAT "TEXT"`, or reads a line and checks that it is exactly this one. If it differs, the archive fails with a message that
 * ends with `otherwise`, or, if that is NULL, that quotes the expected line and the one found (unless this has 200 bytes or more). */
void cmb_archive_expect(cmb_archive *a, const char *what, const char *text, const char *otherwise);

/* Sets the archive's status to an input error at the line that was read last, which must be one with numbers, while reading and if it has no
 * error yet. The message names this line and continues with `why`, a clause such as "a mode is not -1, 0 or 1". */
void cmb_archive_refuse(cmb_archive *a, const char *why);

/* Checks, after the last value has been read, that nothing follows it except the checksum. */
void cmb_archive_finish(cmb_archive *a);

#endif
