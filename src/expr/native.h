/*
 * Native code from inside. Four files, in the order of a creation:
 *
 *     native_text.c   the C text of the programs, in units that are compiled one by one
 *     native_cache.c  the folder with what was compiled before: find, check, put, clean up
 *     native_build.c  the compiler: which one, what names it for the cache, running it
 *     native.c        the object itself: load, run, destroy
 *
 * A cache entry is one file, KEY.so: the shared object, and behind it (where no loader looks) the key and a digest of
 * all bytes before. KEY is the digest of everything that the code depends on: text, compiler, options, processor.
 */
#ifndef CMB_EXPR_NATIVE_H
#define CMB_EXPR_NATIVE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/sha256.h"
#include "expr/c_text.h"

/* What the code needs from outside for a program: the value of an instruction that has no C text, and solutions of systems. */
typedef struct cmb_native_special {
  const void *program;
  double (*value)(const void *program, int instruction, double a, double b, double c);
  void (*solve)(const void *program, int instruction, int lanes, const double *operands, double *w,
                double *work); /* so many lanes at a time; w in lanes of the whole program */
} cmb_native_special;

typedef void (*cmb_native_function)(const double *in, double *out, double *work,
                                    const cmb_native_special *special);

/* ---- native_text.c */

typedef struct cmb_native_unit {
  cmb_c_number number;
  cmb_buffer text;
} cmb_native_unit;

/* The units are in `arena`, their texts are to be released. */
typedef struct cmb_native_text {
  int count;
  cmb_native_unit *units;
} cmb_native_text;

cmb_status cmb_native_print(cmb_context *ctx, cmb_arena *arena, int count,
                            const cmb_program *const *programs, bool lanes, cmb_native_text *text);
void cmb_native_text_release(cmb_native_text *text);

enum { CMB_NATIVE_NAME = 32 };

/* The name in the shared object of program i on numbers of this kind. */
void cmb_native_name(int i, cmb_c_number number, char name[CMB_NATIVE_NAME]);

/* ---- native_build.c */

enum { CMB_NATIVE_REASON = 256, CMB_NATIVE_WORDS = 16 };

/* The compiler as it is called, and why native code is not to be had. */
typedef struct cmb_native_compiler {
  cmb_context *ctx;
  cmb_arena *arena;
  int words;
  char *word[CMB_NATIVE_WORDS]; /* the program's path, and options that came with its name */
  int processes;                /* at a time */
  bool for_this_processor;      /* may use all its instructions */
  cmb_sha256 identity;          /* of compiler and processor, for the key */
  char reason[CMB_NATIVE_REASON];
} cmb_native_compiler;

/* Finds the compiler; false and `reason` if there is none. Nothing is run. */
bool cmb_native_find_compiler(cmb_native_compiler *c, const cmb_native_options *options);

void cmb_native_key(const cmb_native_compiler *c, const cmb_native_text *text,
                    uint8_t key[CMB_DIGEST_SIZE]);

/* Compiles and links in `folder`; the result is the file folder/native.so. False and `reason` on failure. */
bool cmb_native_build(cmb_native_compiler *c, const cmb_native_text *text, const char *folder);

/* ---- native_cache.c */

/* The cache folder, made if `make` and there is none; NULL if there is none that is ours alone to write. */
const char *cmb_cache_open(cmb_arena *arena, const char *wanted, bool make);

/* Is the file at `path` a whole entry for the key, ours, and not writable by others? */
bool cmb_cache_check(cmb_context *ctx, const char *path, const uint8_t key[CMB_DIGEST_SIZE]);

/* Makes the shared object at `path` an entry: key and digest behind it, synced, mode 0600. */
bool cmb_cache_seal(cmb_context *ctx, const char *path, const uint8_t key[CMB_DIGEST_SIZE]);

/* Removes a folder and the files in it. */
void cmb_cache_remove_folder(const char *path);

/* Removes what interrupted builds have left behind, and entries that nobody has used for long. */
void cmb_cache_clean(cmb_arena *arena, const char *cache);

/* folder/file, in the arena. NULL without memory. */
char *cmb_join_path(cmb_arena *arena, const char *folder, const char *file);

#define CMB_CACHE_BUILD "build-" /* how the name of a folder for building begins */

#endif
