/*
 * Diagonally implicit Runge–Kutta methods on the descriptor form with coordinate partitioning (Haug, Negrut and Engstler 1999 §4 and §6):
 * one implementation for InflSDIRK (sdirk4.c) and InflTrap (trap.c) of the paper, which differ in their tableaus.
 */
#ifndef CMB_METHOD_DESCRIPTOR_H
#define CMB_METHOD_DESCRIPTOR_H

#include "method/partitioned.h"

/* The functions of a method (method.h); the method's field `table` is a cmb_dirk_table. */
cmb_status cmb_descriptor_create(cmb_integrator *in);
void cmb_descriptor_destroy(cmb_integrator *in);
cmb_status cmb_descriptor_begin(cmb_integrator *in);
cmb_status cmb_descriptor_attempt(cmb_integrator *in, double h, double *error);
void cmb_descriptor_accept(cmb_integrator *in);
cmb_status cmb_descriptor_densify(cmb_integrator *in);
void cmb_descriptor_node_position(const cmb_integrator *in, int k, double *q);
void cmb_descriptor_interpolate(const cmb_integrator *in, double theta, double *y);

extern const cmb_option cmb_descriptor_options[];
enum { CMB_DESCRIPTOR_OPTIONS = 1 };

/* The fields of a cmb_method that both methods have in common. */
#define CMB_DESCRIPTOR_METHOD                                                                      \
  .options = cmb_descriptor_options, .option_count = CMB_DESCRIPTOR_OPTIONS, .implicit = true,     \
  .create = cmb_descriptor_create, .begin = cmb_descriptor_begin,                                  \
  .attempt = cmb_descriptor_attempt, .accept = cmb_descriptor_accept,                              \
  .densify = cmb_descriptor_densify, .interpolate = cmb_descriptor_interpolate,                    \
  .destroy = cmb_descriptor_destroy

#endif
