/*
 * Fuzz target: files of results. The first byte determines whether the rest is read as a CSV or as a MAT file. For every file, reading
 * returns either an error message or columns with names, whose lengths all equal the number of rows.
 */
#include "seen_result.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  volatile double seen = 0;
  struct cli_result result;
  cli_result_begin(&result, "fuzz");
  if (size == 0) return 0;
  char *bytes =
      malloc(size); /* of the exact length, so that the sanitizer detects reading beyond the end */
  require(bytes != NULL);
  memcpy(bytes, data + 1, size - 1);
  const struct cli_result_fault fault =
      data[0] == 'm' ? cli_result_parse_mat(&result, bytes, size - 1)
                     : cli_result_parse_csv(&result, bytes, size - 1, data[0] == 'u');
  require(fault.words || result.count > 0);
  if (!fault.words) seen = look_at(&result);
  (void)seen;
  cli_result_end(&result);
  free(bytes);
  return 0;
}
