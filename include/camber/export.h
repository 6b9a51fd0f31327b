/*
 * Camber, layer export: models in other people's formats.
 */
#ifndef CAMBER_EXPORT_H
#define CAMBER_EXPORT_H

#include <camber/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What was written. */
typedef struct cmb_export_report {
  int instructions;      /* operations of a step, functions of libm counted as one */
  int inputs, outputs;   /* of the model */
  int rates;             /* of inputs, which count as well and are members beside them */
  int parameters, flags; /* that can be changed; event flags */
  char name[64];         /* that everything in the code begins with */
  char rate_names[512];  /* the members for rates, with blanks between them; " ..": there are more */
} cmb_export_report;

/* C code of the model and a real-time method: NAME.c and NAME.h in `folder`, which is made if need be. NAME is the model's, as
 * far as C permits. The system must have been made with its expressions kept, and starts where its start values lie; `options` has a
 * method of fixed cost, its step and its settings. A file is replaced as a whole, or left alone. report may be NULL. */
CMB_API cmb_status cmb_export_c(cmb_context *ctx, const cmb_system *system,
                                const cmb_run_options *options, const char *folder,
                                cmb_export_report *report);

#ifdef __cplusplus
}
#endif
#endif
