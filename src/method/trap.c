/*
 * The method `trap` of the integrator (Haug, Negrut and Engstler 1999, their InflTrap): the trapezoidal rule on the descriptor form
 * (descriptor.h), with the implicit Euler method as the embedded one for the error estimate. Coefficients from Table 3 of the paper. It is
 * A-stable, but not L-stable. Dense output is a parabola.
 */
#include "method/descriptor.h"

enum { STAGES = 2 };

static const double c[STAGES] = {0, 1};
static const double a[STAGES][STAGES] = {{0}, {0.5, 0.5}};
static const double error[STAGES] = {0.5, -0.5};
static const double start[STAGES][STAGES] = {{0}, {1}};

static void dense(double x, double *b)
{
  b[0] = x - x * x / 2;
  b[1] = x * x / 2;
}

static const cmb_dirk_table table = {.stages = STAGES,
                                     .explicit_first = true,
                                     .gamma = 0.5,
                                     .c = c,
                                     .a = a[0],
                                     .error = error,
                                     .start = start[0],
                                     .dense = dense};

static const cmb_controller control = CMB_DIRK_CONTROLLER(2);

const cmb_method cmb_method_trap = {
    .name = "trap",
    .title =
        "trapezoidal rule in descriptor form with coordinate partitioning (Haug, Negrut, Engstler)",
    .order = 2,
    .control = &control,
    .table = &table,
    .dense_degree = 2,
    CMB_DESCRIPTOR_METHOD,
};
