/*
 * SUNDIALS IDA in the race (bench/ida.h).
 */
#include "bench/ida.h"
#include "support/codes.h"

void *bench_ida_create(const bench_code *code, bench_caraxis *p, double tolerance)
{
  (void)code;
  return cli_ida_create(p->ev, p->q, p->v, p->a, p->lambda, p->t_start, p->t_end, tolerance);
}

int bench_ida_run(void *run)
{
  return cli_ida_run(run);
}

void bench_ida_collect(void *run, bench_outcome *o)
{
  struct cli_outcome from = {.q = o->q, .v = o->v, .lambda = o->lambda};
  cli_ida_collect(run, &from);
  o->steps = from.statistics.accepted;
  o->rejected = from.statistics.rejected;
  o->f = from.statistics.f;
}

void bench_ida_destroy(void *run)
{
  cli_ida_destroy(run);
}
