/*
 * Compares exported C with a run of the library, bit for bit. The code is compiled by cc -O1 and run by a driver of its own; states,
 * sampled values, outputs, modes and event flags of every step have to equal those of the run. After half of the steps a second
 * instance gets the state of the first and has to continue in the same way, which shows that the state is complete and contains the
 * modes. If the run fails before its end time, the code has to report a failure in the same step.
 */
#ifndef CMBT_EXPORT_BITS_H
#define CMBT_EXPORT_BITS_H

#include <camber/camber.h>

enum { CMBT_EXPORT_STEPS = 200 }; /* of 1/256 s */

struct cmbt_export_bits {
  int steps;          /* number of steps of the run */
  bool whole;         /* the run reached its end time */
  long flags, levels; /* number of mode changes, and of modes other than 1 and −1, over all steps */
};

/* Runs the model and its exported code for CMBT_EXPORT_STEPS steps, and fails the test where a bit differs. The model must have the
 * name `test` (cmbt_model_parse), and the first setting must be bound=none. `called` names the case in messages. */
void cmbt_export_bits(cmb_context *ctx, const cmb_model *model, cmb_formulation formulation,
                      const char *method, int setting_count, const cmb_option_setting *settings,
                      const char *called, struct cmbt_export_bits *seen);

#endif
