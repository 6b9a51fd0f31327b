/*
 * Inputs of a real-time step's programs (step_source.h).
 */
#include "method/step_source.h"

#include "base/context.h"

#include <stdio.h>
#include <string.h>

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
