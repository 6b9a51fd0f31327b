/*
 * Forces in the contact of a wheel and a rail, as lists of formulas in text form that are parsed into expressions (creep.h).
 *
 * Hertz: the gap is (curvature_x x² + curvature_y y²)/2; log(a/b), γ and F come from tables (kalker.h). The load in the size of the ellipse is
 * √(load² + 1e-6 N²), so that a, b and all derivatives are finite without load; pressure and approach vanish with the load.
 *
 * Linear theory (Kalker 1967), c = √(a b):
 *     Fx = −G c² C11 ξ,  Fy = −G c² (C22 η + c C23 φ),  Mz = G c³ (C23 η − c C33 φ).
 *
 * Polach (1999): `all` is the creepage with the part of the spin in it; the forces are load µ `turned` times the components of creepage over `all`.
 * With ε = 1e-8 in `all`, c and s, their derivatives at zero creepage are those of the linear theory. He gives no moment; here it is that of the
 * linear theory, reduced as his force by spin is, so that the work of forces and moment is never positive.
 *
 * FASTSIM (Kalker 1982): x = a u t, y = b v with v = sin θ, u = cos θ. Strips are equally wide in θ, so that their sum is exact for full slip.
 * The traction grows from the leading edge t = 1 with the slip at each place, and is cut to the bound µ (2 load/(π a b)) (1 − x²/a² − y²/b²) in the
 * middle of each element; the bounds of a strip are scaled so that their sum is exact. Flexibilities of ξ, η and φ are separate at small creepage, each
 * such that the sum without slip is the linear theory; so derivatives at zero creepage are those of the linear theory with an error by
 * discretisation. Where all slips, the traction must be opposite to the slip, for which the three have to be equal: they are blended into
 * their mean, weighted with the squares of the creepages, by w = f²/(f² + 4), where f is the force of the linear theory over the bound µ load. The
 * cut is `smooth(min(1, bound/|traction|))`: forces are continuous, their derivatives jump a little where an element begins to slip. These jumps do
 * not make events, since there is one for each element.
 */
#include "dyn/creep.h"

#include "base/text.h"
#include "dyn/formulas.h"

#include <math.h>
#include <string.h>

struct line {
  const char *name, *formula;
};

static const struct line hertz[] = {
    {"ratio", "log(curvature_y/curvature_x)"},
    {"oblong", "axes(ratio)"},
    {"stretch", "exp(oblong/2)"},
    {"curvature", "sqrt(curvature_x*curvature_y)"},
    {"c", "(3*sqrt(load^2 + 1e-6)/(pi*stiffness*curvature)*exp(size(ratio)))^(1/3)"},
    {"a", "c*stretch"},
    {"b", "c/stretch"},
    {"pressure", "3*load/(2*pi*c^2)"},
    {"approach", "pressure*c/stiffness*exp(depth(ratio))"},
};

static const struct line coefficients[] = {
    {"C11", "kalker11(oblong)"},
    {"C22", "kalker22(oblong)"},
    {"C23", "kalker23(oblong)"},
    {"C33", "kalker33(oblong)"},
};

/* the speed of creep, |w| as w²/sqrt(w² + 1e-8) */
static const struct line friction[] = {
    {"w", "speed^2*(xi^2 + eta^2)"},
    {"w", "w/sqrt(w + 1e-8)"},
    {"friction", "friction*(falling_to + (1 - falling_to)*exp(-falling_rate*w))"},
};

static const struct line linear[] = {
    {"k", "G*c^2"},
    {"Fx", "-k*C11*xi"},
    {"Fy", "-k*(C22*eta + c*C23*phi)"},
    {"Mz", "k*c*(C23*eta - c*C33*phi)"},
};

/* d = (m² − 1)/(m² + 1) of Polach is 1 − 2 p here, which keeps digits for large m */
static const struct line polach[] = {
    {"bound", "load*friction"},
    {"limit", "sqrt(bound^2 + 1e-6)"},
    {"side", "smooth(max(eta^2, (eta + a*phi)^2)) + 1e-16"},
    {"all", "sqrt(xi^2 + side)"},
    {"creep", "xi^2 + eta^2 + 1e-16"},
    {"unit", "G*pi*a*b*all/(4*limit)"},
    {"e", "unit*sqrt((C11^2*(xi^2 + 1e-16) + C22^2*eta^2)/creep)"},
    {"turned", "2/pi*(adhesion*e/(1 + (adhesion*e)^2) + atan(slip*e))"},
    {"Fx", "-bound*turned*xi/all"},
    {"e", "unit*sqrt((C11^2*xi^2 + C22^2*(eta^2 + 1e-16))/creep)"},
    {"turned", "2/pi*(adhesion*e/(1 + (adhesion*e)^2) + atan(slip*e))"},
    {"K", "1 + 6.3*(1 - exp(-a/b))"},
    {"m", "8*b*c*G*C23*sqrt(side)/(3*K*limit)"},
    {"p", "1/(1 + m^2)"},
    {"spin", "9/16*bound*a*K*(m*p^2*(8/3*p - 2) + 8/3*(m*p)^3)/all"},
    {"Fy", "-bound*turned*eta/all - spin*phi"},
    {"Mz", "spin*(eta - c*C33/C23*phi)"},
};

/* f2, most2: squares of the force of the linear theory and of the bound; X, Y and S: tractions that the creepages cause along a strip
 * of the length a */
static const struct line fastsim[] = {
    {"C3", "32/(3*pi)*C23/stretch"},
    {"x2", "xi^2"},
    {"y2", "eta^2"},
    {"s2", "(c*phi)^2"},
    {"f2", "(G*c^2)^2*(C11^2*x2 + C22^2*y2 + C3^2*s2)"},
    {"most2", "(load*friction)^2"},
    {"w", "f2/(f2 + 4*most2 + 1e-6)"},
    {"C", "(C11*x2 + C22*y2 + C3*s2)/(x2 + y2 + s2 + 1e-20)"},
    {"X", "3/8*G*(C11 + w*(C - C11))*xi"},
    {"Y", "3/8*G*(C22 + w*(C - C22))*eta"},
    {"S", "3/8*G*(C3 + w*(C - C3))*phi"},
    {"Sa", "S*a"},
    {"Sb", "S*b"},
    {"most", "2*load*friction/(pi*a*b)"},
    {"Fx", "0"},
    {"Fy", "0"},
    {"Mz", "0"},
};

static const struct line strip[] = {
    {"dx", "h*u*(X - Sb*v)"},
    {"dy", "h*u*Y"},
    {"ds", "h*u^2*Sa"},
    {"px", "0"},
    {"py", "0"},
    {"sum_x", "0"},
    {"sum_y", "0"},
    {"sum_m", "0"},
    {"strip_most", "scale*u^2*most"},
};

/* step: 1, or 1/2 from the edge; between: t in the middle of the step. 1 Pa keeps the quotient finite. */
static const struct line element[] = {
    {"qx", "px - step*dx"},
    {"qy", "py - step*dy - step*between*ds"},
    {"cut", "smooth(min(1, (1 - t^2)*strip_most/sqrt(qx^2 + qy^2 + 1)))"},
    {"px", "cut*qx"},
    {"py", "cut*qy"},
    {"sum_x", "sum_x + px"},
    {"sum_y", "sum_y + py"},
    {"sum_m", "sum_m + t*py"},
};

static const struct line strip_end[] = {
    {"Fx", "Fx + u^2*sum_x"},
    {"Fy", "Fy + u^2*sum_y"},
    {"Mz", "Mz + u^2*(a*u*sum_m - b*v*sum_x)"},
};

static const struct line fastsim_end[] = {
    {"area", "a*b*h*width"},
    {"Fx", "area*Fx"},
    {"Fy", "area*Fy"},
    {"Mz", "area*Mz"},
};

struct law {
  const cmb_contact_tables *tables;
  cmb_formulas f;
};

static bool name_value(void *user, const char *name, cmb_expr *e)
{
  const struct law *l = user;
  return cmb_formulas_find(&l->f, name, e);
}

static bool name_call(void *user, const char *name, int count, const cmb_expr *x, cmb_expr *e)
{
  static const char *const kalker[CMB_KALKER_COUNT] = {"kalker11", "kalker22", "kalker23",
                                                       "kalker33"};
  struct law *l = user;
  const cmb_contact_tables *t = l->tables;
  const int k = cmb_find_name(name, kalker, CMB_KALKER_COUNT, sizeof *kalker);
  if (count != 1) return false;
  if (strcmp(name, "axes") == 0) {
    *e = cmb_table_apply(l->f.g, t->axes, x[0]);
  } else if (strcmp(name, "size") == 0) {
    *e = cmb_table_apply(l->f.g, t->size, x[0]);
  } else if (strcmp(name, "depth") == 0) {
    *e = cmb_table_apply(l->f.g, t->depth, x[0]);
  } else if (k >= 0) {
    *e = cmb_apply(l->f.g, CMB_OP_EXP, cmb_table_apply(l->f.g, t->kalker[k], x[0]), 0, 0);
  } else {
    return false;
  }
  return true;
}

static cmb_status parse_lines(struct law *l, int count, const struct line *lines)
{
  const cmb_names names = {.user = l, .value = name_value, .call = name_call};
  for (int i = 0; i < count; i++) {
    CMB_TRY(cmb_formulas_parse(&l->f, &names, lines[i].name, lines[i].formula));
  }
  return CMB_OK;
}
#define PARSE_LINES(l, lines) parse_lines(l, (int)(sizeof(lines) / sizeof *(lines)), lines)

static void define_number(struct law *l, const char *name, double x)
{
  cmb_formulas_define(&l->f, name, cmb_constant(l->f.g, x));
}

static void define_inputs(struct law *l, const cmb_creep_options *o, const cmb_creep_input *in)
{
  const struct {
    const char *name;
    cmb_expr e;
  } inputs[] = {{"curvature_x", in->curvature_x},
                {"curvature_y", in->curvature_y},
                {"load", in->load},
                {"xi", in->xi},
                {"eta", in->eta},
                {"phi", in->phi},
                {"speed", in->speed},
                {"friction", in->friction}};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
    cmb_formulas_define(&l->f, inputs[i].name, inputs[i].e);
  }
  define_number(l, "stiffness", o->young / (2 * (1 - o->poisson * o->poisson)));
  define_number(l, "G", o->young / (2 * (1 + o->poisson)));
  define_number(l, "falling_to", o->falling_to);
  define_number(l, "falling_rate", o->falling_rate);
  define_number(l, "adhesion", o->adhesion);
  define_number(l, "slip", o->slip);
}

/* Builds the tractions in one strip of the contact ellipse, which is divided into `elements` along the rolling direction, and adds their forces
 * to those of the contact. */
static cmb_status add_strip(struct law *l, int elements)
{
  CMB_TRY(PARSE_LINES(l, strip));
  for (int k = 0; k < elements; k++) {
    const double h = 2.0 / elements, t = 1 - (k + 0.5) * h;
    define_number(l, "step", k == 0 ? 0.5 : 1);
    define_number(l, "between", k == 0 ? 1 - h / 4 : t + h / 2);
    define_number(l, "t", t);
    CMB_TRY(PARSE_LINES(l, element));
  }
  return PARSE_LINES(l, strip_end);
}

static cmb_status build_fastsim(struct law *l, int strips, int elements)
{
  const double pi = 3.14159265358979323846, width = pi / strips;
  define_number(l, "h", 2.0 / elements);
  define_number(l, "width", width);
  /* 4/3 over the sum of h (1 − t²) of all elements */
  define_number(l, "scale", 1 / (1 + 0.5 / ((double)elements * elements)));
  CMB_TRY(PARSE_LINES(l, fastsim));
  for (int j = 0; j < strips; j++) {
    const double angle = (j + 0.5) * width - pi / 2;
    define_number(l, "u", cos(angle));
    define_number(l, "v", sin(angle));
    CMB_TRY(add_strip(l, elements));
  }
  return PARSE_LINES(l, fastsim_end);
}

cmb_status cmb_creep_law_build(cmb_graph *g, const cmb_creep_options *options,
                               const cmb_contact_tables *tables, const cmb_creep_input *in,
                               cmb_creep_output *out)
{
  struct law l = {.tables = tables, .f = {.g = g}};
  define_inputs(&l, options, in);
  CMB_TRY(PARSE_LINES(&l, hertz));
  CMB_TRY(PARSE_LINES(&l, coefficients));
  if (options->falling_rate != 0) CMB_TRY(PARSE_LINES(&l, friction));
  if (options->law == CMB_CREEP_LINEAR) CMB_TRY(PARSE_LINES(&l, linear));
  if (options->law == CMB_CREEP_POLACH) CMB_TRY(PARSE_LINES(&l, polach));
  if (options->law == CMB_CREEP_FASTSIM) {
    CMB_TRY(build_fastsim(&l, options->strips, options->elements));
  }
  *out = (cmb_creep_output){.a = cmb_formulas_value(&l.f, "a"),
                            .b = cmb_formulas_value(&l.f, "b"),
                            .pressure = cmb_formulas_value(&l.f, "pressure"),
                            .approach = cmb_formulas_value(&l.f, "approach"),
                            .Fx = cmb_formulas_value(&l.f, "Fx"),
                            .Fy = cmb_formulas_value(&l.f, "Fy"),
                            .Mz = cmb_formulas_value(&l.f, "Mz"),
                            .friction = cmb_formulas_value(&l.f, "friction")};
  return cmb_graph_status(g);
}
