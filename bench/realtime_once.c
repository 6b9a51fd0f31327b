/*
 * Takes steps of 1 ms with one code: realtime_once [code [steps]]
 *
 * bench/realtime_instructions.sh runs it under callgrind to count instructions. Codes: the exported C of quarter-car and fivelink; the quarter
 * car in MuJoCo with its integrators Euler, implicit, RK4.
 */
#include "support/realtime_code.h"

#include <stdio.h>
#include <stdlib.h>

static bool find(const char *name, bench_realtime_code *code)
{
  bench_realtime_code camber;
  if (bench_realtime_exported(name, code)) return true;
  if (!bench_realtime_exported("quarter-car", &camber)) return false;
  const bool found = bench_realtime_mujoco(name, 1, camber.position(camber.self), code);
  camber.destroy(camber.self);
  return found;
}

int main(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "quarter-car";
  const int steps = argc > 2 ? atoi(argv[2]) : BENCH_STEPS_PER_SECOND;
  bench_realtime_code code;
  if (steps < 1) {
    fprintf(stderr, "usage: realtime_once [quarter-car|fivelink|Euler|implicit|RK4 [steps]]\n");
    return 2;
  }
  if (!find(name, &code)) {
    printf("%s: not available\n", name);
    return 1;
  }
  for (int i = 0; i < steps; i++) code.step(code.self);
  printf("%s: first coordinate %.17g after %d steps\n", name, code.position(code.self)[0], steps);
  code.destroy(code.self);
  return 0;
}
