/*
 * Tables that are sums of waves (table.h): f(x, y) = Σ a sin(2π (n x + m y + p)) and its derivatives
 *
 *     ∂^(i+j) f/∂x^i ∂y^j = Σ a (2π n)^i (2π m)^j sin(2π (n x + m y + p + (i + j)/4)),
 *
 * evaluated in one loop over plain arrays (table_code.h). The angle is measured in turns, so that its whole part can be subtracted without
 * a rounding error and a sine costs a polynomial and no division. The last block is filled up with waves of amplitude 0.
 */
#include "base/context.h"
#include "expr/sine_code.h"
#include "expr/table.h"
#include "expr/table_code.h"
#include "expr/wide.h"

#include <math.h>

enum { MOST_WAVES = 1000000 };

static cmb_status check_waves(cmb_context *ctx, int count, const cmb_wave *waves)
{
  if (count < 1 || count > MOST_WAVES) {
    return cmb_fail(ctx, CMB_ERROR_INPUT, "a sum of waves has %d waves; expected 1 to %d", count,
                    MOST_WAVES);
  }
  for (int i = 0; i < count; i++) {
    const cmb_wave *w = &waves[i];
    if (!isfinite(w->amplitude) || !isfinite(w->along) || !isfinite(w->across) ||
        !(fabs(w->phase) <= 1)) {
      return cmb_fail(ctx, CMB_ERROR_INPUT,
                      "wave %d is not finite, or its phase is not between -1 and 1", i + 1);
    }
  }
  return CMB_OK;
}

cmb_status cmb_waves_create(cmb_context *ctx, int count, const cmb_wave *waves, cmb_table **out)
{
  CMB_REQUIRE(ctx, ctx && out, "cmb_waves_create needs a context and a place for the table");
  *out = NULL;
  CMB_REQUIRE(ctx, waves, "cmb_waves_create needs waves");
  CMB_TRY(check_waves(ctx, count, waves));
  const int n = (count + CMB_WAVE_BLOCK - 1) / CMB_WAVE_BLOCK * CMB_WAVE_BLOCK;
  cmb_table *t = cmb_table_take(ctx, CMB_TABLE_WAVES, n, n);
  if (!t) return cmb_fail_memory(ctx);
  for (int i = 0; i < count; i++) {
    const cmb_wave *w = &waves[i];
    t->x[i] = w->along;
    t->y[i] = w->across;
    t->c[i] = w->amplitude;
    t->c[n + i] = w->phase;
    t->c[2 * n] = fmax(t->c[2 * n], fabs(w->along));
    t->c[2 * n + 1] = fmax(t->c[2 * n + 1], fabs(w->across));
  }
  *out = t;
  return CMB_OK;
}

CMB_WAVE_CODE(CMB_CODE_COMPILED)
CMB_WAVES_CODE(CMB_CODE_COMPILED)

CMB_WIDE static double wide_value(const cmb_table *t, int dx, int dy, double x, double y)
{
  return op_waves(t->nx, t->x, t->y, t->c, dx, dy, x, y);
}

double cmb_waves_value(const cmb_table *t, int dx, int dy, double x, double y)
{
  if (CMB_HAS_WIDE()) return wide_value(t, dx, dy, x, y);
  return op_waves(t->nx, t->x, t->y, t->c, dx, dy, x, y);
}
