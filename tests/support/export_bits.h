/*
 * Exported C against a run, bit for bit. The code is compiled by cc -O1 and driven on its own; states, sampled values, outputs, modes and event flags of
 * every step are the run's. Half-way another instance is put where the first stands, by its state alone, and goes on in the same way:
 * modes belong to states. A run that ends before its time ends at the step that returns 1.
 */
#ifndef CMBT_EXPORT_BITS_H
#define CMBT_EXPORT_BITS_H

#include <camber/camber.h>

enum { CMBT_EXPORT_STEPS = 200 }; /* of 1/256 s */

struct cmbt_export_bits {
  int steps;          /* of the run */
  bool whole;         /* it came to its end */
  long flags, levels; /* modes that changed, and levels other than 1 and -1 */
};

/* The model must be called `test` (cmbt_model_parse). The first setting must be bound=none. The test fails where a bit differs;
 * `called` names the case. */
void cmbt_export_bits(cmb_context *ctx, const cmb_model *model, cmb_formulation formulation,
                      const char *method, int setting_count, const cmb_option_setting *settings,
                      const char *called, struct cmbt_export_bits *seen);

#endif
