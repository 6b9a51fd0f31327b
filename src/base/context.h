/*
 * Functions on the context for use inside the library: reporting an error, writing a log message, allocating memory.
 */
#ifndef CMB_BASE_CONTEXT_H
#define CMB_BASE_CONTEXT_H

#include "base/error.h"

/* Stores the printed message as the context's last error, if ctx is not NULL, and returns `status`, so that a failure is one line: return
 * cmb_fail(ctx, CMB_ERROR_INPUT, "rod length must be positive, got %g", l); */
cmb_status cmb_fail(cmb_context *ctx, cmb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Store the printed message as the context's last error, if ctx is not NULL, together with what it concerns (file, line, time, name:
 * `about`), and return `status`. Example: return cmb_fail_about(ctx, CMB_ERROR_EVENTS, cmb_about_time(t, "event", name), "event '%s' at
 * t = %.9g: ...", name, t); */
cmb_status cmb_fail_about(cmb_context *ctx, cmb_status status, cmb_about about, const char *format,
                          ...) __attribute__((format(printf, 4, 5)));
cmb_status cmb_fail_words(cmb_context *ctx, cmb_status status, const cmb_about *about,
                          const char *format, va_list arguments)
    __attribute__((format(printf, 4, 0)));

/* Appends the printed words to the message of the last error. */
void cmb_fail_further(cmb_context *ctx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* cmb_error_keep copies the last error, with `status` in place of its status, to `record`, so that later calls may fail in between.
 * cmb_fail_again makes the copy the last error again and returns its status. */
void cmb_error_keep(const cmb_context *ctx, cmb_status status, cmb_error_record *record);
cmb_status cmb_fail_again(cmb_context *ctx, const cmb_error_record *record);

/* Checks a precondition that the caller has to ensure: if `holds` is false, the enclosing function returns CMB_ERROR_ARGUMENT with
 * `words`. */
#define CMB_REQUIRE(ctx, holds, words)                                                             \
  do {                                                                                             \
    if (!(holds)) return cmb_fail(ctx, CMB_ERROR_ARGUMENT, "wrong call: %s", words);               \
  } while (0)

/* Clears the last error, so that any error found later belongs to the work that follows. */
void cmb_forget_error(cmb_context *ctx);

/* Reports that memory ran out, with the same words everywhere; returns CMB_ERROR_MEMORY. */
cmb_status cmb_fail_memory(cmb_context *ctx);

/* Calls the context's log function, if it has one, with the printed message. */
void cmb_log(cmb_context *ctx, cmb_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* cmb_allocate returns `size` zeroed bytes from the context's allocator, cmb_allocate_raw bytes that are not initialised, or NULL if
 * memory runs out; cmb_release frees them and does nothing for NULL. */
void *cmb_allocate_raw(cmb_context *ctx, size_t size);
void *cmb_allocate(cmb_context *ctx, size_t size);
void cmb_release(cmb_context *ctx, void *memory);

#endif
