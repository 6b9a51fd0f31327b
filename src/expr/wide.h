/*
 * Loops over blocks of numbers for wider vector instructions than the library is compiled for, where the processor has them. A function that is
 * CMB_WIDE has all that it calls inside; it has the same operations in the same order, and no products are contracted with sums, so that no
 * bit differs from the plain one.
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
