/*
 * The general serial chain that the O(N) formalisms are measured on: bodies one behind the other on revolute joints, with axes
 * in any direction, offsets with three components, centres of mass off the axes, full inertia matrices, and gravity. Nothing
 * about it is simple, so nothing can be left out.
 */
#ifndef BENCH_CHAIN_H
#define BENCH_CHAIN_H

#include "model/model.h"

#include <camber/dae.h>

/* The same numbers for the same n; NULL without memory. To be given back with cmb_model_destroy. */
cmb_model *bench_chain_create(cmb_context *ctx, int n);

/* A state of it: angles, rates and accelerations within ±1. */
typedef struct bench_chain_state {
  double *q, *v, *a, *lambda; /* (n), (n), (n), (1) */
} bench_chain_state;

bool bench_chain_state_create(int n, bench_chain_state *s);
void bench_chain_state_destroy(bench_chain_state *s);

typedef enum bench_quantity { BENCH_EXPLICIT, BENCH_RESIDUAL, BENCH_JACOBIAN } bench_quantity;

/* Somebody's evaluation of one of these quantities; the Jacobian is ∂r/∂q and ∂r/∂v. */
typedef struct bench_chain_code {
  void *self;
  void (*run)(void *self);
  const double *result; /* (n) accelerations or residual; NULL: a Jacobian */
  void (*destroy)(void *self);
} bench_chain_code;

/* Camber, native or interpreted, through the equations that methods use. False: there is no compiler, or no memory. */
bool bench_chain_camber(int n, bench_quantity what, bool native, bench_chain_code *code);

/* MuJoCo: mj_forward, or mj_inverse. False: it is not there, or has no such quantity. */
bool bench_chain_mujoco(int n, bench_quantity what, bench_chain_code *code);

/* What callgrind counts (timed_chain.c). */
void bench_timed_evaluation(const bench_chain_code *code, int count);

#endif
