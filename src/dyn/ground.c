/*
 * Evaluates the surfaces of a model apart from any simulation (cmb_ground_* of camber/dyn.h), e.g. to draw them: s(t, x,
 * y, z) of each contact, rigid contact and tyre, in one program, except those that depend on sampled values. For a tyre, s is z − h(x, y)
 * with the height h of its road. Inputs of the model have the values of their formulas.
 */
#include "base/context.h"
#include "dyn/build.h"
#include "dyn/road.h"
#include "expr/graph.h"
#include "model/tyre.h"

#include <camber/dyn.h>
#include <math.h>
#include <string.h>

enum { OWN_INPUTS = 4 }; /* t, x, y, z */

struct surface {
  cmb_surface view;
  cmb_expr s;
};

struct cmb_ground {
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_program *program;
  struct surface *all; /* (count) */
  int count;
  double *in, *out, *work;
};

/* The inputs of the program: t, x, y, z (not set here), live parameters, and the free parts of the model's inputs,
 * which are 0. */
struct inputs {
  cmb_expr *e;
  double *value;
  int count;
};

static cmb_status list_inputs(cmb_ground *all, cmb_build *b, struct inputs *in)
{
  const cmb_model *m = b->model;
  const cmb_vector xyz = cmb_surface_symbols(b->g);
  const size_t most = OWN_INPUTS + (size_t)m->parameter_count + (size_t)m->input_count;
  in->e = cmb_arena_take(b->arena, most, sizeof *in->e);
  in->value = cmb_arena_take(all->arena, most, sizeof *in->value);
  if (!in->e || !in->value) return CMB_ERROR_MEMORY;
  in->e[0] = b->k->t;
  memcpy(in->e + 1, xyz.x, sizeof xyz.x);
  in->count = OWN_INPUTS;
  for (int i = 0; i < m->parameter_count; i++) {
    if (!m->parameters[i].live) continue;
    in->e[in->count] = m->parameters[i].number.live;
    in->value[in->count++] = m->parameters[i].number.value;
  }
  for (int i = 0; i < m->input_count; i++) in->e[in->count++] = b->u[i];
  return CMB_OK;
}

/* ---- the surfaces of a model */

/* Copies an attachment point (a body and the coordinates of a point on it) to the public struct *point. */
static void copy_point(const cmb_anchor *anchor, cmb_body_point *point)
{
  point->body = anchor->body;
  cmb_values_of(3, anchor->at, point->at);
}

static cmb_status tyre_surface(cmb_build *b, const cmb_model_tyre *tyre, cmb_expr *s)
{
  const cmb_vector xyz = cmb_surface_symbols(b->g);
  cmb_expr height = 0;
  if (tyre->road >= 0) CMB_TRY(cmb_build_road_value(b, tyre->road, false, xyz.x, 0, &height));
  *s = cmb_sub(b->g, xyz.x[2], height);
  return CMB_OK;
}

/* Appends to the list all->all the surface s = 0 that the point `at` of a body can touch, unless s depends on a sampled value of a controller.
 * Records whether s depends on time, and the first surface in the list with the same s. */
static cmb_status add_surface(cmb_ground *all, cmb_build *b, const struct inputs *in,
                              const char *name, const cmb_anchor *at, cmb_expr s)
{
  struct surface *new = &all->all[all->count];
  bool sampled = false;
  for (int i = 0; i < b->sampled.count && !sampled; i++) {
    CMB_TRY(cmb_depends(b->g, 1, &cmb_sampled_at(b, i)->x, 1, &s, &sampled));
  }
  if (sampled) return CMB_OK;
  *new = (struct surface){.view = {.name = name, .same = all->count}, .s = s};
  copy_point(at, &new->view.at);
  CMB_TRY(cmb_depends(b->g, 1, in->e, 1, &s, &new->view.moves));
  for (int i = all->count - 1; i >= 0; i--) {
    if (all->all[i].s == s) new->view.same = i;
  }
  all->count++;
  return CMB_OK;
}

static cmb_status find_all(cmb_ground *all, cmb_build *b, const struct inputs *in)
{
  const cmb_model *m = b->model;
  cmb_expr s;
  for (int i = 0; i < m->force_count; i++) {
    const cmb_model_force *f = &m->forces[i];
    if (f->type != CMB_FORCE_CONTACT && f->type != CMB_FORCE_TYRE) continue;
    CMB_TRY(f->tyre ? tyre_surface(b, f->tyre, &s)
                    : cmb_build_formula(b, &f->surface, CMB_LEVEL_SURFACE, NULL, &s));
    CMB_TRY(add_surface(all, b, in, f->name, &f->b, s));
  }
  for (int i = 0; i < m->stop_count; i++) {
    if (!m->stops[i].contact) continue;
    CMB_TRY(cmb_build_formula(b, &m->stops[i].gap, CMB_LEVEL_SURFACE, NULL, &s));
    CMB_TRY(add_surface(all, b, in, m->stops[i].name, &m->stops[i].b, s));
  }
  return CMB_OK;
}

/* ---- the program */

static cmb_status make_program(cmb_ground *all, cmb_build *b, const struct inputs *in)
{
  cmb_expr *out = cmb_arena_take(b->arena, (size_t)all->count + 1, sizeof *out);
  if (!out) return CMB_ERROR_MEMORY;
  for (int i = 0; i < all->count; i++) out[i] = all->all[i].s;
  CMB_TRY(cmb_graph_status(b->g));
  CMB_TRY(cmb_program_create(all->ctx, b->g, in->count, in->e, all->count, out, &all->program));
  all->in = in->value;
  all->out = cmb_arena_doubles(all->arena, all->count);
  all->work = cmb_arena_doubles(all->arena, cmb_program_work(all->program));
  return cmb_arena_failed(all->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}

static cmb_status make_in(cmb_ground *all, cmb_build *b)
{
  const cmb_model *m = b->model;
  struct inputs in = {0};
  all->all = cmb_arena_take(all->arena, (size_t)m->force_count + (size_t)m->stop_count + 1,
                            sizeof *all->all);
  if (!all->all) return CMB_ERROR_MEMORY;
  CMB_TRY(cmb_build_open(b));
  CMB_TRY(cmb_build_sampled(b));
  CMB_TRY(cmb_build_states(b));
  CMB_TRY(cmb_build_inputs(b));
  CMB_TRY(list_inputs(all, b, &in));
  CMB_TRY(find_all(all, b, &in));
  return make_program(all, b, &in);
}

/* Compiles the functions of those surfaces of the model that depend on no sampled value of a controller into a single program, stored in *all
 * with the list of these surfaces. Works on a copy of the model's expression graph and a tree of links, which are freed again. */
static cmb_status make(cmb_ground *all, const cmb_model *model)
{
  cmb_build b = {.ctx = all->ctx, .arena = cmb_arena_create(all->ctx), .model = model};
  cmb_status status = b.arena ? cmb_graph_copy(b.ctx, model->graph, &b.g) : CMB_ERROR_MEMORY;
  if (status == CMB_OK) {
    status = make_in(all, &b);
    cmb_graph_destroy(b.g);
  }
  cmb_arena_destroy(b.arena);
  return status == CMB_ERROR_MEMORY ? cmb_fail_memory(all->ctx) : status;
}

cmb_status cmb_ground_create(cmb_context *ctx, const cmb_model *model, cmb_ground **surfaces)
{
  CMB_REQUIRE(ctx, ctx && surfaces, "cmb_ground_create needs a context and a place for them");
  *surfaces = NULL;
  CMB_REQUIRE(ctx, model, "cmb_ground_create needs a model");
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_ground *all = arena ? cmb_arena_take(arena, 1, sizeof *all) : NULL;
  if (!all) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *all = (cmb_ground){.ctx = ctx, .arena = arena};
  const cmb_status status = make(all, model);
  if (status == CMB_OK)
    *surfaces = all;
  else
    cmb_ground_destroy(all);
  return status;
}

void cmb_ground_destroy(cmb_ground *all)
{
  if (!all) return;
  cmb_program_destroy(all->program);
  cmb_arena_destroy(all->arena);
}

bool cmb_ground_surface(const cmb_ground *all, int i, cmb_surface *surface)
{
  if (!all || !surface || i < 0 || i >= all->count) return false;
  *surface = all->all[i].view;
  return true;
}

double cmb_ground_at(cmb_ground *all, int i, double t, const double *x)
{
  if (!all || !x || i < 0 || i >= all->count) return NAN;
  all->in[0] = t;
  memcpy(all->in + 1, x, 3 * sizeof *x);
  cmb_program_run(all->program, all->in, all->out, all->work);
  return all->out[i];
}
