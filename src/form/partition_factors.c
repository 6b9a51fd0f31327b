/*
 * Factors of Φ_u, the matrix of the dependent velocities, dense or sparse (partition_factors.h).
 */
#include "form/partition_factors.h"

#include "math/dense.h"
#include "math/linear.h"

#include <string.h>

struct cmb_partition_factors {
  const cmb_equations *eq;
  cmb_partition_choice choice; /* for the present factors */
  int *position; /* (nv) index of a velocity among the dependent ones, -1: it is independent */
  int *selected; /* (ng) whether a constraint is selected */

  /* dense method */
  double *LU;    /* (rank x rank) */
  int *pivot;    /* (rank) */
  double *scale; /* (rank) scratch */

  /* sparse method */
  cmb_linear *K;       /* NULL: dense */
  cmb_pattern pattern; /* pattern of K */
  int *start, *column;
  int *upper, *lower; /* index in K of each value of G: in Gᵀ and in G */
  int *diagonal;      /* (nv + ng) index in K of its diagonal entries */
  double *b;          /* (nv + ng) scratch */
};

/* Makes the sparsity pattern of the symmetric matrix K = [P Gᵀ; G −D] with diagonal matrices P and D and the constraint Jacobian
 * G, row by row. Stores the indices in K of the diagonal entries (f->diagonal) and of each entry of G in Gᵀ and in G (f->upper,
 * f->lower). */
static void make_pattern(cmb_partition_factors *f)
{
  const cmb_pattern *G = f->eq->G_pattern;
  const int nv = f->eq->nv, ng = f->eq->ng;
  int count = 0;
  for (int j = 0; j < nv; j++) {
    f->start[j] = count;
    f->diagonal[j] = count;
    f->column[count++] = j;
    for (int i = 0; i < ng; i++) {
      for (int k = G->start[i]; k < G->start[i + 1]; k++) {
        if (G->column[k] != j) continue;
        f->upper[k] = count;
        f->column[count++] = nv + i;
      }
    }
  }
  for (int i = 0; i < ng; i++) {
    f->start[nv + i] = count;
    for (int k = G->start[i]; k < G->start[i + 1]; k++) {
      f->lower[k] = count;
      f->column[count++] = G->column[k];
    }
    f->diagonal[nv + i] = count;
    f->column[count++] = nv + i;
  }
  f->start[nv + ng] = count;
}

/* Creates the sparse matrix f->K = [P Gᵀ; G −D] with diagonal matrices P and D and the constraint Jacobian G. Its factors serve to
 * solve systems with the matrix Φ_u of the dependent velocities. */
static cmb_status create_sparse(cmb_context *ctx, cmb_arena *arena, cmb_partition_factors *f)
{
  const cmb_pattern *G = f->eq->G_pattern;
  const int n = f->eq->nv + f->eq->ng, entries = G->start[f->eq->ng];
  f->start = cmb_arena_ints(arena, n + 1);
  f->column = cmb_arena_ints(arena, n + 2 * entries);
  f->upper = cmb_arena_ints(arena, entries);
  f->lower = cmb_arena_ints(arena, entries);
  f->diagonal = cmb_arena_ints(arena, n);
  f->b = cmb_arena_doubles(arena, n);
  if (cmb_arena_failed(arena)) return CMB_OK;
  make_pattern(f);
  f->pattern = (cmb_pattern){.rows = n, .columns = n, .start = f->start, .column = f->column};
  return cmb_linear_create(ctx, n, &f->pattern, false, &f->K);
}

cmb_status cmb_partition_factors_create(cmb_context *ctx, cmb_arena *arena, const cmb_equations *eq,
                                        cmb_partition_factors **out)
{
  cmb_partition_factors *f = *out = cmb_arena_take(arena, 1, sizeof *f);
  if (!f) return CMB_OK;
  f->eq = eq;
  f->position = cmb_arena_ints(arena, eq->nv);
  f->selected = cmb_arena_ints(arena, eq->ng);
  if (eq->G_pattern && eq->nv + eq->ng >= CMB_LINEAR_SPARSE_FROM)
    return create_sparse(ctx, arena, f);
  f->LU = cmb_arena_take(arena, (size_t)eq->ng * (size_t)eq->ng, sizeof *f->LU);
  f->pivot = cmb_arena_ints(arena, eq->ng);
  f->scale = cmb_arena_doubles(arena, eq->ng);
  return CMB_OK;
}

void cmb_partition_factors_destroy(cmb_partition_factors *f)
{
  if (f && f->K) cmb_linear_destroy(f->K);
}

/* Factorises the dense matrix Φ_u (rank x rank): the columns of the constraint Jacobian for the dependent velocities in the scaled rows of
 * the selected constraints. */
static cmb_status factor_dense(cmb_partition_factors *f)
{
  const cmb_partition_choice *c = &f->choice;
  const cmb_pattern *G = f->eq->G_pattern;
  const int n = c->rank, nv = f->eq->nv;
  memset(f->LU, 0, (size_t)n * (size_t)n * sizeof *f->LU);
  for (int i = 0; i < n; i++) {
    const int row = c->rows[i], from = G ? G->start[row] : row * nv,
              to = G ? G->start[row + 1] : from + nv;
    for (int k = from; k < to; k++) {
      const int j = f->position[G ? G->column[k] : k - from];
      if (j >= 0) f->LU[i * n + j] = c->scale[row] * c->G[k];
    }
  }
  return cmb_lu_factor(n, f->LU, f->scale, f->pivot);
}

/* Fills the sparse matrix K = [P Gᵀ; G −D] for the present choice of dependent velocities and constraints, and factorises it. G
 * has the scaled rows of the selected constraints and zeros for the others. The diagonal of P is 1 for independent velocities,
 * that of D is 1 for constraints that are not selected; all else in P and D is 0. */
static cmb_status factor_sparse(cmb_partition_factors *f)
{
  const cmb_partition_choice *c = &f->choice;
  const cmb_pattern *G = f->eq->G_pattern;
  const int nv = f->eq->nv, ng = f->eq->ng;
  double *value = cmb_linear_values(f->K);
  for (int j = 0; j < nv; j++) value[f->diagonal[j]] = f->position[j] < 0;
  for (int i = 0; i < ng; i++) {
    const double scale = f->selected[i] ? c->scale[i] : 0;
    value[f->diagonal[nv + i]] = f->selected[i] ? 0 : -1;
    for (int k = G->start[i]; k < G->start[i + 1]; k++) {
      value[f->upper[k]] = value[f->lower[k]] = scale * c->G[k];
    }
  }
  return cmb_linear_factor(f->K);
}

cmb_status cmb_partition_factors_make(cmb_partition_factors *f, const cmb_partition_choice *choice)
{
  f->choice = *choice;
  for (int j = 0; j < f->eq->nv; j++) f->position[j] = -1;
  for (int i = 0; i < f->eq->ng; i++) f->selected[i] = 0;
  for (int i = 0; i < choice->rank; i++) f->position[choice->dependent[i]] = i;
  for (int i = 0; i < choice->rank; i++) f->selected[choice->rows[i]] = 1;
  return f->K ? factor_sparse(f) : factor_dense(f);
}

/* Solves Aᵀ y = x in place (y overwrites x) with the LU factors and row exchanges of A (n x n) made by cmb_lu_factor. */
static void lu_solve_transposed(int n, const double *LU, const int *pivot, double *x)
{
  for (int i = 0; i < n; i++) { /* Uᵀ; 1/u_ii is on the diagonal */
    x[i] *= LU[i * n + i];
    cmb_add_scaled(n - i - 1, -x[i], LU + i * n + i + 1, x + i + 1);
  }
  for (int i = n - 1; i > 0; i--) cmb_add_scaled(i, -x[i], LU + i * n, x); /* Lᵀ */
  for (int i = n - 1; i >= 0; i--) {
    double t = x[i];
    x[i] = x[pivot[i]];
    x[pivot[i]] = t;
  }
}

/* Solves K z = b with the factors of the sparse matrix K, where b (nv + ng) has x[i] at the index in_shift + in[i] for i < rank
 * and is 0 elsewhere; then sets x[i] to z[out_shift + out[i]]. A shift is 0 if its indices are those of velocities, nv if those of
 * constraints. */
static void solve_sparse(cmb_partition_factors *f, int in_shift, const int *in, int out_shift,
                         const int *out, double *x)
{
  const int n = f->choice.rank;
  memset(f->b, 0, (size_t)(f->eq->nv + f->eq->ng) * sizeof *f->b);
  for (int i = 0; i < n; i++) f->b[in_shift + in[i]] = x[i];
  cmb_linear_solve(f->K, f->b);
  for (int i = 0; i < n; i++) x[i] = f->b[out_shift + out[i]];
}

void cmb_partition_factors_solve(cmb_partition_factors *f, double *x)
{
  const cmb_partition_choice *c = &f->choice;
  if (f->K) {
    solve_sparse(f, f->eq->nv, c->rows, 0, c->dependent, x);
  } else {
    cmb_lu_solve(c->rank, f->LU, f->pivot, x);
  }
}

void cmb_partition_factors_solve_transposed(cmb_partition_factors *f, double *x)
{
  const cmb_partition_choice *c = &f->choice;
  if (f->K) {
    solve_sparse(f, 0, c->dependent, f->eq->nv, c->rows, x);
  } else {
    lu_solve_transposed(c->rank, f->LU, f->pivot, x);
  }
}
