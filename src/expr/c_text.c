/*
 * Prints a program as C text (c_text.h): finds the values that are passed from piece to piece, and prints the statements and the
 * definitions of the operations.
 */
#include "expr/c_text.h"

#include "base/context.h"
#include "base/text.h"
#include "expr/graph.h"
#include "expr/sine_code.h"
#include "expr/table.h"
#include "expr/table_code.h"

#include <ctype.h>
#include <string.h>

/* The C expression of each operation in its arguments a, b, c, from the table CMB_OP_LIST; NULL for operations that are not in it. */
static const char *const VALUE[CMB_OPS] = {
#define VALUE_TEXT(name, text, arity, value) [CMB_OP_##name] = #value,
    CMB_OP_LIST(VALUE_TEXT)
#undef VALUE_TEXT
};

static const char *const NAME[CMB_OPS] = {
#define NAME_TEXT(name, text, arity, value) [CMB_OP_##name] = #name,
    CMB_OP_LIST(NAME_TEXT)
#undef NAME_TEXT
};

/* Returns the infix operator of C, with blanks around it, if op is addition, subtraction, multiplication or division; else NULL. */
static const char *infix(cmb_op op)
{
  switch (op) {
  case CMB_OP_ADD: return " + ";
  case CMB_OP_SUB: return " - ";
  case CMB_OP_MUL: return " * ";
  case CMB_OP_DIV: return " / ";
  default: return NULL;
  }
}

bool cmb_c_calls(const cmb_program *p)
{
  for (int i = 0; i < p->instructions; i++) {
    if (p->code[i].op == CMB_OP_CALL) return true;
  }
  for (int k = 0; k < p->system_count; k++) {
    if (p->systems[k].equations && cmb_c_calls(p->systems[k].equations)) return true;
  }
  return false;
}

void cmb_c_operations(const cmb_program *p, bool *used)
{
  for (int i = 0; i < p->instructions; i++) used[p->code[i].op] = true;
  for (int k = 0; k < p->system_count; k++) {
    if (p->systems[k].equations) cmb_c_operations(p->systems[k].equations, used);
  }
}

void cmb_c_systems(const cmb_program *p, bool *linear, bool *root)
{
  for (int k = 0; k < p->system_count; k++) {
    *linear = *linear || p->systems[k].linear;
    *root = *root || p->systems[k].equations;
    if (p->systems[k].equations) cmb_c_systems(p->systems[k].equations, linear, root);
  }
}

/* ---- values that are passed from piece to piece */

/* The state of a visit to all instructions in order: for each slot of the program's work array the instruction that wrote it last. */
struct walk {
  cmb_c_program *c;
  int *holder;   /* (slots) instruction */
  int *place_of; /* (slots) index in w, or -1 */
};

static void record_argument(struct walk *w, int i, uint32_t slot, int *source)
{
  cmb_c_program *c = w->c;
  int first = c->p->inputs + c->p->constants;
  if (slot < (uint32_t)first) {
    *source = -1 - (int)slot;
    return;
  }
  int from = w->holder[slot];
  *source = from;
  if (from / c->piece_size == i / c->piece_size || c->place[from] >= 0) return;
  if (w->place_of[slot] < 0) w->place_of[slot] = c->work++;
  c->place[from] = w->place_of[slot];
}

/* Records for instruction i, which solves a system of equations, where each of its operands comes from (an instruction, an input or a
 * constant), and reserves entries for the unknowns in the work array of the generated code. */
static void record_solution(struct walk *w, int i)
{
  cmb_c_program *c = w->c;
  const cmb_program *p = c->p;
  const cmb_program_solution *solution = &p->solutions[p->code[i].data];
  const cmb_program_system *system = &p->systems[solution->system];
  for (uint32_t k = solution->first; k < solution->first + (uint32_t)system->operands; k++) {
    record_argument(w, i, p->operand[k], &c->operand[k]);
  }
  c->place[i] = c->work;
  c->work += system->n;
  for (int k = 0; k < system->n; k++) w->holder[p->code[i].to + (uint32_t)k] = i;
}

static void find_values_between_pieces(struct walk *w)
{
  cmb_c_program *c = w->c;
  const cmb_program *p = c->p;
  for (int s = 0; s < p->slots; s++) w->place_of[s] = -1;
  for (int i = 0; i < p->instructions; i++) {
    const cmb_instruction *code = &p->code[i];
    int arity = cmb_op_arity((cmb_op)code->op);
    c->place[i] = c->last_output[i] = -1;
    int *source = c->source + (size_t)3 * (size_t)i;
    if (code->op == CMB_OP_SOLVE) {
      record_solution(w, i);
      continue;
    }
    if (code->op == CMB_OP_PART) {
      source[0] = w->holder[code->a];
    } else {
      if (arity > 0) record_argument(w, i, code->a, source);
      if (arity > 1) record_argument(w, i, code->b, source + 1);
      if (arity > 2) record_argument(w, i, code->c, source + 2);
    }
    w->holder[code->to] = i;
  }
  for (int k = 0; k < p->outputs; k++) {
    c->next_output[k] = -1;
    if (p->output[k] < (uint32_t)(p->inputs + p->constants)) continue;
    int from = w->holder[p->output[k]];
    c->next_output[k] = c->last_output[from];
    c->last_output[from] = k;
  }
}

cmb_status cmb_c_program_create(cmb_context *ctx, const cmb_program *p, int piece_size,
                                cmb_c_program **out)
{
  *out = NULL;
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_c_program *c = arena ? cmb_arena_take(arena, 1, sizeof *c) : NULL;
  struct walk w = {.c = c};
  if (c) {
    *c = (cmb_c_program){.p = p, .arena = arena, .piece_size = piece_size};
    c->pieces = p->instructions > 0 ? (p->instructions - 1) / piece_size + 1 : 1;
    c->source = cmb_arena_take(arena, (size_t)p->instructions, 3 * sizeof *c->source);
    c->place = cmb_arena_ints(arena, p->instructions);
    c->loaded = cmb_arena_ints(arena, p->instructions);
    c->last_output = cmb_arena_ints(arena, p->instructions);
    c->next_output = cmb_arena_ints(arena, p->outputs);
    c->operand = cmb_arena_ints(arena, cmb_program_operands(p));
    w.holder = cmb_arena_ints(arena, p->slots);
    w.place_of = cmb_arena_ints(arena, p->slots);
  }
  if (!c || cmb_arena_failed(arena)) {
    cmb_c_program_destroy(c);
    if (!c && arena) cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  find_values_between_pieces(&w);
  *out = c;
  return CMB_OK;
}

void cmb_c_program_destroy(cmb_c_program *c)
{
  if (c) cmb_arena_destroy(c->arena);
}

/* ---- statements */

/* Appends the number x to the C text b, with so many digits that it reads back as the same double; in parentheses if it is negative. */
static void print_constant(cmb_buffer *b, double x)
{
  char text[CMB_NUMBER_ROOM];
  const int length = cmb_format_number(x, text);
  const bool negative = text[0] == '-';
  if (negative) cmb_buffer_put(b, "(");
  cmb_buffer_add(b, text, (size_t)length);
  if (!strpbrk(text, ".en")) cmb_buffer_put(b, ".0");
  if (negative) cmb_buffer_put(b, ")");
}

/* Appends to the C text b entry i of the array that is named by the letter `array` (x, y or w), as in x[3]. */
static void print_place(cmb_buffer *b, char array, int i)
{
  cmb_buffer_print(b, "%c[%d]", array, i);
}

static void print_slot(cmb_buffer *b, const cmb_c_program *c, int slot)
{
  if (slot < c->p->inputs) {
    print_place(b, 'x', slot);
  } else {
    print_constant(b, c->p->constant[slot - c->p->inputs]);
  }
}

static void print_source(cmb_buffer *b, const cmb_c_program *c, int source)
{
  if (source < 0) {
    print_slot(b, c, -1 - source);
  } else {
    cmb_buffer_print(b, "t%d", source);
  }
}

static void print_argument(cmb_buffer *b, const cmb_c_program *c, int i, int k)
{
  print_source(b, c, c->source[3 * i + k]);
}

/* Appends to the C text b statements such as "const number t5 = w[2];", which load values that instruction i needs: those among the results
 * source[count] that were computed in an earlier C function and not yet loaded in this one. Negative entries (inputs, constants) are skipped. */
static void print_loads(cmb_buffer *b, cmb_c_program *c, int i, int count, const int *source)
{
  int piece = i / c->piece_size;
  for (int k = 0; k < count; k++) {
    int from = source[k];
    if (from < 0 || from / c->piece_size == piece || c->loaded[from] == piece + 1) continue;
    c->loaded[from] = piece + 1;
    cmb_buffer_print(b, "  const number t%d = ", from);
    print_place(b, 'w', c->place[from]);
    cmb_buffer_put(b, ";\n");
  }
}

static void print_op_name(cmb_buffer *b, cmb_op op)
{
  char name[32] = "op_";
  size_t length = 3;
  for (const char *from = NAME[op]; *from && length < sizeof name - 1; from++)
    name[length++] = (char)tolower((unsigned char)*from);
  cmb_buffer_add(b, name, length);
}

/* Appends to the C text b the name of an array of the table that the instruction `code` reads, as in PREFIX_NAME_table_3_x; `array` is the
 * letter x, y or c. */
static void print_array(cmb_buffer *b, const cmb_c_program *c, const cmb_instruction *code,
                        char array)
{
  cmb_buffer_print(b, "%s_%s_table_%d_%c", c->tables[0], c->tables[1], code->data, array);
}

/* Appends to the C text b the call that evaluates instruction i, a function of two arguments or one of its derivatives: op_table2 for a bicubic
 * table, op_waves for a sum of waves, op_foot for the nearest point on a planar curve. */
static void print_table2(cmb_buffer *b, const cmb_c_program *c, int i)
{
  const cmb_instruction *code = &c->p->code[i];
  const cmb_table *t = c->p->tables[code->data];
  const bool waves = t->kind == CMB_TABLE_WAVES, foot = t->kind == CMB_TABLE_FOOT;
  cmb_buffer_print(b, "%s(%d, ", waves ? "op_waves" : foot ? "op_foot" : "op_table2", t->nx);
  print_array(b, c, code, 'x');
  cmb_buffer_put(b, ", ");
  if (!waves && !foot) cmb_buffer_print(b, "%d, ", t->ny);
  print_array(b, c, code, 'y');
  cmb_buffer_put(b, ", ");
  print_array(b, c, code, 'c');
  cmb_buffer_print(b, ", %d, %d, ", code->order % CMB_TABLE2_ORDERS,
                   code->order / CMB_TABLE2_ORDERS);
  print_argument(b, c, i, 0);
  cmb_buffer_put(b, ", ");
  print_argument(b, c, i, 1);
  cmb_buffer_put(b, ")");
}

/* Appends to the C text b the call that evaluates instruction i, a table of one argument (op_table_in) or its switching function
 * (op_table_margin). */
static void print_table(cmb_buffer *b, const cmb_c_program *c, int i)
{
  const cmb_instruction *code = &c->p->code[i];
  const cmb_table *t = c->p->tables[code->data];
  const bool margin = code->op == CMB_OP_TABLE_AT && code->order == CMB_TABLE_MARGIN;
  cmb_buffer_print(b, "op_table%s(%d, ", margin ? "_margin" : "_in", t->nx);
  print_array(b, c, code, 'x');
  if (!margin) {
    cmb_buffer_put(b, ", ");
    print_array(b, c, code, 'c');
    cmb_buffer_print(b, ", %d", code->order);
  }
  cmb_buffer_put(b, ", ");
  if (code->op == CMB_OP_TABLE) {
    cmb_buffer_print(b, "op_table_interval(%d, ", t->nx);
    print_array(b, c, code, 'x');
    cmb_buffer_put(b, ", ");
    print_argument(b, c, i, 0);
  } else {
    cmb_buffer_print(b, "op_table_piece(%d, ", t->nx);
    print_argument(b, c, i, 1);
  }
  cmb_buffer_put(b, "), ");
  print_argument(b, c, i, 0);
  cmb_buffer_put(b, ")");
}

/* Appends to the C text b the expression for the value of instruction i, one of the unknowns of a solved system of equations: an entry of the
 * work array, as in w[12]. */
static void print_unknown(cmb_buffer *b, const cmb_c_program *c, int i)
{
  const int from = c->source[3 * i];
  const cmb_instruction *code = c->p->code;
  print_place(b, 'w', c->place[from] + (int)(code[i].a - code[from].to));
}

static void print_value(cmb_buffer *b, const cmb_c_program *c, int i)
{
  cmb_op op = (cmb_op)c->p->code[i].op;
  if (op == CMB_OP_PART) {
    print_unknown(b, c, i);
    return;
  }
  if (!VALUE[op]) {
    if (op == CMB_OP_TABLE2) {
      print_table2(b, c, i);
    } else {
      print_table(b, c, i);
    }
    return;
  }
  const char *sign = infix(op);
  if (op == CMB_OP_NEG) cmb_buffer_put(b, "-");
  if (!sign && op != CMB_OP_NEG) {
    print_op_name(b, op);
    cmb_buffer_put(b, "(");
  }
  int arity = cmb_op_arity(op);
  for (int k = 0; k < arity; k++) {
    if (k > 0) cmb_buffer_put(b, sign ? sign : ", ");
    print_argument(b, c, i, k);
  }
  if (!sign && op != CMB_OP_NEG) cmb_buffer_put(b, ")");
}

/* Appends to the C text b the statement that stores the value of instruction i in an array, as in "y[3] = t17;". `array` is the letter y or w,
 * `place` the index. */
static void print_store(cmb_buffer *b, char array, int place, int i)
{
  cmb_buffer_put(b, "  ");
  print_place(b, array, place);
  cmb_buffer_print(b, " = t%d;\n", i);
}

static void print_operands(cmb_buffer *b, const cmb_c_program *c,
                           const cmb_program_solution *solution)
{
  const int count = c->p->systems[solution->system].operands;
  for (int k = 0; k < count; k++) {
    if (k > 0) cmb_buffer_put(b, ", ");
    print_source(b, c, c->operand[solution->first + (uint32_t)k]);
  }
}

/* Appends to the C text b the code that solves the system of equations of instruction i, by a call of op_linear or, for
 * a nonlinear system, op_root. The code writes the unknowns to the work array w. */
static void print_generated_solution(cmb_buffer *b, const cmb_c_program *c, int i)
{
  const cmb_program_solution *solution = &c->p->solutions[c->p->code[i].data];
  const cmb_program_system *system = &c->p->systems[solution->system];
  cmb_buffer_print(b, "  {\n    double z[%d] = {", system->operands);
  print_operands(b, c, solution);
  cmb_buffer_put(b, "};\n");
  if (system->linear) {
    cmb_buffer_print(b, "    op_linear(%d, z, w + %d);\n  }\n", system->n, c->place[i]);
    return;
  }
  cmb_buffer_print(b, "    double v[%d];\n    const double size[%d] = {",
                   cmb_program_work(system->equations) + 1, system->n);
  for (int k = 0; k < system->n; k++) {
    if (k > 0) cmb_buffer_put(b, ", ");
    print_constant(b, system->size[k]);
  }
  cmb_buffer_print(b, "};\n    op_root(%d, %s_%s_root_%d, 0, size, z, v, w + %d);\n  }\n",
                   system->n, c->tables[0], c->tables[1], solution->system, c->place[i]);
}

static void print_solution(cmb_buffer *b, cmb_c_program *c, int i)
{
  const cmb_program_solution *solution = &c->p->solutions[c->p->code[i].data];
  const int count = c->p->systems[solution->system].operands;
  print_loads(b, c, i, count, c->operand + solution->first);
  print_generated_solution(b, c, i);
}

static void print_statement(cmb_buffer *b, cmb_c_program *c, int i)
{
  const cmb_op op = (cmb_op)c->p->code[i].op;
  if (op == CMB_OP_SOLVE) {
    print_solution(b, c, i);
    return;
  }
  if (op != CMB_OP_PART) print_loads(b, c, i, cmb_op_arity(op), c->source + (size_t)3 * (size_t)i);
  cmb_buffer_print(b, "  const number t%d = ", i);
  print_value(b, c, i);
  cmb_buffer_put(b, ";\n");
  if (c->place[i] >= 0) print_store(b, 'w', c->place[i], i);
  for (int k = c->last_output[i]; k >= 0; k = c->next_output[k]) print_store(b, 'y', k, i);
}

/* Appends to the C text b the statement "y[k] = x[i];" or "y[k] = constant;" for each output k of the program that is an input or a constant. */
static void print_copies(cmb_buffer *b, const cmb_c_program *c)
{
  const cmb_program *p = c->p;
  for (int k = 0; k < p->outputs; k++) {
    if (p->output[k] >= (uint32_t)(p->inputs + p->constants)) continue;
    cmb_buffer_put(b, "  ");
    print_place(b, 'y', k);
    cmb_buffer_put(b, " = ");
    print_slot(b, c, (int)p->output[k]);
    cmb_buffer_put(b, ";\n");
  }
}

void cmb_c_print_piece(cmb_buffer *b, cmb_c_program *c, int k)
{
  int first = k * c->piece_size, end = first + c->piece_size;
  if (end > c->p->instructions) end = c->p->instructions;
  if (k == 0 && c->p->instructions > 0) {
    memset(c->loaded, 0, (size_t)c->p->instructions * sizeof *c->loaded);
  }
  cmb_buffer_put(b, "{\n  (void)x, (void)y, (void)w;\n");
  if (k == 0) print_copies(b, c);
  for (int i = first; i < end; i++) print_statement(b, c, i);
  cmb_buffer_put(b, "}\n");
}

/* ---- operations */

/* Appends to the C text b the parameters of a function, `arity` (1 to 3) arguments of one type, as in "double a, double b". */
static void print_parameters(cmb_buffer *b, const char *type, int arity)
{
  for (int k = 0; k < arity; k++) cmb_buffer_print(b, "%s%s %c", k > 0 ? ", " : "", type, 'a' + k);
}

/* Returns whether the C expression of operation op calls a function of the C library whose result may depend on the library. False for
 * sqrt, fabs and floor, whose results are exact or correctly rounded, and for sine and cosine: only Camber's own functions for them call
 * the library, for arguments above 10⁶. */
static bool calls_library(cmb_op op)
{
  const bool own = op == CMB_OP_SIN || op == CMB_OP_COS || op == CMB_OP_SQRT || op == CMB_OP_ABS ||
                   op == CMB_OP_FLOOR;
  return strchr(VALUE[op], '(') && !own;
}

/* Appends to the C text b the function op_NAME, which evaluates operation op for doubles. Arguments of library functions other than sqrt,
 * fabs and floor are volatile, so that the compiler cannot replace such calls by other code, and the results have the same bits as the
 * interpreter's. */
static void print_operation(cmb_buffer *b, cmb_op op)
{
  cmb_buffer_put(b, "static inline double ");
  print_op_name(b, op);
  cmb_buffer_put(b, "(");
  print_parameters(b, calls_library(op) ? "volatile double" : "double", cmb_op_arity(op));
  cmb_buffer_print(b, ")\n{\n  return %s;\n}\n", VALUE[op]);
}

void cmb_c_print_conditions(cmb_buffer *b)
{
  cmb_buffer_put(b,
                 "#include <float.h>\n"
                 "#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || "
                 "defined(__RECIPROCAL_MATH__) || "
                 "defined(_M_FP_FAST)\n"
                 "#error \"This code needs the arithmetic that it says: no -ffast-math, -Ofast or "
                 "parts of them.\"\n"
                 "#elif defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__\n"
                 "#error \"This code checks for what is not finite: no -ffinite-math-only.\"\n"
                 "#elif FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2\n"
                 "#error \"This code needs results rounded to double, not those of the x87: use "
                 "-msse2 -mfpmath=sse.\"\n"
                 "#elif DBL_MANT_DIG != 53\n"
                 "#error \"This code needs double with 53 bits.\"\n"
                 "#endif\n"
                 "typedef char constants_are_double[sizeof(0.5) == sizeof(double) ? 1 : -1];\n\n");
}

void cmb_c_print_operations(cmb_buffer *b, const bool *used)
{
  const bool sine = used[CMB_OP_SIN], cosine = used[CMB_OP_COS];
  if (sine || cosine)
    cmb_buffer_print(b, "%s%s\n", CMB_INLINE_CODE, CMB_TURN_CODE(CMB_CODE_PRINTED));
  if (sine) cmb_buffer_print(b, "%s\n", CMB_SINE_CODE(CMB_CODE_PRINTED));
  if (cosine) cmb_buffer_print(b, "%s\n", CMB_COSINE_CODE(CMB_CODE_PRINTED));
  for (int i = 0; i < CMB_OPS; i++) {
    cmb_op op = (cmb_op)i;
    if (!used[i] || !VALUE[i] || infix(op) || op == CMB_OP_NEG) continue;
    print_operation(b, op);
  }
}

const char *cmb_c_library_function(cmb_op op)
{
  if (op == CMB_OP_POW) return "pow";
  if (op == CMB_OP_ABS) return "fabs";
  const bool named = op >= CMB_OP_SQRT && op <= CMB_OP_LOG;
  return named || op == CMB_OP_FLOOR ? cmb_op_text(op) : NULL;
}
