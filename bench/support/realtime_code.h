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

/* Creates the code for the exported C of a model, "quarter-car" or "fivelink". Returns false for another name or if out of memory. */
bool bench_realtime_exported(const char *model, bench_realtime_code *code);

/* Creates the quarter car in MuJoCo, with its integrator "Euler", "implicit" or "RK4", in Camber's coordinates `start`. A step of
 * 1 ms is divided into `parts` steps of MuJoCo. Returns false if Camber was built without MuJoCo or the model cannot be created. */
bool bench_realtime_mujoco(const char *integrator, int parts,
                           const double start[BENCH_CAR_COORDINATES], bench_realtime_code *code);

/* Sets the height of the bump, in m, of a code created by bench_realtime_mujoco. It is 0.06 m after each restart. */
void bench_mujoco_set_bump(bench_realtime_code *code, double height);

/* Returns the gap of the two closed loops, in m: the distance between the halves of the upper ball joint, or the change of the
 * tie rod's length if that is larger. Computed at Camber's coordinates q, or, if q is NULL, at the present position of `code`. */
double bench_mujoco_gap(bench_realtime_code *code, const double *q);

/* Computes the quarter car's heave after 1, 2, .. count ms, by Camber's mdop853 at a tolerance of 1e-9. Returns false on failure. */
bool bench_realtime_reference(int count, double *heave);

#endif
