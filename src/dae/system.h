/*
 * The inside of a system and of a bundled problem, for the files that make them.
 */
#ifndef CMB_DAE_SYSTEM_H
#define CMB_DAE_SYSTEM_H

#include "base/arena.h"
#include "base/sha256.h"
#include "dyn/expressions.h"

#include <camber/dae.h>

struct cmb_system {
  cmb_context *ctx;
  cmb_arena *arena;
  const cmb_model *model; /* what it was made from; NULL: equations written in C */
  cmb_equations eq;
  double t_start, t_end;
  double *q;             /* (nq) start values */
  double *v;             /* (nv) */
  double *q_given;       /* (nq) what the user asked for, and q was found from; NULL: q itself */
  double *v_given;       /* (nv) */
  const char **left_out; /* names of constraints that were left out */
  int left_out_count;
  int *left_out_row;        /* (left_out_count) their numbers in `whole` */
  struct cmb_system *whole; /* the same with them, to watch them; NULL: none was left out */
  bool *lambda_shared,
      *output_shared; /* (ng), (no) not unique, since constraints are redundant; NULL: all are */
  const bool *g_has_branches; /* (ng) constraints that depend on the modes; NULL: none does */
  int lock_count;
  cmb_lock *locks; /* positions in which M is singular */
  void (*digest)(const cmb_system *system,
                 cmb_sha256 *s); /* adds all that its functions depend on; NULL: it is not known */
  void (*destroy)(cmb_system *system); /* gives back what is not in the arena; NULL: nothing is */
};

/* A system with its arena and nothing else, NULL without memory. */
cmb_system *cmb_system_new(cmb_context *ctx);

/* A problem: a table row. `build` fills eq and t_end, and start values into arrays that it takes from
 * the arena; `values` holds the parameters in the order of the table. A NULL from the arena may be
 * left to the caller, who looks at cmb_arena_failed. */
struct cmb_problem {
  const char *name, *title;
  const char *twin; /* the bundled model file of the same mechanism; NULL: none */
  const cmb_parameter *parameters;
  int parameter_count;
  cmb_status (*build)(cmb_system *system, const double *values);
};

extern const cmb_problem cmb_problem_caraxis;
extern const cmb_problem cmb_problem_circular_track;
extern const cmb_problem cmb_problem_pendulum;
extern const cmb_problem cmb_problem_pendulum_chain;

#endif
