/*
 * What the benches of `camber bench` share, and the benches themselves, a file each or two.
 */
#ifndef CMB_BENCH_BENCH_H
#define CMB_BENCH_BENCH_H

#include "cli/cli.h"
#include "cli/plot.h"

/* What a whole run took and where it arrived. The arrays are the caller's; NULL: not asked for. */
struct cli_outcome {
  cmb_statistics statistics;
  double position, velocity; /* |g| and |G v + g_t| at the end */
  double seconds;            /* processor time, the median of the repetitions */
  double *q, *v, *lambda;
};

/* The run `repeat` times. */
cmb_status cli_bench_run(cmb_context *ctx, const cmb_system *system, const cmb_run_options *options,
                         int repeat, struct cli_outcome *outcome);

/* The same for any other code: `run` fills the outcome, its seconds included. */
typedef cmb_status (*cli_bench_code)(void *user, struct cli_outcome *outcome);
cmb_status cli_bench_repeat(cmb_context *ctx, int repeat, cli_bench_code run, void *user,
                            struct cli_outcome *outcome);

/* Processor time: what others do on the machine costs a run its place in the cache, but not its turn. */
double cli_bench_seconds(void);

/* A number in so many columns after a space; what is not known, a NaN, as a dash. */
void cli_bench_put(int width, int digits, double x);

const char *cli_bench_word(bool holds); /* "yes" or "no" */

/* "claim   yes" or no */
void cli_bench_verdict(const char *claim, bool holds);

/* The plot to where --plot says, if it does. */
cmb_status cli_bench_draw(cmb_context *ctx, const struct cli_arguments *a,
                          const struct cli_plot *plot);

/* The same to the file with `suffix` before the last dot of its name: a bench's second picture. */
cmb_status cli_bench_draw_beside(cmb_context *ctx, const struct cli_arguments *a,
                                 const char *suffix, const struct cli_plot *plot);

/* A bundled model or problem as a bench opens it. */
struct cli_bench_model {
  struct cli_arguments arguments;
  cmb_system *system;
};

/* As `camber run MODEL --set NAME=VALUE .. --method METHOD` does; NULL: not said. Complains and returns an exit code; to be closed
 * in any case. */
int cli_bench_open(cmb_context *ctx, const char *model, int count, const cmb_setting *set,
                   const char *method, struct cli_bench_model *m);
void cli_bench_close(struct cli_bench_model *m);

/* Each prints its tables. `system` is the one that the list of benches names, NULL if it names none. */
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
