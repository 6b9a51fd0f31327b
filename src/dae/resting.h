/*
 * Equations in which bodies rest on surfaces of rules (dae.h, `surfaces`): a layer with the constraints u = 0 and with a switching
 * function for each that becomes negative where the rest ends.
 *
 *     M v̇ = f − Gᵀλ − Uᵀμ,   0 = u(t, q),   U = ∂u̇/∂v
 *
 * Where a rule holds from one side, what is met where u > 0, the rest lasts while the surface pushes: μ ≥ 0; from the other side
 * while μ ≤ 0. Where it holds from both sides, the force without which the motion would leave must lead back on each: with μ₊ and
 * μ₋ in the modes of the two sides, μ₋ ≥ 0 ≥ μ₊. In place of 0 stands a force that is far too small to matter beside those on what the surface touches, so that bodies which
 * touch and are not pushed together at all do not part and meet for ever by rounding errors.
 *
 * The constraints and their forces are in units in which the largest entry of U was 1 where the rest began, whatever the unit of u is.
 *
 * Functions of velocities of which the constraints leave nothing free, ∂s/∂v = c G, as the rate of a body that rests, are held. Where
 * they are 0 but for what is within the tolerances they are 0, and their modes are those that the formulas have at 0.
 */
#ifndef CMB_DAE_RESTING_H
#define CMB_DAE_RESTING_H

#include "base/archive.h"
#include "dae/evaluator.h"
#include "dae/layer.h"

typedef struct cmb_resting {
  cmb_layer layer;
  int count;
  const int *rule; /* (count) those that bodies rest on */
  bool *
      frozen; /* (ns of inner) functions that the rules' conditions read: 0 on the surface, but for rounding */
  double *u, *ut, *gamma; /* (rule_count) the surfaces of all rules .. */
  double *U;              /* .. and their gradients, as below */
  cmb_pattern pattern;    /* of G */
  cmb_evaluator *
      other; /* of these equations, in the modes of the other side; NULL: no rule holds from both */
  double *a, *lambda; /* (nv), (ng) scratch for it */
  double *unit;       /* (count) of the constraints */
  double *slack;      /* (count) that force */
  double *force;      /* (nv) sizes of forces, for it, .. */
  double *largest;    /* (nv) .. the largest of a part of the model .. */
  int *part;          /* (nv) .. and to which part a velocity belongs */
  double *limit; /* (ns of inner) up to which functions that are held are 0; 0 for the others */
  int *
      held; /* (ns of inner) those functions, frozen ones too: their signs along a direction that is special to none; 0: others */
  double *direction;          /* (nv) scratch for finding them .. */
  double *flow;               /* (6 ns of inner) .. and this */
  bool *met;                  /* (rule_count) */
  double *row;                /* (nv) a gradient, written out */
  double *push;               /* (rule_count) forces of rests, 0 for the others */
  cmb_interval *gamma_bounds; /* (rule_count) scratch */
} cmb_resting;

/* Rules with a surface. Arrays from the arena, names of switching functions from that which lasts as long as somebody may know them; `inner` and `rule` must outlive it. */
cmb_status cmb_resting_create(cmb_context *ctx, cmb_arena *arena, cmb_arena *lasting,
                              const cmb_equations *inner, int count, const int *rule,
                              cmb_resting **out);
void cmb_resting_destroy(cmb_resting *x);

/* Where a rest begins: the units of its constraints, before anything else is asked for. */
cmb_status cmb_resting_measure(cmb_resting *x, const cmb_point *at);

/* A rest begins at a state; an acceleration `still` and a velocity `slow` do not matter. `ev` is that of these equations, and has M and G
 * with their factors there afterwards. */
cmb_status cmb_resting_begin(cmb_resting *x, cmb_evaluator *ev, const cmb_point *at, double still,
                             double slow);

/* The rest goes on at another state, where forces may be larger: so is then what does not matter. */
cmb_status cmb_resting_widen(cmb_resting *x, cmb_evaluator *ev, const cmb_point *at, double still);

/* What has been learnt of the rest since it began, for a run that is saved (base/archive.h). */
void cmb_resting_visit(cmb_resting *x, cmb_archive *a);

#endif
