/*
 * Texts that users give: reading whole files, and checking that they are text. Used by the layers that read files.
 */
#ifndef CMB_BASE_INPUT_H
#define CMB_BASE_INPUT_H

#include "base/error.h"

enum { CMB_MOST_BYTES = 16 << 20 }; /* size of the largest file that is read */

/* Reads all bytes of an open file into memory of the context's allocator, *text with *length bytes, and closes the file. Returns false, with
 * errno set, on failure; a directory (EISDIR), any other file that is not regular (EINVAL), and one that is larger than CMB_MOST_BYTES
 * (EFBIG) are refused. */
bool cmb_read_and_close(cmb_context *ctx, int file, char **text, size_t *length);

/* Returns the words of a message for an errno value that cmb_read_and_close or the opening of a file has set. */
const char *cmb_reading_error(int error);

/* Reads a file whose path the user has given; the caller frees *text with cmb_release. */
cmb_status cmb_load_file(cmb_context *ctx, const char *path, char **text, size_t *length);

/* Checks that a text is UTF-8 without control characters other than line ends and tabs; `at` describes the place of its first character,
 * for messages. */
cmb_status cmb_check_text(cmb_context *ctx, const char *text, size_t length, cmb_about at);

#endif
