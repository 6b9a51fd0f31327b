/*
 * Sizes of coordinates (size.h).
 */
#include "dae/size.h"

#include "math/dense.h"
#include "math/random.h"

#include <math.h>

double cmb_sized_norm(const cmb_equations *eq, const double *q)
{
  double sum = 0;
  if (!eq->q_sizes) return cmb_norm2(eq->nq, q);
  for (int i = 0; i < eq->nq; i++) sum = hypot(sum, q[i] / eq->q_sizes[i]);
  return sum;
}

double cmb_sized_gradient(const cmb_equations *eq, int count, const int *column,
                          const double *gradient)
{
  double sum = 0;
  if (!eq->v_sizes) return cmb_norm2(count, gradient);
  for (int k = 0; k < count; k++) {
    sum = hypot(sum, gradient[k] * eq->v_sizes[column ? column[k] : k]);
  }
  return sum;
}

void cmb_displace_beside(const cmb_equations *eq, const double *q, double part, uint32_t *random,
                         double *displaced)
{
  for (int i = 0; i < eq->nq; i++) {
    const double size = eq->q_sizes ? eq->q_sizes[i] : 1;
    displaced[i] = q[i] + part * cmb_random(random) * (size < 1 ? size : fmax(1, fabs(q[i])));
  }
}
