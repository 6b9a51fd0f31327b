/*
 * What the files of a form share (form.h).
 *
 *     form.c        creation, defects
 *     blocks.c      the blocks of the matrix: patterns, derivatives from the equations, assembly
 *     rates.c       T as a matrix, and products with it
 *     estimate.c    derivatives by differences, with an estimated pattern
 *     extension.c   derivatives that follow the inputs
 *     solve.c       right-hand sides and increments
 *     scale.c       sizes of the unknowns: scaling of the matrix, rounding of states
 */
#ifndef CMB_FORM_PRIVATE_H
#define CMB_FORM_PRIVATE_H

#include "form/form.h"

typedef struct cmb_rates_matrix {
  cmb_pattern pattern; /* nq x nv */
  double *value;
  int groups, *group; /* (nv) columns that share no row */
  double *probe;      /* (nv) */
  double *rate;       /* (nq) */
} cmb_rates_matrix;

/* rates.c: T's pattern is found by trying it. Left to the arena on failure, as the others here. */
cmb_status cmb_rates_matrix_create(cmb_form *form);
void cmb_rates_matrix_at(cmb_form *form, const double *q);
/* The pattern of value = raw T for a block whose raw_pattern is set, and its arrays. */
cmb_status cmb_rates_product_make(cmb_form *form, cmb_block *block);
void cmb_rates_product(const cmb_form *form, cmb_block *block);

/* blocks.c */
cmb_status cmb_blocks_create(cmb_form *form);
/* x := M⁻¹ x with the mass matrix last factored by cmb_mass_factor, which has it from ev->M. */
cmb_status cmb_mass_factor(cmb_form *form);

/* estimate.c */
void cmb_estimate_create(cmb_form *form);
cmb_status cmb_estimate_derivatives(cmb_form *form, const cmb_form_state *state);
/* Move v or q by delta in the direction of velocity j; returns how far it really went. */
double cmb_move_velocity(const double *from, int j, double *moved);
double cmb_move_position(cmb_form *form, const double *from, int j, double *moved);

/* scale.c: sizes and noise for the M given, as the equations store it, the form's G and the state, and the rest of the noise once a
 * matrix is factored; then, if form->scaled, the matrix (parts doubles a number), a right-hand side and its solution. */
void cmb_scale_create(cmb_form *form);
/* Units of velocities by M: M_ii^(-1/2), powers of two; all 1, and false, if they are of about one size. */
bool cmb_velocity_units(const cmb_equations *eq, const double *M, double *unit);
cmb_status cmb_scale_look(cmb_form *form, const double *M, const cmb_form_state *state);
void cmb_scale_noise(cmb_form *form, cmb_linear *matrix);
void cmb_scale_matrix(const cmb_form *form, int parts, double *A);
void cmb_scale_side(const cmb_form *form, int parts, double *b);
void cmb_scale_solution(const cmb_form *form, int parts, double *x);

/* solve.c: b := A⁻¹ b, the matrix being scaled or not. */
void cmb_form_solve_plain(cmb_form *form, int parts, cmb_linear *matrix, double *b);

/* extension.c */
void cmb_extension_create(cmb_form *form);

#endif
