/*
 * Sizes of coordinates: what changes of lengths and of angles are compared in.
 *
 * An angle or an Euler parameter changes much where it changes by 1, whatever the mechanism is. A length that changes by a metre changes as much
 * only in a mechanism of ordinary size; in one of a micrometre it has to change by some micrometres. So each coordinate has a size (dae.h),
 * and changes are measured in parts of it: where coordinates are displaced, and where an iteration has arrived.
 */
#ifndef CMB_DAE_SIZE_H
#define CMB_DAE_SIZE_H

#include <camber/dae.h>
#include <stdint.h>

/* The 2-norm of q, or of a change of q (nq), with each entry in parts of its size. */
double cmb_sized_norm(const cmb_equations *eq, const double *q);

/* The length of a gradient by velocities in such parts; entry k of count belongs to velocity column[k], or to velocity k if column is NULL. */
double cmb_sized_gradient(const cmb_equations *eq, int count, const int *column,
                          const double *gradient);

/* displaced = q (nq), but for a random part, at most `part`, of the size of each entry; in mechanisms of ordinary size, of the entry itself
 * where that is larger. */
void cmb_displace_beside(const cmb_equations *eq, const double *q, double part, uint32_t *random,
                         double *displaced);

#endif
