/*
 * Increments of Newton's method (form.h). With the defects r, g, p = G v + g_t (or G v̇ + γ in index 1), all for one complex c:
 *
 *     [ M + c D + c² K    Gᵀ ] [ δv   ]   [ −c r + c² K x ]      second row: −g/c in index 3, −p in index 2 and ggl,
 *     [ G + c C₁ + c² C₂  0  ] [ c δλ ] = [ ..  + c C₁ x  ]      −c p in index 1
 *
 * x = 0 except for ggl. There δq = c T (δv − x), x = Ḡᵀ δη. Inserting Ḡ δv = −p, which holds up to c C₁, in Ḡ (δv − x) = −g/c gives Ḡ Ḡᵀ δη
 * = g/c − p before δv is known. The remainder of g is of second order and is left to the next iteration; so is the effect of x on K if c² K
 * is small compared with M.
 */
#include "form/private.h"
#include "math/dense.h"
#include "math/pattern.h"

#include <string.h>

/* A real or complex number; im is 0 for a real one. */
struct scalar {
  double re, im;
};

/* Computes y = f x for n numbers, from separate to interleaved storage: if `parts` is 2, x[0] has the real and x[1] the imaginary
 * parts, and y receives complex numbers (re, im) one after the other; if 1, the numbers in x[0] and y are real. Works on two
 * numbers at a time, so that one more than n may be written. */
static inline void pack(int n, int parts, struct scalar f, double *const x[2], double *y)
{
  if (parts == 1) {
    for (int i = 0; i < n; i += 2) cmb_lanes_store(f.re * cmb_lanes_load(x[0] + i), y + i);
    return;
  }
  for (int i = 0; i < n; i += 2) {
    const cmb_lanes x_re = cmb_lanes_load(x[0] + i), x_im = cmb_lanes_load(x[1] + i);
    const cmb_lanes re = f.re * x_re - f.im * x_im, im = f.re * x_im + f.im * x_re;
    cmb_lanes_store((cmb_lanes){re[0], im[0]}, y + 2 * i);
    cmb_lanes_store((cmb_lanes){re[1], im[1]}, y + 2 * i + 2);
  }
}

/* Computes y = f x for n numbers, from interleaved to separate storage: if `parts` is 2, x has complex numbers (re, im) one after
 * the other, and y[0] receives the real and y[1] the imaginary parts; if 1, the numbers in x and y[0] are real. Works on two
 * numbers at a time, so that one more than n may be written. */
static inline void unpack(int n, int parts, struct scalar f, const double *x, double *const y[2])
{
  if (parts == 1) {
    for (int i = 0; i < n; i += 2) cmb_lanes_store(f.re * cmb_lanes_load(x + i), y[0] + i);
    return;
  }
  for (int i = 0; i < n; i += 2) {
    const cmb_lanes first = cmb_lanes_load(x + 2 * i), second = cmb_lanes_load(x + 2 * i + 2);
    const cmb_lanes re = {first[0], second[0]}, im = {first[1], second[1]};
    cmb_lanes_store(f.re * re - f.im * im, y[0] + i);
    cmb_lanes_store(f.re * im + f.im * re, y[1] + i);
  }
}

void cmb_form_solve_plain(cmb_form *form, int parts, cmb_linear *matrix, double *b)
{
  form->ev->stats.solve++;
  if (form->scaled) cmb_scale_side(form, parts, b);
  cmb_linear_solve(matrix, b);
  if (form->scaled) cmb_scale_solution(form, parts, b);
}

/* Computes `side`, the right-hand side of the constraint rows in Newton's equations, from the constraint residuals in `defects`: −g/c for
 * constraints on positions (index 3), −(G v + g_t) on velocities, −c (G v̇ + γ) on accelerations (index 1). c is proportional to the step size,
 * `inverse` is 1/c; they are complex numbers if `parts` is 2, else real. */
static void constraint_side(const cmb_form *form, int parts, struct scalar c, struct scalar inverse,
                            const cmb_defects defects[2], double *side)
{
  double *position[2] = {defects[0].position, defects[1].position};
  double *motion[2] = {defects[0].motion, defects[1].motion};
  if (form->kind == CMB_FORM_INDEX3) {
    pack(form->ng, parts, (struct scalar){-inverse.re, -inverse.im}, position, side);
  } else if (form->kind == CMB_FORM_INDEX1) {
    pack(form->ng, parts, (struct scalar){-c.re, -c.im}, motion, side);
  } else {
    pack(form->ng, parts, (struct scalar){-1, 0}, motion, side);
  }
}

/* Computes in the stabilised index-2 form (Gear, Gupta, Leimkuhler) the increment form->eta = δη of the multipliers that keep
 * positions on the constraints g = 0, from G Gᵀ δη = g/c + side, and the change of velocities normal = Gᵀ δη (nv). `side` is the
 * right-hand side of the velocity constraints, `inverse` is 1/c, complex if `parts` is 2. */
static void solve_eta(cmb_form *form, int parts, struct scalar inverse,
                      const cmb_defects defects[2], const double *side, double *const normal[2])
{
  const int nv = form->nv, ng = form->ng;
  double *position[2] = {defects[0].position, defects[1].position};
  double *sum = parts == 1 ? form->eta[0] : form->packed;
  pack(ng, parts, inverse, position, sum);
  for (int i = 0; i < parts * ng; i++) sum[i] += side[i];
  if (parts == 2) unpack(ng, parts, (struct scalar){1, 0}, sum, form->eta);
  for (int k = 0; k < parts; k++) {
    cmb_ldlt_solve(ng, form->S, form->eta[k]);
    memset(normal[k], 0, (size_t)nv * sizeof(double));
    cmb_multiply_transposed_add(form->G.pattern, ng, nv, form->G.value, 1.0, form->eta[k],
                                normal[k]);
  }
}

/* Computes y += c A x for a block A of the iteration matrix and real vectors x and y. Overwrites form->seen[0]. */
static void add_product(cmb_form *form, const cmb_block *block, double c, const double *x,
                        double *y)
{
  double *product = form->seen[0];
  cmb_multiply(block->pattern, block->rows, form->nv, block->value, x, product);
  cmb_add_scaled(block->rows, c, product, y);
}

/* Computes b += f A x for a block A of the iteration matrix and a factor f, complex if `parts` is 2 and real if 1. x has its real and
 * imaginary parts in two arrays, b complex numbers (re, im) one after the other. */
static void add_block_product(cmb_form *form, int parts, const cmb_block *block, struct scalar f,
                              double *const x[2], double *b)
{
  if (parts == 1) {
    add_product(form, block, f.re, x[0], b);
    return;
  }
  for (int k = 0; k < parts; k++) {
    cmb_multiply(block->pattern, block->rows, form->nv, block->value, x[k], form->seen[k]);
  }
  pack(block->rows, parts, f, form->seen, form->packed);
  for (int i = 0; i < parts * block->rows; i++) b[i] += form->packed[i];
}

/* Adds to the right-hand side form->b of Newton's equations the effect of x = `normal`, by which the stabilised index-2 form
 * corrects positions: c C₁ x to the constraint rows and, unless the stiffness block c² K is small, c² K x to the dynamic
 * equations. c is complex if `parts` is 2. */
static void add_normal(cmb_form *form, int parts, struct scalar c, double *const normal[2])
{
  const double size = c.re * c.re + c.im * c.im;
  const struct scalar square = {c.re * c.re - c.im * c.im, 2 * c.re * c.im};
  if (size > form->softness * form->softness) {
    add_block_product(form, parts, &form->K, square, normal, form->b);
  }
  add_block_product(form, parts, &form->C1, c, normal, form->b + parts * form->nv);
}

void cmb_form_solve(cmb_form *form, int parts, double c_re, double c_im, cmb_linear *matrix,
                    const cmb_defects defects[2], cmb_increment *out)
{
  const int nv = form->nv, ng = form->ng;
  const bool ggl = form->kind == CMB_FORM_GGL && ng > 0;
  const double size = c_re * c_re + c_im * c_im;
  const struct scalar c = {c_re, c_im}, inverse = {c_re / size, -c_im / size}, one = {1, 0};
  double *r[2] = {defects[0].r, defects[1].r}, *b = form->b, *side = b + parts * nv;
  pack(nv, parts, (struct scalar){-c_re, -c_im}, r, b);
  constraint_side(form, parts, c, inverse, defects, side);
  if (ggl) {
    solve_eta(form, parts, inverse, defects, side, out->normal);
    add_normal(form, parts, c, out->normal);
  }
  cmb_form_solve_plain(form, parts, matrix, b);
  unpack(nv, parts, one, b, out->v);
  unpack(ng, parts, inverse, side, out->lambda);
  if (!out->w[0]) return;
  for (int k = 0; ggl && k < parts; k++) {
    if (parts == 1) cmb_add_scaled(nv, -1, out->normal[k], b);
    for (int i = 0; parts == 2 && i < nv; i++) b[2 * i + k] -= out->normal[k][i];
  }
  unpack(nv, parts, c, b, out->w);
}

/* Computes y = c M x with the mass block M of the iteration matrix, which is the identity in the explicit formalism. */
static void mass_product(cmb_form *form, double c, const double *x, double *y)
{
  const cmb_block *M = &form->M;
  if (!M->pattern && M->columns == 1) {
    for (int i = 0; i < form->nv; i++) y[i] = c * M->value[i] * x[i];
    return;
  }
  memset(y, 0, (size_t)form->nv * sizeof *y);
  add_product(form, M, c, x, y);
}

/* Smooths the errors s_w of positions and s_v of velocities of a step to estimates e_w and e_v (nv each) in which stiff components are damped,
 * by solving the linearised equations once with the real iteration matrix for the coefficient c, factorised in `matrix`. In the stabilised
 * index-2 form, e_w is then projected so that G e_w = 0. */
void cmb_form_smooth(cmb_form *form, double c, cmb_linear *matrix, const double *s_w,
                     const double *s_v, double *e_w, double *e_v)
{
  const int nv = form->nv, ng = form->ng;
  double *b = form->b, *side = b + nv;
  memset(b, 0, (size_t)form->n * sizeof *b);
  mass_product(form, c, s_v, b);
  add_product(form, &form->K, -c * c, s_w, b);
  if (form->kind == CMB_FORM_INDEX3) {
    add_product(form, &form->G, -1, s_w, side);
  } else if (form->kind == CMB_FORM_INDEX1) {
    add_product(form, &form->G, c, s_v, side);
    add_product(form, &form->C2, -c * c, s_w, side);
  } else {
    add_product(form, &form->C1, -c, s_w, side);
  }
  cmb_form_solve_plain(form, 1, matrix, b);
  for (int i = 0; i < nv; i += 2) {
    cmb_lanes_store(cmb_lanes_load(b + i), e_v + i);
    cmb_lanes_store(cmb_lanes_load(b + i) + cmb_lanes_load(s_w + i), e_w + i);
  }
  if (form->kind == CMB_FORM_GGL && ng > 0) {
    cmb_multiply(form->G.pattern, ng, nv, form->G.value, e_w, form->eta[0]);
    cmb_ldlt_solve(ng, form->S, form->eta[0]);
    cmb_multiply_transposed_add(form->G.pattern, ng, nv, form->G.value, -1.0, form->eta[0], e_w);
  }
  for (int i = 0; i < nv; i++) e_w[i] *= c;
}

/* Computes the component n (nv) of the velocities x (nv) that violates the constraints, G n = G x with the constraint Jacobian G (except for
 * terms that vanish with the step size), by solving one linear system with the real iteration matrix, factorised in `matrix`. */
void cmb_form_crossing(cmb_form *form, cmb_linear *matrix, const double *x, double *n)
{
  const int nv = form->nv;
  double *b = form->b;
  memset(b, 0, (size_t)nv * sizeof *b);
  cmb_multiply(form->G.pattern, form->ng, nv, form->G.value, x, b + nv);
  cmb_form_solve_plain(form, 1, matrix, b);
  memcpy(n, b, (size_t)nv * sizeof *n);
}
