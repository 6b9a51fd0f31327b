/*
 * The functions of a simulation that later layers may call beside the public ones.
 */
#ifndef CMB_SIM_SIMULATION_H
#define CMB_SIM_SIMULATION_H

#include <camber/sim.h>

/* How many instants of the sampler there are up to t. */
double cmb_sampler_instants(const cmb_sampler *s, double t);

/* The accelerations (nv) where the run has started. */
const double *cmb_simulation_a(const cmb_simulation *sim);

cmb_integrator *cmb_simulation_integrator(cmb_simulation *sim);

#endif
