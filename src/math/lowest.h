/*
 * Finds the minimum of a nonnegative function of time, starting from three points of which the middle one is the lowest. Each step
 * evaluates at the minimum of the parabola through the squares of the values or, every third time and where that is outside, at a golden
 * section. The squares of a function that touches 0 like |t − t₀| are a parabola. The caller evaluates the function, as for a root
 * (root.h):
 *
 *     cmb_lowest m;  cmb_lowest_begin(&m, a, b, c);
 *     while (cmb_lowest_width(&m) > tolerance) { x.t = cmb_lowest_next(&m); x.value = f(x.t); cmb_lowest_update(&m, x); }
 */
#ifndef CMB_MATH_LOWEST_H
#define CMB_MATH_LOWEST_H

typedef struct cmb_lowest_point {
  double t, value;
} cmb_lowest_point;

typedef struct cmb_lowest {
  cmb_lowest_point a, b, c; /* a.t ≤ b.t ≤ c.t; b is the lowest so far */
  int updates;
} cmb_lowest;

void cmb_lowest_begin(cmb_lowest *m, cmb_lowest_point a, cmb_lowest_point b, cmb_lowest_point c);
double cmb_lowest_width(const cmb_lowest *m);
double cmb_lowest_next(const cmb_lowest *m);
void cmb_lowest_update(cmb_lowest *m, cmb_lowest_point x);

#endif
