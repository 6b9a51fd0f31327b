/*
 * Codes that advance a car's suspension by steps of 1 ms: C code that Camber exported, and MuJoCo.
 */
#ifndef BENCH_REALTIME_CODE_H
#define BENCH_REALTIME_CODE_H

#include <stdbool.h>

enum {
  BENCH_CAR_COORDINATES = 7, /* of models/quarter-car.yaml, as Camber lists them */
  BENCH_STEPS_PER_SECOND = 1000
};

typedef struct bench_realtime_code {
  void *self;
  void (*restart)(void *self);           /* back to the equilibrium */
  void (*step)(void *self);              /* by 1 ms */
  const double *(*position)(void *self); /* its coordinates; the quarter car's heave is the first */
  void (*destroy)(void *self);
} bench_realtime_code;

/* The exported C of a model, "quarter-car" or "fivelink". False: there is no such, or no memory. */
bool bench_realtime_exported(const char *model, bench_realtime_code *code);

/* The quarter car in MuJoCo, with its integrator "Euler", "implicit" or "RK4", from Camber's coordinates `start`. A millisecond
 * is `parts` of its steps. False: MuJoCo is not there, or has no such integrator. */
bool bench_realtime_mujoco(const char *integrator, int parts,
                           const double start[BENCH_CAR_COORDINATES], bench_realtime_code *code);

/* Of a code made by bench_realtime_mujoco: the height of its bump, 0.06 m after each restart. */
void bench_mujoco_set_bump(bench_realtime_code *code, double height);

/* How far its two loops are open: the larger of the distance between the halves of the upper ball joint and of the change of
 * the tie rod's length, m. At Camber's coordinates q, or, if q is NULL, where it stands. */
double bench_mujoco_gap(bench_realtime_code *code, const double *q);

/* The quarter car's heave after 1, 2, .. count ms, by Camber's mdop853 at a tolerance of 1e-9. */
bool bench_realtime_reference(int count, double *heave);

#endif
