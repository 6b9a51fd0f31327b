/*
 * Equations that slide along the surface s = 0 of a switching function whose two modes both lead back to it (Filippov 1988): a layer
 * in which the forces are a mixture of those of the two modes,
 *
 *     f = f₋ + Σ_k θ_k (f_k − f₋),   θ such that the surfaces are not left:   0 = ṡ_k (s̈_k for a function of t and q),
 *
 * where f_k has the mode of function k at +1 and the others at −1. Dry friction that holds is the plainest example. With
 *
 *     r_k = ṡ_k in mode −1,   r_k + A_kk = ṡ_k in mode +1,   the other surfaces kept,   so that θ_k = −r_k / A_kk,
 *
 * the two modes lead back to the surface while r_k > 0 > r_k + A_kk. So the switching function is min(r_k, −r_k − A_kk): where it becomes
 * negative θ_k leaves [0, 1], or the forces no longer depend on the mode (A_kk = 0), or they lead away from the surface on both
 * sides (A_kk > 0). The slide ends there, to the side where the mean of the two rates points.
 *
 * Functions that have the same surface, such as v and −v in if(v > 0, −F, if(v < 0, F, 0)), change together: they make one group, and
 * the first of them leads it. Which functions slide is said by an array (ns): 0: it does not; ±(1 + the group's leader), with the sign of the function's mode
 * where that of the leader is +1.
 *
 * Friction that can hold more than it exerts while it slips (dae.h, `switch_sticks`) is mixed of its modes −2 and +2 in place of −1 and
 * +1, so that it lets go at the larger force; from then on it has the smaller one.
 */
#ifndef CMB_DAE_SLIDING_H
#define CMB_DAE_SLIDING_H

#include "dae/evaluator.h"
#include "dae/layer.h"

#include <math.h>

typedef struct cmb_sliding {
  cmb_layer layer;
  int count;            /* of groups */
  int *function;        /* (count) their leaders */
  const int *group;     /* (ns) which functions slide, as above */
  cmb_evaluator *below; /* of the equations below */
  double *found,
      *kept; /* (count (count + 4)) theta, hold, mean, rest and A in one; as they were before a question */
  double *theta;       /* (count) as they were last found, .. */
  double *hold, *mean; /* (count) .. the switching functions, and the means of the two rates */
  double *a, *lambda;  /* (nv), (ng) */
  double *f, *change;  /* (nv), (count x nv) f₋ and f_k − f₋ */
  double *flow;        /* (4 ns) in two modes */
  double *out;         /* (2 no) */
  double *late;        /* (2 nl) */
  double *A, *LU;      /* (count x count) */
  double *rest, *scale, *part; /* (count) */
  int *pivot;                  /* (count) */
} cmb_sliding;

/* The first n functions of `inner` slide as `group` (n) says; leaders have an order (dae.h, `switch_order`). Arrays from the arena;
 * `inner` must outlive it. */
cmb_status cmb_sliding_create(cmb_context *ctx, cmb_arena *arena, const cmb_equations *inner, int n,
                              const int *group, cmb_sliding **out);
void cmb_sliding_destroy(cmb_sliding *x);

/* The mode of a function that slides, on the side where its leader is `side`. */
static inline int cmb_slide_mode(int group, int side)
{
  return group > 0 ? side : -side;
}

/* The mode of function i of the equations whose forces are mixed, on that side. */
static inline int cmb_slide_held_mode(const cmb_equations *eq, int i, int group, int side)
{
  return (cmb_switch_sticks(eq, i) ? 2 : 1) * cmb_slide_mode(group, side);
}

/* The number of its leader. */
static inline int cmb_slide_leader(int group)
{
  return (group > 0 ? group : -group) - 1;
}

/* The side to which the slide of group k ends. */
static inline int cmb_slide_side(const cmb_sliding *x, int k)
{
  return x->mean[k] > 0 ? 1 : -1;
}

/* Whether both modes of group k lead away from its surface: to which side the motion goes is not determined then. */
static inline bool cmb_slide_parts(const cmb_sliding *x, int k)
{
  return x->A[(ptrdiff_t)k * (x->count + 1)] / 2 > fabs(x->mean[k]);
}

/* θ at a state, into x->theta, and with it x->hold and x->mean; the modes are those of the layer. CMB_RETRY_SINGULAR where surfaces of
 * several groups depend on each other. */
cmb_status cmb_sliding_find(const cmb_sliding *x, const cmb_point *at);

/* The modes below, of those of the layer: all groups at −1, and group k at +1; k < 0: none. */
void cmb_sliding_lower(const cmb_sliding *x, const int *mode, int k, int *lower);

/* Numbers that equations of this motion have in given modes (ns, all of them known), such as outputs. */
typedef struct cmb_slide_question {
  int n;
  cmb_status (*ask)(const void *user, const int *mode, double *out); /* out (n) */
  const void *user;
} cmb_slide_question;

/* What they are where the motion slides, mixed like the forces: x₋ + Σ_k θ_k (x_k − x₋). What was found last stays. CMB_RETRY_SINGULAR where it is not
 * unique: the modes of a group make no difference to its rate, so that any θ will do. scratch (2 n), out (n). */
cmb_status cmb_sliding_ask(const cmb_sliding *x, const cmb_point *at,
                           const cmb_slide_question *asked, double *scratch, double *out);

/* Forces must be a sum of what each group switches: a product of two signs that both slide determines no mixture. CMB_OK, and *first
 * and *second are the leaders of two groups that are multiplied; -1: there are none. */
cmb_status cmb_sliding_products(const cmb_sliding *x, const cmb_point *at, int *first, int *second);

/* Velocities v (nv) of the point become those at which the functions of velocities that are held are 0: an impulse of what holds them
 * takes what is left there, all at once, and the constraints below share it. The motion along held functions of positions stays. */
cmb_status cmb_sliding_stop(const cmb_sliding *x, const cmb_point *at, double *v);

/* What the groups leave of rates along a direction, of all functions (ns), in place, where they hold their own: 0 of those that are held with
 * them. */
cmb_status cmb_sliding_residue(const cmb_sliding *x, const cmb_point *at, double *along);

/* Forces that switch with what friction of the kind that sticks holds, and do something else than it: its mixture says nothing of theirs. CMB_OK, and
 * *friction and *other are functions of such a group; -1: there are none. */
cmb_status cmb_sliding_strangers(const cmb_sliding *x, const cmb_point *at, int *friction,
                                 int *other);

#endif
