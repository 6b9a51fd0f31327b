/*
 * Measures how fast the O(N) formalisms are: chain_speed [ROUNDS]
 *
 * First the cost of a body in chains of different lengths, interpreted and native: it must not grow. Then the chain of 41 bodies
 * against MuJoCo, if it is there, after both have shown that they compute the same. Times are the best of ROUNDS runs (200);
 * instructions are counted by bench/chain_instructions.sh.
 */
#include "support/chain_code.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BODIES = 41 };
static const double SAME = 1e-8;       /* accelerations and residuals of both codes */
static const double MOST_GROWTH = 1.3; /* of the cost of a body */
static const char *const NAMES[] = {"explicit", "residual", "jacobian"};

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the time of one evaluation in µs, for a chain of n bodies: the least of `rounds` rounds, each with so many evaluations that the
 * clock is accurate enough. */
static double best(const bench_chain_code *code, int n, int rounds)
{
  const int repeats = n < 100 ? 1000 / n : 10;
  double least = INFINITY;
  for (int i = 0; i < rounds; i++) {
    double start = now();
    bench_timed_evaluation(code, repeats);
    least = fmin(least, (now() - start) / repeats);
  }
  return 1e6 * least;
}

/* ---- the cost of a body */

/* Prints the cost of a body, in operations and ns per evaluation, in chains of the three given lengths, for one quantity (accelerations or
 * residual) and one kind of evaluation (native code or the interpreter); and whether the time per body is about constant. */
static void show_growth(bench_quantity what, bool native, const int sizes[3], int rounds)
{
  double least_operations = INFINITY, most_operations = 0;
  double least_time = INFINITY, most_time = 0;
  printf("%-9s %-12s", NAMES[what], native ? "native" : "interpreted");
  for (int i = 0; i < 3; i++) {
    bench_chain_code code;
    int operations;
    if (!bench_chain_recursion(sizes[i], what, native, &code, &operations)) {
      printf("  not available\n");
      return;
    }
    double each = (double)operations / sizes[i],
           time = 1e3 * best(&code, sizes[i], rounds) / sizes[i];
    printf("  | %5d %6.1f %7.1f", sizes[i], each, time);
    least_operations = fmin(least_operations, each);
    most_operations = fmax(most_operations, each);
    least_time = fmin(least_time, time);
    most_time = fmax(most_time, time);
    code.destroy(code.self);
  }
  printf("  | %5.2f %5.2f  %s\n", most_operations / least_operations, most_time / least_time,
         most_time / least_time <= MOST_GROWTH ? "met" : "MISSED");
}

static void show_all_growth(int rounds)
{
  static const int interpreted[] = {10, 100, 1000}, native[] = {10, 50, 200};
  printf("cost of a body: operations and ns; largest over smallest; goal: time <= %.2g\n",
         MOST_GROWTH);
  printf("%-22s  | %-20s  | %-20s  | %-20s  | %s\n", "", "bodies    op.      ns",
         "bodies    op.      ns", "bodies    op.      ns", "  op.  time");
  for (int what = BENCH_EXPLICIT; what <= BENCH_RESIDUAL; what++) {
    show_growth((bench_quantity)what, false, interpreted, rounds);
    show_growth((bench_quantity)what, true, native, rounds);
  }
}

/* ---- the race */

/* Returns the largest difference between the results of the two codes for the chain of BODIES bodies, relative to the largest result of the
 * first one. */
static double difference(const bench_chain_code *a, const bench_chain_code *b)
{
  double most = 0, size = 0;
  a->run(a->self);
  b->run(b->self);
  for (int i = 0; i < BODIES; i++) {
    most = fmax(most, fabs(a->result[i] - b->result[i]));
    size = fmax(size, fabs(a->result[i]));
  }
  return most / size;
}

static int race(bench_quantity what, int rounds)
{
  bench_chain_code ours, theirs;
  if (!bench_chain_camber(BODIES, what, true, &ours)) {
    printf("%-9s  no compiler\n", NAMES[what]);
    return 0;
  }
  double apart = 0, time = best(&ours, BODIES, rounds);
  printf("%-9s %10.2f", NAMES[what], time);
  if (bench_chain_mujoco(BODIES, what, &theirs)) {
    apart = difference(&ours, &theirs);
    double other = best(&theirs, BODIES, rounds);
    printf(" %10.2f %8.3f %12.1e%s", other, time / other, apart,
           apart <= SAME ? "" : "  NOT THE SAME");
    theirs.destroy(theirs.self);
  } else {
    printf(" %10s %8s", "-", "-");
  }
  printf("\n");
  ours.destroy(ours.self);
  return apart <= SAME ? 0 : 1;
}

int main(int argc, char **argv)
{
  const int rounds = argc > 1 ? atoi(argv[1]) : 200;
  int failures = 0;
  if (rounds < 1) {
    fprintf(stderr, "usage: chain_speed [ROUNDS]\n");
    return 2;
  }
  show_all_growth(rounds);
  printf("\nchain of %d bodies, us an evaluation\n%-9s %10s %10s %8s %12s\n", BODIES, "", "Camber",
         "MuJoCo", "ratio", "difference");
  for (int what = BENCH_EXPLICIT; what <= BENCH_JACOBIAN; what++) {
    failures += race((bench_quantity)what, rounds);
  }
  return failures != 0;
}
