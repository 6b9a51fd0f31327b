/*
 * Arena: memory that is handed out piece by piece and given back all at once.
 *
 * An object takes everything it needs from one arena when it is created. A failed allocation sticks:
 * ask for all the arrays, then look once at cmb_arena_failed. That keeps constructors short and makes
 * a leak impossible: destroying the arena is destroying the object.
 */
#ifndef CMB_BASE_ARENA_H
#define CMB_BASE_ARENA_H

#include <camber/base.h>
#include <stdbool.h>

typedef struct cmb_arena cmb_arena;

/* An empty arena on the context's allocator, NULL without memory. */
cmb_arena *cmb_arena_create(cmb_context *ctx);
void cmb_arena_destroy(cmb_arena *arena);

/* count * size zeroed bytes, aligned to 64; NULL on failure, on overflow and after an earlier failure.
 * A count of 0 gives a valid pointer that must not be read. */
void *cmb_arena_take(cmb_arena *arena, size_t count, size_t size);
double *cmb_arena_doubles(cmb_arena *arena, int count);
int *cmb_arena_ints(cmb_arena *arena, int count);
char *cmb_arena_text(cmb_arena *arena, const char *text); /* a copy */

bool cmb_arena_failed(const cmb_arena *arena);

#endif
