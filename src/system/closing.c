/*
 * Closing loops in small steps (closing.h): a step changes the offset of the held equations and solves them by Newton's
 * method, each increment the least one in the metric of their mass matrix. Modes follow the state: where they change, the
 * iteration goes on with the new ones.
 *
 * A slide goes from q along w, the part of the way h to home that the constraints permit,
 *
 *     M w + Gᵀ y = M h,   G w = 0,
 *
 * and is closed by the same iteration. It is steepest descent of hᵀ M h on the closed positions: the share of w that is taken brings at
 * least half of what the slope promises.
 */
#include "system/closing.h"

#include "dae/project.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 12, MOST_STEPS = 4000, SPAN = 200, MOST_SLIDES = 200 };

static const double STRAIGHT = 0.05;    /* later increments over the first */
static const double AT_ONCE = 0.1;      /* radians, if one step is all it takes */
static const double TURN = 0.05;        /* in one of several steps */
static const double LEAST_STEP = 1e-9;  /* of s; a dead centre or a singular position is ahead */
static const double CONVERGED = 1e-9;   /* an increment, after which the next one is rounding */
static const double SMALL = 1e-6;       /* an increment that does not bend */
static const double SQUARE = 1e-3;      /* the cosine of an angle that counts as a right one */
static const double LEAST_SHARE = 1e-3; /* of the way home: something is in the way */

/* What may be left of a constraint, and of the angle between dependent ones, by rounding. */
static const cmb_closed ROUNDING = {1e-11, 1e-11};

void cmb_closing_take(cmb_closing *c, cmb_arena *arena, int ng)
{
  const cmb_equations *eq = &c->x->eq;
  c->r = cmb_arena_doubles(arena, ng);
  c->q_new = cmb_arena_doubles(arena, eq->nq);
  c->q_kept = cmb_arena_doubles(arena, eq->nq);
  c->way = cmb_arena_doubles(arena, eq->nv);
}

/* How far an iteration has gone: increments in coordinates, and in the metric of M. */
struct way {
  double first[2], later[2];
};

/* One increment from q_new; *size is its largest entry. */
static cmb_status increment(cmb_closing *c, struct way *way, double *size)
{
  cmb_evaluator *ev = c->ev;
  const cmb_equations *eq = ev->eq;
  double *M = cmb_mass_wanted(ev), length = 0;
  cmb_terms want = {.M = M, .G = ev->G, .g = ev->g};
  CMB_TRY(cmb_evaluate(ev, c->t, c->q_new, NULL, &want));
  CMB_TRY(cmb_factor(ev, M, ev->G, NULL));
  cmb_correct(ev, ev->g, ev->dw, ev->dtau);
  cmb_rates(ev, c->q_new, ev->dw, ev->dq);
  for (int i = 0; i < eq->nv; i++) length += ev->M[i] * ev->dw[i] * ev->dw[i];
  *size = cmb_largest(eq->nq, ev->dq);
  if (!isfinite(*size)) return CMB_RETRY_NONFINITE;
  double *sum = way->first[0] < 0 ? way->first : way->later;
  if (sum == way->first) sum[0] = sum[1] = 0;
  sum[0] += *size;
  sum[1] += sqrt(length);
  for (int i = 0; i < eq->nq; i++) c->q_new[i] += ev->dq[i];
  if (eq->normalize) eq->normalize(eq->self, c->q_new);
  return CMB_OK;
}

/* Newton's method from q_new with the offsets at hand. CMB_RETRY_NEWTON if it does not converge on a nearly straight way. */
static cmb_status solve(cmb_closing *c, struct way *way)
{
  for (int k = 0; k < ITERATIONS; k++) {
    double size;
    CMB_TRY(increment(c, way, &size));
    if (way->first[0] > SMALL * (1 + cmb_largest(c->ev->eq->nq, c->q_new)) &&
        (way->later[0] > STRAIGHT * way->first[0] || way->later[1] > STRAIGHT * way->first[1])) {
      return CMB_RETRY_NEWTON;
    }
    if (size <= CONVERGED * (1 + cmb_largest(c->ev->eq->nq, c->q_new))) return CMB_OK;
  }
  return CMB_RETRY_NEWTON;
}

/* No joint is turned further than it may between q and q_new. */
static bool is_near(const cmb_closing *c, const double *q, double turn)
{
  for (int i = 0; i < c->ev->eq->nq; i++) {
    if (c->angle[i] && !(fabs(c->q_new[i] - q[i]) <= turn)) return false;
  }
  return true;
}

/* Near a position in which constraints lose rank increments shrink slowly: on, as long as g becomes smaller. */
static cmb_status polish(cmb_closing *c)
{
  cmb_evaluator *ev = c->ev;
  const cmb_equations *eq = ev->eq;
  const cmb_terms want = {.g = ev->g};
  double size, before = INFINITY;
  for (int k = 0; k <= ITERATIONS; k++) {
    struct way way = {{-1, -1}, {0, 0}};
    CMB_TRY(cmb_evaluate(ev, c->t, c->q_new, NULL, &want));
    const double now = cmb_norm2(eq->ng, ev->g);
    if (cmb_constraints_exact(ev)) return CMB_OK;
    if (k == ITERATIONS || !(now < before / 2)) {
      if (now > before) memcpy(c->q_new, c->q_kept, (size_t)eq->nq * sizeof *c->q_new);
      return CMB_OK;
    }
    before = now;
    memcpy(c->q_kept, c->q_new, (size_t)eq->nq * sizeof *c->q_new);
    CMB_TRY(increment(c, &way, &size));
  }
  return CMB_OK;
}

bool cmb_closed_as_well(const cmb_closed *loops, const cmb_closed *others)
{
  const cmb_closed o = others ? *others : (cmb_closed){0, 0};
  return loops->off <= fmax(ROUNDING.off, 2 * o.off) &&
         loops->dropped <= fmax(ROUNDING.dropped, 2 * o.dropped);
}

/* With g and the factors at hand. */
static cmb_closed measure(const cmb_evaluator *ev)
{
  return (cmb_closed){cmb_constraints_off(ev), cmb_kkt_dropped(ev->kkt)};
}

/* Whether g is what it may be at s. */
static bool is_good(const cmb_closing *c, double s)
{
  if (s < 1 && !c->closed) return true;
  const cmb_closed now = measure(c->ev);
  return cmb_constraints_met(c->ev) && (!c->closed || cmb_closed_as_well(&now, &c->first));
}

/* From q_new to the offsets of s, with the modes there; q is where the step began. Where constraints are dependent the iteration ends at
 * the least squares: at the end they must be met, and on the way if they were at the beginning. */
static cmb_status settle(cmb_closing *c, double s, const double *q, double turn, struct way *way)
{
  const cmb_equations *eq = c->ev->eq;
  bool changed;
  CMB_TRY(cmb_guess_modes(c->ev, c->modes, c->t, q, c->v,
                          &changed)); /* a step that failed has left its own */
  changed = true;
  for (int round = 0; changed; round++) {
    if (round >= cmb_mode_rounds(eq)) return CMB_RETRY_NEWTON;
    CMB_TRY(solve(c, way));
    if (!is_near(c, q, turn)) return CMB_RETRY_NEWTON;
    CMB_TRY(cmb_guess_modes(c->ev, c->modes, c->t, c->q_new, c->v, &changed));
  }
  cmb_terms want = {.g = c->ev->g};
  CMB_TRY(cmb_evaluate(c->ev, c->t, c->q_new, NULL, &want));
  return is_good(c, s) ? CMB_OK : CMB_RETRY_NEWTON;
}

/* From q to g = (1 − s) r, into q_new. */
static cmb_status step_to(cmb_closing *c, double s, const double *q, double turn)
{
  const cmb_equations *eq = c->ev->eq;
  struct way way = {{-1, -1}, {0, 0}};
  memcpy(c->q_new, q, (size_t)eq->nq * sizeof *q);
  for (int i = 0; i < eq->ng; i++) c->x->offset[i] = (1 - s) * c->r[i];
  return settle(c, s, q, turn, &way);
}

/* ---- slides */

/* ev->dw := w at q. `whole` and `part` are the squares of the lengths of h and w. */
static cmb_status find_slide(cmb_closing *c, const double *q, double *whole, double *part)
{
  cmb_evaluator *ev = c->ev;
  const int nv = ev->eq->nv;
  double *M = cmb_mass_wanted(ev);
  cmb_terms want = {.M = M, .G = ev->G};
  *whole = cmb_held_way(c->x, c->home_count, c->home, q, c->way);
  *part = 0;
  CMB_TRY(cmb_evaluate(ev, c->t, q, NULL, &want));
  CMB_TRY(cmb_factor(ev, M, ev->G, NULL));
  cmb_multiply_entries(nv, ev->M, c->way, ev->w);
  cmb_solve(ev, ev->w, NULL, ev->dw, NULL);
  for (int i = 0; i < nv; i++) *part += ev->M[i] * ev->dw[i] * ev->dw[i];
  return isfinite(*part) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* The share of ev->dq that turns no joint too far. */
static double share_taken(const cmb_closing *c)
{
  double most = 0;
  for (int i = 0; i < c->ev->eq->nq; i++) {
    if (c->angle[i]) most = fmax(most, fabs(c->ev->dq[i]));
  }
  return most * c->share > TURN ? TURN / most : c->share;
}

/* One slide from q with the offsets of s; the next one will take more of its way or less. False in *on: this is the nearest
 * position to home, or nothing leads there. */
static cmb_status slide(cmb_closing *c, double s, double *q, bool *on)
{
  cmb_evaluator *ev = c->ev;
  const cmb_equations *eq = ev->eq;
  double whole, part;
  *on = false;
  CMB_TRY(find_slide(c, q, &whole, &part));
  if (part <= SQUARE * SQUARE * whole) return CMB_OK;
  cmb_rates(ev, q, ev->dw, ev->dq);
  const double share = share_taken(c);
  struct way way = {{share * cmb_largest(eq->nq, ev->dq), share * sqrt(part)}, {0, 0}};
  for (int i = 0; i < eq->nq; i++) c->q_new[i] = q[i] + share * ev->dq[i];
  if (eq->normalize) eq->normalize(eq->self, c->q_new);
  cmb_status status = settle(c, s, q, 2 * TURN, &way);
  if (status < 0) return status;
  const double left = cmb_held_way(c->x, c->home_count, c->home, c->q_new, c->way);
  const bool good = status == CMB_OK && whole - left >= share * part;
  if (good) memcpy(q, c->q_new, (size_t)eq->nq * sizeof *q);
  c->share = good ? fmin(1, 2 * c->share) : share / 2;
  *on = c->share >= LEAST_SHARE;
  return CMB_OK;
}

/* Up to `most` slides. */
static cmb_status slide_home(cmb_closing *c, double s, double *q, int most)
{
  bool on = c->home_count > 0;
  c->share = fmax(c->share, LEAST_SHARE);
  for (int i = 0; on && i < most; i++) {
    cmb_status status = slide(c, s, q, &on);
    if (status != CMB_OK) return status < 0 ? status : CMB_OK;
  }
  return CMB_OK;
}

/* ---- the whole way */

/* g at q without offsets is the residual to be let go. */
static cmb_status begin(cmb_closing *c, double *q)
{
  cmb_evaluator *ev = c->ev;
  const cmb_equations *eq = ev->eq;
  bool changed;
  if (eq->normalize) eq->normalize(eq->self, q);
  memset(c->x->offset, 0, (size_t)eq->ng * sizeof *c->x->offset);
  for (int i = 0; i < eq->ns; i++) ev->mode[i] = 1;
  CMB_TRY(cmb_guess_modes(ev, c->modes, c->t, q, c->v, &changed));
  CMB_TRY(cmb_take_references(ev, c->t, q));
  cmb_terms want = {.g = ev->g};
  CMB_TRY(cmb_evaluate(ev, c->t, q, NULL, &want));
  memcpy(c->r, ev->g, (size_t)eq->ng * sizeof *c->r);
  memset(ev->g + c->x->inner->ng, 0, (size_t)(eq->ng - c->x->inner->ng) * sizeof *ev->g);
  c->closed = cmb_constraints_met(ev);
  if (!c->closed) return CMB_OK;
  CMB_TRY(cmb_factor_at(ev, c->t, q));
  c->first = measure(ev);
  return CMB_OK;
}

/* All slides that there are at s = 1; into q_new, with the modes and the factors there. */
static cmb_status slide_to_end(cmb_closing *c, double *q)
{
  bool changed;
  CMB_TRY(slide_home(c, 1, q, MOST_SLIDES));
  memcpy(c->q_new, q, (size_t)c->ev->eq->nq * sizeof *q);
  CMB_TRY(cmb_guess_modes(c->ev, c->modes, c->t, q, c->v, &changed));
  return cmb_factor_at(c->ev, c->t, q);
}

/* At s = 1: along the freedoms, and to rounding. */
static cmb_status finish(cmb_closing *c, double *q)
{
  const cmb_terms want = {.g = c->ev->g};
  if (c->home_count > 0 && !c->at_once) CMB_TRY(slide_to_end(c, q));
  cmb_status status = polish(c);
  if (status < 0) return status;
  if (status == CMB_OK) memcpy(q, c->q_new, (size_t)c->ev->eq->nq * sizeof *q);
  status = cmb_evaluate(c->ev, c->t, q, NULL, &want);
  c->last = measure(c->ev);
  return status;
}

cmb_status cmb_close_loops(cmb_closing *c, double *q)
{
  const size_t size = (size_t)c->ev->eq->nq * sizeof *q;
  double s = 0, ds = 1, before = -1;
  c->reached = 0;
  c->at_once = false;
  c->share = 1;
  c->last = (cmb_closed){INFINITY, INFINITY}; /* until it is measured */
  cmb_status status = begin(c, q);
  if (status != CMB_OK) return status < 0 ? status : CMB_OK;
  for (int steps = 0; s < 1 && ds >= LEAST_STEP; steps++) {
    if (steps % SPAN == 0) { /* at this rate more than MOST_STEPS will be needed */
      if ((s - before) * MOST_STEPS < SPAN) break;
      before = s;
    }
    status = step_to(c, s + ds, q, steps == 0 ? AT_ONCE : TURN);
    if (status < 0) return status;
    if (status != CMB_OK) {
      ds /= 2;
      continue;
    }
    memcpy(q, c->q_new, size);
    s += ds;
    c->at_once = steps == 0;
    ds = fmin(2 * ds, 1 - s);
    if (s < 1) CMB_TRY(slide_home(c, s, q, 1));
  }
  c->reached = s;
  if (s < 1) return CMB_OK;
  status = finish(c, q);
  return status < 0 ? status : CMB_OK;
}
