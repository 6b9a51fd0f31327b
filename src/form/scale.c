/*
 * Units of the unknowns of a form (form.h): scaling of its matrix, and the rounding errors of a state.
 *
 * Scaling. With masses of 1e-20 kg, or lengths of 1e9 m, M and G differ so much in size that scaling rows alone is not enough: pivots would
 * look like rounding errors. The units of velocities are determined by the energy, those of multipliers by their effect on velocities:
 *
 *     d_i = M_ii^(-1/2),   e_k = 1 / ‖(G_kj d_j)_j‖,     A := R A S,  S = diag(d, e),  R = diag(d, e), or diag(1/d, e) where the
 *                                                        first row is multiplied by M⁻¹
 *
 * rounded to powers of two, so that only the order of pivots changes; omitted where all are of about one size.
 *
 * Rounding. G v has a rounding error of ε Σ_j |G_kj v_j|. Correcting it changes v_i by about m_i⁻¹ |G_ki| / Σ_j m_j⁻¹ G_kj² of that, however
 * small v_i itself is: no tolerance can be below that. The same holds for positions, as far as T = I. This is the effect of each constraint
 * by itself (noise, noise_q). All together determine how they have to be satisfied, and G itself has errors, being that of rounded
 * positions: Newton's equations with these errors in their second row give the resulting errors of velocities and multipliers (noise_moved,
 * noise_l). The signs of errors are unknown; a few random choices stand for all. The result grows where the constraints come near to losing
 * rank. In index 3 the second row is g/c, and g has the rounding error: ε Σ_j |G_kj q_j| as far as T = I, and ε times its extent
 * (evaluator.h).
 */
#include "form/private.h"
#include "math/pattern.h"
#include "math/random.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* 2^20: a ratio of units up to which the scaling of rows suffices */
static const double ENOUGH_ALIKE = 1048576;

/* Returns the index of the diagonal entry M_ii in the mass matrix as the equations store it; -1 if it is not stored. */
static int diagonal_of(const cmb_equations *eq, int i)
{
  const cmb_pattern *p = eq->M_pattern;
  if (eq->mass_factors) return -1;
  if (eq->mass_diagonal) return i;
  if (!p) return i * eq->nv + i;
  for (int k = p->start[i]; k < p->start[i + 1]; k++) {
    if (p->column[k] == i) return k;
  }
  return -1;
}

/* Returns the power of two in the interval (x, 2 x]; 1 if x is not positive and finite. */
static double power_of_two(double x)
{
  int exponent;
  frexp(x, &exponent);
  return x > 0 && isfinite(x) ? ldexp(1, exponent) : 1;
}

/* Returns the unit of a velocity, M_ii^(-1/2) rounded up to a power of two, for the diagonal entry at index `place` of the values of M; 1
 * if place is negative. */
static double unit_of(const double *M, int place)
{
  return place < 0 ? 1 : power_of_two(1 / sqrt(fabs(M[place])));
}

bool cmb_velocity_units(const cmb_equations *eq, const double *M, double *unit)
{
  double least = INFINITY, most = 0;
  for (int i = 0; i < eq->nv; i++) {
    unit[i] = unit_of(M, diagonal_of(eq, i));
    least = fmin(least, unit[i]);
    most = fmax(most, unit[i]);
  }
  const bool different = most > ENOUGH_ALIKE * least;
  for (int i = 0; i < eq->nv && !different; i++) unit[i] = 1;
  return different;
}

void cmb_scale_create(cmb_form *form)
{
  form->size = cmb_arena_doubles(form->arena, form->n);
  form->noise = cmb_arena_doubles(form->arena, form->nv);
  form->noise_q = cmb_arena_doubles(form->arena, form->nq);
  form->noise_moved = cmb_arena_doubles(form->arena, form->nv);
  form->rounding = cmb_arena_doubles(form->arena, form->ng);
  form->q_beside = cmb_arena_doubles(form->arena, form->nq);
  form->G_beside = cmb_arena_doubles(
      form->arena, cmb_pattern_values(form->ev->eq->G_pattern, form->ng, form->nv));
  form->diagonal = cmb_arena_ints(form->arena, form->nv);
  for (int i = 0; form->diagonal && i < form->nv; i++) {
    form->diagonal[i] = diagonal_of(form->ev->eq, i);
  }
}

/* Returns the index of the first stored value of row k of the constraint Jacobian G, whose values are stored row by row. */
static int first_of(const cmb_block *G, int k)
{
  return G->pattern ? G->pattern->start[k] : k * G->columns;
}

/* Returns the column index of the stored value number `entry` of the constraint Jacobian G; k is the row of this value. */
static int column_in(const cmb_block *G, int k, int entry)
{
  return G->pattern ? G->pattern->column[entry] : entry - k * G->columns;
}

/* Computes the change of the constraint Jacobian G when each position changes by `larger` times its rounding error, with random sign, in
 * form->G_beside. Entries that are not finite become 0, and so do all if G cannot be evaluated there. */
static cmb_status change_of_G(cmb_form *form, double t, const double *q, double larger)
{
  cmb_terms want = {.G = form->G_beside};
  uint32_t random = CMB_RANDOM_FIRST;
  for (int i = 0; i < form->nq; i++) {
    form->q_beside[i] = q[i] + (cmb_random(&random) > 0 ? larger : -larger) * form->noise_q[i];
  }
  const cmb_status status = cmb_evaluate(form->ev, t, form->q_beside, NULL, &want);
  if (status < 0) return status;
  for (int l = 0; l < form->G.count; l++) {
    const double difference = form->G_beside[l] - form->G.value[l];
    form->G_beside[l] = status == CMB_OK && isfinite(difference) ? difference : 0;
  }
  return CMB_OK;
}

/* Estimates the rounding errors of the constraint velocities G v, with the constraint Jacobian G, and stores them in
 * form->rounding (ng): ε Σ_j |G_kj v_j| for constraint k, plus the effect of rounding errors of the positions on G. */
static cmb_status rounding_of_motion(cmb_form *form, const cmb_form_state *s)
{
  /* so that the differences are not dominated by rounding */
  const double larger = 1 / sqrt(DBL_EPSILON);
  const cmb_block *G = &form->G;
  CMB_TRY(change_of_G(form, s->t, s->q, larger));
  for (int k = 0; k < form->ng; k++) {
    double sum = 0, moved = 0;
    for (int l = first_of(G, k); l < first_of(G, k + 1); l++) {
      const double v = s->v[column_in(G, k, l)];
      sum += fabs(G->value[l] * v);
      moved += form->G_beside[l] * v;
    }
    form->rounding[k] = DBL_EPSILON * sum + fabs(moved) / larger;
  }
  return CMB_OK;
}

/* Estimates the rounding errors of the position constraints g(q) in form->rounding (ng): ε times extent[k] of the evaluator, which is how much
 * g_k changes when q changes by its own size. If each velocity is the rate of the coordinate with the same index, ε Σ_j |G_kj q_j| with the
 * constraint Jacobian G is added. */
static void rounding_of_position(cmb_form *form, const double *q)
{
  const cmb_block *G = &form->G;
  const bool pair = cmb_velocities_pair(form->ev->eq);
  for (int k = 0; k < form->ng; k++) {
    double sum = form->ev->extent[k];
    for (int l = first_of(G, k); l < first_of(G, k + 1) && pair; l++) {
      sum += fabs(G->value[l] * q[column_in(G, k, l)]);
    }
    form->rounding[k] = DBL_EPSILON * sum;
  }
}

/* Adds to noise[j] the rounding error of x_j (velocity or position) that constraint k causes: the constraint's own rounding error is ε Σ_i
 * |G_ki x_i|, with the constraint Jacobian G, and the projection onto the constraint distributes it by the inverse masses 1/m_j. `sum` is Σ_i
 * G_ki²/m_i. */
static void add_noise(const cmb_form *form, int k, double sum, const double *x, double *noise)
{
  const cmb_block *G = &form->G;
  const int from = first_of(G, k), to = first_of(G, k + 1);
  double rounding = 0;
  for (int l = from; l < to; l++) rounding += fabs(G->value[l] * x[column_in(G, k, l)]);
  rounding *= DBL_EPSILON / (sum > 0 ? sum : 1);
  for (int l = from; l < to; l++) {
    const double size = form->size[column_in(G, k, l)];
    noise[column_in(G, k, l)] += size * size * fabs(G->value[l]) * rounding;
  }
}

cmb_status cmb_scale_look(cmb_form *form, const double *M, const cmb_form_state *s)
{
  const double *q = s->q, *v = s->v;
  const cmb_block *G = &form->G;
  double least = INFINITY, most = 0;
  for (int i = 0; i < form->nq; i++) form->noise_q[i] = DBL_EPSILON * fabs(q[i]);
  for (int i = 0; i < form->nv; i++) {
    form->size[i] = unit_of(M, form->diagonal[i]);
    form->noise[i] = DBL_EPSILON * fabs(v[i]);
  }
  for (int k = 0; k < form->ng; k++) {
    double sum = 0;
    for (int l = first_of(G, k); l < first_of(G, k + 1); l++) {
      const double part = G->value[l] * form->size[column_in(G, k, l)];
      sum += part * part;
    }
    form->size[form->nv + k] = power_of_two(1 / sqrt(sum));
    add_noise(form, k, sum, v, form->noise);
    if (cmb_velocities_pair(form->ev->eq)) add_noise(form, k, sum, q, form->noise_q);
  }
  for (int i = 0; i < form->n; i++) {
    least = fmin(least, form->size[i]);
    most = fmax(most, form->size[i]);
  }
  form->scaled = most > ENOUGH_ALIKE * least;
  form->noise_most = form->speed = 0;
  for (int i = 0; i < form->nv; i++) {
    form->noise_most = fmax(form->noise_most, form->noise[i]);
    form->speed = hypot(form->speed, v[i] / form->size[i]);
  }
  for (int i = 0; i < form->nq; i++) form->noise_most = fmax(form->noise_most, form->noise_q[i]);
  form->noise_due = true;
  if (form->kind == CMB_FORM_INDEX3) rounding_of_position(form, q);
  return form->has_motion ? rounding_of_motion(form, s) : CMB_OK;
}

void cmb_form_forget(cmb_form *form)
{
  form->looks = 0;
  form->noise_most = form->noise_l = form->speed = 0;
  form->scaled = form->noise_due = false;
}

void cmb_scale_noise(cmb_form *form, cmb_linear *matrix)
{
  enum { CHOICES = 4 };
  const int nv = form->nv;
  double *moved = form->noise_moved, *b = form->b;
  uint32_t random = CMB_RANDOM_FIRST;
  form->noise_due = false;
  form->noise_l = 0;
  memset(moved, 0, (size_t)nv * sizeof *moved);
  for (int choice = 0; choice < CHOICES && form->ng > 0; choice++) {
    memset(b, 0, (size_t)nv * sizeof *b);
    for (int k = 0; k < form->ng; k++) {
      b[nv + k] = cmb_random(&random) > 0 ? form->rounding[k] : -form->rounding[k];
    }
    cmb_form_solve_plain(form, 1, matrix, b);
    for (int i = 0; i < nv; i++) moved[i] = hypot(moved[i], b[i] / sqrt(CHOICES));
    for (int k = nv; k < form->n; k++) {
      form->noise_l = fmax(form->noise_l, fabs(b[k]) / (form->scaled ? form->size[k] : 1));
    }
  }
  for (int i = 0; i < nv && form->has_motion; i++) {
    form->noise_most = fmax(form->noise_most, moved[i]);
  }
}

/* Returns the factor by which row i of the iteration matrix is scaled. */
static double row_scale(const cmb_form *form, int i)
{
  const bool divided = form->formalism == CMB_FORMALISM_EXPLICIT && i < form->nv;
  return divided ? 1 / form->size[i] : form->size[i];
}

void cmb_scale_matrix(const cmb_form *form, int parts, double *A)
{
  const cmb_pattern *p = form->pattern;
  for (int i = 0; i < form->n; i++) {
    const double row = row_scale(form, i);
    const int from = p ? p->start[i] : i * form->n, to = p ? p->start[i + 1] : from + form->n;
    for (int k = from; k < to; k++) {
      const double factor = row * form->size[p ? p->column[k] : k - from];
      for (int part = 0; part < parts; part++) A[parts * k + part] *= factor;
    }
  }
}

void cmb_scale_side(const cmb_form *form, int parts, double *b)
{
  for (int i = 0; i < form->n; i++) {
    for (int part = 0; part < parts; part++) b[parts * i + part] *= row_scale(form, i);
  }
}

void cmb_scale_solution(const cmb_form *form, int parts, double *x)
{
  for (int i = 0; i < form->n; i++) {
    for (int part = 0; part < parts; part++) x[parts * i + part] *= form->size[i];
  }
}
