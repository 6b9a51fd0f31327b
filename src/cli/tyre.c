/*
 * The command `camber tyre FILE.tir`: prints the characteristics of a tyre as text or JSON, and writes its curves to a CSV file and to a
 * picture (tyre_plot.c).
 */
#include "cli/tyre.h"

#include "base/file.h"
#include "cli/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number under `key` (e.g. "FNOMIN") in the tyre file in SI units, or the key's default value; NaN if there is no such key. */
static double number(const struct cli_tyre *t, const char *key)
{
  double x = NAN;
  cmb_tyre_number(t->tyre, key, &x);
  return x;
}

cmb_tyre_forces cli_tyre_forces(const struct cli_tyre *t, double load, double slip, double angle)
{
  const cmb_tyre_state s = {
      .load = load, .slip = slip, .slip_angle = angle, .speed = t->speed, .friction = 1};
  cmb_tyre_forces f;
  if (cmb_tyre_evaluate(t->tyre, &s, &f, NULL) != CMB_OK) f.Fx = f.Fy = f.Mz = NAN;
  return f;
}

/* Returns point number i, from 0, of CLI_TYRE_POINTS evenly spaced points from −limit to limit. */
static double point(double limit, int i)
{
  return limit * (2.0 * i / (CLI_TYRE_POINTS - 1) - 1);
}

/* Computes the characteristics *l of a tyre without camber at one vertical load: the slip and cornering stiffness, the largest |Fx|/load and
 * |Fy|/load within the ranges of slip and slip angle, and the relaxation lengths. */
static cmb_status study_load(const struct cli_tyre *t, double load, struct cli_tyre_load *l)
{
  double J[CMB_TYRE_FORCES * CMB_TYRE_STATES];
  const cmb_tyre_state s = {.load = load, .speed = t->speed, .friction = 1};
  cmb_tyre_forces f;
  CMB_TRY(cmb_tyre_evaluate(t->tyre, &s, &f, J));
  *l = (struct cli_tyre_load){.load = load,
                              .slip_stiffness = J[1],
                              .cornering_stiffness = J[CMB_TYRE_STATES + 2],
                              .sigma_x = f.sigma_x,
                              .sigma_y = f.sigma_y};
  for (int i = 0; i < CLI_TYRE_POINTS; i++) {
    const cmb_tyre_forces x = cli_tyre_forces(t, load, point(t->slip_limit, i), 0);
    const cmb_tyre_forces y = cli_tyre_forces(t, load, 0, point(t->angle_limit, i));
    l->mu_x = fmax(l->mu_x, fabs(x.Fx) / load);
    l->mu_y = fmax(l->mu_y, fabs(y.Fy) / load);
  }
  return CMB_OK;
}

/* Sets the nominal load, the speed and the ranges of slip and slip angle (up to 0.3 and 0.3 rad) of a tyre from the tyre file, and computes
 * its characteristics t->loads at 0.5, 1, 1.5 and 2 times the nominal load, limited to the largest load in the file (FZMAX). */
static cmb_status study(struct cli_tyre *t)
{
  static const double shares[CLI_TYRE_LOADS] = {0.5, 1, 1.5, 2};
  const double most = number(t, "FZMAX");
  t->nominal = number(t, "FNOMIN");
  t->speed = number(t, "LONGVL");
  t->slip_limit = fmin(0.3, fmin(-number(t, "KPUMIN"), number(t, "KPUMAX")));
  t->angle_limit = fmin(0.3, fmin(-number(t, "ALPMIN"), number(t, "ALPMAX")));
  for (int i = 0; i < CLI_TYRE_LOADS; i++) {
    CMB_TRY(study_load(t, fmin(shares[i] * t->nominal, most), &t->loads[i]));
  }
  return CMB_OK;
}

/* ---- text and JSON */

/* Returns the version of the Magic Formula, the tyre model that the tyre file is written for: "5.2", "6.1" or "6.2". */
static const char *version(const struct cli_tyre *t)
{
  const double type = number(t, "FITTYP");
  return type == 6 ? "5.2" : type == 61 ? "6.1" : "6.2";
}

/* Prints a line with the label of a quantity, its range of validity from `low` to `high` and its unit. Does nothing if a limit is infinite,
 * i.e. not given in the tyre file. */
static void print_range(const char *label, double low, double high, const char *unit)
{
  if (isfinite(low) && isfinite(high)) printf("  %-20s %.5g to %.5g %s\n", label, low, high, unit);
}

/* Prints the main data of the tyre file and the characteristics t->loads of the tyre at several vertical loads as text. */
static void print_text(const struct cli_tyre *t)
{
  printf("%s: Magic Formula %s\n", t->name, version(t));
  printf("  %-20s %.5g m, rim %.5g m, width %.5g m\n", "radius", number(t, "UNLOADED_RADIUS"),
         number(t, "RIM_RADIUS"), number(t, "WIDTH"));
  printf("  %-20s %.5g N at %.5g m/s\n", "nominal load", t->nominal, t->speed);
  if (number(t, "NOMPRES") > 0) {
    printf("  %-20s %.5g Pa, nominal %.5g Pa\n", "pressure", number(t, "INFLPRES"),
           number(t, "NOMPRES"));
  }
  printf("  %-20s %.5g N/m, damping %.5g N s/m\n", "vertical stiffness",
         number(t, "VERTICAL_STIFFNESS"), number(t, "VERTICAL_DAMPING"));
  print_range("loads", number(t, "FZMIN"), number(t, "FZMAX"), "N");
  print_range("slip", number(t, "KPUMIN"), number(t, "KPUMAX"), "");
  print_range("slip angle", number(t, "ALPMIN"), number(t, "ALPMAX"), "rad");
  print_range("camber", number(t, "CAMMIN"), number(t, "CAMMAX"), "rad");
  printf("\n  %9s %12s %12s %7s %7s %9s %9s\n", "load", "dFx/dkappa", "dFy/dalpha", "mu x", "mu y",
         "sigma x", "sigma y");
  printf("  %9s %12s %12s %7s %7s %9s %9s\n", "N", "N", "N/rad", "", "", "m", "m");
  for (int i = 0; i < CLI_TYRE_LOADS; i++) {
    const struct cli_tyre_load *l = &t->loads[i];
    printf("  %9.1f %12.1f %12.1f %7.4f %7.4f %9.4f %9.4f\n", l->load, l->slip_stiffness,
           l->cornering_stiffness, l->mu_x, l->mu_y, l->sigma_x, l->sigma_y);
  }
  printf("  mu: largest for |kappa| <= %.3g and |alpha| <= %.3g rad, upright at %.5g m/s\n",
         t->slip_limit, t->angle_limit, t->speed);
}

/* Prints the main data of the tyre file and the characteristics t->loads of the tyre at several vertical loads as JSON. */
static void print_json(const struct cli_tyre *t)
{
  static const char *const keys[] = {"UNLOADED_RADIUS",  "WIDTH",  "RIM_RADIUS",
                                     "FNOMIN",           "LONGVL", "VERTICAL_STIFFNESS",
                                     "VERTICAL_DAMPING", "FZMIN",  "FZMAX"};
  struct cli_json j = {.to = stdout};
  cli_json_begin(&j, t->name, NULL, CMB_OK);
  cli_json_text(&j, "version", version(t));
  cli_json_open(&j, "numbers", '{');
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    cli_json_number(&j, keys[i], number(t, keys[i]));
  }
  cli_json_close(&j, '}');
  cli_json_number(&j, "speed", t->speed);
  cli_json_number(&j, "largest_slip", t->slip_limit);
  cli_json_number(&j, "largest_slip_angle", t->angle_limit);
  cli_json_open(&j, "loads", '[');
  for (int i = 0; i < CLI_TYRE_LOADS; i++) {
    const struct cli_tyre_load *l = &t->loads[i];
    cli_json_open(&j, NULL, '{');
    cli_json_number(&j, "load", l->load);
    cli_json_number(&j, "slip_stiffness", l->slip_stiffness);
    cli_json_number(&j, "cornering_stiffness", l->cornering_stiffness);
    cli_json_number(&j, "mu_x", l->mu_x);
    cli_json_number(&j, "mu_y", l->mu_y);
    cli_json_number(&j, "sigma_x", l->sigma_x);
    cli_json_number(&j, "sigma_y", l->sigma_y);
    cli_json_close(&j, '}');
  }
  cli_json_close(&j, ']');
  cli_json_end(&j);
}

/* ---- curves */

/* Writes a line of the CSV file with the curves of a tyre: vertical load, slip and slip angle, and the forces Fx, Fy and moments Mx, My, Mz
 * computed for them. */
static void write_row(FILE *to, const struct cli_tyre *t, double load, double slip, double angle)
{
  const cmb_tyre_forces f = cli_tyre_forces(t, load, slip, angle);
  fprintf(to, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", load, slip, angle, f.Fx, f.Fy,
          f.Mx, f.My, f.Mz);
}

/* Writes the forces and moments of a tyre (`tyre` is a struct cli_tyre) to the file `to` as CSV: for each vertical load over the longitudinal
 * slip, and then over the slip angle. A callback of cli_svg_save. */
static void write_curves(FILE *to, const void *tyre)
{
  const struct cli_tyre *t = tyre;
  fputs("load,kappa,alpha,Fx,Fy,Mx,My,Mz\n", to);
  for (int i = 0; i < CLI_TYRE_LOADS; i++) {
    for (int k = 0; k < CLI_TYRE_POINTS; k++) {
      write_row(to, t, t->loads[i].load, point(t->slip_limit, k), 0);
    }
    for (int k = 0; k < CLI_TYRE_POINTS; k++) {
      write_row(to, t, t->loads[i].load, 0, point(t->angle_limit, k));
    }
  }
}

/* Opens the tyre file t->name as t->tyre, to be closed by the caller, and computes the characteristics of the tyre. Writes the CSV file and the
 * picture if they are requested, and prints the characteristics as text or JSON. */
static cmb_status report(cmb_context *ctx, const struct cli_arguments *a, struct cli_tyre *t)
{
  CMB_TRY(cmb_tyre_open(ctx, t->name, &t->tyre));
  CMB_TRY(study(t));
  if (a->csv) CMB_TRY(cli_svg_save(ctx, write_curves, t, a->csv));
  if (a->plot) CMB_TRY(cli_svg_save(ctx, cli_tyre_draw, t, a->plot));
  if (a->json) {
    print_json(t);
  } else {
    print_text(t);
  }
  return CMB_OK;
}

int cli_tyre(cmb_context *ctx, const struct cli_arguments *a)
{
  struct cli_tyre t = {.name = a->operand};
  const bool over = (a->csv && cmb_same_file(a->csv, a->operand)) ||
                    (a->plot && cmb_same_file(a->plot, a->operand));
  if (over)
    return cli_complain(
        "the tyre file '%s' would be overwritten; expected another name for the output",
        a->operand);
  const cmb_status status = report(ctx, a, &t);
  int code = CLI_DONE;
  if (status != CMB_OK) {
    code = cli_fail(ctx, status);
    cli_json_failure(a, NULL);
  }
  cmb_tyre_close(t.tyre);
  return code;
}
