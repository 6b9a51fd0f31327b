/*
 * Tests of the context (base/context.h): the last error as a sentence and as data, the log, and allocation through the caller's hook.
 */
#include "base/context.h"
#include "check.h"
#include "failing_allocator.h"

#include <stdio.h>
#include <string.h>

enum { LONGER_THAN_ANY_MESSAGE = 5000 };

static void the_last_error_stays_until_the_next(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  assert_non_null(ctx);
  assert_string_equal(cmb_last_error(ctx), "");
  assert_int_equal(cmb_fail(ctx, CMB_ERROR_INPUT, "rod %d has length %g", 7, -2.5),
                   CMB_ERROR_INPUT);
  assert_string_equal(cmb_last_error(ctx), "rod 7 has length -2.5");
  assert_int_equal(cmb_fail(ctx, CMB_RETRY_NEWTON, "second"), CMB_RETRY_NEWTON);
  assert_string_equal(cmb_last_error(ctx), "second");
  assert_int_equal(cmb_fail_memory(ctx), CMB_ERROR_MEMORY);
  assert_string_equal(cmb_last_error(ctx), cmb_status_meaning(CMB_ERROR_MEMORY));
  cmb_forget_error(ctx);
  assert_string_equal(cmb_last_error(ctx), "");
  cmb_context_destroy(ctx);
}

/* A caller that adds the place to an inner function's message passes that message as an argument. */
static void arguments_may_point_into_the_old_message(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_fail(ctx, CMB_ERROR_INPUT, "no such unit");
  const char *old = cmb_last_error(ctx);
  cmb_fail(ctx, CMB_ERROR_INPUT, "car.yaml:12: %s (in \"%s\")", old, old + 8);
  assert_string_equal(cmb_last_error(ctx), "car.yaml:12: no such unit (in \"unit\")");
  cmb_context_destroy(ctx);
}

static void a_message_too_long_is_cut(void **state)
{
  (void)state;
  static char text[LONGER_THAN_ANY_MESSAGE];
  memset(text, 'x', sizeof text - 1);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_fail(ctx, CMB_ERROR_INPUT, "%s", text);
  size_t length = strlen(cmb_last_error(ctx));
  assert_true(length > 200 && length < sizeof text);
  assert_memory_equal(cmb_last_error(ctx), text, length);
  cmb_context_destroy(ctx);
}

static void contexts_do_not_share_errors(void **state)
{
  (void)state;
  cmb_context *a = cmb_context_create(NULL), *b = cmb_context_create(NULL);
  cmb_fail(a, CMB_ERROR_IO, "only a");
  assert_string_equal(cmb_last_error(b), "");
  cmb_context_destroy(a);
  cmb_context_destroy(b);
}

/* ---- the last error as data */

static void the_sentence_has_the_known_parts(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_error *e = cmb_error_of(ctx);
  cmb_about about = cmb_about_place("car.yaml", 12, 7);
  about.kind = "joint";
  about.name = "left.pivot";
  assert_int_equal(cmb_fail_about(ctx, CMB_ERROR_INPUT, about, "no axis (%d)", 3), CMB_ERROR_INPUT);
  assert_string_equal(cmb_last_error(ctx), "car.yaml:12:7: no axis (3)");
  assert_string_equal(e->text, "no axis (3)");
  cmb_fail_about(ctx, CMB_ERROR_INPUT, cmb_about_leading(about), "no axis");
  assert_string_equal(cmb_last_error(ctx), "car.yaml:12:7: joint 'left.pivot': no axis");
  assert_string_equal(e->subject, "joint 'left.pivot'");
  about.lead = "no start";
  cmb_fail_about(ctx, CMB_ERROR_INPUT, cmb_about_leading(about), "no axis");
  assert_string_equal(cmb_last_error(ctx), "car.yaml:12:7: joint 'left.pivot': no start: no axis");
  assert_string_equal(e->text, "no axis");
  cmb_fail_about(ctx, CMB_ERROR_INPUT, cmb_about_place(NULL, 3, 4), "no ')'");
  assert_string_equal(cmb_last_error(ctx), "3:4: no ')'");
  assert_true(!e->file && !e->subject && !e->kind && !e->name && isnan(e->time));
  cmb_fail_about(ctx, CMB_ERROR_IO, cmb_about_file("x.csv"), "cannot write");
  assert_string_equal(cmb_last_error(ctx), "cannot write");
  assert_string_equal(e->file, "x.csv");
  assert_int_equal(e->line, 0);
  cmb_context_destroy(ctx);
}

/* Checks that a new error may be made from the strings of the last one, and that a kind without a name is dropped. */
static void arguments_may_come_from_the_last_error(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_error *e = cmb_error_of(ctx);
  cmb_fail_about(ctx, CMB_ERROR_EVENTS, cmb_about_time(0.5, "event", "hit"), "too late");
  cmb_about about = cmb_about_time(e->time, e->kind, e->name);
  about.file = "run.yaml";
  cmb_fail_about(ctx, CMB_ERROR_EQUATIONS, about, "%s: %s", e->subject, e->text);
  assert_int_equal(e->status, CMB_ERROR_EQUATIONS);
  assert_string_equal(cmb_last_error(ctx), "event 'hit': too late");
  assert_string_equal(e->name, "hit");
  assert_true(e->time == 0.5);
  cmb_fail_about(ctx, CMB_ERROR_EQUATIONS, cmb_about_time(1, "constraint", NULL), "no rank");
  assert_true(!e->kind && !e->name && !e->subject && e->time == 1);
  cmb_context_destroy(ctx);
}

static void a_kept_error_can_be_reported_again(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_error *e = cmb_error_of(ctx);
  cmb_error_record kept;
  cmb_fail_about(ctx, CMB_ERROR_CONTRADICTION, cmb_about_time(2, "constraint", "drive"), "first");
  cmb_error_keep(ctx, CMB_ERROR_CONTRADICTION, &kept);
  cmb_fail_about(ctx, CMB_ERROR_INPUT, cmb_about_place("a.yaml", 1, 2), "second");
  assert_int_equal(cmb_fail_again(ctx, &kept), CMB_ERROR_CONTRADICTION);
  assert_string_equal(cmb_last_error(ctx), "first");
  assert_string_equal(e->name, "drive");
  assert_true(e->time == 2 && !e->file && e->line == 0);
  cmb_fail_further(ctx, "; %s too", "second");
  assert_string_equal(cmb_last_error(ctx), "first; second too");
  assert_string_equal(e->text, "first; second too");
  assert_int_equal(e->status, CMB_ERROR_CONTRADICTION);
  assert_string_equal(kept.sentence, "first");
  cmb_forget_error(ctx);
  assert_true(e->status == CMB_OK && !e->text && !e->name && isnan(e->time));
  assert_string_equal(cmb_last_error(ctx), "");
  cmb_context_destroy(ctx);
}

/* Checks that a path that fills the whole sentence does not shorten the text, the name or the subject, which are cut separately. */
static void long_parts_are_cut_separately(void **state)
{
  (void)state;
  static char text[LONGER_THAN_ANY_MESSAGE];
  memset(text, 'x', sizeof text - 1);
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_error *e = cmb_error_of(ctx);
  cmb_about about = cmb_about_place(text, 1, 2);
  about.kind = "joint";
  about.name = text;
  cmb_fail_about(ctx, CMB_ERROR_INPUT, cmb_about_leading(about), "no axis");
  assert_string_equal(e->text, "no axis");
  const char *const parts[] = {cmb_last_error(ctx), e->file, e->name,
                               e->subject + strlen("joint '")};
  for (int i = 0; i < 4; i++) {
    const size_t length = strlen(parts[i]);
    assert_true(length > 200 && length < sizeof text);
    assert_memory_equal(parts[i], text, i < 3 ? length : length - 1);
  }
  cmb_fail_further(ctx, "; %s", text);
  assert_memory_equal(e->text, "no axis; x", 10);
  assert_true(strlen(e->text) < sizeof text && strlen(cmb_last_error(ctx)) < sizeof text);
  cmb_context_destroy(ctx);
}

struct logged {
  int messages;
  cmb_log_level level;
  char text[LONGER_THAN_ANY_MESSAGE];
};

static void record_message(void *user, cmb_log_level level, const char *message)
{
  struct logged *logged = user;
  logged->messages++;
  logged->level = level;
  snprintf(logged->text, sizeof logged->text, "%s", message);
}

static void log_messages_reach_the_callback(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct logged logged = {0};
  cmb_log(ctx, CMB_LOG_INFO, "no function is set");
  cmb_context_set_log(ctx, record_message, &logged);
  cmb_log(ctx, CMB_LOG_WARNING, "step %d of %s", 3, "caraxis");
  assert_int_equal(logged.messages, 1);
  assert_int_equal(logged.level, CMB_LOG_WARNING);
  assert_string_equal(logged.text, "step 3 of caraxis");
  assert_string_equal(cmb_last_error(ctx), ""); /* a log message is not an error */
  cmb_context_set_log(ctx, NULL, NULL);
  cmb_log(ctx, CMB_LOG_DEBUG, "the function was removed");
  assert_int_equal(logged.messages, 1);
  cmb_context_destroy(ctx);
}

static void memory_comes_zeroed_from_the_hook(void **state)
{
  (void)state;
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  assert_int_equal(memory.outstanding, 1);
  unsigned char *block = cmb_allocate(ctx, 1000);
  assert_non_null(block);
  assert_int_equal(memory.outstanding, 2);
  for (int i = 0; i < 1000; i++) assert_int_equal(block[i], 0);
  cmb_release(ctx, block);
  cmb_release(ctx, NULL);
  cmb_context_destroy(ctx);
  cmb_context_destroy(NULL);
  assert_int_equal(memory.outstanding, 0);
  assert_int_equal(memory.bytes, 0);
}

static void without_memory_there_is_null(void **state)
{
  (void)state;
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  memory.fail_at = 1;
  assert_null(cmb_context_create(&memory.hook));
  assert_int_equal(memory.outstanding, 0);

  cmbt_allocator_init(&memory);
  memory.fail_at = 2;
  cmb_context *ctx = cmb_context_create(&memory.hook);
  assert_null(cmb_allocate(ctx, 8));
  assert_int_equal(cmb_fail_memory(ctx), CMB_ERROR_MEMORY); /* reporting it allocates nothing */
  assert_string_equal(cmb_last_error(ctx), cmb_status_meaning(CMB_ERROR_MEMORY));
  cmb_context_destroy(ctx);
  assert_int_equal(memory.outstanding, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_error_stays_until_the_next),
      cmocka_unit_test(arguments_may_point_into_the_old_message),
      cmocka_unit_test(a_message_too_long_is_cut),
      cmocka_unit_test(contexts_do_not_share_errors),
      cmocka_unit_test(the_sentence_has_the_known_parts),
      cmocka_unit_test(arguments_may_come_from_the_last_error),
      cmocka_unit_test(a_kept_error_can_be_reported_again),
      cmocka_unit_test(long_parts_are_cut_separately),
      cmocka_unit_test(log_messages_reach_the_callback),
      cmocka_unit_test(memory_comes_zeroed_from_the_hook),
      cmocka_unit_test(without_memory_there_is_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
