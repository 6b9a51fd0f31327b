/*
 * T of q̇ = T(q) v as a sparse matrix, and products of derivatives with it: ∂/∂q T is the derivative in the directions of v.
 *
 * Equations give T v, not T. Its pattern is found by trying unit velocities at a few places; its values then take one call a
 * group of columns that share no row.
 */
#include "base/context.h"
#include "form/private.h"
#include "math/colour.h"
#include "math/random.h"

#include <string.h>

enum { PLACES = 3 };

/* Which entries of T are not 0 at PLACES random coordinates. */
static void try_rates(cmb_form *form, cmb_rates_matrix *T, double *q, bool *there)
{
  const cmb_equations *eq = form->ev->eq;
  uint32_t seed = CMB_RANDOM_FIRST;
  for (int place = 0; place < PLACES; place++) {
    for (int i = 0; i < form->nq; i++) q[i] = 1.5 + cmb_random(&seed);
    if (eq->normalize) eq->normalize(eq->self, q);
    for (int j = 0; j < form->nv; j++) {
      T->probe[j] = 1;
      cmb_rates(form->ev, q, T->probe, T->rate);
      T->probe[j] = 0;
      for (int i = 0; i < form->nq; i++) {
        if (T->rate[i] != 0) there[i * form->nv + j] = true;
      }
    }
  }
}

void cmb_pattern_fill(int rows, int columns, const bool *there, int *start, int *column)
{
  int count = start[0] = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) {
      if (there[i * columns + j]) column[count++] = j;
    }
    start[i + 1] = count;
  }
}

bool cmb_pattern_of(cmb_arena *arena, int rows, int columns, const bool *there, cmb_pattern *out)
{
  int count = 0, *start = cmb_arena_ints(arena, rows + 1);
  for (int k = 0; k < rows * columns; k++) count += there[k];
  int *column = cmb_arena_ints(arena, count);
  if (!start || !column) return false;
  cmb_pattern_fill(rows, columns, there, start, column);
  *out = (cmb_pattern){rows, columns, start, column};
  return true;
}

cmb_status cmb_rates_matrix_create(cmb_form *form)
{
  cmb_arena *arena = form->arena;
  const size_t entries = (size_t)form->nq * (size_t)form->nv;
  if (!form->ev->eq->rates) return CMB_OK;
  cmb_rates_matrix *T = form->T = cmb_arena_take(arena, 1, sizeof *T);
  bool *there = cmb_arena_take(arena, entries, sizeof *there);
  double *q = cmb_arena_doubles(arena, form->nq);
  if (!T || !there || !q) return cmb_fail_memory(form->ev->ctx);
  T->probe = cmb_arena_doubles(arena, form->nv);
  T->rate = cmb_arena_doubles(arena, form->nq);
  T->group = cmb_arena_ints(arena, form->nv);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(form->ev->ctx);
  try_rates(form, T, q, there);
  if (!cmb_pattern_of(arena, form->nq, form->nv, there, &T->pattern)) {
    return cmb_fail_memory(form->ev->ctx);
  }
  T->value = cmb_arena_doubles(arena, T->pattern.start[form->nq]);
  return cmb_colour_columns(form->ev->ctx, &T->pattern, T->group, &T->groups);
}

void cmb_rates_matrix_at(cmb_form *form, const double *q)
{
  cmb_rates_matrix *T = form->T;
  for (int group = 0; group < T->groups; group++) {
    for (int j = 0; j < form->nv; j++) T->probe[j] = T->group[j] == group;
    cmb_rates(form->ev, q, T->probe, T->rate);
    for (int i = 0; i < form->nq; i++) {
      for (int k = T->pattern.start[i]; k < T->pattern.start[i + 1]; k++) {
        if (T->group[T->pattern.column[k]] == group) T->value[k] = T->rate[i];
      }
    }
  }
  memset(T->probe, 0, (size_t)form->nv * sizeof *T->probe);
}

/* ---- products */

/* Entry k of row i of a pattern, or of a dense matrix: its column, -1 at the row's end. */
static int column_at(const cmb_pattern *p, int columns, int i, int k)
{
  if (!p) return k < columns ? k : -1;
  return p->start[i] + k < p->start[i + 1] ? p->column[p->start[i] + k] : -1;
}

static int place_in_row(const cmb_pattern *p, int i, int column)
{
  int k = p->start[i];
  while (p->column[k] != column) k++;
  return k;
}

/* Rows of raw T: what is there, and how many products make it. */
static int mark_product(const cmb_form *form, const cmb_block *block, bool *there)
{
  const cmb_pattern *T = &form->T->pattern;
  int products = 0;
  for (int i = 0; i < block->rows; i++) {
    for (int k = 0, l; (l = column_at(block->raw_pattern, form->nq, i, k)) >= 0; k++) {
      for (int m = T->start[l]; m < T->start[l + 1]; m++, products++) {
        there[i * form->nv + T->column[m]] = true;
      }
    }
  }
  return products;
}

void cmb_rates_product_make(cmb_form *form, cmb_block *block)
{
  cmb_arena *arena = form->arena;
  const cmb_pattern *T = &form->T->pattern;
  bool *there = cmb_arena_take(arena, (size_t)block->rows * (size_t)form->nv, sizeof *there);
  cmb_pattern *made = cmb_arena_take(arena, 1, sizeof *made);
  if (!there || !made) return;
  int products = mark_product(form, block, there), n = 0;
  if (!cmb_pattern_of(arena, block->rows, form->nv, there, made)) return;
  block->product = cmb_arena_ints(arena, products);
  if (!block->product) return;
  for (int i = 0; i < block->rows; i++) {
    for (int k = 0, l; (l = column_at(block->raw_pattern, form->nq, i, k)) >= 0; k++) {
      for (int m = T->start[l]; m < T->start[l + 1]; m++) {
        block->product[n++] = place_in_row(made, i, T->column[m]);
      }
    }
  }
  block->pattern = made;
}

void cmb_rates_product(const cmb_form *form, cmb_block *block)
{
  const cmb_pattern *T = &form->T->pattern;
  const double *raw = block->raw;
  int n = 0;
  memset(block->value, 0, (size_t)block->count * sizeof *block->value);
  for (int i = 0; i < block->rows; i++) {
    for (int k = 0, l; (l = column_at(block->raw_pattern, form->nq, i, k)) >= 0; k++, raw++) {
      for (int m = T->start[l]; m < T->start[l + 1]; m++) {
        block->value[block->product[n++]] += *raw * form->T->value[m];
      }
    }
  }
}
