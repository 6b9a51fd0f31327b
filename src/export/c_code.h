/*
 * What exported C code consists of, between its making and its printing.
 *
 * The code works on one array x, which the programs read as it is, in the layout of the compiled model (dae/layout.h):
 *
 *     step      the method's program (method/stepper.h): reads all but λ and a
 *     modes     the modes after the step, computed from the switching functions without a branch
 *     outputs   the model's outputs, and what sampled values become
 *     first     start values for the parameters of now, where formulas have them
 *     grip      modes of friction that sticks, where no step has found them
 */
#ifndef CMB_EXPORT_C_CODE_H
#define CMB_EXPORT_C_CODE_H

#include "base/buffer.h"
#include "dae/code.h"
#include "method/stepper.h"

#include <camber/export.h>

typedef struct cmb_c_code {
  cmb_context *ctx;
  cmb_arena *arena;
  const cmb_system *system;
  const cmb_equations *eq;
  const cmb_code *x;
  const cmb_stepper *stepper;
  const cmb_result *start;
  const double *a, *lambda; /* (nv), (ng) accelerations and multipliers there */
  const double *grip; /* (ns) modes of friction that sticks there, 0 for others; NULL: none does */
  int grips, *grip_mode; /* (grips) its switching functions */
  int live;              /* parameters that can be changed; sampled values are behind them */
  const char *method;
  int setting_count;
  const cmb_option_setting *settings;
  double step;
  char name[64];
  cmb_program *modes, *outputs; /* NULL: there are none */

  /* the start with other parameters */
  cmb_program
      *first; /* q and v; NULL: they are numbers, good for some values of the parameters only */
  bool
      *start_reads; /* (live) those whose values they were found with; NULL: no parameter is live */

  /* identifiers; those of inputs and their rates (nu + nr), which the model calls u_model_names */
  const char *const *u_model_names;
  const char *const *u_names, *const *output_names, *const *parameter_names, *const *event_names;
} cmb_c_code;

/* c_programs.c: the programs besides the step. */
cmb_status cmb_c_code_programs(cmb_c_code *c);

/* c_print.c */
void cmb_c_code_header(const cmb_c_code *c, cmb_buffer *b);
cmb_status cmb_c_code_source(const cmb_c_code *c, cmb_buffer *b);

#endif
