/*
 * Records which item of the model an expression comes from, so that a switching function in it can be named after the item and the line
 * that made it, as "input u, line 12".
 *
 * Expressions are recorded when they are completed, so that a measure precedes the formula that uses it.
 */
#include "dyn/build.h"

#include <stdio.h>
#include <string.h>

/* Writes the position of an item of the model to text[room]: ", line N"; ", FILE line N" if it is in another file
 * than the model's; or ", KEY" if the item was created by function calls and so has a key instead of a line. */
static void write_place(const cmb_build *b, const cmb_place *place, size_t room, char *text)
{
  const char *slash = place->file ? strrchr(place->file, '/') : NULL;
  const bool own = !place->file || !b->model->path || strcmp(place->file, b->model->path) == 0;
  if (place->key) {
    snprintf(text, room, ", %s", place->key);
    return;
  }
  snprintf(text, room, ", %s%sline %d",
           own     ? ""
           : slash ? slash + 1
                   : place->file,
           own ? "" : " ", place->line);
}

const char *cmb_build_source_text(cmb_build *b, const char *subject, const cmb_place *place)
{
  char text[400], where[200];
  size_t n = 0;
  for (const char *c = subject; *c && n + 1 < sizeof text - sizeof where; c++) {
    if (*c != '\'') text[n++] = *c;
  }
  write_place(b, place, sizeof where, where);
  snprintf(text + n, sizeof text - n, "%s", where);
  return cmb_arena_text(b->arena, text);
}

void cmb_build_source(cmb_build *b, cmb_expr e, const char *subject, const cmb_place *place)
{
  /* outputs make no events, and a leaf has no switching function */
  if (b->outputs || cmb_op_arity(cmb_expr_op(b->g, e)) == 0) return;
  cmb_hint *source = cmb_list_add(b, &b->sources, sizeof *source);
  if (source) *source = (cmb_hint){e, cmb_build_source_text(b, subject, place), CMB_HINT_MOTION};
}

static void add_item(cmb_build *b, cmb_expr e, const char *what, const char *name,
                     const cmb_place *place)
{
  char subject[320];
  snprintf(subject, sizeof subject, "%s %s", what, name);
  cmb_build_source(b, e, subject, place);
}

void cmb_build_force_source(cmb_build *b, int force, int first_action)
{
  const cmb_model_force *f = &b->model->forces[force];
  for (int i = first_action; i < b->actions.count; i++) {
    const cmb_action *a = cmb_action_at(b, i);
    add_item(b, a->force, "force", f->name, &f->place);
    for (int n = 0; n < 3 && a->measure.side_count > 0; n++) {
      add_item(b, a->measure.side[0].force.x[n], "force", f->name, &f->place);
      add_item(b, a->measure.side[0].moment.x[n], "force", f->name, &f->place);
    }
  }
}

void cmb_build_derivative_source(cmb_build *b, int action, cmb_expr e)
{
  for (int i = 0; i < b->model->force_count; i++) {
    const cmb_model_force *f = &b->model->forces[i];
    const int k = action - b->first_action[i];
    const cmb_place *place = f->formula.text ? &f->formula.place : &f->place;
    if (k >= 0 && k < b->action_count[i]) add_item(b, e, "force", f->name, place);
  }
}

void cmb_build_loop_source(cmb_build *b, const cmb_constraint *c)
{
  const cmb_model_loop *l = &b->model->loops[c->loop];
  const char *what = l->motion ? "motion" : "loop";
  add_item(b, c->g, what, l->name, &l->place);
  for (int i = 0; i < c->term_count; i++)
    add_item(b, c->terms[i].coefficient, what, l->name, &l->place);
  add_item(b, c->gt, what, l->name, &l->place);
  add_item(b, c->gamma, what, l->name, &l->place);
}

/* Copies the list of expressions that come from formulas, forces and loops of the model to x, with the names of the model's items to which
 * they belong; messages name these items. */
cmb_status cmb_build_take_sources(cmb_build *b, cmb_expressions *x)
{
  const cmb_hint *sources = b->sources.items;
  const size_t n = (size_t)b->sources.count + 1;
  x->sources = cmb_arena_take(b->arena, n, sizeof *x->sources);
  x->source_names = cmb_arena_take(b->arena, n, sizeof(const char *));
  if (!x->sources || !x->source_names) return CMB_ERROR_MEMORY;
  for (int i = 0; i < b->sources.count; i++) {
    x->sources[i] = sources[i].e;
    x->source_names[i] = sources[i].name;
  }
  x->source_count = b->sources.count;
  return CMB_OK;
}
