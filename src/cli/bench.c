/*
 * camber bench: published experiments, the published numbers beside ours. The list of them, and what they share.
 */
#include "cli/bench.h"

#include "base/context.h"
#include "base/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double cli_bench_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void copy(int n, const double *from, double *to)
{
  if (to && n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

struct job {
  cmb_context *ctx;
  const cmb_system *system;
  const cmb_run_options *options;
};

static cmb_status run_once(void *user, struct cli_outcome *o)
{
  const struct job *job = user;
  const cmb_equations *eq = cmb_system_equations(job->system);
  cmb_simulation *sim;
  CMB_TRY(cmb_simulation_create(job->ctx, job->system, job->options, &sim));
  const double begun = cli_bench_seconds();
  cmb_status status = cmb_simulation_run(sim);
  o->seconds = cli_bench_seconds() - begun;
  const cmb_result *r = cmb_simulation_result(sim);
  o->statistics = *r->statistics;
  o->position = r->position;
  o->velocity = r->velocity;
  copy(eq->nq, r->q, o->q);
  copy(eq->nv, r->v, o->v);
  copy(eq->ng, r->lambda, o->lambda);
  cmb_simulation_destroy(sim);
  return status;
}

cmb_status cli_bench_repeat(cmb_context *ctx, int repeat, cli_bench_code run, void *user,
                            struct cli_outcome *o)
{
  double *seconds = calloc((size_t)repeat, sizeof *seconds);
  cmb_status status = CMB_OK;
  if (!seconds) return cmb_fail_memory(ctx);
  for (int k = 0; k < repeat && status == CMB_OK; k++) {
    status = run(user, o);
    seconds[k] = o->seconds;
  }
  if (status == CMB_OK) o->seconds = cli_median(repeat, seconds);
  free(seconds);
  return status;
}

cmb_status cli_bench_run(cmb_context *ctx, const cmb_system *system, const cmb_run_options *options,
                         int repeat, struct cli_outcome *o)
{
  struct job job = {ctx, system, options};
  return cli_bench_repeat(ctx, repeat, run_once, &job, o);
}

void cli_bench_put(int width, int digits, double x)
{
  if (isnan(x)) {
    printf(" %*s", width, "-");
  } else {
    printf(" %*.*f", width, digits, x);
  }
}

/* ---- which one */

struct bench {
  const char *name, *title;
  const char *model, *parameter; /* MODEL or NULL, and a parameter to set to 1 or NULL */
  bool takes_rtol, plots;
  cmb_status (*print)(cmb_context *ctx, const cmb_system *system, const struct cli_arguments *a);
};

static const struct bench benches[] = {
    {"simeon-table1", "four ways of projecting on the five-link suspension (Simeon 1996, Table 1)",
     "fivelink", NULL, true, false, cli_bench_simeon_table1},
    {"simeon-stair", "the wheel's bounces behind a stair (Simeon 1996, section 5)", "fivelink",
     "stair", true, false, cli_bench_simeon_stair},
    {"caraxis", "work and precision of all methods on the car axis (IVP Test Set, II.17)",
     "caraxis", NULL, false, false, cli_bench_caraxis},
    {"arnold-table2", "ways to get a Jacobian, on the pendulum chain (Arnold et al., Table 2)",
     NULL, NULL, true, false, cli_bench_arnold},
    {"burgermeister-fig1", "limits of stability of lie (Burgermeister, Arnold, Esterl, Fig. 1)",
     NULL, NULL, false, true, cli_bench_burgermeister_fig1},
    {"burgermeister-fig3", "drift on a circular track (the same, Fig. 3)", "circular-track", NULL,
     false, true, cli_bench_burgermeister_fig3},
    {"burgermeister-fig5", "car axis: drift over time (the same, Fig. 5)", "caraxis", NULL, false,
     true, cli_bench_burgermeister_fig5},
    {"burgermeister-fig6", "car axis: drift against the step size (the same, Fig. 6)", "caraxis",
     NULL, false, true, cli_bench_burgermeister_fig6},
    {"burgermeister-fig7", "car axis: explicit against linear-implicit (the same, Fig. 7)",
     "caraxis", NULL, false, true, cli_bench_burgermeister_fig7},
    {"burgermeister-fig8", "car axis: error against the step size (the same, Fig. 8)", "caraxis",
     NULL, false, true, cli_bench_burgermeister_fig8},
};

static int print_bench(cmb_context *ctx, const struct bench *bench, const cmb_system *system,
                       const struct cli_arguments *a)
{
  cmb_context_set_log(ctx, NULL, NULL); /* advice on the choice of a method: all are to run */
  cmb_status status = bench->print(ctx, system, a);
  if (status == CMB_OK) return CLI_DONE;
  return cli_fail(ctx, status);
}

static int run_bench(cmb_context *ctx, const struct bench *bench, const struct cli_arguments *a)
{
  struct cli_arguments on = {.command = &cli_commands[0], .operand = bench->model, .inner = true};
  cmb_system *system = NULL;
  if (!bench->takes_rtol && !isnan(a->rtol)) {
    return cli_complain("bench %s has tolerances of its own, --rtol is not for it", bench->name);
  }
  if (a->plot && !bench->plots) {
    return cli_complain("bench %s has no plot, --plot is not for it", bench->name);
  }
  const cmb_status possible = a->plot ? cmb_output_possible(ctx, a->plot) : CMB_OK;
  if (possible != CMB_OK) return cli_fail(ctx, possible);
  if (!bench->model) return print_bench(ctx, bench, NULL, a);
  if (bench->parameter) on.set[on.set_count++] = (cmb_setting){bench->parameter, 1};
  int code = cli_read_model(ctx, &on);
  if (code == CLI_DONE) code = cli_open_system(ctx, &on, &system);
  if (code == CLI_DONE) code = print_bench(ctx, bench, system, a);
  cmb_system_destroy(system);
  cmb_model_destroy(on.model);
  cli_release(&on);
  return code;
}

void cli_complete_benches(void)
{
  for (size_t i = 0; i < sizeof benches / sizeof *benches; i++) {
    printf("%s%s", i ? " " : "", benches[i].name);
  }
}

void cli_list_benches(void)
{
  for (size_t i = 0; i < sizeof benches / sizeof *benches; i++) {
    printf("%-19s %s\n", benches[i].name, benches[i].title);
  }
}

int cli_bench(cmb_context *ctx, const struct cli_arguments *a)
{
  for (size_t i = 0; i < sizeof benches / sizeof *benches; i++) {
    if (strcmp(a->operand, benches[i].name) == 0) return run_bench(ctx, &benches[i], a);
  }
  return cli_complain("unknown bench '%s'; 'camber list benches' shows them", a->operand);
}
