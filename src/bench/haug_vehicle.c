/*
 * camber bench haug-table6, -table7, -table8, -table9 and -explicit (E. J. Haug, D. Negrut and C. Engstler, "Implicit Runge–Kutta
 * integration of the equations of multibody dynamics in descriptor form", 1999, §6.2 to §6.4): their vehicle HMMWV14 over a bump,
 * models/hmmwv14.yaml. InflTrap is trap here, InflSDIRK sdirk4, ExplDEABM abm, and the reference, ForSDIRK at 1e-8, forsdirk.
 *
 * The paper does not print masses, hardpoints and springs of its vehicle; those of the model come from another source. Its bushings,
 * tyres, speed and bump are the paper's.
 */
#include "base/context.h"
#include "bench/haug.h"

#include <stdlib.h>
#include <string.h>

static void print_title(const char *what)
{
  printf("Haug, Negrut and Engstler (1999), %s: HMMWV14 over a bump, front wheels at 0.49 s, rear "
         "wheels at "
         "1.25 s.\nBushings, tyres, speed and bump are the paper's; masses, hardpoints and springs "
         "are not printed "
         "there.\n",
         what);
}

static cmb_status print_table_of_errors(cmb_context *ctx, const cmb_system *system,
                                        const struct cli_arguments *a, int m)
{
  double error[HAUG_TOLERANCES][2];
  struct haug_path reference = {0}, path = {0};
  print_title(m == 0 ? "Table 6" : "Table 7");
  printf("Position and velocity: distance travelled by the chassis, and its rate.\n");
  cmb_status status = cli_haug_follow(ctx, system, "forsdirk", 1e-8, HAUG_ERRORS_TO, &reference);
  if (status == CMB_OK) status = cli_haug_print_errors(ctx, system, m, &reference, &path, error);
  if (status == CMB_OK) status = cli_haug_draw_errors(ctx, a, m, error);
  free(reference.row);
  free(path.row);
  return status;
}

cmb_status cli_bench_haug_table6(cmb_context *ctx, const cmb_system *system,
                                 const struct cli_arguments *a)
{
  return print_table_of_errors(ctx, system, a, 0);
}

cmb_status cli_bench_haug_table7(cmb_context *ctx, const cmb_system *system,
                                 const struct cli_arguments *a)
{
  return print_table_of_errors(ctx, system, a, 1);
}

/* Prints whether runs of 4 s need less than 1.5 times the function evaluations of runs of 2 s at all tolerances: the paper states that most
 * of the work is done while the wheels are on the bump. */
static void judge_lengths(const struct haug_cost *cost)
{
  bool fades = true;
  for (int k = 0; k < HAUG_TOLERANCES; k++) fades = fades && cost->f[3][k] < 1.5 * cost->f[1][k];
  cli_bench_verdict("4 s take less than 1.5 times the evaluations of 2 s", fades);
}

cmb_status cli_bench_haug_table8(cmb_context *ctx, const cmb_system *system,
                                 const struct cli_arguments *a)
{
  struct haug_cost cost;
  print_title("Table 8");
  CMB_TRY(cli_haug_print_times(ctx, system, 0, (int)a->repeat, &cost));
  printf("\n");
  judge_lengths(&cost);
  return CMB_OK;
}

cmb_status cli_bench_haug_table9(cmb_context *ctx, const cmb_system *system,
                                 const struct cli_arguments *a)
{
  struct haug_cost cost[HAUG_METHODS];
  print_title("Table 9, and Table 8 beside it");
  for (int m = HAUG_METHODS - 1; m >= 0; m--) {
    CMB_TRY(cli_haug_print_times(ctx, system, m, (int)a->repeat, &cost[m]));
  }
  printf("\n");
  judge_lengths(&cost[1]);
  cli_haug_judge_implicit(cost);
  return cli_haug_draw_times(ctx, a, cost);
}

static cmb_status print_explicit(cmb_context *ctx, const cmb_system *system, const cmb_system *near,
                                 const struct cli_arguments *a)
{
  struct haug_cost sdirk4, abm;
  CMB_TRY(cli_haug_print_times(ctx, system, 1, (int)a->repeat, &sdirk4));
  CMB_TRY(cli_haug_print_explicit(ctx, near, &abm));
  printf("\n");
  cli_haug_judge_explicit(&abm, &sdirk4);
  return cli_haug_draw_explicit(ctx, a, &abm);
}

/* Runs the benchmark of section 6.4: the explicit method abm on the stiff vehicle, compared with the implicit sdirk4. For abm the bump is
 * moved close to the front wheels, which reach it after about 5 ms, since abm is too slow for a longer run. */
cmb_status cli_bench_haug_explicit(cmb_context *ctx, const cmb_system *system,
                                   const struct cli_arguments *a)
{
  const cmb_setting near = {"bump_x", 1.89};
  struct cli_bench_model m;
  print_title("section 6.4, the second Table 6");
  cmb_status status = CMB_OK;
  if (cli_bench_open(ctx, "hmmwv14", 1, &near, NULL, &m) != CLI_DONE) {
    status = cmb_fail(ctx, CMB_ERROR_ARGUMENT, "the bench needs the model 'hmmwv14'");
  }
  if (status == CMB_OK) status = print_explicit(ctx, system, m.system, a);
  cli_bench_close(&m);
  return status;
}
