/*
 * Fuzz target: files of profiles. The first byte chooses the format, the kind, the smoothing and the side, the rest is the file.
 *
 * For every text, reading returns either an error message with a position, or a profile with finite points and derivatives, whose arc
 * length ascends, that has its origin where it should be, and that is not longer than the way between its points permits.
 */
#include <camber/rail.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
  if (!holds) abort();
}

static bool is_finite_point(const cmb_profile_point *x)
{
  return isfinite(x->y) && isfinite(x->z) && isfinite(x->dy) && isfinite(x->dz) &&
         isfinite(x->ddy) && isfinite(x->ddz);
}

static void require_profile(const cmb_profile *p, cmb_profile_kind kind,
                            const cmb_profile_options *o)
{
  const cmb_profile_facts facts = cmb_profile_about(p);
  require(facts.points >= 5 && facts.kind == kind && facts.cant == o->cant);
  require(isfinite(facts.length) && facts.length > 0);
  require(facts.deviation <= facts.largest_deviation * (1 + 1e-9));
  require(facts.deviation <= o->smoothing * (1 + 1e-6));
  for (int i = -1; i <= 101; i++) {
    const cmb_profile_point x = cmb_profile_at(p, facts.length * i / 100);
    require(is_finite_point(&x));
  }
  if (kind == CMB_PROFILE_RAIL)
    require(facts.z_max <= 1e-12); /* the highest point is 0 */
  else
    require(facts.y_min <= 1e-12 && facts.y_max >= -1e-12);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[2][3] = {{"fuzz.csv", "fuzz.whl", "fuzz.prw"},
                                          {"fuzz.csv", "fuzz.ban", "fuzz.prr"}};
  if (size == 0) return 0;
  const cmb_profile_kind kind = data[0] & 1 ? CMB_PROFILE_RAIL : CMB_PROFILE_WHEEL;
  const char *name = names[kind == CMB_PROFILE_RAIL][data[0] / 16 % 3];
  const cmb_profile_options options = {.cant = kind == CMB_PROFILE_RAIL && data[0] & 2 ? 0.025 : 0,
                                       .smoothing = data[0] & 4 ? 1e-5 : 0,
                                       .mirror = (data[0] & 8) != 0};
  char *text =
      malloc(size); /* of the exact length, so that the sanitizer detects reading beyond the end */
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *p = NULL;
  require(text && ctx);
  memcpy(text, data + 1, size - 1);
  const cmb_status status = cmb_profile_parse(ctx, text, size - 1, name, kind, &options, &p);
  if (status == CMB_OK) {
    require_profile(p, kind, &options);
  } else {
    require(status == CMB_ERROR_INPUT && !p);
    require(strncmp(cmb_last_error(ctx), name, strlen(name)) == 0 &&
            !strchr(cmb_last_error(ctx), '\n'));
  }
  cmb_profile_destroy(p);
  cmb_context_destroy(ctx);
  free(text);
  return 0;
}
