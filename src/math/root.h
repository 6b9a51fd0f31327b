/*
 * Bracketing root finder by Chandrupatla (1997): inverse quadratic interpolation where the function is smooth enough, bisection otherwise.
 * The caller evaluates the function, so that the evaluation may fail:
 *
 *     cmb_root r;  cmb_root_begin(&r, a, fa, b, fb);          fa and fb of opposite sign
 *     while (cmb_root_width(&r) > tolerance) { x = cmb_root_next(&r); cmb_root_update(&r, x, f(x)); }
 */
#ifndef CMB_MATH_ROOT_H
#define CMB_MATH_ROOT_H

typedef struct cmb_root {
  double a, fa; /* one end of the bracket: the newest point */
  double b, fb; /* the other end */
  double c, fc; /* the point that left the bracket last; at first b */
  double at;    /* the next point as a fraction from a to b */
} cmb_root;

void cmb_root_begin(cmb_root *r, double a, double fa, double b, double fb);
double cmb_root_width(const cmb_root *r);
double cmb_root_next(const cmb_root *r);
void cmb_root_update(cmb_root *r, double x, double fx);

#endif
