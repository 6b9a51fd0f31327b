/*
 * Fuzz target: files of results. The first byte says whether the rest is a CSV or a MAT file. Whatever it is: either words of what is wrong,
 * or columns with names that all have as many numbers as there are rows.
 */
#include "cli/result.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
  if (!holds) abort();
}

/* A sum that depends on every number, so that each of them is read. */
static double look_at(const struct cli_result *r)
{
  double sum = 0;
  require(r->count > 0 && r->rows >= 0);
  for (int c = 0; c < r->count; c++) {
    require(r->columns[c].name && r->columns[c].unit);
    require(cli_result_find(r, r->columns[c].name) != NULL);
    for (long i = 0; i < r->rows; i++) sum += r->columns[c].numbers[i];
  }
  for (int i = 0; i < CLI_NUMBER_COUNT; i++) sum += r->numbers[i];
  for (int i = 0; i < CLI_TEXT_COUNT; i++) sum += r->texts[i] ? (double)strlen(r->texts[i]) : 0;
  for (long i = 0; i < r->event_count; i++) {
    require(r->events[i].name && cli_event_kind_name(r->events[i].kind));
    sum += r->events[i].t + r->events[i].direction + (double)strlen(r->events[i].name);
  }
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  volatile double seen = 0;
  struct cli_result result;
  cli_result_begin(&result, "fuzz");
  if (size == 0) return 0;
  char *bytes = malloc(size); /* so that a read beyond its end is found */
  require(bytes != NULL);
  memcpy(bytes, data + 1, size - 1);
  const struct cli_result_fault fault =
      data[0] == 'm' ? cli_result_parse_mat(&result, bytes, size - 1)
                     : cli_result_parse_csv(&result, bytes, size - 1, data[0] == 'u');
  if (!fault.words) seen = look_at(&result);
  (void)seen;
  cli_result_end(&result);
  free(bytes);
  return 0;
}
