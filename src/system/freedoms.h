/*
 * The freedoms of an assembled mechanism: coordinates that determine all others, and the positions that each of them leads to.
 *
 * Of the coordinates of all joints as many are chosen as there are degrees of freedom, so that the constraints determine the rest. Joints
 * near the ground come first, those with a single coordinate before others, coordinates before turns by Euler parameters, and of several the first, unless the
 * constraints leave clearly more room to another. A freedom is moved with all others held at their values of the start, and the loops are closed in small steps on the way (closing.h), so
 * that they stay in the same branch.
 */
#ifndef CMB_SYSTEM_FREEDOMS_H
#define CMB_SYSTEM_FREEDOMS_H

#include "system/closing.h"

typedef struct cmb_freedom {
  const char *name; /* of the coordinate; "body about x" of a turn */
  int q;            /* the coordinate, or the first of four Euler parameters */
  int v;            /* its velocity */
  int axis; /* -1: a coordinate; 0, 1, 2: a turn by Euler parameters about the child's axis, as it is in the design position */
  bool angle;
  double start; /* its value at the start, of a turn 0 */
} cmb_freedom;

typedef struct cmb_freedoms cmb_freedoms;

/* A position that meets the constraints of a model's equations in joint coordinates, which must outlive the freedoms, as the model must. */
typedef struct cmb_freedoms_place {
  const cmb_equations *eq;
  const cmb_model *model;
  double t;
  const double *q, *v; /* (nq), (nv) */
  const double *p;     /* (np) values of live parameters; NULL: those of the equations */
} cmb_freedoms_place;

cmb_status cmb_freedoms_create(cmb_context *ctx, const cmb_freedoms_place *at,
                               cmb_freedoms **freedoms);
void cmb_freedoms_destroy(cmb_freedoms *f);

/* As many as there are degrees of freedom, in the order of the coordinates. */
const cmb_freedom *cmb_freedoms_list(const cmb_freedoms *f, int *count);

/* What moves from now on: freedom k; or none, CMB_FREEDOMS_HELD (time may), or nothing is held, CMB_FREEDOMS_LOOSE. */
enum { CMB_FREEDOMS_HELD = -1, CMB_FREEDOMS_LOOSE = -2 };
cmb_status cmb_freedoms_drive(cmb_freedoms *f, int k);

/* The position q (nq), in place, to where the driven freedom has been moved on by `change` at the time t, or as far as it gets: *reached is
 * the share of the way, 1: all. Positions in between meet the constraints, too, unless time has changed or nothing is held. */
cmb_status cmb_freedoms_move(cmb_freedoms *f, double change, double t, double *q, double *reached);

/* Whether the position meets the constraints at t as well as can be told. */
cmb_status cmb_freedoms_check(cmb_freedoms *f, double t, const double *q, bool *met);

/* A gap of a stop or rigid contact that is closed at the position; NULL: none is. */
cmb_status cmb_freedoms_closed_gap(cmb_freedoms *f, double t, const double *q, const char **name);

/* Outputs of the model that positions and time alone decide on: their numbers. */
const int *cmb_freedoms_outputs(const cmb_freedoms *f, int *count);

/* Their values (count) at a position; NaN where one has none. */
cmb_status cmb_freedoms_observe(cmb_freedoms *f, double t, const double *q, double *values);

#endif
