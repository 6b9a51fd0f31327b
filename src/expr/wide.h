/*
 * Marks functions to be compiled for wider vector instructions (AVX2) than the rest of the library, for processors that have them; used
 * for loops over blocks of waves. In a function that is CMB_WIDE all calls are inlined. It has the same operations in the same order, and
 * no products are contracted with sums, so that its results have the same bits as those of the plain function.
 */
#ifndef CMB_EXPR_WIDE_H
#define CMB_EXPR_WIDE_H

#if defined(__GNUC__) && defined(__x86_64__)
#define CMB_WIDE       __attribute__((target("avx2"), flatten))
#define CMB_HAS_WIDE() (__builtin_cpu_supports("avx2") != 0)
#else
#define CMB_WIDE
#define CMB_HAS_WIDE() false
#endif

#endif
