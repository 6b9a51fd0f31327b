/*
 * Forms of the equations for implicit methods: which constraints are imposed, and in which formalism the dynamic equations are
 * evaluated; the matrix of Newton's method with the kinematic equations eliminated.
 *
 * A method sets q̇ and v̇ to combinations of unknown and known values: v̇ = v/c + .., q̇ = q/c + .., with c = h/γ, real or complex.
 * What is left of a state are its defects:
 *
 *     r = M v̇ − f + Gᵀ λ       residual formalism (Arnold, Fuchs and Führer 2006 eq. 9), or M⁻¹ r in the explicit one (eq. 10)
 *     g                        index 3, ggl
 *     G v + g_t                index 2, ggl
 *     G v̇ + γ                  index 1
 *
 * q̇ = T (v − Ḡᵀ η), η = 0 but for ggl (Gear, Gupta, Leimkuhler; eq. 7a), is kept by the methods: δq = c T (δv − Ḡᵀ δη). Newton's
 * equations are then nv + ng wide, and tend to the KKT matrix as c → 0 whatever the index:
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
  CMB_SOURCE_EXACT,  /* the equations, or what dae/derivative.h makes up for */
  CMB_SOURCE_DENSE,  /* differences column by column, Arnold, Fuchs and Führer 2006 eq. (16) */
  CMB_SOURCE_SPARSE, /* differences by groups on an estimated pattern, eq. (20) and §3.1 */
} cmb_jacobian_source;

/* A state with its rates, as far as the equations ask for them. */
typedef struct cmb_form_state {
  double t;
  const double *q, *v, *a, *lambda;
} cmb_form_state;

/* What is left; the arrays that the kind does not have are not touched and may be NULL. */
typedef struct cmb_defects {
  double *r;        /* (nv) */
  double *position; /* (ng) index 3, ggl */
  double *motion;   /* (ng) G v + g_t or G a + γ: all but index 3 */
} cmb_defects;

/* Part of the matrix: values on a pattern, or dense, and where they belong in the matrix. */
typedef struct cmb_block {
  int rows, columns;
  const cmb_pattern *pattern; /* NULL: dense */
  int count;
  double *value; /* (count) */
  int *place;    /* (count) */

  /* T ≠ I: value = raw T */
  const cmb_pattern *raw_pattern; /* rows x nq */
  double *raw;
  int *product; /* where each product of an entry of raw with one of T goes, in `value` */
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

  /* of the last linearisation */
  cmb_block M, G, border, D, K, C1, C2; /* border: Gᵀ or M⁻¹Gᵀ */
  cmb_block plain_D, plain_K;           /* explicit formalism, exact: of r */
  double *S;                            /* (ng x ng) factors of Ḡ Ḡᵀ; ggl */
  double softness;                      /* the c up to which c² K is small beside M */

  double *size;            /* (n) what a unit of each unknown is measured by, powers of 2 */
  bool scaled;             /* the matrix is, by them */
  long looks;              /* linearisations so far */
  double noise_most;       /* the largest of noise, noise_q and noise_moved */
  double *noise, *noise_q; /* (nv), (nq) rounding of v and q: scale.c */
  double *noise_moved;     /* (nv) what rounding of all constraints makes of v; index 3: of c v */
  double noise_l; /* and of c λ, the largest one, in the units of `size` if scaled; not index 3 */
  double *rounding;            /* (ng) of G v; index 3: of g */
  bool noise_due;              /* it is new, and the last two are not yet */
  double speed;                /* the root of Σ v_i²/size_i² */
  double *q_beside, *G_beside; /* (nq), as G: scratch */
  int *diagonal;               /* (nv) where M_ii is in M as the equations store it */

  const cmb_pattern *pattern; /* of the matrix; NULL: dense */
  int values;                 /* of the matrix */
  struct cmb_marks *marks;    /* its entries while the pattern is made */

  struct cmb_rates_matrix *T; /* NULL: T = I */
  struct cmb_estimate *estimate;
  struct cmb_extension *extension;

  double *x, *y; /* (max(nv, ng)) scratch */
  struct cmb_check *check;

  /* scratch of solve.c: numbers, then real and imaginary parts */
  double *b;                /* (2 n) */
  double *packed;           /* (2 n) */
  double *seen[2], *eta[2]; /* (n), (ng) */
} cmb_form;

typedef struct cmb_form_options {
  cmb_form_kind kind;
  cmb_formalism formalism;
  cmb_jacobian_source source;
  bool extended; /* cmb_form_follow_inputs will be wanted; of differences only */
} cmb_form_options;

/* Without constraints the kind is index 1. */
cmb_status cmb_form_create(cmb_evaluator *ev, const cmb_form_options *options, cmb_form **form);
void cmb_form_destroy(cmb_form *form);

/* A motion begins: sizes and roundings of another one say nothing about it. The first linearization looks at
 * them. */
void cmb_form_forget(cmb_form *form);

/* The defects of a state: one evaluation. What is not finite in them shows in the increments: whoever looks at their size sees
 * it. */
cmb_status cmb_form_defects(cmb_form *form, const cmb_form_state *state, const cmb_defects *out);

/* M and G at the state; and, if all, the derivatives D, K, C₁, C₂. A partitioned update (Arnold, Fuchs and Führer 2006 eqs. 24 and
 * 25) is one without them. */
cmb_status cmb_form_linearize(cmb_form *form, const cmb_form_state *state, bool all);

/* Extended partitioned update (Arnold, Fuchs and Führer 2006 eq. 26): D, K, C₁ and C₂ follow the inputs and the driven positions from
 * where they were last; before that, once, their derivatives with respect to these at the state where they were just made. */
cmb_status cmb_form_know_inputs(cmb_form *form, const cmb_form_state *state);
cmb_status cmb_form_follow_inputs(cmb_form *form, const cmb_form_state *state);

/* The estimated pattern takes up what a full difference Jacobian shows at the next linearisation. */
void cmb_form_widen(cmb_form *form);

/* That pattern Ω and its groups, of a form whose source is CMB_SOURCE_SPARSE. Rows: r, then the defects of motion, if it has some;
 * columns: q in the directions of v, then v. */
typedef struct cmb_form_estimate {
  int rows, columns, entries, groups;
  const bool *there; /* (rows x columns) */
  const int *group;  /* (columns) */
} cmb_form_estimate;

cmb_form_estimate cmb_form_estimated(const cmb_form *form);

/* A matrix for one c, real or complex; factored with the blocks last made. */
cmb_status cmb_form_matrix_create(cmb_form *form, bool is_complex, cmb_linear **matrix);
cmb_status cmb_form_factor(cmb_form *form, double c_re, double c_im, cmb_linear *matrix);

/* An increment of Newton's method; with a complex c its real and imaginary part, else only the first. */
typedef struct cmb_increment {
  double *v[2];      /* (nv) δv */
  double *lambda[2]; /* (ng) δλ */
  double *w[2];      /* (nv) δq = T δw: c (δv − Ḡᵀ δη) */
  double *normal[2]; /* (nv) Ḡᵀ δη; ggl */
} cmb_increment;

/* The increment that takes the defects (re, im) away. `parts` is 1 or 2. */
void cmb_form_solve(cmb_form *form, int parts, double c_re, double c_im, cmb_linear *matrix,
                    const cmb_defects defects[2], cmb_increment *out);

/* An error estimate that stiff components do not spoil: for defects s_w of q̇ = T w and s_v of v̇ the changes e_w, e_v of the
 * solution of the linearised equations, e = c (mass − c Jacobian)⁻¹ mass s. The matrix is that of c, real. */
void cmb_form_smooth(cmb_form *form, double c, cmb_linear *matrix, const double *s_w,
                     const double *s_v, double *e_w, double *e_v);

/* The part n of velocities x that crosses the constraints: G (x − n) = 0. The matrix is a real one. */
void cmb_form_crossing(cmb_form *form, cmb_linear *matrix, const double *x, double *n);

/* What an error of multipliers counts in the units of one of positions: after their index, and at most h times, which is what they do
 * to velocities in a step. */
double cmb_form_multiplier_weight(cmb_form_kind kind, double h);

#endif
