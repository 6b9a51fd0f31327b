/*
 * The internals of the expression graph, for the layer expr and for code that builds equations in it: nodes, tables, and the functions that
 * inspect and create nodes.
 */
#ifndef CMB_EXPR_GRAPH_H
#define CMB_EXPR_GRAPH_H

#include <camber/expr.h>

/* 16 bytes, so that a million nodes are 16 MB. */
typedef struct cmb_node {
  uint8_t op; /* cmb_op */
  /* derivative order of a table or of a call of a user's function; index of the unknown of a CMB_OP_PART; 0 otherwise */
  uint8_t order;
  /* number of a table, user's C function or system of equations in the graph; 0 otherwise */
  uint16_t data;
  uint32_t a; /* node number of the first argument; for an input the number of its name */
  union {
    struct {
      uint32_t b, c;
    };
    double value; /* of a constant */
  };
} cmb_node;

/* A small system of equations that CMB_OP_SOLVE nodes refer to: nonlinear equations in symbols (implicit.h), or n linear ones. Never
 * changed after its creation. */
typedef struct cmb_system_of {
  int n; /* unknowns */
  /* number of given quantities; for a linear system n² + n, the matrix A and the right-hand side b */
  int given;
  bool linear; /* the system is A d = b, and no equations are stored */
  cmb_expr *r; /* (n) the residuals of the equations */
  cmb_expr *J; /* (n x n) ∂r/∂unknowns */
  cmb_expr *P; /* (n x given) ∂r/∂given quantities */
  /* (n + given) inputs that represent the unknowns and the given quantities in r, J and P */
  cmb_expr *symbol;
  double size[6]; /* (n) typical sizes of the unknowns */
} cmb_system_of;

struct cmb_graph {
  cmb_context *ctx;
  bool failed;
  bool misused; /* set by a call with wrong arguments; then `failed` is set, too */
  cmb_node *nodes;
  uint32_t size, room;
  uint32_t *table; /* (table_room) hash table of node numbers, open addressing; 0: free entry */
  uint32_t table_room;
  char **names; /* (names_size) names of the inputs */
  uint32_t names_size, names_room;
  /* (name_table_room) hash table of names: 1 + number of a name; 0: free entry */
  uint32_t *name_table;
  uint32_t name_table_room;
  const cmb_table **tables;
  uint32_t tables_size, tables_room;
  const cmb_external **externals;
  uint32_t externals_size, externals_room;
  cmb_system_of **systems;
  uint32_t systems_size, systems_room;
};

/* Creates a copy of the graph `from`, with the same numbers of nodes, tables, user functions and systems of equations; a graph with the node
 * 0 alone if `from` is NULL. */
cmb_status cmb_graph_copy(cmb_context *ctx, const cmb_graph *from, cmb_graph **graph);

/* Returns the number of a node equal to `node` in the graph, which is added without simplification if there is none; 0 if the graph has
 * failed. */
cmb_expr cmb_intern(cmb_graph *g, cmb_node node);

/* Returns whether the array exprs[count] is not NULL (or count is 0) and all of its expressions are nodes of the graph. */
bool cmb_graph_has(const cmb_graph *g, int count, const cmb_expr *exprs);

/* Records a call with wrong arguments, so that the graph's status remains an error. Returns 0. */
cmb_expr cmb_graph_misuse(cmb_graph *g);

/* Returns an array with 1 for each node on which the expressions exprs[count] depend, themselves included, and 0 for all others; the caller
 * releases it with cmb_release. NULL if out of memory. */
uint8_t *cmb_reachable(const cmb_graph *g, int count, const cmb_expr *exprs);

/* Finds which outputs depend on any of the inputs, also through conditions, and sets depends[outputs]. */
cmb_status cmb_depends(const cmb_graph *g, int inputs, const cmb_expr *input, int outputs,
                       const cmb_expr *output, bool *depends);

/* Return the number of nodes that node e reads (its operands), operand i, and whether e is an operation. Operands are the arguments; for the
 * solution of a system the elements of its lists, the start values first. A list has none, since it is no operation. */
int cmb_operand_count(const cmb_graph *g, cmb_expr e);
cmb_expr cmb_operand(const cmb_graph *g, cmb_expr e, int i);
bool cmb_is_operation(const cmb_graph *g, cmb_expr e);

/* Returns the number of a system of equations in the graph. It is added, and the graph then owns it, if there is no equal one; otherwise it
 * is released. UINT16_MAX on failure. */
uint16_t cmb_system_number(cmb_graph *g, cmb_system_of *system);

/* Returns the value of an operation of CMB_OP_LIST for the arguments a, b and c (as many as it has); a for all others. */
double cmb_op_value(cmb_op op, double a, double b, double c);

/* Returns whether the derivative of operation op with respect to its argument i can differ from 0. */
bool cmb_op_passes(cmb_op op, int i);

/* Returns the node of a lookup (op) of the derivative of a given order of a table, at x or (x, y); 0 for orders of a 1-D table above 3,
 * which vanish. For 2-D tables order = dx + CMB_TABLE2_ORDERS dy. An order of CMB_TABLE_MARGIN is the margin of a 1-D table. */
cmb_expr cmb_table_node(cmb_graph *g, cmb_op op, int order, uint16_t table, cmb_expr x, cmb_expr y);

/* Returns whether op is one of the three lookups of tables. */
bool cmb_is_table(cmb_op op);

/* Derivative orders of 2-D tables are below this number, in each argument. */
enum { CMB_TABLE2_ORDERS = 16 };

/* A CMB_OP_TABLE_AT with this order is the table's switching function, the margin: how far x is inside of an interval of the table. Its
 * derivative is not formed: cmb_partial returns 0 for it. */
enum { CMB_TABLE_MARGIN = 15 };

/* Return the number of a table or of a user's C function in the graph; it is added if it is new. UINT16_MAX on failure. */
uint16_t cmb_table_number(cmb_graph *g, const cmb_table *table);
uint16_t cmb_external_number(cmb_graph *g, const cmb_external *function);

/* Returns whether node e has a branch, a kink or a discontinuity that is decided by its argument of this number (0, 1 or 2; for most
 * operations all are said to decide). Square roots and powers have none. */
bool cmb_is_decision(const cmb_graph *g, cmb_expr e, int argument);

/* Builds the operation of node e, which may be a table or a call of a user's function, with the arguments x in place of its own. */
cmb_expr cmb_rebuild(cmb_graph *g, cmb_expr e, const cmb_expr x[3]);

/* Imports expressions like cmb_import without replacements, for at most CMB_SMALL nodes: the cost depends on their number, not on the size of
 * `from`. used[CMB_SMALL] receives the inputs of `from` in them, ascending, *used_count their number. Returns CMB_ERROR_ARGUMENT, without a
 * message, if there are more nodes. */
enum { CMB_SMALL = 512 };
cmb_status cmb_import_small(cmb_graph *to, const cmb_graph *from, int count, const cmb_expr *exprs,
                            cmb_expr *result, int *used_count, cmb_expr *used);

/* Builds the partial derivative of node e with respect to its argument i as an expression; 0 (the constant 0) where it is known to vanish
 * everywhere. */
cmb_expr cmb_partial(cmb_graph *g, cmb_expr e, int i);

#endif
