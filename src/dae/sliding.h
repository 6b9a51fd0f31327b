/*
 * Equations that slide along the surface s = 0 of a switching function whose two modes both lead back to it (Filippov 1988): a layer
 * in which the forces are a mixture of those of the two modes,
 *
 *     f = f₋ + Σ_k θ_k (f_k − f₋),   θ such that the surfaces are not left:   0 = ṡ_k (s̈_k for a function of t and q),
 *
 * where f_k has the mode of function k at +1 and the others at −1. Its switching function is then min(θ_k, 1 − θ_k): beyond, the motion
 * leaves the surface to the side where θ_k points. Dry friction that holds is the plainest example.
 *
 * Functions that have the same surface, such as v and −v in if(v > 0, −F, if(v < 0, F, 0)), change together: they make one group, and
 * the first of them leads it. Which functions slide is said by an array (ns): 0: it does not; ±(1 + the group's leader), with the sign of the function's mode
 * where that of the leader is +1.
 */
#ifndef CMB_DAE_SLIDING_H
#define CMB_DAE_SLIDING_H

#include "dae/evaluator.h"
#include "dae/layer.h"

typedef struct cmb_sliding {
  cmb_layer layer;
  int count;            /* of groups */
  int *function;        /* (count) their leaders */
  const int *group;     /* (ns) which functions slide, as above */
  cmb_evaluator *below; /* of the equations below */
  double *theta;        /* (count) as they were last found */
  double *a, *lambda;   /* (nv), (ng) */
  double *f, *change;   /* (nv), (count x nv) f₋ and f_k − f₋ */
  double *flow;         /* (4 ns) in two modes */
  double *out;          /* (2 no) */
  double *A, *scale;    /* (count x count), (count) */
  int *pivot;           /* (count) */
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

/* The number of its leader. */
static inline int cmb_slide_leader(int group)
{
  return (group > 0 ? group : -group) - 1;
}

/* θ at a state, into x->theta; the modes are those of the layer. CMB_RETRY_SINGULAR where the forces do not act on the surfaces. */
cmb_status cmb_sliding_find(const cmb_sliding *x, const cmb_point *at);

/* Forces must be a sum of what each group switches: a product of two signs that both slide determines no mixture. CMB_OK, and *first
 * and *second are the leaders of two groups that are multiplied; -1: there are none. */
cmb_status cmb_sliding_products(const cmb_sliding *x, const cmb_point *at, int *first, int *second);

#endif
