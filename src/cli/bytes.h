/*
 * Reads whole files into memory that was allocated by malloc.
 */
#ifndef CMB_CLI_BYTES_H
#define CMB_CLI_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads an open file from its beginning, at most `most` bytes, and appends a terminating 0; *bytes has to be freed. Returns false and
 * sets errno on failure; EFBIG: the file is longer. */
bool cli_bytes_read(FILE *file, size_t most, char **bytes, size_t *length);

/* Reads the file at `path`, at most `most` bytes, and appends a terminating 0; *bytes has to be freed. Returns false and sets errno on
 * failure; EFBIG: the file is longer. */
bool cli_bytes_of(const char *path, size_t most, char **bytes, size_t *length);

#endif
