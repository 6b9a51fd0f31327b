/*
 * The methods `lie` and `rosw2` of the integrator: methods of fixed cost per step, for real time (Burgermeister, Arnold, Esterl 2006). The
 * step itself is built in step.c; here are its options and the functions of a method (method.h). Both make steps of the given size, but for
 * a shorter last one, and change their modes only at the end of a step.
 */
#include "math/finite.h"
#include "method/drift.h"
#include "method/method.h"
#include "method/stepper.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

struct lie {
  cmb_stepper *stepper;
  cmb_stepper_outputs output_index;
  bool bounded;
  cmb_drift drift;
  double *slope; /* (n) slope where a motion begins */
  double *a;     /* (nv) accelerations of the last step */

  /* dry friction that can stick */
  int grip_count;
  int *grip;           /* (grips) indices of their switching functions */
  double *mode;        /* (grips) their modes after the last step, */
  double *mode_before; /* (grips) and before it */
  bool unsettled; /* the warning that a complementarity problem was not solved has been logged */
};

/* Converts the options of the method lie or rosw2 to the options *o of a real-time step. Returns an error for options that contradict each other. */
static cmb_status read_step_options(const cmb_integrator *in, cmb_step_options *o)
{
  const bool euler = in->method == &cmb_method_lie;
  *o = (cmb_step_options){.stages = euler ? 1 : 2, .index = 1};
  o->jacobian = (cmb_step_jacobian)cmb_choice(in, "jacobian");
  o->stabilization = (cmb_stabilization)cmb_choice(in, "stabilization");
  o->alpha = cmb_option_number(in, "alpha");
  o->beta = cmb_option_number(in, "beta");
  if (euler) o->index = 1 + cmb_choice(in, "index");
  if (euler) o->positions = (cmb_step_positions)cmb_choice(in, "positions");
  const bool projects =
      o->stabilization != CMB_STABILIZE_NONE && o->stabilization != CMB_STABILIZE_BAUMGARTE;
  o->bound = in->ng > 0 && projects && cmb_choice(in, "bound") == 0;
  if (o->jacobian == CMB_STEP_J3 && o->positions == CMB_POSITIONS_NEW) {
    return cmb_fail_about(
        in->ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("option", "positions"),
        "option jacobian=J3 contains only the term that positions=new leaves out; "
        "expected jacobian=none, J1, J2 or exact");
  }
  if (o->index == 2 || o->stabilization != CMB_STABILIZE_GGL) return CMB_OK;
  return cmb_fail_about(in->ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("option", "stabilization"),
                        "option stabilization=ggl needs index=2");
}

static cmb_status create(cmb_integrator *in)
{
  cmb_step_options options;
  struct lie *m = in->data = cmb_arena_take(in->arena, 1, sizeof *m);
  if (!m) return CMB_OK;
  CMB_TRY(read_step_options(in, &options));
  CMB_TRY(cmb_stepper_create(in->ev, &options, &m->stepper));
  m->output_index = cmb_stepper_places(in->ev->eq, &options);
  m->slope = cmb_arena_doubles(in->arena, in->n);
  m->a = cmb_arena_doubles(in->arena, in->nv);
  m->grip_count = cmb_grip_count(in->ev->eq);
  m->grip = cmb_arena_ints(in->arena, m->grip_count);
  m->mode = cmb_arena_doubles(in->arena, m->grip_count);
  m->mode_before = cmb_arena_doubles(in->arena, m->grip_count);
  if (m->grip) cmb_grip_list(in->ev->eq, m->grip);
  m->bounded = options.bound;
  in->loose_rates = options.index == 1 && (options.stabilization == CMB_STABILIZE_NONE ||
                                           options.stabilization == CMB_STABILIZE_POSITION);
  if (m->bounded) {
    cmb_drift_create(&m->drift, in->ev->eq, in->arena);
    cmb_drift_begin(&m->drift);
    in->drift = &m->drift;
  }
  return CMB_OK;
}

static void destroy(cmb_integrator *in)
{
  struct lie *m = in->data;
  cmb_stepper_destroy(m->stepper);
}

const cmb_stepper *cmb_integrator_stepper(const cmb_integrator *in)
{
  const struct lie *m = in->data;
  return m->stepper;
}

/* Determines those modes of dry friction at the beginning of a motion that are not known yet: the sign of the sliding velocity if the element
 * slides, or 3 − φ if it sticks, where φ (−1 to 1) is the fraction of its largest force that it exerts, as found by a trial step. If the last
 * step has been undone, first restores the modes before it. */
static cmb_status begin_friction(cmb_integrator *in, struct lie *m)
{
  double *grip = in->ev->grip;
  const double h = in->options.step, *x;
  bool known = true;
  for (int k = 0; k < m->grip_count; k++) {
    if (in->keep_size) grip[m->grip[k]] = m->mode_before[k]; /* the last step has been undone */
    known = known && grip[m->grip[k]] != 0;
  }
  if (known) return CMB_OK;
  x = cmb_stepper_first_grip(m->stepper, in->ev, in->t, h, in->y, in->y + in->nq);
  for (int k = 0; k < m->grip_count; k++) {
    if (grip[m->grip[k]] == 0) grip[m->grip[k]] = x[k];
  }
  CMB_TRY(cmb_stepper_run(m->stepper, in->ev, in->t, h, in->y, in->y + in->nq, &x));
  for (int k = 0; k < m->grip_count; k++) {
    double *now = &grip[m->grip[k]];
    const double after = x[m->output_index.grip + k];
    if (*now == CMB_MODE_HELD && isfinite(after)) {
      *now = after >= 2 ? after : CMB_MODE_HELD - after;
    }
  }
  return CMB_OK;
}

static cmb_status begin(cmb_integrator *in)
{
  struct lie *m = in->data;
  CMB_TRY(begin_friction(in, m));
  CMB_TRY(cmb_slope(in, in->t, in->y, m->slope, in->lambda));
  if (m->bounded) cmb_drift_begin(&m->drift);
  in->a = m->slope + in->nq;
  return CMB_OK;
}

/* Returns an error with the message that the friction element with switching function number `function` accelerates the motion that it should
 * oppose. */
static cmb_status refuse_driving(const cmb_integrator *in, int function)
{
  const char *name = in->ev->eq->switch_names[function];
  return cmb_fail_about(in->ctx, CMB_ERROR_EQUATIONS,
                        cmb_about_time(in->t, "switching function", name),
                        "'%s' at t = %.9g is friction that accelerates the motion which it should "
                        "oppose; expected a force against it",
                        name, in->t);
}

/* Logs a warning, once, that the friction forces of a step solve the complementarity problem only approximately: sticking friction may creep in
 * such a step, and sliding friction may stick. */
static void warn_unsettled(const cmb_integrator *in, struct lie *m)
{
  if (m->unsettled) return;
  m->unsettled = true;
  cmb_log(in->ctx, CMB_LOG_WARNING,
          "the forces of friction that sticks were not found exactly in a step of fixed cost, "
          "first from "
          "t = %.9g on: they are within their bounds, but only near a solution",
          in->t);
}

/* Returns the status of a failed step by its reason: the equations cannot be evaluated, the constraints are dependent, friction element k
 * accelerates the motion that it should oppose (settled = −1 − k), or the matrix of the step is singular. */
static cmb_status failure_status(cmb_integrator *in, struct lie *m, double settled)
{
  if (settled < 0) return refuse_driving(in, m->grip[(int)-settled - 1]);
  CMB_TRY(cmb_factor_and_slope(in, in->t, in->y, m->slope, in->lambda_new));
  if (*in->ev->doubtful) return CMB_RETRY_SINGULAR;
  return cmb_all_finite(in->n, in->y_new) ? CMB_RETRY_MATRIX : CMB_RETRY_NONFINITE;
}

static cmb_status attempt(cmb_integrator *in, double h, double *error)
{
  struct lie *m = in->data;
  const double *x;
  *error = 0;
  CMB_TRY(cmb_stepper_run(m->stepper, in->ev, in->t, h, in->y, in->y + in->nq, &x));
  if (in->ev->eq->code) in->ev->stats.f += m->stepper->options.stages;
  in->ev->stats.factor += m->stepper->options.stages;
  memcpy(in->y_new, x, (size_t)in->n * sizeof *x);
  memcpy(in->lambda_new, x + m->output_index.lambda, (size_t)in->ng * sizeof *x);
  memcpy(m->a, x + m->output_index.a, (size_t)in->nv * sizeof *x);
  const bool healthy = x[m->output_index.health] > CMB_LEAST_HEALTH;
  const double settled = m->grip_count > 0 ? x[m->output_index.settled] : 1;
  if (!healthy || !cmb_all_finite(in->n, in->y_new)) return failure_status(in, m, settled);
  if (settled == 0) warn_unsettled(in, m);
  memcpy(m->mode, x + m->output_index.grip, (size_t)m->grip_count * sizeof *x);
  if (!m->bounded) return CMB_OK;
  const cmb_stepper_outputs *p = &m->output_index;
  const cmb_drift_step step = {in->t,          h,        x + p->q_plain, x + p->g,
                               x + p->g_plain, x + p->G, x + p->G_plain, x + p->Pg,
                               x + p->g_end};
  return cmb_drift_update(&m->drift, in->ev, &step);
}

static void accept(cmb_integrator *in)
{
  const struct lie *m = in->data;
  in->a = m->a;
  for (int k = 0; k < m->grip_count; k++) {
    double *grip = &in->ev->grip[m->grip[k]];
    m->mode_before[k] = *grip;
    *grip = m->mode[k];
  }
}

/* Saves the modes of dry friction that can stick, which are part of the state, to the archive a or restores them from there. Rejects restored
 * values that are no valid modes. */
static void visit(cmb_integrator *in, cmb_archive *a)
{
  const struct lie *m = in->data;
  if (m->grip_count == 0) return;
  cmb_archive_doubles(a, "grip", in->ev->eq->ns, in->ev->grip);
  for (int k = 0; k < m->grip_count; k++) {
    const double grip = in->ev->grip[m->grip[k]];
    const bool slips = fabs(grip) == 1, holds = grip > 1.5 && grip < 4.5;
    if (!slips && !holds) cmb_archive_refuse(a, "the mode of friction that sticks is out of range");
  }
}

static void interpolate(const cmb_integrator *in, double theta, double *y)
{
  for (int i = 0; i < in->n; i++) y[i] = in->y_before[i] + theta * (in->y[i] - in->y_before[i]);
}

#define OPTION_JACOBIAN                                                                            \
  {                                                                                                \
    "jacobian", "none|J1|J2|J3|exact", "J2",                                                       \
        "derivatives of applied forces in the matrix: none (explicit); those by v; by v and q; a " \
        "directional one, not in the matrix; as J2, and positions with the new velocities"         \
  }

#define OPTION_STABILIZATION(words)                                                                \
  {                                                                                                \
    "stabilization", words, "projection",                                                          \
        "against drift: none; Baumgarte's; one Newton step for positions; that and velocities; "   \
        "as "                                                                                      \
        "Gear, Gupta and Leimkuhler, for index 2"                                                  \
  }

#define OPTION_ALPHA                                                                               \
  {                                                                                                \
    "alpha", "auto|NUMBER", "auto",                                                                \
        "Baumgarte's parameter of velocities in 1/s; auto: 1/h, with positions by the new "        \
        "velocities 1/(2h)"                                                                        \
  }

#define OPTION_BETA                                                                                \
  {                                                                                                \
    "beta", "auto|NUMBER", "auto",                                                                 \
        "Baumgarte's parameter of positions in 1/s^2; auto: that of velocities squared"            \
  }

#define OPTION_BOUND                                                                               \
  {                                                                                                \
    "bound", "watch|none", "watch",                                                                \
        "with projection: compute along the run what the drift can at most be, or not"             \
  }

static const cmb_option lie_options[] = {
    OPTION_JACOBIAN,
    {"index", "1|2", "1", "constraints on accelerations, or on velocities at the new position"},
    {"positions", "auto|new", "auto",
     "auto: by the old velocities, with exact by the new ones; new: by the new ones with any "
     "matrix, "
     "and no derivative on the right side (semi-implicit)"},
    OPTION_STABILIZATION("none|baumgarte|projection-q|projection|ggl"),
    OPTION_ALPHA,
    OPTION_BETA,
    OPTION_BOUND,
};

static const cmb_option rosw2_options[] = {
    OPTION_JACOBIAN, OPTION_STABILIZATION("none|baumgarte|projection-q|projection"),
    OPTION_ALPHA,    OPTION_BETA,
    OPTION_BOUND,
};

const cmb_method cmb_method_lie = {
    .name = "lie",
    .title = "linear-implicit Euler of fixed cost, for real time",
    .order = 1,
    .real_time = true,
    .holds_friction = true,
    .options = lie_options,
    .option_count = sizeof lie_options / sizeof lie_options[0],
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .attempt = attempt,
    .accept = accept,
    .visit = visit,
    .dense_degree = 1,
    .interpolate = interpolate,
};

const cmb_method cmb_method_rosw2 = {
    .name = "rosw2",
    .title = "W-method of order 2 and fixed cost, for real time",
    .order = 2,
    .real_time = true,
    .options = rosw2_options,
    .option_count = sizeof rosw2_options / sizeof rosw2_options[0],
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .attempt = attempt,
    .accept = accept,
    .dense_degree = 1,
    .interpolate = interpolate,
};
