/*
 * Camber, layer system: makes equations from a model, and analyses them before a run: rank of the constraints, static
 * equilibrium, steady motion, linearisation, suspension kinematics.
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
  bool derivatives; /* prepare exact Jacobians, which takes time */
  /* prepare a function for accelerations at given λ, for implicit methods with formalism=explicit in models with loops */
  bool forced;
  /* keep the expressions, for methods that make their own programs of them, and for C code */
  bool expressions;
  /* Add a value to each input of the model that can be changed during a run, 0 at first: it is a live parameter with the input's name,
   * after the others in `p`. After these come their rates, `road'` and `road''` of `road`, if forces or constraints may depend on them;
   * 0 at first, too. */
  bool live_inputs;
  /* start values that replace those of the model; they are held fixed like those that the model gives */
  int start_count;
  const cmb_setting *start;
} cmb_model_system_options;

/* Makes a system from a model, which must outlive it. Constraints that depend on others, and not on modes, are found and left out, with a
 * warning in the log. options may be NULL. */
CMB_API cmb_status cmb_model_system(cmb_context *ctx, const cmb_model *model,
                                    const cmb_model_system_options *options, cmb_system **system);

/* Computes the start values for other values p (np) of the live parameters (NULL: those of the equations): q (nq) and v (nv) become what
 * cmb_system_q and cmb_system_v return for a system whose model was read with these values. What the model defines for its joints is
 * computed anew, loops are closed with the given values held, and changes that were made to the start values since the system was made
 * are repeated: values that were set stay, a static equilibrium is computed again. The system and its equations do not change. Runs do
 * this themselves (cmb_simulation_set). On failure q and v are unchanged. */
CMB_API cmb_status cmb_system_start(cmb_context *ctx, const cmb_system *system, const double *p,
                                    double *q, double *v);

/* The number of independent constraints: the rank of G. */
typedef struct cmb_rank_report {
  int here; /* rank at the given position */
  /* the largest rank found at consistent positions near it; the position is singular if it is more than `here` */
  int around;
  /* number of constraints minus `around`: those that depend on the ones before them, at the given position, or at the one near it if
   * this is singular */
  int redundant_count;
} cmb_rank_report;

/* Computes the rank of the constraints at (t, q), which must meet the constraints, in the given modes (ns). `redundant` (ng) receives
 * the numbers of the redundant constraints, ascending; it may be NULL. On failure the report has the ranks found so far. */
CMB_API cmb_status cmb_system_rank(cmb_context *ctx, const cmb_system *system, double t,
                                   const double *q, const int *mode, cmb_rank_report *report,
                                   int *redundant);

/* Computes how well a state (t, q, v) meets the constraints: the 2-norms of g (*position) and of G v + g_t (*velocity), in the modes
 * that belong to the state. Both are NaN if the equations cannot be evaluated there. */
CMB_API cmb_status cmb_system_residuals(cmb_context *ctx, const cmb_system *system, double t,
                                        const double *q, const double *v, double *position,
                                        double *velocity);

/* Computes the constraints g (ng) at a state, in the modes that belong to it. Returns CMB_ERROR_EQUATIONS if they cannot be evaluated
 * there. */
CMB_API cmb_status cmb_constraint_values(cmb_context *ctx, const cmb_equations *eq, double t,
                                         const double *q, const double *v, double *g);

/* The stability of a static equilibrium. */
typedef enum cmb_stability {
  CMB_STABLE,  /* every small displacement causes a restoring force */
  CMB_NEUTRAL, /* some displacements cause no force, the others a restoring one */
  CMB_UNSTABLE /* some displacements cause a force that increases them */
} cmb_stability;

enum { CMB_NEUTRAL_NAMED = 8 };

typedef struct cmb_equilibrium_report {
  int iterations;
  int freedoms;          /* degrees of freedom without those that friction holds */
  int held;              /* degrees of freedom that friction holds at their position */
  int neutral, unstable; /* number of directions without stiffness, and with a negative one */
  int neutral_named;     /* number of neutral directions that are named .. */
  /* .. and the velocity with the largest component of each, all different */
  int neutral_most[CMB_NEUTRAL_NAMED];
  cmb_stability stability; /* from the stiffness alone, without damping and rotation */
  double q_moved;          /* 2-norm of the change of q */
  int q_most;              /* the coordinate that changed most */
  double force;            /* largest component of the remaining force f − Gᵀλ */
  int force_most;          /* the velocity to which it belongs */
} cmb_equilibrium_report;

/* Changes the start values to a state of rest near them: f(t,q,0) = Gᵀλ, g(t,q) = 0 at the start time, states z whose rates are 0, and all
 * other v = 0 except for components along neutral directions, in which no force stops a motion. On failure the context has the reason, such
 * as the coordinate with the largest unbalanced force, and the start values are unchanged. */
CMB_API cmb_status cmb_system_equilibrium(cmb_context *ctx, cmb_system *system,
                                          cmb_equilibrium_report *report);

/* Conditions for a steady motion: on a straight line or on a circle about the vertical, which is the direction of gravity. */
typedef struct cmb_steady_options {
  /* prescribed values of outputs, coordinates, velocities and states, by their names */
  int hold_count;
  const cmb_setting *holds;
  /* coordinates that grow steadily, such as the angle of a wheel, besides those of the position over the ground; or names of joints, for
   * all their coordinates */
  int free_count;
  const char *const *free;
  /* live parameters, including inputs, whose values are to be found */
  int trim_count;
  const char *const *trim;
} cmb_steady_options;

typedef struct cmb_steady_report {
  int iterations;
  /* number of unknowns, and of those that no condition determines, which are left unchanged */
  int unknowns, open;
  double turn; /* angular velocity about the vertical, rad/s */
  /* largest difference between the accelerations and those of the steady motion */
  double defect;
} cmb_steady_report;

/* Changes the start values, and the values of the parameters to trim, to those of a steady motion near them: the horizontal velocities of
 * the bodies that carry the mechanism are constant in a frame that turns with it, the velocities of free coordinates are constant, all
 * other velocities and the rates of states are 0. Time is fixed at the start time. The system must be in joint coordinates; outputs among
 * the holds need the option `expressions`, parameters to trim the option `derivatives`. On failure the context describes what is not
 * solved, and the system is unchanged. */
CMB_API cmb_status cmb_system_steady(cmb_context *ctx, cmb_system *system,
                                     const cmb_steady_options *options, cmb_steady_report *report);

/* Returns the frame of the steady motion that the start values are; NULL if they are none. It belongs to the system. */
CMB_API const cmb_steady_frame *cmb_system_frame(const cmb_system *system);

/* An eigenvalue of the linearised equations; of a complex pair only the one with im > 0 is listed. */
typedef struct cmb_eigenmode {
  double re, im;    /* the motion grows like exp(re t) and oscillates like exp(i im t), in 1/s */
  double frequency; /* undamped frequency |eigenvalue| / 2π, in Hz; 0 if neutral */
  double damping;   /* damping ratio −re / |eigenvalue|; 0 if neutral */
  /* the eigenvalue is 0 within rounding errors: the motion is neither restored nor driven */
  bool neutral;
  /* the coordinate that changes most; nq + i: no coordinate changes, state i changes most */
  int most;
  /* (nq + nz) changes of coordinates and states, real and imaginary part; that of `most` is 1 */
  const double *shape_re, *shape_im;
} cmb_eigenmode;

/* The linearised equations ẋ = A x with x = (z, y): z = P w and y = P δv are the free displacements and velocities, w = N z
 * (docs/linearize.md); after the n velocities y contains the changes of the nz states. */
typedef struct cmb_linearization {
  int freedoms; /* n: degrees of freedom */
  int nq, nv, nz;
  double t;
  const double *A; /* (m x m), m = 2n + nz */
  const double *N; /* (n x nv) row k: free motion k, which is column k of N; NᵀMN = I */
  const double *a; /* (nv) the accelerations at the state */
  int a_most; /* index of the largest of them, which is 0 in an equilibrium, also in a moving one */
  int eigenmode_count;
  const cmb_eigenmode *eigenmodes; /* neutral ones first, then by |eigenvalue| */
  /* eigenvalues below this are neutral unless they differ clearly from 0; 1/s */
  double neutral_below;
} cmb_linearization;

/* Linearises the equations about the state (t, q, v), which must satisfy the constraints. The modes follow from the signs of the
 * switching functions there. Live parameters and sampled values are cmb_equations.p; `equations` may be a copy with other values (p of a
 * cmb_result). The caller frees the result with cmb_linearization_destroy. */
CMB_API cmb_status cmb_linearize(cmb_context *ctx, const cmb_equations *equations, double t,
                                 const double *q, const double *v,
                                 cmb_linearization **linearization);
/* Linearises about a steady motion, in its frame, as cmb_linearize does about a state; frame NULL: no moving frame. */
CMB_API cmb_status cmb_linearize_in(cmb_context *ctx, const cmb_equations *equations,
                                    const cmb_steady_frame *frame, double t, const double *q,
                                    const double *v, cmb_linearization **linearization);
CMB_API void cmb_linearization_destroy(cmb_linearization *linearization);

/* A state space model ẋ = A x + B u + B' u̇, y = C x + D u + D' u̇ for small changes about a state: x contains as many coordinates as
 * there are degrees of freedom, chosen so that they determine all others, as many velocities, and the states; u are live parameters,
 * including inputs, y are outputs. The rate of an input is the live parameter with its name and a dash, `road'` of `road`, if there is
 * one; a rate that is itself one of u counts as such, not as the rate of its input. */
typedef struct cmb_state_space {
  int nx, nu, ny;
  const char *const *x_names;  /* (nx) */
  const double *A, *B, *C, *D; /* (nx x nx), (nx x nu), (ny x nx), (ny x nu) */
  /* B' (nx x nu), D' (ny x nu); NULL: nothing depends on rates of u */
  const double *B_rate, *D_rate;
  const char *const *rate_names; /* (nu) names of the rates; NULL: nothing depends on this rate */
} cmb_state_space;

/* Makes the state space model about (t, q, v), which must satisfy the constraints; modes as for cmb_linearize. parameters (nu): numbers
 * of parameters of the equations, which must have exact derivatives with respect to them; outputs (ny): numbers of outputs, for which
 * the model's expressions must have been kept. A parameter on which constraints depend is an error. The caller frees the result with
 * cmb_state_space_destroy. */
CMB_API cmb_status cmb_state_space_create(cmb_context *ctx, const cmb_equations *equations,
                                          double t, const double *q, const double *v, int nu,
                                          const int *parameters, int ny, const int *outputs,
                                          cmb_state_space **space);
/* Makes the state space model about a steady motion, in its frame, as cmb_state_space_create does about a state; frame NULL: no moving
 * frame. */
CMB_API cmb_status cmb_state_space_create_in(cmb_context *ctx, const cmb_equations *equations,
                                             const cmb_steady_frame *frame, double t,
                                             const double *q, const double *v, int nu,
                                             const int *parameters, int ny, const int *outputs,
                                             cmb_state_space **space);
CMB_API void cmb_state_space_destroy(cmb_state_space *space);

/* Computes the frequency response C (s − A)⁻¹ (B + s B') + D + s D' at s = iω, ω in rad/s, as pairs (re, im) (ny x nu x 2). Returns
 * CMB_ERROR_EQUATIONS if iω is an eigenvalue. */
CMB_API cmb_status cmb_state_space_response(cmb_context *ctx, const cmb_state_space *space,
                                            double omega, double *response);

/* The transfer function from one input to one output, G(s) = gain Π (s − zero) / Π (s − pole) = numerator / denominator. Complex numbers are
 * (re, im), those of a pair next to each other. */
typedef struct cmb_transfer {
  double gain;
  int zero_count, pole_count;
  const double *zeros, *poles; /* (zero_count x 2), (pole_count x 2), sorted by magnitude */
  /* Eigenvalues of A that the input does not excite or the output does not show, which are neither zeros nor poles. If there are none,
   * the equations are minimal for this input and output. */
  int cancelled_count;
  const double *cancelled;
  /* (zero_count + 1), (pole_count + 1), highest power first, that of the denominator 1; NULL: outside the range of numbers. */
  const double *numerator, *denominator;
  /* The largest relative difference from C (s − A)⁻¹ (B + s B') + D + s D' at points right of the imaginary axis; where this value is
   * smaller than 1e-5 of the terms of its sum, relative to that. */
  double off;
} cmb_transfer;

/* Computes the transfer function from one input to one output. Returns CMB_ERROR_EQUATIONS if zeros and poles do not reproduce the
 * response of the equations to 1e-6. The caller frees the result with cmb_transfer_destroy. */
CMB_API cmb_status cmb_transfer_create(cmb_context *ctx, const cmb_state_space *space, int input,
                                       int output, cmb_transfer **transfer);
CMB_API void cmb_transfer_destroy(cmb_transfer *transfer);

/* Computes the step response to input k: the changes of the outputs at t = i dt, i from 0 to points − 1, after a step by 1 at t = 0,
 * into y (points x ny), exact but for rounding. The rate of the step is an impulse: it changes x by B' at once, and causes an impulse of
 * D' in y at t = 0, which is not in the values. */
CMB_API cmb_status cmb_state_space_step(cmb_context *ctx, const cmb_state_space *space, int k,
                                        double dt, int points, double *y);

/* ---- kinematics and compliance of suspensions, as quasi-static sweeps (docs/kinematics.md)
 *
 *     cmb_suspension_create(ctx, "fivelink.yaml", &options, &k);
 *     for (int i = 0; i < options.points && cmb_suspension_next(k, row) == CMB_OK; i++) ...
 *
 * Quantities of the model are driven to given values, loads act on wheels, and the rest of the mechanism is in static equilibrium. */

/* A quantity that goes from `from` to `to` in equal steps. A drive: a coordinate, a formula of positions, or an output of the model that
 * depends on positions only. A load: MARKER.fx, .fy, .fz (N, global axes) or .mz (N m) at the contact point of the wheel with this
 * marker. */
typedef struct cmb_suspension_range {
  const char *name;
  double from, to;
} cmb_suspension_range;

typedef struct cmb_suspension_options {
  const cmb_model_options *model; /* options for reading the file; NULL: defaults */
  int drive_count, load_count, wheel_count;
  const cmb_suspension_range *drives, *loads;
  /* names of markers on wheel carriers at the wheel centres, with y along the spin axis */
  const char *const *wheels;
  double radius; /* distance from the centre to the contact point */
  int points;    /* number of points of the sweep, at least 1 */
} cmb_suspension_options;

/* A column of the table: its name ("hub.camber") and its unit: "m", "rad", "N", "N/m", "" and so on. */
typedef struct cmb_suspension_column {
  const char *name, *unit;
} cmb_suspension_column;

typedef struct cmb_suspension cmb_suspension;

/* Reads the model and moves it from its design position to the first point of the sweep. */
CMB_API cmb_status cmb_suspension_create(cmb_context *ctx, const char *path,
                                         const cmb_suspension_options *options,
                                         cmb_suspension **kinematics);
/* Frees a sweep; NULL is allowed. */
CMB_API void cmb_suspension_destroy(cmb_suspension *kinematics);

/* Returns the columns of the table and their number in *count; they belong to the sweep. */
CMB_API const cmb_suspension_column *cmb_suspension_columns(const cmb_suspension *kinematics,
                                                            int *count);

/* Computes the next point of the sweep into row (columns). Values without a meaning at this point are NaN. Returns CMB_ERROR_EQUATIONS
 * if the point cannot be reached; the context has how far the sweep got. */
CMB_API cmb_status cmb_suspension_next(cmb_suspension *kinematics, double *row);

/* Gets the names of the forces of the road on wheels, contacts and loads, which are left out, and returns their number. */
CMB_API int cmb_suspension_left_out(const cmb_suspension *kinematics, const char *const **names);

/* The degrees of freedom of an assembled mechanism, as coordinates that determine all others, and the positions to which each of them
 * leads. Preferred are joints near the ground, then those with a single coordinate, then coordinates rather than rotations by Euler
 * parameters, then the first of several, unless the constraints leave clearly more room to another one. A freedom is moved with all
 * others held at their start values; the loops are closed in small steps on the way, so that they stay in the same branch. */
typedef struct cmb_freedom {
  const char *name; /* name of the coordinate; "body about x" of a rotation */
  int q;            /* number of the coordinate, or of the first of four Euler parameters */
  int v;            /* number of its velocity */
  /* -1: a coordinate; 0, 1, 2: a rotation by Euler parameters about this axis of the child, as in the design position */
  int axis;
  bool angle;
  double start; /* value at the start; 0 for a rotation */
} cmb_freedom;

typedef struct cmb_freedoms cmb_freedoms;

/* A position that meets the constraints of a model's equations in joint coordinates. Equations and model must outlive the freedoms. */
typedef struct cmb_freedoms_place {
  const cmb_equations *eq;
  const cmb_model *model;
  double t;
  const double *q, *v; /* (nq), (nv) */
  const double *p;     /* (np) values of live parameters; NULL: those of the equations */
} cmb_freedoms_place;

/* Finds the freedoms of the mechanism at a position; the caller frees them with cmb_freedoms_destroy. */
CMB_API cmb_status cmb_freedoms_create(cmb_context *ctx, const cmb_freedoms_place *at,
                                       cmb_freedoms **freedoms);
CMB_API void cmb_freedoms_destroy(cmb_freedoms *f);

/* Returns the freedoms, as many as there are degrees of freedom, in the order of the coordinates, and their number in *count. */
CMB_API const cmb_freedom *cmb_freedoms_list(const cmb_freedoms *f, int *count);

/* Chooses what cmb_freedoms_move moves: freedom k; no freedom (CMB_FREEDOMS_HELD: only time changes); or all without holding any
 * (CMB_FREEDOMS_LOOSE). */
enum { CMB_FREEDOMS_HELD = -1, CMB_FREEDOMS_LOOSE = -2 };
CMB_API cmb_status cmb_freedoms_drive(cmb_freedoms *f, int k);

/* Moves the position q (nq), in place, to where the driven freedom is changed by `change` at the time t, or as far as possible: *reached
 * is the fraction of the way, 1: all. Positions in between meet the constraints, too, unless time has changed or nothing is held. */
CMB_API cmb_status cmb_freedoms_move(cmb_freedoms *f, double change, double t, double *q,
                                     double *reached);

/* Checks whether a position meets the constraints at the time t within rounding errors. */
CMB_API cmb_status cmb_freedoms_check(cmb_freedoms *f, double t, const double *q, bool *met);

/* Finds a gap of a stop or rigid contact that is closed at the position, and further than when the freedoms were created; *name is NULL
 * if there is none. */
CMB_API cmb_status cmb_freedoms_closed_gap(cmb_freedoms *f, double t, const double *q,
                                           const char **name);

/* Returns the numbers of the outputs that depend on positions and time alone, and how many there are in *count. */
CMB_API const int *cmb_freedoms_outputs(const cmb_freedoms *f, int *count);

/* Computes these outputs at a position, values (count) in the order of cmb_freedoms_outputs; NaN where one has no value. */
CMB_API cmb_status cmb_freedoms_observe(cmb_freedoms *f, double t, const double *q, double *values);

#ifdef __cplusplus
}
#endif
#endif
