/*
 * Reads the section `parameters` of a model: numbers with names; called by templates.c, read.c, values.c and place.c (reader.h). A formula may
 * use parameters that are defined after it; each is computed when its value is first needed. The arguments of an instance take precedence over
 * the values in its template, those of an including file over those of the included one (overrides.c), and those of the options over all
 * others. Every copy of a repeated instance has the parameter `index`.
 *
 * Live parameters, whose values can be changed after the model is read, are inputs of the model's graph: those that the options name, or all
 * that are not computed from live ones. What is computed from them is an expression. Some numbers cannot depend on them (such as the number of
 * copies): a live parameter that was named by the options is an error there; with `live_all` it is made fixed, and the model is read again.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Appends an empty parameter to the array r->parameters, which grows as needed, and returns it; NULL if out of memory. */
static cmb_lazy *new_parameter(cmb_reader *r)
{
  int count = r->model->parameter_count;
  if (count == r->parameter_room) {
    int room = count > 0 ? 2 * count : 64;
    cmb_lazy *grown = cmb_arena_take(r->scratch, (size_t)room, sizeof *grown);
    if (!grown) return NULL;
    if (count > 0) memcpy(grown, r->parameters, (size_t)count * sizeof *grown);
    r->parameters = grown;
    r->parameter_room = room;
  }
  r->model->parameter_count++;
  return &r->parameters[count];
}

static cmb_status define(cmb_reader *r, const cmb_scope *s, const char *name, const cmb_node *node,
                         cmb_lazy **parameter)
{
  const char *full = cmb_full_name(r, s->prefix, name, "");
  CMB_TRY(cmb_define(r, CMB_NAMES_PARAMETER, full, r->model->parameter_count, node->key_place));
  *parameter = new_parameter(r);
  if (!*parameter) return cmb_fail_memory(r->ctx);
  **parameter = (cmb_lazy){.name = full, .entry = node, .node = node, .scope = s, .home = s};
  return CMB_OK;
}

/* Sets a parameter to the value that the options give for its full name, if they give one. A value that is not finite is an error. */
static cmb_status apply_option(cmb_reader *r, cmb_lazy *parameter)
{
  const cmb_model_options *o = r->options;
  for (int i = 0; o && i < o->set_count; i++) {
    if (strcmp(parameter->name, o->set_names[i]) != 0) continue;
    if (!isfinite(o->set_values[i])) {
      return cmb_fail_about(r->ctx, CMB_ERROR_ARGUMENT,
                            cmb_about_thing("parameter", parameter->name),
                            "the value of parameter '%s' is not finite", parameter->name);
    }
    parameter->value[0] = cmb_fixed(o->set_values[i]);
    parameter->state = CMB_LAZY_DONE;
  }
  return CMB_OK;
}

/* Registers a parameter from its definition, a number or {value: number, unit: text, title: text, least: number, above: number, most:
 * number}. Its value is that of the options, if they give one; else it is computed when it is first needed. */
static cmb_status define_parameter(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  static const char *const keys[] = {"value", "unit", "title", "least", "above", "most"};
  cmb_lazy *parameter;
  CMB_TRY(define(r, s, entry->key, entry, &parameter));
  if (entry->kind == CMB_NODE_MAP) {
    CMB_TRY(CMB_CHECK_KEYS(r, entry, keys));
    CMB_TRY(cmb_require(r, entry, "value", &parameter->node));
  }
  return apply_option(r, parameter);
}

static cmb_status define_index(cmb_reader *r, const cmb_scope *s)
{
  cmb_lazy *parameter;
  CMB_TRY(define(r, s, "index", cmb_node_find(s->instance, "repeat"), &parameter));
  parameter->value[0] = cmb_fixed(s->copy);
  parameter->state = CMB_LAZY_DONE;
  parameter->is_index = true;
  return CMB_OK;
}

/* Computes the value of a parameter from its formula. While a number is read that must not depend on live parameters (r->fixed_number describes
 * it), other parameters may still do so; therefore r->fixed_number is NULL during this call. */
static cmb_status compute(cmb_reader *r, cmb_lazy *lazy)
{
  const char *saved = r->fixed_number;
  r->fixed_number = NULL;
  CMB_TRY(cmb_read_number(r, lazy->scope, lazy->node, &lazy->value[0]));
  r->fixed_number = saved;
  return CMB_OK;
}

/* ---- live parameters */

/* Returns whether the parameter `name` has been found, in this or an earlier reading of the model, to be one that cannot be live
 * (changeable later), because a number that has to stay fixed depends on it. */
static bool is_fixed(const cmb_reader *r, const char *name)
{
  const cmb_not_live *n = r->fixed;
  while (n && strcmp(n->name, name) != 0) n = n->next;
  return n != NULL;
}

/* Returns whether the options request that the parameter with this full name be live, that is, changeable after the model is read. */
static bool is_named_live(const cmb_model_options *o, const char *name)
{
  for (int i = 0; i < o->live_count; i++) {
    if (strcmp(o->live_names[i], name) == 0) return true;
  }
  return false;
}

/* Returns whether a parameter, whose value is known, is to be live (changeable after the model is read): the options name it, or they request
 * this for all parameters and its value does not depend on live ones. Always false for parameters that have to stay fixed and for `index`. */
static bool is_wanted_live(const cmb_reader *r, const cmb_lazy *parameter)
{
  const cmb_model_options *o = r->options;
  if (parameter->is_index || !o || is_fixed(r, parameter->name)) return false;
  return is_named_live(o, parameter->name) || (o->live_all && parameter->value[0].live == 0);
}

static cmb_status make_live(cmb_reader *r, cmb_lazy *parameter)
{
  char text[CMB_NAME_ROOM + 16];
  snprintf(text, sizeof text, "parameter %s", parameter->name);
  parameter->live = true;
  parameter->value[0].live = cmb_input(r->model->graph, text);
  return cmb_graph_status(r->model->graph);
}

cmb_status cmb_parameter_value(cmb_reader *r, int index, cmb_place asked_at, cmb_number *x)
{
  cmb_lazy *parameter = &r->parameters[index];
  CMB_TRY(cmb_lazy_need(r, parameter, "parameter", asked_at, compute));
  if (!parameter->live && is_wanted_live(r, parameter)) CMB_TRY(make_live(r, parameter));
  *x = parameter->value[0];
  return CMB_OK;
}

cmb_status cmb_fix_number(cmb_reader *r, cmb_number x, cmb_place asked_at)
{
  for (int i = 0; i < r->model->parameter_count; i++) {
    cmb_lazy *parameter = &r->parameters[i];
    bool yes = false;
    if (!parameter->live || is_fixed(r, parameter->name)) continue;
    CMB_TRY(cmb_number_depends(r->model->graph, x, parameter->value[0], &yes));
    if (!yes) continue;
    if (is_named_live(r->options, parameter->name)) {
      return cmb_reader_fail(r, asked_at,
                             "%s depends on the live parameter '%s'; "
                             "expected a number that no live parameter changes",
                             r->fixed_number, parameter->name);
    }
    cmb_not_live *fixed = cmb_arena_take(r->kept, 1, sizeof *fixed);
    const char *name = cmb_arena_text(r->kept, parameter->name);
    if (!fixed || !name) return cmb_fail_memory(r->ctx);
    *fixed = (cmb_not_live){name, r->fixed};
    r->fixed = fixed;
    r->repeat_needed = true;
    cmb_log(r->ctx, CMB_LOG_INFO, "parameter '%s' does not stay live: %s depends on it",
            parameter->name, r->fixed_number);
  }
  return CMB_OK;
}

/* Reports that the template of instance s has no parameter with the name of `argument`, and suggests the most similar one that it has. */
static cmb_status fail_argument(cmb_reader *r, const cmb_scope *s, const cmb_node *argument)
{
  char shown[CMB_SHOWN_ROOM];
  const size_t prefix = strlen(s->prefix);
  const char **names =
      cmb_arena_take(r->scratch, (size_t)r->model->parameter_count + 1, sizeof *names);
  int count = 0;
  if (!names) return cmb_fail_memory(r->ctx);
  for (int i = 0; i < r->model->parameter_count; i++) {
    const cmb_lazy *p = &r->parameters[i];
    if (!p->is_index && strncmp(p->name, s->prefix, prefix) == 0) names[count++] = p->name + prefix;
  }
  const char *nearest = cmb_nearest_name(argument->key, names, count, sizeof *names);
  cmb_reader_subject(r, "instance", s->parent->prefix, s->instance->key);
  return cmb_reader_fail(r, argument->key_place, "the template has no parameter '%s'%s%s%s",
                         cmb_shown(argument->key, shown),
                         nearest     ? ": did you mean '"
                         : count > 0 ? "; expected one of its parameters"
                                     : "; it has no parameters",
                         nearest ? nearest : "", nearest ? "'?" : "");
}

/* Replaces the parameter values of a template in its instance s by the instance's arguments. The formulas of the arguments are evaluated in
 * the scope that contains the instance. Returns an error if an argument is no parameter of the template. */
static cmb_status apply_arguments(cmb_reader *r, const cmb_scope *s)
{
  const cmb_node *argument = s->arguments ? s->arguments->first : NULL;
  for (; argument; argument = argument->next) {
    const char *full = cmb_full_name(r, s->prefix, argument->key, "");
    if (!full) return cmb_fail_memory(r->ctx);
    const cmb_name *found = cmb_look_up(r, r->scopes, CMB_NAMES_PARAMETER, full);
    if (found && !r->parameters[found->index].is_index) {
      r->parameters[found->index].node = argument;
      r->parameters[found->index].scope = s->parent;
      continue;
    }
    return fail_argument(r, s, argument);
  }
  return CMB_OK;
}

cmb_status cmb_define_parameters(cmb_reader *r, const cmb_scope *s)
{
  if (s->copy > 0) CMB_TRY(define_index(r, s));
  CMB_TRY(cmb_each_entry_of(r, s, "parameters", "parameter", define_parameter));
  CMB_TRY(apply_arguments(r, s));
  return cmb_put_overrides(r, s);
}

/* Checks that each of the names[count] in the options is a parameter that can be set; `what` ("set" or "stay live") is used in the error
 * message. */
static cmb_status check_names(cmb_reader *r, int count, const char *const *names, const char *what)
{
  for (int i = 0; i < count; i++) {
    const cmb_name *found = cmb_look_up(r, r->scopes, CMB_NAMES_PARAMETER, names[i]);
    if (found && !r->parameters[found->index].is_index) continue;
    const char *expected = found ? NULL : cmb_expected(r, r->scopes, CMB_NAMES_PARAMETER, names[i]);
    return cmb_fail_about(r->ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("parameter", names[i]),
                          "%s has no parameter '%s' to %s%s%s", r->model->path, names[i], what,
                          expected ? ": " : "", expected ? expected : "");
  }
  return CMB_OK;
}

static cmb_status check_options(cmb_reader *r)
{
  const cmb_model_options *o = r->options;
  if (!o) return CMB_OK;
  CMB_TRY(check_names(r, o->set_count, o->set_names, "set"));
  return check_names(r, o->live_count, o->live_names, "stay live");
}

static cmb_status keep_words(cmb_reader *r, const cmb_lazy *from, cmb_model_parameter *p)
{
  p->place = from->entry->key_place;
  p->text = cmb_arena_text(r->model->arena, from->node->text);
  if (!p->text) return cmb_fail_memory(r->ctx);
  cmb_reader_subject(r, "parameter", "", p->name);
  CMB_TRY(cmb_read_words(r, from->entry, "unit", "a unit such as m, kN or deg", &p->unit));
  return cmb_read_words(r, from->entry, "title", "a text", &p->title);
}

/* Checks the value of a parameter against the bounds `least`, `above` and `most` that its definition `from` gives. If value or bound
 * depends on a live parameter (which can change later), the check is repeated with later values. */
static cmb_status limit(cmb_reader *r, const cmb_lazy *from, const cmb_model_parameter *p)
{
  static const struct {
    const char *key;
    cmb_limit_kind kind;
  } bounds[] = {{"least", CMB_AT_LEAST}, {"above", CMB_ABOVE}, {"most", CMB_AT_MOST}};
  if (from->is_index || from->entry->kind != CMB_NODE_MAP) return CMB_OK;
  for (int i = 0; i < 3; i++) {
    const cmb_node *node = cmb_node_find(from->entry, bounds[i].key);
    cmb_number bound;
    if (!node) continue;
    CMB_TRY(cmb_read_number(r, from->home, node, &bound));
    CMB_TRY(cmb_limit_by(r, from->node->place, "it", bounds[i].kind, p->number, bound));
  }
  return CMB_OK;
}

cmb_status cmb_read_parameters(cmb_reader *r)
{
  cmb_model *m = r->model;
  CMB_TRY(check_options(r));
  m->parameters = cmb_arena_take(m->arena, (size_t)m->parameter_count, sizeof *m->parameters);
  if (!m->parameters) return cmb_fail_memory(r->ctx);
  for (int i = 0; i < m->parameter_count; i++) {
    cmb_model_parameter *p = &m->parameters[i];
    p->name = r->parameters[i].name;
    CMB_TRY(cmb_parameter_value(r, i, r->parameters[i].node->place, &p->number));
    p->live = r->parameters[i].live;
    CMB_TRY(keep_words(r, &r->parameters[i], p));
    CMB_TRY(limit(r, &r->parameters[i], p));
  }
  cmb_reader_subject(r, "", "", NULL);
  return CMB_OK;
}
