/*
 * The bytes of x86-64 instructions (emit_x86.h). Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2.
 *
 * An instruction with a result in a vector register is made of a prefix, one byte of operation, and a byte ModRM with the result's register
 * and the last argument, which is a register or a place in memory; then follow the distance in memory and perhaps one byte of choice.
 * There are two kinds of prefix. SSE2: an optional byte 66 or F2, which selects vectors or single numbers, then REX (4 bits: W R X B,
 * where R and B are the fourth bits of both registers), then 0F, perhaps 38 or 3A. The result replaces the first argument. AVX: C5 or, if
 * B = 1 or the operation is not one after 0F alone, C4; then the same bits inverted, the number of the first argument's register, inverted,
 * and the bit L for vectors of 256 bits. Then the result can be in a third register.
 *
 * Instructions on single numbers compute with the lower half of a register. Logical operations exist for vectors only, and compute with
 * the whole register. Every instruction can use at most one place in memory.
 *
 * Registers: rbx work + BIAS, rbp in, r14 out; a call keeps them. BIAS makes the distances of the first slots fit into one signed byte.
 * Places in the code are addressed relative to the next instruction.
 *
 * minsd is exactly a < b ? a : b and maxsd a > b ? a : b, with the second argument if one is NaN or both are zeros.
 */
#include "expr/emit_x86.h"

#include "base/context.h"
#include "expr/emit_calls.h"

#include <string.h>

enum { BIAS = 128, VECTOR = 32, STACK_ROOM = 3 * VECTOR, MOST_BYTES = 32 };

/* The constants at the beginning of the code: vectors of four equal numbers, in this order. */
enum {
  ONE = 0,
  MINUS_ONE = VECTOR,
  SIGN_BIT = 2 * VECTOR,
  OTHER_BITS = 3 * VECTOR,
  ZERO = 4 * VECTOR
};
static const uint64_t constants[] = {0x3FF0000000000000, 0xBFF0000000000000, 0x8000000000000000,
                                     0x7FFFFFFFFFFFFFFF, 0};

/* The bytes of operations, after 0F. */
enum {
  LOAD = 0x10,
  STORE = 0x11,
  COPY = 0x28,
  SQRT = 0x51,
  AND = 0x54,
  AND_NOT = 0x55, /* not the first argument, and the second */
  OR = 0x56,
  XOR = 0x57,
  ADD = 0x58,
  MULTIPLY = 0x59,
  SUBTRACT = 0x5C,
  LEAST = 0x5D,
  DIVIDE = 0x5E,
  GREATEST = 0x5F,
  COMPARE = 0xC2,
  ROUND = 0x09, /* after 0F 3A */
  ROUND_SINGLE = 0x0B
};

/* The byte of choice of COMPARE: the result's bits are all 1 if the relation holds, which only UNEQUAL does for NaN; that of ROUND. */
enum { EQUAL = 0, LESS = 1, LESS_OR_EQUAL = 2, UNEQUAL = 4, DOWN = 9, NO_CHOICE = -1 };

/* ---- bytes */

void cmb_x86_release(cmb_x86 *x)
{
  cmb_release(x->ctx, x->bytes);
  x->bytes = NULL;
}

/* Makes room for `length` more bytes; returns false if out of memory. */
static bool reserve(cmb_x86 *x, size_t length)
{
  if (x->failed || x->length + length <= x->room) return !x->failed;
  const size_t room = 2 * x->room + length + 4096;
  uint8_t *bytes = cmb_allocate_raw(x->ctx, room);
  x->failed = bytes == NULL;
  if (x->failed) return false;
  if (x->length > 0) memcpy(bytes, x->bytes, x->length);
  cmb_release(x->ctx, x->bytes);
  x->bytes = bytes;
  x->room = room;
  return true;
}

void cmb_x86_add(cmb_x86 *x, const void *bytes, size_t length)
{
  if (!reserve(x, length)) return;
  if (length > 0) memcpy(x->bytes + x->length, bytes, length);
  x->length += length;
}

void cmb_x86_align(cmb_x86 *x, size_t size)
{
  static const uint8_t zeros[64] = {0};
  cmb_x86_add(x, zeros, (size - x->length % size) % size);
}

cmb_x86 cmb_x86_begin(cmb_context *ctx, bool avx)
{
  cmb_x86 x = {.ctx = ctx, .avx = avx};
  for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
    for (int l = 0; l < 4; l++) cmb_x86_add(&x, &constants[i], sizeof constants[i]);
  }
  return x;
}

static void add_number(cmb_x86 *x, int32_t number)
{
  cmb_x86_add(x, &number, sizeof number);
}

#define ADD_BYTES(x, ...)                                                                          \
  cmb_x86_add(x, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* ---- one instruction */

/* The parts of an instruction. */
struct parts {
  bool single;   /* computes with single numbers, not with whole registers */
  int table;     /* 1: the operation's byte follows 0F, 3: it follows 0F 3A */
  int operation; /* the byte of operation */
  int reg;       /* register of the result; for STORE of the number to be stored */
  int left;      /* register of the first argument; -1: none but `right` */
  cmb_x86_place right;
  int choice;
};

static bool has_high_base(cmb_x86_place p)
{
  return p.base == CMB_X86_OUT || (p.base == CMB_X86_REGISTER && p.at >= 8);
}

static uint8_t *put_avx_prefix(const cmb_x86 *x, const struct parts *i, uint8_t *to)
{
  const int high = has_high_base(i->right), left = i->left < 0 ? 0 : i->left;
  const int vector = x->lanes && !i->single;
  const int rest = (~left & 15) << 3 | vector << 2 | (i->single ? 3 : 1);
  const int r = i->reg < 8 ? 0x80 : 0;
  if (!high && i->table == 1) {
    *to++ = 0xC5;
    *to++ = (uint8_t)(r | rest);
  } else {
    *to++ = 0xC4;
    *to++ = (uint8_t)(r | 0x40 | (high ? 0 : 0x20) | i->table);
    *to++ = (uint8_t)rest;
  }
  return to;
}

static uint8_t *put_sse_prefix(const struct parts *i, uint8_t *to)
{
  const int rex = (i->reg >= 8 ? 4 : 0) | (has_high_base(i->right) ? 1 : 0);
  *to++ = i->single ? 0xF2 : 0x66;
  if (rex) *to++ = (uint8_t)(0x40 | rex);
  *to++ = 0x0F;
  if (i->table == 3) *to++ = 0x3A;
  return to;
}

/* Appends a distance of 32 bits. */
static uint8_t *put_number(uint8_t *to, int32_t number)
{
  memcpy(to, &number, sizeof number);
  return to + sizeof number;
}

/* Appends ModRM and the distance. `next` is the number of bytes of code before it, plus those that follow the distance. */
static uint8_t *put_place(uint8_t *to, int reg, cmb_x86_place p, size_t next)
{
  static const uint8_t base[] = {
      [CMB_X86_IN] = 5, [CMB_X86_OUT] = 6, [CMB_X86_WORK] = 3, [CMB_X86_STACK] = 4};
  const int middle = (reg & 7) << 3;
  if (p.base == CMB_X86_REGISTER) {
    *to++ = (uint8_t)(0xC0 | middle | (p.at & 7));
    return to;
  }
  if (p.base == CMB_X86_CODE) {
    *to++ = (uint8_t)(middle | 5);
    return put_number(to, p.at - (int32_t)(next + 5));
  }
  const int32_t at = p.base == CMB_X86_WORK ? p.at - BIAS : p.at;
  const bool near = at >= -128 && at < 128;
  *to++ = (uint8_t)((near ? 0x40 : 0x80) | middle | base[p.base]);
  if (p.base == CMB_X86_STACK) *to++ = 0x24;
  if (!near) return put_number(to, at);
  *to++ = (uint8_t)at;
  return to;
}

static void put(cmb_x86 *x, const struct parts *i)
{
  if (!reserve(x, MOST_BYTES)) return;
  uint8_t *start = x->bytes + x->length;
  uint8_t *to = x->avx ? put_avx_prefix(x, i, start) : put_sse_prefix(i, start);
  *to++ = (uint8_t)i->operation;
  const size_t before = x->length + (size_t)(to - start);
  to = put_place(to, i->reg, i->right, before + (i->choice >= 0));
  if (i->choice >= 0) *to++ = (uint8_t)i->choice;
  x->length += (size_t)(to - start);
}

static cmb_x86_place in_register(int r)
{
  return (cmb_x86_place){CMB_X86_REGISTER, r};
}

static cmb_x86_place in_code(int32_t at)
{
  return (cmb_x86_place){CMB_X86_CODE, at};
}

static void copy(cmb_x86 *x, int to, int from)
{
  const struct parts i = {.table = 1,
                          .operation = COPY,
                          .reg = to,
                          .left = -1,
                          .right = in_register(from),
                          .choice = NO_CHOICE};
  if (to != from) put(x, &i);
}

void cmb_x86_load(cmb_x86 *x, int to, cmb_x86_place from)
{
  const struct parts i = {.single = !x->lanes,
                          .table = 1,
                          .operation = LOAD,
                          .reg = to,
                          .left = -1,
                          .right = from,
                          .choice = NO_CHOICE};
  if (from.base == CMB_X86_REGISTER) {
    copy(x, to, from.at);
  } else {
    put(x, &i);
  }
}

void cmb_x86_store(cmb_x86 *x, cmb_x86_place to, int from)
{
  const struct parts i = {.single = !x->lanes,
                          .table = 1,
                          .operation = STORE,
                          .reg = from,
                          .left = -1,
                          .right = to,
                          .choice = NO_CHOICE};
  put(x, &i);
}

/* Appends to = operation(a, b), on numbers or lanes. */
static void arithmetic(cmb_x86 *x, int operation, int choice, int to, int a, cmb_x86_place b)
{
  const struct parts i = {.single = !x->lanes,
                          .table = 1,
                          .operation = operation,
                          .reg = to,
                          .left = a,
                          .right = b,
                          .choice = choice};
  if (!x->avx) copy(x, to, a);
  put(x, &i);
}

/* Appends to = operation(a, b) for an operation on whole registers. */
static void logical(cmb_x86 *x, int operation, int to, int a, cmb_x86_place b)
{
  const struct parts i = {
      .table = 1, .operation = operation, .reg = to, .left = a, .right = b, .choice = NO_CHOICE};
  if (!x->avx) copy(x, to, a);
  put(x, &i);
}

/* ---- operations */

/* Appends an operation that is a single instruction on one argument: vectors have no first argument; single numbers take the upper half of
 * the result from it. The prefix of ROUND is 66 in both cases. */
static void one_argument(cmb_x86 *x, int table, int operation, int choice, int to, int a)
{
  const struct parts i = {.single = !x->lanes && table == 1,
                          .table = table,
                          .operation = operation,
                          .reg = to,
                          .left = x->lanes ? -1 : a,
                          .right = in_register(a),
                          .choice = choice};
  put(x, &i);
}

static void compare(cmb_x86 *x, int relation, int to, int a, cmb_x86_place b)
{
  arithmetic(x, COMPARE, relation, to, a, b);
  logical(x, AND, to, to, in_code(ONE));
}

/* Appends to = a > 0 ? 1 : a < 0 ? -1 : 0. */
static void sign(cmb_x86 *x, int to, int a)
{
  arithmetic(x, COMPARE, LESS, to, a, in_code(ZERO));
  logical(x, AND, to, to, in_code(MINUS_ONE));
  cmb_x86_load(x, 0, in_code(ZERO));
  arithmetic(x, COMPARE, LESS, 0, 0, in_register(a));
  logical(x, AND, 0, 0, in_code(ONE));
  logical(x, OR, to, to, in_register(0));
}

/* Emits instructions that replace those bits of register `to` by the bits of register b at which register 0 has ones. Overwrites register 0. */
static void select_bits(cmb_x86 *x, int to, int b)
{
  logical(x, AND_NOT, 1, 0, in_register(to));
  logical(x, AND, 0, 0, in_register(b));
  logical(x, OR, to, 0, in_register(1));
}

/* Emits instructions that compute a > 0 ? b : c in register `to`. */
static void choose(cmb_x86 *x, int to, int a, int b, int c)
{
  copy(x, to, c);
  cmb_x86_load(x, 0, in_code(ZERO));
  arithmetic(x, COMPARE, LESS, 0, 0, in_register(a));
  select_bits(x, to, b);
}

/* Emits instructions that compute a > 0 ? b : a < 0 ? -b : c - c in register `to`. */
static void stick(cmb_x86 *x, int to, int a, int b, int c)
{
  arithmetic(x, SUBTRACT, NO_CHOICE, to, c, in_register(c));
  logical(x, XOR, 2, b, in_code(SIGN_BIT));
  arithmetic(x, COMPARE, LESS, 0, a, in_code(ZERO));
  select_bits(x, to, 2);
  choose(x, to, a, b, to);
}

/* How an operation becomes instructions. */
enum form {
  CALLED,
  ARITHMETIC, /* one instruction, of two arguments */
  RELATION,
  BITS, /* a logical operation with a constant */
  ROOT,
  FLOOR,
  SAME, /* a copy */
  SIGN,
  CHOOSE,
  STICK
};

struct row {
  uint8_t form, operation;
  uint8_t with; /* choice of a comparison; place of the constant of a logical operation */
  bool commutes, exchanged;
};

static const struct row rows[CMB_OPS] = {
    [CMB_OP_ADD] = {ARITHMETIC, ADD, 0, .commutes = true},
    [CMB_OP_SUB] = {ARITHMETIC, SUBTRACT, 0, .commutes = false},
    [CMB_OP_MUL] = {ARITHMETIC, MULTIPLY, 0, .commutes = true},
    [CMB_OP_DIV] = {ARITHMETIC, DIVIDE, 0, .commutes = false},
    [CMB_OP_MIN] = {ARITHMETIC, LEAST, 0, .commutes = false},
    [CMB_OP_MAX] = {ARITHMETIC, GREATEST, 0, .commutes = false},
    [CMB_OP_LT] = {RELATION, COMPARE, LESS, .exchanged = false},
    [CMB_OP_LE] = {RELATION, COMPARE, LESS_OR_EQUAL, .exchanged = false},
    [CMB_OP_GT] = {RELATION, COMPARE, LESS, .exchanged = true},
    [CMB_OP_GE] = {RELATION, COMPARE, LESS_OR_EQUAL, .exchanged = true},
    [CMB_OP_EQ] = {RELATION, COMPARE, EQUAL, .commutes = true},
    [CMB_OP_NE] = {RELATION, COMPARE, UNEQUAL, .commutes = true},
    [CMB_OP_NEG] = {BITS, XOR, SIGN_BIT, .commutes = false},
    [CMB_OP_ABS] = {BITS, AND, OTHER_BITS, .commutes = false},
    [CMB_OP_SQRT] = {ROOT, SQRT, 0, .commutes = false},
    [CMB_OP_FLOOR] = {FLOOR, 0, DOWN, .commutes = false},
    [CMB_OP_SMOOTH] = {SAME, COPY, 0, .commutes = false},
    [CMB_OP_PART] = {SAME, COPY, 0, .commutes = false},
    [CMB_OP_SIGN] = {SIGN, 0, 0, .commutes = false},
    [CMB_OP_IF] = {CHOOSE, 0, 0, .commutes = false},
    [CMB_OP_STICK] = {STICK, 0, 0, .commutes = false},
};

cmb_x86_operation cmb_x86_how(const cmb_x86 *x, cmb_op op)
{
  const struct row *r = &rows[op];
  return (cmb_x86_operation){
      .inlined = r->form != CALLED && (r->form != FLOOR || x->avx),
      .commutes = r->commutes,
      .exchanged = r->exchanged,
      .last = r->form < SIGN,
  };
}

void cmb_x86_compute(cmb_x86 *x, cmb_op op, int to, int a, cmb_x86_place b, int c)
{
  const struct row *r = &rows[op];
  switch ((enum form)r->form) {
  case ARITHMETIC: arithmetic(x, r->operation, NO_CHOICE, to, a, b); break;
  case RELATION: compare(x, r->with, to, a, b); break;
  case BITS: logical(x, r->operation, to, a, in_code(r->with)); break;
  case ROOT: one_argument(x, 1, r->operation, NO_CHOICE, to, a); break;
  case FLOOR: one_argument(x, 3, x->lanes ? ROUND : ROUND_SINGLE, r->with, to, a); break;
  case SAME: copy(x, to, a); break;
  case SIGN: sign(x, to, a); break;
  case CHOOSE: choose(x, to, a, b.at, c); break;
  case STICK: stick(x, to, a, b.at, c); break;
  case CALLED: break;
  }
}

/* ---- functions and calls */

void cmb_x86_enter(cmb_x86 *x)
{
  ADD_BYTES(x, 0x53, 0x55, 0x41, 0x56);       /* push rbx; push rbp; push r14 */
  ADD_BYTES(x, 0x48, 0x83, 0xEC, STACK_ROOM); /* sub rsp, STACK_ROOM: a multiple of 16 again */
  ADD_BYTES(x, 0x48, 0x89, 0xFD);             /* mov rbp, rdi */
  ADD_BYTES(x, 0x49, 0x89, 0xF6);             /* mov r14, rsi */
  ADD_BYTES(x, 0x48, 0x8D, 0x9A);             /* lea rbx, [rdx + BIAS] */
  add_number(x, BIAS);
}

/* Appends vzeroupper: the upper halves of the registers slow down instructions of SSE2, such as those of the library, unless they are 0. */
static void clear_upper_halves(cmb_x86 *x)
{
  if (x->avx && x->lanes) ADD_BYTES(x, 0xC5, 0xF8, 0x77);
}

void cmb_x86_leave(cmb_x86 *x)
{
  clear_upper_halves(x);
  ADD_BYTES(x, 0x48, 0x83, 0xC4, STACK_ROOM); /* add rsp, STACK_ROOM */
  ADD_BYTES(x, 0x41, 0x5E, 0x5D, 0x5B, 0xC3); /* pop r14; pop rbp; pop rbx; ret */
}

cmb_x86_place cmb_x86_argument(const cmb_x86 *x, int i)
{
  return x->lanes ? (cmb_x86_place){CMB_X86_STACK, i * VECTOR} : in_register(i);
}

/* Arguments in the order of emit_calls.h: rdi program, rsi instruction, edx number of lanes, rcx the work array or the arguments on the
 * stack. */
void cmb_x86_call(cmb_x86 *x, int32_t address, const cmb_program *p, const cmb_instruction *i)
{
  clear_upper_halves(x);
  ADD_BYTES(x, 0x48, 0xBF); /* mov rdi, p */
  cmb_x86_add(x, &p, sizeof(void *));
  ADD_BYTES(x, 0x48, 0xBE); /* mov rsi, i */
  cmb_x86_add(x, &i, sizeof(void *));
  if (x->lanes || i->op == CMB_OP_SOLVE) {
    ADD_BYTES(x, 0xBA); /* mov edx, width */
    add_number(x, x->width);
  }
  if (i->op == CMB_OP_SOLVE) {
    ADD_BYTES(x, 0x48, 0x8D, 0x8B); /* lea rcx, [rbx - BIAS] */
    add_number(x, -BIAS);
  } else if (x->lanes) {
    ADD_BYTES(x, 0x48, 0x89, 0xE1); /* mov rcx, rsp */
  }
  ADD_BYTES(x, 0xFF, 0x15); /* call [address] */
  add_number(x, address - (int32_t)(x->length + 4));
}
