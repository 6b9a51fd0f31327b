/*
 * Functions and types that the source files of a form share (form.h).
 *
 *     form.c        creation, defects
 *     blocks.c      the blocks of the matrix: patterns, derivatives from the equations, assembly
 *     rates.c       T as a matrix, and products with it
 *     estimate.c    derivatives by differences, with an estimated pattern
 *     extension.c   derivatives that are updated with the inputs
 *     solve.c       right-hand sides and increments
 *     scale.c       units of the unknowns: scaling of the matrix, rounding of states
 */
#ifndef CMB_FORM_PRIVATE_H
#define CMB_FORM_PRIVATE_H

#include "form/form.h"

/* The matrix T of q̇ = T(q) v, and scratch for computing it column group by column group. */
typedef struct cmb_rates_matrix {
  cmb_pattern pattern; /* nq x nv */
  double *value;
  int groups, *group; /* (nv) columns that share no row */
  double *probe;      /* (nv) */
  double *rate;       /* (nq) */
} cmb_rates_matrix;

/* Creates T, whose pattern is found by evaluating T v (rates.c). cmb_rates_matrix_at computes its values at q. */
cmb_status cmb_rates_matrix_create(cmb_form *form);
void cmb_rates_matrix_at(cmb_form *form, const double *q);
/* Makes the pattern of value = raw T and the array `product` for a block with raw derivatives; cmb_rates_product computes the product. */
cmb_status cmb_rates_product_make(cmb_form *form, cmb_block *block);
void cmb_rates_product(const cmb_form *form, cmb_block *block);

/* Creates the blocks and the pattern of the matrix (blocks.c). */
cmb_status cmb_blocks_create(cmb_form *form);
/* Factorises the mass matrix in ev->M for form->mass, by which M⁻¹ x is solved. */
cmb_status cmb_mass_factor(cmb_form *form);

/* Creates the memory for derivatives by differences, and computes all blocks of derivatives by differences (estimate.c). */
void cmb_estimate_create(cmb_form *form);
cmb_status cmb_estimate_derivatives(cmb_form *form, const cmb_form_state *state);
/* Change v, or q, by an increment in the direction of velocity j; return the increment, for v, and for q where T = I, as rounded. */
double cmb_move_velocity(const double *from, int j, double *moved);
double cmb_move_position(cmb_form *form, const double *from, int j, double *moved);

/* Functions of scale.c: create its memory; update units and rounding errors from M as the equations store it, the form's G and the state;
 * compute the rest of the errors once a matrix is factored; and, for the case that form->scaled is set, scale the matrix (`parts` doubles a
 * number), a right-hand side and its solution. */
void cmb_scale_create(cmb_form *form);
/* Computes units of velocities from M: M_ii^(-1/2), rounded to powers of two. Returns false, and sets all to 1, if they are of about one
 * size. */
bool cmb_velocity_units(const cmb_equations *eq, const double *M, double *unit);
cmb_status cmb_scale_look(cmb_form *form, const double *M, const cmb_form_state *state);
void cmb_scale_noise(cmb_form *form, cmb_linear *matrix);
void cmb_scale_matrix(const cmb_form *form, int parts, double *A);
void cmb_scale_side(const cmb_form *form, int parts, double *b);
void cmb_scale_solution(const cmb_form *form, int parts, double *x);

/* Solves b := A⁻¹ b, whether the matrix is scaled or not (solve.c). */
void cmb_form_solve_plain(cmb_form *form, int parts, cmb_linear *matrix, double *b);

/* Creates the data for derivatives with respect to inputs (extension.c). */
void cmb_extension_create(cmb_form *form);

#endif
