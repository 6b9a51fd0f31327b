/*
 * Equations of motion that a test states as text, parsed to expressions (dyn/expressions.h):
 *
 *     static const struct cmbt_graph_model pendulum = {.name = "pendulum", .nq = 2, .nv = 2, .ng = 1, ... };
 *     struct cmbt_graph m;
 *     cmbt_graph_open(ctx, &pendulum, &m);
 *     cmb_graph_system_create(ctx, &m.x, &options, &system);
 *     cmbt_graph_close(&m);
 *
 * Formulas may use the time t, the names of coordinates and velocities, accelerations a_0, a_1, ..., multipliers lambda_0, ... and
 * inputs u_0, ...; table(x) is the value of the model's table at x.
 */
#ifndef CMBT_GRAPH_MODEL_H
#define CMBT_GRAPH_MODEL_H

#include "dyn/expressions.h"

/* An entry of a sparse matrix, as a formula. */
struct cmbt_entry {
  int row, column;
  const char *text;
};

/* The names, start values and formulas of a model. Formulas that are NULL are absent from the expressions. */
struct cmbt_graph_model {
  const char *name;
  int nq, nv, ng, nu, no;
  const char *const *q, *const *v, *const *g_names, *const *output_names;
  const double *q_start, *v_start;
  int M_count, G_count;
  const struct cmbt_entry *M, *G;
  const char *const *f, *const *g, *const *gamma, *const *gt, *const *rates;
  const char *const *residual, *const *acceleration, *const *multiplier, *const *pivot;
  const char *const *outputs,
      *const *inputs; /* inputs: u_0(t), ..., to which the free input is added */
  const char *energy;
  int ball_count, ball_q;
  const cmb_table *table;
};

struct cmbt_graph {
  cmb_arena *arena;
  cmb_expressions x;
};

/* Parses the model into m; the test fails if a formula is wrong. Released by cmbt_graph_close. */
void cmbt_graph_open(cmb_context *ctx, const struct cmbt_graph_model *model, struct cmbt_graph *m);
void cmbt_graph_close(struct cmbt_graph *m);

#endif
