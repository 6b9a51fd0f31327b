/*
 * The inputs of a real-time step's programs (step_source.h).
 */
#include "method/step_source.h"

#include "base/context.h"
#include "dae/code.h"

#include <stdio.h>
#include <string.h>

/* Enlarges the array of inputs of the step's programs so that `count` more fit. */
static cmb_status make_room(cmb_step_source *s, int count)
{
  if (s->inputs + count <= s->room) return CMB_OK;
  const int room = 2 * (s->inputs + count);
  cmb_expr *input = cmb_arena_take(s->arena, (size_t)room, sizeof *input);
  if (!input) return cmb_fail_memory(s->ctx);
  if (s->inputs > 0) memcpy(input, s->input, (size_t)s->inputs * sizeof *input);
  s->input = input;
  s->room = room;
  return CMB_OK;
}

/* Creates the input symbols of the programs of a time step for one block of variables (such as all coordinates q), with names made of `name`
 * and their indices. Returns a pointer to the first of them. */
static cmb_expr *create_block(cmb_step_source *s, cmb_block block, const char *name)
{
  const int first = s->layout.first[block];
  char text[64];
  for (int i = first; i < first + s->layout.count[block]; i++) {
    snprintf(text, sizeof text, "%s %d", name, i);
    s->input[i] = cmb_input(s->graph, text);
  }
  return s->input + first;
}

/* Creates the inputs of a step's programs for one block of variables (such as all coordinates q) under the names that the model's code x gives
 * them, so that expressions copied from the model refer to them. */
static void create_named_block(cmb_step_source *s, const cmb_code *x, cmb_block block)
{
  for (int i = x->layout.first[block]; i < cmb_layout_end(&x->layout, block); i++) {
    s->input[i] = cmb_input(s->graph, cmb_expr_name(x->graph, x->input[i]));
  }
}

cmb_status cmb_step_layout(cmb_step_source *s)
{
  const cmb_equations *eq = s->eq;
  const int in_c[CMB_BLOCKS] = {
      [CMB_BLOCK_T] = 1, [CMB_BLOCK_Q] = eq->nq, [CMB_BLOCK_V] = eq->nv, [CMB_BLOCK_H] = 1};
  s->layout = eq->code ? eq->code->layout : cmb_layout_make(in_c);
  CMB_TRY(make_room(s, cmb_layout_size(&s->layout)));
  s->inputs = cmb_layout_size(&s->layout);
  s->t = *create_block(s, CMB_BLOCK_T, "t");
  s->h = *create_block(s, CMB_BLOCK_H, "h");
  const cmb_expr *q = create_block(s, CMB_BLOCK_Q, "q"), *v = create_block(s, CMB_BLOCK_V, "v");
  s->q = cmb_arena_take(s->arena, (size_t)s->nq + (size_t)s->nv, sizeof *s->q);
  if (!s->q) return cmb_fail_memory(s->ctx);
  s->v = s->q + s->nq;
  memcpy(s->q, q, (size_t)s->nq * sizeof *q);
  memcpy(s->v, v, (size_t)s->nv * sizeof *v);
  static const cmb_block own[] = {CMB_BLOCK_MODE,   CMB_BLOCK_U, CMB_BLOCK_P,
                                  CMB_BLOCK_LAMBDA, CMB_BLOCK_A, CMB_BLOCK_PUSH};
  for (size_t k = 0; eq->code && k < sizeof own / sizeof own[0]; k++)
    create_named_block(s, eq->code, own[k]);
  return cmb_graph_status(s->graph);
}

cmb_status cmb_step_inputs(cmb_step_source *s, const char *name, int count, cmb_expr **input)
{
  char text[64];
  CMB_TRY(make_room(s, count));
  *input = cmb_arena_take(s->arena, (size_t)count, sizeof **input);
  if (!*input) return cmb_fail_memory(s->ctx);
  for (int i = 0; i < count; i++) {
    snprintf(text, sizeof text, "%s %d", name, s->inputs);
    s->input[s->inputs++] = (*input)[i] = cmb_input(s->graph, text);
  }
  return cmb_graph_status(s->graph);
}
