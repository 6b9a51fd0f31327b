/*
 * Parses formulas: from text to expressions, by operator precedence (cmb_formula_parse).
 *
 * Each construct whose end has not been read yet (an operator without its right side, an open parenthesis, a call) is a frame on a stack on
 * the heap, so that the depth of a formula is limited by a number and not by the thread's stack. A finished value is applied to the frames
 * on top of the stack that bind tighter than the operator that follows it, or as tightly where operators are grouped from the left: in a +
 * b * c the frame `a +` stays until `b * c` is finished, in a * b + c the frame `a *` is finished when + is read.
 *
 *     operand  = number [ "deg" ] | name | pi | "(" formula ")" | function "(" formula { "," formula } ")"
 *              | ("-" | "+" | "not") operand
 *     formula  = operand { binary operator operand }, grouped by the precedence of the operators (token.h)
 *
 * A condition is true if it is > 0. Therefore `and` is min, `or` is max, and `not c` is c <= 0. `not` of a comparison is the opposite
 * comparison, so that its switching function is still the difference of the two sides.
 */
#include "base/context.h"
#include "base/text.h"
#include "expr/continued.h"
#include "expr/graph.h"
#include "expr/token.h"

#include <string.h>

enum { MAX_FRAMES = 1 << 20, INITIAL_FRAMES = 64 };

enum frame_kind { OPEN, CALL, PREFIX, BINARY };

enum { MAX_ARGUMENTS = 3 };

struct frame {
  uint8_t kind; /* enum frame_kind */
  /* precedence of the operator; 0 for OPEN and CALL, so that no operator outside of a parenthesis applies inside */
  uint8_t binds;
  uint8_t op;    /* cmb_op; CMB_OP_CALL: a function of the caller's (cmb_names) */
  uint8_t count; /* number of a call's finished arguments */
  cmb_expr argument[MAX_ARGUMENTS]; /* a call's finished arguments, or the left operand */
  size_t at;                        /* position of the parenthesis or the operator */
  cmb_token callee;                 /* of a call: the function's name */
};

struct parser {
  cmb_source source;
  cmb_graph *g;
  const cmb_names *names; /* never NULL */
  cmb_token token;        /* the next token */
  cmb_expr value;         /* the value of the operand read last */
  struct frame *frames;
  size_t depth, room;
};

/* Built-in functions and other built-in names; a table for cmb_find_name and cmb_nearest_name. */
static const struct function {
  const char *name;
  cmb_op op;
  int arity;
} functions[] = {
#define FUNCTION(name, text, arity, value) {text, CMB_OP_##name, arity},
    CMB_OP_LIST(FUNCTION)
#undef FUNCTION
        {"pi", CMB_OP_CONSTANT, 0},
};

enum { ROWS = sizeof functions / sizeof functions[0], FIRST_FUNCTION = CMB_OP_SQRT - CMB_OP_ADD };

/* The rows of functions[] that are names: the table of operations begins with those that are written as operators. */
static const struct function *const named = functions + FIRST_FUNCTION;
enum { NAMED = ROWS - FIRST_FUNCTION };

static const double pi = 3.14159265358979323846;

/* ---- the stack of frames */

/* Reads the next token of the formula into p->token. */
static cmb_status advance(struct parser *p)
{
  return cmb_token_read(&p->source, p->token.at + p->token.length, &p->token);
}

static struct frame *top(const struct parser *p)
{
  return p->depth > 0 ? &p->frames[p->depth - 1] : NULL;
}

static cmb_status push(struct parser *p, struct frame frame)
{
  if (p->depth == MAX_FRAMES) {
    return cmb_source_fail(&p->source, frame.at,
                           "the formula is nested too deeply: expected at most %d levels",
                           (int)MAX_FRAMES);
  }
  if (!p->frames || p->depth == p->room) {
    size_t room = p->room ? 2 * p->room : INITIAL_FRAMES;
    struct frame *larger = cmb_allocate(p->source.ctx, room * sizeof *larger);
    if (!larger) return cmb_fail_memory(p->source.ctx);
    if (p->frames) memcpy(larger, p->frames, p->depth * sizeof *larger);
    cmb_release(p->source.ctx, p->frames);
    p->frames = larger;
    p->room = room;
  }
  p->frames[p->depth++] = frame;
  return CMB_OK;
}

/* Builds the negation of a condition c: the opposite comparison if c is a comparison, otherwise c <= 0 (conditions are true if > 0). */
static cmb_expr opposite(cmb_graph *g, cmb_expr c)
{
  static const uint8_t opposites[][2] = {{CMB_OP_LT, CMB_OP_GE}, {CMB_OP_LE, CMB_OP_GT},
                                         {CMB_OP_GT, CMB_OP_LE}, {CMB_OP_GE, CMB_OP_LT},
                                         {CMB_OP_EQ, CMB_OP_NE}, {CMB_OP_NE, CMB_OP_EQ}};
  for (size_t i = 0; i < sizeof opposites / sizeof *opposites; i++) {
    if (cmb_expr_op(g, c) != (cmb_op)opposites[i][0]) continue;
    cmb_expr left = cmb_expr_argument(g, c, 0), right = cmb_expr_argument(g, c, 1);
    return cmb_apply(g, (cmb_op)opposites[i][1], left, right, 0);
  }
  return cmb_apply(g, CMB_OP_LE, c, 0, 0);
}

/* Applies the operators on top of the parser's stack that bind more tightly than `binds` to p->value, the value read last, and removes them
 * from the stack. The result becomes p->value. */
static void apply_operators(struct parser *p, int binds)
{
  while (p->depth > 0 && top(p)->binds > binds) {
    const struct frame *f = &p->frames[--p->depth];
    if (f->kind == BINARY)
      p->value = cmb_apply(p->g, (cmb_op)f->op, f->argument[0], p->value, 0);
    else if (f->op == CMB_OP_NEG)
      p->value = cmb_apply(p->g, CMB_OP_NEG, p->value, 0, 0);
    else
      p->value = opposite(p->g, p->value);
  }
}

/* ---- operands */

/* Looks up `name` among the values (not functions) that the caller of the parser provides. Returns true and sets *e to the expression of
 * the value if there is one of this name, otherwise false. */
static bool is_known(const struct parser *p, const char *name, cmb_expr *e)
{
  return p->names->value && p->names->value(p->names->user, name, e);
}

/* Reports that a number, a name or '(' was expected at the current token, or that the formula is empty or ends too early. Returns the status
 * of the error. */
static cmb_status fail_operand(struct parser *p)
{
  char quote[CMB_QUOTE_ROOM];
  const cmb_token *t = &p->token;
  const struct frame *f = top(p);
  if (t->kind == CMB_TOKEN_END && !f) {
    return cmb_source_fail(&p->source, t->at,
                           "the formula is empty: expected a number, a name or '('");
  }
  if (t->kind == CMB_TOKEN_END) {
    int line, column;
    cmb_source_locate(&p->source, f->at, &line, &column);
    return cmb_source_fail(&p->source, t->at,
                           "the formula ends too early: expected a number, a name or '(' after "
                           "the %s at %d:%d",
                           f->kind == OPEN || f->kind == CALL ? "'('" : "operator", line, column);
  }
  cmb_source_quote(&p->source, t->at, t->length, quote);
  return cmb_source_fail(&p->source, t->at, "expected a number, a name or '(', but found %s",
                         quote);
}

static void copy_name(const struct parser *p, const cmb_token *at, char name[CMB_FORMULA_NAME_ROOM])
{
  memcpy(name, p->source.text + at->at, at->length);
  name[at->length] = '\0';
}

/* Returns the largest number of arguments that a function call on the parser's stack can have: that of the built-in function, or 3 for a
 * function that the caller of the parser provides. */
static int call_arity(const struct frame *call)
{
  return call->op == CMB_OP_CALL ? MAX_ARGUMENTS : cmb_op_arity((cmb_op)call->op);
}

static cmb_status fail_count(struct parser *p, const struct frame *call, const char *got)
{
  if (call->op == CMB_OP_CALL) {
    char quote[CMB_QUOTE_ROOM];
    cmb_source_quote(&p->source, call->callee.at, call->callee.length, quote);
    return cmb_source_fail(&p->source, p->token.at, "%s expects 1 to %d arguments, but got %s",
                           quote, (int)MAX_ARGUMENTS, got);
  }
  int arity = cmb_op_arity((cmb_op)call->op);
  return cmb_source_fail(&p->source, p->token.at, "%s expects %d argument%s, but got %s",
                         cmb_op_text((cmb_op)call->op), arity, arity == 1 ? "" : "s", got);
}

/* Returns the known name that is most similar to the unknown name `name`, as a suggestion in an error message; NULL if none is similar.
 * Searches the names that the caller of the parser provides and, for a function call or if the caller cannot list what it expects, also the
 * built-in names. */
static const char *nearest_name(const struct parser *p, const char *name, bool is_call)
{
  const char *near[2];
  int count = 0;
  if (p->names->nearest) near[count] = p->names->nearest(p->names->user, name);
  if (p->names->nearest && near[count]) count++;
  if (is_call || !p->names->expected) {
    near[count] = cmb_nearest_name(name, named, NAMED, sizeof *named);
    if (near[count]) count++;
  }
  return cmb_nearest_name(name, near, count, sizeof *near);
}

/* Reports an unknown name or, if is_call, an unknown function at the token `at`, with a similar known name or with what is expected. Returns
 * the status of the error. */
static cmb_status fail_name(struct parser *p, const cmb_token *at, const char *name, bool is_call)
{
  char quote[CMB_QUOTE_ROOM];
  const char *nearest = nearest_name(p, name, is_call), *expected = NULL;
  const char *kind = is_call ? "function" : "name";
  cmb_source_quote(&p->source, at->at, at->length, quote);
  if (nearest) {
    return cmb_source_fail(&p->source, at->at, "unknown %s %s: did you mean '%s'?", kind, quote,
                           nearest);
  }
  if (is_call)
    expected = "expected one such as sin, sqrt, min or if";
  else if (p->names->expected)
    expected = p->names->expected(p->names->user, name);
  return cmb_source_fail(&p->source, at->at, "unknown %s %s: %s", kind, quote,
                         expected ? expected : "expected the name of a quantity that is defined");
}

/* Reports that a formula calls something that is no function: an unknown name, at its token `at`, or a value, at the position `paren` of the
 * '('. Returns the status of the error. */
static cmb_status fail_call(struct parser *p, const cmb_token *at, size_t paren, const char *name)
{
  cmb_expr known;
  if (strcmp(name, "pi") != 0 && !is_known(p, name, &known)) return fail_name(p, at, name, true);
  char quote[CMB_QUOTE_ROOM];
  cmb_source_quote(&p->source, at->at, at->length, quote);
  return cmb_source_fail(&p->source, paren, "%s is not a function: expected an operator before '('",
                         quote);
}

/* Begins a function call: pushes the function `name`, whose token is `at`, on the parser's stack and skips the '('. Returns an error for a call
 * without arguments, or for a name that cannot be a function; functions that the caller of the parser provides are looked up when the call is
 * complete. */
static cmb_status begin_call(struct parser *p, const cmb_token *at, const char *name)
{
  int i = cmb_find_name(name, named, NAMED, sizeof *named);
  bool ours = i >= 0 && named[i].arity > 0;
  if (!ours && (i >= 0 || !p->names->call)) return fail_call(p, at, p->token.at, name);
  struct frame call = {.kind = CALL, .at = p->token.at, .callee = *at};
  call.op = (uint8_t)(ours ? named[i].op : CMB_OP_CALL);
  CMB_TRY(push(p, call));
  CMB_TRY(advance(p));
  return p->token.kind == CMB_TOKEN_RIGHT ? fail_count(p, &call, "none") : CMB_OK;
}

/* Sets p->value to a call of a function that the caller of the parser provides, with the arguments argument[count]. Returns an error if there
 * is no such function or it does not take this number of arguments. */
static cmb_status finish_call(struct parser *p, const struct frame *f, int count,
                              const cmb_expr *argument)
{
  char name[CMB_FORMULA_NAME_ROOM];
  const cmb_names *names = p->names;
  copy_name(p, &f->callee, name);
  if (names->call(names->user, name, count, argument, &p->value)) return CMB_OK;
  const char *nearest = names->nearest ? names->nearest(names->user, name) : NULL;
  if (nearest && strcmp(nearest, name) == 0 && !is_known(p, name, &p->value)) {
    return cmb_source_fail(&p->source, f->callee.at, "'%s' does not take %d argument%s", name,
                           count, count == 1 ? "" : "s");
  }
  return fail_call(p, &f->callee, f->at, name);
}

/* Reads a name. If '(' follows, begins a function call and sets *is_value to false; otherwise sets p->value to the name's value and *is_value
 * to true. Returns an error for unknown names, and for functions without '('. */
static cmb_status read_name(struct parser *p, bool *is_value)
{
  char name[CMB_FORMULA_NAME_ROOM];
  const cmb_token at = p->token;
  copy_name(p, &at, name);
  CMB_TRY(advance(p));
  *is_value = p->token.kind != CMB_TOKEN_LEFT;
  if (!*is_value) return begin_call(p, &at, name);
  if (strcmp(name, "pi") == 0) {
    p->value = cmb_constant(p->g, pi);
    return CMB_OK;
  }
  if (is_known(p, name, &p->value)) return CMB_OK;
  if (cmb_find_name(name, named, NAMED, sizeof *named) < 0) return fail_name(p, &at, name, false);
  return cmb_source_fail(&p->source, at.at, "'%s' is a function: expected '(' after it", name);
}

/* Reads a prefix operator: a minus sign or `not` is pushed on the parser's stack, a plus sign is skipped. Returns an error for any other
 * operator, and for a `not` after an operator that binds more tightly. */
static cmb_status read_prefix(struct parser *p)
{
  const cmb_operator *row = p->token.row;
  if (row->op == CMB_OP_SUB) {
    CMB_TRY(
        push(p, (struct frame){
                    .kind = PREFIX, .binds = CMB_BINDS_SIGN, .op = CMB_OP_NEG, .at = p->token.at}));
  } else if (row->binds == 0) { /* not */
    if (top(p) && top(p)->binds > CMB_BINDS_NOT) {
      return cmb_source_fail(&p->source, p->token.at,
                             "'not' binds less tightly than the operator before it: expected "
                             "'(not ...)'");
    }
    CMB_TRY(push(p, (struct frame){
                        .kind = PREFIX, .binds = CMB_BINDS_NOT, .op = row->op, .at = p->token.at}));
  } else if (row->op != CMB_OP_ADD) {
    return fail_operand(p);
  }
  return advance(p);
}

/* Reads a number in a formula and sets p->value to it. If the unit deg follows (the only one permitted), multiplies the number by the value of
 * deg, which the caller of the parser provides. */
static cmb_status read_constant(struct parser *p)
{
  const cmb_expr number = cmb_constant(p->g, p->token.number);
  char name[CMB_FORMULA_NAME_ROOM] = "";
  bool is_value;
  p->value = number;
  CMB_TRY(advance(p));
  if (p->token.kind == CMB_TOKEN_NAME) copy_name(p, &p->token, name);
  if (strcmp(name, "deg") != 0) return CMB_OK;
  CMB_TRY(read_name(p, &is_value));
  if (is_value) p->value = cmb_apply(p->g, CMB_OP_MUL, number, p->value, 0);
  return CMB_OK;
}

/* Reads the next operand of a formula: pushes minus signs, `not`, function calls and '(' on the parser's stack, up to a number or a name,
 * whose value becomes p->value. */
static cmb_status read_operand(struct parser *p)
{
  for (bool is_value = false; !is_value;) {
    switch (p->token.kind) {
    case CMB_TOKEN_NUMBER: return read_constant(p);
    case CMB_TOKEN_NAME: CMB_TRY(read_name(p, &is_value)); break;
    case CMB_TOKEN_OPERATOR: CMB_TRY(read_prefix(p)); break;
    case CMB_TOKEN_LEFT:
      CMB_TRY(push(p, (struct frame){.kind = OPEN, .at = p->token.at}));
      CMB_TRY(advance(p));
      break;
    default: return fail_operand(p);
    }
  }
  return CMB_OK;
}

/* ---- after an operand */

/* Reports that an operator or the end of the formula was expected before the current token. Returns the status of the error. */
static cmb_status fail_operator(struct parser *p)
{
  char quote[CMB_QUOTE_ROOM];
  cmb_source_quote(&p->source, p->token.at, p->token.length, quote);
  return cmb_source_fail(
      &p->source, p->token.at, "expected an operator or the end before %s ('*' between factors%s)",
      quote,
      p->token.kind == CMB_TOKEN_NAME
          ? "; numbers have SI units, and only the unit deg may follow a number, as in 30 deg"
          : "");
}

static cmb_status read_binary(struct parser *p)
{
  const cmb_operator *row = p->token.row;
  if (row->binds == 0) return fail_operator(p); /* as in "a not b" */
  bool waits = row->binds == CMB_BINDS_COMPARISON || row->binds == CMB_BINDS_POWER;
  apply_operators(p, waits ? row->binds : row->binds - 1);
  if (row->binds == CMB_BINDS_COMPARISON && top(p) && top(p)->binds == CMB_BINDS_COMPARISON) {
    return cmb_source_fail(&p->source, p->token.at,
                           "comparisons cannot follow one another: expected parentheses, or "
                           "'and' as in a < b and b < c");
  }
  CMB_TRY(push(p, (struct frame){.kind = BINARY,
                                 .binds = row->binds,
                                 .op = row->op,
                                 .argument = {p->value},
                                 .at = p->token.at}));
  return advance(p);
}

static cmb_status read_comma(struct parser *p)
{
  apply_operators(p, 0);
  struct frame *f = top(p);
  if (!f || f->kind != CALL) {
    return cmb_source_fail(&p->source, p->token.at,
                           "',' outside the arguments of a function: expected an operator or %s",
                           f ? "')'" : "the end");
  }
  if (f->count + 1 == call_arity(f)) return fail_count(p, f, "more");
  f->argument[f->count++] = p->value;
  return advance(p);
}

/* Builds max(force, 0) for a friction force; returns the force itself if it is proved to be non-negative. A constant factor k > 0 is taken out,
 * k max(force/k, 0), so that forces that differ only by a factor share one switching function. */
static cmb_expr at_least_zero(cmb_graph *g, cmb_expr force)
{
  static const cmb_known nothing = {0};
  if (cmb_never_negative(g, force, &nothing)) return force;
  for (int i = 0; i < 2 && cmb_expr_op(g, force) == CMB_OP_MUL; i++) {
    const cmb_expr k = cmb_expr_argument(g, force, i), other = cmb_expr_argument(g, force, 1 - i);
    if (cmb_expr_op(g, k) != CMB_OP_CONSTANT || cmb_expr_constant(g, k) < 0) continue;
    return cmb_apply(g, CMB_OP_MUL, k, at_least_zero(g, other), 0);
  }
  return cmb_apply(g, CMB_OP_MAX, force, cmb_constant(g, 0), 0);
}

/* Sets p->value to the dry friction force stick(x, b, c) with the arguments argument[3]. Returns an error if b or c is a negative number; as
 * expressions they are replaced by max(b, 0) and max(c, 0), since friction must not drive the motion. */
static cmb_status finish_stick(struct parser *p, const struct frame *f, const cmb_expr *argument)
{
  cmb_expr force[2];
  for (int i = 0; i < 2; i++) {
    const cmb_expr e = argument[1 + i];
    const double number = cmb_expr_op(p->g, e) == CMB_OP_CONSTANT ? cmb_expr_constant(p->g, e) : 0;
    if (number < 0) {
      return cmb_source_fail(&p->source, f->callee.at,
                             "the force of friction in 'stick' is %g; expected 0 or more", number);
    }
    force[i] = at_least_zero(p->g, e);
  }
  p->value = cmb_apply(p->g, CMB_OP_STICK, argument[0], force[0], force[1]);
  return CMB_OK;
}

/* Reads a ')'. p->value becomes the value of the formula in the parentheses or, if they enclose the last argument of a function call, the value
 * of the call. Returns an error for a ')' without '(' and for a wrong number of arguments. */
static cmb_status read_right_parenthesis(struct parser *p)
{
  apply_operators(p, 0);
  const struct frame *f = top(p);
  if (!f) {
    return cmb_source_fail(&p->source, p->token.at,
                           "')' without '(' before it: expected an operator or the end");
  }
  if (f->kind == CALL) {
    cmb_expr argument[MAX_ARGUMENTS] = {f->argument[0], f->argument[1], f->argument[2]};
    argument[f->count] = p->value;
    if (f->op == CMB_OP_CALL)
      CMB_TRY(finish_call(p, f, f->count + 1, argument));
    else if (f->count + 1 < call_arity(f))
      return fail_count(p, f, f->count == 0 ? "1" : "2");
    else if (f->op == CMB_OP_STICK && p->names->friction)
      CMB_TRY(finish_stick(p, f, argument));
    else
      p->value = cmb_apply(p->g, (cmb_op)f->op, argument[0], argument[1], argument[2]);
  }
  p->depth--;
  return advance(p);
}

/* Reads what follows an operand of a formula: closing parentheses, then a binary operator or a comma. At the end of the formula applies the
 * remaining operators and sets *done to true. Returns an error for any other token, and at the end for an open '('. */
static cmb_status read_operator(struct parser *p, bool *done)
{
  while (p->token.kind == CMB_TOKEN_RIGHT) CMB_TRY(read_right_parenthesis(p));
  switch (p->token.kind) {
  case CMB_TOKEN_OPERATOR: return read_binary(p);
  case CMB_TOKEN_COMMA: return read_comma(p);
  case CMB_TOKEN_END: break;
  default: return fail_operator(p);
  }
  apply_operators(p, 0);
  *done = true;
  if (p->depth == 0) return CMB_OK;
  int line, column;
  cmb_source_locate(&p->source, top(p)->at, &line, &column);
  return cmb_source_fail(&p->source, p->token.at,
                         "the formula ends too early: expected ')' for the '(' at %d:%d", line,
                         column);
}

static cmb_status parse(struct parser *p)
{
  CMB_TRY(cmb_token_read(&p->source, 0, &p->token));
  for (bool done = false; !done;) {
    CMB_TRY(read_operand(p));
    CMB_TRY(read_operator(p, &done));
  }
  return CMB_OK;
}

cmb_status cmb_formula_parse(cmb_graph *g, const char *text, size_t length, int line, int column,
                             const cmb_names *names, cmb_expr *e)
{
  static const cmb_names none = {0};
  if (!g) return CMB_ERROR_ARGUMENT;
  CMB_REQUIRE(g->ctx, (text || length == 0) && e,
              "cmb_formula_parse needs a text and a place for the expression");
  *e = 0;
  CMB_TRY(cmb_graph_status(g));
  struct parser p = {
      .source = {g->ctx, text, length, line, column}, .g = g, .names = names ? names : &none};
  cmb_status status = parse(&p);
  cmb_release(g->ctx, p.frames);
  CMB_TRY(cmb_graph_status(g)); /* without memory for nodes the text is not to blame */
  if (status == CMB_OK) *e = p.value;
  return status;
}
