/*
 * Files as a whole: read, and written so that a reader sees the old one or the new one and nothing between.
 */
#ifndef CMB_BASE_FILE_H
#define CMB_BASE_FILE_H

#include <camber/base.h>
#include <stdbool.h>

/* Whether both paths lead to one file that is there. */
bool cmb_same_file(const char *one, const char *other);

/* Whether both paths name one file, which need not be there. */
bool cmb_same_place(const char *one, const char *other);

/* The path of a file that is there from the root on, its links resolved; false if there is none, or no room. */
bool cmb_whole_path(const char *path, size_t room, char *whole);

/* Removes a folder with all that is in it; links in it are removed, not followed. */
void cmb_remove_folder(const char *path);

/* All of the bytes to an open file. False and errno on failure. */
bool cmb_write_all(int file, const void *bytes, size_t length);

/* What an open file has, at most `limit` bytes, from the context's allocator; to be released with cmb_release. False
 * and errno on failure; EFBIG: longer than the limit. */
bool cmb_read_all(cmb_context *ctx, int file, size_t limit, void **bytes, size_t *length);

/* The bytes as the file at `path`, put in place as a whole (output.h); on failure nothing is left of them. */
cmb_status cmb_file_save(cmb_context *ctx, const char *path, const void *bytes, size_t length);

#endif
