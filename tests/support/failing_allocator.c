/*
 * The counting and failing allocator of the tests (failing_allocator.h). A header with the size precedes each block; its type
 * keeps the alignment of malloc.
 */
#include "failing_allocator.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { FRESH = 0xA5, RELEASED = 0x5A };

union header {
  size_t size;
  max_align_t align;
};

static void *take(void *user, size_t size)
{
  struct cmbt_allocator *a = user;
  a->calls++;
  int refuse =
      a->fail_at > 0 && (a->calls == a->fail_at || (a->fail_after_too && a->calls > a->fail_at));
  union header *block = refuse ? NULL : malloc(sizeof *block + size);
  if (!block) {
    a->refused++;
    return NULL;
  }
  block->size = size;
  a->outstanding++;
  a->bytes += size;
  if (a->bytes > a->peak) a->peak = a->bytes;
  return memset(block + 1, FRESH, size);
}

static void give_back(void *user, void *memory)
{
  if (!memory) return;
  struct cmbt_allocator *a = user;
  union header *block = (union header *)memory - 1;
  a->outstanding--;
  a->bytes -= block->size;
  memset(memory, RELEASED, block->size);
  free(block);
}

void cmbt_allocator_init(struct cmbt_allocator *a)
{
  memset(a, 0, sizeof *a);
  a->hook = (cmb_allocator){a, take, give_back};
}
