/*
 * A small JSON writer for the output of all commands: objects and lists, numbers with up to 17 significant digits, null for infinite and
 * missing values.
 */
#include "base/text.h"
#include "cli/cli.h"

#include <math.h>

enum { MOST_BYTES = 4 }; /* the longest character in UTF-8 */

/* Writes a JSON string with quotes and escape sequences, or null if `text` is NULL. Invalid UTF-8 is replaced by U+FFFD. Inside an HTML
 * page '<' is escaped too, since "</script>" in a string would end the script. */
static void put_text(const struct cli_json *j, const char *text)
{
  FILE *to = j->to;
  if (!text) {
    fputs("null", to);
    return;
  }
  fputc('"', to);
  for (size_t step; *text; text += step > 0 ? step : 1) {
    const unsigned char u = (unsigned char)*text;
    /* stops at the terminating 0, which continues no character */
    step = cmb_character_length(text, MOST_BYTES);
    if (step == 0) { /* not UTF-8, as the name of a file can be */
      fputs("\\ufffd", to);
    } else if (u == '"' || u == '\\') {
      fprintf(to, "\\%c", u);
    } else if (u < 0x20 || (j->in_page && u == '<')) {
      fprintf(to, "\\u%04x", u);
    } else {
      fwrite(text, 1, step, to);
    }
  }
  fputc('"', to);
}

/* Writes x as a JSON number with up to 17 significant digits, from which the same double is read back; null if x is infinite or NaN. */
static void put_number(FILE *to, double x)
{
  char text[CMB_NUMBER_ROOM];
  if (isfinite(x)) {
    cmb_format_number(x, text);
    fputs(text, to);
  } else {
    fputs("null", to);
  }
}

/* Writes what precedes a value in JSON: a comma unless it is the first value in its object or list, a line break with indentation, and the
 * key with a colon unless `key` is NULL. */
static void begin_value(struct cli_json *j, const char *key)
{
  if (!j->first) fputc(',', j->to);
  if (j->depth > 0) fprintf(j->to, "\n%*s", 2 * j->depth, "");
  j->first = false;
  if (!key) return;
  put_text(j, key);
  fputs(": ", j->to);
}

void cli_json_open(struct cli_json *j, const char *key, char bracket)
{
  begin_value(j, key);
  fputc(bracket, j->to);
  j->depth++;
  j->first = true;
}

void cli_json_close(struct cli_json *j, char bracket)
{
  j->depth--;
  if (!j->first) fprintf(j->to, "\n%*s", 2 * j->depth, "");
  fputc(bracket, j->to);
  j->first = false;
  if (j->depth == 0) fputc('\n', j->to);
}

void cli_json_text(struct cli_json *j, const char *key, const char *text)
{
  begin_value(j, key);
  put_text(j, text);
}

void cli_json_number(struct cli_json *j, const char *key, double x)
{
  begin_value(j, key);
  put_number(j->to, x);
}

void cli_json_integer(struct cli_json *j, const char *key, long x)
{
  begin_value(j, key);
  fprintf(j->to, "%ld", x);
}

void cli_json_count(struct cli_json *j, const char *key, int x)
{
  if (x > 0)
    cli_json_integer(j, key, x);
  else
    cli_json_text(j, key, NULL);
}

void cli_json_bool(struct cli_json *j, const char *key, bool x)
{
  begin_value(j, key);
  fputs(x ? "true" : "false", j->to);
}

void cli_json_numbers(struct cli_json *j, const char *key, int n, const double *x)
{
  begin_value(j, key);
  fputc('[', j->to);
  for (int i = 0; i < n; i++) {
    if (i) fputs(", ", j->to);
    put_number(j->to, x[i]);
  }
  fputc(']', j->to);
}

void cli_json_texts(struct cli_json *j, const char *key, int n, const char *const *text)
{
  begin_value(j, key);
  fputc('[', j->to);
  for (int i = 0; i < n; i++) {
    if (i) fputs(", ", j->to);
    put_text(j, text[i]);
  }
  fputc(']', j->to);
}

/* Writes n bytes (1 to 3) as four base64 digits, padded with '=' if n < 3. */
static void put_three(FILE *to, const unsigned char *byte, size_t n)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned word = (unsigned)byte[0] << 16 | (n > 1 ? (unsigned)byte[1] << 8 : 0) |
                        (n > 2 ? (unsigned)byte[2] : 0);
  fputc(digits[word >> 18], to);
  fputc(digits[word >> 12 & 63], to);
  fputc(n > 1 ? digits[word >> 6 & 63] : '=', to);
  fputc(n > 2 ? digits[word & 63] : '=', to);
}

void cli_json_bytes(struct cli_json *j, const char *key, const void *bytes, size_t length)
{
  const unsigned char *byte = bytes;
  begin_value(j, key);
  fputc('"', j->to);
  for (size_t i = 0; i < length; i += 3) {
    put_three(j->to, byte + i, length - i < 3 ? length - i : 3);
  }
  fputc('"', j->to);
}

/* Writes the velocities as the JSON list "v" and the first-order states, if there are any, as the list "z". The array v[eq->nv] contains
 * both, the states last. */
void cli_json_velocities(struct cli_json *j, const cmb_equations *eq, const double *v)
{
  const int nv = eq->nv - eq->nz;
  cli_json_numbers(j, "v", nv, v);
  if (eq->nz > 0) cli_json_numbers(j, "z", eq->nz, v + nv);
}

/* Writes the names of the velocities as the JSON list "v" and the names of the first-order states, if there are any, as the list "z". */
void cli_json_velocity_names(struct cli_json *j, const cmb_equations *eq)
{
  const int nv = eq->nv - eq->nz;
  cli_json_texts(j, "v", nv, eq->v_names);
  if (eq->nz > 0) cli_json_texts(j, "z", eq->nz, eq->v_names + nv);
}
