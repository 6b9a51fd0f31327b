/*
 * An allocator for tests: counts requests and blocks that have not been released, and can refuse the k-th request. Use:
 *
 *     struct cmbt_allocator memory;
 *     cmbt_allocator_init(&memory);
 *     memory.fail_at = k;                                 (0, the default: never refuse)
 *     cmb_context *ctx = cmb_context_create(&memory.hook);
 *     ... create, use, destroy ...
 *     assert_int_equal(memory.outstanding, 0);            (nothing leaked)
 *
 * To test every failure of a constructor, repeat with fail_at = 1, 2, ... until a complete run leaves `refused` at 0. New memory is
 * filled with bytes 0xA5, so that reading it before it is set gives wrong results. One allocator belongs to one thread.
 */
#ifndef CMBT_FAILING_ALLOCATOR_H
#define CMBT_FAILING_ALLOCATOR_H

#include <camber/base.h>

struct cmbt_allocator {
  cmb_allocator hook; /* give &hook to cmb_context_create */
  long fail_at;       /* refuse the fail_at-th request, counted from 1; 0: none */
  int fail_after_too; /* nonzero: refuse all later requests as well */
  long calls;         /* requests so far, refused ones included */
  long refused;       /* of these, refused */
  long outstanding;   /* blocks not yet released */
  size_t bytes, peak; /* bytes in these blocks, and their maximum so far */
};

void cmbt_allocator_init(struct cmbt_allocator *a);

#endif
