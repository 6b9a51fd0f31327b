/*
 * camber linearize --vary: eigenvalues of steady motions over a value that is held, such as the speed, and where the largest real part
 * crosses 0 (vary_critical.c).
 */
#include "cli/vary.h"

#include "base/output.h"
#include "cli/state_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct table {
  cmb_context *ctx;
  const struct cli_arguments *a;
  cmb_system *system;
  int held; /* which of the settings is varied */
  cmb_setting holds[CLI_MOST_SETTINGS + 1];
  cmb_steady_options options;
  struct cli_look *looks; /* (vary_count) */
  int done;               /* so many there are */
  struct cli_critical critical;
};

static void summarize(const cmb_linearization *l, struct cli_look *x)
{
  x->below = l->neutral_below;
  x->neutral = 0, x->re = -INFINITY, x->im = 0, x->damping = INFINITY;
  x->slow_re = INFINITY, x->slow_im = 0;
  for (int i = 0; i < l->eigenmode_count; i++) {
    const cmb_eigenmode *m = &l->eigenmodes[i];
    if (m->neutral) {
      x->neutral += m->im > 0 ? 2 : 1; /* of a pair one is listed */
      continue;
    }
    if (m->re > x->re) x->re = m->re, x->im = m->im;
    if (x->slow_re == INFINITY) x->slow_re = m->re, x->slow_im = m->im; /* by size */
    x->damping = fmin(x->damping, m->damping);
  }
}

/* The steady motion with this value, from the one before, and its linearisation. */
static cmb_status look_at(struct table *t, double at, struct cli_look *x)
{
  cmb_steady_report report;
  *x = (struct cli_look){.at = at};
  t->holds[t->held].value = at;
  CMB_TRY(cmb_system_steady(t->ctx, t->system, &t->options, &report));
  CMB_TRY(cmb_linearize_in(t->ctx, cmb_system_equations(t->system), cmb_system_frame(t->system),
                           cmb_system_t_start(t->system), cmb_system_q(t->system),
                           cmb_system_v(t->system), &x->l));
  summarize(x->l, x);
  return CMB_OK;
}

/* For the search for crossings. */
static cmb_status look_between(void *user, double at, struct cli_look *x)
{
  return look_at(user, at, x);
}

static void json_look(struct cli_json *j, const struct cli_look *x)
{
  cli_json_open(j, NULL, '{');
  cli_json_number(j, "value", x->at);
  cli_json_open(j, "eigenvalues", '[');
  for (int i = 0; i < x->l->eigenmode_count; i++) {
    const double pair[2] = {x->l->eigenmodes[i].re, x->l->eigenmodes[i].im};
    if (!x->l->eigenmodes[i].neutral) cli_json_numbers(j, NULL, 2, pair);
  }
  cli_json_close(j, ']');
  cli_json_integer(j, "neutral", x->neutral);
  cli_json_number(j, "neutral_below", x->below);
  cli_json_close(j, '}');
}

static void print_look(const struct cli_look *x)
{
  if (isfinite(x->re)) {
    printf("  %-14.6g %-14.6g %-14.6g % -14.4g %d\n", x->at, x->re, x->im, x->damping, x->neutral);
  } else {
    printf("  %-14.6g all eigenvalues are neutral\n", x->at);
  }
}

/* What may be too slow to be told from 0: in a model with stiff parts that can be more than one would think. */
static void print_limit(const struct table *t)
{
  double below = 0;
  for (int i = 0; i < t->done; i++) below = fmax(below, t->looks[i].below);
  if (t->done > 0) printf("  neutral: not told from 0, all below %.3g 1/s\n", below);
}

/* All values, and the crossings between them. */
static cmb_status walk(struct table *t)
{
  const struct cli_arguments *a = t->a;
  const int values = (int)a->vary_count;
  for (t->done = 0; t->done < values; t->done++) {
    struct cli_look *here = &t->looks[t->done];
    const double part = (double)t->done / (values - 1);
    CMB_TRY(look_at(t, a->vary_from + part * (a->vary_to - a->vary_from), here));
    if (!a->json) print_look(here);
    CMB_TRY(cli_critical_next(&t->critical, t->done, t->done == values - 1));
  }
  return CMB_OK;
}

/* The files that were asked for, also of a table that ends early. */
static cmb_status write_files(const struct table *t, cmb_status status)
{
  const struct cli_vary_table table = {.title = cli_title(t->a),
                                       .name = t->a->vary,
                                       .eq = cmb_system_equations(t->system),
                                       .count = t->done,
                                       .looks = t->looks,
                                       .crossing_count = t->critical.count,
                                       .crossings = t->critical.crossings,
                                       .failure = status == CMB_OK ? NULL : cli_last_complaint()};
  if (t->done == 0) return CMB_OK;
  if (cli_given(t->a, "out")) CMB_TRY(cli_vary_save(t->ctx, &table, t->a->out));
  return cli_given(t->a, "plot") ? cli_vary_draw(t->ctx, &table, t->a->plot) : CMB_OK;
}

static void print_json(const struct table *t, cmb_status status)
{
  struct cli_json j;
  cli_json_begin(&j, cmb_system_equations(t->system)->name, NULL, status);
  cli_json_text(&j, "varied", t->a->vary);
  cli_json_open(&j, "table", '[');
  for (int i = 0; i < t->done; i++) json_look(&j, &t->looks[i]);
  cli_json_close(&j, ']');
  cli_json_open(&j, "critical", '[');
  for (int i = 0; i < t->critical.count; i++)
    cli_json_number(&j, NULL, t->critical.crossings[i].at);
  cli_json_close(&j, ']');
  cli_json_end(&j);
}

static void find_held(struct table *t)
{
  const struct cli_arguments *a = t->a;
  t->held = a->steady_count;
  for (int i = 0; i < a->steady_count; i++) {
    t->holds[i] = a->steady[i];
    if (strcmp(a->steady[i].name, a->vary) == 0) t->held = i;
  }
  t->holds[t->held].name = a->vary;
  t->options = (cmb_steady_options){.hold_count = a->steady_count + (t->held == a->steady_count),
                                    .holds = t->holds,
                                    .free_count = a->free_count,
                                    .free = a->free,
                                    .trim_count = a->trim_count,
                                    .trim = a->trim};
}

/* ---- options */

/* Options of a run, which there is not; what a model says under `simulate` is for its run. */
static int complain_run_option(const struct cli_arguments *a)
{
  static const char *const names[] = {"method", "rtol", "atol", "option"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!cli_given(a, names[i])) continue;
    return cli_complain("--%s is for a simulation, and does not go with --vary", names[i]);
  }
  return CLI_DONE;
}

static int check_file(cmb_context *ctx, const struct cli_arguments *a, const char *option,
                      const char *path)
{
  if (!cli_given(a, option)) return CLI_DONE;
  const cmb_status possible = cmb_output_possible(ctx, path);
  return possible == CMB_OK ? CLI_DONE : cli_fail(ctx, possible);
}

int cli_vary_check(cmb_context *ctx, const struct cli_arguments *a)
{
  if (!a->vary) {
    return cli_given(a, "plot")
               ? cli_complain("--plot of 'camber linearize' draws eigenvalues over a value: it "
                              "needs --vary")
               : CLI_DONE;
  }
  if (cli_state_space_wanted(a)) {
    return cli_complain("--vary lists eigenvalues, and does not go with --inputs and --outputs");
  }
  if (a->bode || a->step_response) {
    return cli_complain("--vary lists eigenvalues, and does not go with %s",
                        a->bode ? "--bode" : "--step-response");
  }
  const size_t length = cli_given(a, "out") ? strlen(a->out) : 0;
  if (length > 4 && strcmp(a->out + length - 4, ".csv") != 0) {
    return cli_complain("option --out is '%s'; expected a file name that ends in .csv, since "
                        "--vary has a table and no matrices",
                        a->out);
  }
  int code = complain_run_option(a);
  if (code == CLI_DONE) code = check_file(ctx, a, "out", a->out);
  return code == CLI_DONE ? check_file(ctx, a, "plot", a->plot) : code;
}

/* ---- the command */

static int tabulate(struct table *t)
{
  const struct cli_arguments *a = t->a;
  find_held(t);
  if (!a->json) {
    printf("%s: steady motions over %s\n", cmb_system_equations(t->system)->name, a->vary);
    printf("  %-14s %-14s %-14s %-14s %s\n", a->vary, "largest re", "its im", " least damping",
           "neutral");
  }
  cmb_status status = walk(t);
  for (int i = 0; i < t->critical.count && !a->json; i++) {
    printf("  critical %s  %.9g\n", a->vary, t->critical.crossings[i].at);
  }
  if (!a->json) print_limit(t);
  int code = cli_complain_of(t->ctx, a, status);
  const cmb_status written = write_files(t, status);
  if (status == CMB_OK && written != CMB_OK) {
    status = written;
    code = cli_fail(written == CMB_ERROR_MEMORY ? NULL : t->ctx, written);
  }
  if (a->json) print_json(t, status);
  return code;
}

int cli_vary(cmb_context *ctx, const struct cli_arguments *a, cmb_system *system)
{
  const size_t count = (size_t)a->vary_count;
  struct table t = {.ctx = ctx, .a = a, .system = system};
  t.looks = calloc(count, sizeof *t.looks);
  t.critical = (struct cli_critical){.eq = cmb_system_equations(system),
                                     .name = a->vary,
                                     .from = a->vary_from,
                                     .to = a->vary_to,
                                     .look = look_between,
                                     .user = &t,
                                     .rows = t.looks};
  const int code = t.looks ? tabulate(&t) : cli_fail(NULL, CMB_ERROR_MEMORY);
  for (size_t i = 0; t.looks && i < count; i++) cmb_linearization_destroy(t.looks[i].l);
  free(t.looks);
  free(t.critical.crossings);
  return code;
}
