/*
 * The interface between the integrator and its methods: a method is a table of functions that work on the integrator's data. Included by
 * the files of the integrator and of the methods.
 *
 * The integrator runs the step loop and computes error norms; controller.h has the rules for step sizes and newton.h those for the end of
 * iterations. A method supplies stages, an error estimate and dense output, and the constants of these rules. The state is y = (q, v),
 * positions and velocities in one array of n = nq + nv numbers, so that Runge–Kutta sums run over one array.
 */
#ifndef CMB_METHOD_METHOD_H
#define CMB_METHOD_METHOD_H

#include "base/archive.h"
#include "dae/branch.h"
#include "math/dense.h"
#include "method/controller.h"

#include <camber/method.h>
#include <math.h>
#include <string.h>

struct cmb_method {
  const char *name, *title;
  int order; /* order of convergence of q and v */
  /* step-size controller; NULL for real-time methods, and for auto, which uses that of the active method */
  const cmb_controller *control;
  const cmb_option *options;
  int option_count;
  bool implicit;  /* uses derivatives of the equations */
  bool multistep; /* uses previous steps: after a restart it begins with small steps */
  /* all steps have the given size, but for a shorter last one, and the same operations */
  bool real_time;
  bool holds_friction; /* real time: each step solves for sticking friction (grip.h) */
  double stability;    /* explicit: about the largest |h × eigenvalue| for which it is stable */
  bool ends_with_slope; /* in->a is exactly M⁻¹(f − Gᵀλ) at y, without discretisation errors */

  const void *table; /* coefficients, where several methods have the same functions */

  /* allocates the method's data from in->arena into in->data; an allocation failure may be left recorded in in->arena */
  cmb_status (*create)(cmb_integrator *in);
  /* begins at a new (t, y): computes the slopes, in->lambda and in->a */
  cmb_status (*begin)(cmb_integrator *in);
  /* attempts a step of size h from (t, y) to y_new and lambda_new; it is good enough if *error <= 1 */
  cmb_status (*attempt)(cmb_integrator *in, double h, double *error);
  /* is called when the attempt was accepted, before y and y_new are exchanged: sets in->a to the accelerations at y_new */
  void (*accept)(cmb_integrator *in);
  /* prepares interpolation over the last step, from y_before to y; NULL: nothing to do */
  cmb_status (*densify)(cmb_integrator *in);
  /* returns whether what `densify` has prepared is less accurate than the end of the step; bounds (n) are then bounds of its errors. NULL:
   * it never is */
  bool (*is_rough)(const cmb_integrator *in, double *bounds);
  /* prepares interpolation again after `densify`, so that it is, if possible, as accurate as the end of the step; called if is_rough
   * returns true */
  cmb_status (*refine)(cmb_integrator *in);
  /* the nodes, as parts of a step, after its beginning, at which slopes are evaluated on which the error estimate depends; its end may be
   * one. NULL: none */
  const double *nodes;
  int node_count;
  /* computes the positions q (nq) at which the slope at nodes[k] was evaluated in the last step; NULL: there are no nodes */
  void (*node_position)(const cmb_integrator *in, int k, double *q);
  /* returns the nodes of the last step if steps differ in them; NULL: always those above */
  const double *(*nodes_now)(const cmb_integrator *in, int *count);
  /* the highest degree of the polynomials in theta that `interpolate` evaluates, and a function that returns the degree over the last
   * step; NULL: always dense_degree */
  int dense_degree;
  int (*dense_degree_now)(const cmb_integrator *in);
  /* the method can pass positions in which the constraints lose rank (passage.c) */
  bool passes_singular;
  /* computes y at t_before + theta h_taken */
  void (*interpolate)(const cmb_integrator *in, double theta, double *y);
  /* returns the size of the next step after an attempt of size h that was accepted with this error, rejected for it (status CMB_OK),
   * or failed with a status > 0; NULL: the PI controller does */
  double (*propose)(cmb_integrator *in, double h, double error, cmb_status status);
  /* saves the method's data in an archive, or restores them after it has begun at the saved state (base/archive.h); NULL: nothing */
  void (*visit)(cmb_integrator *in, cmb_archive *a);
  /* releases what is not in the arena; in->data may be NULL. NULL: nothing to release */
  void (*destroy)(cmb_integrator *in);
};

/* The user's choices for the options of a method. */
typedef struct cmb_choices {
  int *word;      /* (option_count) index of the chosen word */
  double *number; /* (option_count) the number given where the word is NUMBER; else 0 */
} cmb_choices;

/* What the step loop knows about a nearby loss of rank of the constraints, in which a singular value of G goes through zero
 * (passage.c). */
typedef struct cmb_passage {
  int near_steps;   /* consecutive accepted steps near a loss of rank */
  int inside_steps; /* consecutive accepted steps so near to it that no step should end there */
  /* cmb_kkt_nearness (smallest singular value) at the end of the last step that began or ended near one */
  double nearness;
  double ahead; /* time from t to the next loss of rank, if it is near; else infinite */
  double zone;  /* time from a loss of rank to where a step may end */
  /* size and error of the last rejected step over a loss of rank; 0: none */
  double jump, jump_error;
  double *weak;       /* (nv) scratch of cmb_separate_weak_error */
  double *weak_error; /* (1) the error that cmb_separate_weak_error returned last */
} cmb_passage;

struct cmb_integrator {
  cmb_context *ctx;
  const cmb_method *method;
  cmb_evaluator *ev;
  cmb_arena *arena;
  cmb_integrator_options options;
  cmb_choices chosen;
  bool fixed_step;
  bool loose_rates; /* real-time method whose steps never correct velocities onto the constraints */

  int nq, nv, ng, n;
  double t;
  double *y, *lambda;         /* (n), (ng) current state (q, v) and multipliers */
  double *a;                  /* (nv) accelerations that belong to λ; an array of the method */
  double *y_new, *lambda_new; /* (n), (ng) state and multipliers at the end of the attempt */
  double *y_before;           /* (n) state where the last step began */
  double *lambda_before;      /* (ng) multipliers at the beginning of the last step */
  double *y_out;              /* (n) result of interpolation */
  int rejections;             /* consecutive rejections of the current step */
  int order_tried; /* order of the last attempt, for methods that vary it; 0: that of the method */
  cmb_passage passage;
  double t_before, h_taken; /* time where the last step began, and its size */
  /* squared norms of the multipliers τ and η of the last step's projections; 0: it made none */
  double tau_square, eta_square;
  double t_begin;   /* time from which fixed steps are counted, */
  long fixed_steps; /* and their number: t = t_begin + fixed_steps h avoids accumulated rounding */
  double h;         /* size of the next attempt */
  bool keep_size;   /* keep this size and the order at the next begin */
  bool rounding_reported; /* the warning that rounding exceeds the tolerance has been logged */
  cmb_controller_memory control;
  bool begun, step_taken;
  bool dense_ready,
      dense_refined; /* method->densify has been called for the last step; and refine, if it is needed */
  void *data;        /* data of the method */
  struct cmb_stiffness *stiffness; /* stiffness estimate; NULL: none */
  /* of auto, and of a method beside which an explicit one passes losses of rank; else NULL */
  struct cmb_switcher *switcher;
  struct cmb_runaway *runaway;
  struct cmb_drift *drift; /* bound on the drift; NULL: none */
};

/* Allocates the choices for the options of a method from the arena and sets them to the defaults. Returns CMB_ERROR_MEMORY if memory
 * runs out. */
cmb_status cmb_choices_create(cmb_arena *arena, const cmb_method *method, cmb_choices *chosen);

/* Returns the index of the chosen word among the words of the method's option `name`. */
int cmb_choice(const cmb_integrator *in, const char *name);

/* Returns the number given for the option `name`, whose words are "..|NUMBER"; 0 if a word was given. */
double cmb_option_number(const cmb_integrator *in, const char *name);

/* Returns the error norm of x after Simeon (1996), eq. (15): the root mean square of x_i / (rtol max(|y_i|, |y_new_i|) + atol) over
 * the indices from `from` to `to` - 1. */
double cmb_error_norm(const cmb_integrator *in, int from, int to, const double *x);

/* Returns the larger of two error norms, or NaN if one of them is NaN; fmax would drop the NaN, and the step would be accepted. */
static inline double cmb_larger_error(double a, double b)
{
  return a > b || a != a ? a : b;
}

/* Returns whether the velocities are rates of Euler parameters. These turn with the body, so that even a steady rotation is an
 * oscillation for a method, and the errors that an iteration leaves add up from step to step. Their largest component has to be tested
 * then: a mean over the coordinates of all bodies would permit √(nq/7) times as much for one of them. */
static inline bool cmb_has_turning_velocities(const cmb_equations *eq)
{
  return eq->euler_parameters && cmb_velocities_pair(eq);
}

/* Returns whether the current step begins near a loss of rank of the constraints, or ends near one according to the factorised matrix
 * that the evaluator holds (dae/branch.h). */
static inline bool cmb_step_is_near_singular(const cmb_integrator *in)
{
  return in->passage.near_steps > 0 || (*in->ev->doubtful && in->ev->watching);
}

/* Returns whether the displacement by the projection is left out of the error estimate: near a loss of rank, and after repeated
 * rejections. The displacement may result from earlier steps, and then a smaller step does not reduce it. */
static inline bool cmb_forgive_projection(const cmb_integrator *in)
{
  return in->rejections >= 3 || cmb_step_is_near_singular(in);
}

/* Computes x (n) := y_new − y_plain, the displacement of the new state by its projection onto the constraints, or 0 where this does not
 * count in the error estimate. */
static inline void cmb_displacement(const cmb_integrator *in, const double *y_plain, double *x)
{
  cmb_subtract(in->n, in->y_new, y_plain, x);
  if (cmb_forgive_projection(in)) memset(x, 0, (size_t)in->n * sizeof *x);
}

/* Removes from the error estimates x (n) and y (n, or NULL) of a step to y_new their components in the weak directions, which belong to
 * small singular values of the constraint Jacobian. These components do no harm while their squares are small. Returns the error that
 * counts in their place: the velocity component of x in the norm of the kinetic energy, divided by √rtol times the norm of the new
 * velocities, plus atol. */
double cmb_remove_weak_error(const cmb_integrator *in, double *x, double *y);

/* Removes from the error estimates x (n) and y (n, or NULL), near a loss of rank of the constraints, their components in the weak
 * directions, and returns the error that counts in their place (cmb_remove_weak_error). Elsewhere returns 0 and changes nothing. */
static inline double cmb_separate_weak_error(const cmb_integrator *in, double *x, double *y)
{
  return *in->ev->doubtful && in->ev->watching ? cmb_remove_weak_error(in, x, y) : 0;
}

/* Returns whether the constraints are near a loss of rank at the current state; *name then receives the name of the constraint that
 * contributes most to it. */
bool cmb_passage_is_near(cmb_integrator *in, const char **name);

/* Computes slope (n) = (T(q) v, a) at (t, y) and the multipliers lambda (ng) from the index-1 equations. */
cmb_status cmb_slope(cmb_integrator *in, double t, const double *y, double *slope, double *lambda);

/* Computes slope (n) = (T(q) v, a) at (t, y) and the multipliers lambda (ng) from the index-1 equations. The constraint Jacobian and the
 * factorised matrix stay in the evaluator. */
cmb_status cmb_factor_and_slope(cmb_integrator *in, double t, const double *y, double *slope,
                                double *lambda);

/* Computes out := y + h Σ c_j k_j for vectors of n numbers, summed over j < count; zero coefficients after the first cost next to nothing.
 * out may be y. The arrays have to come from an arena, since they are processed in blocks of eight numbers. */
void cmb_combine(int n, const double *y, double h, int count, const double *c, double *const *k,
                 double *out);

extern const cmb_method cmb_method_auto;
extern const cmb_method cmb_method_mdop5;
extern const cmb_method cmb_method_mdop853;
extern const cmb_method cmb_method_hem5;
extern const cmb_method cmb_method_phem56;
extern const cmb_method cmb_method_bdf;
extern const cmb_method cmb_method_radau5;
extern const cmb_method cmb_method_radau;
extern const cmb_method cmb_method_sdirk4;
extern const cmb_method cmb_method_trap;
extern const cmb_method cmb_method_forsdirk;
extern const cmb_method cmb_method_abm;
extern const cmb_method cmb_method_lie;
extern const cmb_method cmb_method_rosw2;

/* The option of every adaptive method but auto for steps of fixed size. */
#define CMB_OPTION_STEPS                                                                           \
  {                                                                                                \
    "steps", "adaptive|fixed", "adaptive",                                                         \
        "step size by the error, or always the one given by --step"                                \
  }

/* ---- steps near a loss of rank of the constraints (passage.c): before a step, at each attempt and after the step */

void cmb_passage_take(cmb_integrator *in);  /* allocates the scratch arrays of in->passage */
void cmb_passage_begin(cmb_integrator *in); /* resets in->passage at the beginning of a motion */

/* Called by the inline functions below near a loss of rank; far from one these cost a comparison only. */
void cmb_passage_look_ahead(cmb_integrator *in);
double cmb_passage_step(const cmb_integrator *in, double h);
double cmb_passage_judge(cmb_integrator *in, double h, double error);
void cmb_passage_count(cmb_integrator *in);

/* Predicts when the constraints lose rank next, before the first attempt at a step, if the current state is near such a position. */
static inline void cmb_passage_before(cmb_integrator *in)
{
  if (in->passage.near_steps > 0) cmb_passage_look_ahead(in);
}

/* Returns the size of the next attempt: h or, near a predicted loss of rank of the constraints, another size with which the step neither
 * ends nor has a stage at it. After more than three rejections it is h. */
static inline double cmb_passage_size(const cmb_integrator *in, double h)
{
  return in->passage.ahead < INFINITY ? cmb_passage_step(in, h) : h;
}

/* Returns whether an attempt with a stage at a loss of rank of the constraints may be rejected, because another step size will avoid it.
 * It may not if the step begins that near to the loss of rank, or after five rejections. */
static inline bool cmb_passage_may_refuse(const cmb_integrator *in)
{
  return in->passage.inside_steps == 0 && in->rejections < 5;
}

/* Returns the error that counts in the error test for an attempt of size h: its estimate `error` or, near a loss of rank of the
 * constraints, where the estimate may consist of rounding errors, a corrected value. */
static inline double cmb_passage_error(cmb_integrator *in, double h, double error)
{
  return cmb_step_is_near_singular(in) ? cmb_passage_judge(in, h, error) : error;
}

/* Updates the data about a nearby loss of rank of the constraints after an accepted step, or after the method has begun. */
static inline void cmb_passage_after(cmb_integrator *in)
{
  if (cmb_step_is_near_singular(in)) cmb_passage_count(in);
  in->passage.ahead = INFINITY;
}

/* Returns the size of the next step: `next` or, if the last step was shortened because of a loss of rank of the constraints, at least
 * `wanted`, the size proposed before it. */
static inline double cmb_passage_next(const cmb_integrator *in, double h, double wanted,
                                      double next)
{
  return in->passage.ahead < INFINITY && h < wanted ? fmax(next, wanted) : next;
}

#endif
