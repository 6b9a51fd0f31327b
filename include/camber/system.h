/*
 * Camber, layer system: a model made into equations, and what can be asked of these before a run: rank of the constraints, static
 * equilibrium, linearisation.
 *
 *     cmb_model_system(ctx, model, &options, &system);
 */
#ifndef CAMBER_SYSTEM_H
#define CAMBER_SYSTEM_H

#include <camber/dae.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cmb_model_system_options {
  cmb_formulation formulation;
  cmb_evaluation evaluation;
  bool derivatives; /* exact Jacobians are wanted: they take time to prepare */
  bool
      forced; /* accelerations for given λ in one call: for formalism=explicit of implicit methods, where there are loops */
  bool
      expressions; /* are to be kept: for methods that make programs of their own, and for C code */
  /* To each input of the model a value can be added while it runs, 0 at first: it is a live parameter with the input's name, behind
   * the others in `p`. Behind them are rates of these values, `road'` and `road''` of `road`, where forces or constraints may
   * depend on them; 0 at first, too. */
  bool live_inputs;
  /* start values in place of the model's; they are held like those that the model gives */
  int start_count;
  const cmb_setting *start;
} cmb_model_system_options;

/* A model as a system. Constraints that depend on the others are found and left out, with a warning in the log. The model
 * must outlive the system. options may be NULL. */
CMB_API cmb_status cmb_model_system(cmb_context *ctx, const cmb_model *model,
                                    const cmb_model_system_options *options, cmb_system **system);

/* The start values for other values p (np) of the live parameters (NULL: those of the equations): q (nq) and v (nv) are what cmb_system_q and cmb_system_v of a system have
 * whose model was read with these values. What the model says of its joints is computed anew, loops are closed and given values held
 * with the new ones, and what was done to the start values since the system was made is repeated: values that were set stay, a static
 * equilibrium is looked for again. Neither the system nor its equations change. Runs do this themselves (cmb_simulation_set). On
 * failure q and v are what they were. */
CMB_API cmb_status cmb_system_start(cmb_context *ctx, const cmb_system *system, const double *p,
                                    double *q, double *v);

/* How many constraints there really are: the rank of G. */
typedef struct cmb_rank_report {
  int here;   /* at the position given */
  int around; /* the largest found at consistent positions near it; the position is singular if it is more than `here` */
  int redundant_count; /* constraints less `around`: those that depend on the ones before them, here, or there if this is singular */
} cmb_rank_report;

/* At (t, q), which meets the constraints, in the modes given (ns). `redundant` (ng) receives the numbers of the redundant constraints,
 * ascending; it may be NULL. On failure the report has the ranks found so far. */
CMB_API cmb_status cmb_system_rank(cmb_context *ctx, const cmb_system *system, double t,
                                   const double *q, const int *mode, cmb_rank_report *report,
                                   int *redundant);

/* How well a state (t, q, v) meets the constraints: the 2-norms of g and of G v + g_t, in the modes that belong to the state. Of a state
 * at which the equations cannot be evaluated both are NaN. */
CMB_API cmb_status cmb_system_residuals(cmb_context *ctx, const cmb_system *system, double t,
                                        const double *q, const double *v, double *position,
                                        double *velocity);

/* The constraints g (ng) of equations at a state, in the modes that belong to it. CMB_ERROR_EQUATIONS: they cannot be evaluated there. */
CMB_API cmb_status cmb_constraint_values(cmb_context *ctx, const cmb_equations *eq, double t,
                                         const double *q, const double *v, double *g);

/* Static equilibrium and what was found there. */
typedef enum cmb_stability {
  CMB_STABLE,  /* every small displacement meets a restoring force */
  CMB_NEUTRAL, /* some meet none, the others a restoring one */
  CMB_UNSTABLE /* some are driven on */
} cmb_stability;

enum { CMB_NEUTRAL_NAMED = 8 };

typedef struct cmb_equilibrium_report {
  int iterations;
  int freedoms;          /* degrees of freedom, without those that friction holds */
  int held;              /* degrees of freedom that friction holds where they were */
  int neutral, unstable; /* how many of them have no stiffness, or a negative one */
  int neutral_named;     /* the first of the neutral directions, ... */
  int neutral_most
      [CMB_NEUTRAL_NAMED]; /* ... and the velocity that each has most of, no one twice */
  cmb_stability stability; /* by the stiffness alone: damping and rotation do not enter */
  double q_moved;          /* 2-norm of the change of q */
  int q_most;              /* the coordinate that moved most */
  double force;            /* the largest component of f − Gᵀλ that is left */
  int force_most;          /* and the velocity it belongs to */
} cmb_equilibrium_report;

/* The start values become a state of rest near them: f(t,q,0) = Gᵀλ, g(t,q) = 0 at the start time, and v = 0 but for what is
 * along neutral directions, where nothing brings it to rest. On failure
 * the context names the coordinate with the largest unbalanced force, and the start values are as they were. */
CMB_API cmb_status cmb_system_equilibrium(cmb_context *ctx, cmb_system *system,
                                          cmb_equilibrium_report *report);

/* A steady motion: on a straight line or on a circle about the vertical, the direction of gravity. */
typedef struct cmb_steady_options {
  /* what has a value in it: outputs, coordinates, velocities and states by their names */
  int hold_count;
  const cmb_setting *holds;
  /* coordinates that grow, as the angle of a wheel, besides those that carry the mechanism over the ground; or joints, for all of theirs */
  int free_count;
  const char *const *free;
  /* live parameters, among them inputs, whose values are found */
  int trim_count;
  const char *const *trim;
} cmb_steady_options;

typedef struct cmb_steady_report {
  int iterations;
  int unknowns,
      open; /* how many there were, and how many of them nothing determines: these are as they were */
  double turn; /* about the vertical, rad/s */
  double
      defect; /* the largest difference between the accelerations and those of the steady motion */
} cmb_steady_report;

/* The start values, and the values of the parameters to trim, become those of a steady motion near them: horizontal velocities of what carries
 * the mechanism are constant in a frame that turns with it, those of the coordinates that are free are constant, all others and the rates of states
 * are 0. Time is frozen at the start. The system must be in joint coordinates; outputs among the holds need the
 * model's expressions. On failure the context says what stays open, and the system is as it was. */
CMB_API cmb_status cmb_system_steady(cmb_context *ctx, cmb_system *system,
                                     const cmb_steady_options *options, cmb_steady_report *report);

/* The frame of the steady motion that the start values are; NULL: of none. */
CMB_API const cmb_steady_frame *cmb_system_frame(const cmb_system *system);

/* One eigenvalue of the linearised equations; of a complex pair only the one with im > 0 is listed. */
typedef struct cmb_eigenmode {
  double re, im;    /* the motion grows like exp(re t) and turns like exp(i im t), in 1/s */
  double frequency; /* undamped, |eigenvalue| / 2π, in Hz; 0 if neutral */
  double damping;   /* −re / |eigenvalue|; 0 if neutral */
  bool neutral; /* 0 as far as rounding lets one tell: a motion that nothing restores or drives */
  int most; /* the coordinate that moves most; nq + i: no coordinate does, state i changes most */
  const double *shape_re,
      *shape_im; /* (nq + nz) changes of coordinates and states; that of `most` is 1 */
} cmb_eigenmode;

/* ẋ = A x for x = (z, y): z = P w and y = P δv are the free displacements and velocities, w = N z (docs/linearize.md); behind the
 * n velocities y has the changes of the nz states. */
typedef struct cmb_linearization {
  int freedoms; /* n */
  int nq, nv, nz;
  double t;
  const double *A; /* (m x m), m = 2n + nz */
  const double *N; /* (n x nv) row k: the k-th free motion, NᵀMN = I */
  const double *a; /* (nv) the accelerations at the state */
  int a_most;      /* the largest of them; 0 in an equilibrium, also a moving one */
  int eigenmode_count;
  const cmb_eigenmode *eigenmodes; /* neutral ones first, then by |eigenvalue| */
  double neutral_below; /* smaller eigenvalues are neutral unless they can be told from 0; 1/s */
} cmb_linearization;

/* Linearise about the state (t, q, v), which must satisfy the constraints. Modes follow from the signs of the switching
 * functions there. Live parameters and sampled values are p of the equations, which may be a copy with other ones (p of a cmb_result). */
CMB_API cmb_status cmb_linearize(cmb_context *ctx, const cmb_equations *equations, double t,
                                 const double *q, const double *v,
                                 cmb_linearization **linearization);
/* The same about a steady motion, in its frame; NULL: none. */
CMB_API cmb_status cmb_linearize_in(cmb_context *ctx, const cmb_equations *equations,
                                    const cmb_steady_frame *frame, double t, const double *q,
                                    const double *v, cmb_linearization **linearization);
CMB_API void cmb_linearization_destroy(cmb_linearization *linearization);

/* ẋ = A x + B u + B' u̇, y = C x + D u + D' u̇ for small changes about a state: x has as many coordinates as there are degrees of freedom,
 * chosen so that they determine all others, as many velocities, and the states; u are live parameters, among them inputs, y are outputs.
 * The rate of an input is the live parameter with its name and a dash, `road'` of `road`, if there is one; one that is among u itself is taken
 * from there and not from its input. */
typedef struct cmb_state_space {
  int nx, nu, ny;
  const char *const *x_names;  /* (nx) */
  const double *A, *B, *C, *D; /* (nx x nx), (nx x nu), (ny x nx), (ny x nu) */
  const double *B_rate,
      *D_rate; /* B' (nx x nu), D' (ny x nu); NULL: nothing depends on rates of u */
  const char *const *rate_names; /* (nu) of the rates; NULL: nothing depends on this one */
} cmb_state_space;

/* About (t, q, v), which must satisfy the constraints, with the modes as for cmb_linearize. parameters (nu): their numbers among those of
 * the equations, which need exact derivatives for them; outputs (ny) likewise, for which the expressions of the model must be
 * kept. A parameter that moves constraints is refused. */
CMB_API cmb_status cmb_state_space_create(cmb_context *ctx, const cmb_equations *equations,
                                          double t, const double *q, const double *v, int nu,
                                          const int *parameters, int ny, const int *outputs,
                                          cmb_state_space **space);
/* The same about a steady motion, in its frame; NULL: none. */
CMB_API cmb_status cmb_state_space_create_in(cmb_context *ctx, const cmb_equations *equations,
                                             const cmb_steady_frame *frame, double t,
                                             const double *q, const double *v, int nu,
                                             const int *parameters, int ny, const int *outputs,
                                             cmb_state_space **space);
CMB_API void cmb_state_space_destroy(cmb_state_space *space);

/* C (s − A)⁻¹ (B + s B') + D + s D' at s = iω, ω in rad/s, as (re, im) (ny x nu x 2). CMB_ERROR_EQUATIONS: iω is an eigenvalue. */
CMB_API cmb_status cmb_state_space_response(cmb_context *ctx, const cmb_state_space *space,
                                            double omega, double *response);

/* The transfer function from one input to one output, G(s) = gain Π (s − zero) / Π (s − pole) = numerator / denominator. Complex numbers are
 * (re, im), those of a pair next to each other. */
typedef struct cmb_transfer {
  double gain;
  int zero_count, pole_count;
  const double *zeros, *poles; /* (zero_count x 2), (pole_count x 2), by their size */
  /* Eigenvalues of A that the input does not move or the output does not see, which are neither zeros nor poles. None: the
   * equations are minimal for this input and output. */
  int cancelled_count;
  const double *cancelled;
  /* (zero_count + 1), (pole_count + 1), highest power first, that of the denominator 1; NULL: beyond the range of numbers. */
  const double *numerator, *denominator;
  /* The largest difference from C (s − A)⁻¹ (B + s B') + D + s D' at points right of the imaginary axis, as a part of it; or of 1e-5 of the terms
   * that it is a sum of, where it is smaller. */
  double off;
} cmb_transfer;

/* CMB_ERROR_EQUATIONS: zeros and poles would not give the response of the equations to 1e-6. */
CMB_API cmb_status cmb_transfer_create(cmb_context *ctx, const cmb_state_space *space, int input,
                                       int output, cmb_transfer **transfer);
CMB_API void cmb_transfer_destroy(cmb_transfer *transfer);

/* The outputs' changes after a step of input k by 1 at t = 0, at t = i dt, i from 0 to points − 1, into y (points x ny): exact but for
 * rounding. The rate of the step is an impulse: it makes x jump by B', and an impulse of D' in y at t = 0, which is not in the values. */
CMB_API cmb_status cmb_state_space_step(cmb_context *ctx, const cmb_state_space *space, int k,
                                        double dt, int points, double *y);

/* ---- kinematics and compliance of suspensions, as quasi-static sweeps (docs/kinematics.md)
 *
 *     cmb_suspension_create(ctx, "fivelink.yaml", &options, &k);
 *     for (int i = 0; i < options.points && cmb_suspension_next(k, row) == CMB_OK; i++) ...
 *
 * Quantities of the model are driven to given values, loads act on wheels, and the rest of the mechanism is in static equilibrium. */

/* A drive: a coordinate, a formula of positions, or an output of the model that is one. A load: MARKER.fx, .fy, .fz (N, global axes) or .mz
 * (N m) at the contact point of the wheel with this marker. It goes from `from` to `to` in equal steps. */
typedef struct cmb_suspension_range {
  const char *name;
  double from, to;
} cmb_suspension_range;

typedef struct cmb_suspension_options {
  const cmb_model_options *model; /* how the file is read; NULL: as it is */
  int drive_count, load_count, wheel_count;
  const cmb_suspension_range *drives, *loads;
  const char *const
      *wheels;   /* markers on wheel carriers: the wheel's centre; y is along its spin axis */
  double radius; /* from the centre to the contact point */
  int points;    /* of the sweep, at least 1 */
} cmb_suspension_options;

/* A column of the table: its name ("hub.camber") and its unit: "m", "rad", "N", "N/m", "" .. */
typedef struct cmb_suspension_column {
  const char *name, *unit;
} cmb_suspension_column;

typedef struct cmb_suspension cmb_suspension;

/* Reads the model and goes from its design position to the first point. */
CMB_API cmb_status cmb_suspension_create(cmb_context *ctx, const char *path,
                                         const cmb_suspension_options *options,
                                         cmb_suspension **kinematics);
CMB_API void cmb_suspension_destroy(cmb_suspension *kinematics);

CMB_API const cmb_suspension_column *cmb_suspension_columns(const cmb_suspension *kinematics,
                                                            int *count);

/* The next point of the sweep, into row (columns). What has no meaning at this point is NaN. CMB_ERROR_EQUATIONS: it cannot be reached,
 * and the context says how far the sweep got. */
CMB_API cmb_status cmb_suspension_next(cmb_suspension *kinematics, double *row);

/* The forces of the road on wheels, contacts and loads, which are left out: their names; how many. */
CMB_API int cmb_suspension_left_out(const cmb_suspension *kinematics, const char *const **names);

/* The freedoms of an assembled mechanism: coordinates that determine all others, and the positions that each of them leads to. Joints near the ground come
 * first, those with a single coordinate before others, coordinates before turns by Euler parameters, and of several the first, unless the constraints leave
 * clearly more room to another. A freedom is moved with all others held at their values of the start; the loops are closed in small steps on the way, so that
 * they stay in the same branch. */
typedef struct cmb_freedom {
  const char *name; /* of the coordinate; "body about x" of a turn */
  int q;            /* the coordinate, or the first of four Euler parameters */
  int v;            /* its velocity */
  int axis; /* -1: a coordinate; 0, 1, 2: a turn by Euler parameters about the child's axis, as it is in the design position */
  bool angle;
  double start; /* its value at the start, of a turn 0 */
} cmb_freedom;

typedef struct cmb_freedoms cmb_freedoms;

/* A position that meets the constraints of a model's equations in joint coordinates, which must outlive the freedoms, as the model must. */
typedef struct cmb_freedoms_place {
  const cmb_equations *eq;
  const cmb_model *model;
  double t;
  const double *q, *v; /* (nq), (nv) */
  const double *p;     /* (np) values of live parameters; NULL: those of the equations */
} cmb_freedoms_place;

CMB_API cmb_status cmb_freedoms_create(cmb_context *ctx, const cmb_freedoms_place *at,
                                       cmb_freedoms **freedoms);
CMB_API void cmb_freedoms_destroy(cmb_freedoms *f);

/* As many as there are degrees of freedom, in the order of the coordinates. */
CMB_API const cmb_freedom *cmb_freedoms_list(const cmb_freedoms *f, int *count);

/* What moves from now on: freedom k; or none, CMB_FREEDOMS_HELD (time may), or nothing is held, CMB_FREEDOMS_LOOSE. */
enum { CMB_FREEDOMS_HELD = -1, CMB_FREEDOMS_LOOSE = -2 };
CMB_API cmb_status cmb_freedoms_drive(cmb_freedoms *f, int k);

/* The position q (nq), in place, to where the driven freedom has been moved on by `change` at the time t, or as far as it gets: *reached is
 * the share of the way, 1: all. Positions in between meet the constraints, too, unless time has changed or nothing is held. */
CMB_API cmb_status cmb_freedoms_move(cmb_freedoms *f, double change, double t, double *q,
                                     double *reached);

/* Whether the position meets the constraints at t as well as can be told. */
CMB_API cmb_status cmb_freedoms_check(cmb_freedoms *f, double t, const double *q, bool *met);

/* A gap of a stop or rigid contact that is closed at the position, and farther than it was when the freedoms were created; NULL: none is. */
CMB_API cmb_status cmb_freedoms_closed_gap(cmb_freedoms *f, double t, const double *q,
                                           const char **name);

/* Outputs of the model that positions and time alone decide on: their numbers. */
CMB_API const int *cmb_freedoms_outputs(const cmb_freedoms *f, int *count);

/* Their values (count) at a position; NaN where one has none. */
CMB_API cmb_status cmb_freedoms_observe(cmb_freedoms *f, double t, const double *q, double *values);

#ifdef __cplusplus
}
#endif
#endif
