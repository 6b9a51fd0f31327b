/*
 * Functions of time alone on which the motion of a graph system depends, and whose variation inside a step must be noticed (dae.h,
 * `time_values`). They are the largest subexpressions of f, g and the surfaces of contacts that read nothing but t, modes and
 * parameters; and inside these each function, and each sum of such functions, that can have narrow bumps, since in 0.3 t + bump(t) a
 * long step changes the sum by more than the height of its bump. Subexpressions that are linear in t while the modes stay are left out:
 * a step cannot pass over anything in them.
 */
#include "base/context.h"
#include "dae/graph_data.h"
#include "expr/graph.h"
#include "expr/interval.h"
#include "expr/table.h"

/* How an expression depends on time, from the simplest to the most general. STEEP: it is curved and can have narrow bumps; MOVING: it
 * depends on the state, or has no bounds. */
typedef enum kind { FIXED, STRAIGHT, CURVED, STEEP, MOVING } kind;

static kind larger(kind a, kind b)
{
  return a > b ? a : b;
}

static bool is_curved(kind x)
{
  return x == CURVED || x == STEEP;
}

/* Classifies how a table lookup e, within a fixed interval of the table, depends on time. If the table is piecewise linear, or if its
 * argument is constant or depends on the state, the lookup has the class of its argument; otherwise it is at least CURVED (nonlinear).
 * of[k] is the class of node k. */
static kind kind_of_table(const cmb_graph *g, cmb_expr e, const kind *of)
{
  const cmb_node *n = &g->nodes[e];
  const kind x = of[n->a];
  const bool straight = n->op == CMB_OP_TABLE_AT && cmb_table_has_kinks(g->tables[n->data]);
  return straight || x == FIXED || x == MOVING ? x : larger(x, CURVED);
}

/* Classifies how the value of node e depends on time, given the classes of[] of all nodes before it: fixed, straight, curved, or moving (enum
 * kind). Narrow bumps, which some operations make, are left to is_steep. */
static kind kind_of(const cmb_graph *g, cmb_expr e, const kind *of)
{
  const cmb_op op = cmb_expr_op(g, e);
  const int arity = cmb_op_arity(op);
  kind x[3] = {FIXED, FIXED, FIXED}, most = FIXED;
  for (int i = 0; i < arity; i++) most = larger(most, x[i] = of[cmb_expr_argument(g, e, i)]);
  if (most == FIXED || most == MOVING) return most;
  switch (op) {
  case CMB_OP_ADD:
  case CMB_OP_SUB:
  case CMB_OP_NEG:
  case CMB_OP_SMOOTH: return most;
  case CMB_OP_MUL: return x[0] == FIXED || x[1] == FIXED ? most : larger(most, CURVED);
  case CMB_OP_DIV: return x[1] == FIXED ? most : larger(most, CURVED);
  case CMB_OP_IF: return x[0] == FIXED ? most : larger(most, CURVED);
  case CMB_OP_TABLE_AT: return kind_of_table(g, e, of);
  case CMB_OP_SOLVE:
  case CMB_OP_CALL: return MOVING; /* only its arguments have bounds */
  default: return larger(most, CURVED);
  }
}

/* Returns whether node e is a nonlinear function of time alone whose operation can make narrow bumps. Such a node is monitored itself, since
 * bounds of sums and products that contain it may be too wide to show the bumps. of[] has the kinds of all nodes up to e. */
static bool is_steep(const cmb_graph *g, cmb_expr e, const kind *of)
{
  const cmb_node *n = &g->nodes[e];
  if (!is_curved(of[e])) return false;
  switch (n->op) {
  case CMB_OP_DIV: return is_curved(of[n->b]);
  case CMB_OP_POW: return !cmb_graph_is_polynomial(g, n->b);
  case CMB_OP_SIN:
  case CMB_OP_COS:
  case CMB_OP_TAN: return is_curved(of[n->a]);
  case CMB_OP_ATAN:
  case CMB_OP_SINH:
  case CMB_OP_COSH: return true;
  default: return cmb_graph_is_steep(g, e);
  }
}

/* Classifies how each graph node marked in `used` depends on time, into of[]: FIXED (constant), STRAIGHT (linear), CURVED (nonlinear), STEEP
 * (nonlinear, with an operation that can make narrow bumps), or MOVING (depends on the state, or has no bounds that interval arithmetic can
 * compute). Inputs other than t, modes and parameters are MOVING. */
static void find_kinds(const cmb_graph_parts *p, const uint8_t *used, kind *of)
{
  const cmb_graph *g = p->x->graph;
  for (cmb_expr e = 0; e < cmb_graph_size(g); e++) {
    const cmb_op op = cmb_expr_op(g, e);
    of[e] = op == CMB_OP_INPUT ? MOVING : FIXED;
  }
  of[p->x->t] = STRAIGHT;
  for (int i = 0; i < p->ns; i++) of[cmb_modes_at(p->modes, i)->mode] = FIXED;
  for (int i = 0; i < p->x->np; i++) of[p->x->parameter[i]] = FIXED;
  for (cmb_expr e = 0; e < cmb_graph_size(g); e++) {
    if (!used[e] || cmb_op_arity(cmb_expr_op(g, e)) == 0) continue;
    of[e] = kind_of(g, e, of);
    if (is_steep(g, e, of)) of[e] = STEEP;
  }
}

/* Strips constant summands and factors from the expression e, which depends on time: returns x if e = c₁ x + c₂; e itself if its last operation
 * is no such shift or scaling. of[k] tells how node k depends on time. */
static cmb_expr core_of(const cmb_graph *g, cmb_expr e, const kind *of)
{
  for (;;) {
    const cmb_op op = cmb_expr_op(g, e);
    const bool first = cmb_op_arity(op) > 0 && of[cmb_expr_argument(g, e, 0)] == FIXED;
    const bool second = cmb_op_arity(op) > 1 && of[cmb_expr_argument(g, e, 1)] == FIXED;
    const int k = cmb_graph_scaled_argument(op, first, second);
    if (k < 0) return e;
    e = cmb_expr_argument(g, e, k);
  }
}

/* Returns whether the bounds of the values of node e, a function of time alone, can be too wide to show narrow bumps of its argument i: e is a
 * sum or product of this argument with another one that varies but has no bumps. of[k] is the class of node k. */
static bool hides(const cmb_graph *g, cmb_expr e, int i, const kind *of)
{
  const cmb_op op = cmb_expr_op(g, e);
  if (op != CMB_OP_ADD && op != CMB_OP_SUB && op != CMB_OP_MUL) return false;
  const kind other = of[cmb_expr_argument(g, e, 1 - i)];
  return of[cmb_expr_argument(g, e, i)] == STEEP && (other == STRAIGHT || other == CURVED);
}

/* Marks in `used` the functions of time alone that are checked for short pulses in each step. These are the nodes whose own operation can make
 * a pulse, and the nonlinear nodes that are one of result[results], are combined with the state, or are combined with another function of time
 * in a sum or product whose bounds could cover a pulse. Constant shifts and factors of a node are left out. of[k] is the class of node k. */
static void mark_parts(const cmb_graph_parts *p, const kind *of, uint8_t *used, int results,
                       const cmb_expr *result)
{
  const cmb_graph *g = p->x->graph;
  for (int i = 0; i < results; i++) {
    if (is_curved(of[result[i]])) used[core_of(g, result[i], of)] |= CMB_WATCHED_PART;
  }
  for (cmb_expr e = 0; e < cmb_graph_size(g); e++) {
    if (used[e] && is_steep(g, e, of)) used[e] |= CMB_WATCHED_PART;
    for (int i = 0; used[e] && i < cmb_op_arity(cmb_expr_op(g, e)); i++) {
      const cmb_expr x = cmb_expr_argument(g, e, i);
      const bool alone = of[e] == MOVING || hides(g, e, i, of);
      if (alone && is_curved(of[x])) used[core_of(g, x, of)] |= CMB_WATCHED_PART;
    }
  }
}

cmb_expr *cmb_graph_list_parts(const cmb_graph_parts *p, const uint8_t *used, int *count)
{
  const cmb_expr size = cmb_graph_size(p->x->graph);
  int parts = 0;
  for (cmb_expr e = 0; e < size; e++) parts += (used[e] & CMB_WATCHED_PART) != 0;
  cmb_expr *part = cmb_arena_take(p->arena, (size_t)parts, sizeof *part);
  *count = 0;
  for (cmb_expr e = 0; part && e < size; e++) {
    if (used[e] & CMB_WATCHED_PART) part[(*count)++] = e;
  }
  return part;
}

cmb_status cmb_graph_watch_program(const cmb_graph_parts *p, cmb_graph_data *d, int count,
                                   const cmb_expr *part, cmb_program **program)
{
  const int inputs = cmb_layout_end(&d->layout, CMB_BLOCK_P);
  CMB_TRY(cmb_program_create(p->ctx, p->x->graph, inputs, p->input, count, part, program));
  const int doubles = 2 * (inputs + cmb_program_work(*program));
  if (doubles > d->scratch) d->scratch = doubles;
  return CMB_OK;
}

cmb_expr *cmb_graph_motion_results(const cmb_graph_parts *p, int *results)
{
  static const int parts[] = {CMB_PART_F, CMB_PART_POSITION, CMB_PART_SURFACES};
  *results = p->count[parts[0]] + p->count[parts[1]] + p->count[parts[2]];
  cmb_expr *result = cmb_arena_take(p->arena, (size_t)*results, sizeof *result), *to = result;
  for (int i = 0; result && i < 3; i++) {
    for (int k = 0; k < p->count[parts[i]]; k++) *to++ = p->part[parts[i]][k];
  }
  return result;
}

/* Creates the programs d->time, for the functions of time that are to be monitored, as `used` tells, and d->time_rates, for their derivatives
 * with respect to t. Creates none if there is no such function. */
static cmb_status make_programs(const cmb_graph_parts *p, const uint8_t *used, cmb_graph_data *d)
{
  cmb_graph *g = p->x->graph;
  int count;
  cmb_expr *part = cmb_graph_list_parts(p, used, &count);
  if (!part) return cmb_fail_memory(p->ctx);
  if (count == 0) return CMB_OK;
  CMB_TRY(cmb_graph_watch_program(p, d, count, part, &d->time));
  const cmb_expr one = cmb_constant(g, 1);
  CMB_TRY(cmb_forward(g, 1, &p->x->t, &one, count, part, part));
  return cmb_graph_watch_program(p, d, count, part, &d->time_rates);
}

cmb_status cmb_graph_time_make(const cmb_graph_parts *p, cmb_graph_data *d)
{
  int results;
  const cmb_expr *result = cmb_graph_motion_results(p, &results);
  if (!result) return cmb_fail_memory(p->ctx);
  kind *of = cmb_allocate(p->ctx, (size_t)cmb_graph_size(p->x->graph) * sizeof *of);
  uint8_t *used = cmb_reachable(p->x->graph, results, result);
  const bool taken = of && used;
  cmb_status status = taken ? CMB_OK : cmb_fail_memory(p->ctx);
  if (taken && used[p->x->t]) {
    find_kinds(p, used, of);
    mark_parts(p, of, used, results, result);
    status = make_programs(p, used, d);
  }
  cmb_release(p->ctx, of);
  cmb_release(p->ctx, used);
  return status;
}

void cmb_graph_time_values(const void *self, const cmb_point *at, double *values)
{
  const cmb_graph_data *d = self;
  double *in = at->scratch;
  cmb_graph_put_first(d, at, NULL, in);
  cmb_program_run(d->time, in, values, in + cmb_layout_end(&d->layout, CMB_BLOCK_P));
}

static void enclose(const cmb_graph_data *d, const cmb_program *program, const cmb_box *box,
                    cmb_interval *out)
{
  cmb_interval *in = box->scratch;
  cmb_graph_put_first_box(d, box, NULL, in);
  cmb_program_enclose(program, in, out, in + cmb_layout_end(&d->layout, CMB_BLOCK_P));
}

void cmb_graph_time_bounds(const void *self, const cmb_box *box, cmb_interval *bounds)
{
  const cmb_graph_data *d = self;
  enclose(d, d->time, box, bounds);
}

void cmb_graph_time_rates(const void *self, const cmb_box *box, cmb_interval *rates)
{
  const cmb_graph_data *d = self;
  enclose(d, d->time_rates, box, rates);
}
