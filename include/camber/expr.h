/*
 * Camber, layer expr: scalar expressions as a graph, their derivatives, and programs made from them.
 *
 *     cmb_expr x = cmb_input(g, "x"), y = cmb_apply(g, CMB_OP_SIN, x, 0, 0);
 *
 * Each expression exists only once: building it again gives the same node number. Nodes are numbered in the order in which they
 * are made, so the arguments of an expression always have smaller numbers than the expression. Node 0 is the
 * constant 0. A graph that has run out of memory, or on which a wrong call was made (with a node that it does not have), returns 0 from
 * then on; cmb_graph_status reports it.
 *
 * A graph belongs to one thread at a time. A program has no state: many threads may
 * run it at the same time, each with its own work array.
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

/* The table of operations: name, text in formulas, number of arguments, value. The value is C code for a scalar and, applied to each
 * lane, for lanes; the same text is written into generated code (op_sine and op_cosine are Camber's own functions, see
 * src/expr/sine_code.h). A condition is true if it is > 0.
 * `smooth` returns its argument; nothing inside of it becomes a switching function. `stick` is b with the sign of a; while a is held at
 * 0 it may be anything between -c and c (modes.c), and on its own it is 0 there. */
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
  /* made by functions of their own, see below */
  CMB_OP_TABLE,    /* table(x), or a derivative of it */
  CMB_OP_TABLE_AT, /* the same with the number of the interval as second argument */
  CMB_OP_TABLE2,   /* table(x, y), or a derivative */
  CMB_OP_CALL,     /* a C function of up to three arguments, or a partial derivative of it */
  /* a list: the list a (0: empty) with b appended; the arguments of a solution; has no value itself */
  CMB_OP_LIST_OF,
  /* the solution of a small system of equations with the arguments in list a and the start values in list b; has no value itself */
  CMB_OP_SOLVE,
  CMB_OP_PART, /* one unknown of the solution a */
  CMB_OPS
} cmb_op;

typedef struct cmb_graph cmb_graph;
typedef uint32_t cmb_expr; /* number of a node */

/* Creates a graph that contains only the constant 0, and frees one (NULL is allowed). */
CMB_API cmb_status cmb_graph_create(cmb_context *ctx, cmb_graph **graph);
CMB_API void cmb_graph_destroy(cmb_graph *g);
/* Returns CMB_OK or, permanently once a call on the graph has failed, CMB_ERROR_MEMORY or CMB_ERROR_ARGUMENT. */
CMB_API cmb_status cmb_graph_status(const cmb_graph *g);
/* Returns the number of nodes. */
CMB_API uint32_t cmb_graph_size(const cmb_graph *g);

/* Return the node of a constant with a finite value, and that of an input; the same name gives the same node. */
CMB_API cmb_expr cmb_constant(cmb_graph *g, double value);
CMB_API cmb_expr cmb_input(cmb_graph *g, const char *name);

/* Applies an operation to as many of a, b, c as it has arguments; the others are ignored. Constants are folded if the result is finite,
 * and the expression is simplified where its form permits; this changes finite values by no more than rounding. */
CMB_API cmb_expr cmb_apply(cmb_graph *g, cmb_op op, cmb_expr a, cmb_expr b, cmb_expr c);

/* Return the operation of a node, its arguments (0 beyond those of the operation), the value of a constant and the name of an input. */
CMB_API cmb_op cmb_expr_op(const cmb_graph *g, cmb_expr e);
CMB_API cmb_expr cmb_expr_argument(const cmb_graph *g, cmb_expr e, int i); /* i = 0, 1, 2 */
CMB_API double cmb_expr_constant(const cmb_graph *g, cmb_expr e);  /* of a CMB_OP_CONSTANT */
CMB_API const char *cmb_expr_name(const cmb_graph *g, cmb_expr e); /* of a CMB_OP_INPUT */

/* Return the text of an operation in formulas ("sqrt") and the number of its arguments. */
CMB_API const char *cmb_op_text(cmb_op op);
CMB_API int cmb_op_arity(cmb_op op);

/* Tables: functions given by points, with derivatives. A table must outlive the graphs and programs that use it, and is freed with
 * cmb_table_destroy. */

typedef enum cmb_table_kind {
  CMB_TABLE_LINEAR, /* straight pieces */
  CMB_TABLE_SPLINE, /* natural cubic spline */
  CMB_TABLE_AKIMA,  /* cubic pieces with Akima's slopes: no overshoot next to a jump */
  CMB_TABLE_WAVES,  /* a sum of sines, made by cmb_waves_create */
  CMB_TABLE_FOOT    /* position along or beside a line in the plane; used by roads */
} cmb_table_kind;

typedef struct cmb_table cmb_table;

/* Creates a function of one variable from f (n) at ascending x (n), n >= 2. Outside of the points it continues along the tangent at the
 * end. */
CMB_API cmb_status cmb_table_create(cmb_context *ctx, cmb_table_kind kind, int n, const double *x,
                                    const double *f, cmb_table **table);

/* Creates a function of two variables from f (nx x ny) on a grid of ascending x (nx) and y (ny), bicubic. Outside of the grid, the value
 * at the nearest point of its border is used. */
CMB_API cmb_status cmb_table2_create(cmb_context *ctx, int nx, const double *x, int ny,
                                     const double *y, const double *f, cmb_table **table);

/* A wave of a sum of sines of x and y, which cmb_waves_create makes a table of two variables without points and borders,
 *
 *     f(x, y) = Σ amplitude sin(2π (along x + across y + phase)),
 *
 * with derivatives of all orders up to 15 in x and in y; the phase is between −1 and 1. Far away, where along x + across y could be 10⁹ or
 * more, it is NaN. */
typedef struct cmb_wave {
  double amplitude, along, across, phase;
} cmb_wave;

CMB_API cmb_status cmb_waves_create(cmb_context *ctx, int count, const cmb_wave *waves,
                                    cmb_table **table);
CMB_API void cmb_table_destroy(cmb_table *table);

/* Return the expressions table(x) and table(x, y) of a table of one or two variables. */
CMB_API cmb_expr cmb_table_apply(cmb_graph *g, const cmb_table *table, cmb_expr x);
CMB_API cmb_expr cmb_table2_apply(cmb_graph *g, const cmb_table *table, cmb_expr x, cmb_expr y);

/* A C function of the user's, of one to three arguments. It must keep no state. Its derivatives are central differences, the first ones
 * only without `partial`; fourth ones count as 0. It must outlive the graphs and programs that use it. */
typedef struct cmb_external {
  const char *name;
  int arity;
  double (*value)(const void *user, const double *x);
  double (*partial)(const void *user, const double *x, int i); /* ∂value/∂x_i, or NULL */
  const void *user;
} cmb_external;

/* Returns the call of a C function as an expression; x (arity) are its arguments. */
CMB_API cmb_expr cmb_external_apply(cmb_graph *g, const cmb_external *function, const cmb_expr *x);

/* Makes implicit functions w (n, 1 to CMB_MOST_UNKNOWNS) with equation[i] = 0 for all i, where `unknown` (n) are inputs that stand for w in
 * the equations and must not be used elsewhere. Newton's iteration finds w from `start` (n) to rounding; corrections below 1e-10 of
 * max(|w_i|, size[i]) that hardly decrease any more count as rounding. size (n) NULL: all 1. The values depend on the arguments alone, not
 * on former values; they are NaN where no solution is found. Derivatives of any order are computed by the implicit function theorem.
 * Returns CMB_ERROR_INPUT for an unknown that no equation contains, an equation without an unknown, equations whose Jacobian is singular
 * for all values because of its zeros, or one with a switch (abs, min, if ..), outside of smooth(...), that an unknown decides. */
enum { CMB_MOST_UNKNOWNS = 6 };
CMB_API cmb_status cmb_implicit(cmb_graph *g, int n, const cmb_expr *unknown,
                                const cmb_expr *equation, const cmb_expr *start, const double *size,
                                cmb_expr *w);

/* Derivatives. Conditions, sign, floor and comparisons have the derivative 0: they are constant between switches. */

/* Computes directional derivatives as expressions: result[i] = Σ_j ∂output[i]/∂input[j] direction[j]; the directions are expressions,
 * too. */
CMB_API cmb_status cmb_forward(cmb_graph *g, int inputs, const cmb_expr *input,
                               const cmb_expr *direction, int outputs, const cmb_expr *output,
                               cmb_expr *result);

/* Computes a gradient by reverse mode as expressions: result[j] = Σ_i weight[i] ∂output[i]/∂input[j]. */
CMB_API cmb_status cmb_reverse(cmb_graph *g, int inputs, const cmb_expr *input, int outputs,
                               const cmb_expr *output, const cmb_expr *weight, cmb_expr *result);

/* Substitutes inputs: result[i] = exprs[i] with input[j] replaced by the expression replacement[j], for all j simultaneously. result and
 * exprs may be the same array. */
CMB_API cmb_status cmb_substitute(cmb_graph *g, int inputs, const cmb_expr *input,
                                  const cmb_expr *replacement, int count, const cmb_expr *exprs,
                                  cmb_expr *result);

/* Copies expressions from one graph into another and substitutes inputs: result[i], of the graph `to`, is exprs[i] of `from` with
 * input[j] of `from` replaced by replacement[j] of `to`. Other inputs become inputs of the same name. */
CMB_API cmb_status cmb_import(cmb_graph *to, const cmb_graph *from, int inputs,
                              const cmb_expr *input, const cmb_expr *replacement, int count,
                              const cmb_expr *exprs, cmb_expr *result);

/* Modes: expressions that can switch (if, comparisons, abs, sign, min, max, floor, stick, linear tables) are made smooth by introducing the
 * mode of each switch as an input. */

typedef enum cmb_mode_kind {
  CMB_MODE_SIGN, /* the mode is +1 where `of` > 0 and -1 elsewhere */
  /* as CMB_MODE_SIGN; in addition, +2 and -2 are the bounds of the force that holds `of` at 0 */
  CMB_MODE_STICK,
  CMB_MODE_FLOOR, /* the mode is the largest whole number <= `of`; it changes where the margin is 0 */
  /* the mode is the interval of a table in which `of` lies; it changes where the margin is 0 */
  CMB_MODE_TABLE
} cmb_mode_kind;

/* The mode of friction that sticks with no force, in a step of fixed cost; if it holds with the fraction φ of its largest force, the
 * mode is CMB_MODE_HELD − φ. */
#define CMB_MODE_HELD 3

typedef struct cmb_mode {
  const char *name; /* text of `of`, perhaps cut */
  cmb_mode_kind kind;
  uint16_t table; /* of CMB_MODE_TABLE: number of the table in the graph */
  cmb_expr of;    /* the expression that decides on the mode */
  cmb_expr
      margin; /* the switching function, positive while the mode is right; for a sign and for friction `of` */
  cmb_expr mode; /* the input that stands for the mode */
} cmb_mode;

/* Returns whether a mode of this kind is the sign of an expression (or a bound of the force that holds it at 0), and not a level, that is,
 * the interval of a table or a value of floor. */
static inline bool cmb_mode_is_sign(cmb_mode_kind kind)
{
  return kind == CMB_MODE_SIGN || kind == CMB_MODE_STICK;
}

typedef struct cmb_modes cmb_modes;

/* Creates an empty list of modes, frees one (NULL is allowed), and returns its length and its elements. */
CMB_API cmb_status cmb_modes_create(cmb_context *ctx, cmb_modes **modes);
CMB_API void cmb_modes_destroy(cmb_modes *modes);
CMB_API int cmb_modes_count(const cmb_modes *modes);
CMB_API const cmb_mode *cmb_modes_at(const cmb_modes *modes, int i);

/* Replaces each switch in `exprs` (count) by an expression of its mode; frozen (count) receives the results. New switches are appended
 * to `modes`, known ones are used again. What is inside smooth(...) is not changed. */
CMB_API cmb_status cmb_modes_freeze(cmb_modes *modes, cmb_graph *g, int count,
                                    const cmb_expr *exprs, cmb_expr *frozen);

/* Does the same as cmb_modes_freeze, but does not use the switches before number `from` again: equal expressions get new switches. */
CMB_API cmb_status cmb_modes_freeze_apart(cmb_modes *modes, cmb_graph *g, int from, int count,
                                          const cmb_expr *exprs, cmb_expr *frozen);

/* Replaces only switches that are in `modes` already, as cmb_modes_freeze does, and leaves all others unchanged. */
CMB_API cmb_status cmb_modes_freeze_known(cmb_modes *modes, cmb_graph *g, int count,
                                          const cmb_expr *exprs, cmb_expr *frozen);

/* Formulas: "k*(l - l0) + if(v > 0, c1, c2)*v". Operators ^ * / + - and comparisons as in C (^ binds most tightly and to the right, then
 * unary -), the functions of the table of operations, numbers, names (letters, digits, _ and . inside, perhaps a ' at the end; at most
 * 255), pi. A number may be followed by the name deg, with which it is multiplied: 30 deg. Comparisons are not associative. Conditions
 * are combined with not, and, or, which bind in this order and less tightly than comparisons. White space and comments, from # to the
 * end of the line, are skipped. */

/* Functions that look up the names of a formula; any of them may be NULL, then it knows no names. `value` and `call` set *e and return
 * true, or return false for an unknown name or, of a call, a number of arguments (1 to 3) that the function does not take. Built-in
 * functions are looked up first. All get `user`. */
typedef struct cmb_names {
  void *user;
  bool (*value)(void *user, const char *name, cmb_expr *e);
  bool (*call)(void *user, const char *name, int count, const cmb_expr *arguments, cmb_expr *e);
  /* returns the nearest known name, for "did you mean"; NULL: none */
  const char *(*nearest)(void *user, const char *name);
  /* returns the end of the message on a name to which none is near, such as "expected one of a, b"; NULL: none */
  const char *(*expected)(void *user, const char *name);
  /* b and c of stick(x, b, c) are forces: a negative number is an error, and an expression that becomes negative counts as 0 */
  bool friction;
} cmb_names;

/* Parses a formula of `length` characters into an expression. Returns CMB_ERROR_INPUT on a mistake, with "LINE:COLUMN: what is wrong,
 * and what was expected" in the context, where the text begins at `line` and `column`. names may be NULL. */
CMB_API cmb_status cmb_formula_parse(cmb_graph *g, const char *text, size_t length, int line,
                                     int column, const cmb_names *names, cmb_expr *e);

/* Prints an expression as text that parses back to the same node, unless it contains tables, solutions of systems or derivatives of C
 * functions. Writes at most `room` characters including the final 0 and returns the length of the whole text, as snprintf does. Parts that
 * are used several times are written each time, so the text can be far longer than the graph: the returned length is at most SIZE_MAX / 2,
 * however long the text is. Without memory the text is empty, 0 is returned, and cmb_graph_status reports it. */
CMB_API size_t cmb_expr_print(const cmb_graph *g, cmb_expr e, char *text, size_t room);

/* Programs. */

enum { CMB_LANES = 8 };

typedef struct cmb_program cmb_program;

/* Compiles the outputs as a function of the inputs (nodes of CMB_OP_INPUT) into a list of instructions. The graph is not needed
 * afterwards. Every input that the outputs use must be among `input`. */
CMB_API cmb_status cmb_program_create(cmb_context *ctx, const cmb_graph *g, int inputs,
                                      const cmb_expr *input, int outputs, const cmb_expr *output,
                                      cmb_program **program);
CMB_API void cmb_program_destroy(cmb_program *p);

/* Return the numbers of inputs, outputs and instructions of a program. */
CMB_API int cmb_program_inputs(const cmb_program *p);
CMB_API int cmb_program_outputs(const cmb_program *p);
CMB_API int cmb_program_instructions(const cmb_program *p);

/* Returns the length in doubles of the work array that one run needs; cmb_program_run_lanes needs CMB_LANES times as many, aligned to 64
 * bytes. */
CMB_API int cmb_program_work(const cmb_program *p);

/* Computes out (outputs) = f(in (inputs)). work: see cmb_program_work. */
CMB_API void cmb_program_run(const cmb_program *p, const double *in, double *out, double *work);

/* Evaluates the function at CMB_LANES points in one run: in (inputs x CMB_LANES), out (outputs x CMB_LANES), both aligned to 64 bytes
 * like work. */
CMB_API void cmb_program_run_lanes(const cmb_program *p, const double *in, double *out,
                                   double *work);

/* Jacobians. */

typedef struct cmb_jacobian cmb_jacobian;

/* Creates the Jacobian ∂output/∂wrt (outputs x wrt_count) as a function of `input`, on its exact sparsity pattern; each wrt must be
 * among input. */
CMB_API cmb_status cmb_jacobian_create(cmb_context *ctx, cmb_graph *g, int inputs,
                                       const cmb_expr *input, int wrt_count, const cmb_expr *wrt,
                                       int outputs, const cmb_expr *output,
                                       cmb_jacobian **jacobian);
CMB_API void cmb_jacobian_destroy(cmb_jacobian *jacobian);

CMB_API const cmb_pattern *cmb_jacobian_pattern(
    const cmb_jacobian *jacobian);                             /* outputs x wrt_count */
CMB_API int cmb_jacobian_groups(const cmb_jacobian *jacobian); /* of columns without a common row */

/* Returns the program (input, direction) -> Jacobian · direction, for products alone. It belongs to the Jacobian. */
CMB_API const cmb_program *cmb_jacobian_program(const cmb_jacobian *jacobian);

/* cmb_jacobian_run computes the values of the Jacobian on its pattern; the work array of cmb_jacobian_work doubles must be aligned to 64
 * bytes. */
CMB_API int cmb_jacobian_work(const cmb_jacobian *jacobian);
CMB_API void cmb_jacobian_run(const cmb_jacobian *jacobian, const double *in, double *values,
                              double *work);

/* Native code. */

/* Writes C code: one C99 file that needs only libm, with a function for each program:
 *     void PREFIX_NAME(const double *x, double *y, double *w);
 * The caller provides the work array; the sizes are PREFIX_NAME_inputs, _outputs, _work. The arrays must not overlap. The functions
 * keep no state and give the same results as the interpreter, to the last bit if compiled without contraction of
 * a * b + c (-ffp-contract=off). The file at `path` is replaced as a whole, or not at all. Returns CMB_ERROR_ARGUMENT for names that are
 * not possible in C or not different, and for a program that calls a user's C function. */
typedef struct cmb_c_function {
  const char *name; /* a C identifier: letters, digits, _ */
  const cmb_program *program;
} cmb_c_function;

CMB_API cmb_status cmb_c_file_save(cmb_context *ctx, const char *prefix, int count,
                                   const cmb_c_function *functions, const char *path);

/* Machine code for programs, written directly into the memory of this process, in about 0.1 µs an operation; for x86-64 processors. */
typedef struct cmb_native_options {
  bool no_lanes;   /* cmb_native_run_lanes is not needed and will interpret */
  bool no_numbers; /* cmb_native_run is not needed and will interpret */
} cmb_native_options;

typedef enum cmb_native_origin {
  CMB_NATIVE_INTERPRETED, /* another processor, or the system refuses executable memory */
  CMB_NATIVE_EMITTED
} cmb_native_origin;

typedef struct cmb_native cmb_native;

/* Writes machine code for the programs. Where that is not possible this succeeds, too, and the programs are interpreted. The programs must
 * outlive the result. options may be NULL. */
CMB_API cmb_status cmb_native_create(cmb_context *ctx, int count,
                                     const cmb_program *const *programs,
                                     const cmb_native_options *options, cmb_native **native);
CMB_API void cmb_native_destroy(cmb_native *native);
/* Returns whether the programs are interpreted. */
CMB_API cmb_native_origin cmb_native_where_from(const cmb_native *native);

/* Run programs[i] as cmb_program_run and cmb_program_run_lanes do, with the same results to the last bit and the same work array; but
 * in, out and work must not overlap. Many threads may run it, each with its own work array. */
CMB_API void cmb_native_run(const cmb_native *native, int i, const double *in, double *out,
                            double *work);
CMB_API void cmb_native_run_lanes(const cmb_native *native, int i, const double *in, double *out,
                                  double *work);

/* Computes the values of a Jacobian as cmb_jacobian_run does, with the same results to the last bit, by native code; programs[i] must be
 * cmb_jacobian_program(jacobian). */
CMB_API void cmb_jacobian_run_native(const cmb_jacobian *jacobian, const cmb_native *native, int i,
                                     const double *in, double *values, double *work);

#ifdef __cplusplus
}
#endif
#endif
