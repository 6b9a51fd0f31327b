/*
 * Finds the sparsity pattern of a Jacobian (sparsity.h): for each node the set of inputs it depends on, 64 inputs at a time as the bits of
 * a word. A node's set is the union of its arguments' sets, without those whose partial derivative is the constant 0: conditions, floor,
 * sign and comparisons transmit no dependence.
 *
 * For 64 inputs only the nodes that depend on them are visited: each adds its set to the sets of the nodes that read it. The nodes are
 * visited in the order of the graph, in which arguments come first, with a bit for each node that has to be visited. So for patterns with
 * few entries per row the time is proportional to the size of the graph.
 */
#include "expr/sparsity.h"

#include "base/context.h"
#include "expr/graph.h"

enum { WORD = 64 };

/* The readers of each node, and the sets of nodes for 64 inputs. */
struct spread {
  const cmb_graph *g;
  /* (size + 2) the readers of node e are reader[start[e]] .. reader[start[e + 1] - 1] */
  uint32_t *start;
  /* nodes that read other nodes as arguments with respect to which the derivative can differ from 0 */
  cmb_expr *reader;
  uint64_t *set;  /* (size) all 0 before a block of inputs */
  uint64_t *due;  /* (size / 64 + 1) bits of nodes whose set has to be added to their readers' */
  cmb_expr *seen; /* (size) nodes whose set is not 0 */
  uint32_t count; /* number of these */
};

static int lowest_bit(uint64_t bits)
{
  int j = 0;
  for (uint64_t low = bits & (~bits + 1); low > 1; low >>= 1) j++;
  return j;
}

/* Counts or lists, for each node of the graph, the nodes that use it as an argument: their number is added to start[e + 2] for node e or, if
 * `list` is set, they are written to s->reader from position start[e + 1] on, which becomes the end of e's readers. Only marked nodes count,
 * and only arguments with respect to which the derivative can differ from 0. */
static void visit_readers(struct spread *s, const uint8_t *marked, bool list)
{
  for (cmb_expr e = 0; e < s->g->size; e++) {
    if (!marked[e]) continue;
    const cmb_op op = cmb_expr_op(s->g, e);
    for (int i = 0; i < cmb_op_arity(op); i++) {
      if (!cmb_op_passes(op, i)) continue;
      uint32_t *place = &s->start[cmb_expr_argument(s->g, e, i) + (list ? 1 : 2)];
      if (list) s->reader[*place] = e;
      (*place)++;
    }
  }
}

static bool take_spread(struct spread *s, const uint8_t *marked)
{
  cmb_context *ctx = s->g->ctx;
  const size_t size = s->g->size;
  s->start = cmb_allocate(ctx, (size + 2) * sizeof *s->start);
  s->set = cmb_allocate(ctx, (size + 1) * sizeof *s->set);
  s->due = cmb_allocate(ctx, (size / WORD + 1) * sizeof *s->due);
  s->seen = cmb_allocate(ctx, (size + 1) * sizeof *s->seen);
  if (!s->start || !s->set || !s->due || !s->seen) return false;
  visit_readers(s, marked, false);
  for (size_t e = 0; e <= size; e++) s->start[e + 1] += s->start[e];
  s->reader = cmb_allocate(ctx, ((size_t)s->start[size + 1] + 1) * sizeof *s->reader);
  if (!s->reader) return false;
  visit_readers(s, marked, true);
  return true;
}

static void release_spread(struct spread *s)
{
  cmb_release(s->g->ctx, s->start);
  cmb_release(s->g->ctx, s->set);
  cmb_release(s->g->ctx, s->due);
  cmb_release(s->g->ctx, s->seen);
  cmb_release(s->g->ctx, s->reader);
}

static void add_dependence(struct spread *s, cmb_expr e, uint64_t bits)
{
  if (s->set[e] == 0) s->seen[s->count++] = e;
  s->set[e] |= bits;
  s->due[e / WORD] |= UINT64_C(1) << e % WORD;
}

/* Computes for each node the set of inputs, among the 64 from input[first] on, with respect to which its derivative can differ from 0; the set
 * is stored as bits of s->set[node]. Visits the nodes in ascending order and adds the set of each to the sets of the nodes that use it. */
static void spread(struct spread *s, int inputs, const cmb_expr *input, int first)
{
  while (s->count > 0) s->set[s->seen[--s->count]] = 0;
  for (int j = first; j < inputs && j < first + WORD; j++) {
    add_dependence(s, input[j], UINT64_C(1) << (j - first));
  }
  for (uint32_t k = 0; k <= s->g->size / WORD; k++) {
    while (s->due[k]) {
      const cmb_expr e = k * WORD + (cmb_expr)lowest_bit(s->due[k]);
      s->due[k] &= s->due[k] - 1;
      for (uint32_t i = s->start[e]; i < s->start[e + 1]; i++)
        add_dependence(s, s->reader[i], s->set[e]);
    }
  }
}

/* Finds the nonzero columns of each row of a Jacobian (outputs x inputs), 64 columns at a time. If column is NULL, adds their number in row i
 * to start[i]; otherwise writes them from column[start[i]] on and advances start[i]. */
static void collect(struct spread *s, int inputs, const cmb_expr *input, int outputs,
                    const cmb_expr *output, int *start, int *column)
{
  for (int first = 0; first < inputs; first += WORD) {
    spread(s, inputs, input, first);
    for (int i = 0; i < outputs; i++) {
      for (uint64_t bits = s->set[output[i]]; bits; bits &= bits - 1) {
        if (column) column[start[i]] = first + lowest_bit(bits);
        start[i]++;
      }
    }
  }
}

static void make_pattern(struct spread *s, cmb_arena *arena, int inputs, const cmb_expr *input,
                         int outputs, const cmb_expr *output, cmb_pattern *pattern)
{
  int *start = cmb_arena_ints(arena, outputs + 1), *fill = cmb_arena_ints(arena, outputs + 1);
  if (cmb_arena_failed(arena)) return;
  collect(s, inputs, input, outputs, output, start, NULL);
  int total = 0;
  for (int i = 0; i < outputs; i++) {
    int count = start[i];
    start[i] = fill[i] = total;
    total += count;
  }
  start[outputs] = total;
  int *column = cmb_arena_ints(arena, total);
  if (cmb_arena_failed(arena)) return;
  collect(s, inputs, input, outputs, output, fill, column);
  *pattern = (cmb_pattern){outputs, inputs, start, column};
}

cmb_status cmb_sparsity(cmb_graph *g, cmb_arena *arena, int inputs, const cmb_expr *input,
                        int outputs, const cmb_expr *output, cmb_pattern *pattern)
{
  CMB_TRY(cmb_graph_status(g));
  struct spread s = {.g = g};
  uint8_t *marked = cmb_reachable(g, outputs, output);
  const bool taken = marked && take_spread(&s, marked);
  if (taken) make_pattern(&s, arena, inputs, input, outputs, output, pattern);
  cmb_release(g->ctx, marked);
  release_spread(&s);
  return taken && !cmb_arena_failed(arena) ? CMB_OK : cmb_fail_memory(g->ctx);
}
