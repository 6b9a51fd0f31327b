/*
 * The graph from inside: nodes, and the arrays over nodes that walks need.
 */
#ifndef CMB_EXPR_GRAPH_H
#define CMB_EXPR_GRAPH_H

#include <camber/expr.h>

/* 16 bytes, so that a million nodes are 16 MB. */
typedef struct cmb_node {
  uint8_t op;    /* cmb_op */
  uint8_t order; /* of a table or a call: which derivative; 0 otherwise */
  uint16_t data; /* of a table or a call: which one; 0 otherwise */
  uint32_t a;    /* first argument; for an input its number */
  union {
    struct {
      uint32_t b, c;
    };
    double value; /* of a constant */
  };
} cmb_node;

/* A small system that solutions refer to: equations in symbols (implicit.h), or n linear ones. Never changed after its making. */
typedef struct cmb_system_of {
  int n;     /* unknowns */
  int given; /* what else the equations have, behind the start values; linear: matrix and right side */
  bool linear;      /* no equations: A d = b */
  cmb_expr *r;      /* (n) the equations .. */
  cmb_expr *J;      /* (n x n) .. their derivatives with respect to the unknowns .. */
  cmb_expr *P;      /* (n x given) .. and to what they are given */
  cmb_expr *symbol; /* (n + given) the inputs that stand for both in them */
  double size[6];   /* (n) of the unknowns */
} cmb_system_of;

struct cmb_graph {
  cmb_context *ctx;
  bool failed;
  bool misused; /* by a wrong call; then failed, too */
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

/* A graph that begins with all nodes of another one, under the same numbers. `from` has neither tables nor C functions; NULL: it is
 * empty. */
cmb_status cmb_graph_copy(cmb_context *ctx, const cmb_graph *from, cmb_graph **graph);

/* The node as it stands, without simplification; an equal one is found again. */
cmb_expr cmb_intern(cmb_graph *g, cmb_node node);

/* Whether the array is there and all of its expressions are in the graph. */
bool cmb_graph_has(const cmb_graph *g, int count, const cmb_expr *exprs);

/* A wrong call: the graph has failed, and its status says so from now on. Returns 0. */
cmb_expr cmb_graph_misuse(cmb_graph *g);

/* Which nodes the given ones are made of: marked (size) is set to 1 there. NULL without memory; to be released with
 * cmb_release. */
uint8_t *cmb_reachable(const cmb_graph *g, int count, const cmb_expr *exprs);

/* Which of `output` depend on any of `input`, also through conditions: depends (outputs). */
cmb_status cmb_depends(const cmb_graph *g, int inputs, const cmb_expr *input, int outputs,
                       const cmb_expr *output, bool *depends);

/* What an operation reads: its arguments; a solution the parts of its lists, the start values first; a list nothing, being no
 * operation of its own. */
int cmb_operand_count(const cmb_graph *g, cmb_expr e);
cmb_expr cmb_operand(const cmb_graph *g, cmb_expr e, int i);
bool cmb_is_operation(const cmb_graph *g, cmb_expr e);

/* The number of a system in the graph, entered if there is no equal one; then the graph owns it. Otherwise it is released. */
uint16_t cmb_system_number(cmb_graph *g, cmb_system_of *system);

/* The value of an operation on numbers. */
double cmb_op_value(cmb_op op, double a, double b, double c);

/* Does the operation pass on a dependence on its argument i, that is, can ∂/∂(argument i) be other than 0? */
bool cmb_op_passes(cmb_op op, int i);

/* A table's node with a given derivative order, 0 where the derivative vanishes. 2-D: order = dx + CMB_TABLE2_ORDERS dy. */
cmb_expr cmb_table_node(cmb_graph *g, cmb_op op, int order, uint16_t table, cmb_expr x, cmb_expr y);

bool cmb_is_table(cmb_op op);

/* What 2-D tables have derivatives of fewer than, in each argument. */
enum { CMB_TABLE2_ORDERS = 16 };

/* TABLE_AT with this order is the margin: how far x is inside the interval. */
enum { CMB_TABLE_MARGIN = 15 };

/* The number of a table or of a C function in this graph, entered if it is new. */
uint16_t cmb_table_number(cmb_graph *g, const cmb_table *table);
uint16_t cmb_external_number(cmb_graph *g, const cmb_external *function);

/* Whether node e has a branch, a kink or a jump that its argument of this number decides on. Roots are none of these. */
bool cmb_is_decision(const cmb_graph *g, cmb_expr e, int argument);

/* The operation of node e, be it a table or a call, on other arguments. */
cmb_expr cmb_rebuild(cmb_graph *g, cmb_expr e, const cmb_expr x[3]);

/* cmb_import without replacements, for expressions of at most CMB_SMALL nodes: it costs what they are large, however large
 * `from` is. used (CMB_SMALL): the inputs among them, of `from`, ascending. CMB_ERROR_ARGUMENT, without words: too many nodes. */
enum { CMB_SMALL = 512 };
cmb_status cmb_import_small(cmb_graph *to, const cmb_graph *from, int count, const cmb_expr *exprs,
                            cmb_expr *result, int *used_count, cmb_expr *used);

/* ∂(node e)/∂(argument i) as an expression; CMB_OP_CONSTANT 0 (node 0) where it vanishes everywhere. */
cmb_expr cmb_partial(cmb_graph *g, cmb_expr e, int i);

#endif
