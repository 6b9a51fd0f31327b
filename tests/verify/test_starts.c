/*
 * Start positions of random mechanisms with loops, of which some angles (up to 60°), displacements and rates are given. The program must hold
 * the given values to rounding, or name them in a warning. The other joints must be where they come to if the given ones are moved from the
 * design position to their values in a hundred small steps, which is computed here independently. Where degrees of freedom are left, the
 * reference follows the position nearest to the given values in the program's metric, the sum of squares of angles and scaled displacements.
 * The program's position must be near that of the reference, with no joint changed further, and small steps must not lead back to a nearer
 * position. A position far from the reference must at least be on the same branch: one can be reached from the other in small steps. Drives
 * that contradict each other are refused, and consistent ones are not.
 *
 * The sizes are spread evenly over 5 to 300 unknowns, except for the first sixteen mechanisms, most of which are small: the sample of
 * `make test`. The environment variable CAMBER_STARTS sets the number of mechanisms (default 12), CAMBER_STARTS_FROM the first one (1).
 */
#include "check.h"
#include "random.h"
#include "random_mechanism.h"

#include "dae/evaluator.h"
#include "dae/graph_system.h"
#include "dae/modes.h"
#include "dyn/mechanism.h"
#include "math/pattern.h"

#include <camber/system.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_GIVEN = 4,
  STEPS = 100,
  NEWTON = 12,
  MOST_NAMES = 64,
  MOST_TOWARDS = 2000,
  MOST_STEPS_BACK = 400
};
static const double MOST_APART = 0.05; /* rad or m, from the reference where freedoms are left */
static const double NEAR = 0.02;       /* rad or m, largest step along a branch */
static const double MOST_BACK = 0.1;   /* rad or m, largest step back to the given values */
static const double LEAST_BACK = 1e-4; /* shorter steps back are not tried */
enum { LEAST_UNKNOWNS = 5, MOST_UNKNOWNS = 300, SIZES = 6 /* classes of equal width */ };

/* A coordinate that is given. */
struct given {
  int joint, n;    /* coordinate n of this joint */
  int q, v;        /* its place in the system's q and v */
  double to, rate; /* rate 0: not given */
};

struct mechanism {
  cmb_context *ctx;
  cmb_model *m;
  struct cmbt_random random;
  int count;
  struct given given[MOST_GIVEN];

  /* all constraints in joint coordinates, as before the program computes a start */
  cmb_mechanism *mechanism;
  cmb_system *plain;
  cmb_evaluator *ev;
  int nq, nv, ng;
  double *D;       /* (nv) metric */
  double *q_given; /* (nq) */
};

static int number_from_environment(const char *name, int fallback)
{
  const char *text = getenv(name);
  return text ? atoi(text) : fallback;
}

static void *take(int count)
{
  return calloc((size_t)count + 1, sizeof(double));
}

/* ---- the reference */

/* Factorises S = L Lᵀ (n x n) with pivoting, in the returned order, and leaves out linearly dependent rows. Returns the rank. */
static int cholesky(int n, const double *S, double *L, int *order)
{
  double *d = take(n), most = 0;
  int rank = 0;
  for (int i = 0; i < n; i++) order[i] = i, d[i] = S[i * n + i], most = fmax(most, d[i]);
  for (; rank < n; rank++) {
    int best = rank;
    for (int i = rank; i < n; i++) {
      if (d[order[i]] > d[order[best]]) best = i;
    }
    int p = order[best];
    order[best] = order[rank], order[rank] = p;
    if (d[p] <= 1e-11 * most) break;
    L[p * n + rank] = sqrt(d[p]);
    for (int i = rank + 1; i < n; i++) {
      int e = order[i];
      double sum = S[e * n + p];
      for (int k = 0; k < rank; k++) sum -= L[e * n + k] * L[p * n + k];
      L[e * n + rank] = sum / L[p * n + rank];
      d[e] -= L[e * n + rank] * L[e * n + rank];
    }
  }
  free(d);
  return rank;
}

/* Solves L Lᵀ y = −r over the first `rank` pivots. */
static void solve(int n, int rank, const double *L, const int *order, const double *r, double *y)
{
  for (int i = 0; i < rank; i++) {
    double sum = -r[order[i]];
    for (int k = 0; k < i; k++) sum -= L[order[i] * n + k] * y[k];
    y[i] = sum / L[order[i] * n + i];
  }
  for (int i = rank; i-- > 0;) {
    for (int k = i + 1; k < rank; k++) y[i] -= L[order[k] * n + i] * y[k];
    y[i] /= L[order[i] * n + i];
  }
}

/* Computes S = A D⁻¹ Aᵀ (n x n) for a sparse A (n x nv) and a diagonal D. */
static void multiply_by_metric(int n, int nv, const double *A, const double *D, double *S)
{
  int *entry = calloc((size_t)nv + 1, sizeof *entry);
  for (int i = 0; i < n; i++) {
    const double *a = A + (ptrdiff_t)i * nv;
    int count = 0;
    for (int k = 0; k < nv; k++) {
      if (a[k] != 0) entry[count++] = k;
    }
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int e = 0; e < count; e++) sum += a[entry[e]] * A[j * nv + entry[e]] / D[entry[e]];
      S[i * n + j] = S[j * n + i] = sum;
    }
  }
  free(entry);
}

/* Computes the x (nv) with A x = −r, A (n x nv), that is smallest in the metric D. Returns the rank of A D⁻¹ Aᵀ. */
static int least_change(int n, int nv, const double *A, const double *D, const double *r, double *x)
{
  double *S = take(n * n), *L = take(n * n), *y = take(n);
  int *order = calloc((size_t)n + 1, sizeof *order);
  multiply_by_metric(n, nv, A, D, S);
  int rank = cholesky(n, S, L, order);
  solve(n, rank, L, order, r, y);
  memset(x, 0, (size_t)nv * sizeof *x);
  for (int i = 0; i < rank; i++) {
    for (int k = 0; k < nv; k++) x[k] += A[order[i] * nv + k] * y[i] / D[k];
  }
  free(S), free(L), free(y), free(order);
  return rank;
}

/* Computes A = (G; unit rows of the given coordinates) and r = (g; q − s · given value) at q. */
static void linearise(struct mechanism *k, const double *q, double s, double *A, double *r)
{
  cmb_evaluator *ev = k->ev;
  const cmb_equations *eq = ev->eq;
  const cmb_terms want = {.G = ev->G, .g = ev->g};
  assert_int_equal(cmb_evaluate(ev, 0, q, NULL, &want), CMB_OK);
  memset(A, 0, (size_t)((k->ng + k->count) * k->nv) * sizeof *A);
  for (int i = 0; i < k->ng; i++) {
    const cmb_pattern *p = eq->G_pattern;
    for (int e = p ? p->start[i] : 0; e < (p ? p->start[i + 1] : k->nv); e++) {
      A[i * k->nv + (p ? p->column[e] : e)] = ev->G[p ? e : i * k->nv + e];
    }
    r[i] = ev->g[i];
  }
  for (int i = 0; i < k->count; i++) {
    A[(k->ng + i) * k->nv + k->given[i].v] = 1;
    r[k->ng + i] = q[k->given[i].q] - s * k->given[i].to;
  }
}

/* Computes the metric: 1 for angles, 1/L² for displacements, with the mean lever arm L of the constraints at the given position. */
static void set_metric(struct mechanism *k)
{
  const cmb_start *x = k->mechanism->start;
  double *A = take((k->ng + MOST_GIVEN) * k->nv), *r = take(k->ng + MOST_GIVEN);
  double square[2] = {0, 0}, count[2] = {0, 0};
  linearise(k, k->q_given, 0, A, r);
  for (int i = 0; i < k->ng * k->nv; i++) {
    int q = x->rate_of[i % k->nv], turn = q < 0 || x->angle[q];
    square[turn] += A[i] * A[i];
    count[turn] += A[i] != 0;
  }
  double ratio = square[0] > 0 && square[1] > 0 ? square[0] * count[1] / square[1] / count[0] : 1;
  for (int i = 0; i < k->nv; i++) {
    k->D[i] = x->rate_of[i] < 0 || x->angle[x->rate_of[i]] ? 1 : ratio;
  }
  free(A), free(r);
}

static double largest(int n, const double *x)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Moves q to the part s of the given values by Newton's method. Returns false if it does not converge, or moves by 0.3 or more. */
static bool reference_step(struct mechanism *k, double s, double *q, double *A, double *r)
{
  double *x = take(k->nv), *dq = take(k->nq), moved = 0, size = 1;
  for (int i = 0; i < NEWTON && size > 1e-13; i++) {
    linearise(k, q, s, A, r);
    least_change(k->ng + k->count, k->nv, A, k->D, r, x);
    cmb_rates(k->ev, q, x, dq);
    size = largest(k->nq, dq);
    moved += size;
    for (int n = 0; n < k->nq; n++) q[n] += dq[n];
    if (k->ev->eq->normalize) k->ev->eq->normalize(k->ev->eq->self, q);
  }
  linearise(k, q, s, A, r);
  free(x), free(dq);
  return largest(k->ng + k->count, r) < 1e-9 && moved < 0.3;
}

/* Computes the velocity x (nv) for which T(q) x is nearest to dq. */
static void from_rates(struct mechanism *k, const double *q, const double *dq, double *x)
{
  double *unit = take(k->nv), *column = take(k->nq);
  for (int i = 0; i < k->nv; i++) { /* the columns of T are orthogonal */
    double along = 0, square = 0;
    unit[i] = 1;
    cmb_rates(k->ev, q, unit, column);
    unit[i] = 0;
    for (int n = 0; n < k->nq; n++) along += column[n] * dq[n], square += column[n] * column[n];
    x[i] = along / square;
  }
  free(unit), free(column);
}

/* Computes x (nv), the difference of the given position from q in velocities, and returns the square of its length in the metric. For Euler
 * parameters it is the rotation vector of the angle that belongs to the chord. */
static double difference_from_given(struct mechanism *k, const double *q, double *x)
{
  const cmb_start *e = k->mechanism->start;
  double *dq = take(k->nq), square = 0;
  for (int i = 0; i < k->nq; i++) dq[i] = k->q_given[i] - q[i];
  from_rates(k, q, dq, x);
  for (int n = 0; n < e->ball_count; n++) {
    double *turn = x + e->ball_v[n], chord = 0, cosine = 0;
    for (int i = 0; i < 3; i++) chord += turn[i] * turn[i] / 4;
    for (int i = 0; i < 4; i++) cosine += q[e->ball_q[n] + i] * k->q_given[e->ball_q[n] + i];
    const double sine = copysign(sqrt(chord), cosine);
    for (int i = 0; chord > 0 && i < 3; i++) turn[i] *= atan2(sqrt(chord), fabs(cosine)) / sine;
  }
  for (int i = 0; i < k->nv; i++) square += k->D[i] * x[i] * x[i];
  free(dq);
  return square;
}

/* Computes p, from q by a step towards the given position, projected on the constraints at s; its largest entry is at most `reach`. */
static bool step_back(struct mechanism *k, double s, double reach, const double *q, double *p)
{
  const int n = k->ng + k->count;
  double *A = take(n * k->nv), *r = take(n), *x = take(k->nv), *y = take(k->nv), *dq = take(k->nq);
  difference_from_given(k, q, x);
  linearise(k, q, s, A, r);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < k->nv; j++) r[i] += A[i * k->nv + j] * x[j];
  }
  least_change(n, k->nv, A, k->D, r, y);
  for (int i = 0; i < k->nv; i++) x[i] += y[i];
  const double far = largest(k->nv, x);
  for (int i = 0; far > reach && i < k->nv; i++) x[i] *= reach / far;
  cmb_rates(k->ev, q, x, dq);
  for (int i = 0; i < k->nq; i++) p[i] = q[i] + dq[i];
  if (k->ev->eq->normalize) k->ev->eq->normalize(k->ev->eq->self, p);
  const bool good = reference_step(k, s, p, A, r);
  free(A), free(r), free(x), free(y), free(dq);
  return good;
}

/* Moves q nearer to the given position with the loops closed at s, by at most `most` steps. */
static void go_back(struct mechanism *k, double s, int most, double *q)
{
  double *p = take(k->nq), *x = take(k->nv), reach = MOST_BACK,
         square = difference_from_given(k, q, x);
  for (int i = 0; i < most && reach > LEAST_BACK; i++) {
    const bool good = step_back(k, s, reach, q, p);
    const double now = difference_from_given(k, p, x);
    if (good && now < square) {
      square = now;
      memcpy(q, p, (size_t)k->nq * sizeof *q);
      reach = fmin(2 * reach, MOST_BACK);
    } else {
      reach /= 4;
    }
  }
  free(p), free(x);
}

/* Moves q from the design position to the given values in STEPS steps; if `nearest`, follows the nearest position to the given one where
 * freedoms are left. Returns false if a step fails. */
static bool reference(struct mechanism *k, bool nearest, double *q)
{
  const int n = k->ng + k->count;
  double *A = take(n * k->nv), *r = take(n);
  bool good = true;
  for (int step = 1; step <= STEPS && good; step++) {
    const double s = (double)step / STEPS;
    good = reference_step(k, s, q, A, r);
    if (good && nearest) go_back(k, s, step < STEPS ? 2 : MOST_STEPS_BACK, q);
  }
  free(A), free(r);
  return good;
}

/* ---- branches */

/* Makes a step from p towards q, at most NEAR long and projected on the closed loops and the given values. Returns the distance from p to q
 * before the step. */
static double step_towards(struct mechanism *k, const double *q, double *p, double *A, double *r)
{
  const int n = k->ng + k->count;
  double *dq = take(k->nq), *x = take(k->nv), *y = take(k->nv);
  for (int i = 0; i < k->nq; i++) dq[i] = q[i] - p[i];
  const double far = largest(k->nq, dq);
  from_rates(k, p, dq, x);
  for (int i = 0; far > NEAR && i < k->nv; i++) x[i] *= NEAR / far;
  linearise(k, p, 1, A, r);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < k->nv; j++) r[i] += A[i * k->nv + j] * x[j];
  }
  least_change(n, k->nv, A, k->D, r, y);
  for (int i = 0; i < k->nv; i++) x[i] += y[i];
  cmb_rates(k->ev, p, x, dq);
  for (int i = 0; i < k->nq; i++) p[i] += dq[i];
  if (k->ev->eq->normalize) k->ev->eq->normalize(k->ev->eq->self, p);
  free(dq), free(x), free(y);
  return far;
}

/* Returns whether small steps from `from` towards q, with the loops closed and the given values held, end at q. */
static bool leads_to(struct mechanism *k, const double *q, const double *from)
{
  const int n = k->ng + k->count;
  double *A = take(n * k->nv), *r = take(n), *p = take(k->nq), far = 1;
  bool good = true;
  memcpy(p, from, (size_t)k->nq * sizeof *p);
  for (int step = 0; step < MOST_TOWARDS && good && far > 1e-9; step++) {
    far = step_towards(k, q, p, A, r);
    good = reference_step(k, 1, p, A, r);
  }
  free(A), free(r), free(p);
  return good && far <= 1e-9;
}

/* Returns by how much small steps back can reduce the distance from the given position. */
static double too_far(struct mechanism *k, const double *q)
{
  double *p = take(k->nq), *x = take(k->nv);
  memcpy(p, q, (size_t)k->nq * sizeof *p);
  go_back(k, 1, 20, p);
  const double first = sqrt(difference_from_given(k, q, x)),
               left = sqrt(difference_from_given(k, p, x));
  free(p), free(x);
  return first - left;
}

/* ---- mechanisms */

static bool is_angle(const cmb_model_joint *j)
{
  return j->type == CMB_JOINT_REVOLUTE || j->type == CMB_JOINT_UNIVERSAL ||
         j->type == CMB_JOINT_SPHERICAL;
}

/* Sets all start values to the design position at rest. */
static void clear_start(cmb_model *m)
{
  for (int i = 0; i < m->joint_count; i++) {
    cmb_model_joint *j = &m->joints[i];
    memset(j->q_start, 0, sizeof j->q_start);
    memset(j->v_start, 0, sizeof j->v_start);
    if (j->euler) j->q_start[j->nq - 4] = cmb_fixed(1);
  }
}

/* Returns the rank of the constraints and the given coordinates in the design position. */
static int rank_at_design(struct mechanism *k)
{
  const int n = k->ng + k->count;
  double *A = take(n * k->nv), *r = take(n), *x = take(k->nv);
  linearise(k, cmb_system_q(k->plain), 0, A, r);
  int rank = least_change(n, k->nv, A, k->D, r, x);
  free(A), free(r), free(x);
  return rank;
}

static void open_plain(struct mechanism *k)
{
  const cmb_mechanism_options options = {.formulation = CMB_FORM_RESIDUAL};
  const cmb_graph_options graph = {.evaluation = CMB_EVALUATE_INTERPRETER};
  cmbt_ok(k->ctx, cmb_mechanism_create(k->ctx, k->m, &options, &k->mechanism));
  cmbt_ok(k->ctx, cmb_graph_system_create(k->ctx, &k->mechanism->expressions, &graph, &k->plain));
  cmbt_ok(k->ctx, cmb_evaluator_create(k->ctx, cmb_system_equations(k->plain), &k->ev));
  k->nq = k->ev->eq->nq, k->nv = k->ev->eq->nv, k->ng = k->ev->eq->ng;
  k->D = take(k->nv);
  k->q_given = take(k->nq);
  memcpy(k->q_given, cmb_system_q(k->plain), (size_t)k->nq * sizeof *k->q_given);
  for (int i = 0; i < k->nv; i++) k->D[i] = 1;
}

static void close_plain(struct mechanism *k)
{
  cmb_evaluator_destroy(k->ev);
  cmb_system_destroy(k->plain);
  cmb_mechanism_destroy(k->mechanism);
  free(k->D), free(k->q_given);
}

/* Chooses coordinates to be given, as long as they are independent of the constraints and of each other. */
static void choose_given(struct mechanism *k)
{
  const int most = cmbt_random_int(&k->random, 1, MOST_GIVEN);
  int rank = rank_at_design(k);
  for (int tries = 0; tries < 40 && k->count < most; tries++) {
    int joint = cmbt_random_int(&k->random, 0, k->m->joint_count - 1), q = 0, v = 0;
    const cmb_model_joint *j = &k->m->joints[joint];
    if (j->nv == 0 || j->euler) continue;
    int n = cmbt_random_int(&k->random, 0, j->nv - 1);
    for (int i = 0; i < joint; i++) q += k->m->joints[i].nq, v += k->m->joints[i].nv;
    const double most_angle = 1.0471975511965976, range = is_angle(j) ? most_angle : 0.3;
    struct given *g = &k->given[k->count++];
    *g = (struct given){joint, n, q + n, v + n, cmbt_random_uniform(&k->random, -range, range), 0};
    if (cmbt_random_int(&k->random, 0, 1)) g->rate = cmbt_random_uniform(&k->random, -5, 5);
    int with = rank_at_design(k);
    if (with == rank) k->count--;
    rank = with;
  }
}

static void put_given(struct mechanism *k)
{
  for (int i = 0; i < k->count; i++) {
    cmb_model_joint *j = &k->m->joints[k->given[i].joint];
    j->q_start[k->given[i].n] = cmb_fixed(k->given[i].to);
    j->v_start[k->given[i].n] = cmb_fixed(k->given[i].rate);
    k->q_given[k->given[i].q] = k->given[i].to;
  }
  set_metric(k);
}

/* ---- comparison with the program */

/* The warnings about values that could not be held. */
struct warnings {
  int count;
  char text[MOST_NAMES][200];
};

static void note_warning(void *user, cmb_log_level level, const char *message)
{
  struct warnings *w = user;
  if (level != CMB_LOG_WARNING || !strstr(message, "cannot start") || w->count == MOST_NAMES)
    return;
  snprintf(w->text[w->count++], sizeof w->text[0], "%s", message);
}

static bool is_warned(const struct warnings *w, const char *name)
{
  char quoted[80];
  snprintf(quoted, sizeof quoted, "'%s'", name);
  for (int i = 0; i < w->count; i++) {
    if (strstr(w->text[i], quoted)) return true;
  }
  return false;
}

struct outcome {
  int unknowns, given, warned, out_of_reach;
  int refused;     /* contradictory drives that were refused */
  bool determined; /* no degrees of freedom are left */
  double held;     /* the largest error of a held value */
  double apart;    /* the distance from the reference */
  bool same;       /* far from the reference, but on the same branch */
  double further;  /* the largest change of a coordinate minus that of the reference */
  double too_far;  /* by how much steps back reduce the distance from the given position */
  double residual;
  double fastest; /* the largest velocity */
};

/* Returns the larger of the residuals of g and of G v + g_t (relative to the velocities) at the start. */
static double residual_of(struct mechanism *k, const double *q, const double *v)
{
  double position, velocity;
  assert_int_equal(cmb_constraint_residuals(k->ev, 0, q, v, &position, &velocity), CMB_OK);
  return fmax(position, velocity / (1 + largest(k->nv, v)));
}

static void compare_with_reference(struct mechanism *k, const double *q, const double *q_ref,
                                   struct outcome *o)
{
  double turned = 0, reference_turned = 0;
  for (int i = 0; i < k->nq; i++) {
    const double design = cmb_system_q(k->plain)[i];
    o->apart = fmax(o->apart, fabs(q[i] - q_ref[i]));
    turned = fmax(turned, fabs(q[i] - design));
    reference_turned = fmax(reference_turned, fabs(q_ref[i] - design));
  }
  o->further = turned - reference_turned;
  if (o->apart > MOST_APART && !o->determined) {
    o->same = leads_to(k, q, q_ref) || leads_to(k, q_ref, q);
  }
}

/* Computes the program's start and compares it with the given values and the reference. */
static void compare(struct mechanism *k, struct outcome *o)
{
  const cmb_model_system_options options = {.formulation = CMB_FORM_RESIDUAL};
  struct warnings w = {0};
  cmb_system *system;
  double *q_ref = take(k->nq);
  memcpy(q_ref, cmb_system_q(k->plain), (size_t)k->nq * sizeof *q_ref);
  cmb_context_set_log(k->ctx, note_warning, &w);
  cmbt_ok(k->ctx, cmb_model_system(k->ctx, k->m, &options, &system));
  const double *q = cmb_system_q(system), *v = cmb_system_v(system);
  bool reachable = reference(k, true, q_ref), all = true;
  for (int i = 0; i < k->count; i++) {
    const struct given *g = &k->given[i];
    const cmb_model_joint *j = &k->m->joints[g->joint];
    bool warned = is_warned(&w, j->q_names[g->n]), rate_warned = is_warned(&w, j->v_names[g->n]);
    if (!warned) o->held = fmax(o->held, fabs(q[g->q] - g->to));
    if (g->rate != 0 && !rate_warned) {
      o->held = fmax(o->held, fabs(v[g->v] - g->rate) / (1 + largest(k->nv, v)));
    }
    o->warned += warned || rate_warned;
    all = all && !warned;
  }
  o->unknowns = k->nv + k->ng;
  o->given = k->count;
  o->out_of_reach = !reachable;
  o->residual = residual_of(k, q, v);
  o->fastest = largest(k->nv, v);
  if (reachable) assert_true(all); /* the program gives up no position that can be reached */
  o->determined = rank_at_design(k) == k->nv;
  if (reachable) compare_with_reference(k, q, q_ref, o);
  if (all) o->too_far = too_far(k, q);
  cmb_context_set_log(k->ctx, NULL, NULL);
  cmb_system_destroy(system);
  free(q_ref);
}

/* ---- drives */

static const cmb_place nowhere = {.file = "random", .line = 1, .column = 1};

static void add_motion(struct mechanism *k, const char *name, const char *what, const char *value)
{
  cmb_model *m = k->m;
  m->loops[m->loop_count++] =
      (cmb_model_loop){.name = name,
                       .place = nowhere,
                       .type = CMB_LOOP_FORMULA,
                       .motion = true,
                       .formula = {.text = what, .place = nowhere, .scope = "", .subject = ""},
                       .minus = {.text = value, .place = nowhere, .scope = "", .subject = ""}};
}

/* Reads the model with drives t²/2 and sin t of two coordinates and the drive `sum` of their sum, which may contradict the others. */
static cmb_status drive(struct mechanism *k, const char *sum)
{
  cmb_model *m = k->m;
  const struct given *g = k->given;
  const char *a = m->joints[g[0].joint].q_names[g[0].n], *b = m->joints[g[1].joint].q_names[g[1].n];
  cmb_model_loop *loops = m->loops;
  const int count = m->loop_count;
  cmb_system *system;
  char both[200];
  snprintf(both, sizeof both, "%s + %s", a, b);
  m->loops = calloc((size_t)count + 3, sizeof *m->loops);
  memcpy(m->loops, loops, (size_t)count * sizeof *loops);
  add_motion(k, "first", a, "t^2/2");
  add_motion(k, "second", b, "sin(t)");
  add_motion(k, "third", both, sum);
  const cmb_model_system_options options = {.formulation = CMB_FORM_RESIDUAL};
  cmb_status status = cmb_model_system(k->ctx, m, &options, &system);
  cmb_system_destroy(system);
  free(m->loops);
  m->loops = loops;
  m->loop_count = count;
  return status;
}

/* Returns whether the first two given coordinates can move: a freedom may exist to first order in the design position only. */
static bool is_movable(struct mechanism *k)
{
  struct mechanism small = *k;
  double *q = take(k->nq);
  memcpy(q, cmb_system_q(k->plain), (size_t)k->nq * sizeof *q);
  small.count = 2;
  for (int i = 0; i < 2; i++) small.given[i].to = 0.02;
  bool movable = reference(&small, false, q);
  free(q);
  return movable;
}

/* Checks that consistent drives are accepted and contradictory ones refused. */
static void check_drives(struct mechanism *k, uint64_t seed, struct outcome *o)
{
  static const char *const wrong[] = {"t^2/2 + 2*sin(t)", "t^2 + sin(t)"};
  if (k->count < 2 || !is_movable(k)) return;
  clear_start(k->m);
  cmb_status agree = drive(k, "t^2/2 + sin(t)");
  if (agree != CMB_OK) fail_msg("mechanism %d: %s", (int)seed, cmb_last_error(k->ctx));
  for (int i = 0; i < 2; i++) {
    if (drive(k, wrong[i]) != CMB_ERROR_INPUT) fail_msg("mechanism %d: not refused", (int)seed);
    assert_non_null(strstr(cmb_last_error(k->ctx), "contradicts"));
    assert_non_null(strstr(cmb_last_error(k->ctx), "third"));
    o->refused++;
  }
}

/* ---- all mechanisms */

/* Returns a number between 0 and 1; consecutive arguments fill the interval evenly (van der Corput's sequence). */
static double spread(unsigned number)
{
  double sum = 0, part = 0.5;
  for (; number > 0; number /= 2, part /= 2) sum += part * (number % 2);
  return sum;
}

/* Returns the number of unknowns that mechanism `seed` should have. */
static int size_of(unsigned seed)
{
  const double part = seed <= 16 ? pow(spread(seed), 3) : spread(seed);
  return LEAST_UNKNOWNS + (int)(part * (MOST_UNKNOWNS - LEAST_UNKNOWNS + 1));
}

/* Makes a mechanism of about that size; a body has three or four unknowns. */
static cmb_model *make(cmb_context *ctx, uint64_t seed)
{
  const int size = size_of((unsigned)seed), bodies = 1 + size / 3;
  const struct cmbt_mechanism_wishes wishes = {.least_bodies = bodies * 4 / 5,
                                               .most_bodies = bodies * 5 / 4,
                                               .least_loops = 1 + bodies / 4,
                                               .most_loops = 1 + bodies / 2};
  for (uint64_t attempt = 0;; attempt++) {
    cmb_model *m = cmbt_random_mechanism(ctx, seed + (attempt << 32), &wishes);
    const int unknowns = cmbt_unknowns(m);
    if (abs(unknowns - size) <= 2 + size / 20 && unknowns >= LEAST_UNKNOWNS &&
        unknowns <= MOST_UNKNOWNS) {
      return m;
    }
    cmb_model_destroy(m);
  }
}

/* Tests one mechanism. Returns false if no coordinate can be given. */
static bool try_one(cmb_context *ctx, uint64_t seed, struct outcome *o)
{
  struct mechanism k = {.ctx = ctx, .random = {seed + 1000}};
  k.m = make(ctx, seed);
  k.m->force_count = 0;
  k.m->output_count = 0;
  clear_start(k.m);
  open_plain(&k);
  assert_int_equal(k.nv + k.ng, cmbt_unknowns(k.m));
  bool good = k.ng > 0;
  if (good) choose_given(&k);
  good = good && k.count > 0;
  if (good) {
    put_given(&k);
    compare(&k, o);
    check_drives(&k, seed, o);
  }
  close_plain(&k);
  cmb_model_destroy(k.m);
  return good;
}

/* Sums and largest values over all mechanisms. */
struct total {
  struct outcome sum; /* sums of counts, largest of measured values */
  int least, most;    /* number of unknowns */
  int determined, size[SIZES];
};

static void add(const struct outcome *o, struct total *all)
{
  struct outcome *sum = &all->sum;
  sum->given += o->given;
  sum->warned += o->warned;
  sum->out_of_reach += o->out_of_reach;
  sum->refused += o->refused;
  sum->further = fmax(sum->further, o->further);
  sum->too_far = fmax(sum->too_far, o->too_far);
  sum->held = fmax(sum->held, o->held);
  sum->apart = fmax(sum->apart, o->apart);
  all->determined += o->determined;
  all->most = o->unknowns > all->most ? o->unknowns : all->most;
  all->least = o->unknowns < all->least ? o->unknowns : all->least;
  all->size[(o->unknowns - LEAST_UNKNOWNS) * SIZES / (MOST_UNKNOWNS - LEAST_UNKNOWNS + 1)]++;
}

static void print_total(int count, const struct total *all)
{
  const struct outcome *sum = &all->sum;
  print_message(
      "%d mechanisms of %d to %d unknowns: %d values given, held to %.2g; %d warned of, %d "
      "mechanisms out of reach; at most %.2g from the reference (%d without freedoms: 1e-8), no "
      "joint turned further by more than %.2g, %.2g back to a nearer position; %d contradictory "
      "drives refused; by size",
      count, all->least, all->most, sum->given, sum->held, sum->warned, sum->out_of_reach,
      sum->apart, all->determined, sum->further, sum->too_far, sum->refused);
  for (int i = 0; i < SIZES; i++) print_message(" %d", all->size[i]);
  print_message("\n");
}

/* Tests mechanism `seed` and fails if a limit is exceeded. Returns false if no coordinate can be given. */
static bool check_one(cmb_context *ctx, int seed, struct outcome *o)
{
  *o = (struct outcome){0};
  if (!try_one(ctx, (uint64_t)seed, o)) return false;
  const bool near = o->apart < (o->determined ? 1e-8 : MOST_APART);
  if (!(o->held < 1e-11 && o->residual < 1e-10 && (near || o->same) && o->further < 0.05 &&
        o->too_far < 0.02)) {
    fail_msg(
        "mechanism %d: held to %.2g, residual %.2g, %.2g from the reference, %.2g further, %.2g "
        "back to a nearer position",
        seed, o->held, o->residual, o->apart, o->further, o->too_far);
  }
  return true;
}

static void test_starts(void **state)
{
  cmb_context *ctx = cmb_context_create(NULL);
  const int count = cmbt_count("CAMBER_STARTS", 12),
            first = number_from_environment("CAMBER_STARTS_FROM", 1);
  struct total all = {.least = MOST_UNKNOWNS};
  (void)state;
  for (int seed = first, done = 0; done < count; seed++) {
    struct outcome o;
    if (!check_one(ctx, seed, &o)) continue;
    done++;
    add(&o, &all);
  }
  print_total(count, &all);
  for (int i = 0; count >= 100 && i < SIZES; i++) assert_true(all.size[i] > count / SIZES / 2);
  cmb_context_destroy(ctx);
}

/* Checks a coordinate with a value beyond its reach, and a rate: at the end of its reach the loops must be closed and no velocity large. */
static void test_end_of_reach(void **state)
{
  cmb_context *ctx = cmb_context_create(NULL);
  struct outcome o;
  (void)state;
  assert_true(check_one(ctx, 116, &o));
  assert_int_equal(o.out_of_reach, 1);
  assert_true(o.fastest < 10); /* the rates given are up to 5 rad/s */
  cmb_context_destroy(ctx);
}

/* Checks that a constraint whose gradient is only rounding does not prevent a start, and that one whose gradient vanishes in the design
 * position, but not beside it, is not taken for a constraint like x² = 0. Contradictory drives are refused, and only these. */
static void test_weak_gradients(void **state)
{
  static const int seed[] = {405, 98};
  cmb_context *ctx = cmb_context_create(NULL);
  (void)state;
  for (int i = 0; i < 2; i++) {
    struct outcome o;
    assert_true(check_one(ctx, seed[i], &o));
    assert_int_equal(o.refused, 2);
  }
  cmb_context_destroy(ctx);
}

/* Checks loops that seem movable only because angles between constraints are below the rank tolerance: the loops stay closed, values that cannot
 * be reached are named, and values that can be reached are not refused. */
static void test_small_angles(void **state)
{
  static const int seed[] = {93, 382};
  cmb_context *ctx = cmb_context_create(NULL);
  (void)state;
  for (int i = 0; i < 2; i++) {
    struct outcome o;
    assert_true(check_one(ctx, seed[i], &o));
    assert_int_equal(o.out_of_reach, 1);
    assert_true(o.warned > 0);
  }
  cmb_context_destroy(ctx);
}

/* Checks a joint that slides far, and less in smaller steps; and positions that would be far from the nearest one, by up to 2 rad in one
 * joint, if only the change in each step were minimised. */
static void test_least_motion(void **state)
{
  static const int seed[] = {17, 48, 275};
  cmb_context *ctx = cmb_context_create(NULL);
  (void)state;
  for (int i = 0; i < 3; i++) {
    struct outcome o;
    assert_true(check_one(ctx, seed[i], &o));
    assert_int_equal(o.warned, 0);
    assert_false(o.same);
  }
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_starts), cmocka_unit_test(test_end_of_reach),
      cmocka_unit_test(test_weak_gradients), cmocka_unit_test(test_small_angles),
      cmocka_unit_test(test_least_motion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
