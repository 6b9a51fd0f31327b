/*
 * Lists the codes that are compared on the car axis, and runs them (codes.h).
 */
#include "support/codes.h"

#include "dae/problems/caraxis_reference.h"
#include "dae/project.h"

#include <arkode/arkode_erkstep.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CAMBER_CONTROLLED(name, title, method, control)                                            \
  {                                                                                                \
    name, title, 0, false, method, control, bench_camber_create, bench_camber_run,                 \
        bench_camber_collect, bench_camber_destroy                                                 \
  }
#define CAMBER_CODE(name, title) CAMBER_CONTROLLED(name, title, name, NULL)
#define ARKODE_CODE(name, title, table, by_hand)                                                   \
  {                                                                                                \
    name, title, table, by_hand, NULL, NULL, bench_arkode_create, bench_arkode_run,                \
        bench_arkode_collect, bench_arkode_destroy                                                 \
  }

const bench_code bench_codes[] = {
    CAMBER_CODE("mdop5", "Camber, Dormand-Prince 5(4), projected"),
    CAMBER_CODE("mdop853", "Camber, Dormand-Prince 8(5,3), projected"),
    CAMBER_CODE("hem5", "Camber, half-explicit order 5"),
    CAMBER_CODE("phem56", "Camber, partitioned half-explicit order 5"),
    CAMBER_CONTROLLED("radau5", "Camber, Radau IIA of order 5, index 3, control as RADAU5",
                      "radau5", "classic"),
    CAMBER_CONTROLLED("radau5-strict", "Camber, Radau IIA of order 5, stabilised index 2, default",
                      "radau5", "strict"),
    CAMBER_CONTROLLED("radau", "Camber, Radau IIA of orders 5, 9 and 13, index 3, control as RADAU",
                      "radau", "classic"),
    CAMBER_CONTROLLED("radau-strict", "Camber, Radau IIA of orders 5, 9 and 13, default", "radau",
                      "strict"),
    CAMBER_CONTROLLED("bdf", "Camber, BDF on the stabilised index-2 form, control as DASSL", "bdf",
                      "classic"),
    CAMBER_CONTROLLED("bdf-strict", "Camber, BDF on the stabilised index-2 form, default", "bdf",
                      "strict"),
    ARKODE_CODE("arkode5", "ARKODE, order 5 default (Cash-Karp), index 1", ARKODE_CASH_KARP_6_4_5,
                false),
    ARKODE_CODE("arkode5-dp", "ARKODE, Dormand-Prince 5(4), index 1", ARKODE_DORMAND_PRINCE_7_4_5,
                false),
    ARKODE_CODE("arkode8", "ARKODE, order 8 default (Fehlberg), index 1", ARKODE_FEHLBERG_13_7_8,
                false),
    ARKODE_CODE("arkode5-hand", "arkode5, right-hand side by hand", ARKODE_CASH_KARP_6_4_5, true),
    ARKODE_CODE("arkode5-dp-hand", "arkode5-dp, right-hand side by hand",
                ARKODE_DORMAND_PRINCE_7_4_5, true),
    ARKODE_CODE("arkode8-hand", "arkode8, right-hand side by hand", ARKODE_FEHLBERG_13_7_8, true),
    {"ida", "IDA (BDF) on the stabilised index-2 form", 0, false, NULL, NULL, bench_ida_create,
     bench_ida_run, bench_ida_collect, bench_ida_destroy},
    {0},
};

const bench_code *bench_code_find(const char *name)
{
  for (const bench_code *code = bench_codes; code->name; code++) {
    if (strcmp(code->name, name) == 0) return code;
  }
  return NULL;
}

static cmb_status set_up(bench_caraxis *p)
{
  cmb_start_report report;
  CMB_TRY(cmb_problem_create(p->ctx, cmb_problem_find("caraxis"), 0, NULL, &p->system));
  CMB_TRY(cmb_evaluator_create(p->ctx, cmb_system_equations(p->system), &p->ev));
  p->t_start = cmb_system_t_start(p->system);
  p->t_end = cmb_system_t_end(p->system);
  memcpy(p->q, cmb_system_q(p->system), sizeof p->q);
  memcpy(p->v, cmb_system_v(p->system), sizeof p->v);
  return cmb_consistent_start(p->ev, p->t_start, p->q, p->v, p->a, p->lambda, &report);
}

bench_caraxis *bench_caraxis_create(void)
{
  bench_caraxis *p = calloc(1, sizeof *p);
  if (p) p->ctx = cmb_context_create(NULL);
  if (!p || !p->ctx) {
    fprintf(stderr, "car axis: out of memory\n");
    free(p);
    return NULL;
  }
  if (set_up(p) != CMB_OK) {
    fprintf(stderr, "car axis: %s\n", cmb_last_error(p->ctx));
    bench_caraxis_destroy(p);
    return NULL;
  }
  return p;
}

void bench_caraxis_destroy(bench_caraxis *p)
{
  if (!p) return;
  cmb_evaluator_destroy(p->ev);
  if (p->system) cmb_system_destroy(p->system);
  cmb_context_destroy(p->ctx);
  free(p);
}

/* Returns the processor time used so far, in s. Other processes on the machine influence it only through the cache. */
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_integrate(const bench_code *code, bench_caraxis *problem, double tolerance,
                     bench_outcome *outcome)
{
  *outcome = (bench_outcome){.failed = true};
  void *run = code->create(code, problem, tolerance);
  if (!run) return;
  double begun = now();
  bench_timed_run(code, run, outcome);
  outcome->seconds = now() - begun;
  code->collect(run, outcome);
  code->destroy(run);
}

double bench_mescd(const bench_outcome *o)
{
  return o->failed ? -INFINITY : cmb_caraxis_mescd(o->q, o->v, o->lambda, 1);
}
