/*
 * Sticking as a sliding mode (Filippov 1988): equations in which switching functions are held at 0, since their two modes both lead
 * back to s = 0. A layer whose forces are a mixture of those of the two modes,
 *
 *     f = f₋ + Σ_k θ_k (f_k − f₋),   θ such that the surfaces are not left:   0 = ṡ_k (s̈_k for a function of t and q),
 *
 * where f_k has the mode of function k at +1 and the others at −1, and functions that depend on these modes have those that follow from them. Dry
 * friction that sticks is the plainest example. With
 *
 *     r_k = ṡ_k in mode −1,   r_k + A_kk = ṡ_k in mode +1,   the other surfaces kept,   so that θ_k = −r_k / A_kk,
 *
 * the two modes lead back to the surface while r_k > 0 > r_k + A_kk. So the layer's switching function is min(r_k, −r_k − A_kk): it
 * becomes negative if θ_k leaves [0, 1], if the forces no longer depend on the mode (A_kk = 0), or if they lead away from the
 * surface on both sides (A_kk > 0). Then the function is released, to the side to which the mean of the two rates points.
 *
 * Functions with the same zeros, such as v and −v in if(v > 0, −F, if(v < 0, F, 0)), change at the same time: they form a group,
 * whose first function is its leader. An array (ns) specifies which functions are held: 0: not held; ±(1 + index of the group's
 * leader), with the sign of the function's mode where that of the leader is +1.
 *
 * Friction that can hold more than it exerts while it slips (dae.h, `switch_sticks`) is mixed from its modes −2 and +2 in place of
 * −1 and +1, so that it is released at the larger force; from then on it has the smaller one.
 */
#ifndef CMB_DAE_SLIDING_H
#define CMB_DAE_SLIDING_H

#include "dae/evaluator.h"
#include "dae/layer.h"
#include "dae/modes.h"

#include <math.h>

typedef struct cmb_sliding {
  cmb_layer layer;
  int count;            /* number of groups */
  int *function;        /* (count) the leaders of the groups */
  const int *group;     /* (ns) which functions are held, as above */
  cmb_evaluator *below; /* evaluator of the inner equations */
  /* (count (count + 4)) theta, hold, mean, rest and A in one array; and a copy kept during cmb_sliding_ask */
  double *found, *kept;
  double *theta; /* (count) weights of the mixture, as last computed */
  /* (count) the layer's switching functions, and the means of the rates in both modes */
  double *hold, *mean;
  double *
      value; /* (count) the leaders' own values, where the layer's switching functions were last evaluated */
  double *a, *lambda; /* (nv), (ng) scratch */
  double *f, *change; /* (nv), (count x nv) f₋ and f_k − f₋ */
  double *flow;       /* (4 ns) rates of the inner switching functions in two modes */
  /* Functions that are not held, but depend on the modes of those that are, have modes of their own with group k at +1. */
  bool nested; /* there may be such functions */
  cmb_mode_search search;
  double *s_lower;      /* (ns) values of the inner functions with all groups at −1 */
  double *s_upper;      /* (ns) scratch: values with a group at +1 */
  double *lambda_lower; /* (ng) the multipliers there */
  int *fixed;           /* (ns) functions whose modes do not follow those of the groups */
  int *upper;           /* (count x ns) their modes there, and INT_MIN for others */
  double *out;          /* (2 (no + nh)) scratch */
  double *late;         /* (2 nl) scratch */
  /* (count x count) changes of the leaders' rates by each group, and their factors */
  double *A, *LU;
  double *rest, *scale, *part; /* (count) rates with all groups at −1; scratch */
  int *pivot;                  /* (count) pivots of LU */
} cmb_sliding;

/* Creates the layer in which the first n functions of `inner` are held as `group` (n) specifies; leaders must have an order (dae.h,
 * `switch_order`). Arrays come from the arena; `inner` must outlive the layer. */
cmb_status cmb_sliding_create(cmb_context *ctx, cmb_arena *arena, const cmb_equations *inner, int n,
                              const int *group, cmb_sliding **out);
void cmb_sliding_destroy(cmb_sliding *x);

/* Returns the mode, 1 or −1, of a held switching function where that of its leader is `side`. `group` is the function's entry in
 * the array of groups, whose sign says whether both modes are equal or opposite. */
static inline int cmb_slide_mode(int group, int side)
{
  return group > 0 ? side : -side;
}

/* Returns the mode of held switching function i, used for mixing forces, where the mode of its leader is `side`: ±1, or ±2 for
 * friction that can stick with a larger force. `group` is its entry in the array of groups. */
static inline int cmb_slide_held_mode(const cmb_equations *eq, int i, int group, int side)
{
  return (cmb_switch_sticks(eq, i) ? 2 : 1) * cmb_slide_mode(group, side);
}

/* Returns the index of the leader of a held switching function's group; `group` is the function's entry in the array of groups. */
static inline int cmb_slide_leader(int group)
{
  return (group > 0 ? group : -group) - 1;
}

/* Returns the side, 1 or −1, of the zero to which group k of held switching functions is released. */
static inline int cmb_slide_side(const cmb_sliding *x, int k)
{
  return x->mean[k] > 0 ? 1 : -1;
}

/* Returns whether both modes of group k of held switching functions lead away from the zero: then the side to which the group is
 * released is not determined. */
static inline bool cmb_slide_parts(const cmb_sliding *x, int k)
{
  return x->A[(ptrdiff_t)k * (x->count + 1)] / 2 > fabs(x->mean[k]);
}

/* Computes the weights θ of the mixture at a point, whose modes are those of the layer, into x->theta, and with them x->hold and
 * x->mean. Returns CMB_RETRY_SINGULAR if the surfaces of several groups depend on each other. */
cmb_status cmb_sliding_find(const cmb_sliding *x, const cmb_point *at);

/* Computes the inner modes (ns) from those of the layer: all groups at −1, and group k at +1 if k ≥ 0, where functions that depend on it have
 * their own modes. */
void cmb_sliding_lower(const cmb_sliding *x, const int *mode, int k, int *lower);

/* Finds the modes that functions which are not held, but depend on the mode of a group, have where this is at +1. They stay until the next
 * call; a layer's switching function becomes negative where one of them is wrong. *changed: the modes are not those of the last call. */
cmb_status cmb_sliding_follow(cmb_sliding *x, const cmb_point *at, bool *changed);

/* Values that depend on the modes (ns, all of them given), such as outputs, which are to be mixed like the forces. */
typedef struct cmb_slide_question {
  int n;
  /* writes the values in given modes, out (n) */
  cmb_status (*ask)(const void *user, const int *mode, double *out);
  const void *user;
} cmb_slide_question;

/* Mixes requested values x like the forces: x₋ + Σ_k θ_k (x_k − x₋), into out (n). Results of cmb_sliding_find that were there
 * before are kept. Returns CMB_RETRY_SINGULAR if θ is not unique, because the modes of a group do not change its rate. scratch (2
 * n). */
cmb_status cmb_sliding_ask(const cmb_sliding *x, const cmb_point *at,
                           const cmb_slide_question *asked, double *scratch, double *out);

/* Checks that forces are a sum of contributions of the groups: a product of two held signs determines no mixture. *first and
 * *second become the leaders of two groups that are multiplied, −1 if there are none. */
cmb_status cmb_sliding_products(const cmb_sliding *x, const cmb_point *at, int *first, int *second);

/* Changes the velocities v (nv) of the point so that held functions of velocities are exactly 0, unless their modes have no effect on them,
 * by impulses of the holding forces, in which the constraints take part. Held functions of positions keep their rates. */
cmb_status cmb_sliding_stop(const cmb_sliding *x, const cmb_point *at, double *v);

/* Removes from the rates `along` (ns) of all functions along a direction, in place, what the forces of the groups cancel: afterwards the
 * rates of held functions are 0, unless their modes have no effect on them. */
cmb_status cmb_sliding_residue(const cmb_sliding *x, const cmb_point *at, double *along);

/* Checks for groups in which, beside friction that can stick with a larger force, another force switches that does not act along
 * the same direction: then the mixture of the friction does not determine that force. *friction and *other become functions of such
 * a group, −1 if there is none. */
cmb_status cmb_sliding_strangers(const cmb_sliding *x, const cmb_point *at, int *friction,
                                 int *other);

#endif
