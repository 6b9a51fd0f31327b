/*
 * Calls of LAPACK (eigen.h). Fortran stores columns, we store rows: what LAPACK calls a matrix is our transpose, so its
 * sets of columns are our sets of rows without a copy.
 */
#include "math/eigen.h"

#include <stddef.h>
#include <string.h>

/* LAPACK's Fortran names; the last arguments are the lengths of the texts. */
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, size_t, size_t);
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, size_t, size_t);
void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau,
             double *work, const int *lwork, int *info);
void dorgqr_(const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau,
             double *work, const int *lwork, int *info);

static int least(int a, int b)
{
  return a < b ? a : b;
}

int cmb_eigen_work(int n, int rows)
{
  return 4 * n + 3 * rows + least(n, rows) + 4;
}

static void transpose(int n, double *A)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      double x = A[i * n + j];
      A[i * n + j] = A[j * n + i];
      A[j * n + i] = x;
    }
  }
}

bool cmb_eigen_general(int n, double *A, double *re, double *im, double *V, double *work)
{
  const int room = 4 * n, one = 1;
  int info = 0;
  double none[1];
  if (n == 0) return true;
  transpose(n, A);
  dgeev_("N", "V", &n, A, &n, re, im, none, &one, V, &n, work, &room, &info, 1, 1);
  return info == 0;
}

bool cmb_eigen_symmetric(int n, double *A, double *mu, double *work)
{
  const int room = 4 * n;
  int info = 0;
  if (n == 0) return true;
  dsyev_("V", "L", &n, A, &n, mu, work, &room, &info, 1, 1);
  return info == 0;
}

bool cmb_row_space(int rows, int n, double *B, int *order, double *Q, double *work)
{
  const int reflectors = least(rows, n), room = 3 * rows + n + 2;
  double *tau = work + room;
  int info = 0;
  memset(Q, 0, (size_t)n * (size_t)n * sizeof *Q);
  for (int i = 0; i < n; i++) Q[i * n + i] = 1;
  if (reflectors == 0) return true;
  for (int i = 0; i < rows; i++) order[i] = 0; /* any row may come first */
  dgeqp3_(&n, &rows, B, &n, order, tau, work, &room, &info);
  if (info != 0) return false;
  for (int i = 0; i < rows; i++) order[i]--; /* Fortran counts from 1 */
  memcpy(Q, B, (size_t)reflectors * (size_t)n * sizeof *Q);
  dorgqr_(&n, &n, &reflectors, Q, &n, tau, work, &room, &info);
  return info == 0;
}
