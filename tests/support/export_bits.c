/*
 * Compares exported C with a run of the library (export_bits.h).
 */
#include "export_bits.h"

#include "check.h"
#include "model_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = CMBT_EXPORT_STEPS, MOST_VALUES = 1000 };

static const char *const driver =
    "#include \"code/test.h\"\n"
    "#include <stdio.h>\n"
    "#include <string.h>\n"
    "static test a, b;\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "  static test_outputs out;\n"
    "  test_state s, s2;\n"
    "  FILE *f = fopen(argv[argc - 1], \"wb\");\n"
    "  int i, k, bad = 0;\n"
    "  test_init(&a);\n"
    "  for (i = 0; i < STEPS && !bad; i++) {\n"
    "    if (i == STEPS / 2) test_init(&b), test_get_state(&a, &s), test_set_state(&b, &s);\n"
    "    bad = test_step(&a, 0, &out);\n"
    "    if (i >= STEPS / 2) test_step(&b, 0, 0);\n"
    "    test_get_state(&a, &s);\n"
    "    fwrite(&s, sizeof s - GRIPS * sizeof(double), 1, f);\n"
    "    fwrite(&out, sizeof(double), OUTPUTS, f);\n"
    "    for (k = 0; k < test_ns; k++) {\n"
    "      double mode = a.x[1 + test_nq + k];\n"
    "      if (STICKS[k] == '1' && mode > 1.5) mode = 2;\n" /* with which force is in outputs */
    "      fwrite(&mode, sizeof mode, 1, f);\n"
    "    }\n"
    "    for (k = 0; k < test_ns; k++) {\n"
    "      double flag = ((const int *)((const double *)&out + OUTPUTS))[k];\n"
    "      fwrite(&flag, sizeof flag, 1, f);\n"
    "    }\n"
    "  }\n"
    "  test_get_state(&b, &s2);\n"
    "  return fclose(f) != 0 ? 2 : i > STEPS / 2 && memcmp(&s, &s2, sizeof s) != 0 ? 3 : 0;\n"
    "}\n";

struct log {
  const cmb_simulation *sim;
  const cmb_equations *eq;
  int steps, width;                      /* numbers a step */
  int flag[MOST_VALUES];                 /* (ns) of the step under way */
  double values[STEPS + 1][MOST_VALUES]; /* t, q, v, sampled values, outputs, modes, flags */
};

static cmb_status note_event(void *user, const cmb_event *event)
{
  struct log *log = user;
  if (event->t > 0)
    log->flag[event->index] = event->direction; /* the code reports events of steps, not of t = 0 */
  return CMB_OK;
}

static cmb_status note_step(void *user, double t)
{
  struct log *log = user;
  const cmb_result *r = cmb_simulation_result(log->sim);
  const cmb_equations *eq = log->eq;
  double *to = log->values[log->steps++];
  assert_in_range(log->steps, 1, STEPS);
  assert_true(r->t == t);
  *to++ = r->t;
  for (int i = 0; i < eq->nq; i++) *to++ = r->q[i];
  for (int i = 0; i < eq->nv; i++) *to++ = r->v[i];
  for (int i = 0; i < eq->nh; i++) *to++ = r->p[eq->held_first + i];
  for (int i = 0; i < eq->no; i++) *to++ = r->outputs[i];
  for (int i = 0; i < eq->ns; i++) *to++ = r->mode[i];
  for (int i = 0; i < eq->ns; i++) *to++ = log->flag[i];
  memset(log->flag, 0, sizeof log->flag);
  return CMB_OK;
}

/* Reads the numbers that the exported code has written. Returns the number of complete steps. */
static int read_numbers(struct log *exported)
{
  FILE *f = fopen("numbers", "rb");
  int steps = 0;
  assert_non_null(f);
  while (steps <= STEPS && fread(exported->values[steps], sizeof(double), (size_t)exported->width,
                                 f) == (size_t)exported->width) {
    steps++;
  }
  fclose(f);
  return steps;
}

/* Exports the code. Returns false if the export fails because no consistent initial state exists. */
static bool export_code(cmb_context *ctx, const cmb_system *of, const cmb_run_options *options)
{
  cmb_run_options plain = *options;
  plain.integrator
      .setting_count--; /* exported code has no drift bound: drop the setting bound=none */
  plain.integrator.settings++;
  plain.observer = (cmb_observer){0};
  return cmb_export_c(ctx, of, &plain, "code", NULL) == CMB_OK;
}

/* Compiles and runs the code. Returns how many steps it has made, including a step that failed. */
static int drive(struct log *exported)
{
  const cmb_equations *eq = exported->eq;
  char command[400 + MOST_VALUES], sticks[MOST_VALUES + 1] = "";
  int grips = 0;
  for (int i = 0; i < eq->ns; i++) {
    const bool one = eq->switch_sticks && eq->switch_sticks[i];
    sticks[i] = one ? '1' : '0';
    grips += one;
  }
  snprintf(command, sizeof command,
           "cc -std=c99 -O1 -ffp-contract=off -w -I. -DSTEPS=%d -DOUTPUTS=%d -DGRIPS=%d "
           "'-DSTICKS=\"%s\"' drive.c code/test.c -o drive -lm && ./drive numbers",
           STEPS, eq->no, grips, sticks);
  const int code = system(command);
  if (code != 0) print_error("compiling or running the exported code ends with status %d\n", code);
  assert_int_equal(code, 0);
  return read_numbers(exported);
}

/* Fails the test unless all numbers of the first `steps` steps are equal bit for bit. */
static void compare(const struct log *run, const struct log *exported, int steps,
                    const char *called)
{
  for (int k = 0; k < steps; k++) {
    for (int i = 0; i < run->width; i++) {
      const double *x = &run->values[k][i], *y = &exported->values[k][i];
      if (memcmp(x, y, sizeof *x) == 0) continue;
      fail_msg("%s, step %d, number %d of %d: run %.17g, exported code %.17g", called, k + 1, i,
               run->width, *x, *y);
    }
  }
}

static void count_switches(const struct log *run, struct cmbt_export_bits *seen)
{
  for (int k = 0; k < run->steps; k++) {
    for (int i = 0; i < run->eq->ns; i++) {
      seen->flags += run->values[k][run->width - 1 - i] != 0;
      seen->levels += fabs(run->values[k][run->width - 1 - run->eq->ns - i]) != 1;
    }
  }
}

void cmbt_export_bits(cmb_context *ctx, const cmb_model *model, cmb_formulation formulation,
                      const char *method, int setting_count, const cmb_option_setting *settings,
                      const char *called, struct cmbt_export_bits *seen)
{
  static struct log run, exported;
  cmb_system *system;
  cmb_simulation *sim;
  const cmb_model_system_options o = {
      .formulation = formulation, .evaluation = CMB_EVALUATE_INTERPRETER, .expressions = true};
  cmbt_write_file("drive.c", driver, strlen(driver));
  cmbt_ok(ctx, cmb_model_system(ctx, model, &o, &system));
  cmb_run_options options = cmb_run_defaults();
  options.integrator.setting_count = setting_count;
  options.integrator.settings = settings;
  options.integrator.step = 1.0 / 256; /* times meet the round constants of conditions */
  options.method = cmb_method_find(method);
  options.t_end = STEPS * options.integrator.step;
  options.observer = (cmb_observer){.user = &run, .event = note_event, .after_step = note_step};
  run.steps = 0;
  memset(run.flag, 0, sizeof run.flag);
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  run.sim = sim;
  run.eq = exported.eq = cmb_system_equations(system);
  run.width = exported.width =
      1 + run.eq->nq + run.eq->nv + run.eq->nh + run.eq->no + 2 * run.eq->ns;
  assert_in_range(run.width, 1, MOST_VALUES);
  const cmb_status status = cmb_simulation_run(sim);
  *seen = (struct cmbt_export_bits){.steps = run.steps, .whole = status == CMB_OK};
  if (!export_code(ctx, system, &options)) {
    assert_true(status != CMB_OK && run.steps == 0);
  } else {
    const int steps = drive(&exported);
    compare(&run, &exported, run.steps, called);
    assert_int_equal(steps, status == CMB_OK ? STEPS : run.steps + 1);
    count_switches(&run, seen);
  }
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
}
