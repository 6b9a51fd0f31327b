/*
 * Reads numbers and formulas of a model; called by the readers of sections (reader.h). A number is a formula of parameters, pi and
 * deg = pi/180 that folds to a constant; "30 deg" is 30*deg. If it uses live parameters, it is parsed a second time, into the model's graph,
 * as an expression of them. Formulas that stay text are parsed once with every name allowed, to check their syntax.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180;

/* ---- values that are computed when they are first needed */

/* Computes the value of a parameter or point by calling `compute`, unless it is known already. It is an error if the value depends on
 * itself or if the chain of values that need each other is too long. `what` is "parameter" or "point", asked_at the place for messages. */
cmb_status cmb_lazy_need(cmb_reader *r, cmb_lazy *lazy, const char *what, cmb_place asked_at,
                         cmb_status (*compute)(cmb_reader *r, cmb_lazy *lazy))
{
  if (lazy->state == CMB_LAZY_DONE) return CMB_OK;
  if (lazy->state == CMB_LAZY_BUSY) {
    return cmb_reader_fail(r, asked_at,
                           "the %s '%s' depends on itself; expected a %s that does not", what,
                           lazy->name, what);
  }
  if (r->lazy_depth == CMB_MOST_DEPENDENCE) {
    return cmb_reader_fail(
        r, asked_at, "more than %d %ss depend on each other in a chain; expected at most so many",
        (int)CMB_MOST_DEPENDENCE, what);
  }
  const cmb_subject subject = r->subject;
  cmb_reader_subject(r, what, "", lazy->name);
  lazy->state = CMB_LAZY_BUSY;
  r->lazy_depth++;
  CMB_TRY(compute(r, lazy));
  r->lazy_depth--;
  lazy->state = CMB_LAZY_DONE;
  r->subject = subject;
  return CMB_OK;
}

/* ---- formulas of parameters */

struct names_of_formula {
  cmb_reader *r;
  const cmb_scope *scope;
  cmb_place at;
  /* parameters are replaced by their expressions in the model's graph; else by their values in the reader's */
  bool live;
  bool finds_live; /* set if the formula uses parameters that are expressions */
};

/* Stores the first error that occurs while a name in a formula is evaluated, because the parser itself would report only an unknown name.
 * */
static void store_first_failure(cmb_reader *r, cmb_status status)
{
  if (status != CMB_OK && r->nested.status == CMB_OK) cmb_error_keep(r->ctx, status, &r->nested);
}

static bool parameter_in_formula(void *user, const char *name, cmb_expr *e)
{
  struct names_of_formula *names = user;
  cmb_reader *r = names->r;
  cmb_number x = cmb_fixed(degree);
  const cmb_name *found = cmb_look_up(r, names->scope, CMB_NAMES_PARAMETER, name);
  cmb_status status = CMB_OK;
  if (found) {
    status = cmb_parameter_value(r, found->index, names->at, &x);
    names->finds_live = names->finds_live || x.live != 0;
    if (status == CMB_OK && x.live != 0 && r->fixed_number) {
      status = cmb_fix_number(r, x, names->at);
    }
  } else if (cmb_is_previous(name)) {
    status = cmb_fail_previous(r, names->scope, CMB_NAMES_PARAMETER, name, names->at);
  } else if (strcmp(name, "deg") != 0) {
    return false;
  }
  store_first_failure(r, status);
  *e = names->live ? cmb_number_expr(r->model->graph, x) : cmb_constant(r->graph, x.value);
  return status == CMB_OK;
}

static const char *nearest_parameter(void *user, const char *name)
{
  const struct names_of_formula *names = user;
  return cmb_nearest(names->r, names->scope, CMB_NAMES_PARAMETER, name);
}

/* Returns a text for the error message on the unknown name `name` in a formula: a similar name, or the parameters that the formula could
 * use. */
static const char *expected_parameter(void *user, const char *name)
{
  const struct names_of_formula *names = user;
  return cmb_expected(names->r, names->scope, CMB_NAMES_PARAMETER, name);
}

/* Reports why the formula of a node could not be parsed: the stored error that occurred for a name in the formula if there is one, else the
 * parser's message with the place in the file and the part of the model. Returns the status. */
static cmb_status fail_formula(cmb_reader *r, const cmb_node *node, cmb_status status)
{
  if (r->nested.status != CMB_OK) return cmb_fail_again(r->ctx, &r->nested);
  return status == CMB_ERROR_INPUT ? cmb_reader_repeat(r, node->place) : status;
}

static bool degree_in_formula(void *user, const char *name, cmb_expr *e)
{
  *e = cmb_constant(user, degree);
  return strcmp(name, "deg") == 0;
}

/* Returns the value of the expression e if it is a constant, else NaN. */
static double number_of(const cmb_graph *g, cmb_expr e)
{
  return cmb_expr_op(g, e) == CMB_OP_CONSTANT ? cmb_expr_constant(g, e) : NAN;
}

cmb_status cmb_number_parse(cmb_context *ctx, const char *text, double *x)
{
  double value = NAN;
  cmb_graph *g;
  cmb_expr e;
  CMB_REQUIRE(ctx, ctx && text && x,
              "cmb_number_parse needs a context, a text and a place for the number");
  CMB_TRY(cmb_graph_create(ctx, &g));
  const cmb_names names = {.user = g, .value = degree_in_formula};
  cmb_status status = cmb_formula_parse(g, text, strlen(text), 1, 1, &names, &e);
  if (status == CMB_OK) value = number_of(g, e);
  cmb_graph_destroy(g);
  CMB_TRY(status);
  if (!isfinite(value))
    return cmb_fail(ctx, CMB_ERROR_INPUT, "'%s' has no finite value; expected a finite number",
                    text);
  *x = value;
  return CMB_OK;
}

/* Parses the formula of a node into the graph g; *e becomes its expression. Parameters in the formula are looked up from the scope
 * user->scope (the model or a template instance). */
static cmb_status parse(struct names_of_formula *user, const cmb_node *node, cmb_graph *g,
                        cmb_expr *e)
{
  const cmb_names names = {.user = user,
                           .value = parameter_in_formula,
                           .nearest = nearest_parameter,
                           .expected = expected_parameter};
  const cmb_place at = cmb_place_of_text(node->place);
  cmb_status status =
      cmb_formula_parse(g, node->text, strlen(node->text), at.line, at.column, &names, e);
  return status == CMB_OK ? CMB_OK : fail_formula(user->r, node, status);
}

static cmb_status evaluate(cmb_reader *r, const cmb_scope *s, const cmb_node *node, cmb_number *x)
{
  cmb_expr e;
  cmb_graph *live = r->model->graph;
  struct names_of_formula user = {.r = r, .scope = s, .at = node->place};
  CMB_TRY(parse(&user, node, r->graph, &e));
  *x = cmb_fixed(number_of(r->graph, e));
  if (!user.finds_live) return CMB_OK;
  user.live = true;
  CMB_TRY(parse(&user, node, live, &e));
  *x = cmb_number_of(live, x->value, e);
  return cmb_graph_status(live);
}

cmb_status cmb_read_number(cmb_reader *r, const cmb_scope *s, const cmb_node *node, cmb_number *x)
{
  char shown[CMB_SHOWN_ROOM];
  CMB_TRY(cmb_expect_text(r, node, "a number or a formula of parameters"));
  *x = cmb_fixed(0);
  if (!cmb_parse_number(node->text, &x->value)) CMB_TRY(evaluate(r, s, node, x));
  if (isfinite(x->value)) return CMB_OK;
  return cmb_reader_fail(r, node->place, "'%s' has no finite value; expected a finite number",
                         cmb_shown(node->text, shown));
}

cmb_status cmb_read_numbers(cmb_reader *r, const cmb_scope *s, const cmb_node *node, int count,
                            cmb_number *x)
{
  char expected[40];
  snprintf(expected, sizeof expected, "a list of %d numbers", count);
  CMB_TRY(cmb_expect_list(r, node, count, expected));
  for (const cmb_node *entry = node->first; entry; entry = entry->next)
    CMB_TRY(cmb_read_number(r, s, entry, x++));
  return CMB_OK;
}

cmb_status cmb_read_fixed(cmb_reader *r, const cmb_scope *s, const cmb_node *node, const char *what,
                          double *x)
{
  const char *outer = r->fixed_number;
  cmb_number number;
  r->fixed_number = what;
  CMB_TRY(cmb_read_number(r, s, node, &number));
  r->fixed_number = outer;
  *x = number.value;
  return CMB_OK;
}

cmb_status cmb_read_fixed_list(cmb_reader *r, const cmb_scope *s, const cmb_node *node, int count,
                               const char *what, double *x)
{
  char expected[40];
  snprintf(expected, sizeof expected, "a list of %d numbers", count);
  CMB_TRY(cmb_expect_list(r, node, count, expected));
  for (const cmb_node *entry = node->first; entry; entry = entry->next)
    CMB_TRY(cmb_read_fixed(r, s, entry, what, x++));
  return CMB_OK;
}

cmb_status cmb_read_optional(cmb_reader *r, const cmb_scope *s, const cmb_node *map,
                             const char *key, cmb_number *x)
{
  const cmb_node *node = cmb_node_find(map, key);
  return node ? cmb_read_number(r, s, node, x) : CMB_OK;
}

cmb_status cmb_read_limited(cmb_reader *r, const cmb_scope *s, const cmb_node *map, const char *key,
                            cmb_limit_kind limit, cmb_number *x)
{
  char what[40];
  const cmb_node *node = cmb_node_find(map, key);
  if (!node) return CMB_OK;
  CMB_TRY(cmb_read_number(r, s, node, x));
  snprintf(what, sizeof what, "'%s'", key);
  return cmb_limit_number(r, node->place, what, limit, NULL, *x);
}

cmb_status cmb_read_each(cmb_reader *r, const cmb_scope *s, const cmb_node *node, int count,
                         cmb_number *x)
{
  if (!node) return CMB_OK;
  if (node->kind == CMB_NODE_LIST) return cmb_read_numbers(r, s, node, count, x);
  CMB_TRY(cmb_read_number(r, s, node, x));
  for (int i = 1; i < count; i++) x[i] = x[0];
  return CMB_OK;
}

cmb_status cmb_read_signed(cmb_reader *r, const cmb_scope *s, const cmb_node *map, const char *key,
                           int count, cmb_number *x)
{
  char what[40];
  const cmb_node *node = cmb_node_find(map, key);
  if (!node) return CMB_OK;
  CMB_TRY(cmb_read_each(r, s, node, count, x));
  snprintf(what, sizeof what, "'%s'", key);
  const bool list = node->kind == CMB_NODE_LIST;
  const cmb_node *one = list ? node->first : node;
  for (int i = 0; i < (list ? count : 1); i++, one = one->next) {
    CMB_TRY(cmb_limit_number(r, one->place, what, CMB_SELDOM_NEGATIVE, NULL, x[i]));
  }
  return CMB_OK;
}

/* ---- formulas that stay text */

/* Accepts any name in a formula of which only the syntax is checked: *e becomes a new input of the graph. Returns true. */
static bool any_value(void *user, const char *name, cmb_expr *e)
{
  const struct names_of_formula *names = user;
  (void)name;
  *e = cmb_input(names->r->graph, "any");
  return true;
}

/* Parser callback that accepts any function call in a formula; used where only the syntax of formulas is checked. *e becomes a new input of the
 * graph. A wrong number of arguments of a table, or fewer than two of a road, is reported, and the result is false. */
static bool any_call(void *user, const char *name, int count, const cmb_expr *arguments,
                     cmb_expr *e)
{
  const struct names_of_formula *names = user;
  cmb_reader *r = names->r;
  const cmb_name *found = cmb_look_up(r, names->scope, CMB_NAMES_TABLE, name);
  const bool road = !found && cmb_look_up(r, names->scope, CMB_NAMES_ROAD, name);
  int wanted = found ? r->model->tables[found->index].arguments : road && count < 2 ? 2 : count;
  (void)arguments;
  if (count == wanted) return any_value(user, name, e);
  store_first_failure(
      r, cmb_reader_fail(r, names->at, "the %s '%s' has %d argument%s here; expected %d",
                         road ? "road" : "table", name, count, count == 1 ? "" : "s", wanted));
  return false;
}

cmb_status cmb_begin_formula(cmb_reader *r, const cmb_scope *s, const char *names, cmb_place place,
                             cmb_model_formula *formula)
{
  const cmb_subject *of = &r->subject;
  *formula = (cmb_model_formula){.place = place,
                                 .scope = names,
                                 .subject = cmb_arena_text(r->model->arena, of->text),
                                 .kind = of->kind,
                                 .name = cmb_arena_text(r->model->arena, of->name),
                                 .mirror = s->placed->mirror};
  return formula->subject && formula->name ? CMB_OK : cmb_fail_memory(r->ctx);
}

cmb_status cmb_read_formula(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                            cmb_model_formula *formula)
{
  cmb_expr e;
  struct names_of_formula user = {.r = r, .scope = s, .at = node->place};
  const cmb_names names = {.user = &user, .value = any_value, .call = any_call};
  CMB_TRY(cmb_expect_text(r, node, "a formula"));
  const cmb_place at = cmb_place_of_text(node->place);
  cmb_status status =
      cmb_formula_parse(r->graph, node->text, strlen(node->text), at.line, at.column, &names, &e);
  if (status != CMB_OK) return fail_formula(r, node, status);
  CMB_TRY(cmb_begin_formula(r, s, s->prefix, node->place, formula));
  return cmb_write_previous(r, s, node, &formula->text);
}
