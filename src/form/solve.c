/*
 * Increments of Newton's method (form.h). With the defects r, g, p = G v + g_t (or G v̇ + γ in index 1), all for one complex c:
 *
 *     [ M + c D + c² K    Gᵀ ] [ δv   ]   [ −c r + c² K x ]      second row: −g/c in index 3, −p in index 2 and ggl,
 *     [ G + c C₁ + c² C₂  0  ] [ c δλ ] = [ ..  + c C₁ x  ]      −c p in index 1
 *
 * x = 0 but for ggl. There δq = c T (δv − Ḡᵀ δη), and Ḡ (δv − Ḡᵀ δη) = −g/c gives Ḡ Ḡᵀ δη = Ḡ δv + g/c once δv is known; x = Ḡᵀ δη
 * with the value Ḡ δv = −p, which it has but for c C₁, is what K and C₁ see of it.
 */
#include "form/form.h"
#include "math/dense.h"
#include "math/pattern.h"

#include <string.h>

/* y = (re + i im) x */
static void scale(int n, int parts, double re, double im, double *const x[2], double *const y[2])
{
  for (int i = 0; i < n; i++) {
    double a = x[0][i];
    if (parts == 1) {
      y[0][i] = re * a;
      continue;
    }
    double b = x[1][i];
    y[0][i] = re * a - im * b;
    y[1][i] = re * b + im * a;
  }
}

void cmb_form_take_eta(const cmb_form *form, const double *eta, double *w)
{
  cmb_multiply_transposed_add(form->G.pattern, form->ng, form->nv, form->G.value, -1.0, eta, w);
}

static void solve_plain(cmb_form *form, cmb_linear *matrix, double *b)
{
  form->ev->stats.solve++;
  cmb_linear_solve(matrix, b);
}

/* The second row without x, and δη as far as it is known before δv. */
static void constraint_side(cmb_form *form, int parts, const double inverse[2], const double c[2],
                            const cmb_defects defects[2])
{
  const int ng = form->ng;
  double *position[2] = {defects[0].position, defects[1].position};
  double *motion[2] = {defects[0].motion, defects[1].motion}, **side = form->side;
  switch (form->kind) {
  case CMB_FORM_INDEX3: scale(ng, parts, -inverse[0], -inverse[1], position, side); break;
  case CMB_FORM_INDEX1: scale(ng, parts, -c[0], -c[1], motion, side); break;
  default: scale(ng, parts, -1, 0, motion, side);
  }
}

/* ggl: δη from δv or what stands for it, dv (ng) = Ḡ δv. */
static void solve_eta(cmb_form *form, int parts, const double inverse[2],
                      const cmb_defects defects[2], double *const dv[2], double *const eta[2])
{
  double *position[2] = {defects[0].position, defects[1].position};
  scale(form->ng, parts, inverse[0], inverse[1], position, eta);
  for (int k = 0; k < parts; k++) {
    for (int i = 0; i < form->ng; i++) eta[k][i] += dv[k][i];
    cmb_ldlt_solve(form->ng, form->S, eta[k]);
  }
}

/* ggl: what K and C₁ see of δη, added to both sides. */
static void add_eta(cmb_form *form, int parts, const double c[2], const double c2[2],
                    double *const eta[2])
{
  const int nv = form->nv, ng = form->ng;
  for (int k = 0; k < parts; k++) {
    memset(form->shift[k], 0, (size_t)nv * sizeof(double));
    cmb_multiply_transposed_add(form->G.pattern, ng, nv, form->G.value, 1.0, eta[k],
                                form->shift[k]);
    cmb_multiply(form->K.pattern, nv, nv, form->K.value, form->shift[k], form->force[k]);
    cmb_multiply(form->C1.pattern, ng, nv, form->C1.value, form->shift[k], form->turn[k]);
  }
  scale(nv, parts, c2[0], c2[1], form->force, form->force);
  scale(ng, parts, c[0], c[1], form->turn, form->turn);
  for (int k = 0; k < parts; k++) {
    for (int i = 0; i < nv; i++) form->top[k][i] += form->force[k][i];
    for (int i = 0; i < ng; i++) form->side[k][i] += form->turn[k][i];
  }
}

/* (top, side) into one vector, solved, and back. */
static void solve(cmb_form *form, int parts, cmb_linear *matrix)
{
  const int nv = form->nv, ng = form->ng;
  double *b = form->b;
  for (int k = 0; k < parts; k++) {
    for (int i = 0; i < nv; i++) b[parts * i + k] = form->top[k][i];
    for (int i = 0; i < ng; i++) b[parts * (nv + i) + k] = form->side[k][i];
  }
  solve_plain(form, matrix, b);
  for (int k = 0; k < parts; k++) {
    for (int i = 0; i < nv; i++) form->top[k][i] = b[parts * i + k];
    for (int i = 0; i < ng; i++) form->side[k][i] = b[parts * (nv + i) + k];
  }
}

void cmb_form_solve(cmb_form *form, int parts, double c_re, double c_im, cmb_linear *matrix,
                    const cmb_defects defects[2], cmb_increment *out)
{
  const int nv = form->nv, ng = form->ng;
  const bool ggl = form->kind == CMB_FORM_GGL && ng > 0;
  const double size = c_re * c_re + c_im * c_im, c[2] = {c_re, c_im},
               c2[2] = {c_re * c_re - c_im * c_im, 2 * c_re * c_im},
               inverse[2] = {c_re / size, -c_im / size};
  double *r[2] = {defects[0].r, defects[1].r};
  scale(nv, parts, -c_re, -c_im, r, form->top);
  if (ng > 0) constraint_side(form, parts, inverse, c, defects);
  if (ggl) {
    solve_eta(form, parts, inverse, defects, form->side, out->eta);
    add_eta(form, parts, c, c2, out->eta);
  }
  solve(form, parts, matrix);
  scale(ng, parts, inverse[0], inverse[1], form->side, out->lambda);
  for (int k = 0; k < parts; k++) {
    memcpy(out->v[k], form->top[k], (size_t)nv * sizeof(double));
    if (!ggl) continue;
    cmb_multiply(form->G.pattern, ng, nv, form->G.value, out->v[k], form->turn[k]);
  }
  if (ggl) {
    solve_eta(form, parts, inverse, defects, form->turn, out->eta);
    for (int k = 0; k < parts; k++) cmb_form_take_eta(form, out->eta[k], form->top[k]);
  }
  scale(nv, parts, c_re, c_im, form->top, out->w);
}

/* y += c A x for a block A */
static void add_product(cmb_form *form, const cmb_block *block, double c, const double *x,
                        double *y)
{
  double *product = form->force[0];
  cmb_multiply(block->pattern, block->rows, form->nv, block->value, x, product);
  for (int i = 0; i < block->rows; i++) y[i] += c * product[i];
}

/* y = c M x, or c x in the explicit formalism */
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

/* The right-hand sides: the first row is c M s_v − c² K s_w, the second what the constraints of the kind make of s. */
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
  solve_plain(form, matrix, b);
  for (int i = 0; i < nv; i++) {
    e_v[i] = b[i];
    e_w[i] = b[i] + s_w[i];
  }
  if (form->kind == CMB_FORM_GGL && ng > 0) {
    cmb_multiply(form->G.pattern, ng, nv, form->G.value, e_w, form->turn[0]);
    cmb_ldlt_solve(ng, form->S, form->turn[0]);
    cmb_form_take_eta(form, form->turn[0], e_w);
  }
  for (int i = 0; i < nv; i++) e_w[i] *= c;
}
