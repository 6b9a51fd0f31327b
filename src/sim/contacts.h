/*
 * Contacts that touch at one time, and what their impacts do together.
 *
 * The gaps d open with ḋ = W v + w. With N of impact.c and A = W N Wᵀ, impulses Λ ≥ 0 that open the gaps make
 *
 *     v⁺ = v⁻ + N Wᵀ Λ,   ḋ⁺ = ḋ⁻ + A Λ.
 *
 * Newton's law, one after the other:    Λ_i = −(1 + e_i) ḋ_i / A_ii where ḋ_i < 0, again and again until none is.
 * Poisson's law (Pfeiffer and Glocker 1996), together, in two phases:
 *
 *     compression   0 ≤ Λ_C ⟂ ḋ_C = ḋ⁻ + A Λ_C ≥ 0,
 *     expansion     0 ≤ Λ_E − e Λ_C ⟂ ḋ_C + A Λ_E ≥ 0,   Λ = Λ_C + Λ_E:
 *
 * what was compressed comes back, and what closes by that is compressed once more. For a single contact the laws agree. Contacts
 * without rebound, e = 0, act together by either law, since their sequence would have no end.
 *
 * Newton's sequence may have no end for e < 1 as well: rates become less and less, as in a row of many bodies. It is followed for
 * CMB_LONG_SEQUENCE impacts; what still closes then is compressed and does not come back, which is where the sequence leads if all
 * rates that it goes on changing tend to 0.
 */
#ifndef CMB_SIM_CONTACTS_H
#define CMB_SIM_CONTACTS_H

#include "math/lcp.h"
#include "sim/impact.h"

enum {
  CMB_MOST_CONTACTS = 500,  /* that act together */
  CMB_MOST_IMPACTS = 500,   /* that are told one by one */
  CMB_LONG_SEQUENCE = 50000 /* impacts that are followed */
};

typedef struct cmb_contacts {
  const cmb_equations *eq; /* of the system */
  cmb_impact *impact;      /* with which they were gathered: its rows of R are W */
  int most, ng;            /* constraints of the regime */
  int touching;            /* contacts that touch, and of them those that no constraint holds: */
  int count;               /* at most CMB_MOST_CONTACTS */
  int *rule;               /* (most) ascending */
  int *stack;              /* (most) scratch */
  double *e;               /* (most) restitution */
  bool *joint;             /* (most) whether its law is for several together */
  bool *linked;            /* (most) those that act upon the one that was asked for */
  bool *member;            /* (most) those that act together */
  double *rate;            /* (most) ḋ before .. */
  double *now;             /* (most) .. and behind what has acted so far */
  double *A;               /* (most x most), `count` to a row */
  double *response;        /* (most x nv) N Wᵀ, a row for each contact */
  double *tau_of;          /* (most x ng) impulses of the constraints, likewise */
  double *impulse;         /* (most) Λ */
  bool *unique;            /* (most) whether it is the only solution */
  double *v;               /* (nv) velocities behind what has acted so far */
  double *jump;            /* (nv) and the whole of it .. */
  double *tau;             /* (ng) .. with the constraints' impulses */
  double *B, *b, *z;
  bool *sole; /* the members' problem */
  cmb_lcp lcp;
} cmb_contacts;

/* For regimes of these equations. Memory from `arena`; a failure is left to it. */
void cmb_contacts_create(cmb_contacts *x, cmb_arena *arena, const cmb_equations *eq);

/* The contacts whose gap is not above `gap`, without those that bodies rest on (rule_count) and those that the constraints hold;
 * with less than `least` of them only their number. The rows and changes of resets are then in `impact`. */
cmb_status cmb_contacts_gather(cmb_contacts *x, cmb_impact *impact, const cmb_point *at,
                               const double *lambda, const bool *rests, double gap, int least);

/* Where the contact of this rule closes: *acted, if it acts together with others or in a long sequence; what that does is then in impulse,
 * jump, tau. Else it acts by itself; *ends: so do those that follow, and come to an end. CMB_RETRY_SINGULAR: there is no room for
 * all gaps to open. */
cmb_status cmb_contacts_act(cmb_contacts *x, int rule, const double *v, double rtol, double atol,
                            bool *acted, bool *ends);

/* The members' part of A into B, and of `now` into b; how many there are. */
int cmb_contacts_take_members(cmb_contacts *x);

/* The same, and the members' impulses that end their closing `now`, into z in the order of the members. */
cmb_status cmb_contacts_compress(cmb_contacts *x);

/* Whether the gap of contact k does not open behind that, but for rounding. */
bool cmb_contacts_stay(const cmb_contacts *x, int k);

#endif
