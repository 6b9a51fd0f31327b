/*
 * What other layers may reach of a simulation beyond its public functions.
 */
#ifndef CMB_SIM_SIMULATION_H
#define CMB_SIM_SIMULATION_H

#include <camber/sim.h>

cmb_integrator *cmb_simulation_integrator(cmb_simulation *sim);

#endif
