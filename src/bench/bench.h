/*
 * Functions that the benches of `camber bench` share, and the benches themselves, each in one or two files.
 */
#ifndef CMB_BENCH_BENCH_H
#define CMB_BENCH_BENCH_H

#include "cli/cli.h"
#include "cli/plot.h"

/* The cost and the final state of a whole run. The arrays are the caller's; NULL: not wanted. */
struct cli_outcome {
  cmb_statistics statistics;
  double position, velocity; /* |g| and |G v + g_t| at the end */
  double seconds;            /* processor time, the median of the repetitions */
  double *q, *v, *lambda;
};

/* Runs a simulation `repeat` times and stores its outcome, with the median time. */
cmb_status cli_bench_run(cmb_context *ctx, const cmb_system *system, const cmb_run_options *options,
                         int repeat, struct cli_outcome *outcome);

/* Runs any other code `repeat` times; `run` fills the outcome, including its seconds, of which the median is kept. */
typedef cmb_status (*cli_bench_code)(void *user, struct cli_outcome *outcome);
cmb_status cli_bench_repeat(cmb_context *ctx, int repeat, cli_bench_code run, void *user,
                            struct cli_outcome *outcome);

/* Returns the processor time used so far, in seconds. Other programs on the machine influence it only through the cache. */
double cli_bench_seconds(void);

/* Prints a number in `width` columns after a space; a NaN (unknown) as a dash. */
void cli_bench_put(int width, int digits, double x);

const char *cli_bench_word(bool holds); /* "yes" or "no" */

/* Prints the claim, and "yes" or "no". */
void cli_bench_verdict(const char *claim, bool holds);

/* Saves the plot to the file given by --plot, if it is given. */
cmb_status cli_bench_draw(cmb_context *ctx, const struct cli_arguments *a,
                          const struct cli_plot *plot);

/* Saves a second plot of a bench to the file given by --plot, with `suffix` before the last dot of its name, if --plot is given. */
cmb_status cli_bench_draw_beside(cmb_context *ctx, const struct cli_arguments *a,
                                 const char *suffix, const struct cli_plot *plot);

/* A bundled model or problem that a bench has opened. */
struct cli_bench_model {
  struct cli_arguments arguments;
  cmb_system *system;
};

/* Opens a model as `camber run MODEL --set NAME=VALUE .. --method METHOD` does; method NULL: the model's. On failure it prints a message
 * and returns an exit code. cli_bench_close has to be called in any case. */
int cli_bench_open(cmb_context *ctx, const char *model, int count, const cmb_setting *set,
                   const char *method, struct cli_bench_model *m);
void cli_bench_close(struct cli_bench_model *m);

/* Each of these runs one bench and prints its tables. `system` is the one that the list of benches names, NULL if it names none. */
cmb_status cli_bench_simeon_table1(cmb_context *ctx, const cmb_system *system,
                                   const struct cli_arguments *a);
cmb_status cli_bench_simeon_stair(cmb_context *ctx, const cmb_system *system,
                                  const struct cli_arguments *a);
cmb_status cli_bench_caraxis(cmb_context *ctx, const cmb_system *system,
                             const struct cli_arguments *a);
cmb_status cli_bench_arnold(cmb_context *ctx, const cmb_system *system,
                            const struct cli_arguments *a);
cmb_status cli_bench_haug_wishbone(cmb_context *ctx, const cmb_system *system,
                                   const struct cli_arguments *a);
cmb_status cli_bench_haug_table6(cmb_context *ctx, const cmb_system *system,
                                 const struct cli_arguments *a);
cmb_status cli_bench_haug_table7(cmb_context *ctx, const cmb_system *system,
                                 const struct cli_arguments *a);
cmb_status cli_bench_haug_table8(cmb_context *ctx, const cmb_system *system,
                                 const struct cli_arguments *a);
cmb_status cli_bench_haug_table9(cmb_context *ctx, const cmb_system *system,
                                 const struct cli_arguments *a);
cmb_status cli_bench_haug_explicit(cmb_context *ctx, const cmb_system *system,
                                   const struct cli_arguments *a);
cmb_status cli_bench_arnold_car(cmb_context *ctx, const cmb_system *system,
                                const struct cli_arguments *a);
cmb_status cli_bench_arnold_stamp(cmb_context *ctx, const cmb_system *system,
                                  const struct cli_arguments *a);
cmb_status cli_bench_burgermeister_fig1(cmb_context *ctx, const cmb_system *system,
                                        const struct cli_arguments *a);
cmb_status cli_bench_burgermeister_fig3(cmb_context *ctx, const cmb_system *system,
                                        const struct cli_arguments *a);
cmb_status cli_bench_burgermeister_fig5(cmb_context *ctx, const cmb_system *system,
                                        const struct cli_arguments *a);
cmb_status cli_bench_burgermeister_fig6(cmb_context *ctx, const cmb_system *system,
                                        const struct cli_arguments *a);
cmb_status cli_bench_burgermeister_fig7(cmb_context *ctx, const cmb_system *system,
                                        const struct cli_arguments *a);
cmb_status cli_bench_burgermeister_fig8(cmb_context *ctx, const cmb_system *system,
                                        const struct cli_arguments *a);
cmb_status cli_bench_burgermeister_vedyna(cmb_context *ctx, const cmb_system *system,
                                          const struct cli_arguments *a);
cmb_status cli_bench_burgermeister_trailer(cmb_context *ctx, const cmb_system *system,
                                           const struct cli_arguments *a);

#endif
