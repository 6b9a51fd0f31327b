/*
 * Refuses friction in formulas of forces that drives the velocity that it reads.
 *
 * The power of all forces is linear in what a `stick` exerts: P = S φᵀv + .., where S has the sign of e = wᵀv + e₀. If φ = μ w with a number
 * μ > 0, S drives what it reads: a sign has been mistaken, as with a minus in a torsion, whose torque is a pull. μ is found as the
 * quotient of the changes of ∂P/∂S and of e with v, in states that have nothing special. It is decided only if it is the same in all of them:
 * where the quotient depends on the motion, time or an input, its sign may be right in the states that are run through.
 */
#include "dyn/build.h"

#include "base/context.h"
#include "expr/graph.h"
#include "math/random.h"
#include "model/force_types.h"

#include <math.h>

static const double SAME = 1e-9; /* of two quotients, relative: they differ by rounding */
enum { STATES = 12 };

/* The program of e and ∂P/∂S, and which of its inputs are velocities. */
struct trial {
  cmb_program *program;
  int inputs;
  bool *moves;
  double *in, *work;
};

static bool is_velocity(const cmb_build *b, cmb_expr e)
{
  for (int i = 0; i < b->tree->nv; i++) {
    if (b->k->v[i] == e) return true;
  }
  return false;
}

/* Lists the inputs of both; false: they call C functions of the user's, which are made for the states of a run only. */
static bool list_inputs(cmb_build *b, const uint8_t *used, struct trial *t, cmb_expr *input)
{
  for (cmb_expr e = 0; e < b->g->size; e++) {
    if (used[e] && cmb_expr_op(b->g, e) == CMB_OP_CALL) return false;
    if (!used[e] || cmb_expr_op(b->g, e) != CMB_OP_INPUT) continue;
    t->moves[t->inputs] = is_velocity(b, e);
    input[t->inputs++] = e;
  }
  return true;
}

/* The program stays NULL if it cannot be run. */
static cmb_status prepare(cmb_build *b, const cmb_expr pair[2], struct trial *t)
{
  uint8_t *used = cmb_reachable(b->g, 2, pair);
  size_t most = 1;
  if (!used) return cmb_fail_memory(b->ctx);
  for (cmb_expr e = 0; e < b->g->size; e++) most += used[e];
  cmb_expr *input = cmb_arena_take(b->arena, most, sizeof *input);
  t->moves = cmb_arena_take(b->arena, most, sizeof *t->moves);
  t->in = cmb_arena_take(b->arena, most, sizeof *t->in);
  cmb_status status = cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
  if (status == CMB_OK && list_inputs(b, used, t, input)) {
    status = cmb_program_create(b->ctx, b->g, t->inputs, input, 2, pair, &t->program);
  }
  cmb_release(b->ctx, used);
  if (status != CMB_OK || !t->program) return status;
  t->work = cmb_arena_take(b->arena, (size_t)cmb_program_work(t->program) + 1, sizeof *t->work);
  return t->work ? CMB_OK : CMB_ERROR_MEMORY;
}

/* Sets the velocities, or all else, to numbers of both signs and of many sizes. */
static void draw(const struct trial *t, bool velocities, uint32_t *state)
{
  for (int i = 0; i < t->inputs; i++) {
    if (t->moves[i] == velocities) t->in[i] = cmb_random(state) * pow(1000, cmb_random(state));
  }
}

static double quotient(const struct trial *t, uint32_t *state)
{
  double rest[2], moving[2];
  draw(t, false, state);
  for (int i = 0; i < t->inputs; i++) {
    if (t->moves[i]) t->in[i] = 0;
  }
  cmb_program_run(t->program, t->in, rest, t->work);
  draw(t, true, state);
  cmb_program_run(t->program, t->in, moving, t->work);
  return (moving[1] - rest[1]) / (moving[0] - rest[0]);
}

/* One that is not a number is the same as none. */
static bool is_positive_number(const struct trial *t)
{
  uint32_t state = CMB_RANDOM_FIRST;
  const double first = quotient(t, &state);
  bool same = first > 0;
  for (int i = 1; i < STATES && same; i++) {
    same = fabs(quotient(t, &state) - first) <= SAME * first;
  }
  return same;
}

static cmb_status drives(cmb_build *b, cmb_expr power, cmb_expr stick, bool *yes)
{
  const cmb_expr S = cmb_input(b->g, "force of friction"), one = cmb_constant(b->g, 1);
  cmb_expr pair[2] = {cmb_expr_argument(b->g, stick, 0), 0};
  struct trial t = {0};
  CMB_TRY(cmb_substitute(b->g, 1, &stick, &S, 1, &power, &power));
  CMB_TRY(cmb_forward(b->g, 1, &S, &one, 1, &power, &pair[1]));
  cmb_status status = prepare(b, pair, &t);
  *yes = status == CMB_OK && t.program && is_positive_number(&t);
  cmb_program_destroy(t.program);
  return status;
}

static cmb_status refuse(cmb_build *b, const cmb_model_force *f)
{
  const bool pulls = cmb_force_rows[f->type].results == CMB_RESULTS_PULL;
  return cmb_build_fail(
      b,
      pulls ? cmb_about_formula(&f->formula)
            : cmb_about_leading(cmb_about_part(&f->place, "force", f->name)),
      "with this sign 'stick' drives the velocity that it reads, and friction does not; expected "
      "the other sign: %s",
      pulls ? "a pull acts against the rate v of its length or coordinate, so that its friction "
              "is stick(v, F, Fs) without a minus"
            : "friction against the velocity v of what a load acts on is -stick(v, F, Fs)");
}

/* The force whose actions the one of this number is among; NULL: a joint's. */
static const cmb_model_force *force_of(const cmb_build *b, int action)
{
  const cmb_model_force *f = NULL;
  int begins = -1;
  for (int i = 0; i < b->model->force_count; i++) {
    const int first = b->first_action[i];
    if (first <= action && first > begins) begins = first, f = &b->model->forces[i];
  }
  return f;
}

static cmb_expr total_power(cmb_build *b)
{
  cmb_expr sum = 0;
  for (int i = 0; i < b->actions.count; i++) {
    const cmb_action *a = cmb_action_at(b, i);
    sum = cmb_add(b->g, sum, cmb_mul(b->g, a->force, a->measure.rate));
  }
  return sum;
}

/* Refuses the force that an action belongs to if friction in it drives; judged (all expressions) are those that need no look. */
static cmb_status check_action(cmb_build *b, int action, uint32_t size, bool *judged,
                               cmb_expr power)
{
  const cmb_model_force *f = force_of(b, action);
  const cmb_action *a = cmb_action_at(b, action);
  const cmb_expr made_of[2] = {a->force, a->measure.rate};
  uint8_t *used = f ? cmb_reachable(b->g, 2, made_of) : NULL;
  cmb_status status = f && !used ? cmb_fail_memory(b->ctx) : CMB_OK;
  for (cmb_expr e = 0; f && status == CMB_OK && e < size; e++) {
    bool yes = false;
    if (!used[e] || judged[e] || cmb_expr_op(b->g, e) != CMB_OP_STICK) continue;
    judged[e] = true;
    status = drives(b, power, e, &yes);
    if (status == CMB_OK && yes) status = refuse(b, f);
  }
  cmb_release(b->ctx, used);
  return status;
}

cmb_status cmb_build_check_friction(cmb_build *b)
{
  const uint32_t size = b->g->size;
  bool any = false;
  for (cmb_expr e = 0; e < size && !any; e++) any = cmb_expr_op(b->g, e) == CMB_OP_STICK;
  if (!any) return CMB_OK;
  const cmb_expr power = total_power(b);
  bool *judged = cmb_arena_take(b->arena, size, sizeof *judged);
  if (!judged) return CMB_ERROR_MEMORY;
  for (int i = 0; i < b->actions.count; i++) {
    CMB_TRY(check_action(b, i, size, judged, power));
  }
  return CMB_OK;
}
