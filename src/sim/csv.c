/*
 * The CSV writer (include/camber/sim.h).
 *
 * Whole lines are collected and written with one write(2), so that the file on disk ends after a full line
 * except while the kernel is inside that call; a reader drops an unfinished last line. At the end the file
 * is synced and renamed over PATH, which is atomic.
 */
#include "base/arena.h"
#include "base/context.h"
#include "base/text.h"

#include <camber/sim.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_LINES = 64 };

static const double FLUSH_INTERVAL = 0.5; /* seconds */

struct cmb_csv {
  cmb_context *ctx;
  cmb_arena *arena;
  const cmb_equations *eq;
  char *path, *partial;
  int file;
  char *buffer;
  size_t used, line_room, room;
  double flushed; /* when */
};

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cmb_status io_error(cmb_csv *csv, const char *what)
{
  return cmb_fail(csv->ctx, CMB_ERROR_IO, "cannot %s '%s': %s", what, csv->path, strerror(errno));
}

static cmb_status flush(cmb_csv *csv)
{
  size_t done = 0;
  while (done < csv->used) {
    ssize_t n = write(csv->file, csv->buffer + done, csv->used - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error(csv, "write");
    done += (size_t)n;
  }
  csv->used = 0;
  csv->flushed = now();
  return CMB_OK;
}

static cmb_status put(cmb_csv *csv, const char *text, size_t length)
{
  if (csv->used + length > csv->room) CMB_TRY(flush(csv)); /* a very long line of names */
  while (length > 0) {
    size_t piece = length < csv->room - csv->used ? length : csv->room - csv->used;
    memcpy(csv->buffer + csv->used, text, piece);
    csv->used += piece;
    text += piece;
    length -= piece;
    if (length > 0) CMB_TRY(flush(csv));
  }
  return CMB_OK;
}

/* A name as a CSV field: quoted if it has a comma, a quote or a line end. */
static cmb_status put_name(cmb_csv *csv, const char *name)
{
  CMB_TRY(put(csv, ",", 1));
  bool quote = strpbrk(name, ",\"\n\r") != NULL;
  if (quote) CMB_TRY(put(csv, "\"", 1));
  for (const char *c = name; *c; c++) {
    if (*c == '"') CMB_TRY(put(csv, "\"", 1));
    CMB_TRY(put(csv, c, 1));
  }
  return quote ? put(csv, "\"", 1) : CMB_OK;
}

static cmb_status put_header(cmb_csv *csv)
{
  const cmb_equations *eq = csv->eq;
  CMB_TRY(put(csv, "t", 1));
  for (int i = 0; i < eq->nq; i++) CMB_TRY(put_name(csv, eq->q_names[i]));
  for (int i = 0; i < eq->nv; i++) CMB_TRY(put_name(csv, eq->v_names[i]));
  for (int i = 0; i < eq->ng; i++) CMB_TRY(put_name(csv, eq->lambda_names[i]));
  for (int i = 0; i < eq->no; i++) CMB_TRY(put_name(csv, eq->output_names[i]));
  CMB_TRY(put(csv, "\n", 1));
  return flush(csv);
}

static void take_memory(cmb_csv *csv, const char *path)
{
  static const char ending[] = ".partial";
  const cmb_equations *eq = csv->eq;
  size_t length = strlen(path);
  size_t columns = 1 + (size_t)eq->nq + (size_t)eq->nv + (size_t)eq->ng + (size_t)eq->no;
  csv->path = cmb_arena_text(csv->arena, path);
  csv->partial = cmb_arena_take(csv->arena, length + sizeof ending, 1);
  csv->line_room = columns * CMB_NUMBER_ROOM;
  csv->room = csv->line_room * BUFFER_LINES;
  csv->buffer = cmb_arena_take(csv->arena, csv->room, 1);
  if (cmb_arena_failed(csv->arena)) return;
  memcpy(csv->partial, path, length);
  memcpy(csv->partial + length, ending, sizeof ending);
}

/* Opens PATH.partial; -1 and errno if that fails, or if PATH is a folder, whose place it could not take. */
static int open_partial(const cmb_csv *csv)
{
  struct stat there;
  if (stat(csv->path, &there) == 0 && S_ISDIR(there.st_mode)) {
    errno = EISDIR;
    return -1;
  }
  return open(csv->partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

cmb_status cmb_csv_open(cmb_context *ctx, const char *path, const cmb_equations *eq, cmb_csv **out)
{
  *out = NULL;
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_csv *csv = arena ? cmb_arena_take(arena, 1, sizeof *csv) : NULL;
  if (csv) {
    *csv = (cmb_csv){.ctx = ctx, .arena = arena, .eq = eq};
    take_memory(csv, path);
  }
  if (!csv || cmb_arena_failed(arena)) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  csv->file = open_partial(csv);
  if (csv->file < 0) {
    cmb_status status = io_error(csv, "write");
    cmb_arena_destroy(arena);
    return status;
  }
  cmb_status status = put_header(csv);
  if (status != CMB_OK) {
    cmb_csv_discard(csv);
    return status;
  }
  *out = csv;
  return CMB_OK;
}

static void put_numbers(cmb_csv *csv, int n, const double *x)
{
  for (int i = 0; i < n; i++) {
    csv->buffer[csv->used++] = ',';
    csv->used += (size_t)cmb_format_number(x[i], csv->buffer + csv->used);
  }
}

cmb_status cmb_csv_record(cmb_csv *csv, const cmb_record *r)
{
  const cmb_equations *eq = csv->eq;
  if (csv->room - csv->used < csv->line_room) CMB_TRY(flush(csv));
  csv->used += (size_t)cmb_format_number(r->t, csv->buffer + csv->used);
  put_numbers(csv, eq->nq, r->q);
  put_numbers(csv, eq->nv, r->v);
  put_numbers(csv, eq->ng, r->lambda);
  put_numbers(csv, eq->no, r->outputs);
  csv->buffer[csv->used++] = '\n';
  return now() - csv->flushed > FLUSH_INTERVAL ? flush(csv) : CMB_OK;
}

cmb_status cmb_csv_close(cmb_csv *csv)
{
  cmb_status status = flush(csv);
  if (status == CMB_OK && fsync(csv->file) != 0 && errno != EINVAL && errno != ENOTSUP) {
    status = io_error(csv, "write"); /* EINVAL: a pipe or device, which cannot be synced */
  }
  if (close(csv->file) != 0 && status == CMB_OK) status = io_error(csv, "write");
  if (status == CMB_OK && rename(csv->partial, csv->path) != 0)
    status = io_error(csv, "put in place");
  if (status != CMB_OK) {
    cmb_fail(csv->ctx, status, "%s; what could be written is in '%s'", cmb_last_error(csv->ctx),
             csv->partial);
  }
  cmb_arena_destroy(csv->arena);
  return status;
}

void cmb_csv_discard(cmb_csv *csv)
{
  if (!csv) return;
  close(csv->file);
  unlink(csv->partial);
  cmb_arena_destroy(csv->arena);
}
