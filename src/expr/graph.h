/*
 * The internals of the expression graph: its nodes, their tables, and the functions by which the library inspects and creates nodes.
 */
#ifndef CMB_EXPR_GRAPH_H
#define CMB_EXPR_GRAPH_H

#include <camber/expr.h>

/* 16 bytes, so that a million nodes are 16 MB. */
typedef struct cmb_node {
  uint8_t op; /* cmb_op */
  /* derivative order of a table or a call; index of the unknown of a CMB_OP_PART; 0 otherwise */
  uint8_t order;
  uint16_t data; /* number of a table, C function or system; 0 otherwise */
  uint32_t a;    /* first argument; for an input the number of its name */
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
  int n;            /* unknowns */
  int given;        /* number of given quantities; linear: matrix and right-hand side */
  bool linear;      /* no equations are stored: A d = b */
  cmb_expr *r;      /* (n) the residuals of the equations */
  cmb_expr *J;      /* (n x n) ∂r/∂unknowns */
  cmb_expr *P;      /* (n x given) ∂r/∂given quantities */
  cmb_expr *symbol; /* (n + given) inputs that stand for the unknowns and the given quantities */
  double size[6];   /* (n) typical sizes of the unknowns */
} cmb_system_of;

struct cmb_graph {
  cmb_context *ctx;
  bool failed;
  bool misused; /* after a wrong call; then `failed` too */
  cmb_node *nodes;
  uint32_t size, room;
  uint32_t *table; /* (table_room) node numbers by hash, open addressing; 0: empty */
  uint32_t table_room;
  char **names; /* (inputs) */
  uint32_t names_size, names_room;
  uint32_t *name_table; /* (name_table_room) 1 + number of a name, by hash; 0: empty */
  uint32_t name_table_room;
  const cmb_table **tables;
  uint32_t tables_size, tables_room;
  const cmb_external **externals;
  uint32_t externals_size, externals_room;
  cmb_system_of **systems;
  uint32_t systems_size, systems_room;
};

/* Creates a graph that begins with all nodes of another one, with the same numbers, and with its tables, C functions and systems; `from`
 * = NULL: an empty graph. */
cmb_status cmb_graph_copy(cmb_context *ctx, const cmb_graph *from, cmb_graph **graph);

/* Returns the number of the node in the graph, which is added if there is no equal one. It is not simplified. */
cmb_expr cmb_intern(cmb_graph *g, cmb_node node);

/* Returns whether the array exists and all of its expressions are in the graph. */
bool cmb_graph_has(const cmb_graph *g, int count, const cmb_expr *exprs);

/* Records a wrong call: from now on the graph's status is an error. Returns 0. */
cmb_expr cmb_graph_misuse(cmb_graph *g);

/* Returns an array marked (size) with 1 for each node that the given expressions are made of, else 0. NULL without memory; to be
 * released with cmb_release. */
uint8_t *cmb_reachable(const cmb_graph *g, int count, const cmb_expr *exprs);

/* Finds which outputs depend on any of the inputs, also through conditions: depends (outputs). */
cmb_status cmb_depends(const cmb_graph *g, int inputs, const cmb_expr *input, int outputs,
                       const cmb_expr *output, bool *depends);

/* The nodes that an operation reads: its arguments; for the solution of a system the elements of its lists, the start values first. A
 * list itself has none, since it is not an operation. */
int cmb_operand_count(const cmb_graph *g, cmb_expr e);
cmb_expr cmb_operand(const cmb_graph *g, cmb_expr e, int i);
bool cmb_is_operation(const cmb_graph *g, cmb_expr e);

/* Returns the number of a system in the graph. It is added, and the graph then owns it, if there is no equal one; otherwise it is
 * released. */
uint16_t cmb_system_number(cmb_graph *g, cmb_system_of *system);

/* Returns the value of an operation for the numbers a, b and c. */
double cmb_op_value(cmb_op op, double a, double b, double c);

/* Returns whether the operation's value can have a derivative other than 0 with respect to its argument i. */
bool cmb_op_passes(cmb_op op, int i);

/* Returns the node of a table with a given derivative order, 0 where that derivative vanishes. 2-D: order = dx + CMB_TABLE2_ORDERS dy. */
cmb_expr cmb_table_node(cmb_graph *g, cmb_op op, int order, uint16_t table, cmb_expr x, cmb_expr y);

bool cmb_is_table(cmb_op op);

/* Derivative orders of 2-D tables are below this number, in each argument. */
enum { CMB_TABLE2_ORDERS = 16 };

/* CMB_OP_TABLE_AT with this order is the margin: how far x is inside the interval. */
enum { CMB_TABLE_MARGIN = 15 };

/* Returns the number of a table or of a C function in this graph; it is added if it is new. */
uint16_t cmb_table_number(cmb_graph *g, const cmb_table *table);
uint16_t cmb_external_number(cmb_graph *g, const cmb_external *function);

/* Returns whether node e has a branch, a kink or a discontinuity that depends on its argument of this number. Roots have none. */
bool cmb_is_decision(const cmb_graph *g, cmb_expr e, int argument);

/* Returns the operation of node e, which may be a table or a call, applied to other arguments. */
cmb_expr cmb_rebuild(cmb_graph *g, cmb_expr e, const cmb_expr x[3]);

/* Imports expressions like cmb_import without replacements, for at most CMB_SMALL nodes: the cost depends on their number, not on the
 * size of `from`. used (CMB_SMALL): the inputs in them, of `from`, ascending. CMB_ERROR_ARGUMENT, without a message: too many nodes. */
enum { CMB_SMALL = 512 };
cmb_status cmb_import_small(cmb_graph *to, const cmb_graph *from, int count, const cmb_expr *exprs,
                            cmb_expr *result, int *used_count, cmb_expr *used);

/* Returns ∂(node e)/∂(argument i) as an expression; node 0 (the constant 0) where it vanishes everywhere. */
cmb_expr cmb_partial(cmb_graph *g, cmb_expr e, int i);

#endif
