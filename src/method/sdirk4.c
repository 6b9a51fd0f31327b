/*
 * sdirk4 (seed 003, InflSDIRK): the singly diagonally implicit method of order 4 with 5 stages of Hairer and Wanner, L-stable and
 * stiffly accurate, γ = 1/4, on the descriptor form (descriptor.h). Table 2 of the paper; continuous extension of Hairer and
 * Wanner's SDIRK4.
 *
 * A stage begins with the acceleration that SDIRK4's starting values have: interpolation of earlier ones, for the last the
 * embedded solution.
 */
#include "method/descriptor.h"

enum { STAGES = 5 };

/* clang-format off */
static const double c[STAGES] = {1.0/4, 3.0/4, 11.0/20, 1.0/2, 1};
static const double a[STAGES][STAGES] = {
  {1.0/4},
  {1.0/2, 1.0/4},
  {17.0/50, -1.0/25, 1.0/4},
  {371.0/1360, -137.0/2720, 15.0/544, 1.0/4},
  {25.0/24, -49.0/48, 125.0/16, -85.0/12, 1.0/4},
};
static const double error[STAGES] = {-3.0/16, -27.0/32, 25.0/32, 0, 1.0/4};
static const double start[STAGES][STAGES] = {
  {0},
  {1},
  {2.0/5, 3.0/5},
  {159.0/748, 103.0/1496, 1075.0/1496},
  {3.0/4, 27.0/8, -25.0/8},
};
/* clang-format on */

static void dense(double x, double *b)
{
  b[0] = x * (11.0 / 3 + x * (-463.0 / 72 + x * (217.0 / 36 - x * 20.0 / 9)));
  b[1] = x * (11.0 / 2 + x * (-385.0 / 16 + x * (661.0 / 24 - x * 10)));
  b[2] = x * (-125.0 / 18 + x * (20125.0 / 432 + x * (-8875.0 / 216 + x * 250.0 / 27)));
  b[3] = x * x * (-85.0 / 4 + x * 85.0 / 6);
  b[4] = x * (-11.0 / 9 + x * (557.0 / 108 + x * (-359.0 / 54 + x * 80.0 / 27)));
}

const cmb_dirk_table cmb_sdirk4_table = {.stages = STAGES,
                                         .gamma = 0.25,
                                         .c = c,
                                         .a = a[0],
                                         .error = error,
                                         .start = start[0],
                                         .dense = dense};

static cmb_status create(cmb_integrator *in)
{
  return cmb_descriptor_create(in, &cmb_sdirk4_table);
}

static const cmb_option options[] = {CMB_OPTION_STEPS};

const cmb_method cmb_method_sdirk4 = {
    .name = "sdirk4",
    .title =
        "SDIRK of order 4 in descriptor form with coordinate partitioning (Haug, Negrut, Engstler)",
    .order = 4,
    .error_exponent = 4,
    .beta = 0,
    .shrink = 0.25,
    .grow = 4,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .implicit = true,
    .create = create,
    .begin = cmb_descriptor_begin,
    .attempt = cmb_descriptor_attempt,
    .accept = cmb_descriptor_accept,
    .densify = cmb_descriptor_densify,
    .interpolate = cmb_descriptor_interpolate,
    .destroy = cmb_descriptor_destroy,
};
