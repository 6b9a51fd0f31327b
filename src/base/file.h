/*
 * Whole files: comparing paths, reading, and writing such that a reader sees the old file or the new one and nothing between.
 */
#ifndef CMB_BASE_FILE_H
#define CMB_BASE_FILE_H

#include <camber/base.h>
#include <stdbool.h>

/* Returns whether both paths lead to the same existing file, links followed. */
bool cmb_same_file(const char *one, const char *other);

/* Returns whether both paths lead to the same file, or name the same file in the same folder; the file need not exist. */
bool cmb_same_place(const char *one, const char *other);

/* Writes the absolute path of an existing file, with all links resolved, to whole[room]. Returns false if it does not exist or does not
 * fit. */
bool cmb_whole_path(const char *path, size_t room, char *whole);

/* Removes a folder with everything in it; links in it are removed, not followed. */
void cmb_remove_folder(const char *path);

/* Writes all `length` bytes to an open file. Returns false and sets errno on failure. */
bool cmb_write_all(int file, const void *bytes, size_t length);

/* Reads an open file of at most `limit` bytes into memory of the context's allocator, which the caller frees with cmb_release. Returns false
 * and sets errno on failure; EFBIG if the file is longer than the limit. Of a file that grows meanwhile one more byte is read, so *length may
 * be limit + 1. */
bool cmb_read_all(cmb_context *ctx, int file, size_t limit, void **bytes, size_t *length);

/* Writes the bytes to the file at `path`, which is replaced as a whole (output.h). On failure the old file stays; a partial file is left only
 * if the last step fails, in which it is renamed. */
cmb_status cmb_file_save(cmb_context *ctx, const char *path, const void *bytes, size_t length);

#endif
