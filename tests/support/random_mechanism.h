/*
 * Makes random mechanisms as models in memory: trees with all types of joints, loops that are closed in the design position, springs,
 * bushings, loads, inputs and prescribed motions. The same seed gives the same mechanism.
 */
#ifndef CMBT_RANDOM_MECHANISM_H
#define CMBT_RANDOM_MECHANISM_H

#include "model/model.h"

struct cmbt_mechanism_wishes {
  int most_bodies, most_loops;
  bool
      drives; /* with prescribed motions and with loads that depend on inputs, so that energy is not conserved */
  int least_bodies, least_loops;
};

/* Returns a model, to be released by cmb_model_destroy. Its outputs are x, y, z and ax, ay, az of each body's centre of mass and of a
 * marker near it, then the energy and the power. */
cmb_model *cmbt_random_mechanism(cmb_context *ctx, uint64_t seed,
                                 const struct cmbt_mechanism_wishes *wishes);

/* Returns the number of velocities and constraints, nv + ng, of such a model in joint coordinates. */
int cmbt_unknowns(const cmb_model *m);

enum { CMBT_OUTPUTS_PER_BODY = 12 };

#endif
