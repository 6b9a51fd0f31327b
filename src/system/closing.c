/*
 * Closes loops in small steps (closing.h): a step changes the offset of the held equations and solves them by Newton's method, each
 * increment the smallest one in the metric of their mass matrix. The modes are updated with the state: where they change, the
 * iteration goes on with the new ones.
 *
 * A relaxation goes from q along w, the part of the difference h to the home position that the constraints permit,
 *
 *     M w + Gᵀ y = M h,   G w = 0,
 *
 * and is followed by the same iteration. It is a step of steepest descent for hᵀ M h on the closed positions: the fraction of w
 * that is taken must achieve at least half of the decrease that the slope predicts.
 */
#include "system/closing.h"

#include "dae/project.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 12, MOST_STEPS = 4000, SPAN = 200, MAX_RELAXATIONS = 200 };

static const double STRAIGHT = 0.05;   /* largest ratio of later increments to the first one */
static const double AT_ONCE = 0.1;     /* largest turn in radians, if one step is enough */
static const double TURN = 0.05;       /* largest turn in one of several steps */
static const double LEAST_STEP = 1e-9; /* of s: a dead centre or a singular position lies ahead */
static const double CONVERGED = 1e-9;  /* an increment after which the next one is rounding */
/* an increment too small for its straightness to be judged */
static const double SMALL = 1e-6;
static const double RIGHT_ANGLE = 1e-3; /* cosine of an angle that counts as a right one */
static const double LEAST_SHARE = 1e-3; /* smallest fraction of a relaxation: something blocks it */

/* The residual of a constraint, and the sine between dependent ones, that rounding may leave. */
static const cmb_closed ROUNDING = {1e-11, 1e-11};

void cmb_closing_take(cmb_closing *c, cmb_arena *arena, int ng)
{
  const cmb_equations *eq = &c->x->eq;
  c->r = cmb_arena_doubles(arena, ng);
  c->q_new = cmb_arena_doubles(arena, eq->nq);
  c->q_kept = cmb_arena_doubles(arena, eq->nq);
  c->to_home = cmb_arena_doubles(arena, eq->nv);
}

/* Path length of an iteration, in its first and its later increments: in coordinates [0], and in the metric of M [1]. */
struct path_length {
  double first[2], later[2];
};

/* Makes one Newton iteration for the position constraints g: subtracts from c->q_new the smallest change, in the metric of the mass matrix M,
 * that solves the linearised constraints. *size becomes the largest change of a coordinate. Adds the length of the change to *path, which has
 * one sum for the first iteration and one for all later ones. */
static cmb_status increment(cmb_closing *c, struct path_length *path, double *size)
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
  double *sum = path->first[0] < 0 ? path->first : path->later;
  if (sum == path->first) sum[0] = sum[1] = 0;
  sum[0] += *size;
  sum[1] += sqrt(length);
  for (int i = 0; i < eq->nq; i++) c->q_new[i] += ev->dq[i];
  if (eq->normalize) eq->normalize(eq->self, c->q_new);
  return CMB_OK;
}

/* Solves the position constraints g for c->q_new, in place, by Newton's method, and adds the lengths of the increments to *path. Returns
 * CMB_RETRY_NEWTON if the iteration does not converge, or if the increments after the first, unless that is tiny, are together longer than 5 %
 * of it: the solution may then be far from the start. */
static cmb_status solve(cmb_closing *c, struct path_length *path)
{
  for (int k = 0; k < ITERATIONS; k++) {
    double size;
    CMB_TRY(increment(c, path, &size));
    if (path->first[0] > SMALL * (1 + cmb_largest(c->ev->eq->nq, c->q_new)) &&
        (path->later[0] > STRAIGHT * path->first[0] ||
         path->later[1] > STRAIGHT * path->first[1])) {
      return CMB_RETRY_NEWTON;
    }
    if (size <= CONVERGED * (1 + cmb_largest(c->ev->eq->nq, c->q_new))) return CMB_OK;
  }
  return CMB_RETRY_NEWTON;
}

/* Returns whether no coordinate that is an angle differs by more than `turn` radians between q (nq) and c->q_new. */
static bool is_near(const cmb_closing *c, const double *q, double turn)
{
  for (int i = 0; i < c->ev->eq->nq; i++) {
    if (c->angle[i] && !(fabs(c->q_new[i] - q[i]) <= turn)) return false;
  }
  return true;
}

/* Refines the position c->q_new, in which the loops are closed, by further Newton iterations until the constraints are satisfied to rounding,
 * or an iteration reduces |g| by less than half. An iteration that enlarges |g| is undone. */
static cmb_status polish(cmb_closing *c)
{
  cmb_evaluator *ev = c->ev;
  const cmb_equations *eq = ev->eq;
  const cmb_terms want = {.g = ev->g};
  double size, before = INFINITY;
  for (int k = 0; k <= ITERATIONS; k++) {
    struct path_length path = {{-1, -1}, {0, 0}};
    CMB_TRY(cmb_evaluate(ev, c->t, c->q_new, NULL, &want));
    const double now = cmb_norm2(eq->ng, ev->g);
    if (cmb_constraints_exact(ev)) return CMB_OK;
    if (k == ITERATIONS || !(now < before / 2)) {
      if (now > before) memcpy(c->q_new, c->q_kept, (size_t)eq->nq * sizeof *c->q_new);
      return CMB_OK;
    }
    before = now;
    memcpy(c->q_kept, c->q_new, (size_t)eq->nq * sizeof *c->q_new);
    CMB_TRY(increment(c, &path, &size));
  }
  return CMB_OK;
}

bool cmb_closed_as_well(const cmb_closed *loops, const cmb_closed *others)
{
  const cmb_closed o = others ? *others : (cmb_closed){0, 0};
  return loops->off <= fmax(ROUNDING.off, 2 * o.off) &&
         loops->dropped <= fmax(ROUNDING.dropped, 2 * o.dropped);
}

/* Measures how accurately the loops are closed at the position last evaluated: the largest residual of a constraint relative to its reference
 * value, and the largest sine of an angle between constraint gradients that were treated as linearly dependent. */
static cmb_closed measure(const cmb_evaluator *ev)
{
  return (cmb_closed){cmb_constraints_off(ev), cmb_kkt_dropped(ev->kkt)};
}

/* Returns whether the constraints are satisfied at the path parameter s (0 to 1), about as accurately as at the beginning if the loops were
 * closed there. Always returns true at s < 1 if the loops were open at the beginning. */
static bool is_closed_enough(const cmb_closing *c, double s)
{
  if (s < 1 && !c->closed) return true;
  const cmb_closed now = measure(c->ev);
  return cmb_constraints_met(c->ev) && (!c->closed || cmb_closed_as_well(&now, &c->first));
}

/* Solves the position constraints with the residuals (1 − s) r for c->q_new, in place, and finds the modes (signs of the switching functions)
 * that belong to the solution. s is the parameter of the path from open to closed loops. Returns CMB_RETRY_NEWTON if the iteration does not
 * converge, if an angle differs by more than `turn` from that in q (nq), the position at the beginning of the step, or if the result is not
 * accurate enough. */
static cmb_status solve_in_modes(cmb_closing *c, double s, const double *q, double turn,
                                 struct path_length *path)
{
  const cmb_equations *eq = c->ev->eq;
  bool changed;
  CMB_TRY(cmb_guess_modes(c->ev, c->modes, c->t, q, c->v,
                          &changed)); /* a step that failed has left its modes */
  changed = true;
  for (int round = 0; changed; round++) {
    if (round >= cmb_mode_rounds(eq)) return CMB_RETRY_NEWTON;
    CMB_TRY(solve(c, path));
    if (!is_near(c, q, turn)) return CMB_RETRY_NEWTON;
    CMB_TRY(cmb_guess_modes(c->ev, c->modes, c->t, c->q_new, c->v, &changed));
  }
  cmb_terms want = {.g = c->ev->g};
  CMB_TRY(cmb_evaluate(c->ev, c->t, c->q_new, NULL, &want));
  return is_closed_enough(c, s) ? CMB_OK : CMB_RETRY_NEWTON;
}

/* Makes one continuation step in closing loops, in which the parameter s goes from 0 to 1: computes, from position q (nq), the position
 * c->q_new at which the constraint residuals are (1 − s) r, where r are those at the beginning. Returns CMB_RETRY_NEWTON if the step fails or
 * an angle would change by more than `turn`. */
static cmb_status step_to(cmb_closing *c, double s, const double *q, double turn)
{
  const cmb_equations *eq = c->ev->eq;
  struct path_length path = {{-1, -1}, {0, 0}};
  memcpy(c->q_new, q, (size_t)eq->nq * sizeof *q);
  for (int i = 0; i < eq->ng; i++) c->x->offset[i] = (1 - s) * c->r[i];
  return solve_in_modes(c, s, q, turn, &path);
}

/* ---- relaxation towards the home position */

/* Computes the displacement ev->dw (nv) from q (nq) towards the home position, the given one to which the result is to stay near, as far as the
 * constraints permit it: the projection of the difference of both positions onto the tangent space of the constraints. *whole becomes the
 * squared length of the difference, *part that of the projection, both in the metric of M. */
static cmb_status find_relaxation(cmb_closing *c, const double *q, double *whole, double *part)
{
  cmb_evaluator *ev = c->ev;
  const int nv = ev->eq->nv;
  double *M = cmb_mass_wanted(ev);
  cmb_terms want = {.M = M, .G = ev->G};
  *whole = cmb_held_difference(c->x, c->home_count, c->home, q, c->to_home);
  *part = 0;
  CMB_TRY(cmb_evaluate(ev, c->t, q, NULL, &want));
  CMB_TRY(cmb_factor(ev, M, ev->G, NULL));
  cmb_multiply_entries(nv, ev->M, c->to_home, ev->w);
  cmb_solve(ev, ev->w, NULL, ev->dw, NULL);
  for (int i = 0; i < nv; i++) *part += ev->M[i] * ev->dw[i] * ev->dw[i];
  return isfinite(*part) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* Returns the fraction of the displacement ev->dq (nq) towards the home position that one step takes: c->share, or less if an angle would
 * change by more than TURN. */
static double fraction_taken(const cmb_closing *c)
{
  double most = 0;
  for (int i = 0; i < c->ev->eq->nq; i++) {
    if (c->angle[i]) most = fmax(most, fabs(c->ev->dq[i]));
  }
  return most * c->share > TURN ? TURN / most : c->share;
}

/* Makes one step towards the home position: moves q (nq) along the projection of the difference to it onto the tangent space of the
 * constraints, by the fraction c->share, while the constraint residuals stay (1 − s) r. Doubles the fraction afterwards; if the squared
 * distance decreases by less than half of what its slope predicts, leaves q unchanged and halves the fraction. *on becomes false at the minimum
 * of the distance, or if the fraction is too small. */
static cmb_status relax_once(cmb_closing *c, double s, double *q, bool *on)
{
  cmb_evaluator *ev = c->ev;
  const cmb_equations *eq = ev->eq;
  double whole, part;
  *on = false;
  CMB_TRY(find_relaxation(c, q, &whole, &part));
  if (part <= RIGHT_ANGLE * RIGHT_ANGLE * whole) return CMB_OK;
  cmb_rates(ev, q, ev->dw, ev->dq);
  const double share = fraction_taken(c);
  struct path_length path = {{share * cmb_largest(eq->nq, ev->dq), share * sqrt(part)}, {0, 0}};
  for (int i = 0; i < eq->nq; i++) c->q_new[i] = q[i] + share * ev->dq[i];
  if (eq->normalize) eq->normalize(eq->self, c->q_new);
  cmb_status status = solve_in_modes(c, s, q, 2 * TURN, &path);
  if (status < 0) return status;
  const double left = cmb_held_difference(c->x, c->home_count, c->home, c->q_new, c->to_home);
  const bool good = status == CMB_OK && whole - left >= share * part;
  if (good) memcpy(q, c->q_new, (size_t)eq->nq * sizeof *q);
  c->share = good ? fmin(1, 2 * c->share) : share / 2;
  *on = c->share >= LEAST_SHARE;
  return CMB_OK;
}

/* Moves q (nq), in place, by at most `most` steps as near to the given home position as the constraints permit, while the constraint residuals
 * stay the fraction 1 − s of those at the beginning, r. Stops early at the minimum of the distance or if a step fails. */
static cmb_status relax_towards_home(cmb_closing *c, double s, double *q, int most)
{
  bool on = c->home_count > 0;
  c->share = fmax(c->share, LEAST_SHARE);
  for (int i = 0; on && i < most; i++) {
    cmb_status status = relax_once(c, s, q, &on);
    if (status != CMB_OK) return status < 0 ? status : CMB_OK;
  }
  return CMB_OK;
}

/* ---- the whole path */

/* Prepares closing the loops from q (nq): normalises Euler parameters in q, finds the modes (signs of the switching functions), stores the
 * residuals of all constraints at q in c->r (ng), and sets c->closed to whether those of the system, without held values, are satisfied. If
 * they are, measures in c->first how accurately. */
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

/* Moves the position q (nq), which satisfies the constraints, in place as near to the home position (the given one) as the constraints permit,
 * by at most MAX_RELAXATIONS steps, and copies it to c->q_new. Finds the modes (signs of the switching functions) and factors the KKT matrix
 * there. */
static cmb_status relax_fully(cmb_closing *c, double *q)
{
  bool changed;
  CMB_TRY(relax_towards_home(c, 1, q, MAX_RELAXATIONS));
  memcpy(c->q_new, q, (size_t)c->ev->eq->nq * sizeof *q);
  CMB_TRY(cmb_guess_modes(c->ev, c->modes, c->t, q, c->v, &changed));
  return cmb_factor_at(c->ev, c->t, q);
}

/* Finishes closing the loops at q (nq), in place: moves q near to the home position, the one to stay near, if there is one and closing took
 * more than one step. Then satisfies the constraints as exactly as possible, and measures in c->last how well they are satisfied. */
static cmb_status finish(cmb_closing *c, double *q)
{
  const cmb_terms want = {.g = c->ev->g};
  if (c->home_count > 0 && !c->at_once) CMB_TRY(relax_fully(c, q));
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
    if (steps % SPAN == 0) { /* stops if more than MOST_STEPS will be needed at this rate */
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
    if (s < 1) CMB_TRY(relax_towards_home(c, s, q, 1));
  }
  c->reached = s;
  if (s < 1) return CMB_OK;
  status = finish(c, q);
  return status < 0 ? status : CMB_OK;
}
