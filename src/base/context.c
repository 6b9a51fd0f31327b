/*
 * The context: allocator, log and the words of the last error (include/camber/base.h).
 * The message has a fixed room inside the context, so that reporting a failure cannot fail.
 */
#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_ROOM = 1024 };

struct cmb_context {
  cmb_allocator allocator;
  cmb_log_function log;
  void *log_user;
  char error[MESSAGE_ROOM];
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

const char *cmb_last_error(const cmb_context *ctx)
{
  return ctx ? ctx->error : "";
}

cmb_status cmb_fail(cmb_context *ctx, cmb_status status, const char *format, ...)
{
  if (!ctx) return status;
  char text[MESSAGE_ROOM]; /* the arguments may point into the old message */
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  memcpy(ctx->error, text, sizeof text);
  return status;
}

void cmb_forget_error(cmb_context *ctx)
{
  ctx->error[0] = '\0';
}

cmb_status cmb_fail_memory(cmb_context *ctx)
{
  return cmb_fail(ctx, CMB_ERROR_MEMORY, "%s", cmb_status_meaning(CMB_ERROR_MEMORY));
}

void cmb_log(cmb_context *ctx, cmb_log_level level, const char *format, ...)
{
  if (!ctx->log) return;
  char text[MESSAGE_ROOM];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ctx->log(ctx->log_user, level, text);
}

void *cmb_allocate(cmb_context *ctx, size_t size)
{
  void *memory = ctx->allocator.allocate(ctx->allocator.user, size);
  if (memory) memset(memory, 0, size);
  return memory;
}

void cmb_release(cmb_context *ctx, void *memory)
{
  if (memory) ctx->allocator.release(ctx->allocator.user, memory);
}
