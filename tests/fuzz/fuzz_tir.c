/*
 * Fuzz target: tyre property files. For every text, reading returns either an error message with a position, or coefficients that are finite
 * (or a limit that is absent), from which the tyre model computes finite forces.
 */
#include "model/tir.h"

#include <camber/dyn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char file[] = "fuzz.tir";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
  if (!holds) abort();
}

static void require_numbers(const cmb_tir *tir)
{
  for (int k = 0; k < CMB_TIR_KEY_COUNT; k++) {
    const double x = cmb_tir_number(tir, k);
    require(!isnan(x) && (isinf(x) || fabs(x) <= 1e12));
  }
  require(tir->FITTYP == 6 || tir->FITTYP == 61 || tir->FITTYP == 62);
  require(tir->FNOMIN > 0 && tir->UNLOADED_RADIUS > 0 && tir->VERTICAL_STIFFNESS > 0);
  require(tir->FZMAX > tir->FZMIN && isfinite(cmb_tir_pressure(tir)));
}

/* Computes the forces of a loaded and of a lifted tyre. They are finite, and 0 for the lifted one, or the evaluation fails with
 * CMB_ERROR_NONFINITE, as it may with very large coefficients. */
static void require_law(cmb_context *ctx, const char *text, size_t length)
{
  cmb_tyre *tyre = NULL;
  cmb_tyre_forces f;
  double derivatives[CMB_TYRE_FORCES * CMB_TYRE_STATES];
  require(cmb_tyre_parse(ctx, text, length, file, &tyre) == CMB_OK);
  const cmb_tyre_state state = {4000, 0.05, 0.05, 0.02, 15, 1},
                       lifted = {.speed = 15, .friction = 1};
  const cmb_status status = cmb_tyre_evaluate(tyre, &state, &f, derivatives);
  require(status == CMB_OK || status == CMB_ERROR_NONFINITE);
  require(status != CMB_OK || (isfinite(f.Fx) && isfinite(f.Fy) && isfinite(f.Mz)));
  const cmb_status air = cmb_tyre_evaluate(tyre, &lifted, &f, NULL);
  require(air == CMB_ERROR_NONFINITE || (f.Fx == 0 && f.Fy == 0 && f.Mz == 0));
  cmb_tyre_close(tyre);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1); /* one more byte, for an input of size 0 */
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_tir tir;
  require(text && ctx);
  memcpy(text, data, size);
  cmb_status status = cmb_check_text(ctx, text, size, cmb_about_place(file, 1, 1));
  if (status == CMB_OK) status = cmb_tir_parse(ctx, file, text, size, &tir);
  if (status == CMB_OK) {
    require_numbers(&tir);
    require_law(ctx, text, size);
  } else {
    require(status == CMB_ERROR_INPUT);
    require(strncmp(cmb_last_error(ctx), "fuzz.tir:", 9) == 0 &&
            !strchr(cmb_last_error(ctx), '\n'));
  }
  cmb_context_destroy(ctx);
  free(text);
  return 0;
}
