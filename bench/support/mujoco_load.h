/*
 * A model of MuJoCo from MJCF text; only where CMake finds MuJoCo.
 */
#ifndef BENCH_MUJOCO_LOAD_H
#define BENCH_MUJOCO_LOAD_H

#include <mujoco/mujoco.h>

/* NULL: no memory, or MuJoCo does not like it and has said why on standard error. */
mjModel *bench_mujoco_load(const char *text);

#endif
