/*
 * Arena allocator: hands out memory from chunks that are freed all at once (arena.h).
 */
#include "base/arena.h"

#include "base/context.h"

#include <stdint.h>
#include <string.h>

enum { ALIGNMENT = 64, CHUNK_SIZE = 16384 };

struct chunk {
  struct chunk *next;
};

struct cmb_arena {
  cmb_context *ctx;
  struct chunk *chunks;
  char *at, *end; /* the unused part of the newest chunk */
  bool failed;
};

cmb_arena *cmb_arena_create(cmb_context *ctx)
{
  cmb_arena *arena = cmb_allocate(ctx, sizeof *arena);
  if (arena) arena->ctx = ctx;
  return arena;
}

void cmb_arena_destroy(cmb_arena *arena)
{
  if (!arena) return;
  while (arena->chunks) {
    struct chunk *next = arena->chunks->next;
    cmb_release(arena->ctx, arena->chunks);
    arena->chunks = next;
  }
  cmb_release(arena->ctx, arena);
}

/* Adds a chunk of memory with at least `size` usable bytes, aligned to 64 bytes and not initialised, to the arena and makes it the one to
 * allocate from. Returns false if memory runs out. */
static bool grow(cmb_arena *arena, size_t size)
{
  size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;
  struct chunk *chunk = cmb_allocate_raw(arena->ctx, sizeof *chunk + ALIGNMENT + room);
  if (!chunk) return false;
  chunk->next = arena->chunks;
  arena->chunks = chunk;
  uintptr_t first = (uintptr_t)(chunk + 1);
  size_t skip = (ALIGNMENT - first % ALIGNMENT) % ALIGNMENT;
  arena->at = (char *)(chunk + 1) + skip;
  arena->end = arena->at + room;
  return true;
}

void *cmb_arena_take(cmb_arena *arena, size_t count, size_t size)
{
  if (arena->failed || (size > 0 && count > (SIZE_MAX / 2) / size)) {
    arena->failed = true;
    return NULL;
  }
  size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (bytes == 0) bytes = ALIGNMENT;
  if ((size_t)(arena->end - arena->at) < bytes && !grow(arena, bytes)) {
    arena->failed = true;
    return NULL;
  }
  void *memory = memset(arena->at, 0, bytes);
  arena->at += bytes;
  return memory;
}

double *cmb_arena_doubles(cmb_arena *arena, int count)
{
  return cmb_arena_take(arena, (size_t)count, sizeof(double));
}

int *cmb_arena_ints(cmb_arena *arena, int count)
{
  return cmb_arena_take(arena, (size_t)count, sizeof(int));
}

char *cmb_arena_text(cmb_arena *arena, const char *text)
{
  size_t length = strlen(text) + 1;
  char *copy = cmb_arena_take(arena, length, 1);
  if (copy) memcpy(copy, text, length);
  return copy;
}

bool cmb_arena_failed(const cmb_arena *arena)
{
  return arena->failed;
}
