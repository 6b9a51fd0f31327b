/*
 * The CSV writer (include/camber/sim.h).
 *
 * Whole lines are collected and written with one write(2), so that the file on disk ends after a full line
 * except while the kernel is inside that call; a reader drops an unfinished last line. base/output.h describes where the
 * file lies until it is closed, and how it is put in place.
 */
#include "base/arena.h"
#include "base/context.h"
#include "base/output.h"
#include "base/text.h"

#include <camber/sim.h>
#include <string.h>
#include <time.h>

enum { BUFFER_LINES = 64 };

static const double FLUSH_INTERVAL = 0.5; /* seconds */

struct cmb_csv {
  cmb_context *ctx;
  cmb_arena *arena;
  const cmb_equations *eq;
  bool residuals; /* |g| and |Gv| are columns, too */
  cmb_output *output;
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

static cmb_status flush(cmb_csv *csv)
{
  const size_t length = csv->used;
  csv->used = 0;
  csv->flushed = now();
  return cmb_output_add(csv->output, csv->buffer, length);
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

static cmb_status put_piece(void *csv, const char *piece, size_t length)
{
  return put(csv, piece, length);
}

static cmb_status put_name(cmb_csv *csv, const char *name)
{
  CMB_TRY(put(csv, ",", 1));
  return cmb_csv_field(name, put_piece, csv);
}

/* Names of coordinates or velocities: where an output has the same name, "q/NAME" or "v/NAME". */
static cmb_status put_names(cmb_csv *csv, int count, const char *const *names, const char *group)
{
  const cmb_equations *eq = csv->eq;
  for (int i = 0; i < count; i++) {
    const bool shared = cmb_find_name(names[i], eq->output_names, eq->no, sizeof *names) >= 0;
    CMB_TRY(put(csv, ",", 1));
    if (shared) CMB_TRY(put(csv, group, strlen(group)));
    CMB_TRY(cmb_csv_field(names[i], put_piece, csv));
  }
  return CMB_OK;
}

static cmb_status put_header(cmb_csv *csv)
{
  const cmb_equations *eq = csv->eq;
  CMB_TRY(put(csv, "t", 1));
  CMB_TRY(put_names(csv, eq->nq, eq->q_names, "q/"));
  CMB_TRY(put_names(csv, eq->nv, eq->v_names, "v/"));
  for (int i = 0; i < eq->ng; i++) CMB_TRY(put_name(csv, eq->lambda_names[i]));
  for (int i = 0; i < eq->no; i++) CMB_TRY(put_name(csv, eq->output_names[i]));
  if (csv->residuals) CMB_TRY(put(csv, ",|g|,|Gv|", 9));
  CMB_TRY(put(csv, "\n", 1));
  return flush(csv);
}

static bool is_named(int count, const char *const *names)
{
  if (count < 0 || (count > 0 && !names)) return false;
  for (int i = 0; i < count; i++) {
    if (!names[i]) return false;
  }
  return true;
}

static cmb_csv *create(cmb_context *ctx, const cmb_equations *eq, bool residuals)
{
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_csv *csv = arena ? cmb_arena_take(arena, 1, sizeof *csv) : NULL;
  if (csv) {
    size_t columns = 1 + (size_t)eq->nq + (size_t)eq->nv + (size_t)eq->ng + (size_t)eq->no + 2;
    *csv = (cmb_csv){.ctx = ctx, .arena = arena, .eq = eq, .residuals = residuals};
    csv->line_room = columns * CMB_NUMBER_ROOM;
    csv->room = csv->line_room * BUFFER_LINES;
    csv->buffer = cmb_arena_take(csv->arena, csv->room, 1);
  }
  if (csv && !cmb_arena_failed(arena)) return csv;
  cmb_arena_destroy(arena);
  return NULL;
}

static cmb_status open_file(cmb_context *ctx, const char *path, const cmb_equations *eq,
                            bool residuals, cmb_csv **out)
{
  CMB_REQUIRE(ctx, ctx && out, "cmb_csv_open needs a context and a place for the file");
  *out = NULL;
  CMB_REQUIRE(ctx, path, "cmb_csv_open needs the path of a file");
  CMB_REQUIRE(ctx,
              eq && is_named(eq->nq, eq->q_names) && is_named(eq->nv, eq->v_names) &&
                  is_named(eq->ng, eq->lambda_names) && is_named(eq->no, eq->output_names),
              "cmb_csv_open needs equations with names for all they have");
  cmb_csv *csv = create(ctx, eq, residuals);
  if (!csv) return cmb_fail_memory(ctx);
  cmb_status status = cmb_output_open(ctx, path, &csv->output);
  if (status == CMB_OK) status = put_header(csv);
  if (status == CMB_OK) {
    *out = csv;
  } else {
    cmb_csv_discard(csv);
  }
  return status;
}

cmb_status cmb_csv_open(cmb_context *ctx, const char *path, const cmb_equations *eq, cmb_csv **out)
{
  return open_file(ctx, path, eq, false, out);
}

cmb_status cmb_csv_open_residuals(cmb_context *ctx, const char *path, const cmb_equations *eq,
                                  cmb_csv **out)
{
  return open_file(ctx, path, eq, true, out);
}

static void put_numbers(cmb_csv *csv, int n, const double *x)
{
  for (int i = 0; i < n; i++) {
    csv->buffer[csv->used++] = ',';
    csv->used += (size_t)cmb_format_number(x[i], csv->buffer + csv->used);
  }
}

static bool is_complete(const cmb_equations *eq, const cmb_record *r)
{
  return r && r->q && r->v && (r->lambda || eq->ng == 0) && (r->outputs || eq->no == 0);
}

cmb_status cmb_csv_record(cmb_csv *csv, const cmb_record *r)
{
  if (!csv) return CMB_ERROR_ARGUMENT;
  const cmb_equations *eq = csv->eq;
  CMB_REQUIRE(csv->ctx, is_complete(eq, r), "a record lacks numbers that the equations have");
  if (csv->room - csv->used < csv->line_room) CMB_TRY(flush(csv));
  csv->used += (size_t)cmb_format_number(r->t, csv->buffer + csv->used);
  put_numbers(csv, eq->nq, r->q);
  put_numbers(csv, eq->nv, r->v);
  put_numbers(csv, eq->ng, r->lambda);
  put_numbers(csv, eq->no, r->outputs);
  if (csv->residuals) put_numbers(csv, 2, (const double[]){r->position, r->velocity});
  csv->buffer[csv->used++] = '\n';
  return now() - csv->flushed > FLUSH_INTERVAL ? flush(csv) : CMB_OK;
}

/* A line that could not be written fails again when the file is finished, with the same words. */
cmb_status cmb_csv_close(cmb_csv *csv)
{
  if (!csv) return CMB_ERROR_ARGUMENT;
  flush(csv);
  cmb_status status = cmb_output_finish(csv->output);
  cmb_arena_destroy(csv->arena);
  return status;
}

void cmb_csv_discard(cmb_csv *csv)
{
  if (!csv) return;
  cmb_output_discard(csv->output);
  cmb_arena_destroy(csv->arena);
}
