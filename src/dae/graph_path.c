/*
 * What the motion of a graph system takes from where it is, and could pass over in one step (dae.h, `path_values`): the largest parts of f
 * and g that read a single coordinate, or one single function of q and t, and can have narrow bumps; and in them each function that has
 * them whatever its argument is.
 *
 * Smooth tables, exp and tanh can, whatever their arguments are. Of a single coordinate a quotient, a power, a circular function of more
 * than the coordinate itself, atan, sinh and cosh can, too; the sines, lengths and angles of kinematics, and what is divided by them,
 * cannot, since they change no faster than the coordinates do. Tables of straight lines are not among them: their corners are events.
 * Sums of many waves are not, either: they have no bump that stands alone, and a step feels them wherever it looks.
 *
 * Of heights over a line that turns there are second derivatives, too: on the way along the line x and y vary much and the place across it hardly does,
 * which bounds of x, y and their first derivatives do not see. They say how a function varies only if its first derivative has no jumps.
 */
#include "base/context.h"
#include "dae/graph_data.h"
#include "expr/graph.h"
#include "expr/interval.h"
#include "expr/program.h"
#include "expr/table.h"

#include <math.h>
#include <string.h>

/* What an expression is as a function of q, from the least to the most; BEYOND: it reads more than t, q and the modes. */
typedef enum kind { FIXED, UNIT, LINEAR, CURVED, BEYOND } kind; /* UNIT: a coordinate, or a sum */

enum { NONE = -1, SEVERAL = -2, PART = CMB_WATCHED_PART };

/* Of a node. It reads a single thing: a coordinate 0 .. nq − 1, t (nq), or what the node nq + 1 + .. stands for. */
typedef struct nature {
  kind kind;
  int single;    /* NONE, SEVERAL */
  cmb_expr core; /* the node is this one but for constants added and factors */
  bool plain;    /* it reads coordinates otherwise than by sines and cosines of angles */
  bool steep;    /* it can have narrow bumps */
  bool smooth;   /* its derivative has no jumps */
  bool on_line;  /* it reads the place on a line (expr/foot.h) */
} nature;

static int merge(int a, int b)
{
  if (a == NONE || a == b) return b;
  return b == NONE ? a : SEVERAL;
}

/* The kind of an operation on arguments of the kinds x, the most of them being `most`, neither FIXED nor BEYOND. */
static kind kind_of(cmb_op op, const kind x[3], kind most)
{
  const kind scaled = most == CURVED ? CURVED : LINEAR;
  switch (op) {
  case CMB_OP_ADD:
  case CMB_OP_SUB:
  case CMB_OP_NEG:
  case CMB_OP_SMOOTH: return most;
  case CMB_OP_MUL: return x[0] == FIXED || x[1] == FIXED ? scaled : CURVED;
  case CMB_OP_DIV: return x[1] == FIXED ? scaled : CURVED;
  case CMB_OP_IF: return x[0] == FIXED ? most : CURVED;
  case CMB_OP_SOLVE:
  case CMB_OP_CALL: return BEYOND; /* there are no bounds of it */
  default: return CURVED;
  }
}

int cmb_graph_scaled_argument(cmb_op op, bool first_fixed, bool second_fixed)
{
  const bool affine = op == CMB_OP_ADD || op == CMB_OP_SUB || op == CMB_OP_MUL;
  if (op == CMB_OP_NEG || ((affine || op == CMB_OP_DIV) && second_fixed)) return 0;
  return affine && first_fixed ? 1 : -1;
}

/* The core of an operation: that of the one argument that moves, if the others only shift or scale it. */
static cmb_expr core_of(const cmb_graph *g, cmb_expr e, const nature *of)
{
  const cmb_expr a = cmb_expr_argument(g, e, 0), b = cmb_expr_argument(g, e, 1);
  const int k =
      cmb_graph_scaled_argument(cmb_expr_op(g, e), of[a].kind == FIXED, of[b].kind == FIXED);
  return k < 0 ? e : of[k == 0 ? a : b].core;
}

bool cmb_graph_is_polynomial(const cmb_graph *g, cmb_expr exponent)
{
  if (cmb_expr_op(g, exponent) != CMB_OP_CONSTANT) return false;
  const double n = cmb_expr_constant(g, exponent);
  return n >= 0 && n <= 4 && n == floor(n);
}

/* A sum of so many waves goes on everywhere alike: no stage of a step is without them. A foot changes as the place does. */
static bool has_no_bumps(const cmb_table *t)
{
  enum { MANY_WAVES = 16 };
  return t->kind == CMB_TABLE_FOOT || (t->kind == CMB_TABLE_WAVES && t->nx >= MANY_WAVES);
}

bool cmb_graph_is_steep(const cmb_graph *g, cmb_expr e)
{
  const cmb_node *n = &g->nodes[e];
  if (n->op == CMB_OP_TABLE_AT) return !cmb_table_has_kinks(g->tables[n->data]);
  if (n->op == CMB_OP_TABLE2) return !has_no_bumps(g->tables[n->data]);
  return n->op == CMB_OP_TABLE || n->op == CMB_OP_EXP || n->op == CMB_OP_TANH;
}

/* Whether it has where its arguments are functions of a single coordinate. */
static bool is_steep_alone(const cmb_graph *g, const cmb_node *n, const nature *of)
{
  switch (n->op) {
  case CMB_OP_DIV: return of[n->b].plain && cmb_expr_op(g, of[n->b].core) != CMB_OP_SQRT;
  case CMB_OP_POW: return of[n->a].plain && !cmb_graph_is_polynomial(g, n->b);
  case CMB_OP_SIN:
  case CMB_OP_COS:
  case CMB_OP_TAN: return of[n->a].kind > UNIT;
  case CMB_OP_ATAN:
  case CMB_OP_SINH:
  case CMB_OP_COSH: return true;
  default: return false;
  }
}

/* Whether a table has a derivative without jumps. Its own derivatives may have none. */
static bool is_smooth_table(const cmb_graph *g, const cmb_node *n)
{
  const cmb_table *t = g->tables[n->data];
  return t->kind == CMB_TABLE_FOOT || (n->order == 0 && t->kind != CMB_TABLE_LINEAR);
}

/* Whether an operation on arguments with the natures `of` them keeps derivatives without jumps, wherever its bounds are known. */
static bool is_smooth(const cmb_graph *g, const cmb_node *n, const nature *of)
{
  switch (n->op) {
  case CMB_OP_ADD:
  case CMB_OP_SUB:
  case CMB_OP_MUL:
  case CMB_OP_DIV:
  case CMB_OP_NEG:
  case CMB_OP_SQRT:
  case CMB_OP_SIN:
  case CMB_OP_COS:
  case CMB_OP_EXP: return true;
  case CMB_OP_IF: return of[n->a].kind == FIXED;
  case CMB_OP_TABLE:
  case CMB_OP_TABLE2: return is_smooth_table(g, n);
  default: return false;
  }
}

static nature nature_of(const cmb_graph *g, cmb_expr e, int nq, const nature *of)
{
  const cmb_op op = cmb_expr_op(g, e);
  const cmb_node *n = &g->nodes[e];
  nature result = {.kind = FIXED, .single = NONE, .core = e, .smooth = true};
  kind x[3] = {FIXED, FIXED, FIXED};
  for (int i = 0; i < cmb_op_arity(op); i++) {
    const nature *argument = &of[cmb_expr_argument(g, e, i)];
    x[i] = argument->kind;
    if (x[i] > result.kind) result.kind = x[i];
    result.single = merge(result.single, argument->single);
    result.plain = result.plain || argument->plain;
    result.steep = result.steep || argument->steep;
    result.smooth = result.smooth && argument->smooth;
    result.on_line = result.on_line || argument->on_line;
  }
  if ((op == CMB_OP_SIN || op == CMB_OP_COS) && result.kind == UNIT) result.plain = false;
  if (result.kind == FIXED || result.kind == BEYOND) return result;
  result.kind = kind_of(op, x, result.kind);
  result.core = core_of(g, e, of);
  result.smooth = result.smooth && is_smooth(g, n, of);
  if (op == CMB_OP_TABLE2 && g->tables[n->data]->kind == CMB_TABLE_FOOT) result.on_line = true;
  const bool always = cmb_graph_is_steep(g, e);
  if (always || (result.single >= 0 && is_steep_alone(g, n, of))) result.steep = true;
  if (always && result.single == SEVERAL) {
    result.single = nq + 1 + (int)(op == CMB_OP_TABLE2 ? e : of[n->a].core);
  }
  return result;
}

/* The natures of all nodes that are used. */
static void find_natures(const cmb_graph_parts *p, const uint8_t *used, nature *of)
{
  const cmb_graph *g = p->x->graph;
  const int nq = p->x->nq;
  for (cmb_expr e = 0; e < cmb_graph_size(g); e++) {
    const kind of_input = cmb_expr_op(g, e) == CMB_OP_INPUT ? BEYOND : FIXED;
    of[e] = (nature){.kind = of_input, .single = NONE, .core = e, .smooth = true};
  }
  for (int i = 0; i < nq; i++) {
    const cmb_expr q = p->x->q[i];
    of[q] = (nature){.kind = UNIT, .single = i, .core = q, .plain = true, .smooth = true};
  }
  of[p->x->t] =
      (nature){.kind = LINEAR, .single = nq, .core = p->x->t, .plain = true, .smooth = true};
  for (int i = 0; i < p->ns; i++) of[cmb_modes_at(p->modes, i)->mode].kind = FIXED;
  for (int i = 0; i < p->x->np; i++) of[p->x->parameter[i]].kind = FIXED;
  for (cmb_expr e = 0; e < cmb_graph_size(g); e++) {
    if (used[e] && cmb_op_arity(cmb_expr_op(g, e)) > 0) of[e] = nature_of(g, e, nq, of);
  }
}

/* Steep parts of a single thing; those of t alone are among the functions of time. */
static bool is_part(const cmb_graph_parts *p, const nature *n)
{
  return n->kind == CURVED && n->steep && n->single >= 0 && n->single != p->x->nq;
}

/* Marks steep functions, since what they are added to or multiplied by may hide their bumps; and the largest steep parts: results, and
 * arguments of what is none, or one of something else. What only shifts or scales one of these is none. */
static void mark_parts(const cmb_graph_parts *p, const nature *of, int results,
                       const cmb_expr *result, uint8_t *used)
{
  const cmb_graph *g = p->x->graph;
  for (int i = 0; i < results; i++) {
    if (is_part(p, &of[result[i]])) used[of[result[i]].core] |= PART;
  }
  for (cmb_expr e = 0; e < cmb_graph_size(g); e++) {
    if (used[e] && is_part(p, &of[e]) && cmb_graph_is_steep(g, e)) used[e] |= PART;
    for (int i = 0; used[e] && i < cmb_op_arity(cmb_expr_op(g, e)); i++) {
      const cmb_expr x = cmb_expr_argument(g, e, i);
      const bool larger = is_part(p, &of[e]) && of[e].single == of[x].single;
      if (is_part(p, &of[x]) && !larger) used[of[x].core] |= PART;
    }
  }
}

/* The watched functions: those among them with second derivatives are bent[0], bent[1], .. */
struct watched {
  int count, bent_count;
  const cmb_expr *part; /* (count) */
  int *bent;            /* (bent_count) */
  int grid_count;
  cmb_expr *grid; /* (grid_count) the tables over grids that they read */
};

static cmb_status list_bent(const cmb_graph_parts *p, cmb_arena *arena, const nature *of,
                            struct watched *w)
{
  w->bent = cmb_arena_ints(arena, w->count);
  if (!w->bent) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < w->count; i++) {
    const nature *n = &of[w->part[i]];
    if (n->smooth && n->on_line) w->bent[w->bent_count++] = i;
  }
  return CMB_OK;
}

static bool is_grid(const cmb_graph *g, cmb_expr e)
{
  const cmb_node *n = &g->nodes[e];
  return n->op == CMB_OP_TABLE2 && g->tables[n->data]->kind == CMB_TABLE_SPLINE;
}

/* Grids have borders, where slopes jump (cmb_table2_crosses_border). */
static cmb_status list_grids(const cmb_graph_parts *p, struct watched *w)
{
  const cmb_graph *g = p->x->graph;
  cmb_expr *bent = cmb_arena_take(p->arena, (size_t)w->bent_count, sizeof *bent);
  if (!bent) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < w->bent_count; i++) bent[i] = w->part[w->bent[i]];
  uint8_t *used = cmb_reachable(g, w->bent_count, bent);
  int count = 0;
  for (cmb_expr e = 0; used && e < cmb_graph_size(g); e++) count += used[e] && is_grid(g, e);
  if (used) w->grid = cmb_arena_take(p->arena, (size_t)count, sizeof *w->grid);
  for (cmb_expr e = 0; used && w->grid && e < cmb_graph_size(g); e++) {
    if (used[e] && is_grid(g, e)) w->grid[w->grid_count++] = e;
  }
  cmb_release(p->ctx, used);
  return w->grid ? CMB_OK : cmb_fail_memory(p->ctx);
}

static void grow_scratch(cmb_graph_data *d, int inputs, const cmb_program *program)
{
  const int doubles = 2 * (inputs + cmb_program_work(program));
  if (doubles > d->scratch) d->scratch = doubles;
}

/* The derivatives of `rate` along the motion: x are t and q, then t' and q', then q''. */
static cmb_status make_bends(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d,
                             const struct watched *w, const cmb_expr *rate, int inputs,
                             const cmb_expr *input)
{
  const cmb_graph *g = p->x->graph;
  const int outputs = w->bent_count + 2 * w->grid_count;
  const int nq = p->x->nq, moving = 1 + nq, fixed = inputs - moving - nq;
  const cmb_expr *along = input + fixed, *bend = along + moving;
  cmb_expr *wrt = cmb_arena_take(p->arena, 2 * (size_t)moving, sizeof *wrt);
  cmb_expr *direction = cmb_arena_take(p->arena, 2 * (size_t)moving, sizeof *direction);
  cmb_expr *e = cmb_arena_take(p->arena, (size_t)outputs, sizeof *e), *place = e + w->bent_count;
  d->path_grids = cmb_arena_take(arena, (size_t)w->grid_count, sizeof(const cmb_table *));
  if (!wrt || !direction || !e || !d->path_grids) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < moving; i++) {
    wrt[i] = i == 0 ? p->x->t : p->x->q[i - 1];
    direction[i] = wrt[moving + i] = along[i];
    direction[moving + i] = i == 0 ? 0 : bend[i - 1];
  }
  for (int i = 0; i < w->bent_count; i++) e[i] = rate[w->bent[i]];
  CMB_TRY(cmb_forward(p->x->graph, 2 * moving, wrt, direction, w->bent_count, e, e));
  for (int i = 0; i < w->grid_count; i++) {
    d->path_grids[i] = g->tables[g->nodes[w->grid[i]].data];
    for (int k = 0; k < 2; k++) *place++ = cmb_expr_argument(g, w->grid[i], k);
  }
  CMB_TRY(cmb_program_create(p->ctx, g, inputs, input, outputs, e, &d->path_bends));
  d->path_bent = w->bent;
  d->path_bent_count = w->bent_count;
  d->path_grid_count = w->grid_count;
  grow_scratch(d, inputs + outputs, d->path_bends);
  return CMB_OK;
}

/* The derivatives along (t', q') and q'', whose inputs stand behind those of the functions. */
static cmb_status make_rates(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d,
                             struct watched *w)
{
  const cmb_expressions *x = p->x;
  const int fixed = cmb_layout_end(&d->layout, CMB_BLOCK_P), moving = 1 + x->nq;
  const int inputs = fixed + moving, with_bends = inputs + x->nq;
  cmb_expr *wrt = cmb_arena_take(p->arena, (size_t)moving, sizeof *wrt);
  cmb_expr *input = cmb_arena_take(p->arena, (size_t)with_bends, sizeof *input);
  cmb_expr *rate = cmb_arena_take(p->arena, (size_t)w->count, sizeof *rate);
  if (!wrt || !input || !rate) return cmb_fail_memory(p->ctx);
  wrt[0] = x->t;
  for (int i = 0; i < x->nq; i++) wrt[1 + i] = x->q[i];
  for (int i = 0; i < fixed; i++) input[i] = p->input[i];
  cmb_graph_list_directions(p, with_bends - fixed, input + fixed);
  CMB_TRY(cmb_forward(x->graph, moving, wrt, input + fixed, w->count, w->part, rate));
  CMB_TRY(cmb_program_create(p->ctx, x->graph, inputs, input, w->count, rate, &d->path_rates));
  grow_scratch(d, inputs, d->path_rates);
  if (w->bent_count == 0) return CMB_OK;
  CMB_TRY(list_grids(p, w));
  return make_bends(p, arena, d, w, rate, with_bends, input);
}

static cmb_status make_programs(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d,
                                struct watched *w)
{
  CMB_TRY(cmb_graph_watch_program(p, d, w->count, w->part, &d->path));
  CMB_TRY(make_rates(p, arena, d, w));
  const int q = d->layout.first[CMB_BLOCK_Q];
  bool *read = cmb_arena_take(p->arena, (size_t)cmb_program_inputs(d->path), sizeof *read);
  d->path_reads = cmb_arena_take(arena, (size_t)d->nq, sizeof *d->path_reads);
  if (!read || !d->path_reads) return cmb_fail_memory(p->ctx);
  cmb_program_mark_inputs(d->path, read);
  for (int i = 0; i < d->nq; i++) d->path_reads[i] = read[q + i];
  return CMB_OK;
}

/* What is to be watched. */
static cmb_status find_watched(const cmb_graph_parts *p, cmb_arena *arena, struct watched *w)
{
  int results;
  const cmb_expr *result = cmb_graph_motion_results(p, &results);
  if (!result) return cmb_fail_memory(p->ctx);
  nature *of = cmb_allocate(p->ctx, (size_t)cmb_graph_size(p->x->graph) * sizeof *of);
  uint8_t *used = cmb_reachable(p->x->graph, results, result);
  cmb_status status = CMB_OK;
  if (of && used) {
    find_natures(p, used, of);
    mark_parts(p, of, results, result, used);
    w->part = cmb_graph_list_parts(p, used, &w->count);
    if (w->part) status = list_bent(p, arena, of, w);
  }
  cmb_release(p->ctx, of);
  cmb_release(p->ctx, used);
  return w->part ? status : cmb_fail_memory(p->ctx);
}

cmb_status cmb_graph_path_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d)
{
  struct watched w = {0};
  CMB_TRY(find_watched(p, arena, &w));
  return w.count > 0 ? make_programs(p, arena, d, &w) : CMB_OK;
}

void cmb_graph_path_values(const void *self, const cmb_point *at, double *values)
{
  const cmb_graph_data *d = self;
  double *in = at->scratch;
  cmb_graph_put_first(d, at, at->q, in);
  cmb_program_run(d->path, in, values, in + cmb_layout_end(&d->layout, CMB_BLOCK_P));
}

void cmb_graph_path_bounds(const void *self, const cmb_box *box, cmb_interval *bounds)
{
  const cmb_graph_data *d = self;
  cmb_interval *in = box->scratch;
  cmb_graph_put_first_box(d, box, box->q, in);
  cmb_program_enclose(d->path, in, bounds, in + cmb_layout_end(&d->layout, CMB_BLOCK_P));
}

/* The box as inputs; returns where those behind t' and q' begin. */
static cmb_interval *put_rates(const cmb_graph_data *d, const cmb_box *box)
{
  cmb_interval *in = box->scratch;
  cmb_graph_put_first_box(d, box, box->q, in);
  cmb_interval *along = in + cmb_layout_end(&d->layout, CMB_BLOCK_P);
  *along++ = box->t_rate;
  for (int i = 0; i < d->nq; i++) *along++ = box->q_rate[i];
  return along;
}

void cmb_graph_path_rates(const void *self, const cmb_box *box, cmb_interval *rates)
{
  const cmb_graph_data *d = self;
  cmb_interval *work = put_rates(d, box);
  cmb_program_enclose(d->path_rates, box->scratch, rates, work);
}

/* Whether the motion may pass over the border of a grid; place has where it is on each. */
static bool passes_border(const cmb_graph_data *d, const cmb_interval *place)
{
  for (int i = 0; i < d->path_grid_count; i++) {
    if (cmb_table2_crosses_border(d->path_grids[i], place[2 * i], place[2 * i + 1])) return true;
  }
  return false;
}

void cmb_graph_path_bends(const void *self, const cmb_box *box, cmb_interval *bends)
{
  const cmb_graph_data *d = self;
  cmb_interval *out = put_rates(d, box);
  for (int i = 0; i < d->nq; i++) *out++ = box->q_bend[i];
  cmb_program_enclose(d->path_bends, box->scratch, out, out + cmb_program_outputs(d->path_bends));
  const bool known = !passes_border(d, out + d->path_bent_count);
  for (int i = 0; i < cmb_program_outputs(d->path); i++) bends[i] = cmb_interval_unknown();
  for (int k = 0; known && k < d->path_bent_count; k++) bends[d->path_bent[k]] = out[k];
}
