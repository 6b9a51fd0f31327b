/*
 * Collects the forces that a report shows as arrows (report.h): reactions of joints and loops, forces of springs, contacts and tyres.
 *
 * The model is read a second time with these forces as outputs, and its equations are evaluated along the run without influencing it
 * (option `extra_equations` of cmb_run_options). There is no arrow where redundant constraints leave the forces indeterminate, nor at instants at
 * which forces are not known.
 */
#include "cli/report.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char PREFIX[] = "arrow_of_report_"; /* followed by a number: the name of an output */

/* ---- choosing the forces */

/* Returns how many components of the force of an element of this type a report shows: 1 (along the line between two points) for springs and
 * contacts of two spheres, 3 (global axes) for tyres and contacts with a surface, and 0 for others, whose force is not shown. */
static int force_components(const char *type)
{
  if (strcmp(type, "spring") == 0 || strcmp(type, "hunt-crossley") == 0) return 1;
  return strcmp(type, "contact") == 0 || strcmp(type, "tyre") == 0 ? 3 : 0;
}

/* Returns how many components the force arrow of element i of a kind (joint, loop, force element, stop) has in a report: 3 along the global
 * axes, 1 along the line between two points, or 0 if the element has no arrow. */
static int arrow_components(const cmb_model *m, cmb_item_kind kind, int i, const cmb_item *item)
{
  if (kind == CMB_ITEM_JOINT) return strcmp(item->type, "free") == 0 ? 0 : 3;
  /* a gear, a torsion spring or the stop of a coordinate has no point of application */
  if (cmb_model_points(m, kind, i, 0, NULL) == 0) return 0;
  return kind == CMB_ITEM_FORCE ? force_components(item->type) : 3;
}

/* Adds the force arrow of element number `item` of a kind to f: appends it to f->arrows, unless this is NULL, and updates the counters. Appends
 * to `text`, in the notation of a model file, outputs for its 1 or 3 force components. `about` describes the element. */
static void add_arrow(struct cli_forces *f, cmb_item_kind kind, int item, int components,
                      FILE *text, const cmb_item *about)
{
  static const char *const three[] = {"fx", "fy", "fz"}, *const one[] = {"force"};
  const bool pushes = kind == CMB_ITEM_FORCE && strcmp(about->type, "hunt-crossley") == 0;
  if (f->arrows) f->arrows[f->count] = (struct cli_arrow){kind, item, components, f->numbers};
  f->count++;
  for (int k = 0; k < components; k++, f->numbers++) {
    fprintf(text, "  %s%d: %s%s.%s\n", PREFIX, f->numbers, pushes ? "-" : "", about->name,
            (components == 3 ? three : one)[k]);
  }
}

/* Lists the force arrows of all joints, loops, force elements and stops of the model in f->arrows or, if this is NULL, only counts them. Writes
 * the definitions of outputs for their force components, in the notation of a model file, to `text`. */
static void list_arrows(struct cli_forces *f, const cmb_model *m, FILE *text)
{
  static const cmb_item_kind kinds[] = {CMB_ITEM_JOINT, CMB_ITEM_LOOP, CMB_ITEM_FORCE,
                                        CMB_ITEM_STOP};
  f->count = f->numbers = 0;
  fputs("outputs:\n", text);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    cmb_item item;
    for (int i = 0; cmb_model_item(m, kinds[k], i, &item); i++) {
      const int components = arrow_components(m, kinds[k], i, &item);
      if (components > 0) add_arrow(f, kinds[k], i, components, text, &item);
    }
  }
}

/* Builds the section `outputs` of a model file with an output for each component of each force arrow, and allocates and fills f->arrows in
 * two passes (count, then list). Returns the section as a string to be freed; NULL if out of memory. */
static char *write_outputs(struct cli_forces *f, const cmb_model *m)
{
  char *text = NULL;
  size_t length = 0;
  for (int pass = 0; pass < 2; pass++) {
    free(text);
    text = NULL;
    FILE *memory = open_memstream(&text, &length);
    if (!memory) return NULL;
    list_arrows(f, m, memory);
    const bool good = !ferror(memory);
    if (fclose(memory) != 0 || !good) break;
    if (pass == 1) return text;
    f->arrows = calloc((size_t)f->count + 1, sizeof *f->arrows);
    f->output = calloc((size_t)f->numbers + 1, sizeof *f->output);
    f->now = calloc((size_t)f->numbers + 1, sizeof *f->now);
    if (!f->arrows || !f->output || !f->now) break;
  }
  free(text);
  return NULL;
}

/* ---- the second system */

/* Returns whether the force that an arrow shows is indeterminate, because redundant constraints can share it in several ways. */
static bool is_indeterminate(const struct cli_forces *f, const struct cli_arrow *arrow)
{
  const bool *shared = cmb_system_shared_outputs(f->system);
  for (int k = 0; shared && k < arrow->components; k++) {
    if (shared[f->output[arrow->first + k]]) return true;
  }
  return false;
}

/* Finds the outputs of f->system (with the equations eq) that contain the force components of the arrows, and stores their indices in
 * f->output. Removes arrows whose forces are indeterminate because of redundant constraints. */
static void find_outputs(struct cli_forces *f, const cmb_equations *eq)
{
  int kept = 0;
  for (int i = 0; i < eq->no; i++) {
    if (strncmp(eq->output_names[i], PREFIX, sizeof PREFIX - 1) != 0) continue;
    const long k = strtol(eq->output_names[i] + sizeof PREFIX - 1, NULL, 10);
    if (k >= 0 && k < f->numbers) f->output[k] = i;
  }
  for (int i = 0; i < f->count; i++) {
    if (!is_indeterminate(f, &f->arrows[i])) f->arrows[kept++] = f->arrows[i];
  }
  f->count = kept;
}

/* Creates f->system, a second system of the run's model with additional outputs for force components, which the text `outputs` defines in the
 * notation of a model file. It is evaluated along the run without influencing it. */
static cmb_status create_second_system(struct cli_forces *f, const struct cli_arguments *a,
                                       const char *outputs)
{
  struct cli_model_source source;
  if (!cli_find_model(a, &source)) return CMB_ERROR_IO;
  source.options.addition = outputs;
  CMB_TRY(cmb_model_read(f->ctx, source.path, &source.options, &f->model));
  return cli_create_extra_system(f->ctx, a, f->model, &f->system);
}

/* Removes all force arrows from the report, and destroys f->system, the second system that computes their forces. Called if that system could
 * not be created or does not fit the equations of the run. */
static void remove_all_arrows(struct cli_forces *f)
{
  cmb_system_destroy(f->system);
  f->system = NULL;
  f->count = f->numbers = 0;
}

cmb_status cli_forces_begin(struct cli_forces *f, const struct cli_arguments *a,
                            const cmb_equations *eq)
{
  *f = (struct cli_forces){0};
  if (!a->model || a->realtime) return CMB_OK; /* computing forces would delay real-time steps */
  f->ctx = cmb_context_create(NULL);
  char *outputs = f->ctx ? write_outputs(f, a->model) : NULL;
  if (!outputs) return CMB_ERROR_MEMORY;
  const cmb_status status = f->count > 0 ? create_second_system(f, a, outputs) : CMB_OK;
  free(outputs);
  if (status == CMB_ERROR_MEMORY) return status;
  if (status != CMB_OK || !f->system ||
      !cmb_extra_equations_fit(cmb_system_equations(f->system), eq)) {
    remove_all_arrows(f);
  } else {
    find_outputs(f, cmb_system_equations(f->system));
  }
  return CMB_OK;
}

const cmb_equations *cli_forces_equations(const struct cli_forces *f)
{
  return f->system && f->count > 0 ? cmb_system_equations(f->system) : NULL;
}

const double *cli_forces_of(struct cli_forces *f, const cmb_record *record)
{
  for (int i = 0; i < f->numbers; i++)
    f->now[i] = record->extra_outputs ? record->extra_outputs[f->output[i]] : NAN;
  return f->now;
}

void cli_forces_end(struct cli_forces *f)
{
  cmb_system_destroy(f->system);
  cmb_model_destroy(f->model);
  cmb_context_destroy(f->ctx);
  free(f->arrows);
  free(f->output);
  free(f->now);
}

/* ---- the page */

/* The components of an arrow's force at all instants, scaled to 16-bit integers: 32767 stands for `most`, −32768 for an unknown force. */
struct column {
  int16_t *data; /* (n) instants x components */
  long n;
  double most; /* largest magnitude of the force, in N */
};

/* Returns a pointer to the components (1 or 3) of an arrow's force in frame k of an animation. */
static const double *force_at(const struct cli_frames *frames, const struct cli_arrow *arrow,
                              long k)
{
  return cli_frames_row(frames, k) + 1 + frames->nq + arrow->first;
}

/* Scales the components of an arrow's force at all instants to 16-bit integers c->data (instants x components). The largest magnitude of the
 * force, c->most, becomes 32767; −32768 stands for an unknown value. */
static void scale_components(struct column *c, const struct cli_frames *frames,
                             const struct cli_arrow *arrow)
{
  c->most = 0;
  for (long k = 0; k < frames->count; k++) {
    const double *x = force_at(frames, arrow, k);
    const double size = arrow->components == 3 ? hypot(hypot(x[0], x[1]), x[2]) : fabs(x[0]);
    c->most = fmax(c->most, size); /* fmax ignores NaN */
  }
  for (long i = 0; i < c->n; i++) {
    const double x = force_at(frames, arrow, i / arrow->components)[i % arrow->components];
    const double part = c->most > 0 ? x / c->most : 0;
    c->data[i] = isfinite(x) ? (int16_t)lrint(INT16_MAX * part) : INT16_MIN;
  }
}

static void put_point(struct cli_json *j, const cmb_body_point *p)
{
  cli_json_open(j, NULL, '{');
  cli_json_integer(j, "body", p->body);
  cli_json_numbers(j, "at", 3, p->at);
  cli_json_close(j, '}');
}

/* Writes the points where a force arrow is drawn as the JSON list "points". A force with one component acts along a line, and both ends of the
 * line are written. Otherwise one point is written: for a joint its point on the child body, for other elements their last point. */
static void put_points(struct cli_json *j, const cmb_model *m, const struct cli_arrow *arrow)
{
  cmb_body_point points[2];
  cmb_joint joint;
  int count = 1;
  if (arrow->kind == CMB_ITEM_JOINT && cmb_joint_of(m, arrow->item, &joint)) {
    points[0] = (cmb_body_point){.body = joint.child};
    memcpy(points[0].at, joint.at, sizeof joint.at);
  } else {
    count = cmb_model_points(m, arrow->kind, arrow->item, 2, points);
  }
  cli_json_open(j, "points", '[');
  for (int k = arrow->components == 3 ? count - 1 : 0; k < count; k++) put_point(j, &points[k]);
  cli_json_close(j, ']');
}

/* Writes a force arrow as a JSON object: name, type, points, largest magnitude of the force, and the components of the force at all
 * instants, scaled to 16-bit integers. */
static void put_arrow(struct cli_json *j, const struct cli_forces *f, const struct cli_arrow *arrow,
                      const struct column *c)
{
  cmb_item item;
  if (!cmb_model_item(f->model, arrow->kind, arrow->item, &item)) return;
  cli_json_open(j, NULL, '{');
  cli_json_text(j, "name", item.name);
  cli_json_text(j, "type",
                arrow->kind == CMB_ITEM_JOINT  ? "joint"
                : arrow->kind == CMB_ITEM_LOOP ? "loop"
                                               : item.type);
  put_points(j, f->model, arrow);
  cli_json_number(j, "most", c->most);
  cli_json_bytes(j, "data", c->data, (size_t)c->n * sizeof *c->data);
  cli_json_close(j, '}');
}

cmb_status cli_report_forces(struct cli_json *j, const struct cli_forces *f,
                             const struct cli_frames *frames)
{
  struct column c = {.data = calloc((size_t)(3 * frames->count) + 1, sizeof *c.data)};
  if (!c.data) return CMB_ERROR_MEMORY;
  cli_json_open(j, "forces", '[');
  for (int i = 0; i < f->count; i++) {
    c.n = f->arrows[i].components * frames->count;
    scale_components(&c, frames, &f->arrows[i]);
    put_arrow(j, f, &f->arrows[i], &c);
  }
  cli_json_close(j, ']');
  free(c.data);
  return CMB_OK;
}
