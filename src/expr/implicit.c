/*
 * Creates the nodes for solutions of small systems of equations, and their derivatives (implicit.h): cmb_implicit and the linear systems
 * that follow from it.
 */
#include "expr/implicit.h"

#include "base/context.h"
#include "expr/table.h"

#include <stdio.h>
#include <string.h>

enum { MAX_UNKNOWNS = CMB_MOST_UNKNOWNS, NAME_ROOM = 40 };

static cmb_expr op2(cmb_graph *g, cmb_op op, cmb_expr a, cmb_expr b)
{
  return cmb_apply(g, op, a, b, 0);
}

/* ---- nodes */

/* Returns the input that represents unknown i in the equations of implicit functions. All systems of the graph share these inputs. */
cmb_expr cmb_unknown_symbol(cmb_graph *g, int i)
{
  char name[NAME_ROOM];
  (void)snprintf(name, sizeof name, "unknown %d", i);
  return cmb_input(g, name);
}

cmb_expr cmb_given_symbol(cmb_graph *g, int i)
{
  char name[NAME_ROOM];
  (void)snprintf(name, sizeof name, "given %d", i);
  return cmb_input(g, name);
}

static cmb_expr list_of(cmb_graph *g, int count, const cmb_expr *parts)
{
  cmb_expr list = 0;
  for (int i = 0; i < count; i++) {
    list = cmb_intern(g, (cmb_node){.op = CMB_OP_LIST_OF, .a = list, .b = parts[i]});
  }
  return list;
}

static cmb_expr solution(cmb_graph *g, uint16_t system, cmb_expr given, cmb_expr start)
{
  return cmb_intern(g, (cmb_node){.op = CMB_OP_SOLVE, .data = system, .a = given, .b = start});
}

cmb_expr cmb_solution_part(cmb_graph *g, cmb_expr e, int k)
{
  if (g->failed) return 0;
  return cmb_intern(g, (cmb_node){.op = CMB_OP_PART, .order = (uint8_t)k, .a = e});
}

/* ---- systems */

/* Allocates a system of n equations for n unknowns that depends on `given` known quantities. Unless it is `linear`, also allocates its
 * residuals and derivatives, and creates the symbols s->symbol[n + given] of unknowns and known quantities. Returns NULL, and marks the graph
 * as failed, if out of memory. */
static cmb_system_of *new_system(cmb_graph *g, int n, int given, bool linear)
{
  const size_t count = linear ? 0 : (size_t)n * (size_t)(1 + n + given) + (size_t)(n + given);
  cmb_system_of *s = cmb_allocate(g->ctx, sizeof *s + count * sizeof(cmb_expr));
  if (!s) {
    g->failed = true;
    return NULL;
  }
  *s = (cmb_system_of){.n = n, .given = given, .linear = linear};
  if (linear) return s;
  s->r = (cmb_expr *)(s + 1);
  s->J = s->r + n;
  s->P = s->J + n * n;
  s->symbol = s->P + n * given;
  for (int i = 0; i < n; i++) s->symbol[i] = cmb_unknown_symbol(g, i);
  for (int j = 0; j < given; j++) s->symbol[n + j] = cmb_given_symbol(g, j);
  return s;
}

/* Builds the derivatives of the residuals r[n] of a nonlinear system by reverse mode: J = ∂r/∂unknowns (n x n) and P = ∂r/∂given quantities
 * (n x given). Row i of both is the gradient of r_i. */
static cmb_status differentiate(cmb_graph *g, cmb_system_of *s)
{
  const int n = s->n, count = n + s->given;
  const cmb_expr one = cmb_constant(g, 1);
  cmb_expr *row = cmb_allocate(g->ctx, (size_t)count * sizeof *row);
  if (!row) return cmb_fail_memory(g->ctx);
  cmb_status status = CMB_OK;
  for (int i = 0; status == CMB_OK && i < n; i++) {
    status = cmb_reverse(g, count, s->symbol, 1, &s->r[i], &one, row);
    memcpy(s->J + i * n, row, (size_t)n * sizeof *row);
    if (s->given > 0) memcpy(s->P + i * s->given, row + n, (size_t)s->given * sizeof *row);
  }
  cmb_release(g->ctx, row);
  return status;
}

cmb_status cmb_system_program(cmb_context *ctx, const cmb_graph *g, uint16_t number,
                              cmb_program **program)
{
  const cmb_system_of *s = g->systems[number];
  return cmb_program_create(ctx, g, s->n + s->given, s->symbol, s->n + s->n * s->n, s->r, program);
}

uint16_t cmb_import_system(cmb_graph *to, const cmb_graph *from, uint16_t number)
{
  const cmb_system_of *old = from->systems[number];
  cmb_system_of *s = new_system(to, old->n, old->given, old->linear);
  if (!s) return 0;
  memcpy(s->size, old->size, sizeof s->size);
  cmb_status status = CMB_OK;
  if (!s->linear) status = cmb_import(to, from, 0, NULL, NULL, s->n, old->r, s->r);
  if (status == CMB_OK && !s->linear) status = differentiate(to, s);
  if (status == CMB_OK) return cmb_system_number(to, s);
  cmb_release(to->ctx, s);
  to->failed = true;
  return 0;
}

void cmb_copy_systems(cmb_graph *to, const cmb_graph *from)
{
  for (uint32_t i = 0; i < from->systems_size && !to->failed; i++) {
    const cmb_system_of *old = from->systems[i];
    cmb_system_of *s = new_system(to, old->n, old->given, old->linear);
    if (!s) return;
    memcpy(s->size, old->size, sizeof s->size);
    if (!s->linear) memcpy(s->r, old->r, (size_t)(s->n + s->n * s->n) * sizeof *s->r);
    cmb_system_number(to, s);
  }
}

void cmb_linear_solution(cmb_graph *g, int n, const cmb_expr *A, const cmb_expr *b, cmb_expr *d)
{
  cmb_expr all[MAX_UNKNOWNS * MAX_UNKNOWNS + MAX_UNKNOWNS];
  if (n == 1) {
    d[0] = op2(g, CMB_OP_DIV, b[0], A[0]);
    return;
  }
  memset(d, 0, (size_t)n * sizeof *d);
  memcpy(all, A, (size_t)n * (size_t)n * sizeof *all);
  memcpy(all + n * n, b, (size_t)n * sizeof *all);
  cmb_system_of *s = g->failed ? NULL : new_system(g, n, n * n + n, true);
  if (!s) return;
  const uint16_t number = cmb_system_number(g, s);
  const cmb_expr e = solution(g, number, list_of(g, n * n + n, all), 0);
  for (int k = 0; k < n; k++) d[k] = cmb_solution_part(g, e, k);
}

/* ---- derivatives */

/* The derivatives of a system's residuals at one of its solutions, and the quantities given there. */
struct derivatives_at {
  int n, given;
  cmb_expr *J, *P; /* (n x n), (n x given) */
  cmb_expr *x;     /* (given) given quantities */
  cmb_expr *memory;
};

/* Builds the derivatives of the residual r = A d − b of a linear system at its solution d = w[n], where A and b are the known quantities at->x:
 * at->J = A, and the entries ∂r_i/∂A_ij = d_j and ∂r_i/∂b_i = −1 of at->P. */
static void evaluate_linear(cmb_graph *g, const cmb_expr *w, struct derivatives_at *at)
{
  const int n = at->n;
  const cmb_expr minus = cmb_constant(g, -1);
  memcpy(at->J, at->x, (size_t)n * (size_t)n * sizeof *at->J);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) at->P[i * at->given + i * n + j] = w[j];
    at->P[i * at->given + n * n + i] = minus;
  }
}

/* Builds the derivatives at->J = ∂r/∂w (n x n) and at->P = ∂r/∂x (n x given) of the residuals r(w, x) of a nonlinear system at its solution
 * w[n] and the known quantities x = at->x, by substituting w and x for the symbols in the system's derivatives. now[n + given] is scratch. */
static void evaluate_nonlinear(cmb_graph *g, const cmb_system_of *s, const cmb_expr *w,
                               struct derivatives_at *at, cmb_expr *now)
{
  const int n = at->n, given = at->given;
  memcpy(now, w, (size_t)n * sizeof *now);
  if (given > 0) memcpy(now + n, at->x, (size_t)given * sizeof *now);
  if (g->failed) return;
  (void)cmb_substitute(g, n + given, s->symbol, now, n * (n + given), s->J, at->J);
}

static bool evaluate_derivatives(cmb_graph *g, cmb_expr e, struct derivatives_at *at)
{
  const cmb_system_of s = *g->systems[g->nodes[e].data];
  const int starts = s.linear ? 0 : s.n;
  const size_t n = (size_t)s.n, given = (size_t)s.given;
  cmb_expr w[MAX_UNKNOWNS];
  at->memory = cmb_allocate(g->ctx, (n * (n + given) + given + n + given) * sizeof *at->J);
  if (!at->memory) {
    g->failed = true;
    return false;
  }
  at->n = s.n;
  at->given = s.given;
  at->J = at->memory;
  at->P = at->J + n * n;
  at->x = at->P + n * given;
  for (int j = 0; j < s.given; j++) at->x[j] = cmb_operand(g, e, starts + j);
  for (int k = 0; k < s.n; k++) w[k] = cmb_solution_part(g, e, k);
  if (s.linear) {
    evaluate_linear(g, w, at);
  } else {
    evaluate_nonlinear(g, &s, w, at, at->x + given);
  }
  return !g->failed;
}

cmb_expr cmb_solution_forward(cmb_graph *g, cmb_expr e, const cmb_expr *dot)
{
  const cmb_system_of *s = g->systems[g->nodes[e].data];
  const int starts = s->linear ? 0 : s->n, given = s->given;
  bool varies = false;
  for (int j = 0; j < given; j++) varies = varies || dot[cmb_operand(g, e, starts + j)] != 0;
  struct derivatives_at at = {0};
  cmb_expr rate = 0;
  if (varies && evaluate_derivatives(g, e, &at)) {
    cmb_expr b[MAX_UNKNOWNS], d[MAX_UNKNOWNS];
    bool none = true;
    for (int i = 0; i < at.n; i++) {
      b[i] = 0;
      for (int j = 0; j < given; j++) {
        const cmb_expr part = op2(g, CMB_OP_MUL, at.P[i * given + j], dot[at.x[j]]);
        b[i] = op2(g, CMB_OP_SUB, b[i], part);
      }
      none = none && b[i] == 0;
    }
    if (!none) cmb_linear_solution(g, at.n, at.J, b, d);
    if (!none && !g->failed) rate = at.n == 1 ? d[0] : g->nodes[d[0]].a;
  }
  cmb_release(g->ctx, at.memory);
  return rate;
}

/* Copies the reverse-mode adjoints of the unknowns of the solved system e to of[n] from bar[size], which contains the adjoint of each node by
 * the node's number. Unknowns whose number is `size` or more get 0. Returns whether one of them is not 0; false if the graph has failed. */
static bool adjoints_of(cmb_graph *g, cmb_expr e, uint32_t size, const cmb_expr *bar, cmb_expr *of)
{
  bool any = false;
  const int n = g->systems[g->nodes[e].data]->n;
  for (int k = 0; k < n; k++) {
    const cmb_expr part = cmb_solution_part(g, e, k);
    of[k] = part < size ? bar[part] : 0;
    any = any || of[k] != 0;
  }
  return any && !g->failed;
}

void cmb_solution_reverse(cmb_graph *g, cmb_expr e, uint32_t size, cmb_expr *bar)
{
  struct derivatives_at at = {0};
  cmb_expr weight[MAX_UNKNOWNS], transposed[MAX_UNKNOWNS * MAX_UNKNOWNS], mu[MAX_UNKNOWNS];
  if (adjoints_of(g, e, size, bar, weight) && evaluate_derivatives(g, e, &at)) {
    const int n = at.n, given = at.given;
    for (int i = 0; i < n * n; i++) transposed[i] = at.J[i % n * n + i / n];
    cmb_linear_solution(g, n, transposed, weight, mu);
    for (int j = 0; j < given; j++) {
      cmb_expr *sum = &bar[at.x[j]];
      for (int i = 0; i < n; i++) {
        const cmb_expr part = op2(g, CMB_OP_MUL, at.P[i * given + j], mu[i]);
        *sum = op2(g, CMB_OP_SUB, *sum, part);
      }
    }
  }
  cmb_release(g->ctx, at.memory);
}

/* ---- implicit functions */

/* The state while equations are rewritten in symbols. */
struct maker {
  cmb_graph *g;
  int n;
  const cmb_expr *unknown, *equation;
  uint32_t size;
  uint8_t *marked; /* (size) not 0: the equations depend on the node */
  uint8_t *varies; /* (size) 1: the node depends on an unknown */
  cmb_expr *now;   /* (size) the node rewritten in the symbols of the system */
  cmb_expr *given; /* (size) nodes without unknowns, in the order of their symbols */
  int given_count;
};

static cmb_status report(const struct maker *m, const char *format, const char *what)
{
  return cmb_fail(m->g->ctx, CMB_ERROR_INPUT, format, what);
}

/* Returns whether the operation of node e has a branch or a kink: a comparison, abs, sign, min, max, floor, stick, or a table with kinks;
 * `if` only where its condition depends on an unknown of the equations. */
static bool has_branch_or_kink(const struct maker *m, cmb_expr e)
{
  const cmb_graph *g = m->g;
  switch (cmb_expr_op(g, e)) {
  case CMB_OP_LT:
  case CMB_OP_LE:
  case CMB_OP_GT:
  case CMB_OP_GE:
  case CMB_OP_EQ:
  case CMB_OP_NE:
  case CMB_OP_ABS:
  case CMB_OP_SIGN:
  case CMB_OP_MIN:
  case CMB_OP_MAX:
  case CMB_OP_STICK:
  case CMB_OP_FLOOR: return true;
  case CMB_OP_IF: return m->varies[cmb_expr_argument(g, e, 0)];
  case CMB_OP_TABLE: return cmb_table_has_kinks(g->tables[g->nodes[e].data]);
  default: return false;
  }
}

/* Marks in m->varies all nodes of the equations that depend on an unknown. Returns an error if such a node has a branch or a kink (abs,
 * min, if, ...), unless it is used only inside of smooth(...). Sets m->marked to 2 for nodes that are used outside of it. */
static cmb_status find_varying(struct maker *m)
{
  const cmb_graph *g = m->g;
  uint8_t *loose = m->marked; /* 2: the node is used outside of smooth(...), too */
  for (int i = 0; i < m->n; i++) m->varies[m->unknown[i]] = 1;
  for (cmb_expr e = 0; e < m->size; e++) {
    for (int k = 0; m->marked[e] && k < cmb_op_arity(cmb_expr_op(g, e)); k++) {
      m->varies[e] |= m->varies[cmb_expr_argument(g, e, k)];
    }
  }
  for (int i = 0; i < m->n; i++) loose[m->equation[i]] = 2;
  for (cmb_expr e = m->size; e-- > 0;) {
    if (loose[e] != 2 || !m->varies[e] || cmb_expr_op(g, e) == CMB_OP_SMOOTH) continue;
    for (int k = 0; k < cmb_op_arity(cmb_expr_op(g, e)); k++) {
      loose[cmb_expr_argument(g, e, k)] = 2;
    }
    if (cmb_op_arity(cmb_expr_op(g, e)) > 0 && has_branch_or_kink(m, e)) {
      return report(m,
                    "'%s' in an equation switches with an unknown; expected equations that are "
                    "smooth in their unknowns, or smooth(...) around it",
                    cmb_op_text(cmb_expr_op(g, e)));
    }
  }
  return CMB_OK;
}

static cmb_status check(struct maker *m)
{
  for (int i = 0; i < m->n; i++) {
    if (m->marked[m->unknown[i]]) continue;
    return report(m, "the unknown '%s' does not occur in an equation",
                  cmb_expr_name(m->g, m->unknown[i]));
  }
  for (int i = 0; i < m->n; i++) {
    char number[NAME_ROOM];
    (void)snprintf(number, sizeof number, "%d", i + 1);
    if (m->varies[m->equation[i]]) continue;
    return report(m, m->n > 1 ? "equation %s has no unknown" : "the equation has no unknown",
                  number);
  }
  return CMB_OK;
}

/* Returns operand e of an equation, written in the symbols of its system. An expression without unknowns is replaced by the symbol of a known
 * quantity, which is appended to m->given if it is new; constants stay. Nodes with unknowns must have been rewritten before. */
static cmb_expr in_symbols(struct maker *m, cmb_expr e)
{
  cmb_graph *g = m->g;
  if (m->varies[e] || cmb_expr_op(g, e) == CMB_OP_CONSTANT) return m->now[e];
  if (m->now[e] == 0) {
    m->given[m->given_count] = e;
    m->now[e] = cmb_given_symbol(g, m->given_count++);
  }
  return m->now[e];
}

/* Rewrites a list of operands in the symbols of a system of equations and returns the new list: constants remain, and other elements become
 * symbols of known quantities. A list with an element that depends on an unknown is not rewritten here; its form in m->now, made before, is
 * returned. */
static cmb_expr list_in_symbols(struct maker *m, cmb_expr list)
{
  cmb_graph *g = m->g;
  if (list == 0 || m->varies[list] || m->now[list] != 0) return m->now[list];
  const cmb_node n = g->nodes[list];
  const cmb_expr before = list_in_symbols(m, n.a), part = in_symbols(m, n.b);
  m->now[list] = cmb_intern(g, (cmb_node){.op = CMB_OP_LIST_OF, .a = before, .b = part});
  return m->now[list];
}

static void rewrite(struct maker *m)
{
  cmb_graph *g = m->g;
  for (cmb_expr e = 0; e < m->size; e++) {
    if (m->marked[e] && cmb_expr_op(g, e) == CMB_OP_CONSTANT) m->now[e] = e;
    if (!m->marked[e] || !m->varies[e] || cmb_op_arity(cmb_expr_op(g, e)) == 0) continue;
    cmb_expr x[3] = {0, 0, 0};
    for (int k = 0; k < cmb_op_arity(cmb_expr_op(g, e)); k++) {
      const cmb_expr argument = cmb_expr_argument(g, e, k);
      const bool list = cmb_expr_op(g, argument) == CMB_OP_LIST_OF ||
                        (argument == 0 && cmb_expr_op(g, e) == CMB_OP_LIST_OF && k == 0);
      x[k] = list ? list_in_symbols(m, argument) : in_symbols(m, argument);
    }
    m->now[e] = cmb_rebuild(g, e, x);
  }
}

/* Finds a column for `row` in which its entry of the Jacobian J is not the constant 0, and moves earlier rows to other columns if necessary
 * (augmenting path in a bipartite matching). Returns false if that is impossible, since J is structurally singular. tried[n] marks columns that
 * were tried; row_of[j] is the row of column j or −1. */
static bool assign_column(const cmb_system_of *s, int row, bool *tried, int *row_of)
{
  for (int j = 0; j < s->n; j++) {
    if (s->J[row * s->n + j] == 0 || tried[j]) continue;
    tried[j] = true;
    if (row_of[j] >= 0 && !assign_column(s, row_of[j], tried, row_of)) continue;
    row_of[j] = row;
    return true;
  }
  return false;
}

static cmb_status check_jacobian(const struct maker *m, const cmb_system_of *s)
{
  int row_of[MAX_UNKNOWNS] = {-1, -1, -1, -1, -1, -1};
  for (int i = 0; i < s->n; i++) {
    bool tried[MAX_UNKNOWNS] = {false};
    if (assign_column(s, i, tried, row_of)) continue;
    return report(m,
                  s->n == 1 ? "the equation's derivative with respect to '%s' is 0 whatever the "
                              "values are"
                            : "the equations do not determine the unknowns '%s' and others: their "
                              "derivatives are dependent whatever the values are",
                  cmb_expr_name(m->g, m->unknown[0]));
  }
  return CMB_OK;
}

static cmb_status finish(struct maker *m, const cmb_expr *start, const double *size, cmb_expr *w)
{
  cmb_graph *g = m->g;
  cmb_system_of *s = new_system(g, m->n, m->given_count, false);
  if (!s) return cmb_fail_memory(g->ctx);
  for (int i = 0; i < m->n; i++) {
    s->r[i] = m->now[m->equation[i]];
    s->size[i] = size ? size[i] : 1;
  }
  cmb_status status = differentiate(g, s);
  if (status == CMB_OK) status = check_jacobian(m, s);
  if (status != CMB_OK) {
    cmb_release(g->ctx, s);
    return status;
  }
  const uint16_t number = cmb_system_number(g, s);
  const cmb_expr given = list_of(g, m->given_count, m->given);
  const cmb_expr e = solution(g, number, given, list_of(g, m->n, start));
  for (int k = 0; k < m->n; k++) w[k] = cmb_solution_part(g, e, k);
  return cmb_graph_status(g);
}

static cmb_status make(struct maker *m, const cmb_expr *start, const double *size, cmb_expr *w)
{
  for (int i = 0; i < m->n; i++) m->now[m->unknown[i]] = cmb_unknown_symbol(m->g, i);
  CMB_TRY(find_varying(m));
  CMB_TRY(check(m));
  rewrite(m);
  CMB_TRY(cmb_graph_status(m->g));
  return finish(m, start, size, w);
}

cmb_status cmb_implicit(cmb_graph *g, int n, const cmb_expr *unknown, const cmb_expr *equation,
                        const cmb_expr *start, const double *size, cmb_expr *w)
{
  CMB_TRY(cmb_graph_status(g));
  CMB_REQUIRE(g->ctx,
              n >= 1 && n <= MAX_UNKNOWNS && w && cmb_graph_has(g, n, unknown) &&
                  cmb_graph_has(g, n, equation) && cmb_graph_has(g, n, start),
              "cmb_implicit needs one to six unknowns, equations and start values of the graph");
  for (int i = 0; i < n; i++) {
    CMB_REQUIRE(g->ctx, cmb_expr_op(g, unknown[i]) == CMB_OP_INPUT && (!size || size[i] > 0),
                "cmb_implicit needs inputs as unknowns, and positive sizes");
  }
  struct maker m = {.g = g, .n = n, .unknown = unknown, .equation = equation, .size = g->size};
  const size_t room = (size_t)g->size + 1;
  m.marked = cmb_reachable(g, n, equation);
  m.varies = cmb_allocate(g->ctx, room);
  m.now = cmb_allocate(g->ctx, room * sizeof *m.now);
  m.given = cmb_allocate(g->ctx, room * sizeof *m.given);
  const bool taken = m.marked && m.varies && m.now && m.given;
  const cmb_status status = taken ? make(&m, start, size, w) : cmb_fail_memory(g->ctx);
  cmb_release(g->ctx, m.marked);
  cmb_release(g->ctx, m.varies);
  cmb_release(g->ctx, m.now);
  cmb_release(g->ctx, m.given);
  return status;
}
