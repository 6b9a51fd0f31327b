/*
 * camber bench burgermeister-vedyna: compares veDYNA's step (Burgermeister, Arnold and Esterl 2006 §4.3), which is lie with positions=new,
 * with the steps of §2, on bundled models with projection. References are mdop853 at a tolerance of 1e-12, and radau5 on the double
 * wishbone, which is stiff.
 *
 *     models, with J2: the largest distance from the reference relative to the largest distance from the start (2-norms
 *     over all positions), and the operations of a step
 *     quarter car, every matrix: the error of the chassis' height, as bench/realtime_race.c measures it for MuJoCo
 */
#include "base/context.h"
#include "bench/burgermeister.h"
#include "method/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DURATION = 1;    /* of the run, unless the model's is shorter */
static const double DIFFERENT = 1.1; /* ratio from which on the errors count as different */

/* Positions over time, one row per step. */
struct path {
  int nq;
  long steps;
  double h, *q; /* (steps + 1) x nq */
};

static cmb_status store(void *user, const cmb_record *record)
{
  const struct path *path = user;
  const long k = lround(record->t / path->h);
  if (k > path->steps || record->side < 0) return CMB_OK;
  memcpy(path->q + k * path->nq, record->q, (size_t)path->nq * sizeof *path->q);
  return CMB_OK;
}

static cmb_status run(cmb_context *ctx, const cmb_system *system, cmb_run_options *o,
                      struct path *path)
{
  cmb_simulation *sim;
  o->t_end = (double)path->steps * path->h;
  o->every = path->h;
  o->observer = (cmb_observer){.user = path, .record = store};
  CMB_TRY(cmb_simulation_create(ctx, system, o, &sim));
  const cmb_status status = cmb_simulation_run(sim);
  cmb_simulation_destroy(sim);
  return status;
}

static cmb_status follow_reference(cmb_context *ctx, const cmb_system *system, struct path *path)
{
  const bool stiff = strcmp(cmb_system_equations(system)->name, "double-wishbone") == 0;
  cmb_run_options o = cmb_run_defaults();
  o.method = cmb_method_find(stiff ? "radau5" : "mdop853");
  o.integrator.rtol = o.integrator.atol = 1e-12;
  return run(ctx, system, &o, path);
}

/* Runs the method lie with the given options `jacobian` and `positions`, and records the positions after each step in *path. *operations
 * becomes the number of arithmetic operations in a step. */
static cmb_status follow(cmb_context *ctx, const cmb_system *system, const char *jacobian,
                         const char *positions, struct path *path, int *operations)
{
  const cmb_option_setting settings[] = {
      {"bound", "none"}, {"jacobian", jacobian}, {"positions", positions}};
  cmb_run_options o = cmb_run_defaults();
  cmb_integrator *in;
  o.method = cmb_method_find("lie");
  o.integrator.step = path->h;
  o.integrator.setting_count = sizeof settings / sizeof settings[0];
  o.integrator.settings = settings;
  CMB_TRY(cmb_integrator_create(ctx, cmb_system_equations(system), o.method, &o.integrator, &in));
  *operations = cmb_program_instructions(cmb_integrator_stepper(in)->program);
  cmb_integrator_destroy(in);
  return run(ctx, system, &o, path);
}

static cmb_status create_path(cmb_context *ctx, const cmb_system *system, double h, struct path *p)
{
  *p = (struct path){.nq = cmb_system_equations(system)->nq, .h = h};
  p->steps = lround(fmin(DURATION, cmb_system_t_end(system)) / h);
  p->q = calloc((size_t)(p->steps + 1) * (size_t)p->nq, sizeof *p->q);
  return p->q ? CMB_OK : cmb_fail_memory(ctx);
}

/* Returns the largest distance between the recorded paths a and b at the same instant, as the 2-norm over the coordinates first .. first +
 * count − 1. If b is NULL, the distance from the first position of a is used. */
static double largest_distance(int first, int count, const struct path *a, const struct path *b)
{
  double most = 0;
  for (long k = 0; k <= a->steps; k++) {
    const double *x = a->q + k * a->nq + first, *y = b ? b->q + k * b->nq + first : a->q + first;
    double sum = 0;
    for (int i = 0; i < count; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
    most = fmax(most, sqrt(sum));
  }
  return most;
}

/* Prints the results for a model that has been opened. */
typedef cmb_status (*print_results)(cmb_context *ctx, const char *name, double h,
                                    const cmb_system *system);

static cmb_status open_and_print(cmb_context *ctx, const char *name, double h, print_results print)
{
  struct cli_bench_model m;
  cmb_status status = CMB_OK;
  if (cli_bench_open(ctx, name, 0, NULL, "lie", &m) != CLI_DONE) {
    status = cmb_fail(ctx, CMB_ERROR_ARGUMENT, "the bench needs the model '%s'", name);
  }
  if (status == CMB_OK) status = print(ctx, name, h, m.system);
  cli_bench_close(&m);
  return status;
}

/* ---- all models */

static const char *const positions[2] = {"auto", "new"};

/* Small models that move within 1 s without input (the chain hardly does), without impacts, which lie cannot run, and without friction that
 * sticks; and the step sizes in s. */
static const struct {
  const char *name;
  double h;
} models[] = {
    {"balanced-cart", 1e-3},    {"cam-follower", 1e-4},     {"car-axis", 1e-3},
    {"controlled-track", 1e-3}, {"double-pendulum", 1e-3},  {"double-wishbone", 1e-3},
    {"fivelink", 1e-3},         {"four-bar", 1e-4},         {"gyroscope", 1e-4},
    {"motor-crank", 1e-4},      {"peaucellier", 1e-3},      {"quarter-car", 1e-3},
    {"simple-pendulum", 1e-3},  {"spatial-four-bar", 1e-4},
};

enum { MODELS = sizeof models / sizeof models[0] };

static cmb_status compare(cmb_context *ctx, const cmb_system *system, struct path *reference,
                          struct path *path, double error[2], int operations[2])
{
  CMB_TRY(follow_reference(ctx, system, reference));
  const double travel = largest_distance(0, path->nq, reference, NULL);
  for (int i = 0; i < 2; i++) {
    CMB_TRY(follow(ctx, system, "J2", positions[i], path, &operations[i]));
    error[i] = largest_distance(0, path->nq, path, reference) / travel;
  }
  return CMB_OK;
}

static cmb_status print_model(cmb_context *ctx, const char *name, double h,
                              const cmb_system *system)
{
  struct path reference, path = {0};
  double error[2];
  int operations[2];
  cmb_status status = create_path(ctx, system, h, &reference);
  if (status == CMB_OK) status = create_path(ctx, system, h, &path);
  if (status == CMB_OK) status = compare(ctx, system, &reference, &path, error, operations);
  free(reference.q);
  free(path.q);
  if (status != CMB_OK) return status;
  const double ratio = error[0] / error[1];
  const char *smaller = ratio >= DIFFERENT ? "new" : ratio <= 1 / DIFFERENT ? "auto" : "same";
  printf("%-17s %5g ms  %8.1e  %8.1e  %6.2f   %-7s  %10d  %6d\n", name, 1e3 * h, error[0], error[1],
         ratio, smaller, operations[0], operations[1]);
  return CMB_OK;
}

static cmb_status print_models(cmb_context *ctx)
{
  printf("Burgermeister et al., section 4.3: veDYNA's step, lie with positions=new, beside the "
         "default, with J2. Largest\nerror of positions in %g s (or as long as the model runs) "
         "over the largest displacement; operations of a step.\n\n%-17s %8s  %8s  %8s  %6s   %-7s  "
         "%10s  "
         "%6s\n",
         DURATION, "model", "h", "auto", "new", "ratio", "smaller", "operations", "new");
  for (int i = 0; i < MODELS; i++) {
    CMB_TRY(open_and_print(ctx, models[i].name, models[i].h, print_model));
  }
  return CMB_OK;
}

/* ---- the quarter car */

static const struct {
  const char *jacobian, *positions;
} variants[] = {{"none", "auto"}, {"none", "new"},   {"J1", "auto"},
                {"J1", "new"},    {"J2", "auto"},    {"J2", "new"},
                {"J3", "auto"},   {"exact", "auto"}, {"exact", "new"}};

enum { VARIANTS = sizeof variants / sizeof variants[0], HEAVE = 0 };

static cmb_status compare_variants(cmb_context *ctx, const cmb_system *system,
                                   struct path *reference, struct path *path)
{
  CMB_TRY(follow_reference(ctx, system, reference));
  printf("\nQuarter car, h = 1 ms, the largest error of the chassis' height, which moves by %.1e "
         "m.\n\njacobian  positions    error, m  operations\n",
         largest_distance(HEAVE, 1, reference, NULL));
  for (int i = 0; i < VARIANTS; i++) {
    int operations;
    CMB_TRY(follow(ctx, system, variants[i].jacobian, variants[i].positions, path, &operations));
    printf("%-8s  %-9s  %10.2e  %10d\n", variants[i].jacobian, variants[i].positions,
           largest_distance(HEAVE, 1, path, reference), operations);
  }
  return CMB_OK;
}

static cmb_status print_variants(cmb_context *ctx, const char *name, double h,
                                 const cmb_system *system)
{
  struct path reference, path = {0};
  (void)name;
  cmb_status status = create_path(ctx, system, h, &reference);
  if (status == CMB_OK) status = create_path(ctx, system, h, &path);
  if (status == CMB_OK) status = compare_variants(ctx, system, &reference, &path);
  free(reference.q);
  free(path.q);
  return status;
}

cmb_status cli_bench_burgermeister_vedyna(cmb_context *ctx, const cmb_system *system,
                                          const struct cli_arguments *a)
{
  (void)system, (void)a;
  CMB_TRY(print_models(ctx));
  return open_and_print(ctx, "quarter-car", 1e-3, print_variants);
}
