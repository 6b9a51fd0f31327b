/*
 * The blocks of the iteration matrix (form.h): which ones there are, where their values are stored in the matrix, their values from the
 * equations, and the assembly of the matrix for one c.
 *
 *     [ M + c D + c² K     border ]      border = Gᵀ, or M⁻¹ Gᵀ in the explicit formalism,
 *     [ G + c C₁ + c² C₂     0    ]      where M becomes I, and D and K are multiplied by M⁻¹
 *
 * The matrix is sparse if it is large and all of its blocks are sparse.
 */
#include "base/context.h"
#include "form/check.h"
#include "form/private.h"
#include "math/dense.h"
#include "math/pattern.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* number of linearisations between updates of the scaling: sizes and rounding change slowly */
enum { SCALE_EVERY = 16 };

/* Returns whether the dynamic equations are used in the explicit formalism, that is, multiplied by the inverse mass matrix M⁻¹. */
static bool is_explicit(const cmb_form *form)
{
  return form->formalism == CMB_FORMALISM_EXPLICIT;
}

/* Allocates from form->arena the values of a block of the iteration matrix, block->value, and their indices in that matrix,
 * block->place; sets block->count to their number. */
static void take_values(cmb_form *form, cmb_block *block)
{
  block->count = cmb_pattern_values(block->pattern, block->rows, block->columns);
  block->value = cmb_arena_doubles(form->arena, block->count);
  block->place = cmb_arena_ints(form->arena, block->count);
}

/* Creates a block of the iteration matrix (rows x nv) for the derivative `which` of the equations. If this is one with respect to the
 * positions q, it is multiplied by T of q̇ = T v, which makes it a derivative in the directions of the velocities v. */
static cmb_status make_derivative(cmb_form *form, cmb_derivative which, int rows, cmb_block *block)
{
  const bool by_q = which == CMB_RESIDUAL_Q || which == CMB_VELOCITY_Q || which == CMB_GAMMA_Q;
  const bool exact = form->source == CMB_SOURCE_EXACT;
  const cmb_pattern *pattern = exact ? form->ev->eq->derivative_pattern[which] : NULL;
  *block = (cmb_block){.rows = rows, .columns = form->nv, .pattern = pattern};
  if (by_q && form->T && exact) {
    block->raw_pattern = pattern;
    block->raw = cmb_arena_doubles(form->arena, cmb_pattern_values(pattern, block->rows, form->nq));
    CMB_TRY(cmb_rates_product_make(form, block));
  }
  take_values(form, block);
  return CMB_OK;
}

/* Initialises *block as a dense block (rows x columns) of the iteration matrix and allocates its values from form->arena. */
static void make_dense(cmb_form *form, int rows, int columns, cmb_block *block)
{
  *block = (cmb_block){.rows = rows, .columns = columns};
  take_values(form, block);
}

/* Creates the mass block of the iteration matrix: the mass matrix as the equations store it, or the identity in the explicit formalism. */
static void make_mass(cmb_form *form)
{
  const cmb_equations *eq = form->ev->eq;
  cmb_block *M = &form->M;
  const bool diagonal = eq->mass_diagonal || is_explicit(form);
  *M = (cmb_block){.rows = form->nv,
                   .columns = diagonal ? 1 : form->nv,
                   .pattern = diagonal ? NULL : eq->M_pattern};
  take_values(form, M);
  for (int i = 0; is_explicit(form) && M->value && i < form->nv; i++) M->value[i] = 1;
}

/* Creates all blocks of the iteration matrix that this formulation has. Their values are computed later, except for the identity
 * that replaces the mass matrix in the explicit formalism. */
static cmb_status make_blocks(cmb_form *form)
{
  const int nv = form->nv, ng = form->ng;
  make_mass(form);
  form->G = (cmb_block){.rows = ng, .columns = nv, .pattern = form->ev->eq->G_pattern};
  take_values(form, &form->G);
  if (is_explicit(form)) {
    make_dense(form, nv, ng, &form->border);
    make_dense(form, nv, nv, &form->D);
    make_dense(form, nv, nv, &form->K);
    if (form->source == CMB_SOURCE_EXACT) {
      CMB_TRY(make_derivative(form, CMB_RESIDUAL_V, nv, &form->plain_D));
      CMB_TRY(make_derivative(form, CMB_RESIDUAL_Q, nv, &form->plain_K));
    }
  } else {
    form->border = form->G;
    form->border.place = cmb_arena_ints(form->arena, form->G.count);
    CMB_TRY(make_derivative(form, CMB_RESIDUAL_V, nv, &form->D));
    CMB_TRY(make_derivative(form, CMB_RESIDUAL_Q, nv, &form->K));
  }
  if (!form->has_motion) return CMB_OK;
  const bool index1 = form->kind == CMB_FORM_INDEX1;
  CMB_TRY(make_derivative(form, index1 ? CMB_GAMMA_V : CMB_VELOCITY_Q, ng, &form->C1));
  if (index1) CMB_TRY(make_derivative(form, CMB_GAMMA_Q, ng, &form->C2));
  if (form->kind == CMB_FORM_GGL)
    form->S = cmb_arena_take(form->arena, (size_t)ng * (size_t)ng, sizeof *form->S);
  return CMB_OK;
}

/* ---- storage */

/* Row and column of entries of the matrix; duplicates are allowed. */
struct cmb_marks {
  int count;
  int *row, *column;
};

/* Position of a block in the matrix, whether it is transposed there, and whether it is stored as its diagonal. */
struct position {
  int row, column;
  bool transposed, diagonal;
};

/* Returns the column of stored value number k of a block of the iteration matrix, which is dense (row by row) or sparse with the
 * pattern block->pattern. `row` is the row of the value. */
static int column_of(const cmb_block *block, int row, int k)
{
  return block->pattern ? block->pattern->column[k] : k - row * block->columns;
}

/* Returns the index of the entry (row, column) among the values of the iteration matrix, by binary search in its sparsity pattern, which
 * must contain the entry. */
static int index_of(const cmb_form *form, int row, int column)
{
  const cmb_pattern *p = form->pattern;
  if (!p) return row * form->n + column;
  int low = p->start[row], high = p->start[row + 1] - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (p->column[middle] < column) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Visits all entries of a block of the iteration matrix; `at` is the position of the block in the matrix. In the first pass, which finds the
 * sparsity pattern, appends the row and column of each entry to form->marks. In the second pass, stores the index of each entry among the
 * values of the matrix in block->place. */
static void visit_entries(cmb_form *form, cmb_block *block, struct position at)
{
  for (int i = 0; i < block->rows; i++) {
    int from = block->pattern ? block->pattern->start[i] : i * block->columns;
    int to = block->pattern ? block->pattern->start[i + 1] : from + block->columns;
    for (int k = from; k < to; k++) {
      int j = at.diagonal ? i : column_of(block, i, k);
      int row = at.row + (at.transposed ? j : i), column = at.column + (at.transposed ? i : j);
      if (form->marks) {
        const int count = form->marks->count++;
        form->marks->row[count] = row, form->marks->column[count] = column;
      } else {
        block->place[k] = index_of(form, row, column);
      }
    }
  }
}

/* Visits the entries of all blocks of the iteration matrix: appends their rows and columns to form->marks while the pattern of the
 * matrix is being made, and afterwards stores their indices among the values of the matrix. */
static void visit_all_entries(cmb_form *form)
{
  const int nv = form->nv;
  const bool diagonal = form->M.columns == 1 && !form->M.pattern;
  visit_entries(form, &form->M, (struct position){.diagonal = diagonal});
  visit_entries(form, &form->D, (struct position){0});
  visit_entries(form, &form->K, (struct position){0});
  visit_entries(form, &form->border,
                (struct position){.column = nv, .transposed = !is_explicit(form)});
  visit_entries(form, &form->G, (struct position){.row = nv});
  visit_entries(form, &form->C1, (struct position){.row = nv});
  visit_entries(form, &form->C2, (struct position){.row = nv});
}

/* Returns whether the iteration matrix may be stored as a sparse matrix, provided that its blocks are sparse. This requires a large matrix, the
 * residual formalism (in the explicit one M⁻¹ fills the matrix) and exact derivatives (difference quotients give dense blocks). */
static bool may_be_sparse(const cmb_form *form)
{
  return form->n >= CMB_LINEAR_SPARSE_FROM && !is_explicit(form) &&
         form->source == CMB_SOURCE_EXACT;
}

/* Returns whether the iteration matrix is stored sparse: it is large, and all its blocks are sparse. */
static bool is_sparse(const cmb_form *form)
{
  const cmb_equations *eq = form->ev->eq;
  if (!may_be_sparse(form)) return false;
  bool patterns = (eq->mass_diagonal || form->M.pattern) && form->D.pattern && form->K.pattern;
  bool borders = form->ng == 0 || form->G.pattern;
  bool motion = !form->has_motion || form->C1.pattern;
  return patterns && borders && motion && (form->kind != CMB_FORM_INDEX1 || form->C2.pattern);
}

/* Returns the number of stored entries of all blocks of the iteration matrix. */
static int count_entries(const cmb_form *form)
{
  return form->M.count + form->D.count + form->K.count + form->border.count + form->G.count +
         form->C1.count + form->C2.count;
}

/* Makes the sparsity pattern of the iteration matrix, form->pattern, from the entries of all blocks and the whole diagonal. */
static cmb_status make_pattern(cmb_form *form)
{
  cmb_context *ctx = form->ev->ctx;
  const int n = form->n, most = count_entries(form) + n;
  struct cmb_marks marks = {.count = 0};
  cmb_pattern *p = cmb_arena_take(form->arena, 1, sizeof *p);
  cmb_arena *scratch = cmb_arena_create(ctx);
  if (scratch) {
    marks.row = cmb_arena_ints(scratch, most), marks.column = cmb_arena_ints(scratch, most);
  }
  cmb_status status = p && marks.row && marks.column ? CMB_OK : cmb_fail_memory(ctx);
  if (status == CMB_OK) {
    form->marks = &marks;
    visit_all_entries(form);
    form->marks = NULL;
    for (int i = 0; i < n; i++, marks.count++)
      marks.row[marks.count] = marks.column[marks.count] = i;
    status = cmb_pattern_of(ctx, form->arena, n, n, marks.count, marks.row, marks.column, p);
  }
  form->pattern = p;
  cmb_arena_destroy(scratch);
  return status;
}

/* Returns CMB_ERROR_INPUT with a message if a dense iteration matrix would be too large to index with an int: more than INT_MAX/2
 * entries, since a complex entry has two numbers. Otherwise returns CMB_OK. */
static cmb_status refuse_dense(const cmb_form *form)
{
  if ((double)form->n * form->n <= INT_MAX / 2) return CMB_OK; /* a complex entry has two numbers */
  return cmb_fail(form->ev->ctx, CMB_ERROR_INPUT,
                  "the iteration matrix has %d unknowns; expected at most %.0f where it is not "
                  "sparse, as in the "
                  "residual formalism with exact derivatives",
                  form->n, floor(sqrt(INT_MAX / 2)));
}

cmb_status cmb_blocks_create(cmb_form *form)
{
  cmb_context *ctx = form->ev->ctx;
  if (!may_be_sparse(form)) CMB_TRY(refuse_dense(form));
  CMB_TRY(make_blocks(form));
  if (cmb_arena_failed(form->arena)) return cmb_fail_memory(ctx);
  if (is_sparse(form)) {
    CMB_TRY(make_pattern(form));
  } else {
    CMB_TRY(refuse_dense(form));
  }
  if (cmb_arena_failed(form->arena)) return cmb_fail_memory(ctx);
  visit_all_entries(form);
  form->values = cmb_pattern_values(form->pattern, form->n, form->n);
  return CMB_OK;
}

/* ---- values */

/* Computes the derivative `which` of the equations at the state s into a block of the iteration matrix; a derivative with respect to the
 * positions q is multiplied by T of q̇ = T v. */
static cmb_status derive(cmb_form *form, const cmb_form_state *s, cmb_derivative which,
                         cmb_block *block)
{
  double *to = block->raw ? block->raw : block->value;
  CMB_TRY(cmb_derivative_at(form->differences, s->t, s->q, s->v, s->a, s->lambda, which, to));
  if (block->raw) cmb_rates_product(form, block);
  return CMB_OK;
}

/* Computes the dense block M⁻¹ A (nv x nv) of the iteration matrix, column by column, from A = `plain` and the factors of the mass matrix M
 * in form->mass. */
static void divide_by_mass(cmb_form *form, const cmb_block *plain, cmb_block *block)
{
  const int nv = form->nv;
  double *x = form->x;
  for (int j = 0; j < nv; j++) form->y[j] = 0;
  for (int j = 0; j < nv; j++) {
    form->y[j] = 1;
    cmb_multiply(plain->pattern, nv, nv, plain->value, form->y, x);
    form->y[j] = 0;
    cmb_kkt_solve(form->mass, x, NULL, x, NULL);
    for (int i = 0; i < nv; i++) block->value[i * nv + j] = x[i];
  }
}

/* Computes the derivatives D = ∂r/∂v and K = ∂r/∂q T of the residual r of the dynamic equations at the state s, where q̇ = T v.
 * Derivatives that the equations supply are checked once by difference quotients. In the explicit formalism, D and K are finally
 * multiplied by M⁻¹. */
static cmb_status derive_dynamic(cmb_form *form, const cmb_form_state *s)
{
  const bool divide = is_explicit(form);
  cmb_block *D = divide ? &form->plain_D : &form->D, *K = divide ? &form->plain_K : &form->K;
  CMB_TRY(derive(form, s, CMB_RESIDUAL_V, D));
  CMB_TRY(derive(form, s, CMB_RESIDUAL_Q, K));
  CMB_TRY(cmb_check_derivatives(form->check, s, K->raw ? K->raw : K->value, D->value));
  if (divide) {
    divide_by_mass(form, D, &form->D);
    divide_by_mass(form, K, &form->K);
  }
  return CMB_OK;
}

/* Computes the blocks of derivatives in the iteration matrix at the state s, by finite differences or from the equations, and
 * counts them as one Jacobian evaluation. */
static cmb_status derive_all(cmb_form *form, const cmb_form_state *s)
{
  cmb_statistics *stats = &form->ev->stats;
  const long jacobians = stats->jacobian;
  if (form->source != CMB_SOURCE_EXACT) {
    stats->jacobian++;
    return cmb_estimate_derivatives(form, s);
  }
  CMB_TRY(derive_dynamic(form, s));
  if (form->has_motion && form->kind != CMB_FORM_INDEX1) {
    CMB_TRY(derive(form, s, CMB_VELOCITY_Q, &form->C1));
  } else if (form->has_motion) {
    CMB_TRY(derive(form, s, CMB_GAMMA_V, &form->C1));
    CMB_TRY(derive(form, s, CMB_GAMMA_Q, &form->C2));
  }
  stats->jacobian = jacobians + 1; /* all of them together count as one Jacobian */
  return CMB_OK;
}

/* Computes G Gᵀ from the constraint Jacobian G and its LDLᵀ factors, stored in form->S, for the stabilised index-2 form (Gear,
 * Gupta, Leimkuhler). Returns CMB_RETRY_SINGULAR if G Gᵀ is not positive definite. */
static cmb_status factor_S(cmb_form *form)
{
  const cmb_pattern *p = form->G.pattern;
  const double *G = form->G.value;
  const int nv = form->nv, ng = form->ng;
  double *row = form->x;
  for (int i = 0; i < ng; i++) {
    for (int j = 0; j < nv; j++) row[j] = p ? 0 : G[i * nv + j];
    for (int k = p ? p->start[i] : 0; p && k < p->start[i + 1]; k++) row[p->column[k]] = G[k];
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      if (!p) sum = cmb_dot(nv, row, G + j * nv);
      for (int k = p ? p->start[j] : 0; p && k < p->start[j + 1]; k++) {
        sum += G[k] * row[p->column[k]];
      }
      form->S[(ptrdiff_t)i * ng + j] = sum;
    }
  }
  return cmb_ldlt_factor(ng, form->S) >= 0 ? CMB_RETRY_SINGULAR : CMB_OK;
}

/* Computes M⁻¹ Gᵀ (nv x ng), the upper right block of the iteration matrix in the explicit formalism, from the constraint Jacobian G and
 * the factors of the mass matrix M. */
static void divide_border(cmb_form *form)
{
  const int nv = form->nv, ng = form->ng;
  for (int k = 0; k < ng; k++) {
    memset(form->y, 0, (size_t)ng * sizeof *form->y);
    memset(form->x, 0, (size_t)nv * sizeof *form->x);
    form->y[k] = 1;
    cmb_multiply_transposed_add(form->G.pattern, ng, nv, form->G.value, 1.0, form->y, form->x);
    cmb_kkt_solve(form->mass, form->x, NULL, form->x, NULL);
    for (int i = 0; i < nv; i++) form->border.value[i * ng + k] = form->x[i];
  }
}

/* Returns the largest absolute value in a matrix block; 0 if the block is empty. */
static double largest(const cmb_block *block)
{
  double most = 0;
  for (int k = 0; k < block->count; k++) most = fmax(most, fabs(block->value[k]));
  return most;
}

cmb_status cmb_form_linearize(cmb_form *form, const cmb_form_state *s, bool all)
{
  cmb_evaluator *ev = form->ev;
  const bool divide = is_explicit(form);
  cmb_terms want = {.M = divide ? ev->M : form->M.value, .G = form->G.value};
  CMB_TRY(cmb_evaluate(ev, s->t, s->q, NULL, &want));
  if (form->looks++ % SCALE_EVERY == 0) CMB_TRY(cmb_scale_look(form, want.M, s));
  if (divide) {
    CMB_TRY(cmb_mass_factor(form));
    divide_border(form);
  }
  if (form->kind == CMB_FORM_GGL && form->ng > 0) CMB_TRY(factor_S(form));
  if (form->T && all) cmb_rates_matrix_at(form, s->q);
  if (!all) return CMB_OK;
  if (divide) CMB_TRY(cmb_check_forced(form->check, s));
  CMB_TRY(derive_all(form, s));
  if (form->kind == CMB_FORM_GGL) {
    const double small = 0.1;
    form->softness = sqrt(small * largest(&form->M) / fmax(largest(&form->K), DBL_MIN));
  }
  return CMB_OK;
}

/* ---- assembly */

cmb_status cmb_form_matrix_create(cmb_form *form, bool is_complex, cmb_linear **matrix)
{
  return cmb_linear_create(form->ev->ctx, form->n, form->pattern, is_complex, matrix);
}

/* Copies the values of a block to their places in the iteration matrix A. `parts` is 1 for a real and 2 for a complex matrix, of
 * which only the real parts are set. */
static inline void copy_block(const cmb_block *block, int parts, double *A)
{
  for (int k = 0; k < block->count; k++) A[parts * block->place[k]] = block->value[k];
}

/* Adds c times the values of a block to the real iteration matrix A. */
static void add_real(const cmb_block *block, double c, double *A)
{
  for (int k = 0; k < block->count; k++) A[block->place[k]] += c * block->value[k];
}

/* Adds c times the values of a block to the complex iteration matrix A. */
static void add_complex(const cmb_block *block, cmb_lanes c, double *A)
{
  for (int k = 0; k < block->count; k++) {
    double *to = A + 2 * (ptrdiff_t)block->place[k];
    cmb_lanes_store(cmb_lanes_load(to) + c * block->value[k], to);
  }
}

/* Writes the constant part of the iteration matrix to A: the blocks that do not depend on the step size (the mass matrix, the constraint
 * Jacobian G, and Gᵀ or, in the explicit formalism, M⁻¹ Gᵀ), and 0 elsewhere. `parts` is 1 for a real and 2 for a complex matrix. */
static inline void assemble_constant(const cmb_form *form, int parts, double *A)
{
  memset(A, 0, (size_t)parts * (size_t)form->values * sizeof *A);
  copy_block(&form->M, parts, A);
  copy_block(&form->border, parts, A);
  copy_block(&form->G, parts, A);
}

/* Assembles the iteration matrix A from its blocks, M + c D + c² K, G + c C₁ + c² C₂ and Gᵀ (or M⁻¹ Gᵀ), for a real c, which is
 * proportional to the step size. */
static void assemble_real(const cmb_form *form, double c, double *A)
{
  assemble_constant(form, 1, A);
  add_real(&form->D, c, A);
  add_real(&form->K, c * c, A);
  add_real(&form->C1, c, A);
  add_real(&form->C2, c * c, A);
}

/* Assembles the iteration matrix A from its blocks, M + c D + c² K, G + c C₁ + c² C₂ and Gᵀ (or M⁻¹ Gᵀ), for the complex c = re +
 * i im, which is proportional to the step size. */
static void assemble_complex(const cmb_form *form, double re, double im, double *A)
{
  const cmb_lanes c = {re, im}, square = {re * re - im * im, 2 * re * im};
  assemble_constant(form, 2, A);
  add_complex(&form->D, c, A);
  add_complex(&form->K, square, A);
  add_complex(&form->C1, c, A);
  add_complex(&form->C2, square, A);
}

cmb_status cmb_form_factor(cmb_form *form, double c_re, double c_im, cmb_linear *matrix)
{
  double *A = cmb_linear_values(matrix);
  form->ev->stats.factor++;
  if (c_im == 0) {
    assemble_real(form, c_re, A);
  } else {
    assemble_complex(form, c_re, c_im, A);
  }
  if (form->scaled) cmb_scale_matrix(form, c_im == 0 ? 1 : 2, A);
  cmb_status status = cmb_linear_factor(matrix);
  if (status == CMB_OK && form->noise_due && c_im == 0) cmb_scale_noise(form, matrix);
  return status == CMB_RETRY_SINGULAR ? CMB_RETRY_MATRIX : status;
}
