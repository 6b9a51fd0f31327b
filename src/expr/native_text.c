/*
 * Prints the C text from which native code is compiled: units of some thousand statements, each preceded by the definitions of the
 * operations, and in the first unit of each kind of number (doubles, lanes) the function that calls a program's pieces in turn.
 *
 * As many lanes are computed at a time as the processor's registers hold (WIDTH); the remaining lanes follow by running the program again.
 * A vector wider than a register takes compilers twice the time, without any gain.
 */
#include "base/context.h"
#include "expr/native.h"

#include <stdio.h>

enum {
  UNIT = 4000
}; /* statements; a compiler takes some 0.05 s to start and 0.1 s for each thousand */

static const char SCALAR_TOP[] = "#include <math.h>\n"
                                 "typedef double number;\n"
                                 "#define K(c) (c)\n"
                                 "#define X(i) x[i]\n"
                                 "#define Y(i) y[i]\n"
                                 "#define W(i) w[i]\n";

static const char LANES_TOP[] =
    "#include <math.h>\n"
    "#include <stdint.h>\n"
    "#if defined __AVX512F__\n"
    "#define WIDTH 8\n"
    "#define K(c) ((number){c, c, c, c, c, c, c, c})\n"
    "#elif defined __AVX__\n"
    "#define WIDTH 4\n"
    "#define K(c) ((number){c, c, c, c})\n"
    "#else\n"
    "#define WIDTH 2\n"
    "#define K(c) ((number){c, c})\n"
    "#endif\n"
    "typedef double number __attribute__((vector_size(8 * WIDTH), may_alias));\n"
    "typedef int64_t mask __attribute__((vector_size(8 * WIDTH), may_alias));\n"
    "#define X(i) x[(i) * (LANES / WIDTH)]\n"
    "#define Y(i) y[(i) * (LANES / WIDTH)]\n"
    "#define W(i) w[(i) * (LANES / WIDTH)]\n"
    "static inline number select_lanes(mask m, number a, number b)\n"
    "{\n"
    "  return (number)(((mask)a & m) | ((mask)b & ~m));\n"
    "}\n"
    "static inline int same_in_all(number a)\n" /* bit by bit: 0 differs from -0 */
    "{\n"
    "  const mask bits = (mask)a;\n"
    "  int64_t differ = 0;\n"
    "  for (int l = 1; l < WIDTH; l++) differ |= bits[l] ^ bits[0];\n"
    "  return differ == 0;\n"
    "}\n";

static const char SPECIAL[] =
    "struct special {\n"
    "  const void *program;\n"
    "  double (*value)(const void *program, int i, double a, double b, double c);\n"
    "  void (*solve)(const void *program, int i, int lanes, const double *z, double *r, double "
    "*w);\n"
    "};\n";

static const char SCALAR_SPECIAL[] = "static inline number op_special(const struct special *e, int "
                                     "i, number a, number b, number c)\n"
                                     "{\n"
                                     "  return e->value(e->program, i, a, b, c);\n"
                                     "}\n";

/* z: the operands; r: the first of the unknowns in w */
static const char SOLVE[] =
    "static inline void op_solve(const struct special *e, int i, const number *z, number *r, "
    "number *w)\n"
    "{\n"
    "  e->solve(e->program, i, (int)(sizeof *z / sizeof(double)), (const double *)z, (double *)r, "
    "(double *)w);\n"
    "}\n";

static const char LANES_SPECIAL[] =
    "static inline number op_special(const struct special *e, int i, number a, number b, number "
    "c)\n"
    "{\n"
    "  number r;\n"
    "  for (int l = 0; l < WIDTH; l++) r[l] = e->value(e->program, i, a[l], b[l], c[l]);\n"
    "  return r;\n"
    "}\n";

static const char PARAMETERS[] = "(const number *restrict x, number *restrict y, "
                                 "number *restrict w, const struct special *e)";

struct printer {
  cmb_context *ctx;
  int count;
  const cmb_program *const *programs;
  bool used[CMB_OPS];
  cmb_native_text *text;
  int first;      /* index of the first unit of the kind of number that is being printed */
  int statements; /* number of statements printed of this kind */
};

void cmb_native_name(int i, cmb_c_number number, char name[CMB_NATIVE_NAME])
{
  (void)snprintf(name, CMB_NATIVE_NAME, "cmb_%s_%d", number == CMB_C_LANES ? "lanes" : "scalar", i);
}

static void print_top(const struct printer *t, cmb_native_unit *unit)
{
  bool lanes = unit->number == CMB_C_LANES;
  cmb_c_print_conditions(&unit->text);
  cmb_buffer_print(&unit->text, "#define LANES %d\n", CMB_LANES);
  cmb_buffer_put(&unit->text, lanes ? LANES_TOP : SCALAR_TOP);
  cmb_buffer_put(&unit->text, SPECIAL);
  cmb_buffer_put(&unit->text, lanes ? LANES_SPECIAL : SCALAR_SPECIAL);
  if (t->used[CMB_OP_SOLVE]) cmb_buffer_put(&unit->text, SOLVE);
  cmb_c_print_operations(&unit->text, unit->number, t->used);
}

static void print_piece_name(cmb_buffer *b, int i, cmb_c_number number, int k)
{
  char name[CMB_NATIVE_NAME];
  cmb_native_name(i, number, name);
  cmb_buffer_print(b, "%s_piece_%d", name, k);
}

/* Appends to the text of `unit` the exported C function of program i, which calls the `pieces` functions into which the program is divided. For
 * vectors of doubles the calls are in a loop over groups of WIDTH numbers. */
static void print_entry(cmb_native_unit *unit, int i, int pieces)
{
  cmb_buffer *b = &unit->text;
  bool lanes = unit->number == CMB_C_LANES;
  char name[CMB_NATIVE_NAME];
  cmb_native_name(i, unit->number, name);
  for (int k = 0; k < pieces; k++) {
    cmb_buffer_put(b, "void ");
    print_piece_name(b, i, unit->number, k);
    cmb_buffer_print(b, "%s;\n", PARAMETERS);
  }
  cmb_buffer_print(
      b,
      "__attribute__((visibility(\"default\"))) void %s(const double *in, double *out, "
      "double *work, const struct special *e)\n{\n"
      "  const number *x = (const number *)in;\n"
      "  number *y = (number *)out, *w = (number *)work;\n",
      name);
  if (lanes) cmb_buffer_put(b, "  for (int l = 0; l < LANES / WIDTH; l++, x++, y++, w++) {\n");
  for (int k = 0; k < pieces; k++) {
    cmb_buffer_put(b, "  ");
    print_piece_name(b, i, unit->number, k);
    cmb_buffer_put(b, "(x, y, w, e);\n");
  }
  cmb_buffer_put(b, lanes ? "  }\n}\n" : "}\n");
}

static cmb_status print_program(struct printer *t, int i)
{
  cmb_c_program *c;
  CMB_TRY(cmb_c_program_create(t->ctx, t->programs[i], CMB_C_PIECE, &c));
  cmb_c_number number = t->text->units[t->first].number;
  print_entry(&t->text->units[t->first], i, c->pieces);
  for (int k = 0; k < c->pieces; k++) {
    cmb_buffer *b = &t->text->units[t->first + t->statements / UNIT].text;
    cmb_buffer_put(b, "void ");
    print_piece_name(b, i, number, k);
    cmb_buffer_print(b, "%s\n", PARAMETERS);
    cmb_c_print_piece(b, c, k, CMB_C_MACROS);
    int end = (k + 1) * c->piece_size;
    t->statements += (end < c->p->instructions ? end : c->p->instructions) - k * c->piece_size;
  }
  cmb_c_program_destroy(c);
  return CMB_OK;
}

static cmb_status print_kind(struct printer *t, cmb_c_number number, int first, int units)
{
  t->first = first;
  t->statements = 0;
  for (int u = first; u < first + units; u++) {
    t->text->units[u] = (cmb_native_unit){.number = number, .text = cmb_buffer_begin(t->ctx)};
    print_top(t, &t->text->units[u]);
  }
  for (int i = 0; i < t->count; i++) CMB_TRY(print_program(t, i));
  for (int u = first; u < first + units; u++) {
    if (t->text->units[u].text.failed) return cmb_fail_memory(t->ctx);
  }
  return CMB_OK;
}

cmb_status cmb_native_print(cmb_context *ctx, cmb_arena *arena, int count,
                            const cmb_program *const *programs, bool lanes, cmb_native_text *text)
{
  struct printer t = {.ctx = ctx, .count = count, .programs = programs, .text = text};
  int statements = 0;
  for (int i = 0; i < count; i++) {
    statements += programs[i]->instructions;
    cmb_c_operations(programs[i], t.used);
  }
  int units = statements / UNIT + 1;
  text->count = lanes ? 2 * units : units;
  text->units = cmb_arena_take(arena, (size_t)text->count, sizeof *text->units);
  if (!text->units) {
    text->count = 0;
    return cmb_fail_memory(ctx);
  }
  for (int u = 0; u < text->count; u++) text->units[u].text = cmb_buffer_begin(ctx);
  cmb_status status = print_kind(&t, CMB_C_SCALAR, 0, units);
  return status == CMB_OK && lanes ? print_kind(&t, CMB_C_LANES, units, units) : status;
}

void cmb_native_text_release(cmb_native_text *text)
{
  for (int u = 0; u < text->count; u++) cmb_buffer_release(&text->units[u].text);
}
