/*
 * Products with the factors of a mass matrix that is not formed (math/mass_factors.h). Their programs read the factors' values and
 * a vector; the scratch memory holds these inputs, the results and the work array.
 */
#include "dae/graph_data.h"

#include <string.h>

static void run(const cmb_graph_data *d, cmb_graph_program k, const double *values, double *scratch,
                const double *x, double *y)
{
  double *in = scratch, *out = scratch + d->factor_out, *work = out + d->nv;
  memcpy(in, values, (size_t)d->factors.values * sizeof *in);
  memcpy(in + d->factors.values, x, (size_t)d->nv * sizeof *in);
  if (d->code.native) {
    cmb_native_run(d->code.native, d->code.index[k], in, out, work);
  } else {
    cmb_program_run(d->program[k], in, out, work);
  }
  memcpy(y, out, (size_t)d->nv * sizeof *y);
}

static void forward(const void *self, const double *values, double *scratch, double *x)
{
  run(self, CMB_PROGRAM_MASS_FORWARD, values, scratch, x, x);
}

static void backward(const void *self, const double *values, double *scratch, double *x)
{
  run(self, CMB_PROGRAM_MASS_BACKWARD, values, scratch, x, x);
}

static void multiply(const void *self, const double *values, double *scratch, const double *x,
                     double *y)
{
  run(self, CMB_PROGRAM_MASS_MULTIPLY, values, scratch, x, y);
}

void cmb_graph_mass_factors(cmb_graph_data *d)
{
  int work = 0;
  for (int k = CMB_PROGRAM_MASS_FORWARD; k <= CMB_PROGRAM_MASS_MULTIPLY; k++) {
    if (!d->program[k]) return;
    if (cmb_program_work(d->program[k]) > work) work = cmb_program_work(d->program[k]);
  }
  d->factor_out = d->count[CMB_PART_M] + d->nv;
  d->factors = (cmb_mass_factors){.values = d->count[CMB_PART_M],
                                  .scratch = d->factor_out + d->nv + work,
                                  .self = d,
                                  .forward = forward,
                                  .backward = backward,
                                  .multiply = multiply};
}
