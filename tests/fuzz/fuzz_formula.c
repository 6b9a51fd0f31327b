/*
 * Fuzz target: formulas. The input is the text of a formula; a few names are defined.
 *
 * For every text, parsing returns either an error whose message begins with a position inside the text, or an expression.
 * The printed text of the expression is parsed to the same node and printed in the same way again, and its program gives
 * the same value with scalars and with lanes.
 */
#include <camber/expr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 6, MOST_TEXT = 1 << 16, LINE = 7, COLUMN = 3 };

static const char *const names[NAMES] = {"x", "y", "k.l", "l_0", "min", "Pi"};

struct known {
  cmb_graph *g;
  cmb_names names;
  cmb_expr input[NAMES];
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
  if (!holds) abort();
}

static bool lookup(void *user, const char *name, cmb_expr *e)
{
  struct known *known = user;
  for (int i = 0; i < NAMES; i++) {
    if (strcmp(name, names[i]) != 0) continue;
    *e = known->input[i];
    return true;
  }
  return false;
}

/* Defines a function of one or two arguments for the parser: the sum of their squares. */
static bool call(void *user, const char *name, int count, const cmb_expr *arguments, cmb_expr *e)
{
  cmb_graph *g = ((struct known *)user)->g;
  if (strcmp(name, "squares") != 0 || count > 2) return false;
  *e = 0;
  for (int i = 0; i < count; i++) {
    cmb_expr square = cmb_apply(g, CMB_OP_MUL, arguments[i], arguments[i], 0);
    *e = cmb_apply(g, CMB_OP_ADD, *e, square, 0);
  }
  return true;
}

static const char *nearest(void *user, const char *name)
{
  (void)user;
  return name[0] == 's' ? "squares" : NULL;
}

/* Checks that the message is one line "LINE:COLUMN: words" whose position is inside the text or directly after it. */
static void require_message(const char *message, const char *text, size_t size)
{
  int line, column, used = 0, lines = LINE;
  for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
  require(sscanf(message, "%d:%d: %n", &line, &column, &used) == 2 && used > 0);
  require(line >= LINE && line <= lines && column >= 1 && column <= (int)size + COLUMN);
  require(strlen(message + used) > 10 && !strchr(message, '\n'));
}

static void require_same_text(struct known *known, cmb_expr e)
{
  static char text[MOST_TEXT], again[MOST_TEXT];
  char part[20];
  cmb_expr back;
  size_t length = cmb_expr_print(known->g, e, text, sizeof text);
  require(cmb_expr_print(known->g, e, part, sizeof part) == length);
  require(strncmp(part, text, sizeof part - 1) == 0 && strlen(part) < sizeof part);
  if (length >= sizeof text) {
    require(strlen(text) == sizeof text - 1);
    return;
  }
  require(strlen(text) == length);
  require(cmb_formula_parse(known->g, text, length, 1, 1, &known->names, &back) == CMB_OK);
  require(back == e);
  require(cmb_expr_print(known->g, back, again, sizeof again) == length);
  require(memcmp(text, again, length + 1) == 0);
}

/* Returns whether two numbers are equal or both NaN. */
static bool same(double a, double b)
{
  return a == b || (a != a && b != b);
}

static void require_runs(cmb_context *ctx, struct known *known, cmb_expr e)
{
  static const double at[NAMES] = {0.75, -2, 3.5, 1e-3, 0, 1e200};
  _Alignas(64) double in[NAMES][CMB_LANES], out[CMB_LANES], value;
  cmb_program *program;
  require(cmb_program_create(ctx, known->g, NAMES, known->input, 1, &e, &program) == CMB_OK);
  size_t work_size = ((size_t)cmb_program_work(program) + 1) * CMB_LANES * sizeof(double);
  double *work = aligned_alloc(64, (work_size + 63) / 64 * 64);
  require(work != NULL);
  cmb_program_run(program, at, &value, work);
  for (int i = 0; i < NAMES; i++) {
    for (int l = 0; l < CMB_LANES; l++) in[i][l] = at[i];
  }
  cmb_program_run_lanes(program, in[0], out, work);
  for (int l = 0; l < CMB_LANES; l++) require(same(out[l], value));
  free(work);
  cmb_program_destroy(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct known known;
  cmb_expr e;
  char *text =
      malloc(size); /* of the exact length, so that the sanitizer detects reading beyond the end */
  cmb_context *ctx = cmb_context_create(NULL);
  require(ctx && (text || size == 0) && cmb_graph_create(ctx, &known.g) == CMB_OK);
  if (size > 0) memcpy(text, data, size);
  known.names = (cmb_names){.user = &known, .value = lookup, .call = call, .nearest = nearest};
  for (int i = 0; i < NAMES; i++) known.input[i] = cmb_input(known.g, names[i]);
  cmb_status status = cmb_formula_parse(known.g, text, size, LINE, COLUMN, &known.names, &e);
  if (status == CMB_OK) {
    require_same_text(&known, e);
    require_runs(ctx, &known, e);
  } else {
    require(status == CMB_ERROR_INPUT && e == 0);
    require_message(cmb_last_error(ctx), text, size);
  }
  cmb_graph_destroy(known.g);
  cmb_context_destroy(ctx);
  free(text);
  return 0;
}
