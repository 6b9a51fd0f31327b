/*
 * A state of the chain (chain_code.h).
 */
#include "support/chain_code.h"

#include "random.h"

#include <stdlib.h>

bool bench_chain_state_create(int n, bench_chain_state *s)
{
  struct cmbt_random r = {1};
  double **all[] = {&s->q, &s->v, &s->a, &s->lambda};
  bool good = true;
  for (int k = 0; k < 4; k++) {
    *all[k] = calloc((size_t)n, sizeof **all[k]);
    good = good && *all[k];
    for (int i = 0; good && k < 3 && i < n; i++) (*all[k])[i] = cmbt_random_uniform(&r, -1, 1);
  }
  return good;
}

void bench_chain_state_destroy(bench_chain_state *s)
{
  free(s->q);
  free(s->v);
  free(s->a);
  free(s->lambda);
}
