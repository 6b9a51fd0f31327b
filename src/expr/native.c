/*
 * Native code (include/camber/expr.h, native.h): emits programs as machine code, or creates them from the cache, else with the compiler, and
 * runs them. If this is not possible, the interpreter runs the programs.
 */
#include "expr/native.h"

#include "base/context.h"
#include "expr/emit.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct function {
  const cmb_program *program;
  cmb_native_function scalar, lanes; /* compiled; lanes NULL: interpreted */
  cmb_native_special special;
  cmb_emitted_function emitted, emitted_lanes; /* NULL: not emitted */
};

struct cmb_native {
  cmb_arena *arena;
  cmb_native_origin origin;
  void *library;     /* with compiled functions, or NULL */
  cmb_emitted code;  /* with emitted functions */
  int emitted_width; /* number of lanes that a call of an emitted function computes */
  int count;
  struct function *functions; /* (count) */
};

/* Evaluates one instruction of a program by the interpreter, on behalf of compiled code that has no C text for it: a table or a user's C
 * function, with the arguments a, b and c. */
static double interpret_instruction(const void *program, int instruction, double a, double b,
                                    double c)
{
  const cmb_program *p = program;
  return cmb_instruction_value(p, &p->code[instruction], a, b, c);
}

/* Solves the system of equations of an instruction of `program` for compiled code, for `lanes` sets of operands; only once if all sets are
 * equal. Operand k of set l is operands[k lanes + l]; unknown k is written to w[k stride + l], with stride = CMB_LANES, or 1 for a single set.
 * work is scratch. */
static void interpret_solution(const void *program, int instruction, int lanes,
                               const double *operands, double *w, double *work)
{
  const cmb_program *p = program;
  const cmb_program_solution *solution = &p->solutions[p->code[instruction].data];
  const cmb_program_system *s = &p->systems[solution->system];
  const int stride = lanes > 1 ? CMB_LANES : 1;
  double *room = cmb_program_room(p, stride, work), found[CMB_MOST_UNKNOWNS] = {0};
  bool same = true;
  for (int k = 0; k < s->operands * lanes; k++) {
    same = same && cmb_same_bits(operands[k], operands[k - k % lanes]);
  }
  for (int l = 0; l < lanes; l++) {
    const bool needed = l == 0 || !same;
    for (int k = 0; needed && k < s->operands; k++) room[k] = operands[k * lanes + l];
    if (needed) cmb_program_solve(p, solution, room, found);
    for (int k = 0; k < s->n; k++) w[k * stride + l] = found[k];
  }
}

/* ---- emitting */

/* Emits the programs as machine code, on numbers and on lanes as the options say. If that is not possible, they remain interpreted. */
static cmb_status emit(cmb_context *ctx, cmb_native *n, cmb_arena *scratch,
                       const cmb_native_options *options)
{
  const cmb_emit_level level = cmb_emit_best();
  cmb_emission *e = cmb_arena_take(scratch, 2 * (size_t)n->count, sizeof *e);
  int count = 0;
  if (!e) return cmb_fail_memory(ctx);
  for (int i = 0; i < n->count; i++) {
    const cmb_program *p = n->functions[i].program;
    if (!options->no_numbers) e[count++] = (cmb_emission){.program = p};
    if (!options->no_lanes) e[count++] = (cmb_emission){.program = p, .lanes = true};
  }
  CMB_TRY(cmb_emit(ctx, level, count, e, &n->code));
  if (!n->code.bytes) return CMB_OK;
  n->origin = CMB_NATIVE_EMITTED;
  n->emitted_width = cmb_emit_width(level);
  for (int i = 0; i < n->count; i++) {
    if (!options->no_numbers) n->functions[i].emitted = (e++)->function;
    if (!options->no_lanes) n->functions[i].emitted_lanes = (e++)->function;
  }
  return CMB_OK;
}

/* ---- loading of the shared object */

/* Returns the address of the function of program i in a loaded shared object, for doubles or for vectors of doubles, as `number` says; NULL if
 * it has none. */
static cmb_native_function function_address(void *library, int i, cmb_c_number number)
{
  char name[CMB_NATIVE_NAME];
  cmb_native_name(i, number, name);
  void *address = dlsym(library, name);
  cmb_native_function function;
  memcpy(&function, &address, sizeof function); /* POSIX allows this, ISO C has no cast for it */
  return function;
}

/* Loads the shared object at `path` and finds the functions of all programs in it, for doubles and, if `lanes` is set, also for vectors of
 * doubles. Returns false, with no library loaded, if this fails or a function is missing. */
static bool load(cmb_native *n, const char *path, bool lanes)
{
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  bool found = true;
  for (int i = 0; i < n->count; i++) {
    struct function *f = &n->functions[i];
    f->scalar = function_address(library, i, CMB_C_SCALAR);
    f->lanes = lanes ? function_address(library, i, CMB_C_LANES) : NULL;
    found = found && f->scalar && (!lanes || f->lanes);
  }
  if (found) {
    n->library = library;
  } else {
    dlclose(library);
  }
  return found;
}

/* ---- compiling */

/* The data of one call of cmb_native_create. */
struct maker {
  cmb_context *ctx;
  cmb_native *n;
  cmb_arena *arena;
  const cmb_program *const *programs;
  bool lanes;
  cmb_native_text text;
  cmb_native_compiler compiler;
  uint8_t key[CMB_DIGEST_SIZE];
  /* folder of the cache and path of the entry; NULL: there is no cache */
  const char *cache, *entry;
};

/* Creates a new folder for the compiler's files, in the cache or, if that fails, in $TMPDIR or /tmp; in the latter case sets m->entry to NULL,
 * and the code is not stored in the cache. Returns its path, NULL on failure. */
static char *make_build_folder(struct maker *m)
{
  const char *temporary = getenv("TMPDIR");
  if (!temporary || temporary[0] != '/') temporary = "/tmp";
  char *path = m->cache ? cmb_join_path(m->arena, m->cache, CMB_CACHE_BUILD "XXXXXX") : NULL;
  if (path && mkdtemp(path)) return path;
  m->entry = NULL;
  path = cmb_join_path(m->arena, temporary, "camber-XXXXXX");
  return path && mkdtemp(path) ? path : NULL;
}

/* Loads the compiled shared object from `folder`, and then moves it to the cache, if there is one. Returns whether it was loaded; a failure to
 * store it is ignored. */
static bool load_built(struct maker *m, const char *folder)
{
  char *path = cmb_join_path(m->arena, folder, "native.so");
  if (!path) return false;
  bool sealed = m->entry && cmb_cache_seal(m->ctx, path, m->key);
  if (!load(m->n, path, m->lanes)) {
    (void)snprintf(m->compiler.reason, sizeof m->compiler.reason,
                   "the shared object made by '%s' cannot be loaded", m->compiler.word[0]);
    return false;
  }
  if (sealed) (void)rename(path, m->entry);
  return true;
}

static bool build(struct maker *m)
{
  if (m->cache) cmb_cache_clean(m->arena, m->cache);
  char *folder = make_build_folder(m);
  if (!folder) {
    (void)snprintf(m->compiler.reason, sizeof m->compiler.reason,
                   "cannot create a folder to compile in: %s", strerror(errno));
    return false;
  }
  bool good = cmb_native_build(&m->compiler, &m->text, folder) && load_built(m, folder);
  cmb_cache_remove_folder(folder);
  return good;
}

static void find_entry(struct maker *m, const cmb_native_options *options)
{
  char name[CMB_DIGEST_TEXT + 3];
  cmb_digest_print(m->key, name);
  memcpy(name + CMB_DIGEST_TEXT - 1, ".so", 4);
  m->cache = cmb_cache_open(m->arena, options->cache);
  m->entry = m->cache ? cmb_join_path(m->arena, m->cache, name) : NULL;
}

/* Loads the compiled code of the programs from the cache, or else compiles it, and sets n->origin. If both fail, the programs are interpreted:
 * returns CMB_OK, and logs a warning. Returns an error if out of memory. */
static cmb_status compile(struct maker *m, const cmb_native_options *options)
{
  cmb_native *n = m->n;
  m->compiler = (cmb_native_compiler){.ctx = m->ctx, .arena = m->arena};
  bool found = cmb_native_find_compiler(&m->compiler, options);
  if (found) {
    CMB_TRY(cmb_native_print(m->ctx, m->arena, n->count, m->programs, m->lanes, &m->text));
    cmb_native_key(&m->compiler, &m->text, m->key);
    find_entry(m, options);
    if (m->entry && cmb_cache_check(m->ctx, m->entry, m->key) && load(n, m->entry, m->lanes)) {
      n->origin = CMB_NATIVE_CACHED;
      return CMB_OK;
    }
    if (build(m)) {
      n->origin = CMB_NATIVE_COMPILED;
      return CMB_OK;
    }
  }
  if (cmb_arena_failed(m->arena)) return cmb_fail_memory(m->ctx);
  cmb_log(m->ctx, CMB_LOG_WARNING, "no native code, formulas are interpreted: %s",
          m->compiler.reason);
  return CMB_OK;
}

cmb_status cmb_native_create(cmb_context *ctx, int count, const cmb_program *const *programs,
                             const cmb_native_options *options, cmb_native **out)
{
  static const cmb_native_options defaults = {0};
  if (!options) options = &defaults;
  CMB_REQUIRE(ctx, ctx && out, "cmb_native_create needs a context and a place for the code");
  *out = NULL;
  CMB_REQUIRE(ctx, count >= 0 && (programs || count == 0), "cmb_native_create needs programs");
  for (int i = 0; i < count; i++) CMB_REQUIRE(ctx, programs[i], "a program is missing");
  cmb_arena *arena = cmb_arena_create(ctx), *scratch = arena ? cmb_arena_create(ctx) : NULL;
  cmb_native *n = scratch ? cmb_arena_take(arena, 1, sizeof *n) : NULL;
  if (n) {
    *n = (cmb_native){.arena = arena, .count = count};
    n->functions = cmb_arena_take(arena, (size_t)count, sizeof *n->functions);
  }
  if (!n || cmb_arena_failed(arena)) {
    cmb_arena_destroy(scratch);
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  for (int i = 0; i < count; i++) {
    n->functions[i] =
        (struct function){.program = programs[i],
                          .special = {programs[i], interpret_instruction, interpret_solution}};
  }
  struct maker m = {
      .ctx = ctx, .n = n, .arena = scratch, .programs = programs, .lanes = !options->no_lanes};
  cmb_status status = options->emit ? emit(ctx, n, scratch, options) : compile(&m, options);
  cmb_native_text_release(&m.text);
  cmb_arena_destroy(scratch);
  if (status == CMB_OK) {
    *out = n;
  } else {
    cmb_native_destroy(n);
  }
  return status;
}

void cmb_native_destroy(cmb_native *n)
{
  if (!n) return;
  if (n->library) dlclose(n->library);
  cmb_emit_release(&n->code);
  cmb_arena_destroy(n->arena);
}

cmb_native_origin cmb_native_where_from(const cmb_native *n)
{
  return n->origin;
}

void cmb_native_run(const cmb_native *n, int i, const double *in, double *out, double *work)
{
  const struct function *f = &n->functions[i];
  if (f->emitted) {
    f->emitted(in, out, work);
  } else if (n->library) {
    f->scalar(in, out, work, &f->special);
  } else {
    cmb_program_run(f->program, in, out, work);
  }
}

void cmb_native_run_lanes(const cmb_native *n, int i, const double *in, double *out, double *work)
{
  const struct function *f = &n->functions[i];
  if (f->emitted_lanes) {
    for (int l = 0; l < CMB_LANES; l += n->emitted_width) {
      f->emitted_lanes(in + l, out + l, work + l);
    }
  } else if (n->library && f->lanes) {
    f->lanes(in, out, work, &f->special);
  } else {
    cmb_program_run_lanes(f->program, in, out, work);
  }
}
