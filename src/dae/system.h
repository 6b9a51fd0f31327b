/*
 * The inside of a system and of a bundled problem, for the files that make them.
 */
#ifndef CMB_DAE_SYSTEM_H
#define CMB_DAE_SYSTEM_H

#include "base/arena.h"
#include "base/sha256.h"
#include "dyn/expressions.h"

#include <camber/dae.h>

/* What was done to the start values after they were found: a value was set, or they were brought to rest. */
typedef struct cmb_start_change {
  int q, v; /* one of them, the other is -1; both are: to rest */
  double value;
  struct cmb_start_change *next;
} cmb_start_change;

struct cmb_start_source;

struct cmb_system {
  cmb_context *ctx;
  cmb_arena *arena;
  const cmb_model *model; /* what it was made from; NULL: equations written in C */
  cmb_equations eq;
  double t_start, t_end;
  double *q;       /* (nq) start values */
  double *v;       /* (nv) */
  double *p;       /* (np) values of live parameters, those of eq; NULL: equations written in C */
  double *q_given; /* (nq) what the user asked for, and q was found from; NULL: q itself */
  double *v_given; /* (nv) */
  struct cmb_start_source *
      start; /* how they are found for other values of live parameters; NULL: these do not change them */
  void (*destroy_start)(struct cmb_start_source *start);
  cmb_start_change *first_change, *last_change; /* only where there is a source */
  const cmb_steady_frame *frame; /* of the steady motion that the start values are; NULL: of none */
  const char **left_out;         /* names of constraints that were left out */
  int left_out_count;
  int *left_out_row;        /* (left_out_count) their numbers in `whole` */
  struct cmb_system *whole; /* the same with them, to watch them; NULL: none was left out */
  bool *lambda_shared,
      *output_shared; /* (ng), (no) not unique, since constraints are redundant; NULL: all are */
  const bool *g_has_branches; /* (ng) constraints that depend on the modes; NULL: none does */
  const bool *
      g_closes; /* (ng) constraints of loops and motions: what is redundant is among them; NULL: not known */
  const bool
      *p_moves; /* (np) rates of inputs with which constraints or gaps move; NULL: there are none */
  int lock_count;
  cmb_lock *locks; /* positions in which M is singular */
  void (*digest)(const cmb_system *system,
                 cmb_sha256 *s); /* adds all that its functions depend on; NULL: it is not known */
  void (*destroy)(cmb_system *system); /* gives back what is not in the arena; NULL: nothing is */
};

/* A system with its arena and nothing else, NULL without memory. */
cmb_system *cmb_system_new(cmb_context *ctx);

/* A setting as a change; words for a name that the equations do not have. And the change made. */
cmb_status cmb_start_change_find(cmb_context *ctx, const cmb_equations *eq,
                                 const cmb_setting *setting, cmb_start_change *change);
void cmb_start_change_make(const cmb_start_change *change, double *q, double *v);

/* Remembers a change, if there is a source that has to repeat it. */
cmb_status cmb_start_change_note(cmb_context *ctx, cmb_system *system,
                                 const cmb_start_change *change);

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
