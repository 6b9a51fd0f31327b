/*
 * The internals of compiled programs (cmb_native_create). Four files, in the order in which a creation uses them:
 *
 *     native_text.c   the C text of the programs, in units that are compiled one by one
 *     native_cache.c  the folder with code compiled earlier: find, check, store, clean up
 *     native_build.c  the compiler: which one, its identity for the cache, running it
 *     native.c        the object itself: load, run, destroy
 *
 * A cache entry is one file, KEY.so: the shared object, followed by (where no loader reads) the key and a digest of all bytes before. KEY
 * is the digest of everything that the code depends on: text, compiler, options, processor.
 */
#ifndef CMB_EXPR_NATIVE_H
#define CMB_EXPR_NATIVE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/sha256.h"
#include "expr/c_text.h"

/* The callbacks that compiled code needs for a program: `value` evaluates an instruction that has no C text; `solve` solves a system of
 * equations for `lanes` sets of operands at a time (for more than one, each unknown in w has CMB_LANES entries). */
typedef struct cmb_native_special {
  const void *program;
  double (*value)(const void *program, int instruction, double a, double b, double c);
  void (*solve)(const void *program, int instruction, int lanes, const double *operands, double *w,
                double *work);
} cmb_native_special;

typedef void (*cmb_native_function)(const double *in, double *out, double *work,
                                    const cmb_native_special *special);

/* ---- native_text.c */

typedef struct cmb_native_unit {
  cmb_c_number number;
  cmb_buffer text;
} cmb_native_unit;

/* The units are in an arena; their texts have to be released by cmb_native_text_release. */
typedef struct cmb_native_text {
  int count;
  cmb_native_unit *units;
} cmb_native_text;

cmb_status cmb_native_print(cmb_context *ctx, cmb_arena *arena, int count,
                            const cmb_program *const *programs, bool lanes, cmb_native_text *text);
void cmb_native_text_release(cmb_native_text *text);

enum { CMB_NATIVE_NAME = 32 };

/* Writes the name of the function of program i in the shared object to `name`, for doubles or for vectors of doubles (lanes). */
void cmb_native_name(int i, cmb_c_number number, char name[CMB_NATIVE_NAME]);

/* ---- native_build.c */

enum { CMB_NATIVE_REASON = 256, CMB_NATIVE_WORDS = 16 };

/* The compiler's command, and after a failure the reason why native code is not available. */
typedef struct cmb_native_compiler {
  cmb_context *ctx;
  cmb_arena *arena;
  int words;
  char *word[CMB_NATIVE_WORDS]; /* path of the program, and options given with its name */
  int processes;                /* compilers that run at a time */
  bool for_this_processor;      /* the compiler may use all instructions of this processor */
  cmb_sha256 identity;          /* digest of compiler and processor, for the key */
  char reason[CMB_NATIVE_REASON];
} cmb_native_compiler;

/* Finds the compiler, without running it, and sets the members of *c; returns false, with c->reason, if there is none. */
bool cmb_native_find_compiler(cmb_native_compiler *c, const cmb_native_options *options);

void cmb_native_key(const cmb_native_compiler *c, const cmb_native_text *text,
                    uint8_t key[CMB_DIGEST_SIZE]);

/* Compiles and links all units of `text` in `folder`; the result is the file folder/native.so. Returns false, with c->reason, on failure. */
bool cmb_native_build(cmb_native_compiler *c, const cmb_native_text *text, const char *folder);

/* ---- native_cache.c */

/* Returns the path of the cache folder, which is created if it is missing; NULL if there is none that belongs to the user and only the user
 * can write to. */
const char *cmb_cache_open(cmb_arena *arena, const char *wanted);

/* Returns whether the file at `path` is a complete cache entry for the key, belongs to the user and is not writable by others; if so, marks
 * it as used now. */
bool cmb_cache_check(cmb_context *ctx, const char *path, const uint8_t key[CMB_DIGEST_SIZE]);

/* Turns the shared object at `path` into a cache entry: appends key and digest, sets the mode 0600 and waits until all is on the disk.
 * Returns whether this succeeded. */
bool cmb_cache_seal(cmb_context *ctx, const char *path, const uint8_t key[CMB_DIGEST_SIZE]);

/* Removes the folder `path` and the files in it. Errors are ignored: a folder that contains folders stays. */
void cmb_cache_remove_folder(const char *path);

/* Removes from the folder `cache` the folders of interrupted builds and the entries that have not been used for long. */
void cmb_cache_clean(cmb_arena *arena, const char *cache);

/* Returns the path folder/file, allocated in the arena; NULL if out of memory. */
char *cmb_join_path(cmb_arena *arena, const char *folder, const char *file);

#define CMB_CACHE_BUILD "build-" /* beginning of the names of folders for building */

#endif
