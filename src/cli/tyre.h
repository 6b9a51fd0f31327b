/*
 * The characteristics of a tyre that `camber tyre` computes from a tyre file, and the picture of them.
 */
#ifndef CMB_CLI_TYRE_H
#define CMB_CLI_TYRE_H

#include "cli/cli.h"

enum { CLI_TYRE_LOADS = 4, CLI_TYRE_POINTS = 201 };

/* Characteristics at one load. */
struct cli_tyre_load {
  double load;
  /* ∂Fx/∂κ and ∂Fy/∂α at zero slip κ and slip angle α */
  double slip_stiffness, cornering_stiffness;
  double mu_x, mu_y; /* largest |Fx|/Fz and |Fy|/Fz within the ranges of the curves */
  double sigma_x, sigma_y;
};

struct cli_tyre {
  const char *name;
  cmb_tyre *tyre;
  /* nominal load and reference speed of the file; ranges of the curves */
  double nominal, speed, slip_limit, angle_limit;
  struct cli_tyre_load loads[CLI_TYRE_LOADS];
};

/* Returns the forces at a load, slip and slip angle for an upright wheel at the reference speed; NaN if they cannot be computed. */
cmb_tyre_forces cli_tyre_forces(const struct cli_tyre *t, double load, double slip, double angle);

void cli_tyre_draw(FILE *to, const void *tyre); /* `tyre` is a struct cli_tyre */

#endif
