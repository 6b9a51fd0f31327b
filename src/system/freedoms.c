/*
 * Chooses independent coordinates of a mechanism, its freedoms, and moves the mechanism along them (cmb_freedoms in camber/system.h), as for the
 * sliders of a view. With the rows of N orthonormal in the metric of the held equations (tangent.h), column i of N times the root of its entry
 * of the metric is the share of the free motions in velocity i: its length is 1 if no constraint affects the velocity, and 0 if the constraints
 * hold it. Velocities are chosen one after the other; the length of the part of a column perpendicular to those chosen tells whether they
 * determine it.
 */
#include "system/closing.h"

#include "base/context.h"
#include "base/text.h"
#include "dae/project.h"
#include "math/dense.h"
#include "math/rotation.h"
#include "system/linearize.h"
#include "system/tangent.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Least length of the perpendicular part of a column, in this order: a coordinate that others nearly determine is a bad choice, but
 * better than none. */
static const double LEAST_LENGTHS[] = {0.05, 1e-3, 1e-6};

/* a later coordinate is preferred if its column is longer by this factor */
static const double PREFERENCE = 1.5;

enum { ONLY, COORDINATE, TURN, KINDS }; /* ONLY: the joint has no other coordinate */

/* A velocity that may be chosen. */
struct candidate {
  cmb_freedom freedom;
  int depth; /* of its joint in the tree of bodies: 0 on the ground */
  int kind;
  bool chosen;
};

struct cmb_freedoms {
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_freedoms_place at;
  double *q, *v, *v_rest; /* start values; zero velocities */
  cmb_held_equations *x;
  cmb_mode_search modes;
  cmb_closing closing;
  cmb_evaluator *plain; /* evaluator of the equations without held values */
  bool *turns, *angle;  /* (nv) velocities of angles, (nq) angles and Euler parameters */
  int candidate_count, count;
  struct candidate *candidates;
  cmb_freedom *list; /* (count) the chosen freedoms */
  cmb_held *held;    /* (count) value at which each is held */
  int driven;
  int output_count;
  int *output;               /* (output_count) outputs that depend on positions and time alone */
  double *observed, *others; /* (no + nh) outputs, and those with other velocities and forces */
  double *lambda;            /* (ng) zeros, except in find_outputs */
  double *a;                 /* (nv) zeros, except in find_outputs */
  double *deepest;           /* (rule_count) how far gaps may be closed: as far as at the start */
};

/* ---- candidates */

static int depth_of(const cmb_model *model, int body)
{
  cmb_body b;
  int depth = 0;
  for (; cmb_body_of(model, body, &b) && b.parent != CMB_NO_BODY; body = b.parent) depth++;
  return depth;
}

/* Returns the name of a rotation about axis 0, 1 or 2 of a ball joint, such as "body about x", made from the name of the joint's velocity, such
 * as "body.wx'". Returns NULL if memory runs out. */
static const char *name_of_turn(cmb_freedoms *f, const char *velocity, int axis)
{
  const char *dot = strrchr(velocity, '.');
  const int length = dot ? (int)(dot - velocity) : (int)strlen(velocity);
  const size_t room = strlen(velocity) + sizeof " about x";
  char *name = cmb_arena_take(f->arena, room, 1);
  if (name) snprintf(name, room, "%.*s about %c", length, velocity, "xyz"[axis]);
  return name;
}

static void add_candidate(cmb_freedoms *f, const cmb_joint *j, int i, int q, int v)
{
  const bool turn = j->nq > j->nv && i >= j->nv - 3;
  const int axis = turn ? i - (j->nv - 3) : -1;
  struct candidate *c = &f->candidates[f->candidate_count++];
  *c = (struct candidate){.depth = depth_of(f->at.model, j->child)};
  c->kind = turn ? TURN : j->nv > 1 ? COORDINATE : ONLY;
  c->freedom = (cmb_freedom){.q = turn ? q + j->nq - 4 : q + i, .v = v + i, .axis = axis};
  c->freedom.angle = f->turns[v + i];
  c->freedom.start = turn ? 0 : f->q[q + i];
  c->freedom.name =
      turn ? name_of_turn(f, f->at.eq->v_names[v + i], axis) : f->at.eq->q_names[q + i];
}

/* Lists in f->candidates the quantities among which the independent coordinates (degrees of freedom) are chosen: the coordinates of all joints,
 * and three rotations for each ball joint. Marks in f->angle (nq) the coordinates that are angles or Euler parameters, in f->turns (nv) the
 * angular velocities. */
static void list_candidates(cmb_freedoms *f)
{
  const cmb_equations *eq = f->at.eq;
  cmb_joint j;
  for (int i = 0; i < eq->nq; i++) f->angle[i] = strcmp(eq->q_units[i], "m") != 0;
  for (int i = 0; i < eq->nv; i++) f->turns[i] = strcmp(eq->v_units[i], "rad/s") == 0;
  for (int k = 0; cmb_joint_of(f->at.model, k, &j); k++) {
    const int q =
        j.nq > 0 ? cmb_find_name(j.q_names[0], eq->q_names, eq->nq, sizeof *eq->q_names) : -1;
    const int v =
        j.nv > 0 ? cmb_find_name(j.v_names[0], eq->v_names, eq->nv, sizeof *eq->v_names) : -1;
    for (int i = 0; q >= 0 && v >= 0 && i < j.nv; i++) add_candidate(f, &j, i, q, v);
  }
}

/* ---- choice */

/* The parts of the columns of N that are perpendicular to those chosen: (n x nv), changed in place. */
struct columns {
  int n, nv;
  double *N;
};

static double length_of(const struct columns *c, int i)
{
  double square = 0;
  for (int k = 0; k < c->n; k++) square += c->N[k * c->nv + i] * c->N[k * c->nv + i];
  return sqrt(square);
}

/* Orthogonalises all columns of the matrix c->N (n x nv) against column i, which must not be zero, and then sets column i to zero. */
static void project_out(const struct columns *c, int i)
{
  const double length = length_of(c, i);
  for (int m = 0; m < c->nv; m++) {
    double along = 0;
    if (m == i) continue;
    for (int k = 0; k < c->n; k++) along += c->N[k * c->nv + i] * c->N[k * c->nv + m];
    along /= length * length;
    for (int k = 0; k < c->n; k++) c->N[k * c->nv + m] -= along * c->N[k * c->nv + i];
  }
  for (int k = 0; k < c->n; k++) c->N[k * c->nv + i] = 0;
}

/* Returns the best candidate for the next independent coordinate: one, not chosen yet, whose column of the matrix c is long; an earlier one is
 * preferred unless the column of a later one is longer by the factor PREFERENCE. Considers only joints at the given depth in the tree of bodies
 * and one kind of coordinate (only coordinate of its joint, one of several, rotation). Returns NULL if no column is longer than `enough`. */
static struct candidate *longest_candidate(const cmb_freedoms *f, const struct columns *c,
                                           int depth, int kind, double enough)
{
  struct candidate *best = NULL;
  double most = enough;
  for (int i = 0; i < f->candidate_count; i++) {
    struct candidate *k = &f->candidates[i];
    if (k->chosen || k->depth != depth || k->kind != kind) continue;
    const double left = length_of(c, k->freedom.v);
    if (left <= (best ? PREFERENCE : 1) * most) continue;
    best = k;
    most = left;
  }
  return best;
}

static void choose(cmb_freedoms *f, const struct columns *c, int wanted)
{
  int deepest = 0, chosen = 0;
  for (int i = 0; i < f->candidate_count; i++) {
    if (f->candidates[i].depth > deepest) deepest = f->candidates[i].depth;
  }
  for (size_t pass = 0; pass < sizeof LEAST_LENGTHS / sizeof *LEAST_LENGTHS; pass++) {
    for (int group = 0; group < KINDS * (deepest + 1) && chosen < wanted;) {
      struct candidate *next =
          longest_candidate(f, c, group / KINDS, group % KINDS, LEAST_LENGTHS[pass]);
      if (!next) {
        group++;
        continue;
      }
      next->chosen = true;
      chosen++;
      project_out(c, next->freedom.v);
    }
  }
}

/* Lists the chosen independent coordinates (degrees of freedom) in f->list, in the order of the model; all candidates if `all` is set. */
static void list_chosen(cmb_freedoms *f, bool all)
{
  for (int i = 0; i < f->candidate_count; i++) {
    if (all || f->candidates[i].chosen) f->list[f->count++] = f->candidates[i].freedom;
  }
}

/* Sets the target value f->held[i] of the constraint that holds independent coordinate i of f->list to the start value of this coordinate: a
 * number, or four Euler parameters for a rotation. */
static void hold_at_start(const cmb_freedoms *f, int i)
{
  const cmb_freedom *d = &f->list[i];
  cmb_held *h = &f->held[i];
  *h = (cmb_held){.kind = d->axis < 0 ? CMB_HELD_COORDINATE : CMB_HELD_TURN, .q = d->q};
  h->v = d->axis < 0 ? d->v : d->v - d->axis;
  memcpy(h->value, f->q + d->q, (d->axis < 0 ? 1 : 4) * sizeof *h->value);
}

/* Creates a new evaluator for solving the constraints, f->closing.ev, in place of the present one. With `held` set, its equations have
 * additional constraints that hold all independent coordinates at their start values; otherwise none. */
static cmb_status open_evaluator(cmb_freedoms *f, bool held)
{
  cmb_evaluator_destroy(f->closing.ev);
  f->closing.ev = NULL;
  cmb_held_clear(f->x);
  for (int i = 0; held && i < f->count; i++) {
    hold_at_start(f, i);
    cmb_held_add_row(f->x, &f->held[i], f->list[i].axis < 0 ? 0 : f->list[i].axis);
  }
  CMB_TRY(cmb_evaluator_create(f->ctx, &f->x->eq, &f->closing.ev));
  f->closing.ev->p = f->at.p;
  return CMB_OK;
}

static cmb_status find_freedoms(cmb_freedoms *f)
{
  cmb_tangent tangent;
  const cmb_equations *eq = f->at.eq;
  CMB_TRY(open_evaluator(f, false));
  CMB_TRY(cmb_tangent_create(&tangent, f->arena, f->closing.ev));
  memcpy(f->closing.ev->mode, f->plain->mode, (size_t)eq->ns * sizeof *f->plain->mode);
  const cmb_status status = cmb_tangent_at(&tangent, f->at.t, f->q);
  if (status != CMB_OK) {
    return status < 0 ? status
                      : cmb_fail(f->ctx, CMB_ERROR_EQUATIONS,
                                 "the independent coordinates of '%s' cannot be determined: %s",
                                 eq->name, cmb_status_meaning(status));
  }
  for (int k = 0; k < tangent.n; k++) {
    for (int i = 0; i < eq->nv; i++) tangent.N[k * eq->nv + i] *= sqrt(f->x->metric[i]);
  }
  choose(f, &(struct columns){tangent.n, eq->nv, tangent.N}, tangent.n - eq->nz);
  list_chosen(f, false);
  return CMB_OK;
}

/* ---- outputs */

/* Evaluates the outputs of the model into `out`, at (t, q, v) with the accelerations f->a and multipliers f->lambda, in the modes (signs of the
 * switching functions) that belong to q at rest. */
static cmb_status observe(cmb_freedoms *f, double t, const double *q, const double *v, double *out)
{
  bool changed;
  CMB_TRY(cmb_guess_modes(f->plain, &f->modes, t, q, f->v_rest, &changed));
  return cmb_next_samples(f->plain, t, q, v, f->a, f->lambda, out);
}

/* Lists in f->output the outputs that, in the modes at rest, depend on positions and time alone and are finite at the start. To test this,
 * compares the outputs for two sets of velocities, accelerations and multipliers in these modes. Lists none if the outputs cannot be evaluated.
 * Overwrites the velocities f->v. */
static cmb_status find_outputs(cmb_freedoms *f)
{
  const cmb_equations *eq = f->at.eq;
  if (eq->no == 0) return CMB_OK;
  cmb_status status = observe(f, f->at.t, f->q, f->v_rest, f->observed);
  for (int i = 0; i < eq->nv; i++) f->v[i] += 0.37 + 0.011 * i, f->a[i] = 1.7 - 0.013 * i;
  for (int i = 0; i < eq->ng; i++) f->lambda[i] = 2.3 + 0.017 * i;
  if (status == CMB_OK) status = observe(f, f->at.t, f->q, f->v, f->others);
  for (int i = 0; status == CMB_OK && i < eq->no; i++) {
    if (isfinite(f->observed[i]) && f->observed[i] == f->others[i])
      f->output[f->output_count++] = i;
  }
  memset(f->a, 0, (size_t)eq->nv * sizeof *f->a);
  memset(f->lambda, 0, (size_t)eq->ng * sizeof *f->lambda);
  return status < 0 ? status : CMB_OK;
}

const int *cmb_freedoms_outputs(const cmb_freedoms *f, int *count)
{
  *count = f->output_count;
  return f->output;
}

cmb_status cmb_freedoms_observe(cmb_freedoms *f, double t, const double *q, double *values)
{
  if (f->output_count == 0) return CMB_OK;
  const cmb_status status = observe(f, t, q, f->v_rest, f->observed);
  for (int i = 0; i < f->output_count; i++) {
    values[i] = status == CMB_OK ? f->observed[f->output[i]] : NAN;
  }
  return status < 0 ? status : CMB_OK;
}

/* ---- memory */

static cmb_status take_memory(cmb_freedoms *f)
{
  const cmb_equations *eq = f->at.eq;
  const size_t most = (size_t)eq->nv + 1;
  f->q = cmb_arena_doubles(f->arena, eq->nq);
  f->v = cmb_arena_doubles(f->arena, eq->nv);
  f->v_rest = cmb_arena_doubles(f->arena, eq->nv);
  f->turns = cmb_arena_take(f->arena, most, sizeof *f->turns);
  f->angle = cmb_arena_take(f->arena, (size_t)eq->nq + 1, sizeof *f->angle);
  f->output = cmb_arena_ints(f->arena, eq->no);
  f->observed = cmb_arena_doubles(f->arena, cmb_observed(eq));
  f->others = cmb_arena_doubles(f->arena, cmb_observed(eq));
  f->lambda = cmb_arena_doubles(f->arena, eq->ng);
  f->a = cmb_arena_doubles(f->arena, eq->nv);
  f->deepest = cmb_arena_doubles(f->arena, eq->rule_count);
  f->candidates = cmb_arena_take(f->arena, most, sizeof *f->candidates);
  f->list = cmb_arena_take(f->arena, most, sizeof *f->list);
  f->held = cmb_arena_take(f->arena, most, sizeof *f->held);
  cmb_mode_search_create(&f->modes, f->arena, eq);
  if (cmb_arena_failed(f->arena)) return cmb_fail_memory(f->ctx);
  memcpy(f->q, f->at.q, (size_t)eq->nq * sizeof *f->q);
  memcpy(f->v, f->at.v, (size_t)eq->nv * sizeof *f->v);
  return CMB_OK;
}

/* Records in f->deepest, for each gap that is closed at the start, how deep its bodies penetrate there, with a margin CMB_TOUCHING, so that
 * later only deeper penetration counts as a newly closed gap. The entries of open gaps remain 0. */
static cmb_status note_closed_gaps(cmb_freedoms *f)
{
  const cmb_equations *eq = f->at.eq;
  if (!eq->surfaces) return CMB_OK;
  const cmb_status status = cmb_surfaces(f->plain, f->at.t, f->q, f->v_rest);
  for (int i = 0; status == CMB_OK && i < eq->rule_count; i++) {
    const double depth = f->plain->u[i];
    if (eq->rules[i].gap && !(-depth >= CMB_TOUCHING))
      f->deepest[i] = fmax(depth, 0) + CMB_TOUCHING;
  }
  return status;
}

static cmb_status begin(cmb_freedoms *f)
{
  const cmb_equations *eq = f->at.eq;
  bool changed;
  CMB_TRY(take_memory(f));
  list_candidates(f);
  if (cmb_arena_failed(f->arena)) return cmb_fail_memory(f->ctx);
  CMB_TRY(cmb_evaluator_create(f->ctx, eq, &f->plain));
  f->plain->p = f->at.p;
  for (int i = 0; i < eq->ns; i++) f->plain->mode[i] = 1;
  cmb_status status = cmb_guess_modes(f->plain, &f->modes, f->at.t, f->q, f->v_rest, &changed);
  if (status == CMB_OK) status = cmb_take_references(f->plain, f->at.t, f->q);
  if (status >= 0) status = find_outputs(f);
  if (status >= 0) status = note_closed_gaps(f);
  if (status < 0) return status;
  if (eq->ng == 0) {
    list_chosen(f, true);
    return CMB_OK;
  }
  const cmb_held_place place = {f->at.t, f->q, f->at.p, f->turns};
  CMB_TRY(cmb_held_create(f->ctx, f->arena, eq, eq->nv, &place, &f->x));
  f->closing = (cmb_closing){.x = f->x, .modes = &f->modes, .v = f->v_rest, .angle = f->angle};
  cmb_closing_take(&f->closing, f->arena, eq->ng + CMB_HELD_ROWS * eq->nv);
  return cmb_arena_failed(f->arena) ? cmb_fail_memory(f->ctx) : find_freedoms(f);
}

cmb_status cmb_freedoms_create(cmb_context *ctx, const cmb_freedoms_place *at, cmb_freedoms **out)
{
  CMB_REQUIRE(ctx, ctx && at && at->eq && at->model && at->q && at->v && out,
              "cmb_freedoms_create needs a context, equations, their model, q, v and a place");
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_freedoms *f = arena ? cmb_arena_take(arena, 1, sizeof *f) : NULL;
  *out = NULL;
  if (!f) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *f = (cmb_freedoms){.ctx = ctx, .arena = arena, .at = *at};
  const cmb_status status = begin(f);
  if (status == CMB_OK) {
    *out = f;
  } else {
    cmb_freedoms_destroy(f);
  }
  return status;
}

void cmb_freedoms_destroy(cmb_freedoms *f)
{
  if (!f) return;
  cmb_evaluator_destroy(f->plain);
  cmb_evaluator_destroy(f->closing.ev);
  cmb_arena_destroy(f->arena);
}

const cmb_freedom *cmb_freedoms_list(const cmb_freedoms *f, int *count)
{
  *count = f->count;
  return f->list;
}

/* ---- motion */

cmb_status cmb_freedoms_drive(cmb_freedoms *f, int k)
{
  CMB_REQUIRE(f->ctx, k >= CMB_FREEDOMS_LOOSE && k < f->count,
              "cmb_freedoms_drive: there is no such freedom");
  f->driven = k;
  return f->at.eq->ng > 0 ? open_evaluator(f, k != CMB_FREEDOMS_LOOSE) : CMB_OK;
}

/* Computes the value of independent coordinate d that differs by `change` from its value in q (nq), into `to`. Returns the number of entries: 1
 * for a number, 4 for a rotation, which is stored as Euler parameters. */
static int moved_value(const cmb_freedom *d, double change, const double *q, double to[4])
{
  if (d->axis < 0) {
    to[0] = q[d->q] + change;
    return 1;
  }
  double by[4] = {cos(change / 2), 0, 0, 0};
  by[1 + d->axis] = sin(change / 2);
  cmb_euler_product(q + d->q, by, to);
  return 4;
}

/* Sets the target value of the independent coordinate that is driven, f->held[f->driven], to its value in q (nq) plus `change`. If it is a
 * rotation of a ball joint, the joint's other rotations get the same target, since four Euler parameters describe the orientation as a whole. */
static void set_target(const cmb_freedoms *f, double change, const double *q)
{
  const cmb_freedom *d = &f->list[f->driven];
  double to[4];
  const size_t size = (size_t)moved_value(d, change, q, to) * sizeof *to;
  for (int i = 0; i < f->count; i++) {
    const bool same = d->axis >= 0 && f->list[i].axis >= 0 && f->list[i].q == d->q;
    if (same || i == f->driven) memcpy(f->held[i].value, to, size);
  }
}

cmb_status cmb_freedoms_move(cmb_freedoms *f, double change, double t, double *q, double *reached)
{
  *reached = 1;
  if (f->at.eq->ng == 0) { /* no constraints: nothing has to follow */
    double to[4];
    const cmb_freedom *d = f->driven >= 0 ? &f->list[f->driven] : NULL;
    if (d) memcpy(q + d->q, to, (size_t)moved_value(d, change, q, to) * sizeof *to);
    return CMB_OK;
  }
  if (f->driven >= 0) set_target(f, change, q);
  f->closing.t = t;
  const cmb_status status = cmb_close_loops(&f->closing, q);
  *reached = f->closing.reached;
  return status < 0 ? status : CMB_OK;
}

cmb_status cmb_freedoms_check(cmb_freedoms *f, double t, const double *q, bool *met)
{
  bool changed;
  const cmb_terms want = {.g = f->plain->g};
  cmb_status status = cmb_guess_modes(f->plain, &f->modes, t, q, f->v_rest, &changed);
  if (status == CMB_OK) status = cmb_evaluate(f->plain, t, q, NULL, &want);
  *met = status == CMB_OK && cmb_constraints_met(f->plain);
  return status < 0 ? status : CMB_OK;
}

cmb_status cmb_freedoms_closed_gap(cmb_freedoms *f, double t, const double *q, const char **name)
{
  const cmb_equations *eq = f->at.eq;
  *name = NULL;
  if (!eq->surfaces) return CMB_OK;
  const cmb_status status = cmb_surfaces(f->plain, t, q, f->v_rest);
  for (int i = 0; status == CMB_OK && i < eq->rule_count && !*name; i++) {
    if (eq->rules[i].gap && !(f->plain->u[i] <= f->deepest[i])) *name = eq->rules[i].name;
  }
  return status < 0 ? status : CMB_OK;
}
