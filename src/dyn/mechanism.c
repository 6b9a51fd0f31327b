/*
 * Creates a mechanism (cmb_mechanism_create of camber/dyn.h): turns a model into the expressions of its equations of
 * motion. Builds the tree of links, forces and constraints, then the equations in the requested formulation, and
 * collects names, units and start values.
 */
#include "dyn/mechanism.h"

#include "base/context.h"
#include "base/text.h"
#include "dyn/build.h"
#include "dyn/road.h"
#include "expr/graph.h"
#include "model/name_map.h"

#include <stdio.h>
#include <string.h>

static const char *const formulations[] = {"explicit", "residual", "cartesian"};

const char *cmb_formulation_name(cmb_formulation formulation)
{
  return formulation >= CMB_FORM_EXPLICIT && formulation <= CMB_FORM_CARTESIAN
             ? formulations[formulation]
             : "";
}

bool cmb_formulation_find(const char *name, cmb_formulation *formulation)
{
  int i = name ? cmb_find_name(name, formulations, 3, sizeof *formulations) : -1;
  if (i >= 0) *formulation = (cmb_formulation)i;
  return i >= 0;
}

static cmb_status allocate(cmb_build *b)
{
  const cmb_model *m = b->model;
  size_t links = (size_t)m->joint_count * CMB_MOST_STAGES + (size_t)m->body_count;
  b->measures = cmb_arena_take(b->arena, (size_t)m->measure_count, sizeof *b->measures);
  b->implicits = cmb_arena_take(b->arena, (size_t)m->implicit_count, sizeof *b->implicits);
  CMB_TRY(cmb_build_take_roads(b));
  b->waiting = b->implicit_now = b->updating = -1;
  b->force_state = cmb_arena_ints(b->arena, m->force_count);
  b->first_action = cmb_arena_ints(b->arena, m->force_count);
  b->action_count = cmb_arena_ints(b->arena, m->force_count);
  b->tyres = cmb_arena_take(b->arena, (size_t)m->force_count + 1, sizeof(void *));
  b->scratch = cmb_arena_take(b->arena, links + 1, sizeof *b->scratch);
  return cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}

/* Reads the formulas of the model's measures (named scalar quantities) that no other formula uses, in order to report
 * errors in them. */
static cmb_status read_unused_measures(cmb_build *b)
{
  for (int i = 0; i < b->model->measure_count; i++) {
    cmb_expr e;
    if (b->model->measures[i].distance || b->measures[i].state == CMB_BUILT) continue;
    CMB_TRY(cmb_build_formula(b, &b->model->measures[i].formula, CMB_LEVEL_OUTPUT, NULL, &e));
  }
  return CMB_OK;
}

/* Reads the formulas of outputs and controllers once before the equations are built, since they determine which joint coordinates (in the
 * Cartesian formulation) and which delays the equations need. Discards the expressions. */
static cmb_status scan_outputs(cmb_build *b)
{
  for (int i = 0; i < b->model->output_count; i++) {
    cmb_expr e;
    CMB_TRY(cmb_build_formula(b, &b->model->outputs[i].formula, CMB_LEVEL_OUTPUT, NULL, &e));
  }
  CMB_TRY(cmb_build_updates(b));
  return read_unused_measures(b);
}

/* Builds the expression *w of the first unknown of x, an implicit function of the model: a group of unknowns that are defined by as many
 * equations. */
static cmb_status read_unknown(cmb_build *b, const cmb_model_implicit *x, cmb_expr *w)
{
  cmb_model_formula formula = x->equation[0];
  formula.text = x->unknown[0].name;
  formula.scope = "";
  return cmb_build_formula(b, &formula, CMB_LEVEL_OUTPUT, NULL, w);
}

/* Reads all implicit functions of the model, also those that nothing uses, in order to report errors in them. */
static cmb_status scan_implicits(cmb_build *b)
{
  for (int i = 0; i < b->model->implicit_count; i++) {
    cmb_expr w;
    CMB_TRY(read_unknown(b, &b->model->implicits[i], &w));
  }
  return CMB_OK;
}

static cmb_status build_parts(cmb_build *b)
{
  CMB_TRY(cmb_build_sampled(b));
  CMB_TRY(cmb_build_states(b));
  CMB_TRY(cmb_build_inputs(b));
  CMB_TRY(cmb_build_check_roads(b));
  CMB_TRY(cmb_build_joint_forces(b));
  for (int i = 0; i < b->model->force_count; i++) CMB_TRY(cmb_build_force(b, i));
  CMB_TRY(cmb_build_state_rates(b));
  CMB_TRY(cmb_build_loops(b));
  CMB_TRY(cmb_build_own_constraints(b));
  CMB_TRY(cmb_build_scan_rules(b));
  CMB_TRY(scan_implicits(b));
  if (b->cartesian || b->sampled.count > 0) CMB_TRY(scan_outputs(b));
  if (b->cartesian) {
    for (int i = 0; i < b->model->joint_count; i++) {
      if (b->model->joints[i].type != CMB_JOINT_FIXED) CMB_TRY(cmb_build_joint_constraints(b, i));
    }
    CMB_TRY(cmb_build_normalisation(b));
  }
  CMB_TRY(cmb_build_check_friction(b));
  CMB_TRY(cmb_build_rows(b));
  return cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}

/* ---- into the set of expressions */

/* Returns whether constraint number i is in the list of redundant constraints that the options leave out. */
static bool is_left_out(const cmb_mechanism_options *o, int i)
{
  for (int k = 0; k < o->left_out_count; k++) {
    if (o->left_out[k] == i) return true;
  }
  return false;
}

/* Collects the entries of the constraint Jacobian G in *G, sorted by rows. Skips the rows of constraints that are left out as redundant. */
static cmb_status collect_gradients(cmb_build *b, cmb_entries *G)
{
  size_t count = 1;
  for (int i = 0; i < b->constraints.count; i++) {
    count += (size_t)cmb_constraint_at(b, i)->row.count;
  }
  *G = (cmb_entries){.entry = cmb_arena_take(b->arena, count, sizeof *G->entry)};
  if (!G->entry) return CMB_ERROR_MEMORY;
  for (int i = 0, k = 0; i < b->constraints.count; i++) {
    const cmb_constraint *c = cmb_constraint_at(b, i);
    if (c->lambda == 0) continue;
    for (int n = 0; n < c->row.count; n++) {
      G->entry[G->count++] = (cmb_entry){k, c->row.column[n], c->row.e[n]};
    }
    k++;
  }
  return CMB_OK;
}

/* Returns the sign, 1 or −1, that converts the Lagrange multiplier of a constraint to the impulse that is reported to the user. The impulse of
 * a distance constraint is positive in tension, that of a constraint given by a formula or as a motion in the direction in which its value
 * grows; any other is the impulse on body b. */
static int impulse_sign(const cmb_build *b, const cmb_constraint *c)
{
  return c->loop >= 0 && b->model->loops[c->loop].type == CMB_LOOP_DISTANCE ? 1 : -1;
}

/* Returns the unit of a constraint's impulse: "N s" for a length, "N m s" for an angle. For a user's formula other than a single coordinate the
 * unit is not known, and "" is returned. */
static const char *impulse_unit(const cmb_build *b, const cmb_constraint *c)
{
  if (c->angle) return "N m s";
  if (c->loop < 0 || b->model->loops[c->loop].type != CMB_LOOP_FORMULA) return "N s";
  const bool plain = c->term_count == 1 && c->terms[0].coefficient == cmb_constant(b->g, 1);
  const int v = plain ? c->terms[0].measure.velocity : -1;
  for (int i = 0; v >= 0 && i < b->tree->link_count; i++) {
    const cmb_link *l = &b->tree->links[i];
    if (l->v == v) return l->kind == CMB_LINK_SHIFT ? "N s" : "N m s";
  }
  return "";
}

/* Stores in x, for each constraint, the sign and the unit of its reported impulse (the time integral of its force). */
static cmb_status store_impulse_signs(cmb_build *b, cmb_expressions *x)
{
  const size_t n = (size_t)x->ng + 1;
  const char **units = cmb_arena_take(b->arena, n, sizeof *units);
  x->impulse_signs = cmb_arena_take(b->arena, n, sizeof *x->impulse_signs);
  if (!units || !x->impulse_signs) return CMB_ERROR_MEMORY;
  for (int i = 0, k = 0; i < b->constraints.count; i++) {
    const cmb_constraint *c = cmb_constraint_at(b, i);
    if (c->lambda == 0) continue;
    x->impulse_signs[k] = impulse_sign(b, c);
    units[k++] = impulse_unit(b, c);
  }
  x->impulse_units = units;
  return CMB_OK;
}

static cmb_status collect_constraints(cmb_build *b, const cmb_mechanism_options *o,
                                      cmb_expressions *x)
{
  const size_t n = (size_t)b->constraints.count + 1;
  const char **names = cmb_arena_take(b->arena, n, sizeof *names);
  x->lambda = cmb_arena_take(b->arena, n, sizeof *x->lambda);
  x->g = cmb_arena_take(b->arena, n, sizeof *x->g);
  x->gt = cmb_arena_take(b->arena, n, sizeof *x->gt);
  x->gamma = cmb_arena_take(b->arena, n, sizeof *x->gamma);
  x->closes = cmb_arena_take(b->arena, n, sizeof *x->closes);
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  for (int i = 0; i < b->constraints.count; i++) {
    cmb_constraint *c = cmb_constraint_at(b, i);
    char text[320];
    if (is_left_out(o, i)) continue;
    snprintf(text, sizeof text, "lambda %s", c->name);
    int k = x->ng++;
    c->lambda = x->lambda[k] = cmb_input(b->g, text);
    x->g[k] = c->g, x->gt[k] = c->gt, x->gamma[k] = c->gamma;
    x->closes[k] = c->loop >= 0;
    names[k] = c->name;
  }
  x->g_names = x->lambda_names = names;
  CMB_TRY(store_impulse_signs(b, x));
  return collect_gradients(b, &x->G);
}

static cmb_status collect_inputs(cmb_build *b, cmb_expressions *x)
{
  const char **names = cmb_arena_take(b->arena, (size_t)b->model->input_count + 1, sizeof *names);
  if (!names) return CMB_ERROR_MEMORY;
  for (int i = 0; i < b->model->input_count; i++) names[i] = b->model->inputs[i].name;
  x->nu = b->model->input_count;
  x->u = b->u;
  x->input_value = b->input;
  x->u_names = names;
  return CMB_OK;
}

static cmb_status collect_parameters(cmb_build *b, const cmb_mechanism_options *o,
                                     cmb_expressions *x)
{
  const cmb_model *m = b->model;
  const size_t most =
      (size_t)m->parameter_count + 3 * (size_t)m->input_count + (size_t)b->sampled.count + 1;
  const char **names = cmb_arena_take(b->arena, most, sizeof *names);
  x->parameter = cmb_arena_take(b->arena, most, sizeof *x->parameter);
  x->parameter_value = cmb_arena_take(b->arena, most, sizeof *x->parameter_value);
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  for (int i = 0; i < m->parameter_count; i++) {
    if (!m->parameters[i].live) continue;
    x->parameter[x->np] = m->parameters[i].number.live;
    x->parameter_value[x->np] = m->parameters[i].number.value;
    names[x->np++] = m->parameters[i].name;
  }
  x->held_first = x->np;
  for (int i = 0; i < b->sampled.count; i++) {
    x->parameter[x->np] = cmb_sampled_at(b, i)->x;
    x->parameter_value[x->np] = cmb_sampled_at(b, i)->start;
    names[x->np++] = cmb_sampled_at(b, i)->name;
  }
  CMB_TRY(cmb_build_take_samplers(b, x));
  x->live_inputs = o->live_inputs;
  for (int i = 0; o->live_inputs && i < m->input_count; i++) {
    x->parameter[x->np] = b->u[i];
    x->parameter_value[x->np] = 0;
    names[x->np++] = m->inputs[i].name;
  }
  x->parameter_names = names;
  return CMB_OK;
}

/* Stores in x the units of all coordinates and velocities; Euler parameters have the unit "". */
static cmb_status store_units(cmb_build *b, cmb_expressions *x)
{
  const char **q = cmb_arena_take(b->arena, (size_t)x->nq + 1, sizeof *q);
  const char **v = cmb_arena_take(b->arena, (size_t)x->nv + 1, sizeof *v);
  if (!q || !v) return CMB_ERROR_MEMORY;
  for (int i = 0; i < b->tree->link_count; i++) {
    const cmb_link *l = &b->tree->links[i];
    const bool shift = l->kind == CMB_LINK_SHIFT, whole = l->kind == CMB_LINK_CARTESIAN;
    for (int n = 0; n < cmb_link_coordinates(l->kind); n++) {
      q[l->q + n] = shift || (whole && n < 3) ? "m" : l->kind == CMB_LINK_TURN ? "rad" : "";
    }
    for (int n = 0; n < cmb_link_velocities(l->kind); n++) {
      v[l->v + n] = shift || (whole && n < 3) ? "m/s" : whole ? "1/s" : "rad/s";
    }
  }
  x->q_units = q, x->v_units = v;
  return cmb_build_state_units(b, x);
}

static cmb_status collect_outputs(cmb_build *b, cmb_expressions *x)
{
  const cmb_model *m = b->model;
  const char **names = cmb_arena_take(b->arena, (size_t)m->output_count + 1, sizeof *names);
  const char **units = cmb_arena_take(b->arena, (size_t)m->output_count + 1, sizeof *units);
  x->outputs =
      cmb_arena_take(b->arena, (size_t)m->output_count + (size_t)x->nh + 1, sizeof *x->outputs);
  if (!names || !units || !x->outputs) return CMB_ERROR_MEMORY;
  b->outputs = true;
  for (int i = 0; i < m->output_count; i++) {
    names[i] = m->outputs[i].name;
    units[i] = m->outputs[i].unit;
    CMB_TRY(cmb_build_formula(b, &m->outputs[i].formula, CMB_LEVEL_OUTPUT, NULL, &x->outputs[i]));
  }
  CMB_TRY(cmb_build_updates(b));
  for (int i = 0; i < x->nh; i++) x->outputs[m->output_count + i] = cmb_sampled_at(b, i)->update;
  x->no = m->output_count;
  x->output_names = names;
  x->output_units = units;
  if (!b->cartesian) CMB_TRY(read_unused_measures(b));
  cmb_build_total(b, "energy", &x->energy);
  for (int i = 0; b->pushes && i < x->rule_count; i++) {
    /* rules made of bounds have no contact force; these inputs are not used */
    x->rules[i].push = i < b->push_count ? b->pushes[i].force : cmb_input(b->g, x->rules[i].name);
  }
  x->push_count = b->pushes ? x->rule_count : 0;
  return CMB_OK;
}

/* Sets *yes to whether the expression e depends on more than time, positions and velocities: on accelerations, Lagrange multipliers or forces
 * of closed unilateral contacts. */
static cmb_status depends_on_more(const cmb_build *b, const cmb_expressions *x, cmb_expr e,
                                  bool *yes)
{
  *yes = false;
  CMB_TRY(cmb_depends(b->g, x->nv, x->a, 1, &e, yes));
  if (!*yes) CMB_TRY(cmb_depends(b->g, x->ng, x->lambda, 1, &e, yes));
  for (int i = 0; !*yes && b->pushes && i < b->push_count; i++) {
    CMB_TRY(cmb_depends(b->g, 1, &b->pushes[i].force, 1, &e, yes));
  }
  return CMB_OK;
}

/* Collects in x->roots those implicit functions (functions defined by equations for them) that depend only on t, q and v, and can thus be
 * evaluated in any state. Stores their names for messages in x->root_names. */
static cmb_status collect_roots(cmb_build *b, cmb_expressions *x)
{
  const cmb_model *m = b->model;
  x->roots = cmb_arena_take(b->arena, (size_t)m->implicit_count + 1, sizeof *x->roots);
  x->root_names = cmb_arena_take(b->arena, (size_t)m->implicit_count + 1, sizeof *x->root_names);
  if (!x->roots || !x->root_names) return CMB_ERROR_MEMORY;
  for (int i = 0; i < m->implicit_count; i++) {
    const cmb_model_implicit *of = &m->implicits[i];
    char subject[320];
    cmb_expr w;
    bool more;
    CMB_TRY(read_unknown(b, of, &w));
    CMB_TRY(depends_on_more(b, x, w, &more));
    if (more) continue;
    snprintf(subject, sizeof subject, "implicit function %s", of->name);
    x->roots[x->root_count] = w;
    x->root_names[x->root_count++] = cmb_build_source_text(b, subject, &of->place);
  }
  return CMB_OK;
}

/* Reports an error if an output has the name of a Lagrange multiplier, since the columns of a trajectory are found by name. Not checked in the
 * Cartesian formulation. */
static cmb_status check_output_names(cmb_build *b, const cmb_expressions *x)
{
  for (int i = 0; i < x->no && !b->cartesian; i++) {
    const char *name = x->output_names[i];
    if (cmb_find_name(name, x->lambda_names, x->ng, sizeof name) < 0) continue;
    return cmb_build_fail(b, cmb_about_part(&b->model->outputs[i].place, "output", name),
                          "output '%s' has the name of a multiplier; expected another name", name);
  }
  return CMB_OK;
}

static cmb_status collect_hints(cmb_build *b, cmb_expressions *x)
{
  const cmb_hint *hints = b->hints.items;
  const size_t n = (size_t)b->hints.count + 1;
  x->hints = cmb_arena_take(b->arena, n, sizeof *x->hints);
  x->hint_names = cmb_arena_take(b->arena, n, sizeof *x->hint_names);
  x->hint_of_rule = cmb_arena_take(b->arena, n, sizeof *x->hint_of_rule);
  x->hint_of_contact = cmb_arena_take(b->arena, n, sizeof *x->hint_of_contact);
  if (!x->hints || !x->hint_names || !x->hint_of_rule || !x->hint_of_contact)
    return CMB_ERROR_MEMORY;
  for (int i = 0; i < b->hints.count; i++) {
    x->hints[i] = hints[i].e;
    x->hint_names[i] = hints[i].name;
    x->hint_of_rule[i] = hints[i].kind == CMB_HINT_RULE;
    x->hint_of_contact[i] = hints[i].kind == CMB_HINT_CONTACT;
  }
  x->hint_count = b->hints.count;
  return CMB_OK;
}

/* Builds the rates q̇ = T(q) v of all coordinates in x->rates; those of Euler parameters p of ball joints are ṗ = ½ Lᵀ ω' with the angular
 * velocity ω'. Lists the first coordinate of each group of Euler parameters in x->ball_q. */
static cmb_status make_rates(cmb_build *b, cmb_expressions *x)
{
  cmb_graph *g = b->g;
  x->rates = cmb_arena_take(b->arena, (size_t)x->nq + 1, sizeof *x->rates);
  x->ball_q = cmb_arena_ints(b->arena, b->tree->link_count);
  if (!x->rates || !x->ball_q) return CMB_ERROR_MEMORY;
  for (int i = 0; i < b->tree->link_count; i++) {
    const cmb_link *l = &b->tree->links[i];
    if (l->kind == CMB_LINK_CARTESIAN) x->ball_q[x->ball_count++] = l->q + 3;
    x->quaternions = x->quaternions || l->kind == CMB_LINK_CARTESIAN || l->kind == CMB_LINK_BALL;
    if (l->kind != CMB_LINK_BALL) {
      for (int n = 0; n < cmb_link_coordinates(l->kind); n++)
        x->rates[l->q + n] = b->k->v[l->v + n];
      continue;
    }
    cmb_vector w = {{b->k->v[l->v], b->k->v[l->v + 1], b->k->v[l->v + 2]}};
    cmb_euler_transposed(g, b->k->q + l->q, w, x->rates + l->q);
    for (int n = 0; n < 4; n++) {
      x->rates[l->q + n] = cmb_mul(g, cmb_constant(g, 0.5), x->rates[l->q + n]);
    }
    x->ball_q[x->ball_count++] = l->q;
  }
  return CMB_OK;
}

/* ---- start values */

/* Converts initial values of all joint coordinates, q_given, and joint velocities, v_given, to the generalised coordinates q and velocities v
 * of the chosen formulation. The model's initial values are used for q_given or v_given if it is NULL. */
static cmb_status convert_start(cmb_build *b, const cmb_start *s, const cmb_expressions *x,
                                const double *q_given, const double *v_given, double *q, double *v)
{
  double *q_joints = cmb_arena_doubles(b->arena, s->joints_nq);
  double *v_joints = cmb_arena_doubles(b->arena, s->joints_nv);
  if (!q_joints || !v_joints) return CMB_ERROR_MEMORY;
  CMB_TRY(cmb_start_of_model(s, b->arena, NULL, q_joints, v_joints));
  return cmb_start_place(s, b->arena, x->parameter_value, q_given ? q_given : q_joints,
                         v_given ? v_given : v_joints, q, v);
}

static cmb_status store_start(cmb_build *b, const cmb_mechanism_options *o, const cmb_start *s,
                              cmb_expressions *x)
{
  x->q_start = cmb_arena_doubles(b->arena, x->nq);
  x->v_start = cmb_arena_doubles(b->arena, x->nv);
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  CMB_TRY(convert_start(b, s, x, o->q_start, o->v_start, x->q_start, x->v_start));
  if (!o->q_start) return CMB_OK;
  x->q_wanted = cmb_arena_doubles(b->arena, x->nq);
  x->v_wanted = cmb_arena_doubles(b->arena, x->nv);
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  return convert_start(b, s, x, o->q_wanted, o->v_wanted, x->q_wanted, x->v_wanted);
}

/* ---- the whole mechanism */

/* Builds all components of a mechanism in the order in which they depend on each other, and stores the expressions of
 * its equations of motion in mechanism->expressions. */
static cmb_status assemble(cmb_build *b, const cmb_mechanism_options *o, cmb_mechanism *mechanism)
{
  cmb_expressions *x = &mechanism->expressions;
  CMB_TRY(build_parts(b));
  *x = (cmb_expressions){.name = b->model->name, .graph = b->g, .t = b->k->t};
  x->nq = b->tree->nq;
  x->q = b->k->q, x->v = b->k->v, x->a = b->k->a;
  x->q_names = b->k->q_names, x->v_names = b->k->v_names;
  CMB_TRY(cmb_build_take_states(b, x));
  CMB_TRY(collect_parameters(b, o, x));
  CMB_TRY(cmb_start_expressions(b, x));
  CMB_TRY(cmb_start_create(b, x, &mechanism->start));
  CMB_TRY(store_start(b, o, mechanism->start, x));
  CMB_TRY(collect_constraints(b, o, x));
  CMB_TRY(collect_inputs(b, x));
  CMB_TRY(make_rates(b, x));
  CMB_TRY(cmb_build_rules(b, x));
  CMB_TRY(collect_hints(b, x));
  CMB_TRY(store_units(b, x));
  CMB_TRY(cmb_build_sizes(b, x));
  CMB_TRY(cmb_build_locks(b, x));
  CMB_TRY(b->cartesian ? cmb_build_cartesian_form(b, x) : cmb_build_joint_form(b, x));
  CMB_TRY(cmb_build_state_equations(b, x));
  if (b->stiffness) CMB_TRY(cmb_build_stiffness(b, x));
  CMB_TRY(cmb_build_take_sources(b, x));
  CMB_TRY(collect_outputs(b, x));
  CMB_TRY(collect_roots(b, x));
  CMB_TRY(cmb_build_reset_units(b, x));
  CMB_TRY(cmb_build_take_input_rates(b, x));
  CMB_TRY(check_output_names(b, x));
  return cmb_graph_status(b->g);
}

cmb_status cmb_build_open(cmb_build *b)
{
  const cmb_model *model = b->model;
  if (model->body_count == 0) {
    return cmb_fail_about(b->ctx, CMB_ERROR_INPUT, cmb_about_at(model->place),
                          "the model has no bodies; expected at least one");
  }
  CMB_TRY(allocate(b));
  CMB_TRY(cmb_build_names(b));
  CMB_TRY(b->cartesian ? cmb_tree_create_cartesian(b->arena, b->g, model, &b->tree)
                       : cmb_tree_create(b->arena, b->g, model, &b->tree));
  if (b->tree->nv == 0) {
    return cmb_fail_about(b->ctx, CMB_ERROR_INPUT, cmb_about_at(model->place),
                          "nothing in the model can move; expected a joint with a coordinate");
  }
  return cmb_kinematics_create(b->arena, b->g, b->tree, &b->k);
}

static cmb_status create(cmb_mechanism *mechanism, const cmb_model *model,
                         const cmb_mechanism_options *o)
{
  cmb_build b = {.ctx = mechanism->ctx, .arena = mechanism->arena, .model = model};
  CMB_TRY(cmb_graph_copy(b.ctx, model->graph, &mechanism->graph));
  b.g = mechanism->graph;
  b.cartesian = o->formulation == CMB_FORM_CARTESIAN;
  b.stiffness = o->stiffness;
  b.forced = o->forced;
  b.whole_mass = o->whole_mass;
  CMB_TRY(cmb_build_open(&b));
  return assemble(&b, o, mechanism);
}

cmb_status cmb_mechanism_create(cmb_context *ctx, const cmb_model *model,
                                const cmb_mechanism_options *options, cmb_mechanism **out)
{
  CMB_REQUIRE(ctx, ctx && out,
              "cmb_mechanism_create needs a context and a place for the mechanism");
  *out = NULL;
  CMB_REQUIRE(ctx, model && options, "cmb_mechanism_create needs a model and options");
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_mechanism *mechanism = arena ? cmb_arena_take(arena, 1, sizeof *mechanism) : NULL;
  if (!mechanism) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  mechanism->ctx = ctx;
  mechanism->arena = arena;
  mechanism->formulation = options->formulation;
  cmb_status status = create(mechanism, model, options);
  if (status == CMB_OK && cmb_arena_failed(arena)) status = CMB_ERROR_MEMORY;
  if (status != CMB_OK) {
    cmb_mechanism_destroy(mechanism);
    return status == CMB_ERROR_MEMORY ? cmb_fail_memory(ctx) : status;
  }
  *out = mechanism;
  return CMB_OK;
}

void cmb_mechanism_destroy(cmb_mechanism *mechanism)
{
  if (!mechanism) return;
  cmb_start_destroy(mechanism->start);
  cmb_graph_destroy(mechanism->graph);
  cmb_arena_destroy(mechanism->arena);
}
