/*
 * Camber, layer export: writes models as code in other languages.
 */
#ifndef CAMBER_EXPORT_H
#define CAMBER_EXPORT_H

#include <camber/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What cmb_export_c has written. */
typedef struct cmb_export_report {
  int instructions;    /* number of operations in a step, a function of libm counted as one */
  int inputs, outputs; /* of the model */
  int rates;           /* rates of inputs on which the motion depends; members beside the inputs */
  int parameters, flags; /* parameters that can be changed; flags of events */
  char name[64];         /* prefix of all names in the code */
  /* names of the members for rates, separated by blanks; " ..": there are more */
  char rate_names[512];
} cmb_export_report;

/* Writes C code of a model and a real-time method: NAME.c and NAME.h in `folder`, which is created if needed. NAME is the model's name,
 * as far as C permits it. The system must have been made with the option `expressions`; the code starts at the system's start values.
 * `options` contains a method of fixed cost, its step and its settings. Each file is replaced as a whole, or not at all. Returns
 * CMB_ERROR_ARGUMENT, with a reason in the context, if the model or method cannot be exported. report may be NULL. */
CMB_API cmb_status cmb_export_c(cmb_context *ctx, const cmb_system *system,
                                const cmb_run_options *options, const char *folder,
                                cmb_export_report *report);

#ifdef __cplusplus
}
#endif
#endif
