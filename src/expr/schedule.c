/*
 * List scheduling of a program's operations (schedule.h): operations whose arguments are computed wait in queues, one for each kind of
 * operation. The longest queue is emptied, together with operations that join it meanwhile; then again the longest one. Long programs are
 * scheduled in windows.
 */
#include "expr/schedule.h"

#include "base/context.h"

#include <string.h>

static const uint32_t NONE = UINT32_MAX;

/* Number of operations in a window: a long program is scheduled window by window, so that operations that use the same values stay close
 * in memory. */
enum { WINDOW = 1 << 16 };

struct scheduler {
  const cmb_graph *g;
  int count;
  size_t operands;  /* largest number of operands in a window */
  size_t size;      /* number of nodes up to the last operation */
  uint32_t *number; /* (size) index of an operation in the window; NONE: another node */
  /* (count + 2) index in `reader` of the first operation that reads the result of each operation */
  uint32_t *start;
  uint32_t *reader;  /* (all operands) indices of the operations that read */
  uint32_t *waiting; /* (count) number of operands that are not computed yet */
  uint32_t *next;    /* (count) next operation in the same queue */
  uint32_t first[CMB_OPS], last[CMB_OPS], length[CMB_OPS];
};

static bool take_memory(struct scheduler *s)
{
  cmb_context *ctx = s->g->ctx;
  size_t count = (size_t)s->count + 1;
  s->number = cmb_allocate(ctx, (s->size + 1) * sizeof *s->number);
  s->start = cmb_allocate(ctx, (count + 1) * sizeof *s->start);
  s->reader = cmb_allocate(ctx, (s->operands + 1) * sizeof *s->reader);
  s->waiting = cmb_allocate(ctx, count * sizeof *s->waiting);
  s->next = cmb_allocate(ctx, count * sizeof *s->next);
  return s->number && s->start && s->reader && s->waiting && s->next;
}

static void release_memory(struct scheduler *s)
{
  cmb_context *ctx = s->g->ctx;
  cmb_release(ctx, s->number);
  cmb_release(ctx, s->start);
  cmb_release(ctx, s->reader);
  cmb_release(ctx, s->waiting);
  cmb_release(ctx, s->next);
}

static int count_of(const struct scheduler *s, cmb_expr e)
{
  return cmb_operand_count(s->g, e);
}

/* Returns the largest number of operands that the operations order[count] have in one window; windows are parts of WINDOW successive operations
 * that are scheduled separately. */
static size_t largest_window_operands(const cmb_graph *g, int count, const cmb_expr *order)
{
  size_t most = 0;
  for (int at = 0; at < count; at += WINDOW) {
    size_t sum = 0;
    for (int k = at; k < count && k < at + WINDOW; k++) {
      sum += (size_t)cmb_operand_count(g, order[k]);
    }
    if (sum > most) most = sum;
  }
  return most;
}

/* Lists for each operation k of a window (a section of a program) the operations in the window that read its result, as reader[start[k]] ..
 * reader[start[k + 1] − 1], and counts in waiting[k] the operands of operation k that are computed in the window. */
static void find_readers(struct scheduler *s, const cmb_expr *order)
{
  memset(s->start, 0, ((size_t)s->count + 2) * sizeof *s->start);
  memset(s->waiting, 0, (size_t)s->count * sizeof *s->waiting);
  for (int k = 0; k < s->count; k++) s->number[order[k]] = (uint32_t)k;
  for (int k = 0; k < s->count; k++) {
    for (int i = 0; i < count_of(s, order[k]); i++) {
      uint32_t from = s->number[cmb_operand(s->g, order[k], i)];
      if (from == NONE) continue;
      s->start[from + 2]++;
      s->waiting[k]++;
    }
  }
  for (int k = 0; k < s->count; k++) s->start[k + 2] += s->start[k + 1];
  for (int k = 0; k < s->count; k++) {
    for (int i = 0; i < count_of(s, order[k]); i++) {
      uint32_t from = s->number[cmb_operand(s->g, order[k], i)];
      if (from != NONE) s->reader[s->start[from + 1]++] = (uint32_t)k;
    }
  }
}

static void enqueue(struct scheduler *s, cmb_op op, uint32_t k)
{
  s->next[k] = NONE;
  if (s->length[op]++ == 0) {
    s->first[op] = k;
  } else {
    s->next[s->last[op]] = k;
  }
  s->last[op] = k;
}

static cmb_op longest_queue(const struct scheduler *s)
{
  cmb_op longest = CMB_OP_CONSTANT;
  for (int op = 0; op < CMB_OPS; op++) {
    if (s->length[op] > s->length[longest]) longest = (cmb_op)op;
  }
  return longest;
}

/* Orders the operations order[s->count] of one window (a section of a program) such that each follows its operands and operations of the same
 * kind, such as additions, are adjacent where possible (list scheduling). Writes their indices in `order`, in the new sequence, to `to`
 * (s->count). Overwrites s->waiting. */
static void schedule(struct scheduler *s, const cmb_expr *order, uint32_t *to)
{
  int done = 0;
  for (int k = 0; k < s->count; k++) {
    if (s->waiting[k] == 0) enqueue(s, cmb_expr_op(s->g, order[k]), (uint32_t)k);
  }
  while (done < s->count) {
    cmb_op op = longest_queue(s);
    while (s->length[op] > 0) {
      uint32_t k = s->first[op];
      s->first[op] = s->next[k];
      s->length[op]--;
      to[done++] = k;
      for (uint32_t i = s->start[k]; i < s->start[k + 1]; i++) {
        uint32_t r = s->reader[i];
        if (--s->waiting[r] == 0) enqueue(s, cmb_expr_op(s->g, order[r]), r);
      }
    }
  }
}

/* Reorders one window (a section) of a program's list of operations, order[s->count], in place, such that operations of the same kind are
 * adjacent where possible and each follows its operands. `to` is scratch. */
static void schedule_window(struct scheduler *s, cmb_expr *order, uint32_t *to)
{
  find_readers(s, order);
  schedule(s, order, to);
  for (int k = 0; k < s->count; k++) s->number[order[k]] = NONE;
  for (int k = 0; k < s->count; k++) to[k] = order[to[k]];
  for (int k = 0; k < s->count; k++) order[k] = to[k];
}

bool cmb_schedule(const cmb_graph *g, int count, cmb_expr *order)
{
  struct scheduler s = {.g = g, .count = count < WINDOW ? count : WINDOW};
  uint32_t *to = cmb_allocate(g->ctx, ((size_t)s.count + 1) * sizeof *to);
  s.operands = largest_window_operands(g, count, order);
  s.size = count > 0 ? (size_t)order[count - 1] + 1 : 0;
  bool good = to && take_memory(&s);
  if (good) memset(s.number, 0xFF, s.size * sizeof *s.number);
  for (int at = 0; good && at < count; at += WINDOW) {
    s.count = count - at < WINDOW ? count - at : WINDOW;
    schedule_window(&s, order + at, to);
  }
  release_memory(&s);
  cmb_release(g->ctx, to);
  return good;
}
