/*
 * The tyre model TMeasy (Rill 2013) as expressions, used by tyre forces (tyre_force.c). In each direction i = x, y it has the initial slope
 * dF0, the peak force FM at the slip sM, and the sliding force FS from the slip sS on:
 *
 *     F(Fz) = r (2 F1 − F2/2 − (F1 − F2/2) r),  s(Fz) = s1 + (s2 − s1)(r − 1),  r = Fz/Pn     from values at Pn and 2 Pn
 *     sx = κ, sy = −tan α,  ŝ_i = sM_i/(sM_x + sM_y) + (FM_i/dF0_i)/(FM_x/dF0_x + FM_y/dF0_y),  sN_i = s_i/ŝ_i,  s = |sN|
 *     K² = (dF0_x ŝ_x cos φ)² + (dF0_y ŝ_y sin φ)²,  sM² = (sM_x cos φ/ŝ_x)² + (sM_y sin φ/ŝ_y)², likewise sS;  FM, FS without ŝ
 *     F/s = K/(1 + σ (σ + K sM/FM − 2)), σ = s/sM                    up to the peak,
 *     F   = FM − (FM − FS) σ² (3 − 2 σ), σ = (s − sM)/(sS − sM)      from there to sliding,      F = FS beyond
 *     Fx = (F/s) sN_x, Fy = (F/s) sN_y,  Mz = −n Fy Vx/sqrt(Vx² + (0.1 m/s)²)
 *     n/L = n0 [(1 − w)(1 − σ) + w (1 − (3 − 2 σ) σ²)], σ = |sy|/s0, w = s0/sE               up to s0,
 *     n/L = −n0 (1 − w) (|sy| − s0)/s0 ((sE − |sy|)/(sE − s0))²                               up to sE,  0 beyond
 *
 * At zero slip the angle φ is undefined, and TMeasy has a different slope for each φ. Here the slopes along the two axes hold there: with a small ε,
 *     s = s²/sqrt(s² + ε²),  cos² φ = (sN_x² + ε²/2)/(s² + ε²),  but K² of Fx has (sN_x² + ε²)/(s² + ε²) and sN_y²/(s² + ε²), K² of Fy the reverse.
 * So ∂Fx/∂κ = dF0_x, ∂Fy/∂sy = dF0_y at 0; elsewhere the relative error of the force is less than (ε/s)².
 * On a road of friction μ the force is μ F(s/m), m = (μ⁸ + μ0⁸)^(1/8): m exceeds μ by less than μ (μ0/μ)⁸/8. Below μ0 the slips of the curve remain
 * those of μ0, and the force vanishes with μ. With m = μ it would rise to its peak within a vanishing slip: neither finite differences nor
 * steps would resolve its slope. All forces are divided by the load here, and F by the slip: no divisor can vanish.
 * Beyond three times the nominal load F/Fz and the slips keep their values there: the parabola would descend again.
 */
#include "dyn/tmeasy.h"

#include "expr/algebra.h"

static const double tiny_slip = 1e-7; /* ε, normalised slip */
/* μ0, below which the slips of the curve stop shrinking with the friction */
static const double least_friction = 0.005;
/* limit of the load, as a multiple of the nominal one */
static const double most_load = 3;

/* The tyre characteristic (force over slip) of one direction at a given load; forces are divided by the load. */
struct characteristic {
  cmb_expr slope, peak_slip, peak, sliding_slip, sliding, scale;
};

static cmb_expr constant(cmb_graph *g, double x)
{
  return cmb_constant(g, x);
}

static cmb_expr root(cmb_graph *g, cmb_expr x)
{
  return cmb_apply(g, CMB_OP_SQRT, x, 0, 0);
}

/* Builds F/Fz, the force of a tyre per load, at the load ratio r = Fz/nominal. Interpolates by a parabola through 0, the force F[0] at the
 * nominal load and F[1] at twice this load. */
static cmb_expr force_per_load(cmb_graph *g, double nominal, const double F[2], cmb_expr r)
{
  const cmb_expr bend = constant(g, (F[0] - F[1] / 2) / nominal);
  return cmb_sub(g, constant(g, (2 * F[0] - F[1] / 2) / nominal), cmb_mul(g, bend, r));
}

static cmb_expr at_load(cmb_graph *g, const double s[2], cmb_expr r)
{
  return cmb_add(g, constant(g, 2 * s[0] - s[1]), cmb_mul(g, constant(g, s[1] - s[0]), r));
}

static struct characteristic characteristic_at(cmb_graph *g, double nominal,
                                               const cmb_tmeasy_side *t, cmb_expr r)
{
  return (struct characteristic){.slope = force_per_load(g, nominal, t->slope, r),
                                 .peak_slip = at_load(g, t->peak_slip, r),
                                 .peak = force_per_load(g, nominal, t->peak, r),
                                 .sliding_slip = at_load(g, t->sliding_slip, r),
                                 .sliding = force_per_load(g, nominal, t->sliding, r)};
}

/* Builds the factors x->scale and y->scale by which TMeasy normalises the longitudinal and the lateral slip, for the characteristics *x and *y. */
static void set_scales(cmb_graph *g, struct characteristic *x, struct characteristic *y)
{
  const cmb_expr slips = cmb_add(g, x->peak_slip, y->peak_slip);
  const cmb_expr fx = cmb_div(g, x->peak, x->slope), fy = cmb_div(g, y->peak, y->slope);
  const cmb_expr both = cmb_add(g, fx, fy);
  x->scale = cmb_add(g, cmb_div(g, x->peak_slip, slips), cmb_div(g, fx, both));
  y->scale = cmb_add(g, cmb_div(g, y->peak_slip, slips), cmb_div(g, fy, both));
}

/* Builds the interpolation sqrt(x² c + y² s) of a tyre property between its value x for longitudinal slip and its value y for lateral slip; c
 * and s are cos² and sin² of the direction of slip. */
static cmb_expr blend(cmb_graph *g, cmb_expr x, cmb_expr y, cmb_expr c, cmb_expr s)
{
  return root(g, cmb_add(g, cmb_mul(g, cmb_square(g, x), c), cmb_mul(g, cmb_square(g, y), s)));
}

/* Builds x²/sqrt(x² + ε²) from x2 = x², a smooth approximation of |x| that is 0 at x = 0. ε is the constant tiny_slip. */
static cmb_expr smooth_abs(cmb_graph *g, cmb_expr x2)
{
  return cmb_div(g, x2, root(g, cmb_add(g, x2, constant(g, tiny_slip * tiny_slip))));
}

/* Builds the secant slope F/s of the tyre characteristic c (force F over slip s) at the slip whose square is s2; regular also at s = 0. */
static cmb_expr secant(cmb_graph *g, const struct characteristic *c, cmb_expr s2)
{
  const cmb_expr s = smooth_abs(g, s2);
  const cmb_expr by = root(g, cmb_add(g, s2, constant(g, tiny_slip * tiny_slip)));
  const cmb_expr one = constant(g, 1), two = constant(g, 2), three = constant(g, 3);
  const cmb_expr a = cmb_div(g, s, c->peak_slip);
  const cmb_expr q = cmb_div(g, cmb_mul(g, c->slope, c->peak_slip), c->peak);
  const cmb_expr bend = cmb_mul(g, a, cmb_sub(g, cmb_add(g, a, q), two));
  const cmb_expr rising = cmb_div(g, c->slope, cmb_add(g, one, bend));
  const cmb_expr b =
      cmb_div(g, cmb_sub(g, s, c->peak_slip), cmb_sub(g, c->sliding_slip, c->peak_slip));
  const cmb_expr part = cmb_mul(g, cmb_square(g, b), cmb_sub(g, three, cmb_mul(g, two, b)));
  const cmb_expr fall = cmb_mul(g, cmb_sub(g, c->peak, c->sliding), part);
  const cmb_expr falling = cmb_div(g, cmb_sub(g, c->peak, fall), by);
  const cmb_expr sliding = cmb_div(g, c->sliding, by);
  const cmb_expr slides = cmb_apply(g, CMB_OP_GT, s, c->sliding_slip, 0);
  const cmb_expr over = cmb_apply(g, CMB_OP_GT, s, c->peak_slip, 0);
  return cmb_apply(g, CMB_OP_IF, over, cmb_apply(g, CMB_OP_IF, slides, sliding, falling), rising);
}

/* Builds the pneumatic trail of a tyre divided by the contact length, at the load ratio r (load over nominal load)
 * and the lateral slip sy. */
static cmb_expr trail_of(cmb_graph *g, const cmb_tmeasy *t, cmb_expr r, cmb_expr sy)
{
  const cmb_expr one = constant(g, 1), two = constant(g, 2), three = constant(g, 3);
  const cmb_expr n0 = at_load(g, t->trail, r), s0 = at_load(g, t->trail_zero, r);
  const cmb_expr end = at_load(g, t->trail_end, r), w = cmb_div(g, s0, end);
  const cmb_expr s = smooth_abs(g, cmb_square(g, sy));
  const cmb_expr a = cmb_div(g, s, s0), rest = cmb_sub(g, one, w);
  const cmb_expr bell =
      cmb_sub(g, one, cmb_mul(g, cmb_sub(g, three, cmb_mul(g, two, a)), cmb_square(g, a)));
  const cmb_expr first = cmb_add(g, cmb_mul(g, rest, cmb_sub(g, one, a)), cmb_mul(g, w, bell));
  const cmb_expr left = cmb_div(g, cmb_sub(g, end, s), cmb_sub(g, end, s0));
  const cmb_expr second = cmb_mul(g, cmb_mul(g, rest, cmb_sub(g, one, a)), cmb_square(g, left));
  const cmb_expr over = cmb_apply(g, CMB_OP_GT, s, s0, 0),
                 gone = cmb_apply(g, CMB_OP_GT, s, end, 0);
  const cmb_expr beyond = cmb_apply(g, CMB_OP_IF, gone, 0, second);
  return cmb_mul(g, n0, cmb_apply(g, CMB_OP_IF, over, beyond, first));
}

/* Builds the relaxation length of a tyre, its slip stiffness `slope` · Fz divided by its structural stiffness `stiffness`. */
static cmb_expr relaxation_length(cmb_graph *g, cmb_expr slope, cmb_expr Fz, double stiffness)
{
  return cmb_div(g, cmb_mul(g, slope, Fz), constant(g, stiffness));
}

/* Builds the number m by which slips are divided for the road friction μ: m = (μ⁸ + μ0⁸)^(1/8), which is nearly μ but does not vanish with μ. */
static cmb_expr slip_divisor(cmb_graph *g, cmb_expr friction)
{
  const double least2 = least_friction * least_friction, least4 = least2 * least2;
  const cmb_expr mu2 = cmb_square(g, friction), mu8 = cmb_square(g, cmb_square(g, mu2));
  return root(g, root(g, root(g, cmb_add(g, mu8, constant(g, least4 * least4)))));
}

/* Builds the tyre characteristic for combined slip (peak and sliding forces and slips) by interpolation between the longitudinal characteristic
 * x and the lateral one y. cc and ss are cos² and sin² of the direction of slip. Does not set the initial slope, which the caller computes. */
static struct characteristic combined_characteristic(cmb_graph *g, const struct characteristic *x,
                                                     const struct characteristic *y, cmb_expr cc,
                                                     cmb_expr ss)
{
  struct characteristic c = {0};
  c.peak_slip =
      blend(g, cmb_div(g, x->peak_slip, x->scale), cmb_div(g, y->peak_slip, y->scale), cc, ss);
  c.sliding_slip = blend(g, cmb_div(g, x->sliding_slip, x->scale),
                         cmb_div(g, y->sliding_slip, y->scale), cc, ss);
  c.peak = blend(g, x->peak, y->peak, cc, ss);
  c.sliding = blend(g, x->sliding, y->sliding, cc, ss);
  return c;
}

/* Builds the secant slopes F/s of the longitudinal and lateral force, both[0] and both[1], at the squares x2 and y2
 * of the normalised slips. Also sets out->past_peak, positive beyond the peak force, and out->past_sliding, positive
 * where the tyre slides. */
static void secants(cmb_graph *g, const struct characteristic *x, const struct characteristic *y,
                    cmb_expr x2, cmb_expr y2, cmb_expr both[2], cmb_tyre_output *out)
{
  const cmb_expr tiny2 = constant(g, tiny_slip * tiny_slip);
  const cmb_expr half = constant(g, 0.5 * tiny_slip * tiny_slip);
  const cmb_expr s2 = cmb_add(g, x2, y2), by = cmb_add(g, s2, tiny2);
  const cmb_expr Kx = cmb_mul(g, x->slope, x->scale), Ky = cmb_mul(g, y->slope, y->scale);
  const cmb_expr cc = cmb_div(g, x2, by), ss = cmb_div(g, y2, by), rest = cmb_div(g, tiny2, by);
  struct characteristic c = combined_characteristic(g, x, y, cmb_div(g, cmb_add(g, x2, half), by),
                                                    cmb_div(g, cmb_add(g, y2, half), by));
  c.slope = blend(g, Kx, Ky, cmb_add(g, cc, rest), ss);
  both[0] = secant(g, &c, s2);
  c.slope = blend(g, Kx, Ky, cc, cmb_add(g, ss, rest));
  both[1] = secant(g, &c, s2);
  out->past_peak = cmb_sub(g, smooth_abs(g, s2), c.peak_slip);
  out->past_sliding = cmb_sub(g, smooth_abs(g, s2), c.sliding_slip);
}

cmb_status cmb_tmeasy_law(cmb_graph *g, const cmb_tmeasy *t, const cmb_tyre_input *in,
                          cmb_expr length, cmb_tyre_output *out)
{
  const cmb_expr m = slip_divisor(g, in->friction);
  const cmb_expr ratio = cmb_div(g, in->Fz, constant(g, t->load)), most = constant(g, most_load);
  cmb_tyre_limits limits = {0};
  const cmb_expr r = cmb_tyre_limits_at_most(&limits, g, ratio, most, "load_most");
  struct characteristic x = characteristic_at(g, t->load, &t->x, r),
                        y = characteristic_at(g, t->load, &t->y, r);
  set_scales(g, &x, &y);
  const cmb_expr sx = cmb_div(g, in->kappa, cmb_mul(g, x.scale, m));
  const cmb_expr sy = cmb_neg(g, cmb_div(g, in->tan_alpha, cmb_mul(g, y.scale, m)));
  const cmb_expr size = cmb_mul(g, in->Fz, in->friction);
  cmb_expr part[2];
  *out = (cmb_tyre_output){.limits = limits};
  secants(g, &x, &y, cmb_square(g, sx), cmb_square(g, sy), part, out);
  out->Fx = cmb_mul(g, cmb_mul(g, size, part[0]), sx);
  out->Fy = cmb_mul(g, cmb_mul(g, size, part[1]), sy);
  out->sigma_x = relaxation_length(g, x.slope, in->Fz, t->stiffness[0]);
  out->sigma_y = relaxation_length(g, y.slope, in->Fz, t->stiffness[1]);
  if (!t->has_trail) return cmb_graph_status(g);
  const cmb_expr n = cmb_mul(g, length, trail_of(g, t, r, in->tan_alpha));
  const cmb_expr way =
      cmb_div(g, in->Vx, root(g, cmb_add(g, cmb_square(g, in->Vx), constant(g, 0.01))));
  out->Mz = cmb_neg(g, cmb_mul(g, cmb_mul(g, n, way), out->Fy));
  return cmb_graph_status(g);
}
