/*
 * Evaluates tyres apart from any mechanism (the public functions cmb_tyre_* of camber/dyn.h): the Magic Formula with the
 * coefficients of a property file is compiled once, and gives forces and their derivatives.
 */
#include <camber/dyn.h>

#include "base/arena.h"
#include "base/context.h"
#include "base/text.h"
#include "dyn/magic_formula.h"

#include <math.h>
#include <string.h>

struct cmb_tyre {
  cmb_context *ctx;
  cmb_arena *arena;
  const char *name; /* of the file, for messages */
  cmb_tir tir;
  cmb_program *program;
  cmb_jacobian *jacobian;
  /* work for either program (the larger of the two sizes), and the non-zeros of the Jacobian */
  double *work, *values;
};

static cmb_status compile(cmb_tyre *t, cmb_graph *g)
{
  static const char *const names[CMB_TYRE_STATES] = {"load",   "slip",  "slip_angle",
                                                     "camber", "speed", "friction"};
  cmb_expr x[CMB_TYRE_STATES];
  cmb_tyre_output o;
  for (int i = 0; i < CMB_TYRE_STATES; i++) x[i] = cmb_input(g, names[i]);
  const cmb_tyre_input in = {x[0], x[1], cmb_apply(g, CMB_OP_TAN, x[2], 0, 0), x[3], x[4], x[5]};
  CMB_TRY(cmb_magic_formula(g, &t->tir, &in, &o));
  const cmb_expr out[CMB_TYRE_FORCES] = {o.Fx, o.Fy, o.Mx, o.My, o.Mz, o.sigma_x, o.sigma_y};
  CMB_TRY(cmb_program_create(t->ctx, g, CMB_TYRE_STATES, x, CMB_TYRE_FORCES, out, &t->program));
  CMB_TRY(cmb_jacobian_create(t->ctx, g, CMB_TYRE_STATES, x, CMB_TYRE_STATES, x, CMB_TYRE_FORCES,
                              out, &t->jacobian));
  const int plain = cmb_program_work(t->program), exact = cmb_jacobian_work(t->jacobian);
  t->work = cmb_arena_doubles(t->arena, plain > exact ? plain : exact);
  t->values = cmb_arena_doubles(t->arena, CMB_TYRE_FORCES * CMB_TYRE_STATES);
  return cmb_arena_failed(t->arena) ? cmb_fail_memory(t->ctx) : CMB_OK;
}

static cmb_status make(cmb_tyre *t, const char *text, size_t length, const char *name)
{
  cmb_graph *g = NULL;
  CMB_TRY(cmb_check_text(t->ctx, text, length, cmb_about_place(name, 1, 1)));
  CMB_TRY(cmb_tir_parse(t->ctx, name, text, length, &t->tir));
  CMB_TRY(cmb_graph_create(t->ctx, &g));
  const cmb_status status = compile(t, g);
  cmb_graph_destroy(g);
  return status;
}

cmb_status cmb_tyre_parse(cmb_context *ctx, const char *text, size_t length, const char *name,
                          cmb_tyre **tyre)
{
  CMB_REQUIRE(ctx, text && name && tyre, "a tyre needs a text, a name and a place for the result");
  *tyre = NULL;
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_tyre *t = arena ? cmb_arena_take(arena, 1, sizeof *t) : NULL;
  if (!t) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *t = (cmb_tyre){.ctx = ctx, .arena = arena, .name = cmb_arena_text(arena, name)};
  const cmb_status status = make(t, text, length, name);
  if (status == CMB_OK) {
    *tyre = t;
  } else {
    cmb_tyre_close(t);
  }
  return status;
}

cmb_status cmb_tyre_open(cmb_context *ctx, const char *path, cmb_tyre **tyre)
{
  char *text;
  size_t length;
  CMB_REQUIRE(ctx, path && tyre, "a tyre needs a path and a place for the result");
  *tyre = NULL;
  CMB_TRY(cmb_load_file(ctx, path, &text, &length));
  const cmb_status status = cmb_tyre_parse(ctx, text, length, path, tyre);
  cmb_release(ctx, text);
  return status;
}

void cmb_tyre_close(cmb_tyre *t)
{
  if (!t) return;
  cmb_program_destroy(t->program);
  cmb_jacobian_destroy(t->jacobian);
  cmb_arena_destroy(t->arena);
}

bool cmb_tyre_number(const cmb_tyre *t, const char *key, double *x)
{
  const int k = cmb_find_name(key, cmb_tir_names(), CMB_TIR_KEY_COUNT, sizeof(char *));
  if (k >= 0) *x = cmb_tir_number(&t->tir, k);
  return k >= 0;
}

static cmb_status check_state(cmb_tyre *t, const double x[CMB_TYRE_STATES])
{
  for (int i = 0; i < CMB_TYRE_STATES; i++) {
    CMB_REQUIRE(t->ctx, isfinite(x[i]), "the state of a tyre has to be finite");
  }
  CMB_REQUIRE(t->ctx, x[0] >= 0 && x[5] >= 0, "load and friction must not be negative");
  CMB_REQUIRE(t->ctx, fabs(x[2]) < 1.5707963, "the slip angle has to be less than a right angle");
  return CMB_OK;
}

/* Reports that output i of the tyre is not finite in the state s. */
static cmb_status fail_infinite(const cmb_tyre *t, const cmb_tyre_state *s, int i)
{
  static const char *const what[CMB_TYRE_FORCES] = {"force Fx",
                                                    "force Fy",
                                                    "moment Mx",
                                                    "moment My",
                                                    "moment Mz",
                                                    "relaxation length sigma_x",
                                                    "relaxation length sigma_y"};
  return cmb_fail_about(t->ctx, CMB_ERROR_NONFINITE, cmb_about_file(t->name),
                        "%s: the tyre's %s is not finite at load %g N, slip %g, slip angle %g rad, "
                        "camber %g rad, speed %g m/s and friction %g",
                        t->name, what[i], s->load, s->slip, s->slip_angle, s->camber, s->speed,
                        s->friction);
}

cmb_status cmb_tyre_evaluate(cmb_tyre *t, const cmb_tyre_state *s, cmb_tyre_forces *f,
                             double *derivatives)
{
  const double x[CMB_TYRE_STATES] = {s->load,   s->slip,  s->slip_angle,
                                     s->camber, s->speed, s->friction};
  double y[CMB_TYRE_FORCES];
  CMB_TRY(check_state(t, x));
  cmb_program_run(t->program, x, y, t->work);
  *f = (cmb_tyre_forces){y[0], y[1], y[2], y[3], y[4], y[5], y[6]};
  for (int i = 0; i < CMB_TYRE_FORCES; i++) {
    if (!isfinite(y[i])) return fail_infinite(t, s, i);
  }
  if (!derivatives) return CMB_OK;
  const cmb_pattern *p = cmb_jacobian_pattern(t->jacobian);
  cmb_jacobian_run(t->jacobian, x, t->values, t->work);
  memset(derivatives, 0, CMB_TYRE_FORCES * CMB_TYRE_STATES * sizeof *derivatives);
  for (int i = 0; i < CMB_TYRE_FORCES; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      derivatives[i * CMB_TYRE_STATES + p->column[k]] = t->values[k];
    }
  }
  return CMB_OK;
}
