/*
 * What is timed, in a file of its own: callgrind is told to count while this function is active, so it must
 * not be inlined, cloned or left by a tail call.
 */
#include "support/codes.h"

void bench_timed_run(const bench_code *code, void *run, bench_outcome *outcome)
{
  int flag = code->run(run);
  outcome->failed = flag != 0;
}
