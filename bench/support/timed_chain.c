/*
 * What is timed, in a file of its own: callgrind is told to count while this function is active, so it must
 * not be inlined, cloned or left by a tail call.
 */
#include "support/chain_code.h"

void bench_timed_evaluation(const bench_chain_code *code, int count)
{
  for (int i = 0; i < count; i++) code->run(code->self);
}
