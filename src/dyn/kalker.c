/*
 * Tables of the elliptic contact (kalker.h).
 *
 * With R_F and R_D of Carlson (1979), a point inside of the pressure p0 √(1 − x²/a² − y²/b²) is displaced by
 *     (p0 a b/E') (R_F(0, a², b²) − R_D(0, b², a²) x²/3 − R_D(0, a², b²) y²/3).
 * The complete integrals come from the arithmetic-geometric mean of (1, k'): with c0 = k and c_{n+1} = c_n²/(4 a_{n+1}),
 *     K = π/(2 a_∞),  (K − E)/k² = K (1/2 + Σ 2^(n−1) (c_n/k)²), n >= 1,
 * in which no digits are lost when the ellipse is nearly a circle.
 *
 * The tables have points at log(a/b) = −6, −5.9 .. 6. Within |log(a/b)| <= 5 the splines differ from the integrals by less than 1e-7 of a, b,
 * pressure and approach (unit.dyn.rail_contact); beyond 6 they continue as powers.
 *
 * Kalker's coefficients are those of Table E.3 (Kalker 1990), which he gives for ν = 0, 1/4 and 1/2. The reciprocals are interpolated by a
 * parabola in ν, and log C by a natural spline over log(a/b), which is C² and positive. Beyond a/b = 0.1 and 10 the spline passes through
 * Kalker's asymptotes, with which the table agrees to a few per cent. The values of C33, which only the spin moment contains, have not been
 * compared with a printed table; they agree with the asymptotes to about 7 %.
 */
#include "dyn/kalker.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* ---- the ellipse */

/* Computes R_F(0, 1, r²) and R_D(0, r², 1) of r >= 0.001 by an arithmetic-geometric mean; here k² = 1 − r² may be negative. */
static void carlson(double r, double *RF, double *RD)
{
  const double m = 1 - r * r;
  double a = 1, b = r, part = 1,
         sum = 0.5; /* part = c_n²/k², which has the factor k^(2^(n+1) − 2) */
  for (int n = 0; n < 12; n++) {
    const double mean = (a + b) / 2;
    part = part * part * m / (16 * mean * mean); /* (c_{n+1}/k)² = (c_n/k)⁴ k²/(16 a²) */
    sum += ldexp(part, n);
    b = sqrt(a * b);
    a = mean;
  }
  *RF = pi / (2 * a);
  *RD = 3 * *RF * sum;
}

cmb_ellipse cmb_ellipse_of(double g)
{
  cmb_ellipse e;
  double RF, RD;
  carlson(1 / g, &RF, &RD); /* a = √g: R_D(0, b², a²) = R_D(0, 1/g², 1) a^-3 */
  const double a = sqrt(g);
  e.F = RF / a;
  e.alpha = RD / (3 * a * a * a);
  carlson(g, &RF, &RD);
  e.beta = RD / 3 * a * a * a;
  e.gamma = sqrt(e.alpha * e.beta);
  return e;
}

/* ---- Kalker's coefficients */

/* by coefficient, row and Poisson's ratio 0, 1/4, 1/2 */
static const double table_e3[CMB_KALKER_COUNT][CMB_KALKER_ROWS][3] = {{{2.51, 3.31, 4.85},
                                                                       {2.59, 3.37, 4.81},
                                                                       {2.68, 3.44, 4.80},
                                                                       {2.78, 3.53, 4.82},
                                                                       {2.88, 3.62, 4.83},
                                                                       {2.98, 3.72, 4.91},
                                                                       {3.09, 3.81, 4.97},
                                                                       {3.19, 3.91, 5.05},
                                                                       {3.29, 4.01, 5.12},
                                                                       {3.40, 4.12, 5.20},
                                                                       {3.51, 4.22, 5.30},
                                                                       {3.65, 4.36, 5.42},
                                                                       {3.82, 4.54, 5.58},
                                                                       {4.06, 4.78, 5.80},
                                                                       {4.37, 5.10, 6.11},
                                                                       {4.84, 5.57, 6.57},
                                                                       {5.57, 6.34, 7.34},
                                                                       {6.96, 7.78, 8.82},
                                                                       {10.7, 11.7, 12.9}},
                                                                      {{2.51, 2.52, 2.53},
                                                                       {2.59, 2.63, 2.66},
                                                                       {2.68, 2.75, 2.81},
                                                                       {2.78, 2.88, 2.98},
                                                                       {2.88, 3.01, 3.14},
                                                                       {2.98, 3.14, 3.31},
                                                                       {3.09, 3.28, 3.48},
                                                                       {3.19, 3.41, 3.65},
                                                                       {3.29, 3.54, 3.82},
                                                                       {3.40, 3.67, 3.98},
                                                                       {3.51, 3.81, 4.16},
                                                                       {3.65, 3.99, 4.39},
                                                                       {3.82, 4.21, 4.67},
                                                                       {4.06, 4.50, 5.04},
                                                                       {4.37, 4.90, 5.56},
                                                                       {4.84, 5.48, 6.31},
                                                                       {5.57, 6.40, 7.51},
                                                                       {6.96, 8.14, 9.79},
                                                                       {10.7, 12.8, 16.0}},
                                                                      {{.334, .473, .731},
                                                                       {.483, .603, .809},
                                                                       {.607, .715, .889},
                                                                       {.720, .823, .977},
                                                                       {.827, .929, 1.07},
                                                                       {.930, 1.03, 1.18},
                                                                       {1.03, 1.14, 1.29},
                                                                       {1.13, 1.25, 1.40},
                                                                       {1.23, 1.36, 1.51},
                                                                       {1.33, 1.47, 1.63},
                                                                       {1.44, 1.59, 1.77},
                                                                       {1.58, 1.75, 1.94},
                                                                       {1.76, 1.95, 2.18},
                                                                       {2.01, 2.23, 2.50},
                                                                       {2.35, 2.62, 2.96},
                                                                       {2.88, 3.24, 3.70},
                                                                       {3.79, 4.32, 5.01},
                                                                       {5.72, 6.63, 7.89},
                                                                       {12.2, 14.6, 18.0}},
                                                                      {{6.42, 8.28, 11.7},
                                                                       {3.46, 4.27, 5.66},
                                                                       {2.49, 2.96, 3.72},
                                                                       {2.02, 2.32, 2.77},
                                                                       {1.74, 1.93, 2.22},
                                                                       {1.56, 1.68, 1.86},
                                                                       {1.43, 1.50, 1.60},
                                                                       {1.34, 1.37, 1.42},
                                                                       {1.27, 1.27, 1.27},
                                                                       {1.21, 1.19, 1.16},
                                                                       {1.16, 1.11, 1.06},
                                                                       {1.10, 1.04, .954},
                                                                       {1.05, .965, .852},
                                                                       {1.01, .892, .751},
                                                                       {.958, .819, .650},
                                                                       {.912, .747, .549},
                                                                       {.868, .674, .446},
                                                                       {.828, .601, .341},
                                                                       {.795, .526, .228}}};

double cmb_kalker_entry(cmb_kalker which, int row, double poisson, double *g)
{
  const double *C = table_e3[which][row], nu = poisson;
  *g = row < 10 ? (row + 1) / 10.0 : 10.0 / (19 - row);
  return 1 / (8 * (nu - 0.25) * (nu - 0.5) / C[0] - 16 * nu * (nu - 0.5) / C[1] +
              8 * nu * (nu - 0.25) / C[2]);
}

/* Returns Kalker's asymptote of a coefficient for a/b = g below 0.1. */
static double narrow(cmb_kalker which, double g, double nu)
{
  switch (which) {
  case CMB_KALKER_11: return pi * pi / (4 * (1 - nu));
  case CMB_KALKER_22: return pi * pi / 4;
  case CMB_KALKER_23: return pi * sqrt(g) / (3 * (1 - nu)) * (1 + nu * (log(16 / g) - 5));
  default: return pi * pi / (16 * (1 - nu) * g);
  }
}

/* Returns Kalker's asymptote of a coefficient for b/a = g below 0.1. */
static double slender(cmb_kalker which, double g, double nu)
{
  const double L = log(16 / (g * g)), k = 3 - log(4.0);
  const double along = L - 2 * nu, across = (1 - nu) * L + 2 * nu, spin = (1 - nu) * L - 2 + 4 * nu;
  switch (which) {
  case CMB_KALKER_11: return 2 * pi / (g * along) * (1 + k / along);
  case CMB_KALKER_22: return 2 * pi / (g * across) * (1 + (1 - nu) * k / across);
  case CMB_KALKER_23: return 2 * pi / (3 * g * sqrt(g) * spin);
  default: return pi / 4 * (1 - nu * (L - 2) / spin);
  }
}

/* ---- tables */

enum { HALF = 60, ELLIPSES = 2 * HALF + 1, BEYOND = 5, ROWS = CMB_KALKER_ROWS + 2 * BEYOND };

static cmb_status create_ellipses(cmb_context *ctx, cmb_contact_tables *t)
{
  double ratio[ELLIPSES], axes[ELLIPSES], size[ELLIPSES], depth[ELLIPSES];
  for (int i = 0; i < ELLIPSES; i++) {
    axes[i] = 0.1 * (i - HALF);
    const cmb_ellipse e = cmb_ellipse_of(exp(axes[i]));
    ratio[i] = log(e.beta / e.alpha);
    size[i] = log(e.gamma);
    depth[i] = log(e.F);
  }
  CMB_TRY(cmb_table_create(ctx, CMB_TABLE_SPLINE, ELLIPSES, ratio, axes, &t->axes));
  CMB_TRY(cmb_table_create(ctx, CMB_TABLE_SPLINE, ELLIPSES, ratio, size, &t->size));
  return cmb_table_create(ctx, CMB_TABLE_SPLINE, ELLIPSES, ratio, depth, &t->depth);
}

static cmb_status create_kalker(cmb_context *ctx, cmb_kalker which, double nu, cmb_table **table)
{
  static const double beyond[BEYOND] = {0.05, 0.02, 0.01, 0.005, 0.002};
  double ratio[ROWS], C[ROWS];
  for (int i = 0; i < BEYOND; i++) {
    ratio[BEYOND - 1 - i] = log(beyond[i]);
    C[BEYOND - 1 - i] = log(narrow(which, beyond[i], nu));
    ratio[ROWS - BEYOND + i] = -log(beyond[i]);
    C[ROWS - BEYOND + i] = log(slender(which, beyond[i], nu));
  }
  for (int i = 0; i < CMB_KALKER_ROWS; i++) {
    double g;
    C[BEYOND + i] = log(cmb_kalker_entry(which, i, nu, &g));
    ratio[BEYOND + i] = log(g);
  }
  return cmb_table_create(ctx, CMB_TABLE_SPLINE, ROWS, ratio, C, table);
}

static cmb_status create_all(cmb_context *ctx, double poisson, cmb_contact_tables *t)
{
  CMB_TRY(create_ellipses(ctx, t));
  for (int i = 0; i < CMB_KALKER_COUNT; i++) {
    CMB_TRY(create_kalker(ctx, (cmb_kalker)i, poisson, &t->kalker[i]));
  }
  return CMB_OK;
}

cmb_status cmb_contact_tables_create(cmb_context *ctx, double poisson, cmb_contact_tables *t)
{
  *t = (cmb_contact_tables){0};
  const cmb_status status = create_all(ctx, poisson, t);
  if (status != CMB_OK) cmb_contact_tables_destroy(t);
  return status;
}

void cmb_contact_tables_destroy(cmb_contact_tables *t)
{
  cmb_table_destroy(t->axes);
  cmb_table_destroy(t->size);
  cmb_table_destroy(t->depth);
  for (int i = 0; i < CMB_KALKER_COUNT; i++) cmb_table_destroy(t->kalker[i]);
  *t = (cmb_contact_tables){0};
}
