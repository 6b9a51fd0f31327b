/*
 * The chain evaluated by MuJoCo (chain.h).
 */
#include "support/chain.h"

bool bench_chain_mujoco(int n, bench_quantity what, bench_chain_code *code)
{
  (void)n, (void)what, (void)code;
  return false;
}
