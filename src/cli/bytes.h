/*
 * Reads whole files into memory that was allocated by malloc.
 */
#ifndef CMB_CLI_BYTES_H
#define CMB_CLI_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads an open file from its beginning into *bytes, to be freed by the caller, and appends a terminating 0; *length is the number of bytes
 * without the 0. Returns false and sets errno on failure (EFBIG: the file has more than `most` bytes). */
bool cli_bytes_read(FILE *file, size_t most, char **bytes, size_t *length);

/* Reads the file at `path` into *bytes, to be freed by the caller, and appends a terminating 0; *length is the number of bytes without the
 * 0. Returns false and sets errno on failure (EFBIG: the file has more than `most` bytes). */
bool cli_bytes_of(const char *path, size_t most, char **bytes, size_t *length);

#endif
