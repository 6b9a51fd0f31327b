/*
 * The Magic Formula for tyres, as lists of formulas in text form that are parsed into expressions; used by tyre forces (tyre_force.c) and by
 * cmb_tyre_* (tyre.c). Each line defines a name from coefficients of the tyre file (tir_keys.h), inputs and names above it.
 * Equations (4.E1) to (4.E78) of Pacejka 2012 without turn slip; Besselink, Schmeitz and Pacejka 2010 for pressure, Mx, My, radii and
 * relaxation; MF 5.2 in lines marked `OLD`. Names are those of the book, but K and SV are divided by the load, so that there is no division by Fz.
 *
 * dfz, dp: increments of load and pressure; s: direction of travel, −1 .. 1, a sine below VXLOW and ±1 above it, which reverses shifts and
 * trail with the direction; lx, ly: scale factors of friction times the road's friction; a: α* (5.2: α); gx, gy, gz, gs: camber in the
 * equations of Fx, of Fy, of slope and peak of the trail, and of the residual torque, the shift and the curvature.
 *
 * Kinks of the law: sgn of a slip is only a factor of terms that vanish with the cube of that slip, and makes no event. |γ| is γ²/sqrt(γ² + 1e-8).
 * The limits E <= 1 and the ranges of load, slip and camber are events with names (tyre_law.h). ratio(a, b) is a/b, and 0 if b = 0. (4.E8) is
 * omitted: λ'μ is λμ in SVx, SVy and SVg.
 */
#include "dyn/magic_formula.h"

#include "base/text.h"
#include "dyn/formulas.h"
#include "expr/algebra.h"

#include <math.h>
#include <string.h>

enum { BOTH, OLD, NEW }; /* versions that a line applies to: all, only 5.2, or only 6.1 and 6.2 */

struct line {
  const char *name, *formula;
  int version;
};

static const struct line basic[] = {
    {"fzn", "Fz/(LFZO*FNOMIN)", BOTH},
    {"dfz", "fzn - 1", BOTH},
    {"s", "smooth(sin(pi/2*max(-1, min(1, Vx/VXLOW))))", BOTH},
    {"lx", "LMUX*friction", BOTH},
    {"ly", "LMUY*friction", BOTH},
    {"a", "tan_alpha", NEW},
    {"a", "atan(tan_alpha)", OLD},
    {"cosa", "1/sqrt(1 + tan_alpha^2)", BOTH},
    {"gx", "gamma*LGAX", BOTH}, /* LGAX .. LGAZ are 1 in new versions */
    {"gy", "sin(gamma)", NEW},
    {"gy", "gamma*LGAY", OLD},
    {"gz", "gamma*LGAZ", BOTH},
    {"gs", "sin(gamma)", NEW},
    {"gs", "gz", OLD},
};

static const struct line longitudinal[] = {
    {"Cx", "PCX1*LCX", BOTH},
    {"mux", "(PDX1 + PDX2*dfz)*(1 + PPX3*dp + PPX4*dp^2)*(1 - PDX3*gx^2)*lx", BOTH},
    {"kx", "(PKX1 + PKX2*dfz)*exp(PKX3*dfz)*(1 + PPX1*dp + PPX2*dp^2)*LKX", BOTH},
    {"Bx", "ratio(kx, Cx*mux)", BOTH},
    {"SHx", "(PHX1 + PHX2*dfz)*LHX*s", BOTH},
    {"SVx", "(PVX1 + PVX2*dfz)*LVX*lx*s", BOTH},
    {"slip", "kappa + SHx", BOTH},
    {"e", "(PEX1 + PEX2*dfz + PEX3*dfz^2)*LEX", BOTH},
    {"Ex", "side(slip, limited(e*(1 - PEX4*s)), limited(e*(1 + PEX4*s)))", BOTH},
    {"Fx0", "Fz*(mux*sin(Cx*atan(curve(Bx*slip, Ex))) + SVx)", BOTH},
};

/* lateral force; evaluated twice, without camber and with it */
static const struct line lateral[] = {
    {"Cy", "PCY1*LCY", BOTH},
    {"muy", "(PDY1 + PDY2*dfz)*(1 + PPY3*dp + PPY4*dp^2)*(1 - PDY3*gy^2)*ly", BOTH},
    {"n", "(PKY2 + PKY5*gy^2)*(1 + PPY2*dp)", BOTH},
    {"ky", "PKY1*(1 + PPY1*dp)*(1 - PKY3*size(gy))*rise(fzn/n)/n*LKY", BOTH},
    {"SVg", "(PVY3 + PVY4*dfz)*gy*LKYC*ly", BOTH},
    {"SHy", "(PHY1 + PHY2*dfz)*LHY*s + ratio((PKY6 + PKY7*dfz)*(1 + PPY5*dp)*LKYC*gy - SVg, ky)",
     NEW},
    {"SHy", "(PHY1 + PHY2*dfz)*LHY*s + PHY3*gy", OLD},
    {"SVy", "(PVY1 + PVY2*dfz)*LVY*ly*s + SVg", BOTH},
    {"ay", "a + SHy", BOTH},
    {"By", "ratio(ky, Cy*muy)", BOTH},
    {"e", "(PEY1 + PEY2*dfz)*LEY", BOTH},
    {"Ey",
     "side(ay, limited(e*(1 + PEY5*gy^2 - (PEY3*s + PEY4*gy))), limited(e*(1 + PEY5*gy^2 + (PEY3*s "
     "+ PEY4*gy))))",
     BOTH},
    {"Fy0", "Fz*(muy*sin(Cy*atan(curve(By*ay, Ey))) + SVy)", BOTH},
};

static const struct line combined[] = {
    {"B", "(RBX1 + RBX3*gy^2)/sqrt(1 + (RBX2*kappa)^2)*LXAL", BOTH},
    {"E", "limited(REX1 + REX2*dfz)", BOTH},
    {"shift", "RHX1*s", BOTH},
    {"Fx", "Fx0*cos(RCX1*atan(curve(B*(a + shift), E)))/cos(RCX1*atan(curve(B*shift, E)))", BOTH},
    {"B", "(RBY1 + RBY4*gy^2)/sqrt(1 + (RBY2*(a - RBY3*s))^2)*LYKA", BOTH},
    {"E", "limited(REY1 + REY2*dfz)", BOTH},
    {"shift", "(RHY1 + RHY2*dfz)*s", BOTH},
    {"Gyk", "cos(RCY1*atan(curve(B*(kappa + shift), E)))/cos(RCY1*atan(curve(B*shift, E)))", BOTH},
    {"SVyk",
     "muy*Fz*(RVY1 + RVY2*dfz + RVY3*gy*s)/sqrt(1 + (RVY4*a)^2)*sin(RVY5*atan(RVY6*kappa))*LVYKA",
     BOTH},
    {"Fy", "Gyk*Fy0 + SVyk", BOTH},
};

/* Aligning torque. cos(atan(x)) is 1/sqrt(1 + x²); trail and residual torque are even functions of the equivalent
 * slips, whose signs are left out. */
static const struct line aligning[] = {
    {"at", "a + (QHZ1 + QHZ2*dfz)*s + (QHZ3 + QHZ4*dfz)*gs", BOTH},
    {"ar", "a + SHy + ratio(SVy, ky)", BOTH},
    {"lk", "ratio(LKY, ly)", BOTH},
    {"Bt", "(QBZ1 + QBZ2*dfz + QBZ3*dfz^2)*(1 + QBZ4*gz*s + QBZ5*size(gz))*lk", BOTH},
    {"Dt",
     "Fz*UNLOADED_RADIUS/FNOMIN*(QDZ1 + QDZ2*dfz)*(1 - PPZ1*dp)*(1 + QDZ3*gz*s + QDZ4*gz^2)*LTR",
     BOTH},
    {"Et", "limited((QEZ1 + QEZ2*dfz + QEZ3*dfz^2)*(1 + (QEZ4*s + QEZ5*gs)*2/pi*atan(Bt*QCZ1*at)))",
     BOTH},
    {"Br", "QBZ9*lk + QBZ10*By*Cy", BOTH},
    {"Dr",
     "Fz*UNLOADED_RADIUS*((QDZ6 + QDZ7*dfz)*LRES + ((QDZ8 + QDZ9*dfz)*(1 + PPZ2*dp) + (QDZ10 + "
     "QDZ11*dfz)*size(gs))*gs*LKZC)*ly*s*cosa",
     BOTH},
    {"turned", "(ratio(kx, ky)*kappa)^2", BOTH},
    {"at", "sqrt(at^2 + turned + 1e-18)", NEW},
    {"ar", "sqrt(ar^2 + turned + 1e-18)", NEW},
    {"at", "atan(sqrt(tan(at)^2 + turned + 1e-18))", OLD},
    {"ar", "atan(sqrt(tan(ar)^2 + turned + 1e-18))", OLD},
    {"t", "Dt*cos(QCZ1*atan(curve(Bt*at, Et)))*cosa*s", BOTH},
    {"Mzr", "Dr/sqrt(1 + (Br*ar)^2)", BOTH},
    {"lever", "UNLOADED_RADIUS*(SSZ1 + SSZ2*Fy/FNOMIN + (SSZ3 + SSZ4*dfz)*gamma)*LS", BOTH},
    {"Mz", "-t*Gyk*Fy1 + Mzr + lever*Fx", NEW}, /* Fy1: Fy0 without camber */
    {"Mz", "-t*(Fy - SVyk) + Mzr + lever*Fx", OLD},
};

/* Overturning and rolling resistance torques. The power of the load must not have an infinite slope at 0: x^q is x
 * (x² + 1e-10)^((q − 1)/2). */
static const struct line torques[] = {
    {"x", "Fz/FNOMIN", BOTH},
    {"Mx",
     "UNLOADED_RADIUS*LMX*(Fz*(QSX1*LVMX - QSX2*gamma*(1 + PPMX1*dp) - QSX12*gamma*size(gamma) + "
     "QSX3*Fy/FNOMIN + QSX4*cos(QSX5*atan((QSX6*x)^2))*sin(QSX7*gamma + QSX8*atan(QSX9*Fy/FNOMIN)) "
     "+ QSX10*atan(QSX11*x)*gamma) + Fy*(QSX13 + QSX14*size(gamma)))",
     BOTH},
    {"q", "QSY1 + QSY2*Fx/FNOMIN + QSY3*Vx*s/LONGVL + QSY4*(Vx/LONGVL)^4", BOTH},
    {"My", "-UNLOADED_RADIUS*Fz*LMY*s*q", OLD},
    {"My",
     "-UNLOADED_RADIUS*FNOMIN*LMY*s*(q + (QSY5 + QSY6*x)*gamma^2)*x*(x^2 + 1e-10)^((QSY7 - "
     "1)/2)*(1 + dp)^QSY8",
     NEW},
};

static const struct line relaxation[] = {
    {"sigma_x", "Fz*(PTX1 + PTX2*dfz)*exp(-PTX3*dfz)*UNLOADED_RADIUS/FNOMIN*LSGKP", OLD},
    {"sigma_y", "PTY1*sin(2*atan(fzn/PTY2))*(1 - PKY3*size(gy))*UNLOADED_RADIUS*LFZO*LSGAL", OLD},
    {"sigma_x",
     "smooth(abs(ratio(Fz*kx, LONGITUDINAL_STIFFNESS*(1 + PCFX1*dfz + PCFX2*dfz^2)*(1 + "
     "PCFX3*dp))))",
     NEW},
    {"sigma_y",
     "smooth(abs(ratio(Fz*ky, LATERAL_STIFFNESS*(1 + PCFY1*dfz + PCFY2*dfz^2)*(1 + PCFY3*dp))))",
     NEW},
};

/* Vertical force as a function of the deflection (Besselink et al. 2010, eqs. 1 to 7; MF 6.2: camber and lateral
 * force); x is the deflection, with what camber adds to it, over R0. */
static const struct line vertical[] = {
    {"radius", "UNLOADED_RADIUS*(Q_RE0 + Q_V1*(omega*UNLOADED_RADIUS/LONGVL)^2)", BOTH},
    {"spin", "omega*UNLOADED_RADIUS*smooth(sin(pi/2*max(-1, min(1, omega*UNLOADED_RADIUS/VXLOW))))",
     BOTH},
    {"q1", "sqrt((VERTICAL_STIFFNESS*UNLOADED_RADIUS/FNOMIN)^2 - 4*Q_FZ2)", BOTH},
    {"stiffened", "1 + Q_V2*spin/LONGVL", BOTH},
};

static const struct line deflected[] = {
    {"low", "radius - rho", BOTH},
    {"camber",
     "ratio(Q_CAM1*low + Q_CAM2*low^2, Q_CAM1*radius + Q_CAM2*radius^2)^2*(1.075 - "
     "0.5*ASPECT_RATIO)*WIDTH/8*size(tan(gamma)) - Q_CAM3*rho*size(gamma)",
     BOTH},
    {"x", "(rho + camber)/UNLOADED_RADIUS", BOTH},
    {"fys", "(Q_FYS1 + Q_FYS2*low/radius + Q_FYS3*(low/radius)^2)*gamma", BOTH},
    {"fy", "(x^2 + 1e-12)^(Q_FCY2/2)*Q_FCY*with_Fy*(Fy - fys)/FNOMIN", BOTH},
    {"spring", "(stiffened - (Q_FCX*Fx/FNOMIN)^2 - fy^2)*(q1*x + Q_FZ2*x^2)*(1 + PFZ1*dp)*FNOMIN",
     BOTH},
    {"bottom", "BOTTOM_STIFF*beyond(RIM_RADIUS + BOTTOM_OFFST - low)", BOTH},
    {"Fz", "spring + bottom + VERTICAL_DAMPING*rho_rate", BOTH},
};

static const struct line radii[] = {
    {"rolling",
     "radius - FNOMIN/(VERTICAL_STIFFNESS*(1 + PFZ1*dp))*(DREFF*atan(BREFF*Fz/FNOMIN) + "
     "FREFF*Fz/FNOMIN)",
     BOTH},
    {"c", "Fz/(FNOMIN*stiffened*(1 + PFZ1*dp))", BOTH},
    {"loaded", "radius - UNLOADED_RADIUS*2*c/(q1 + sqrt(q1^2 + 4*Q_FZ2*c))", BOTH},
};

/* ---- names and functions of the formulas */

struct law {
  cmb_graph *g;
  const cmb_tir *tir;
  int version;
  cmb_formulas f;
  cmb_tyre_limits limits;
};

static void define(struct law *l, const char *name, cmb_expr e)
{
  cmb_formulas_define(&l->f, name, e);
}

static cmb_expr value_of(const struct law *l, const char *name)
{
  return cmb_formulas_value(&l->f, name);
}

static bool name_value(void *user, const char *name, cmb_expr *e)
{
  const struct law *l = user;
  if (cmb_formulas_find(&l->f, name, e)) return true;
  const int key = cmb_find_name(name, cmb_tir_names(), CMB_TIR_KEY_COUNT, sizeof(char *));
  if (key >= 0) *e = cmb_constant(l->g, cmb_tir_number(l->tir, key));
  return key >= 0;
}

static cmb_expr number(cmb_graph *g, double x)
{
  return cmb_constant(g, x);
}

static cmb_expr apply(cmb_graph *g, cmb_op op, cmb_expr a)
{
  return cmb_apply(g, op, a, 0, 0);
}

/* Builds the expression a b/(b² + 1e-24), a regularised quotient a/b that is 0 at b = 0; for |b| above 1e-4 it equals a/b to rounding. */
static cmb_expr ratio(cmb_graph *g, cmb_expr a, cmb_expr b)
{
  return cmb_div(g, cmb_mul(g, a, b), cmb_add(g, cmb_square(g, b), number(g, 1e-24)));
}

/* Builds the expression x²/sqrt(x² + 1e-8), a smooth approximation of |x| that is 0 at x = 0 and has a relative error
 * of at most 5e-9/x². */
static cmb_expr smooth_abs(cmb_graph *g, cmb_expr x)
{
  const cmb_expr square = cmb_square(g, x);
  return cmb_div(g, square, apply(g, CMB_OP_SQRT, cmb_add(g, square, number(g, 1e-8))));
}

/* Builds the expression of sin(x)/x; for |x| < 0.1 by its power series, which is exact to rounding there. */
static cmb_expr sinc(cmb_graph *g, cmb_expr x)
{
  const cmb_expr w = cmb_square(g, x), one = number(g, 1);
  const cmb_expr small = cmb_apply(g, CMB_OP_LT, w, number(g, 0.01), 0);
  const cmb_expr below = cmb_apply(g, CMB_OP_IF, small, one, x);
  cmb_expr series = one;
  for (int k = 12; k >= 2; k -= 2) {
    series = cmb_sub(g, one, cmb_mul(g, cmb_div(g, w, number(g, k * (k + 1))), series));
  }
  const cmb_expr quotient = cmb_div(g, apply(g, CMB_OP_SIN, x), below);
  return apply(g, CMB_OP_SMOOTH, cmb_apply(g, CMB_OP_IF, small, series, quotient));
}

/* Builds the expression sin(PKY4 atan(x))/x without a division by x, which may be 0. PKY4 is a coefficient of the Magic Formula. */
static cmb_expr rise(const struct law *l, cmb_expr x)
{
  cmb_graph *g = l->g;
  const cmb_expr k = number(g, l->tir->PKY4), angle = apply(g, CMB_OP_ATAN, x);
  const cmb_expr w = cmb_add(g, number(g, 1), cmb_square(g, x));
  if (l->tir->PKY4 == 2) return cmb_div(g, k, w);
  const cmb_expr waves = cmb_div(g, sinc(g, cmb_mul(g, k, angle)), sinc(g, angle));
  return cmb_div(g, cmb_mul(g, k, waves), apply(g, CMB_OP_SQRT, w));
}

/* Builds the expression min(x, high), and records as an event with this name that x passes the limit `high`. */
static cmb_expr at_most(struct law *l, cmb_expr x, double high, const char *name)
{
  return cmb_tyre_limits_at_most(&l->limits, l->g, x, number(l->g, high), name);
}

static cmb_expr at_least(struct law *l, cmb_expr x, double low, const char *name)
{
  cmb_graph *g = l->g;
  const cmb_expr end = number(g, low);
  cmb_tyre_limits_add(&l->limits, name, cmb_sub(g, end, x));
  return cmb_apply(g, CMB_OP_IF, cmb_apply(g, CMB_OP_LT, x, end, 0), end, x);
}

/* Builds an expression that is a for x > 0, b for x < 0 and their mean for x = 0. A change of sign of x is not recorded as an event. */
static cmb_expr side(cmb_graph *g, cmb_expr x, cmb_expr a, cmb_expr b)
{
  const cmb_expr half = number(g, 0.5);
  const cmb_expr sign = apply(g, CMB_OP_SMOOTH, apply(g, CMB_OP_SIGN, x));
  return cmb_add(g, cmb_mul(g, half, cmb_add(g, a, b)),
                 cmb_mul(g, sign, cmb_mul(g, half, cmb_sub(g, a, b))));
}

static bool name_call(void *user, const char *name, int count, const cmb_expr *x, cmb_expr *e)
{
  struct law *l = user;
  cmb_graph *g = l->g;
  if (strcmp(name, "curve") == 0 && count == 2) { /* x − E (x − atan x) */
    *e = cmb_sub(g, x[0], cmb_mul(g, x[1], cmb_sub(g, x[0], apply(g, CMB_OP_ATAN, x[0]))));
  } else if (strcmp(name, "ratio") == 0 && count == 2) {
    *e = ratio(g, x[0], x[1]);
  } else if (strcmp(name, "size") == 0 && count == 1) {
    *e = smooth_abs(g, x[0]);
  } else if (strcmp(name, "rise") == 0 && count == 1) {
    *e = rise(l, x[0]);
  } else if (strcmp(name, "limited") == 0 && count == 1) {
    *e = at_most(l, x[0], 1, "curvature");
  } else if (strcmp(name, "beyond") == 0 && count == 1) {
    *e = at_least(l, x[0], 0, "rim");
  } else if (strcmp(name, "side") == 0 && count == 3) {
    *e = side(g, x[0], x[1], x[2]);
  } else {
    return false;
  }
  return true;
}

static cmb_status parse_lines(struct law *l, int count, const struct line *lines)
{
  const cmb_names names = {.user = l, .value = name_value, .call = name_call};
  for (int i = 0; i < count; i++) {
    if (lines[i].version != BOTH && lines[i].version != l->version) continue;
    CMB_TRY(cmb_formulas_parse(&l->f, &names, lines[i].name, lines[i].formula));
  }
  return CMB_OK;
}
#define PARSE_LINES(l, lines) parse_lines(l, (int)(sizeof(lines) / sizeof *(lines)), lines)

static void begin(struct law *l, cmb_graph *g, const cmb_tir *tir)
{
  *l = (struct law){.g = g, .tir = tir, .version = tir->FITTYP == 6 ? OLD : NEW, .f = {.g = g}};
  define(l, "dp", number(g, cmb_tir_pressure(tir)));
}

/* ---- the law */

/* Builds the expression of x limited to the range of validity [low, high] that the tyre property file states. Records each finite limit as an
 * event, with the name names[0] for low and names[1] for high. */
static cmb_expr clamped(struct law *l, cmb_expr x, double low, double high,
                        const char *const names[2])
{
  if (high < HUGE_VAL) x = at_most(l, x, high, names[1]);
  if (low > -HUGE_VAL) x = at_least(l, x, low, names[0]);
  return x;
}

static const char *const loads[2] = {NULL, "load_most"},
                         *const slips[2] = {"slip_least", "slip_most"},
                         *const angles[2] = {"angle_least", "angle_most"},
                         *const cambers[2] = {"camber_least", "camber_most"};

/* Returns the tangent of an angle (rad) that limits a range of validity; ±HUGE_VAL (no limit) for angles of about ±90° and beyond. */
static double tangent(double angle)
{
  if (fabs(angle) >= 1.57) return angle > 0 ? HUGE_VAL : -HUGE_VAL;
  return tan(angle);
}

static void define_inputs(struct law *l, const cmb_tyre_input *in)
{
  const cmb_tir *t = l->tir;
  define(l, "Fz", clamped(l, in->Fz, -HUGE_VAL, t->FZMAX, loads));
  define(l, "kappa", clamped(l, in->kappa, t->KPUMIN, t->KPUMAX, slips));
  define(l, "tan_alpha", clamped(l, in->tan_alpha, tangent(t->ALPMIN), tangent(t->ALPMAX), angles));
  define(l, "gamma", clamped(l, in->gamma, t->CAMMIN, t->CAMMAX, cambers));
  define(l, "Vx", in->Vx);
  define(l, "friction", in->friction);
}

cmb_status cmb_magic_formula(cmb_graph *g, const cmb_tir *tir, const cmb_tyre_input *in,
                             cmb_tyre_output *out)
{
  struct law l;
  begin(&l, g, tir);
  define_inputs(&l, in);
  CMB_TRY(PARSE_LINES(&l, basic));
  CMB_TRY(PARSE_LINES(&l, longitudinal));
  const cmb_expr camber = value_of(&l, "gy");
  define(&l, "gy", 0);
  CMB_TRY(PARSE_LINES(&l, lateral));
  define(&l, "Fy1", value_of(&l, "Fy0"));
  define(&l, "gy", camber);
  CMB_TRY(PARSE_LINES(&l, lateral));
  CMB_TRY(PARSE_LINES(&l, combined));
  CMB_TRY(PARSE_LINES(&l, aligning));
  CMB_TRY(PARSE_LINES(&l, torques));
  CMB_TRY(PARSE_LINES(&l, relaxation));
  *out = (cmb_tyre_output){.Fx = value_of(&l, "Fx"),
                           .Fy = value_of(&l, "Fy"),
                           .Mx = value_of(&l, "Mx"),
                           .My = value_of(&l, "My"),
                           .Mz = value_of(&l, "Mz"),
                           .sigma_x = value_of(&l, "sigma_x"),
                           .sigma_y = value_of(&l, "sigma_y"),
                           .limits = l.limits};
  return cmb_graph_status(g);
}

cmb_status cmb_magic_vertical(cmb_graph *g, const cmb_tir *tir, const cmb_tyre_deflection *in,
                              cmb_expr *Fz, cmb_tyre_limits *limits)
{
  struct law l;
  begin(&l, g, tir);
  define(&l, "rho", in->rho);
  define(&l, "rho_rate", in->rho_rate);
  define(&l, "omega", in->omega);
  define(&l, "gamma", clamped(&l, in->gamma, tir->CAMMIN, tir->CAMMAX, cambers));
  define(&l, "Fx", in->Fx);
  define(&l, "Fy", in->Fy);
  define(&l, "with_Fy", cmb_constant(g, in->Fy ? 1 : 0));
  CMB_TRY(PARSE_LINES(&l, vertical));
  CMB_TRY(PARSE_LINES(&l, deflected));
  *Fz = value_of(&l, "Fz");
  *limits = l.limits;
  return cmb_graph_status(g);
}

static cmb_status find_radius(cmb_graph *g, const cmb_tir *tir, cmb_expr Fz, cmb_expr omega,
                              const char *name, cmb_expr *radius)
{
  struct law l;
  begin(&l, g, tir);
  define(&l, "Fz", Fz);
  define(&l, "omega", omega);
  CMB_TRY(PARSE_LINES(&l, vertical));
  CMB_TRY(PARSE_LINES(&l, radii));
  *radius = value_of(&l, name);
  return cmb_graph_status(g);
}

cmb_status cmb_magic_free_radius(cmb_graph *g, const cmb_tir *tir, cmb_expr omega, cmb_expr *radius)
{
  return find_radius(g, tir, 0, omega, "radius", radius);
}

cmb_status cmb_magic_rolling_radius(cmb_graph *g, const cmb_tir *tir, cmb_expr Fz, cmb_expr omega,
                                    cmb_expr *radius)
{
  return find_radius(g, tir, Fz, omega, "rolling", radius);
}

cmb_status cmb_magic_loaded_radius(cmb_graph *g, const cmb_tir *tir, cmb_expr Fz, cmb_expr omega,
                                   cmb_expr *radius)
{
  return find_radius(g, tir, Fz, omega, "loaded", radius);
}
