/*
 * What `camber tyre` finds out of a tyre, and the picture of it.
 */
#ifndef CMB_CLI_TYRE_H
#define CMB_CLI_TYRE_H

#include "cli/cli.h"

enum { CLI_TYRE_LOADS = 4, CLI_TYRE_POINTS = 201 };

/* At one load. */
struct cli_tyre_load {
  double load;
  double slip_stiffness, cornering_stiffness; /* ∂Fx/∂κ, ∂Fy/∂α without slip */
  double mu_x, mu_y;                          /* largest |Fx|/Fz and |Fy|/Fz in the ranges */
  double sigma_x, sigma_y;
};

struct cli_tyre {
  const char *name;
  cmb_tyre *tyre;
  double nominal, speed, slip_limit, angle_limit; /* of the curves */
  struct cli_tyre_load loads[CLI_TYRE_LOADS];
};

/* The forces at a load, slip and slip angle, upright at the reference speed; not a number where they cannot be had. */
cmb_tyre_forces cli_tyre_forces(const struct cli_tyre *t, double load, double slip, double angle);

void cli_tyre_draw(FILE *to, const void *tyre); /* struct cli_tyre */

#endif
