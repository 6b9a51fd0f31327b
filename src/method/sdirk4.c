/*
 * The method `sdirk4` of the integrator (Haug, Negrut and Engstler 1999, their InflSDIRK): the singly diagonally implicit Runge–Kutta
 * method of order 4 with 5 stages of Hairer and Wanner, L-stable and stiffly accurate, γ = 1/4, on the descriptor form (descriptor.h).
 * Coefficients from Table 2 of the paper.
 *
 * Dense output is of order 3, as in Hairer and Wanner's SDIRK4, whose dense output for stiff components is wrong by h² y''/28 however
 * accurate the ends of the step are. Therefore one of the conditions for order 4 is replaced by bᵀ A⁻¹ c² = θ²: with y' = z (y − φ) + φ',
 * z → −∞, the dense output then reproduces parabolas.
 *
 * The starting value of a stage's acceleration is that of SDIRK4: interpolated from earlier stages, for the last stage the embedded
 * solution.
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

/* Computes the weights b[5] of the slopes for dense output at the fraction x (0 to 1) of a step, from the order conditions Σ b = x, Σ b c =
 * x²/2, Σ b c² = x³/3 and bᵀ A c = x³/6, and from bᵀ A⁻¹ c² = x², which makes stiff components accurate. */
static void dense(double x, double *b)
{
  b[0] = x * (97.0 / 32 + x * (-109.0 / 32 + x * 17.0 / 12));
  b[1] = x * (169.0 / 64 + x * (-669.0 / 64 + x * 163.0 / 24));
  b[2] = x * (-275.0 / 64 + x * (2175.0 / 64 - x * 175.0 / 8));
  b[3] = x * x * (-85.0 / 4 + x * 85.0 / 6);
  b[4] = x * (-3.0 / 8 + x * (9.0 / 8 - x / 2));
}

const cmb_dirk_table cmb_sdirk4_table = {.stages = STAGES,
                                         .gamma = 0.25,
                                         .c = c,
                                         .a = a[0],
                                         .error = error,
                                         .start = start[0],
                                         .dense = dense};

static const cmb_controller control = CMB_DIRK_CONTROLLER(4);

const cmb_method cmb_method_sdirk4 = {
    .name = "sdirk4",
    .title =
        "SDIRK of order 4 in descriptor form with coordinate partitioning (Haug, Negrut, Engstler)",
    .order = 4,
    .control = &control,
    .table = &cmb_sdirk4_table,
    .nodes = c,
    .node_count = STAGES - 1, /* the last stage is the end of the step */
    .node_position = cmb_descriptor_node_position,
    .dense_degree = 3,
    CMB_DESCRIPTOR_METHOD,
};
