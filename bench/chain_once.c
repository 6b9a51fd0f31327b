/*
 * Evaluates the chain with one code: chain_once [camber|interpreted|mujoco [explicit|residual|jacobian [bodies [count]]]]
 *
 * bench/chain_instructions.sh runs it under callgrind to count instructions.
 */
#include "support/chain_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find(const char *name, int count, const char *const *names)
{
  for (int i = 0; i < count; i++) {
    if (strcmp(name, names[i]) == 0) return i;
  }
  return -1;
}

int main(int argc, char **argv)
{
  static const char *const codes[] = {"camber", "interpreted", "mujoco"};
  static const char *const quantities[] = {"explicit", "residual", "jacobian"};
  int code = argc > 1 ? find(argv[1], 3, codes) : 0;
  int what = argc > 2 ? find(argv[2], 3, quantities) : 0;
  int n = argc > 3 ? atoi(argv[3]) : 41, count = argc > 4 ? atoi(argv[4]) : 1;
  if (code < 0 || what < 0 || n < 1 || count < 1) {
    fprintf(stderr, "usage: chain_once [camber|interpreted|mujoco [explicit|residual|jacobian "
                    "[bodies [count]]]]\n");
    return 2;
  }
  bench_chain_code run;
  bool there = code == 2 ? bench_chain_mujoco(n, (bench_quantity)what, &run)
                         : bench_chain_camber(n, (bench_quantity)what, code == 0, &run);
  if (!there) {
    printf("%s %s: not available\n", codes[code], quantities[what]);
    return 1;
  }
  run.run(run.self); /* once before, so that nothing is the first time */
  bench_timed_evaluation(&run, count);
  printf("%s %s %d: %.17g\n", codes[code], quantities[what], n, run.result ? run.result[n - 1] : 0);
  run.destroy(run.self);
  return 0;
}
