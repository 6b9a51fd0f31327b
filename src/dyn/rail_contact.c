/*
 * Evaluates one contact of a wheel and a rail apart from any mechanism (the functions cmb_creep_* of camber/rail.h): the law is compiled once,
 * and gives forces and their derivatives.
 */
#include "base/arena.h"
#include "base/context.h"
#include "dyn/creep.h"

#include <math.h>
#include <string.h>

struct cmb_creep {
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_creep_options options;
  cmb_contact_tables tables;
  cmb_program *program;
  cmb_jacobian *jacobian;
  /* work for either program (the larger of the two sizes), and the non-zeros of the Jacobian */
  double *work, *values;
};

static cmb_status compile(cmb_creep *c, cmb_graph *g)
{
  static const char *const names[CMB_CREEP_STATES] = {
      "curvature_x", "curvature_y", "load", "xi", "eta", "phi", "speed", "friction"};
  cmb_expr x[CMB_CREEP_STATES];
  cmb_creep_output o;
  for (int i = 0; i < CMB_CREEP_STATES; i++) x[i] = cmb_input(g, names[i]);
  const cmb_creep_input in = {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
  CMB_TRY(cmb_creep_law_build(g, &c->options, &c->tables, &in, &o));
  const cmb_expr out[CMB_CREEP_FORCES] = {o.a,  o.b,  o.pressure, o.approach,
                                          o.Fx, o.Fy, o.Mz,       o.friction};
  CMB_TRY(cmb_program_create(c->ctx, g, CMB_CREEP_STATES, x, CMB_CREEP_FORCES, out, &c->program));
  CMB_TRY(cmb_jacobian_create(c->ctx, g, CMB_CREEP_STATES, x, CMB_CREEP_STATES, x, CMB_CREEP_FORCES,
                              out, &c->jacobian));
  const int plain = cmb_program_work(c->program), exact = cmb_jacobian_work(c->jacobian);
  c->work = cmb_arena_doubles(c->arena, plain > exact ? plain : exact);
  c->values = cmb_arena_doubles(c->arena, CMB_CREEP_FORCES * CMB_CREEP_STATES);
  return cmb_arena_failed(c->arena) ? cmb_fail_memory(c->ctx) : CMB_OK;
}

static cmb_status make(cmb_creep *c)
{
  cmb_graph *g = NULL;
  CMB_TRY(cmb_contact_tables_create(c->ctx, c->options.poisson, &c->tables));
  CMB_TRY(cmb_graph_create(c->ctx, &g));
  const cmb_status status = compile(c, g);
  cmb_graph_destroy(g);
  return status;
}

/* Replaces zeros by the defaults, and checks all options. */
static cmb_status complete(cmb_context *ctx, cmb_creep_options *o)
{
  enum { MOST = 10000 }; /* elements of all strips: a program of 170,000 operations */
  if (o->young == 0) o->young = 2.1e11, o->poisson = o->poisson == 0 ? 0.28 : o->poisson;
  if (o->strips == 0) o->strips = 10;
  if (o->elements == 0) o->elements = 10;
  if (o->adhesion == 0) o->adhesion = 1;
  if (o->slip == 0) o->slip = 1;
  CMB_REQUIRE(ctx, o->law >= CMB_CREEP_FASTSIM && o->law <= CMB_CREEP_LINEAR,
              "there is no such creep law");
  CMB_REQUIRE(ctx, isfinite(o->young) && o->young > 0,
              "the modulus of elasticity must be positive");
  CMB_REQUIRE(ctx, o->poisson >= 0 && o->poisson <= 0.5,
              "Poisson's ratio has to be between 0 and 0.5");
  CMB_REQUIRE(ctx, o->strips > 0 && o->elements > 0 && o->elements <= MOST / o->strips,
              "the numbers of strips and elements have to be positive, and their product at most "
              "10000");
  CMB_REQUIRE(ctx, o->falling_to >= 0 && o->falling_to <= 1,
              "friction has to fall to a part between 0 and 1 of its value");
  CMB_REQUIRE(ctx, isfinite(o->falling_rate) && o->falling_rate >= 0,
              "the rate at which friction falls must not be negative");
  CMB_REQUIRE(
      ctx, o->slip > 0 && o->slip <= o->adhesion && o->adhesion <= 1,
      "the reduction factors of Polach's law have to be positive, that of slip at most that "
      "of adhesion, and this at most 1");
  return CMB_OK;
}

cmb_status cmb_creep_create(cmb_context *ctx, const cmb_creep_options *options, cmb_creep **creep)
{
  cmb_creep_options all = options ? *options : (cmb_creep_options){0};
  CMB_REQUIRE(ctx, creep, "a contact needs a place for the result");
  *creep = NULL;
  CMB_TRY(complete(ctx, &all));
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_creep *c = arena ? cmb_arena_take(arena, 1, sizeof *c) : NULL;
  if (!c) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *c = (cmb_creep){.ctx = ctx, .arena = arena, .options = all};
  const cmb_status status = make(c);
  if (status == CMB_OK) {
    *creep = c;
  } else {
    cmb_creep_destroy(c);
  }
  return status;
}

void cmb_creep_destroy(cmb_creep *c)
{
  if (!c) return;
  cmb_program_destroy(c->program);
  cmb_jacobian_destroy(c->jacobian);
  cmb_contact_tables_destroy(&c->tables);
  cmb_arena_destroy(c->arena);
}

static cmb_status check_state(const cmb_creep *c, const double x[CMB_CREEP_STATES])
{
  for (int i = 0; i < CMB_CREEP_STATES; i++) {
    CMB_REQUIRE(c->ctx, isfinite(x[i]), "the state of a contact has to be finite");
  }
  CMB_REQUIRE(c->ctx, x[0] > 0 && x[1] > 0,
              "the curvatures of a contact must be positive: the sum of those of wheel and rail");
  CMB_REQUIRE(c->ctx, x[2] >= 0 && x[7] >= 0, "load and friction must not be negative");
  return CMB_OK;
}

cmb_status cmb_creep_evaluate(cmb_creep *c, const cmb_creep_state *s, cmb_creep_forces *f,
                              double *derivatives)
{
  const double x[CMB_CREEP_STATES] = {s->curvature_x, s->curvature_y, s->load,  s->xi,
                                      s->eta,         s->phi,         s->speed, s->friction};
  double y[CMB_CREEP_FORCES];
  CMB_TRY(check_state(c, x));
  cmb_program_run(c->program, x, y, c->work);
  *f = (cmb_creep_forces){y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7]};
  for (int i = 0; i < CMB_CREEP_FORCES; i++) {
    if (isfinite(y[i])) continue;
    return cmb_fail(c->ctx, CMB_ERROR_NONFINITE,
                    "the forces of a contact are not finite at load %g, creepages %g and %g, and "
                    "spin %g",
                    s->load, s->xi, s->eta, s->phi);
  }
  if (!derivatives) return CMB_OK;
  const cmb_pattern *p = cmb_jacobian_pattern(c->jacobian);
  cmb_jacobian_run(c->jacobian, x, c->values, c->work);
  memset(derivatives, 0, CMB_CREEP_FORCES * CMB_CREEP_STATES * sizeof *derivatives);
  for (int i = 0; i < CMB_CREEP_FORCES; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      derivatives[i * CMB_CREEP_STATES + p->column[k]] = c->values[k];
    }
  }
  return CMB_OK;
}

int cmb_creep_operations(const cmb_creep *c, bool derivatives)
{
  return cmb_program_instructions(derivatives ? cmb_jacobian_program(c->jacobian) : c->program);
}
