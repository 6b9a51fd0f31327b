/*
 * The curves of modes over a value that is varied (mode_curves.h).
 *
 * From value to value a curve goes on with the mode that is most like its last one. Two modes x, λ and y, μ differ by
 *
 *     1 − |xᴴ S y|² / (xᴴ S x  yᴴ S y)  +  |λ − μ| / (|λ| + |μ|)
 *
 * The first part is 1 less the modal assurance criterion (Allemang and Brown 1982), 0 for shapes that are alike and 1 for those that have
 * nothing in common. S is diagonal, and makes components of about equal size of all: metres, radians and the units of states count
 * alike. The second part is the distance of the eigenvalues, 1 at most. Of all ways to join curves and modes the one with the least sum
 * is taken (assignment.h), and a mode that is like none begins a curve. Of a complex pair one is in the table: where the pair becomes two
 * real eigenvalues, one of these goes on and the other begins.
 */
#include "cli/mode_curves.h"

#include "cli/assignment.h"

#include <math.h>
#include <stdlib.h>

static const double BEGINS =
    1.5; /* the cost of a curve that begins: what is less alike is not joined */
static const double AFTER_GAP =
    0.5; /* the cost of a gap: behind it shapes must have something in common */
static const double NOTHING = 1e-9; /* a component that is this small in every mode is rounding */
enum { ROUNDS = 3 }; /* lengths of modes depend on the sizes, and these on the lengths */

/* The work of one value. */
struct joining {
  struct cli_mode_curves *curves;
  double *weight;              /* (components) the diagonal of S */
  const cmb_eigenmode **modes; /* (mode_count) of this value, that are not neutral */
  int components, mode_count;
};

const cmb_eigenmode *cli_mode_of(const struct cli_mode_curves *c, int curve, int value)
{
  return c->mode[(ptrdiff_t)curve * c->values + value];
}

/* ---- how much two modes are alike */

static double size_of(const cmb_eigenmode *m, int i)
{
  return hypot(m->shape_re[i], m->shape_im[i]);
}

/* xᴴ S x */
static double square_of(const struct joining *j, const cmb_eigenmode *x)
{
  double sum = 0;
  for (int i = 0; i < j->components; i++) sum += j->weight[i] * size_of(x, i) * size_of(x, i);
  return sum;
}

/* Each component is weighted by its largest part in all modes of the table, those that are neutral included. */
static void weigh_once(struct joining *j, double *largest)
{
  const struct cli_vary_table *t = j->curves->table;
  for (int i = 0; i < j->components; i++) largest[i] = 0;
  for (int value = 0; value < t->count; value++) {
    const cmb_linearization *l = t->looks[value].l;
    for (int k = 0; k < l->eigenmode_count; k++) {
      const cmb_eigenmode *m = &l->eigenmodes[k];
      const double square = square_of(j, m);
      for (int i = 0; i < j->components && square > 0; i++) {
        const double part = size_of(m, i) * sqrt(j->weight[i] / square);
        largest[i] = fmax(largest[i], part);
      }
    }
  }
  for (int i = 0; i < j->components; i++) {
    j->weight[i] = largest[i] > NOTHING ? j->weight[i] / (largest[i] * largest[i]) : 0;
  }
}

static bool weigh(struct joining *j)
{
  double *largest = calloc((size_t)j->components + 1, sizeof *largest);
  j->weight = calloc((size_t)j->components + 1, sizeof *j->weight);
  const bool good = largest && j->weight;
  for (int i = 0; i < j->components && good; i++) j->weight[i] = 1;
  for (int round = 0; round < ROUNDS && good; round++) weigh_once(j, largest);
  free(largest);
  return good;
}

/* The modal assurance criterion, from 0 to 1. */
static double likeness(const struct joining *j, const cmb_eigenmode *x, const cmb_eigenmode *y)
{
  double re = 0, im = 0;
  for (int i = 0; i < j->components; i++) {
    re += j->weight[i] * (x->shape_re[i] * y->shape_re[i] + x->shape_im[i] * y->shape_im[i]);
    im += j->weight[i] * (x->shape_re[i] * y->shape_im[i] - x->shape_im[i] * y->shape_re[i]);
  }
  const double squares = square_of(j, x) * square_of(j, y);
  return squares > 0 ? (re * re + im * im) / squares : 0;
}

static double difference(const struct joining *j, const cmb_eigenmode *x, const cmb_eigenmode *y)
{
  const double apart = hypot(x->re - y->re, x->im - y->im);
  const double sizes = hypot(x->re, x->im) + hypot(y->re, y->im);
  return 1 - likeness(j, x, y) + (sizes > 0 ? apart / sizes : 0);
}

/* ---- curves */

static void find_modes(struct joining *j, int value)
{
  const cmb_linearization *l = j->curves->table->looks[value].l;
  j->mode_count = 0;
  for (int k = 0; k < l->eigenmode_count; k++) {
    if (!l->eigenmodes[k].neutral) j->modes[j->mode_count++] = &l->eigenmodes[k];
  }
}

/* What it costs that each mode goes on with each curve; the columns behind those are curves that begin, one for each mode. */
static void find_costs(const struct joining *j, int value, double *cost)
{
  const struct cli_mode_curves *c = j->curves;
  const int columns = c->count + j->mode_count;
  for (int i = 0; i < columns; i++) {
    int last = value - 1;
    while (i < c->count && !cli_mode_of(c, i, last)) last--;
    for (int k = 0; k < j->mode_count; k++) {
      cost[(ptrdiff_t)k * columns + i] = i >= c->count
                                             ? BEGINS
                                             : difference(j, cli_mode_of(c, i, last), j->modes[k]) +
                                                   (last < value - 1 ? AFTER_GAP : 0);
    }
  }
}

/* A further curve, without modes. False: no memory. */
static bool add_curve(struct cli_mode_curves *c)
{
  const size_t values = (size_t)c->values, count = (size_t)c->count + 1;
  const cmb_eigenmode **mode = realloc(c->mode, count * values * sizeof(void *));
  if (!mode) return false;
  for (size_t i = 0; i < values; i++) mode[(count - 1) * values + i] = NULL;
  c->mode = mode;
  c->count++;
  return true;
}

/* Gives each mode of the value a curve. */
static bool join(struct joining *j, int value)
{
  struct cli_mode_curves *c = j->curves;
  find_modes(j, value);
  const int count = c->count, columns = count + j->mode_count;
  double *cost = calloc((size_t)j->mode_count * (size_t)columns + 1, sizeof *cost);
  int *column = calloc((size_t)j->mode_count + 1, sizeof *column);
  bool good = cost && column;
  if (good) find_costs(j, value, cost);
  good = good && cli_assign(j->mode_count, columns, cost, column);
  for (int k = 0; k < j->mode_count && good; k++) {
    const int curve = column[k] < count ? column[k] : c->count;
    good = curve < c->count || add_curve(c);
    if (good) c->mode[(ptrdiff_t)curve * c->values + value] = j->modes[k];
  }
  free(cost);
  free(column);
  return good;
}

bool cli_mode_curves_create(const struct cli_vary_table *t, struct cli_mode_curves *curves)
{
  struct joining j = {.curves = curves, .components = t->eq->nq + t->eq->nz};
  int most = 0;
  *curves = (struct cli_mode_curves){.table = t, .values = t->count};
  for (int i = 0; i < t->count; i++) {
    const int count = t->looks[i].l->eigenmode_count;
    if (count > most) most = count;
  }
  j.modes = calloc((size_t)most + 1, sizeof(void *));
  bool good = j.modes && weigh(&j);
  for (int value = 0; value < t->count && good; value++) good = join(&j, value);
  free(j.weight);
  free(j.modes);
  return good;
}

void cli_mode_curves_destroy(struct cli_mode_curves *curves)
{
  free(curves->mode);
}
