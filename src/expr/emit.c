/*
 * Emitted code (emit.h): the walk over a program's instructions.
 *
 * A program is straight-line code, so that for each value the next instruction that reads it is known. A walk backwards over the
 * instructions finds it; the walk forwards then keeps values in registers. If none is free, the value that is read latest leaves its
 * register (Belady 1966); it is stored in its slot of the work array, unless it is there already or comes from memory. The slot belongs to
 * the value for as long as the value is read. A value that is read once more, or not soon, is not loaded but read from memory by the
 * instruction that uses it, where that is possible. Outputs are stored as soon as they are computed.
 *
 * Every call overwrites all vector registers: before it the values that are read later are stored.
 *
 * Numbers of values: below program->slots what is in memory from the beginning, by its slot: inputs, constants, and the unknowns of solved
 * systems; from there on the results of the instructions, in their order.
 *
 * The code of all functions is one block of memory: constants of the processor's operations, addresses of the called C functions, and for
 * each function the program's constants, followed by its instructions. Code for lanes has the constants once for each lane.
 */
#include "expr/emit.h"

#include "base/context.h"
#include "expr/emit_calls.h"
#include "expr/emit_x86.h"

#include <string.h>

#ifdef CMB_EMIT_X86
#include <sys/mman.h>

enum { NO_REGISTER = -1, ADDRESS = 8 };

static const uint32_t NEVER = UINT32_MAX;

/* A value that is read again at most this number of instructions later is loaded into a register; chosen for the shortest code. */
static const uint32_t SOON = 16;

/* Limits, so that distances in the code fit into 32 bits. */
static const int MOST_SLOTS = 1 << 24;
static const size_t MOST_CODE = (size_t)1 << 30;

/* A reading of a value: its number, and the index of the next instruction that reads it. */
struct reading {
  uint32_t value, next;
};

struct emitter {
  cmb_x86 *x;
  const cmb_program *p;
  int32_t calls;             /* where the addresses of the functions are */
  int32_t constants;         /* where the program's constants are */
  int32_t scale;             /* bytes from one entry of an array to the next */
  struct reading (*read)[3]; /* (instructions) */
  struct reading *operand;   /* (program->operand) those of solved systems */
  uint32_t *current;         /* (slots) the value in each slot; used to find values */
  uint32_t *next;            /* (values) the next instruction that reads the value */
  int *where;                /* (values) register */
  uint32_t *output;          /* (instructions) 1 + the first output that is the result; 0: none */
  uint32_t *other;           /* (outputs) 1 + another output with the same value; 0: none */
  uint32_t held[CMB_X86_REGISTERS]; /* the value in each register that is not free */
  unsigned free;                    /* bits of the registers that are free */
  unsigned changed;                 /* bits of those whose value is not in its slot */
};

/* ---- what is read, and when next */

static int arity_of(const cmb_instruction *i)
{
  return i->op == CMB_OP_SOLVE ? 0 : cmb_op_arity((cmb_op)i->op);
}

static const cmb_program_solution *solution_of(const cmb_program *p, const cmb_instruction *i)
{
  return &p->solutions[i->data];
}

static uint32_t operands_of(const cmb_program *p, const cmb_instruction *i)
{
  return (uint32_t)p->systems[solution_of(p, i)->system].operands;
}

/* Sets the numbers of all values that are read, and lists for each result the outputs that it is. */
static void number_values(struct emitter *e)
{
  const cmb_program *p = e->p;
  for (int s = 0; s < p->slots; s++) e->current[s] = (uint32_t)s;
  for (int k = 0; k < p->instructions; k++) {
    const cmb_instruction *i = &p->code[k];
    const uint32_t slot[3] = {i->a, i->b, i->c};
    for (int n = 0; n < 3 && n < arity_of(i); n++) e->read[k][n].value = e->current[slot[n]];
    if (i->op != CMB_OP_SOLVE) {
      e->current[i->to] = (uint32_t)(p->slots + k);
      continue;
    }
    const uint32_t first = solution_of(p, i)->first, end = first + operands_of(p, i);
    for (uint32_t n = first; n < end; n++) e->operand[n].value = e->current[p->operand[n]];
  }
  for (int n = p->outputs - 1; n >= 0; n--) {
    const uint32_t value = e->current[p->output[n]];
    if (value < (uint32_t)p->slots) continue;
    e->other[n] = e->output[value - (uint32_t)p->slots];
    e->output[value - (uint32_t)p->slots] = (uint32_t)n + 1;
  }
}

/* Sets the next instruction that reads the value for readings by instruction k, before which nothing has been set. */
static void link_readings(struct emitter *e, uint32_t k, uint32_t count, struct reading *read)
{
  for (uint32_t n = 0; n < count; n++) read[n].next = e->next[read[n].value];
  for (uint32_t n = 0; n < count; n++) e->next[read[n].value] = k;
}

static void find_next_readings(struct emitter *e)
{
  const cmb_program *p = e->p;
  memset(e->next, 0xFF, (size_t)(p->slots + p->instructions) * sizeof *e->next);
  for (int k = p->instructions - 1; k >= 0; k--) {
    const cmb_instruction *i = &p->code[k];
    if (i->op == CMB_OP_SOLVE) {
      link_readings(e, (uint32_t)k, operands_of(p, i), e->operand + solution_of(p, i)->first);
    } else {
      link_readings(e, (uint32_t)k, (uint32_t)arity_of(i), e->read[k]);
    }
  }
}

/* ---- registers */

/* Returns the place of a value in memory. */
static cmb_x86_place place_of(const struct emitter *e, uint32_t value)
{
  const cmb_program *p = e->p;
  const uint32_t inputs = (uint32_t)p->inputs, fixed = inputs + (uint32_t)p->constants;
  const uint32_t slots = (uint32_t)p->slots;
  if (value < inputs) return (cmb_x86_place){CMB_X86_IN, (int32_t)value * e->scale};
  if (value < fixed) {
    const int32_t size = e->x->width * (int32_t)sizeof(double);
    return (cmb_x86_place){CMB_X86_CODE, e->constants + (int32_t)(value - inputs) * size};
  }
  const uint32_t slot = value < slots ? value : p->code[value - slots].to;
  return (cmb_x86_place){CMB_X86_WORK, (int32_t)slot * e->scale};
}

static void release_register(struct emitter *e, int r)
{
  e->where[e->held[r]] = NO_REGISTER;
  e->free |= 1U << r;
  e->changed &= ~(1U << r);
}

static void hold(struct emitter *e, int r, uint32_t value)
{
  e->held[r] = value;
  e->where[value] = r;
  e->free &= ~(1U << r);
}

/* Stores the value in register r in its slot if it is not there. */
static void save(struct emitter *e, int r)
{
  if (!(e->changed >> r & 1)) return;
  cmb_x86_store(e->x, place_of(e, e->held[r]), r);
  e->changed &= ~(1U << r);
}

/* Returns a register that is not among `kept` (bits): `wanted` if that is free, else any free one, else that of the value that is read latest.
 * It is free then. */
static int take_register(struct emitter *e, unsigned kept, int wanted)
{
  const unsigned free = e->free & ~kept;
  if (wanted >= 0 && (free >> wanted & 1)) return wanted;
  if (free) return __builtin_ctz(free);
  int latest = NO_REGISTER;
  for (int r = CMB_X86_SCRATCH; r < CMB_X86_REGISTERS; r++) {
    if (kept >> r & 1) continue;
    if (latest < 0 || e->next[e->held[r]] > e->next[e->held[latest]]) latest = r;
  }
  save(e, latest);
  release_register(e, latest);
  return latest;
}

static unsigned bit_of(int r)
{
  return r < 0 ? 0 : 1U << r;
}

/* Loads a value into a register, unless it is in one, and returns the register. */
static int load_value(struct emitter *e, uint32_t value, unsigned kept)
{
  if (e->where[value] >= 0) return e->where[value];
  const int r = take_register(e, kept, NO_REGISTER);
  cmb_x86_load(e->x, r, place_of(e, value));
  hold(e, r, value);
  return r;
}

/* Notes that an instruction has read its arguments: registers of values that are not read again are free. */
static void end_reading(struct emitter *e, uint32_t count, const struct reading *read)
{
  for (uint32_t n = 0; n < count; n++) {
    const uint32_t value = read[n].value;
    e->next[value] = read[n].next;
    if (read[n].next == NEVER && e->where[value] >= 0) release_register(e, e->where[value]);
  }
}

/* Notes that register r has the result of instruction k, and stores it in the outputs that it is. */
static void end_instruction(struct emitter *e, int k, int r)
{
  const uint32_t value = (uint32_t)(e->p->slots + k);
  hold(e, r, value);
  e->changed |= 1U << r;
  for (uint32_t n = e->output[k]; n > 0; n = e->other[n - 1]) {
    cmb_x86_store(e->x, (cmb_x86_place){CMB_X86_OUT, (int32_t)(n - 1) * e->scale}, r);
  }
  if (e->next[value] == NEVER) release_register(e, r);
}

/* ---- instructions */

/* Returns whether it is better to exchange the arguments: then the second one may stay in memory, or the code is shorter. */
static bool better_exchanged(const struct emitter *e, const struct reading *read)
{
  const int a = e->where[read[0].value], b = e->where[read[1].value];
  return a < 0 ? b >= 0 : b >= 8 && a < 8;
}

static bool stays_in_memory(const struct emitter *e, int k, const struct reading *read)
{
  const bool possible = e->x->avx || !e->x->lanes; /* vectors in memory need not be aligned */
  const bool soon = read->next != NEVER && read->next - (uint32_t)k <= SOON;
  return possible && e->where[read->value] < 0 && !soon;
}

static void emit_inlined(struct emitter *e, int k, cmb_x86_operation how)
{
  const cmb_instruction *i = &e->p->code[k];
  const int arity = arity_of(i);
  struct reading read[3];
  int r[3] = {0, 0, 0};
  unsigned kept = 0;
  memcpy(read, e->read[k], sizeof read);
  if (how.exchanged || (how.commutes && better_exchanged(e, read))) {
    read[0] = e->read[k][1];
    read[1] = e->read[k][0];
  }
  for (int n = 0; n < arity; n++) kept |= bit_of(e->where[read[n].value]);
  cmb_x86_place b = {CMB_X86_REGISTER, 0};
  for (int n = 0; n < arity; n++) {
    if (n == 1 && how.last && stays_in_memory(e, k, &read[n])) {
      b = place_of(e, read[n].value);
      continue;
    }
    r[n] = load_value(e, read[n].value, kept);
    kept |= bit_of(r[n]);
    if (n == 1) b.at = r[n];
  }
  end_reading(e, (uint32_t)arity, read);
  if (how.last) kept = e->x->avx || arity == 1 || r[1] == r[0] ? 0 : kept & ~bit_of(r[0]);
  const int to = take_register(e, kept, how.last ? r[0] : NO_REGISTER);
  cmb_x86_compute(e->x, (cmb_op)i->op, to, r[0], b, r[2]);
  end_instruction(e, k, to);
}

/* Frees all registers; values that are read later are stored in their slots. */
static void save_all(struct emitter *e)
{
  for (int r = CMB_X86_SCRATCH; r < CMB_X86_REGISTERS; r++) {
    if (e->free >> r & 1) continue;
    save(e, r);
    release_register(e, r);
  }
}

static int32_t address_of(const struct emitter *e, int op)
{
  return e->calls + (2 * op + e->x->lanes) * ADDRESS;
}

static void emit_call(struct emitter *e, int k)
{
  const cmb_instruction *i = &e->p->code[k];
  const int arity = arity_of(i);
  for (int n = 0; n < arity; n++) {
    const cmb_x86_place to = cmb_x86_argument(e->x, n);
    const uint32_t value = e->read[k][n].value;
    int r = e->where[value];
    if (r < 0 || to.base == CMB_X86_REGISTER) {
      const cmb_x86_place from = r < 0 ? place_of(e, value) : (cmb_x86_place){CMB_X86_REGISTER, r};
      cmb_x86_load(e->x, n, from);
      r = n;
    }
    if (to.base != CMB_X86_REGISTER) cmb_x86_store(e->x, to, r);
  }
  end_reading(e, (uint32_t)arity, e->read[k]);
  save_all(e);
  cmb_x86_call(e->x, address_of(e, i->op), e->p, i);
  const int to = take_register(e, 0, NO_REGISTER);
  cmb_x86_load(e->x, to, cmb_x86_argument(e->x, 0));
  end_instruction(e, k, to);
}

/* Emits the solution of a system: its operands are read from their slots. */
static void emit_solution(struct emitter *e, int k)
{
  const cmb_program *p = e->p;
  const cmb_instruction *i = &p->code[k];
  const struct reading *read = e->operand + solution_of(p, i)->first;
  for (uint32_t n = 0; n < operands_of(p, i); n++) {
    const uint32_t value = read[n].value;
    if (e->where[value] >= 0) save(e, e->where[value]);
    if (value >= (uint32_t)(p->inputs + p->constants)) continue;
    cmb_x86_load(e->x, 0, place_of(e, value));
    cmb_x86_store(e->x, (cmb_x86_place){CMB_X86_WORK, (int32_t)value * e->scale}, 0);
  }
  end_reading(e, operands_of(p, i), read);
  save_all(e);
  cmb_x86_call(e->x, address_of(e, i->op), p, i);
}

static void emit_instructions(struct emitter *e)
{
  const cmb_program *p = e->p;
  cmb_x86_enter(e->x);
  for (int k = 0; k < p->instructions && !e->x->failed; k++) {
    const cmb_x86_operation how = cmb_x86_how(e->x, (cmb_op)p->code[k].op);
    if (how.inlined) {
      emit_inlined(e, k, how);
    } else if (p->code[k].op == CMB_OP_SOLVE) {
      emit_solution(e, k);
    } else {
      emit_call(e, k);
    }
  }
  for (int n = 0; n < p->outputs; n++) {
    const uint32_t value = e->current[p->output[n]];
    if (value >= (uint32_t)p->slots) continue;
    cmb_x86_load(e->x, 0, place_of(e, value));
    cmb_x86_store(e->x, (cmb_x86_place){CMB_X86_OUT, n * e->scale}, 0);
  }
  cmb_x86_leave(e->x);
}

/* ---- functions */

static void write_constants(struct emitter *e)
{
  cmb_x86_align(e->x, 64);
  e->constants = (int32_t)e->x->length;
  for (int k = 0; k < e->p->constants; k++) {
    for (int l = 0; l < e->x->width; l++) cmb_x86_add(e->x, &e->p->constant[k], sizeof(double));
  }
}

static bool take_memory(struct emitter *e, cmb_arena *arena)
{
  const cmb_program *p = e->p;
  const size_t instructions = (size_t)p->instructions, slots = (size_t)p->slots;
  e->read = cmb_arena_take(arena, instructions, sizeof *e->read);
  e->operand = cmb_arena_take(arena, (size_t)cmb_program_operands(p), sizeof *e->operand);
  e->current = cmb_arena_take(arena, slots, sizeof *e->current);
  e->next = cmb_arena_take(arena, slots + instructions, sizeof *e->next);
  e->where = cmb_arena_take(arena, slots + instructions, sizeof *e->where);
  e->output = cmb_arena_take(arena, instructions, sizeof *e->output);
  e->other = cmb_arena_take(arena, (size_t)p->outputs, sizeof *e->other);
  if (cmb_arena_failed(arena)) return false;
  memset(e->where, 0xFF, (slots + instructions) * sizeof *e->where); /* NO_REGISTER */
  return true;
}

/* Appends the function for one program to the code x; *start is its place. The functions' addresses are at `calls`. */
static cmb_status emit_function(cmb_context *ctx, cmb_x86 *x, int32_t calls, cmb_emission *emission,
                                size_t *start)
{
  struct emitter e = {.x = x, .p = emission->program, .calls = calls};
  cmb_arena *arena = cmb_arena_create(ctx);
  const bool good = arena && take_memory(&e, arena);
  if (good) {
    e.scale = (int32_t)sizeof(double) * (x->lanes ? CMB_LANES : 1);
    e.free = (1U << CMB_X86_REGISTERS) - (1U << CMB_X86_SCRATCH);
    number_values(&e);
    find_next_readings(&e);
    write_constants(&e);
    cmb_x86_align(x, 64);
    *start = x->length;
    emit_instructions(&e);
  }
  cmb_arena_destroy(arena);
  return good && !x->failed ? CMB_OK : cmb_fail_memory(ctx);
}

/* Appends the addresses of all functions that the code may call, and returns where they begin. */
static int32_t write_calls(cmb_x86 *x)
{
  const int32_t start = (int32_t)x->length;
  for (int op = 0; op < CMB_OPS; op++) {
    for (int lanes = 0; lanes < 2; lanes++) {
      const cmb_emit_call call = cmb_emit_call_of((cmb_op)op, lanes);
      _Static_assert(sizeof call == ADDRESS, "the address of a function");
      cmb_x86_add(x, &call, sizeof call);
    }
  }
  return start;
}

/* Copies the code to memory that is then executable and no longer writable. Returns false if the system does not permit it. */
static bool make_executable(const cmb_x86 *x, cmb_emitted *code)
{
  void *bytes = mmap(NULL, x->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return false;
  memcpy(bytes, x->bytes, x->length);
  if (mprotect(bytes, x->length, PROT_READ | PROT_EXEC) != 0) {
    munmap(bytes, x->length);
    return false;
  }
  *code = (cmb_emitted){bytes, x->length};
  return true;
}

static bool is_small(int count, const cmb_emission *e)
{
  for (int i = 0; i < count; i++) {
    if (e[i].program->slots > MOST_SLOTS || e[i].program->outputs > MOST_SLOTS) return false;
  }
  return true;
}

/* Appends the functions to x and writes their places to start[count]. Stops, with CMB_OK, when x has MOST_CODE bytes or more. */
static cmb_status emit_functions(cmb_context *ctx, cmb_x86 *x, cmb_emit_level level, int count,
                                 cmb_emission *e, size_t *start)
{
  const int32_t calls = write_calls(x);
  for (int i = 0; i < count && x->length < MOST_CODE; i++) {
    x->lanes = e[i].lanes;
    x->width = x->lanes ? cmb_emit_width(level) : 1;
    CMB_TRY(emit_function(ctx, x, calls, &e[i], &start[i]));
  }
  return CMB_OK;
}

cmb_status cmb_emit(cmb_context *ctx, cmb_emit_level level, int count, cmb_emission *e,
                    cmb_emitted *code)
{
  *code = (cmb_emitted){0};
  if (level == CMB_EMIT_NONE || !is_small(count, e)) return CMB_OK;
  size_t *start = cmb_allocate(ctx, ((size_t)count + 1) * sizeof *start);
  cmb_x86 x = cmb_x86_begin(ctx, level == CMB_EMIT_AVX);
  cmb_status status =
      start ? emit_functions(ctx, &x, level, count, e, start) : cmb_fail_memory(ctx);
  if (start && status == CMB_OK && x.length < MOST_CODE && make_executable(&x, code)) {
    for (int i = 0; i < count; i++) {
      const uint8_t *at = (const uint8_t *)code->bytes + start[i];
      memcpy(&e[i].function, &at, sizeof at); /* POSIX allows this, ISO C has no cast for it */
    }
  }
  cmb_x86_release(&x);
  cmb_release(ctx, start);
  return status;
}

void cmb_emit_release(cmb_emitted *code)
{
  if (code->bytes) munmap(code->bytes, code->size);
  code->bytes = NULL;
}

cmb_emit_level cmb_emit_best(void)
{
  return __builtin_cpu_supports("avx") ? CMB_EMIT_AVX : CMB_EMIT_SSE2;
}

#else

cmb_status cmb_emit(cmb_context *ctx, cmb_emit_level level, int count, cmb_emission *e,
                    cmb_emitted *code)
{
  (void)ctx, (void)level, (void)count, (void)e;
  *code = (cmb_emitted){0};
  return CMB_OK;
}

void cmb_emit_release(cmb_emitted *code)
{
  (void)code;
}

cmb_emit_level cmb_emit_best(void)
{
  return CMB_EMIT_NONE;
}

#endif

int cmb_emit_width(cmb_emit_level level)
{
  return level == CMB_EMIT_AVX ? 4 : 2;
}
