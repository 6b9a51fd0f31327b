/*
 * Sizes of coordinates, by which changes of lengths and of angles are made comparable; used for displacing a position, for difference
 * quotients and for testing convergence.
 *
 * An angle or an Euler parameter changes much if it changes by 1, whatever the mechanism is. A length that changes by a metre
 * changes as much only in a mechanism of ordinary size; in a mechanism of a micrometre, a change of some micrometres is as large.
 * So each coordinate has a size (dae.h, q_sizes), and changes are divided by it.
 */
#ifndef CMB_DAE_SIZE_H
#define CMB_DAE_SIZE_H

#include <camber/dae.h>
#include <stdint.h>

/* Returns the 2-norm of q (nq), or of a change of q, with each entry divided by the size of its coordinate: √Σ (q_i / size_i)². */
double cmb_sized_norm(const cmb_equations *eq, const double *q);

/* Returns the 2-norm of a gradient with respect to velocities, each entry multiplied by the size of its velocity. Entry k of
 * `count` belongs to velocity column[k], or to velocity k if column is NULL. */
double cmb_sized_gradient(const cmb_equations *eq, int count, const int *column,
                          const double *gradient);

/* Writes q (nq) plus a random displacement into `displaced`. Coordinate i is moved by at most `part` · size_i if its size is below
 * 1, else by at most `part` · max(1, |q_i|). `random` is the state of the random generator. */
void cmb_displace_beside(const cmb_equations *eq, const double *q, double part, uint32_t *random,
                         double *displaced);

#endif
