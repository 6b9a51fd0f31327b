/*
 * Numbers under names, in one order, written or read by the same calls: who describes a state does it once for both ways.
 *
 *     camber-state 1                        what it is, and the version of the layout
 *     q 2: 3ff0000000000000 bff8000000000000
 *     ...
 *     sha256 <64 digits>                    of all bytes before
 *
 * Each line has a name, how many numbers there are, and these: doubles as the 16 hexadecimal digits of their bits, whole numbers in
 * decimal, texts between quotes. Whatever is not as expected is an error with the line; it stays, and calls that follow do nothing.
 */
#ifndef CMB_BASE_ARCHIVE_H
#define CMB_BASE_ARCHIVE_H

#include "base/buffer.h"

#include <stdbool.h>

typedef struct cmb_archive {
  cmb_context *ctx;
  bool writing;
  cmb_status status;
  cmb_buffer text;        /* what was written */
  const char *path;       /* of what is read, for words */
  const char *next, *end; /* what is to be read */
  int line;
} cmb_archive;

/* To write; cmb_archive_close adds the checksum, and the text is complete. The caller releases it. */
cmb_archive cmb_archive_write(cmb_context *ctx);
cmb_status cmb_archive_close(cmb_archive *a);

/* To read `length` bytes, whose first line and checksum are looked at here. */
cmb_archive cmb_archive_read(cmb_context *ctx, const char *path, const char *text, size_t length);

/* The numbers are written, or read in place. */
void cmb_archive_doubles(cmb_archive *a, const char *name, int count, double *x);
void cmb_archive_longs(cmb_archive *a, const char *name, int count, long *x);
void cmb_archive_ints(cmb_archive *a, const char *name, int count, int *x);
void cmb_archive_bools(cmb_archive *a, const char *name, int count, bool *x);

/* The same for a number that is counted with: neither negative nor near to the largest that there is. */
void cmb_archive_count(cmb_archive *a, const char *name, long *x);
void cmb_archive_small_count(cmb_archive *a, const char *name, int *x);

/* A text that must be there as it would be written; else the archive is refused with the words `otherwise`, or NULL: "it has WHAT "x", here it
 * is WHAT "y"". */
void cmb_archive_expect(cmb_archive *a, const char *what, const char *text, const char *otherwise);

/* What is read is not possible. */
void cmb_archive_refuse(cmb_archive *a, const char *why);

/* All has been read. */
void cmb_archive_finish(cmb_archive *a);

#endif
