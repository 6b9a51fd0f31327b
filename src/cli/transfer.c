/*
 * Computes and shows the transfer functions of a linearised model (transfer.h): zeros, poles and gain, and the quotient of two polynomials.
 */
#include "cli/transfer.h"

#include <math.h>
#include <stdlib.h>

/* smaller parts of a root, relative to the largest root, are printed as 0 */
static const double ROUNDING = 1e-14;

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

/* Returns the largest absolute value of `count` complex roots, which are stored as pairs (re, im). */
static double largest_of(int count, const double *roots)
{
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, hypot(roots[2 * i], roots[2 * i + 1]));
  return most;
}

/* Prints complex roots, one of each conjugate pair; parts that are rounding errors relative to `most` are printed as 0. */
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

/* Prints the term c·s^power of a polynomial with its sign; a term with c = 0 is omitted, unless it is the only one. */
static void print_term(double c, int power, bool first)
{
  if (c == 0 && !(first && power == 0)) return;
  if (!first) printf(c < 0 ? " - " : " + ");
  if (first && c < 0) printf("-");
  if (fabs(c) != 1 || power == 0) printf("%.6g%s", fabs(c), power > 0 ? " " : "");
  if (power > 1) printf("s^%d", power);
  if (power == 1) printf("s");
}

/* Prints a polynomial, whose coefficients c (degree + 1) begin with the highest power. */
static void print_polynomial(const char *name, int degree, const double *c)
{
  printf("    %-*s", COLUMN, name);
  for (int i = 0; i <= degree; i++) print_term(c[i], degree - i, i == 0);
  printf("\n");
}

/* Prints the transfer function from an input to an output: gain, zeros, poles, cancelled pairs, and the polynomials if they are short. */
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

/* Writes complex roots as a list of pairs [re, im]. */
static void json_roots(struct cli_json *j, const char *name, int count, const double *roots)
{
  cli_json_open(j, name, '[');
  for (int i = 0; i < count; i++) cli_json_numbers(j, NULL, 2, roots + 2 * (ptrdiff_t)i);
  cli_json_close(j, ']');
}

/* Writes a transfer function as keys of a JSON object. */
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
