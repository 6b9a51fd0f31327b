/*
 * What other layers may reach of a simulation beyond its public functions.
 */
#ifndef CMB_SIM_SIMULATION_H
#define CMB_SIM_SIMULATION_H

#include <camber/sim.h>

/* Whether t is an instant of the sampler, within so much time. */
bool cmb_sampler_is_due(const cmb_sampler *s, double t, double within);

/* The accelerations (nv) where the run has started. */
const double *cmb_simulation_a(const cmb_simulation *sim);

/* Its parameters (np) as they are now, sampled values among them. */
const double *cmb_simulation_p(const cmb_simulation *sim);

cmb_integrator *cmb_simulation_integrator(cmb_simulation *sim);

#endif
