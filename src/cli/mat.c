/*
 * Writes matrices to MAT files (mat.h).
 */
#include "cli/mat.h"

#include <stdint.h>
#include <string.h>

/* Writes the lowest `count` bytes (8 at most) of `bits` to a file in little-endian order, i.e. lowest byte first. */
static void put_bytes(FILE *to, uint64_t bits, int count)
{
  unsigned char bytes[8];
  for (int i = 0; i < count; i++) bytes[i] = (unsigned char)(bits >> (8 * i) & 0xFF);
  fwrite(bytes, (size_t)count, 1, to);
}

void cli_mat_head(FILE *to, bool text, const char *name, int rows, int columns)
{
  const int head[5] = {text, rows, columns, 0, (int)strlen(name) + 1};
  for (int i = 0; i < 5; i++) put_bytes(to, (uint64_t)head[i], 4);
  fwrite(name, strlen(name) + 1, 1, to);
}

void cli_mat_numbers(FILE *to, long count, const double *x)
{
  for (long i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    put_bytes(to, bits, 8);
  }
}

void cli_mat_matrix(FILE *to, const char *name, int rows, int columns, const double *x)
{
  cli_mat_head(to, false, name, rows, columns);
  for (int j = 0; j < columns; j++) {
    for (int i = 0; i < rows; i++) cli_mat_numbers(to, 1, &x[i * columns + j]);
  }
}

void cli_mat_names(FILE *to, const char *name, int count, const char *const *names)
{
  size_t longest = 0;
  for (int i = 0; i < count; i++) {
    if (strlen(names[i]) > longest) longest = strlen(names[i]);
  }
  cli_mat_head(to, true, name, count, (int)longest);
  for (size_t j = 0; j < longest; j++) {
    for (int i = 0; i < count; i++) {
      const double letter = j < strlen(names[i]) ? (unsigned char)names[i][j] : ' ';
      cli_mat_numbers(to, 1, &letter);
    }
  }
}
