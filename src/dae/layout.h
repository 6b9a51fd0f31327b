/*
 * Where values lie in the one array that all programs made from a model read: those of the equations (graph_programs.c), steps of fixed
 * cost (method/stepper.h) and exported code (export/c_code.h).
 *
 *     t, q, modes, p, v, λ, a, forces of rests, u, h
 *
 * A program reads the blocks up to some block, so that its inputs are the first part of the array. What it does not read need not be
 * filled in.
 */
#ifndef CMB_DAE_LAYOUT_H
#define CMB_DAE_LAYOUT_H

typedef enum cmb_block {
  CMB_BLOCK_T,
  CMB_BLOCK_Q,
  CMB_BLOCK_MODE,
  CMB_BLOCK_P, /* live parameters */
  CMB_BLOCK_V,
  CMB_BLOCK_LAMBDA,
  CMB_BLOCK_A,
  CMB_BLOCK_PUSH, /* forces of rests, a rule each, if outputs read them */
  CMB_BLOCK_U,    /* what is added to the model's inputs; behind them rates of that */
  CMB_BLOCK_H,    /* the size of a step */
  CMB_BLOCKS
} cmb_block;

typedef struct cmb_layout {
  int count[CMB_BLOCKS];
  int first[CMB_BLOCKS];
} cmb_layout;

/* Blocks with these counts, one after the other. */
cmb_layout cmb_layout_make(const int count[CMB_BLOCKS]);

/* How many values there are up to the end of this block; and in all. */
static inline int cmb_layout_end(const cmb_layout *l, cmb_block last)
{
  return l->first[last] + l->count[last];
}

static inline int cmb_layout_size(const cmb_layout *l)
{
  return cmb_layout_end(l, CMB_BLOCK_H);
}

/* What a block is called in the comments of exported code. */
const char *cmb_block_name(cmb_block block);

#endif
