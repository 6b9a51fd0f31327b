/*
 * Native code (include/camber/expr.h): programs that are emitted as machine code (emit.h), or interpreted where that is not possible.
 */
#include "base/arena.h"
#include "base/context.h"
#include "expr/emit.h"

#include <camber/expr.h>

struct function {
  const cmb_program *program;
  cmb_emitted_function numbers, lanes; /* NULL: interpreted */
};

struct cmb_native {
  cmb_arena *arena;
  cmb_emitted code;
  int width; /* number of lanes that a call of a function computes */
  int count;
  struct function *functions; /* (count) */
};

/* Emits the programs as machine code, on numbers and on lanes as the options say. If that is not possible, they remain interpreted. */
static cmb_status emit(cmb_context *ctx, cmb_native *n, const cmb_native_options *options)
{
  const cmb_emit_level level = cmb_emit_best();
  cmb_emission *e = cmb_arena_take(n->arena, 2 * (size_t)n->count, sizeof *e);
  int count = 0;
  if (!e) return cmb_fail_memory(ctx);
  for (int i = 0; i < n->count; i++) {
    const cmb_program *p = n->functions[i].program;
    if (!options->no_numbers) e[count++] = (cmb_emission){.program = p};
    if (!options->no_lanes) e[count++] = (cmb_emission){.program = p, .lanes = true};
  }
  CMB_TRY(cmb_emit(ctx, level, count, e, &n->code));
  n->width = cmb_emit_width(level);
  for (int i = 0; i < n->count; i++) {
    if (!options->no_numbers) n->functions[i].numbers = (e++)->function;
    if (!options->no_lanes) n->functions[i].lanes = (e++)->function;
  }
  return CMB_OK;
}

cmb_status cmb_native_create(cmb_context *ctx, int count, const cmb_program *const *programs,
                             const cmb_native_options *options, cmb_native **out)
{
  static const cmb_native_options defaults = {0};
  CMB_REQUIRE(ctx, ctx && out, "cmb_native_create needs a context and a place for the code");
  *out = NULL;
  CMB_REQUIRE(ctx, count >= 0 && (programs || count == 0), "cmb_native_create needs programs");
  for (int i = 0; i < count; i++) CMB_REQUIRE(ctx, programs[i], "a program is missing");
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_native *n = arena ? cmb_arena_take(arena, 1, sizeof *n) : NULL;
  if (n) {
    *n = (cmb_native){.arena = arena, .count = count};
    n->functions = cmb_arena_take(arena, (size_t)count, sizeof *n->functions);
  }
  if (!n || cmb_arena_failed(arena)) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  for (int i = 0; i < count; i++) n->functions[i].program = programs[i];
  const cmb_status status = emit(ctx, n, options ? options : &defaults);
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
  cmb_emit_release(&n->code);
  cmb_arena_destroy(n->arena);
}

cmb_native_origin cmb_native_where_from(const cmb_native *n)
{
  return n->code.bytes ? CMB_NATIVE_EMITTED : CMB_NATIVE_INTERPRETED;
}

void cmb_native_run(const cmb_native *n, int i, const double *in, double *out, double *work)
{
  const struct function *f = &n->functions[i];
  if (f->numbers) {
    f->numbers(in, out, work);
  } else {
    cmb_program_run(f->program, in, out, work);
  }
}

void cmb_native_run_lanes(const cmb_native *n, int i, const double *in, double *out, double *work)
{
  const struct function *f = &n->functions[i];
  if (!f->lanes) {
    cmb_program_run_lanes(f->program, in, out, work);
    return;
  }
  for (int l = 0; l < CMB_LANES; l += n->width) f->lanes(in + l, out + l, work + l);
}
