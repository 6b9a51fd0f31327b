/*
 * Parses the formulas of a model that a test states as text (graph_model.h).
 */
#include "graph_model.h"

#include "check.h"

#include <stdio.h>
#include <string.h>

struct reader {
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_graph *g;
  const struct cmbt_graph_model *model;
};

static bool value_of(void *user, const char *name, cmb_expr *e)
{
  const struct reader *r = user;
  *e = cmb_input(r->g, name);
  return true;
}

static bool call_of(void *user, const char *name, int count, const cmb_expr *arguments, cmb_expr *e)
{
  const struct reader *r = user;
  if (strcmp(name, "table") != 0 || count != 1) return false;
  *e = cmb_table_apply(r->g, r->model->table, arguments[0]);
  return true;
}

static cmb_expr read_one(struct reader *r, const char *text)
{
  const cmb_names names = {.user = r, .value = value_of, .call = call_of};
  cmb_expr e;
  cmbt_ok(r->ctx, cmb_formula_parse(r->g, text, strlen(text), 1, 1, &names, &e));
  return e;
}

static cmb_expr *read_list(struct reader *r, int count, const char *const *texts)
{
  if (!texts) return NULL;
  cmb_expr *list = cmb_arena_take(r->arena, (size_t)count, sizeof *list);
  for (int i = 0; i < count; i++) list[i] = read_one(r, texts[i]);
  return list;
}

static cmb_entries read_entries(struct reader *r, int count, const struct cmbt_entry *from)
{
  cmb_entries m = {cmb_arena_take(r->arena, (size_t)count, sizeof *m.entry), count};
  for (int k = 0; k < count; k++) {
    m.entry[k] = (cmb_entry){from[k].row, from[k].column, read_one(r, from[k].text)};
  }
  return m;
}

/* Makes the names PREFIX_0, PREFIX_1, ... and returns the inputs of the graph with these names. */
static cmb_expr *numbered(struct reader *r, const char *prefix, int count,
                          const char *const **names)
{
  char name[32];
  const char **list = cmb_arena_take(r->arena, (size_t)count, sizeof *list);
  cmb_expr *input = cmb_arena_take(r->arena, (size_t)count, sizeof *input);
  for (int i = 0; i < count; i++) {
    (void)snprintf(name, sizeof name, "%s_%d", prefix, i);
    list[i] = cmb_arena_text(r->arena, name);
    input[i] = cmb_input(r->g, name);
  }
  *names = list;
  return input;
}

static double *copy(struct reader *r, int count, const double *from)
{
  double *to = cmb_arena_doubles(r->arena, count);
  for (int i = 0; i < count; i++) to[i] = from[i];
  return to;
}

static void read_inputs(struct reader *r, cmb_expressions *x)
{
  const struct cmbt_graph_model *m = r->model;
  const char *const *no_names;
  x->t = cmb_input(r->g, "t");
  x->q = read_list(r, m->nq, m->q);
  x->v = read_list(r, m->nv, m->v);
  x->a = numbered(r, "a", m->nv, &no_names);
  x->lambda = numbered(r, "lambda", m->ng, &x->lambda_names);
  x->u = numbered(r, "u", m->nu, &x->u_names);
  x->q_start = copy(r, m->nq, m->q_start);
  x->v_start = copy(r, m->nv, m->v_start);
}

void cmbt_graph_open(cmb_context *ctx, const struct cmbt_graph_model *model, struct cmbt_graph *out)
{
  const struct cmbt_graph_model *m = model;
  struct reader r = {.ctx = ctx, .arena = cmb_arena_create(ctx), .model = m};
  cmbt_ok(ctx, cmb_graph_create(ctx, &r.g));
  cmb_expressions x = {.name = m->name,
                       .graph = r.g,
                       .nq = m->nq,
                       .nv = m->nv,
                       .ng = m->ng,
                       .nu = m->nu,
                       .no = m->no,
                       .q_names = m->q,
                       .v_names = m->v,
                       .g_names = m->g_names,
                       .output_names = m->output_names,
                       .quaternions = m->rates != NULL,
                       .ball_count = m->ball_count};
  read_inputs(&r, &x);
  x.ball_q = cmb_arena_ints(r.arena, 1);
  x.ball_q[0] = m->ball_q;
  x.M = read_entries(&r, m->M_count, m->M);
  x.G = read_entries(&r, m->G_count, m->G);
  x.f = read_list(&r, m->nv, m->f);
  x.g = read_list(&r, m->ng, m->g);
  x.gamma = read_list(&r, m->ng, m->gamma);
  x.gt = read_list(&r, m->ng, m->gt);
  x.rates = read_list(&r, m->nq, m->rates);
  x.residual = read_list(&r, m->nv, m->residual);
  x.acceleration = read_list(&r, m->nv, m->acceleration);
  x.multiplier = read_list(&r, m->ng, m->multiplier);
  x.pivot = read_list(&r, m->ng, m->pivot);
  x.outputs = read_list(&r, m->no, m->outputs);
  x.input_value = read_list(&r, m->nu, m->inputs);
  for (int i = 0; i < m->nu; i++) {
    x.input_value[i] = cmb_apply(r.g, CMB_OP_ADD, x.input_value[i], x.u[i], 0);
  }
  x.energy = m->energy ? read_one(&r, m->energy) : 0;
  assert_false(cmb_arena_failed(r.arena));
  cmbt_ok(ctx, cmb_graph_status(r.g));
  *out = (struct cmbt_graph){r.arena, x};
}

void cmbt_graph_close(struct cmbt_graph *m)
{
  cmb_graph_destroy(m->x.graph);
  cmb_arena_destroy(m->arena);
}
