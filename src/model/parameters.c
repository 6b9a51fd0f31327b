/*
 * Section `parameters` (reader.h): numbers with names. A formula may use parameters that stand later; each is computed
 * when it is first asked for. An instance's own values come before the template's, and those of the options before all.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

#include <math.h>
#include <string.h>

static cmb_status define_parameter(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  cmb_model *m = r->model;
  int index = m->parameter_count++;
  const char *full = cmb_full_name(r, s->prefix, entry->key, "");
  CMB_TRY(cmb_define(r, CMB_NAMES_PARAMETER, full, index, entry->key_place));
  r->parameters[index] = (cmb_lazy){.name = full, .node = entry, .scope = s};
  return CMB_OK;
}

static cmb_status compute(cmb_reader *r, cmb_lazy *lazy)
{
  return cmb_read_number(r, lazy->scope, lazy->node, &lazy->value[0]);
}

cmb_status cmb_parameter_value(cmb_reader *r, int index, cmb_place asked_at, double *x)
{
  CMB_TRY(cmb_lazy_need(r, &r->parameters[index], "parameter", asked_at, compute));
  *x = r->parameters[index].value[0];
  return CMB_OK;
}

/* The options' values, under full names. */
static cmb_status put_options(cmb_reader *r)
{
  const cmb_model_options *o = r->options;
  for (int i = 0; o && i < o->set_count; i++) {
    const char *name = o->set_names[i];
    const cmb_name *found = cmb_look_up(r, r->scopes, CMB_NAMES_PARAMETER, name);
    if (!found) {
      const char *nearest = cmb_nearest(r, r->scopes, CMB_NAMES_PARAMETER, name);
      return cmb_fail(r->ctx, CMB_ERROR_ARGUMENT, "%s has no parameter '%s' to set%s%s%s",
                      r->model->path, name, nearest ? ": did you mean '" : "",
                      nearest ? nearest : "", nearest ? "'?" : "");
    }
    if (!isfinite(o->set_values[i])) {
      return cmb_fail(r->ctx, CMB_ERROR_ARGUMENT, "the value of parameter '%s' is not finite",
                      name);
    }
    r->parameters[found->index].value[0] = o->set_values[i];
    r->parameters[found->index].state = CMB_LAZY_DONE;
  }
  return CMB_OK;
}

/* What an instance sets must be a parameter of its template; the formula stands outside of the instance. */
static cmb_status put_arguments(cmb_reader *r)
{
  for (const cmb_scope *s = r->scopes; s; s = s->next) {
    const cmb_node *argument = s->arguments ? s->arguments->first : NULL;
    for (; argument; argument = argument->next) {
      const char *full = cmb_full_name(r, s->prefix, argument->key, "");
      if (!full) return cmb_fail_memory(r->ctx);
      const cmb_name *found = cmb_look_up(r, r->scopes, CMB_NAMES_PARAMETER, full);
      if (found) {
        r->parameters[found->index].node = argument;
        r->parameters[found->index].scope = s->parent;
        continue;
      }
      char shown[CMB_SHOWN_ROOM];
      const char *nearest = cmb_nearest(r, s, CMB_NAMES_PARAMETER, argument->key);
      cmb_reader_subject(r, "instance", "", s->prefix);
      return cmb_reader_fail(r, argument->key_place, "the template has no parameter '%s'%s%s%s",
                             cmb_shown(argument->key, shown),
                             nearest ? ": did you mean '" : "; expected one of its own",
                             nearest ? nearest : "", nearest ? "'?" : "");
    }
  }
  return CMB_OK;
}

cmb_status cmb_read_parameters(cmb_reader *r)
{
  cmb_model *m = r->model;
  CMB_TRY(cmb_take_section(r, "parameters", 0, sizeof *m->parameters, &m->parameters));
  r->parameters =
      cmb_arena_take(r->scratch, (size_t)cmb_count_entries(r, "parameters"), sizeof *r->parameters);
  if (!r->parameters) return cmb_fail_memory(r->ctx);
  CMB_TRY(cmb_each_entry(r, "parameters", "parameter", define_parameter));
  CMB_TRY(put_arguments(r));
  CMB_TRY(put_options(r));
  for (int i = 0; i < m->parameter_count; i++) {
    cmb_model_parameter *p = &m->parameters[i];
    p->name = r->parameters[i].name;
    CMB_TRY(cmb_parameter_value(r, i, r->parameters[i].node->place, &p->value));
  }
  return CMB_OK;
}
