/*
 * Writes programs as one self-contained C99 file (cmb_c_file_save of include/camber/expr.h). The file compiles without a warning under
 * -std=c99 -Wall -Wextra -Wpedantic -Wconversion.
 */
#include "base/context.h"
#include "base/file.h"
#include "base/text.h"
#include "expr/c_text.h"
#include "expr/foot_code.h"
#include "expr/graph.h"
#include "expr/root_code.h"
#include "expr/sine_code.h"
#include "expr/table.h"
#include "expr/table_code.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_identifier(const char *name)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  static const char digits[] = "0123456789";
  if (!name || !name[0] || !strchr(letters, name[0])) return false;
  for (const char *c = name; *c; c++) {
    if (!strchr(letters, *c) && !strchr(digits, *c)) return false;
  }
  return true;
}

static cmb_status check(cmb_context *ctx, const char *prefix, int count, const cmb_c_function *f)
{
  CMB_REQUIRE(ctx, ctx && prefix && count >= 0 && (f || count == 0),
              "C text needs a context, a prefix and functions");
  if (!is_identifier(prefix)) {
    return cmb_fail(ctx, CMB_ERROR_ARGUMENT, "'%s' cannot begin a name in C", prefix);
  }
  for (int i = 0; i < count; i++) {
    CMB_REQUIRE(ctx, f[i].name && f[i].program, "a function lacks its name or program");
    if (!is_identifier(f[i].name)) {
      return cmb_fail(ctx, CMB_ERROR_ARGUMENT, "'%s' is not a name in C", f[i].name);
    }
    for (int k = 0; k < i; k++) {
      if (strcmp(f[i].name, f[k].name) == 0) {
        return cmb_fail(ctx, CMB_ERROR_ARGUMENT,
                        "two functions have the name '%s'; expected different names", f[i].name);
      }
    }
    if (cmb_c_calls(f[i].program)) {
      return cmb_fail(ctx, CMB_ERROR_ARGUMENT,
                      "function '%s' cannot be written as C text, since a formula in it calls a C "
                      "function of the calling program; expected formulas without such functions",
                      f[i].name);
    }
  }
  return CMB_OK;
}

/* Appends `name` to the text b as a part of a C comment. Characters that could end the comment or the line (control characters, asterisks,
 * backslashes and question marks) are replaced by underscores. */
void cmb_c_print_comment(cmb_buffer *b, const char *name)
{
  for (const char *c = name; *c; c++) {
    bool plain = (unsigned char)*c >= ' ' && *c != '*' && *c != '\\' && *c != '?' && *c != 0x7f;
    cmb_buffer_add(b, plain ? c : "_", 1);
  }
}

static void print_sizes(cmb_buffer *b, const char *prefix, const cmb_c_function *f,
                        const cmb_c_program *c)
{
  const cmb_program *p = f->program;
  cmb_buffer_print(b, "\n/* %s_%s of\n", prefix, f->name);
  for (int i = 0; i < p->inputs; i++) {
    cmb_buffer_print(b, " *   x[%d] ", i);
    cmb_c_print_comment(b, p->names[i]);
    cmb_buffer_put(b, "\n");
  }
  cmb_buffer_put(b, " */\nenum {\n");
  cmb_buffer_print(b, "  %s_%s_inputs = %d,\n", prefix, f->name, p->inputs);
  cmb_buffer_print(b, "  %s_%s_outputs = %d,\n", prefix, f->name, p->outputs);
  cmb_buffer_print(b, "  %s_%s_work = %d\n};\n", prefix, f->name, c->work > 0 ? c->work : 1);
}

static void print_array(cmb_buffer *b, const char *prefix, const char *name, int table, char array,
                        int n, const double *x)
{
  char number[CMB_NUMBER_ROOM];
  cmb_buffer_print(b, "static const double %s_%s_table_%d_%c[%d] = {", prefix, name, table, array,
                   n);
  for (int i = 0; i < n; i++) {
    cmb_format_number(x[i], number);
    cmb_buffer_print(b, "%s%s", i % 8 ? ", " : i ? ",\n  " : "\n  ", number);
  }
  cmb_buffer_put(b, "};\n");
}

/* Appends to the C text b the definitions of constant arrays with the data of all tables that the program of f reads: x, for a table of two
 * arguments also y, and the coefficients c, unless they are not needed. */
static void print_tables(cmb_buffer *b, const char *prefix, const cmb_c_function *f)
{
  const cmb_program *p = f->program;
  for (int k = 0; k < p->table_count; k++) {
    /* the coefficients c are not needed if only the table's switching function (its margin) is evaluated */
    bool used = false, used_c = false;
    for (int i = 0; i < p->instructions; i++) {
      const cmb_instruction *code = &p->code[i];
      bool here = cmb_is_table((cmb_op)code->op) && code->data == k;
      used = used || here;
      used_c =
          used_c || (here && !(code->op == CMB_OP_TABLE_AT && code->order == CMB_TABLE_MARGIN));
    }
    const cmb_table *t = p->tables[k];
    if (used) print_array(b, prefix, f->name, k, 'x', t->nx, t->x);
    if (used && t->ny > 0) print_array(b, prefix, f->name, k, 'y', t->ny, t->y);
    if (used_c) print_array(b, prefix, f->name, k, 'c', cmb_table_coefficients(t), t->c);
  }
}

/* Which functions of table_code.h and foot_code.h the instructions call, including those in the equations of implicit systems. */
struct table_use {
  bool line, margin, surface, in, waves, foot;
};

static void note_tables(const cmb_program *p, struct table_use *use)
{
  for (int i = 0; i < p->instructions; i++) {
    const cmb_instruction *code = &p->code[i];
    bool at_margin = code->op == CMB_OP_TABLE_AT && code->order == CMB_TABLE_MARGIN;
    use->margin = use->margin || at_margin;
    const cmb_table *two = code->op == CMB_OP_TABLE2 ? p->tables[code->data] : NULL;
    use->waves = use->waves || (two && two->kind == CMB_TABLE_WAVES);
    use->foot = use->foot || (two && two->kind == CMB_TABLE_FOOT);
    use->surface = use->surface || (two && two->kind == CMB_TABLE_SPLINE);
    use->line = use->line || code->op == CMB_OP_TABLE;
    use->in = use->in || (code->op == CMB_OP_TABLE_AT && !at_margin);
  }
  for (int k = 0; k < p->system_count; k++) {
    if (p->systems[k].equations) note_tables(p->systems[k].equations, use);
  }
}

/* Appends to the C text b the functions that evaluate tables (interpolation, sums of waves, nearest points on curves), but only those that the
 * `count` given programs call, since compilers warn about unused static functions. */
static void print_table_code(cmb_buffer *b, int count, const cmb_c_function *functions)
{
  struct table_use use = {false};
  for (int f = 0; f < count; f++) note_tables(functions[f].program, &use);
  const bool line = use.line, margin = use.margin, surface = use.surface, in = use.in;
  if (surface || line || in || use.foot)
    cmb_buffer_print(b, "%s\n", CMB_TABLE_PIECES_CODE(CMB_CODE_PRINTED));
  if (surface || line) cmb_buffer_print(b, "%s\n", CMB_TABLE_INTERVAL_CODE(CMB_CODE_PRINTED));
  if (in || margin) cmb_buffer_print(b, "%s\n", CMB_TABLE_MODE_CODE(CMB_CODE_PRINTED));
  if (line || in) cmb_buffer_print(b, "%s\n", CMB_TABLE_LINE_CODE(CMB_CODE_PRINTED));
  if (margin) cmb_buffer_print(b, "%s\n", CMB_TABLE_MARGIN_CODE(CMB_CODE_PRINTED));
  if (surface) cmb_buffer_print(b, "%s\n", CMB_TABLE_SURFACE_CODE(CMB_CODE_PRINTED));
  if (use.waves) {
    cmb_buffer_print(b, "%s%s\n", CMB_INLINE_CODE, CMB_WAVE_CODE(CMB_CODE_PRINTED));
    cmb_buffer_print(b, "%s\n", CMB_WAVES_CODE(CMB_CODE_PRINTED));
  }
  if (use.foot) {
    cmb_buffer_print(b, "%s\n", CMB_FOOT_NEAREST_CODE(CMB_CODE_PRINTED));
    cmb_buffer_print(b, "%s\n", CMB_FOOT_SLOPE_CODE(CMB_CODE_PRINTED));
    cmb_buffer_print(b, "%s\n", CMB_FOOT_ROOT_CODE(CMB_CODE_PRINTED));
    cmb_buffer_print(b, "%s\n", CMB_FOOT_PIECE_CODE(CMB_CODE_PRINTED));
    cmb_buffer_print(b, "%s\n", CMB_FOOT_ON_CODE(CMB_CODE_PRINTED));
    cmb_buffer_print(b, "%s\n", CMB_FOOT_BEYOND_CODE(CMB_CODE_PRINTED));
    cmb_buffer_print(b, "%s\n", CMB_FOOT_CODE(CMB_CODE_PRINTED));
  }
}

/* Appends to the C text b the functions that solve linear and nonlinear systems of equations, but only those that the `count` given programs call. */
static void print_root_code(cmb_buffer *b, int count, const cmb_c_function *functions)
{
  bool linear = false, root = false;
  for (int f = 0; f < count; f++) cmb_c_systems(functions[f].program, &linear, &root);
  if (linear || root) cmb_buffer_print(b, "%s\n", CMB_LINEAR_CODE(CMB_CODE_PRINTED));
  if (linear) cmb_buffer_print(b, "%s\n", CMB_LINEAR_SOLVE_CODE(CMB_CODE_PRINTED));
  if (root) cmb_buffer_print(b, "%s\n", CMB_ROOT_CODE(CMB_CODE_PRINTED));
}

static const char PARAMETERS[] =
    "(const number *restrict x, number *restrict y, number *restrict w)\n";

static void print_function(cmb_buffer *b, const char *prefix, const cmb_c_function *f,
                           cmb_c_program *c, const char *storage, const char *first)
{
  for (int k = 0; k < c->pieces; k++) {
    cmb_buffer_print(b, "\nstatic void %s_%s_piece_%d%s", prefix, f->name, k, PARAMETERS);
    cmb_c_print_piece(b, c, k);
  }
  cmb_buffer_print(b, "\n%svoid %s_%s(%sconst double *x, double *y, double *w)\n{\n", storage,
                   prefix, f->name, first);
  if (first[0]) cmb_buffer_put(b, "  (void)user;\n");
  for (int k = 0; k < c->pieces; k++)
    cmb_buffer_print(b, "  %s_%s_piece_%d(x, y, w);\n", prefix, f->name, k);
  cmb_buffer_put(b, "}\n");
}

static void print_top(cmb_buffer *b, const char *prefix)
{
  cmb_buffer_print(b, "/*\n * Made by Camber %s. C99, needs libm.\n *\n", cmb_version());
  cmb_buffer_print(b,
                   " * Each function computes y from x; w is room to work in. The arrays must not "
                   "overlap.\n * As a header: #define %s_DECLARATIONS, then #include this file.\n",
                   prefix);
  cmb_buffer_put(b, " * The same bits as in Camber need -ffp-contract=off on processors that "
                    "multiply and add in one.\n */\n");
}

/* Preprocessor lines that forbid gcc and clang to contract a * b + c into one operation, and clang 11 and later to reassociate terms. gcc
 * 12 contracts even with contraction off where it turns scalar statements into vectors (alternating sums and differences of products), so
 * this is switched off too. */
static const char CONTRACTION[] =
    "#if defined(__clang__)\n"
    "#if __clang_major__ >= 11\n"
    "#pragma float_control(precise, on)\n"
    "#pragma clang fp reassociate(off)\n"
    "#endif\n"
    "#pragma STDC FP_CONTRACT OFF\n"
    "#elif defined(__GNUC__)\n"
    "#pragma GCC optimize(\"fp-contract=off\", \"no-tree-slp-vectorize\")\n"
    "#endif\n\n";

static void print_definitions_begin(cmb_buffer *b, int count, const cmb_c_function *functions)
{
  bool used[CMB_OPS] = {false};
  for (int i = 0; i < count; i++) cmb_c_operations(functions[i].program, used);
  cmb_c_print_conditions(b);
  cmb_buffer_put(b, CONTRACTION);
  cmb_buffer_put(b, "typedef double number;\n\n");
  cmb_c_print_operations(b, used);
  print_table_code(b, count, functions);
  print_root_code(b, count, functions);
}

/* Appends to the C text `body` one static function PREFIX_NAME_root_k for each nonlinear system of equations k that the function f has to
 * solve; it computes the residuals and the Jacobian of the system. Functions of systems that are nested in its equations come first. */
static cmb_status print_systems(cmb_context *ctx, const char *prefix, const cmb_c_function *f,
                                cmb_buffer *body)
{
  static const char user[] = "const void *user, ";
  const cmb_program *p = f->program;
  for (int k = 0; k < p->system_count; k++) {
    if (!p->systems[k].equations) continue;
    const size_t room = strlen(f->name) + 24;
    char *name = cmb_allocate(ctx, room);
    if (!name) return cmb_fail_memory(ctx);
    (void)snprintf(name, room, "%s_root_%d", f->name, k);
    const cmb_c_function equations = {name, p->systems[k].equations};
    cmb_c_program *c = NULL;
    cmb_status status = print_systems(ctx, prefix, &equations, body);
    if (status == CMB_OK) {
      status = cmb_c_program_create(ctx, equations.program, CMB_C_PIECE, &c);
    }
    if (status == CMB_OK) {
      c->tables[0] = prefix;
      c->tables[1] = name;
      print_tables(body, prefix, &equations);
      print_function(body, prefix, &equations, c, "static ", user);
    }
    cmb_c_program_destroy(c);
    cmb_release(ctx, name);
    CMB_TRY(status);
  }
  return CMB_OK;
}

/* Appends one C function PREFIX_NAME for each of `count` programs to the text `body`, with its tables and nonlinear systems. Appends
 * constants for the sizes of its arrays and, unless `internal` requests static functions, its declaration to the text `head`. Stops at the
 * first failure and returns its status. */
static cmb_status print_functions(cmb_context *ctx, const char *prefix, int count,
                                  const cmb_c_function *functions, bool internal, cmb_buffer *head,
                                  cmb_buffer *body)
{
  for (int i = 0; i < count; i++) {
    const cmb_c_function *f = &functions[i];
    cmb_c_program *c;
    CMB_TRY(cmb_c_program_create(ctx, f->program, CMB_C_PIECE, &c));
    c->tables[0] = prefix;
    c->tables[1] = f->name;
    print_sizes(head, prefix, f, c);
    if (!internal) {
      cmb_buffer_print(head, "void %s_%s(const double *x, double *y, double *w);\n", prefix,
                       f->name);
    }
    print_tables(body, prefix, f);
    const cmb_status status = print_systems(ctx, prefix, f, body);
    if (status == CMB_OK) print_function(body, prefix, f, c, internal ? "static " : "", "");
    cmb_c_program_destroy(c);
    CMB_TRY(status);
  }
  return CMB_OK;
}

cmb_status cmb_c_functions(cmb_context *ctx, const char *prefix, int count,
                           const cmb_c_function *functions, cmb_buffer *text)
{
  CMB_TRY(check(ctx, prefix, count, functions));
  print_definitions_begin(text, count, functions);
  CMB_TRY(print_functions(ctx, prefix, count, functions, true, text, text));
  return text->failed ? cmb_fail_memory(ctx) : CMB_OK;
}

cmb_status cmb_c_file(cmb_context *ctx, const char *prefix, int count,
                      const cmb_c_function *functions, cmb_buffer *text)
{
  CMB_TRY(check(ctx, prefix, count, functions));
  cmb_buffer definitions = cmb_buffer_begin(ctx);
  print_top(text, prefix);
  cmb_buffer_print(&definitions, "\n#ifndef %s_DECLARATIONS\n#include <math.h>\n\n", prefix);
  print_definitions_begin(&definitions, count, functions);
  cmb_status status = print_functions(ctx, prefix, count, functions, false, text, &definitions);
  cmb_buffer_put(&definitions, "#endif\n");
  if (!definitions.failed && status == CMB_OK) {
    cmb_buffer_add(text, definitions.text, definitions.length);
  }
  bool failed = definitions.failed || text->failed;
  cmb_buffer_release(&definitions);
  return status == CMB_OK && failed ? cmb_fail_memory(ctx) : status;
}

cmb_status cmb_c_file_save(cmb_context *ctx, const char *prefix, int count,
                           const cmb_c_function *functions, const char *path)
{
  CMB_REQUIRE(ctx, path, "cmb_c_file_save needs the path of a file");
  cmb_buffer text = cmb_buffer_begin(ctx);
  cmb_status status = cmb_c_file(ctx, prefix, count, functions, &text);
  if (status == CMB_OK) status = cmb_file_save(ctx, path, text.text, text.length);
  cmb_buffer_release(&text);
  return status;
}
