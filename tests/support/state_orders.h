/*
 * Measures the order of convergence of every method in a model with first-order states. Errors with fixed steps are measured against a
 * solution that is computed without the library, at the ends of equal sections of an interval, once with coarse and once with fine steps.
 */
#ifndef CMBT_STATE_ORDERS_H
#define CMBT_STATE_ORDERS_H

#include <camber/camber.h>

enum { CMBT_ORDER_CASES = 13, CMBT_MOST_UNKNOWNS = 8 };

/* A method with an option, its order of convergence, and the tolerance rtol = atol of its iterations (0: the default). */
struct cmbt_order_case {
  const char *method;
  double order, tolerance;
  cmb_option_setting setting;
};

extern const struct cmbt_order_case cmbt_order_cases[CMBT_ORDER_CASES];

struct cmbt_state_problem {
  double t_end;
  int points,
      unknowns; /* number of sections of [0, t_end]; number of quantities that are compared */
  const char *const *names; /* (unknowns) */
  /* Computes the differences (unknowns) of the integrator's state from the solution. */
  void (*compare)(const cmb_equations *eq, const cmb_integrator *in, double *difference);
  int steps[CMBT_ORDER_CASES]
           [2]; /* coarse and fine number of steps in a section for each case; 0: left out */
};

/* Computes the root mean square errors (unknowns) over the points for case `number`, coarse with steps[number][0] and fine with
 * steps[number][1]. Prints the orders in a line that begins with `where`. */
void cmbt_state_errors(cmb_context *ctx, const cmb_system *system,
                       const struct cmbt_state_problem *problem, int number, const char *where,
                       double *coarse, double *fine);

/* Returns the observed order log(coarse/fine) / log(steps[number][1]/steps[number][0]). */
double cmbt_state_order(const struct cmbt_state_problem *problem, int number, double coarse,
                        double fine);

#endif
