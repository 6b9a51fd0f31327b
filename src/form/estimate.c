/*
 * Derivatives of the defects by differences (Arnold, Fuchs and Führer 2006 §§2.2 and 3.1): the paper's F is (r, motion) here; its columns
 * are the directions of v in which q is changed, and then those of v itself, with a and λ fixed.
 *
 *     column by column, eq. (16), with increments (17): δ = max(|y|, eps^(1/4)) sqrt(eps); for q where T ≠ I, δ = sqrt(eps)
 *     by groups, eq. (20): columns that share no row of the estimated pattern Ω are changed together
 *
 * Ω contains the entries that were not 0, apart from rounding, in full difference Jacobians: the first one, and those computed later, for
 * extension.c and when the iteration converged badly right after a new Jacobian. The groups are those of math/colour.h, where the paper
 * uses TOMS 618.
 */
#include "form/private.h"
#include "math/colour.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct cmb_estimate {
  int rows, columns;             /* nv + ng if there are defects of motion, otherwise nv; 2 nv */
  bool *there;                   /* (rows x columns) the pattern Ω */
  bool full;                     /* the next Jacobian is to be computed column by column */
  int *start, *column;           /* (rows + 1), (entries) Ω by rows */
  int groups, *group;            /* (columns) group of each column */
  cmb_colour_room *room;         /* memory for making the groups */
  double *J;                     /* (rows x columns) the difference Jacobian */
  double *base, *moved;          /* (rows) defects at the state and beside it */
  cmb_defects at_base, at_moved; /* the same arrays as cmb_defects */
  double *q, *v;
  double *delta; /* (columns) increments */
} cmb_estimate;

/* Allocates from the arena the memory for the estimated sparsity pattern of a difference Jacobian and for dividing its columns
 * into groups that share no row. */
static void create_groups(cmb_arena *arena, cmb_estimate *e)
{
  const int entries = e->rows * e->columns;
  e->start = cmb_arena_ints(arena, e->rows + 1);
  e->column = cmb_arena_ints(arena, entries);
  e->room = cmb_colour_room_create(arena, e->columns, entries);
}

void cmb_estimate_create(cmb_form *form)
{
  cmb_arena *arena = form->arena;
  cmb_estimate *e = form->estimate = cmb_arena_take(arena, 1, sizeof *e);
  if (!e) return;
  e->rows = form->nv + (form->has_motion ? form->ng : 0);
  e->columns = 2 * form->nv;
  e->full = true;
  const size_t entries = (size_t)e->rows * (size_t)e->columns;
  e->there = cmb_arena_take(arena, entries, sizeof *e->there);
  e->J = cmb_arena_take(arena, entries, sizeof *e->J);
  e->group = cmb_arena_ints(arena, e->columns);
  if (form->source == CMB_SOURCE_SPARSE) create_groups(arena, e);
  e->base = cmb_arena_doubles(arena, e->rows);
  e->moved = cmb_arena_doubles(arena, e->rows);
  double *position = cmb_arena_doubles(arena, form->ng);
  if (!e->base || !e->moved) return;
  e->at_base = (cmb_defects){e->base, position, e->base + form->nv};
  e->at_moved = (cmb_defects){e->moved, position, e->moved + form->nv};
  e->q = cmb_arena_doubles(arena, form->nq);
  e->v = cmb_arena_doubles(arena, form->nv);
  e->delta = cmb_arena_doubles(arena, e->columns);
}

void cmb_form_widen(cmb_form *form)
{
  if (form->estimate) form->estimate->full = true;
}

/* ---- differences */

/* Returns the increment of a variable with the value `at` for a difference quotient: max(|at|, eps^(1/4)) sqrt(eps). */
static double increment(double at)
{
  return fmax(fabs(at), sqrt(sqrt(DBL_EPSILON))) * sqrt(DBL_EPSILON);
}

double cmb_move_velocity(const double *from, int j, double *moved)
{
  /* volatile, so that it is rounded to a double */
  volatile double there = from[j] + increment(from[j]);
  moved[j] = there;
  return there - from[j];
}

double cmb_move_position(cmb_form *form, const double *from, int j, double *moved)
{
  cmb_rates_matrix *T = form->T;
  if (!T) return cmb_move_velocity(from, j, moved);
  const double delta = increment(1);
  T->probe[j] = 1;
  cmb_rates(form->ev, from, T->probe, T->rate);
  T->probe[j] = 0;
  for (int i = 0; i < form->nq; i++) moved[i] += delta * T->rate[i];
  return delta;
}

/* Computes the residuals of the dynamic equations and of the constraints at the time, accelerations and multipliers of the state
 * s, but with the positions q (nq) and velocities v (nv), into `out`. */
static cmb_status defects_at(cmb_form *form, const cmb_form_state *s, const double *q,
                             const double *v, const cmb_defects *out)
{
  const cmb_form_state at = {s->t, q, v, s->a, s->lambda};
  return cmb_form_defects(form, &at, out);
}

/* Computes the columns of one group of the finite-difference Jacobian e->J by perturbing the variables of all columns of the group at the same
 * time, since these columns share no row (Curtis, Powell and Reid). In a full Jacobian each column is a group of its own. e->base must contain
 * the residuals at the state s. */
static cmb_status difference(cmb_form *form, const cmb_form_state *s, int group, bool full)
{
  cmb_estimate *e = form->estimate;
  memcpy(e->q, s->q, (size_t)form->nq * sizeof *e->q);
  memcpy(e->v, s->v, (size_t)form->nv * sizeof *e->v);
  for (int j = 0; j < e->columns; j++) {
    if ((full ? j : e->group[j]) != group) continue;
    e->delta[j] = j < form->nv ? cmb_move_position(form, s->q, j, e->q)
                               : cmb_move_velocity(s->v, j - form->nv, e->v);
  }
  CMB_TRY(defects_at(form, s, e->q, e->v, &e->at_moved));
  for (int j = 0; j < e->columns; j++) {
    if ((full ? j : e->group[j]) != group) continue;
    for (int i = 0; i < e->rows; i++) {
      const int k = i * e->columns + j;
      e->J[k] = full || e->there[k] ? (e->moved[i] - e->base[i]) / e->delta[j] : 0;
    }
  }
  return CMB_OK;
}

/* Copies the finite-difference Jacobian e->J to the blocks of the iteration matrix: derivatives of the dynamic equations with respect to
 * positions and velocities to K and D; those of the constraints to C₁ or, for index 1, to C₂ (positions) and C₁ (velocities). */
static void copy_to_blocks(cmb_form *form)
{
  const cmb_estimate *e = form->estimate;
  const int nv = form->nv;
  for (int i = 0; i < e->rows; i++) {
    const double *by_q = e->J + i * e->columns, *by_v = by_q + nv;
    const size_t size = (size_t)nv * sizeof(double);
    const int k = i - nv;
    if (i < nv) {
      memcpy(form->K.value + i * nv, by_q, size);
      memcpy(form->D.value + i * nv, by_v, size);
    } else if (form->kind == CMB_FORM_INDEX1) {
      memcpy(form->C2.value + k * nv, by_q, size);
      memcpy(form->C1.value + k * nv, by_v, size);
    } else {
      memcpy(form->C1.value + k * nv, by_q, size);
    }
  }
}

/* Adds the entries of a full difference Jacobian that are not 0 to the estimated sparsity pattern; returns how many are new. A difference
 * counts as 0 if it is as small as rounding errors relative to the largest one of its row. */
static int extend_pattern(cmb_estimate *e)
{
  const double nothing = 1e-9;
  int fresh = 0;
  for (int i = 0; i < e->rows; i++) {
    const double *row = e->J + i * e->columns;
    bool *there = e->there + i * e->columns;
    double most = 0;
    for (int j = 0; j < e->columns; j++) most = fmax(most, fabs(row[j] * e->delta[j]));
    for (int j = 0; j < e->columns; j++) {
      if (there[j] || !(fabs(row[j] * e->delta[j]) > nothing * most)) continue;
      there[j] = true;
      fresh++;
    }
  }
  return fresh;
}

/* Divides the columns of the estimated sparsity pattern into groups of columns that share no row. */
static void make_groups(cmb_estimate *e)
{
  const cmb_pattern pattern = {e->rows, e->columns, e->start, e->column};
  int count = e->start[0] = 0;
  for (int i = 0; i < e->rows; i++) {
    for (int j = 0; j < e->columns; j++) {
      if (e->there[i * e->columns + j]) e->column[count++] = j;
    }
    e->start[i + 1] = count;
  }
  cmb_colour_columns_in(e->room, &pattern, e->group, &e->groups);
}

/* Adds the nonzeros (apart from rounding) of a full difference Jacobian to the estimated sparsity pattern. If the pattern has
 * grown or its columns are not yet grouped, divides them into groups that share no row, and updates the numbers of pattern entries
 * and groups in *stats. */
static void update_groups(cmb_estimate *e, cmb_statistics *stats)
{
  const int fresh = extend_pattern(e);
  if (fresh == 0 && e->groups > 0) return;
  if (e->groups > 0) stats->pattern_growth++;
  make_groups(e);
  stats->pattern = e->start[e->rows];
  stats->groups = e->groups;
}

cmb_status cmb_estimate_derivatives(cmb_form *form, const cmb_form_state *s)
{
  cmb_estimate *e = form->estimate;
  const bool full = e->full || form->source == CMB_SOURCE_DENSE;
  const int groups = full ? e->columns : e->groups;
  CMB_TRY(defects_at(form, s, s->q, s->v, &e->at_base));
  for (int group = 0; group < groups; group++) CMB_TRY(difference(form, s, group, full));
  if (full && form->source == CMB_SOURCE_SPARSE) {
    update_groups(e, &form->ev->stats);
    e->full = false;
  }
  copy_to_blocks(form);
  return CMB_OK;
}

cmb_form_estimate cmb_form_estimated(const cmb_form *form)
{
  const cmb_estimate *e = form->estimate;
  return (cmb_form_estimate){e->rows, e->columns, e->start[e->rows], e->groups, e->there, e->group};
}
