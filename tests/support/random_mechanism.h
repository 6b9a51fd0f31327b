/*
 * Random mechanisms as models in memory: trees with all types of joints, loops that close in the design position, springs,
 * bushings, loads, inputs and motions. The same seed gives the same mechanism.
 */
#ifndef CMBT_RANDOM_MECHANISM_H
#define CMBT_RANDOM_MECHANISM_H

#include "model/model.h"

struct cmbt_mechanism_wishes {
  int most_bodies, most_loops;
  bool drives; /* inputs, motions, loads: energy comes in from outside */
  int least_bodies, least_loops;
};

/* A model to be given back with cmb_model_destroy. Outputs: x, y, z and ax, ay, az of each body's centre of mass and of a
 * marker beside it, then the energy and the power. */
cmb_model *cmbt_random_mechanism(cmb_context *ctx, uint64_t seed,
                                 const struct cmbt_mechanism_wishes *wishes);

/* Velocities and constraints of such a model in joint coordinates. */
int cmbt_unknowns(const cmb_model *m);

enum { CMBT_OUTPUTS_PER_BODY = 12 };

#endif
