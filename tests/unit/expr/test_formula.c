/*
 * Tests of formulas (camber/expr.h): their values against C; the message and the place for malformed text; and printed expressions, which
 * have to give the same node when they are read.
 */
#include "check.h"
#include "failing_allocator.h"
#include "random_expr.h"

#include <camber/expr.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 7 };
static const char *const names[NAMES] = {"a", "b", "c", "wheel.fl.z", "_t0", "sin", "a'"};
static const double values[NAMES] = {0.75, -2.5, 3.25, 0.5, 1.5, 7, 11};

struct fixture {
  cmb_context *ctx;
  cmb_graph *g;
  cmb_expr input[NAMES];
};

static struct fixture begin(void)
{
  struct fixture f = {.ctx = cmb_context_create(NULL)};
  assert_non_null(f.ctx);
  cmbt_ok(f.ctx, cmb_graph_create(f.ctx, &f.g));
  for (int i = 0; i < NAMES; i++) f.input[i] = cmb_input(f.g, names[i]);
  return f;
}

static void end(struct fixture *f)
{
  cmb_graph_destroy(f->g);
  cmb_context_destroy(f->ctx);
}

static bool lookup(void *user, const char *name, cmb_expr *e)
{
  const struct fixture *f = user;
  for (int i = 0; i < NAMES; i++) {
    if (strcmp(name, names[i]) != 0) continue;
    *e = f->input[i];
    return true;
  }
  return false;
}

static cmb_status read_at(struct fixture *f, const char *text, size_t length, int line, int column,
                          cmb_expr *e)
{
  const cmb_names known = {.user = f, .value = lookup};
  return cmb_formula_parse(f->g, text, length, line, column, &known, e);
}

static cmb_expr parse_some(struct fixture *f, const char *text, size_t length)
{
  cmb_expr e;
  if (read_at(f, text, length, 1, 1, &e) != CMB_OK) {
    fail_msg("%.200s: %s", text, cmb_last_error(f->ctx));
  }
  return e;
}

static cmb_expr parse(struct fixture *f, const char *text)
{
  return parse_some(f, text, strlen(text));
}

static double value_of(struct fixture *f, cmb_expr e)
{
  cmb_program *p;
  double value;
  cmbt_ok(f->ctx, cmb_program_create(f->ctx, f->g, NAMES, f->input, 1, &e, &p));
  double *work = malloc(((size_t)cmb_program_work(p) + 1) * sizeof *work);
  assert_non_null(work);
  cmb_program_run(p, values, &value, work);
  free(work);
  cmb_program_destroy(p);
  return value;
}

/* Returns the printed expression, to be released by the caller, and its length. */
static char *printed(struct fixture *f, cmb_expr e, size_t *length)
{
  *length = cmb_expr_print(f->g, e, NULL, 0);
  char *text = malloc(*length + 1);
  assert_non_null(text);
  assert_int_equal(cmb_expr_print(f->g, e, text, *length + 1), *length);
  assert_int_equal(strlen(text), *length);
  return text;
}

/* ---- values of formulas */

struct meaning {
  const char *text;
  double value;
};

static void check_meanings(const struct meaning *rows, size_t count)
{
  struct fixture f = begin();
  for (size_t i = 0; i < count; i++) {
    double value = value_of(&f, parse(&f, rows[i].text)), expected = rows[i].value;
    if (!(fabs(value - expected) <= 4 * DBL_EPSILON * fabs(expected))) {
      fail_msg("%s is %.17g; expected %.17g", rows[i].text, value, expected);
    }
  }
  end(&f);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A row for text that is a formula and also an expression of C. */
#define SAME(expression)                                                                           \
  {                                                                                                \
#expression, (double)(expression)                                                              \
  }

static void operators_group_as_in_c(void **state)
{
  (void)state;
  const double a = values[0], b = values[1], c = values[2];
  const struct meaning rows[] = {
      SAME(a + b * c),
      SAME((a + b) * c),
      SAME(a - b - c),
      SAME(a - (b - c)),
      SAME(a - b + c),
      SAME(a / b / c),
      SAME(a / (b / c)),
      SAME(a / b * c),
      SAME(a / (b * c)),
      SAME(a * b / c),
      SAME(-a * b),
      SAME(-a - b),
      SAME(a - -b),
      SAME(a * -b),
      SAME(a / -b * c),
      SAME(-(a + b)),
      SAME(- -a),
      SAME(+a),
      SAME(a + +b),
      SAME(-+-a),
      SAME(a < b),
      SAME(a > b),
      SAME(a <= a),
      SAME(a >= c),
      SAME(a == a),
      SAME(a != a),
      SAME(a + b < c * a),
      SAME((a < b) + (a > b) * 2),
      SAME((a < b) == (c < b)),
      SAME(-a < b),
      SAME(2 * a + 3 * (b - 4 * (c - 5 * a))),
      SAME(1.5e1 + 0.25E+1 - .5e-1 * 5.),
      SAME(((((a))))),
  };
  check_meanings(rows, COUNT(rows));
}

static void powers_group_to_the_right(void **state)
{
  (void)state;
  const double a = values[0], b = values[1], c = values[2];
  const struct meaning rows[] = {
      {"a^b", pow(a, b)},
      {"c^a^b", pow(c, pow(a, b))},
      {"(c^a)^b", pow(pow(c, a), b)},
      {"-a^2", -(a * a)},
      {"(-a)^2", a * a},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"2^-2", 0.25},
      {"2^-1*8", 4},
      {"2^+3", 8},
      {"2^3^2", 512},
      {"c^-a^2", pow(c, -(a * a))},
      {"c^-a*b", pow(c, -a) * b},
      {"a*c^b", a * pow(c, b)},
      {"a/c^b*c", a / pow(c, b) * c},
      {"-c^a + b", -pow(c, a) + b},
      {"c^--a", pow(c, a)},
      {"a^0", 1},
      {"a^1", a},
      {"b^3", b * b * b},
  };
  check_meanings(rows, COUNT(rows));
}

static void functions_have_the_values_of_c(void **state)
{
  (void)state;
  const double a = values[0], b = values[1], c = values[2];
  const struct meaning rows[] = {
      SAME(sqrt(a)),
      SAME(sin(a)),
      SAME(cos(b)),
      SAME(tan(a)),
      SAME(asin(a)),
      SAME(acos(a)),
      SAME(atan(b)),
      SAME(atan2(a, b)),
      SAME(sinh(a)),
      SAME(cosh(b)),
      SAME(tanh(b)),
      SAME(exp(b)),
      SAME(log(c)),
      SAME(floor(b)),
      {"abs(b)", fabs(b)},
      {"sign(b)", -1},
      {"sign(0*a)", 0},
      {"min(a, b)", b},
      {"max(a, b)", a},
      {"smooth(abs(b))", fabs(b)},
      {"if(a < b, a, c)", c},
      {"if(a, b, c)", b},
      {"if(-a, b, c)", c},
      {"if(0*a, b, c)", c},
      {"sin( cos ( tan(a)))", sin(cos(tan(a)))},
      {"sin(pi/6)", 0.5},
      {"2*pi", 6.283185307179586},
      {"sin * sin(sin)", 7 * sin(7.0)},
      {"wheel.fl.z + _t0", 2},
      {"a'*2 - a", 21.25},
      {"a # + b\n + c # the rest", a + c},
      {"\ta\r\n+\n\n\r\nb", a + b},
      {"4.9e-324", 4.9e-324},
      {"1.7976931348623157e308", DBL_MAX},
      {"1e-999", 0},
      {"0.1", 0.1},
      {"123456789012345678901234567890", 123456789012345678901234567890.},
  };
  check_meanings(rows, COUNT(rows));
}

/* Checks for each row of the table of operations that its text gives the same node as cmb_apply. */
static void every_operation_can_be_written(void **state)
{
  (void)state;
  struct fixture f = begin();
  const cmb_expr *x = f.input;
  char text[80];
  for (cmb_op op = CMB_OP_ADD; op <= CMB_OP_STICK; op++) {
    const char *words = cmb_op_text(op);
    int arity = cmb_op_arity(op);
    if (words[0] >= 'a' && words[0] <= 'z') {
      snprintf(text, sizeof text, "%s(%.*s)", words, 3 * arity - 2, "a, b, c");
    } else {
      snprintf(text, sizeof text, "%s %s b", arity == 2 ? "a" : "", words);
    }
    cmb_expr first = op == CMB_OP_NEG ? x[1] : x[0];
    assert_int_equal(parse(&f, text), cmb_apply(f.g, op, first, x[1], x[2]));
  }
  end(&f);
}

/* Checks `not`, `and` and `or`; a condition is true if its value is > 0. */
static void conditions_can_be_combined(void **state)
{
  (void)state;
  struct fixture f = begin();
  static const char *const truths[] = {"(a < c)", "(a > c)", "0.5", "-0.5", "0", "wheel.fl.z", "b"};
  static const bool is_true[] = {true, false, true, false, false, true, false};
  char text[100];
  for (size_t i = 0; i < COUNT(truths); i++) {
    snprintf(text, sizeof text, "not %s", truths[i]);
    assert_int_equal(value_of(&f, parse(&f, text)) > 0, !is_true[i]);
    for (size_t k = 0; k < COUNT(truths); k++) {
      snprintf(text, sizeof text, "%s and %s", truths[i], truths[k]);
      assert_int_equal(value_of(&f, parse(&f, text)) > 0, is_true[i] && is_true[k]);
      snprintf(text, sizeof text, "%s or %s", truths[i], truths[k]);
      assert_int_equal(value_of(&f, parse(&f, text)) > 0, is_true[i] || is_true[k]);
    }
  }
  static const char *const equal[][2] = {
      {"a < b and b < c or c < a", "max(min(a < b, b < c), c < a)"},
      {"a or b and c", "max(a, min(b, c))"},
      {"(a or b) and c", "min(max(a, b), c)"},
      {"not a < b and c", "min(a >= b, c)"},
      {"not (a <= b)", "a > b"},
      {"not not (a > b)", "a > b"},
      {"not (a >= b)", "a < b"},
      {"not (a == b)", "a != b"},
      {"not (a != b)", "a == b"},
      {"not (a and b)", "min(a, b) <= 0"},
      {"a and not b or c", "max(min(a, b <= 0), c)"},
      {"if(a > 0 and b > 0, a, b)", "if(min(a > 0, b > 0), a, b)"},
  };
  for (size_t i = 0; i < COUNT(equal); i++) {
    assert_int_equal(parse(&f, equal[i][0]), parse(&f, equal[i][1]));
  }
  end(&f);
}

/* ---- malformed formulas */

/* Checks that formulas which are equal by a rule of simplification are the same expression, and that similar ones are not. */
static void formulas_are_simplified(void **state)
{
  (void)state;
  static const char *const same[][2] = {{"abs(abs(a))", "abs(a)"},
                                        {"abs(-a)", "abs(a)"},
                                        {"cos(-a)", "cos(a)"},
                                        {"cosh(-a)", "cosh(a)"},
                                        {"sin(-a)", "-sin(a)"},
                                        {"tan(-a)", "-tan(a)"},
                                        {"asin(-a)", "-asin(a)"},
                                        {"atan(-a)", "-atan(a)"},
                                        {"sinh(-a)", "-sinh(a)"},
                                        {"tanh(-a)", "-tanh(a)"},
                                        {"sign(-a)", "-sign(a)"},
                                        {"a + 0", "a"},
                                        {"0 + a", "a"},
                                        {"a - 0", "a"},
                                        {"0 - a", "-a"},
                                        {"-(-a)", "a"},
                                        {"a - a", "0"},
                                        {"a + (-b)", "a - b"},
                                        {"(-a) + b", "b - a"},
                                        {"a - (-b)", "a + b"},
                                        {"(-a) - b", "-(a + b)"},
                                        {"-(a - b)", "b - a"},
                                        {"a*0", "0"},
                                        {"0*a", "0"},
                                        {"1*a", "a"},
                                        {"a*1", "a"},
                                        {"-1*a", "-a"},
                                        {"a*(-1)", "-a"},
                                        {"(-a)*b", "-(a*b)"},
                                        {"a*(-b)", "-(a*b)"},
                                        {"(-a)*(-b)", "a*b"},
                                        {"b*a", "a*b"},
                                        {"b + a", "a + b"},
                                        {"0/a", "0"},
                                        {"a/1", "a"},
                                        {"a/(-1)", "-a"},
                                        {"(-a)/b", "-(a/b)"},
                                        {"a/(-b)", "-(a/b)"},
                                        {"a^0", "1"},
                                        {"a^1", "a"},
                                        {"a^2", "a*a"},
                                        {"if(a, b, b)", "b"},
                                        {"if(1, a, b)", "a"},
                                        {"if(0, a, b)", "b"},
                                        {"min(a, a)", "a"},
                                        {"max(a, a)", "a"},
                                        {"min(b, a)", "min(a, b)"},
                                        {"max(b, a)", "max(a, b)"}};
  static const char *const other[][2] = {
      {"a - b", "b - a"}, {"a/b", "b/a"},         {"a^3", "a*a"},       {"exp(-a)", "exp(a)"},
      {"abs(a)", "a"},    {"sqrt(a*a)", "a"},     {"if(a, b, c)", "b"}, {"min(a, b)", "max(a, b)"},
      {"a^b", "b^a"},     {"acos(-a)", "acos(a)"}};
  struct fixture f = begin();
  for (size_t i = 0; i < COUNT(same); i++) {
    if (parse(&f, same[i][0]) != parse(&f, same[i][1]))
      fail_msg("%s is not simplified to %s", same[i][0], same[i][1]);
  }
  for (size_t i = 0; i < COUNT(other); i++) {
    if (parse(&f, other[i][0]) == parse(&f, other[i][1]))
      fail_msg("%s has become %s", other[i][0], other[i][1]);
  }
  end(&f);
}

struct malformed {
  const char *text;
  size_t length;
  int line, column;
  const char *fragment;
};

#define BAD(text, line, column, fragment)                                                          \
  {                                                                                                \
    text, sizeof(text) - 1, line, column, fragment                                                 \
  }

static const struct malformed malformed[] = {
    BAD("", 1, 1, "empty"),
    BAD("   ", 1, 4, "empty"),
    BAD("# only a comment", 1, 17, "empty"),
    BAD("\n\n", 3, 1, "expected a number, a name or '('"),
    BAD("()", 1, 2, "found ')'"),
    BAD("(", 1, 2, "after the '(' at 1:1"),
    BAD(")", 1, 1, "found ')'"),
    BAD("(a", 1, 3, "expected ')' for the '(' at 1:1"),
    BAD("a + (b*(c - a)", 1, 15, "expected ')' for the '(' at 1:5"),
    BAD("a\n + sin(\n b", 3, 3, "for the '(' at 2:7"),
    BAD("a)", 1, 2, "')' without '('"),
    BAD("(a))", 1, 4, "')' without '('"),
    BAD("a +", 1, 4, "after the operator at 1:3"),
    BAD("a + ", 1, 5, "ends too early"),
    BAD("a +\n", 2, 1, "after the operator at 1:3"),
    BAD("-", 1, 2, "ends too early"),
    BAD("+", 1, 2, "expected a number"),
    BAD("* a", 1, 1, "found '*'"),
    BAD("a * / b", 1, 5, "found '/'"),
    BAD("a < > b", 1, 5, "found '>'"),
    BAD("a + )", 1, 5, "found ')'"),
    BAD("a b", 1, 3, "expected an operator or the end before 'b'"),
    BAD("2 3", 1, 3, "before '3'"),
    BAD("2(a)", 1, 2, "before '('"),
    BAD("(a)(b)", 1, 4, "before '('"),
    BAD("(a) b", 1, 5, "before 'b'"),
    BAD("2a", 1, 1, "malformed number '2a'"),
    BAD("1.2.3", 1, 1, "malformed number '1.2.3'"),
    BAD("1e", 1, 1, "malformed number '1e'"),
    BAD("a + 1e+", 1, 5, "malformed number '1e'"),
    BAD("0x10", 1, 1, "malformed number '0x10'"),
    BAD("1_000", 1, 1, "malformed number"),
    BAD("1e999", 1, 1, "'1e999' is too large"),
    BAD("a - 1e309", 1, 5, "too large"),
    BAD("99999999999999999999999999999999999999999999999999999999999999999", 1, 1,
        "65 characters; expected at most 63"),
    BAD(".", 1, 1, "'.' is not part"),
    BAD("a < b < c", 1, 7, "comparisons cannot follow one another"),
    BAD("a < b\n  == c", 2, 3, "comparisons cannot follow one another"),
    BAD("a == b + c != 1", 1, 12, "comparisons cannot follow one another"),
    BAD("a = b", 1, 3, "'=' is not part of formulas: expected '=='"),
    BAD("a && b", 1, 3, "expected 'and'"),
    BAD("a || b", 1, 3, "expected 'or'"),
    BAD("!a", 1, 1, "expected 'not'"),
    BAD("a**2", 1, 2, "expected '^'"),
    BAD("a % 2", 1, 3, "floor"),
    BAD("a ? b : c", 1, 3, "if(condition, a, b)"),
    BAD("[a]", 1, 1, "expected '('"),
    BAD("min(a; b)", 1, 6, "expected ','"),
    BAD("a \xE2\x88\x92 b", 1, 3, "'\xE2\x88\x92' is not part of formulas: expected '-'"),
    BAD("\xC3\xA9 + a", 1, 1, "'\xC3\xA9' is not part"),
    BAD("a\xC2\xB2", 1, 2, "'^2'"),
    BAD("a*\xC3\xA9 +", 1, 3, "not part"),
    BAD("\xFF", 1, 1, "byte 0xFF is not part"),
    BAD("a + \x01", 1, 5, "byte 0x01 is not part"),
    BAD("a\0b", 1, 2, "byte 0x00 is not part"),
    BAD("\xE2\x88", 1, 1, "byte 0xE2"),
    BAD("a $ b", 1, 3, "'$' is not part"),
    BAD("\"a\"", 1, 1, "is not part"),
    BAD("cos", 1, 1, "'cos' is a function: expected '(' after it"),
    BAD("cos a", 1, 1, "'cos' is a function"),
    BAD("cos + 1", 1, 1, "'cos' is a function"),
    BAD("cosh()", 1, 6, "cosh expects 1 argument, but got none"),
    BAD("cos(a, b)", 1, 6, "cos expects 1 argument, but got more"),
    BAD("atan2(a)", 1, 8, "atan2 expects 2 arguments, but got 1"),
    BAD("if(a)", 1, 5, "if expects 3 arguments, but got 1"),
    BAD("if(a > b, c)", 1, 12, "if expects 3 arguments, but got 2"),
    BAD("if(a, b, c, a)", 1, 11, "if expects 3 arguments, but got more"),
    BAD("min(a,, b)", 1, 7, "found ','"),
    BAD("min(,a)", 1, 5, "found ','"),
    BAD("min(a, )", 1, 8, "found ')'"),
    BAD("a, b", 1, 2, "',' outside the arguments of a function"),
    BAD("(a, b)", 1, 3, "',' outside the arguments of a function"),
    BAD("min((a, b), c)", 1, 7, "',' outside the arguments of a function"),
    BAD("sine(a)", 1, 1, "unknown function 'sine': did you mean 'sin'?"),
    BAD("a + squrt(b)", 1, 5, "did you mean 'sqrt'?"),
    BAD("arctan(a)", 1, 1, "did you mean 'atan'?"),
    BAD("atan3(a, b)", 1, 1, "'atan"),
    BAD("Cos(a)", 1, 1, "did you mean 'cos'?"),
    BAD("interpolate(a)", 1, 1, "unknown function 'interpolate': expected one such as"),
    BAD("flor", 1, 1, "unknown name 'flor': did you mean 'floor'?"),
    BAD("stiffness*a", 1, 1, "unknown name 'stiffness': expected one that is defined"),
    BAD("a + wheel.fr.z", 1, 5, "unknown name 'wheel.fr.z'"),
    BAD("a.", 1, 2, "ends with a point"),
    BAD("a.'", 1, 2, "ends with a point"),
    BAD("a''", 1, 3, "is not part of formulas"),
    BAD("b'", 1, 1, "unknown name 'b''"),
    BAD("a(b)", 1, 2, "'a' is not a function: expected an operator before '('"),
    BAD("pi(2)", 1, 3, "'pi' is not a function"),
    BAD("and", 1, 1, "found 'and'"),
    BAD("a and", 1, 6, "after the operator at 1:3"),
    BAD("a and or b", 1, 7, "found 'or'"),
    BAD("a not b", 1, 3, "before 'not'"),
    BAD("a + not b", 1, 5, "'not' binds less tightly"),
    BAD("a < not b", 1, 5, "expected '(not ...)'"),
    BAD("not", 1, 4, "ends too early"),
};

static void assert_refused(const struct fixture *f, const struct malformed *m, cmb_status status,
                           cmb_expr e)
{
  char place[40];
  const char *message = cmb_last_error(f->ctx);
  snprintf(place, sizeof place, "%d:%d: ", m->line, m->column);
  if (status != CMB_ERROR_INPUT || e != 0 || !strstr(message, m->fragment) ||
      strncmp(message, place, strlen(place)) != 0) {
    fail_msg("\"%s\": status %s, \"%s\"; expected \"%s... %s\"", m->text, cmb_status_code(status),
             message, place, m->fragment);
  }
}

static void malformed_formulas_are_refused_with_reason_and_place(void **state)
{
  (void)state;
  struct fixture f = begin();
  for (size_t i = 0; i < COUNT(malformed); i++) {
    const struct malformed *m = &malformed[i];
    cmb_expr e = 99;
    cmb_status status = read_at(&f, m->text, m->length, 1, 1, &e);
    assert_refused(&f, m, status, e);
  }
  end(&f);
}

/* Checks places if the text begins at a given line and column of a file; the column matters for the first line only. */
static void places_count_from_the_beginning_of_the_text(void **state)
{
  (void)state;
  struct fixture f = begin();
  cmb_expr e;
  assert_int_equal(read_at(&f, "a + ?", 5, 12, 30, &e), CMB_ERROR_INPUT);
  assert_memory_equal(cmb_last_error(f.ctx), "12:34: ", 7);
  assert_int_equal(read_at(&f, "(\na ?", 5, 12, 30, &e), CMB_ERROR_INPUT);
  assert_memory_equal(cmb_last_error(f.ctx), "13:3: ", 6);
  assert_int_equal(read_at(&f, " (a", 3, 12, 30, &e), CMB_ERROR_INPUT);
  assert_non_null(strstr(cmb_last_error(f.ctx), "'(' at 12:31"));
  assert_int_equal(cmb_formula_parse(f.g, "a", 1, 1, 1, NULL, &e), CMB_ERROR_INPUT);
  cmbt_ok(f.ctx, read_at(&f, "ab", 1, 1, 1, &e)); /* only the first letter is read */
  assert_int_equal(e, f.input[0]);
  end(&f);
}

/* Functions of the caller: double(x) = x + x and scaled(x, y) = x*y; `a` is a value and no function. */
static bool call(void *user, const char *name, int count, const cmb_expr *arguments, cmb_expr *e)
{
  const struct fixture *f = user;
  bool doubled = strcmp(name, "double") == 0 && count == 1;
  bool scaled = strcmp(name, "scaled") == 0 && count == 2;
  if (doubled) *e = cmb_apply(f->g, CMB_OP_ADD, arguments[0], arguments[0], 0);
  if (scaled) *e = cmb_apply(f->g, CMB_OP_MUL, arguments[0], arguments[1], 0);
  return doubled || scaled;
}

static const char *nearest(void *user, const char *name)
{
  (void)user;
  return strncmp(name, "doub", 4) == 0 ? "double" : strncmp(name, "sc", 2) == 0 ? "scaled" : NULL;
}

static const char *expected(void *user, const char *name)
{
  (void)user;
  return strcmp(name, "unlike") == 0 ? "expected one of a, b" : NULL;
}

/* Checks that the caller's hint is used for unknown values, in place of a suggestion of functions. */
static void the_caller_can_say_what_it_expects(void **state)
{
  (void)state;
  struct fixture f = begin();
  const cmb_names known = {.user = &f, .value = lookup, .nearest = nearest, .expected = expected};
  cmb_expr e;
  static const struct malformed bad[] = {
      BAD("unlike", 1, 1, "unknown name 'unlike': expected one of a, b"),
      BAD("flor", 1, 1, "unknown name 'flor': expected one that is defined"),
      BAD("doubl + 1", 1, 1, "unknown name 'doubl': did you mean 'double'?"),
      BAD("unlike(a)", 1, 1, "unknown function 'unlike': expected one such as sin"),
      BAD("sine(b)", 1, 1, "unknown function 'sine': did you mean 'sin'?"),
  };
  for (size_t i = 0; i < COUNT(bad); i++) {
    cmb_status status = cmb_formula_parse(f.g, bad[i].text, bad[i].length, 1, 1, &known, &e);
    assert_refused(&f, &bad[i], status, e);
  }
  end(&f);
}

static void functions_of_the_caller_can_be_called(void **state)
{
  (void)state;
  struct fixture f = begin();
  const cmb_names known = {.user = &f, .value = lookup, .call = call, .nearest = nearest};
  cmb_expr e;
  const char *text = "scaled(1 + double(a), c - 1)^2 + min(double(b), sin)";
  cmbt_ok(f.ctx, cmb_formula_parse(f.g, text, strlen(text), 1, 1, &known, &e));
  cmbt_near(value_of(&f, e), pow(2.5 * 2.25, 2) - 5, 1e-12);
  static const struct malformed bad[] = {
      BAD("a + doubled(b)", 1, 5, "unknown function 'doubled': did you mean 'double'?"),
      BAD("sine(b)", 1, 1, "unknown function 'sine': did you mean 'sin'?"),
      BAD("interpolate(b)", 1, 1, "unknown function 'interpolate': expected one such as"),
      BAD("scal", 1, 1, "unknown name 'scal': did you mean 'scaled'?"),
      BAD("double(a, b)", 1, 1, "'double' does not take 2 arguments"),
      BAD("scaled(a)", 1, 1, "'scaled' does not take 1 argument"),
      BAD("scaled()", 1, 8, "'scaled' expects 1 to 3 arguments, but got none"),
      BAD("scaled(a, b, c, a)", 1, 15, "'scaled' expects 1 to 3 arguments, but got more"),
      BAD("a(b)", 1, 2, "'a' is not a function: expected an operator before '('"),
      BAD("double(a", 1, 9, "expected ')' for the '(' at 1:7"),
  };
  for (size_t i = 0; i < COUNT(bad); i++) {
    cmb_status status = cmb_formula_parse(f.g, bad[i].text, bad[i].length, 1, 1, &known, &e);
    assert_refused(&f, &bad[i], status, e);
  }
  end(&f);
}

static void long_names_are_refused(void **state)
{
  (void)state;
  struct fixture f = begin();
  char text[5000];
  cmb_expr e;
  memset(text, 'n', sizeof text);
  for (size_t length = 254; length <= sizeof text; length += length < 258 ? 1 : 789) {
    assert_int_equal(read_at(&f, text, length, 1, 1, &e), CMB_ERROR_INPUT);
    const char *message = cmb_last_error(f.ctx);
    assert_non_null(strstr(message, length < 256 ? "unknown name" : "expected at most 255"));
    assert_non_null(strstr(message, "nnn...'"));
    assert_true(strlen(message) < 200);
  }
  end(&f);
}

/* Checks that random bytes and random pieces of formulas are accepted, or refused with a place inside the text. */
static void random_text_is_refused_with_a_place(void **state)
{
  (void)state;
  static const char *const pieces[] = {
      "a",  "b",        "1",   "2.5", "+",  "-",    "*",   "/",   "^",  "(",   ")",
      ",",  "sin(",     "if(", "<",   "==", "and",  " ",   "not", "\n", "#",   "1e9",
      "pi", "\xC3\xA9", "or",  "!=",  ">=", "min(", "min", ".",   "e",  "\x80"};
  struct fixture f = begin();
  struct cmbt_random r = {3};
  int accepted = 0;
  for (int k = 0; k < 50000; k++) {
    char text[200];
    size_t length = 0;
    int count = cmbt_random_int(&r, 1, 12);
    for (int i = 0; i < count; i++) {
      const char *piece = pieces[cmbt_random_int(&r, 0, COUNT(pieces) - 1)];
      char byte[2] = {(char)cmbt_random_int(&r, -128, 127), 0};
      if (k % 2) piece = byte;
      memcpy(text + length, piece, strlen(piece) + 1);
      length += strlen(piece) + (k % 2 && byte[0] == 0);
    }
    cmb_expr e;
    int line, column;
    cmb_status status = read_at(&f, text, length, 1, 1, &e);
    accepted += status == CMB_OK;
    if (status == CMB_OK) continue;
    assert_int_equal(status, CMB_ERROR_INPUT);
    assert_int_equal(sscanf(cmb_last_error(f.ctx), "%d:%d: ", &line, &column), 2);
    assert_true(line >= 1 && column >= 1 && column <= (int)length + 1);
  }
  assert_true(accepted > 500); /* some of the combinations are formulas */
  end(&f);
}

/* ---- long and deeply nested formulas */

/* Returns `piece` repeated `count` times, then `middle`, then `close` repeated `count` times; the caller releases the text. */
static char *repeated(size_t count, const char *piece, const char *middle, const char *close)
{
  size_t n = strlen(piece), m = strlen(middle), c = strlen(close);
  char *text = malloc(count * (n + c) + m + 1), *to = text;
  assert_non_null(text);
  for (size_t i = 0; i < count; i++, to += n) memcpy(to, piece, n);
  memcpy(to, middle, m);
  to += m;
  for (size_t i = 0; i < count; i++, to += c) memcpy(to, close, c);
  *to = '\0';
  return text;
}

static void long_formulas_are_read(void **state)
{
  (void)state;
  static const struct {
    const char *piece, *middle, *close;
    double value;
  } rows[] = {
      {"a + ", "0", "", 75000},
      {"b*0 + a - ", "0", " + 1", 175000},
      {"1*", "a", "", 0.75},
      {"2 - ", "0", "", 0}, /* 2 - 2 - 2 ... - 0; the value is computed below */
      {"-", "a", "", 0.75},
      {"1^", "a", "", 1},
      {"(", "a", ")", 0.75},
      {"abs(", "b", ")", 2.5},
      {"if(a < b, 1, ", "c", ")", 3.25},
      {"\n", "a", " ", 0.75},
      {"not ", "a", "", 1},
      {"a and ", "a", "", 0.75},
  };
  struct fixture f = begin();
  const size_t count = 100000;
  for (size_t i = 0; i < COUNT(rows); i++) {
    char *text = repeated(count, rows[i].piece, rows[i].middle, rows[i].close);
    double value = value_of(&f, parse(&f, text));
    double expected = strcmp(rows[i].piece, "2 - ") == 0 ? 4 - 2.0 * (double)count : rows[i].value;
    cmbt_near(value, expected, 1e-9 * fabs(expected));
    free(text);
  }
  end(&f);
}

static void too_deep_nesting_is_refused(void **state)
{
  (void)state;
  static const char *const pieces[] = {"(", "-", "sin(", "2^", "(a+", "not "};
  const size_t limit = 1 << 20;
  struct fixture f = begin();
  for (size_t i = 0; i < COUNT(pieces); i++) {
    cmb_expr e;
    char *text = repeated(limit + 1, pieces[i], "a", "");
    assert_int_equal(read_at(&f, text, strlen(text), 1, 1, &e), CMB_ERROR_INPUT);
    assert_non_null(strstr(cmb_last_error(f.ctx), "nested too deeply: expected at most 1048576"));
    free(text);
  }
  char *text = repeated(limit, "(", "a", ")");
  assert_int_equal(parse(&f, text), f.input[0]);
  free(text);
  end(&f);
}

/* ---- printing */

static void printed_text_has_few_parentheses(void **state)
{
  (void)state;
  static const char *const rows[][2] = {
      {"((a)+(b))", "a + b"},
      {"b+a", "a + b"},
      {"a+(b+c)", "b + c + a"},
      {"a-(b-c)", "a - (b - c)"},
      {"(a-b)-c", "a - b - c"},
      {"(a*b)*c", "a*b*c"},
      {"a*(b*c)", "b*c*a"},
      {"a/(b*c)", "a/(b*c)"},
      {"(a/b)/c", "a/b/c"},
      {"(a/b)*c", "a/b*c"},
      {"(a+b)*c", "c*(a + b)"},
      {"a^(b^c)", "a^b^c"},
      {"(a^b)^c", "(a^b)^c"},
      {"a^(-b)", "a^-b"},
      {"a^(b*c)", "a^(b*c)"},
      {"(-a)^b", "(-a)^b"},
      {"-(a^b)", "-a^b"},
      {"(-2)^a", "(-2)^a"},
      {"-2^a", "-2^a"},
      {"a^(-3)", "a^-3"},
      {"a*(-3)", "a*-3"},
      {"-(a*b)", "-(a*b)"},
      {"-(a+b)", "-(a + b)"},
      {"-(a-b)", "b - a"},
      {"(a<b)<c", "(a < b) < c"},
      {"(a<b)+c", "c + (a < b)"},
      {"a+b<c*a", "a + b < a*c"},
      {"min((a<b), (c))", "min(c, a < b)"},
      {"if((a)>(0), (b), (c))", "if(a > 0, b, c)"},
      {"atan2(a,b)", "atan2(a, b)"},
      {"sin*sin(sin)", "sin*sin(sin)"},
      {"wheel.fl.z/_t0", "wheel.fl.z/_t0"},
      {"a + 0.1 + 1e-7", "a + 0.1 + 1e-07"},
      {"a/3", "a/3"},
      {"1/3", "0.3333333333333333"},
      {"0.1 + 0.2", "0.30000000000000004"},
      {"1e22", "1e+22"},
      {"1e308*10", "1e+308*10"},
      {"1/0 - sqrt(-1)", "1/0 - sqrt(-1)"},
      {"0", "0"},
      {"-0.5", "-0.5"},
  };
  struct fixture f = begin();
  for (size_t i = 0; i < COUNT(rows); i++) {
    char text[100];
    size_t length = cmb_expr_print(f.g, parse(&f, rows[i][0]), text, sizeof text);
    assert_string_equal(text, rows[i][1]);
    assert_int_equal(length, strlen(text));
  }
  end(&f);
}

static double product(const void *user, const double *x)
{
  (void)user;
  return x[0] * x[1];
}

/* Checks the text of tables and C functions: formulas cannot contain them, but their text has to distinguish them. */
static void tables_and_c_functions_have_a_text(void **state)
{
  (void)state;
  struct fixture f = begin();
  const cmb_external function = {.name = "product", .arity = 2, .value = product};
  const double x[] = {0, 1, 3}, y[] = {1, 0, 2};
  cmb_table *tables[2];
  char text[100];
  for (int i = 0; i < 2; i++) {
    cmbt_ok(f.ctx, cmb_table_create(f.ctx, CMB_TABLE_SPLINE, 3, x, y, &tables[i]));
  }
  cmb_expr sum = cmb_external_apply(f.g, &function, (cmb_expr[]){f.input[0], f.input[1], 0});
  for (int i = 0; i < 2; i++) {
    cmb_expr term = cmb_table_apply(f.g, tables[i], f.input[i]);
    sum = cmb_apply(f.g, CMB_OP_SUB, sum, term, 0);
  }
  cmb_expr_print(f.g, sum, text, sizeof text);
  assert_string_equal(text, "product(a, b) - table#0(a) - table#1(b)");
  cmb_expr slope, one = cmb_constant(f.g, 1);
  cmbt_ok(f.ctx, cmb_forward(f.g, 1, &f.input[1], &one, 1, &sum, &slope));
  cmb_expr_print(f.g, slope, text, sizeof text);
  assert_string_equal(text, "product'2(a, b) - table#1'1(b)");
  cmb_graph_destroy(f.g); /* before the tables that it uses */
  f.g = NULL;
  for (int i = 0; i < 2; i++) cmb_table_destroy(tables[i]);
  end(&f);
}

static void a_small_buffer_cuts_the_text(void **state)
{
  (void)state;
  struct fixture f = begin();
  const char *const whole = "if(a < b, wheel.fl.z*-0.125, c^2.5) - sin";
  cmb_expr e = parse(&f, whole);
  size_t length = strlen(whole);
  for (size_t room = 0; room < length + 3; room++) {
    char text[100];
    memset(text, '?', sizeof text);
    assert_int_equal(cmb_expr_print(f.g, e, text, room), length);
    if (room > 0) {
      size_t written = room <= length ? room - 1 : length;
      assert_memory_equal(text, whole, written);
      assert_int_equal(text[written], '\0');
    }
    for (size_t i = room; i < sizeof text; i++) assert_int_equal(text[i], '?');
  }
  cmb_expr nameless = cmb_input(f.g, "");
  assert_int_equal(cmb_expr_print(f.g, nameless, NULL, 0), 0);
  cmbt_ok(f.ctx, cmb_graph_status(f.g));
  end(&f);
}

static void check_round_trip(struct fixture *f, cmb_expr e, char *text, size_t room, int *done)
{
  size_t length = cmb_expr_print(f->g, e, text, room);
  if (length >= room) return; /* too long, as parts are used many times */
  cmb_expr back = parse_some(f, text, length);
  if (back != e) fail_msg("%s: read back as another node", text);
  ++*done;
}

/* Prints random expressions of up to 200 operations and reads them again. */
static void random_expressions_read_back_to_the_same_node(void **state)
{
  (void)state;
  enum { PER_GRAPH = 200, ROOM = 1 << 14 };
  const int expressions = cmbt_count("CAMBER_PRINTED", 24000);
  static char text[ROOM];
  struct cmbt_random r = {20240501};
  int done = 0;
  for (int k = 0; k < expressions / PER_GRAPH; k++) {
    struct fixture f = begin();
    for (int i = 0; i < PER_GRAPH; i++) {
      unsigned flags = (i % 8 == 0 ? 0 : CMBT_EXPR_TREE) | (i % 4 == 0 ? CMBT_EXPR_SMOOTH : 0) |
                       (i % 16 == 0 ? CMBT_EXPR_TAME : 0);
      int nodes = cmbt_random_int(&r, 1, 200);
      cmb_expr e = cmbt_random_expr(&r, f.g, NAMES, f.input, nodes, flags);
      check_round_trip(&f, e, text, sizeof text, &done);
    }
    cmbt_ok(f.ctx, cmb_graph_status(f.g));
    end(&f);
  }
  assert_true(done >= expressions * 5 / 6); /* the others are too long for the buffer */
}

/* Prints and reads all pairs of nested operations, at each argument, with arguments with and without a sign. */
static void every_pair_of_operations_reads_back(void **state)
{
  (void)state;
  struct fixture f = begin();
  cmb_expr leaves[] = {f.input[0], f.input[1], cmb_constant(f.g, -2), cmb_constant(f.g, 3), 0};
  char text[200];
  int done = 0, pairs = 0;
  for (cmb_op outer = CMB_OP_ADD; outer <= CMB_OP_STICK; outer++) {
    for (cmb_op inner = CMB_OP_ADD; inner <= CMB_OP_STICK; inner++) {
      for (size_t k = 0; k < 3 * 125; k++) {
        cmb_expr x = leaves[k / 3 % 5], y = leaves[k / 15 % 5], z = leaves[k / 75];
        cmb_expr inside = cmb_apply(f.g, inner, x, y, z), argument[3] = {x, y, z};
        argument[k % 3] = inside;
        cmb_expr e = cmb_apply(f.g, outer, argument[0], argument[1], argument[2]);
        check_round_trip(&f, e, text, sizeof text, &done);
        pairs++;
      }
    }
  }
  assert_int_equal(done, pairs);
  end(&f);
}

static void deep_expressions_are_printed(void **state)
{
  (void)state;
  enum { DEPTH = 1000000 };
  static const cmb_op ops[] = {CMB_OP_SIN, CMB_OP_ADD, CMB_OP_POW, CMB_OP_SUB, CMB_OP_IF};
  struct fixture f = begin();
  for (size_t k = 0; k < COUNT(ops); k++) {
    size_t length;
    cmb_expr e = f.input[2];
    for (int i = 0; i < DEPTH; i++) {
      if (ops[k] == CMB_OP_ADD)
        e = cmb_apply(f.g, ops[k], f.input[i % 2], e, 0);
      else if (ops[k] == CMB_OP_IF)
        e = cmb_apply(f.g, ops[k], f.input[0], e, f.input[1]);
      else
        e = cmb_apply(f.g, ops[k], e, f.input[i % 2], 0);
    }
    char *text = printed(&f, e, &length);
    assert_int_equal(parse_some(&f, text, length), e);
    free(text);
  }
  cmbt_ok(f.ctx, cmb_graph_status(f.g));
  end(&f);
}

/* Prints expressions whose text doubles at each level, up to a length at which the count saturates. */
static void very_long_texts_have_a_length(void **state)
{
  (void)state;
  struct fixture f = begin();
  cmb_expr e = f.input[0];
  size_t length = 1;
  for (int level = 0; level < 80; level++) {
    char part[50];
    assert_int_equal(cmb_expr_print(f.g, e, part, sizeof part), length);
    assert_int_equal(strlen(part), length < sizeof part ? length : sizeof part - 1);
    if (level < 18) free(printed(&f, e, &length));
    e = cmb_apply(f.g, CMB_OP_MIN, cmb_apply(f.g, CMB_OP_SIN, e, 0, 0), e, 0);
    length = length < SIZE_MAX / 2 / 2 - 20 ? 2 * length + strlen("min(sin(), )") : SIZE_MAX / 2;
  }
  assert_int_equal(length, SIZE_MAX / 2);
  end(&f);
}

/* ---- failing allocations */

static bool input_of(void *user, const char *name, cmb_expr *e)
{
  *e = cmb_input(user, name);
  return true;
}

/* Reads a formula that needs large stacks and arrays, prints it and reads the result. Returns the first error. */
static cmb_status use(cmb_context *ctx, const char *text)
{
  cmb_graph *g;
  cmb_expr e, back;
  CMB_TRY(cmb_graph_create(ctx, &g));
  const cmb_names inputs = {.user = g, .value = input_of};
  cmb_status status = cmb_formula_parse(g, text, strlen(text), 1, 1, &inputs, &e);
  if (status == CMB_OK) {
    size_t length = cmb_expr_print(g, e, NULL, 0);
    status = cmb_graph_status(g);
    assert_int_equal(length == 0, status != CMB_OK);
    char *again = malloc(length + 1);
    assert_non_null(again);
    again[0] = '?';
    if (status == CMB_OK && cmb_expr_print(g, e, again, length + 1) == 0) {
      status = cmb_graph_status(g);
      assert_int_equal(status, CMB_ERROR_MEMORY);
      assert_int_equal(again[0], '\0');
    }
    if (status == CMB_OK) {
      status = cmb_formula_parse(g, again, length, 1, 1, &inputs, &back);
      assert_true(status != CMB_OK || back == e);
    }
    free(again);
  }
  cmb_graph_destroy(g);
  return status;
}

static void every_failed_allocation_is_reported(void **state)
{
  (void)state;
  char *text = repeated(1500, "x + sin(y*", "z", "^3 + 1)");
  for (int after_too = 0; after_too < 2; after_too++) {
    long refused = 1;
    for (long k = 2; refused > 0; k++) { /* the first allocation is that of the context */
      struct cmbt_allocator memory;
      cmbt_allocator_init(&memory);
      memory.fail_at = k;
      memory.fail_after_too = after_too;
      cmb_context *ctx = cmb_context_create(&memory.hook);
      assert_non_null(ctx);
      cmb_status status = use(ctx, text);
      refused = memory.refused;
      assert_int_equal(status, refused > 0 ? CMB_ERROR_MEMORY : CMB_OK);
      if (refused > 0) assert_string_equal(cmb_last_error(ctx), cmb_status_meaning(status));
      cmb_context_destroy(ctx);
      assert_int_equal(memory.outstanding, 0);
      assert_true(refused > 0 || k > 20);
    }
  }
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_group_as_in_c),
      cmocka_unit_test(powers_group_to_the_right),
      cmocka_unit_test(functions_have_the_values_of_c),
      cmocka_unit_test(every_operation_can_be_written),
      cmocka_unit_test(conditions_can_be_combined),
      cmocka_unit_test(formulas_are_simplified),
      cmocka_unit_test(malformed_formulas_are_refused_with_reason_and_place),
      cmocka_unit_test(places_count_from_the_beginning_of_the_text),
      cmocka_unit_test(the_caller_can_say_what_it_expects),
      cmocka_unit_test(functions_of_the_caller_can_be_called),
      cmocka_unit_test(long_names_are_refused),
      cmocka_unit_test(random_text_is_refused_with_a_place),
      cmocka_unit_test(long_formulas_are_read),
      cmocka_unit_test(too_deep_nesting_is_refused),
      cmocka_unit_test(printed_text_has_few_parentheses),
      cmocka_unit_test(tables_and_c_functions_have_a_text),
      cmocka_unit_test(a_small_buffer_cuts_the_text),
      cmocka_unit_test(every_pair_of_operations_reads_back),
      cmocka_unit_test(random_expressions_read_back_to_the_same_node),
      cmocka_unit_test(deep_expressions_are_printed),
      cmocka_unit_test(very_long_texts_have_a_length),
      cmocka_unit_test(every_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
