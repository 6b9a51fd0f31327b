/*
 * camber bench simeon-stair (B. Simeon, "On the numerical solution of a wheel suspension benchmark problem", 1996): the second manoeuvre
 * (section 5), the times at which the wheel leaves and meets the road.
 */
#include "bench/bench.h"

#include <math.h>
#include <string.h>

enum { MOST_SWITCHES = 64 };

struct switches {
  int count;
  double t[MOST_SWITCHES];
  int direction[MOST_SWITCHES];
};

static cmb_status on_switch(void *user, const cmb_event *event)
{
  struct switches *s = user;
  if (strcmp(event->name, "tyre.contact") != 0) return CMB_OK;
  if (s->count == MOST_SWITCHES) return CMB_ERROR_EVENTS;
  s->t[s->count] = event->t;
  s->direction[s->count++] = event->direction;
  return CMB_OK;
}

static cmb_status find_switches(cmb_context *ctx, const cmb_system *system, double rtol,
                                struct switches *s)
{
  cmb_run_options options = cmb_run_defaults();
  struct cli_outcome o = {0};
  options.integrator.rtol = options.integrator.atol = rtol;
  options.observer = (cmb_observer){.user = s, .event = on_switch};
  s->count = 0;
  return cli_bench_run(ctx, system, &options, 1, &o);
}

cmb_status cli_bench_simeon_stair(cmb_context *ctx, const cmb_system *system,
                                  const struct cli_arguments *a)
{
  static const double paper[] = {0.2, 0.2342, 0.2897, 0.3289, 0.3900, 0.4096};
  struct switches s, fine;
  double rtol = isnan(a->rtol) ? 1e-6 : a->rtol;
  CMB_TRY(find_switches(ctx, system, rtol, &s));
  CMB_TRY(find_switches(ctx, system, 1e-10, &fine));
  printf("Simeon (1996), section 5: five-link suspension over a stair, mdop5, RTOL = %g.\n"
         "The paper's car, its step and its road are others. Times in seconds.\n\n"
         "%-15s %8s %12s   %12s   %10s\n",
         rtol, "wheel", "paper", "ours", "RTOL = 1e-10", "difference");
  for (int i = 0; i < s.count && i < fine.count; i++) {
    char text[16] = "-";
    if (i < (int)(sizeof paper / sizeof *paper)) snprintf(text, sizeof text, "%.4f", paper[i]);
    printf("%-15s %8s %12.9f   %12.9f   %10.1e\n",
           s.direction[i] < 0 ? "leaves the road" : "meets the road", text, s.t[i], fine.t[i],
           s.t[i] - fine.t[i]);
  }
  if (s.count == fine.count) return CMB_OK;
  printf("%d switches, %d at RTOL = 1e-10\n", s.count, fine.count);
  return CMB_OK;
}
