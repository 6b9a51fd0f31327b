/*
 * The laws of impact: Newton's, for one contact after the other, and Poisson's, in two phases for all contacts that touch (sim/contacts.h).
 *
 * Runs are compared with solutions by hand: a ball, for which the laws agree; a rod that strikes with one end while the other touches; a
 * box that falls on four corners; rows of carts, heavy bodies on light ones, and rows with endless sequences of impacts.
 *
 * In random mechanisms with contacts of both laws, the impulses Λ are not negative; M (v⁺ − v⁻) = Wᵀ Λ − Gᵀ τ and G (v⁺ − v⁻) = 0 with M,
 * W and G evaluated here; no gap that was acted on closes any more; the energy does not grow; and with Poisson's law alone the velocities are
 * those of its two phases, solved by trying all sets of contacts. The environment variable CAMBER_LAWS sets the number of mechanisms; a
 * campaign has fifty times the sample.
 */
#include "balance.h"
#include "check.h"
#include "dae/evaluator.h"
#include "math/dense.h"
#include "math/pattern.h"
#include "methods.h"
#include "model/model.h"
#include "model_run.h"
#include "random.h"
#include "random_mechanism.h"
#include "sim/contacts.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 8000, MOST = 200, SAMPLE = 25, MOST_STOPS = 5, MOST_V = 100 };

static const double G = 9.81;

static void open_run(cmbt_run *r, const char *text, int method, int formulation)
{
  cmbt_run_open_text(r, text, cmbt_formulation(formulation));
  r->method = cmb_method_name(cmb_method_at(method));
  if (!cmbt_is_precise(cmb_method_at(method))) r->rtol = 1e-6;
}

/* ---- a ball and a box */

/* Checks that the laws agree to the last bit for a single contact. */
static void test_laws_agree_for_one_contact(void **state)
{
  (void)state;
  const char *const laws[] = {"0.6", "{law: newton, value: 0.6}", "{law: poisson, value: 0.6}"};
  double first[MOST];
  int bounces = 0;
  for (int k = 0; k < 3; k++) {
    char text[TEXT];
    double t[MOST];
    cmbt_run r;
    snprintf(
        text, sizeof text,
        "bodies: {ball: {mass: 1, sphere: [0, 0, 1], radius: 0.1}}\n"
        "joints: {j: {type: free, child: ball}}\n"
        "forces: {c: {type: contact, on: {body: ball, at: [0, 0, 1]}, radius: 0.1, surface: z,\n"
        "             restitution: %s}}\n",
        laws[k]);
    cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
    cmbt_run_to(&r, 3, 0);
    const int count = cmbt_times(&r, "c", 1, MOST, t);
    assert_in_range(count, 20, MOST);
    if (k > 0) assert_int_equal(count, bounces);
    for (int i = 0; k > 0 && i < count; i++) cmbt_near(t[i], first[i], 0);
    memcpy(first, t, sizeof t);
    bounces = count;
    cmbt_run_close(&r);
  }
}

/* Checks a box that falls on four corners at once, more contacts than its motion determines: by Poisson's law it bounces like a ball, without rotation. */
static void test_box(void **state)
{
  (void)state;
  const double fall = sqrt(2 * 0.3 / G);
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    const bool is_bdf = cmbt_is(cmb_method_at(i), "bdf");
    double t[MOST], expected = fall, step = 2 * fall;
    cmbt_run r;
    open_run(&r,
             "parameters: {e: 0.5}\n"
             "points: {A: [1, 1, 0], B: [-1, 1, 0], C: [-1, -1, 0], D: [1, -1, 0]}\n"
             "bodies: {box: {mass: 2, box: [2, 2, 0.4], at: [0, 0, 0.2]}}\n"
             "joints: {f: {type: free, child: box, start: [0, 0, 0.3]}}\n"
             "forces:\n"
             "  a: {type: contact, on: box@A, surface: z, restitution: {law: poisson, value: e}}\n"
             "  b: {type: contact, on: box@B, surface: z, restitution: {law: poisson, value: e}}\n"
             "  c: {type: contact, on: box@C, surface: z, restitution: {law: poisson, value: e}}\n"
             "  d: {type: contact, on: box@D, surface: z, restitution: {law: poisson, value: e}}\n"
             "outputs: {x: box.x, z: box.z, up: box.z_z, energy: energy}\n",
             i, i % 3);
    cmbt_run_to(&r, 2, 0);
    const int count = cmbt_times(&r, "a", 1, MOST, t);
    for (int k = 0; k < 8; k++, expected += step *= 0.5) {
      cmbt_near(t[k], expected, is_bdf ? 1e-5 : 1e-8);
    }
    assert_in_range(count, 10, 60);
    cmbt_near(cmbt_output(&r, "z"), 0.2, 1e-8);
    cmbt_near(cmbt_output(&r, "up"), 1, 1e-12);
    cmbt_near(cmbt_output(&r, "energy"), 2 * G * 0.2, 1e-8);
    cmbt_run_close(&r);
  }
}

/* ---- a rod */

/* Checks a thin rod of mass 3 and length 2 whose left end touches the floor while the right end strikes it with the rate v. With
 * A = (4 −2; −2 4)/3, the gap rates due to unit impulses, compression ends at rest with the impulses v (1/2, 1); a part e of them returns, and
 * the right end rises with e v while the left one stays. By Newton's law the right end strikes first, and then the left one. */
static void check_rod(const char *law, int formulation, double left, double right)
{
  char text[TEXT];
  cmbt_run r;
  snprintf(text, sizeof text,
           "gravity: [0, 0, 0]\n"
           "points: {L: [-1, 0, 0], R: [1, 0, 0]}\n"
           "bodies: {rod: {mass: 3, inertia: [0.1, 1, 1], com: [0, 0, 0]}}\n"
           "joints: {x: {type: free, child: rod, rate: [0, 0, -0.5, 0, 0.5, 0]}}\n"
           "markers: {l: {on: rod, at: L}, r: {on: rod, at: R}}\n"
           "forces:\n"
           "  right: {type: contact, on: rod@R, surface: z, restitution: %s}\n"
           "  left: {type: contact, on: rod@L, surface: z, restitution: %s}\n"
           "outputs: {l: l.vz, r: r.vz, energy: energy}\n",
           law, law);
  cmbt_run_open_text(&r, text, cmbt_formulation(formulation));
  cmbt_run_to(&r, 1e-9, 0);
  cmbt_near(cmbt_output(&r, "l"), left, 1e-8);
  cmbt_near(cmbt_output(&r, "r"), right, 1e-8);
  assert_int_equal(r.result->impulses, 2);
  cmbt_run_close(&r);
}

static void test_rod(void **state)
{
  (void)state;
  for (int form = 0; form < 3; form++) {
    check_rod("{law: poisson, value: 0}", form, 0, 0);
    check_rod("{law: poisson, value: 0.5}", form, 0, 0.5);
    check_rod("{law: poisson, value: 1}", form, 0, 1);
    check_rod("0", form, 0, 0);
    /* the right end rises with 1 and the left one falls with 1; its impact stops the right end */
    check_rod("1", form, 1, 0);
  }
}

/* ---- rows of carts */

/* Writes a row of n carts of mass 1: n − 1 touch each other, and one comes with the velocity 1. */
static void write_row(char text[TEXT], int n, const char *law)
{
  int at = snprintf(text, TEXT,
                    "gravity: [0, 0, 0]\n"
                    "templates:\n"
                    "  cart:\n"
                    "    bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
                    "    joints: {x: {type: prismatic, child: b, axis: x,\n"
                    "                 start: '0.2*index - if(index < 1.5, 0.5, 0)',\n"
                    "                 rate: 'if(index < 1.5, 1, 0)'}}\n"
                    "instances: {k: {template: cart, repeat: %d}}\n"
                    "loops:\n",
                    n);
  for (int i = 1; i < n; i++) {
    at += snprintf(text + at, TEXT - (size_t)at,
                   "  c%d: {type: stop, formula: k%d.x - k%d.x - 0.2, restitution: %s}\n", i, i + 1,
                   i, law);
  }
  at += snprintf(text + at, TEXT - (size_t)at, "outputs: {");
  for (int i = 1; i <= n; i++) at += snprintf(text + at, TEXT - (size_t)at, "v%d: k%d.x', ", i, i);
  snprintf(text + at, TEXT - (size_t)at, "energy: energy}\n");
}

/* Checks the velocity of the first cart after the impact, and that of all others. */
static void check_row(int n, const char *law, int method, int formulation, double first,
                      double others)
{
  char text[TEXT];
  cmbt_run r;
  write_row(text, n, law);
  open_run(&r, text, method, formulation);
  cmbt_run_to(&r, 1, 0);
  for (int i = 1; i <= n; i++) {
    char name[16];
    snprintf(name, sizeof name, "v%d", i);
    const double expected = i == 1 ? first : others;
    if (fabs(cmbt_output(&r, name) - expected) > 1e-9) {
      fail_msg("%s, %d carts, %s: cart %d has the velocity %.12g; expected %.12g", r.method, n, law,
               i, cmbt_output(&r, name), expected);
    }
  }
  assert_true(r.event_count < 3 * n);
  cmbt_run_close(&r);
}

/* Checks rows of carts. By Poisson's law compression ends with the velocity 1/n for all; the impulses between them decrease evenly from
 * (n − 1)/n to 1/n, so that a part e of them takes e (n − 1)/n from the first and gives e/n to each of the others. Without rebound both
 * laws give the same. */
static void test_rows(void **state)
{
  (void)state;
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    check_row(7, "0", i, i % 3, 1.0 / 7, 1.0 / 7);
    check_row(7, "{law: poisson, value: 0.5}", i, (i + 1) % 3, -2.0 / 7, 1.5 / 7);
  }
  check_row(3, "{law: poisson, value: 1}", 0, 0, -1.0 / 3, 2.0 / 3);
  check_row(40, "0", 0, 0, 1.0 / 40, 1.0 / 40);
  /* Newton's sequence of impacts does not end: relative velocities decrease to 0, and all carts go on with the same velocity */
  check_row(15, "0.5", 0, 0, 1.0 / 15, 1.0 / 15);
  check_row(40, "0.8", 0, 0, 1.0 / 40, 1.0 / 40);
}

/* ---- a heavy body on a light one */

/* Computes the velocities v of a light body that touches the floor and a heavy one that strikes it, by Newton's law, one impact after the
 * other but at most `most`. */
static void strike(double heavy, double e, long most, double v[2])
{
  for (long k = 0; k < most && (v[0] < 0 || v[1] < v[0]); k++) {
    if (v[0] < 0) v[0] *= -e;
    const double d = v[1] - v[0];
    if (d >= 0) continue;
    v[0] += (1 + e) * d * heavy / (1 + heavy);
    v[1] -= (1 + e) * d / (1 + heavy);
  }
}

static void check_heavy_on_light(double heavy, double e, const double v[2])
{
  char text[TEXT];
  cmbt_run r;
  snprintf(text, sizeof text,
           "gravity: [0, 0, 0]\n"
           "bodies:\n"
           "  light: {mass: 1, sphere: [0, 0, 0], radius: 0.1}\n"
           "  heavy: {mass: %g, sphere: [0, 0, 0], radius: 0.1}\n"
           "joints:\n"
           "  z1: {type: prismatic, child: light, axis: z}\n"
           "  z2: {type: prismatic, child: heavy, axis: z, start: 0.3, rate: -2}\n"
           "loops:\n"
           "  floor1: {type: stop, formula: z1, restitution: %g}\n"
           "  touch: {type: stop, formula: z2 - z1 - 0.2, restitution: %g}\n"
           "outputs: {v1: z1', v2: z2'}\n",
           heavy, e, e);
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, 0.0500001, 0);
  cmbt_near(cmbt_output(&r, "v1"), v[0], 1e-6);
  cmbt_near(cmbt_output(&r, "v2"), v[1], 1e-9);
  assert_true(r.event_count < 100);
  cmbt_run_close(&r);
}

static void test_heavy_on_light(void **state)
{
  (void)state;
  const double stop[2] = {0, 0};
  double v[2] = {0, -2}, w[2] = {0, -2};
  strike(1e5, 0.5, 3000000, v); /* velocities decrease towards 0 */
  strike(1e6, 1, 10000, w);     /* 3141 impacts without loss of energy */
  check_heavy_on_light(1e5, 0.5, v);
  check_heavy_on_light(1e6, 0.5, stop);
  check_heavy_on_light(1e6, 0, stop);
  check_heavy_on_light(1e6, 1, w);
}

/* ---- random mechanisms */

static cmb_model_formula formula(cmb_model *m, const char *text)
{
  const cmb_place nowhere = {.file = "random", .line = 1, .column = 1};
  const char *kept = cmb_arena_text(m->arena, text);
  return (cmb_model_formula){.text = kept, .place = nowhere, .scope = "", .subject = ""};
}

/* Adds two to five stops. Their gaps are far from 0, so that they do not act at the start; check_contacts takes them for closed. */
static void add_stops(cmb_model *m, struct cmbt_random *r, bool poisson)
{
  m->stop_count = cmbt_random_int(r, 2, MOST_STOPS);
  m->stops = cmb_arena_take(m->arena, (size_t)m->stop_count, sizeof *m->stops);
  for (int i = 0; i < m->stop_count; i++) {
    char text[200];
    const int a = cmbt_random_int(r, 0, m->body_count - 1);
    const int b = cmbt_random_int(r, 0, m->body_count - 1);
    /* in separate statements, since C leaves the order in which arguments of a call are evaluated to the compiler */
    const int second_axis = cmbt_random_int(r, 0, 2);
    const double second = cmbt_random_uniform(r, -1, 1);
    const int first_axis = cmbt_random_int(r, 0, 2);
    const double first = cmbt_random_uniform(r, -1, 1);
    snprintf(text, sizeof text, "1000 + %.17g*m%d.%c + %.17g*m%d.%c", first, a, 'x' + first_axis,
             second, b, 'x' + second_axis);
    const int kind = cmbt_random_int(r, 0, 3);
    m->stops[i].name = "stop";
    m->stops[i].gap = formula(m, text);
    m->stops[i].law = poisson || kind < 2 ? CMB_LAW_POISSON : CMB_LAW_NEWTON;
    m->stops[i].restitution = kind == 1 ? 0 : kind == 2 ? 1 : cmbt_random_uniform(r, 0, 1);
  }
}

/* Solves 0 ≤ z ⟂ A z + b ≥ 0 by trying all sets of positive z. Returns false if none satisfies the conditions up to rounding. */
static bool try_all(int n, const double *A, const double *b, double *z)
{
  double least = 1e-9;
  bool found = false;
  for (int set = 0; set < 1 << n; set++) {
    double K[MOST_STOPS * MOST_STOPS], scale[MOST_STOPS], x[MOST_STOPS], worst = 0;
    int pivot[MOST_STOPS];
    for (int i = 0; i < n; i++) {
      const bool in = set >> i & 1;
      x[i] = in ? -b[i] : 0;
      for (int k = 0; k < n; k++) {
        K[i * n + k] = in && set >> k & 1 ? A[i * n + k] : i == k ? 1 : 0;
      }
    }
    if (cmb_lu_factor(n, K, scale, pivot) != CMB_OK) continue;
    cmb_lu_solve(n, K, pivot, x);
    for (int i = 0; i < n; i++) {
      const double w = cmb_dot(n, A + (ptrdiff_t)i * n, x) + b[i];
      worst = fmax(worst, fmax(-x[i] * A[i * n + i], -w));
    }
    if (worst >= least) continue;
    least = worst;
    memcpy(z, x, (size_t)n * sizeof *z);
    found = true;
  }
  return found;
}

struct tally {
  int done, poisson;
  double balance, constraint_rate, closing, growth, phases;
};

static double kinetic(cmb_evaluator *ev, const double *v)
{
  double p[MOST_V];
  cmb_multiply_mass(ev, v, p);
  return cmb_dot(ev->eq->nv, v, p) / 2;
}

/* Checks momentum, constraints and energy, and the gap rates of the contacts that acted simultaneously. */
static void check_balance(cmb_evaluator *ev, const cmb_impact *impact, const cmb_contacts *x,
                          const double *v, struct tally *tally)
{
  const cmb_equations *eq = ev->eq;
  const double *W[MOST_STOPS];
  double after[MOST_V], rate[MOST], speed = 0;
  for (int i = 0; i < eq->nv; i++) after[i] = v[i] + x->jump[i];
  for (int k = 0; k < x->count; k++) speed = fmax(speed, fabs(x->rate[k]));
  for (int k = 0; k < x->count; k++) {
    W[k] = impact->R + (ptrdiff_t)eq->rules[x->rule[k]].first_reset * eq->nv;
    const double d = x->rate[k] + cmb_dot(eq->nv, W[k], x->jump);
    assert_true(x->impulse[k] >= 0);
    if (x->member[k]) tally->closing = fmax(tally->closing, -d / speed);
  }
  tally->balance =
      fmax(tally->balance, cmbt_imbalance(ev, x->jump, NULL, x->count, W, x->impulse, x->tau));
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, x->jump, rate);
  const double moved = cmb_norm2(eq->nv, x->jump);
  if (eq->ng > 0)
    tally->constraint_rate = fmax(tally->constraint_rate, cmb_norm2(eq->ng, rate) / moved);
  const double energy = kinetic(ev, v);
  tally->growth = fmax(tally->growth, (kinetic(ev, after) - energy) / energy);
}

/* Checks the gap rates against Poisson's law for the linked contacts, solved in its two phases. */
static void check_phases(const cmb_contacts *x, struct tally *tally)
{
  double A[MOST_STOPS * MOST_STOPS], b[MOST_STOPS], e[MOST_STOPS], given[MOST_STOPS], z[MOST_STOPS];
  int n = 0;
  for (int i = 0; i < x->count; i++) {
    if (!x->linked[i]) continue;
    if (!x->unique[i])
      return; /* with different coefficients the velocities are not unique either */
    e[n] = x->e[i], given[n] = x->impulse[i], b[n++] = x->rate[i];
  }
  for (int i = 0, row = 0; i < x->count; i++) {
    for (int k = 0, column = 0; x->linked[i] && k < x->count; k++) {
      if (x->linked[k]) A[row * n + column++] = x->A[i * x->count + k];
    }
    row += x->linked[i];
  }
  double speed = 0, after[MOST_STOPS];
  for (int i = 0; i < n; i++) {
    speed = fmax(speed, fabs(b[i]));
    after[i] = b[i] + cmb_dot(n, A + (ptrdiff_t)i * n, given);
  }
  if (!try_all(n, A, b, z)) return;
  for (int i = 0; i < n; i++) z[i] *= 1 + e[i];
  for (int i = 0; i < n; i++) b[i] += cmb_dot(n, A + (ptrdiff_t)i * n, z);
  if (!try_all(n, A, b, z)) return;
  for (int i = 0; i < n; i++) {
    const double d = b[i] + cmb_dot(n, A + (ptrdiff_t)i * n, z);
    tally->phases = fmax(tally->phases, fabs(d - after[i]) / speed);
  }
  tally->poisson++;
}

static void check_contacts(cmb_context *ctx, const cmb_equations *eq, const cmb_result *at,
                           bool poisson, struct tally *tally)
{
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_evaluator *ev;
  cmb_impact impact;
  cmb_contacts x;
  bool at_rest[MOST_STOPS] = {false}, acted, ends;
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &ev));
  cmb_impact_create(&impact, arena, ev);
  cmb_contacts_create(&x, arena, eq);
  for (int i = 0; i < eq->ns; i++) ev->mode[i] = at->mode[i];
  const cmb_point point = {at->t, at->q, at->v, ev->mode, ev->scratch, NULL, NULL};
  cmbt_ok(ctx, cmb_contacts_gather(&x, &impact, &point, at->lambda, at_rest, INFINITY, 2));
  for (int k = 0; k < x.count; k++) {
    cmb_status status = cmb_contacts_act(&x, x.rule[k], at->v, 1e-14, 0, &acted, &ends);
    if (status == CMB_RETRY_SINGULAR) continue; /* the gaps cannot all open */
    cmbt_ok(ctx, status);
    if (!acted) continue;
    check_balance(ev, &impact, &x, at->v, tally);
    if (poisson) check_phases(&x, tally);
    tally->done++;
  }
  cmb_evaluator_destroy(ev);
  cmb_arena_destroy(arena);
}

static void check_mechanism(int seed, struct tally *tally)
{
  const struct cmbt_mechanism_wishes wishes = {.most_bodies = 8, .most_loops = 3};
  const cmb_model_system_options how = {.formulation =
                                            seed % 2 ? CMB_FORM_EXPLICIT : CMB_FORM_CARTESIAN,
                                        .evaluation = CMB_EVALUATE_INTERPRETER};
  struct cmbt_random r = {(uint64_t)seed};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_random_mechanism(ctx, (uint64_t)seed, &wishes);
  const bool poisson = seed % 3 > 0;
  cmb_run_options options = cmb_run_defaults();
  cmb_system *system;
  cmb_simulation *sim;
  options.method = cmb_method_find("mdop5");
  add_stops(m, &r, poisson);
  if (cmb_model_system(ctx, m, &how, &system) == CMB_OK) {
    const cmb_equations *eq = cmb_system_equations(system);
    cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
    if (cmb_simulation_start(sim) == CMB_OK && !eq->mass_factors) {
      check_contacts(ctx, eq, cmb_simulation_result(sim), poisson, tally);
    }
    cmb_simulation_destroy(sim);
    cmb_system_destroy(system);
  }
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

static void check_tally(const struct tally *tally)
{
  printf("%d impacts of several contacts: balance to %.1e, constraints to %.1e, rates to %.1e, "
         "energy grows by %.1e; %d in two phases, to %.1e\n",
         tally->done, tally->balance, tally->constraint_rate, tally->closing, tally->growth,
         tally->poisson, tally->phases);
  cmbt_below(tally->balance, 1e-12);
  cmbt_below(tally->constraint_rate, 1e-11);
  cmbt_below(tally->closing, 1e-12);
  cmbt_below(tally->growth, 1e-12);
  cmbt_below(tally->phases, 1e-9);
}

static void test_random(void **state)
{
  (void)state;
  const int count = cmbt_count("CAMBER_LAWS", SAMPLE);
  struct tally tally = {0};
  for (int seed = 1; seed <= count; seed++) check_mechanism(seed, &tally);
  assert_true(tally.done > count / 2 && tally.poisson > count / 4);
  check_tally(&tally);
}

/* Checks contacts that nearly oppose each other, with impulses of up to 10⁶ N s for rates of some cm/s. In the second and the last two
 * mechanisms the gaps cannot open at all, and their rates become 0. Three contacts of the second one close, and rounding must not leave any
 * of them out. */
static void test_hard(void **state)
{
  static const int hard[] = {204, 384, 816, 1854, 189, 1235};
  (void)state;
  struct tally tally = {0};
  for (size_t i = 0; i < sizeof hard / sizeof hard[0]; i++) check_mechanism(hard[i], &tally);
  check_tally(&tally);
  assert_int_equal(tally.done, 11);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_laws_agree_for_one_contact),
                                     cmocka_unit_test(test_box),
                                     cmocka_unit_test(test_rod),
                                     cmocka_unit_test(test_rows),
                                     cmocka_unit_test(test_heavy_on_light),
                                     cmocka_unit_test(test_random),
                                     cmocka_unit_test(test_hard)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
