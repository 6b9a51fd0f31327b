/*
 * Reads models from text for tests (model_case.h).
 */
#include "model_case.h"

#include "base/text.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

cmb_model *cmbt_model_parse(cmb_context *ctx, const char *text)
{
  cmb_model *model = NULL;
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "test.yaml", NULL, &model));
  return model;
}

cmb_model *cmbt_model_of_parts(cmb_context *ctx, const char *text)
{
  char library[1000];
  cmb_model *model = NULL;
  const cmb_model_options options = {.library = library};
  snprintf(library, sizeof library, "%s/models", getenv("SOURCE_DIR"));
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "test.yaml", &options, &model));
  return model;
}

void cmbt_model_refused(cmb_context *ctx, const char *text, const char *place, const char *fragment)
{
  cmb_model *model = NULL;
  char begin[200];
  cmb_status status = cmb_model_parse(ctx, text, strlen(text), "test.yaml", NULL, &model);
  const char *message = cmb_last_error(ctx);
  snprintf(begin, sizeof begin, "%s: ", place);
  if (status != CMB_ERROR_INPUT || model || strncmp(message, begin, strlen(begin)) != 0 ||
      !strstr(message, fragment) || strchr(message, '\n')) {
    fail_msg("%.300s\nstatus %s, \"%s\"; expected \"%s... %s ...\"", text, cmb_status_code(status),
             message, begin, fragment);
  }
}

/* Returns the struct with this name in an array of structs whose first member is their name; the test fails if there is none. */
static const void *row(const void *rows, int count, size_t size, const char *name)
{
  int i = cmb_find_name(name, rows, count, size);
  if (i < 0) fail_msg("the model has no object '%s'", name);
  return (const char *)rows + (size_t)i * size;
}

const cmb_model_body *cmbt_model_body(const cmb_model *m, const char *name)
{
  return row(m->bodies, m->body_count, sizeof *m->bodies, name);
}

const cmb_model_joint *cmbt_model_joint(const cmb_model *m, const char *name)
{
  return row(m->joints, m->joint_count, sizeof *m->joints, name);
}

const cmb_model_loop *cmbt_model_loop(const cmb_model *m, const char *name)
{
  return row(m->loops, m->loop_count, sizeof *m->loops, name);
}

const cmb_model_force *cmbt_model_force(const cmb_model *m, const char *name)
{
  return row(m->forces, m->force_count, sizeof *m->forces, name);
}

const cmb_model_marker *cmbt_model_marker(const cmb_model *m, const char *name)
{
  return row(m->markers, m->marker_count, sizeof *m->markers, name);
}

double cmbt_model_parameter(const cmb_model *m, const char *name)
{
  const cmb_model_parameter *p = row(m->parameters, m->parameter_count, sizeof *p, name);
  return p->number.value;
}

void cmbt_write_file(const char *path, const void *bytes, size_t length)
{
  char folder[200];
  snprintf(folder, sizeof folder, "%s", path);
  for (char *slash = strchr(folder, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(folder, 0777);
    *slash = '/';
  }
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}
