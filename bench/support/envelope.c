/*
 * Work-precision curves (envelope.h).
 */
#include "support/envelope.h"

#include <math.h>
#include <stdlib.h>

static bool beaten(int n, const bench_point *runs, int i)
{
  for (int k = 0; k < n; k++) {
    bool as_good = runs[k].mescd >= runs[i].mescd && runs[k].seconds <= runs[i].seconds;
    bool better = runs[k].mescd > runs[i].mescd || runs[k].seconds < runs[i].seconds;
    if (as_good && (better || k < i)) return true; /* of two equal runs the first stays */
  }
  return false;
}

static int by_accuracy(const void *left, const void *right)
{
  const bench_point *a = left, *b = right;
  return (a->mescd > b->mescd) - (a->mescd < b->mescd);
}

int bench_envelope(int n, const bench_point *runs, bench_point *front)
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (isfinite(runs[i].mescd) && !beaten(n, runs, i)) front[count++] = runs[i];
  }
  qsort(front, (size_t)count, sizeof *front, by_accuracy);
  return count;
}

double bench_time_at(int count, const bench_point *front, double mescd, bool *beyond)
{
  *beyond = count > 0 && mescd < front[0].mescd;
  if (*beyond) return front[0].seconds;
  for (int i = 1; i < count; i++) {
    if (mescd > front[i].mescd) continue;
    double part = (mescd - front[i - 1].mescd) / (front[i].mescd - front[i - 1].mescd);
    return front[i - 1].seconds * pow(front[i].seconds / front[i - 1].seconds, part);
  }
  return NAN;
}
