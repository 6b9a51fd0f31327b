/*
 * Internal definitions of cmb_system (equations with start values) and of cmb_problem (a bundled problem), for the files that
 * create them and for those that find consistent start values.
 */
#ifndef CMB_DAE_SYSTEM_H
#define CMB_DAE_SYSTEM_H

#include "base/arena.h"
#include "base/sha256.h"
#include "dyn/expressions.h"

#include <camber/dae.h>

/* A change of the start values after they were found, kept so that it can be repeated: either one value was set, or the system
 * was moved to an equilibrium. */
typedef struct cmb_start_change {
  /* index of the changed coordinate or velocity, the other is −1; both −1: it was moved to an equilibrium */
  int q, v;
  double value;
  struct cmb_start_change *next;
} cmb_start_change;

struct cmb_start_source;

struct cmb_system {
  cmb_context *ctx;
  cmb_arena *arena;
  /* the model that the system was made from; NULL: equations written in C */
  const cmb_model *model;
  cmb_equations eq;
  double t_start, t_end;
  double *q; /* (nq) start positions */
  double *v; /* (nv) start velocities */
  /* (np) values of the live parameters, which eq.p points to; NULL: equations written in C */
  double *p;
  /* (nq) start positions requested by the user, from which q was found; NULL: q itself */
  double *q_given;
  double *v_given; /* (nv) the requested start velocities */
  /* finds the start values again when live parameters change; NULL: they do not depend on parameters */
  struct cmb_start_source *start;
  void (*destroy_start)(struct cmb_start_source *start);
  cmb_start_change *first_change, *last_change; /* list of later changes; empty without `start` */
  /* frame of the steady motion at the start; NULL: the start is no steady motion */
  const cmb_steady_frame *frame;
  /* (left_out_count) names of the redundant constraints that were left out */
  const char **left_out;
  int left_out_count;
  int *left_out_row; /* (left_out_count) their indices in `whole` */
  /* the same system with these constraints, for monitoring their residuals; NULL: none was left out */
  struct cmb_system *whole;
  /* (ng), (no) multipliers and outputs that are not unique because constraints are redundant; NULL: all are unique */
  bool *lambda_shared, *output_shared;
  const bool *g_has_branches; /* (ng) constraints that depend on the modes; NULL: none does */
  /* (ng) constraints of closed loops and prescribed motions, the only ones that can be redundant; NULL: not known */
  const bool *g_closes;
  /* (np) parameters that are rates of inputs which move constraints or gaps; NULL: there are none */
  const bool *p_moves;
  int lock_count;
  cmb_lock *locks; /* (lock_count) positions in which M is singular */
  /* adds what determines the values of eq's functions to a hash; NULL: not known */
  void (*digest)(const cmb_system *system, cmb_sha256 *s);
  void (*destroy)(cmb_system *system); /* frees what is not in the arena; NULL: nothing to free */
};

/* Creates a system that has only its arena; the caller fills in the rest. Returns NULL if memory runs out. */
cmb_system *cmb_system_new(cmb_context *ctx);

/* cmb_start_change_find looks up the name of a setting among the coordinates and velocities and writes the change that it describes; an
 * unknown name fails with a suggestion of the nearest one. cmb_start_change_make applies a change of one value to q (nq) and v (nv), and
 * does nothing for an equilibrium. */
cmb_status cmb_start_change_find(cmb_context *ctx, const cmb_equations *eq,
                                 const cmb_setting *setting, cmb_start_change *change);
void cmb_start_change_make(const cmb_start_change *change, double *q, double *v);

/* Appends a change to the system's list of changes, if its start values may have to be found again (`start` is not NULL). */
cmb_status cmb_start_change_note(cmb_context *ctx, cmb_system *system,
                                 const cmb_start_change *change);

/* A bundled problem. `build` fills eq, t_end and the start values, in arrays from the system's arena; `values` holds the parameters
 * in the order of `parameters`. `build` need not check for a NULL from the arena: its caller checks cmb_arena_failed. */
struct cmb_problem {
  const char *name, *title;
  const char *twin; /* bundled model file of the same mechanism; NULL: none */
  const cmb_parameter *parameters;
  int parameter_count;
  cmb_status (*build)(cmb_system *system, const double *values);
};

extern const cmb_problem cmb_problem_caraxis;
extern const cmb_problem cmb_problem_circular_track;
extern const cmb_problem cmb_problem_pendulum;
extern const cmb_problem cmb_problem_pendulum_chain;

#endif
