/*
 * Equations that hold start values (held_equations.h). With e = p̄_given ∘ p and ṗ = ½ p ∘ (0, ω'), Euler parameters give
 *
 *     d/dt 2 vec e = e₀ ω' + vec e × ω'
 */
#include "system/held_equations.h"

#include "base/context.h"
#include "dae/evaluator.h"
#include "math/dense.h"
#include "math/pattern.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

static const int next[] = {1, 2, 0, 1};

/* Computes the rotation from the orientation stored in h to that in q (nq) as Euler parameters e = p̄_held ∘ p (∘: quaternion product, p̄:
 * conjugate), with the sign for which e[0] ≥ 0 (rotation by at most 180°). */
static void rotation_from_held(const cmb_held *h, const double *q, double e[4])
{
  const double *given = h->value;
  const double back[4] = {given[0], -given[1], -given[2], -given[3]};
  cmb_euler_product(back, q + h->q, e);
  for (int i = 0; e[0] < 0 && i < 4; i++) e[i] = i == 0 ? e[i] : -e[i];
  if (e[0] < 0) e[0] = -e[0];
}

/* Returns the residual at q (nq) of constraint r, which holds a coordinate at its start value: the deviation from that value. For a held
 * velocity the residual is 0. If `row` is not NULL, writes the non-zero entries of the gradient to it: one, or three for Euler parameters. */
static double held_row(const cmb_held_row *r, const double *q, double *row)
{
  const cmb_held *h = r->held;
  double e[4];
  if (h->kind != CMB_HELD_TURN) {
    if (row) row[0] = 1;
    return h->kind == CMB_HELD_RATE ? 0 : q[h->q] - h->value[0];
  }
  const int c = r->component;
  rotation_from_held(h, q, e);
  if (row) {
    row[c] = e[0];
    row[next[c]] = -e[1 + next[next[c]]];
    row[next[next[c]]] = e[1 + next[c]];
  }
  return 2 * e[1 + c];
}

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const cmb_held_equations *x = self;
  const int ng = x->inner->ng, nv = x->inner->nv;
  cmb_terms inner = *want;
  inner.M = NULL;
  if (want->M) memcpy(want->M, x->metric, (size_t)nv * sizeof *x->metric);
  CMB_TRY(x->inner->evaluate(x->inner->self, at, &inner));
  for (int i = 0; i < x->count; i++) {
    const cmb_held_row *r = &x->row[i];
    double row[CMB_HELD_ROWS], g = held_row(r, at->q, row);
    const int entries = r->held->kind == CMB_HELD_TURN ? 3 : 1;
    double *to = !want->G ? NULL : want->G + (x->start ? x->start[ng + i] : (ng + i) * nv);
    if (to && !x->start) memset(to, 0, (size_t)nv * sizeof *to);
    if (to) memcpy(to + (x->start ? 0 : r->held->v), row, (size_t)entries * sizeof *row);
    if (want->g) want->g[ng + i] = g;
    if (want->gt) want->gt[ng + i] = r->held->kind == CMB_HELD_RATE ? -r->held->value[0] : 0;
    if (want->gamma) want->gamma[ng + i] = 0;
  }
  for (int i = 0; want->g && i < ng + x->count; i++) want->g[i] -= x->offset[i];
  return CMB_OK;
}

static void rates(const void *self, const double *q, const double *v, double *qdot)
{
  const cmb_held_equations *x = self;
  x->inner->rates(x->inner->self, q, v, qdot);
}

static void normalize(const void *self, double *q)
{
  const cmb_held_equations *x = self;
  x->inner->normalize(x->inner->self, q);
}

static cmb_status switches(const void *self, const cmb_point *at, const double *lambda, double *s)
{
  const cmb_held_equations *x = self;
  return x->inner->switches(x->inner->self, at, lambda, s);
}

static cmb_status levels(const void *self, const cmb_point *at, const double *lambda, int *mode)
{
  const cmb_held_equations *x = self;
  return x->inner->levels(x->inner->self, at, lambda, mode);
}

static void take_memory(cmb_held_equations *x, cmb_arena *arena, int rows)
{
  const cmb_equations *inner = x->inner;
  const cmb_pattern *p = inner->G_pattern;
  const char **names = cmb_arena_take(arena, (size_t)inner->ng + (size_t)rows, sizeof *names);
  x->row = cmb_arena_take(arena, (size_t)rows, sizeof *x->row);
  x->offset = cmb_arena_doubles(arena, inner->ng + rows);
  x->metric = cmb_arena_doubles(arena, inner->nv);
  if (p) {
    x->start = cmb_arena_ints(arena, inner->ng + rows + 1);
    x->column = cmb_arena_ints(arena, p->start[inner->ng] + CMB_HELD_ROWS * rows);
  }
  for (int i = 0; names && i < inner->ng + rows; i++) {
    names[i] = i < inner->ng ? inner->g_names[i] : "held value";
  }
  x->eq.g_names = x->eq.lambda_names = names;
}

/* Computes the diagonal metric x->metric (nv) in which changes of start values are measured: 1 for angles and 1/L² for displacements. L is a
 * mean lever arm, the ratio of the root mean squares of the constraints' derivatives with respect to angles and to displacements at the given
 * position; L = 1 if one of them is 0. */
static cmb_status compute_metric(cmb_context *ctx, const cmb_held_equations *x,
                                 const cmb_held_place *at)
{
  const cmb_equations *inner = x->inner;
  const cmb_pattern *p = inner->G_pattern;
  double square[2] = {0, 0}, count[2] = {0, 0};
  cmb_evaluator *ev;
  CMB_TRY(cmb_evaluator_create(ctx, inner, &ev));
  const cmb_terms want = {.G = ev->G};
  ev->p = at->p;
  cmb_status status = cmb_evaluate(ev, at->t, at->q, NULL, &want);
  const int values = cmb_pattern_values(p, inner->ng, inner->nv);
  for (int k = 0; status == CMB_OK && k < values; k++) {
    const bool turn = at->turns[p ? p->column[k] : k % inner->nv];
    square[turn] += ev->G[k] * ev->G[k];
    count[turn] += ev->G[k] != 0;
  }
  cmb_evaluator_destroy(ev);
  double ratio = square[0] > 0 && square[1] > 0 ? square[0] / count[0] / (square[1] / count[1]) : 1;
  for (int i = 0; i < inner->nv; i++) x->metric[i] = at->turns[i] ? 1 : ratio;
  return status;
}

cmb_status cmb_held_create(cmb_context *ctx, cmb_arena *arena, const cmb_equations *inner, int most,
                           const cmb_held_place *at, cmb_held_equations **out)
{
  cmb_held_equations *x = *out = cmb_arena_take(arena, 1, sizeof *x);
  if (!x) return cmb_fail_memory(ctx);
  /* only what a start needs: terms, rates and modes */
  x->eq = (cmb_equations){.name = inner->name,
                          .nq = inner->nq,
                          .nv = inner->nv,
                          .nz = inner->nz,
                          .ns = inner->ns,
                          .q_names = inner->q_names,
                          .v_names = inner->v_names,
                          .q_sizes = inner->q_sizes,
                          .v_sizes = inner->v_sizes,
                          .switch_names = inner->switch_names,
                          .switch_is_level = inner->switch_is_level,
                          .mass_constant = true,
                          .mass_diagonal = true,
                          .self = x,
                          .scratch_size = inner->scratch_size,
                          .evaluate = evaluate,
                          .euler_parameters = inner->euler_parameters,
                          .rates = inner->rates ? rates : NULL,
                          .normalize = inner->normalize ? normalize : NULL,
                          .switches = inner->switches ? switches : NULL,
                          .levels = inner->levels ? levels : NULL};
  x->inner = inner;
  take_memory(x, arena, CMB_HELD_ROWS * most);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  if (x->start) {
    const cmb_pattern *p = inner->G_pattern;
    memcpy(x->start, p->start, ((size_t)inner->ng + 1) * sizeof *x->start);
    memcpy(x->column, p->column, (size_t)p->start[inner->ng] * sizeof *x->column);
  }
  cmb_held_clear(x);
  return compute_metric(ctx, x, at);
}

/* Updates the number of constraints and the sparsity pattern of their Jacobian in x->eq after constraints that hold start values
 * were added or removed. */
static void update_rows(cmb_held_equations *x)
{
  x->eq.ng = x->inner->ng + x->count;
  if (!x->start) return;
  x->pattern = (cmb_pattern){x->eq.ng, x->eq.nv, x->start, x->column};
  x->eq.G_pattern = &x->pattern;
}

void cmb_held_clear(cmb_held_equations *x)
{
  x->count = 0;
  memset(x->offset, 0, (size_t)x->inner->ng * sizeof *x->offset);
  update_rows(x);
}

void cmb_held_add_row(cmb_held_equations *x, const cmb_held *held, int component)
{
  const int i = x->inner->ng + x->count, entries = held->kind == CMB_HELD_TURN ? 3 : 1;
  x->row[x->count++] = (cmb_held_row){held, component};
  x->offset[i] = 0;
  if (x->start) {
    x->start[i + 1] = x->start[i];
    for (int n = 0; n < entries; n++) x->column[x->start[i + 1]++] = held->v + n;
  }
  update_rows(x);
}

void cmb_held_add(cmb_held_equations *x, const cmb_held *held)
{
  for (int c = 0; c < (held->kind == CMB_HELD_TURN ? 3 : 1); c++) cmb_held_add_row(x, held, c);
}

/* Computes the difference w from the value at q (nq) to a held value: one number, or for a rotation the rotation vector (3). Returns the number
 * of entries, 1 or 3. Not for held velocities. */
static int difference_to(const cmb_held *held, const double *q, double *w)
{
  const int entries = held->kind == CMB_HELD_TURN ? 3 : 1;
  for (int c = 0; c < entries; c++) {
    const cmb_held_row row = {held, c};
    w[c] = -held_row(&row, q, NULL);
  }
  if (entries == 1) return entries;
  const double sine = 0.5 * cmb_norm2(3, w);
  for (int c = 0; sine > 0 && c < 3; c++) w[c] *= asin(fmin(1, sine)) / sine;
  return entries;
}

double cmb_held_difference(const cmb_held_equations *x, int count, const cmb_held *home,
                           const double *q, double *w)
{
  double square = 0;
  memset(w, 0, (size_t)x->inner->nv * sizeof *w);
  for (int i = 0; i < count; i++) {
    const int v = home[i].v, entries = difference_to(&home[i], q, w + v);
    for (int c = v; c < v + entries; c++) square += x->metric[c] * w[c] * w[c];
  }
  return square;
}
