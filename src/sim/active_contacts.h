/*
 * Selects, for resting_contacts.c and decide.c, which of the contacts that stay closed (d = 0 and ḋ = 0) carry load. They push with forces
 * μ ≥ 0 and open with d̈ = W a + w. With N of impact.c, and the accelerations a of the bodies without these contacts,
 *
 *     0 ≤ μ ⟂ d̈ = A μ + b ≥ 0,   A = W N Wᵀ,   b = W a + w    (Pfeiffer and Glocker 1996).
 *
 * d̈ is unique. Where contacts depend on each other or on constraints, as the four legs of a table do, μ is not. Then as many contacts
 * are active as are independent, with forces that solve the same problem; the others touch without a force. So no closed contact contradicts
 * others or the constraints, whatever surfaces and drives do later: an active contact whose force would pull opens, and where a contact
 * closes that only touches, the active contacts are selected anew.
 */
#ifndef CMB_SIM_ACTIVE_CONTACTS_H
#define CMB_SIM_ACTIVE_CONTACTS_H

#include "math/basic.h"
#include "sim/contacts.h"

typedef struct cmb_active_contacts {
  cmb_contacts contacts; /* that touch; its members stay */
  cmb_basic basic;
  const double **row,
      **response; /* (most) W and N Wᵀ of the members, from here on in their order */
  double *d2;     /* (most) d̈ */
  bool *first;    /* (most) those that bear already */
  bool *more;     /* (most) those that may bear without a force */
  bool *active;   /* (most) */
  bool *none;     /* (rule_count) false */
  bool *decided;  /* (rule_count) those that took part */
  double *size;   /* (most) the sum of the terms that b is made of */
  double *a;      /* (nv) */
  double *lambda; /* (ng and rule_count) */
} cmb_active_contacts;

/* What is asked. */
typedef struct cmb_active_contacts_query {
  const bool *closed; /* (rule_count) contacts that bear */
  const bool
      *ended; /* (rule_count) those that would have to pull: they bear only where they push */
  const bool *undecided; /* (rule_count) contacts that have come to rest */
  double gap, rate;      /* contacts up to these touch and stay */
  double unseen;         /* what rounding makes of places: bodies that jump no higher stay, too */
  double far;            /* as far as contacts that bear may be apart by errors */
  double still;          /* an acceleration that does not matter */
} cmb_active_contacts_query;

/* For regimes of these equations. Memory from `arena`; a failure is left to it. */
void cmb_active_contacts_create(cmb_active_contacts *x, cmb_arena *arena, const cmb_equations *eq);

/* The contacts of a regime without rests on contacts, `impact` being its; the modes are those of its evaluator. CMB_RETRY_SINGULAR: no
 * forces keep all gaps from closing. */
cmb_status cmb_active_contacts_find(cmb_active_contacts *x, cmb_impact *impact, const cmb_point *at,
                                    const double *lambda, const cmb_active_contacts_query *query);

/* The parts of that. The contacts, if there are `least`, and d̈ without their forces in x->contacts.now ... */
cmb_status cmb_active_contacts_gather(cmb_active_contacts *x, cmb_impact *impact,
                                      const cmb_point *at, const double *lambda,
                                      const cmb_active_contacts_query *query, int least);

/* ... and those that bear with the forces x->contacts.z, in the order of the members, whose B and b are there; R are the rows of resets. */
void cmb_active_contacts_choose(cmb_active_contacts *x, const double *R,
                                const cmb_active_contacts_query *query);

/* Nothing has been decided yet. */
void cmb_active_contacts_forget(cmb_active_contacts *x);

/* Whether bodies rest on the contact of this rule. */
bool cmb_active_contacts_contain(const cmb_active_contacts *x, int rule);

#endif
