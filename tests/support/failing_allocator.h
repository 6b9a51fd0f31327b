/*
 * An allocator for tests: counts what is asked for and what is not given back, and can refuse the k-th
 * request. Use:
 *
 *     struct cmbt_allocator memory;
 *     cmbt_allocator_init(&memory);
 *     memory.fail_at = k;                                 (0, the default: never refuse)
 *     cmb_context *ctx = cmb_context_create(&memory.hook);
 *     ... create, use, destroy ...
 *     assert_int_equal(memory.outstanding, 0);            (nothing leaked)
 *
 * To walk through every failure of a constructor, repeat with fail_at = 1, 2, ... until a whole pass
 * leaves `refused` at 0. Fresh memory is filled with a byte that is no number anyone expects, so that
 * reading it unset is seen. One allocator belongs to one thread.
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
  size_t bytes, peak; /* bytes in these blocks, and the largest number there ever was */
};

void cmbt_allocator_init(struct cmbt_allocator *a);

#endif
