/*
 * Makes a system from a model with its formulas as text (graph_stage.h).
 */
#include "graph_stage.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

void cmbt_stage_open(struct cmbt_stage *s, const struct cmbt_graph_model *model,
                     const cmb_graph_options *options)
{
  struct cmbt_graph m;
  *s = (struct cmbt_stage){.ctx = cmb_context_create(NULL)};
  cmbt_graph_open(s->ctx, model, &m);
  cmbt_ok(s->ctx, cmb_graph_system_create(s->ctx, &m.x, options, &s->system));
  cmbt_graph_close(&m);
  s->eq = cmb_system_equations(s->system);
  assert_in_range(s->eq->ns, 0, CMBT_STAGE_MODES);
  s->scratch = aligned_alloc(64, (s->eq->scratch_size + 63) / 64 * 64);
  assert_non_null(s->scratch);
  memset(s->scratch, 0, s->eq->scratch_size);
}

void cmbt_stage_close(struct cmbt_stage *s)
{
  free(s->scratch);
  cmb_system_destroy(s->system);
  cmb_context_destroy(s->ctx);
}

cmb_point cmbt_stage_point(struct cmbt_stage *s, double t, const double *q, const double *v)
{
  return (cmb_point){t, q, v, s->mode, s->scratch, NULL, NULL};
}
