/*
 * One frame for all links of a tree: the axes and the origin of its first link that has mass. What far links have to do with
 * each other is a product of 6-vectors there, where walking from link to link takes three times the operations. And how
 * far the mechanism is from the ground's origin does not matter.
 */
#ifndef CMB_DYN_REFERENCE_H
#define CMB_DYN_REFERENCE_H

#include "dyn/kinematics.h"

/* The reference of the tree that a link belongs to: the first with mass from the ground on, as long as there is only one way. */
int cmb_reference_link(const cmb_tree *tree, int link);

/* The frame of link i in that of its reference. False without memory. */
bool cmb_reference_frame(cmb_kinematics *k, int i, cmb_frame *frame);

/* The motion that velocity n of a link makes, seen in the reference; `frame` is the link's. */
cmb_motion cmb_reference_motion(cmb_kinematics *k, int link, int n, const cmb_frame *frame);

#endif
