/*
 * Finds a minimum by parabolic interpolation and golden sections (lowest.h).
 */
#include "math/lowest.h"

#include <math.h>
#include <stdbool.h>

static const double GOLDEN = 0.38196601125010515; /* (3 − √5) / 2 */

void cmb_lowest_begin(cmb_lowest *m, cmb_lowest_point a, cmb_lowest_point b, cmb_lowest_point c)
{
  *m = (cmb_lowest){.a = a, .b = b, .c = c};
}

double cmb_lowest_width(const cmb_lowest *m)
{
  return m->c.t - m->a.t;
}

/* Returns the next time at which to evaluate a function whose minimum is bracketed by a.t and c.t: the minimum of the parabola through the
 * squares of its values at a, b and c, but not too near b. Every third time, or if that minimum is outside the bracket, returns the golden-
 * section point of the longer side instead. */
double cmb_lowest_next(const cmb_lowest *m)
{
  const cmb_lowest_point *a = &m->a, *b = &m->b, *c = &m->c;
  const double at_a = a->value * a->value, at_b = b->value * b->value, at_c = c->value * c->value;
  const double left = (b->t - a->t) * (at_b - at_c), right = (b->t - c->t) * (at_b - at_a);
  const double x = b->t - ((b->t - a->t) * left - (b->t - c->t) * right) / (2 * (left - right));
  const double away = 1e-3 * (c->t - a->t), longer = c->t - b->t > b->t - a->t ? 1 : -1;
  const double side = longer > 0 ? c->t - b->t : b->t - a->t;
  const bool golden = m->updates % 3 == 2;
  if (golden || !(x > a->t && x < c->t)) return b->t + longer * GOLDEN * side;
  return fabs(x - b->t) < away ? b->t + longer * fmin(away, GOLDEN * side) : x;
}

void cmb_lowest_update(cmb_lowest *m, cmb_lowest_point x)
{
  const cmb_lowest_point higher = x.value < m->b.value ? m->b : x;
  if (x.value < m->b.value) m->b = x;
  *(higher.t > m->b.t ? &m->c : &m->a) = higher;
  m->updates++;
}
