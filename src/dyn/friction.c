/*
 * Detects friction in the formulas of forces that has the wrong sign, so that it drives the velocity it depends on, and reports an error.
 * Called after all forces of a mechanism have been built.
 *
 * A `stick` with the force S, which has the sign of e = wᵀv + e₀, adds φ S to the generalised forces. If φ = μ w and μ > 0, S accelerates the
 * motion along e: a sign is wrong, for example a minus in a torsion, whose torque is a pull. μ has the sign of φᵀw, which is computed at many
 * random states. An error is reported if it is positive in a part of them and negative in none. Live parameters have their present values.
 *
 * If μ depends on the motion, on time or on an input, its sign may be right in all states that a simulation reaches. Unless μ is proved to be
 * negative or 0, it is then a limit of validity: a simulation ends with an error where friction drives. Nothing is checked if φ is not
 * along w or if C functions of the user are called, and there is no such limit if φ depends on S.
 */
#include "dyn/build.h"

#include "base/context.h"
#include "expr/continued.h"
#include "expr/graph.h"
#include "math/random.h"
#include "model/force_types.h"

#include <math.h>
#include <stdio.h>

/* Number of random states, and in how many of them μ must be positive: signs that rounding decides agree in so many once in 2^ENOUGH times. */
enum { STATES = 128, ENOUGH = 16 };

/* Rounding errors of φᵀw relative to |φ| |w|, squared, and relative differences of μ that are none. */
static const double PARALLEL = 1e-6, SAME = 1e-6;

/* μ is 0 but for rounding, for example of an input that a table gives; multiples of friction are of the order of 1. */
static const double NO_DRIVE = 1e-12;

/* Kinds of inputs of the program: INPUT_DRAWN is any input but a parameter, and is set to random values. */
enum { INPUT_DRAWN, INPUT_PARAMETER };

/* What trials at random states have shown about friction. */
struct seen {
  int positive;       /* number of states in which μ > 0 */
  bool negative;      /* μ < 0 in one of them */
  bool askew;         /* φ is not along w in one of them */
  double least, most; /* μ */
};

/* All dry friction stick(e, ..) in force elements, and the program that computes φᵀw, φᵀφ and wᵀw of each. */
struct trial {
  int count;
  cmb_expr *stick, *S; /* (count) */
  cmb_expr *product;   /* (3 x count) all φᵀw, then all φᵀφ, then all wᵀw */
  cmb_program *program;
  int inputs;
  int *kind; /* (inputs) */
  double *in, *out, *work;
  struct seen *seen; /* (count) */
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

/* Builds the generalised forces Q (nv) of the force element `only`, or of all forces, those in joints included, if `only` is NULL. The friction in
 * them is replaced by the symbols t->S. */
static cmb_status build_forces(cmb_build *b, const cmb_model_force *only, const struct trial *t,
                               cmb_expr *Q)
{
  for (int i = 0; i < b->tree->nv; i++) Q[i] = 0;
  for (int i = 0; i < b->actions.count; i++) {
    const cmb_action *a = cmb_action_at(b, i);
    if (!only || force_of(b, i) == only)
      cmb_measure_force(b->k, &a->measure, a->force, b->scratch, Q);
  }
  return cmb_substitute(b->g, t->count, t->stick, t->S, b->tree->nv, Q, Q);
}

static cmb_expr dot(cmb_graph *g, int n, const cmb_expr *x, const cmb_expr *y)
{
  cmb_expr sum = 0;
  for (int i = 0; i < n; i++) sum = cmb_add(g, sum, cmb_mul(g, x[i], y[i]));
  return sum;
}

/* Builds in t->product the scalar products w·φ, φ·φ and w·w of each friction S = stick(e, ..), where φ = ∂Q/∂S, Q the generalised forces, and w
 * = ∂e/∂v. `only`, if not NULL, restricts Q to this force of the model. */
static cmb_status make_products(cmb_build *b, const cmb_model_force *only, struct trial *t)
{
  const size_t n = (size_t)t->count;
  const int nv = b->tree->nv;
  const cmb_expr one = cmb_constant(b->g, 1);
  cmb_expr *Q = cmb_arena_take(b->arena, 3 * (size_t)nv, sizeof *Q), *phi = Q + nv, *w = phi + nv;
  t->S = cmb_arena_take(b->arena, n, sizeof *t->S);
  t->product = cmb_arena_take(b->arena, 3 * n, sizeof *t->product);
  t->out = cmb_arena_take(b->arena, 3 * n, sizeof *t->out);
  t->seen = cmb_arena_take(b->arena, n, sizeof *t->seen);
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  for (int i = 0; i < t->count; i++) {
    char name[40];
    snprintf(name, sizeof name, "force of friction %d", i);
    t->S[i] = cmb_input(b->g, name);
  }
  CMB_TRY(build_forces(b, only, t, Q));
  for (int i = 0; i < t->count; i++) {
    const cmb_expr e = cmb_expr_argument(b->g, t->stick[i], 0);
    CMB_TRY(cmb_forward(b->g, 1, &t->S[i], &one, nv, Q, phi));
    CMB_TRY(cmb_reverse(b->g, nv, b->k->v, 1, &e, &one, w));
    t->product[i] = dot(b->g, nv, phi, w);
    t->product[t->count + i] = dot(b->g, nv, phi, phi);
    t->product[2 * t->count + i] = dot(b->g, nv, w, w);
  }
  return cmb_graph_status(b->g);
}

static int kind_of(const cmb_build *b, cmb_expr e, double *value)
{
  for (int i = 0; i < b->model->parameter_count; i++) {
    const cmb_model_parameter *p = &b->model->parameters[i];
    if (!p->live || p->number.live != e) continue;
    *value = p->number.value;
    return INPUT_PARAMETER;
  }
  return INPUT_DRAWN;
}

/* Stores in input[] those inputs of the expression graph that are marked in used[], and in t->kind what each one is. Returns false if the
 * expressions call C functions of the user, since these must not be called with states other than those of a simulation. */
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

/* Compiles the program that evaluates t->product (make_products) for all friction forces. t->program stays NULL if the expressions call C
 * functions of the user. */
static cmb_status compile_program(cmb_build *b, struct trial *t)
{
  uint8_t *used = cmb_reachable(b->g, 3 * t->count, t->product);
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
    status =
        cmb_program_create(b->ctx, b->g, t->inputs, input, 3 * t->count, t->product, &t->program);
  }
  cmb_release(b->ctx, used);
  if (status != CMB_OK || !t->program) return status;
  t->work = cmb_arena_take(b->arena, (size_t)cmb_program_work(t->program) + 1, sizeof *t->work);
  return t->work ? CMB_OK : CMB_ERROR_MEMORY;
}

/* Sets the program's inputs, except parameters, to random numbers of both signs, with magnitudes from about 10⁻⁶ to 10⁶. *state is the state
 * of the random number generator. */
static void draw_inputs(const struct trial *t, uint32_t *state)
{
  for (int i = 0; i < t->inputs; i++) {
    if (t->kind[i] == INPUT_DRAWN) t->in[i] = cmb_random(state) * pow(1e6, cmb_random(state));
  }
}

/* Evaluates the products of all friction forces (make_products) at one more random state, and records in t->seen whether φ and w were not
 * parallel, which signs w·φ had, and the least and largest ratio μ = w·φ/w·w. */
static void look_at_state(const struct trial *t, uint32_t *state)
{
  draw_inputs(t, state);
  cmb_program_run(t->program, t->in, t->out, t->work);
  for (int i = 0; i < t->count; i++) {
    struct seen *seen = &t->seen[i];
    const double product = t->out[i], ww = t->out[2 * t->count + i];
    const double sizes = t->out[t->count + i] * ww, mu = product / ww;
    if (!isfinite(sizes) || sizes == 0) continue;
    if (product * product < (1 - PARALLEL) * sizes) seen->askew = true;
    if (product > 0) seen->positive++;
    if (product < 0) seen->negative = true;
    seen->least = fmin(seen->least, mu);
    seen->most = fmax(seen->most, mu);
  }
}

/* Returns whether dry friction number k drives the velocity that it should oppose, by the tests at random states: at least ENOUGH of them
 * must have shown this (t->seen), and none the opposite or a force that is not along this velocity. */
static bool drives(const struct trial *t, int k)
{
  const struct seen *seen = &t->seen[k];
  return seen->positive >= ENOUGH && !seen->negative && !seen->askew;
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

/* Evaluates the products of all friction forces (make_products) at random states, and records in t->seen how often each friction drives the
 * motion whose velocity it should oppose. Takes account of all forces, or of the force element `only` if that is not NULL. */
static cmb_status try_signs(cmb_build *b, const cmb_model_force *only, struct trial *t)
{
  uint32_t state = CMB_RANDOM_FIRST;
  *t = (struct trial){0};
  CMB_TRY(list_sticks(b, t));
  if (t->count == 0) return CMB_OK;
  CMB_TRY(make_products(b, only, t));
  const cmb_status status = compile_program(b, t);
  for (int i = 0; i < t->count; i++) t->seen[i].least = INFINITY, t->seen[i].most = -INFINITY;
  for (int i = 0; i < STATES && status == CMB_OK && t->program; i++) look_at_state(t, &state);
  cmb_program_destroy(t->program);
  return status;
}

/* Finds the force element that the error message on friction number k names, since this friction drives the motion that it should oppose. It is
 * the first element whose own forces do so when all others are left out, or else the first one that contains the friction in its formulas.
 * *driven becomes NULL if none contains it. */
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

/* Limits the validity of the equations to states in which friction number k opposes the motion, that is w·φ <= 0, if trials have shown that
 * this may fail for other parameters or states (φ = ∂Q/∂S and w = ∂e/∂v as in make_products). No limit is added if φ and w are not parallel or
 * if w·φ depends on a friction force. Where the largest friction force is 0, friction does nothing, and the limit holds. */
static cmb_status bound_sign(cmb_build *b, const struct trial *all, int k)
{
  const struct seen *seen = &all->seen[k];
  const cmb_expr product = all->product[k];
  const cmb_model_force *f;
  bool on_force;
  if (seen->askew || !(seen->most - seen->least > SAME * fabs(seen->least))) return CMB_OK;
  CMB_TRY(cmb_depends(b->g, all->count, all->S, 1, &product, &on_force));
  if (on_force || cmb_never_negative(b->g, cmb_neg(b->g, product), NULL)) return CMB_OK;
  CMB_TRY(find_driven(b, all, k, &f));
  if (!f) return CMB_OK; /* not reached, as in `refuse` */
  const cmb_expr rounding =
      cmb_mul(b->g, cmb_constant(b->g, NO_DRIVE), all->product[2 * all->count + k]);
  const cmb_expr largest = cmb_expr_argument(b->g, all->stick[k], 2);
  cmb_build_bound(
      b, f->name, "stick", cmb_mul(b->g, largest, cmb_sub(b->g, product, rounding)),
      "friction that accelerates the motion which it should oppose; expected a force against it",
      true);
  return cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}

cmb_status cmb_build_check_friction(cmb_build *b)
{
  struct trial t;
  CMB_TRY(try_signs(b, NULL, &t));
  for (int i = 0; i < t.count; i++) {
    if (drives(&t, i)) return refuse(b, &t, i);
    CMB_TRY(bound_sign(b, &t, i));
  }
  return CMB_OK;
}
