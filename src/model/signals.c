/*
 * Reads the sections `inputs`, `measures`, `states` and `outputs` of a model; called by read.c (reader.h). Inputs are formulas of time or
 * tables over time, measures are formulas or distances of two points, states are given by their rates, outputs are formulas with a unit.
 */
#include "base/context.h"
#include "math/vec3.h"
#include "model/reader.h"

/* Reads an input that is given as a table over time t: adds the table INPUT.table to the model and sets the input's formula to
 * INPUT.table(t). A grid of two arguments is an error. */
static cmb_status read_input_table(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                   cmb_model_input *input)
{
  const char *full = cmb_full_name(r, input->name, ".table", "");
  CMB_TRY(cmb_define(r, CMB_NAMES_TABLE, full, r->model->table_count, entry->key_place));
  if (cmb_node_find(entry, "values")) {
    return cmb_reader_fail(
        r, entry->place,
        "this table has two arguments; expected one argument, with points [t, value]");
  }
  CMB_TRY(cmb_read_table(r, s, entry, full, NULL));
  CMB_TRY(cmb_begin_formula(r, s, "", entry->place, &input->formula));
  input->formula.text = cmb_full_name(r, full, "(t)", "");
  return input->formula.text ? CMB_OK : cmb_fail_memory(r->ctx);
}

static cmb_status read_input(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  cmb_model *m = r->model;
  cmb_model_input *input = &m->inputs[m->input_count];
  input->name = cmb_full_name(r, s->prefix, entry->key, "");
  input->place = entry->key_place;
  CMB_TRY(cmb_define(r, CMB_NAMES_INPUT, input->name, m->input_count++, entry->key_place));
  if (entry->kind != CMB_NODE_TEXT) return read_input_table(r, s, entry, input);
  return cmb_read_formula(r, s, entry, &input->formula);
}

static cmb_status read_distance(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                cmb_model_measure *measure)
{
  static const char *const keys[] = {"distance"};
  const cmb_node *ends;
  CMB_TRY(CMB_CHECK_KEYS(r, entry, keys));
  CMB_TRY(cmb_require(r, entry, "distance", &ends));
  CMB_TRY(cmb_expect_list(r, ends, 2, "two points on bodies: [body@P, body@Q]"));
  CMB_TRY(cmb_read_anchor(r, s, ends->first, &measure->a));
  CMB_TRY(cmb_read_anchor(r, s, ends->first->next, &measure->b));
  measure->distance = true;
  return CMB_OK;
}

static cmb_status read_measure(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  cmb_model *m = r->model;
  cmb_model_measure *measure = &m->measures[m->measure_count];
  measure->name = cmb_full_name(r, s->prefix, entry->key, "");
  measure->place = entry->key_place;
  CMB_TRY(cmb_define(r, CMB_NAMES_MEASURE, measure->name, m->measure_count++, entry->key_place));
  CMB_TRY(cmb_find_given(r, "measures", &s, &entry));
  if (entry->kind == CMB_NODE_MAP) return read_distance(r, s, entry, measure);
  return cmb_read_formula(r, s, entry, &measure->formula);
}

static cmb_status read_state(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  static const char *const keys[] = {"rate", "start", "unit", "title"};
  cmb_model *m = r->model;
  cmb_model_state *state = &m->states[m->state_count];
  const cmb_node *rate, *start = cmb_node_find(entry, "start");
  state->name = cmb_full_name(r, s->prefix, entry->key, "");
  state->place = entry->key_place;
  CMB_TRY(cmb_define(r, CMB_NAMES_STATE, state->name, m->state_count++, entry->key_place));
  CMB_TRY(cmb_expect_map(r, entry));
  CMB_TRY(CMB_CHECK_KEYS(r, entry, keys));
  CMB_TRY(cmb_require(r, entry, "rate", &rate));
  CMB_TRY(cmb_read_words(r, entry, "unit", "a unit such as N, A or Pa", &state->unit));
  CMB_TRY(cmb_read_words(r, entry, "title", "a text", &state->title));
  if (start) CMB_TRY(cmb_read_number(r, s, start, &state->start));
  return cmb_read_formula(r, s, rate, &state->rate);
}

cmb_status cmb_read_words(cmb_reader *r, const cmb_node *map, const char *key, const char *expected,
                          const char **text)
{
  const cmb_node *node = cmb_node_find(map, key);
  *text = "";
  if (!node) return CMB_OK;
  CMB_TRY(cmb_expect_text(r, node, expected));
  return cmb_read_line(r, node, text);
}

/* Reads the formula of an output. Its axes are the global ones even in a mirrored template instance, because its value is shown to the
 * user. */
static cmb_status read_output_formula(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                      cmb_model_formula *formula)
{
  CMB_TRY(cmb_read_formula(r, s, node, formula));
  formula->mirror = r->scopes->placed->mirror;
  return CMB_OK;
}

/* Reads an output from the map {value: formula, unit: text, title: text}; only `value` is required. */
static cmb_status read_output_map(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                  cmb_model_output *output)
{
  static const char *const keys[] = {"value", "unit", "title"};
  const cmb_node *value;
  CMB_TRY(CMB_CHECK_KEYS(r, entry, keys));
  CMB_TRY(cmb_require(r, entry, "value", &value));
  CMB_TRY(cmb_read_words(r, entry, "unit", "a unit such as m, kN or deg", &output->unit));
  CMB_TRY(cmb_read_words(r, entry, "title", "a text", &output->title));
  return read_output_formula(r, s, value, &output->formula);
}

static cmb_status read_output(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  cmb_model *m = r->model;
  cmb_model_output *output = &m->outputs[m->output_count];
  output->name = cmb_full_name(r, s->prefix, entry->key, "");
  output->place = entry->key_place;
  output->unit = output->title = "";
  CMB_TRY(cmb_define(r, CMB_NAMES_OUTPUT, output->name, m->output_count++, entry->key_place));
  if (entry->kind == CMB_NODE_MAP) return read_output_map(r, s, entry, output);
  return read_output_formula(r, s, entry, &output->formula);
}

cmb_status cmb_read_signals(cmb_reader *r)
{
  cmb_model *m = r->model;
  CMB_TRY(cmb_take_section(r, "inputs", 0, sizeof *m->inputs, &m->inputs));
  CMB_TRY(cmb_take_section(r, "measures", 0, sizeof *m->measures, &m->measures));
  CMB_TRY(cmb_take_section(r, "states", 2 * cmb_count_entries(r, "forces"), sizeof *m->states,
                           &m->states));
  CMB_TRY(cmb_take_section(r, "outputs", 0, sizeof *m->outputs, &m->outputs));
  CMB_TRY(cmb_each_entry(r, "inputs", "input", read_input));
  CMB_TRY(cmb_each_entry(r, "measures", "measure", read_measure));
  CMB_TRY(cmb_each_entry(r, "states", "state", read_state));
  return cmb_each_entry(r, "outputs", "output", read_output);
}
