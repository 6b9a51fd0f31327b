/*
 * Camber, layer expr: scalar expressions as a graph, their derivatives, and programs made from them.
 *
 *     cmb_expr x = cmb_input(g, "x"), y = cmb_apply(g, CMB_OP_SIN, x, 0, 0);
 *
 * The same expression exists once: building it again gives the same number. Nodes are numbered in the order they
 * come into being, so arguments always have smaller numbers than what is made from them. Node 0 is the
 * constant 0. A graph that runs out of memory keeps giving 0; cmb_graph_status tells.
 *
 * A graph belongs to one thread at a time. A program belongs to nobody: it has no state, and many threads may
 * run it, each with its own work array.
 */
#ifndef CAMBER_EXPR_H
#define CAMBER_EXPR_H

#include <camber/base.h>
#include <camber/math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The one table of operations: name, text in formulas, number of arguments, value. The value is C for a scalar and,
 * applied to each lane, for lanes; the same text stands in generated code. A condition is true if it is > 0.
 * `smooth` is its argument; it keeps what is inside from becoming a switching function. */
#define CMB_OP_LIST(X)                                                                             \
  X(ADD, "+", 2, a + b)                                                                            \
  X(SUB, "-", 2, a - b)                                                                            \
  X(MUL, "*", 2, a *b)                                                                             \
  X(DIV, "/", 2, a / b)                                                                            \
  X(NEG, "-", 1, -a)                                                                               \
  X(POW, "^", 2, pow(a, b))                                                                        \
  X(LT, "<", 2, a < b ? 1.0 : 0.0)                                                                 \
  X(LE, "<=", 2, a <= b ? 1.0 : 0.0)                                                               \
  X(GT, ">", 2, a > b ? 1.0 : 0.0)                                                                 \
  X(GE, ">=", 2, a >= b ? 1.0 : 0.0)                                                               \
  X(EQ, "==", 2, a == b ? 1.0 : 0.0)                                                               \
  X(NE, "!=", 2, a != b ? 1.0 : 0.0)                                                               \
  X(SQRT, "sqrt", 1, sqrt(a))                                                                      \
  X(SIN, "sin", 1, sin(a))                                                                         \
  X(COS, "cos", 1, cos(a))                                                                         \
  X(TAN, "tan", 1, tan(a))                                                                         \
  X(ASIN, "asin", 1, asin(a))                                                                      \
  X(ACOS, "acos", 1, acos(a))                                                                      \
  X(ATAN, "atan", 1, atan(a))                                                                      \
  X(ATAN2, "atan2", 2, atan2(a, b))                                                                \
  X(SINH, "sinh", 1, sinh(a))                                                                      \
  X(COSH, "cosh", 1, cosh(a))                                                                      \
  X(TANH, "tanh", 1, tanh(a))                                                                      \
  X(EXP, "exp", 1, exp(a))                                                                         \
  X(LOG, "log", 1, log(a))                                                                         \
  X(ABS, "abs", 1, fabs(a))                                                                        \
  X(SIGN, "sign", 1, a > 0 ? 1.0 : a < 0 ? -1.0 : 0.0)                                             \
  X(MIN, "min", 2, a < b ? a : b)                                                                  \
  X(MAX, "max", 2, a > b ? a : b)                                                                  \
  X(FLOOR, "floor", 1, floor(a))                                                                   \
  X(SMOOTH, "smooth", 1, a)                                                                        \
  X(IF, "if", 3, a > 0 ? b : c)

typedef enum cmb_op {
  CMB_OP_CONSTANT,
  CMB_OP_INPUT,
#define CMB_OP_ENUM(name, text, arity, value) CMB_OP_##name,
  CMB_OP_LIST(CMB_OP_ENUM)
#undef CMB_OP_ENUM
      CMB_OPS
} cmb_op;

typedef struct cmb_graph cmb_graph;
typedef uint32_t cmb_expr; /* the number of a node */

cmb_status cmb_graph_create(cmb_context *ctx, cmb_graph **graph);
void cmb_graph_destroy(cmb_graph *g);
cmb_status cmb_graph_status(const cmb_graph *g); /* CMB_OK, or CMB_ERROR_MEMORY for good */
uint32_t cmb_graph_size(const cmb_graph *g);     /* number of nodes */

cmb_expr cmb_constant(cmb_graph *g, double value);  /* finite */
cmb_expr cmb_input(cmb_graph *g, const char *name); /* the same name, the same node */

/* An operation on as many of a, b, c as it has arguments. Constants are folded where the result is finite, and
 * what the arguments' form makes simple is simplified; a finite value never changes but by rounding. */
cmb_expr cmb_apply(cmb_graph *g, cmb_op op, cmb_expr a, cmb_expr b, cmb_expr c);

/* What a node is. Arguments beyond the operation's are 0. */
cmb_op cmb_expr_op(const cmb_graph *g, cmb_expr e);
cmb_expr cmb_expr_argument(const cmb_graph *g, cmb_expr e, int i); /* i = 0, 1, 2 */
double cmb_expr_constant(const cmb_graph *g, cmb_expr e);          /* of a CMB_OP_CONSTANT */
const char *cmb_expr_name(const cmb_graph *g, cmb_expr e);         /* of a CMB_OP_INPUT */

const char *cmb_op_text(cmb_op op);
int cmb_op_arity(cmb_op op);

/* Derivatives. Conditions, sign, floor and comparisons have derivative 0: they are constant between switches. */

/* Directional derivative: result[i] = Σ_j ∂outputs[i]/∂inputs[j] direction[j]; the directions are expressions. */
cmb_status cmb_forward(cmb_graph *g, int inputs, const cmb_expr *input, const cmb_expr *direction,
                       int outputs, const cmb_expr *output, cmb_expr *result);

/* Gradient by reverse mode: result[j] = Σ_i weight[i] ∂output[i]/∂input[j]. */
cmb_status cmb_reverse(cmb_graph *g, int inputs, const cmb_expr *input, int outputs,
                       const cmb_expr *output, const cmb_expr *weight, cmb_expr *result);

/* Formulas: "k*(l - l0) + if(v > 0, c1, c2)*v". Operators ^ * / + - and comparisons as in C (^ binds tightest and to the
 * right, then unary -), the functions of the table above, numbers, names (letters, digits, _ and . inside), pi. */

/* What a name stands for: set *e and return true, or return false for an unknown name. */
typedef bool (*cmb_lookup)(void *user, const char *name, cmb_expr *e);

/* The formula in text (length characters) as an expression. On failure CMB_ERROR_INPUT, and the context has
 * "LINE:COLUMN: what is wrong, and what was expected", counted from `line` and `column`. */
cmb_status cmb_formula_parse(cmb_graph *g, const char *text, size_t length, int line, int column,
                             cmb_lookup lookup, void *user, cmb_expr *e);

/* Readable text of an expression that parses back to the same node. Writes at most room characters, the final 0
 * included, and returns the length of the whole text, as snprintf does. */
size_t cmb_expr_print(const cmb_graph *g, cmb_expr e, char *text, size_t room);

/* Programs. */

enum { CMB_LANES = 8 };

typedef struct cmb_program cmb_program;

/* A function of the inputs (nodes of CMB_OP_INPUT) as a list of instructions. The graph is not needed later. Every
 * input that the outputs use must be among `input`. */
cmb_status cmb_program_create(cmb_context *ctx, const cmb_graph *g, int inputs,
                              const cmb_expr *input, int outputs, const cmb_expr *output,
                              cmb_program **program);
void cmb_program_destroy(cmb_program *p);

int cmb_program_inputs(const cmb_program *p);
int cmb_program_outputs(const cmb_program *p);
int cmb_program_instructions(const cmb_program *p);

/* Doubles of work array that one run needs; cmb_program_run_lanes needs CMB_LANES times as many, aligned to 64. */
int cmb_program_work(const cmb_program *p);

/* out (outputs) = f(in (inputs)) */
void cmb_program_run(const cmb_program *p, const double *in, double *out, double *work);

/* CMB_LANES functions at once: in (inputs x CMB_LANES), out (outputs x CMB_LANES), both aligned to 64. */
void cmb_program_run_lanes(const cmb_program *p, const double *in, double *out, double *work);

#ifdef __cplusplus
}
#endif
#endif
