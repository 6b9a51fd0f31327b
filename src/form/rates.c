/*
 * T of q̇ = T(q) v as a sparse matrix, and products of derivatives with it: (∂/∂q) T is the derivative in the directions of v.
 *
 * The equations compute T v, not T. Its pattern is found by evaluating T v for some velocities at a few positions; its values then take one
 * call for each group of columns that share no row.
 */
#include "base/context.h"
#include "form/private.h"
#include "math/colour.h"
#include "math/random.h"

#include <string.h>

enum { PLACES = 3 };

/* Computes pseudo-random coordinates q (nq) with normalised Euler parameters; they are always the same for the same `place`. */
static void random_position(const cmb_form *form, int place, double *q)
{
  const cmb_equations *eq = form->ev->eq;
  uint32_t seed = CMB_RANDOM_FIRST + (uint32_t)place;
  for (int i = 0; i < form->nq; i++) q[i] = 1.5 + cmb_random(&seed);
  if (eq->normalize) eq->normalize(eq->self, q);
}

/* The pattern of T with its columns combined into blocks of `width` neighbours. */
struct coarse {
  int width;
  int count;         /* number of entries */
  int *row, *column; /* (count) their rows and columns */
};

/* Refines the sparsity pattern c of T in q̇ = T(q) v: each of its columns stands for c->width neighbouring columns of T, and this width is
 * halved. An entry is split into those halves that are not 0, found by products T v at PLACES random positions; one product tests all halves
 * that share no row. q (nq) is work space. */
static cmb_status halve_width(cmb_form *form, cmb_arena *scratch, double *q, struct coarse *c)
{
  cmb_rates_matrix *T = form->T;
  cmb_context *ctx = form->ev->ctx;
  const int width = c->width / 2, columns = (form->nv - 1) / width + 1;
  int *row = cmb_arena_ints(scratch, 2 * c->count), *column = cmb_arena_ints(scratch, 2 * c->count);
  int *group = cmb_arena_ints(scratch, columns), groups, count = 0;
  bool *there = cmb_arena_take(scratch, 2 * (size_t)c->count, sizeof *there);
  cmb_pattern halves;
  if (cmb_arena_failed(scratch)) return cmb_fail_memory(ctx);
  for (int k = 0; k < 2 * c->count; k++) {
    const int half = 2 * c->column[k / 2] + k % 2;
    if (half < columns) row[count] = c->row[k / 2], column[count++] = half;
  }
  CMB_TRY(cmb_pattern_of(ctx, scratch, form->nq, columns, count, row, column, &halves));
  CMB_TRY(cmb_colour_columns(ctx, &halves, group, &groups));
  uint32_t seed = CMB_RANDOM_FIRST;
  for (int k = 0; k < PLACES * groups; k++) {
    const int g = k % groups;
    if (g == 0) random_position(form, k / groups, q);
    for (int j = 0; j < form->nv; j++) {
      T->probe[j] = group[j / width] == g ? 1 + cmb_random(&seed) : 0;
    }
    cmb_rates(form->ev, q, T->probe, T->rate);
    for (int e = 0; e < count; e++) {
      if (group[column[e]] == g && T->rate[row[e]] != 0) there[e] = true;
    }
  }
  *c = (struct coarse){.width = width, .row = row, .column = column};
  for (int e = 0; e < count; e++) {
    if (there[e]) row[c->count] = row[e], column[c->count++] = column[e];
  }
  return CMB_OK;
}

/* Finds the sparsity pattern of T in q̇ = T(q) v by bisection: from products T v at random positions, first with all columns
 * combined, then with halves of them, and so on. Testing one column at a time would take nv products, each as expensive as
 * evaluating all of T. */
static cmb_status find_pattern(cmb_form *form, cmb_arena *scratch)
{
  struct coarse c = {.width = 1, .count = form->nq};
  c.row = cmb_arena_ints(scratch, form->nq), c.column = cmb_arena_ints(scratch, form->nq);
  double *q = cmb_arena_doubles(scratch, form->nq);
  if (cmb_arena_failed(scratch)) return cmb_fail_memory(form->ev->ctx);
  for (int i = 0; i < form->nq; i++) c.row[i] = i;
  while (c.width < form->nv) c.width *= 2;
  c.width *= 2; /* the first half is then all columns */
  while (c.width > 1) CMB_TRY(halve_width(form, scratch, q, &c));
  memset(form->T->probe, 0, (size_t)form->nv * sizeof *form->T->probe);
  return cmb_pattern_of(form->ev->ctx, form->arena, form->nq, form->nv, c.count, c.row, c.column,
                        &form->T->pattern);
}

cmb_status cmb_rates_matrix_create(cmb_form *form)
{
  cmb_arena *arena = form->arena;
  cmb_context *ctx = form->ev->ctx;
  if (!form->ev->eq->rates) return CMB_OK;
  cmb_rates_matrix *T = form->T = cmb_arena_take(arena, 1, sizeof *T);
  if (!T) return cmb_fail_memory(ctx);
  T->probe = cmb_arena_doubles(arena, form->nv);
  T->rate = cmb_arena_doubles(arena, form->nq);
  T->group = cmb_arena_ints(arena, form->nv);
  cmb_arena *scratch = cmb_arena_create(ctx);
  if (cmb_arena_failed(arena) || !scratch) {
    cmb_arena_destroy(scratch);
    return cmb_fail_memory(ctx);
  }
  const cmb_status status = find_pattern(form, scratch);
  cmb_arena_destroy(scratch);
  CMB_TRY(status);
  T->value = cmb_arena_doubles(arena, T->pattern.start[form->nq]);
  return cmb_colour_columns(ctx, &T->pattern, T->group, &T->groups);
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

/* Returns the column of the k-th entry in row i of a sparsity pattern or, if p is NULL, of a dense matrix; −1 if the row has no more than k
 * entries. */
static int column_at(const cmb_pattern *p, int columns, int i, int k)
{
  if (!p) return k < columns ? k : -1;
  return p->start[i] + k < p->start[i + 1] ? p->column[p->start[i] + k] : -1;
}

/* Returns the index of the entry (i, column) of a sparsity pattern, which must contain it. */
static int index_in_row(const cmb_pattern *p, int i, int column)
{
  int k = p->start[i];
  while (p->column[k] != column) k++;
  return k;
}

/* Lists the products of two numbers that are summed in the matrix product block->raw · T, where q̇ = T v: for each product the row and column
 * of the entry of the result to which it belongs. Returns their number; if row is NULL, only counts them. */
static int list_products(const cmb_form *form, const cmb_block *block, int *row, int *column)
{
  const cmb_pattern *T = &form->T->pattern;
  int products = 0;
  for (int i = 0; i < block->rows; i++) {
    for (int k = 0, l; (l = column_at(block->raw_pattern, form->nq, i, k)) >= 0; k++) {
      for (int m = T->start[l]; m < T->start[l + 1]; m++, products++) {
        if (row) row[products] = i, column[products] = T->column[m];
      }
    }
  }
  return products;
}

cmb_status cmb_rates_product_make(cmb_form *form, cmb_block *block)
{
  cmb_context *ctx = form->ev->ctx;
  const int products = list_products(form, block, NULL, NULL);
  cmb_pattern *made = cmb_arena_take(form->arena, 1, sizeof *made);
  block->product = cmb_arena_ints(form->arena, products);
  cmb_arena *scratch = cmb_arena_create(ctx);
  int *row = scratch ? cmb_arena_ints(scratch, products) : NULL;
  int *column = scratch ? cmb_arena_ints(scratch, products) : NULL;
  if (!made || !block->product || !row || !column) {
    cmb_arena_destroy(scratch);
    return cmb_fail_memory(ctx);
  }
  list_products(form, block, row, column);
  const cmb_status status =
      cmb_pattern_of(ctx, form->arena, block->rows, form->nv, products, row, column, made);
  for (int k = 0; k < products && status == CMB_OK; k++) {
    block->product[k] = index_in_row(made, row[k], column[k]);
  }
  block->pattern = made;
  cmb_arena_destroy(scratch);
  return status;
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
