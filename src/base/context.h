/*
 * The context seen from inside the library: raise an error, write a log message, allocate.
 */
#ifndef CMB_BASE_CONTEXT_H
#define CMB_BASE_CONTEXT_H

#include "base/error.h"

/* Keep the words as the context's last error, if there is a context, and return `status`, so that a failure is one line:
 * return cmb_fail(ctx, CMB_ERROR_INPUT, "rod length must be positive, got %g", l); */
cmb_status cmb_fail(cmb_context *ctx, cmb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with what is known beside the words: where, when, what it is about.
 * return cmb_fail_about(ctx, CMB_ERROR_EVENTS, cmb_about_time(t, "event", name), "event '%s' at t = %.9g: ...", name, t); */
cmb_status cmb_fail_about(cmb_context *ctx, cmb_status status, cmb_about about, const char *format,
                          ...) __attribute__((format(printf, 4, 5)));
cmb_status cmb_fail_words(cmb_context *ctx, cmb_status status, const cmb_about *about,
                          const char *format, va_list arguments)
    __attribute__((format(printf, 4, 0)));

/* More words behind those of the last error. */
void cmb_fail_further(cmb_context *ctx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Keep the last error, that of a call which returned `status`, while others may come; and make it the last one again, which
 * returns its status. */
void cmb_error_keep(const cmb_context *ctx, cmb_status status, cmb_error_record *record);
cmb_status cmb_fail_again(cmb_context *ctx, const cmb_error_record *record);

/* What the caller must see to: a wrong call ends here, with words. */
#define CMB_REQUIRE(ctx, holds, words)                                                             \
  do {                                                                                             \
    if (!(holds)) return cmb_fail(ctx, CMB_ERROR_ARGUMENT, "wrong call: %s", words);               \
  } while (0)

/* No last error any more: one that follows belongs to what is begun now. */
void cmb_forget_error(cmb_context *ctx);

/* Out of memory, in the same words everywhere. */
cmb_status cmb_fail_memory(cmb_context *ctx);

void cmb_log(cmb_context *ctx, cmb_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* `size` zeroed bytes from the context's allocator, or NULL. */
void *cmb_allocate(cmb_context *ctx, size_t size);
void cmb_release(cmb_context *ctx, void *memory);

#endif
