/*
 * The command `camber linearize`: eigenvalues and mode shapes of the equations linearised about the start, an equilibrium, a steady motion
 * or the state at the time of --at; also the matrices A, B, C, D (state_space.c).
 */
#include "base/text.h"
#include "cli/state_space.h"
#include "cli/vary.h"

#include <math.h>

static const double DEGREES_PER_RADIAN = 57.29577951308232;
/* smaller real parts (relative to the imaginary part) and damping ratios are printed as 0 */
static const double ROUNDING = 1e-12;

/* largest number of components of a mode shape that are printed; --json writes all */
enum { SHOWN = 4 };

/* Returns the name of component i of an eigenvector (mode shape): of position coordinate i for i < nq, otherwise of first-order state i −
 * nq. */
const char *cli_component_name(const cmb_equations *eq, int i)
{
  return i < eq->nq ? eq->q_names[i] : eq->v_names[eq->nv - eq->nz + i - eq->nq];
}

/* Prints one line of the table of eigenvalues: the eigenvalue in 1/s, its frequency in Hz and damping ratio ("neutral" instead for a neutral
 * mode), and the name of the coordinate that changes most, or of the state that does if no coordinate changes. */
static void print_eigenvalue(const cmb_equations *eq, const cmb_eigenmode *m)
{
  char value[64];
  double re = fabs(m->re) > ROUNDING * m->im ? m->re + 0.0 : 0; /* adding 0.0 makes −0 a 0 */
  double damping = fabs(m->damping) > ROUNDING ? m->damping : 0;
  if (m->im > 0) {
    snprintf(value, sizeof value, "%.6g ± %.6g i", re, m->im);
  } else {
    snprintf(value, sizeof value, "%.6g", re);
  }
  printf("  %-*s ", m->im > 0 ? 29 : 28, value); /* ± takes two bytes but one column */
  if (m->neutral) {
    printf("%-14s %-9s", "neutral", "");
  } else {
    printf("%-14.6g % -9.4g", m->frequency, damping);
  }
  printf(" %s\n", cli_component_name(eq, m->most));
}

/* Prints component i of a mode shape relative to the component m->most: its name, its amplitude and, if the phase is not about 0, the phase
 * in degrees ("against" for 180°). */
static void print_component(const cmb_equations *eq, const cmb_eigenmode *m, int i)
{
  double phase = DEGREES_PER_RADIAN * atan2(m->shape_im[i], m->shape_re[i]);
  printf("%s %.3g", cli_component_name(eq, i), hypot(m->shape_re[i], m->shape_im[i]));
  if (fabs(phase) >= 179.5) {
    printf(" against");
  } else if (fabs(phase) >= 0.5) {
    printf(" at %.0f°", phase);
  }
}

/* Returns the index of the next smaller component of a mode shape, for listing the components by decreasing amplitude. `last` is the index of
 * the previous component and `below` its amplitude (-1 and infinity at first). Returns -1 when the remaining ones are at most 1 % of the
 * component m->most. */
static int next_component(const cmb_equations *eq, const cmb_eigenmode *m, int last, double below)
{
  int next = -1;
  double size = 0.01;
  for (int i = 0; i < eq->nq + eq->nz; i++) {
    double here = hypot(m->shape_re[i], m->shape_im[i]);
    bool after = here < below || (here == below && i > last);
    if (after && here > size) {
      next = i;
      size = here;
    }
  }
  return next;
}

/* Prints the (at most four) largest components of a mode shape in one line, e.g. "x 1, phi 0.3 at 90°". */
static void print_shape(const cmb_equations *eq, const cmb_eigenmode *m)
{
  double below = INFINITY;
  int i = -1;
  printf("%34s", "");
  for (int shown = 0; shown < SHOWN; shown++) {
    i = next_component(eq, m, i, below);
    if (i < 0) break;
    if (shown) printf(", ");
    print_component(eq, m, i);
    below = hypot(m->shape_re[i], m->shape_im[i]);
  }
  printf("\n");
}

/* Prints a linearisation as text: the number of degrees of freedom and, for each eigenvalue, its frequency, damping ratio and mode shape.
 * Also prints a note with the largest acceleration or rate if the state is not an equilibrium. */
static void print_text(const cmb_equations *eq, const cmb_linearization *l)
{
  printf("%s linearised at t = %g: %d degree%s of freedom", eq->name, l->t, l->freedoms,
         l->freedoms == 1 ? "" : "s");
  if (eq->nz > 0) printf(", %d state%s", eq->nz, eq->nz > 1 ? "s" : "");
  printf("\n");
  if (l->freedoms + eq->nz > 0 && fabs(l->a[l->a_most]) > 1e-6) {
    printf("  no equilibrium: %s %.3g of '%s'; the equations are frozen at this instant\n",
           l->a_most < eq->nv - eq->nz ? "acceleration" : "rate", l->a[l->a_most],
           eq->v_names[l->a_most]);
  }
  printf("  %-28s %-14s %-9s %s\n", "eigenvalue (1/s)", "frequency (Hz)", " damping", "moves");
  for (int i = 0; i < l->eigenmode_count; i++) {
    print_eigenvalue(eq, &l->eigenmodes[i]);
    print_shape(eq, &l->eigenmodes[i]);
  }
}

void cli_json_eigenvalue(struct cli_json *j, const cmb_equations *eq, const cmb_eigenmode *m)
{
  cli_json_number(j, "re", m->re);
  cli_json_number(j, "im", m->im);
  cli_json_number(j, "frequency", m->frequency);
  cli_json_number(j, "damping", m->damping);
  cli_json_bool(j, "neutral", m->neutral);
  cli_json_text(j, "most", cli_component_name(eq, m->most));
}

/* Writes an eigenmode as a JSON object: the eigenvalue, and the mode shape with a pair [re, im] for each component. */
static void json_mode(struct cli_json *j, const cmb_equations *eq, const cmb_eigenmode *m)
{
  cli_json_open(j, NULL, '{');
  cli_json_eigenvalue(j, eq, m);
  cli_json_open(j, "shape", '{');
  for (int i = 0; i < eq->nq + eq->nz; i++) {
    const double component[2] = {m->shape_re[i], m->shape_im[i]};
    cli_json_numbers(j, cli_component_name(eq, i), 2, component);
  }
  cli_json_close(j, '}');
  cli_json_close(j, '}');
}

/* Prints the result as JSON: time, positions and velocities and, unless l is NULL, since a failure left nothing linearised, the eigenvalues,
 * mode shapes and state-space matrices. */
static void print_json(const struct cli_arguments *a, const cmb_equations *eq,
                       const cmb_linearization *l, const cmb_result *r,
                       const struct cli_state_space *space, cmb_status status)
{
  struct cli_json j;
  cli_json_begin(&j, eq->name, NULL, status);
  cli_json_number(&j, "t", r->t);
  cli_trim_json(a, eq, &j);
  cli_json_numbers(&j, "q", eq->nq, r->q);
  cli_json_velocities(&j, eq, r->v);
  if (l) {
    cli_json_integer(&j, "degrees_of_freedom", l->freedoms);
    cli_json_numbers(&j, "acceleration", eq->nv, l->a);
    cli_json_open(&j, "eigenvalues", '[');
    for (int i = 0; i < l->eigenmode_count; i++) json_mode(&j, eq, &l->eigenmodes[i]);
    cli_json_close(&j, ']');
    cli_state_space_json(space, &j);
  }
  cli_json_end(&j);
}

/* Checks that the simulation has reached the time of --at, and that no switching function is held at 0 there (as in sticking friction), since
 * such a state cannot be linearised. Returns CLI_DONE or, after an error message, CLI_FAILED. */
static int check_arrival(const struct cli_arguments *a, const cmb_result *r)
{
  const cmb_error at = {.status = CMB_ERROR_EQUATIONS, .time = r->t};
  if (r->stopped_by && r->t < a->at) {
    cli_complain_at(&at, "", "event '%s' stops the run at t = %s, before the time %s of --at",
                    r->stopped_by, cmb_shortest(r->t).text, cmb_shortest(a->at).text);
  } else if (r->sliding) {
    cli_complain_at(&at, "",
                    "the switching function '%s' is held at its switch at t = %g, as in sticking "
                    "friction, which a linearisation does not take into account",
                    r->sliding, r->t);
  } else {
    return CLI_DONE;
  }
  return CLI_FAILED;
}

/* Linearises the equations of motion about the initial state, or about the state that a simulation reaches at the time of --at, and prints
 * eigenvalues, mode shapes and state-space matrices. Returns CLI_DONE or, after an error message, another exit code. */
static int linearize_system(cmb_context *ctx, const struct cli_arguments *a,
                            const cmb_system *system)
{
  const cmb_equations *eq = cmb_system_equations(system);
  /* the equations with the sampled values (in the parameters p) at the time of the linearisation */
  cmb_equations here = *eq;
  cmb_run_options options;
  cmb_simulation *sim = NULL;
  cmb_linearization *l = NULL;
  struct cli_state_space space;
  int code = cli_run_options(a, &options);
  if (code != CLI_DONE) return code;
  if (a->at < cmb_system_t_start(system)) {
    return cli_complain("option --at is '%s'; expected a time from %s on", cmb_shortest(a->at).text,
                        cmb_shortest(cmb_system_t_start(system)).text);
  }
  code = cli_state_space_begin(&space, a, &here);
  if (code != CLI_DONE) {
    cli_state_space_end(&space);
    return code;
  }
  if (!isnan(a->at)) options.t_end = a->at;
  cmb_status status = cmb_simulation_create(ctx, system, &options, &sim);
  const cmb_result *r = status == CMB_OK ? cmb_simulation_result(sim) : NULL;
  if (r) status = isnan(a->at) ? cmb_simulation_start(sim) : cmb_simulation_run(sim);
  if (r && status == CMB_OK && !isnan(a->at)) code = check_arrival(a, r);
  if (code != CLI_DONE) status = CMB_ERROR_EQUATIONS;
  if (r && status == CMB_OK) {
    here.p = r->p;
    status = cmb_linearize_in(ctx, &here, cmb_system_frame(system), r->t, r->q, r->v, &l);
  }
  if (l && cli_state_space_wanted(a)) {
    space.frame = cmb_system_frame(system);
    status = cli_state_space_find(ctx, &space, a, l, r->t, r->q, r->v);
  }
  if (l && !a->json) print_text(eq, l), cli_state_space_print(&space);
  if (code == CLI_DONE) code = cli_complain_of(ctx, a, status);
  if (r && a->json) print_json(a, eq, l, r, &space, status);
  cli_state_space_end(&space);
  cmb_linearization_destroy(l);
  cmb_simulation_destroy(sim);
  return code;
}

int cli_linearize(cmb_context *ctx, const struct cli_arguments *a)
{
  cmb_system *system = NULL;
  int code = cli_vary_check(ctx, a);
  if (code == CLI_DONE) code = cli_open_system(ctx, a, &system);
  if (code != CLI_DONE) return code;
  code = a->vary ? cli_vary(ctx, a, system) : linearize_system(ctx, a, system);
  cmb_system_destroy(system);
  return code;
}
