/*
 * Tests of native code (include/camber/expr.h): it computes the same bits as the interpreter; a compiler that is missing or fails; a cache
 * folder that is missing, belongs to another user, is damaged, is used by several processes, or contains files of a killed process.
 */
#include "check.h"
#include "failing_allocator.h"
#include "native_case.h"
#include "random.h"
#include "random_system.h"

#include "expr/program.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct fixture {
  cmb_context *ctx;
  char folder[256], cache[300];
  char counting[512],
      calls[300]; /* a compiler that adds a line to a file at each call, and that file */
  cmb_program *p; /* a small program */
  int warnings;
  char warning[300];
};

static void record_warning(void *user, cmb_log_level level, const char *message)
{
  struct fixture *f = user;
  if (level != CMB_LOG_WARNING) return;
  f->warnings++;
  (void)snprintf(f->warning, sizeof f->warning, "%s", message);
}

static int setup(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  char text[1024];
  assert_non_null(f);
  unsetenv("CC");
  f->ctx = cmb_context_create(NULL);
  cmb_context_set_log(f->ctx, record_warning, f);
  cmbt_make_folder(f->folder);
  (void)snprintf(f->cache, sizeof f->cache, "%s/a/cache", f->folder);
  (void)snprintf(f->calls, sizeof f->calls, "%s/calls", f->folder);
  (void)snprintf(text, sizeof text, "echo call >> '%s'\nexec cc \"$@\"", f->calls);
  cmbt_make_script(f->folder, "counting", text, f->counting);
  f->p = cmbt_random_program(f->ctx, 3, 4, 10);
  *state = f;
  return 0;
}

static int teardown(void **state)
{
  struct fixture *f = *state;
  cmb_program_destroy(f->p);
  cmb_context_destroy(f->ctx);
  cmbt_remove_folder(f->folder);
  free(f);
  return 0;
}

static int count_calls(const struct fixture *f)
{
  FILE *file = fopen(f->calls, "r");
  int lines = 0;
  if (!file) return 0;
  for (int c = getc(file); c != EOF; c = getc(file)) lines += c == '\n';
  (void)fclose(file);
  return lines;
}

/* Creates native code of the small program, compares it with the interpreter, and returns where it came from. */
static cmb_native_origin make(struct fixture *f, const char *compiler, const char *cache)
{
  cmb_native_options options = {.compiler = compiler, .cache = cache, .no_lanes = true};
  const cmb_program *programs[] = {f->p};
  cmb_native *n;
  cmbt_ok(f->ctx, cmb_native_create(f->ctx, 1, programs, &options, &n));
  cmbt_compare_native(n, 0, f->p, 3);
  cmb_native_origin origin = cmb_native_where_from(n);
  cmb_native_destroy(n);
  return origin;
}

/* Returns the number of files in the cache whose name contains `ending`; sets the path of one of them, unless `path` is NULL. */
static int find_files(const char *cache, const char *ending, char path[600])
{
  DIR *folder = opendir(cache);
  int count = 0;
  if (!folder) return 0;
  for (const struct dirent *e = readdir(folder); e; e = readdir(folder)) {
    const char *at = strstr(e->d_name, ending);
    if (!at) continue;
    count++;
    if (path) (void)snprintf(path, 600, "%.330s/%.260s", cache, e->d_name);
  }
  closedir(folder);
  return count;
}

/* ---- the same bits */

static void test_random_expressions(void **state)
{
  struct fixture *f = *state;
  enum { PROGRAMS = 4, EACH = 500 };
  cmb_native_options options = {.cache = f->cache};
  cmb_program *programs[PROGRAMS];
  cmb_native *n;
  for (int i = 0; i < PROGRAMS; i++)
    programs[i] = cmbt_random_program(f->ctx, 100 + (uint64_t)i, EACH, 5 + 3 * i);
  cmbt_ok(f->ctx,
          cmb_native_create(f->ctx, PROGRAMS, (const cmb_program *const *)programs, &options, &n));
  assert_int_equal(cmb_native_where_from(n), CMB_NATIVE_COMPILED);
  for (int i = 0; i < PROGRAMS; i++) cmbt_compare_native(n, i, programs[i], 50);
  cmb_native_destroy(n);
  for (int i = 0; i < PROGRAMS; i++) cmb_program_destroy(programs[i]);
}

/* Compares programs with implicit functions, their derivatives, and implicit functions of such functions. */
static void test_solutions(void **state)
{
  struct fixture *f = *state;
  cmb_program *p = cmbt_system_program(f->ctx, 5);
  const cmb_program *programs[] = {p};
  cmb_native_options options = {.cache = f->cache};
  cmb_native *n;
  cmbt_ok(f->ctx, cmb_native_create(f->ctx, 1, programs, &options, &n));
  assert_int_equal(cmb_native_where_from(n), CMB_NATIVE_COMPILED);
  cmbt_compare_native(n, 0, p, 100);
  cmb_native_destroy(n);
  cmb_program_destroy(p);
}

static void test_long_program(void **state)
{
  struct fixture *f = *state;
  cmb_program *p = cmbt_chain_program(f->ctx, 30000);
  const cmb_program *programs[] = {p};
  cmb_native_options options = {.cache = f->cache};
  cmb_native *n;
  assert_in_range(cmb_program_instructions(p), 28000, 33000);
  cmbt_ok(f->ctx, cmb_native_create(f->ctx, 1, programs, &options, &n));
  assert_int_equal(cmb_native_where_from(n), CMB_NATIVE_COMPILED);
  cmbt_compare_native(n, 0, p, 20);
  cmb_native_destroy(n);
  cmb_program_destroy(p);
}

/* Compares every operation of the table alone, for many arguments. */
static void test_each_operation(void **state)
{
  struct fixture *f = *state;
  cmb_graph *g;
  cmb_program *p;
  cmb_expr x[3], y[2 * CMB_OPS];
  int outputs = 0;
  cmbt_ok(f->ctx, cmb_graph_create(f->ctx, &g));
  for (int i = 0; i < 3; i++) x[i] = cmb_input(g, (const char *[]){"a", "b", "c"}[i]);
#define APPLY(name, text, arity, value)                                                            \
  y[outputs++] = cmb_apply(g, CMB_OP_##name, x[0], x[1], x[2]);                                    \
  y[outputs++] = cmb_apply(g, CMB_OP_##name, x[0], cmb_constant(g, 2), x[2]);
  CMB_OP_LIST(APPLY)
#undef APPLY
  cmbt_ok(f->ctx, cmb_program_create(f->ctx, g, 3, x, outputs, y, &p));
  const cmb_program *programs[] = {p};
  cmb_native_options options = {.cache = f->cache};
  cmb_native *n;
  cmbt_ok(f->ctx, cmb_native_create(f->ctx, 1, programs, &options, &n));
  assert_int_equal(cmb_native_where_from(n), CMB_NATIVE_COMPILED);
  cmbt_compare_native(n, 0, p, 2000);
  cmb_native_destroy(n);
  cmb_program_destroy(p);
  cmb_graph_destroy(g);
}

/* Compares the code of all installed compilers, also with narrower vector registers than this processor may have: the lanes are then
 * computed in several passes. */
static void test_compilers(void **state)
{
  struct fixture *f = *state;
  static const char *const compilers[] = {"/usr/bin/gcc", "/usr/bin/clang",
#ifdef __x86_64__
                                          "/usr/bin/gcc -mno-avx512f", "/usr/bin/gcc -mno-avx",
                                          "/usr/bin/clang -mno-avx"
#endif
  };
  cmb_program *p = cmbt_random_program(f->ctx, 9, 50, 10);
  const cmb_program *programs[] = {p};
  for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++) {
    char path[32];
    (void)snprintf(path, sizeof path, "%.*s", (int)strcspn(compilers[i], " "), compilers[i]);
    if (access(path, X_OK) != 0) continue;
    cmb_native_options options = {.cache = f->cache, .compiler = compilers[i]};
    cmb_native *n;
    cmbt_ok(f->ctx, cmb_native_create(f->ctx, 1, programs, &options, &n));
    assert_int_equal(cmb_native_where_from(n), CMB_NATIVE_COMPILED);
    cmbt_compare_native(n, 0, p, 50);
    cmb_native_destroy(n);
  }
  cmb_program_destroy(p);
}

/* Compares programs whose outputs are inputs, constants or equal to each other, one without instructions and one without outputs; with and
 * without lanes. */
static void test_plain_outputs(void **state)
{
  struct fixture *f = *state;
  cmb_graph *g;
  cmb_program *p[3];
  cmbt_ok(f->ctx, cmb_graph_create(f->ctx, &g));
  cmb_expr x = cmb_input(g, "x"), s = cmb_apply(g, CMB_OP_SIN, x, 0, 0);
  cmb_expr y[] = {x, cmb_constant(g, -0.1), s, s, 0, cmb_constant(g, 1e300), cmb_constant(g, -2)};
  cmbt_ok(f->ctx, cmb_program_create(f->ctx, g, 1, &x, 7, y, &p[0]));
  cmbt_ok(f->ctx, cmb_program_create(f->ctx, g, 1, &x, 2, y, &p[1]));
  cmbt_ok(f->ctx, cmb_program_create(f->ctx, g, 0, NULL, 0, NULL, &p[2]));
  for (int no_lanes = 0; no_lanes < 2; no_lanes++) {
    cmb_native_options options = {.cache = f->cache, .no_lanes = no_lanes};
    cmb_native *n;
    cmbt_ok(f->ctx, cmb_native_create(f->ctx, 3, (const cmb_program *const *)p, &options, &n));
    assert_int_equal(cmb_native_where_from(n), CMB_NATIVE_COMPILED);
    for (int i = 0; i < 3; i++) cmbt_compare_native(n, i, p[i], 3);
    cmb_native_destroy(n);
  }
  for (int i = 0; i < 3; i++) cmb_program_destroy(p[i]);
  cmb_graph_destroy(g);
}

static double blend(const void *user, const double *x)
{
  return *(const double *)user * x[0] + x[1] * x[1];
}

/* Compares programs with tables and C functions. */
static void test_tables_and_functions(void **state)
{
  struct fixture *f = *state;
  static const double at[] = {-1, 0, 2, 5}, values[] = {3, 1, -2, 4}, factor = 0.3;
  static const cmb_external external = {
      .name = "blend", .arity = 2, .value = blend, .user = &factor};
  cmb_graph *g;
  static const cmb_wave wave[2] = {{1, 0.3, -0.2, 0.1}, {-0.5, 2, 0.7, 0}};
  cmb_table *table, *waves;
  cmb_program *p;
  cmbt_ok(f->ctx, cmb_graph_create(f->ctx, &g));
  cmbt_ok(f->ctx, cmb_table_create(f->ctx, CMB_TABLE_SPLINE, 4, at, values, &table));
  cmbt_ok(f->ctx, cmb_waves_create(f->ctx, 2, wave, &waves));
  cmb_expr x[] = {cmb_input(g, "x"), cmb_input(g, "y")};
  cmb_expr y[] = {cmb_table_apply(g, table, cmb_apply(g, CMB_OP_SIN, x[0], 0, 0)),
                  cmb_external_apply(g, &external, x), 0, cmb_table2_apply(g, waves, x[0], x[1]),
                  0};
  const cmb_expr one = cmb_constant(g, 1);
  cmbt_ok(f->ctx, cmb_forward(g, 1, x, &one, 1, &y[3], &y[4]));
  y[2] = cmb_apply(g, CMB_OP_MUL, y[0], y[1], 0);
  cmbt_ok(f->ctx, cmb_program_create(f->ctx, g, 2, x, 5, y, &p));
  const cmb_program *programs[] = {p};
  cmb_native_options options = {.cache = f->cache};
  cmb_native *n;
  cmbt_ok(f->ctx, cmb_native_create(f->ctx, 1, programs, &options, &n));
  assert_int_equal(cmb_native_where_from(n), CMB_NATIVE_COMPILED);
  cmbt_compare_native(n, 0, p, 100);
  cmb_native_destroy(n);
  cmb_program_destroy(p);
  cmb_table_destroy(table);
  cmb_table_destroy(waves);
  cmb_graph_destroy(g);
}

/* ---- the compiler */

static void test_missing_compiler(void **state)
{
  struct fixture *f = *state;
  assert_int_equal(make(f, "/nonexistent", f->cache), CMB_NATIVE_INTERPRETED);
  assert_int_equal(f->warnings, 1);
  assert_non_null(strstr(f->warning, "/nonexistent"));
  setenv("CC", "/nonexistent-either", 1);
  assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_INTERPRETED);
  assert_non_null(strstr(f->warning, "/nonexistent-either"));
  assert_int_equal(make(f, "no-such-compiler-in-the-path", f->cache), CMB_NATIVE_INTERPRETED);
  unsetenv("CC");
  assert_int_equal(f->warnings, 3);
}

static void test_compiler_from_environment(void **state)
{
  struct fixture *f = *state;
  char words[600];
  (void)snprintf(words, sizeof words, "  %s  -g0 ", f->counting);
  setenv("CC", words, 1);
  setenv("CAMBER_CACHE", f->cache, 1);
  assert_int_equal(make(f, NULL, NULL), CMB_NATIVE_COMPILED);
  assert_int_equal(make(f, NULL, NULL), CMB_NATIVE_CACHED);
  unsetenv("CC");
  unsetenv("CAMBER_CACHE");
  assert_int_equal(f->warnings, 0);
  assert_true(count_calls(f) > 0);
}

/* Checks that the interpreter is used, with a warning, if the compiler reports an error, claims success without writing a file, writes
 * rubbish, or is killed; nothing is left in the cache. */
static void test_failing_compiler(void **state)
{
  struct fixture *f = *state;
  static const struct {
    const char *script, *words;
  } cases[] = {
      {"echo a note\necho 'x.c:1: error: too hot today'\necho more\nexit 3", "too hot today"},
      {"echo first line\necho second line\nexit 1", "exit code 1: first line"},
      {"exit 0", ""},
      {"while [ $# -gt 1 ]; do if [ \"$1\" = -o ]; then echo rubbish > \"$2\"; fi; shift; done",
       ""},
      {"kill -9 $$", "137"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char compiler[512], name[32];
    (void)snprintf(name, sizeof name, "failing%zu", i);
    cmbt_make_script(f->folder, name, cases[i].script, compiler);
    assert_int_equal(make(f, compiler, f->cache), CMB_NATIVE_INTERPRETED);
    assert_int_equal(f->warnings, (int)i + 1);
    assert_non_null(strstr(f->warning, cases[i].words));
    assert_int_equal(find_files(f->cache, "", NULL), 2); /* only . and .. */
  }
}

static void test_out_of_memory(void **state)
{
  struct fixture *f = *state;
  assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_COMPILED);
  const cmb_program *programs[] = {f->p};
  for (int compiler = 0; compiler < 2; compiler++) {
    for (long k = 1;; k++) {
      struct cmbt_allocator memory;
      cmb_native_options options = {
          .cache = f->cache, .compiler = compiler ? "/nonexistent" : NULL, .no_lanes = true};
      cmb_native *n;
      cmbt_allocator_init(&memory);
      cmb_context *ctx = cmb_context_create(&memory.hook);
      memory.fail_at = memory.calls + k;
      cmb_status status = cmb_native_create(ctx, 1, programs, &options, &n);
      bool refused = memory.refused > 0;
      if (status == CMB_OK) {
        cmbt_compare_native(n, 0, f->p, 1);
      } else {
        assert_int_equal(status, CMB_ERROR_MEMORY);
        assert_null(n);
      }
      cmb_native_destroy(n);
      cmb_context_destroy(ctx);
      assert_int_equal(memory.outstanding, 0);
      if (!refused) break;
    }
  }
}

/* ---- the cache */

static void test_hit_runs_no_compiler(void **state)
{
  struct fixture *f = *state;
  assert_int_equal(make(f, f->counting, f->cache), CMB_NATIVE_COMPILED);
  int calls = count_calls(f);
  assert_true(calls > 0);
  assert_int_equal(make(f, f->counting, f->cache), CMB_NATIVE_CACHED);
  assert_int_equal(count_calls(f), calls);
  struct stat info;
  char entry[600];
  assert_int_equal(stat(f->cache, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
  assert_int_equal(find_files(f->cache, ".so", entry), 1);
  assert_int_equal(find_files(f->cache, "", NULL), 3); /* the library, . and .. */
  assert_int_equal(stat(entry, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
}

/* Checks that another compiler, or the same one after a change, gives another entry. */
static void test_changed_compiler(void **state)
{
  struct fixture *f = *state;
  assert_int_equal(make(f, f->counting, f->cache), CMB_NATIVE_COMPILED);
  assert_int_equal(make(f, "cc", f->cache), CMB_NATIVE_COMPILED);
  struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
  assert_int_equal(utimensat(AT_FDCWD, f->counting, old, 0), 0);
  assert_int_equal(make(f, f->counting, f->cache), CMB_NATIVE_COMPILED);
  assert_int_equal(find_files(f->cache, ".so", NULL), 3);
}

/* Folders that cannot be used as a cache: checks that the code is compiled all the same and nothing is stored there. */
static void test_unusable_folder(void **state)
{
  struct fixture *f = *state;
  char path[600];
  (void)snprintf(path, sizeof path, "%s/below", f->counting); /* a file, not a folder */
  assert_int_equal(make(f, NULL, path), CMB_NATIVE_COMPILED);
  (void)snprintf(path, sizeof path, "%s/open", f->folder);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(chmod(path, 0777), 0);
  assert_int_equal(make(f, NULL, path), CMB_NATIVE_COMPILED);
  assert_int_equal(chmod(path, 0500), 0);
  assert_int_equal(make(f, NULL, path), CMB_NATIVE_COMPILED);
  assert_int_equal(find_files(path, ".so", NULL),
                   geteuid() == 0 ? 1 : 0); /* root may write there */
  assert_int_equal(chmod(path, 0700), 0);
  if (geteuid() == 0) {
    (void)snprintf(path, sizeof path, "%s/foreign", f->folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(chown(path, 65534, 65534), 0);
    assert_int_equal(make(f, NULL, path), CMB_NATIVE_COMPILED);
    assert_int_equal(find_files(path, ".so", NULL), 0);
  }
  assert_int_equal(f->warnings, 0);
}

static void flip(const char *path, long offset)
{
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, offset, offset < 0 ? SEEK_END : SEEK_SET), 0);
  int c = getc(file);
  assert_int_equal(fseek(file, -1, SEEK_CUR), 0);
  assert_int_equal(putc(c ^ 1, file), c ^ 1);
  assert_int_equal(fclose(file), 0);
}

static void copy_file(const char *from, const char *to)
{
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  assert_non_null(in);
  assert_non_null(out);
  for (int c = getc(in); c != EOF; c = getc(in)) assert_int_equal(putc(c, out), c);
  assert_int_equal(fclose(in) + fclose(out), 0);
}

/* Checks that every kind of damage is recognised and the entry is made again. */
static void test_damaged_entries(void **state)
{
  struct fixture *f = *state;
  char entry[600], other[600], kept[700];
  cmb_program *small = f->p;
  f->p = cmbt_random_program(f->ctx, 4, 3, 8);
  assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_COMPILED);
  assert_int_equal(find_files(f->cache, ".so", other), 1);
  (void)snprintf(kept, sizeof kept, "%.300s/other", f->folder);
  assert_int_equal(rename(other, kept), 0);
  cmb_program_destroy(f->p);
  f->p = small;
  assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_COMPILED);
  assert_int_equal(find_files(f->cache, ".so", entry), 1);
  static const long offsets[] = {0, 16, 64, 4096, -200, -73, -72, -50, -1};
  for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
    flip(entry, offsets[i]);
    assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_COMPILED);
    assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_CACHED);
  }
  static const off_t lengths[] = {0, 10, 72, 73, 1000, 8000};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    assert_int_equal(truncate(entry, lengths[i]), 0);
    assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_COMPILED);
  }
  copy_file(kept, entry); /* an undamaged entry of another program */
  assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_COMPILED);
  assert_int_equal(chmod(entry, 0622), 0);
  assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_COMPILED);
  if (geteuid() == 0) {
    assert_int_equal(chown(entry, 65534, 65534), 0);
    assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_COMPILED);
  }
  assert_int_equal(rename(entry, kept), 0);
  assert_int_equal(symlink(kept, entry), 0);
  assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_COMPILED);
  assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_CACHED);
  assert_int_equal(f->warnings, 0);
}

static void test_leftovers(void **state)
{
  struct fixture *f = *state;
  char path[400], old_folder[400], young_folder[400];
  assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_COMPILED);
  (void)snprintf(old_folder, sizeof old_folder, "%s/build-old", f->cache);
  (void)snprintf(young_folder, sizeof young_folder, "%s/build-young", f->cache);
  (void)snprintf(path, sizeof path, "%s/build-old/unit0.c", f->cache);
  assert_int_equal(mkdir(old_folder, 0700) + mkdir(young_folder, 0700), 0);
  copy_file(f->counting, path);
  struct timespec two_hours[2] = {{.tv_sec = time(NULL) - 7200}, {.tv_sec = time(NULL) - 7200}};
  assert_int_equal(utimensat(AT_FDCWD, old_folder, two_hours, 0), 0);
  assert_int_equal(make(f, f->counting, f->cache), CMB_NATIVE_COMPILED);
  assert_int_equal(access(old_folder, F_OK), -1);
  assert_int_equal(access(young_folder, F_OK), 0);
}

/* Makes native code in a child process, whose exit code is 0 if the code was native and right. Returns the process. */
static pid_t make_in_child(struct fixture *f, const cmb_program *p)
{
  pid_t child = fork();
  assert_true(child >= 0);
  if (child > 0) return child;
  cmb_native_options options = {.cache = f->cache, .no_lanes = true};
  cmb_native *n;
  double in[CMBT_CASE_INPUTS] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, a[64], b[64], work[4096];
  bool good = cmb_native_create(f->ctx, 1, &p, &options, &n) == CMB_OK &&
              cmb_native_where_from(n) != CMB_NATIVE_INTERPRETED && cmb_program_work(p) <= 4096 &&
              cmb_program_outputs(p) <= 64;
  if (good) {
    cmb_program_run(p, in, a, work);
    cmb_native_run(n, 0, in, b, work);
    good = cmbt_same_bits(cmb_program_outputs(p), a, b);
  }
  _exit(good ? 0 : 1);
}

static void test_simultaneous_processes(void **state)
{
  struct fixture *f = *state;
  pid_t children[4];
  int status;
  for (int i = 0; i < 4; i++) children[i] = make_in_child(f, f->p);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_CACHED);
  assert_int_equal(find_files(f->cache, "", NULL), 3);
}

/* Kills the process at 20 random times of a compilation. Checks that what it leaves does not disturb the next compilation. */
static void test_killed(void **state)
{
  struct fixture *f = *state;
  struct cmbt_random r = {11};
  int interrupted = 0;
  for (int k = 0; k < 20; k++) {
    cmb_program_destroy(f->p);
    f->p = cmbt_random_program(f->ctx, 500 + (uint64_t)k, 20, 10);
    pid_t child = make_in_child(f, f->p);
    long wait = (long)(cmbt_random_uniform(&r, 0, 0.15) * 1e9);
    nanosleep(&(struct timespec){.tv_nsec = wait}, NULL);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    interrupted += WIFSIGNALED(status);
    assert_int_not_equal(make(f, NULL, f->cache), CMB_NATIVE_INTERPRETED);
    assert_int_equal(make(f, NULL, f->cache), CMB_NATIVE_CACHED);
  }
  assert_true(interrupted > 0);
  assert_int_equal(find_files(f->cache, ".so", NULL), 20);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_random_expressions),
      TEST(test_solutions),
      TEST(test_long_program),
      TEST(test_each_operation),
      TEST(test_compilers),
      TEST(test_plain_outputs),
      TEST(test_tables_and_functions),
      TEST(test_missing_compiler),
      TEST(test_compiler_from_environment),
      TEST(test_failing_compiler),
      TEST(test_out_of_memory),
      TEST(test_hit_runs_no_compiler),
      TEST(test_changed_compiler),
      TEST(test_unusable_folder),
      TEST(test_damaged_entries),
      TEST(test_leftovers),
      TEST(test_simultaneous_processes),
      TEST(test_killed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
