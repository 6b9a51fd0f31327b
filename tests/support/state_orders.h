/*
 * Observed orders of every method in a model with states of first order: errors with fixed steps against a solution that does not use
 * the library, at the ends of some sections of an interval, twice, with coarse and with fine steps.
 */
#ifndef CMBT_STATE_ORDERS_H
#define CMBT_STATE_ORDERS_H

#include <camber/camber.h>

enum { CMBT_ORDER_CASES = 13, CMBT_MOST_UNKNOWNS = 8 };

/* A method with an option, its order, and rtol = atol, what its iterations may leave; 0: the usual one. */
struct cmbt_order_case {
  const char *method;
  double order, tolerance;
  cmb_option_setting setting;
};

extern const struct cmbt_order_case cmbt_order_cases[CMBT_ORDER_CASES];

struct cmbt_state_problem {
  double t_end;
  int points, unknowns; /* sections of the interval, and what is compared */
  const char *const *names;
  void (*compare)(const cmb_equations *eq, const cmb_integrator *in, double *difference);
  int steps[CMBT_ORDER_CASES][2]; /* in a section, coarse and fine, of each case; 0: left out */
};

/* Root mean squares over the points, with steps[][0] and steps[][1]. Prints the orders in a line that begins with `where`. */
void cmbt_state_errors(cmb_context *ctx, const cmb_system *system,
                       const struct cmbt_state_problem *problem, int number, const char *where,
                       double *coarse, double *fine);

/* log(coarse/fine) / log(fine steps/coarse steps) */
double cmbt_state_order(const struct cmbt_state_problem *problem, int number, double coarse,
                        double fine);

#endif
