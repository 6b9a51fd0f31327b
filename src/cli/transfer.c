/*
 * Computes and shows the transfer functions of a linearised model (transfer.h): zeros, poles and gain, and the quotient of two polynomials.
 */
#include "cli/transfer.h"

#include <math.h>
#include <stdlib.h>

/* Real and imaginary parts below this fraction of the largest root are printed as 0. */
static const double ROUNDING = 1e-14;

/* Polynomials with more coefficients are not printed; width of the column of names. */
enum { MOST_COEFFICIENTS = 9, COLUMN = 12 };

cmb_status cli_transfer_find(cmb_context *ctx, struct cli_state_space *s)
{
  s->transfer = calloc((size_t)(s->nu * s->ny) + 1, sizeof(void *));
  if (!s->transfer) return CMB_ERROR_MEMORY;
  for (int i = 0; i < s->nu * s->ny; i++) {
    const int input = i % s->nu, output = i / s->nu;
    const cmb_status status = cmb_transfer_create(ctx, s->space, input, output, &s->transfer[i]);
    if (status == CMB_OK) continue;
    if (status != CMB_ERROR_EQUATIONS) return status;
    char note[400];
    snprintf(note, sizeof note, "transfer function from '%s' to '%s': %s", s->u_names[input],
             s->y_names[output], cmb_last_error(ctx));
    cli_warn(NULL, CMB_LOG_WARNING, note);
  }
  return CMB_OK;
}

void cli_transfer_end(struct cli_state_space *s)
{
  for (int i = 0; s->transfer && i < s->nu * s->ny; i++) cmb_transfer_destroy(s->transfer[i]);
  free(s->transfer);
}

/* ---- text */

/* Returns the largest absolute value of the complex numbers in roots[2 count], stored as pairs (re, im); 0 if there are none. */
static double largest_of(int count, const double *roots)
{
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, hypot(roots[2 * i], roots[2 * i + 1]));
  return most;
}

/* Prints a line with `name` and the complex numbers roots[2 count] (zeros or poles, stored as pairs re, im), or "none". A conjugate pair is
 * printed once, with ±. Real and imaginary parts below 1e-14 `most`, i.e. rounding errors, are printed as 0. */
static void print_roots(const char *name, int count, const double *roots, double most)
{
  const double least = ROUNDING * most;
  printf("    %-*s", COLUMN, name);
  if (count == 0) printf("none");
  for (int i = 0; i < count; i++) {
    const double re = fabs(roots[2 * i]) > least ? roots[2 * i] : 0, im = roots[2 * i + 1];
    if (im < -least) continue;
    printf("%s%.6g", i ? ", " : "", re);
    if (im > least) printf(" ± %.6g i", im);
  }
  printf("\n");
}

/* Prints the term c s^power of a polynomial in s with its sign. `first` is set for the term at the beginning of the line. Nothing is
 * printed if c = 0, unless the term is the whole polynomial (first and with power 0). */
static void print_term(double c, int power, bool first)
{
  if (c == 0 && !(first && power == 0)) return;
  if (!first) printf(c < 0 ? " - " : " + ");
  if (first && c < 0) printf("-");
  if (fabs(c) != 1 || power == 0) printf("%.6g%s", fabs(c), power > 0 ? " " : "");
  if (power > 1) printf("s^%d", power);
  if (power == 1) printf("s");
}

/* Prints a line with `name` and a polynomial in s. Its coefficients c[degree + 1] begin with that of the highest power. */
static void print_polynomial(const char *name, int degree, const double *c)
{
  printf("    %-*s", COLUMN, name);
  for (int i = 0; i <= degree; i++) print_term(c[i], degree - i, i == 0);
  printf("\n");
}

/* Prints a transfer function from an input to an output: gain, zeros, poles and, if there are any, cancelled eigenvalues (which are no poles);
 * also numerator and denominator as polynomials if they are known and of degree 8 at most. */
static void print_one(const char *input, const char *output, const cmb_transfer *t)
{
  const double most =
      fmax(largest_of(t->zero_count, t->zeros), largest_of(t->pole_count, t->poles));
  printf("  from %s to %s\n", input, output);
  printf("    %-*s%.6g\n", COLUMN, "gain", t->gain);
  print_roots("zeros", t->zero_count, t->zeros, most);
  print_roots("poles", t->pole_count, t->poles, most);
  if (t->cancelled_count > 0) {
    print_roots("cancelled", t->cancelled_count, t->cancelled,
                fmax(most, largest_of(t->cancelled_count, t->cancelled)));
  }
  if (!t->denominator || t->pole_count >= MOST_COEFFICIENTS) return;
  print_polynomial("numerator", t->zero_count, t->numerator);
  print_polynomial("denominator", t->pole_count, t->denominator);
}

void cli_transfer_print(const struct cli_state_space *s)
{
  if (!s->transfer || s->nu * s->ny == 0) return;
  printf("transfer functions, gain (s - zero).../(s - pole)...\n");
  for (int i = 0; i < s->nu * s->ny; i++) {
    const char *input = s->u_names[i % s->nu], *output = s->y_names[i / s->nu];
    if (s->transfer[i]) print_one(input, output, s->transfer[i]);
  }
}

/* ---- JSON */

/* Writes the complex numbers in roots[2 count], stored as pairs (re, im), as a JSON list of pairs [re, im] under the key `name`. */
static void json_roots(struct cli_json *j, const char *name, int count, const double *roots)
{
  cli_json_open(j, name, '[');
  for (int i = 0; i < count; i++) cli_json_numbers(j, NULL, 2, roots + 2 * (ptrdiff_t)i);
  cli_json_close(j, ']');
}

/* Writes a transfer function as keys of a JSON object: gain, zeros, poles, whether it is minimal, the cancelled eigenvalues (which are no
 * poles), the coefficients of numerator and denominator if they are known, and its estimated relative error. */
static void json_one(struct cli_json *j, const cmb_transfer *t)
{
  cli_json_number(j, "gain", t->gain);
  json_roots(j, "zeros", t->zero_count, t->zeros);
  json_roots(j, "poles", t->pole_count, t->poles);
  cli_json_bool(j, "minimal", t->cancelled_count == 0);
  json_roots(j, "cancelled", t->cancelled_count, t->cancelled);
  if (t->denominator) {
    cli_json_numbers(j, "numerator", t->zero_count + 1, t->numerator);
    cli_json_numbers(j, "denominator", t->pole_count + 1, t->denominator);
  }
  cli_json_number(j, "off", t->off);
}

void cli_transfer_json(const struct cli_state_space *s, struct cli_json *j)
{
  if (!s->transfer) return;
  cli_json_open(j, "transfer", '[');
  for (int i = 0; i < s->nu * s->ny; i++) {
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "input", s->u_names[i % s->nu]);
    cli_json_text(j, "output", s->y_names[i / s->nu]);
    if (s->transfer[i]) json_one(j, s->transfer[i]);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}
