/*
 * Camber, layer base: status codes, the context, the allocator hook; used by all other layers.
 *
 * Functions that can fail return a cmb_status, unless their comments say otherwise: 0 done, > 0 recoverable (a method cuts its step and
 * tries again), < 0 fatal. The context keeps the description of the last failure, as a sentence for people and as data for programs: which
 * file, joint, constraint, time. A context belongs to one thread at a time.
 */
#ifndef CAMBER_BASE_H
#define CAMBER_BASE_H

#include <stddef.h>

/* The version of these headers and of the project; it is defined only here. A program compiled with these headers runs with a shared
 * library of the same major and minor version. */
#define CAMBER_VERSION_MAJOR 0
#define CAMBER_VERSION_MINOR 1
#define CAMBER_VERSION_PATCH 0
#define CAMBER_VERSION_NUMBER                                                                      \
  (CAMBER_VERSION_MAJOR * 10000 + CAMBER_VERSION_MINOR * 100 + CAMBER_VERSION_PATCH)

/* Marks the functions that the shared library exports; all others are hidden. */
#if defined(__GNUC__)
#define CMB_API __attribute__((visibility("default")))
#else
#define CMB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The list of all status codes: name, value, short code for scripts, meaning. */
#define CMB_STATUS_LIST(X)                                                                         \
  X(CMB_OK, 0, "ok", "done")                                                                       \
  X(CMB_RETRY_NONFINITE, 1, "retry-non-finite", "the equations gave a value that is not finite")   \
  X(CMB_RETRY_SINGULAR, 2, "retry-singular", "the constraints lost rank")                          \
  X(CMB_RETRY_MASS, 3, "retry-mass", "the mass matrix is not positive definite")                   \
  X(CMB_RETRY_NEWTON, 4, "retry-newton", "an iteration did not converge")                          \
  X(CMB_RETRY_DOMAIN, 5, "retry-domain", "the equations cannot be evaluated at this state")        \
  X(CMB_RETRY_MATRIX, 6, "retry-matrix", "the matrix of the iteration is singular")                \
  X(CMB_ERROR_MEMORY, -1, "out-of-memory", "memory could not be allocated")                        \
  X(CMB_ERROR_ARGUMENT, -2, "bad-argument", "an argument or option is not acceptable")             \
  X(CMB_ERROR_INPUT, -3, "bad-input", "the input is not acceptable")                               \
  X(CMB_ERROR_IO, -4, "input-output", "a file could not be read or written")                       \
  X(CMB_ERROR_INCONSISTENT, -5, "inconsistent", "no consistent initial values could be found")     \
  X(CMB_ERROR_STEP_SIZE, -6, "step-size", "the step size became too small")                        \
  X(CMB_ERROR_STEP_COUNT, -7, "step-count", "the permitted number of steps is used up")            \
  X(CMB_ERROR_EVENTS, -8, "events", "switching functions change sign without end")                 \
  X(CMB_ERROR_NONFINITE, -9, "non-finite", "a result is not finite")                               \
  X(CMB_ERROR_EQUATIONS, -10, "equations", "the equations could not be evaluated or solved")       \
  X(CMB_ERROR_INTERRUPTED, -11, "interrupted", "the run was interrupted")                          \
  X(CMB_ERROR_DIVERGED, -12, "diverged", "the motion ran away")                                    \
  X(CMB_ERROR_CONTRADICTION, -13, "contradiction", "constraints contradict each other")

typedef enum cmb_status {
#define CMB_STATUS_ENUM(name, value, code, meaning) name = (value),
  CMB_STATUS_LIST(CMB_STATUS_ENUM)
#undef CMB_STATUS_ENUM
} cmb_status;

/* Return the short code ("step-size") and the meaning of a status; "unknown" for a number that is not in the list. */
CMB_API const char *cmb_status_code(cmb_status status);
CMB_API const char *cmb_status_meaning(cmb_status status);

/* Evaluates a call and, unless its status is CMB_OK, returns this status from the calling function. */
#define CMB_TRY(call)                                                                              \
  do {                                                                                             \
    cmb_status cmb_try_status = (call);                                                            \
    if (cmb_try_status != CMB_OK) return cmb_try_status;                                           \
  } while (0)

/* The source of memory. `allocate` returns NULL if there is no memory left; `release` accepts NULL. Both get `user`. */
typedef struct cmb_allocator {
  void *user;
  void *(*allocate)(void *user, size_t size);
  void (*release)(void *user, void *memory);
} cmb_allocator;

typedef enum cmb_log_level { CMB_LOG_DEBUG, CMB_LOG_INFO, CMB_LOG_WARNING } cmb_log_level;
/* Receives a log message, one line without a line end; `user` is the pointer given to cmb_context_set_log. */
typedef void (*cmb_log_function)(void *user, cmb_log_level level, const char *message);

typedef struct cmb_context cmb_context;

/* Creates a context that takes all memory from the given allocator (NULL: malloc and free). Returns NULL if there is no memory, or if
 * the allocator lacks a function. */
CMB_API cmb_context *cmb_context_create(const cmb_allocator *allocator);
/* Frees a context (NULL is allowed); everything that was created with it must have been destroyed before. */
CMB_API void cmb_context_destroy(cmb_context *ctx);

/* Sends log messages to the function `log` from here on; without one (NULL) they are dropped. */
CMB_API void cmb_context_set_log(cmb_context *ctx, cmb_log_function log, void *user);

/* Returns the last failure as a sentence, "" if there was none. For a mistake in a file it is "FILE:LINE:COLUMN: SUBJECT: text". The
 * text is valid until the next failure. Programs need not take it apart: cmb_error_of returns its parts. */
CMB_API const char *cmb_last_error(const cmb_context *ctx);

/* A failure as data. Unknown members are NULL, 0 or NaN. */
typedef struct cmb_error {
  cmb_status status; /* CMB_OK: there was none */
  const char *file;  /* file that was read or written */
  const char *key;   /* place in a model that was made by calls: "bodies/rod/mass" */
  int line, column;  /* place in the file, or in the text of a formula that is in no file; from 1 */
  const char *kind, *name; /* what the failure is about: "joint", "left.pivot"; both or none */
  const char *subject; /* kind and name as text: "joint 'left.pivot'"; a very long name is cut */
  double time;         /* time of the simulation */
  const char *text; /* what is wrong: the sentence without the place and subject in front of it */
} cmb_error;

/* Returns the data of the failure that cmb_last_error describes; never NULL. They are valid until the next failure. */
CMB_API const cmb_error *cmb_error_of(const cmb_context *ctx);

/* Return the version of the library that is running, as a text such as "0.1.0" and as a number to compare with CAMBER_VERSION_NUMBER. */
CMB_API const char *cmb_version(void);
CMB_API int cmb_version_number(void);

#ifdef __cplusplus
}
#endif
#endif
