/*
 * Creates random roads as sums of waves after ISO 8608 (2016), from the class of a road; called by roads.c.
 *
 * The displacement PSD of class A + k is Gd(n) = Gd(n₀) (n/n₀)⁻², Gd(n₀) = 16·4ᵏ 10⁻⁶ m³ at n₀ = 0.1 1/m, the geometric mean of the
 * class, n the spatial frequency in 1/m. The band of frequencies is cut into `waves` parts whose ends grow by one ratio. Each part has one
 * wave with all of its power,
 *
 *     a²/2 = ∫ Gd dn = Gd(n₀) n₀² (1/n_low − 1/n_high),
 *
 * at a random frequency inside of it and with a random phase. The frequencies have no common divisor: the sum does not repeat.
 *
 * Across the road a wave has the spatial frequency decay n c, c from Cauchy's distribution, whose characteristic function is exp(−|u|): the
 * coherence of two tracks at the distance d is exp(−decay Ω d) in the mean over many waves, and each track has the PSD of the class.
 * c is cut off at ±20.
 *
 * Random numbers are those of splitmix64 (Steele, Lea and Flood 2014) from the seed. All arithmetic is +, −, ·, / and square roots, so that
 * the waves have the same bits on every machine.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

#include <math.h>
#include <string.h>

enum { MOST_WAVES = 2000 };

static double random_unit(uint64_t *state)
{
  uint64_t z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-53;
}

/* Returns a random number of the Cauchy distribution, truncated at ±20: the quotient y/x of a random point (x, y) in the right half of the
 * unit disc. *state is the state of the random number generator. */
static double random_cauchy(uint64_t *state)
{
  for (;;) {
    const double x = random_unit(state), y = 2 * random_unit(state) - 1;
    if (x > 0 && x * x + y * y <= 1 && fabs(y) <= 20 * x) return y / x;
  }
}

static double whole_power(double x, int n)
{
  double product = 1;
  for (int i = 0; i < n; i++) product *= x;
  return product;
}

/* Returns the n-th root of a ratio greater than 1. Computes it by bisection, so that it is bitwise identical on every machine. */
static double root_of(double ratio, int n)
{
  double low = 1, high = ratio;
  for (int i = 0; i < 100; i++) {
    const double middle = low + (high - low) / 2;
    if (whole_power(middle, n) > ratio)
      high = middle;
    else
      low = middle;
  }
  return low;
}

struct spectrum {
  double roughness; /* Gd(n₀) n₀² */
  double low, high; /* 1/m */
  double decay;
  uint64_t seed;
};

static void make_waves(const struct spectrum *s, int count, cmb_wave *waves)
{
  const double ratio = root_of(s->high / s->low, count);
  uint64_t state = s->seed;
  double from = s->low;
  for (int i = 0; i < count; i++) {
    const double to = i + 1 < count ? from * ratio : s->high;
    const double n = from + random_unit(&state) * (to - from);
    waves[i].amplitude = sqrt(2 * s->roughness * (1 / from - 1 / to));
    waves[i].along = n;
    waves[i].phase = random_unit(&state);
    waves[i].across = s->decay * waves[i].along * random_cauchy(&state);
    from = to;
  }
}

static cmb_status read_whole(cmb_reader *r, const cmb_scope *s, const cmb_node *map,
                             const char *key, const char *what, double least, double most,
                             double *x)
{
  const cmb_node *node = cmb_node_find(map, key);
  if (!node) return CMB_OK;
  CMB_TRY(cmb_read_fixed(r, s, node, what, x));
  if (*x >= least && *x <= most && *x == floor(*x)) return CMB_OK;
  return cmb_reader_fail(r, node->place, "'%s' is %s; expected a whole number from %.0f to %.0f",
                         key, cmb_shortest(*x).text, least, most);
}

static cmb_status read_band(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                            struct spectrum *spectrum)
{
  const cmb_node *node = cmb_node_find(entry, "frequencies");
  double band[2] = {0.01, 10};
  if (node) CMB_TRY(cmb_read_fixed_list(r, s, node, 2, "the band of a random road", band));
  spectrum->low = band[0];
  spectrum->high = band[1];
  if (band[0] >= 1e-6 && band[1] > 1.001 * band[0] && band[1] <= 1e6) return CMB_OK;
  return cmb_reader_fail(
      r, node ? node->place : entry->place,
      "the frequencies are %s and %s; expected a lower and a higher one in 1/m, from "
      "1e-6 to 1e6, that differ by more than 0.1 %%",
      cmb_shortest(band[0]).text, cmb_shortest(band[1]).text);
}

static cmb_status read_class(cmb_reader *r, const cmb_node *entry, double *roughness)
{
  static const char *const classes[] = {"A", "B", "C", "D", "E", "F", "G", "H"};
  const cmb_node *node;
  int choice;
  CMB_TRY(cmb_require(r, entry, "class", &node));
  CMB_TRY(cmb_read_choice(r, node, classes, 8, sizeof *classes, &choice));
  *roughness = 16e-6 * whole_power(4, choice) * 0.1 * 0.1;
  return CMB_OK;
}

cmb_status cmb_read_random_road(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                cmb_model_road *road)
{
  struct spectrum spectrum = {.decay = 1};
  double seed = 1, waves = 200;
  const cmb_node *decay = cmb_node_find(entry, "decay");
  CMB_TRY(read_class(r, entry, &spectrum.roughness));
  CMB_TRY(read_band(r, s, entry, &spectrum));
  CMB_TRY(read_whole(r, s, entry, "seed", "the seed of a random road", 0, 1e15, &seed));
  CMB_TRY(read_whole(r, s, entry, "waves", "the number of waves", 1, MOST_WAVES, &waves));
  if (decay) CMB_TRY(cmb_read_fixed(r, s, decay, "the decay of coherence", &spectrum.decay));
  if (!(spectrum.decay >= 0 && spectrum.decay <= 1e3)) {
    return cmb_reader_fail(r, decay ? decay->place : entry->place,
                           "'decay' is %s; expected a number from 0 to 1000",
                           cmb_shortest(spectrum.decay).text);
  }
  spectrum.seed = (uint64_t)seed;
  road->striped = spectrum.decay == 0;
  const int count = (int)waves;
  cmb_wave *list = cmb_arena_take(r->model->arena, (size_t)count, sizeof *list);
  if (!list) return cmb_fail_memory(r->ctx);
  make_waves(&spectrum, count, list);
  return cmb_waves_create(r->ctx, count, list, &road->waves);
}
