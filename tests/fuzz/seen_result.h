/*
 * What has to hold of a file of results that was read, for the fuzz targets of its formats: columns with names that all have as many numbers as there
 * are rows, and facts that can be looked at.
 */
#ifndef CMB_FUZZ_SEEN_RESULT_H
#define CMB_FUZZ_SEEN_RESULT_H

#include "cli/result.h"

#include <stdlib.h>
#include <string.h>

static void require(bool holds)
{
  if (!holds) abort();
}

/* A sum that depends on every number, so that each of them is read. */
static double look_at(const struct cli_result *r)
{
  double sum = 0;
  require(r->count >= 0 && r->rows >= 0);
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

#endif
