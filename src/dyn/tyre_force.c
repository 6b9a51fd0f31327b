/*
 * Builds the force of a tyre (model/tyre.h) on its wheel, called by actions.c. The wheel is a thin disc about the axis e through the centre c of
 * the wheel, on a road z = h(x, y).
 *
 * Contact. The contact point P is on the road, in the plane of the disc, and lies from c in the direction −k, where k is the road's normal n at P
 * without its part along e:
 *     (c − P)·e = 0,   (c − P)·(e × n) = 0,   d cos γ = (c − P)·n          two unknowns; in closed form where h is a constant
 * If the distance from c to the plane that touches the road below it is not between R/4 and 3/2 R, the equations use a centre at this limit: there
 * are many such points for a centre high above a wavy road, and perhaps none for one below it, where a trial step can be.
 * A road with switches (if, straight pieces) has no such equations: there, and on obstacles with edges, the road gives the distance D of the
 * centre and its normal n (dyn/road.c), and d cos γ = D. Then d changes with the centre by n/cos γ + s, where s, the spread, is the
 * contribution of the road's curvature while the wheel does not turn.
 * Axes (ISO-W): X = e × n forward, Y = n × X to the left, n up; camber sin γ = e·n, positive if the top leans towards −Y, to the right.
 * The disc's point at P moves with v_P = v_c − d (ω − Ω e) × k, Ω = ω·e, so ḋ cos γ = v_P·n − n_z h_t: on any road, since turning n moves P
 * along the road only. With a spread ḋ contains s·v_c in addition.
 *
 * Load. ρ = R − d: Fz cos γ = k ρ + c ρ̇, or as a .tir file specifies; 0 in the air and where it would be negative. With the force Fz cos γ
 * s at the centre the spring is conservative.
 *
 * Slip. Vx = v_P·X, Vsx = Vx − Re Ω, Vsy = v_P·Y with the effective rolling radius Re. The tyre law uses relaxed slips (Pacejka 2012,
 * §7.2, and §8.6 for low speeds), with the relaxation lengths σ at zero slip. The states u and v are σ times the slips:
 *     u̇ = −(Vsx + |Vx| κ + w |Vs| m² u/ux)/h,       κ = u/σx − w τ Vsx/σx,           ux, vy: σ times the slip of the peak
 *     v̇ = −(Vsy − |Vx| tan α + w |Vs| m² v/vy)/h,   tan α = −v/σy + w τ Vsy/σy,      m² = (u/ux)² + (v/vy)²
 * |V| is V²/sqrt(V² + v0²): exactly 0 at 0, where deflections remain constant. w = exp(−(Vx/v1)²) is 1 at rest: then there is damping with the
 * time τ, and deflections do not grow while the tyre slides. In the air they decay with the time constant T.
 *
 * h σ is the relaxation length with slip. The carcass has the stiffness c = dF0/σ and the deflection F/c, so that it should be σ F'(κ)/dF0 up to
 * the peak, where it vanishes, and F/(c κ) where the tyre slides. It is h = f + (1 − f)/(1 + b m²)² with b such that the deflection
 * at the peak is right: ∫ h dm = 1/q from 0 to 1, q = dF0 sM/FM, with ∫ (1 + b m²)⁻² dm = 1/(2 (1 + b)) + atan(√b)/(2 √b).
 *
 * Fx acts with the lever arm Re about the axis, not d: so its power is Fx Vsx, and no power is generated.
 */
#include "dyn/build.h"
#include "dyn/magic_formula.h"
#include "dyn/road.h"
#include "dyn/tmeasy.h"

#include "base/context.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>

static const double v0 = 0.01;       /* m/s, below which |V| is rounded */
static const double air_time = 0.02; /* T, s */
/* least relaxation length, and that of a tyre law that gives none, as fractions of the radius */
static const double least_sigma = 0.02, some_sigma = 0.5;
static const double sliding_sigma = 0.05; /* f, h of a sliding tyre */
/* friction of a road below which the slip of the peak force hardly decreases further */
static const double least_friction = 0.01;
/* limits of the distance between centre and road, as fractions of the radius; see near_centre */
static const double least_high = 0.25, most_high = 1.5;
/* deflection below which the square root in the contact length is smoothed, as a fraction of the radius */
static const double contact_length_start = 1e-4;

#define RESULTS(X)                                                                                 \
  X(Fx) X(Fy) X(Fz) X(Mx) X(My) X(Mz) X(kappa) X(alpha) X(gamma) X(deflection) X(px) X(py) X(pz)

/* The results of a tyre that formulas can use. */
typedef struct cmb_tyre_results {
#define MEMBER(name) cmb_expr name;
  RESULTS(MEMBER)
#undef MEMBER
} cmb_tyre_results;

/* The quantities of a tyre while its force is built. */
struct tyre {
  cmb_build *b;
  cmb_graph *g;
  const cmb_model_force *f;
  const cmb_model_tyre *of;
  cmb_site site;
  const cmb_pose *p;
  /* vector from the link's origin to the wheel's centre, position of the centre; wheel axis */
  cmb_vector arm, c, e;
  cmb_vector P, n, k, X, Y;     /* contact point and axes there */
  cmb_expr cosine, d, friction; /* cos γ; loaded radius; friction of the road at P */
  cmb_expr d_t;                 /* rate of d caused by a moving road, with the wheel at rest */
  cmb_vector spread;            /* s, change of d with the centre by the road's curvature */
  cmb_vector down, v;           /* from the link's origin to P; v_P */
  cmb_expr spin, radius, rho, rho_rate;
  cmb_expr Fz, both; /* load, and the quantity whose sign decides whether there is contact */
  cmb_expr rolling;  /* Re */
  cmb_expr Vx, Vsx, Vsy;
  cmb_tyre_input in;
  cmb_tyre_output out;
  cmb_expr sigma[2];
  cmb_tyre_results *results;
};

static cmb_expr number(const struct tyre *y, double x)
{
  return cmb_constant(y->g, x);
}

static cmb_expr root(cmb_graph *g, cmb_expr x)
{
  return cmb_apply(g, CMB_OP_SQRT, x, 0, 0);
}

static cmb_vector unit(cmb_graph *g, cmb_vector x)
{
  return cmb_vector_scale(g, cmb_div(g, cmb_constant(g, 1), cmb_vector_length(g, x)), x);
}

/* Builds x²/sqrt(x² + v0²) from x2 = x², a smooth approximation of the speed |x| that is 0 at x = 0; v0 is 0.01 m/s. */
static cmb_expr smooth_abs(const struct tyre *y, cmb_expr x2)
{
  return cmb_div(y->g, x2, root(y->g, cmb_add(y->g, x2, number(y, v0 * v0))));
}

/* ---- contact */

/* Sets y->P to the point of the road at (at_x, at_y) and y->n to the normal there (not normalised). If `radius` is not 0, the road is replaced
 * by the envelope of a rolling wheel of this radius. *point receives the height, its derivatives and the friction. */
static cmb_status road_at(struct tyre *y, cmb_expr at_x, cmb_expr at_y, cmb_expr radius,
                          cmb_road_point *point)
{
  cmb_graph *g = y->g;
  *point = (cmb_road_point){.friction = number(y, 1)};
  if (y->of->road >= 0) CMB_TRY(cmb_build_road(y->b, y->of->road, at_x, at_y, radius, point));
  y->P = (cmb_vector){{at_x, at_y, point->height}};
  y->n = (cmb_vector){{cmb_neg(g, point->height_x), cmb_neg(g, point->height_y), number(y, 1)}};
  return CMB_OK;
}

/* Sets *yes to whether the height of the road depends on the wheel's radius: some roads return the height of the envelope of a rolling wheel. */
static cmb_status has_envelope(struct tyre *y, bool *yes)
{
  const cmb_expr radius = cmb_input(y->g, "radius of a wheel"), one = number(y, 1);
  cmb_road_point point;
  cmb_expr d;
  CMB_TRY(road_at(y, y->c.x[0], y->c.x[1], radius, &point));
  CMB_TRY(cmb_forward(y->g, 1, &radius, &one, 1, &point.height, &d));
  *yes = d != 0;
  return CMB_OK;
}

/* Returns the centre of the wheel, moved vertically if necessary such that its distance from the tangent plane of the road at the point *below
 * is between 1/4 and 3/2 of the radius, since for other distances the contact equations may have no solution, or many. */
static cmb_vector near_centre(struct tyre *y, double radius, const cmb_road_point *below)
{
  cmb_graph *g = y->g;
  const cmb_expr steep = cmb_vector_length(g, y->n); /* 1/n_z */
  const cmb_expr most = cmb_mul(g, number(y, most_high * radius), steep);
  const cmb_expr least = cmb_mul(g, number(y, least_high * radius), steep);
  const cmb_expr high = cmb_sub(g, y->c.x[2], below->height);
  const cmb_expr lower = cmb_apply(g, CMB_OP_MIN, high, most, 0);
  const cmb_expr kept = cmb_apply(g, CMB_OP_MAX, lower, least, 0);
  cmb_vector at = y->c;
  cmb_build_hint(y->b, CMB_HINT_MOTION, y->f->name, "near", cmb_sub(g, most, high));
  cmb_build_hint(y->b, CMB_HINT_MOTION, y->f->name, "low", cmb_sub(g, lower, least));
  at.x[2] = cmb_add(g, below->height, kept);
  return at;
}

/* Finds the position w = (x, y) of the contact point of a wheel on a smooth uneven road as an implicit function of the wheel's position,
 * defined by two equations. *below is the point of the road vertically below the wheel's centre. Returns CMB_ERROR_INPUT if the height of the
 * road has branches. */
static cmb_status solve_contact(struct tyre *y, double radius, const cmb_road_point *below,
                                cmb_expr w[2])
{
  cmb_graph *g = y->g;
  char text[2][320];
  for (int i = 0; i < 2; i++)
    snprintf(text[i], sizeof text[i], "%s of the contact of %s", i == 0 ? "x" : "y", y->f->name);
  const cmb_expr unknown[2] = {cmb_input(g, text[0]), cmb_input(g, text[1])};
  const double size[2] = {radius, radius};
  const cmb_vector c = near_centre(y, radius, below);
  cmb_road_point point;
  CMB_TRY(road_at(y, unknown[0], unknown[1], 0, &point));
  const cmb_vector away = cmb_vector_sub(g, c, y->P);
  const cmb_expr equation[2] = {cmb_vector_dot(g, away, y->e),
                                cmb_vector_dot(g, away, cmb_vector_cross(g, y->e, y->n))};
  return cmb_implicit(g, 2, unknown, equation, y->c.x, size, w);
}

/* Sets cos γ and the loaded radius `below`/cos γ of the tyre, where γ is the camber angle and `below` the distance of the wheel's centre from
 * the contact plane with the normal y->n. Returns sin γ. */
static cmb_expr set_camber(struct tyre *y, cmb_expr below)
{
  cmb_graph *g = y->g;
  const cmb_expr sine = cmb_vector_dot(g, y->e, y->n);
  y->cosine = root(g, cmb_sub(g, number(y, 1), cmb_square(g, sine)));
  y->d = cmb_div(g, below, y->cosine);
  return sine;
}

static cmb_vector symbols_of(cmb_graph *g, const char *what)
{
  static const char axes[] = "xyz";
  cmb_vector v;
  char text[80];
  for (int i = 0; i < 3; i++) {
    snprintf(text, sizeof text, "%c of %s", axes[i], what);
    v.x[i] = cmb_input(g, text);
  }
  return v;
}

/* Sets the contact normal and the loaded radius of a tyre from the point of the road that is nearest to the wheel's centre, for roads with
 * edges or branches. Also sets the rate of the radius that a moving road causes, and y->spread, the part of the radius's gradient that comes
 * from the road's curvature. *sine becomes the sine of the camber angle. */
static cmb_status set_contact_by_distance(struct tyre *y, cmb_expr *sine)
{
  cmb_graph *g = y->g;
  struct tyre at = *y;
  at.c = symbols_of(g, "the centre of a wheel"), at.e = symbols_of(g, "the axis of a wheel");
  const cmb_expr by[4] = {at.c.x[0], at.c.x[1], at.c.x[2], y->b->k->t}, one = number(y, 1);
  const cmb_expr from[6] = {at.c.x[0], at.c.x[1], at.c.x[2], at.e.x[0], at.e.x[1], at.e.x[2]};
  const cmb_expr to[6] = {y->c.x[0], y->c.x[1], y->c.x[2], y->e.x[0], y->e.x[1], y->e.x[2]};
  cmb_expr D, e[8];
  CMB_TRY(cmb_build_road_distance(y->b, y->of->road, &at.c, &at.e, &D, &at.n));
  (void)set_camber(&at, D);
  CMB_TRY(cmb_reverse(g, 4, by, 1, &at.d, &one, e));
  CMB_TRY(cmb_build_add_input_rates(y->b, at.d, &e[3]));
  for (int i = 0; i < 3; i++) {
    e[i] = cmb_sub(g, e[i], cmb_div(g, at.n.x[i], at.cosine));
    e[4 + i] = at.n.x[i];
  }
  e[7] = D;
  CMB_TRY(cmb_substitute(g, 6, from, to, 8, e, e));
  y->spread = (cmb_vector){{e[0], e[1], e[2]}};
  y->d_t = e[3];
  y->n = (cmb_vector){{e[4], e[5], e[6]}};
  *sine = set_camber(y, e[7]);
  return CMB_OK;
}

/* Sets the contact point, the contact normal and the loaded radius of a tyre by the tangent plane of the road at the contact point. Also sets
 * the rate of this radius on a moving road. *sine becomes the sine of the camber angle. Returns CMB_ERROR_INPUT if the height of the road has
 * branches. */
static cmb_status set_contact_plane(struct tyre *y, double radius, cmb_expr *sine)
{
  cmb_graph *g = y->g;
  cmb_road_point point;
  cmb_expr w[2] = {y->c.x[0], y->c.x[1]};
  CMB_TRY(road_at(y, w[0], w[1], 0, &point));
  const bool flat = point.height_x == 0 && point.height_y == 0;
  if (!flat) {
    CMB_TRY(solve_contact(y, radius, &point, w));
    CMB_TRY(road_at(y, w[0], w[1], 0, &point));
    y->n = unit(g, y->n);
  }
  *sine = set_camber(y, cmb_vector_dot(g, cmb_vector_sub(g, y->c, y->P), y->n));
  y->d_t = cmb_neg(g, cmb_div(g, cmb_mul(g, y->n.x[2], point.height_t), y->cosine));
  return CMB_OK;
}

/* Adds a check during the run: a warning is logged if the wheel's centre comes nearer to the road than a quarter of the wheel's radius. No real
 * tyre can be compressed that far. */
static void add_depth_bound(struct tyre *y, double radius)
{
  char text[400];
  snprintf(text, sizeof text,
           "the centre of the wheel of tyre '%s' is nearer to the road than a quarter of its "
           "radius, %g m, or below the road: no tyre can be pressed so far, and its forces are "
           "not those of a tyre there",
           y->f->name, radius);
  cmb_build_bound(y->b, y->f->name, "deep", cmb_sub(y->g, number(y, least_high * radius), y->d),
                  text, false);
}

static cmb_status find_contact(struct tyre *y, double radius)
{
  cmb_graph *g = y->g;
  cmb_expr sine;
  bool envelope;
  CMB_TRY(has_envelope(y, &envelope));
  cmb_status status = envelope ? CMB_ERROR_INPUT : set_contact_plane(y, radius, &sine);
  if (status == CMB_ERROR_INPUT) {
    if (!envelope) cmb_forget_error(y->b->ctx);
    status = set_contact_by_distance(y, &sine);
  }
  CMB_TRY(status);
  add_depth_bound(y, radius);
  const cmb_expr inverse = cmb_div(g, number(y, 1), y->cosine);
  y->k = cmb_vector_scale(g, inverse, cmb_vector_sub(g, y->n, cmb_vector_scale(g, sine, y->e)));
  y->X = cmb_vector_scale(g, inverse, cmb_vector_cross(g, y->e, y->n));
  y->Y = cmb_vector_cross(g, y->n, y->X);
  const cmb_vector to_P = cmb_vector_scale(g, cmb_neg(g, y->d), y->k);
  y->P = cmb_vector_add(g, y->c, to_P);
  y->down = cmb_vector_add(g, y->arm, to_P);
  y->results->gamma = cmb_apply(g, CMB_OP_ASIN, sine, 0, 0);
  y->friction = number(y, 1);
  if (y->of->road < 0) return CMB_OK;
  return cmb_build_road_value(y->b, y->of->road, true, y->P.x, 0, &y->friction);
}

/* Sets the velocity y->v of the wheel at the contact point, without the part due to its spin; the spin y->spin; and the rate y->rho_rate of
 * the tyre's deflection, without that of the free radius. */
static void set_velocities(struct tyre *y)
{
  cmb_graph *g = y->g;
  y->spin = cmb_vector_dot(g, y->p->w, y->e);
  const cmb_vector all = cmb_point_velocity(y->b->k, y->p, y->down);
  /* without spin: −d (−Ω e) × k adds Ω d X */
  y->v = cmb_vector_add(g, all, cmb_vector_scale(g, cmb_mul(g, y->spin, y->d), y->X));
  const cmb_vector centre = cmb_point_velocity(y->b->k, y->p, y->arm);
  const cmb_expr away = cmb_div(g, cmb_vector_dot(g, y->v, y->n), y->cosine);
  const cmb_expr more = cmb_add(g, cmb_vector_dot(g, y->spread, centre), y->d_t);
  y->rho_rate = cmb_neg(g, cmb_add(g, away, more));
}

/* ---- load and rolling radius */

/* Gives each switching function at which a tyre law leaves its range of validity the name TYRE.LIMIT, made of the names of the tyre and of the
 * limit. */
static void name_limits(struct tyre *y, const cmb_tyre_limits *limits)
{
  for (int i = 0; i < limits->count; i++) {
    cmb_build_hint(y->b, CMB_HINT_MOTION, y->f->name, limits->of[i].name, limits->of[i].e);
  }
}

static cmb_status set_load(struct tyre *y)
{
  cmb_graph *g = y->g;
  const cmb_tir *tir = y->of->tir;
  cmb_expr normal, k;
  y->radius = cmb_number_expr(g, y->of->radius);
  if (tir) CMB_TRY(cmb_magic_free_radius(g, tir, y->spin, &y->radius));
  y->rho = cmb_sub(g, y->radius, y->d);
  y->results->deflection = y->rho;
  if (tir) {
    const cmb_tyre_deflection in = {
        .rho = y->rho, .rho_rate = y->rho_rate, .omega = y->spin, .gamma = y->results->gamma};
    cmb_tyre_limits limits;
    CMB_TRY(cmb_magic_vertical(g, tir, &in, &normal, &limits));
    name_limits(y, &limits);
    k = number(y, tir->VERTICAL_STIFFNESS);
  } else {
    k = cmb_number_expr(g, y->of->stiffness);
    normal = cmb_add(g, cmb_mul(g, k, y->rho),
                     cmb_mul(g, cmb_number_expr(g, y->of->damping), y->rho_rate));
    normal = cmb_div(g, normal, y->cosine);
  }
  y->Fz = cmb_while_pressed(g, cmb_mul(g, k, y->rho), normal, normal, &y->both);
  cmb_build_hint(y->b, CMB_HINT_CONTACT, y->f->name, "contact", y->both);
  return CMB_OK;
}

static cmb_status set_rolling_radius(struct tyre *y)
{
  cmb_graph *g = y->g;
  const double *rolling = y->of->rolling;
  if (y->of->tir) {
    return cmb_magic_rolling_radius(g, y->of->tir, y->Fz, y->spin, &y->rolling);
  }
  const double slope = rolling[1] - rolling[0], load = y->of->tmeasy->load;
  const cmb_expr part =
      cmb_sub(g, number(y, 1 - rolling[0] + slope), cmb_mul(g, number(y, slope / load), y->Fz));
  const cmb_expr less = cmb_div(g, cmb_mul(g, part, y->Fz), cmb_number_expr(g, y->of->stiffness));
  y->rolling = cmb_sub(g, y->radius, less);
  return CMB_OK;
}

/* ---- slips */

/* The approximate slip of the peak in one direction, and q = dF0 sM/FM. */
struct peak {
  double slip, q;
};

static void find_peaks(const cmb_model_tyre *of, struct peak peak[2])
{
  if (of->tmeasy) {
    const cmb_tmeasy_side *const side[2] = {&of->tmeasy->x, &of->tmeasy->y};
    for (int i = 0; i < 2; i++) {
      peak[i].slip = side[i]->peak_slip[0];
      peak[i].q = side[i]->slope[0] * peak[i].slip / side[i]->peak[0];
    }
    return;
  }
  const cmb_tir *t = of->tir;
  const double slope[2] = {t->PKX1, fabs(t->PKY1 * sin(t->PKY4 * atan(1 / t->PKY2)))};
  const double friction[2] = {t->PDX1, t->PDY1};
  for (int i = 0; i < 2; i++) {
    peak[i].slip = fmax(0.05, fmin(0.5, 2.5 * friction[i] / fmax(slope[i], 1)));
    peak[i].q = slope[i] * peak[i].slip / friction[i];
  }
}

/* Returns the shape factor b of h(m) = f + (1 − f)/(1 + b m²)², the ratio of the relaxation length at relative slip m (1 at the peak force) to
 * that at zero slip, for which the integral of h from 0 to 1 is 1/q. f is the constant sliding_sigma. Finds b by bisection between 0 and
 * 1000; returns 0 if q ≤ 1. */
static double shape_factor(double q)
{
  const double wanted = (1 / q - sliding_sigma) / (1 - sliding_sigma);
  double low = 0, high = 1e3;
  for (int i = 0; i < 60; i++) {
    const double b = 0.5 * (low + high), r = sqrt(b);
    if (0.5 / (1 + b) + 0.5 * atan(r) / r > wanted)
      low = b;
    else
      high = b;
  }
  return low;
}

/* Builds the forces and moments *out of the tyre by its law (Magic Formula or TMeasy) at the load and slips in y->in. For TMeasy also builds
 * the contact length, which its aligning torque needs, and the rolling resistance. */
static cmb_status evaluate_law(struct tyre *y, cmb_tyre_output *out)
{
  cmb_graph *g = y->g;
  if (y->of->tir) return cmb_magic_formula(g, y->of->tir, &y->in, out);
  const cmb_expr k = cmb_number_expr(g, y->of->stiffness);
  const cmb_expr x = cmb_div(g, y->Fz, cmb_mul(g, k, y->radius));
  const cmb_expr start = number(y, contact_length_start * contact_length_start);
  const cmb_expr fourth = root(g, root(g, cmb_add(g, cmb_square(g, x), start)));
  const cmb_expr length = cmb_mul(g, cmb_mul(g, number(y, 2), y->radius), cmb_div(g, x, fourth));
  CMB_TRY(cmb_tmeasy_law(g, y->of->tmeasy, &y->in, length, out));
  const cmb_expr speed = cmb_mul(g, y->rolling, y->spin);
  const cmb_expr way =
      cmb_div(g, speed, root(g, cmb_add(g, cmb_square(g, speed), number(y, 0.01))));
  out->My = cmb_neg(
      g, cmb_mul(g, cmb_mul(g, number(y, y->of->resistance), y->Fz), cmb_mul(g, y->rolling, way)));
  return CMB_OK;
}

/* Sets y->sigma[2], the longitudinal and lateral relaxation length at zero slip, by the tyre law, but at least a fraction of the wheel's
 * radius. If the law gives none, they are a constant fraction of the radius. */
static cmb_status set_relaxation_lengths(struct tyre *y)
{
  cmb_graph *g = y->g;
  cmb_tyre_output out;
  CMB_TRY(evaluate_law(y, &out)); /* at zero slip: σ does not depend on the slip */
  const cmb_expr sigma[2] = {out.sigma_x, out.sigma_y};
  for (int i = 0; i < 2; i++) {
    if (sigma[i] == 0) {
      y->sigma[i] = cmb_mul(g, number(y, some_sigma), y->radius);
      continue;
    }
    const cmb_expr least = cmb_mul(g, number(y, least_sigma), y->radius);
    y->sigma[i] = root(g, cmb_add(g, cmb_square(g, sigma[i]), cmb_square(g, least)));
  }
  return CMB_OK;
}

/* Builds the ratio of the relaxation length with slip to that at zero slip. m2 is the square of the slip relative to that of the peak force; q
 * is the ratio of the initial slope of the force to its secant slope at the peak. */
static cmb_expr relaxation_ratio(const struct tyre *y, double q, cmb_expr m2)
{
  cmb_graph *g = y->g;
  const cmb_expr by = cmb_add(g, number(y, 1), cmb_mul(g, number(y, shape_factor(q)), m2));
  return cmb_add(g, number(y, sliding_sigma),
                 cmb_div(g, number(y, 1 - sliding_sigma), cmb_square(g, by)));
}

/* Builds the longitudinal and lateral deflection of a tyre at the slip of its peak force, most[0] and most[1]. They
 * increase with the friction of the road. */
static void peak_deflections(const struct tyre *y, const struct peak peak[2], cmb_expr most[2])
{
  cmb_graph *g = y->g;
  const cmb_expr least = number(y, least_friction * least_friction);
  const cmb_expr mu = root(g, cmb_add(g, cmb_square(g, y->friction), least));
  for (int i = 0; i < 2; i++)
    most[i] = cmb_mul(g, cmb_mul(g, number(y, peak[i].slip), mu), y->sigma[i]);
}

/* Sets the rates of a tyre's two first-order states, its longitudinal and lateral deflection, and builds the relaxed
 * slips at which the tyre law is evaluated: slip[0] = κ and slip[1] = −tan α, with the slip angle α. */
static void set_deflection_rates(struct tyre *y, cmb_expr slip[2])
{
  cmb_graph *g = y->g;
  const int first = y->of->first_state;
  const cmb_expr Vs[2] = {y->Vsx, y->Vsy}, *const x = &y->b->state[first];
  const cmb_expr Vs2 = cmb_add(g, cmb_square(g, y->Vsx), cmb_square(g, y->Vsy));
  const cmb_expr ratio = cmb_div(g, y->Vx, number(y, y->of->low_speed));
  const cmb_expr w = cmb_apply(g, CMB_OP_EXP, cmb_neg(g, cmb_square(g, ratio)), 0, 0);
  const cmb_expr damping = cmb_mul(g, w, number(y, y->of->low_speed_damping));
  const cmb_expr pressed = cmb_apply(g, CMB_OP_GT, y->both, 0, 0);
  cmb_expr most[2], m2 = 0;
  struct peak peak[2];
  find_peaks(y->of, peak);
  peak_deflections(y, peak, most);
  for (int i = 0; i < 2; i++) m2 = cmb_add(g, m2, cmb_square(g, cmb_div(g, x[i], most[i])));
  const cmb_expr slide = cmb_mul(g, cmb_mul(g, w, smooth_abs(y, Vs2)), m2);
  for (int i = 0; i < 2; i++) {
    slip[i] = cmb_div(g, cmb_sub(g, x[i], cmb_mul(g, damping, Vs[i])), y->sigma[i]);
    const cmb_expr roll = cmb_mul(g, smooth_abs(y, cmb_square(g, y->Vx)), slip[i]);
    const cmb_expr fade = cmb_mul(g, cmb_div(g, slide, most[i]), x[i]);
    const cmb_expr all = cmb_add(g, Vs[i], cmb_add(g, roll, fade));
    const cmb_expr rate = cmb_neg(g, cmb_div(g, all, relaxation_ratio(y, peak[i].q, m2)));
    const cmb_expr decay = cmb_div(g, x[i], number(y, -air_time));
    y->b->state_rate[first + i] = cmb_apply(g, CMB_OP_IF, pressed, rate, decay);
    y->b->rate_state[first + i] = CMB_BUILT;
  }
}

/* Reverses Fy, Mx and Mz if the tyre belongs to a mirrored copy of a subassembly, so that its forces are the mirror
 * image of the original's. */
static void mirror_forces(struct tyre *y, cmb_tyre_output *out)
{
  if (y->of->side > 0) return;
  out->Fy = cmb_neg(y->g, out->Fy);
  out->Mx = cmb_neg(y->g, out->Mx);
  out->Mz = cmb_neg(y->g, out->Mz);
}

static cmb_status set_slip_forces(struct tyre *y)
{
  cmb_graph *g = y->g;
  cmb_tyre_results *to = y->results;
  cmb_expr slip[2];
  CMB_TRY(set_rolling_radius(y));
  y->Vx = cmb_vector_dot(g, y->v, y->X);
  y->Vsx = cmb_sub(g, y->Vx, cmb_mul(g, y->rolling, y->spin));
  y->Vsy = cmb_vector_dot(g, y->v, y->Y);
  y->in = (cmb_tyre_input){.Fz = y->Fz,
                           .gamma = y->of->side > 0 ? to->gamma : cmb_neg(g, to->gamma),
                           .Vx = y->Vx,
                           .friction = y->friction};
  CMB_TRY(set_relaxation_lengths(y));
  set_deflection_rates(y, slip);
  y->in.kappa = to->kappa = slip[0];
  to->alpha = cmb_neg(g, cmb_apply(g, CMB_OP_ATAN, slip[1], 0, 0));
  y->in.tan_alpha = y->of->side > 0 ? cmb_neg(g, slip[1]) : slip[1];
  CMB_TRY(evaluate_law(y, &y->out));
  if (y->out.past_peak) cmb_build_hint(y->b, CMB_HINT_MOTION, y->f->name, "peak", y->out.past_peak);
  if (y->out.past_sliding)
    cmb_build_hint(y->b, CMB_HINT_MOTION, y->f->name, "sliding", y->out.past_sliding);
  name_limits(y, &y->out.limits);
  mirror_forces(y, &y->out);
  return CMB_OK;
}

/* ---- the whole tyre */

static cmb_status locate_wheel(struct tyre *y)
{
  cmb_number axis[3];
  y->site = cmb_site_of(y->b->k, &y->f->b);
  y->p = cmb_pose_of(y->b->k, y->site.link, CMB_GROUND);
  if (!y->p) return CMB_ERROR_MEMORY;
  y->arm = cmb_pose_arm(y->b->k, y->p, y->site.x);
  y->c = cmb_point_position(y->b->k, y->p, y->arm);
  cmb_tree_direction(y->b->tree, y->site.link, y->of->axis, axis);
  y->e = cmb_pose_arm(y->b->k, y->p, axis);
  return CMB_OK;
}

static void store_results(struct tyre *y)
{
  cmb_tyre_results *to = y->results;
  to->Fx = y->out.Fx, to->Fy = y->out.Fy, to->Fz = y->Fz;
  to->Mx = y->out.Mx, to->My = y->out.My, to->Mz = y->out.Mz;
  to->px = y->P.x[0], to->py = y->P.x[1], to->pz = y->P.x[2];
}

/* Adds the tyre's force at the contact point and its moment to the forces on the wheel. Fx acts with the effective rolling radius as lever arm
 * about the axis. A part of the force due to the road's curvature acts at the wheel's centre. */
static cmb_status apply_force(struct tyre *y)
{
  cmb_graph *g = y->g;
  const cmb_tyre_output *o = &y->out;
  const cmb_vector more = cmb_vector_scale(g, cmb_mul(g, y->Fz, y->cosine), y->spread);
  cmb_vector force = cmb_vector_add(g, cmb_vector_scale(g, y->Fz, y->n), more);
  cmb_vector moment = cmb_vector_cross(g, cmb_vector_scale(g, y->d, y->k), more);
  if (y->of->first_state >= 0) {
    force = cmb_vector_add(g, force, cmb_vector_scale(g, o->Fx, y->X));
    force = cmb_vector_add(g, force, cmb_vector_scale(g, o->Fy, y->Y));
    const cmb_expr lever = cmb_mul(g, o->Fx, cmb_sub(g, y->d, y->rolling));
    moment = cmb_vector_add(g, moment, cmb_vector_scale(g, o->Mx, y->X));
    moment = cmb_vector_add(g, moment, cmb_vector_scale(g, o->Mz, y->n));
    moment = cmb_vector_add(g, moment, cmb_vector_scale(g, cmb_add(g, o->My, lever), y->e));
  }
  return cmb_build_wrench_action(y->b, y->site, force, moment, y->down);
}

cmb_status cmb_build_tyre(cmb_build *b, int force)
{
  struct tyre y = {.b = b, .g = b->g, .f = &b->model->forces[force]};
  y.of = y.f->tyre;
  b->tyres[force] = y.results = cmb_arena_take(b->arena, 1, sizeof *y.results);
  if (!y.results) return CMB_ERROR_MEMORY;
  CMB_TRY(locate_wheel(&y));
  CMB_TRY(find_contact(&y, y.of->tir ? y.of->tir->UNLOADED_RADIUS : y.of->radius.value));
  set_velocities(&y);
  CMB_TRY(set_load(&y));
  if (y.of->first_state >= 0) CMB_TRY(set_slip_forces(&y));
  store_results(&y);
  return apply_force(&y);
}

bool cmb_build_tyre_result(const cmb_build *b, int force, const char *suffix, cmb_expr *e)
{
  static const char *const names[] = {
#define NAME(name) #name,
      RESULTS(NAME)
#undef NAME
  };
  enum { COUNT = sizeof names / sizeof *names };
  const cmb_tyre_results *of = b->tyres[force];
  const int i = cmb_find_name(suffix, names, COUNT, sizeof *names);
  if (i < 0 || !of) return false;
  const cmb_expr values[COUNT] = {
#define VALUE(name) of->name,
      RESULTS(VALUE)
#undef VALUE
  };
  *e = values[i];
  return true;
}
