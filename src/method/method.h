/*
 * What a method is, seen from inside: a row of functions, and the integrator they work on.
 *
 * The integrator owns the step loop and the error norm, controller.h the step-size rule and newton.h the end of iterations; a method
 * supplies stages, an error estimate and dense output, and the constants of those rules. State is y = (q, v), n = nq + nv numbers, so
 * that Runge–Kutta sums run over one array.
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
  int order; /* of q and v */
  /* of step sizes; NULL: real time, or auto, which has that of the method at work */
  const cmb_controller *control;
  const cmb_option *options;
  int option_count;
  bool implicit;        /* needs derivatives of the equations */
  bool multistep;       /* it needs the steps before: where it begins anew it begins small */
  bool real_time;       /* steps of the size given, always, and the same operations in each */
  bool holds_friction;  /* real time: friction that sticks is solved for in a step (grip.h) */
  double stability;     /* explicit: h times an eigenvalue that it still bears, about */
  bool ends_with_slope; /* in->a is M⁻¹(f − Gᵀλ) at y, not only up to errors of the method */

  const void *table; /* coefficients, where several methods have the same functions */

  /* take memory from in->arena into in->data; a failure to take it may be left to in->arena */
  cmb_status (*create)(cmb_integrator *in);
  /* at a fresh (t, y): slopes, in->lambda, in->a */
  cmb_status (*begin)(cmb_integrator *in);
  /* try a step of size h from (t, y) to y_new, lambda_new; *error <= 1 is good enough */
  cmb_status (*attempt)(cmb_integrator *in, double h, double *error);
  /* the attempt was accepted (y and y_new not yet exchanged): in->a is that of y_new */
  void (*accept)(cmb_integrator *in);
  /* make ready for interpolation over the last step: from y_before to y; NULL: nothing to do */
  cmb_status (*densify)(cmb_integrator *in);
  /* where in a step, as parts of it, besides at its ends, slopes are taken that have a weight in the result; NULL: nowhere */
  const double *nodes;
  int node_count;
  /* those of the last step, where steps differ; NULL: as above */
  const double *(*nodes_now)(const cmb_integrator *in, int *count);
  /* the degree of the polynomials in theta that `interpolate` gives, at the most; and over the last step, NULL: that one */
  int dense_degree;
  int (*dense_degree_now)(const cmb_integrator *in);
  /* whether it takes care of losses of rank in passing (passage.c) */
  bool passes_singular;
  /* y at t_before + theta h_taken */
  void (*interpolate)(const cmb_integrator *in, double theta, double *y);
  /* the size of the next step after an attempt with size h: accepted with this error, rejected for it (status CMB_OK), or
   * failed with a status > 0. NULL: the controller's, of kind PI */
  double (*propose)(cmb_integrator *in, double h, double error, cmb_status status);
  /* what it takes along when a run is saved, or finds when it has begun where one was (base/archive.h); NULL: nothing */
  void (*visit)(cmb_integrator *in, cmb_archive *a);
  /* release what is not in the arena; NULL: nothing. in->data may be NULL */
  void (*destroy)(cmb_integrator *in);
};

/* What was chosen, for each option of a method. */
typedef struct cmb_choices {
  int *word;      /* (option_count) index of the word */
  double *number; /* (option_count) the number given where that word is NUMBER; else 0 */
} cmb_choices;

/* Where the constraints lose rank, for the step loop (passage.c). */
typedef struct cmb_passage {
  int near_steps;   /* accepted in a row, near to a loss of rank */
  int inside_steps; /* the same, so near that no step should end there */
  double nearness;  /* cmb_kkt_nearness at the end of the last step tried */
  double ahead;     /* time from t to the next one, if that is near and known; else infinite */
  double zone;      /* how long it takes to get away from one to where a step may end */
  double jump, jump_error; /* size and error of the last step over it that was rejected; 0: none */
  double *weak;            /* (nv) scratch of cmb_forgive_weak */
  double *weak_error;      /* (1) what it returned where it took something out */
} cmb_passage;

struct cmb_integrator {
  cmb_context *ctx;
  const cmb_method *method;
  cmb_evaluator *ev;
  cmb_arena *arena;
  cmb_integrator_options options;
  cmb_choices chosen;
  bool fixed_step;
  bool loose_rates; /* of a real-time method: no step brings velocities to the constraints */

  int nq, nv, ng, n;
  double t;
  double *y, *lambda;         /* (n), (ng) here and now */
  double *a;                  /* (nv) accelerations that go with λ; the method's own array */
  double *y_new, *lambda_new; /* of the attempt */
  double *y_before;           /* (n) where the last step began */
  double *lambda_before;      /* (ng) */
  double *y_out;              /* (n) for interpolation */
  int rejections;             /* in a row, of the step under way */
  int order_tried;            /* of the last attempt, where the method varies it; 0: the method's */
  bool old_drift; /* the projection of this step's positions takes back drift of earlier ones */
  cmb_passage passage;
  double t_before, h_taken;
  double tau_square, eta_square; /* ‖τ‖² and ‖η‖² of its projections; 0: it made none */
  double t_begin;                /* where the steps of a fixed size are counted from, */
  long
      fixed_steps; /* and how many there were: t = t_begin + fixed_steps h has no sum of roundings */
  double h;        /* size to try next */
  bool keep_size;  /* .. also where it begins next, with the order that it belongs to */
  bool said_rounding; /* a warning that rounding is more than the tolerance */
  cmb_controller_memory control;
  bool begun, step_taken, dense_ready;
  void *data;                      /* the method's own */
  struct cmb_stiffness *stiffness; /* NULL: not looked for */
  struct cmb_switcher *switcher;   /* NULL but for auto */
  struct cmb_runaway *runaway;
  struct cmb_drift *drift; /* NULL: not known */
};

/* Room for the choices of a method's options, from the arena; they are those of a user who tells nothing. CMB_ERROR_MEMORY. */
cmb_status cmb_choices_create(cmb_arena *arena, const cmb_method *method, cmb_choices *chosen);

/* The method's choice for its option `name`, as an index into the option's words. */
int cmb_choice(const cmb_integrator *in, const char *name);

/* The number given for the option `name`, whose words are "..|NUMBER"; 0 if a word was. */
double cmb_option_number(const cmb_integrator *in, const char *name);

/* Error norm of Simeon (1996), eq. (15): root mean square of x_i / (rtol max(|y_i|, |y_new_i|) + atol), i from
 * `from` to `to` - 1. */
double cmb_error_norm(const cmb_integrator *in, int from, int to, const double *x);

/* The larger of two such norms, NaN if either is: fmax would drop the NaN, and the step would pass. */
static inline double cmb_larger_error(double a, double b)
{
  return a > b || a != a ? a : b;
}

/* Are velocities rates of Euler parameters? They turn with the body, so that even a steady rotation is an oscillation to a method. What
 * an iteration leaves in each step then adds up, and is as large as the norm permits: a mean over the coordinates of all bodies, of
 * which a few may move, would permit √(nq/7) times as much to one of them. */
static inline bool cmb_has_turning_velocities(const cmb_equations *eq)
{
  return eq->euler_parameters && cmb_velocities_pair(eq);
}

/* Whether the step under way begins, or ends at the factors held, near a loss of rank (dae/branch.h). */
static inline bool cmb_step_is_near_singular(const cmb_integrator *in)
{
  return in->passage.near_steps > 0 || (*in->ev->doubtful && in->ev->watching);
}

/* Whether what the projection does is left out of the error: near a loss of rank, and if a step has been rejected again and
 * again. It may be what earlier steps have left, and a smaller step does not make it smaller then. */
static inline bool cmb_forgive_projection(const cmb_integrator *in)
{
  return in->rejections >= 3 || cmb_step_is_near_singular(in);
}

/* x = y_new − y_plain, what the projection has done, if that counts. */
static inline void cmb_displacement(const cmb_integrator *in, const double *y_plain, double *x)
{
  cmb_subtract(in->n, in->y_new, y_plain, x);
  if (cmb_forgive_projection(in)) memset(x, 0, (size_t)in->n * sizeof *x);
}

/* Errors x (n), and y (n) or NULL, of the step to y_new, whose factors the evaluator holds: near a loss of rank the part in the
 * weak directions is taken out. It does no harm while its square is small: returned is what is to be held below 1 instead, the
 * velocities' part of it over the root of rtol, measured by the energy. */
double cmb_take_weak_out(const cmb_integrator *in, double *x, double *y);

static inline double cmb_forgive_weak(const cmb_integrator *in, double *x, double *y)
{
  return *in->ev->doubtful && in->ev->watching ? cmb_take_weak_out(in, x, y) : 0;
}

/* Whether the constraints are near to losing rank where the step under way begins; *name is the one that takes part most. */
bool cmb_passage_is_near(cmb_integrator *in, const char **name);

/* slope = (T(q) v, a) at (t, y) and λ, by the index-1 equations. */
cmb_status cmb_slope(cmb_integrator *in, double t, const double *y, double *slope, double *lambda);

/* The same by G and factors, which stay in the evaluator. */
cmb_status cmb_factor_and_slope(cmb_integrator *in, double t, const double *y, double *slope,
                                double *lambda);

/* out = y + h Σ c_j k_j; zero coefficients cost next to nothing. out may be y. The arrays must come from an
 * arena: they are worked on in blocks of eight. */
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

/* The option every adaptive method has. */
#define CMB_OPTION_STEPS                                                                           \
  {                                                                                                \
    "steps", "adaptive|fixed", "adaptive",                                                         \
        "step size by the error, or always the one given by --step"                                \
  }

/* ---- what a passage through a loss of rank has to say in the step loop (passage.c): before a step, at each attempt and after the step */

void cmb_passage_take(cmb_integrator *in);  /* memory */
void cmb_passage_begin(cmb_integrator *in); /* a motion begins: nothing is known */

/* For the functions below, which call these near a loss of rank; far from one they cost a comparison. */
void cmb_passage_look_ahead(cmb_integrator *in);
double cmb_passage_step(const cmb_integrator *in, double h);
double cmb_passage_judge(cmb_integrator *in, double h, double error);
void cmb_passage_count(cmb_integrator *in);

/* Before the first attempt at a step: when the next loss of rank is due. */
static inline void cmb_passage_before(cmb_integrator *in)
{
  if (in->passage.near_steps > 0) cmb_passage_look_ahead(in);
}

/* The size of an attempt, so that it neither ends nor has a stage near a loss of rank. */
static inline double cmb_passage_size(const cmb_integrator *in, double h)
{
  return in->passage.ahead < INFINITY ? cmb_passage_step(in, h) : h;
}

/* Whether an attempt with a stage at a loss of rank is given up, since another size will miss it, unless it begins there. */
static inline bool cmb_passage_may_refuse(const cmb_integrator *in)
{
  return in->passage.inside_steps == 0 && in->rejections < 5;
}

/* The error of an attempt, also of one that began or ended near. */
static inline double cmb_passage_error(cmb_integrator *in, double h, double error)
{
  return cmb_step_is_near_singular(in) ? cmb_passage_judge(in, h, error) : error;
}

/* A step has been accepted, or the method has begun. */
static inline void cmb_passage_after(cmb_integrator *in)
{
  if (cmb_step_is_near_singular(in)) cmb_passage_count(in);
  in->passage.ahead = INFINITY;
}

/* The size of the next step: at least what was wanted before the passage asked for less. */
static inline double cmb_passage_next(const cmb_integrator *in, double h, double wanted,
                                      double next)
{
  return in->passage.ahead < INFINITY && h < wanted ? fmax(next, wanted) : next;
}

#endif
