/*
 * Reads the numbers of OpenCRG files into the matrix cmb_crg_file.data; called by crg.c (crg.h; ASAM OpenCRG 1.2, 3.4.3 and 3.4.7). The data
 * are in records of 80 bytes:
 *
 *     LRFI, LDFI   lines with 8 numbers of 10 characters, or 4 of 20; each row begins a line. A field that begins with `*` is a missing number.
 *     KRBI, KDBI   20 numbers of 4 bytes, or 10 of 8, IEEE 754 with the highest byte first; rows follow each other without gaps, and the last
 *                  record is filled with NaN. A line end may follow it.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/crg.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { RECORD = 80 };

/* ---- text and binary */

/* Returns how many numbers a record (80 bytes) of an OpenCRG file contains in the file's data format. */
static int numbers_per_record(const cmb_crg_file *c)
{
  return RECORD / ((c->binary ? 4 : 10) * (c->double_precision ? 2 : 1));
}

static int records_per_row(const cmb_crg_file *c)
{
  const int per = numbers_per_record(c);
  return (c->channel_count + per - 1) / per;
}

cmb_place cmb_crg_row_place(const cmb_crg_file *c, int row)
{
  const int line = c->binary ? c->data_line : c->data_line + 1 + row * records_per_row(c);
  return cmb_crg_place(c, line, 1);
}

/* Allocates c->data for `most` rows of an OpenCRG file's data, with one number per channel. It is an error if these are more than
 * CMB_MOST_CRG_VALUES numbers. */
static cmb_status take_rows(cmb_crg_file *c, size_t most)
{
  if (most * (size_t)c->channel_count > CMB_MOST_CRG_VALUES) {
    return cmb_reader_fail(
        c->r, cmb_crg_place(c, c->data_line, 1),
        "the road has %zu rows of %d numbers; expected at most %d numbers in all", most,
        c->channel_count, CMB_MOST_CRG_VALUES);
  }
  c->data = cmb_arena_take(c->r->scratch, most * (size_t)c->channel_count + 1, sizeof *c->data);
  return c->data ? CMB_OK : cmb_fail_memory(c->r->ctx);
}

/* ---- text */

/* Copies characters from..from+width-1 of the current line, counted from 0, into `text`, without leading and trailing blanks. Characters
 * beyond the end of the line are left out. */
static void copy_field(const cmb_crg_file *c, int from, int width, char text[RECORD + 1])
{
  const ptrdiff_t length = c->line_end - c->line;
  ptrdiff_t begin = from < length ? from : length;
  ptrdiff_t stop = from + width < length ? from + width : length;
  while (begin < stop && cmb_crg_blank(c->line[begin])) begin++;
  while (begin < stop && cmb_crg_blank(c->line[stop - 1])) stop--;
  cmb_crg_copy(c->line + begin, (size_t)(stop - begin), text);
}

static cmb_status read_record(cmb_crg_file *c, int count, double *to)
{
  const int width = RECORD / numbers_per_record(c);
  char text[RECORD + 1], shown[CMB_SHOWN_ROOM];
  for (int i = 0; i < count; i++) {
    copy_field(c, i * width, width, text);
    to[i] = NAN;
    if (text[0] == '*' || cmb_parse_number(text, &to[i])) continue;
    return cmb_reader_fail(
        c->r, cmb_crg_place(c, c->number, i * width + 1),
        "number %d of %d in this line is '%s'; expected a number in %d characters, or "
        "a text that begins with * where there is no number",
        i + 1, count, cmb_shown(text, shown), width);
  }
  for (ptrdiff_t i = (ptrdiff_t)count * width; i < c->line_end - c->line; i++) {
    if (cmb_crg_blank(c->line[i])) continue;
    return cmb_reader_fail(
        c->r, cmb_crg_place(c, c->number, count * width + 1),
        "text follows the last number of this line; expected %d number%s of %d characters", count,
        count == 1 ? "" : "s", width);
  }
  return CMB_OK;
}

/* Reads one row of an OpenCRG file's data, c->channel_count numbers in text form, into to[], from the current line and those that continue
 * the row. The caller has checked that the file has enough lines. */
static cmb_status read_row(cmb_crg_file *c, double *to)
{
  const int per = numbers_per_record(c);
  for (int i = 0; i < c->channel_count; i += per) {
    const int count = c->channel_count - i < per ? c->channel_count - i : per;
    if (i > 0) cmb_crg_advance(c);
    CMB_TRY(read_record(c, count, to + i));
  }
  return CMB_OK;
}

/* Returns whether the rest of the file, from c->next, consists only of blanks and line breaks, so that all rows have been read. */
static bool is_end(const cmb_crg_file *c)
{
  for (const char *at = c->next; at < c->end; at++) {
    if (!cmb_crg_blank(*at) && *at != '\r' && *at != '\n') return false;
  }
  return true;
}

static cmb_status read_text(cmb_crg_file *c)
{
  size_t lines = 1;
  for (const char *at = c->next; at < c->end; at++) lines += *at == '\n' && at + 1 < c->end;
  CMB_TRY(take_rows(c, lines / (size_t)records_per_row(c)));
  const int most = (int)(lines / (size_t)records_per_row(c));
  while (!is_end(c)) {
    cmb_crg_advance(c);
    if (c->rows == most) {
      return cmb_reader_fail(c->r, cmb_crg_place(c, c->number, 1),
                             "the file ends inside of a row; expected %d number%s in %d line%s",
                             c->channel_count, c->channel_count == 1 ? "" : "s", records_per_row(c),
                             records_per_row(c) == 1 ? "" : "s");
    }
    CMB_TRY(read_row(c, c->data + (size_t)c->rows++ * (size_t)c->channel_count));
  }
  return CMB_OK;
}

/* ---- binary */

/* Returns number i (from 0) of the binary data that begin at c->next, stored in big-endian byte order in single or double precision. */
static double number_at(const cmb_crg_file *c, size_t i)
{
  const size_t size = c->double_precision ? 8 : 4;
  const unsigned char *at = (const unsigned char *)c->next + i * size;
  uint64_t bits = 0;
  for (size_t k = 0; k < size; k++) bits = bits << 8 | at[k];
  if (c->double_precision) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
  const uint32_t half = (uint32_t)bits;
  float x;
  memcpy(&x, &half, sizeof x);
  return (double)x;
}

/* Returns the number of rows in the `count` binary numbers of an OpenCRG file, without the NaNs that pad the last record. An incomplete
 * last row is counted as a row. */
static size_t count_rows(const cmb_crg_file *c, size_t count)
{
  const size_t channels = (size_t)c->channel_count;
  size_t left = (size_t)numbers_per_record(c) - 1;
  for (; left > 0 && count > 0 && isnan(number_at(c, count - 1)); left--) count--;
  return (count + channels - 1) / channels;
}

/* Returns whether the last `left` bytes of the file, those after the last complete record, are only a line end (LF or CR LF), which some
 * programs append. */
static bool ends_with_line_end(const cmb_crg_file *c, size_t left)
{
  return c->end[-1] == '\n' && (left == 1 || (left == 2 && c->end[-2] == '\r'));
}

static cmb_status read_bytes(cmb_crg_file *c)
{
  const size_t bytes = (size_t)(c->end - c->next), channels = (size_t)c->channel_count;
  const size_t count = bytes / RECORD * (size_t)numbers_per_record(c);
  const cmb_place place = cmb_crg_place(c, c->data_line, 1);
  if (bytes % RECORD != 0 && !ends_with_line_end(c, bytes % RECORD)) {
    return cmb_reader_fail(c->r, place, "the data have %zu bytes; expected a multiple of %d", bytes,
                           RECORD);
  }
  const size_t rows = count_rows(c, count);
  if (rows * channels > count) {
    return cmb_reader_fail(c->r, place,
                           "the file ends inside of row %zu; expected %d numbers in each row", rows,
                           c->channel_count);
  }
  CMB_TRY(take_rows(c, rows));
  c->rows = (int)rows;
  for (size_t i = 0; i < rows * channels; i++) {
    c->data[i] = number_at(c, i);
    if (!isinf(c->data[i])) continue;
    return cmb_reader_fail(c->r, place, "number %zu of row %zu is infinite; expected a finite one",
                           i % channels + 1, i / channels + 1);
  }
  return CMB_OK;
}

cmb_status cmb_crg_read_data(cmb_crg_file *c)
{
  if (c->channel_count == 0) {
    return cmb_reader_fail(
        c->r, cmb_crg_place(c, c->data_line, 1),
        "no line of the header defines a channel; expected two or more lines such as "
        "'D:long section at v = -1.5,m' in the section $KD_Definition");
  }
  return c->binary ? read_bytes(c) : read_text(c);
}
