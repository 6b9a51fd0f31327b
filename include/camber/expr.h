/*
 * Camber, layer expr: scalar expressions as a graph, their derivatives, and programs made from them.
 *
 *     cmb_expr x = cmb_input(g, "x"), y = cmb_apply(g, CMB_OP_SIN, x, 0, 0);
 *
 * The same expression exists once: building it again gives the same number. Nodes are numbered in the order they
 * come into being, so arguments always have smaller numbers than what is made from them. Node 0 is the
 * constant 0. A graph that runs out of memory, or is called in a wrong way (with a node that it has not), keeps giving 0;
 * cmb_graph_status tells.
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
 * applied to each lane, for lanes; the same text stands in generated code (op_sine and op_cosine are Camber's own, see
 * src/expr/sine_code.h). A condition is true if it is > 0.
 * `smooth` is its argument; it keeps what is inside from becoming a switching function. `stick` is b with the sign of a; where a is held
 * at 0 it may be anything between -c and c (modes.c), and by itself it is 0 there. */
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
  X(SIN, "sin", 1, op_sine(a))                                                                     \
  X(COS, "cos", 1, op_cosine(a))                                                                   \
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
  X(IF, "if", 3, a > 0 ? b : c)                                                                    \
  X(STICK, "stick", 3, a > 0 ? b : a < 0 ? -b : c - c)

typedef enum cmb_op {
  CMB_OP_CONSTANT,
  CMB_OP_INPUT,
#define CMB_OP_ENUM(name, text, arity, value) CMB_OP_##name,
  CMB_OP_LIST(CMB_OP_ENUM)
#undef CMB_OP_ENUM
  /* made by functions of their own, below */
  CMB_OP_TABLE,    /* table(x), or a derivative of it */
  CMB_OP_TABLE_AT, /* the same with the interval as second argument */
  CMB_OP_TABLE2,   /* table(x, y), or a derivative */
  CMB_OP_CALL,     /* a C function of up to three arguments, or a partial derivative of it */
  CMB_OP_LIST_OF, /* the list a, or 0 for none, with b behind it: what a solution is given; no value of its own */
  CMB_OP_SOLVE, /* the solution of a small system: given the list a, started from the list b; no value of its own */
  CMB_OP_PART, /* one unknown of the solution a */
  CMB_OPS
} cmb_op;

typedef struct cmb_graph cmb_graph;
typedef uint32_t cmb_expr; /* the number of a node */

CMB_API cmb_status cmb_graph_create(cmb_context *ctx, cmb_graph **graph);
CMB_API void cmb_graph_destroy(cmb_graph *g);
CMB_API cmb_status cmb_graph_status(
    const cmb_graph *g); /* CMB_OK, or for good CMB_ERROR_MEMORY or CMB_ERROR_ARGUMENT */
CMB_API uint32_t cmb_graph_size(const cmb_graph *g); /* number of nodes */

CMB_API cmb_expr cmb_constant(cmb_graph *g, double value);  /* finite */
CMB_API cmb_expr cmb_input(cmb_graph *g, const char *name); /* the same name, the same node */

/* An operation on as many of a, b, c as it has arguments. Constants are folded where the result is finite, and
 * what the arguments' form makes simple is simplified; a finite value never changes but by rounding. */
CMB_API cmb_expr cmb_apply(cmb_graph *g, cmb_op op, cmb_expr a, cmb_expr b, cmb_expr c);

/* What a node is. Arguments beyond the operation's are 0. */
CMB_API cmb_op cmb_expr_op(const cmb_graph *g, cmb_expr e);
CMB_API cmb_expr cmb_expr_argument(const cmb_graph *g, cmb_expr e, int i); /* i = 0, 1, 2 */
CMB_API double cmb_expr_constant(const cmb_graph *g, cmb_expr e);  /* of a CMB_OP_CONSTANT */
CMB_API const char *cmb_expr_name(const cmb_graph *g, cmb_expr e); /* of a CMB_OP_INPUT */

CMB_API const char *cmb_op_text(cmb_op op);
CMB_API int cmb_op_arity(cmb_op op);

/* Tables: functions given by points, with derivatives. A table must outlive the graphs and programs that use it. */

typedef enum cmb_table_kind {
  CMB_TABLE_LINEAR, /* straight pieces */
  CMB_TABLE_SPLINE, /* natural cubic spline */
  CMB_TABLE_AKIMA,  /* cubic pieces with Akima's slopes: no overshoot */
  CMB_TABLE_WAVES,  /* a sum of sines: cmb_waves_create makes it */
  CMB_TABLE_FOOT    /* where a place is on a line: roads have them */
} cmb_table_kind;

typedef struct cmb_table cmb_table;

/* f (n) at ascending x (n), n >= 2. Outside, it goes on along the tangent at the end. */
CMB_API cmb_status cmb_table_create(cmb_context *ctx, cmb_table_kind kind, int n, const double *x,
                                    const double *f, cmb_table **table);

/* f (nx x ny) on a grid, bicubic. Outside, the arguments are taken to the border. */
CMB_API cmb_status cmb_table2_create(cmb_context *ctx, int nx, const double *x, int ny,
                                     const double *y, const double *f, cmb_table **table);

/* A sum of sines of x and y, 2-D, without points and without a border,
 *
 *     f(x, y) = Σ amplitude sin(2π (along x + across y + phase)),
 *
 * with derivatives of all orders up to 15 in x and in y. Far away, where along x + across y could be 10⁹ or more, it is NaN. */
typedef struct cmb_wave {
  double amplitude, along, across, phase;
} cmb_wave;

CMB_API cmb_status cmb_waves_create(cmb_context *ctx, int count, const cmb_wave *waves,
                                    cmb_table **table);
CMB_API void cmb_table_destroy(cmb_table *table);

CMB_API cmb_expr cmb_table_apply(cmb_graph *g, const cmb_table *table, cmb_expr x); /* 1-D */
CMB_API cmb_expr cmb_table2_apply(cmb_graph *g, const cmb_table *table, cmb_expr x,
                                  cmb_expr y); /* 2-D */

/* C functions of the user's, of one to three arguments. They keep no state. Without `partial` derivatives are central
 * differences. Must outlive the graphs and programs that use it. */
typedef struct cmb_external {
  const char *name;
  int arity;
  double (*value)(const void *user, const double *x);
  double (*partial)(const void *user, const double *x, int i); /* ∂value/∂x_i, or NULL */
  const void *user;
} cmb_external;

CMB_API cmb_expr cmb_external_apply(cmb_graph *g, const cmb_external *function, const cmb_expr *x);

/* Implicit functions: w (n, 1 to CMB_MOST_UNKNOWNS) with equation[i] = 0 for all i, where `unknown` are inputs that stand for w in the
 * equations and occur nowhere else. Newton's iteration finds w from `start` to rounding; corrections that are below 1e-10 of
 * max(|w_i|, size[i]) may be rounding, larger ones are not. size NULL: all 1. The values depend on the arguments alone, not on former
 * ones. Where none is found they are NaN. Derivatives are those of the implicit function theorem, of any order.
 * CMB_ERROR_INPUT, with the names of the unknowns in the words: an unknown that no equation has, an equation without an unknown,
 * equations whose Jacobian is singular whatever the values are, or one with a switch (abs, min, if ..) that an unknown decides. */
enum { CMB_MOST_UNKNOWNS = 6 };
CMB_API cmb_status cmb_implicit(cmb_graph *g, int n, const cmb_expr *unknown,
                                const cmb_expr *equation, const cmb_expr *start, const double *size,
                                cmb_expr *w);

/* Derivatives. Conditions, sign, floor and comparisons have derivative 0: they are constant between switches. */

/* Directional derivative: result[i] = Σ_j ∂outputs[i]/∂inputs[j] direction[j]; the directions are expressions. */
CMB_API cmb_status cmb_forward(cmb_graph *g, int inputs, const cmb_expr *input,
                               const cmb_expr *direction, int outputs, const cmb_expr *output,
                               cmb_expr *result);

/* Gradient by reverse mode: result[j] = Σ_i weight[i] ∂output[i]/∂input[j]. */
CMB_API cmb_status cmb_reverse(cmb_graph *g, int inputs, const cmb_expr *input, int outputs,
                               const cmb_expr *output, const cmb_expr *weight, cmb_expr *result);

/* result[i] = exprs[i] with input[j] replaced by the expression replacement[j], for all j at once. result may be exprs. */
CMB_API cmb_status cmb_substitute(cmb_graph *g, int inputs, const cmb_expr *input,
                                  const cmb_expr *replacement, int count, const cmb_expr *exprs,
                                  cmb_expr *result);

/* The same from one graph into another: result[i], of `to`, is exprs[i] of `from` with input[j] of `from` replaced by
 * replacement[j] of `to`. Other inputs become inputs of the same name. */
CMB_API cmb_status cmb_import(cmb_graph *to, const cmb_graph *from, int inputs,
                              const cmb_expr *input, const cmb_expr *replacement, int count,
                              const cmb_expr *exprs, cmb_expr *result);

/* Modes: what can switch (if, comparisons, abs, sign, min, max, floor) made smooth, with the mode as an input. */

typedef enum cmb_mode_kind {
  CMB_MODE_SIGN, /* the mode is +1 where `of` > 0 and -1 elsewhere */
  CMB_MODE_STICK, /* the same; and where something is held at `of` = 0, +2 and -2 are the most that can hold it */
  CMB_MODE_FLOOR, /* the mode is the whole number below `of`; it changes where the margin is 0 */
  CMB_MODE_TABLE  /* the mode is the interval of a table that `of` lies in; likewise */
} cmb_mode_kind;

/* What friction that sticks has for a mode in a step of fixed cost where it holds with no force at all; with the part φ of the most, it is this − φ. */
#define CMB_MODE_HELD 3

typedef struct cmb_mode {
  const char *name; /* the text of `of`, perhaps cut */
  cmb_mode_kind kind;
  uint16_t table;  /* of CMB_MODE_TABLE: its number in the graph */
  cmb_expr of;     /* what decides */
  cmb_expr margin; /* the switching function */
  cmb_expr mode;   /* the input */
} cmb_mode;

/* Whether the mode is that of a sign, not a whole number. */
static inline bool cmb_mode_is_sign(cmb_mode_kind kind)
{
  return kind == CMB_MODE_SIGN || kind == CMB_MODE_STICK;
}

typedef struct cmb_modes cmb_modes;

CMB_API cmb_status cmb_modes_create(cmb_context *ctx, cmb_modes **modes);
CMB_API void cmb_modes_destroy(cmb_modes *modes);
CMB_API int cmb_modes_count(const cmb_modes *modes);
CMB_API const cmb_mode *cmb_modes_at(const cmb_modes *modes, int i);

/* Expressions with frozen modes; new switches are added to `modes`. smooth(...) keeps its inside as it is. */
CMB_API cmb_status cmb_modes_freeze(cmb_modes *modes, cmb_graph *g, int count,
                                    const cmb_expr *exprs, cmb_expr *frozen);

/* The same with switches of their own in place of those before number `from`, also for equal expressions. */
CMB_API cmb_status cmb_modes_freeze_apart(cmb_modes *modes, cmb_graph *g, int from, int count,
                                          const cmb_expr *exprs, cmb_expr *frozen);

/* The same with the switches that are there: what has none stays as it is. */
CMB_API cmb_status cmb_modes_freeze_known(cmb_modes *modes, cmb_graph *g, int count,
                                          const cmb_expr *exprs, cmb_expr *frozen);

/* Formulas: "k*(l - l0) + if(v > 0, c1, c2)*v". Operators ^ * / + - and comparisons as in C (^ binds tightest and to the
 * right, then unary -), the functions of the table above, numbers, names (letters, digits, _ and . inside, perhaps a ' at the end;
 * at most 255), pi. A number may be followed by the name deg, of which it is the factor: 30 deg. Comparisons are not associative.
 * Conditions are combined with not, and, or, which bind in this order and less tightly than comparisons. White space and comments, from # to the end of the line, are skipped. */

/* What names stand for; any of the functions may be NULL, then nothing is known to it. `value` and `call` set *e and return
 * true, or return false for an unknown name or, of a call, a number of arguments (1 to 3) that the function does not
 * take. The built-in functions come first. */
typedef struct cmb_names {
  void *user;
  bool (*value)(void *user, const char *name, cmb_expr *e);
  bool (*call)(void *user, const char *name, int count, const cmb_expr *arguments, cmb_expr *e);
  const char *(*nearest)(void *user, const char *name); /* for "did you mean"; NULL: none is near */
  bool
      friction; /* b and c of stick(x, b, c) are forces: a negative number is refused, and one that becomes negative is 0 */
} cmb_names;

/* The formula in text (length characters) as an expression. On failure CMB_ERROR_INPUT, and the context has
 * "LINE:COLUMN: what is wrong, and what was expected", counted from `line` and `column`. names may be NULL. */
CMB_API cmb_status cmb_formula_parse(cmb_graph *g, const char *text, size_t length, int line,
                                     int column, const cmb_names *names, cmb_expr *e);

/* Readable text of an expression that parses back to the same node. Writes at most room characters, the final 0
 * included, and returns the length of the whole text, as snprintf does. Parts that are used several times are written
 * as often, so the text can be far longer than the graph: the length is at most SIZE_MAX / 2, however long the text.
 * Without memory the text is empty, 0 is returned, and cmb_graph_status tells. */
CMB_API size_t cmb_expr_print(const cmb_graph *g, cmb_expr e, char *text, size_t room);

/* Programs. */

enum { CMB_LANES = 8 };

typedef struct cmb_program cmb_program;

/* A function of the inputs (nodes of CMB_OP_INPUT) as a list of instructions. The graph is not needed later. Every
 * input that the outputs use must be among `input`. */
CMB_API cmb_status cmb_program_create(cmb_context *ctx, const cmb_graph *g, int inputs,
                                      const cmb_expr *input, int outputs, const cmb_expr *output,
                                      cmb_program **program);
CMB_API void cmb_program_destroy(cmb_program *p);

CMB_API int cmb_program_inputs(const cmb_program *p);
CMB_API int cmb_program_outputs(const cmb_program *p);
CMB_API int cmb_program_instructions(const cmb_program *p);

/* Doubles of work array that one run needs; cmb_program_run_lanes needs CMB_LANES times as many, aligned to 64. */
CMB_API int cmb_program_work(const cmb_program *p);

/* out (outputs) = f(in (inputs)) */
CMB_API void cmb_program_run(const cmb_program *p, const double *in, double *out, double *work);

/* CMB_LANES functions at once: in (inputs x CMB_LANES), out (outputs x CMB_LANES), both aligned to 64. */
CMB_API void cmb_program_run_lanes(const cmb_program *p, const double *in, double *out,
                                   double *work);

/* Jacobians. */

typedef struct cmb_jacobian cmb_jacobian;

/* ∂output/∂wrt as a function of `input`, on its exact pattern; wrt are among input. */
CMB_API cmb_status cmb_jacobian_create(cmb_context *ctx, cmb_graph *g, int inputs,
                                       const cmb_expr *input, int wrt_count, const cmb_expr *wrt,
                                       int outputs, const cmb_expr *output,
                                       cmb_jacobian **jacobian);
CMB_API void cmb_jacobian_destroy(cmb_jacobian *jacobian);

CMB_API const cmb_pattern *cmb_jacobian_pattern(
    const cmb_jacobian *jacobian);                             /* outputs x wrt_count */
CMB_API int cmb_jacobian_groups(const cmb_jacobian *jacobian); /* of columns that share no row */

/* (input, direction) -> J direction, for those who want products only. */
CMB_API const cmb_program *cmb_jacobian_program(const cmb_jacobian *jacobian);

/* The values on the pattern; the work array (cmb_jacobian_work doubles) must be aligned to 64. */
CMB_API int cmb_jacobian_work(const cmb_jacobian *jacobian);
CMB_API void cmb_jacobian_run(const cmb_jacobian *jacobian, const double *in, double *values,
                              double *work);

/* Native code. */

/* C text: one C99 file, libm is all it needs, with a function for each program:
 *     void PREFIX_NAME(const double *x, double *y, double *w);
 * Work array and sizes are the caller's: PREFIX_NAME_inputs, _outputs, _work. The arrays must not overlap. The functions
 * keep no state and compute what the interpreter computes, to the last bit if compiled without contraction of
 * a * b + c (-ffp-contract=off). The file at `path` is replaced as a whole, or left alone. */
typedef struct cmb_c_function {
  const char *name; /* as in C: letters, digits, _ */
  const cmb_program *program;
} cmb_c_function;

CMB_API cmb_status cmb_c_file_save(cmb_context *ctx, const char *prefix, int count,
                                   const cmb_c_function *functions, const char *path);

/* Programs compiled by the system's C compiler and loaded into this process. Zeros are the defaults. */
typedef struct cmb_native_options {
  const char
      *compiler; /* path or name, and perhaps options, with blanks between; default: $CC, else cc */
  const char *
      cache; /* folder; default: $CAMBER_CACHE, else $XDG_CACHE_HOME/camber, else ~/.cache/camber */
  int processes; /* compilers at a time; default: one a core */
  bool
      no_lanes; /* cmb_native_run_lanes is not needed: it interprets, and compiling takes half the time */
  bool only_cached; /* compile nothing: what the cache has not is interpreted, without a warning */
} cmb_native_options;

typedef enum cmb_native_origin {
  CMB_NATIVE_INTERPRETED, /* no compiler, or it failed: the programs are interpreted */
  CMB_NATIVE_COMPILED,
  CMB_NATIVE_CACHED /* compiled by an earlier run */
} cmb_native_origin;

typedef struct cmb_native cmb_native;

/* Compiles the programs, or finds them compiled in the cache folder. Without a working compiler this succeeds too, with a
 * warning in the log: the programs are then interpreted. They must outlive the result. options may be NULL. */
CMB_API cmb_status cmb_native_create(cmb_context *ctx, int count,
                                     const cmb_program *const *programs,
                                     const cmb_native_options *options, cmb_native **native);
CMB_API void cmb_native_destroy(cmb_native *native);
CMB_API cmb_native_origin cmb_native_where_from(const cmb_native *native);

/* As cmb_program_run and cmb_program_run_lanes, for programs[i], with its work array and the same bits; but in, out and
 * work must not overlap. Many threads may run it, each with its own work array. */
CMB_API void cmb_native_run(const cmb_native *native, int i, const double *in, double *out,
                            double *work);
CMB_API void cmb_native_run_lanes(const cmb_native *native, int i, const double *in, double *out,
                                  double *work);

/* As cmb_jacobian_run, with the same bits, where programs[i] is cmb_jacobian_program(jacobian). */
CMB_API void cmb_jacobian_run_native(const cmb_jacobian *jacobian, const cmb_native *native, int i,
                                     const double *in, double *values, double *work);

#ifdef __cplusplus
}
#endif
#endif
