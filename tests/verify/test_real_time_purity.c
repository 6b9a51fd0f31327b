/*
 * Steps of fixed cost make no system call, take no lock and allocate no memory: shown for 1,000,000 steps of lie, with and without the drift
 * bound, and of rosw2. (Sanitizers make calls of their own; with them there are 20,000 steps without these checks.)
 *
 *   - System calls: the steps run in a child process in strict seccomp mode, in which the kernel kills the process at any call but read,
 *     write and exit. A child that makes one call between two steps is killed, which shows that the test detects calls.
 *   - Locks and allocations: pthread's lock functions and malloc are replaced by functions that count; one of each is detected.
 */
#include "check.h"

#include <camber/camber.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#endif

long syscall(long number, ...); /* not in POSIX */

#ifdef SANITIZED
enum { STEPS = 20000 };
#else
enum { STEPS = 1000000 };
#endif

static volatile long locks, allocations;

#ifndef SANITIZED
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
  allocations++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
  allocations++;
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
  allocations++;
  return __libc_realloc(memory, size);
}

/* This process has one thread: a lock that does nothing is sufficient. */
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
  (void)mutex;
  locks++;
  return 0;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
  return pthread_mutex_lock(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
  (void)mutex;
  return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
  (void)lock;
  locks++;
  return 0;
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
  return pthread_rwlock_rdlock(lock);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
  (void)lock;
  return 0;
}
#endif

struct stage {
  cmb_context *ctx;
  cmb_model *model;
  cmb_system *system;
  cmb_integrator *in;
};

static void open_stage(struct stage *s, const char *method, const char *bound)
{
  char path[4096];
  const cmb_option_setting setting = {"bound", bound};
  const cmb_model_system_options kept = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                         .expressions = true};
  cmb_integrator_options o = cmb_integrator_defaults();
  snprintf(path, sizeof path, "%s/models/car-axis.yaml", getenv("SOURCE_DIR"));
  s->ctx = cmb_context_create(NULL);
  cmbt_ok(s->ctx, cmb_model_read(s->ctx, path, NULL, &s->model));
  cmbt_ok(s->ctx, cmb_model_system(s->ctx, s->model, &kept, &s->system));
  o.step = 1e-3;
  o.setting_count = 1;
  o.settings = &setting;
  cmbt_ok(s->ctx, cmb_integrator_create(s->ctx, cmb_system_equations(s->system),
                                        cmb_method_find(method), &o, &s->in));
  cmbt_ok(s->ctx, cmb_integrator_begin(s->in, 0, cmb_system_q(s->system), cmb_system_v(s->system)));
}

static void close_stage(struct stage *s)
{
  cmb_integrator_destroy(s->in);
  cmb_system_destroy(s->system);
  cmb_model_destroy(s->model);
  cmb_context_destroy(s->ctx);
}

/* ---- the child process */

/* Something that a step must not do, done once on purpose between two steps. */
enum violation { NONE, CALL, LOCK, ALLOCATION };

struct report {
  long steps, locks, allocations;
  double t;
};

static void violate(enum violation violation)
{
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  if (violation == CALL) syscall(SYS_getpid);
  if (violation == LOCK) pthread_mutex_lock(&mutex);
  if (violation == ALLOCATION) {
    void *volatile memory = malloc(16);
    free(memory);
  }
}

/* Makes the steps in seccomp mode, writes a report to the file descriptor `to` and exits. */
static void run_child(cmb_integrator *in, long steps, enum violation violation, int to)
{
  struct report r = {0, locks, allocations, 0};
#ifndef SANITIZED
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) syscall(SYS_exit, 2);
#endif
  for (long i = 0; i < steps; i++) {
    if (i == steps / 2) violate(violation);
    if (cmb_integrator_step(in, 1e9) != CMB_OK) break;
    r.steps++;
  }
  r.locks = locks - r.locks;
  r.allocations = allocations - r.allocations;
  r.t = cmb_integrator_t(in);
  if (write(to, &r, sizeof r) != (ssize_t)sizeof r) syscall(SYS_exit, 3);
  syscall(SYS_exit, 0); /* exit_group is not allowed in this mode */
}

/* Runs the steps in a child process and stores its report in *r. Returns false if the kernel killed the child. */
static bool run(const char *method, const char *bound, long steps, enum violation violation,
                struct report *r)
{
  struct stage s;
  int ends[2], status;
  open_stage(&s, method, bound);
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) run_child(s.in, steps, violation, ends[1]);
  close(ends[1]);
  const ssize_t size = read(ends[0], r, sizeof *r);
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  close_stage(&s);
  if (WIFSIGNALED(status)) {
    assert_int_equal(WTERMSIG(status), SIGKILL);
    return false;
  }
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_int_equal(size, sizeof *r);
  return true;
}

/* ---- tests */

static void check_no_violation(const char *method, const char *bound)
{
  struct report r;
  assert_true(run(method, bound, STEPS, NONE, &r));
  printf("%-5s bound=%-5s %ld steps: %ld locks, %ld allocations\n", method, bound, r.steps, r.locks,
         r.allocations);
  assert_int_equal(r.steps, STEPS);
  assert_int_equal(r.locks, 0);
  assert_int_equal(r.allocations, 0);
  cmbt_near(r.t, 1e-3 * STEPS, 1e-4);
}

static void test_no_violation(void **state)
{
  (void)state;
  check_no_violation("lie", "none");
  check_no_violation("lie", "watch");
  check_no_violation("rosw2", "none");
}

static void test_detects_violations(void **state)
{
  (void)state;
#ifndef SANITIZED
  struct report r;
  assert_false(run("lie", "none", 100, CALL, &r));
  assert_true(run("lie", "none", 100, LOCK, &r));
  assert_int_equal(r.locks, 1);
  assert_true(run("lie", "none", 100, ALLOCATION, &r));
  assert_int_equal(r.allocations, 1);
#endif
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_violation),
      cmocka_unit_test(test_detects_violations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
