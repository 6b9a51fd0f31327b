/*
 * camber bench simeon-table1, simeon-stair (B. Simeon, "On the numerical solution of a wheel suspension benchmark problem", 1996).
 *
 * simeon-table1: the four ways of projecting of Table 1, with mdop5 on the five-link suspension over a smooth
 * bump, and hem5 as the paper's text compares it. The paper's numbers of the car are not published; ours are another car's,
 * so what compares is the pattern. Errors are measured against mdop853 at a tolerance of 1e-12.
 * simeon-stair: the second manoeuvre (section 5), the times at which the wheel leaves and meets the road.
 */
#include "bench/bench.h"

#include <math.h>
#include <string.h>

enum { MOST_COORDINATES = 16, INSTANTS = 101 };

struct row {
  const char *title, *method, *projection;
  double paper[5]; /* projections, |g|, |G v|, relative error, CPU s */
};

/* Positions at equal intervals. */
struct path {
  int counted; /* coordinates that count */
  int count;
  double q[INSTANTS][MOST_COORDINATES];
};

/* The instants that lie in the last step, from the dense output, as it is: projection would hide the drift. */
static cmb_status take_instants(cmb_integrator *in, double interval, struct path *path)
{
  double v[MOST_COORDINATES];
  while (path->count < INSTANTS && path->count * interval <= cmb_integrator_t(in)) {
    double t = path->count * interval;
    CMB_TRY(cmb_integrator_interpolate(in, t, path->q[path->count], v));
    path->count++;
  }
  return CMB_OK;
}

static cmb_status follow(cmb_context *ctx, const cmb_system *system, const cmb_run_options *options,
                         struct path *path)
{
  const double end = cmb_system_t_end(system);
  const cmb_equations *eq = cmb_system_equations(system);
  cmb_integrator *in;
  path->counted = eq->nq;
  if (strcmp(eq->q_names[eq->nq - 1], "delta") == 0) path->counted--;
  path->count = 0;
  CMB_TRY(cmb_integrator_create(ctx, eq, options->method, &options->integrator, &in));
  cmb_status status = cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system));
  while (status == CMB_OK && cmb_integrator_t(in) < end) {
    status = cmb_integrator_step(in, end);
    if (status == CMB_OK) status = take_instants(in, end / (INSTANTS - 1), path);
  }
  cmb_integrator_destroy(in);
  return status;
}

static double length(int n, const double *x)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* The largest distance of the two paths, relative to the largest of the reference's positions. The wheel's own rotation does
 * not count: it is a hundred times as large as the rest. */
static double relative_error(const struct path *path, const struct path *reference)
{
  double most = 0, size = 0;
  for (int k = 0; k < path->count && k < reference->count; k++) {
    double difference[MOST_COORDINATES];
    for (int i = 0; i < path->counted; i++) difference[i] = path->q[k][i] - reference->q[k][i];
    most = fmax(most, length(path->counted, difference));
    size = fmax(size, length(path->counted, reference->q[k]));
  }
  return most / size;
}

static const struct row rows[] = {
    {"index 1", "mdop5", "none", {0, 1.8e-2, 1.1e-1, 7.7e-5, 40.1}},
    {"velocity stabilization", "mdop5", "velocity", {0, 7.4e-4, 8.2e-12, 4.0e-5, 40.8}},
    {"projection control", "mdop5", "control", {12, 1.5e-13, 1.0e-11, 3.9e-5, 41.0}},
    {"projection each step", "mdop5", "every", {83, 1.6e-13, 5.1e-12, 3.9e-5, 42.6}},
    {"hem5", "hem5", "none", {0, NAN, NAN, 1.7e-5, 49.2}},
};

static void print_heading(double rtol)
{
  printf("Simeon (1996), Table 1: five-link suspension over a smooth bump, RTOL = %g.\n"
         "The paper's car is another one. |g| and |G v| at the end of the run; error: the largest "
         "of 100 instants.\n\n"
         "                         steps  projections        |g|            |G v|"
         "        rel. error        time\n"
         "                          ours  paper  ours    paper    ours   paper    ours   paper"
         "    ours  paper    ours\n",
         rtol);
}

static const char *published(double x, char text[16])
{
  snprintf(text, 16, isnan(x) ? "-" : "%.1e", x);
  return text;
}

static cmb_status print_row(cmb_context *ctx, const cmb_system *system, const struct row *row,
                            double rtol, int repeat, const struct path *reference)
{
  cmb_option_setting setting = {"projection", row->projection};
  cmb_run_options options = cmb_run_defaults();
  struct cli_outcome o = {0};
  struct path path;
  char text[2][16];
  options.method = cmb_method_find(row->method);
  options.integrator.rtol = options.integrator.atol = rtol;
  options.integrator.setting_count = 1;
  options.integrator.settings = &setting;
  CMB_TRY(cli_bench_run(ctx, system, &options, repeat, &o));
  CMB_TRY(follow(ctx, system, &options, &path));
  const double *p = row->paper;
  printf("%-24s %5ld %6.0f %5ld  %7s %7.1e %7s %7.1e %7.1e %7.1e %4.1f s %5.2f ms\n", row->title,
         o.statistics.accepted, p[0], o.statistics.projections, published(p[1], text[0]),
         o.position, published(p[2], text[1]), o.velocity, p[3], relative_error(&path, reference),
         p[4], 1e3 * o.seconds);
  return CMB_OK;
}

cmb_status cli_bench_simeon_table1(cmb_context *ctx, const cmb_system *system,
                                   const struct cli_arguments *a)
{
  cmb_run_options options = cmb_run_defaults();
  struct path reference;
  double rtol = isnan(a->rtol) ? 1e-4 : a->rtol;
  options.method = cmb_method_find("mdop853");
  options.integrator.rtol = options.integrator.atol = 1e-12;
  CMB_TRY(follow(ctx, system, &options, &reference));
  print_heading(rtol);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    CMB_TRY(print_row(ctx, system, &rows[i], rtol, (int)a->repeat, &reference));
  }
  return CMB_OK;
}

/* ---- the stair */

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
         "wheel             paper         ours   RTOL = 1e-10   difference\n",
         rtol);
  for (int i = 0; i < s.count && i < fine.count; i++) {
    char text[16] = "-";
    if (i < (int)(sizeof paper / sizeof *paper)) snprintf(text, sizeof text, "%.4f", paper[i]);
    printf("%-14s %8s %12.9f   %12.9f   %10.1e\n",
           s.direction[i] < 0 ? "leaves the road" : "meets the road", text, s.t[i], fine.t[i],
           s.t[i] - fine.t[i]);
  }
  if (s.count == fine.count) return CMB_OK;
  printf("%d switches, %d at RTOL = 1e-10\n", s.count, fine.count);
  return CMB_OK;
}
