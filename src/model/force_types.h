/*
 * The table of force element types: name, keys and results of each, used by the reader of models, for the names of results in formulas, and
 * by the test of the schema. forces.c reads a force element from its entry, dyn/actions.c adds it to the equations of motion.
 */
#ifndef CMB_MODEL_FORCE_TYPES_H
#define CMB_MODEL_FORCE_TYPES_H

#include <stdbool.h>

typedef enum cmb_force_type {
  CMB_FORCE_SPRING, /* along the line from a to b: spring, damper, actuator; positive pulls */
  CMB_FORCE_COORDINATE, /* the same laws on a joint coordinate: rotational springs; positive pulls towards smaller values */
  CMB_FORCE_BUSHING, /* six components between a frame on a and one on b */
  CMB_FORCE_LOAD,    /* force and torque on body b at a point; reaction on body a */
  CMB_FORCE_CONTACT, /* point or sphere on b against a surface fixed to the ground */
  CMB_FORCE_SPHERES, /* sphere about a's point against one about b's: Hunt and Crossley 1975 */
  CMB_FORCE_TYRE,    /* wheel about an axis on b against a road: tyre.h */
  CMB_FORCE_TYPES
} cmb_force_type;

/* The results of a force that formulas can use as NAME.length, NAME.fx and so on. */
typedef enum cmb_force_results {
  CMB_RESULTS_NONE,
  CMB_RESULTS_PULL,   /* length, rate and force (or torque), which is positive if it pulls */
  CMB_RESULTS_PUSH,   /* length, rate and force, positive if it pushes */
  CMB_RESULTS_PARTS,  /* fx, fy, fz */
  CMB_RESULTS_WRENCH, /* fx, fy, fz, mx, my, mz: what acts on b at its point */
  CMB_RESULTS_TYRE    /* those of a wrench, and those of dyn/tyre_force.c */
} cmb_force_results;

enum { CMB_MOST_FORCE_KEYS = 12 };

typedef struct cmb_force_row {
  const char *name;
  int key_count;
  const char *keys[CMB_MOST_FORCE_KEYS]; /* allowed beside `type` */
  cmb_force_results results;
  bool several; /* it acts as several separate forces or torques */
} cmb_force_row;

extern const cmb_force_row cmb_force_rows[CMB_FORCE_TYPES];

#endif
