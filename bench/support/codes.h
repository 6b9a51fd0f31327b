/*
 * The codes that race on the car axis, behind one interface: create, run, collect, destroy.
 *
 * What is timed, and counted by callgrind, is `run` alone: the integration from t = 0 to t = 3, without the
 * memory that is taken before and given back after. All codes but those marked "by hand" evaluate the
 * problem through Camber's evaluator, so that a difference between them is one between integrators.
 */
#ifndef BENCH_SUPPORT_CODES_H
#define BENCH_SUPPORT_CODES_H

#include "dae/evaluator.h"

#include <camber/camber.h>

/* The problem, with consistent initial values, and an evaluator of its equations for the codes that are not Camber's. */
typedef struct bench_caraxis {
  cmb_context *ctx;
  cmb_system *system;
  cmb_evaluator *ev;
  double t_start, t_end;
  double q[4], v[4], a[4], lambda[2];
} bench_caraxis;

/* The result of a run. `f` is the number of evaluations of the right-hand side or the residual, those for
 * finite-difference Jacobians included; `steps` is the number of accepted steps. */
typedef struct bench_outcome {
  bool failed;
  double q[4], v[4], lambda[2];
  long steps, rejected, f;
  double seconds;
} bench_outcome;

typedef struct bench_code bench_code;
struct bench_code {
  const char *name, *title;
  int table;           /* ARKODE: which Runge–Kutta table */
  bool by_hand;        /* ARKODE: right-hand side eliminated by hand */
  const char *method;  /* Camber */
  const char *control; /* its option; NULL: it has none */
  void *(*create)(const bench_code *code, bench_caraxis *problem, double tolerance);
  int (*run)(void *run); /* 0: reached the end */
  void (*collect)(void *run, bench_outcome *outcome);
  void (*destroy)(void *run);
};

/* The codes in the order of the tables, the last with name == NULL. */
extern const bench_code bench_codes[];
const bench_code *bench_code_find(const char *name); /* NULL if there is none */

/* Creates the problem. Returns NULL, with a message on standard error, on failure. */
bench_caraxis *bench_caraxis_create(void);
void bench_caraxis_destroy(bench_caraxis *problem);

/* Integrates the problem with one code and rtol = atol = tolerance, and stores the result. */
void bench_integrate(const bench_code *code, bench_caraxis *problem, double tolerance,
                     bench_outcome *outcome);

/* Performs the part of bench_integrate that is timed. */
void bench_timed_run(const bench_code *code, void *run, bench_outcome *outcome);

/* Returns the number of correct digits (mescd) of an outcome; −infinity if the run failed. */
double bench_mescd(const bench_outcome *outcome);

/* The functions in the table of codes: those of Camber, of ARKODE and of IDA, each in a file of its own. */
void *bench_camber_create(const bench_code *code, bench_caraxis *problem, double tolerance);
int bench_camber_run(void *run);
void bench_camber_collect(void *run, bench_outcome *outcome);
void bench_camber_destroy(void *run);

void *bench_arkode_create(const bench_code *code, bench_caraxis *problem, double tolerance);
int bench_arkode_run(void *run);
void bench_arkode_collect(void *run, bench_outcome *outcome);
void bench_arkode_destroy(void *run);

void *bench_ida_create(const bench_code *code, bench_caraxis *problem, double tolerance);
int bench_ida_run(void *run);
void bench_ida_collect(void *run, bench_outcome *outcome);
void bench_ida_destroy(void *run);

/* Computes the accelerations a[4] and multipliers lambda[2] of the car axis with its default parameters, by formulas eliminated by hand. */
void bench_caraxis_by_hand(double t, const double *q, const double *v, double *a, double *lambda);

#endif
