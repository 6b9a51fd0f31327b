/*
 * Functions of the position that a step of the time integration could pass over unnoticed (dae.h, `path_values`). They are the largest
 * subexpressions of f, g and the surfaces of rules that depend on a single coordinate, or on one single function of q and t, and can have
 * narrow bumps; inside these those that terms or factors may hide; and the reciprocals of divisors under what depends on velocities.
 *
 * Smooth tables, exp, tanh, atan, sinh, cosh, powers with negative exponents and quotients can, whatever their arguments are. Functions
 * of a single coordinate can, too, if they are another power or a circular function of more than the coordinate itself. The sines,
 * lengths and angles of kinematics, and quotients by lengths, cannot, since they change no faster than the coordinates do. Piecewise
 * linear tables are left out: their corners are events. Sums of many waves are left out, too: they have no isolated bump, so that every
 * stage of a step is affected by them.
 *
 * For heights over a curved line there are second derivatives, too: along the line x and y vary much while the distance from it
 * hardly does, which bounds of x, y and their first derivatives do not show. They bound the variation of a function only if its
 * first derivative is continuous.
 */
#include "base/context.h"
#include "dae/graph_data.h"
#include "expr/graph.h"
#include "expr/interval.h"
#include "expr/program.h"
#include "expr/table.h"

#include <math.h>
#include <string.h>

/* How an expression depends on q, from the simplest to the most general. UNIT: a coordinate, or a sum of coordinates with coefficients ±1;
 * BEYOND: it reads more than t, q, modes and parameters, or has no bounds. */
typedef enum kind { FIXED, UNIT, LINEAR, CURVED, BEYOND } kind;

enum { NONE = -1, SEVERAL = -2, PART = CMB_WATCHED_PART };

/* Properties of a graph node. What it depends on is numbered: coordinates 0 .. nq − 1, t nq, the function of node k nq + 1 + k. */
typedef struct traits {
  kind kind;
  int single;    /* the only thing it depends on, as numbered above; or NONE, SEVERAL */
  cmb_expr core; /* the node is this one up to added constants and factors */
  bool plain;    /* it depends on coordinates in another way than by sines and cosines of angles */
  bool steep;    /* it can have narrow bumps */
  bool makes_peak; /* its own operation can make them whatever its arguments are */
  bool has_peak;   /* that operation or one inside of it can */
  bool cut;        /* it has smooth() in it */
  bool smooth;     /* its derivative is continuous */
  bool on_line;    /* it depends on the position on a line (expr/foot.h) */
} traits;

static int merge(int a, int b)
{
  if (a == NONE || a == b) return b;
  return b == NONE ? a : SEVERAL;
}

/* Classifies how the result of an operation depends on q and t: UNIT (a sum of coordinates with factors ±1), LINEAR, CURVED
 * (nonlinear) or BEYOND (no bounds can be computed). x[3] are the classes of its arguments; `most`, the most general of these, is
 * neither FIXED (constant) nor BEYOND. */
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
  case CMB_OP_CALL: return BEYOND; /* it has no bounds */
  default: return CURVED;
  }
}

int cmb_graph_scaled_argument(cmb_op op, bool first_fixed, bool second_fixed)
{
  const bool affine = op == CMB_OP_ADD || op == CMB_OP_SUB || op == CMB_OP_MUL;
  if (op == CMB_OP_NEG || ((affine || op == CMB_OP_DIV) && second_fixed)) return 0;
  return affine && first_fixed ? 1 : -1;
}

/* Returns the expression x that remains of e = c₁ x + c₂ without added terms and factors that depend on neither q nor t; e itself
 * if its last operation is not such a shift or scaling. of[k] has the properties of node k. */
static cmb_expr core_of(const cmb_graph *g, cmb_expr e, const traits *of)
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

/* Returns whether a table function of two variables cannot have narrow bumps that a time step could miss: it is a sum of at least
 * MANY_WAVES sine waves, or the projection of a point onto a line, which varies only as fast as the point moves. */
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

/* Returns whether a quotient with the divisor e, which depends on the position, can have narrow bumps. Excepted are divisors that are lengths
 * (square roots), or that contain smooth(), by which tyres keep loads and divisors away from 0. of[k] has the properties of node k. */
static bool is_steep_divisor(const cmb_graph *g, cmb_expr e, const traits *of)
{
  const bool is_length = cmb_expr_op(g, of[e].core) == CMB_OP_SQRT;
  return of[e].kind > FIXED && of[e].kind < BEYOND && !is_length && !of[e].cut;
}

/* Returns whether the operation of node e, which depends on the position, can make narrow bumps whatever its arguments are: atan, sinh, cosh,
 * powers with a negative exponent, some quotients (is_steep_divisor) and the operations of cmb_graph_is_steep. of[k] has the properties of node
 * k. */
static bool makes_peak(const cmb_graph *g, cmb_expr e, const traits *of)
{
  const cmb_node *n = &g->nodes[e];
  switch (n->op) {
  case CMB_OP_DIV: return is_steep_divisor(g, n->b, of);
  case CMB_OP_POW: return cmb_expr_op(g, n->b) == CMB_OP_CONSTANT && cmb_expr_constant(g, n->b) < 0;
  case CMB_OP_ATAN:
  case CMB_OP_SINH:
  case CMB_OP_COSH: return true;
  default: return cmb_graph_is_steep(g, e);
  }
}

/* Returns whether node n, as a function of one coordinate, may vary rapidly over a short interval that a time step could miss: sin, cos and
 * tan, unless of a sum of coordinates with factors ±1; and quotients and powers, unless the divisor or base depends on coordinates only by
 * sines and cosines of angles, the divisor is a square root, or the exponent is a whole number from 0 to 4. of[k] has the properties of node k. */
static bool is_steep_in_coordinate(const cmb_graph *g, const cmb_node *n, const traits *of)
{
  switch (n->op) {
  case CMB_OP_DIV: return of[n->b].plain && cmb_expr_op(g, of[n->b].core) != CMB_OP_SQRT;
  case CMB_OP_POW: return of[n->a].plain && !cmb_graph_is_polynomial(g, n->b);
  case CMB_OP_SIN:
  case CMB_OP_COS:
  case CMB_OP_TAN: return of[n->a].kind > UNIT;
  default: return false;
  }
}

/* Returns whether node n, a table lookup or a derivative of one, is known to be continuously differentiable. True for tables that project a
 * point onto a line, and for lookups (not derivatives) of other tables that are not piecewise linear. */
static bool is_smooth_table(const cmb_graph *g, const cmb_node *n)
{
  const cmb_table *t = g->tables[n->data];
  return t->kind == CMB_TABLE_FOOT || (n->order == 0 && t->kind != CMB_TABLE_LINEAR);
}

/* Returns whether the operation of node n is known to have a continuous first derivative with bounds that interval arithmetic can compute,
 * wherever no divisor or argument of a root is 0, provided that its arguments have such derivatives. of[k] has the properties of node k. */
static bool is_smooth(const cmb_graph *g, const cmb_node *n, const traits *of)
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

static traits traits_of(const cmb_graph *g, cmb_expr e, int nq, const traits *of)
{
  const cmb_op op = cmb_expr_op(g, e);
  const cmb_node *n = &g->nodes[e];
  traits result = {
      .kind = FIXED, .single = NONE, .core = e, .cut = op == CMB_OP_SMOOTH, .smooth = true};
  kind x[3] = {FIXED, FIXED, FIXED};
  for (int i = 0; i < cmb_op_arity(op); i++) {
    const traits *argument = &of[cmb_expr_argument(g, e, i)];
    x[i] = argument->kind;
    if (x[i] > result.kind) result.kind = x[i];
    result.single = merge(result.single, argument->single);
    result.plain = result.plain || argument->plain;
    result.steep = result.steep || argument->steep;
    result.has_peak = result.has_peak || argument->has_peak;
    result.cut = result.cut || argument->cut;
    result.smooth = result.smooth && argument->smooth;
    result.on_line = result.on_line || argument->on_line;
  }
  if ((op == CMB_OP_SIN || op == CMB_OP_COS) && result.kind == UNIT) result.plain = false;
  if (result.kind == FIXED || result.kind == BEYOND) return result;
  result.kind = kind_of(op, x, result.kind);
  result.core = core_of(g, e, of);
  result.smooth = result.smooth && is_smooth(g, n, of);
  if (op == CMB_OP_TABLE2 && g->tables[n->data]->kind == CMB_TABLE_FOOT) result.on_line = true;
  result.makes_peak = makes_peak(g, e, of);
  result.has_peak = result.has_peak || result.makes_peak;
  if (result.makes_peak || (result.single >= 0 && is_steep_in_coordinate(g, n, of))) {
    result.steep = true;
  }
  if (result.makes_peak && result.single == SEVERAL) {
    result.single = nq + 1 + (int)(op == CMB_OP_TABLE2 || op == CMB_OP_DIV ? e : of[n->a].core);
  }
  return result;
}

/* Determines for each graph node marked in `used` how it depends on the positions q and the time t, and stores these properties in
 * of[], which has an entry for each node of the graph. */
static void find_traits(const cmb_graph_parts *p, const uint8_t *used, traits *of)
{
  const cmb_graph *g = p->x->graph;
  const int nq = p->x->nq;
  for (cmb_expr e = 0; e < cmb_graph_size(g); e++) {
    const kind of_input = cmb_expr_op(g, e) == CMB_OP_INPUT ? BEYOND : FIXED;
    of[e] = (traits){.kind = of_input, .single = NONE, .core = e, .smooth = true};
  }
  for (int i = 0; i < nq; i++) {
    const cmb_expr q = p->x->q[i];
    of[q] = (traits){.kind = UNIT, .single = i, .core = q, .plain = true, .smooth = true};
  }
  of[p->x->t] =
      (traits){.kind = LINEAR, .single = nq, .core = p->x->t, .plain = true, .smooth = true};
  for (int i = 0; i < p->ns; i++) of[cmb_modes_at(p->modes, i)->mode].kind = FIXED;
  for (int i = 0; i < p->x->np; i++) of[p->x->parameter[i]].kind = FIXED;
  for (cmb_expr e = 0; e < cmb_graph_size(g); e++) {
    if (used[e] && cmb_op_arity(cmb_expr_op(g, e)) > 0) of[e] = traits_of(g, e, nq, of);
  }
}

/* Returns whether an expression with the properties n is monitored during a time step, so that the step does not pass over a narrow bump of it:
 * it is nonlinear, can have narrow bumps, and depends on a single quantity (a coordinate, or one other function of q and t) that is not the
 * time t. */
static bool is_part(const cmb_graph_parts *p, const traits *n)
{
  return n->kind == CURVED && n->steep && n->single >= 0 && n->single != p->x->nq;
}

/* Returns whether the bounds of the values of node e can be too wide to show narrow bumps of its argument i. This is so for a sum or product of
 * this argument with another one that varies, if that has no bumps itself or if argument i is, up to constant shifts and factors, a single
 * operation that makes bumps. of[k] has the properties of node k. */
static bool hides(const cmb_graph *g, cmb_expr e, int i, const traits *of)
{
  const cmb_op op = cmb_expr_op(g, e);
  if (op != CMB_OP_ADD && op != CMB_OP_SUB && op != CMB_OP_MUL) return false;
  const traits *x = &of[cmb_expr_argument(g, e, i)], *other = &of[cmb_expr_argument(g, e, 1 - i)];
  return other->kind > FIXED && x->has_peak && (!other->has_peak || of[x->core].makes_peak);
}

/* Marks in `used` the functions of position that are monitored for narrow bumps, which a time step could miss: the largest subexpressions with
 * bumps (is_part) that are one of result[results] or are combined with anything else, those inside of them whose bumps the bounds of a sum or
 * product may cover, and each table, exp and tanh in them. Constant shifts and factors of a subexpression are left out. */
static void mark_parts(const cmb_graph_parts *p, const traits *of, int results,
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
      if (is_part(p, &of[x]) && (!larger || hides(g, e, i, of))) used[of[x].core] |= PART;
    }
  }
}

/* The monitored functions. Those of them that have second derivatives are number bent[0], bent[1], .. */
struct watched {
  int count, bent_count;
  const cmb_expr *part; /* (count) */
  int *bent;            /* (bent_count) */
  int grid_count;
  cmb_expr *grid; /* (grid_count) the tables over grids that these depend on */
};

static cmb_status list_bent(const cmb_graph_parts *p, cmb_arena *arena, const traits *of,
                            struct watched *w)
{
  w->bent = cmb_arena_ints(arena, w->count);
  if (!w->bent) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < w->count; i++) {
    const traits *n = &of[w->part[i]];
    if (n->smooth && n->on_line) w->bent[w->bent_count++] = i;
  }
  return CMB_OK;
}

/* Adds to w->part, the functions that are checked for narrow bumps during each step, the reciprocals of those divisors that can make bumps but
 * whose quotient cannot be checked itself, since its dividend depends on velocities or other quantities. */
static cmb_status add_reciprocals(const cmb_graph_parts *p, const traits *of, const uint8_t *used,
                                  struct watched *w)
{
  cmb_graph *g = p->x->graph;
  const cmb_expr size = cmb_graph_size(g), one = cmb_constant(g, 1);
  int most = w->count;
  for (cmb_expr e = 0; e < size; e++) most += used[e] && cmb_expr_op(g, e) == CMB_OP_DIV;
  cmb_expr *part = cmb_arena_take(p->arena, (size_t)most, sizeof *part);
  if (!part) return cmb_fail_memory(p->ctx);
  memcpy(part, w->part, (size_t)w->count * sizeof *part);
  w->part = part;
  for (cmb_expr e = 0; e < size; e++) {
    if (!used[e] || cmb_expr_op(g, e) != CMB_OP_DIV || of[e].kind != BEYOND) continue;
    const cmb_expr divisor = cmb_expr_argument(g, e, 1);
    if (!is_steep_divisor(g, divisor, of)) continue;
    const cmb_expr reciprocal = cmb_apply(g, CMB_OP_DIV, one, divisor, 0);
    bool listed = false;
    for (int i = 0; i < w->count; i++) listed = listed || part[i] == reciprocal;
    if (!listed) part[w->count++] = reciprocal;
  }
  return CMB_OK;
}

static bool is_grid(const cmb_graph *g, cmb_expr e)
{
  const cmb_node *n = &g->nodes[e];
  return n->op == CMB_OP_TABLE2 && g->tables[n->data]->kind == CMB_TABLE_SPLINE;
}

/* Lists in w->grid the spline tables over two-dimensional grids that occur in monitored functions with second derivatives. First
 * derivatives of such a table jump at the border of its grid. */
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

/* Creates the program d->path_bends for the second derivatives along a motion of the functions w->bent, by differentiating their first
 * derivatives `rate`; they show whether a time step could pass over a bump of a function. The inputs input[inputs] are t, q, modes and
 * parameters, then t' and q', then q''. The last results are both arguments of each grid table in w->grid. */
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

/* Creates the program d->path_rates for the first derivatives of the monitored functions w->part along a motion and, if some of
 * these have second derivatives, the program d->path_bends for them. Both read t, q, modes and parameters, then t' and q'; the
 * latter also q''. */
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

/* Finds the functions of position that can have narrow bumps, over which a time step could pass unnoticed, and lists them in w->part. Lists
 * in w->bent those of them that depend on the position on a line and have a continuous first derivative. */
static cmb_status find_watched(const cmb_graph_parts *p, cmb_arena *arena, struct watched *w)
{
  int results;
  const cmb_expr *result = cmb_graph_motion_results(p, &results);
  if (!result) return cmb_fail_memory(p->ctx);
  traits *of = cmb_allocate(p->ctx, (size_t)cmb_graph_size(p->x->graph) * sizeof *of);
  uint8_t *used = cmb_reachable(p->x->graph, results, result);
  cmb_status status = CMB_OK;
  if (of && used) {
    find_traits(p, used, of);
    mark_parts(p, of, results, result, used);
    w->part = cmb_graph_list_parts(p, used, &w->count);
    if (w->part) status = list_bent(p, arena, of, w);
    if (w->part && status == CMB_OK) status = add_reciprocals(p, of, used, w);
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

/* Copies the intervals of t and q of a box, the modes, the parameters and the derivatives t' and q' along the motion to the box's
 * scratch memory, as inputs of a program. Returns a pointer to the first interval after them. */
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

/* Returns whether the arguments of a table over a grid may cross the border of the grid, for any of the tables d->path_grids.
 * place[2 i] and place[2 i + 1] are bounds of the two arguments of table i. */
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
