/*
 * From a model to a system: expressions, programs, and the search for constraints that depend on the others.
 */
#include "base/context.h"
#include "base/text.h"
#include "dae/graph_system.h"
#include "dae/system.h"
#include "dyn/mechanism.h"

#include <string.h>

static const double DEFAULT_END = 1; /* seconds, if the model does not say */

static double end_time(const cmb_model *model)
{
  int count;
  double t = DEFAULT_END;
  const cmb_model_default *d = cmb_model_defaults(model, &count);
  for (int i = 0; i < count; i++) {
    if (strcmp(d[i].name, "t-end") == 0 && !cmb_parse_number(d[i].value, &t)) return DEFAULT_END;
  }
  return t;
}

static cmb_status build(cmb_context *ctx, const cmb_model *model, const cmb_model_system_options *o,
                        cmb_system **system)
{
  cmb_mechanism *mechanism;
  const cmb_mechanism_options wanted = {.formulation = o->formulation};
  const cmb_graph_options graph = {.evaluation = o->evaluation,
                                   .derivatives = o->derivatives,
                                   .explicit_form = o->formulation == CMB_FORM_EXPLICIT,
                                   .residual_form = o->formulation == CMB_FORM_RESIDUAL};
  CMB_TRY(cmb_mechanism_create(ctx, model, &wanted, &mechanism));
  cmb_status status = cmb_graph_system_create(ctx, &mechanism->expressions, &graph, system);
  cmb_mechanism_destroy(mechanism);
  return status;
}

cmb_status cmb_model_system(cmb_context *ctx, const cmb_model *model,
                            const cmb_model_system_options *options, cmb_system **system)
{
  const cmb_model_system_options defaults = {.formulation = CMB_FORM_EXPLICIT};
  *system = NULL;
  CMB_TRY(build(ctx, model, options ? options : &defaults, system));
  (*system)->t_end = end_time(model);
  return CMB_OK;
}
