/*
 * The context: allocator, log callback and last error of one user of the library (include/camber/base.h). The last error is stored in arrays
 * inside the context, so that reporting a failure needs no memory.
 */
#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cmb_context {
  cmb_allocator allocator;
  cmb_log_function log;
  void *log_user;
  cmb_error_record record;
  cmb_error error; /* its texts point into `record` */
};

static void *libc_allocate(void *user, size_t size)
{
  (void)user;
  return malloc(size);
}

static void libc_release(void *user, void *memory)
{
  (void)user;
  free(memory);
}

cmb_context *cmb_context_create(const cmb_allocator *allocator)
{
  const cmb_allocator libc = {NULL, libc_allocate, libc_release};
  const cmb_allocator *a = allocator ? allocator : &libc;
  if (!a->allocate || !a->release) return NULL;
  cmb_context *ctx = a->allocate(a->user, sizeof *ctx);
  if (!ctx) return NULL;
  memset(ctx, 0, sizeof *ctx);
  ctx->allocator = *a;
  cmb_forget_error(ctx);
  return ctx;
}

void cmb_context_destroy(cmb_context *ctx)
{
  if (!ctx) return;
  cmb_allocator a = ctx->allocator;
  a.release(a.user, ctx);
}

void cmb_context_set_log(cmb_context *ctx, cmb_log_function log, void *user)
{
  if (!ctx) return;
  ctx->log = log;
  ctx->log_user = user;
}

/* ---- the last error */

const char *cmb_last_error(const cmb_context *ctx)
{
  return ctx ? ctx->record.sentence : "";
}

const cmb_error *cmb_error_of(const cmb_context *ctx)
{
  static const cmb_error none = {.time = NAN};
  return ctx ? &ctx->error : &none;
}

/* Copies `record` to the context as its last error and returns the status in the record. */
static cmb_status set_last_error(cmb_context *ctx, const cmb_error_record *record)
{
  ctx->record = *record;
  ctx->error = cmb_error_view(&ctx->record);
  return record->status;
}

cmb_status cmb_fail_words(cmb_context *ctx, cmb_status status, const cmb_about *about,
                          const char *format, va_list arguments)
{
  if (!ctx) return status;
  /* a new record, as the arguments may point into the context's present one */
  cmb_error_record record;
  cmb_error_write(&record, status, about, format, arguments);
  return set_last_error(ctx, &record);
}

cmb_status cmb_fail(cmb_context *ctx, cmb_status status, const char *format, ...)
{
  const cmb_about nothing = cmb_about_thing(NULL, NULL);
  va_list arguments;
  va_start(arguments, format);
  cmb_fail_words(ctx, status, &nothing, format, arguments);
  va_end(arguments);
  return status;
}

cmb_status cmb_fail_about(cmb_context *ctx, cmb_status status, cmb_about about, const char *format,
                          ...)
{
  va_list arguments;
  va_start(arguments, format);
  cmb_fail_words(ctx, status, &about, format, arguments);
  va_end(arguments);
  return status;
}

void cmb_fail_further(cmb_context *ctx, const char *format, ...)
{
  if (!ctx) return;
  char words[CMB_SENTENCE_ROOM];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  cmb_error_add(&ctx->record, words);
  ctx->error = cmb_error_view(&ctx->record);
}

void cmb_forget_error(cmb_context *ctx)
{
  cmb_error_clear(&ctx->record);
  ctx->error = cmb_error_view(&ctx->record);
}

void cmb_error_keep(const cmb_context *ctx, cmb_status status, cmb_error_record *record)
{
  *record = ctx->record;
  record->status = status;
}

cmb_status cmb_fail_again(cmb_context *ctx, const cmb_error_record *record)
{
  return set_last_error(ctx, record);
}

cmb_status cmb_fail_memory(cmb_context *ctx)
{
  return cmb_fail(ctx, CMB_ERROR_MEMORY, "%s", cmb_status_meaning(CMB_ERROR_MEMORY));
}

void cmb_log(cmb_context *ctx, cmb_log_level level, const char *format, ...)
{
  if (!ctx->log) return;
  char text[CMB_SENTENCE_ROOM];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ctx->log(ctx->log_user, level, text);
}

void *cmb_allocate_raw(cmb_context *ctx, size_t size)
{
  return ctx->allocator.allocate(ctx->allocator.user, size);
}

void *cmb_allocate(cmb_context *ctx, size_t size)
{
  void *memory = cmb_allocate_raw(ctx, size);
  if (memory) memset(memory, 0, size);
  return memory;
}

void cmb_release(cmb_context *ctx, void *memory)
{
  if (memory) ctx->allocator.release(ctx->allocator.user, memory);
}
