/*
 * Detects friction in the formulas of forces that has the wrong sign, so that it drives the velocity it depends on, and reports an error.
 * Called after all forces of a mechanism have been built.
 *
 * A `stick` with the force S, which has the sign of e = wᵀv + e₀, changes the power P of all forces. If ∂P/∂S = φᵀv with φ = μ w and μ > 0,
 * S accelerates the motion along e: a sign is wrong, for example a minus in a torsion, whose torque is a pull. μ is computed as the quotient
 * of the changes of ∂P/∂S and of e with v, at many random states. An error is reported if it is positive in a part of them and negative in
 * none. If its sign depends on the motion, on time or on an input, it may be right in the states that a simulation reaches; if φ is not
 * along w, the quotient has both signs. Live parameters have their present values.
 */
#include "dyn/build.h"

#include "base/context.h"
#include "expr/graph.h"
#include "math/random.h"
#include "model/force_types.h"

#include <math.h>
#include <stdio.h>

/* Number of random states, and in how many of them μ must be positive: signs that rounding decides agree in so many once in 2^ENOUGH times. */
enum { STATES = 128, ENOUGH = 16 };

/* A change of e that is smaller than this part of e is not used: rounding may decide its sign. */
static const double LEAST_CHANGE = 1e-9;

/* Kinds of inputs of the program: INPUT_DRAWN is any input but a velocity or a parameter, and is set to random values. */
enum { INPUT_DRAWN, INPUT_VELOCITY, INPUT_PARAMETER };

/* All dry friction stick(e, ..) in formulas, and the program that computes the velocity e and ∂P/∂S of each. */
struct trial {
  int count;
  cmb_expr *stick, *S, *pair; /* (count), (count), (2 x count) all e, then all ∂P/∂S */
  cmb_program *program;
  int inputs;
  int *kind; /* (inputs) */
  double *in, *rest, *moving, *work;
  int *positive; /* (count) number of states in which μ > 0; -1 if μ < 0 in one of them */
};

/* Returns the force element to which term number `action` of the applied forces belongs; NULL if the term belongs to a joint. */
static const cmb_model_force *force_of(const cmb_build *b, int action)
{
  const cmb_model_force *f = NULL;
  int begins = -1;
  for (int i = 0; i < b->model->force_count; i++) {
    const int first = b->first_action[i];
    if (first <= action && first >= begins) begins = first, f = &b->model->forces[i];
  }
  return f;
}

/* Finds all dry friction in force elements, that is, the expressions stick(velocity, ..), and stores them in t->stick, their number in t->count. */
static cmb_status list_sticks(cmb_build *b, struct trial *t)
{
  const int actions = b->actions.count;
  int first = actions, most = 0;
  for (int i = 0; i < b->model->force_count; i++) {
    if (b->first_action[i] < first) first = b->first_action[i];
  }
  cmb_expr *of = cmb_arena_take(b->arena, 2 * (size_t)(actions - first) + 1, sizeof *of);
  if (!of) return CMB_ERROR_MEMORY;
  for (int i = first; i < actions; i++) {
    of[2 * (i - first)] = cmb_action_at(b, i)->force;
    of[2 * (i - first) + 1] = cmb_action_at(b, i)->measure.rate;
  }
  uint8_t *used = cmb_reachable(b->g, 2 * (actions - first), of);
  if (!used) return cmb_fail_memory(b->ctx);
  for (cmb_expr e = 0; e < b->g->size; e++) most += cmb_expr_op(b->g, e) == CMB_OP_STICK;
  t->stick = cmb_arena_take(b->arena, (size_t)most + 1, sizeof *t->stick);
  for (cmb_expr e = 0; t->stick && e < b->g->size; e++) {
    if (used[e] && cmb_expr_op(b->g, e) == CMB_OP_STICK) t->stick[t->count++] = e;
  }
  cmb_release(b->ctx, used);
  return t->stick ? CMB_OK : CMB_ERROR_MEMORY;
}

/* Builds the expression of the power of the force element `only`, or of all forces, those in joints included, if
 * `only` is NULL. */
static cmb_expr power_of(cmb_build *b, const cmb_model_force *only)
{
  cmb_expr sum = 0;
  for (int i = 0; i < b->actions.count; i++) {
    const cmb_action *a = cmb_action_at(b, i);
    if (only && force_of(b, i) != only) continue;
    sum = cmb_add(b->g, sum, cmb_mul(b->g, a->force, a->measure.rate));
  }
  return sum;
}

/* Builds for each dry friction S = stick(e, ..) its velocity e and the derivative ∂P/∂S of the power P with respect to the friction force. P is
 * the power of all forces, or of the force element `only` if that is not NULL. t->pair receives all e and then all derivatives. */
static cmb_status make_pairs(cmb_build *b, const cmb_model_force *only, struct trial *t)
{
  const size_t n = (size_t)t->count;
  const cmb_expr one = cmb_constant(b->g, 1);
  cmb_expr power = power_of(b, only);
  t->S = cmb_arena_take(b->arena, n, sizeof *t->S);
  t->pair = cmb_arena_take(b->arena, 2 * n, sizeof *t->pair);
  t->rest = cmb_arena_take(b->arena, 2 * n, sizeof *t->rest);
  t->moving = cmb_arena_take(b->arena, 2 * n, sizeof *t->moving);
  t->positive = cmb_arena_take(b->arena, n, sizeof *t->positive);
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  for (int i = 0; i < t->count; i++) {
    char name[40];
    snprintf(name, sizeof name, "force of friction %d", i);
    t->S[i] = cmb_input(b->g, name);
    t->pair[i] = cmb_expr_argument(b->g, t->stick[i], 0);
  }
  CMB_TRY(cmb_substitute(b->g, t->count, t->stick, t->S, 1, &power, &power));
  return cmb_reverse(b->g, t->count, t->S, 1, &power, &one, t->pair + n);
}

static int kind_of(const cmb_build *b, cmb_expr e, double *value)
{
  for (int i = 0; i < b->tree->nv; i++) {
    if (b->k->v[i] == e) return INPUT_VELOCITY;
  }
  for (int i = 0; i < b->model->parameter_count; i++) {
    const cmb_model_parameter *p = &b->model->parameters[i];
    if (!p->live || p->number.live != e) continue;
    *value = p->number.value;
    return INPUT_PARAMETER;
  }
  return INPUT_DRAWN;
}

/* Stores in input[] those inputs of the expression graph that are marked in used[], and in t->kind what each one is (velocity, parameter,
 * other). Returns false if the expressions call C functions of the user, since these must not be called with states other than those of a
 * simulation. */
static bool list_inputs(cmb_build *b, const uint8_t *used, struct trial *t, cmb_expr *input)
{
  for (cmb_expr e = 0; e < b->g->size; e++) {
    if (used[e] && cmb_expr_op(b->g, e) == CMB_OP_CALL) return false;
    if (!used[e] || cmb_expr_op(b->g, e) != CMB_OP_INPUT) continue;
    t->kind[t->inputs] = kind_of(b, e, &t->in[t->inputs]);
    input[t->inputs++] = e;
  }
  return true;
}

/* Compiles the program that computes, for each friction force S, the velocity e that it should oppose and the derivative ∂P/∂S of the power P
 * of the forces. t->program stays NULL if the expressions call C functions of the user. */
static cmb_status compile_program(cmb_build *b, struct trial *t)
{
  uint8_t *used = cmb_reachable(b->g, 2 * t->count, t->pair);
  size_t most = 1;
  if (!used) return cmb_fail_memory(b->ctx);
  for (cmb_expr e = 0; e < b->g->size; e++) {
    most += used[e] && cmb_expr_op(b->g, e) == CMB_OP_INPUT;
  }
  cmb_expr *input = cmb_arena_take(b->arena, most, sizeof *input);
  t->kind = cmb_arena_take(b->arena, most, sizeof *t->kind);
  t->in = cmb_arena_take(b->arena, most, sizeof *t->in);
  cmb_status status = cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
  if (status == CMB_OK && list_inputs(b, used, t, input)) {
    status = cmb_program_create(b->ctx, b->g, t->inputs, input, 2 * t->count, t->pair, &t->program);
  }
  cmb_release(b->ctx, used);
  if (status != CMB_OK || !t->program) return status;
  t->work = cmb_arena_take(b->arena, (size_t)cmb_program_work(t->program) + 1, sizeof *t->work);
  return t->work ? CMB_OK : CMB_ERROR_MEMORY;
}

/* Sets those inputs of the program that have the given kind (INPUT_VELOCITY or INPUT_DRAWN) to random numbers of both signs, with magnitudes
 * from about 10⁻⁶ to 10⁶. *state is the state of the random number generator. */
static void draw_inputs(const struct trial *t, int kind, uint32_t *state)
{
  for (int i = 0; i < t->inputs; i++) {
    if (t->kind[i] == kind) t->in[i] = cmb_random(state) * pow(1e6, cmb_random(state));
  }
}

/* Tests at one more random state whether each dry friction force S increases the velocity e that it should oppose. Changes the velocities from
 * 0 to random values; μ is the change of ∂P/∂S, where P is the power of the forces, divided by the change of e. Adds 1 to t->positive[] of each
 * friction with μ > 0, in which case it drives; stores −1 for one with μ < 0. */
static void count_driving(const struct trial *t, uint32_t *state)
{
  draw_inputs(t, INPUT_DRAWN, state);
  for (int i = 0; i < t->inputs; i++) {
    if (t->kind[i] == INPUT_VELOCITY) t->in[i] = 0;
  }
  cmb_program_run(t->program, t->in, t->rest, t->work);
  draw_inputs(t, INPUT_VELOCITY, state);
  cmb_program_run(t->program, t->in, t->moving, t->work);
  for (int i = 0; i < t->count; i++) {
    const int P = t->count + i;
    const double change = t->moving[i] - t->rest[i], q = (t->moving[P] - t->rest[P]) / change;
    if (fabs(change) <= LEAST_CHANGE * fabs(t->rest[i])) continue;
    if (q < 0) t->positive[i] = -1;
    if (q > 0 && t->positive[i] >= 0) t->positive[i]++;
  }
}

/* Returns whether dry friction number k drives the velocity that it should oppose, by the tests at random states: at least ENOUGH of them must
 * have shown this (t->positive), and none the opposite. */
static bool drives(const struct trial *t, int k)
{
  return t->positive[k] >= ENOUGH;
}

/* Sets *yes to whether the expression e occurs in term number `action` of the applied forces, either in the force itself or in the rate of the
 * distance or coordinate to which the force is conjugate. */
static cmb_status action_contains(const cmb_build *b, int action, cmb_expr e, bool *yes)
{
  const cmb_action *a = cmb_action_at(b, action);
  const cmb_expr made_of[2] = {a->force, a->measure.rate};
  uint8_t *used = cmb_reachable(b->g, 2, made_of);
  if (!used) return cmb_fail_memory(b->ctx);
  *yes = used[e];
  cmb_release(b->ctx, used);
  return CMB_OK;
}

/* Counts for each dry friction term of force elements the random states in which it drives the velocity that it should oppose. Judges by the
 * power of all forces, or of the force element `only` if that is not NULL. */
static cmb_status try_signs(cmb_build *b, const cmb_model_force *only, struct trial *t)
{
  uint32_t state = CMB_RANDOM_FIRST;
  *t = (struct trial){0};
  CMB_TRY(list_sticks(b, t));
  if (t->count == 0) return CMB_OK;
  CMB_TRY(make_pairs(b, only, t));
  const cmb_status status = compile_program(b, t);
  for (int i = 0; i < STATES && status == CMB_OK && t->program; i++) count_driving(t, &state);
  cmb_program_destroy(t->program);
  return status;
}

/* Finds the force element that the error message on dry friction number k names; this friction drives the velocity that it should oppose. It is
 * the first element for which the power of its own forces shows this, or else the first that contains the friction. *driven becomes NULL if
 * none contains it. */
static cmb_status find_driven(cmb_build *b, const struct trial *all, int k,
                              const cmb_model_force **driven)
{
  *driven = NULL;
  for (int i = 0; i < b->actions.count; i++) {
    const cmb_model_force *f = force_of(b, i);
    struct trial own;
    bool found = false;
    if (f) CMB_TRY(action_contains(b, i, all->stick[k], &found));
    if (!found) continue;
    CMB_TRY(try_signs(b, f, &own));
    if (!*driven || drives(&own, k)) *driven = f;
    if (drives(&own, k)) return CMB_OK;
  }
  return CMB_OK;
}

static cmb_status refuse(cmb_build *b, const struct trial *all, int k)
{
  const cmb_model_force *f;
  CMB_TRY(find_driven(b, all, k, &f));
  if (!f) return CMB_OK; /* not reached: list_sticks collects friction of forces only */
  const bool pulls = cmb_force_rows[f->type].results == CMB_RESULTS_PULL;
  return cmb_build_fail(
      b,
      pulls ? cmb_about_formula(&f->formula)
            : cmb_about_leading(cmb_about_part(&f->place, "force", f->name)),
      "with this sign 'stick' accelerates the motion whose velocity it reads, while friction "
      "opposes it; expected the other sign: %s",
      pulls ? "a pull acts against the rate v of its length or coordinate, so that its friction "
              "is stick(v, F, Fs) without a minus"
            : "friction against the velocity v of what a load acts on is -stick(v, F, Fs)");
}

cmb_status cmb_build_check_friction(cmb_build *b)
{
  struct trial t;
  CMB_TRY(try_signs(b, NULL, &t));
  for (int i = 0; i < t.count; i++) {
    if (drives(&t, i)) return refuse(b, &t, i);
  }
  return CMB_OK;
}
