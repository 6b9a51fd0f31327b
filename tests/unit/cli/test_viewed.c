/*
 * Tests `camber view` when memory runs out: the command is repeated, and in each repetition another one of the program's own requests for
 * memory (malloc, calloc, realloc, strdup, strndup) fails. Either the page is complete and the exit code is CLI_DONE, or there is no page
 * and the exit code is another one. The linker replaces the functions of the C library by those below (--wrap).
 */
#include "cli/cli.h"

#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
  long calls, fail_at; /* number of requests so far, number of the one that fails; 0: none */
} memory;

/* Counts a request for memory; returns whether it has to fail, with errno ENOMEM. */
static bool is_refused(void)
{
  if (++memory.calls != memory.fail_at) return false;
  errno = ENOMEM;
  return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t most);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t most);

void *__wrap_malloc(size_t size)
{
  return is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  return is_refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
  return is_refused() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
  return is_refused() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t most)
{
  return is_refused() ? NULL : __real_strndup(text, most);
}

static int carry_out(int count, char **words)
{
  struct cli_arguments arguments;
  const int parsed = cli_parse(count, words, &arguments);
  return cli_carry_out(&arguments, parsed);
}

enum { PAGE_ROOM = 1 << 20 };

static bool is_in_page(const char *path, const char *words)
{
  static char text[PAGE_ROOM];
  FILE *from = fopen(path, "r");
  assert_non_null(from);
  const size_t length = fread(text, 1, PAGE_ROOM - 1, from);
  text[length] = '\0';
  fclose(from);
  return strstr(text, words) != NULL;
}

/* Carries out a command once to count its requests for memory, then once for each request that fails. Each page contains this `part`. */
static void refuse_each(int count, char **words, const char *page, const char *part)
{
  memory.fail_at = 0;
  memory.calls = 0;
  assert_int_equal(carry_out(count, words), CLI_DONE);
  const long all = memory.calls;
  assert_int_equal(unlink(page), 0);
  for (long k = 1; k <= all; k++) {
    memory.calls = 0;
    memory.fail_at = k;
    const int code = carry_out(count, words);
    memory.fail_at = 0;
    const bool exists = access(page, F_OK) == 0;
    if (exists != (code == CLI_DONE))
      print_error("request %ld of %ld: exit code %d\n", k, all, code);
    assert_true(exists == (code == CLI_DONE));
    if (!exists) continue;
    assert_true(is_in_page(page, part));
    unlink(page);
  }
}

static void test_plots(void **state)
{
  char *words[] = {"camber", "view", "a.csv", "b.csv", "-o", "page.html", "--quiet", NULL};
  (void)state;
  refuse_each(7, words, "page.html", "viewer();");
}

static void test_motion(void **state)
{
  char *words[] = {"camber",       "view", "a.csv",     "b.csv",   "--model",
                   "./swing.yaml", "-o",   "page.html", "--quiet", NULL};
  (void)state;
  refuse_each(9, words, "page.html", "viewer();");
}

/* Makes a result with events in this format, then shows it: without the events there is no page. */
static void show_result(char *name)
{
  char *run[] = {"camber", "run",     "./swing.yaml", "--t-end", "0.2", "--every",
                 "0.1",    "--quiet", "--out",        name,      NULL};
  char *words[] = {"camber", "view", name, "-o", "page.html", "--quiet", NULL};
  memory.fail_at = 0;
  assert_int_equal(carry_out(10, run), CLI_DONE);
  refuse_each(6, words, "page.html", "\"falls\"");
}

static void test_result_mat(void **state)
{
  (void)state;
  show_result("m.mat");
}

static void write_file(const char *path, const char *text)
{
  FILE *to = fopen(path, "w");
  assert_non_null(to);
  fputs(text, to);
  assert_int_equal(fclose(to), 0);
}

static int prepare(void **state)
{
  (void)state;
  write_file("viewer.js", "viewer();\n");
  write_file("a.csv", "t,phi,phi'\n0,1,0\n0.1,0.9,-1\n0.2,0.7,-2\n");
  write_file("b.csv", "t,phi,phi'\n0,1,0\n0.1,0.8,-1\n0.2,0.6,-2\n");
  write_file("swing.yaml", "bodies: {b: {mass: 1, com: [0, 0, -1]}}\n"
                           "joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, "
                           "coordinates: [phi], start: 1}}\n"
                           "events: {passes: {when: phi < 0.95}, falls: {when: phi < 0.9}}\n");
  assert_int_equal(setenv("CAMBER_VIEWER", "viewer.js", 1), 0);
  assert_non_null(freopen("messages", "w", stderr)); /* hundreds of error messages */
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_plots), cmocka_unit_test(test_motion),
                                     cmocka_unit_test(test_result_mat)};
  return cmocka_run_group_tests(tests, prepare, NULL);
}
