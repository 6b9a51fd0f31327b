/*
 * The list of benchmarks for `camber bench`, as X macros. `camber` takes the names and titles from it; the program `camber-bench`, which
 * it starts, everything.
 */
#ifndef CMB_CLI_BENCHES_H
#define CMB_CLI_BENCHES_H

/* The row of the command `bench` for the tables of both programs, without its last two entries: the function that runs it, and false,
 * since it needs no derivatives. */
#define CLI_BENCH_COMMAND                                                                          \
  "bench", "NAME", NULL, "reproduce a table or figure of a paper",                                 \
      "Runs a published experiment and prints the published numbers beside the computed ones."

/* For each benchmark: name, title, MODEL or NULL, a parameter of the model to set or NULL, its value, whether it takes --rtol, whether
 * it takes --plot, and the end of the name of its function, after cli_bench_. */
#define CLI_BENCH_LIST(X)                                                                          \
  X("simeon-table1", "four ways of projecting on the five-link suspension (Simeon 1996, Table 1)", \
    "fivelink", "shock_damping", 1500, true, true, simeon_table1)                                  \
  X("simeon-stair", "the wheel's bounces behind a stair (Simeon 1996, section 5)", "fivelink",     \
    "stair", 1, true, false, simeon_stair)                                                         \
  X("caraxis", "work and precision of all methods on the car axis (IVP Test Set, II.17)",          \
    "caraxis", NULL, 0, false, true, caraxis)                                                      \
  X("arnold-table2", "ways to get a Jacobian, on the pendulum chain (Arnold et al., Table 2)",     \
    NULL, NULL, 0, true, false, arnold)                                                            \
  X("arnold-table3",                                                                               \
    "ways to get a Jacobian, on a car that changes lanes (Arnold et al., Table 3)", "sedan", NULL, \
    0, true, false, arnold_car)                                                                    \
  X("haug-wishbone", "errors, times, steps on a stiff corner (Haug, Negrut, Engstler, section 6)", \
    "double-wishbone", NULL, 0, false, true, haug_wishbone)                                        \
  X("haug-table6", "errors of trap on a vehicle (Haug, Negrut, Engstler, Table 6)", "hmmwv14",     \
    NULL, 0, false, true, haug_table6)                                                             \
  X("haug-table7", "errors of sdirk4 on a vehicle (Haug et al., Table 7)", "hmmwv14", NULL, 0,     \
    false, true, haug_table7)                                                                      \
  X("haug-table8", "times of trap on a vehicle (Haug et al., Table 8)", "hmmwv14", NULL, 0, false, \
    false, haug_table8)                                                                            \
  X("haug-table9", "times of sdirk4 on a vehicle, trap beside it (Haug et al., Table 9)",          \
    "hmmwv14", NULL, 0, false, true, haug_table9)                                                  \
  X("haug-explicit", "an explicit method on a stiff vehicle (Haug et al., section 6.4)",           \
    "hmmwv14", NULL, 0, false, true, haug_explicit)                                                \
  X("arnold-stamp",                                                                                \
    "partitioned and extended updates, on a rear axle on a stamp (Arnold et al., 3.3)", NULL,      \
    NULL, 0, true, true, arnold_stamp)                                                             \
  X("burgermeister-fig1", "limits of stability of lie (Burgermeister, Arnold, Esterl, Fig. 1)",    \
    NULL, NULL, 0, false, true, burgermeister_fig1)                                                \
  X("burgermeister-fig3", "drift on a circular track (Burgermeister et al., Fig. 3)",              \
    "circular-track", NULL, 0, false, true, burgermeister_fig3)                                    \
  X("burgermeister-fig5", "car axis: drift over time (Burgermeister et al., Fig. 5)", "caraxis",   \
    NULL, 0, false, true, burgermeister_fig5)                                                      \
  X("burgermeister-fig6", "car axis: drift against the step size (Burgermeister et al., Fig. 6)",  \
    "caraxis", NULL, 0, false, true, burgermeister_fig6)                                           \
  X("burgermeister-fig7",                                                                          \
    "car axis: explicit against linear-implicit (Burgermeister et al., Fig. 7)", "caraxis", NULL,  \
    0, false, true, burgermeister_fig7)                                                            \
  X("burgermeister-fig8", "car axis: error against the step size (Burgermeister et al., Fig. 8)",  \
    "caraxis", NULL, 0, false, true, burgermeister_fig8)                                           \
  X("burgermeister-vedyna", "positions by the new velocities (Burgermeister et al., section 4.3)", \
    NULL, NULL, 0, false, false, burgermeister_vedyna)                                             \
  X("burgermeister-trailer",                                                                       \
    "hitches of a truck and of a car with a trailer (Burgermeister et al., 4.3)", NULL, NULL, 0,   \
    false, true, burgermeister_trailer)

#endif
