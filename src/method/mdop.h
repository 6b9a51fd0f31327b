/*
 * Explicit Runge–Kutta methods on the index-1 form with projection: what mdop5 and mdop853 share.
 */
#ifndef CMB_METHOD_MDOP_H
#define CMB_METHOD_MDOP_H

#include "form/projecting.h"
#include "method/projection.h"

/* The second word is the enumeration's one. */
#define CMB_OPTION_MDOP_FORM                                                                       \
  {                                                                                                \
    "form", "index1|projecting", "index1",                                                         \
        "what is integrated: the index-1 equations, or the projecting descriptor form (Simeon "    \
        "1996, eq. 5), slow, a reference; then projection= tells when its multipliers become 0"    \
  }

enum { CMB_MDOP_PROJECTING = 1 };

enum { CMB_MDOP_SLOPES = 16 };

typedef struct cmb_mdop_table {
  int stages;       /* s: slopes before the end of the step; slope s + 1 is taken there */
  const double *c;  /* (s) */
  const double *a;  /* rows 2 .. s and b as row s + 1, each of length s, zero-filled */
  int dense_stages; /* further slopes for dense output */
  const double *dense_c;
  const double *dense_a; /* their rows, each of length s + 1 + dense_stages */
  int dense_vectors;     /* vectors of dense output */
  /* error of the step to y_new, from the slopes and the displacement by projection */
  double (*error)(const cmb_integrator *in, double h);
  /* dense output vectors from y_before, y, and all slopes */
  void (*dense)(cmb_integrator *in);
  /* error of dense output as large as the vectors tell, in tolerances; NULL: it is no larger than that of the step */
  double (*dense_error)(const cmb_integrator *in);
  /* the vectors from y_before, y, values and slopes at thirds of the step, and the slopes at its ends */
  void (*dense_by_thirds)(cmb_integrator *in, const double *const y[2], double *const slope[2]);
} cmb_mdop_table;

typedef struct cmb_mdop {
  const cmb_mdop_table *table;
  cmb_projection_control projection;
  double *k[CMB_MDOP_SLOPES]; /* slopes (n each) */
  double *y_stage;            /* (n) */
  double *y_plain;            /* (n) y_new before projection */
  double *r[8];               /* (n each) dense output */
  double *work;               /* (n) */
  /* form=projecting; NULL: index 1 */
  cmb_projecting *form;
  double *offset,
      *offset_new; /* (n) (q, u) of the form minus y, where the step begins and ends; behind it the
                                * other way round */
  double *a;       /* (nv) accelerations where the integrator stands */
  bool shift;      /* the last slope of the step before is the first of the next */
} cmb_mdop;

cmb_status cmb_mdop_create(cmb_integrator *in, const cmb_mdop_table *table);
cmb_status cmb_mdop_begin(cmb_integrator *in);
cmb_status cmb_mdop_attempt(cmb_integrator *in, double h, double *error);
void cmb_mdop_accept(cmb_integrator *in);
cmb_status cmb_mdop_densify(cmb_integrator *in);
void cmb_mdop_visit(cmb_integrator *in, cmb_archive *a);

#endif
