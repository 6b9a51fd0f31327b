/*
 * Integrates the car axis with one code, `count` times: caraxis_once [code [tolerance [count]]]
 *
 * bench/instructions.sh runs it under callgrind to count instructions.
 */
#include "support/codes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int complain(const char *what, const char *value)
{
  fprintf(stderr,
          "caraxis_once: %s '%s'\nusage: caraxis_once [code [tolerance [count]]]\ncodes:", what,
          value);
  for (const bench_code *code = bench_codes; code->name; code++) fprintf(stderr, " %s", code->name);
  fprintf(stderr, "\n");
  return 2;
}

int main(int argc, char **argv)
{
  const bench_code *code = bench_code_find(argc > 1 ? argv[1] : "mdop5");
  char *end = "";
  double tolerance = argc > 2 ? strtod(argv[2], &end) : 1e-7;
  if (!code) return complain("unknown code", argv[1]);
  if (*end || !(tolerance > 0)) return complain("bad tolerance", argv[2]);
  long count = argc > 3 ? strtol(argv[3], &end, 10) : 1;
  if (*end || count < 1) return complain("bad count", argv[3]);

  bench_caraxis *problem = bench_caraxis_create();
  if (!problem) return 1;
  bench_outcome o = {.failed = true};
  for (long i = 0; i < count; i++) bench_integrate(code, problem, tolerance, &o);
  printf("%s %g: mescd %.2f, steps %ld, rejected %ld, f %ld, %.0f us\n", code->name, tolerance,
         bench_mescd(&o), o.steps, o.rejected, o.f, 1e6 * o.seconds);
  bench_caraxis_destroy(problem);
  return o.failed;
}
