/*
 * Fuzz target: models. The input is the text of a model; files that it includes are searched for in a folder that does not
 * exist.
 *
 * For every text, reading returns either an error whose message is one line that begins with a position, or a model whose
 * references are in range, whose joints form a tree with parents before children, and whose numbers are finite.
 *
 * If the model is small, its equations are made, in the formulation that the sum of the text's bytes selects. This fails with a
 * message of one line as well, or gives equations that can be evaluated at the start values.
 */
#include "dae/evaluator.h"
#include "dae/graph_system.h"
#include "dyn/mechanism.h"
#include "model/model.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char path[] = "nowhere/fuzz.yaml";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
  if (!holds) abort();
}

/* Checks that the message is one line "FILE:LINE:COLUMN: words". */
static void require_message(const char *message)
{
  int line, column, used = 0;
  require(strncmp(message, path, sizeof path - 1) == 0);
  require(sscanf(message + sizeof path - 1, ":%d:%d: %n", &line, &column, &used) == 2 && used > 0);
  require(line >= 1 && column >= 1);
  require(strlen(message + sizeof path - 1 + used) > 10 && !strchr(message, '\n'));
}

static void require_finite(int count, const cmb_number *x)
{
  for (int i = 0; i < count; i++) require(isfinite(x[i].value));
}

static void require_anchor(const cmb_model *m, const cmb_anchor *a)
{
  require(a->body >= CMB_GROUND && a->body < m->body_count);
  require_finite(3, a->at);
}

static void require_joints(const cmb_model *m)
{
  bool *placed = calloc((size_t)m->body_count + 1, sizeof *placed);
  require(placed && m->joint_count == m->body_count);
  for (int i = 0; i < m->joint_count; i++) {
    const cmb_model_joint *j = &m->joints[i];
    require(j->child >= 0 && j->child < m->body_count && !placed[j->child]);
    require(j->parent == CMB_GROUND || (j->parent < m->body_count && placed[j->parent]));
    placed[j->child] = true;
    require(j->turn == 1 || j->turn == -1);
    require_finite(3, j->at);
    require_finite(9, j->axes[0]);
    require_finite(j->nq, j->q_start);
    for (int k = 0; k < j->nq; k++) require(strlen(j->q_names[k]) > 0);
    for (int k = 0; k < j->nv; k++) require(strlen(j->v_names[k]) > strlen(j->coordinate[k].name));
  }
  free(placed);
}

static void require_model(const cmb_model *m)
{
  require_joints(m);
  for (int i = 0; i < m->body_count; i++) {
    require(m->bodies[i].mass.value >= 0 && isfinite(m->bodies[i].mass.value));
    require_finite(3, m->bodies[i].com);
    require_finite(9, m->bodies[i].inertia);
  }
  for (int i = 0; i < m->parameter_count; i++) require_finite(1, &m->parameters[i].number);
  for (int i = 0; i < m->marker_count; i++) require_anchor(m, &m->markers[i].anchor);
  for (int i = 0; i < m->table_count; i++) require(m->tables[i].table && m->tables[i].name);
  for (int i = 0; i < m->loop_count; i++) {
    const cmb_model_loop *l = &m->loops[i];
    require((l->type == CMB_LOOP_FORMULA) == (l->formula.text != NULL));
    require_anchor(m, &l->a);
    require_finite(9, l->axes[0]);
  }
  for (int i = 0; i < m->force_count; i++) {
    require_anchor(m, &m->forces[i].a);
    require_anchor(m, &m->forces[i].b);
    require((m->forces[i].type == CMB_FORCE_COORDINATE) == (m->forces[i].coordinate != NULL));
  }
  for (int i = 0; i < m->shape_count; i++) {
    for (int k = 0; k < m->shapes[i].point_count; k++) require_anchor(m, &m->shapes[i].points[k]);
  }
}

/* ---- equations */

/* Evaluates the equations at the start values. Any status is accepted, and the values need not be finite, since a formula may divide by 0. */
static void evaluate(cmb_context *ctx, const cmb_system *system)
{
  cmb_evaluator *ev;
  const cmb_equations *eq = cmb_system_equations(system);
  double *a = calloc((size_t)eq->nv + 1, sizeof *a);
  double *lambda = calloc((size_t)eq->ng + 1, sizeof *lambda);
  double *out = calloc((size_t)eq->no + 1, sizeof *out);
  double t = cmb_system_t_start(system);
  const double *q = cmb_system_q(system), *v = cmb_system_v(system);
  require(a && lambda && out);
  require(cmb_evaluator_create(ctx, eq, &ev) == CMB_OK);
  cmb_terms want = {
      .M = ev->M, .f = ev->f, .g = ev->g, .G = ev->G, .gamma = ev->gamma, .gt = ev->gt};
  require(cmb_evaluate(ev, t, q, v, &want) >= CMB_OK);
  require(cmb_accelerate(ev, t, q, v, a, lambda) >= CMB_OK);
  if (eq->no > 0) require(cmb_outputs(ev, t, q, v, a, lambda, out) >= CMB_OK);
  cmb_evaluator_destroy(ev);
  free(a);
  free(lambda);
  free(out);
}

/* Makes the equations. If that fails, the message is one line with a position. */
static void make_equations(cmb_context *ctx, const cmb_model *model, cmb_formulation formulation)
{
  cmb_mechanism *mechanism;
  cmb_system *system;
  const cmb_mechanism_options wanted = {.formulation = formulation};
  const cmb_graph_options options = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                     .explicit_form = formulation == CMB_FORM_EXPLICIT,
                                     .residual_form = formulation == CMB_FORM_RESIDUAL};
  cmb_status status = cmb_mechanism_create(ctx, model, &wanted, &mechanism);
  if (status != CMB_OK) {
    require(status == CMB_ERROR_INPUT);
    require_message(cmb_last_error(ctx));
    return;
  }
  require(cmb_graph_system_create(ctx, &mechanism->expressions, &options, &system) == CMB_OK);
  cmb_mechanism_destroy(mechanism);
  evaluate(ctx, system);
  cmb_system_destroy(system);
}

/* Returns whether the model is small enough; the derivatives of large ones take too long. */
static bool is_small(const cmb_model *m)
{
  return m->body_count <= 12 && m->loop_count <= 12 && m->force_count <= 24 &&
         m->output_count <= 24 && m->measure_count <= 24;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  cmb_model *model;
  unsigned sum = 0;
  char *text =
      malloc(size); /* of the exact length, so that the sanitizer detects reading beyond the end */
  cmb_context *ctx = cmb_context_create(NULL);
  require(ctx && (text || size == 0));
  if (size > 0) memcpy(text, data, size);
  for (size_t i = 0; i < size; i++) sum += data[i];
  cmb_status status = cmb_model_parse(ctx, text, size, path, NULL, &model);
  if (status == CMB_OK) {
    require_model(model);
    if (is_small(model)) make_equations(ctx, model, (cmb_formulation)(sum % 3));
    cmb_model_destroy(model);
  } else {
    require(status == CMB_ERROR_INPUT && !model);
    require_message(cmb_last_error(ctx));
  }
  cmb_context_destroy(ctx);
  free(text);
  return 0;
}
