/*
 * camber-bench: repeats published experiments and prints the published numbers beside Camber's. Contains the program's entry and what the
 * benches share. `camber bench` starts it; it is a separate program since it is linked with other solvers, to which Camber is compared.
 */
#include "bench/bench.h"

#include "base/context.h"
#include "base/output.h"
#include "cli/benches.h"

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

int cli_bench_open(cmb_context *ctx, const char *model, int count, const cmb_setting *set,
                   const char *method, struct cli_bench_model *m)
{
  static const struct cli_command as_run = {.name = "run"};
  struct cli_arguments *on = &m->arguments;
  *m = (struct cli_bench_model){.system = NULL};
  on->command = &as_run, on->operand = model, on->inner = true, on->at = NAN;
  for (int i = 0; i < count; i++) on->set[on->set_count++] = set[i];
  const int code = cli_read_model(ctx, on);
  if (method) on->method = method;
  return code == CLI_DONE ? cli_open_system(ctx, on, &m->system) : code;
}

void cli_bench_close(struct cli_bench_model *m)
{
  cmb_system_destroy(m->system);
  cmb_model_destroy(m->arguments.model);
  cli_release(&m->arguments);
}

const char *cli_bench_word(bool holds)
{
  return holds ? "yes" : "no";
}

void cli_bench_verdict(const char *claim, bool holds)
{
  printf("%-72s %s\n", claim, cli_bench_word(holds));
}

cmb_status cli_bench_draw(cmb_context *ctx, const struct cli_arguments *a,
                          const struct cli_plot *plot)
{
  const cmb_status status = a->plot ? cli_plot_save(ctx, plot, a->plot) : CMB_OK;
  return status == CMB_ERROR_MEMORY ? cmb_fail_memory(ctx) : status;
}

cmb_status cli_bench_draw_beside(cmb_context *ctx, const struct cli_arguments *a,
                                 const char *suffix, const struct cli_plot *plot)
{
  char path[CLI_PATH_ROOM];
  struct cli_arguments to = *a;
  if (!a->plot) return CMB_OK;
  const char *dot = strrchr(a->plot, '.'), *slash = strrchr(a->plot, '/');
  if (!dot || (slash && dot < slash)) dot = a->plot + strlen(a->plot);
  const int written =
      snprintf(path, sizeof path, "%.*s%s%s", (int)(dot - a->plot), a->plot, suffix, dot);
  if (written < 0 || written >= (int)sizeof path) {
    return cmb_fail(ctx, CMB_ERROR_ARGUMENT, "the name of the plot is too long");
  }
  to.plot = path;
  return cli_bench_draw(ctx, &to, plot);
}

/* ---- choice of the bench */

struct bench {
  const char *name, *model, *parameter;
  double value;
  bool takes_rtol, plots;
  cmb_status (*print)(cmb_context *ctx, const cmb_system *system, const struct cli_arguments *a);
};

static const struct bench benches[] = {
#define BENCH_ROW(name, title, model, parameter, value, takes_rtol, plots, function)               \
  {name, model, parameter, value, takes_rtol, plots, cli_bench_##function},
    CLI_BENCH_LIST(BENCH_ROW)
#undef BENCH_ROW
};

static int print_bench(cmb_context *ctx, const struct bench *bench, const cmb_system *system,
                       const struct cli_arguments *a)
{
  cmb_context_set_log(ctx, NULL, NULL); /* no advice on the choice of a method: all are to run */
  cmb_status status = bench->print(ctx, system, a);
  if (status == CMB_OK) return CLI_DONE;
  return cli_fail(ctx, status);
}

static int run_bench(cmb_context *ctx, const struct bench *bench, const struct cli_arguments *a)
{
  struct cli_bench_model m;
  if (!bench->takes_rtol && !isnan(a->rtol)) {
    return cli_complain("bench %s has tolerances of its own, --rtol is not for it", bench->name);
  }
  if (a->plot && !bench->plots) {
    return cli_complain("bench %s has no plot, --plot is not for it", bench->name);
  }
  const cmb_status possible = a->plot ? cmb_output_possible(ctx, a->plot) : CMB_OK;
  if (possible != CMB_OK) return cli_fail(ctx, possible);
  if (!bench->model) return print_bench(ctx, bench, NULL, a);
  const cmb_setting set = {bench->parameter, bench->value};
  int code = cli_bench_open(ctx, bench->model, bench->parameter ? 1 : 0, &set, NULL, &m);
  if (code == CLI_DONE) code = print_bench(ctx, bench, m.system, a);
  cli_bench_close(&m);
  return code;
}

static int bench(cmb_context *ctx, const struct cli_arguments *a)
{
  for (size_t i = 0; i < sizeof benches / sizeof *benches; i++) {
    if (strcmp(a->operand, benches[i].name) == 0) return run_bench(ctx, &benches[i], a);
  }
  return cli_complain("unknown bench '%s'; 'camber list benches' shows them", a->operand);
}

int main(int argc, char **argv)
{
  static const struct cli_command command = {CLI_BENCH_COMMAND, bench, false};
  struct cli_arguments arguments;
  const int words = argc > 0 ? argc - 1 : 0;
  const int parsed = cli_parse_words(&command, words, argv + argc - words, &arguments);
  return cli_carry_out(&arguments, parsed);
}
