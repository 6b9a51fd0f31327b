/*
 * Bounds of a graph system's switching functions over a piece of a motion (dae.h, `enclose`), by which the search for events misses
 * no crossing inside a step. The program of the functions runs on intervals (expr/interval.h), and so does a program for the
 * derivatives of the expressions that determine the modes,
 *
 *     d/dθ s(t, q, v) = s_t t' + s_q q' + s_v v',
 *
 * whose inputs are those of the first program up to v, then t', q', v'. A function of λ has no bounds, since λ inside a step is
 * unknown, nor has a function that calls a user's C function or depends on the solution of an implicit equation.
 */
#include "base/context.h"
#include "dae/graph_data.h"
#include "expr/graph.h"
#include "expr/interval.h"
#include "expr/program.h"

#include <stdio.h>
#include <string.h>

cmb_status cmb_graph_reads_unknown(const cmb_graph_parts *p, cmb_expr e, bool *closed)
{
  const cmb_graph *g = p->x->graph;
  uint8_t *used = cmb_reachable(g, 1, &e);
  if (!used) return cmb_fail_memory(p->ctx);
  *closed = false;
  for (int i = 0; i < p->x->ng; i++) *closed = *closed || used[p->x->lambda[i]];
  for (cmb_expr k = 0; k <= e; k++) {
    const cmb_op op = cmb_expr_op(g, k);
    *closed = *closed || (used[k] && (op == CMB_OP_CALL || op == CMB_OP_SOLVE));
  }
  cmb_release(p->ctx, used);
  return CMB_OK;
}

/* Finds for each switching function the expression whose value determines its mode (a sign or a whole number), and stores it in of
 * (ns); 0 if no bounds of the expression can be computed. Marks the functions with bounds in d->switch_enclosed (ns) and writes
 * their number to *count. */
static cmb_status list_deciding(const cmb_graph_parts *p, cmb_graph_data *d, cmb_expr *of,
                                int *count)
{
  int level = 0;
  *count = 0;
  for (int i = 0; i < p->ns; i++) {
    bool is_level = !cmb_mode_is_sign(cmb_modes_at(p->modes, i)->kind), closed = false;
    of[i] = is_level ? p->part[CMB_PART_DECIDING][level++] : p->part[CMB_PART_MARGINS][i];
    CMB_TRY(cmb_graph_reads_unknown(p, of[i], &closed));
    d->switch_enclosed[i] = !closed;
    if (closed) of[i] = 0;
    *count += !closed;
  }
  return CMB_OK;
}

void cmb_graph_list_directions(const cmb_graph_parts *p, int count, cmb_expr *direction)
{
  char name[32];
  for (int k = 0; k < count; k++) {
    snprintf(name, sizeof name, "along the motion %d", k);
    direction[k] = cmb_input(p->x->graph, name);
  }
}

static cmb_status make_rates(const cmb_graph_parts *p, cmb_graph_data *d, cmb_expr *of)
{
  const cmb_expressions *x = p->x;
  const int moving = 1 + x->nq + x->nv, fixed = cmb_layout_end(&d->layout, CMB_BLOCK_V);
  cmb_expr *wrt = cmb_arena_take(p->arena, (size_t)moving, sizeof *wrt);
  cmb_expr *input = cmb_arena_take(p->arena, (size_t)fixed + (size_t)moving, sizeof *input);
  if (!wrt || !input) return cmb_fail_memory(p->ctx);
  wrt[0] = x->t;
  for (int i = 0; i < x->nq; i++) wrt[1 + i] = x->q[i];
  for (int i = 0; i < x->nv; i++) wrt[1 + x->nq + i] = x->v[i];
  for (int i = 0; i < fixed; i++) input[i] = p->input[i];
  cmb_graph_list_directions(p, moving, input + fixed);
  CMB_TRY(cmb_forward(x->graph, moving, wrt, input + fixed, p->ns, of, of));
  return cmb_program_create(p->ctx, x->graph, fixed + moving, input, p->ns, of, &d->switch_rates);
}

/* Returns the size of a work array that is large enough for both the program of the switching functions and that of their
 * rates. */
static int work_size(const cmb_graph_data *d)
{
  const int values = cmb_program_work(d->program[CMB_PROGRAM_SWITCHES]);
  const int rates = cmb_program_work(d->switch_rates);
  return values > rates ? values : rates;
}

/* Raises d->scratch, the size of the scratch memory in doubles, if it is too small for `inputs` input intervals and the interval
 * work array of the programs for switching functions and their rates. */
static void enlarge_scratch(cmb_graph_data *d, int inputs)
{
  const int doubles = 2 * (inputs + work_size(d));
  if (doubles > d->scratch) d->scratch = doubles;
}

/* Marks in d->switch_reads (nq + nv) which coordinates q and velocities v a program reads: directly, or through inputs for their derivatives
 * along the motion. The input for the derivative of q[0] has the index `along`, 0 if the program has no such inputs. `read` is work space, one
 * entry for each input. */
static void add_reads(cmb_graph_data *d, const cmb_program *program, int along, bool *read)
{
  const int q = d->layout.first[CMB_BLOCK_Q], v = d->layout.first[CMB_BLOCK_V];
  memset(read, 0, (size_t)cmb_program_inputs(program) * sizeof *read);
  cmb_program_mark_inputs(program, read);
  for (int i = 0; i < d->nq; i++) {
    d->switch_reads[i] |= read[q + i] || (along > 0 && read[along + i]);
  }
  for (int i = 0; i < d->nv; i++) {
    d->switch_reads[d->nq + i] |= read[v + i] || (along > 0 && read[along + d->nq + i]);
  }
}

static cmb_status find_reads(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d)
{
  const cmb_program *values = d->program[CMB_PROGRAM_SWITCHES];
  const int first = cmb_program_inputs(values), second = cmb_program_inputs(d->switch_rates);
  bool *read = cmb_arena_take(p->arena, (size_t)(first > second ? first : second), sizeof *read);
  d->switch_reads = cmb_arena_take(arena, (size_t)d->nq + (size_t)d->nv, sizeof *d->switch_reads);
  if (!read || !d->switch_reads) return cmb_fail_memory(p->ctx);
  add_reads(d, values, 0, read);
  add_reads(d, d->switch_rates, cmb_layout_end(&d->layout, CMB_BLOCK_V) + 1, read);
  return CMB_OK;
}

cmb_status cmb_graph_enclose_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d)
{
  if (p->ns == 0) return CMB_OK;
  int count;
  cmb_expr *of = cmb_arena_take(p->arena, (size_t)p->ns, sizeof *of);
  d->switch_enclosed = cmb_arena_take(arena, (size_t)p->ns, sizeof *d->switch_enclosed);
  if (!of || !d->switch_enclosed) return cmb_fail_memory(p->ctx);
  CMB_TRY(list_deciding(p, d, of, &count));
  if (count == 0) return CMB_OK;
  CMB_TRY(make_rates(p, d, of));
  enlarge_scratch(d, cmb_layout_end(&d->layout, CMB_BLOCK_LAMBDA) + 1 + p->x->nq + p->x->nv);
  return find_reads(p, arena, d);
}

static cmb_interval *put(int count, const cmb_interval *from, cmb_interval *to)
{
  for (int i = 0; i < count; i++) *to++ = from[i];
  return to;
}

void cmb_graph_put_first_box(const cmb_graph_data *d, const cmb_box *box, const cmb_interval *q,
                             cmb_interval *in)
{
  const double *p = box->p ? box->p : d->p;
  *in++ = box->t;
  for (int i = 0; i < d->nq; i++) *in++ = q ? q[i] : cmb_interval_of(0);
  for (int i = 0; i < d->ns; i++) *in++ = cmb_interval_of(box->mode[i]);
  for (int i = 0; i < d->np; i++) *in++ = cmb_interval_of(p[i]);
}

/* ---- bounds of selected functions
 *
 * The instructions that a selection of functions needs are listed once and kept in the scratch
 * memory, behind everything that is computed there, until another selection is wanted. */

struct plan {
  int *count; /* (2) 1 + number of instructions listed for each program; 0: not listed yet */
  /* the instructions listed for the program of the values and that of the rates */
  uint32_t *needed[2];
  uint8_t *alive;
  bool *wanted; /* (ns) the selection for which they were listed */
};

static int instructions(const cmb_graph_data *d)
{
  return cmb_program_instructions(d->program[CMB_PROGRAM_SWITCHES]);
}

static struct plan plan_at(const cmb_graph_data *d, void *scratch)
{
  struct plan p = {.count = (int *)((double *)scratch + d->enclose_plan)};
  p.needed[0] = (uint32_t *)(p.count + 2);
  p.needed[1] = p.needed[0] + instructions(d);
  p.alive = (uint8_t *)(p.needed[1] + cmb_program_instructions(d->switch_rates));
  p.wanted = (bool *)(p.alive + work_size(d));
  return p;
}

void cmb_graph_enclose_take_plan(cmb_graph_data *d)
{
  if (!d->switch_rates) return;
  const int numbers = 2 + instructions(d) + cmb_program_instructions(d->switch_rates);
  const size_t bytes = (size_t)numbers * sizeof(uint32_t) + (size_t)(work_size(d) + d->ns);
  d->enclose_plan = d->scratch;
  d->scratch += 1 + (int)(bytes / sizeof(double));
}

/* Computes bounds out (ns) of the switching functions or of their rates, according to `program`, by interval arithmetic from the
 * input intervals `in`; only for the functions selected by box->wanted, unless this is NULL. The list of instructions needed for a
 * selection is kept in box->scratch until the selection changes. */
static void enclose_wanted(const cmb_graph_data *d, const cmb_box *box, const cmb_program *program,
                           const cmb_interval *in, cmb_interval *out, cmb_interval *work)
{
  if (!box->wanted) {
    cmb_program_enclose(program, in, out, work);
    return;
  }
  const int which = program == d->switch_rates;
  const struct plan p = plan_at(d, box->scratch);
  const size_t size = (size_t)d->ns * sizeof *p.wanted;
  if (memcmp(p.wanted, box->wanted, size) != 0) {
    memcpy(p.wanted, box->wanted, size);
    p.count[0] = p.count[1] = 0;
  }
  if (p.count[which] == 0) {
    p.count[which] = 1 + cmb_program_find_needed(program, box->wanted, p.alive, p.needed[which]);
  }
  cmb_program_enclose_wanted(program, in, box->wanted, p.count[which] - 1, p.needed[which], out,
                             work);
}

void cmb_graph_enclose(const void *self, const cmb_box *box, cmb_interval *s, cmb_interval *rate)
{
  const cmb_graph_data *d = self;
  cmb_interval *in = box->scratch;
  cmb_graph_put_first_box(d, box, box->q, in);
  cmb_interval *next = put(d->nv, box->v, in + d->layout.first[CMB_BLOCK_V]);
  cmb_interval *work = in + cmb_layout_end(&d->layout, CMB_BLOCK_LAMBDA) + 1 + d->nq + d->nv;
  if (s) {
    for (int i = 0; i < d->ng; i++) next[i] = cmb_interval_unknown();
    enclose_wanted(d, box, d->program[CMB_PROGRAM_SWITCHES], in, s, work);
  }
  if (rate) {
    cmb_interval *direction = put(1, &box->t_rate, next);
    put(d->nv, box->v_rate, put(d->nq, box->q_rate, direction));
    enclose_wanted(d, box, d->switch_rates, in, rate, work);
  }
}
