/*
 * Fuzz target: the CSV files of tables. The first byte chooses the columns, the rest is the file.
 *
 * For every text, reading returns either an error message with a position, or as many points as the file has lines with data, without the
 * line of names if there is one. The points are finite and ascend, and are read back unchanged after printing them.
 */
#include "base/text.h"
#include "model/reader.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char file[] = "fuzz.csv";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
  if (!holds) abort();
}

/* Counts the lines that are neither empty nor comments. */
static int count_lines(const char *text, size_t length)
{
  int count = 0;
  bool begun = false, comment = false;
  const size_t mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  for (size_t i = mark; i < length; i++) {
    if (text[i] == '\n') begun = comment = false;
    if (begun || comment || strchr(" \t\r\n", text[i])) continue;
    comment = text[i] == '#';
    begun = !comment;
    count += begun;
  }
  return count;
}

static void read_back(cmb_reader *r, int n, const double *x, const double *f)
{
  char *text = malloc((size_t)n * 2 * CMB_NUMBER_ROOM + 1), *to = text;
  int again;
  double *x2, *f2;
  require(text != NULL);
  for (int i = 0; i < n; i++) {
    to += cmb_format_number(x[i], to);
    *to++ = ';';
    to += cmb_format_shortest(f[i], to);
    *to++ = '\n';
  }
  require(cmb_parse_csv(r, file, text, (size_t)(to - text), NULL, &again, &x2, &f2) == CMB_OK);
  require(again == n);
  require(n == 0 || memcmp(x, x2, (size_t)n * sizeof *x) == 0);
  require(n == 0 || memcmp(f, f2, (size_t)n * sizeof *f) == 0);
  free(text);
}

static void require_table(cmb_reader *r, const char *text, size_t length, int n, const double *x,
                          const double *f)
{
  const int lines = count_lines(text, length);
  require(n == lines || n == lines - 1);
  for (int i = 0; i < n; i++) {
    require(isfinite(x[i]) && isfinite(f[i]));
    require(i == 0 || x[i] > x[i - 1]);
  }
  if (n > 0) read_back(r, n, x, f);
}

static const cmb_node *choose(int which, cmb_node nodes[3])
{
  static const char *const names[][2] = {{"1", "2"}, {"t", "z"}, {"3", "1"}, {"z", "2"}};
  if (which % 5 == 0) return NULL;
  const char *const *pair = names[which % 5 - 1];
  nodes[0] = (cmb_node){.kind = CMB_NODE_LIST, .count = 2, .first = &nodes[1]};
  nodes[1] = (cmb_node){.kind = CMB_NODE_TEXT, .text = pair[0], .next = &nodes[2]};
  nodes[2] = (cmb_node){.kind = CMB_NODE_TEXT, .text = pair[1]};
  for (int i = 0; i < 3; i++) nodes[i].place = cmb_place_in(file, 1, 1);
  return nodes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0) return 0;
  cmb_node nodes[3] = {{0}};
  int n;
  double *x, *f;
  char *text =
      malloc(size); /* of the exact length, so that the sanitizer detects reading beyond the end */
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *scratch = cmb_arena_create(ctx);
  cmb_reader *r = scratch ? cmb_arena_take(scratch, 1, sizeof *r) : NULL;
  require(text && r);
  memcpy(text, data + 1, size - 1);
  *r = (cmb_reader){.ctx = ctx, .scratch = scratch};
  cmb_reader_subject(r, "table", "f", NULL);
  cmb_status status = cmb_check_text(ctx, text, size - 1, cmb_about_place(file, 1, 1));
  if (status == CMB_OK) {
    status = cmb_parse_csv(r, file, text, size - 1, choose(data[0], nodes), &n, &x, &f);
  }
  if (status == CMB_OK) {
    require_table(r, text, size - 1, n, x, f);
  } else {
    require(status == CMB_ERROR_INPUT);
    require(strncmp(cmb_last_error(ctx), "fuzz.csv:", 9) == 0 &&
            !strchr(cmb_last_error(ctx), '\n'));
  }
  cmb_arena_destroy(scratch);
  cmb_context_destroy(ctx);
  free(text);
  return 0;
}
