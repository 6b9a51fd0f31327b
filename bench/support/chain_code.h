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

/* The evaluation of one of these quantities by one code; the Jacobian consists of ∂r/∂q and ∂r/∂v, with the residual r. */
typedef struct bench_chain_code {
  void *self;
  void (*run)(void *self);
  const double *result; /* (n) accelerations or residual; NULL: a Jacobian */
  void (*destroy)(void *self);
} bench_chain_code;

/* Creates the evaluation by Camber, native or interpreted, through the equations that integration methods use. Returns false on
 * failure, for example without a compiler. */
bool bench_chain_camber(int n, bench_quantity what, bool native, bench_chain_code *code);

/* Creates the evaluation by Camber's recursion alone, explicit or residual, as a program; *operations is its number of
 * operations. Returns false on failure. */
bool bench_chain_recursion(int n, bench_quantity what, bool native, bench_chain_code *code,
                           int *operations);

/* Creates the evaluation by MuJoCo: mj_forward, or recursive Newton-Euler. Returns false if Camber was built without MuJoCo, for
 * the Jacobian, which MuJoCo does not have, and on failure. */
bool bench_chain_mujoco(int n, bench_quantity what, bench_chain_code *code);

/* Evaluates `code` count times: the part of the benchmark that is timed and counted by callgrind (timed_chain.c). */
void bench_timed_evaluation(const bench_chain_code *code, int count);

#endif
