/*
 * Runs models in tests (model_run.h).
 */
#include "model_run.h"

#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 1000, MOST_SET = 16 };

static void path_of(const char *name, char path[PATH_ROOM])
{
  const char *folder = getenv("SOURCE_DIR");
  assert_non_null(folder);
  snprintf(path, PATH_ROOM, "%s/models/%s.yaml", folder, name);
}

static void begin(cmbt_run *r)
{
  *r = (cmbt_run){.ctx = cmb_context_create(NULL), .rtol = 1e-10, .method = "mdop853"};
  assert_non_null(r->ctx);
}

static void make_system(cmbt_run *r, cmb_formulation formulation, bool expressions)
{
  const cmb_model_system_options options = {.formulation = formulation,
                                            .evaluation = CMB_EVALUATE_INTERPRETER,
                                            .derivatives = true,
                                            .expressions = expressions};
  cmbt_ok(r->ctx, cmb_model_system(r->ctx, r->model, &options, &r->system));
  r->eq = cmb_system_equations(r->system);
}

void cmbt_run_open(cmbt_run *r, const char *name, cmb_formulation formulation, int set_count,
                   const cmb_setting *set)
{
  char path[PATH_ROOM];
  const char *names[MOST_SET];
  double values[MOST_SET];
  begin(r);
  path_of(name, path);
  assert_in_range(set_count, 0, MOST_SET);
  for (int i = 0; i < set_count; i++) {
    names[i] = set[i].name;
    values[i] = set[i].value;
  }
  const cmb_model_options options = {
      .set_count = set_count, .set_names = names, .set_values = values};
  cmbt_ok(r->ctx, cmb_model_read(r->ctx, path, &options, &r->model));
  make_system(r, formulation, false);
}

void cmbt_run_open_text(cmbt_run *r, const char *text, cmb_formulation formulation)
{
  cmbt_run_open_text_with(r, text, formulation, false);
}

void cmbt_run_open_text_with(cmbt_run *r, const char *text, cmb_formulation formulation,
                             bool expressions)
{
  char path[PATH_ROOM];
  begin(r);
  path_of("test", path);
  cmbt_ok(r->ctx, cmb_model_parse(r->ctx, text, strlen(text), path, NULL, &r->model));
  make_system(r, formulation, expressions);
}

void cmbt_run_close(cmbt_run *r)
{
  cmb_simulation_destroy(r->sim);
  cmb_system_destroy(r->system);
  cmb_model_destroy(r->model);
  cmb_context_destroy(r->ctx);
  free(r->rows);
  free(r->events);
}

void cmbt_run_settle(cmbt_run *r)
{
  cmb_equilibrium_report report;
  cmbt_ok(r->ctx, cmb_system_equilibrium(r->ctx, r->system, &report));
}

static int width_of(const cmbt_run *r)
{
  return 1 + r->eq->no + r->eq->nq + r->eq->nv;
}

static cmb_status keep_record(void *user, const cmb_record *record)
{
  cmbt_run *r = user;
  const cmb_equations *eq = r->eq;
  const int width = width_of(r);
  if (r->row_count == r->row_room) {
    r->row_room = r->row_room ? 2 * r->row_room : 64;
    r->rows = realloc(r->rows, (size_t)(r->row_room * width) * sizeof *r->rows);
    assert_non_null(r->rows);
  }
  double *row = r->rows + (ptrdiff_t)r->row_count++ * width;
  row[0] = record->t;
  memcpy(row + 1, record->outputs, (size_t)eq->no * sizeof *row);
  memcpy(row + 1 + eq->no, record->q, (size_t)eq->nq * sizeof *row);
  memcpy(row + 1 + eq->no + eq->nq, record->v, (size_t)eq->nv * sizeof *row);
  return CMB_OK;
}

static cmb_status keep_event(void *user, const cmb_event *event)
{
  cmbt_run *r = user;
  if (r->event_count == r->event_room) {
    r->event_room = r->event_room ? 2 * r->event_room : 64;
    r->events = realloc(r->events, (size_t)r->event_room * sizeof *r->events);
    assert_non_null(r->events);
  }
  cmbt_event *kept = &r->events[r->event_count++];
  *kept = (cmbt_event){.t = event->t,
                       .limit = event->limit,
                       .index = event->index,
                       .direction = event->direction,
                       .kind = event->kind};
  snprintf(kept->name, sizeof kept->name, "%s", event->name);
  return CMB_OK;
}

static void make_simulation(cmbt_run *r, double t_end, double every)
{
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(r->method);
  cmb_option_setting settings[3];
  int count = 0;
  if (r->form) settings[count++] = (cmb_option_setting){"form", r->form};
  if (r->control) settings[count++] = (cmb_option_setting){"control", r->control};
  if (r->positions) settings[count++] = (cmb_option_setting){"positions", r->positions};
  options.integrator.settings = settings;
  options.integrator.setting_count = count;
  options.integrator.rtol = r->rtol;
  options.integrator.atol = r->atol > 0 ? r->atol : CMB_ATOL_PER_RTOL * r->rtol;
  options.integrator.step = r->step;
  options.t_end = t_end;
  options.every = every;
  options.observer =
      (cmb_observer){.user = r, .record = every > 0 ? keep_record : NULL, .event = keep_event};
  assert_null(r->sim);
  cmbt_ok(r->ctx, cmb_simulation_create(r->ctx, r->system, &options, &r->sim));
  r->result = cmb_simulation_result(r->sim);
}

void cmbt_run_start(cmbt_run *r)
{
  make_simulation(r, 1, 0);
  cmbt_ok(r->ctx, cmb_simulation_start(r->sim));
}

void cmbt_run_to(cmbt_run *r, double t_end, double every)
{
  make_simulation(r, t_end, every);
  cmbt_ok(r->ctx, cmb_simulation_run(r->sim));
}

static int number_in(const char *const *names, int count, const char *name)
{
  for (int i = 0; i < count; i++) {
    if (strcmp(names[i], name) == 0) return i;
  }
  return -1;
}

double cmbt_output(const cmbt_run *r, const char *name)
{
  if (strcmp(name, "t") == 0) return r->result->t;
  const int i = number_in(r->eq->output_names, r->eq->no, name);
  if (i < 0) fail_msg("the model has no output '%s'", name);
  return r->result->outputs[i];
}

static int column_of(const cmbt_run *r, const char *name)
{
  const cmb_equations *eq = r->eq;
  if (strcmp(name, "t") == 0) return 0;
  int i = number_in(eq->output_names, eq->no, name);
  if (i >= 0) return 1 + i;
  i = number_in(eq->q_names, eq->nq, name);
  if (i >= 0) return 1 + eq->no + i;
  i = number_in(eq->v_names, eq->nv, name);
  if (i < 0) fail_msg("the model has no output, coordinate or velocity '%s'", name);
  return 1 + eq->no + eq->nq + i;
}

double cmbt_row(const cmbt_run *r, int row, const char *name)
{
  assert_in_range(row, 0, r->row_count - 1);
  return r->rows[(ptrdiff_t)row * width_of(r) + column_of(r, name)];
}

double cmbt_velocity(const cmbt_run *r, const char *name)
{
  const int i = number_in(r->eq->v_names, r->eq->nv, name);
  if (i < 0) fail_msg("the model has no velocity '%s'", name);
  return r->result->v[i];
}

/* As cmbt_times; `user`: of a user's event, else of a switching function. */
static int times(const cmbt_run *r, bool user, const char *name, int direction, int most, double *t)
{
  int count = 0;
  for (int i = 0; i < r->event_count; i++) {
    const cmbt_event *e = &r->events[i];
    if (strcmp(e->name, name) != 0 || user != (e->index < 0)) continue;
    if (direction != 0 && e->direction != direction) continue;
    if (count < most) t[count] = e->t;
    count++;
  }
  return count;
}

int cmbt_times(const cmbt_run *r, const char *name, int direction, int most, double *t)
{
  return times(r, true, name, direction, most, t);
}

int cmbt_switch_times(const cmbt_run *r, const char *name, int direction, int most, double *t)
{
  return times(r, false, name, direction, most, t);
}

double cmbt_integral(const cmbt_run *r, const char *name)
{
  const int n = r->row_count;
  double sum = 0, h = cmbt_row(r, 1, "t") - cmbt_row(r, 0, "t");
  assert_int_equal(n % 2, 1);
  for (int i = 0; i < n; i++) {
    double weight = i == 0 || i == n - 1 ? 1 : i % 2 ? 4 : 2;
    sum += weight * cmbt_row(r, i, name);
  }
  return sum * h / 3;
}

bool cmbt_has_trailer(const char *name)
{
  return strstr(name, "trailer") != NULL;
}

int cmbt_model_names(char names[CMBT_MOST_MODELS][CMBT_NAME_ROOM])
{
  char folder[1000];
  int count = 0;
  snprintf(folder, sizeof folder, "%s/models", getenv("SOURCE_DIR"));
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir));) {
    const char *end = strstr(entry->d_name, ".yaml");
    if (!end || end[5]) continue;
    assert_in_range(count, 0, CMBT_MOST_MODELS - 1);
    snprintf(names[count++], CMBT_NAME_ROOM, "%.*s", (int)(end - entry->d_name), entry->d_name);
  }
  closedir(dir);
  return count;
}
