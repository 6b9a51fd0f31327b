/*
 * Explicit Runge–Kutta methods on the index-1 form with projection onto the constraints: the data and functions that the methods mdop5
 * and mdop853 share.
 */
#ifndef CMB_METHOD_MDOP_H
#define CMB_METHOD_MDOP_H

#include "form/projecting.h"
#include "method/projection.h"

/* The second word of this option corresponds to CMB_MDOP_PROJECTING. */
#define CMB_OPTION_MDOP_FORM                                                                       \
  {                                                                                                \
    "form", "index1|projecting", "index1",                                                         \
        "what is integrated: the index-1 equations, or the projecting descriptor form (Simeon "    \
        "1996, eq. 5), slow, a reference; then projection= tells when its multipliers become 0"    \
  }

enum { CMB_MDOP_PROJECTING = 1 };

enum { CMB_MDOP_SLOPES = 16 };

typedef struct cmb_mdop_table {
  int stages;      /* s: slopes before the end of the step; slope s + 1 is taken there */
  const double *c; /* (s) nodes */
  /* the rows 2 .. s of the coefficients a_ij, then b as row s + 1, each of length s, padded with zeros */
  const double *a;
  int dense_stages; /* number of further slopes for dense output */
  const double *dense_c;
  /* coefficients of the further slopes, rows of length s + 1 + dense_stages */
  const double *dense_a;
  int dense_vectors; /* number of vectors r of dense output */
  /* returns the error estimate of the step to y_new, in tolerances, from the slopes and the displacement by projection */
  double (*error)(const cmb_integrator *in, double h);
  /* computes the vectors of dense output from y_before, y and all slopes */
  void (*dense)(cmb_integrator *in);
  /* returns the error of dense output in tolerances, estimated from its vectors, and bounds (n) of it; NULL: it is no larger than that of
   * the step */
  double (*dense_error)(const cmb_integrator *in, double *bounds);
  /* computes the vectors r[4] and higher of dense output from the lower ones and from the values y and slopes at thirds of the step */
  void (*dense_by_thirds)(cmb_integrator *in, const double *const y[2], double *const slope[2]);
} cmb_mdop_table;

typedef struct cmb_mdop {
  const cmb_mdop_table *table;
  cmb_projection_control projection;
  double *k[CMB_MDOP_SLOPES];        /* (n each) slopes */
  double *k_inside[CMB_MDOP_SLOPES]; /* (n each) those of a step inside the last one */
  double *y_stage;                   /* (n) state of a stage */
  double *y_plain;                   /* (n) y_new before its projection */
  double *r[8];                      /* (n each) vectors of dense output */
  double *work;                      /* (n) scratch */
  /* the projecting form; NULL: the index-1 form is integrated */
  cmb_projecting *form;
  /* (n) (q, u) of the projecting form minus y, where the step begins and ends; exchanged after an accepted step */
  double *offset, *offset_new;
  double *a;  /* (nv) current accelerations of the projecting form */
  bool shift; /* the last slope of the previous step becomes the first of the next */
} cmb_mdop;

/* The functions of a method (method.h) for a Runge–Kutta table; cmb_mdop_visit saves and restores a run. */
cmb_status cmb_mdop_create(cmb_integrator *in, const cmb_mdop_table *table);
cmb_status cmb_mdop_begin(cmb_integrator *in);
cmb_status cmb_mdop_attempt(cmb_integrator *in, double h, double *error);
void cmb_mdop_accept(cmb_integrator *in);
cmb_status cmb_mdop_densify(cmb_integrator *in);
bool cmb_mdop_is_rough(const cmb_integrator *in,
                       double *bounds); /* with a table that has dense_error */
cmb_status cmb_mdop_refine(cmb_integrator *in);
void cmb_mdop_node_position(const cmb_integrator *in, int k, double *q);
void cmb_mdop_visit(cmb_integrator *in, cmb_archive *a);

#endif
