/*
 * The context seen from inside the library: raise an error, write a log message, allocate.
 */
#ifndef CMB_BASE_CONTEXT_H
#define CMB_BASE_CONTEXT_H

#include <camber/base.h>

/* Keep the message as the context's last error, if there is a context, and return `status`, so that a failure is one line:
 * return cmb_fail(ctx, CMB_ERROR_INPUT, "rod length must be positive, got %g", l); */
cmb_status cmb_fail(cmb_context *ctx, cmb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What the caller must see to: a wrong call ends here, with words. */
#define CMB_REQUIRE(ctx, holds, words)                                                             \
  do {                                                                                             \
    if (!(holds)) return cmb_fail(ctx, CMB_ERROR_ARGUMENT, "wrong call: %s", words);               \
  } while (0)

/* No words any more: those that follow belong to what is begun now. */
void cmb_forget_error(cmb_context *ctx);

/* Out of memory, in the same words everywhere. */
cmb_status cmb_fail_memory(cmb_context *ctx);

void cmb_log(cmb_context *ctx, cmb_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* `size` zeroed bytes from the context's allocator, or NULL. */
void *cmb_allocate(cmb_context *ctx, size_t size);
void cmb_release(cmb_context *ctx, void *memory);

#endif
