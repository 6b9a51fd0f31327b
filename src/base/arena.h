/*
 * Arena: memory that is allocated piece by piece and freed all at once.
 *
 * Typically an object takes its memory from one arena when it is created. After a failed allocation all later ones fail too: a constructor
 * allocates all its arrays and checks cmb_arena_failed once at the end. Destroying the arena frees the object, so that nothing can leak.
 */
#ifndef CMB_BASE_ARENA_H
#define CMB_BASE_ARENA_H

#include <camber/base.h>
#include <stdbool.h>

typedef struct cmb_arena cmb_arena;

/* Creates an empty arena on the context's allocator. Returns NULL if memory runs out, but sets no error message. */
cmb_arena *cmb_arena_create(cmb_context *ctx);

/* Frees the arena, which may be NULL, with all memory taken from it. */
void cmb_arena_destroy(cmb_arena *arena);

/* Allocate count * size zeroed bytes, aligned to 64 bytes. Return NULL on failure, on overflow and after an earlier failure. A count of 0
 * gives a valid pointer that must not be read. */
void *cmb_arena_take(cmb_arena *arena, size_t count, size_t size);
double *cmb_arena_doubles(cmb_arena *arena, int count);
int *cmb_arena_ints(cmb_arena *arena, int count);
char *cmb_arena_text(cmb_arena *arena, const char *text); /* returns a copy of text */

/* Returns whether an allocation from the arena has failed. */
bool cmb_arena_failed(const cmb_arena *arena);

#endif
