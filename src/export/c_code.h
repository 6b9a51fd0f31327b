/*
 * The content of exported C code, collected by export_c.c and c_programs.c and printed by c_print.c.
 *
 * The code works on one array x, which the programs read directly, in the layout of the compiled model (dae/layout.h):
 *
 *     step      the method's program (method/stepper.h): reads all but λ and a
 *     modes     the modes after the step, computed from the switching functions without a branch
 *     outputs   the model's outputs, and the new values of what is sampled
 *     first     start values for the present parameters, where formulas give them
 *     grip      modes of sticking friction, where no step has computed them
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
  const double *a, *lambda; /* (nv), (ng) accelerations and multipliers at the start */
  /* (ns) modes at the start of friction that can stick, as far as they are set, otherwise 0; NULL: no friction can stick */
  const double *grip;
  int grips, *grip_mode; /* (grips) indices of the switching functions of friction that can stick */
  /* number of live parameters (those that can be changed); sampled values follow them in the array x */
  int live;
  const char *method;
  int setting_count;
  const cmb_option_setting *settings;
  double step;
  char name[64];
  /* NULL: the model has no modes, or neither outputs nor sampled values */
  cmb_program *modes, *outputs;

  /* the start with other parameters */
  /* computes the start values q and v from the parameters; NULL: they are numbers, valid for some values of the parameters only */
  cmb_program *first;
  /* (live) whether the start depends on the parameter; NULL: no parameter is live, or formulas give the start */
  bool *start_reads;

  /* (nu + nr) names in the model of the inputs and of their rates, and the C identifiers of these, of outputs (no), parameters (live) and
   * events (ns) */
  const char *const *u_model_names;
  const char *const *u_names, *const *output_names, *const *parameter_names, *const *event_names;
} cmb_c_code;

/* Creates the programs of the exported code other than the step: c->modes, c->outputs and c->first, or c->start_reads (c_programs.c). The
 * caller destroys them. */
cmb_status cmb_c_code_programs(cmb_c_code *c);

/* Append the text of the exported C header, and of the C source, to b (c_print.c). */
void cmb_c_code_header(const cmb_c_code *c, cmb_buffer *b);
cmb_status cmb_c_code_source(const cmb_c_code *c, cmb_buffer *b);

#endif
