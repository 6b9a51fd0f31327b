/*
 * Writes the items of a model (bodies, joints, forces, ...) as JSON: a list for each kind of item, under the name of its section in model
 * files. The library treats prescribed motions as loops (camber/model.h), but they have a section of their own. Used by `check --json`.
 */
#include "cli/cli.h"

#include <string.h>

/* names of the sections by kind of item */
static const char *const sections[CMB_ITEM_KINDS] = {[CMB_ITEM_PARAMETER] = "parameters",
                                                     [CMB_ITEM_BODY] = "bodies",
                                                     [CMB_ITEM_MARKER] = "markers",
                                                     [CMB_ITEM_JOINT] = "joints",
                                                     [CMB_ITEM_LOOP] = "loops",
                                                     [CMB_ITEM_INPUT] = "inputs",
                                                     [CMB_ITEM_TABLE] = "tables",
                                                     [CMB_ITEM_MEASURE] = "measures",
                                                     [CMB_ITEM_STATE] = "states",
                                                     [CMB_ITEM_FORCE] = "forces",
                                                     [CMB_ITEM_STOP] = "stops",
                                                     [CMB_ITEM_OUTPUT] = "outputs",
                                                     [CMB_ITEM_EVENT] = "events",
                                                     [CMB_ITEM_SHAPE] = "shapes",
                                                     [CMB_ITEM_IMPLICIT] = "implicit",
                                                     [CMB_ITEM_CONTROLLER] = "controllers",
                                                     [CMB_ITEM_SAMPLED] = "sampled",
                                                     [CMB_ITEM_TEMPLATE] = "templates",
                                                     [CMB_ITEM_ROAD] = "roads"};

/* Writes the name of body i of the model as the value of `key` in a JSON object; "ground" if the model has no body i. */
static void put_body_name(struct cli_json *j, const char *key, const cmb_model *m, int i)
{
  cmb_body body;
  cli_json_text(j, key, cmb_body_of(m, i, &body) ? body.name : "ground");
}

static void put_body(struct cli_json *j, const cmb_model *m, int i)
{
  cmb_body body;
  if (!cmb_body_of(m, i, &body)) return;
  put_body_name(j, "parent", m, body.parent);
  cli_json_number(j, "mass", body.mass);
  cli_json_numbers(j, "com", 3, body.com);
  cli_json_numbers(j, "inertia", 9, body.inertia);
}

static void put_joint(struct cli_json *j, const cmb_model *m, int i)
{
  cmb_joint joint;
  if (!cmb_joint_of(m, i, &joint)) return;
  put_body_name(j, "parent", m, joint.parent);
  put_body_name(j, "child", m, joint.child);
  cli_json_texts(j, "coordinates", joint.nq, joint.q_names);
}

/* Writes `text` as the value of `key` in a JSON object; nothing if the text is empty. */
static void put_text(struct cli_json *j, const char *key, const char *text)
{
  if (text[0]) cli_json_text(j, key, text);
}

/* Writes item i of a kind (parameter, body, joint, ...) in a model as a JSON object: its name, type, formula text, unit and title, and the
 * values that only this kind has, such as mass and inertia of a body. */
static void put_item(struct cli_json *j, const cmb_model *m, cmb_item_kind kind, int i,
                     const cmb_item *item)
{
  cli_json_open(j, NULL, '{');
  cli_json_text(j, "name", item->name);
  put_text(j, "type", item->type);
  put_text(j, "text", item->text);
  put_text(j, "unit", item->unit);
  put_text(j, "title", item->title);
  if (kind == CMB_ITEM_PARAMETER) cli_json_number(j, "value", item->value);
  if (kind == CMB_ITEM_CONTROLLER) cli_json_number(j, "period", item->value);
  if (kind == CMB_ITEM_STATE || kind == CMB_ITEM_SAMPLED) cli_json_number(j, "start", item->value);
  if (kind == CMB_ITEM_BODY) put_body(j, m, i);
  if (kind == CMB_ITEM_JOINT) put_joint(j, m, i);
  cli_json_close(j, '}');
}

/* Writes all items of a kind (parameters, bodies, joints, ...) in a model as a JSON list under the key `section`. If `motions` is true, only
 * the prescribed motions are written, otherwise all others; the library returns both as items of the kind "loop". */
static void put_section(struct cli_json *j, const cmb_model *model, cmb_item_kind kind,
                        const char *section, bool motions)
{
  cmb_item item;
  cli_json_open(j, section, '[');
  for (int i = 0; cmb_model_item(model, kind, i, &item); i++) {
    if ((strcmp(item.kind, "motion") == 0) == motions) put_item(j, model, kind, i, &item);
  }
  cli_json_close(j, ']');
}

void cli_json_contents(struct cli_json *j, const cmb_model *model)
{
  if (!model) return;
  cli_json_open(j, "contents", '{');
  for (int kind = 0; kind < CMB_ITEM_KINDS; kind++) {
    put_section(j, model, (cmb_item_kind)kind, sections[kind], false);
    if (kind == CMB_ITEM_LOOP) put_section(j, model, CMB_ITEM_LOOP, "motions", true);
  }
  cli_json_close(j, '}');
}
