/*
 * Forms of the equations of motion for implicit methods: which constraints are imposed, and in which formalism the dynamic equations are
 * evaluated; and the matrix of Newton's method with the kinematic equations eliminated.
 *
 * A method sets q̇ and v̇ to combinations of unknown and known values: v̇ = v/c + .., q̇ = q/c + .., with c = h/γ, real or complex. The
 * defects of a state are the residuals of:
 *
 *     r = M v̇ − f + Gᵀ λ       residual formalism (Arnold, Fuchs and Führer 2006 eq. 9), or M⁻¹ r in the explicit one (eq. 10)
 *     g                        index 3, ggl
 *     G v + g_t                index 2, ggl
 *     G v̇ + γ                  index 1
 *
 * The methods ensure q̇ = T (v − Ḡᵀ η), with η = 0 except for ggl (Gear, Gupta, Leimkuhler; eq. 7a): δq = c T (δv − Ḡᵀ δη). Newton's
 * equations then have nv + ng unknowns, and tend to the KKT matrix as c → 0 whatever the index:
 *
 *     [ M + c D + c² K   Gᵀ ] [ δv   ]     D = ∂r/∂v,  K = ∂r/∂q T,  C₁, C₂ as in cmb_form_kind
 *     [ G + c C₁ + c² C₂  0 ] [ c δλ ]  =  right-hand sides in solve.c
 *
 * Ḡ is G where the matrix was made. In the explicit formalism the first row is multiplied by M⁻¹.
 */
#ifndef CMB_FORM_FORM_H
#define CMB_FORM_FORM_H

#include "dae/derivative.h"
#include "math/linear.h"

typedef enum cmb_form_kind {
  CMB_FORM_INDEX3, /* C₁ = C₂ = 0 */
  CMB_FORM_GGL,    /* C₁ = ∂(G v + g_t)/∂q T; also index 2 */
  CMB_FORM_INDEX2,
  CMB_FORM_INDEX1 /* C₁ = ∂γ/∂v, C₂ = ∂(G v̇ + γ)/∂q T */
} cmb_form_kind;

typedef enum cmb_formalism { CMB_FORMALISM_RESIDUAL, CMB_FORMALISM_EXPLICIT } cmb_formalism;

/* Where the derivatives come from. */
typedef enum cmb_jacobian_source {
  CMB_SOURCE_EXACT,  /* the equations, or dae/derivative.h for those that they do not supply */
  CMB_SOURCE_DENSE,  /* differences column by column, Arnold, Fuchs and Führer 2006 eq. (16) */
  CMB_SOURCE_SPARSE, /* differences by groups on an estimated pattern, eq. (20) and §3.1 */
} cmb_jacobian_source;

/* A state with its accelerations and multipliers, as far as the equations need them. */
typedef struct cmb_form_state {
  double t;
  const double *q, *v, *a, *lambda;
} cmb_form_state;

/* The defects of a state; arrays of defects that the kind of form does not have are not written and may be NULL. */
typedef struct cmb_defects {
  double *r;        /* (nv) */
  double *position; /* (ng) index 3, ggl */
  double *motion;   /* (ng) G v + g_t or G a + γ: all but index 3 */
} cmb_defects;

/* A block of the matrix: values on a pattern, or dense, and their indices in the matrix. */
typedef struct cmb_block {
  int rows, columns;
  const cmb_pattern *pattern; /* NULL: dense */
  int count;
  double *value; /* (count) */
  int *place;    /* (count) index of each value in the matrix */

  /* for T ≠ I: value = raw T */
  const cmb_pattern *raw_pattern; /* rows x nq */
  double *raw;
  /* index in `value` to which each product of an entry of raw with one of T is added */
  int *product;
} cmb_block;

typedef struct cmb_form {
  cmb_evaluator *ev;
  cmb_arena *arena;
  cmb_differences *differences;
  cmb_kkt *mass; /* explicit formalism: solves with M */
  cmb_form_kind kind;
  cmb_formalism formalism;
  cmb_jacobian_source source;
  bool has_position, has_motion;
  int nq, nv, ng, n; /* n = nv + ng */

  /* the blocks of the last linearisation */
  cmb_block M, G, border, D, K, C1, C2; /* border: Gᵀ or M⁻¹Gᵀ */
  cmb_block plain_D, plain_K;           /* explicit formalism, exact derivatives: D and K of r */
  double *S;                            /* (ng x ng) factors of Ḡ Ḡᵀ; ggl */
  double softness;                      /* ggl: the c up to which c² K is small compared with M */

  double *size;            /* (n) unit of each unknown, a power of 2 */
  bool scaled;             /* whether the matrix is scaled by these units */
  long looks;              /* linearisations since the last cmb_form_forget */
  double noise_most;       /* the largest of noise, noise_q and, except for index 3, noise_moved */
  double *noise, *noise_q; /* (nv), (nq) rounding errors of v and q: scale.c */
  double *noise_moved; /* (nv) error of v caused by rounding of all constraints; index 3: of c v */
  /* the largest such error of c λ, in the units of `size` if scaled; not for index 3 */
  double noise_l;
  double *rounding; /* (ng) rounding error of G v; index 3: of g */
  /* the errors of constraints are new, and noise_moved and noise_l not yet computed from them */
  bool noise_due;
  double speed;                /* the square root of Σ v_i²/size_i² */
  double *q_beside, *G_beside; /* (nq), and of the size of G: scratch */
  int *diagonal;               /* (nv) index of M_ii in M as the equations store it, or -1 */

  const cmb_pattern *pattern; /* of the matrix; NULL: dense */
  int values;                 /* number of values of the matrix */
  struct cmb_marks *marks;    /* its entries, only while the pattern is made */

  struct cmb_rates_matrix *T; /* NULL: T = I */
  struct cmb_estimate *estimate;
  struct cmb_extension *extension;

  double *x, *y; /* (max(nv, ng)) scratch */
  struct cmb_check *check;

  /* scratch of solve.c: complex numbers, then real and imaginary parts */
  double *b;                /* (2 n) */
  double *packed;           /* (2 n) */
  double *seen[2], *eta[2]; /* (n), (ng) */
} cmb_form;

typedef struct cmb_form_options {
  cmb_form_kind kind;
  cmb_formalism formalism;
  cmb_jacobian_source source;
  /* whether cmb_form_follow_inputs will be called; for derivatives by differences only */
  bool extended;
} cmb_form_options;

/* Creates a form. Without constraints its kind is always index 1. */
cmb_status cmb_form_create(cmb_evaluator *ev, const cmb_form_options *options, cmb_form **form);
void cmb_form_destroy(cmb_form *form);

/* Resets the scaling and the rounding errors at the beginning of a new motion; the next linearisation computes them anew. */
void cmb_form_forget(cmb_form *form);

/* Computes the defects of a state, by one evaluation of the equations. Values that are not finite are not reported here: they make the
 * increments nonfinite. */
cmb_status cmb_form_defects(cmb_form *form, const cmb_form_state *state, const cmb_defects *out);

/* Evaluates M and G at the state and, if `all`, also the derivatives D, K, C₁, C₂. A partitioned update (Arnold, Fuchs and Führer 2006
 * eqs. 24 and 25) is a call without them. */
cmb_status cmb_form_linearize(cmb_form *form, const cmb_form_state *state, bool all);

/* Extended partitioned update (Arnold, Fuchs and Führer 2006 eq. 26). cmb_form_follow_inputs updates D, K, C₁ and C₂ for the change of the
 * inputs and driven positions since the last call of either function. cmb_form_know_inputs is called before, where the blocks have just
 * been computed; its first call computes their derivatives with respect to inputs and driven positions. */
cmb_status cmb_form_know_inputs(cmb_form *form, const cmb_form_state *state);
cmb_status cmb_form_follow_inputs(cmb_form *form, const cmb_form_state *state);

/* Makes the next linearisation compute a full difference Jacobian, by which the estimated pattern is extended. */
void cmb_form_widen(cmb_form *form);

/* The estimated pattern Ω and its groups, for a form whose source is CMB_SOURCE_SPARSE. Rows: r, then the defects of motion, if there are
 * any; columns: q in the directions of v, then v. */
typedef struct cmb_form_estimate {
  int rows, columns, entries, groups;
  const bool *there; /* (rows x columns) */
  const int *group;  /* (columns) */
} cmb_form_estimate;

cmb_form_estimate cmb_form_estimated(const cmb_form *form);

/* Create a matrix for one c, real or complex; assemble it from the present blocks and factorise it. */
cmb_status cmb_form_matrix_create(cmb_form *form, bool is_complex, cmb_linear **matrix);
cmb_status cmb_form_factor(cmb_form *form, double c_re, double c_im, cmb_linear *matrix);

/* An increment of Newton's method; for a complex c its real and imaginary parts, otherwise only the first. If nv or ng is odd, one number
 * behind an array is overwritten: arrays from an arena have room for it. */
typedef struct cmb_increment {
  double *v[2];      /* (nv) δv */
  double *lambda[2]; /* (ng) δλ */
  double *w[2];      /* (nv) δq = T δw: c (δv − Ḡᵀ δη); NULL: not wanted */
  double *normal[2]; /* (nv) Ḡᵀ δη; ggl */
} cmb_increment;

/* Computes the Newton increment that eliminates the defects (re, im). `parts` is 1 for a real and 2 for a complex c. */
void cmb_form_solve(cmb_form *form, int parts, double c_re, double c_im, cmb_linear *matrix,
                    const cmb_defects defects[2], cmb_increment *out);

/* Computes an error estimate that is not dominated by stiff components: for defects s_w of q̇ = T w and s_v of v̇ the changes e_w, e_v of
 * the solution of the linearised equations, e = c (mass − c Jacobian)⁻¹ mass s. `matrix` is the real one for c. */
void cmb_form_smooth(cmb_form *form, double c, cmb_linear *matrix, const double *s_w,
                     const double *s_v, double *e_w, double *e_v);

/* Computes the component n of velocities x that violates the constraints: G n = G x, except for terms that vanish with the step size.
 * `matrix` is a real one. */
void cmb_form_crossing(cmb_form *form, cmb_linear *matrix, const double *x, double *n);

/* Returns the weight of an error of multipliers relative to one of positions: min(h, 1), the effect of multipliers on velocities in a
 * step h, and its square for index 3. */
double cmb_form_multiplier_weight(cmb_form_kind kind, double h);

#endif
