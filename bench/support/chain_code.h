/*
 * Evaluations of the general serial chain (tests/support/chain.h) by Camber and by rivals.
 */
#ifndef BENCH_CHAIN_CODE_H
#define BENCH_CHAIN_CODE_H

#include <camber/dae.h>

/* A state of the chain: angles, rates and accelerations within ±1. */
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

/* The recursion alone, explicit or residual, as a program; how many operations it has. */
bool bench_chain_recursion(int n, bench_quantity what, bool native, bench_chain_code *code,
                           int *operations);

/* MuJoCo: mj_forward, or recursive Newton-Euler. False: it is not there, or has no such quantity. */
bool bench_chain_mujoco(int n, bench_quantity what, bench_chain_code *code);

/* What callgrind counts (timed_chain.c). */
void bench_timed_evaluation(const bench_chain_code *code, int count);

#endif
