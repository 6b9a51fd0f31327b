/*
 * Measures the cost of a step of 1 ms in real time, for Camber's exported C and for MuJoCo: realtime_race
 *
 * The quarter car over its bump, by the C code that Camber exports and by MuJoCo, if it is there. First both show that they move the
 * same car: the equilibrium of the one is one of the other, and MuJoCo with steps of 10 µs does what Camber's mdop853 does. Then
 * time (the median of blocks of steps, the codes taking turns), the largest gap of the loops, both measured by MuJoCo's
 * kinematics, and the largest error of the chassis' height. Instructions are counted by bench/realtime_instructions.sh.
 */
#include "support/realtime_code.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 2000, ROUNDS = 40, BLOCKS = 10, BLOCK = 100, FINE = 100, CODES = 4 };
static const double SAME = 1e-3;      /* relative to the travel of the chassis */
static const double LEAST_GAPS = 100; /* MuJoCo's gap over Camber's */
static const char *const NAMES[CODES] = {"Camber, lie", "MuJoCo, Euler", "MuJoCo, implicit",
                                         "MuJoCo, RK4"};

struct outcome {
  double ns;    /* of a step */
  double gap;   /* largest, m */
  double error; /* of the heave, largest, m */
};

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Simulates one second, which contains the bump, from the start in BLOCKS blocks of steps, and computes the mean time of a step in each
 * block, ns[BLOCKS]. */
static void time_round(const bench_realtime_code *code, double ns[BLOCKS])
{
  code->restart(code->self);
  for (int i = 0; i < BLOCKS; i++) {
    const double start = now();
    for (int k = 0; k < BLOCK; k++) code->step(code->self);
    ns[i] = 1e9 * (now() - start) / BLOCK;
  }
}

static void time_all(int count, const bench_realtime_code *codes, struct outcome *outcomes)
{
  static double ns[CODES][ROUNDS * BLOCKS];
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < count; i++) time_round(&codes[i], ns[i] + (ptrdiff_t)round * BLOCKS);
  }
  for (int i = 0; i < count; i++) {
    qsort(ns[i], ROUNDS * BLOCKS, sizeof(double), ascending);
    outcomes[i].ns = ns[i][ROUNDS * BLOCKS / 2];
  }
}

/* Simulates the car over the bump with one code, and computes in *o the largest error of the chassis' height against `reference` (one value
 * per step) and the largest gap of the closed loops. `judge` is the MuJoCo model that measures gaps, the code itself if it is MuJoCo's;
 * NULL: the gap is 0. */
static void follow(const bench_realtime_code *code, bench_realtime_code *judge,
                   const double *reference, struct outcome *o)
{
  code->restart(code->self);
  o->gap = o->error = 0;
  for (int i = 0; i < STEPS; i++) {
    code->step(code->self);
    const double *q = code->position(code->self);
    o->error = fmax(o->error, fabs(q[0] - reference[i]));
    if (judge) o->gap = fmax(o->gap, bench_mujoco_gap(judge, judge->self == code->self ? NULL : q));
  }
}

/* Checks, prints and returns whether both codes simulate the same car: MuJoCo remains in Camber's equilibrium `start` without the bump, and
 * with steps of 10 µs its motion agrees with Camber's `reference` solution. Returns false also if MuJoCo's model cannot be created. */
static bool compare(const double *start, const double *reference)
{
  bench_realtime_code fine, coarse;
  struct outcome o;
  double least = start[0], most = start[0], drift = 0;
  for (int i = 0; i < STEPS; i++) {
    least = fmin(least, reference[i]);
    most = fmax(most, reference[i]);
  }
  if (!bench_realtime_mujoco("Euler", 1, start, &coarse)) return false;
  bench_mujoco_set_bump(&coarse, 0);
  for (int i = 0; i < STEPS; i++) {
    coarse.step(coarse.self);
    drift = fmax(drift, fabs(coarse.position(coarse.self)[0] - start[0]));
  }
  coarse.destroy(coarse.self);
  if (!bench_realtime_mujoco("Euler", FINE, start, &fine)) return false;
  follow(&fine, &fine, reference, &o);
  fine.destroy(fine.self);
  const bool same = drift <= SAME * (most - least) && o.error <= SAME * (most - least);
  printf("the same car: over the bump the chassis moves by %.4f m; %s\n", most - least,
         same ? "yes" : "NO");
  printf("  MuJoCo moves off Camber's equilibrium by %8.1e m in %d s\n", drift,
         STEPS / BENCH_STEPS_PER_SECOND);
  printf("  MuJoCo, steps of 10 us, from mdop853     %8.1e m\n\n", o.error);
  return same;
}

static void print(int count, const struct outcome *o)
{
  printf("steps of 1 ms      ns a step    ratio    loop gap, m    ratio  error of heave, m\n");
  for (int i = 0; i < count; i++) {
    printf("%-17s %10.0f %8.2f", NAMES[i], o[i].ns, o[i].ns / o[0].ns);
    if (count > 1) printf(" %14.1e %8.0f", o[i].gap, o[i].gap / o[0].gap);
    printf("%*.1e\n", count > 1 ? 19 : 43, o[i].error);
  }
  if (count == 1) return;
  printf("goal: gap of MuJoCo, Euler, at least %g times Camber's: %s\n", LEAST_GAPS,
         o[1].gap >= LEAST_GAPS * o[0].gap ? "met" : "MISSED");
}

int main(void)
{
  static const char *const integrators[CODES] = {NULL, "Euler", "implicit", "RK4"};
  static double reference[STEPS], start[BENCH_CAR_COORDINATES];
  bench_realtime_code codes[CODES];
  struct outcome outcomes[CODES];
  if (!bench_realtime_reference(STEPS, reference)) return 1;
  if (!bench_realtime_exported("quarter-car", &codes[0])) return 1;
  const double *q = codes[0].position(codes[0].self);
  for (int i = 0; i < BENCH_CAR_COORDINATES; i++) start[i] = q[i];

  int count = 1;
  while (count < CODES && bench_realtime_mujoco(integrators[count], 1, start, &codes[count])) {
    count++;
  }
  const bool good = count == 1 || compare(start, reference);
  for (int i = 0; i < count; i++) {
    bench_realtime_code *judge = count == 1 ? NULL : &codes[i > 0 ? i : 1];
    follow(&codes[i], judge, reference, &outcomes[i]);
  }
  time_all(count, codes, outcomes);
  print(count, outcomes);
  for (int i = 0; i < count; i++) codes[i].destroy(codes[i].self);
  return good ? 0 : 1;
}
