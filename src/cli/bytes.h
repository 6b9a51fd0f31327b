/*
 * The bytes of a file, as a whole, from malloc.
 */
#ifndef CMB_CLI_BYTES_H
#define CMB_CLI_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What the open file has from its beginning on, at most `most` bytes, with a 0 behind them; to be freed. False and errno on failure;
 * EFBIG: it is longer. */
bool cli_bytes_read(FILE *file, size_t most, char **bytes, size_t *length);

/* The same of the file at `path`. */
bool cli_bytes_of(const char *path, size_t most, char **bytes, size_t *length);

#endif
