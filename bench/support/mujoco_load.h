/*
 * A model of MuJoCo from MJCF text; only where CMake finds MuJoCo.
 */
#ifndef BENCH_MUJOCO_LOAD_H
#define BENCH_MUJOCO_LOAD_H

#include <mujoco/mujoco.h>

/* Creates a MuJoCo model from MJCF text. Returns NULL if out of memory or, with MuJoCo's message on standard error, if the text
 * is not accepted. */
mjModel *bench_mujoco_load(const char *text);

#endif
