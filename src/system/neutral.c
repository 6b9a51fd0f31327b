/*
 * Neutral eigenvalues (neutral.h). A free motion has the eigenvalue 0 twice, with one eigenvector, and an error ε in A moves it by
 * √ε. So eigenvalues below √ε times the largest are neutral at first. A slow one that is not 0 may be among them. It is found by
 * deflating the eigenvalue 0 from A (math/deflate.h) and computing the eigenvalues of the rest, which have no error √ε.
 *
 * The result is accepted if there is a clear gap between the singular values that count as 0 and the others, if both computations
 * have the same number of eigenvalues in the band, and for an eigenvalue on which both agree: then the deflation does not affect
 * it. Otherwise all stay neutral.
 */
#include "system/neutral.h"

#include "math/deflate.h"
#include "math/dense.h"
#include "math/eigen.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* least ratio of the smallest remaining singular value to the noise */
static const double CLEAR = 100;

int cmb_neutral_work(int m)
{
  return 3 * m * m + 3 * m + cmb_eigen_work(m, 0);
}

/* Scales the state matrix A (m x m) to S (m x m), so that singular values can be compared: chooses the unit of time for the first n unknowns,
 * which are displacements, such that stiffness and velocities have about the same size, and divides by the Frobenius norm. Returns that norm,
 * by which eigenvalues of S have to be multiplied; 0 if A = 0. */
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

/* Returns the index of that neutral eigenvalue (one that is 0 up to rounding) which is nearest to re + i im and of the same type, real or with
 * im > 0, among the m eigenvalues all_re + i all_im. Returns −1 if none is within the relative distance CMB_NEUTRAL_ACCURACY. */
static int find_same(double re, double im, int m, const double *all_re, const double *all_im,
                     const bool *neutral)
{
  double least = CMB_NEUTRAL_ACCURACY * hypot(re, im);
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
  double *rest_re = deflating + 2 * (ptrdiff_t)m * m + m, *rest_im = rest_re + m;
  for (int i = 0; i < m; i++) neutral[i] = hypot(re[i], im[i]) <= band;
  const int in_band = count_up_to(band, m, re, im);
  if (in_band == 0) return;
  const double size = scale(n, m, A, S);
  const int rest_size = cmb_deflate(m, noise, S, deflating, &kept);
  if (kept <= CLEAR * noise) return;
  if (!cmb_eigen_general(rest_size, S, rest_re, rest_im, V, rest_im + m)) return;
  for (int i = 0; i < rest_size; i++) rest_re[i] *= size, rest_im[i] *= size;
  if (m - rest_size + count_up_to(band, rest_size, rest_re, rest_im) != in_band) return;
  for (int i = 0; i < rest_size; i++) {
    if (rest_im[i] < 0 || hypot(rest_re[i], rest_im[i]) > band) continue;
    const int same = find_same(rest_re[i], rest_im[i], m, re, im, neutral);
    if (same < 0) continue;
    const int last = rest_im[i] > 0 ? same + 1 : same;
    for (int k = same; k <= last; k++) neutral[k] = false, re[k] = rest_re[i];
    im[same] = rest_im[i], im[last] = last > same ? -rest_im[i] : 0;
  }
}
