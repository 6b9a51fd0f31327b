/*
 * Checks of user-supplied equations (attach.h): sizes, names, functions and sparsity patterns, in this order.
 */
#include "dae/attach.h"

#include "base/context.h"
#include "dae/evaluator.h"

enum { MAX_SIZE = 10000000 }; /* upper bound of each size: sums of sizes stay far below INT_MAX */

/* Sets the message "equations 'NAME': WHAT; expected EXPECTED" in the context, and returns CMB_ERROR_ARGUMENT. */
static cmb_status fail(cmb_context *ctx, const cmb_equations *eq, const char *what,
                       const char *expected)
{
  return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("equations", eq->name),
                        "equations '%s': %s; expected %s", eq->name, what, expected);
}

static cmb_status check_sizes(cmb_context *ctx, const cmb_equations *eq)
{
  const struct {
    const char *name;
    int size, least;
  } sizes[] = {{"nq", eq->nq, 1},
               {"nv", eq->nv, 1},
               {"ng", eq->ng, 0},
               {"nz", eq->nz, 0},
               {"ns", eq->ns, 0},
               {"no", eq->no, 0},
               {"nu", eq->nu, 0},
               {"nt", eq->nt, 0},
               {"np", eq->np, 0},
               {"nh", eq->nh, 0},
               {"sampler_count", eq->sampler_count, eq->nh > 0},
               {"path_count", eq->path_count, 0},
               {"rule_count", eq->rule_count, 0},
               {"reset_count", eq->reset_count, 0}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    if (sizes[i].size >= sizes[i].least && sizes[i].size <= MAX_SIZE) continue;
    return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("equations", eq->name),
                          "equations '%s': %s is %d; expected %d to %d", eq->name, sizes[i].name,
                          sizes[i].size, sizes[i].least, (int)MAX_SIZE);
  }
  if (!eq->rates && eq->nq != eq->nv) {
    return fail(ctx, eq, "nq and nv differ and there is no function rates",
                "this function, or as many coordinates as velocities");
  }
  if (eq->nh > 0 && (eq->held_first < 0 || eq->held_first > eq->np - eq->nh)) {
    return fail(ctx, eq, "the nh values from held_first on are not among the np parameters",
                "0 <= held_first <= np - nh");
  }
  for (int i = 0; eq->nl > 0 && i < eq->nl; i++) {
    if (!eq->late_row || !eq->late || eq->nl > eq->nz) {
      return fail(ctx, eq, "nl > 0, but late or late_row is missing, or nl is more than nz",
                  "both of them, and at most nz rows");
    }
    if (eq->late_row[i] >= eq->nv - eq->nz && eq->late_row[i] < eq->nv) continue;
    return fail(ctx, eq, "late_row has a row that is no state", "one of the last nz velocities");
  }
  if (eq->nz >= eq->nv)
    return fail(ctx, eq, "nz is not less than nv", "at least one velocity beside the states");
  if (eq->nq < eq->nv - eq->nz) {
    return fail(ctx, eq, "nq is less than nv - nz", "a coordinate for each velocity");
  }
  return CMB_OK;
}

static cmb_status check_names(cmb_context *ctx, const cmb_equations *eq)
{
  const struct {
    const char *what;
    int count;
    const char *const *names;
  } lists[] = {
      {"q_names", eq->nq, eq->q_names},           {"v_names", eq->nv, eq->v_names},
      {"g_names", eq->ng, eq->g_names},           {"lambda_names", eq->ng, eq->lambda_names},
      {"switch_names", eq->ns, eq->switch_names}, {"output_names", eq->no, eq->output_names},
      {"u_names", eq->nu, eq->u_names},           {"p_names", eq->np, eq->p_names}};
  for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
    if (lists[k].count > 0 && !lists[k].names) {
      return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("equations", eq->name),
                            "equations '%s' have no %s; expected %d of them", eq->name,
                            lists[k].what, lists[k].count);
    }
    for (int i = 0; i < lists[k].count; i++) {
      if (lists[k].names[i]) continue;
      return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("equations", eq->name),
                            "equations '%s': %s[%d] is missing", eq->name, lists[k].what, i);
    }
  }
  return CMB_OK;
}

/* Returns whether the description of the event rules in eq is complete: the resets of each rule lie within the eq->reset_count resets; the
 * function eq->surfaces is set if a rule has a surface or a gap; a rule that is an error has its message; and the table eq->rule_reads is
 * set if there are both rules and switching functions. */
static bool are_rules_complete(const cmb_equations *eq)
{
  for (int i = 0; eq->rules && i < eq->rule_count; i++) {
    const cmb_rule *r = &eq->rules[i];
    const bool inside = r->first_reset >= 0 && r->reset_count >= 0 &&
                        r->reset_count <= eq->reset_count - r->first_reset;
    if (!inside || ((r->surface || r->gap) && !eq->surfaces)) return false;
    if (r->fails && !r->warning) return false;
  }
  return eq->rule_count == 0 || eq->ns == 0 || eq->rule_reads;
}

static cmb_status check_functions(cmb_context *ctx, const cmb_equations *eq)
{
  bool levels = false;
  for (int i = 0; i < eq->ns && eq->switch_is_level; i++) levels |= eq->switch_is_level[i];
  const struct {
    const char *what, *expected;
    bool missing;
  } functions[] = {
      {"evaluate is missing", "the function that has M, f, g, G", !eq->evaluate},
      {"forced is there and ng is 0", "constraints, whose multipliers are given to it",
       eq->forced && eq->ng == 0},
      {"ns > 0 and switches is missing", "the function", eq->ns > 0 && !eq->switches},
      {"no > 0 or nh > 0 and outputs is missing", "the function",
       cmb_observed(eq) > 0 && !eq->outputs},
      {"nh > 0 and samplers, held_sampler or held_moves is missing", "them",
       eq->nh > 0 && (!eq->samplers || !eq->held_sampler || !eq->held_moves)},
      {"rule_count > 0 and rules or conditions is missing", "both",
       eq->rule_count > 0 && (!eq->rules || !eq->conditions)},
      {"a rule's resets, surfaces or rule_reads are missing", "them", !are_rules_complete(eq)},
      {"switch_flow is there and switch_order is missing", "the orders",
       eq->switch_flow && !eq->switch_order},
      {"enclose is there and switch_enclosed is missing", "which functions have bounds",
       eq->ns > 0 && eq->enclose && !eq->switch_enclosed},
      {"reset_count > 0 and resets or reset_names is missing", "both",
       eq->reset_count > 0 && (!eq->resets || !eq->reset_names)},
      {"nu > 0 and inputs is missing", "the function", eq->nu > 0 && !eq->inputs},
      {"nt > 0 and time_values or time_bounds is missing", "the functions",
       eq->nt > 0 && (!eq->time_values || !eq->time_bounds)},
      {"path_count > 0 and path_values or path_bounds is missing", "the functions",
       eq->path_count > 0 && (!eq->path_values || !eq->path_bounds)},
      {"np > 0 and the values p are missing", "them", eq->np > 0 && !eq->p},
      {"a switch is a level and levels is missing", "the function", levels && !eq->levels}};
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    if (functions[i].missing) return fail(ctx, eq, functions[i].what, functions[i].expected);
  }
  return CMB_OK;
}

/* Returns whether p is a valid compressed-row sparsity pattern of the given size: row starts that begin at 0 and do not decrease,
 * and column indices that ascend strictly within each row and lie in 0 .. columns − 1. */
static bool is_pattern(const cmb_pattern *p, int rows, int columns)
{
  if (p->rows != rows || p->columns != columns || !p->start || p->start[0] != 0) return false;
  for (int i = 0; i < rows; i++) {
    if (p->start[i + 1] < p->start[i] || p->start[i + 1] - p->start[i] > columns) return false;
  }
  if (p->start[rows] > 0 && !p->column) return false;
  for (int i = 0; i < rows; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      const int before = k > p->start[i] ? p->column[k - 1] : -1;
      if (p->column[k] <= before || p->column[k] >= columns) return false;
    }
  }
  return true;
}

static cmb_status check_patterns(cmb_context *ctx, const cmb_equations *eq)
{
  const cmb_pattern *const *d = eq->derivative_pattern;
  const struct {
    const char *name;
    const cmb_pattern *pattern;
    int rows, columns;
  } patterns[] = {{"M_pattern", eq->M_pattern, eq->nv, eq->nv},
                  {"G_pattern", eq->G_pattern, eq->ng, eq->nv},
                  {"U_pattern", eq->U_pattern, eq->rule_count, eq->nv},
                  {"CMB_RESIDUAL_Q", d[CMB_RESIDUAL_Q], eq->nv, eq->nq},
                  {"CMB_RESIDUAL_V", d[CMB_RESIDUAL_V], eq->nv, eq->nv},
                  {"CMB_VELOCITY_Q", d[CMB_VELOCITY_Q], eq->ng, eq->nq},
                  {"CMB_GAMMA_Q", d[CMB_GAMMA_Q], eq->ng, eq->nq},
                  {"CMB_GAMMA_V", d[CMB_GAMMA_V], eq->ng, eq->nv},
                  {"CMB_RESIDUAL_U", d[CMB_RESIDUAL_U], eq->nv, eq->nu},
                  {"CMB_POSITION_U", d[CMB_POSITION_U], eq->ng, eq->nu}};
  for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
    if (!patterns[i].pattern) continue;
    if (is_pattern(patterns[i].pattern, patterns[i].rows, patterns[i].columns)) continue;
    return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("equations", eq->name),
                          "equations '%s': the pattern %s is wrong; expected the size %d x %d, "
                          "with column numbers that ascend in each row",
                          eq->name, patterns[i].name, patterns[i].rows, patterns[i].columns);
  }
  return CMB_OK;
}

cmb_status cmb_equations_check(cmb_context *ctx, const cmb_equations *eq)
{
  CMB_REQUIRE(ctx, eq, "the equations are missing");
  CMB_REQUIRE(ctx, eq->name, "the equations have no name");
  CMB_TRY(check_sizes(ctx, eq));
  CMB_TRY(check_names(ctx, eq));
  CMB_TRY(check_functions(ctx, eq));
  return check_patterns(ctx, eq);
}
