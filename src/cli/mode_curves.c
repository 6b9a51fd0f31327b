/*
 * Tracks modes over a parameter sweep: joins the modes at neighbouring values of the varied quantity to curves (mode_curves.h).
 *
 * From value to value a curve is continued by the mode that is most similar to its last one. The difference of two modes with the
 * eigenvectors (mode shapes) x, y and the eigenvalues λ, μ is
 *     1 − |xᴴ S y|² / (xᴴ S x  yᴴ S y)  +  |λ − μ| / (|λ| + |μ|)
 *
 * The first part is 1 minus the modal assurance criterion (Allemang and Brown 1982), 0 for equal shapes and 1 for orthogonal ones. S is
 * diagonal and scales all components to about equal size, so that metres, radians and the units of states count alike. The second part is
 * the relative distance of the eigenvalues, 1 at most. Among all assignments of modes to curves the one with the least sum of differences
 * is taken (assignment.h), and a mode that is similar to no curve begins a new one. Of a complex pair one eigenvalue is in the table: where
 * the pair becomes two real eigenvalues, one of these continues the curve and the other begins a new one.
 */
#include "cli/mode_curves.h"

#include "cli/assignment.h"

#include <math.h>
#include <stdlib.h>

/* cost of a new curve: a mode does not continue a curve from which it differs more */
static const double NEW_CURVE = 1.5;
/* additional cost of continuing a curve after a gap: the modes must be more similar */
static const double AFTER_GAP = 0.5;
static const double ZERO = 1e-9; /* components below this in every mode are rounding errors */
/* iterations for the scaling: the norms of modes depend on it, and it depends on the norms */
enum { ITERATIONS = 3 };

/* The working data for joining the modes at one point of the sweep to the curves. */
struct matching {
  struct cli_mode_curves *curves;
  double *weight; /* (components) the diagonal of S */
  /* (mode_count) the modes at the current point without neutral ones */
  const cmb_eigenmode **modes;
  int components; /* number of components of a mode shape: positions and states */
  int mode_count;
};

const cmb_eigenmode *cli_mode_of(const struct cli_mode_curves *c, int curve, int value)
{
  return c->mode[(ptrdiff_t)curve * c->values + value];
}

/* ---- similarity of two modes */

/* Returns the amplitude |x_i| of component i of a complex mode shape x (eigenvector). */
static double amplitude_of(const cmb_eigenmode *m, int i)
{
  return hypot(m->shape_re[i], m->shape_im[i]);
}

/* Returns the squared norm xᴴ S x of the eigenvector of the mode x. S is the diagonal matrix of weights that makes components in metres,
 * radians and other units comparable. */
static double squared_norm(const struct matching *j, const cmb_eigenmode *x)
{
  double sum = 0;
  for (int i = 0; i < j->components; i++)
    sum += j->weight[i] * amplitude_of(x, i) * amplitude_of(x, i);
  return sum;
}

/* Improves the diagonal matrix S of weights by one iteration. Normalises all eigenvectors x to xᴴ S x = 1, and then divides the weight s of
 * each component by the square of its largest scaled amplitude √s |x_i|; components that are 0 in all modes get weight 0. largest[components]
 * is a working array. */
static void improve_scaling(struct matching *j, double *largest)
{
  const struct cli_vary_table *t = j->curves->table;
  for (int i = 0; i < j->components; i++) largest[i] = 0;
  for (int value = 0; value < t->count; value++) {
    const cmb_linearization *l = t->motions[value].l;
    for (int k = 0; k < l->eigenmode_count; k++) {
      const cmb_eigenmode *m = &l->eigenmodes[k];
      const double square = squared_norm(j, m);
      for (int i = 0; i < j->components && square > 0; i++) {
        const double part = amplitude_of(m, i) * sqrt(j->weight[i] / square);
        largest[i] = fmax(largest[i], part);
      }
    }
  }
  for (int i = 0; i < j->components; i++) {
    j->weight[i] = largest[i] > ZERO ? j->weight[i] / (largest[i] * largest[i]) : 0;
  }
}

/* Computes by iteration the weights j->weight[components] of the components of eigenvectors, so that all components are of comparable size,
 * whatever their units are. The array is allocated here. Returns false if memory runs out. */
static bool find_scaling(struct matching *j)
{
  double *largest = calloc((size_t)j->components + 1, sizeof *largest);
  j->weight = calloc((size_t)j->components + 1, sizeof *j->weight);
  const bool good = largest && j->weight;
  for (int i = 0; i < j->components && good; i++) j->weight[i] = 1;
  for (int round = 0; round < ITERATIONS && good; round++) improve_scaling(j, largest);
  free(largest);
  return good;
}

/* Returns the modal assurance criterion |xᴴ S y|² / (xᴴ S x yᴴ S y) of two mode shapes with the diagonal scaling matrix S: 1 if they are
 * equal up to a complex factor, 0 if they are orthogonal or one of them is 0. */
static double modal_assurance(const struct matching *j, const cmb_eigenmode *x,
                              const cmb_eigenmode *y)
{
  double re = 0, im = 0;
  for (int i = 0; i < j->components; i++) {
    re += j->weight[i] * (x->shape_re[i] * y->shape_re[i] + x->shape_im[i] * y->shape_im[i]);
    im += j->weight[i] * (x->shape_re[i] * y->shape_im[i] - x->shape_im[i] * y->shape_re[i]);
  }
  const double squares = squared_norm(j, x) * squared_norm(j, y);
  return squares > 0 ? (re * re + im * im) / squares : 0;
}

/* Returns the difference of two modes (eigenvalues λ and μ with their eigenvectors), from 0 (equal) to 2: 1 minus the modal assurance
 * criterion of their shapes, plus |λ − μ| / (|λ| + |μ|). */
static double difference(const struct matching *j, const cmb_eigenmode *x, const cmb_eigenmode *y)
{
  const double apart = hypot(x->re - y->re, x->im - y->im);
  const double sizes = hypot(x->re, x->im) + hypot(y->re, y->im);
  return 1 - modal_assurance(j, x, y) + (sizes > 0 ? apart / sizes : 0);
}

/* ---- curves */

/* Collects pointers to the modes (eigenvalue and eigenvector) at point number `value` of a parameter sweep in j->modes[], and their number in
 * j->mode_count. Neutral modes, whose eigenvalue is 0 within rounding errors, are left out. */
static void find_modes(struct matching *j, int value)
{
  const cmb_linearization *l = j->curves->table->motions[value].l;
  j->mode_count = 0;
  for (int k = 0; k < l->eigenmode_count; k++) {
    if (!l->eigenmodes[k].neutral) j->modes[j->mode_count++] = &l->eigenmodes[k];
  }
}

/* Computes the cost matrix cost[modes x columns] for assigning the modes at point number `value` of a parameter sweep to the curves that track
 * them. The cost is the difference between mode k and the last mode of curve i, plus a penalty if the curve has a gap. The last columns, with
 * constant cost, stand for new curves. */
static void find_costs(const struct matching *j, int value, double *cost)
{
  const struct cli_mode_curves *c = j->curves;
  const int columns = c->count + j->mode_count;
  for (int i = 0; i < columns; i++) {
    int last = value - 1;
    while (i < c->count && !cli_mode_of(c, i, last)) last--;
    for (int k = 0; k < j->mode_count; k++) {
      cost[(ptrdiff_t)k * columns + i] = i >= c->count
                                             ? NEW_CURVE
                                             : difference(j, cli_mode_of(c, i, last), j->modes[k]) +
                                                   (last < value - 1 ? AFTER_GAP : 0);
    }
  }
}

/* Appends an empty curve to those that track modes (eigenvalues and eigenvectors) over a parameter sweep. Returns false if out of
 * memory. */
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

/* Extends the curves that track modes (eigenvalues and eigenvectors) over a parameter sweep to point number `value`: assigns each mode there to
 * an existing curve, so that the total difference is smallest, or to a new curve. Returns false if memory runs out. */
static bool extend_curves(struct matching *j, int value)
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
  struct matching j = {.curves = curves, .components = t->eq->nq + t->eq->nz};
  int most = 0;
  *curves = (struct cli_mode_curves){.table = t, .values = t->count};
  for (int i = 0; i < t->count; i++) {
    const int count = t->motions[i].l->eigenmode_count;
    if (count > most) most = count;
  }
  j.modes = calloc((size_t)most + 1, sizeof(void *));
  bool good = j.modes && find_scaling(&j);
  for (int value = 0; value < t->count && good; value++) good = extend_curves(&j, value);
  free(j.weight);
  free(j.modes);
  return good;
}

void cli_mode_curves_destroy(struct cli_mode_curves *curves)
{
  free(curves->mode);
}
