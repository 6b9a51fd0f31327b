/*
 * Prints exported C code: a header and a source (c_code.h).
 */
#include "base/text.h"
#include "export/c_code.h"
#include "expr/c_text.h"
#include "expr/program.h"

#include <ctype.h>
#include <string.h>

/* Appends x to the text b with 17 significant digits, so that the same double is read back. */
static void put_number(cmb_buffer *b, double x)
{
  char number[CMB_NUMBER_ROOM];
  cmb_format_number(x, number);
  cmb_buffer_put(b, number);
}

/* Appends `name` in capital letters to the text b. */
static void put_upper(cmb_buffer *b, const char *name)
{
  for (const char *c = name; *c; c++) {
    const char upper = (char)toupper((unsigned char)*c);
    cmb_buffer_add(b, &upper, 1);
  }
}

enum { MOST_PROGRAMS = 5 };

/* Lists in functions[] the programs (compiled expressions) that become C functions of the exported code, with the names of these functions.
 * Returns their number. */
static int list_programs(const cmb_c_code *c, cmb_c_function functions[MOST_PROGRAMS])
{
  int count = 0;
  functions[count++] = (cmb_c_function){"program", c->stepper->program};
  if (c->modes) functions[count++] = (cmb_c_function){"modes", c->modes};
  if (c->outputs) functions[count++] = (cmb_c_function){"observed", c->outputs};
  if (c->first) functions[count++] = (cmb_c_function){"first", c->first};
  if (c->grips > 0) functions[count++] = (cmb_c_function){"grip", c->stepper->first_grip};
  return count;
}

/* ---- both files */

/* Appends to the text b the names of those libm functions that operations of the exported programs call, separated by commas, or "nothing".
 * Functions that only the evaluation of tables calls are not looked for. */
static void put_library_functions(const cmb_c_code *c, cmb_buffer *b)
{
  cmb_c_function functions[MOST_PROGRAMS];
  const int count = list_programs(c, functions);
  bool used[CMB_OPS] = {false}, any = false;
  for (int i = 0; i < count; i++) cmb_c_operations(functions[i].program, used);
  if (used[CMB_OP_SIN] || used[CMB_OP_COS] || used[CMB_OP_SOLVE]) {
    used[CMB_OP_ABS] = true; /* used by sine_code.h and root_code.h in expr */
  }
  for (int op = 0; op < CMB_OPS; op++) {
    const char *function = used[op] ? cmb_c_library_function((cmb_op)op) : NULL;
    if (function) cmb_buffer_print(b, "%s%s", any ? ", " : "", function);
    any = any || function;
  }
  if (!any) cmb_buffer_put(b, "nothing");
}

/* Appends to b the comment at the top of both exported files: the model's name, the version of Camber, the integration method with its
 * options and step size, the libm functions used, and how to compile. */
static void put_top(const cmb_c_code *c, cmb_buffer *b)
{
  cmb_buffer_put(b, "/*\n * ");
  cmb_c_print_comment(b, c->eq->name);
  cmb_buffer_print(b, ": the model with a fixed-step integrator. Made by Camber %s.\n *\n",
                   cmb_version());
  cmb_buffer_print(b, " *     method %s", c->method);
  for (int i = 0; i < c->setting_count; i++) {
    cmb_buffer_print(b, ", %s=%s", c->settings[i].name, c->settings[i].value);
  }
  cmb_buffer_put(b, ", step ");
  put_number(b, c->step);
  cmb_buffer_put(b,
                 " s\n *\n * C99. Takes no memory, keeps no state of its own, and needs of libm ");
  put_library_functions(c, b);
  cmb_buffer_put(b, ".\n * SI units and radians. Compile with -ffp-contract=off for the bits that "
                    "Camber computes, and never with -ffast-math.\n */\n");
}

/* ---- header */

/* Appends to the exported C header b an enumeration with the numbers of coordinates (nq), velocities (nv), constraints (ng) and switching
 * functions (ns) and, if there are any, of states, sampled values and friction elements that can stick. */
static void put_sizes(const cmb_c_code *c, cmb_buffer *b)
{
  const char *n = c->name;
  cmb_buffer_print(b, "enum {\n  %s_nq = %d, /* coordinates */\n", n, c->eq->nq);
  cmb_buffer_print(b, "  %s_nv = %d, /* velocities%s */\n", n, c->eq->nv,
                   c->eq->nz > 0 ? ", and states behind them" : "");
  if (c->eq->nz > 0) cmb_buffer_print(b, "  %s_nz = %d, /* states */\n", n, c->eq->nz);
  if (c->x->nh > 0) {
    cmb_buffer_print(b, "  %s_nh = %d, /* sampled values, and delayed ones */\n", n, c->x->nh);
  }
  cmb_buffer_print(b, "  %s_ng = %d, /* constraints */\n", n, c->eq->ng);
  if (c->grips > 0) {
    cmb_buffer_print(b, "  %s_nf = %d, /* places with friction that sticks */\n", n, c->grips);
  }
  cmb_buffer_print(b, "  %s_ns = %d  /* switches */\n};\n\n", n, c->x->ns);
}

/* Appends to the exported C header b a struct member of type double for each of `count` identifiers. Its comment is the number values[i] or,
 * if values is NULL, the name names[i] in the model, where this differs from the identifier. */
static void put_fields(cmb_buffer *b, int count, const char *const *identifiers,
                       const char *const *names, const double *values)
{
  for (int i = 0; i < count; i++) {
    cmb_buffer_print(b, "  double %s;", identifiers[i]);
    if (values) {
      char number[CMB_NUMBER_ROOM];
      cmb_format_shortest(values[i], number);
      cmb_buffer_print(b, " /* %s", number);
      cmb_buffer_put(b, " */");
    } else if (strcmp(identifiers[i], names[i]) != 0) {
      cmb_buffer_put(b, " /* ");
      cmb_c_print_comment(b, names[i]);
      cmb_buffer_put(b, " */");
    }
    cmb_buffer_put(b, "\n");
  }
}

/* Appends to the exported C header b the type NAME_state, with time, coordinates, velocities, sampled values and modes (slipping or sticking)
 * of friction; comments list the coordinates, states and friction elements. */
static void put_state(const cmb_c_code *c, cmb_buffer *b)
{
  const char *n = c->name;
  cmb_buffer_put(b, "/* Where the model stands. q:");
  for (int i = 0; i < c->eq->nq; i++) {
    cmb_buffer_put(b, i ? ", " : " ");
    cmb_c_print_comment(b, c->eq->q_names[i]);
  }
  cmb_buffer_put(b, "; v: their rates, or as Camber lists them");
  for (int i = c->eq->nv - c->eq->nz; i < c->eq->nv; i++) {
    cmb_buffer_put(b, i == c->eq->nv - c->eq->nz ? ", then the states " : ", ");
    cmb_c_print_comment(b, c->eq->v_names[i]);
  }
  cmb_buffer_print(b, ". */\ntypedef struct %s_state {\n", n);
  cmb_buffer_print(b, "  double t;\n  double q[%s_nq];\n  double v[%s_nv];\n", n, n);
  if (c->x->nh > 0) cmb_buffer_print(b, "  double held[%s_nh];\n", n);
  if (c->grips > 0) {
    cmb_buffer_put(b, "  /* friction that sticks:");
    for (int k = 0; k < c->grips; k++) {
      cmb_buffer_put(b, k ? ", " : " ");
      cmb_c_print_comment(b, c->eq->switch_names[c->grip_mode[k]]);
    }
    cmb_buffer_print(b,
                     ". +1 and -1: it slips; 3 - s: it holds with s times the most; 0: as "
                     "the velocities say */\n  double grip[%s_nf];\n",
                     n);
  }
  cmb_buffer_print(b, "} %s_state;\n\n", n);
}

/* Appends to the exported C header b the type NAME_inputs: the values of the model's inputs in a step and, where these are needed, their
 * rates of change. */
static void put_inputs(const cmb_c_code *c, cmb_buffer *b)
{
  const int nu = c->x->nu, nr = c->x->nr;
  cmb_buffer_put(b, "/* Added to what the model itself says of an input; an input that is 0 there "
                    "has the value given here. */\n");
  cmb_buffer_print(b, "typedef struct %s_inputs {\n", c->name);
  put_fields(b, nu, c->u_names, c->u_model_names, NULL);
  if (nr > 0) {
    cmb_buffer_put(b, "\n  /* How fast these inputs change, on which forces or constraints depend "
                      "as well. Where only samples are known: the\n   * difference of the last two "
                      "by the time between them. 0: the input is constant, and jumps from step to "
                      "step. */\n");
  }
  put_fields(b, nr, c->u_names + nu, c->u_model_names + nu, NULL);
  if (nu == 0) cmb_buffer_put(b, "  char none;\n");
  cmb_buffer_print(b, "} %s_inputs;\n\n", c->name);
}

/* Appends to the exported C header b the types NAME_parameters (those that can be changed at run time), NAME_inputs, and NAME_outputs (the
 * model's outputs, events, and measures of whether a step can be trusted). */
static void put_structures(const cmb_c_code *c, cmb_buffer *b)
{
  const char *n = c->name;
  const cmb_code *x = c->x;
  cmb_buffer_print(b,
                   "/* What can be changed at any time; %s_init sets the values in the comments. "
                   "*/\ntypedef struct %s_parameters {\n",
                   n, n);
  put_fields(b, c->live, c->parameter_names, x->parameter_names, x->parameter_value);
  if (c->live == 0) cmb_buffer_put(b, "  char none;\n");
  cmb_buffer_print(b, "} %s_parameters;\n\n", n);
  put_inputs(c, b);
  cmb_buffer_print(b, "typedef struct %s_outputs {\n", n);
  put_fields(b, x->no, c->output_names, c->eq->output_names, NULL);
  if (x->ns > 0) cmb_buffer_put(b, "  /* events in this step: +1 rising, -1 falling, 0 none */\n");
  for (int i = 0; i < x->ns; i++) {
    cmb_buffer_print(b, "  int %s; /* ", c->event_names[i]);
    cmb_c_print_comment(b, c->eq->switch_names[i]);
    cmb_buffer_put(b, " */\n");
  }
  cmb_buffer_put(b, "  double health; /* smallest pivot; near 0 the constraints lose rank */\n");
  if (c->grips > 0) {
    cmb_buffer_put(b, "  int settled; /* 1; 0: forces of friction that sticks are within their "
                      "bounds, but near a solution only */\n");
  }
  cmb_buffer_print(b, "} %s_outputs;\n\n", n);
}

/* Appends to the exported C header b the type NAME, one instance of the model: parameters, initial time, number of steps, the array x of all
 * variables, and work arrays that are large enough for all programs. */
static void put_work(const cmb_c_code *c, cmb_buffer *b)
{
  cmb_c_function functions[MOST_PROGRAMS];
  const int count = list_programs(c, functions);
  int work = 1, results = 1;
  for (int i = 0; i < count; i++) {
    const cmb_program *p = functions[i].program;
    if (cmb_program_work(p) > work) work = cmb_program_work(p);
    if (p->outputs > results) results = p->outputs;
  }
  cmb_buffer_print(
      b,
      "/* One instance. Change its parameters; leave the rest alone. */\n"
      "typedef struct %s {\n  %s_parameters parameters;\n"
      "  double begun, steps; /* t = begun + steps h, so that roundings do not add up */\n",
      c->name, c->name);
  const cmb_layout *l = &c->x->layout;
  cmb_buffer_print(b, "  double x[%d]; /*", cmb_layout_size(l));
  for (int k = 0, any = 0; k < CMB_BLOCKS; k++) {
    if (l->count[k] == 0) continue;
    cmb_buffer_print(b, "%s%s", any++ ? ", " : " ", cmb_block_name((cmb_block)k));
  }
  cmb_buffer_put(b, " */\n");
  cmb_buffer_print(b, "  double y[%d], w[%d];\n} %s;\n\n", results, work, c->name);
}

/* Appends to the exported C header b the declaration of NAME_start, if the code has this function. The generated comment says how the start is
 * found: by formulas with the current parameters, or from stored values, which are refused after certain parameters have been changed. */
static void put_start_declaration(const cmb_c_code *c, cmb_buffer *b)
{
  bool any = false;
  if (c->first) {
    cmb_buffer_print(b,
                     "/* The start that the model gives with the parameters as they are now. "
                     "Returns 0; or 1, if it is not finite:\n * nothing has changed then. */\n"
                     "int %s_start(%s *m);\n\n",
                     c->name, c->name);
  }
  if (!c->start_reads) return;
  cmb_buffer_print(b,
                   "/* The start of %s_init with the parameters as they are now. It was found "
                   "when this code was made, and does not\n * follow parameters that it depends "
                   "on: returns 0; or 1, and nothing has changed, if one of these has another\n"
                   " * value than the comments say:",
                   c->name);
  for (int i = 0; i < c->live; i++) {
    if (!c->start_reads[i]) continue;
    cmb_buffer_print(b, "%s%s", any ? ", " : " ", c->parameter_names[i]);
    any = true;
  }
  cmb_buffer_print(b, "%s. */\nint %s_start(%s *m);\n\n", any ? "" : " there are none", c->name,
                   c->name);
}

void cmb_c_code_header(const cmb_c_code *c, cmb_buffer *b)
{
  const char *n = c->name;
  put_top(c, b);
  cmb_buffer_put(b, "#ifndef ");
  put_upper(b, n);
  cmb_buffer_put(b, "_H\n#define ");
  put_upper(b, n);
  cmb_buffer_put(b, "_H\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n#define ");
  put_upper(b, n);
  cmb_buffer_put(b, "_STEP ");
  put_number(b, c->step);
  cmb_buffer_put(b, " /* seconds */\n\n");
  put_sizes(c, b);
  put_state(c, b);
  put_structures(c, b);
  put_work(c, b);
  cmb_buffer_print(
      b, "/* The start that the model gives, on its constraints%s. */\nvoid %s_init(%s *m);\n\n",
      c->live > 0 ? ", and the parameters of the comments" : "", n, n);
  put_start_declaration(c, b);
  cmb_buffer_print(b,
                   "/* One step. in == NULL: all 0; out may be NULL. Returns 0, or 1 if the "
                   "result is of no use: state, multipliers,\n * accelerations, switching "
                   "functions or outputs (where "
                   "they are asked for) "
                   "are not finite, or the constraints have lost rank. */\n"
                   "int %s_step(%s *m, const %s_inputs *in, %s_outputs *out);\n\n",
                   n, n, n, n);
  cmb_buffer_print(
      b,
      "/* The state, from and into an instance. Set values must meet the constraints "
      "as well as a step can repair. */\nvoid %s_get_state(const %s *m, %s_state *s);\n",
      n, n, n);
  cmb_buffer_print(b, "void %s_set_state(%s *m, const %s_state *s);\n\n", n, n, n);
  cmb_buffer_put(b, "#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

/* ---- source */

/* Appends to the exported C source b the definition of a static constant array `name` of the given C type with the values x[count]. */
static void put_array(cmb_buffer *b, const char *type, const char *name, int count, const double *x)
{
  cmb_buffer_print(b, "  static const %s %s[%d] = {", type, name, count);
  for (int i = 0; i < count; i++) {
    cmb_buffer_put(b, i == 0 ? "\n    " : i % 4 ? ", " : ",\n    ");
    put_number(b, x[i]);
  }
  cmb_buffer_put(b, "};\n");
}

/* Appends to the exported C source b a loop that copies `count` numbers, to[to_place + i] = from[from_place + i]; nothing if count is 0. */
static void put_copy(cmb_buffer *b, int count, const char *to, int to_place, const char *from,
                     int from_place)
{
  if (count == 0) return;
  cmb_buffer_print(b, "  for (i = 0; i < %d; i++) %s[%d + i] = %s[%d + i];\n", count, to, to_place,
                   from, from_place);
}

/* Returns the index of the first sampled value (set by controllers at their sampling instants) in x, the array of all variables of the
 * exported code. */
static int first_held(const cmb_c_code *c)
{
  return c->x->layout.first[CMB_BLOCK_P] + c->live;
}

/* Appends to the exported C source b statements that set all variables of an instance to 0, except the time, the step size and the sampled
 * values, which get their start values. */
static void put_zero_start(const cmb_c_code *c, cmb_buffer *b)
{
  const int *first = c->x->layout.first;
  cmb_buffer_print(b, "  int i;\n  for (i = 0; i < %d; i++) m->x[i] = 0;\n",
                   cmb_layout_size(&c->x->layout));
  cmb_buffer_put(b, "  m->steps = 0;\n  m->x[0] = m->begun = ");
  put_number(b, c->start->t);
  cmb_buffer_print(b, ";\n  m->x[%d] = ", first[CMB_BLOCK_H]);
  put_number(b, c->step);
  cmb_buffer_put(b, ";\n");
  for (int i = 0; i < c->x->nh; i++) {
    cmb_buffer_print(b, "  m->x[%d] = ", first_held(c) + i);
    put_number(b, c->x->parameter_value[c->live + i]);
    cmb_buffer_put(b, ";\n");
  }
}

/* Appends to the exported C source b statements that copy the parameters of an instance to its array x of all variables. */
static void put_parameters(const cmb_c_code *c, cmb_buffer *b)
{
  for (int i = 0; i < c->live; i++) {
    cmb_buffer_print(b, "  m->x[%d] = m->parameters.%s;\n", c->x->layout.first[CMB_BLOCK_P] + i,
                     c->parameter_names[i]);
  }
}

/* Appends to the exported C source b statements that take the first samples of the controllers that have a sampling instant at the start;
 * nothing if the model has no sampled values. */
static void put_first_samples(const cmb_c_code *c, cmb_buffer *b)
{
  if (c->x->nh == 0) return;
  put_parameters(c, b);
  cmb_buffer_print(b, "  (void)take_samples(m, m->x[0] - m->x[%d], 0);\n",
                   c->x->layout.first[CMB_BLOCK_H]);
}

/* Appends to the exported C source b the function NAME_init, which sets an instance to the start computed at export: parameters,
 * coordinates, velocities, multipliers, modes and first samples, and accelerations where samples read them. */
static void put_init(const cmb_c_code *c, cmb_buffer *b)
{
  const cmb_code *x = c->x;
  const int *first = x->layout.first;
  const char *n = c->name;
  cmb_buffer_print(b, "\nvoid %s_init(%s *m)\n{\n", n, n);
  put_array(b, "double", "q", x->nq, c->start->q);
  put_array(b, "double", "v", x->nv, c->start->v);
  if (x->ng > 0) put_array(b, "double", "lambda", x->ng, c->lambda);
  if (c->eq->samples_read_forces) put_array(b, "double", "a", x->nv, c->a);
  put_zero_start(c, b);
  put_copy(b, x->nq, "m->x", first[CMB_BLOCK_Q], "q", 0);
  put_copy(b, x->nv, "m->x", first[CMB_BLOCK_V], "v", 0);
  put_copy(b, x->ng, "m->x", first[CMB_BLOCK_LAMBDA], "lambda", 0);
  if (c->eq->samples_read_forces) put_copy(b, x->nv, "m->x", first[CMB_BLOCK_A], "a", 0);
  for (int i = 0; i < x->ns; i++) {
    const bool grips = c->grip && c->grip[i] != 0;
    cmb_buffer_print(b, "  m->x[%d] = ", first[CMB_BLOCK_MODE] + i);
    put_number(b, grips ? c->grip[i] : c->start->mode[i]);
    cmb_buffer_put(b, ";\n");
  }
  for (int i = 0; i < c->live; i++) {
    cmb_buffer_print(b, "  m->parameters.%s = ", c->parameter_names[i]);
    put_number(b, x->parameter_value[i]);
    cmb_buffer_put(b, ";\n");
  }
  if (c->live == 0) cmb_buffer_put(b, "  m->parameters.none = 0;\n");
  put_first_samples(c, b);
  cmb_buffer_put(b, "}\n");
}

/* Appends to the exported C source b a loop that adds 0 · y[i] to `sum` for the first `count` results y of a program: sum stays 0, or becomes
 * NaN if one of them is not finite. */
static void put_sum(cmb_buffer *b, int count)
{
  cmb_buffer_print(b, "  for (i = 0; i < %d; i++) sum += 0 * m->y[i];\n", count);
}

/* Appends to the exported C source b the function take_modes: it computes the modes (signs or levels of the switching functions) for the
 * current state, reports their changes as events, and returns 0, or NaN if a value that determines a mode is not finite. Nothing if there are
 * no modes. */
static void put_modes(const cmb_c_code *c, cmb_buffer *b)
{
  const int *first = c->x->layout.first;
  if (!c->modes) return;
  cmb_buffer_print(b, "\nstatic double take_modes(%s *m, %s_outputs *out)\n{\n", c->name, c->name);
  cmb_buffer_print(b, "  double sum = 0;\n  int i;\n  %s_modes(m->x, m->y, m->w);\n", c->name);
  cmb_buffer_put(b, "  if (out) {\n");
  for (int i = 0; i < c->x->ns; i++) {
    const int mode = first[CMB_BLOCK_MODE] + i;
    cmb_buffer_print(b, "    if (m->y[%d] != m->x[%d]) out->%s = m->y[%d] > m->x[%d] ? 1 : -1;\n",
                     i, mode, c->event_names[i], i, mode);
  }
  cmb_buffer_put(b, "  }\n");
  put_copy(b, c->x->ns, "m->x", first[CMB_BLOCK_MODE], "m->y", 0);
  put_sum(b, 2 * c->x->ns);
  cmb_buffer_put(b, "  return sum;\n}\n");
}

/* Appends to the exported C source b the function take_grip: for each friction element that can stick and whose mode is not known yet (0), it
 * determines whether the element sticks or slips in the current state. Nothing if the model has no such friction. */
static void put_grip(const cmb_c_code *c, cmb_buffer *b)
{
  if (c->grips == 0) return;
  cmb_buffer_print(b, "\nstatic void take_grip(%s *m)\n{\n  %s_grip(m->x, m->y, m->w);\n", c->name,
                   c->name);
  for (int k = 0; k < c->grips; k++) {
    const int mode = c->x->layout.first[CMB_BLOCK_MODE] + c->grip_mode[k];
    cmb_buffer_print(b, "  if (m->x[%d] == 0) m->x[%d] = m->y[%d];\n", mode, mode, k);
  }
  cmb_buffer_put(b, "}\n");
}

/* Appends to the exported C source b statements that copy the modes of friction that can stick, as computed by the step, to the model's state.
 * They report a change between slipping and sticking, or of the direction of slip, as an event and set out->settled. Appends nothing if the
 * model has no such friction. */
static void put_stepped_grip(const cmb_c_code *c, cmb_buffer *b, const cmb_stepper_outputs *y)
{
  if (c->grips == 0) return;
  cmb_buffer_put(b, "  if (out) {\n    double then, now;\n");
  for (int k = 0; k < c->grips; k++) {
    const int mode = c->x->layout.first[CMB_BLOCK_MODE] + c->grip_mode[k];
    cmb_buffer_print(b,
                     "    then = m->x[%d] > 1.5 ? 2 : m->x[%d];\n"
                     "    now = m->y[%d] > 1.5 ? 2 : m->y[%d];\n"
                     "    if (now != then) out->%s = now > then ? 1 : -1;\n",
                     mode, mode, y->grip + k, y->grip + k, c->event_names[c->grip_mode[k]]);
  }
  cmb_buffer_print(b, "    out->settled = m->y[%d] > 0;\n  }\n", y->settled);
  for (int k = 0; k < c->grips; k++) {
    const int mode = c->x->layout.first[CMB_BLOCK_MODE] + c->grip_mode[k];
    cmb_buffer_print(b, "  m->x[%d] = m->y[%d];\n", mode, y->grip + k);
  }
}

/* Appends to the exported C source b the statements that determine the modes of a given state, such as the initial one, which does not
 * result from a step: calls of take_modes (signs or levels of the switching functions) and of take_grip (slipping or sticking of friction),
 * as far as the model has such modes. */
static void put_fresh_modes(const cmb_c_code *c, cmb_buffer *b)
{
  if (c->modes) cmb_buffer_put(b, "  (void)take_modes(m, 0);\n");
  if (c->grips > 0) cmb_buffer_put(b, "  take_grip(m);\n");
}

/* Appends to the exported C source b the function instants(t, phase, period): it returns the number of sampling instants phase, phase +
 * period, ... of a controller up to the time t + h/2, where h is the step size, as sim/samples.c does. */
static void put_instants(const cmb_c_code *c, cmb_buffer *b)
{
  cmb_buffer_put(b, "\nstatic double instants(double t, double phase, double period)\n{\n"
                    "  const double parts = (t + ");
  put_number(b, 0.5 * c->step);
  cmb_buffer_put(b, " - phase) / period;\n"
                    "  const double whole = (parts + 6755399441055744.0) - 6755399441055744.0;\n"
                    "  const double count = (whole > parts ? whole - 1 : whole) + 1;\n"
                    "  return count > 0 ? count : 0;\n}\n");
}

/* Appends to the exported C source b a statement that sets due[sampler]: whether a sampling instant of the controller has passed since the time
 * `before`. */
static void put_due(const cmb_c_code *c, cmb_buffer *b, int sampler)
{
  const cmb_sampler *s = &c->eq->samplers[sampler];
  for (int k = 0; k < 2; k++) {
    cmb_buffer_print(b, k == 0 ? "  due[%d] = instants(m->x[0], " : " > instants(before, ",
                     sampler);
    put_number(b, s->phase);
    cmb_buffer_put(b, ", ");
    put_number(b, s->period);
    cmb_buffer_put(b, ")");
  }
  cmb_buffer_put(b, ";\n");
}

/* Appends to the exported C source b statements that set sampled value i to its new value if its controller is due, and note whether a value
 * on which the motion depends has changed. */
static void put_sample(const cmb_c_code *c, cmb_buffer *b, int i)
{
  const int from = c->x->no + i, to = first_held(c) + i;
  cmb_buffer_print(b, "  if (due[%d]) {\n", c->eq->held_sampler[i]);
  if (c->modes && c->eq->held_moves[i]) {
    cmb_buffer_print(b, "    moved |= m->x[%d] != m->y[%d];\n", to, from);
  }
  cmb_buffer_print(b, "    m->x[%d] = m->y[%d] + 0.0;\n    sum += 0 * m->y[%d];\n  }\n", to, from,
                   from);
}

/* Appends to the exported C source b the function take_samples: it updates the sampled values of controllers that have had a sampling instant
 * since the time `before`, then the modes if necessary, and returns 0, or NaN if a value is not finite. Nothing if there are no sampled
 * values. */
static void put_samples(const cmb_c_code *c, cmb_buffer *b)
{
  const cmb_code *x = c->x;
  if (x->nh == 0) return;
  put_instants(c, b);
  cmb_buffer_print(b, "\nstatic double take_samples(%s *m, double before, %s_outputs *out)\n{\n",
                   c->name, c->name);
  cmb_buffer_print(b, "  double sum = 0;\n  int due[%d], any = 0, i;\n", c->eq->sampler_count);
  cmb_buffer_put(b, c->modes ? "  int moved = 0;\n" : "  (void)out;\n");
  for (int i = 0; i < c->eq->sampler_count; i++) put_due(c, b, i);
  cmb_buffer_print(b, "  for (i = 0; i < %d; i++) any |= due[i];\n  if (!any) return 0;\n",
                   c->eq->sampler_count);
  cmb_buffer_print(b, "  %s_observed(m->x, m->y, m->w);\n", c->name);
  for (int i = 0; i < x->nh; i++) put_sample(c, b, i);
  if (c->modes) cmb_buffer_put(b, "  if (moved) sum += take_modes(m, out);\n");
  cmb_buffer_put(b, "  return sum;\n}\n");
}

/* Appends to the exported C source b the beginning of the function NAME_step, which copies inputs and parameters to the array x of all
 * variables and sets all events to 0. */
static void put_step_begin(const cmb_c_code *c, cmb_buffer *b)
{
  const cmb_code *x = c->x;
  const int *first = x->layout.first;
  const char *n = c->name;
  cmb_buffer_print(b, "\nint %s_step(%s *m, const %s_inputs *in, %s_outputs *out)\n{\n", n, n, n,
                   n);
  cmb_buffer_put(b, x->nh > 0 ? "  double before, health, sum = 0;\n  int i;\n"
                              : "  double health, sum = 0;\n  int i;\n");
  for (int i = 0; i < x->nu + x->nr; i++) {
    cmb_buffer_print(b, "  m->x[%d] = in ? in->%s : 0;\n", first[CMB_BLOCK_U] + i, c->u_names[i]);
  }
  if (x->nu == 0) cmb_buffer_put(b, "  (void)in;\n");
  if (x->ns > 0) cmb_buffer_put(b, "  if (out) {\n");
  for (int i = 0; i < x->ns; i++) cmb_buffer_print(b, "    out->%s = 0;\n", c->event_names[i]);
  if (x->ns > 0) cmb_buffer_put(b, "  }\n");
  if (x->nh > 0) cmb_buffer_put(b, "  before = m->x[0];\n");
  put_parameters(c, b);
}

/* Appends to the exported C source b the function NAME_step, which takes one step of the integration method and computes the outputs. It
 * returns 0, or 1 if a result is not finite or the constraints have lost rank. */
static void put_step(const cmb_c_code *c, cmb_buffer *b)
{
  const cmb_code *x = c->x;
  const int *first = x->layout.first;
  const cmb_stepper_outputs y = cmb_stepper_places(c->eq, &c->stepper->options);
  put_step_begin(c, b);
  cmb_buffer_print(b, "  %s_program(m->x, m->y, m->w);\n", c->name);
  put_sum(b, y.health); /* sums all results before the health */
  cmb_buffer_print(b,
                   "  health = m->y[%d] + sum;\n  m->steps += 1;\n"
                   "  m->x[0] = m->begun + m->steps * m->x[%d];\n",
                   y.health, first[CMB_BLOCK_H]);
  put_copy(b, x->nq, "m->x", first[CMB_BLOCK_Q], "m->y", 0);
  put_copy(b, x->nv, "m->x", first[CMB_BLOCK_V], "m->y", y.v);
  put_copy(b, x->ng, "m->x", first[CMB_BLOCK_LAMBDA], "m->y", y.lambda);
  put_copy(b, x->nv, "m->x", first[CMB_BLOCK_A], "m->y", y.a);
  put_stepped_grip(c, b, &y);
  if (c->modes) cmb_buffer_put(b, "  health += take_modes(m, out);\n");
  if (x->nh > 0) cmb_buffer_put(b, "  health += take_samples(m, before, out);\n");
  cmb_buffer_put(b, "  if (out) {\n");
  if (x->no > 0) cmb_buffer_print(b, "    %s_observed(m->x, m->y, m->w);\n", c->name);
  for (int i = 0; i < x->no; i++) { /* adding 0.0 avoids −0, as in cmb_outputs */
    cmb_buffer_print(b, "    out->%s = m->y[%d] + 0.0;\n", c->output_names[i], i);
  }
  if (x->no > 0) {
    cmb_buffer_put(b, "  ");
    put_sum(b, x->no);
    cmb_buffer_put(b, "    health += sum;\n");
  }
  cmb_buffer_put(b, "    out->health = health;\n  }\n  return !(health > ");
  put_number(b, CMB_LEAST_HEALTH);
  cmb_buffer_put(b, ");\n}\n");
}

/* Appends to b the C function NAME_start of an exported model whose start values are given by formulas. NAME_start evaluates these formulas
 * with the current parameters. If a start value is not finite (Σ 0 · value is not 0), it returns 1 without setting the state; otherwise it
 * sets the state and returns 0. */
static void put_formula_start(const cmb_c_code *c, cmb_buffer *b)
{
  const cmb_code *x = c->x;
  const int *first = x->layout.first;
  const char *n = c->name;
  cmb_buffer_print(b, "\nstatic void begin(%s *m)\n{\n", n);
  put_zero_start(c, b);
  put_parameters(c, b);
  put_copy(b, x->nq, "m->x", first[CMB_BLOCK_Q], "m->y", 0);
  put_copy(b, x->nv, "m->x", first[CMB_BLOCK_V], "m->y", x->nq);
  put_fresh_modes(c, b);
  put_first_samples(c, b);
  cmb_buffer_print(b, "}\n\nint %s_start(%s *m)\n{\n  double sum = 0;\n  int i;\n", n, n);
  put_parameters(c, b);
  cmb_buffer_print(b, "  %s_first(m->x, m->y, m->w);\n", n);
  put_sum(b, x->nq + x->nv);
  cmb_buffer_put(b, "  if (!(sum == 0)) return 1;\n  begin(m);\n  return 0;\n}\n");
}

/* Appends to the exported C source b the function NAME_start of a model whose start was computed at export: it sets an instance to that start
 * with the current parameters, or returns 1 if a parameter on which the start depends has another value than at export. */
static void put_stored_start(const cmb_c_code *c, cmb_buffer *b)
{
  const cmb_code *x = c->x;
  const char *n = c->name;
  cmb_buffer_print(b, "\nint %s_start(%s *m)\n{\n  const %s_parameters now = m->parameters;\n", n,
                   n, n);
  for (int i = 0; i < c->live; i++) {
    if (!c->start_reads[i]) continue;
    cmb_buffer_print(b, "  if (now.%s != ", c->parameter_names[i]);
    put_number(b, x->parameter_value[i]);
    cmb_buffer_put(b, ") return 1;\n");
  }
  cmb_buffer_print(b, "  %s_init(m);\n  m->parameters = now;\n", n);
  put_parameters(c, b);
  put_fresh_modes(c, b);
  put_first_samples(c, b);
  cmb_buffer_put(b, "  return 0;\n}\n");
}

/* Appends to the exported C source b statements for a time s->t that the user has set: it is represented as begun + steps h, where h is the
 * step size, with an integer number of steps if this gives exactly s->t, otherwise with begun = s->t and steps = 0. The generated code rounds
 * to an integer by adding and subtracting a large number. */
static void put_step_count(cmb_buffer *b, int h)
{
  cmb_buffer_print(b,
                   "  m->steps = ((s->t - m->begun) / m->x[%d] + 6755399441055744.0) - "
                   "6755399441055744.0;\n"
                   "  if (m->begun + m->steps * m->x[%d] != s->t) {\n"
                   "    m->begun = s->t;\n    m->steps = 0;\n  }\n",
                   h, h);
}

/* Appends to the exported C source b the functions NAME_get_state and NAME_set_state, which copy time, coordinates, velocities, sampled
 * values and modes of friction that can stick from and to an instance. The latter then computes all other modes, and modes of friction that
 * are 0. */
static void put_access(const cmb_c_code *c, cmb_buffer *b)
{
  const cmb_code *x = c->x;
  const int *first = x->layout.first;
  const char *n = c->name;
  cmb_buffer_print(b, "\nvoid %s_get_state(const %s *m, %s_state *s)\n{\n  int i;\n", n, n, n);
  cmb_buffer_put(b, "  s->t = m->x[0];\n");
  put_copy(b, x->nq, "s->q", 0, "m->x", first[CMB_BLOCK_Q]);
  put_copy(b, x->nv, "s->v", 0, "m->x", first[CMB_BLOCK_V]);
  put_copy(b, x->nh, "s->held", 0, "m->x", first_held(c));
  for (int k = 0; k < c->grips; k++) {
    cmb_buffer_print(b, "  s->grip[%d] = m->x[%d];\n", k, first[CMB_BLOCK_MODE] + c->grip_mode[k]);
  }
  cmb_buffer_print(b, "}\n\nvoid %s_set_state(%s *m, const %s_state *s)\n{\n  int i;\n", n, n, n);
  cmb_buffer_put(b, "  m->x[0] = s->t;\n");
  put_step_count(b, first[CMB_BLOCK_H]);
  put_copy(b, x->nq, "m->x", first[CMB_BLOCK_Q], "s->q", 0);
  put_copy(b, x->nv, "m->x", first[CMB_BLOCK_V], "s->v", 0);
  put_copy(b, x->nh, "m->x", first_held(c), "s->held", 0);
  for (int k = 0; k < c->grips; k++) {
    cmb_buffer_print(b, "  m->x[%d] = s->grip[%d];\n", first[CMB_BLOCK_MODE] + c->grip_mode[k], k);
  }
  put_parameters(c, b);
  put_fresh_modes(c, b);
  cmb_buffer_put(b, "}\n");
}

cmb_status cmb_c_code_source(const cmb_c_code *c, cmb_buffer *b)
{
  cmb_c_function functions[MOST_PROGRAMS];
  const int count = list_programs(c, functions);
  put_top(c, b);
  cmb_buffer_print(b, "#include \"%s.h\"\n\n#include <math.h>\n\n", c->name);
  CMB_TRY(cmb_c_functions(c->ctx, c->name, count, functions, b));
  put_modes(c, b);
  put_grip(c, b);
  put_samples(c, b);
  put_init(c, b);
  put_step(c, b);
  put_access(c, b);
  if (c->first) put_formula_start(c, b);
  if (c->start_reads) put_stored_start(c, b);
  return CMB_OK;
}
