/*
 * Neutral eigenvalues (neutral.h). A free motion has the eigenvalue 0 twice, with one eigenvector, and an error ε in A moves it by √ε. So
 * eigenvalues below √ε times the largest are neutral, to begin with. A slow one that is not 0 may be among them. It is found by taking the eigenvalue 0 out
 * of A (math/deflate.h) and looking at what is left, which no √ε disturbs.
 *
 * That is believed if there is a clear gap between the singular values that count as 0 and the others, if both ways have the same number of eigenvalues in
 * the band, and for an eigenvalue that both ways agree on: then what was taken out does not bear on it. Otherwise all stay neutral.
 */
#include "system/neutral.h"

#include "math/deflate.h"
#include "math/dense.h"
#include "math/eigen.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double CLEAR = 100; /* so far the least singular value is from what counts as 0 */

int cmb_neutral_work(int m)
{
  return 3 * m * m + 3 * m + cmb_eigen_work(m, 0);
}

/* S = A/s with displacements in a unit of time in which stiffness and velocities are of one size, for singular values to be compared. Returns s. */
static double scale(int n, int m, const double *A, double *S)
{
  double stiffest = 0;
  for (int i = n; i < m; i++) {
    for (int j = 0; j < n; j++) stiffest = fmax(stiffest, fabs(A[(ptrdiff_t)i * m + j]));
  }
  const double rate = stiffest > 0 ? sqrt(stiffest) : 1;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) {
      const double factor = (i < n ? rate : 1) / (j < n ? rate : 1);
      S[(ptrdiff_t)i * m + j] = A[(ptrdiff_t)i * m + j] * factor;
    }
  }
  const double size = cmb_norm2(m * m, S);
  for (ptrdiff_t i = 0; size > 0 && i < (ptrdiff_t)m * m; i++) S[i] /= size;
  return size;
}

static int count_up_to(double most, int count, const double *re, const double *im)
{
  int found = 0;
  for (int i = 0; i < count; i++) found += hypot(re[i], im[i]) <= most;
  return found;
}

/* The neutral eigenvalue nearest to this one that is real as it is, or one of a pair with im > 0; -1: none is near. */
static int find_same(double re, double im, int m, const double *all_re, const double *all_im,
                     const bool *neutral)
{
  double least = CMB_TOLD * hypot(re, im);
  int nearest = -1;
  for (int i = 0; i < m; i++) {
    const double apart = hypot(all_re[i] - re, all_im[i] - im);
    if (!neutral[i] || all_im[i] < 0 || (all_im[i] > 0) != (im > 0) || apart > least) continue;
    least = apart, nearest = i;
  }
  return nearest;
}

void cmb_find_neutral(int n, int m, const double *A, double noise, double band, double *re,
                      double *im, bool *neutral, double *work)
{
  double *S = work, *deflating = S + (ptrdiff_t)m * m, *V = deflating, kept;
  double *left_re = deflating + 2 * (ptrdiff_t)m * m + m, *left_im = left_re + m;
  for (int i = 0; i < m; i++) neutral[i] = hypot(re[i], im[i]) <= band;
  const int in_band = count_up_to(band, m, re, im);
  if (in_band == 0) return;
  const double size = scale(n, m, A, S);
  const int left = cmb_deflate(m, noise, S, deflating, &kept);
  if (kept <= CLEAR * noise) return;
  if (!cmb_eigen_general(left, S, left_re, left_im, V, left_im + m)) return;
  for (int i = 0; i < left; i++) left_re[i] *= size, left_im[i] *= size;
  if (m - left + count_up_to(band, left, left_re, left_im) != in_band) return;
  for (int i = 0; i < left; i++) {
    if (left_im[i] < 0 || hypot(left_re[i], left_im[i]) > band) continue;
    const int same = find_same(left_re[i], left_im[i], m, re, im, neutral);
    if (same < 0) continue;
    const int last = left_im[i] > 0 ? same + 1 : same;
    for (int k = same; k <= last; k++) neutral[k] = false, re[k] = left_re[i];
    im[same] = left_im[i], im[last] = last > same ? -left_im[i] : 0;
  }
}
