/*
 * Quantities of a wheelset over its lateral displacement: jumps of contact points, and the equivalent conicity (camber/rail.h). Called by the
 * program.
 *
 * A wheelset that rolls without slip on a straight track follows the kinematic wave y'' = −Δr(y)/(2b r), where 2b is the distance between
 * its contact points, r its rolling radius and ' a derivative with respect to the distance travelled. For cones with the slope tan γ it is
 * Δr = 2 tan γ y. Harmonic linearisation replaces Δr(y) by the line 2 tan γ_e y that has the same first Fourier coefficient for the motion
 * y = A sin φ:
 *
 *     tan γ_e = 1/(2 π A) ∫ Δr(A sin φ) sin φ dφ   over φ from 0 to 2 π.
 *
 * Δr jumps where a contact point does. First the jumps are located, then Δr is approximated between them by polynomials of degree 5 on
 * intervals that are halved until they agree with Δr. Since y takes each value twice, φ from −π/2 to π/2 gives half of the integral.
 */
#include "base/context.h"
#include "math/root.h"
#include "rail/contact_geometry.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
/* m: greatest distance of displacements that are compared; least jump on the wheel, where less is movement; widths of the interval that remains
 * around a jump, and in which several smaller jumps count as one */
static const double GRID = 1e-4, LEAST_JUMP = 1e-3, SAME_PLACE = 1e-10, FAST = 1e-7;
static const double ONE_JUMP =
    0.9; /* part of the movement that a single jump has in its half of an interval */
/* m: tolerance of Δr between the nodes of a polynomial; length of an interval that is not halved any more */
static const double TOLERANCE = 1e-8, SHORTEST = 5e-6;
/* rad: longest interval for Gauss's rule, which is then exact to rounding */
static const double LONGEST_PHASE = 0.4;
/* m: largest distance of the centre of a wave from the displacement with Δr = 0; that of this displacement from 0, and the steps in its search */
static const double MOST_CENTRE = 2e-3, FARTHEST = 10e-3, BALANCE_STEP = 5e-4;

enum { MOST_JUMPS = 64, NODES = 6, MOST_PIECES = 1024 };

/* ---- jumps */

/* The search for jumps. */
struct jumps {
  cmb_contact_geometry *g;
  double yaw, yaw_rate;
  int room, count;
  cmb_contact_jump *jump;
};

/* Finds the contact at a displacement. */
static cmb_status contact_at(const struct jumps *j, double y, cmb_wheelset_contact *c)
{
  return cmb_contact_find(j->g, y, j->yaw + j->yaw_rate * y, c);
}

/* Returns how far the contact point of a side moves on the wheel between two displacements. */
static double movement(const cmb_wheelset_contact *a, const cmb_wheelset_contact *b, int side)
{
  return fabs(b->at[side].wheel_u - a->at[side].wheel_u);
}

/* Follows the movement of a contact point between the displacements a->y and b->y into the half in which more of it happens, until the interval
 * is as narrow as SAME_PLACE, or as FAST and neither half has nearly all of the movement. Sets *found if what is left is a jump. */
static cmb_status narrow(const struct jumps *j, int side, cmb_wheelset_contact *a,
                         cmb_wheelset_contact *b, bool *found)
{
  while ((*found = movement(a, b, side) > LEAST_JUMP) && b->y - a->y > SAME_PLACE) {
    cmb_wheelset_contact m;
    CMB_TRY(contact_at(j, (a->y + b->y) / 2, &m));
    const double before = movement(a, &m, side), after = movement(&m, b, side);
    if (b->y - a->y <= FAST && fmax(before, after) < ONE_JUMP * movement(a, b, side)) return CMB_OK;
    if (before > after) {
      *b = m;
    } else {
      *a = m;
    }
  }
  return CMB_OK;
}

/* Enters the jumps of both sides between two neighbouring displacements. */
static cmb_status examine(struct jumps *j, const cmb_wheelset_contact *a,
                          const cmb_wheelset_contact *b)
{
  const int first = j->count;
  for (int side = 0; side < CMB_RAIL_SIDES; side++) {
    cmb_contact_jump found = {.side = (cmb_rail_side)side, .before = *a, .after = *b};
    bool jumps;
    CMB_TRY(narrow(j, side, &found.before, &found.after, &jumps));
    if (!jumps) continue;
    int at = j->count++;
    if (at >= j->room) continue;
    for (; at > first && j->jump[at - 1].before.y > found.before.y; at--)
      j->jump[at] = j->jump[at - 1];
    j->jump[at] = found;
  }
  return CMB_OK;
}

cmb_status cmb_contact_jumps(cmb_contact_geometry *g, double from, double to, double yaw,
                             double yaw_rate, int room, cmb_contact_jump *jump, int *count)
{
  struct jumps j = {.g = g, .yaw = yaw, .yaw_rate = yaw_rate, .room = room, .jump = jump};
  cmb_wheelset_contact a, b;
  const int n = 1 + (int)((to - from) / GRID);
  CMB_TRY(contact_at(&j, from, &a));
  for (int i = 1; i <= n; i++) {
    CMB_TRY(contact_at(&j, from + (to - from) * i / n, &b));
    CMB_TRY(examine(&j, &a, &b));
    a = b;
  }
  *count = j.count;
  return CMB_OK;
}

/* ---- rolling radius difference */

/* Δr over an interval of y without jumps: a polynomial. */
struct piece {
  double from, to;
  double dr[NODES]; /* at the nodes */
};

/* Δr over y. */
struct difference {
  cmb_contact_geometry *g;
  int count;
  struct piece *piece; /* (MOST_PIECES) ascending */
};

/* Returns node i of the polynomials on the interval from −1 to 1: Chebyshev points with both ends. */
static double node(int i)
{
  return -cos(PI * i / (NODES - 1));
}

/* Evaluates the polynomial of a piece at y by the barycentric formula. */
static double evaluate(const struct piece *p, double y)
{
  const double x = (2 * y - p->from - p->to) / (p->to - p->from);
  double above = 0, below = 0;
  for (int i = 0; i < NODES; i++) {
    const double distance = x - node(i);
    if (distance == 0) return p->dr[i];
    const double part = (i % 2 ? -1 : 1) * (i == 0 || i == NODES - 1 ? 0.5 : 1) / distance;
    above += part * p->dr[i];
    below += part;
  }
  return above / below;
}

/* Returns Δr of a contact. */
static double difference_of(const cmb_wheelset_contact *c)
{
  return c->at[CMB_RAIL_LEFT].radius - c->at[CMB_RAIL_RIGHT].radius;
}

/* Computes Δr at y. */
static cmb_status radius_difference(cmb_contact_geometry *g, double y, double *dr)
{
  cmb_wheelset_contact c;
  CMB_TRY(cmb_contact_find(g, y, 0, &c));
  *dr = difference_of(&c);
  return CMB_OK;
}

/* Appends pieces for an interval without jumps, halved until the polynomials agree with Δr between their nodes or are short. */
static cmb_status add_pieces(struct difference *d, double from, double to)
{
  struct piece p = {.from = from, .to = to};
  const double middle = (from + to) / 2, half = (to - from) / 2;
  bool good = true;
  for (int i = 0; i < NODES; i++) {
    CMB_TRY(radius_difference(d->g, middle + half * node(i), &p.dr[i]));
  }
  for (int i = 0; i + 1 < NODES && good; i++) {
    double dr;
    const double y = middle + half * (node(i) + node(i + 1)) / 2;
    CMB_TRY(radius_difference(d->g, y, &dr));
    good = fabs(evaluate(&p, y) - dr) <= TOLERANCE;
  }
  if (!good && to - from > SHORTEST && d->count < MOST_PIECES / 2) {
    CMB_TRY(add_pieces(d, from, middle));
    return add_pieces(d, middle, to);
  }
  if (d->count < MOST_PIECES) d->piece[d->count++] = p;
  return CMB_OK;
}

/* Appends a linear piece across a jump, which has a width. */
static void add_jump(struct difference *d, const cmb_contact_jump *jump)
{
  struct piece *p = &d->piece[d->count];
  if (d->count == MOST_PIECES || !(jump->after.y > jump->before.y)) return;
  p->from = jump->before.y;
  p->to = jump->after.y;
  for (int i = 0; i < NODES; i++) {
    const double part = (1 + node(i)) / 2;
    p->dr[i] = (1 - part) * difference_of(&jump->before) + part * difference_of(&jump->after);
  }
  d->count++;
}

/* Approximates Δr from y = `from` to `to`. Of the jumps only the first MOST_JUMPS are taken into account as such. */
static cmb_status approximate(struct difference *d, double from, double to)
{
  cmb_contact_jump jump[MOST_JUMPS];
  int count;
  CMB_TRY(cmb_contact_jumps(d->g, from, to, 0, 0, MOST_JUMPS, jump, &count));
  if (count > MOST_JUMPS) count = MOST_JUMPS;
  for (int i = 0; i <= count; i++) {
    const double begin = i > 0 ? jump[i - 1].after.y : from;
    const double end = i < count ? jump[i].before.y : to;
    if (end > begin) CMB_TRY(add_pieces(d, begin, end));
    if (i < count) add_jump(d, &jump[i]);
  }
  return CMB_OK;
}

/* ---- conicity */

/* Adds the integrals of Δr(y0 + A sin φ) and of the same times sin φ over φ from `from` to `to`, by Gauss's rule of 7 points. */
static void integrate(const struct piece *p, double y0, double amplitude, double from, double to,
                      double *mean, double *sine)
{
  /* clang-format off */
  static const double place[4] = {0.949107912342758525, 0.741531185599394440, 0.405845151377397167, 0};
  static const double part[4] = {0.129484966168869693, 0.279705391489276668, 0.381830050505118945, 0.417959183673469388};
  /* clang-format on */
  for (int i = 0; i < 7; i++) {
    const int k = i < 4 ? i : 6 - i;
    const double phase = (from + to) / 2 + (to - from) / 2 * (i < 4 ? -place[k] : place[k]);
    const double dr = part[k] * (to - from) / 2 * evaluate(p, y0 + amplitude * sin(phase));
    *mean += dr;
    *sine += dr * sin(phase);
  }
}

/* Returns the phase φ from −π/2 to π/2 at which y0 + A sin φ = y; the nearer end if there is none. */
static double phase_at(double y0, double amplitude, double y)
{
  return asin(fmax(-1, fmin(1, (y - y0) / amplitude)));
}

/* Computes the integrals of Δr(y0 + A sin φ) and of the same times sin φ over φ from −π/2 to π/2. If both sides are equal, the pieces cover
 * y >= 0 only. */
static void integrate_wave(const struct difference *d, double y0, double amplitude, double *mean,
                           double *sine)
{
  *mean = *sine = 0;
  for (int i = 0; i < d->count; i++) {
    const struct piece *p = &d->piece[i];
    const double from = phase_at(y0, amplitude, p->from), to = phase_at(y0, amplitude, p->to);
    const int parts = (int)ceil((to - from) / LONGEST_PHASE);
    for (int k = 0; k < parts; k++) {
      integrate(p, y0, amplitude, from + (to - from) * k / parts,
                from + (to - from) * (k + 1) / parts, mean, sine);
    }
  }
  if (!d->g->symmetric) return;
  *mean = 0;
  *sine *= 2;
}

/* Finds the displacement next to 0 at which Δr = 0, at most FARTHEST from it; NaN if there is none. */
static cmb_status find_balance(cmb_contact_geometry *g, double *balance)
{
  double a = 0, fa, b, fb;
  CMB_TRY(radius_difference(g, a, &fa));
  *balance = 0;
  if (g->symmetric || fa == 0) return CMB_OK;
  b = a;
  fb = fa;
  while ((fa < 0) == (fb < 0)) {
    a = b;
    fa = fb;
    b += fa < 0 ? BALANCE_STEP : -BALANCE_STEP;
    *balance = NAN;
    if (fabs(b) > FARTHEST) return CMB_OK;
    CMB_TRY(radius_difference(g, b, &fb));
  }
  cmb_root r;
  cmb_root_begin(&r, a, fa, b, fb);
  while (cmb_root_width(&r) > SAME_PLACE) {
    const double y = cmb_root_next(&r);
    CMB_TRY(radius_difference(g, y, &fa));
    cmb_root_update(&r, y, fa);
  }
  *balance = r.a;
  return CMB_OK;
}

/* Finds the centre of the wave about which the mean of Δr is 0; NaN if it is farther than MOST_CENTRE from `balance`. */
static double find_centre(const struct difference *d, double balance, double amplitude)
{
  double a = balance - MOST_CENTRE, b = balance + MOST_CENTRE, fa, fb, f, sine;
  if (d->g->symmetric) return 0;
  integrate_wave(d, a, amplitude, &fa, &sine);
  integrate_wave(d, b, amplitude, &fb, &sine);
  if (!((fa < 0) != (fb < 0))) return NAN;
  cmb_root r;
  cmb_root_begin(&r, a, fa, b, fb);
  while (cmb_root_width(&r) > SAME_PLACE) {
    const double y0 = cmb_root_next(&r);
    integrate_wave(d, y0, amplitude, &f, &sine);
    cmb_root_update(&r, y0, f);
  }
  return r.a;
}

cmb_status cmb_contact_conicity(cmb_contact_geometry *g, int n, const double *amplitude,
                                double *conicity, double *centre)
{
  struct difference d = {.g = g};
  double most = 0, balance;
  for (int i = 0; i < n; i++) {
    CMB_REQUIRE(g->ctx, amplitude[i] > 0, "amplitudes must be positive");
    most = fmax(most, amplitude[i]);
    conicity[i] = centre[i] = NAN;
  }
  CMB_TRY(find_balance(g, &balance));
  if (isnan(balance)) return CMB_OK;
  d.piece = cmb_allocate(g->ctx, MOST_PIECES * sizeof *d.piece);
  if (!d.piece) return cmb_fail_memory(g->ctx);
  const cmb_status status = approximate(&d, g->symmetric ? 0 : balance - most - MOST_CENTRE,
                                        g->symmetric ? most : balance + most + MOST_CENTRE);
  for (int i = 0; i < n && status == CMB_OK; i++) {
    double mean, sine;
    centre[i] = find_centre(&d, balance, amplitude[i]);
    if (isnan(centre[i])) continue;
    integrate_wave(&d, centre[i], amplitude[i], &mean, &sine);
    conicity[i] = sine / (PI * amplitude[i]);
  }
  cmb_release(g->ctx, d.piece);
  return status;
}
