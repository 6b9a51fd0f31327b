/*
 * The characteristics of a tyre that `camber tyre` computes from a tyre property file (tyre.c), and the picture of them (tyre_plot.c).
 */
#ifndef CMB_CLI_TYRE_H
#define CMB_CLI_TYRE_H

#include "cli/cli.h"

enum { CLI_TYRE_LOADS = 4, CLI_TYRE_POINTS = 201 }; /* number of loads; of points of a curve */

/* Characteristics of an upright tyre at one vertical load. */
struct cli_tyre_load {
  double load; /* Fz, in N */
  /* ∂Fx/∂κ (N) and ∂Fy/∂α (N/rad) at zero slip κ and slip angle α */
  double slip_stiffness, cornering_stiffness;
  double mu_x, mu_y;       /* largest |Fx|/Fz and |Fy|/Fz within the ranges of the curves */
  double sigma_x, sigma_y; /* relaxation lengths, in m */
};

struct cli_tyre {
  const char *name; /* of the file */
  cmb_tyre *tyre;
  double nominal, speed; /* nominal load (N) and reference speed (m/s) in the file */
  /* limits of the curves: |κ| and, in rad, |α| */
  double slip_limit, angle_limit;
  struct cli_tyre_load loads[CLI_TYRE_LOADS];
};

/* Returns the forces on an upright tyre at the reference speed, for a vertical load in N, a slip and a slip angle in rad. Fx, Fy and Mz are NaN
 * if they cannot be computed. */
cmb_tyre_forces cli_tyre_forces(const struct cli_tyre *t, double load, double slip, double angle);

/* tyre_plot.c: writes the picture of the characteristics as SVG; a callback of cli_svg_save. `tyre` is a struct cli_tyre. */
void cli_tyre_draw(FILE *to, const void *tyre);

#endif
