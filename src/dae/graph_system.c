/*
 * Creates a system from expressions (graph_system.h): copies everything that outlives the expressions into its arena, and sets the
 * functions of its equations, which run programs.
 *
 * Small matrices are stored dense: the dense KKT solve is faster there (CMB_KKT_SPARSE_FROM).
 */
#include "dae/graph_system.h"

#include "base/context.h"
#include "dae/code.h"
#include "dae/graph_data.h"
#include "expr/graph.h"
#include "expr/program.h"
#include "math/kkt.h"

#include <string.h>

static void destroy_data(cmb_system *system)
{
  cmb_graph_data *d = (cmb_graph_data *)system->eq.self;
  cmb_graph_rates_destroy(d);
  cmb_graph_programs_destroy(d);
  if (system->eq.code) cmb_graph_destroy(system->eq.code->graph);
}

static void add_digest(const cmb_system *system, cmb_sha256 *s)
{
  const cmb_graph_data *d = system->eq.self;
  const cmb_program *const more[] = {d->switch_rates, d->time, d->path};
  for (int k = 0; k < CMB_PROGRAMS; k++) {
    if (d->program[k]) cmb_program_add_digest(d->program[k], s);
  }
  for (int k = 0; k < 3; k++) {
    if (more[k]) cmb_program_add_digest(more[k], s);
  }
}

/* ---- names and numbers */

static const char *const *copy_names(cmb_arena *arena, int count, const char *const *names)
{
  if (!names) return NULL; /* no units given */
  const char **copy = cmb_arena_take(arena, (size_t)count, sizeof *copy);
  for (int i = 0; copy && i < count; i++) {
    copy[i] = cmb_arena_text(arena, names[i]);
  }
  return copy;
}

static void copy_all_names(const cmb_graph_parts *p, cmb_arena *arena, cmb_equations *eq)
{
  const cmb_expressions *x = p->x;
  eq->name = cmb_arena_text(arena, x->name);
  eq->q_names = copy_names(arena, x->nq, x->q_names);
  eq->v_names = copy_names(arena, x->nv, x->v_names);
  eq->g_names = copy_names(arena, p->x->ng, x->g_names);
  eq->lambda_names = copy_names(arena, p->x->ng, x->lambda_names);
  eq->output_names = copy_names(arena, x->no, x->output_names);
  eq->u_names = copy_names(arena, x->nu, x->u_names);
  eq->p_names = copy_names(arena, x->np, x->parameter_names);
  eq->impulse_units = copy_names(arena, x->ng, x->impulse_units);
  eq->q_units = copy_names(arena, x->nq, x->q_units);
  eq->v_units = copy_names(arena, x->nv, x->v_units);
  eq->output_units = copy_names(arena, x->no, x->output_units);
}

static double *copy_doubles(cmb_arena *arena, int count, const double *from)
{
  double *copy = cmb_arena_doubles(arena, count);
  for (int i = 0; copy && i < count; i++) copy[i] = from[i];
  return copy;
}

static void copy_sizes(const cmb_expressions *x, cmb_arena *arena, cmb_equations *eq)
{
  if (!x->q_sizes) return;
  eq->q_sizes = copy_doubles(arena, x->nq, x->q_sizes);
  eq->v_sizes = copy_doubles(arena, x->nv, x->v_sizes);
}

static const int *copy_ints(cmb_arena *arena, int count, const int *from)
{
  int *copy = from ? cmb_arena_ints(arena, count) : NULL;
  for (int i = 0; copy && i < count; i++) copy[i] = from[i];
  return copy;
}

static void set_sizes(const cmb_graph_parts *p, cmb_graph_data *d, cmb_equations *eq)
{
  const cmb_expressions *x = p->x;
  eq->nq = d->nq = x->nq;
  eq->nv = d->nv = x->nv;
  eq->nz = x->nz;
  eq->nl = x->nl;
  eq->ng = d->ng = p->x->ng;
  eq->ns = d->ns = p->ns;
  eq->no = d->no = x->no;
  eq->nu = x->nu;
  eq->np = d->np = x->np;
  eq->held_first = x->held_first;
  d->layout = p->layout;
  memcpy(d->count, p->count, sizeof d->count);
}

/* ---- switches */

static cmb_status list_switches(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d,
                                cmb_equations *eq)
{
  const cmb_graph *g = p->x->graph;
  const char **names = cmb_arena_take(arena, (size_t)p->ns, sizeof *names);
  cmb_switch_kind *kinds = cmb_arena_take(arena, (size_t)p->ns, sizeof *kinds);
  bool *is_level = cmb_arena_take(arena, (size_t)p->ns, sizeof *is_level);
  bool *sticks = cmb_arena_take(arena, (size_t)p->ns, sizeof *sticks);
  d->level = cmb_arena_take(arena, (size_t)p->count[CMB_PART_DECIDING], sizeof *d->level);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < p->ns; i++) {
    const cmb_mode *m = cmb_modes_at(p->modes, i);
    names[i] = cmb_arena_text(arena, p->switch_names[i]);
    kinds[i] = p->switch_kinds[i];
    is_level[i] = !cmb_mode_is_sign(m->kind);
    sticks[i] = m->kind == CMB_MODE_STICK;
    if (sticks[i]) eq->switch_sticks = sticks;
    if (!is_level[i]) continue;
    const cmb_table *table = m->kind == CMB_MODE_TABLE ? g->tables[m->table] : NULL;
    d->level[d->level_count++] = (cmb_graph_level){i, table};
  }
  eq->switch_names = names;
  eq->switch_kinds = kinds;
  if (d->level_count > 0) eq->switch_is_level = is_level;
  return CMB_OK;
}

static cmb_status list_closing(const cmb_graph_parts *p, cmb_system *system)
{
  const size_t ng = (size_t)p->x->ng;
  bool *closes = cmb_arena_take(system->arena, ng, sizeof *closes);
  if (!closes) return cmb_fail_memory(p->ctx);
  memcpy(closes, p->x->closes, ng * sizeof *closes);
  system->g_closes = closes;
  return CMB_OK;
}

/* Marks in system->g_has_branches (ng) the position constraints that depend on modes of switching functions. Such a constraint may
 * be redundant in one mode and not in another. */
static cmb_status list_branches(const cmb_graph_parts *p, cmb_system *system)
{
  const int ng = p->x->ng;
  cmb_expr *mode = cmb_arena_take(p->arena, (size_t)p->ns, sizeof *mode);
  bool *branches = cmb_arena_take(system->arena, (size_t)ng, sizeof *branches);
  if (!mode || !branches) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < p->ns; i++) mode[i] = cmb_modes_at(p->modes, i)->mode;
  system->g_has_branches = branches;
  return cmb_depends(p->x->graph, p->ns, mode, ng, p->part[CMB_PART_POSITION], branches);
}

/* Marks in system->p_moves (np) those time derivatives of inputs that are live parameters (parameters that can be changed after set-up) and
 * occur in the constraints on velocities or accelerations, or in the surfaces of events and stops. */
static cmb_status list_moving_rates(const cmb_graph_parts *p, cmb_system *system)
{
  static const cmb_graph_part parts[] = {CMB_PART_GT, CMB_PART_GAMMA, CMB_PART_SURFACES};
  const cmb_expressions *x = p->x;
  bool *moves = cmb_arena_take(system->arena, (size_t)x->np, sizeof *moves);
  if (!moves) return cmb_fail_memory(p->ctx);
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    uint8_t *used = cmb_reachable(x->graph, p->count[parts[k]], p->part[parts[k]]);
    if (!used) return cmb_fail_memory(p->ctx);
    for (int i = x->np - x->nr; i < x->np; i++) moves[i] = moves[i] || used[x->parameter[i]];
    cmb_release(p->ctx, used);
  }
  system->p_moves = moves;
  return CMB_OK;
}

/* ---- matrices */

static const cmb_pattern *make_pattern(cmb_arena *arena, int rows, int columns,
                                       const cmb_entries *m)
{
  cmb_pattern *pattern = cmb_arena_take(arena, 1, sizeof *pattern);
  int *start = cmb_arena_ints(arena, rows + 1), *column = cmb_arena_ints(arena, m->count);
  if (cmb_arena_failed(arena)) return NULL;
  for (int k = 0; k < m->count; k++) {
    start[m->entry[k].row + 1]++;
    column[k] = m->entry[k].column;
  }
  for (int i = 0; i < rows; i++) start[i + 1] += start[i];
  *pattern = (cmb_pattern){rows, columns, start, column};
  return pattern;
}

/* Returns for each entry of the sparse matrix m its index in dense storage, row by row with rows of length row_length, or in
 * storage of the diagonal only if row_length is 0. The array belongs to the arena; NULL if out of memory. */
static int *make_places(cmb_arena *arena, int row_length, const cmb_entries *m)
{
  int *place = cmb_arena_ints(arena, m->count);
  for (int k = 0; place && k < m->count; k++) {
    place[k] = m->entry[k].row * row_length + m->entry[k].column;
  }
  return place;
}

static bool is_diagonal(const cmb_entries *m)
{
  for (int k = 0; k < m->count; k++) {
    if (m->entry[k].row != m->entry[k].column) return false;
  }
  return true;
}

/* Sets *constant to true if none of the `count` expressions depends on an input of the graph (time, coordinate, parameter, ...),
 * otherwise to false. */
static cmb_status is_constant(const cmb_graph *g, int count, const cmb_expr *exprs, bool *constant)
{
  uint8_t *used = cmb_reachable(g, count, exprs);
  if (!used) return cmb_fail_memory(g->ctx);
  *constant = true;
  for (cmb_expr e = 0; e < cmb_graph_size(g); e++) {
    if (used[e] && cmb_expr_op(g, e) == CMB_OP_INPUT) *constant = false;
  }
  cmb_release(g->ctx, used);
  return CMB_OK;
}

static cmb_status store_matrices(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d,
                                 cmb_equations *eq)
{
  int nv = eq->nv, ng = eq->ng;
  bool sparse = nv + ng >= CMB_KKT_SPARSE_FROM;
  const bool factors = p->x->mass_factors.count > 0;
  eq->mass_diagonal = !factors && is_diagonal(&p->M);
  d->M_size = factors             ? p->count[CMB_PART_M]
              : eq->mass_diagonal ? nv
              : sparse            ? p->M.count
                                  : nv * nv;
  d->G_size = sparse ? p->G.count : ng * nv;
  if (sparse && !factors && !eq->mass_diagonal) eq->M_pattern = make_pattern(arena, nv, nv, &p->M);
  if (sparse) eq->G_pattern = make_pattern(arena, ng, nv, &p->G);
  if (!eq->M_pattern && !factors)
    d->M_place = make_places(arena, eq->mass_diagonal ? 0 : nv, &p->M);
  if (!eq->G_pattern) d->G_place = make_places(arena, nv, &p->G);
  if (factors) return cmb_arena_failed(arena) ? cmb_fail_memory(p->ctx) : CMB_OK;
  CMB_TRY(is_constant(p->x->graph, p->M.count, p->part[CMB_PART_M], &eq->mass_constant));
  if (eq->mass_constant) d->M_constant = cmb_arena_doubles(arena, d->M_size);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(p->ctx);
  return eq->mass_constant ? cmb_graph_constant_mass(p, d) : CMB_OK;
}

/* ---- the system */

static void copy_locks(const cmb_expressions *x, cmb_system *system)
{
  system->locks = cmb_arena_take(system->arena, (size_t)x->lock_count + 1, sizeof *system->locks);
  for (int i = 0; system->locks && i < x->lock_count; i++) {
    system->locks[i] = x->locks[i];
    system->locks[i].joint = cmb_arena_text(system->arena, x->locks[i].joint);
    system->locks[i].file = cmb_arena_text(system->arena, x->locks[i].file);
    system->locks[i].axes = cmb_arena_text(system->arena, x->locks[i].axes);
    system->lock_count++;
  }
}

static cmb_status fill_system(cmb_graph_parts *p, cmb_graph_data *d, cmb_system *system)
{
  cmb_arena *arena = system->arena;
  cmb_equations *eq = &system->eq;
  if (p->options->keep) {
    p->lasting = arena;
    eq->code = p->code = cmb_arena_take(arena, 1, sizeof *p->code);
    if (!p->code) return cmb_fail_memory(p->ctx);
  }
  CMB_TRY(cmb_graph_parts_make(p));
  set_sizes(p, d, eq);
  copy_all_names(p, arena, eq);
  copy_sizes(p->x, arena, eq);
  d->root_names = copy_names(arena, p->x->root_count, p->x->root_names);
  eq->impulse_signs = copy_ints(arena, eq->ng, p->x->impulse_signs);
  eq->late_row = copy_ints(arena, eq->nl, p->x->late_row);
  if (p->x->impulse_weights) {
    eq->impulse_weights = copy_doubles(arena, eq->ng, p->x->impulse_weights);
  }
  eq->p = d->p = system->p = copy_doubles(arena, eq->np, p->x->parameter_value);
  system->q = copy_doubles(arena, eq->nq, p->x->q_start);
  system->v = copy_doubles(arena, eq->nv, p->x->v_start);
  system->q_given = copy_doubles(arena, eq->nq, p->x->q_wanted ? p->x->q_wanted : p->x->q_start);
  system->v_given = copy_doubles(arena, eq->nv, p->x->v_wanted ? p->x->v_wanted : p->x->v_start);
  copy_locks(p->x, system);
  CMB_TRY(list_switches(p, arena, d, eq));
  CMB_TRY(cmb_graph_samples_list(p, arena, eq));
  CMB_TRY(cmb_graph_rules_list(p, arena, d, eq));
  CMB_TRY(cmb_graph_idle_list(p, arena, eq));
  if (p->x->closes) CMB_TRY(list_closing(p, system));
  if (p->ns > 0) CMB_TRY(list_branches(p, system));
  if (p->x->live_inputs && p->x->nr > 0) CMB_TRY(list_moving_rates(p, system));
  CMB_TRY(store_matrices(p, arena, d, eq));
  if (cmb_has_rates(p->x)) CMB_TRY(cmb_graph_rates_make(p, arena, d));
  CMB_TRY(cmb_graph_programs_make(p, arena, d));
  CMB_TRY(cmb_graph_enclose_make(p, arena, d));
  CMB_TRY(cmb_graph_time_make(p, d));
  CMB_TRY(cmb_graph_path_make(p, arena, d));
  CMB_TRY(cmb_graph_loads_make(p, d));
  cmb_graph_enclose_take_plan(d);
  CMB_TRY(cmb_graph_compile(p, d));
  cmb_graph_mass_factors(d);
  cmb_graph_functions(p, d, eq);
  return cmb_arena_failed(arena) ? cmb_fail_memory(p->ctx) : CMB_OK;
}

cmb_status cmb_graph_system_create(cmb_context *ctx, const cmb_expressions *x,
                                   const cmb_graph_options *options, cmb_system **out)
{
  *out = NULL;
  cmb_system *system = cmb_system_new(ctx);
  cmb_graph_data *d = system ? cmb_arena_take(system->arena, 1, sizeof *d) : NULL;
  cmb_graph_parts parts = {.ctx = ctx, .x = x, .options = options};
  if (d) {
    system->eq.self = d;
    system->destroy = destroy_data;
    system->digest = add_digest;
    parts.arena = cmb_arena_create(ctx);
  }
  cmb_status status = parts.arena ? fill_system(&parts, d, system) : cmb_fail_memory(ctx);
  cmb_modes_destroy(parts.modes);
  cmb_arena_destroy(parts.arena);
  if (status != CMB_OK) {
    cmb_system_destroy(system);
    return status;
  }
  *out = system;
  return CMB_OK;
}

cmb_native_origin cmb_system_origin(const cmb_system *system)
{
  if (system->destroy != destroy_data) return CMB_NATIVE_INTERPRETED;
  const cmb_graph_data *d = system->eq.self;
  return d->code.native ? cmb_native_where_from(d->code.native) : CMB_NATIVE_INTERPRETED;
}
