/*
 * Diagonally implicit Runge–Kutta on the descriptor form with coordinate partitioning (Haug, Negrut and Engstler 1999 §4 and §6):
 * InflSDIRK and InflTrap of the paper, as one implementation with two tableaus.
 */
#ifndef CMB_METHOD_DESCRIPTOR_H
#define CMB_METHOD_DESCRIPTOR_H

#include "method/partitioned.h"

cmb_status cmb_descriptor_create(cmb_integrator *in, const cmb_dirk_table *table);
void cmb_descriptor_destroy(cmb_integrator *in);
cmb_status cmb_descriptor_begin(cmb_integrator *in);
cmb_status cmb_descriptor_attempt(cmb_integrator *in, double h, double *error);
void cmb_descriptor_accept(cmb_integrator *in);
cmb_status cmb_descriptor_densify(cmb_integrator *in);
void cmb_descriptor_interpolate(const cmb_integrator *in, double theta, double *y);

#endif
