/*
 * The source of terms for a real-time step of a model (step_source.h): the model's own expressions are imported into the graph of the
 * step, with those of the point substituted for t, q and v.
 *
 * The applied forces are differentiated where the step begins; of those along a line perhaps only the stiff part (dyn/stiffness.c).
 * Gyroscopic and centrifugal forces are not: they are not stiff (Burgermeister, Arnold and Esterl 2006 §2), and a W-method needs no exact
 * matrix.
 */
#include "base/context.h"
#include "dae/code.h"
#include "expr/algebra.h"
#include "expr/graph.h"
#include "method/step_source.h"

#include <string.h>

static cmb_expr *expressions(cmb_step_source *s, int count)
{
  return cmb_arena_take(s->arena, (size_t)count, sizeof(cmb_expr));
}

/* ---- terms of the equations */

/* The inputs of the model that are replaced on import, and the expressions that replace them. */
struct replacement {
  int count;
  cmb_expr *input, *by;
};

/* Appends `count` inputs of the model, and the expressions by (count) that replace them, to the list r. If `by` is NULL, the inputs are
 * replaced by 0. */
static void replace(struct replacement *r, int count, const cmb_expr *input, const cmb_expr *by)
{
  for (int i = 0; i < count; i++) {
    r->input[r->count] = input[i];
    r->by[r->count++] = by ? by[i] : 0;
  }
}

/* Lists in r how the model's inputs are replaced when its expressions are copied to the graph of the step for the point `at`: t, q and v by the
 * expressions of the point (v only if it has velocities), λ and a by 0. */
static cmb_status replace_state(cmb_step_source *s, const cmb_step_point *at, struct replacement *r)
{
  const cmb_code *x = s->eq->code;
  const int most = 1 + x->nq + 2 * x->nv + x->ng + x->ns;
  *r = (struct replacement){0, expressions(s, most), expressions(s, most)};
  if (!r->input || !r->by) return cmb_fail_memory(s->ctx);
  replace(r, 1, &x->t, &at->t);
  replace(r, x->nq, x->q, at->q);
  if (at->v) replace(r, x->nv, x->v, at->v);
  replace(r, x->ng, x->lambda, NULL);
  replace(r, x->nv, x->a, NULL);
  return CMB_OK;
}

/* Lists in r how the model's inputs are replaced when its expressions are copied to the graph of the step for the point `at`: t, q and v by the
 * expressions of the point, λ and a by 0. The modes of friction that can stick are replaced by 0, too, with which friction exerts no force. */
static cmb_status replace_point(cmb_step_source *s, const cmb_step_point *at, struct replacement *r)
{
  CMB_TRY(replace_state(s, at, r));
  for (int i = 0; i < s->eq->code->ns; i++) {
    if (cmb_switch_sticks(s->eq, i)) replace(r, 1, &s->eq->code->mode[i], NULL);
  }
  return CMB_OK;
}

/* Copies `count` expressions `from` of the model's graph to the graph of the step, with the model's inputs replaced as listed in r, and stores
 * the copies in `to`. Does nothing if `to` is NULL. */
static cmb_status import(cmb_step_source *s, const struct replacement *r, int count,
                         const cmb_expr *from, cmb_expr *to)
{
  if (!to) return CMB_OK;
  return cmb_import(s->graph, s->eq->code->graph, r->count, r->input, r->by, count, from, to);
}

/* Copies the sparse matrix m of the model (rows x nv) to the expression graph of the time step, as a dense matrix `to`, with the model's inputs
 * replaced as listed in r. Does nothing if `to` is NULL. */
static cmb_status import_matrix(cmb_step_source *s, const struct replacement *r, int rows,
                                const cmb_entries *m, cmb_expr *to)
{
  if (!to) return CMB_OK;
  memset(to, 0, (size_t)rows * (size_t)s->nv * sizeof *to);
  cmb_expr *entry = expressions(s, 2 * m->count);
  if (!entry) return cmb_fail_memory(s->ctx);
  for (int k = 0; k < m->count; k++) entry[k] = m->entry[k].e;
  CMB_TRY(import(s, r, m->count, entry, entry + m->count));
  for (int k = 0; k < m->count; k++) {
    to[m->entry[k].row * s->nv + m->entry[k].column] = entry[m->count + k];
  }
  return CMB_OK;
}

static cmb_status terms(cmb_step_source *s, const cmb_step_point *at, const cmb_step_terms *want)
{
  const cmb_code *x = s->eq->code;
  struct replacement r;
  CMB_TRY(replace_point(s, at, &r));
  CMB_TRY(import_matrix(s, &r, s->nv, &x->M, want->M));
  CMB_TRY(import_matrix(s, &r, s->ng, &x->G, want->G));
  CMB_TRY(import(s, &r, s->nv, x->f, want->f));
  CMB_TRY(import(s, &r, s->ng, x->g, want->g));
  CMB_TRY(import(s, &r, s->ng, x->gamma, want->gamma));
  return import(s, &r, s->ng, x->gt, want->gt);
}

/* ---- rates of the coordinates */

/* Builds the expressions of the coordinate rates qdot := T(q) v (nq); T = I unless the model has Euler parameters or first-order states, whose
 * columns of T are 0. */
static cmb_status rates(cmb_step_source *s, const cmb_expr *q, const cmb_expr *v, cmb_expr *qdot)
{
  const cmb_code *x = s->eq->code;
  struct replacement r;
  if (!x->rates) {
    memcpy(qdot, v, (size_t)s->nv * sizeof *v);
    return CMB_OK;
  }
  CMB_TRY(replace_point(s, &(cmb_step_point){s->t, q, v}, &r));
  return import(s, &r, s->nq, x->rates, qdot);
}

/* Builds the expressions of normalised Euler parameters: divides each quadruple of Euler parameters in q (nq), which is overwritten, by
 * its length. */
static void normalize(cmb_step_source *s, cmb_expr *q)
{
  const cmb_code *x = s->eq->code;
  cmb_graph *g = s->graph;
  for (int i = 0; i < x->ball_count; i++) {
    cmb_expr *e = q + x->ball_q[i], sum = 0;
    for (int k = 0; k < 4; k++) sum = cmb_add(g, sum, cmb_square(g, e[k]));
    const cmb_expr scale = cmb_div(g, cmb_constant(g, 1), cmb_apply(g, CMB_OP_SQRT, sum, 0, 0));
    for (int k = 0; k < 4; k++) e[k] = cmb_mul(g, scale, e[k]);
  }
}

/* ---- derivatives of the applied forces */

/* Returns whether the stiff forces are differentiated separately: only the stiff part of their derivatives is wanted, and the model gives
 * it. */
static bool has_stiff(const cmb_step_source *s)
{
  return s->stiff_only && s->eq->code->stiff_row;
}

/* Builds the applied forces (nv) at the beginning of the step as expressions, *to. If `loose` is set, leaves out the stiff forces, whose
 * derivatives are built separately. */
static cmb_status take_forces(cmb_step_source *s, bool loose, cmb_expr **to)
{
  const cmb_code *x = s->eq->code;
  struct replacement r;
  cmb_expr *f = *to = expressions(s, s->nv);
  if (!f) return cmb_fail_memory(s->ctx);
  CMB_TRY(replace_point(s, &(cmb_step_point){s->t, s->q, s->v}, &r));
  return import(s, &r, s->nv, loose ? x->loose : x->forces ? x->forces : x->f, f);
}

/* Builds the data of the stiff forces in s->stiff, as expressions. Each force acts along a row vector (nv) and depends on one deflection and
 * its rate. First come the row vectors (count x nv), then the derivatives with respect to the deflections (count), then those with respect to
 * the rates (count). */
static cmb_status take_stiff(cmb_step_source *s)
{
  const cmb_code *x = s->eq->code;
  const int count = x->stiff_count * (s->nv + 2);
  struct replacement r;
  s->stiff = expressions(s, count);
  if (!s->stiff) return cmb_fail_memory(s->ctx);
  CMB_TRY(replace_point(s, &(cmb_step_point){s->t, s->q, s->v}, &r));
  return import(s, &r, count, x->stiff_row, s->stiff);
}

/* Adds Σ_k c_k row_k row_kᵀ to the expressions `out` (nv x nv), a stiffness or damping matrix: row_k (nv, in s->stiff) is the direction of
 * stiff force k, c_k its derivative with respect to its deflection or the rate of it. */
static void add_stiff(cmb_step_source *s, const cmb_expr *c, cmb_expr *out)
{
  cmb_graph *g = s->graph;
  const int nv = s->nv, count = s->eq->code->stiff_count;
  for (int k = 0; k < count; k++) {
    const cmb_expr *row = s->stiff + (size_t)k * (size_t)nv;
    for (int i = 0; i < nv; i++) {
      const cmb_expr part = cmb_mul(g, c[k], row[i]);
      for (int j = 0; j <= i && part != 0; j++) {
        const cmb_expr product = cmb_mul(g, part, row[j]);
        out[i * nv + j] = cmb_add(g, out[i * nv + j], product);
        if (j < i) out[j * nv + i] = cmb_add(g, out[j * nv + i], product);
      }
    }
  }
}

/* Adds Σ_k row_k c_k (row_k · direction) to the expressions `result` (nv): the change of the stiff forces by a motion q̇ = v = `direction`
 * (nv). row_k is the direction of force k, c_k its derivative with respect to its deflection. */
static void add_stiff_along(cmb_step_source *s, const cmb_expr *direction, cmb_expr *result)
{
  cmb_graph *g = s->graph;
  const int nv = s->nv, count = s->eq->code->stiff_count;
  const cmb_expr *by_x = s->stiff + (size_t)count * (size_t)nv;
  for (int k = 0; k < count; k++) {
    const cmb_expr *row = s->stiff + (size_t)k * (size_t)nv;
    cmb_expr change = 0;
    for (int i = 0; i < nv; i++) change = cmb_add(g, change, cmb_mul(g, row[i], direction[i]));
    change = cmb_mul(g, by_x[k], change);
    for (int i = 0; i < nv; i++) result[i] = cmb_add(g, result[i], cmb_mul(g, change, row[i]));
  }
}

/* Builds in `result` (nv) the derivative of the applied forces in a direction (nq) of the coordinates. If q̇ = T(q) v with T ≠ I, all forces
 * are differentiated; otherwise the stiff forces contribute by their stored derivatives. */
static cmb_status along(cmb_step_source *s, const cmb_expr *direction, cmb_expr *result)
{
  const bool stiff = has_stiff(s) && !s->eq->rates;
  if (has_stiff(s) && !stiff && !s->force_q) CMB_TRY(take_forces(s, false, &s->force_q));
  const cmb_expr *f = has_stiff(s) && !stiff ? s->force_q : s->force_v;
  CMB_TRY(cmb_forward(s->graph, s->nq, s->q, direction, s->nv, f, result));
  if (stiff) add_stiff_along(s, direction, result);
  return cmb_graph_status(s->graph);
}

/* Differentiates the forces s->force_v (nv) column by column: builds ∂f/∂q T in by_q and ∂f/∂v in by_v (nv x nv each; NULL: not wanted), with
 * q̇ = T v. */
static cmb_status differentiate(cmb_step_source *s, cmb_expr *by_q, cmb_expr *by_v)
{
  const int nv = s->nv;
  cmb_expr *unit = expressions(s, nv), *direction = expressions(s, s->nq);
  cmb_expr *column = expressions(s, nv);
  if (!unit || !direction || !column) return cmb_fail_memory(s->ctx);
  for (int j = 0; j < nv; j++) {
    memset(unit, 0, (size_t)nv * sizeof *unit);
    unit[j] = cmb_constant(s->graph, 1);
    if (by_q) {
      CMB_TRY(rates(s, s->q, unit, direction));
      CMB_TRY(cmb_forward(s->graph, s->nq, s->q, direction, nv, s->force_v, column));
      for (int i = 0; i < nv; i++) by_q[i * nv + j] = column[i];
    }
    if (by_v) {
      CMB_TRY(cmb_forward(s->graph, nv, s->v, unit, nv, s->force_v, column));
      for (int i = 0; i < nv; i++) by_v[i * nv + j] = column[i];
    }
  }
  return CMB_OK;
}

/* Builds the derivatives of the applied forces at the beginning of the step: ∂f/∂q T in by_q and ∂f/∂v in by_v (nv x nv each; NULL: not
 * wanted), with q̇ = T v. Stiff forces may contribute by their directions and stiffnesses; all others are differentiated. */
static cmb_status forces(cmb_step_source *s, cmb_expr *by_q, cmb_expr *by_v)
{
  const int count = s->eq->code->stiff_count;
  CMB_TRY(take_forces(s, has_stiff(s), &s->force_v));
  CMB_TRY(differentiate(s, by_q, by_v));
  if (!has_stiff(s)) return CMB_OK;
  CMB_TRY(take_stiff(s));
  const cmb_expr *by_x = s->stiff + (size_t)count * (size_t)s->nv;
  if (by_q) add_stiff(s, by_x, by_q);
  if (by_v) add_stiff(s, by_x + count, by_v);
  return cmb_graph_status(s->graph);
}

/* ---- friction that can stick */

/* Returns an error with the message that real-time steps cannot treat the sticking friction with switching function number `function`; `why` is
 * the clause with the reason. */
static cmb_status refuse(cmb_step_source *s, int function, const char *why)
{
  const char *name = s->eq->switch_names[function];
  return cmb_fail_about(s->ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("switching function", name),
                        "'%s' is friction that sticks, %s, which steps of fixed cost do not cover; "
                        "expected a method that locates events, or friction with 'law: smooth'",
                        name, why);
}

/* The modes of friction elements that can stick, which are inputs of the step. */
struct friction_modes {
  int count;
  cmb_expr *mode, *value, *one; /* (count) inputs, the values that replace them, and ones */
};

static cmb_status create_friction_modes(cmb_step_source *s, int count, const int *which,
                                        struct friction_modes *m)
{
  *m = (struct friction_modes){count, expressions(s, count), expressions(s, count),
                               expressions(s, count)};
  if (!m->mode || !m->value || !m->one) return cmb_fail_memory(s->ctx);
  for (int k = 0; k < count; k++) {
    m->mode[k] = s->input[s->layout.first[CMB_BLOCK_MODE] + which[k]];
    m->one[k] = cmb_constant(s->graph, 1);
  }
  return CMB_OK;
}

/* Builds in `column` (nv) the derivative of the forces f (nv) with respect to the mode m_k of friction element k, at m_k = `value` with all
 * other modes 0. Modes are discrete (slip forwards, slip backwards, stick) but are differentiated like real numbers. Sets *linear to false if
 * the derivative still depends on a mode. */
static cmb_status take_column(cmb_step_source *s, struct friction_modes *m, int k, double value,
                              const cmb_expr *f, cmb_expr *column, bool *linear)
{
  const int nv = s->nv;
  cmb_expr *change = expressions(s, nv);
  if (!change) return cmb_fail_memory(s->ctx);
  CMB_TRY(cmb_forward(s->graph, 1, &m->mode[k], m->one, nv, f, column));
  CMB_TRY(cmb_forward(s->graph, m->count, m->mode, m->one, nv, column, change));
  m->value[k] = cmb_constant(s->graph, value);
  CMB_TRY(cmb_substitute(s->graph, m->count, m->mode, m->value, nv, column, column));
  CMB_TRY(cmb_substitute(s->graph, m->count, m->mode, m->value, nv, change, change));
  m->value[k] = 0;
  for (int i = 0; i < nv; i++) *linear = *linear && change[i] == 0;
  return CMB_OK;
}

/* Builds the friction forces at the beginning of the step for the `count` friction elements with the switching functions which[count]. Row k of
 * slip (count x nv) is the force of element k while it slides with positive velocity, row k of hold (count x nv) its largest force while it
 * sticks. Returns an error if the forces are not linear in the modes. */
static cmb_status friction(cmb_step_source *s, int count, const int *which, cmb_expr *slip,
                           cmb_expr *hold)
{
  const cmb_code *x = s->eq->code;
  const int nv = s->nv;
  struct replacement r;
  struct friction_modes m;
  cmb_expr *f = expressions(s, nv);
  if (!f) return cmb_fail_memory(s->ctx);
  CMB_TRY(create_friction_modes(s, count, which, &m));
  CMB_TRY(replace_state(s, &(cmb_step_point){s->t, s->q, s->v}, &r));
  CMB_TRY(import(s, &r, nv, x->f, f));
  for (int k = 0; k < count; k++) {
    cmb_expr *held = hold + (ptrdiff_t)k * nv;
    bool linear = true;
    CMB_TRY(take_column(s, &m, k, 1, f, slip + (ptrdiff_t)k * nv, &linear));
    CMB_TRY(take_column(s, &m, k, CMB_MODE_HELD - 0.5, f, held, &linear));
    /* the derivative is negated, since the mode is 3 − φ */
    for (int i = 0; i < nv; i++) held[i] = cmb_neg(s->graph, held[i]);
    if (!linear)
      return refuse(s, which[k], "with forces that are not linear in the force of friction");
  }
  return cmb_graph_status(s->graph);
}

/* Lists in r how those inputs of the step's graph that are named after the model's t, q, v, λ and a are replaced at a point: t, q and v by the
 * expressions of the point, λ and a by 0. */
static cmb_status replace_named_state(cmb_step_source *s, const cmb_step_point *at,
                                      struct replacement *r)
{
  const cmb_code *x = s->eq->code;
  CMB_TRY(replace_state(s, at, r));
  for (int i = 0; i < r->count; i++) {
    r->input[i] = cmb_input(s->graph, cmb_expr_name(x->graph, r->input[i]));
  }
  return cmb_graph_status(s->graph);
}

/* Builds the sliding velocities w (count) of the friction elements with the switching functions which[count] at a point, and their gradients S
 * (count x nv) with respect to the velocities. Returns an error if a sliding velocity is not linear in the velocities. */
static cmb_status sliding(cmb_step_source *s, const cmb_step_point *at, int count, const int *which,
                          cmb_expr *w, cmb_expr *S)
{
  const cmb_code *x = s->eq->code;
  const cmb_expr one = cmb_constant(s->graph, 1);
  const struct replacement none = {0};
  struct replacement r;
  cmb_expr *v = expressions(s, s->nv), *margin = expressions(s, count);
  bool *bent = cmb_arena_take(s->arena, (size_t)s->nv, sizeof *bent);
  if (!v || !margin || !bent) return cmb_fail_memory(s->ctx);
  CMB_TRY(replace_named_state(s, at, &r));
  for (int i = 0; i < s->nv; i++) v[i] = cmb_input(s->graph, cmb_expr_name(x->graph, x->v[i]));
  for (int k = 0; k < count; k++) {
    cmb_expr *row = S + (ptrdiff_t)k * s->nv;
    bool linear = true;
    CMB_TRY(import(s, &none, 1, &x->margin[which[k]], &margin[k]));
    for (int i = 0; i < s->nv; i++) {
      CMB_TRY(cmb_forward(s->graph, 1, &v[i], &one, 1, &margin[k], &row[i]));
    }
    CMB_TRY(cmb_depends(s->graph, s->nv, v, s->nv, row, bent));
    for (int i = 0; i < s->nv; i++) linear = linear && !bent[i];
    if (!linear) return refuse(s, which[k], "of a rate that is not linear in velocities");
  }
  CMB_TRY(cmb_substitute(s->graph, r.count, r.input, r.by, count * s->nv, S, S));
  return cmb_substitute(s->graph, r.count, r.input, r.by, count, margin, w);
}

cmb_status cmb_step_graph(cmb_step_source *s)
{
  if (s->eq->switch_sticks) s->friction = friction, s->sliding = sliding;
  s->terms = terms;
  s->forces = forces;
  s->along = along;
  s->rates = rates;
  s->normalize = normalize;
  return CMB_OK;
}
