/*
 * Layout of the one input array that programs made from a model read: those of the equations (graph_programs.c; not the products with mass
 * factors), steps of fixed cost (method/stepper.h) and exported code (export/c_code.h).
 *
 *     t, q, modes, p, v, λ, a, contact forces of rules, u, h
 *
 * A program reads the blocks up to some block, so that its inputs are the first part of the array. Entries that a program does not
 * read need not be filled in.
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
  CMB_BLOCK_PUSH, /* forces of closed contacts, one for each rule, if outputs read them */
  CMB_BLOCK_U,    /* additions to the model's inputs, followed by the rates of these additions */
  CMB_BLOCK_H,    /* the step size */
  CMB_BLOCKS
} cmb_block;

typedef struct cmb_layout {
  int count[CMB_BLOCKS];
  int first[CMB_BLOCKS];
} cmb_layout;

/* Computes the layout whose blocks have these counts and follow one another without gaps. */
cmb_layout cmb_layout_make(const int count[CMB_BLOCKS]);

/* Returns the number of values in all blocks up to and including the given one. */
static inline int cmb_layout_end(const cmb_layout *l, cmb_block last)
{
  return l->first[last] + l->count[last];
}

/* Returns the number of values in all blocks. */
static inline int cmb_layout_size(const cmb_layout *l)
{
  return cmb_layout_end(l, CMB_BLOCK_H);
}

/* Returns the name of a block for the comments of exported code, such as "multipliers". */
const char *cmb_block_name(cmb_block block);

#endif
