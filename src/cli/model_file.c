/*
 * Finds the model file that a name on the command line means, and reads it. Used by all commands that take a model.
 *
 * Bundled models are in the folder that the environment variable CAMBER_MODELS names; if this is not set, in ../share/camber/models relative
 * to the program's folder, or (before installation) in its subfolder models.
 */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/realtime.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_program_folder(char path[CLI_PATH_ROOM])
{
  ssize_t length = readlink("/proc/self/exe", path, CLI_PATH_ROOM - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  if (!slash) return false;
  *slash = '\0';
  return true;
}

/* Finds the folder of the bundled models and writes its path to `path`: the folder that the environment variable CAMBER_MODELS names
 * (unchecked) or, if it is not set, a folder relative to the program. Returns false if there is none. */
static bool models_folder(char path[CLI_PATH_ROOM])
{
  const char *given = getenv("CAMBER_MODELS");
  if (given) return snprintf(path, CLI_PATH_ROOM, "%s", given) < CLI_PATH_ROOM;
  char program[CLI_PATH_ROOM];
  if (!cli_program_folder(program)) return false;
  snprintf(path, CLI_PATH_ROOM, "%.*s/../share/camber/models", CLI_PATH_ROOM - 64, program);
  if (access(path, R_OK) == 0) return true;
  snprintf(path, CLI_PATH_ROOM, "%.*s/models", CLI_PATH_ROOM - 64, program);
  return access(path, R_OK) == 0;
}

/* Returns whether a name denotes a file rather than a bundled model: whether it contains '/' or ends in .yaml or .yml. */
static bool is_file_name(const char *name)
{
  size_t length = strlen(name);
  return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".yaml") == 0) ||
         (length > 4 && strcmp(name + length - 4, ".yml") == 0);
}

/* Writes the path of the bundled model with this name to `path`. Returns false if there is no such model or it cannot be read. */
static bool find_bundled(const char *name, char path[CLI_PATH_ROOM])
{
  char folder[CLI_PATH_ROOM];
  if (!models_folder(folder)) return false;
  int length = snprintf(path, CLI_PATH_ROOM, "%.*s/%s.yaml", CLI_PATH_ROOM - 256, folder, name);
  return length < CLI_PATH_ROOM && access(path, R_OK) == 0;
}

/* Finds the model file that a name on the command line means, and writes its path to `path`: a file if the name contains '/' or ends in .yaml
 * or .yml (it need not exist), otherwise a bundled model (*bundled is then true). A relative name with '/' that is no existing file may also be
 * a bundled model, which is tried first. Returns false if the name means neither, or the path is too long. */
static bool find_file(const char *name, char path[CLI_PATH_ROOM], bool *bundled)
{
  const bool variant = strchr(name, '/') && name[0] != '/' && access(name, F_OK) != 0;
  *bundled = (variant || !is_file_name(name)) && find_bundled(name, path);
  if (*bundled) return true;
  return is_file_name(name) && snprintf(path, CLI_PATH_ROOM, "%s", name) < CLI_PATH_ROOM;
}

static int by_name(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the .yaml files in a folder: stores their names without the extension in names[], sorted. The caller frees each name. Returns the
 * number of names, at most CLI_MOST_MODELS; 0 if the folder cannot be read. */
static int files_in(const char *folder, char *names[CLI_MOST_MODELS])
{
  int count = 0;
  DIR *dir = opendir(folder);
  if (!dir) return 0;
  for (struct dirent *entry; (entry = readdir(dir)) && count < CLI_MOST_MODELS;) {
    size_t length = strlen(entry->d_name);
    if (length <= 5 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
    char *name = calloc(length - 4, 1);
    if (!name) break;
    memcpy(name, entry->d_name, length - 5);
    names[count++] = name;
  }
  closedir(dir);
  qsort(names, (size_t)count, sizeof *names, by_name);
  return count;
}

int cli_bundled_models(char *names[CLI_MOST_MODELS])
{
  char folder[CLI_PATH_ROOM];
  return models_folder(folder) ? files_in(folder, names) : 0;
}

int cli_bundled_parts(char *names[CLI_MOST_MODELS])
{
  char folder[CLI_PATH_ROOM], parts[CLI_PATH_ROOM];
  if (!models_folder(folder)) return 0;
  snprintf(parts, sizeof parts, "%.*s/parts", CLI_PATH_ROOM - 256, folder);
  return files_in(parts, names);
}

cmb_status cli_read_part(cmb_context *ctx, const char *name, cmb_model **part)
{
  char folder[CLI_PATH_ROOM], path[CLI_PATH_ROOM];
  if (!models_folder(folder)) return CMB_ERROR_IO;
  snprintf(path, sizeof path, "%.*s/parts/%.200s.yaml", CLI_PATH_ROOM - 256, folder, name);
  const cmb_model_options options = {.library = folder};
  return cmb_model_read(ctx, path, &options, part);
}

/* Prints the error message that the existing file `name`, such as arm.urdf, is not a Camber model; returns the exit code CLI_BAD_INPUT. */
static int complain_file(const char *name)
{
  return cli_complain("'%s' is no model file of Camber, whose names end in .yaml; files of other "
                      "programs, such as URDF and MJCF, are not read: "
                      "docs/guide/coming-from.md says how their parts are written",
                      name);
}

/* Prints the error message for an unknown model name, with the existing file name.yaml or the most similar known name, if there is one, as a
 * suggestion; returns the exit code CLI_BAD_INPUT. */
static int complain_model(const char *name)
{
  if (strchr(name, '.') && access(name, R_OK) == 0) return complain_file(name);
  char *bundled[CLI_MOST_MODELS];
  const char *names[2 * CLI_MOST_MODELS];
  int models = cli_bundled_models(bundled), count = 0;
  for (int i = 0; i < cmb_problem_count() && count < CLI_MOST_MODELS; i++) {
    names[count++] = cmb_problem_name(cmb_problem_at(i));
  }
  for (int i = 0; i < models; i++) names[count++] = bundled[i];
  const char *near = cmb_nearest_name(name, names, count, sizeof *names);
  char file[CLI_PATH_ROOM];
  snprintf(file, sizeof file, "%.*s.yaml", CLI_PATH_ROOM - 6, name);
  if (access(file, R_OK) == 0) near = file;
  int code = near ? cli_complain("unknown model '%s'; did you mean '%s'?", name, near)
             : models > 0
                 ? cli_complain("unknown model '%s'; 'camber list models' shows them", name)
                 : cli_complain("unknown model '%s'; " CLI_NO_BUNDLED, name);
  for (int i = 0; i < models; i++) free(bundled[i]);
  return code;
}

bool cli_find_model(const struct cli_arguments *a, struct cli_model_source *s)
{
  if (!find_file(a->operand, s->path, &s->bundled)) return false;
  for (int i = 0; i < a->set_count; i++) {
    s->names[i] = a->set[i].name;
    s->values[i] = a->set[i].value;
  }
  s->options = (cmb_model_options){.set_count = a->set_count,
                                   .set_names = s->names,
                                   .set_values = s->values,
                                   .include_anywhere = a->include_anywhere,
                                   .library = models_folder(s->library) ? s->library : NULL,
                                   .live_count = a->live_count,
                                   .live_names = a->live,
                                   .live_all = a->live_all};
  return true;
}

int cli_read_model(cmb_context *ctx, struct cli_arguments *a)
{
  struct cli_model_source source;
  if (cmb_problem_find(a->operand)) {
    if (!a->live_all && a->live_count == 0) return cli_realtime_choose(a);
    return cli_complain("--live is for the parameters of model files; '%s' is written in C",
                        a->operand);
  }
  if (!cli_find_model(a, &source)) return complain_model(a->operand);
  cmb_status status = cmb_model_read(ctx, source.path, &source.options, &a->model);
  if (status == CMB_OK) return cli_take_keys(ctx, a);
  return cli_fail(ctx, status);
}

const char *cli_title(const struct cli_arguments *a)
{
  const cmb_problem *problem = a->model ? NULL : cmb_problem_find(a->operand);
  const char *title = problem ? cmb_problem_title(problem) : cmb_model_title(a->model);
  if (title[0]) return title;
  return problem ? cmb_problem_name(problem) : cmb_model_name(a->model);
}

bool cli_complain_loop(cmb_context *ctx, const struct cli_arguments *a, cmb_status status)
{
  const cmb_error *e = cmb_error_of(ctx);
  cmb_model_origin o;
  if (status != CMB_ERROR_INCONSISTENT || !a->model) return false;
  if (!e->name || strcmp(e->kind, "constraint") != 0) return false;
  if (!cmb_model_origin_of(a->model, e->name, &o)) return false;
  cmb_error at = *e;
  at.file = o.file;
  at.line = o.line;
  at.column = o.column;
  cli_complain_at(&at, "", "%s '%s' cannot %s at the start: %s", o.kind, o.name,
                  strcmp(o.kind, "loop") == 0 ? "close" : "be met", e->text);
  return true;
}
