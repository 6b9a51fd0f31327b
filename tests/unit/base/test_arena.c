/*
 * Tests of the arena (base/arena.h): its pieces are aligned, zeroed and do not overlap; after a failed request all further ones fail.
 */
#include "base/arena.h"
#include "check.h"
#include "failing_allocator.h"
#include "random.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

enum { ALIGNMENT = 64, PIECES = 200, LARGEST = 40000 /* larger than a chunk */ };

struct fixture {
  struct cmbt_allocator memory;
  cmb_context *ctx;
};

static int set_up(void **state)
{
  static struct fixture f;
  cmbt_allocator_init(&f.memory);
  f.ctx = cmb_context_create(&f.memory.hook);
  *state = &f;
  return f.ctx ? 0 : 1;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;
  cmb_context_destroy(f->ctx);
  return f->memory.outstanding == 0 ? 0 : 1; /* every block has been given back */
}

/* Fills each piece with a byte of its own and checks at the end that every piece still holds its bytes. */
static void pieces_are_aligned_zeroed_and_apart(void **state)
{
  struct fixture *f = *state;
  struct cmbt_random random = {1};
  cmb_arena *arena = cmb_arena_create(f->ctx);
  unsigned char *piece[PIECES];
  size_t size[PIECES];
  for (int i = 0; i < PIECES; i++) {
    size[i] = (size_t)cmbt_random_int(&random, 1, i % 10 == 0 ? LARGEST : 100);
    piece[i] = cmb_arena_take(arena, size[i], 1);
    assert_non_null(piece[i]);
    assert_int_equal((uintptr_t)piece[i] % ALIGNMENT, 0);
    for (size_t k = 0; k < size[i]; k++) assert_int_equal(piece[i][k], 0);
    memset(piece[i], i + 1, size[i]);
  }
  for (int i = 0; i < PIECES; i++) {
    for (size_t k = 0; k < size[i]; k++) assert_int_equal(piece[i][k], (unsigned char)(i + 1));
  }
  assert_false(cmb_arena_failed(arena));
  cmb_arena_destroy(arena);
}

static void typed_pieces(void **state)
{
  struct fixture *f = *state;
  cmb_arena *arena = cmb_arena_create(f->ctx);
  double *x = cmb_arena_doubles(arena, 3);
  int *n = cmb_arena_ints(arena, 5);
  char *text = cmb_arena_text(arena, "stabiliser bar");
  assert_true(x[0] == 0 && x[2] == 0);
  assert_true(n[0] == 0 && n[4] == 0);
  assert_string_equal(text, "stabiliser bar");
  assert_string_equal(cmb_arena_text(arena, ""), "");
  cmb_arena_destroy(arena);
}

static void a_piece_of_size_zero_is_valid(void **state)
{
  struct fixture *f = *state;
  cmb_arena *arena = cmb_arena_create(f->ctx);
  void *a = cmb_arena_take(arena, 0, 8), *b = cmb_arena_take(arena, 8, 0),
       *c = cmb_arena_doubles(arena, 0);
  assert_non_null(a);
  assert_non_null(b);
  assert_non_null(c);
  assert_ptr_not_equal(a, b);
  assert_false(cmb_arena_failed(arena));
  cmb_arena_destroy(arena);
  cmb_arena_destroy(NULL);
}

static void a_size_that_overflows_fails(void **state)
{
  struct fixture *f = *state;
  const size_t too_many[][2] = {
      {SIZE_MAX, 8}, {SIZE_MAX / 8 + 1, 8}, {SIZE_MAX, 1}, {SIZE_MAX / 2, 4}};
  for (size_t i = 0; i < sizeof too_many / sizeof too_many[0]; i++) {
    cmb_arena *arena = cmb_arena_create(f->ctx);
    assert_null(cmb_arena_take(arena, too_many[i][0], too_many[i][1]));
    assert_true(cmb_arena_failed(arena));
    cmb_arena_destroy(arena);
  }
  cmb_arena *arena = cmb_arena_create(f->ctx);
  assert_null(cmb_arena_doubles(arena, -1));
  assert_null(cmb_arena_ints(arena, INT_MIN));
  cmb_arena_destroy(arena);
}

/* Refuses the k-th request of the arena to its allocator, for every k. Checks that from then on the arena returns NULL, even where a
 * piece would have fitted into its last chunk, and that destroying it returns all memory. */
static void after_a_failure_all_requests_fail(void **state)
{
  struct fixture *f = *state;
  bool reached_the_end = false;
  for (long k = 1; !reached_the_end; k++) {
    f->memory.calls = f->memory.refused = 0;
    f->memory.fail_at = k;
    cmb_arena *arena = cmb_arena_create(f->ctx);
    bool failed = false;
    for (int i = 0; arena && i < 20; i++) {
      void *piece = cmb_arena_take(arena, i % 3 == 0 ? LARGEST : 8, 1);
      if (f->memory.refused > 0) failed = true;
      assert_int_equal(piece == NULL, failed);
      assert_int_equal(cmb_arena_failed(arena), failed);
    }
    assert_true(f->memory.refused == 0 || failed || !arena);
    reached_the_end = f->memory.refused == 0;
    cmb_arena_destroy(arena);
    assert_int_equal(f->memory.outstanding, 1); /* the context's block */
    assert_true(k < 100);
  }
  f->memory.fail_at = 0;
}

/* Checks that 100 small pieces take at most two requests to the allocator. */
static void small_pieces_share_a_chunk(void **state)
{
  struct fixture *f = *state;
  cmb_arena *arena = cmb_arena_create(f->ctx);
  long before = f->memory.calls;
  for (int i = 0; i < 100; i++) cmb_arena_doubles(arena, 4);
  assert_in_range(f->memory.calls - before, 1, 2);
  cmb_arena_destroy(arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(pieces_are_aligned_zeroed_and_apart, set_up, tear_down),
      cmocka_unit_test_setup_teardown(typed_pieces, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_piece_of_size_zero_is_valid, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_size_that_overflows_fails, set_up, tear_down),
      cmocka_unit_test_setup_teardown(after_a_failure_all_requests_fail, set_up, tear_down),
      cmocka_unit_test_setup_teardown(small_pieces_share_a_chunk, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
